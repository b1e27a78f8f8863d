"""Which values of people does the synthetic data hold that single people have?

Identifiers, by role and by what `unveil.suggest` recognises, with real values; and numbers that one
person has, as they are or computed from other columns.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Ints, Mask
from unveil.count.packing import count_people
from unveil.io.table import Table
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, pair_column
from unveil.measure.gate.disguises import FEWEST, SHARED, find_disguise
from unveil.measure.gate.links import expected_share
from unveil.measure.gate.values import fold_text
from unveil.measure.roles.suggest import find_identifiers
from unveil.measure.structure.relations import (
    codes_as_text,
    column_numbers,
    find_coarse,
    find_named_codes,
    find_relations,
)
from unveil.records.alerts import CopiedColumn, SingleHolder
from unveil.records.base import Copy
from unveil.study.study import OpenFiles

_DENSE = 1.05
_DIGITS = 8
_NAMED = ("named as an identifier", "household in its")


def is_running(column: LinkColumn, side: int) -> bool:
    """Whether a file numbers its records: whole numbers, each once, without gaps."""
    if column.numbers is None:
        return False
    counts = column.counts[side]
    held = column.numbers[counts > 0]
    if counts.max(initial=0) > 1 or len(held) < FEWEST or not np.isfinite(held).all():
        return False
    return bool((held == np.round(held)).all() and np.ptp(held) <= _DENSE * len(held))


def find_single_holder(
    column: LinkColumn, side: int, copy: Copy, of_row: Ints | None = None
) -> SingleHolder | None:
    """Values that one person has and that a synthetic file has too; None where no one has one.

    `of_row` is whose row each original row is, where people have several.
    """
    is_value, holders = column.is_value, column.counts[ORIGINAL]
    if of_row is not None:
        holders = count_people(column.select_side(ORIGINAL), of_row, column.n_levels)
    held = (holders == 1) & is_value
    if not held.any():
        return None
    n_held, n_back = (
        _n_holders(column, some, of_row) for some in (held, held & (column.counts[side] > 0))
    )
    return SingleHolder(
        copy=copy,
        column=column.name,
        n_held=n_held,
        n_reappearing=n_back,
        expected=expected_share(holders[is_value], int(column.counts[side][is_value].sum())),
        is_running=is_running(column, ORIGINAL) and is_running(column, side),
    )


def find_computed_columns(
    original: Table,
    synthetic: Table,
    columns: Sequence[LinkColumn],
    held: Sequence[SingleHolder],
) -> Iterator[SingleHolder]:
    """Numbers of one person each that do not reappear themselves, but computed from others do.

    A relation is looked for in the original: weight from a body mass index and the height.
    """
    named = find_named_codes(original.frame, original.variables)
    frame, there = (codes_as_text(one.frame, named) for one in (original, synthetic))
    among = [name for name in frame.columns if name in there.columns]
    numbers = {column.name for column in columns if column.is_number}
    for row in held:
        is_most = row.n_held >= max(FEWEST, SHARED * frame.height)
        is_back = row.n_reappearing / row.n_held - row.expected >= SHARED / 2
        if row.column not in numbers or not is_most or is_back:
            continue
        best = row
        for relation in find_relations(frame, row.column, among, is_thorough=True):
            made = as_precise(relation.values(there), frame[row.column])
            column = pair_column((original, synthetic), (frame[row.column], made))
            found = find_single_holder(column, 1, row.copy)
            if found is not None and found.n_reappearing > best.n_reappearing:
                names = {"column": row.column, "computed_from": relation.sources}
                best = msgspec.structs.replace(found, is_running=False, **names)
        if best.n_reappearing / best.n_held - best.expected >= SHARED / 2:
            yield best
        else:
            yield from _coarse_forms(frame, there, row, among)


def _coarse_forms(
    frame: pl.DataFrame, there: pl.DataFrame, row: SingleHolder, among: Sequence[str]
) -> Iterator[SingleHolder]:
    """Columns that give a number nearer than it is published: its bands, or a rounded index.

    It has moved away from them since: in the original it is at least twice as near.
    """
    own, shown = (column_numbers(one[row.column]) for one in (frame, there))
    best = row
    for relation in find_coarse(frame, row.column, among):
        with np.errstate(all="ignore"):
            within, moved = (
                float(np.nanmedian(np.abs(column_numbers(relation.values(one)) - values)))
                for one, values in ((frame, own), (there, shown))
            )
        is_better = best.within is None or within < best.within
        if np.isfinite(moved) and within <= SHARED * moved and is_better:
            best = msgspec.structs.replace(
                row, computed_from=relation.sources, within=within, moved=moved
            )
    if best.computed_from:
        yield best


def as_precise(made: pl.Series, like: pl.Series) -> pl.Series:
    """Numbers with as many decimals as a column has, so that dust of the computation is gone."""
    if not like.dtype.is_float():
        return made.round()
    for digits in range(9):
        if like.round(digits).equals(like):
            return made.round(digits)
    return made


def _n_holders(column: LinkColumn, levels: Mask, of_row: Ints | None) -> int:
    """How many rows, or people, have one of some levels; each level is one row's, or person's."""
    if of_row is None:
        return int(levels.sum())
    return len(np.unique(of_row[levels[column.select_side(ORIGINAL)]]))


def find_copied_identifiers(
    original: OpenFiles,
    columns: Sequence[LinkColumn],
    side: int,
    copy: Copy,
    *,
    declared: Collection[str],
    known: Collection[str],
) -> Iterator[CopiedColumn]:
    """Identifiers that a synthetic file has too, with how many of its records hold real values.

    Columns with another role (`known`) are what a person said they are.
    """
    by_name = {column.name: column for column in columns}
    asked = [name for name in by_name if name not in known or name in declared]
    recognised = find_identifiers(original, [n for n in asked if n not in declared], {})
    for name in asked:
        if name not in declared and name not in recognised:
            continue
        column = by_name[name]
        is_value = column.is_value
        reason = recognised.get(name, "")
        by_values = name not in declared and not reason.startswith(_NAMED)
        counts = column.counts[ORIGINAL][is_value]
        # Of numbers that are no numbers of people, a new one is among the known as often as one of
        # theirs is another person's too.
        is_chance = by_values and column.is_number
        expected = float(counts[counts > 1].sum() / max(counts.sum(), 1)) if is_chance else 0.0
        detail = "a person gave it the role identifier" if name in declared else reason
        n_real, n_records = _n_real(column, side), int(column.counts[side][is_value].sum())
        found = None
        if n_real < SHARED * n_records and not is_running(column, side):
            found = find_disguise(column, side)
        if found is not None:
            n_real, expected = found.n_real, found.expected
            detail = f"{detail.rstrip('.')}; its values are those of the original {found.words}"
        yield CopiedColumn(
            copy=copy,
            column=name,
            reason="free text" if reason.startswith("free text") else "identifier",
            detail=detail,
            n_real=n_real,
            n_records=n_records,
            expected=expected,
            is_declared=name in declared,
            is_running=is_running(column, ORIGINAL) and is_running(column, side),
        )


def _n_real(column: LinkColumn, side: int) -> int:
    """Records that hold a value of the original, whatever stands between its letters and digits."""
    is_value = column.is_value
    here, there = (column.counts[one] > 0 for one in (ORIGINAL, side))
    is_real = here & there & is_value
    if not column.is_number and column.source.levels.dtype == pl.String:
        bare = fold_text(column.source.levels).str.replace_all(r"[^\p{L}\p{N}]", "")
        bare = bare.gather(column.example)
        known = bare.filter(pl.Series(here & is_value)).drop_nulls()
        digits = bare.str.replace_all(r"\D", "").str.tail(_DIGITS)
        # The last digits are the number of a telephone, whatever stands before them.
        is_number = digits.str.len_chars() == _DIGITS
        numbers = digits.filter(pl.Series(here & is_value) & is_number)
        like = bare.is_in(known.implode()) | (is_number & digits.is_in(numbers.implode()))
        is_real = like.fill_null(value=False).to_numpy() & there & is_value
    return int(column.counts[side][is_real].sum())
