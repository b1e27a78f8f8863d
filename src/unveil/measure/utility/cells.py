"""How many records of each side are in every cell of very many tables?

All tables are counted into one flat array, each at its own place in it, so that what is said of all
of them is worked out in one go. Very large tables are counted by the cells that occur.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from unveil.measure.utility.grouping import Grouped

Whole = NDArray[np.int64]

MOST_CELLS = 2**20
"""So many cells are held at once; more tables wait."""

SPARSE = 4
"""Tables of more cells than this for each record are counted by the cells that occur."""

KEPT = 16  # of these are held at once


@dataclass(frozen=True, eq=False)
class Cells:
    """Some tables: their variables by place, where each begins, and counts per side and cell."""

    tables: tuple[tuple[int, ...], ...]
    starts: Whole  # one more than tables: the last is the end
    number: Whole | None  # of each cell in its table; None: all cells stand there, in order
    counts: Whole  # sides x cells

    def of_table(self, table: int) -> tuple[Whole, Whole]:
        """The numbers of the cells of one table, and their counts."""
        start, end = self.starts[table], self.starts[table + 1]
        numbers = np.arange(end - start) if self.number is None else self.number[start:end]
        return numbers, self.counts[:, start:end]


def all_cells(columns: Sequence[Grouped], tables: Sequence[tuple[int, ...]]) -> Iterator[Cells]:
    """The counts of all tables, in pieces of a bounded size."""
    n_rows = columns[0].sides.n_rows
    n_levels = [column.n_levels for column in columns]
    spaces = [prod(n_levels[place] for place in table) for table in tables]
    piece: list[int] = []
    held = 0
    for place, space in enumerate(spaces):
        if space > max(SPARSE * n_rows, MOST_CELLS // 16):
            yield _sparse(columns, tables[place])
            continue
        if held + space > MOST_CELLS and piece:
            yield _dense(columns, [tables[i] for i in piece], [spaces[i] for i in piece])
            piece, held = [], 0
        piece.append(place)
        held += space
    if piece:
        yield _dense(columns, [tables[i] for i in piece], [spaces[i] for i in piece])


def _packed(columns: Sequence[Grouped], table: Sequence[int]) -> Whole:
    """The number of the cell of every record: the last variable turns fastest."""
    packed = columns[table[0]].codes.astype(np.int64)
    for place in table[1:]:
        packed *= columns[place].n_levels
        packed += columns[place].codes
    return packed


def _dense(
    columns: Sequence[Grouped], tables: Sequence[tuple[int, ...]], spaces: Sequence[int]
) -> Cells:
    starts = np.concatenate(([0], np.cumsum(spaces)))
    slices = columns[0].sides.slices
    counts = np.empty((len(slices), int(starts[-1])), np.int64)
    packing = _Packing(columns)
    for table, (start, end) in zip(tables, pairwise(starts.tolist()), strict=True):
        packed = packing.of(table)
        for side, rows in enumerate(slices):
            counts[side, start:end] = np.bincount(packed[rows], minlength=end - start)
    return Cells(tuple(tables), starts, None, counts)


@dataclass
class _Packing:
    """Tables come in order: what all but the last variable make of the number is kept a while."""

    columns: Sequence[Grouped]
    first: tuple[int, ...] | None = None
    scaled: dict[int, Whole] = field(default_factory=dict)

    def of(self, table: tuple[int, ...]) -> Whole:
        """The number of the cell of every record."""
        if len(table) == 1:
            return _packed(self.columns, table)
        last = self.columns[table[-1]]
        if table[:-1] != self.first or len(self.scaled) >= KEPT:
            self.first, self.scaled = table[:-1], {}
        if last.n_levels not in self.scaled:
            self.scaled[last.n_levels] = _packed(self.columns, table[:-1]) * last.n_levels
        return self.scaled[last.n_levels] + last.codes


def _sparse(columns: Sequence[Grouped], table: tuple[int, ...]) -> Cells:
    numbers, place = _numbered(columns, table)
    counts = [np.bincount(place[rows], minlength=len(numbers)) for rows in columns[0].sides.slices]
    return Cells((table,), np.array([0, len(numbers)]), numbers, np.stack(counts))


def _numbered(columns: Sequence[Grouped], table: tuple[int, ...]) -> tuple[Whole, Whole]:
    """The cells that occur, and the place among them of every record's."""
    # Three codes of 32 bits do not fit into 64: what occurs of the first two is numbered first.
    if len(table) < 3 or prod(columns[place].n_levels for place in table) < 2**62:
        return np.unique(_packed(columns, table), return_inverse=True)
    first, place = np.unique(_packed(columns, table[:2]), return_inverse=True)
    width = columns[table[2]].n_levels
    found, at = np.unique(place * width + columns[table[2]].codes, return_inverse=True)
    return first[found // width] * width + found % width, at


def levels_of(
    columns: Sequence[Grouped], table: tuple[int, ...], number: int
) -> tuple[str | None, ...]:
    """What the levels of a cell are called."""
    levels = []
    for place in reversed(table):
        number, level = divmod(number, columns[place].n_levels)
        levels.append(columns[place].levels[level])
    return tuple(reversed(levels))
