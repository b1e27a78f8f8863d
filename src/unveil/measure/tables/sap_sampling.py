"""SAP by drawing people at random, where splitting would take too long: seeded, with an interval.

The interval is that of Clopper and Pearson (1934), one for each number of people: with its stated
confidence it holds the true probability whatever that is, also where no draw was risky or all.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.measure.tables.integer_programme import OutOfTime
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap_events import AnyOracle, ProgrammeOracle, Risk
from unveil.models.intervals import clopper_pearson
from unveil.study.scenario import Progress, no_progress

FEW = 20_000
"""People who are all put in order; of more, only those who are drawn."""


@dataclass(frozen=True)
class Chance:
    """SAP of one number of people, by draws."""

    n: int
    n_draws: int
    n_risky: int
    lower: float
    upper: float

    @property
    def estimate(self) -> float:
        """The share of draws that were risky."""
        return self.n_risky / self.n_draws


def estimate(
    system: System,
    n_max: int,
    *,
    draws: int = 2_000,
    seed: int = 0,
    confidence: float = 0.95,
    events: Sequence[Sequence[int]] | None = None,
    chance: Sequence[int] | None = None,
    oracle: AnyOracle | None = None,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> tuple[Chance, ...]:
    """SAP for n = 0..n_max (at most all people) by seeded draws, each with its own interval.

    Parameters
    ----------
    draws
        How often people are drawn. One draw is an order of all people, and answers for every n: a
        risk once is a risk with more people, so the n at which it begins is found by halving, and
        the estimates never fall as n grows.
    confidence
        Of each interval by itself.
    seconds
        Stop after so long with the draws there are; empty where not one is complete.
    events, chance, oracle
        As in `sap_boxes.split`.
    """
    until = None if seconds is None else time.monotonic() + seconds
    risk = Risk(system, events=events, chance=chance, oracle=oracle, n_max=n_max)
    asked = _CachedOracle(risk, until)
    sizes = range(min(n_max, risk.people) + 1)
    counts = _count_risky(asked, sizes, draws, seed, progress)
    tail = (1 - confidence) / 2
    return tuple(
        Chance(n, made, risky, *map(float, clopper_pearson(risky, made, tail)))
        for n, (risky, made) in zip(sizes, counts, strict=False)
        if made
    )


class _CachedOracle:
    """The oracle with a memory of what it was asked, and with a time to stop at."""

    def __init__(self, risk: Risk, until: float | None) -> None:
        self.risk = risk
        self.risk.until = until
        self._answers: dict[int, bool] = {}
        if isinstance(risk.oracle, ProgrammeOracle):
            risk.oracle.until = until

    def is_risky(self, people: np.ndarray) -> bool:
        """Whether people, given by their cells, are a risk."""
        bits = self.risk.bits_of(Counter(people.tolist()))
        if bits not in self._answers:
            self._answers[bits] = self.risk.is_risky(bits)
        return self._answers[bits]


def _count_risky(
    asked: _CachedOracle, sizes: range, draws: int, seed: int, progress: Progress
) -> list[tuple[int, int]]:
    """For every n, how many of the draws are risky: those whose risk has begun by then."""
    begun = [0] * len(sizes)
    done = 0
    try:
        for order in _orders(asked.risk.chance, len(sizes) - 1, draws, seed):
            if done % 64 == 0:
                progress("drawing people", done, draws)
            first = _first_risk(asked, order, len(sizes))
            if first < len(sizes):
                begun[first] += 1
            done += 1
    except OutOfTime:
        pass
    return [(int(total), done) for total in np.cumsum(begun)]


def _orders(chance: Sequence[int], n: int, draws: int, seed: int) -> Iterator[np.ndarray]:
    """The cells of the first n people (or of all) of a random order, again and again."""
    for draw in range(draws):
        yield _draw_cells(chance, n, np.random.default_rng([seed, draw]))


def _draw_cells(chance: Sequence[int], n: int, random: np.random.Generator) -> np.ndarray:
    ends = np.cumsum(np.array(chance, np.int64))
    if ends[-1] <= FEW:
        return random.permutation(np.repeat(np.arange(len(chance)), chance))
    # By number: nobody is listed who is not drawn.
    numbers = random.choice(int(ends[-1]), n, replace=False)
    return np.searchsorted(ends, numbers, side="right")


def _first_risk(asked: _CachedOracle, order: np.ndarray, beyond: int) -> int:
    """The smallest number of people of an order that is a risk; `beyond` where none is."""
    low, high = 0, beyond
    while low < high:
        middle = (low + high) // 2
        if asked.is_risky(order[:middle]):
            high = middle
        else:
            low = middle + 1
    return low
