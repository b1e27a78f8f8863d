"""How far apart are the tables of synthetic data and of the original? The measures of utility.tab.

Raab, Nowok and Dibben (2021), Assessing, visualizing and improving the utility of synthetic data,
sections 2 and 3. td and ts are the counts of original and copy in a cell, c is the share of the
copy's records among all; cells that are empty in both do not count.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, level_labels
from unveil.count.packing import Sides
from unveil.records.utility import Grouping
from unveil.study.band_spec import names_open
from unveil.study.bands import RankedValues, quantile_breaks

# Into which groups are the levels of a column put before tables are counted?
#
# Categories stay what they are. Numbers and dates are cut at quantiles of the original and all
# copies together, as synthpop's utility.tab does it; missing values and special codes are groups
# of their own.


@dataclass(frozen=True, eq=False)
class GroupedColumn:
    """One column as codes of its groups, all sides stacked, and what the groups are called."""

    column: CodedColumn  # whose levels are the groups
    levels: tuple[str | None, ...]
    breaks: tuple[float, ...] | None = None  # None: not cut

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.column.name

    @property
    def sides(self) -> Sides:
        """Records of the files."""
        return self.column.sides

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """The group of every record."""
        return self.column.codes

    @property
    def n_levels(self) -> int:
        """How many groups there are."""
        return len(self.levels)

    @property
    def record(self) -> Grouping:
        """How it was cut."""
        return Grouping(variable=self.name, breaks=self.breaks or (), levels=self.levels)


def group_variable(variable: CodedColumn, n: int) -> GroupedColumn:
    """The groups of a column: its levels, or `n` bands of its numbers beside the other levels."""
    if not variable.is_scaled or not variable.is_ordinary.any():
        return GroupedColumn(variable, tuple(level_labels(variable)))
    is_ordinary = variable.is_ordinary
    values, counts = variable.amounts[is_ordinary], _pool_counts(variable)[is_ordinary]
    # synthpop 1.9-3, group_num: classInt's style "quantile", then "equal".
    breaks = np.array(quantile_breaks(RankedValues(values, counts), n)[1])
    group = np.empty(variable.n_levels, np.int64)
    group[is_ordinary] = np.searchsorted(breaks, values, side="right")
    others = np.flatnonzero(~is_ordinary)
    group[others] = len(breaks) + 1 + np.arange(len(others))
    found, place = np.unique(group, return_inverse=True)
    names = names_open(breaks.tolist(), is_whole=bool((values == np.rint(values)).all()))
    told = level_labels(variable) if len(others) else []
    levels = tuple([*names, *(told[level] for level in others)][slot] for slot in found)
    grouped = variable.replace_levels(place, pl.Series(range(len(found)), dtype=pl.Int64))
    return GroupedColumn(grouped, levels, tuple(breaks.tolist()))


def _pool_counts(variable: CodedColumn) -> Ints:
    """Records of all sides at each level."""
    n_sides = len(variable.sides.rows)
    total: Ints = np.sum([variable.counts_on(side) for side in range(n_sides)], axis=0)
    return total


# How many records of each side are in every cell of very many tables?
#
# All tables are counted into one flat array, each at its own place in it, so that what is said of
# all of them is worked out in one go. Very large tables are counted by the cells that occur.


MOST_CELLS = 2**20
"""So many cells are held at once; more tables wait."""

SPARSE = 4
"""Tables of more cells than this for each record are counted by the cells that occur."""


@dataclass(frozen=True, eq=False)
class TableCells:
    """Some tables: their variables by place, where each begins, and counts per side and cell."""

    tables: tuple[tuple[int, ...], ...]
    starts: Ints  # one more than tables: the last is the end
    number: Ints | None  # of each cell in its table; None: all cells stand there, in order
    counts: Ints  # sides x cells

    def select_table(self, table: int) -> tuple[Ints, Ints]:
        """The numbers of the cells of one table, and their counts."""
        start, end = self.starts[table], self.starts[table + 1]
        numbers = np.arange(end - start) if self.number is None else self.number[start:end]
        return numbers, self.counts[:, start:end]


CellCounter = Callable[[Sequence[int]], tuple[Ints, Ints]]
"""Of the table of the columns at these places, the numbers of the cells that occur, and their
records on each side."""


def count_all_tables(
    columns: Sequence[GroupedColumn],
    tables: Sequence[tuple[int, ...]],
    counter: CellCounter | None = None,
) -> Iterator[TableCells]:
    """The counts of all tables, in pieces of a bounded size; `counter` asks who keeps the rows."""
    n_rows = columns[0].sides.n_rows
    n_levels = [column.n_levels for column in columns]
    spaces = [prod(n_levels[place] for place in table) for table in tables]
    piece: list[int] = []
    held = 0
    for place, space in enumerate(spaces):
        if space > max(SPARSE * n_rows, MOST_CELLS // 16):
            yield _sparse(columns, tables[place], counter)
            continue
        if held + space > MOST_CELLS and piece:
            yield _dense(columns, [tables[i] for i in piece], [spaces[i] for i in piece], counter)
            piece, held = [], 0
        piece.append(place)
        held += space
    if piece:
        yield _dense(columns, [tables[i] for i in piece], [spaces[i] for i in piece], counter)


def _pack_cells(columns: Sequence[GroupedColumn], table: Sequence[int]) -> Ints:
    """The number of the cell of every record: the last variable turns fastest."""
    packed = columns[table[0]].codes.astype(np.int64)
    for place in table[1:]:
        packed *= columns[place].n_levels
        packed += columns[place].codes
    return packed


def _dense(
    columns: Sequence[GroupedColumn],
    tables: Sequence[tuple[int, ...]],
    spaces: Sequence[int],
    counter: CellCounter | None,
) -> TableCells:
    starts = np.concatenate(([0], np.cumsum(spaces)))
    slices = columns[0].sides.slices
    counts = np.zeros((len(slices), int(starts[-1])), np.int64)
    for table, (start, end) in zip(tables, pairwise(starts.tolist()), strict=True):
        if counter is not None:
            numbers, found = counter(table)
            counts[:, start + numbers] = found
            continue
        packed = _pack_cells(columns, table)
        for side, rows in enumerate(slices):
            counts[side, start:end] = np.bincount(packed[rows], minlength=end - start)
    return TableCells(tuple(tables), starts, None, counts)


def _sparse(
    columns: Sequence[GroupedColumn], table: tuple[int, ...], counter: CellCounter | None
) -> TableCells:
    if counter is not None:
        numbers, found = counter(table)
        return TableCells((table,), np.array([0, len(numbers)]), numbers, found)
    numbers, place = _number_cells(columns, table)
    counts = [np.bincount(place[rows], minlength=len(numbers)) for rows in columns[0].sides.slices]
    return TableCells((table,), np.array([0, len(numbers)]), numbers, np.stack(counts))


def _number_cells(columns: Sequence[GroupedColumn], table: tuple[int, ...]) -> tuple[Ints, Ints]:
    """The cells that occur, and the place among them of every record's."""
    # Three codes of 32 bits do not fit into 64: what occurs of the first two is numbered first.
    if len(table) < 3 or prod(columns[place].n_levels for place in table) < 2**62:
        return np.unique(_pack_cells(columns, table), return_inverse=True)
    first, place = np.unique(_pack_cells(columns, table[:2]), return_inverse=True)
    width = columns[table[2]].n_levels
    found, at = np.unique(place * width + columns[table[2]].codes, return_inverse=True)
    return first[found // width] * width + found % width, at


def levels_of(
    columns: Sequence[GroupedColumn], table: tuple[int, ...], number: int
) -> tuple[str | None, ...]:
    """What the levels of a cell are called."""
    levels = []
    for place in reversed(table):
        number, level = divmod(number, columns[place].n_levels)
        levels.append(columns[place].levels[level])
    return tuple(reversed(levels))


TINY = 1e-300  # 0 ln 0 is 0


@dataclass(frozen=True)
class Discrimination:
    """How well a score tells copy from original, one figure for each table."""

    SPECKS: Floats
    PO50: Floats
    U: Floats


@dataclass(frozen=True)
class Measures:
    """All measures, one figure for each table; NaN where there is none."""

    df: Ints
    VW: Floats
    FT: Floats
    JSD: Floats
    G: Floats
    dfG: Ints
    pMSE: Floats
    MabsDD: Floats
    WMabsDD: Floats
    dBhatt: Floats
    SPECKS: Floats
    PO50: Floats
    U: Floats
    S_pMSE: Floats
    S_FT: Floats
    S_JSD: Floats
    S_G: Floats
    S_WMabsDD: Floats


def measures(td: Ints, ts: Ints, starts: Ints) -> Measures:
    """Every measure of tables that stand one behind the other, each from its start to the next.

    Notes
    -----
    With diff = ts - td c / (1 - c) and expect = (ts + td) c: VW = sum diff^2 / expect, pMSE =
    VW c (1 - c)^2 / N, S_pMSE = VW / df, FT = 4 sum (sqrt ts - sqrt(td c / (1 - c)))^2, JSD the
    divergence of Jensen and Shannon in bits, S_JSD = 2 N JSD / (df ln 2) as synthpop has it, G =
    2 sum ts ln(ps / pd) over cells filled in both with shares over these, MabsDD = sum |diff| /
    n_s, WMabsDD = sum(|diff| / sqrt expect) / sqrt(2 / pi), dBhatt = sqrt(1 - sum sqrt(pd ps)).
    PO50 takes a cell for the synthetic file's where ps > pd: its share of the cell is above c.
    df is the number of cells less one; a table of one cell has no standardised measures.
    """
    table = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    is_filled = np.flatnonzero(td + ts)
    td, ts, table = td[is_filled], ts[is_filled], table[is_filled]
    first = np.searchsorted(table, np.arange(len(starts) - 1))
    one = slice(None) if len(first) == 1 else slice(first[1])  # all tables hold all records
    n_d, n_s = int(td[one].sum()), int(ts[one].sum())
    N, c = n_d + n_s, n_s / (n_d + n_s)

    def total(cells: NDArray[np.generic]) -> Floats:
        summed: Floats = np.add.reduceat(cells, first).astype(np.float64)
        return summed

    scaled = td * (n_s / n_d)
    diff, expect = ts - scaled, (ts + td) * c
    pd, ps = td / n_d, ts / n_s
    VW = total(diff**2 / expect)
    df = np.diff(first, append=len(td)) - 1
    FT = 4 * total((np.sqrt(ts) - np.sqrt(scaled)) ** 2)
    JSD = total(_divergence(ps, ps + pd) + _divergence(pd, ps + pd)) / 2
    WMabsDD = total(np.abs(diff) / np.sqrt(expect)) / math.sqrt(2 / math.pi)
    G, dfG = _likelihood_ratio(td, ts, table, len(first))
    told = discrimination(td, ts, ts / (td + ts), table, first, is_copy=ts * n_d > td * n_s)
    return Measures(
        df=df,
        VW=VW,
        FT=FT,
        JSD=JSD,
        G=G,
        dfG=dfG,
        pMSE=VW * c * (1 - c) ** 2 / N,
        MabsDD=total(np.abs(diff)) / n_s,
        WMabsDD=WMabsDD,
        dBhatt=np.sqrt(total((np.sqrt(pd) - np.sqrt(ps)) ** 2) / 2),
        SPECKS=told.SPECKS,
        PO50=told.PO50,
        U=told.U,
        S_pMSE=_over(VW, df),
        S_FT=_over(FT, df),
        S_JSD=_over(2 * N * JSD / math.log(2), df),
        S_G=_over(G, dfG),
        S_WMabsDD=_over(WMabsDD, df),
    )


def _divergence(p: Floats, both: Floats) -> Floats:
    """The terms p log2(2 p / both), 0 where p is 0."""
    made: Floats = p * np.log2(np.maximum(2 * p / both, TINY))
    return made


def _over(value: Floats, df: Ints) -> Floats:
    """Divided by its degrees of freedom; NaN where there are none."""
    ratio: Floats = np.divide(value, df, out=np.full(len(df), np.nan), where=df > 0)
    return ratio


def _likelihood_ratio(td: Ints, ts: Ints, table: Ints, n: int) -> tuple[Floats, Ints]:
    """G and its degrees of freedom, over the cells filled in both; `n` tables."""
    is_both = np.flatnonzero((td > 0) & (ts > 0))
    d, s, of = td[is_both], ts[is_both], table[is_both]
    n_d, n_s = (np.bincount(of, weights=side, minlength=n) for side in (d, s))
    n_cells = np.bincount(of, minlength=n)
    odds = np.divide(n_d, n_s, out=np.ones(n), where=n_s > 0)
    G = 2 * np.bincount(of, weights=s * np.log(s * odds[of] / d), minlength=n)
    return np.where(n_cells > 0, G, np.nan), n_cells - 1


def discrimination(
    td: Ints, ts: Ints, score: Floats, table: Ints, first: Ints, *, is_copy: Mask
) -> Discrimination:
    """SPECKS, PO50 and U of a score from 0 to 1, by table.

    Notes
    -----
    SPECKS is the distance of Kolmogorov and Smirnov between the scores of copy and original, U the
    rank sum of Wilcoxon and Mann-Whitney of the synthetic scores (ties count half), PO50 the
    percent of records classified correctly, as of synthetic data where `is_copy` says so, minus 50.
    """
    n_d, n_s = np.add.reduceat(td, first), np.add.reduceat(ts, first)
    right = np.add.reduceat(np.where(is_copy, ts, td), first)
    order = np.argsort(table + score / 2)
    score, d, s = score[order], np.cumsum(td[order]), np.cumsum(ts[order])
    # Cells of one score are one step; only its last cell stands for it.
    is_last = np.append((score[1:] != score[:-1]) | (table[1:] != table[:-1]), True)
    last = np.flatnonzero(is_last)
    of = table[last]
    d, s = d[last] - (np.cumsum(n_d) - n_d)[of], s[last] - (np.cumsum(n_s) - n_s)[of]
    start = np.searchsorted(of, np.arange(len(first)))
    gap = np.abs(s / n_s[of] - d / n_d[of])
    own_d, own_s = _steps(d, start), _steps(s, start)
    wins = own_s * (d - own_d / 2)
    return Discrimination(
        np.maximum.reduceat(gap, start),
        100 * right / (n_d + n_s) - 50,
        np.add.reduceat(wins, start),
    )


def _steps(running: Ints, start: Ints) -> Ints:
    """What each place adds to a running sum that begins anew at every start."""
    steps = np.diff(running, prepend=0)
    steps[start] = running[start]
    return steps


def discrimination_of_scores(td: Ints, ts: Ints, score: Floats) -> Discrimination:
    """The same for one table; a score above one half is taken for the synthetic file's."""
    one_table, first = np.zeros(len(td), np.int64), np.zeros(1, np.int64)
    return discrimination(td, ts, score, one_table, first, is_copy=score > 0.5)
