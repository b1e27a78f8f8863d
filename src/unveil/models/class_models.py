"""The likelihood of categories, with an order and without: cumulative and multinomial, fitted."""

import numpy as np

from unveil.arrays import Floats
from unveil.count.threads import limit_to_one_thread
from unveil.models.newton import (
    Basis,
    ClassFit,
    Codes,
    Sparse,
    between_cuts,
    climb,
    counts_by_class,
    fit_with_ridge,
    is_indicator,
    pieces,
    softmax,
)

# The likelihood of categories without an order: multinomial logistic regression, fitted.
#
# P(y = k | x) = exp(a_k + x b_k) / sum over l of exp(a_l + x b_l). All classes are treated alike:
# none is the baseline. Where a class is sure to be absent (no one of a level has it, say), the
# likelihood has no highest point; a small ridge then gives it one.


@limit_to_one_thread()
def fit_softmax(x: Sparse, y: Codes, n_classes: int) -> ClassFit:
    """The coefficients under which the classes seen are most likely.

    Notes
    -----
    Maximises sum of log P(y_i | x_i) - ridge / 2 * sum of b^2, with ridge 0 unless classes are
    separated: an indicator's ones, or its zeros, have none of some class; or a coefficient of the
    fit without ridge runs off. Every class must occur. Columns should be of the order of 1.

    References
    ----------
    The likelihood is that of McCullagh and Nelder (1989), 5.2.4. Boehning (1992) bounds its
    curvature by the covariance of the columns, hence the change of axes.
    """
    return fit_with_ridge(x, y, n_classes, _fit_softmax, is_softmax_separated)


def is_softmax_separated(x: Sparse, y: Codes, n_classes: int) -> bool:
    """Whether some class is absent from the ones, or from the zeros, of an indicator."""
    ones = counts_by_class(x, y, n_classes)[is_indicator(x)]
    return bool((ones == 0).any() or (ones == np.bincount(y, minlength=n_classes)).any())


def softmax_probabilities(fit: ClassFit, x: Sparse) -> Floats:
    """P(class | row) for some rows."""
    return softmax(x @ fit.coefficients + fit.intercept)


def draw_softmax(fit: ClassFit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row, drawn by its probabilities."""
    chance = rng.random(x.shape[0])
    classes = np.empty(x.shape[0], np.int64)
    for rows, some in pieces(x, len(fit.intercept)):
        up_to = np.cumsum(softmax_probabilities(fit, some), axis=1)
        # The last sum is 1 but for rounding; drawing below it leaves no row without a class.
        classes[rows] = (chance[rows, None] * up_to[:, -1:] >= up_to).sum(axis=1)
    return np.minimum(classes, len(fit.intercept) - 1)


class _SoftmaxLoss:
    """Less log-likelihood per record, and its gradient, along axes where it is well rounded.

    The curvature at the start is about share (1 - share) for a class: axes are stretched by its
    root.
    """

    def __init__(self, x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> None:
        n = len(y)
        self.y, self.n, self.basis, self.ridge = y, n, basis, ridge / n
        self.pieces = list(pieces(x, n_classes))
        self.share = np.bincount(y, minlength=n_classes) / n
        self.stretch = 1 / np.sqrt(self.share * (1 - self.share))
        self.seen = counts_by_class(x, y, n_classes) / n
        self.shape = (len(basis.kept) + 1, n_classes)

    def start(self) -> Floats:
        """No predictor matters: intercepts by shares."""
        start = np.zeros(self.shape)
        start[0] = np.log(self.share) / self.stretch
        return start.ravel()

    def unpacked(self, flat: Floats) -> tuple[Floats, Floats]:
        """Intercepts and coefficients of the kept columns as they stand."""
        both = flat.reshape(self.shape) * self.stretch
        coefficients = self.basis.coefficients(both[1:])
        return both[0] - self.basis.mean @ coefficients, coefficients

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        intercept, coefficients = self.unpacked(flat)
        log_likelihood, fitted, share = 0.0, np.zeros_like(coefficients), np.zeros(self.shape[1])
        for rows, some in self.pieces:
            chance = softmax(some @ coefficients + intercept)
            of_seen = chance[np.arange(len(chance)), self.y[rows]]
            log_likelihood += float(np.log(np.maximum(of_seen, 1e-300)).sum())
            fitted += some.T @ chance
            share += chance.sum(axis=0)
        penalty = 0.5 * self.ridge * float((coefficients**2).sum())
        slope = share / self.n - self.share
        along = fitted / self.n - self.seen + self.ridge * coefficients
        along -= np.outer(self.basis.mean, slope)
        gradient = np.vstack((slope, self.basis.turned(along))) * self.stretch
        return penalty - log_likelihood / self.n, gradient.ravel()


def _fit_softmax(x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> ClassFit:
    loss = _SoftmaxLoss(x, y, n_classes, basis, ridge)
    flat, converged = climb(loss, loss.start(), (len(y) + x.shape[1] ** 2) * n_classes)
    intercept, coefficients = loss.unpacked(flat)
    return ClassFit(intercept, basis.spread(coefficients), ridge, converged, basis.dropped)


# The likelihood of categories in order: the proportional odds model, fitted.
#
# P(y <= k | x) = 1 / (1 + exp(x b - cut_k)), with cuts that rise. One slope for each column serves
# all classes, so a hundred classes cost hardly more than three.


@limit_to_one_thread()
def fit_cumulative(x: Sparse, y: Codes, n_classes: int) -> ClassFit:
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
    return fit_with_ridge(x, y, n_classes, _fit_cumulative, is_cumulative_separated)


def is_cumulative_separated(x: Sparse, y: Codes, n_classes: int) -> bool:
    """Whether the ones, or the zeros, of an indicator are all in the first or the last class."""
    ones = counts_by_class(x, y, n_classes)[is_indicator(x)]
    zeros = np.bincount(y, minlength=n_classes) - ones
    ends = [0, n_classes - 1]
    return any(bool((part.sum(axis=1)[:, None] == part[:, ends]).any()) for part in (ones, zeros))


def cumulative_probabilities(fit: ClassFit, x: Sparse) -> Floats:
    """P(class | row) for some rows."""
    from scipy.special import expit

    eta = x @ fit.coefficients
    up_to = expit(fit.intercept[None, :] - eta[:, None])
    return np.diff(up_to, axis=1, prepend=0.0, append=1.0)


def draw_cumulative(fit: ClassFit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row: x b plus logistic noise falls between two cuts."""
    noisy = x @ fit.coefficients + rng.logistic(size=x.shape[0])
    classes: Codes = np.searchsorted(fit.intercept, noisy, side="left")
    return classes


class _CumulativeLoss:
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


def _fit_cumulative(x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> ClassFit:
    loss = _CumulativeLoss(x, y, n_classes, basis, ridge)
    flat, converged = climb(loss, loss.start(), 8 * len(y))
    cuts, coefficients = loss.unpacked(flat)
    return ClassFit(cuts, basis.spread(coefficients), ridge, converged, basis.dropped)
