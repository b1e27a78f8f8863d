"""How right is an attacker who takes those for members that have a synthetic record nearby?

El Emam, Mosquera and Fang (2022). The attacker looks at people of whom a share t, the prevalence,
are members: they were in the original. Every original and every control record is attacked, and the
two shares of those called members are weighed by t and 1 - t, instead of drawing an attack data set
of that make-up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.count.streams import stream
from unveil.measure.attacks.distances import ROUNDING, Floats
from unveil.measure.attacks.rates import N_BOOTSTRAP
from unveil.records.membership import MembershipRow


@dataclass(frozen=True)
class Nearby:
    """The distance of each attacked record to the closest of the copy, sorted."""

    members: Floats
    others: Floats
    prevalence: float

    @property
    def naive(self) -> float:
        """F1 of calling everybody a member: recall 1 and precision t give 2t / (1 + t)."""
        return 2 * self.prevalence / (1 + self.prevalence)

    def called(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Which share of members and of others is called a member at each threshold."""
        recall, false_positives = (
            np.searchsorted(apart, thresholds + ROUNDING, side="right") / len(apart)
            for apart in (self.members, self.others)
        )
        return recall, false_positives

    def f1(self, recall: Floats, false_positives: Floats) -> Floats:
        """F1 of these shares.

        Notes
        -----
        Harmonic mean of recall r and precision t r / (t r + (1 - t) f), written without dividing by
        those called members, who may be none: 2 t r / (t r + (1 - t) f + t). It is 0 where no
        member is called one.
        """
        t = self.prevalence
        scores: Floats = 2 * t * recall / (t * recall + (1 - t) * false_positives + t)
        return scores

    def relative(self, scores: Floats) -> Floats:
        """How far F1 goes from the naive one, 0, to certainty, 1; below 0 where it falls there."""
        made: Floats = (scores - self.naive) / (1 - self.naive)
        return made

    def best(self) -> float:
        """The threshold with the highest F1 of all, the smallest of several."""
        thresholds = np.unique(np.concatenate((self.members, self.others)))
        scores = self.f1(*self.called(thresholds))
        return float(thresholds[np.flatnonzero(scores >= scores.max() - ROUNDING)[0]])


def scored(
    nearby: Nearby, thresholds: Sequence[float], *, level: float, seed: int
) -> Iterator[MembershipRow]:
    """A row for each threshold."""
    recalls, false_positives = nearby.called(np.array(thresholds, np.float64))
    scores = nearby.f1(recalls, false_positives)
    relative = nearby.relative(scores)
    t = nearby.prevalence
    for place, threshold in enumerate(thresholds):
        recall, wrong = float(recalls[place]), float(false_positives[place])
        called = t * recall + (1 - t) * wrong
        yield MembershipRow(
            threshold=threshold,
            recall=recall,
            false_positive_rate=wrong,
            precision=t * recall / called if called > 0 else None,
            advantage=recall - wrong,
            F1=float(scores[place]),
            relative_F1=float(relative[place]),
            interval=_interval(nearby, recall, wrong, level=level, seed=seed),
        )


def _interval(
    nearby: Nearby, recall: float, wrong: float, *, level: float, seed: int
) -> tuple[float, float]:
    """The percentile interval of the relative F1 over records drawn anew, each side by itself.

    At a given threshold a record is called a member or is not, so that drawing records is drawing
    binomial counts.
    """
    rng = stream(seed, "membership", "bootstrap")
    sizes = (len(nearby.members), len(nearby.others))
    drawn: list[NDArray[np.float64]] = [
        rng.binomial(n, share, N_BOOTSTRAP) / n
        for n, share in zip(sizes, (recall, wrong), strict=True)
    ]
    relative = nearby.relative(nearby.f1(drawn[0], drawn[1]))
    low, high = np.quantile(relative, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
