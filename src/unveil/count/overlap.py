"""Do the levels of the original and of its copies meet, or does good news only look good?

A key that matches nowhere finds nobody, and a target whose codes differ is never right: both make
the risk look like zero. The first is refused, the second is told, and so are levels that differ in
nothing but blanks or capitals.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from unveil.arguments import check_faults
from unveil.count.codes import CodedColumn
from unveil.errors import AlignError
from unveil.io.table import Table, mid_sentence
from unveil.records.disclosure import Coercion


def check_disjoint(keys: Sequence[CodedColumn], tables: Sequence[Table]) -> None:
    """Refuse a key that cannot match: its levels in a copy are all unknown to the original.

    Where the original came in two parts, the copies must meet each of them, and they each other.
    """
    n_originals = sum(not table.side.startswith("synthetic") for table in tables)
    pairs = [(a, b) for a in range(n_originals) for b in range(a + 1, len(tables))]
    faults = [
        f"{_disjoint(key, pair, tables)} Nothing would match, so the risk would appear as zero."
        " Give the column the same coding in both files."
        for key in keys
        for pair in pairs
        if _is_disjoint(key, *pair)
    ]
    check_faults(faults, AlignError)


def _disjoint(key: CodedColumn, pair: tuple[int, int], tables: Sequence[Table]) -> str:
    for place in pair:
        if key.has_missing and not key.counts[place][:-1].any():
            return f"Key {key.name!r} is empty throughout {mid_sentence(tables[place].place)}."
    return (
        f"Key {key.name!r} has no level in common between {mid_sentence(tables[pair[0]].place)} and"
        f" {mid_sentence(tables[pair[1]].place)}."
    )


def _is_disjoint(column: CodedColumn, base: int, side: int) -> bool:
    here, there = column.counts[base] > 0, column.counts[side] > 0
    if column.has_missing and here[:-1].any() and there[:-1].any():
        # Where both sides have real levels, missing values alone in common are no match.
        here, there = here[:-1], there[:-1]
    return not (here & there).any()


def doubtful_levels(columns: Sequence[CodedColumn], tables: Sequence[Table]) -> Iterator[Coercion]:
    """What a custodian should look at before believing a low figure."""
    for column in columns:
        for side in range(1, len(tables)):
            if _is_disjoint(column, 0, side):
                sentence = (
                    f"Column {column.name!r} has no level in common with the original, so nothing"
                    " about it can be correct. Is it coded in the same way?"
                )
                yield _note(column, tables[side], "no_common_level", sentence)
            elif n_alike := _look_alikes(column, side):
                sentence = (
                    f"Column {column.name!r}: levels taken as different although the original has"
                    f" them too, but for blanks or capitals: {n_alike:,}."
                )
                yield _note(column, tables[side], "look_alikes", sentence)


def _look_alikes(column: CodedColumn, side: int) -> int:
    """Levels only the copy has that the original has with other blanks or capitals."""
    if column.levels.dtype != pl.String:
        return 0
    here, there = column.counts[0] > 0, column.counts[side] > 0
    masks = (here & ~there, there & ~here)
    if not all(mask.any() for mask in masks):
        return 0
    original_only, copy_only = (
        column.levels.filter(pl.Series(mask)).drop_nulls().str.strip_chars().str.to_lowercase()
        for mask in masks
    )
    return int(copy_only.is_in(original_only.to_list()).sum())


def _note(column: CodedColumn, table: Table, kind: str, sentence: str) -> Coercion:
    return Coercion(side=table.side, column=column.name, kind=kind, sentence=sentence)
