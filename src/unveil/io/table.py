"""One side of a comparison as read: its name in messages, its frame, and what was noticed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import polars as pl

from unveil.arguments import check_columns
from unveil.errors import ReadError, RolesError, list_names
from unveil.records.codebook import Codebook, Variable
from unveil.records.disclosure import Coercion

# Which columns are to be read, and does the table have them?


def choose(names: Sequence[str], columns: Sequence[str] | None, place: str) -> list[str]:
    """The columns to read, each once: those asked for, in that order, or all there are."""
    if not names:
        raise ReadError(f"{place} has no columns. Check that it is the file or frame you meant.")
    _check_twins(names, place)
    if not columns:
        return list(names)
    wanted = list(dict.fromkeys(columns))
    check_columns(place, wanted, names)
    return wanted


def _check_twins(names: Sequence[str], place: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RolesError(
                f"{place} has more than one column {name!r}. Give each column a name of its own."
            )
        seen.add(name)


def has_pattern(names: Sequence[str]) -> bool:
    """Whether polars would take one of these names, exact as they are, for a pattern of names."""
    return any(name == "*" or (name.startswith("^") and name.endswith("$")) for name in names)


# A table together with what is declared about its columns.


@dataclass(frozen=True, repr=False, eq=False)
class Labelled:
    """A frame and its codebook; every measure takes one where it takes a path or a frame."""

    frame: pl.DataFrame
    codebook: Codebook

    def __repr__(self) -> str:
        n_labelled = sum(bool(known.levels) for known in self.codebook.variables)
        return (
            f"Labelled({self.frame.height:,} records, {self.frame.width:,} columns, "
            f"{n_labelled:,} of them with labelled codes: {list_names(self.frame.columns)})"
        )


SUBJECTS = {
    "original": "The original",
    "train": "The training dataset",
    "control": "The control sample",
    "included": "The training dataset",
    "left out": "The control sample",
    "baseline": "The baseline table",
    "data": "The dataset",
    "synthetic": "The synthetic dataset",
}


BESIDE = "beside"
"""The kind of a note on what a file holds beside the table that was read."""


class HeldBeside(msgspec.Struct, frozen=True):
    """Texts that a synthetic file holds beside its table; they are compared and never shown."""

    what: str  # in words: "metadata"
    texts: tuple[str, ...]
    column: str | None = None  # which lists them as values


def note_beside(side: str, sentence: str) -> Coercion:
    """A note on what a file holds beside its table."""
    return Coercion(side=side, column=None, kind=BESIDE, sentence=sentence)


FRAME = "a data frame"
"""What stands for the name of a file where there is none."""


@dataclass(frozen=True)
class Table:
    """A frame with the name people know it by.

    `side` is "original", "synthetic", or "synthetic 2" where there are several copies; "train" and
    "control" where the original came in two parts. `place` is what a sentence calls it: "The
    original (survey.csv)". `source` is the name of its file; `codebook` what is declared about its
    columns, where anything is; `beside` what a file holds that is no part of it.
    """

    side: str
    place: str
    frame: pl.DataFrame
    source: str = FRAME
    notes: tuple[Coercion, ...] = field(default=())
    codebook: Codebook | None = None
    beside: tuple[HeldBeside, ...] = field(default=())

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """What is declared about each column, by its name."""
        declared = () if self.codebook is None else self.codebook.variables
        return {variable.name: variable for variable in declared}

    @property
    def n_records(self) -> int:
        """How many records it has."""
        return self.frame.height

    def count_missing(self, column: pl.Series) -> int:
        """How many records miss a value of a column of theirs."""
        return column.null_count()

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse columns that the table has not, all of them at once."""
        check_columns(self.place, names, self.frame.columns)


def place_of(side: str, file_name: str | None = None) -> str:
    """What a sentence calls a side: "The original (survey.csv)", "Synthetic dataset 2"."""
    subject = SUBJECTS.get(side, f"Synthetic dataset {side.removeprefix('synthetic ')}")
    return f"{subject} ({file_name})" if file_name else subject


def mid_sentence(place: str) -> str:
    """A place inside a sentence: "the original (survey.csv)"."""
    return place[0].lower() + place[1:]
