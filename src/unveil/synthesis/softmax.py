"""The likelihood of categories without an order: multinomial logistic regression, fitted.

P(y = k | x) = exp(a_k + x b_k) / sum over l of exp(a_l + x b_l). All classes are treated alike:
none is the baseline. Where a class is sure to be absent (no one of a level has it, say), the
likelihood has no highest point; a small ridge then gives it one.
"""

import numpy as np

from unveil.count.likelihoods import Codes, Floats, normalised
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
def fit_softmax(x: Sparse, y: Codes, n_classes: int) -> Fit:
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
    return fitted_as_needed(x, y, n_classes, _fitted, is_separated)


def is_separated(x: Sparse, y: Codes, n_classes: int) -> bool:
    """Whether some class is absent from the ones, or from the zeros, of an indicator."""
    ones = counts_by_class(x, y, n_classes)[is_indicator(x)]
    return bool((ones == 0).any() or (ones == np.bincount(y, minlength=n_classes)).any())


def probabilities(fit: Fit, x: Sparse) -> Floats:
    """P(class | row) for some rows."""
    return normalised(x @ fit.coefficients + fit.intercept)


def drawn(fit: Fit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row, drawn by its probabilities."""
    chance = rng.random(x.shape[0])
    classes = np.empty(x.shape[0], np.int64)
    for rows, some in pieces(x, len(fit.intercept)):
        up_to = np.cumsum(probabilities(fit, some), axis=1)
        # The last sum is 1 but for rounding; drawing below it leaves no row without a class.
        classes[rows] = (chance[rows, None] * up_to[:, -1:] >= up_to).sum(axis=1)
    return np.minimum(classes, len(fit.intercept) - 1)


class _Loss:
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
            chance = normalised(some @ coefficients + intercept)
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


def _fitted(x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> Fit:
    loss = _Loss(x, y, n_classes, basis, ridge)
    flat, converged = climb(loss, loss.start(), (len(y) + x.shape[1] ** 2) * n_classes)
    intercept, coefficients = loss.unpacked(flat)
    return Fit(intercept, basis.spread(coefficients), ridge, converged, basis.dropped)
