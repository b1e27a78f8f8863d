"""The likelihood of categories in order: the proportional odds model, fitted.

P(y <= k | x) = 1 / (1 + exp(x b - cut_k)), with cuts that rise. One slope for each column serves
all classes, so a hundred classes cost hardly more than three.
"""

import numpy as np

from unveil.count.likelihoods import Codes, Floats, between_cuts
from unveil.count.one_thread import one_thread
from unveil.synthesis.likelihood import (
    Basis,
    Fit,
    Sparse,
    climb,
    counts_by_class,
    fitted_as_needed,
    is_indicator,
    pieces,
)


@one_thread()
def fit_cumulative(x: Sparse, y: Codes, n_classes: int) -> Fit:
    """The slopes and cuts under which the classes seen are most likely; cuts are the intercepts.

    Notes
    -----
    With s the logistic function, a = cut_y - x b and c = cut_(y-1) - x b,
    P(y | x) = s(a) - s(c) = s(a) s(-c) (1 - exp(c - a)): the last factor is the same for all of a
    class, and no difference of nearly equal numbers is taken. Concave in slopes and cuts. The
    ridge is as in `softmax`; classes are separated by an indicator whose ones, or zeros, all lie
    in the first or all in the last class. Every class must occur.

    References
    ----------
    McCullagh (1980), equation 2.1 with the logistic link.
    """
    return fitted_as_needed(x, y, n_classes, _fitted, is_separated)


def is_separated(x: Sparse, y: Codes, n_classes: int) -> bool:
    """Whether the ones, or the zeros, of an indicator are all in the first or the last class."""
    ones = counts_by_class(x, y, n_classes)[is_indicator(x)]
    zeros = np.bincount(y, minlength=n_classes) - ones
    ends = [0, n_classes - 1]
    return any(bool((part.sum(axis=1)[:, None] == part[:, ends]).any()) for part in (ones, zeros))


def probabilities(fit: Fit, x: Sparse) -> Floats:
    """P(class | row) for some rows."""
    from scipy.special import expit

    eta = x @ fit.coefficients
    up_to = expit(fit.intercept[None, :] - eta[:, None])
    return np.diff(up_to, axis=1, prepend=0.0, append=1.0)


def drawn(fit: Fit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row: x b plus logistic noise falls between two cuts."""
    noisy = x @ fit.coefficients + rng.logistic(size=x.shape[0])
    classes: Codes = np.searchsorted(fit.intercept, noisy, side="left")
    return classes


class _Loss:
    """Less log-likelihood per record, and its gradient, in slopes, first cut and log of gaps."""

    def __init__(self, x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> None:
        self.n, self.n_classes = len(y), n_classes
        self.y, self.basis, self.ridge = y, basis, ridge / len(y)
        self.pieces = list(pieces(x, 8))
        self.share = np.bincount(y, minlength=n_classes) / len(y)
        self.n_cuts = n_classes - 1

    def start(self) -> Floats:
        """No predictor matters: cuts by shares."""
        below = np.cumsum(self.share)[:-1]
        cuts = np.log(below) - np.log1p(-below)
        gaps = np.log(np.maximum(np.diff(cuts), 1e-8))
        return np.concatenate((cuts[:1], gaps, np.zeros(len(self.basis.kept))))

    def gaps(self, flat: Floats) -> Floats:
        """The steps from cut to cut, neither 0 nor infinite."""
        return np.exp(np.clip(flat[1 : self.n_cuts], -700, 50))

    def unpacked(self, flat: Floats) -> tuple[Floats, Floats]:
        """Cuts and coefficients of the kept columns as they stand."""
        steps = np.concatenate((flat[:1], self.gaps(flat)))
        coefficients = self.basis.coefficients(flat[self.n_cuts :])
        return np.cumsum(steps) + self.basis.mean @ coefficients, coefficients

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        cuts, coefficients = self.unpacked(flat)
        total, slope = 0.0, np.zeros_like(coefficients)
        above, below = np.zeros(self.n_classes), np.zeros(self.n_classes)
        for rows, some in self.pieces:
            y = self.y[rows]
            value, up, down = between_cuts(some @ coefficients, cuts, y)
            total += value
            slope += some.T @ (up - down)
            above += np.bincount(y, up, self.n_classes)
            below += np.bincount(y, down, self.n_classes)
        gaps = self.gaps(flat)
        inner = self.n * self.share[1:-1]
        total += float((inner * np.log(-np.expm1(-gaps))).sum())
        # By how much the log-likelihood rises with each cut, the gaps' own part apart.
        by_cut = above[:-1] - below[1:]
        by_step = np.cumsum(by_cut[::-1])[::-1]
        by_gap = (by_step[1:] + inner * np.exp(-gaps) / -np.expm1(-gaps)) * gaps
        along = -slope + self.basis.mean * by_step[0]
        along = along / self.n - self.ridge * coefficients
        gradient = np.concatenate((by_step[:1] / self.n, by_gap / self.n, self.basis.turned(along)))
        penalty = 0.5 * self.ridge * float((coefficients**2).sum())
        return penalty - total / self.n, -gradient


def _fitted(x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> Fit:
    loss = _Loss(x, y, n_classes, basis, ridge)
    flat, converged = climb(loss, loss.start(), 8 * len(y))
    cuts, coefficients = loss.unpacked(flat)
    return Fit(cuts, basis.spread(coefficients), ridge, converged, basis.dropped)
