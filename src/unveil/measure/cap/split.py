"""`unveil.split`: who is used to make the copies, and who is excluded, by chance alone.

What copies disclose *because* a record was used shows only against people of the same kind whose
records were not used (Taub et al. 2018, section 4.3; Raab 2024, section 5).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import parse_number_within
from unveil.arrays import Mask
from unveil.count.packing import Ids, number, pack
from unveil.errors import RolesError, SettingsError, list_names
from unveil.io.table import Table
from unveil.measure.roles.person import choose_people
from unveil.records.codebook import Codebook
from unveil.records.differential import Split
from unveil.records.disclosure import Coercion
from unveil.seeding import parse_seed
from unveil.study.people import People
from unveil.study.roles import names
from unveil.study.study import OpenFiles, open_files
from unveil.study.take_study import takes_study
from unveil.view.show import Result


@dataclass(frozen=True, repr=False, eq=False)
class SplitResult(Result):
    """The two parts as frames, and the record of how they were made; printing shows no record.

    ::

        included, left_out = unveil.split(original, seed=1)

    Of a file with labels `codebook` says what they are: `unveil.Labelled(included, codebook)`.
    """

    record: Split
    included: pl.DataFrame
    left_out: pl.DataFrame
    codebook: Codebook | None = None

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return iter((self.included, self.left_out))


@takes_study
def split(
    original: Any,
    share: float = 0.5,
    *,
    seed: int,
    strata: str | Iterable[str] | None = None,
    person: str | None = None,
) -> SplitResult:
    """Split people at random into those to be included and those to be held out.

    Parameters
    ----------
    original
        The records, in any of the forms of `unveil.disclosure`.
    share
        How many of them are to be included: 0.5 as in Taub et al. (2018), 0.8 as in Raab (2024).
    seed
        A whole number: the same seed makes the same parts again. The record holds it. Anyone
        who has it and the original knows who was included, so keep it as confidential as the data.
    strata
        Columns within whose combinations of levels the share is to hold; missing is a level.
    person
        The column that says whose row it is: all rows of a person go to one part, and the share is
        of people. None looks for one (docs/suggest.md); "none" says that every row is a person.

    Returns
    -------
    SplitResult
        `.included` and `.left_out`, which it can be unpacked into: polars frames with the columns
        of the original, rows in its order. `.record` says how they were made.

    Notes
    -----
    Strata are put in random order, people in random order within them, and every (1 / share)th is
    taken from a random start. So each has the same chance, and the number included differs from
    the share by less than one, in the whole file and in each stratum. A row without a person is a
    person of its own.
    """
    wanted = parse_number_within("The share", share, "(0, 1)", ", such as 0.5 for one half")
    chosen = parse_seed(seed)
    strata_names = () if strata is None else names(strata, "Strata")
    files = open_files({"original": original})
    table = files[0]
    strata_of, n_strata = _strata(files, strata_names)
    people = choose_people(files, person)
    if people is not None:
        strata_of = _strata_of_people(strata_of, people, strata_names)
    is_in = person_in = _draw_included(strata_of, n_strata, wanted, np.random.default_rng(chosen))
    _check_empty(person_in, wanted, table)
    if people is not None:
        is_in = person_in[people.of_row]
    kept = pl.Series(is_in)
    record = Split(
        file=table.source,
        share=wanted,
        seed=chosen,
        strata=strata_names,
        n_strata=n_strata,
        n_original=len(is_in),
        n_included=int(is_in.sum()),
        n_left_out=int((~is_in).sum()),
        person=None if people is None else people.record,
        n_people_included=None if people is None else int(person_in.sum()),
        n_people_left_out=None if people is None else int((~person_in).sum()),
        coercions=(*table.notes, *(_note(people) if people and person is None else ())),
    )
    parts = (table.frame.filter(kept), table.frame.filter(~kept))
    return SplitResult(record, *parts, table.codebook)


def _strata(files: OpenFiles, strata: Sequence[str]) -> tuple[Ids, int]:
    """The stratum of each row as a number, and how many there are."""
    table = files[0]
    table.check_columns(strata)
    digits = [(column.codes, column.n_levels) for column in files.encode(strata).columns]
    return number(*pack(digits, table.frame.height))


def _strata_of_people(strata_of: Ids, people: People, strata: Sequence[str]) -> Ids:
    """The stratum of each person, which must be that of all their rows."""
    found = np.zeros(people.record.n_people, strata_of.dtype)
    found[people.of_row] = strata_of
    n_several = len(np.unique(people.of_row[found[people.of_row] != strata_of]))
    if n_several:
        raise RolesError(
            f"{n_several:,} of {people.record.n_people:,} people (column"
            f" {people.record.column!r}) have rows in several strata of {list_names(strata)}. Take"
            " strata that are the same in all rows of a person, or give person none (--person none)"
            " if every row is a person."
        )
    return found


def _note(people: People) -> tuple[Coercion]:
    """That a column was taken for whose row it is, though no one named it."""
    column = people.record.column
    sentence = (
        f"{column!r} {people.record.counts}, so all rows of a person are in one part. If every row"
        " is a person, give person none (--person none)."
    )
    return (Coercion(side="original", column=column, kind="person", sentence=sentence),)


def _draw_included(strata_of: Ids, n_strata: int, share: float, rng: np.random.Generator) -> Mask:
    """Who is included: every (1 / share)th of a random order, from a random start."""
    order_of_strata = rng.permutation(n_strata)
    order = np.lexsort((rng.random(len(strata_of)), order_of_strata[strata_of]))
    steps = np.floor(np.arange(len(order) + 1) * share + rng.random())
    is_in: Mask = np.zeros(len(order), bool)
    is_in[order] = np.diff(steps) > 0
    return is_in


def _check_empty(is_in: Mask, share: float, table: Table) -> None:
    if is_in.all() or not is_in.any():
        whom = "left out" if is_in.all() else "included"
        raise SettingsError(
            f"{table.place} is too small for a share of {share:g}: no one would be {whom}. Choose a"
            " share nearer to 0.5, or a larger file."
        )
