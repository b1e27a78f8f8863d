"""Do two columns say the same things in another coding?

A pure function of two columns, levels and records of either, and of linked records where there are
some: proposals how one coding becomes the other, the strongest first. None means that nothing
speaks against the same coding. Rules and thresholds are in docs/gate_coding.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.assessment.alerts import percent
from unveil.measure.gate.coding_levels import (
    LEAST_RECORDS,
    LEAST_SHARE,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
    LinkedCodes,
    find_loose_spellings,
    find_missing,
    find_prefixes,
    find_renamed,
    find_replaced,
    find_spellings,
    find_united,
    level_map,
)
from unveil.measure.gate.coding_numbers import (
    affine_words,
    find_coarser,
    find_number_codings,
    undo_affine,
)
from unveil.measure.gate.columns import ORIGINAL
from unveil.measure.gate.links import LEAST_LINKS
from unveil.measure.gate.values import round_digits

# Do linked records say, level for level, what their people say, but in other words?
#
# M(x, s) is the weight of links of people with x to records with s. The share on its diagonal is
# the agreement of levels as they are named. Another reading is found in one half of the linked
# people and counted in the other, and has to agree more often than the names do, and than it
# would if people and records had nothing to do with each other.


JOINT_SIGMAS = 4.0
SIMPLER = 0.05
MOST_LEVELS = 1000


@dataclass(frozen=True, eq=False)
class _Levels:
    """What linked people and records say, as codes of what is said; missing is excluded."""

    pair: CodingPair
    held: Ints  # for each level, the code of what it says
    n: int
    mine: Ints
    theirs: Ints
    weight: Floats
    square: Floats
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
            links.square[kept],
            links.is_first[kept],
        )

    def has(self, side: int) -> Mask:
        """Codes that a file has."""
        found = np.zeros(self.n, bool)
        found[self.held[self.pair.has_level[side]]] = True
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
    rows, columns = _assignment_solver()(table, maximize=True)
    found = np.full(table.shape[1], -1)
    is_met = table[rows, columns] > 0
    found[columns[is_met]] = rows[is_met]
    return found


@cache
def _assignment_solver() -> Any:
    """scipy's, without the rest of scipy.optimize, which takes longer to import than to link."""
    import scipy

    folder = str(Path(scipy.__file__).with_name("optimize"))
    spec = PathFinder.find_spec("_lsap", [folder])
    if spec is None or spec.loader is None:  # it is private, and may move
        from scipy.optimize import linear_sum_assignment

        return linear_sum_assignment
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.linear_sum_assignment


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
        """The codes that are read anew, and those that they are read as, of every pair."""
        both = self.levels.theirs, self.levels.mine
        return both if self._side == SYNTHETIC else (both[1], both[0])

    @cached_property
    def _named_codes(self) -> Ints:
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
            return np.where(found < 0, self._named_codes, found), self._named_codes
        modal = int(table.sum(axis=1).argmax())
        return tuple(
            np.where(self._named_codes < 0, one, self._named_codes) for one in (found, modal)
        )  # type: ignore[return-value]

    def proposal(self) -> CodingProposal | None:
        """What is found in one half and counted in the other; None where names do as well."""
        new, old = self._sides
        weight, total = self.levels.weight, float(self.levels.weight.sum())
        agrees, blind = (np.zeros(len(new), bool) for _ in range(2))
        for half in (self.levels.is_first, ~self.levels.is_first):
            for made, reading in zip((agrees, blind), self._read(self._table(half)), strict=True):
                made[~half] = reading[new[~half]] == old[~half]
        named = self._named_codes[new] == old
        rival = max((named, blind), key=lambda one: float((weight * one).sum()))
        gain = agrees.astype(float) - rival
        spread = np.sqrt(max(float((self.levels.square * gain**2).sum()), 1e-9))
        z = float((weight * gain).sum()) / float(spread)
        reading, _ = self._read(self._table(np.ones(len(new), bool)))
        share, expected, as_named = (
            float((weight * one).sum()) / total for one in (agrees, rival, named)
        )
        expected = max(expected, self._by_chance(reading))
        if share - expected < max(LEAST_SHARE, LEAST_RECORDS / total) or z < JOINT_SIGMAS:
            return None
        return self._propose(reading, share, expected, as_named)

    def _by_chance(self, reading: Ints) -> float:
        """How often links would agree if people and records had nothing to do with each other."""
        weight, n = self.levels.weight, self.levels.n
        new, old = (np.bincount(one, weight, n) / weight.sum() for one in self._sides)
        return float((new * np.where(reading >= 0, old[reading], 0)).sum())

    def _propose(
        self, reading: Ints, share: float, expected: float, as_named: float
    ) -> CodingProposal:
        pair, held, side = self.levels.pair, self.levels.held, self._side
        to = level_map(pair, held, reading, side)
        moved = np.flatnonzero(pair.has_level[side] & (reading != np.arange(len(reading)))[held])
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
            synthetic=pair.move_levels(to) if side == SYNTHETIC else None,
            original=pair.move_levels(to) if side == ORIGINAL else None,
        )


# Is the number of a linked record that of its person, plus, times or taken from something?
#
# One difference, ratio or sum that linked pairs share far more often than any other, and than
# pairs that have nothing to do with each other.


_DIGITS = 6
_OF_RATIO = 4
_OF_EQUAL = 0.2
_OF_CHANCE = 1.5


def find_linked_numbers(pair: CodingPair, links: LinkedCodes) -> Iterator[CodingProposal]:
    """One shift, factor or reversal that linked records share."""
    if pair.numbers is None:
        return
    numbers = round_digits(pair.numbers)
    known = np.isfinite(numbers[links.mine]) & np.isfinite(numbers[links.theirs])
    total = float(links.weight[known].sum())
    if total < LEAST_LINKS:
        return
    pairs = _NumberPairs(
        numbers[links.mine][known],
        numbers[links.theirs][known],
        links.weight[known] / total,
        links.n_links[known],
    )
    if pair.reading.is_date:
        yield from _propose_swapped_dates(pair, pairs, total)
    days = " days" if pair.reading.is_date else ""
    # A date is no multiple of another: the day from which days are counted is arbitrary.
    for way in ("shift",) if pair.reading.is_date else ("shift", "factor", "turn"):
        value, share, second = pairs.most_common(way)
        chance = max(second, pairs.by_chance(way, value))
        if _is_clear(pairs, share, chance, total):
            coding = {"shift": (1.0, value), "factor": (value, 0.0)}.get(way, (-1.0, value))
            samples = pair.sample(ORIGINAL), pair.sample(SYNTHETIC)
            back = undo_affine(pair.numbers_of(SYNTHETIC), coding, *samples)
            yield CodingProposal(
                "shift" if way == "shift" else "factor",
                share,
                chance,
                f"in {percent(100 * share)} of linked records the value is that of the person"
                f" {affine_words(*coding)}{days}, and in {percent(100 * pairs.equal)} it is equal",
                is_joint=True,
                synthetic=pair.spell(back, ORIGINAL),
            )


def _is_clear(pairs: "_NumberPairs", share: float, chance: float, total: float) -> bool:
    error = np.sqrt(max(share, 1 / total) / total)
    is_more = share - chance >= max(LEAST_SHARE, LEAST_RECORDS / total, JOINT_SIGMAS * error)
    return bool(is_more and share >= _OF_EQUAL * pairs.equal and share > _OF_CHANCE * chance)


def _propose_swapped_dates(
    pair: CodingPair, pairs: "_NumberPairs", total: float
) -> Iterator[CodingProposal]:
    """Dates whose day and month were taken for each other."""
    turned = swap_days(pairs.theirs)
    is_turned = (turned == pairs.mine) & (pairs.mine != pairs.theirs)
    share = float(pairs.weight[is_turned].sum())
    chance = replace(pairs, theirs=turned).by_chance("shift", 0.0)
    if _is_clear(pairs, share, chance, total):
        yield CodingProposal(
            "format",
            share,
            chance,
            f"in {percent(100 * share)} of linked records day and month are exchanged, and in"
            f" {percent(100 * pairs.equal)} the date is equal",
            is_joint=True,
            synthetic=pair.spell(swap_days(pair.numbers_of(SYNTHETIC)), ORIGINAL),
        )


def swap_days(days: Floats) -> Floats:
    """Each date with day and month exchanged; as it is where there is no such month."""
    dates = pl.Series("date", days).fill_nan(None).floor().cast(pl.Int32).cast(pl.Date)
    year, month, day = (getattr(dates.dt, part)() for part in ("year", "month", "day"))
    is_month = (day <= 12).fill_null(value=False)
    made = pl.DataFrame(
        {"year": year, "month": day.zip_with(is_month, month), "day": month.zip_with(is_month, day)}
    ).select(pl.date("year", "month", "day"))
    return made.to_series().cast(pl.Int32).cast(pl.Float64).fill_null(np.nan).to_numpy()


@dataclass(frozen=True, eq=False)
class _NumberPairs:
    """Numbers of linked people and of their records; the weights sum to 1."""

    mine: Floats
    theirs: Floats
    weight: Floats
    n_links: Ints

    @cached_property
    def equal(self) -> float:
        """The share of pairs with equal numbers."""
        return float(self.weight[_digits(self.mine) == _digits(self.theirs)].sum())

    def most_common(self, way: str) -> tuple[float, float, float]:
        """The most common step from person to record, its share, and that of the next."""
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = {
                "shift": self.theirs - self.mine,
                "factor": np.where(self.mine * self.theirs != 0, self.theirs / self.mine, np.nan),
            }.get(way, self.theirs + self.mine)
        steps = self._round_steps(way, exact)
        neutral = {"shift": 0.0, "factor": 1.0}.get(way, np.nan)
        is_used = np.isfinite(steps) & (steps != neutral) & (self.mine != self.theirs)
        if not is_used.any():
            return 0.0, 0.0, 0.0
        values, place = np.unique(steps[is_used], return_inverse=True)
        shares = np.bincount(place, self.weight[is_used])
        top = int(shares.argmax())
        second = float(np.delete(shares, top).max(initial=0.0))
        is_top = is_used & (steps == values[top])
        if way == "factor" and self._is_one_shift(is_top):
            return 0.0, 0.0, 0.0
        value = float(np.median(np.repeat(exact[is_top], self.n_links[is_top])))
        return float(round_digits(np.array([value]))[0]), float(shares[top]), second

    def _is_one_shift(self, mask: Mask) -> bool:
        """Whether most of these pairs differ by the same number: 166 for 165 is no factor."""
        steps = self._round_steps("shift", (self.theirs - self.mine)[mask])
        _, place = np.unique(steps, return_inverse=True)
        return bool(np.bincount(place, self.weight[mask]).max() > 0.5 * self.weight[mask].sum())

    def by_chance(self, way: str, value: float) -> float:
        """How often the step is met where people and records have nothing to do with each other."""
        (mine, p), (theirs, q) = (_shares(one, self.weight) for one in (self.mine, self.theirs))
        to = {"shift": mine + value, "factor": mine * value}.get(way, value - mine)
        near = 10.0**-_DIGITS * np.abs(to)
        if way == "factor" and value:  # ratios count as one where they agree in a few digits
            half = 10 ** (np.floor(np.log10(abs(value))) + 1 - _OF_RATIO) / 2
            near = np.maximum(near, np.abs(mine) * half)
        upto = np.concatenate([[0.0], np.cumsum(q)])
        low, high = np.searchsorted(theirs, to - near), np.searchsorted(theirs, to + near, "right")
        return float((p * (upto[high] - upto[low])).sum())

    def _round_steps(self, way: str, steps: Floats) -> Floats:
        """Ratios to a few digits; sums and differences as exactly as the numbers themselves."""
        if way == "factor":
            return pl.Series(steps).round_sig_figs(_OF_RATIO).to_numpy()
        largest = max(float(np.abs(self.mine).max()), float(np.abs(self.theirs).max()), 1e-9)
        return np.round(steps, int(9 - np.ceil(np.log10(largest))))


def _shares(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    distinct, place = np.unique(_digits(values), return_inverse=True)
    return distinct, np.bincount(place, weight).astype(float)


def _digits(values: Floats) -> Floats:
    return pl.Series(values).round_sig_figs(_DIGITS).to_numpy()


def propose_codings(
    pair: CodingPair, links: Sequence[LinkedCodes] = ()
) -> tuple[CodingProposal, ...]:
    """How the synthetic column may be coded differently: one proposal of each kind at most."""
    if not all(pair.totals):
        return tuple(find_missing(pair))
    found = [*find_spellings(pair), *find_missing(pair)]
    loose = find_loose_spellings(pair)
    if loose is not None:
        found.append(loose[0])
        pair = loose[1]
    found += [
        *find_number_codings(pair),
        *find_coarser(pair, links),
        *find_prefixes(pair),
        *find_renamed(pair),
        *find_united(pair),
    ]
    for one in links:
        found += [*find_linked_numbers(pair, one), *find_linked_levels(pair, one)]
    if not found:
        found += find_replaced(pair)
    return _strongest(found)


def _strongest(found: Sequence[CodingProposal]) -> tuple[CodingProposal, ...]:
    """One proposal of each kind, linked records before values alone, the strongest first."""
    best: dict[str, CodingProposal] = {}
    if any(one.is_joint and one.kind in ("renamed", "coarser") for one in found):
        found = [one for one in found if one.is_joint or one.kind != "renamed"]
    for one in found:
        known = best.get(one.kind)
        if known is None or (one.is_joint, one.gain) > (known.is_joint, known.gain):
            best[one.kind] = one
    return tuple(sorted(best.values(), key=lambda one: -one.gain))


def has_common_value(pair: CodingPair) -> bool:
    """Whether some value is in both files, or none could be expected to be.

    Where hardly two people share a value, fresh values of honest data meet none.
    """
    mine = pair.has_level[ORIGINAL]
    if not all(pair.totals) or (pair.is_met & pair.is_back).any():
        return True
    folded, place = np.unique(pair.reading.folded, return_inverse=True)
    people = np.bincount(place, pair.counts[ORIGINAL] * mine, len(folded))
    shared = people[people > 1].sum()
    return bool(shared < max(20, 0.1 * people.sum()))
