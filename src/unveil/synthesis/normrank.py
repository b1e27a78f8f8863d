"""Numbers, from the columns before: regression of normal scores, given back as observed values.

The shape of the column does not matter, only its order: ranks become normal scores, scores are
regressed on the predictors, and a synthetic score takes the observed value that stands at its rank.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.count.threads import limit_to_one_thread
from unveil.models.array_record import ArrayRecord
from unveil.models.axes import Sparse, basis_of
from unveil.models.design import DummyCoding, Predictors, Values
from unveil.models.regression import RegressionFit, fit_line
from unveil.synthesis.cart import Donors, LeafSmoothing, smooth_leaves
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.regression import notes_of

_ROUNDS = 20
_FARTHEST = 8.0
_TINY = 1e-12


def normal_scores(values: Values, rng: np.random.Generator) -> Floats:
    """The normal deviate of each rank / (n + 1); equal values are ranked at random."""
    from scipy.special import ndtri

    order = np.lexsort((rng.random(len(values)), values))
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    scores: Floats = ndtri(ranks / (len(values) + 1))
    return scores


@limit_to_one_thread()
def fit_scores(x: Sparse, values: Values, rng: np.random.Generator) -> tuple[RegressionFit, float]:
    """The line of the normal scores; those of equal values are drawn around it, again and again.

    Notes
    -----
    Ranked at random, equal values know nothing of the predictors, and a column of few values would
    lose much of its dependence on them; at their mean rank, as in synthpop, scores are no longer
    normal, and rare values get lost on the way back. So the score of a value that others have too
    is a normal deviate around the line, within the ranks that the value takes up: stochastic EM
    (Celeux and Diebolt 1985) of a probit model with fixed cuts. Without equal values it is least
    squares.
    """
    basis, scores = basis_of(x), normal_scores(values, rng)
    line, sigma = fit_line(x, scores, basis=basis)
    ties = _Ties.of(values)
    for _ in range(_ROUNDS if len(ties.rows) else 0):
        if sigma == 0:
            break
        centres = x[ties.rows] @ line.coefficients + line.intercept
        scores[ties.rows] = ties.draw(centres, sigma, rng)
        line, sigma = fit_line(x, scores, basis=basis)
    return line, sigma


@dataclass(frozen=True)
class _Ties:
    """Rows with a value that others have too, and the scores that it lies between."""

    rows: NDArray[np.int64]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, values: Values) -> Self:
        from scipy.special import ndtri

        _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
        up_to, n = np.cumsum(counts), len(values)
        rows = np.flatnonzero(counts[which] > 1)
        low, high = (ndtri(ends / n)[which[rows]] for ends in (up_to - counts, up_to))
        return cls(rows, np.maximum(low, -_FARTHEST), np.minimum(high, _FARTHEST))

    def draw(self, centres: Floats, sigma: float, rng: np.random.Generator) -> Floats:
        """Normal deviates between the ends, by the inverse of the distribution."""
        from scipy.special import ndtr, ndtri

        below, above = ndtr((self.low - centres) / sigma), ndtr((self.high - centres) / sigma)
        places = below + (above - below) * rng.random(len(centres))
        drawn = centres + sigma * ndtri(np.clip(places, _TINY, 1 - _TINY))
        within: Floats = np.clip(drawn, self.low, self.high)
        return within


@dataclass(frozen=True)
class NormrankModel(ArrayRecord):
    """A line for normal scores, its spread, and the observed values in order."""

    FLAT = ("fit",)

    values: Values
    coding: DummyCoding
    fit: RegressionFit
    sigma: float
    smoothing: LeafSmoothing | None = None
    notes: tuple[str, ...] = ()

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """The observed value at the rank of a score drawn around the line, for every row.

        A score z stands at place floor(n F(z)) of the n values in order, F the normal
        distribution: if scores are normal, each observed value is as likely as any other.
        """
        from scipy.special import ndtr

        x = self.coding.matrix(predictors)
        z = x @ self.fit.coefficients + self.fit.intercept
        z += self.sigma * rng.standard_normal(len(z))
        n = len(self.values)
        drawn: Values = self.values[np.minimum((ndtr(z) * n).astype(np.int64), n - 1)]
        if self.smoothing is None:
            return drawn
        return self.smoothing.around(drawn, np.zeros(len(drawn), dtype=np.int32), rng)


def fit_normrank(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> NormrankModel:
    """Fit; chance only places equal values.

    References
    ----------
    What synthpop calls `normrank`, not `proper`: coefficients are estimates, not draws. Equal
    values are placed in another way (`fit_scores`).
    """
    coding = DummyCoding.fit(predictors)
    line, sigma = fit_scores(coding.matrix(predictors), target.values, rng)
    everyone = Donors.of(target.values, np.zeros(len(target.values), dtype=np.int32), 1)
    smoothing = smooth_leaves(everyone, target, predictors, options)
    notes = notes_of(target.name, line, coding.pool(predictors))
    in_order: Values = target.values.copy()
    in_order.sort()
    return NormrankModel(in_order, coding, line, sigma, smoothing, notes)
