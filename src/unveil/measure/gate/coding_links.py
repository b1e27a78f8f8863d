"""Do linked records say, level for level, what their people say, but in other words?

M(x, s) is the weight of links of people with x to records with s. The share on its diagonal is the
agreement of levels as they are named. Another reading is found in one half of the linked people and
counted in the other, and has to agree more often than the names do, and than it would if people and
records had nothing to do with each other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from unveil.judge.alerts import percent
from unveil.measure.gate.coding_pair import (
    LEAST_RECORDS,
    LEAST_SHARE,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
    LinkedCodes,
)
from unveil.measure.gate.coding_text import level_map
from unveil.measure.gate.columns import ORIGINAL, Ints, Mask
from unveil.measure.gate.links import LEAST_LINKS
from unveil.measure.gate.values import Floats

JOINT_SIGMAS = 4.0
SIMPLER = 0.05
MOST_LEVELS = 1000


@dataclass(frozen=True, eq=False)
class _Levels:
    """What linked people and records say, as codes of what is said; missing is left out."""

    pair: CodingPair
    held: Ints  # for each level, the code of what it says
    n: int
    mine: Ints
    theirs: Ints
    weight: Floats
    is_first: Mask

    @classmethod
    def of(cls, pair: CodingPair, links: LinkedCodes) -> "_Levels":
        codes, held = np.unique(pair.reading.folded, return_inverse=True)
        is_known = pair.levels.is_not_null().to_numpy()
        kept = is_known[links.mine] & is_known[links.theirs]
        return cls(
            pair,
            held,
            len(codes),
            held[links.mine[kept]],
            held[links.theirs[kept]],
            links.weight[kept],
            links.is_first[kept],
        )

    def has(self, side: int) -> Mask:
        """Codes that a file has."""
        found = np.zeros(self.n, bool)
        found[self.held[self.pair.held[side]]] = True
        return found


def find_linked_levels(pair: CodingPair, links: LinkedCodes) -> Iterator[CodingProposal]:
    """Renamed and united levels: the reading under which most links agree, if it is clearly so."""
    levels = _Levels.of(pair, links)
    if levels.weight.sum() < LEAST_LINKS or not pair.is_few or levels.n > MOST_LEVELS:
        return
    ways = [_Way(levels, "renamed", best_assignment), _Way(levels, "renamed", _most_often)]
    if levels.has(SYNTHETIC).sum() < levels.has(ORIGINAL).sum():
        ways.append(_Way(levels, "coarser", _most_often))
    found = [made for way in ways if (made := way.proposal()) is not None]
    # One to one is the simplest reading: others have to agree clearly more often.
    yield from sorted(found, key=lambda one: -round(one.share / SIMPLER))[:1]


def best_assignment(table: Floats) -> Ints:
    """For each column of a table its row, one to one, with the largest sum; -1 for none."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    found = np.full(table.shape[1], -1)
    is_met = table[rows, columns] > 0
    found[columns[is_met]] = rows[is_met]
    return found


def _most_often(table: Floats) -> Ints:
    """For each column of a table its largest row; -1 for none."""
    return np.where(table.sum(axis=0) > 0, table.argmax(axis=0), -1)


@dataclass(frozen=True, eq=False)
class _Way:
    """A way to read the levels of one file as those of the other.

    Renamed are levels of the synthetic file, united (`coarser`) those of the original. Assigned
    one to one, all levels may be read anew; otherwise those that the other file does not have.
    """

    levels: _Levels
    kind: Literal["renamed", "coarser"]
    find: Callable[[Floats], Ints]

    @property
    def _is_free(self) -> bool:
        return self.find is best_assignment

    @property
    def _side(self) -> int:
        return SYNTHETIC if self.kind == "renamed" else ORIGINAL

    @cached_property
    def _sides(self) -> tuple[Ints, Ints]:
        """The codes that are read anew, and those that they are read as, of every link."""
        both = self.levels.theirs, self.levels.mine
        return both if self._side == SYNTHETIC else (both[1], both[0])

    @cached_property
    def _named(self) -> Ints:
        """Every code as it is named; -1 where the other file does not have it."""
        return np.where(self.levels.has(1 - self._side), np.arange(self.levels.n), -1)

    def _table(self, mask: Mask) -> Floats:
        new, old = (one[mask] for one in self._sides)
        n = self.levels.n
        sums = np.bincount(old * n + new, self.levels.weight[mask], n * n).astype(float)
        return sums.reshape(n, n)

    def _read(self, table: Floats) -> tuple[Ints, Ints]:
        """The reading by a table, and the one that knows nothing but the commonest level."""
        found = self.find(table)
        if self._is_free:
            return np.where(found < 0, self._named, found), self._named
        modal = int(table.sum(axis=1).argmax())
        return tuple(np.where(self._named < 0, one, self._named) for one in (found, modal))  # type: ignore[return-value]

    def proposal(self) -> CodingProposal | None:
        """What is found in one half and counted in the other; None where names do as well."""
        new, old = self._sides
        weight, total = self.levels.weight, float(self.levels.weight.sum())
        agrees, blind = (np.zeros(len(new), bool) for _ in range(2))
        for half in (self.levels.is_first, ~self.levels.is_first):
            for made, reading in zip((agrees, blind), self._read(self._table(half)), strict=True):
                made[~half] = reading[new[~half]] == old[~half]
        named = self._named[new] == old
        rival = max((named, blind), key=lambda one: float((weight * one).sum()))
        gains = weight * (agrees.astype(float) - rival)
        z = float(gains.sum()) / float(np.sqrt(max(float((gains**2).sum()), 1e-9)))
        reading, _ = self._read(self._table(np.ones(len(new), bool)))
        share, expected, as_named = (
            float((weight * one).sum()) / total for one in (agrees, rival, named)
        )
        expected = max(expected, self._by_chance(reading))
        if share - expected < max(LEAST_SHARE, LEAST_RECORDS / total) or z < JOINT_SIGMAS:
            return None
        return self._proposed(reading, share, expected, as_named)

    def _by_chance(self, reading: Ints) -> float:
        """How often links would agree if people and records had nothing to do with each other."""
        weight, n = self.levels.weight, self.levels.n
        new, old = (np.bincount(one, weight, n) / weight.sum() for one in self._sides)
        return float((new * np.where(reading >= 0, old[reading], 0)).sum())

    def _proposed(
        self, reading: Ints, share: float, expected: float, as_named: float
    ) -> CodingProposal:
        pair, held, side = self.levels.pair, self.levels.held, self._side
        to = level_map(pair, held, reading, side)
        moved = np.flatnonzero(pair.held[side] & (reading != np.arange(len(reading)))[held])
        moved = moved[to[moved] != moved]
        how = "levels are read as others" if side == SYNTHETIC else "levels are united"
        return CodingProposal(
            self.kind,
            share,
            expected,
            f"linked records agree in {percent(100 * share)} if {how}"
            f"{pair.example(moved, to[moved], side)}, and in {percent(100 * as_named)} as they are"
            " named",
            is_joint=True,
            synthetic=pair.moved(to) if side == SYNTHETIC else None,
            original=pair.moved(to) if side == ORIGINAL else None,
        )
