"""How many records has each key combination q, and each cell (q, t), in two files d and s?

There is no join: the records of d stand before those of s, the codes of a record are packed into
one number, and equal numbers are equal combinations. A combination of one single record has one
cell, of that record; such cells look alike but for t, and are one row with a weight w.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.data.columns import Coded

Ints = NDArray[Any]  # numpy's own types of integers are too narrow to compute with
Floats = NDArray[np.float64]
LARGEST = 2**62  # numbers are packed up to here, then numbered anew
DENSE_CELLS = 0.5  # cells are counted in an array of up to so many times the records, else sorted
DENSE_KEYS = 4  # combinations are numbered in an array of up to so many times the records

NO_TARGET = Coded("", "nothing", pl.Series([None], dtype=pl.String), np.zeros(0, np.int32))
"""In the place of a target, where everyone has the same level: the keys alone."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Where the records of two files stand among those of all files."""

    d: slice
    s: slice

    @property
    def n_d(self) -> int:
        return self.d.stop - self.d.start

    @property
    def n_s(self) -> int:
        return self.s.stop - self.s.start

    def of(self, codes: Ints) -> Ints:
        """The codes of the records of d, then of s."""
        if self.d.stop == self.s.start:
            return codes[self.d.start : self.s.stop]
        return np.concatenate([codes[self.d], codes[self.s]])


@dataclass(frozen=True, eq=False)
class Keys:
    """The key combinations of two files, numbered from 0 on where several records have them."""

    columns: tuple[Coded, ...]
    pair: Pair
    q: Ints  # of each record; -1 for a combination of one single record
    n_q: int  # combinations of several records

    @cached_property
    def single(self) -> Ints:
        """The records whose combination nobody else has."""
        return np.flatnonzero(self.q < 0)

    @cached_property
    def several(self) -> Any:
        """The records whose combination others have."""
        return np.flatnonzero(self.q >= 0) if len(self.single) else slice(None)

    @cached_property
    def example(self) -> Ints:
        """A record of each combination."""
        records = np.empty(self.n_q, np.int32)
        records[self.q[self.several]] = np.arange(len(self.q), dtype=np.int32)[self.several]
        return records

    def codes(self, key: Coded) -> Ints:
        """The level of one key in each combination."""
        is_d = self.example < self.pair.n_d
        shift = np.where(is_d, self.pair.d.start, self.pair.s.start - self.pair.n_d)
        return key.codes[self.example + shift]


@dataclass(frozen=True, eq=False)
class Cells:
    """Key combinations with a level of a target, in their order, and the records of each.

    Rows of single records follow the cells of several: a row for each t, file and level of the
    keys that rules name, which stands for w cells.
    """

    keys: Keys
    target: Coded
    q: Ints
    t: Ints
    d_tq: Ints
    s_tq: Ints
    w: Ints
    levels: dict[str, Ints]  # of keys that rules name
    packed: Ints  # the numbers of cells of several records
    alike: Ints  # the numbers of rows of single people
    alike_of: Ints  # such a number for each single record

    @cached_property
    def starts(self) -> Ints:
        """The first cell of each key combination."""
        return np.flatnonzero(np.diff(self.q, prepend=-1))

    def per_q(self, values: Ints) -> Ints:
        """For each cell, the sum of values over all cells with its keys."""
        return np.add.reduceat(values, self.starts)[self.q] if len(values) else values

    def highest(self, values: Ints) -> Ints:
        """For each cell, the highest value over all cells with its keys."""
        return np.maximum.reduceat(values, self.starts)[self.q] if len(values) else values

    @property
    def t_of_people(self) -> Ints:
        """The level of each person of d."""
        return self.keys.pair.of(self.target.codes)[: self.keys.pair.n_d]

    @cached_property
    def of_people(self) -> Ints:
        """The cell of each person of d."""
        n_d, keys = self.keys.pair.n_d, self.keys
        q = keys.q[:n_d].astype(np.int64)
        t = 0 if self.target is NO_TARGET else self.t_of_people
        cell = np.searchsorted(self.packed, q * max(self.target.n_levels, 1) + t)
        single = keys.single[keys.single < n_d]
        place = np.searchsorted(self.alike, self.alike_of[: len(single)])
        cell[single] = len(self.packed) + place
        return cell

    def people(self, key: Coded, levels: Ints) -> tuple[Ints, Ints, Ints]:
        """Of these target levels: the level of a key, the target's, and how many people."""
        cells = np.flatnonzero(np.isin(self.t, levels) & (self.q < self.keys.n_q))
        k, t = self.keys.codes(key)[self.q[cells]], self.t[cells]
        single = self.keys.single[self.keys.single < self.keys.pair.n_d]
        return (
            np.append(k, self.keys.pair.of(key.codes)[single]),
            np.append(t, self.keys.pair.of(self.target.codes)[single]),
            np.append(self.d_tq[cells], np.ones(len(single), np.int64)),
        )


def pack(columns: Sequence[Coded]) -> tuple[Ints, int]:
    """One number for each record by its levels, and how many numbers there might be."""
    packed: Ints = np.zeros(len(columns[0].codes), np.int64)
    space = 1
    for column in columns:
        if space * column.n_levels > LARGEST:
            packed, space = number(packed, space)
        packed *= column.n_levels
        packed += column.codes
        space *= column.n_levels
    return packed, space


def count_keys(columns: Sequence[Coded], packed: Ints, space: int, pair: Pair) -> Keys:
    """Number the combinations of two files."""
    q, n_q = number(pair.of(packed), space)
    has_several = np.bincount(q, minlength=n_q) > 1
    if not has_several.all():
        place = np.cumsum(has_several) - 1
        n_q = int(has_several.sum())
        place[~has_several] = -1
        q = place[q]
    return Keys(tuple(columns), pair, q.astype(np.int32), n_q)


def count_cells(keys: Keys, target: Coded, names: Sequence[str] = ()) -> Cells:
    """Count every combination of keys and target level; rows alike are parted by these keys."""
    by = [column for column in keys.columns if column.name in names]
    n_d, n_t = keys.pair.n_d, target.n_levels
    t = np.zeros(1, np.int8) if target is NO_TARGET else keys.pair.of(target.codes)
    kind = np.int32 if 2 * keys.n_q * n_t < 2**31 else np.int64
    packed: Ints = keys.q[keys.several].astype(kind)
    if target is not NO_TARGET:
        packed *= kind(n_t)
        packed += t[keys.several]
    n_several_d = int(np.searchsorted(keys.several, n_d)) if len(keys.single) else n_d
    cells, d, s = tally(packed, keys.n_q * n_t, n_several_d)
    q, t_of_cell = (codes.astype(np.int32) for codes in np.divmod(cells, n_t))
    levels = {key.name: keys.codes(key)[q] for key in by}
    if not len(keys.single):
        nothing = np.zeros(0, np.int64)
        w = np.ones_like(d)
        return Cells(keys, target, q, t_of_cell, d, s, w, levels, cells, nothing, nothing)

    of_single = {key.name: keys.pair.of(key.codes)[keys.single] for key in by}
    t_of_single = np.zeros(len(keys.single), np.int64)
    if target is not NO_TARGET:
        t_of_single += t[keys.single]
    alike_of, space = t_of_single, n_t
    for key in by:
        if space * key.n_levels > LARGEST:
            alike_of, space = number(alike_of, space)
        alike_of, space = alike_of * key.n_levels + of_single[key.name], space * key.n_levels
    alike, w_d, w_s = tally(alike_of, space, int(np.searchsorted(keys.single, n_d)))
    w = np.concatenate([w_d, w_s])
    rows = np.flatnonzero(w)
    is_d = rows < len(alike)
    example = np.empty(len(alike), np.int64)
    example[np.searchsorted(alike, alike_of)] = np.arange(len(alike_of))
    example = example[rows % len(alike)]
    for name, codes in of_single.items():
        levels[name] = np.append(levels[name], codes[example])
    return Cells(
        keys,
        target,
        q=np.append(q, keys.n_q + np.arange(len(rows), dtype=np.int32)),
        t=np.append(t_of_cell, t_of_single[example].astype(np.int32)),
        d_tq=np.append(d, is_d),
        s_tq=np.append(s, ~is_d),
        w=np.append(np.ones_like(d), w[rows]),
        levels=levels,
        packed=cells,
        alike=alike[w_d > 0],
        alike_of=alike_of,
    )


def tally(packed: Ints, space: int, n_d: int) -> tuple[Ints, Ints, Ints]:
    """The numbers that occur, and how often among the first n_d records and among the others."""
    if space <= DENSE_CELLS * len(packed):
        d = np.bincount(packed[:n_d], minlength=space)
        s = np.bincount(packed[n_d:], minlength=space)
        occurs = np.flatnonzero(d + s)
        return occurs, d[occurs].astype(np.int32), s[occurs].astype(np.int32)
    tagged = packed << 1
    tagged[n_d:] |= 1
    tagged.sort()
    value = tagged >> 1
    starts = np.flatnonzero(np.diff(value, prepend=-1))
    s = np.add.reduceat(tagged & 1, starts) if len(starts) else starts
    n = np.diff(starts, append=len(value))
    return value[starts], (n - s).astype(np.int32), s.astype(np.int32)


def number(packed: Ints, space: int) -> tuple[Ints, int]:
    """The values that occur, numbered in their order: 0, 1, 2, ..."""
    if space > DENSE_KEYS * len(packed):
        values, numbers = np.unique(packed, return_inverse=True)
        return numbers, len(values)
    occurs = np.zeros(space, bool)
    occurs[packed] = True
    return (np.cumsum(occurs) - 1)[packed], int(occurs.sum())
