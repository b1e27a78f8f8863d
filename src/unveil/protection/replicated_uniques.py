"""`unveil.remove_replicated_uniques`: copies without records that look like one person's own.

A record of a copy that is alone with its keys there, and whose keys one person alone has in the
original, looks like that person, whether or not it says anything true about them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Mask
from unveil.count.cells import Keys, count_keys
from unveil.count.codes import CodedColumn
from unveil.count.overlap import check_disjoint, doubtful_levels
from unveil.count.packing import Integers, count_people
from unveil.errors import AlignError, RolesError
from unveil.io.table import Table
from unveil.measure.result import RowsResult
from unveil.measure.roles.person import choose_people
from unveil.protection.recoding.recode import Data, restore_form
from unveil.records.protection import Removal, RemovalRow
from unveil.study.people import check_person
from unveil.study.roles import names, roles
from unveil.study.study import open_files, sides_of
from unveil.study.take_study import takes_study


@dataclass(frozen=True, repr=False, eq=False)
class RemovalResult(RowsResult[Removal]):
    """The copies without such records; printing it shows no record of the data."""

    copies: tuple[Data, ...]
    removed: tuple[tuple[int, ...], ...]  # row numbers of each copy, from 1 on: confidential

    @property
    def data(self) -> Data | tuple[Data, ...]:
        """The copy, or the copies where several were given."""
        return self.copies[0] if len(self.copies) == 1 else self.copies


@takes_study
def remove_replicated_uniques(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str] | None = None,
    uniques_of_original: bool = False,
    person: str | None = None,
    missing_values: str | Sequence[str] = (),
) -> RemovalResult:
    """Take out of each copy the records that are unique in it and in the original.

    Parameters
    ----------
    keys
        By which records are unique; omitted, all columns that every file has.
    uniques_of_original
        Whether to take out all uniques of the synthetic data whose keys the original has, be they
        unique there or not: more than the replicated ones, which are among them.

    person
        The column of the original that says whose row it is, where people have several: keys are
        then unique there where one person alone has them, in however many rows.

    Returns
    -------
    RemovalResult
        `.data` the data (or copies) without them, `.rows` the four counts for each, and
        `.removed` which rows went.

    Notes
    -----
    With d_q and s_q the records of the original and of the synthetic data that have the keys q: a
    synthetic record is a unique where s_q = 1, in the original where d_q > 0, and replicated
    where d_q = 1. Missing is a level like any other. With `person`, d_q is the number of people
    who have the keys.

    References
    ----------
    synthpop `replicated.uniques` and `sdc`, whose arguments rm.replicated.uniques and
    rm.uniques.in.orig these are. Raab 2024, section 6.
    """
    sides = sides_of(synthetic, original=original)
    asked = None if keys is None else names(keys, "Keys")
    given = open_files(sides, None, missing_values)
    check_person(person, asked or ())
    people = None if person is None else choose_people(given, person)
    tables = given if people is None else given.without_column(str(person))
    chosen = roles(tables, _common(tables) if asked is None else asked, ())
    encoded = tables.encode(chosen.keys)
    columns = encoded.columns
    _check_disjoint(columns, tables, are_named=asked is not None)
    counted = count_keys(columns, columns[0].sides)
    d_q = counted.counts[0]
    if people is not None:
        d_q = count_people(counted.q[counted.sides.slices[0]], people.of_row, counted.n_q)
    kept = [
        _kept_records(counted, d_q, side, wide=uniques_of_original)
        for side in range(1, len(tables))
    ]
    n_unique = int((d_q == 1).sum())
    if people is not None:
        alone = (d_q == 1)[counted.q[counted.sides.slices[0]]]
        n_unique = len(np.unique(people.of_row[alone]))
    rows = tuple(
        _row(counted, d_q, side, kept[side - 1], n_unique) for side in range(1, len(tables))
    )
    record = Removal(
        files=tuple(table.source for table in tables),
        keys=chosen.keys,
        uniques_of_original=uniques_of_original,
        person=None if people is None else people.record,
        rows=rows,
        warnings=tuple(_empty_copy_sentence(row) for row in rows if not row.n_left),
        coercions=(*encoded.coercions, *doubtful_levels(columns, tables)),
    )
    copies = [_without(table, mask) for table, mask in zip(given[1:], kept, strict=True)]
    gone = [tuple((np.flatnonzero(~mask) + 1).tolist()) for mask in kept]
    return RemovalResult(record, tuple(copies), tuple(gone))


def _check_disjoint(
    columns: Sequence[CodedColumn], tables: Sequence[Table], *, are_named: bool
) -> None:
    try:
        check_disjoint(columns, tables)
    except AlignError as fault:
        if are_named:
            raise
        raise AlignError(
            f"{fault}\nAll columns were taken as keys. Name those that outsiders know in keys."
        ) from None


def _common(tables: Sequence[Table]) -> list[str]:
    shared = set.intersection(*(set(table.frame.columns) for table in tables))
    if not shared:
        raise RolesError("The files have no column in common. Give them the same names.")
    return [name for name in tables[0].frame.columns if name in shared]


def _kept_records(keys: Keys, d_q: Integers, side: int, *, wide: bool) -> Mask:
    """Which records of a copy stay."""
    s_q = keys.counts[side]
    goes = (s_q == 1) & ((d_q > 0) if wide else (d_q == 1))
    kept: Mask = ~goes[keys.q[keys.sides.slices[side]]]
    return kept


def _row(keys: Keys, d_q: Integers, side: int, kept: Mask, n_unique: int) -> RemovalRow:
    s_q = keys.counts[side]
    return RemovalRow(
        copy=side,
        n_original=keys.sides.rows[0],
        n_synthetic=keys.sides.rows[side],
        uniques_original=n_unique,
        uniques_synthetic=(s_q == 1).sum(),
        uniques_in_original=((s_q == 1) & (d_q > 0)).sum(),
        replicated=((s_q == 1) & (d_q == 1)).sum(),
        n_removed=(~kept).sum(),
        n_left=kept.sum(),
    )


def _without(table: Table, kept: Mask) -> Data:
    return restore_form(with_fields(table, frame=table.frame.filter(pl.Series(kept))))


def _empty_copy_sentence(row: RemovalRow) -> str:
    return (
        f"No record of copy {row.copy} is left. Give fewer keys, or recode them before the"
        " synthetic data are made."
    )
