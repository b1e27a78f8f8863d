"""Key classes and the targets in them, counted once: what every measure of this room looks at.

The original comes first, then the copies of one or several methods. A cell holds the records of one
key combination q with one joint target value t. What an intruder sees of a person depends on the
person's cell alone, so scores are computed for the cells that the original has, not for people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.count.cells import Cells, Keys, cells_of_rows, count_cells, count_keys
from unveil.count.codes import Codes, Column
from unveil.count.packing import CHUNK, Integers, Whole
from unveil.count.profile import Mask
from unveil.count.scenario import Scenario
from unveil.measure.attribution.joint import Joint


@dataclass(frozen=True)
class Pool:
    """What copies 1 to m, pooled, say about the people of each cell of the original."""

    m: int
    agreeing: Whole  # records with the keys, and a target that agrees
    matching: Whole  # records with the keys
    settled: Mask  # whether all of these agree with each other

    @property
    def right(self) -> Mask:
        """Whether the matching records agree with each other and each with the truth."""
        is_right: Mask = self.settled & (self.agreeing == self.matching)
        return is_right


@dataclass(frozen=True)
class Classes:
    """The counts of one key set and one joint target on every side."""

    key_columns: tuple[Column, ...]
    keys: Keys
    joint: Joint
    cells: Cells

    @property
    def key_names(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return tuple(column.name for column in self.key_columns)

    @property
    def n_original(self) -> int:
        """Records of the original."""
        return self.keys.sides.rows[0]

    @cached_property
    def own(self) -> Whole:
        """The cells that the original has."""
        return np.flatnonzero(self.cells.counts[0])

    @cached_property
    def q(self) -> Whole:
        """The key combination of each of them."""
        return self.cells.q_of(self.own)

    @cached_property
    def t(self) -> Whole:
        """The joint target level of each of them."""
        return self.cells.t[self.own].astype(np.int64)

    @cached_property
    def d_tq(self) -> Whole:
        """The people in each of them."""
        people: Whole = self.cells.counts[0, self.own].astype(np.int64)
        return people

    @cached_property
    def d_q(self) -> Whole:
        """The people who share the keys of each of them."""
        people: Whole = self.keys.counts[0, self.q].astype(np.int64)
        return people

    @cached_property
    def codes_of_keys(self) -> tuple[Codes, ...]:
        """For each key, the code of every key combination."""
        rows = self.keys.example_rows()
        return tuple(column.codes[rows] for column in self.key_columns)

    @cached_property
    def own_of_row(self) -> Whole:
        """The cell of each original record, as a place in `own`."""
        originals = self.keys.sides.slices[0]
        cells = cells_of_rows(self.keys, self.cells, self.joint.column, originals)
        return np.searchsorted(self.own, cells)

    @cached_property
    def agreeing(self) -> Integers:
        """Sides x cells of the original: records with the same keys whose target agrees."""
        if self.joint.is_exact:
            return self.cells.counts[:, self.own]
        n_levels = self.joint.n_levels
        low, past = self.joint.window()
        packed = self.cells.q * n_levels + self.cells.t
        base = self.q * n_levels
        first = np.searchsorted(packed, base + low[self.t])
        last = np.searchsorted(packed, base + past[self.t])
        return _agreeing(self.joint, self.cells.counts, self.cells.t, self.t, (first, last))

    def pools(self, copies: Sequence[int]) -> Iterator[Pool]:
        """Copies 1 to m pooled, for every m: sums that grow, never a new count.

        Taub et al. (2018), equation 6 and footnote 6: the m are nested. Erratum: equation 6
        conditions on K_s; what is looked up is the key of the original record, K_o.
        """
        agreeing = np.zeros(len(self.own), np.int64)
        matching = np.zeros(len(self.own), np.int64)
        seen = np.zeros(self.cells.counts.shape[1], bool)
        for m, copy in enumerate(copies, start=1):
            agreeing = agreeing + self.agreeing[copy]
            matching = matching + self.keys.counts[copy, self.q]
            seen |= self.cells.counts[copy] > 0
            yield Pool(m, agreeing, matching, self._settled(seen)[self.q] & (matching > 0))

    def _settled(self, seen: Mask) -> Mask:
        """The key combinations whose cells seen agree with each other in every target."""
        starts = self.cells.starts[:-1].astype(np.int64)
        settled = np.ones(len(starts), bool)
        for places, near in zip(self.joint.places, self.joint.near, strict=True):
            place = places[self.cells.t]
            lowest = np.minimum.reduceat(np.where(seen, place, len(near.place) - 1), starts)
            highest = np.maximum.reduceat(np.where(seen, place, 0), starts)
            settled &= highest < near.past[lowest]
        return settled


def agreeing_levels(joint: Joint, of_level: Whole) -> Whole:
    """For each joint level, the sum over all that agree with it."""
    levels = np.arange(joint.n_levels)
    sums: Whole = _agreeing(joint, of_level[np.newaxis], levels, levels, joint.window())[0]
    return sums


def _agreeing(
    joint: Joint, counts: Integers, t: Integers, wanted: Whole, window: tuple[Whole, Whole]
) -> Whole:
    """For each level wanted, counts within its window whose level t agrees with it, by side."""
    if len(joint.parts) == joint.n_exact + 1:
        return _sums_between(counts, *window)
    first, past = window
    sums = np.zeros((len(counts), len(wanted)), np.int64)
    for rows in _pieces(past - first):
        sizes = (past - first)[rows]
        mine = np.repeat(np.arange(len(sizes)), sizes)
        its = np.arange(len(mine)) + np.repeat(first[rows] - np.cumsum(sizes) + sizes, sizes)
        agrees = joint.agrees(wanted[rows][mine], t[its].astype(np.int64))
        for side, of_cells in enumerate(counts):
            sums[side, rows] = np.bincount(mine, of_cells[its] * agrees, minlength=len(sizes))
    return sums


def _pieces(sizes: Whole) -> Iterator[slice]:
    """Rows in pieces of about as many pairs each, so that what is made of them stays small."""
    ends = np.cumsum(sizes)
    start = done = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(ends, done + CHUNK, side="right")), start + 1)
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


def _sums_between(counts: Integers, first: Whole, past: Whole) -> Whole:
    """The sum of counts[:, first] to counts[:, past - 1], on every side."""
    sums = np.empty((len(counts), len(first)), np.int64)
    for side, of_cells in enumerate(counts):
        up_to = np.concatenate(([0], np.cumsum(of_cells, dtype=np.int64)))
        sums[side] = up_to[past] - up_to[first]
    return sums


def classes_of(scenario: Scenario, key_names: Sequence[str], joint: Joint) -> Classes:
    """The counts of some of a scenario's keys; its own counts where they are all of them."""
    by_name = {column.name: column for column in scenario.key_columns}
    chosen = tuple(by_name[name] for name in key_names)
    keys = scenario.keys
    if len(chosen) < len(scenario.key_columns):
        keys = count_keys(chosen, scenario.sides)
    is_counted = keys is scenario.keys and joint.column is scenario.target_columns[0]
    cells = scenario.cells[0] if is_counted else count_cells(keys, joint.column)
    return Classes(chosen, keys, joint, cells)
