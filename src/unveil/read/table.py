"""One side of a comparison as read: its name in messages, its frame, and what was noticed."""

from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from unveil.records.codebook import Codebook, Variable
from unveil.records.disclosure import Coercion

SUBJECTS = {
    "original": "The original",
    "train": "The train data",
    "control": "The control data",
    "included": "The included data",
    "left out": "The left-out data",
    "baseline": "The baseline table",
    "data": "The data",
    "synthetic": "The synthetic copy",
}


@dataclass(frozen=True)
class Table:
    """A frame with the name people know it by.

    `side` is "original", "synthetic", or "synthetic 2" where there are several copies; "train" and
    "control" where the original came in two parts. `place` is what a sentence calls it: "The
    original (survey.csv)". `source` is the name of its file; `codebook` what is declared about its
    columns, where anything is.
    """

    side: str
    place: str
    frame: pl.DataFrame
    source: str = "a data frame"
    notes: tuple[Coercion, ...] = field(default=())
    codebook: Codebook | None = None

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """What is declared about each column, by its name."""
        declared = () if self.codebook is None else self.codebook.variables
        return {variable.name: variable for variable in declared}


def place_of(side: str, file_name: str | None = None) -> str:
    """What a sentence calls a side: "The original (survey.csv)", "Synthetic copy 2"."""
    subject = SUBJECTS.get(side, f"Synthetic copy {side.removeprefix('synthetic ')}")
    return f"{subject} ({file_name})" if file_name else subject


def mid_sentence(place: str) -> str:
    """A place inside a sentence: "the original (survey.csv)"."""
    return place[0].lower() + place[1:]
