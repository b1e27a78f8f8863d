"""What is R made of? People whose records were used are matched more often; that is not all of it.

With train 1 and control 0, DCAP = f c: f the share of people matched (iS), c the mean score of
those matched. DiSCO = f s r: matched, determined if matched, correct if determined. The difference
of two products is split by Shapley (1953): each factor's part is the mean, over all orders in which
the factors are changed from those of the control to those of train, of what its change does. Parts
over (1 - control) add up to R (Raab 2024, equation 1). Intervals are those of the delta method over
the people of both files; the synthetic data are taken as given.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.count.cells import Cells
from unveil.measure.disclosure.claim_rules import Z
from unveil.records.base import Copy
from unveil.records.disclosure import ExcessPart, ExcessPartName

STEP = 1e-6
"""By which means are moved to see how a figure changes."""
SPLIT: dict[str, tuple[ExcessPartName, ...]] = {
    "DCAP": ("matched", "correct"),
    "DiSCO": ("matched", "determined", "correct"),
}
"""The measures that are split, and the factors of each."""

Figures = Callable[[Floats, Floats], Floats]


def split_product(one: Sequence[float | None], zero: Sequence[float | None]) -> list[float]:
    """The part of each factor in prod(one) - prod(zero); a factor that one side lacks has none."""
    pairs = [
        (a, b) if a is not None and b is not None else ((a if b is None else b) or 0.0,) * 2
        for a, b in zip(one, zero, strict=True)
    ]
    parts = [0.0] * len(pairs)
    orders = list(permutations(range(len(pairs))))
    for order in orders:
        now = [b for _, b in pairs]
        for place in order:
            before = float(np.prod(now))
            now[place] = pairs[place][0]
            parts[place] += (float(np.prod(now)) - before) / len(orders)
    return parts


def factors(means: Sequence[float]) -> list[float | None]:
    """Nested shares as a product: each of them over the one before; None where that is 0."""
    wider = (1.0, *means[:-1])
    return [mean / of if of else None for mean, of in zip(means, wider, strict=True)]


def split_excess(means: Floats, control: Floats) -> Floats:
    """R, and the part of each factor; not defined where the control sample is at 1."""
    parts = split_product(factors(means.tolist()), factors(control.tolist()))
    found: Floats = np.array([means[-1] - control[-1], *parts]) / (1 - control[-1])
    return found


def guess_anyway(means: Floats, control: Floats) -> Floats:
    """R of an intruder who guesses about those not matched as well: (score, guess) of each side."""
    a, b = means.sum(), control.sum()
    return np.array([(a - b) / (1 - b)])


def with_intervals(
    figures: Figures, people: Sequence[Ints], scores: Floats
) -> Iterator[tuple[float, float, float]]:
    """Figures of two means over people, each with its 95 % interval.

    Parameters
    ----------
    figures
        Of the means over train and over the control sample.
    people
        How many people of either have each score.
    scores
        One row for each kind of person.

    Notes
    -----
    Delta method: the variance is the sum over both files of g' S g / n, with S the covariance of
    the scores over people and g the slopes of the figure, taken by central differences.
    """
    means = [np.average(scores, axis=0, weights=n) for n in people]
    variance = 0.0
    for side, n in enumerate(people):

        def moved(by: Floats, side: int = side) -> Floats:
            at = [*means]
            at[side] = at[side] + by
            return figures(*at)

        steps = STEP * np.eye(scores.shape[1])
        slopes = np.array([(moved(step) - moved(-step)) / (2 * STEP) for step in steps]).T
        apart = scores - means[side]
        covariance = (apart * n[:, None]).T @ apart / max(int(n.sum()) - 1, 1)
        variance = variance + np.einsum("ij,jk,ik->i", slopes, covariance / n.sum(), slopes)
    half = Z * np.sqrt(np.maximum(variance, 0))
    for value, width in zip(figures(*means), half, strict=True):
        yield float(value), float(value - width), float(value + width)


@dataclass(frozen=True)
class ExcessScores:
    """What the synthetic data show about everyone with the same keys and value, cell by cell."""

    cells: Cells  # train, control, files

    @property
    def _people(self) -> list[Ints]:
        return [counts.astype(np.int64) for counts in self.cells.counts[:2]]

    def _scores(self, s_tq: Ints) -> dict[str, Floats]:
        """By cell: matched, determined, correct if determined; share, guess of those not matched.

        The guess is the most common value of the synthetic data; ties are drawn from.
        """
        starts, t = self.cells.starts, self.cells.t
        sizes = np.diff(starts)
        s_q = np.repeat(np.add.reduceat(s_tq, starts[:-1]), sizes)
        top = np.repeat(np.maximum.reduceat(s_tq, starts[:-1]), sizes)
        s_t = np.bincount(t, s_tq)
        modes = s_t == s_t.max()
        is_matched, is_determined = s_q > 0, (s_q > 0) & (top == s_q)
        return {
            "matched": is_matched.astype(float),
            "determined": is_determined.astype(float),
            "DiSCO": (is_determined & (s_tq == s_q)).astype(float),
            "DCAP": s_tq / np.maximum(s_q, 1),
            "guess": np.where(is_matched, 0.0, modes[t] / modes.sum()),
        }

    def parts(self, target: str) -> Iterator[ExcessPart]:
        """R of DCAP and DiSCO split, and R of DCAP with another guess, of every file."""
        if not all(n.sum() for n in self._people):
            return
        files = [counts.astype(np.int64) for counts in self.cells.counts[2:]]
        found: dict[Copy, dict[str, Floats]] = {
            copy: self._scores(s_tq) for copy, s_tq in enumerate(files, start=1)
        }
        if len(files) > 1:
            alone = list(found.values())
            found["mean"] = {
                name: np.mean([one[name] for one in alone], axis=0) for name in alone[0]
            }
            found["pooled"] = self._scores(np.sum(files, axis=0))
        for copy, scores in found.items():
            for measure, names in SPLIT.items():
                yield from self._split(target, copy, measure, names, scores)
            yield from self._fallback(target, copy, scores)

    def _split(
        self,
        target: str,
        copy: Copy,
        measure: str,
        names: Sequence[ExcessPartName],
        scores: dict[str, Floats],
    ) -> Iterator[ExcessPart]:
        columns = np.stack([*(scores[name] for name in names[:-1]), scores[measure]], axis=1)
        train, control = (np.average(columns, axis=0, weights=n).tolist() for n in self._people)
        if control[-1] >= 1:
            return
        of_factors = zip(factors(train), factors(control), strict=True)
        beside = [(train[-1], control[-1]), *of_factors]
        figures = with_intervals(split_excess, self._people, columns)
        for part, (a, b), (R, low, high) in zip(("R", *names), beside, figures, strict=True):
            yield ExcessPart(
                target=target,
                measure=measure,
                copy=copy,
                part=part,
                train=a,
                control=b,
                R=R,
                low=low,
                high=high,
            )

    def _fallback(self, target: str, copy: Copy, scores: dict[str, Floats]) -> Iterator[ExcessPart]:
        columns = np.stack([scores["DCAP"], scores["guess"]], axis=1)
        train, control = (float(np.average(columns.sum(axis=1), weights=n)) for n in self._people)
        if control >= 1:
            return
        ((R, low, high),) = with_intervals(guess_anyway, self._people, columns)
        yield ExcessPart(
            target=target,
            measure="DCAP",
            copy=copy,
            part="most_common",
            train=train,
            control=control,
            R=R,
            low=low,
            high=high,
        )
