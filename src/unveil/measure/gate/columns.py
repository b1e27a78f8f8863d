"""Which values of two files are the same, whatever their spelling? One code for each.

Original, synthetic files and control sample are coded together. Text is equal after folding,
numbers and days to 11 digits, missing is a value. Numbers also have their place among the
original's, so that "near" means the same for every unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, label
from unveil.count.packing import Sides
from unveil.io.table import Table
from unveil.measure.gate.values import (
    floats_of,
    fold_text,
    read_days,
    read_numbers,
    read_years,
    round_digits,
)
from unveil.study.study import OpenFiles, Study

ORIGINAL = 0


@dataclass(frozen=True, eq=False)
class LinkColumn:
    """One column of all files as codes of folded values; `numbers` by code, NaN for no number."""

    name: str
    sides: Sides
    codes: NDArray[np.int32]
    n_levels: int  # missing included
    numbers: Floats | None
    missing: int | None  # the code of missing
    source: CodedColumn
    reading: "Reading"  # of the levels of `source`
    example: Ints  # for each code, one level of `source`
    code_of_level: Ints  # for each level of `source`, the code

    def select_side(self, side: int) -> NDArray[np.int32]:
        """The codes of one file."""
        return self.codes[self.sides.slices[side]]

    @cached_property
    def counts(self) -> Ints:
        """Records by file and code."""
        found = np.zeros((self.n_levels, len(self.sides.rows)), np.int64)
        np.add.at(found, self.code_of_level, self.source.counts.T)
        return np.ascontiguousarray(found.T)

    @cached_property
    def is_value(self) -> Mask:
        """Which codes are values, not missing."""
        found: Mask = np.arange(self.n_levels) != self.missing
        return found

    @cached_property
    def n_original_levels(self) -> int:
        """Values that the original has."""
        return int((self.counts[ORIGINAL] > 0).sum())

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers or days."""
        return self.numbers is not None

    @cached_property
    def order(self) -> Ints:
        """For each code its place: numbers by size, all else as folded."""
        if self.numbers is None:
            return np.arange(self.n_levels)
        return np.argsort(np.argsort(np.nan_to_num(self.numbers, nan=-np.inf), kind="stable"))

    @cached_property
    def ranks(self) -> Floats:
        """For each code of a number its mid-rank among the original's."""
        return self.ranks_among(ORIGINAL)

    def ranks_among(self, side: int) -> Floats:
        """For each code of a number its mid-rank among those of one file, 0 to 1; missing is -1.

        Between two numbers of the file the rank is on the straight line.
        """
        assert self.numbers is not None
        known = np.isfinite(self.numbers)
        counts = np.where(known, self.counts[side], 0)
        held = np.flatnonzero(counts)
        ranks = np.full(self.n_levels, -1.0)
        if len(held):
            held = held[np.argsort(self.numbers[held])]
            weights = counts[held]
            middle = (np.cumsum(weights) - weights / 2) / weights.sum()
            ranks[known] = np.interp(self.numbers[known], self.numbers[held], middle)
        return ranks

    def level(self, code: int) -> str | None:
        """A value as text; None is missing."""
        return label(self.source, int(self.example[code]))


def link_column(name: str, files: OpenFiles) -> LinkColumn:
    """One column of several files, coded together."""
    source = files.column_or_text(name)
    said = read_levels(source, range(len(files)))
    keys, codes_of_levels = np.unique(said.folded, return_inverse=True)
    # The spelling of the original stands for all, where it has the value.
    by_use = np.argsort(source.counts[ORIGINAL] > 0, kind="stable")
    example = np.zeros(len(keys), np.int64)
    example[codes_of_levels[by_use]] = by_use
    missing = int(codes_of_levels[-1]) if source.has_missing else None
    return LinkColumn(
        name,
        source.sides,
        source.recode(codes_of_levels),
        len(keys),
        None if said.numbers is None else said.numbers[example],
        missing,
        source,
        said,
        example,
        codes_of_levels,
    )


def pair_column(tables: Sequence[Table], values: Sequence[pl.Series]) -> LinkColumn:
    """Columns of the original and of a synthetic file, coded as if they were the same."""
    sides = [
        replace(table, frame=pl.DataFrame({"x": one}), codebook=None, notes=())
        for table, one in zip(tables, values, strict=True)
    ]
    return link_column("x", Study(sides).files)


@dataclass(frozen=True, eq=False)
class Reading:
    """What the levels of a column say: an integer that equal ones share, and numbers or days."""

    folded: NDArray[np.int64]
    numbers: Floats | None
    is_date: bool = False


def read_levels(column: CodedColumn, sides: Sequence[int]) -> Reading:
    """Read the levels of a column, text by the formats of each of these files."""
    levels = column.levels
    place = np.arange(len(levels))
    if levels.dtype == pl.String:
        return _read_text(column, sides)
    if levels.dtype in (pl.Date, pl.Datetime):
        days = levels.cast(pl.Datetime("us")).to_physical() / 86_400_000_000
        return Reading(place, floats_of(days), is_date=True)
    if not levels.dtype.is_numeric() and not levels.dtype.is_temporal():
        return Reading(place, None)
    numbers = floats_of(levels.to_physical())
    is_whole = levels.dtype.is_integer() or levels.dtype.is_temporal()
    return Reading(place if is_whole else _join_equal(place, round_digits(numbers)), numbers)


def _read_text(column: CodedColumn, sides: Sequence[int]) -> Reading:
    levels = column.levels
    folded = fold_text(levels).rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    read = _text_numbers(column, sides)
    if read is None:
        return Reading(folded, None)
    return Reading(_join_equal(folded, round_digits(read[0])), read[0], is_date=read[1])


def _join_equal(place: Ints, numbers: Floats) -> NDArray[np.int64]:
    """One integer for equal numbers, by size; what is no number keeps its own, below all."""
    known = np.isfinite(numbers)
    joined = -1 - np.asarray(place, np.int64)
    _, joined[known] = np.unique(numbers[known], return_inverse=True)
    return joined


def _text_numbers(column: CodedColumn, sides: Sequence[int]) -> tuple[Floats, bool] | None:
    """Levels of text as numbers or days, each file by its own format; None where one has none."""
    texts, read = {}, {}
    known: dict[bytes, tuple[Floats, str] | None] = {}  # sides with the same levels are read once
    for side in sides:
        here = np.flatnonzero(column.counts[side][: column.n_levels - column.has_missing])
        if len(here):
            texts[side] = here, column.levels.gather(here)
            if here.tobytes() not in known:
                known[here.tobytes()] = read_numbers(texts[side][1])
            read[side] = known[here.tobytes()]
    if any(one is None for one in read.values()) or not _is_one_to_one(read.get(ORIGINAL)):
        return None
    kinds = {one[1] for one in read.values() if one}
    found = np.full(column.n_levels, np.nan)
    for side, (here, text) in reversed(texts.items()):
        one = read[side]
        assert one is not None
        days = one[0]
        if len(kinds) > 1 and one[1] == "number":
            # Beside dates: 20240131, or a year. Any other number stays one.
            again = read_days(text)
            again = read_years(text) if again is None else again
            days = one[0] if again is None else again
        found[here] = days
    return (found, "date" in kinds) if np.isfinite(found).any() else None


def _is_one_to_one(read: tuple[Floats, str] | None) -> bool:
    """Whether the original's levels stay apart as numbers: 3 and 3a are codes, not amounts."""
    if read is None:
        return True
    known = read[0][np.isfinite(read[0])]
    return len(np.unique(round_digits(known))) >= 0.98 * len(known)
