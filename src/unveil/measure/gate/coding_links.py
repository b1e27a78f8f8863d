"""Do linked records say, level for level, what their people say, but in other words?

M(x, s) is the weight of links of people with x to records with s. The share on its diagonal is the
agreement of levels as they are named. Another reading is found in one half of the linked people and
counted in the other, and has to agree more often than the names do. For numbers: one difference,
ratio or sum that linked pairs share far more often than any other and than shuffled pairs do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from unveil.judge.alerts import percent
from unveil.measure.gate.coding_numbers import affine_words
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
from unveil.measure.gate.values import Floats, round_digits

JOINT_SIGMAS = 4.0
UNITED = 0.1
"""Levels that are united have to agree more often than as they are named, by so much."""
SIMPLER = 0.05
MOST_LEVELS = 1000
_DIGITS = 6
_OF_EQUAL = 0.2
_OF_CHANCE = 1.5


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

    def table(self, mask: Mask | None = None) -> Floats:
        """M: the weight of links by code of the person and of the record."""
        mask = np.ones(len(self.mine), bool) if mask is None else mask
        packed = self.mine[mask] * self.n + self.theirs[mask]
        sums: Floats = np.bincount(packed, self.weight[mask], self.n**2).astype(float)
        return sums.reshape(self.n, self.n)


def find_linked_levels(pair: CodingPair, links: LinkedCodes) -> Iterator[CodingProposal]:
    """Renamed and united levels."""
    levels = _Levels.of(pair, links)
    if levels.weight.sum() < LEAST_LINKS or not pair.is_few or levels.n > MOST_LEVELS:
        return
    names = np.where(levels.has(ORIGINAL), np.arange(levels.n), -1)
    found = [
        _renamed(levels, find(levels, levels.table()), tried)
        for find in (_assigned, _known_again)
        if (tried := _counted(levels, find, names)) is not None
    ]
    found += _united(levels)
    # One to one is the simplest reading: others have to agree clearly more often.
    yield from sorted(found, key=lambda one: -round(one.share / SIMPLER))[:1]


def best_assignment(table: Floats) -> Ints:
    """For each record level the person level, one to one, with the largest sum; -1 for none."""
    from scipy.optimize import linear_sum_assignment

    people, records = linear_sum_assignment(table, maximize=True)
    found = np.full(table.shape[1], -1)
    is_met = table[people, records] > 0
    found[records[is_met]] = people[is_met]
    return found


def _assigned(levels: _Levels, table: Floats) -> Ints:
    """Levels one to one; what is not met is read by its name."""
    found = best_assignment(table)
    return np.where((found < 0) & levels.has(ORIGINAL), np.arange(levels.n), found)


def _known_again(levels: _Levels, table: Floats) -> Ints:
    """Levels only the synthetic file has stand for the level that they are most often linked to."""
    found = np.where(table.sum(axis=0) > 0, table.argmax(axis=0), -1)
    return np.where(levels.has(ORIGINAL), np.arange(levels.n), found)


@dataclass(frozen=True)
class _Tried:
    """How often links agree under a reading, and under the best of those that explain nothing."""

    share: float
    expected: float
    named: float


def _counted(levels: _Levels, find: object, names: Ints) -> _Tried | None:
    """A reading found in one half and counted in the other; None where the names do as well."""
    assert callable(find)
    new = levels.has(SYNTHETIC) & ~levels.has(ORIGINAL)
    agrees = np.zeros(len(levels.mine), bool)
    by_most = np.zeros(len(levels.mine), bool)
    for half in (levels.is_first, ~levels.is_first):
        table = levels.table(half)
        found = find(levels, table)
        modal = int(table.sum(axis=1).argmax())
        agrees[~half] = found[levels.theirs[~half]] == levels.mine[~half]
        most = np.where(new, modal, names)
        by_most[~half] = most[levels.theirs[~half]] == levels.mine[~half]
    named = names[levels.theirs] == levels.mine
    rivals = (named, by_most) if find is _known_again else (named,)
    mine, theirs = (
        np.bincount(one, levels.weight, levels.n) for one in (levels.mine, levels.theirs)
    )
    found = find(levels, levels.table())
    chance = float((theirs * np.where(found >= 0, mine[found], 0)).sum())
    return _lifted(levels.weight, agrees, rivals, chance, LEAST_SHARE)


def _lifted(
    weight: Floats, agrees: Mask, rivals: tuple[Mask, ...], chance: float, least: float
) -> _Tried | None:
    """The agreement of a reading, if it exceeds that of its rivals and that of unlinked records.

    `chance` is how often it would agree where people and records have nothing to do with each
    other, times the square of the weight.
    """
    total = float(weight.sum())
    if float((weight * agrees).sum()) - chance / total < max(LEAST_RECORDS, least * total):
        return None
    rival = max(rivals, key=lambda one: float((weight * one).sum()))
    gains = weight * (agrees.astype(float) - rival)
    gain = float(gains.sum())
    z = gain / float(np.sqrt(max(float((gains**2).sum()), 1e-9)))
    if gain < max(LEAST_RECORDS, least * total) or z < JOINT_SIGMAS:
        return None
    share, expected, named = (
        float((weight * one).sum()) / total for one in (agrees, rival, rivals[0])
    )
    return _Tried(share, expected, named)


def _renamed(levels: _Levels, to_code: Ints, tried: _Tried) -> CodingProposal:
    pair = levels.pair
    to = level_map(pair, levels.held, to_code)
    codes = np.arange(levels.n)
    moved = pair.held[SYNTHETIC] & (to_code != codes)[levels.held] & (to_code >= 0)[levels.held]
    old = np.flatnonzero(moved)
    return CodingProposal(
        "renamed",
        tried.share,
        tried.expected,
        f"linked records agree in {percent(100 * tried.share)} if levels are read as others"
        f"{pair.example(old, to[old])}, and in {percent(100 * tried.named)} as they are named",
        is_joint=True,
        synthetic=pair.moved(to),
    )


def _united(levels: _Levels) -> Iterator[CodingProposal]:
    """Levels that the synthetic file does not have, each read as the level it is linked to."""
    has_o, has_s = levels.has(ORIGINAL), levels.has(SYNTHETIC)
    gone, codes = has_o & ~has_s, np.arange(levels.n)
    if not gone.any() or has_s.sum() >= has_o.sum():
        return

    def find(table: Floats) -> Ints:
        return np.where(gone & (table.sum(axis=1) > 0), table.argmax(axis=1), codes)

    agrees = np.zeros(len(levels.mine), bool)
    by_most = agrees.copy()
    for half in (levels.is_first, ~levels.is_first):
        table = levels.table(half)
        agrees[~half] = find(table)[levels.mine[~half]] == levels.theirs[~half]
        most = np.where(gone, int(table.sum(axis=0).argmax()), codes)
        by_most[~half] = most[levels.mine[~half]] == levels.theirs[~half]
    named = levels.mine == levels.theirs
    mine, theirs = (
        np.bincount(one, levels.weight, levels.n) for one in (levels.mine, levels.theirs)
    )
    chance = float((mine * theirs[find(levels.table())]).sum())
    tried = _lifted(levels.weight, agrees, (named, by_most), chance, UNITED)
    if tried is None or tried.share < 0.5:
        return
    to_code = find(levels.table())
    pair = levels.pair
    theirs = np.flatnonzero(pair.held[SYNTHETIC])
    stands = np.full(levels.n, -1)
    stands[levels.held[theirs]] = theirs
    wanted = stands[to_code[levels.held]]
    is_moved = pair.held[ORIGINAL] & gone[levels.held] & (wanted >= 0)
    yield CodingProposal(
        "coarser",
        tried.share,
        tried.expected,
        f"linked records agree in {percent(100 * tried.share)} if levels of the original are"
        f" united, and in {percent(100 * tried.named)} as they are named",
        is_joint=True,
        original=pair.moved(np.where(is_moved, wanted, np.arange(len(wanted)))),
    )


def find_linked_numbers(pair: CodingPair, links: LinkedCodes) -> Iterator[CodingProposal]:
    """One shift, factor or reversal that linked records share."""
    if pair.numbers is None:
        return
    numbers = round_digits(pair.numbers)
    mine, theirs = numbers[links.mine], numbers[links.theirs]
    known = np.isfinite(mine) & np.isfinite(theirs)
    mine, theirs, weight = mine[known], theirs[known], links.weight[known]
    total = float(weight.sum())
    if total < LEAST_LINKS:
        return
    pairs = _NumberPairs(mine, theirs, weight / total)
    days = " days" if pair.reading.is_date else ""
    for way in ("shift", "factor", "turn"):
        value, share, second = pairs.most_common(way)
        chance = max(second, pairs.by_chance(way, value))
        error = np.sqrt(max(share, 1 / total) / total)
        is_clear = share - chance >= max(LEAST_SHARE, LEAST_RECORDS / total, JOINT_SIGMAS * error)
        if is_clear and share >= _OF_EQUAL * pairs.equal and share > _OF_CHANCE * chance:
            factor, shift = {"shift": (1.0, value), "factor": (value, 0.0)}.get(way, (-1.0, value))
            held = np.where(pair.held[SYNTHETIC], numbers, np.nan)
            yield CodingProposal(
                "shift" if way == "shift" else "factor",
                share,
                chance,
                f"in {percent(100 * share)} of linked records the value is that of the person"
                f" {affine_words(factor, shift)}{days}, and in {percent(100 * pairs.equal)} it is"
                " equal",
                is_joint=True,
                synthetic=pair.spell((held - shift) / factor, ORIGINAL),
            )


@dataclass(frozen=True, eq=False)
class _NumberPairs:
    """Numbers of linked people and of their records; the weights sum to 1."""

    mine: Floats
    theirs: Floats
    weight: Floats

    @cached_property
    def equal(self) -> float:
        """The share of pairs with equal numbers."""
        return float(self.weight[_digits(self.mine) == _digits(self.theirs)].sum())

    def most_common(self, way: str) -> tuple[float, float, float]:
        """The most common step from person to record, its share, and that of the next."""
        neutral = {"shift": 0.0, "factor": 1.0}.get(way, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = {
                "shift": self.theirs - self.mine,
                "factor": np.where(self.mine * self.theirs != 0, self.theirs / self.mine, np.nan),
            }.get(way, self.theirs + self.mine)
        steps = _digits(steps)
        is_used = np.isfinite(steps) & (steps != neutral)
        if not is_used.any():
            return 0.0, 0.0, 0.0
        values, place = np.unique(steps[is_used], return_inverse=True)
        shares = np.bincount(place, self.weight[is_used])
        top = int(shares.argmax())
        second = float(np.delete(shares, top).max(initial=0.0))
        return float(values[top]), float(shares[top]), second

    def by_chance(self, way: str, value: float) -> float:
        """How often the step is met where people and records have nothing to do with each other."""
        (mine, p), (theirs, q) = (_shares(one, self.weight) for one in (self.mine, self.theirs))
        to = {"shift": mine + value, "factor": mine * value}.get(way, value - mine)
        place = np.searchsorted(theirs, _digits(to)).clip(0, len(theirs) - 1)
        return float((p * q[place] * (theirs[place] == _digits(to))).sum())


def _shares(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    distinct, place = np.unique(_digits(values), return_inverse=True)
    return distinct, np.bincount(place, weight).astype(float)


def _digits(values: Floats) -> Floats:
    return pl.Series(values).round_sig_figs(_DIGITS).to_numpy()
