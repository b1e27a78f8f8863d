"""Is the number of a linked record that of its person, plus, times or taken from something?

One difference, ratio or sum that linked pairs share far more often than any other, and than pairs
that have nothing to do with each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from unveil.judge.alerts import percent
from unveil.measure.gate.coding_links import JOINT_SIGMAS
from unveil.measure.gate.coding_numbers import affine_words, undo_affine
from unveil.measure.gate.coding_pair import (
    LEAST_RECORDS,
    LEAST_SHARE,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
    LinkedCodes,
)
from unveil.measure.gate.columns import ORIGINAL, Mask
from unveil.measure.gate.links import LEAST_LINKS
from unveil.measure.gate.values import Floats, round_digits

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
        numbers[links.mine][known], numbers[links.theirs][known], links.weight[known] / total
    )
    if pair.reading.is_date:
        yield from _swapped(pair, pairs, total)
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


def _swapped(pair: CodingPair, pairs: "_NumberPairs", total: float) -> Iterator[CodingProposal]:
    """Dates whose day and month were taken for each other."""
    turned = swap_days(pairs.theirs)
    is_turned = (turned == pairs.mine) & (pairs.mine != pairs.theirs)
    share = float(pairs.weight[is_turned].sum())
    chance = _NumberPairs(pairs.mine, turned, pairs.weight).by_chance("shift", 0.0)
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
        steps = self._rounded(way, exact)
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
        value = float(np.median(exact[is_top]))
        return float(round_digits(np.array([value]))[0]), float(shares[top]), second

    def _is_one_shift(self, mask: Mask) -> bool:
        """Whether most of these pairs differ by the same number: 166 for 165 is no factor."""
        steps = self._rounded("shift", (self.theirs - self.mine)[mask])
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

    def _rounded(self, way: str, steps: Floats) -> Floats:
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
