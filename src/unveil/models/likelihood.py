"""How likely are the classes of records under a regression, and where are they most likely?

One likelihood for categories without an order and one for categories with; two ways to its highest
point: Newton's steps, which know the curvature and so the standard errors, and steps by the
gradient alone where coefficients are too many for that.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask

Codes = NDArray[np.integer]
Pieces = Iterable[tuple[slice, Any]]
"""Some rows at a time, and their columns as a matrix, dense or sparse."""

MOST_STEPS = 500
WORK = 1.5e9
"""Numbers of records x classes to go through in all steps together; at least 50 steps are made."""


def softmax(eta: Floats) -> Floats:
    """Probabilities exp(eta_k) / sum over l of exp(eta_l), in place of the linear predictors."""
    most = eta[:, 0].copy()
    for k in range(1, eta.shape[1]):  # far faster than `max` along short rows, and the same
        np.maximum(most, eta[:, k], out=most)
    eta -= most[:, None]
    np.exp(eta, out=eta)
    eta /= eta.sum(axis=1, keepdims=True)
    return eta


@dataclass(frozen=True)
class Slopes:
    """A log-likelihood, by how much it changes, and how fast that changes, if wanted.

    `by_intercept` and `by_coefficient` are sums over records: of chances for classes without an
    order (those seen are yet to be taken off), of the change itself for classes in order.
    """

    value: float
    by_intercept: Floats
    by_coefficient: Floats
    curvature: Floats | None = None


def multinomial(
    pieces: Pieces, y: Codes, intercept: Floats, coefficients: Floats, *, is_curved: bool = False
) -> Slopes:
    """Classes without an order: P(y = k | x) = exp(a_k + x b_k) / sum over l of exp(a_l + x b_l).

    The curvature (the observed information) is in intercept and slopes of all classes but the
    first, class by class.
    """
    p, k = coefficients.shape
    value, share, fitted = 0.0, np.zeros(k), np.zeros((p, k))
    curvature = np.zeros((k - 1, p + 1, k - 1, p + 1)) if is_curved else None
    for rows, x in pieces:
        chance = softmax(x @ coefficients + intercept)
        seen = chance[np.arange(len(chance)), y[rows]]
        value += float(np.log(np.maximum(seen, 1e-300)).sum())
        fitted += x.T @ chance
        share += chance.sum(axis=0)
        if curvature is not None:
            _add_multinomial(curvature, np.insert(x, 0, 1.0, axis=1), chance[:, 1:])
    if curvature is None:
        return Slopes(value, share, fitted)
    width = (k - 1) * (p + 1)
    return Slopes(value, share, fitted, curvature.reshape(width, width))


def _add_multinomial(curvature: Floats, x: Floats, chance: Floats) -> None:
    """What the records of a piece add."""
    for one in range(chance.shape[1]):
        for two in range(one, chance.shape[1]):
            weight = chance[:, one] * ((one == two) - chance[:, two])
            part = x.T @ (x * weight[:, None])
            curvature[one, :, two, :] += part
            if one != two:
                curvature[two, :, one, :] += part


def ordered(
    pieces: Pieces,
    y: Codes,
    cuts: Floats,
    coefficients: Floats,
    gaps: Floats,
    *,
    is_curved: bool = False,
) -> Slopes:
    """Classes in order: P(y <= k | x) = 1 / (1 + exp(x b - cut_k)); `gaps` part the cuts.

    Notes
    -----
    With s the logistic function, u = cut_y - x b and l = cut_(y-1) - x b,
    P(y | x) = s(u) - s(l) = s(u) s(-l) (1 - exp(l - u)): the last factor is the same for all of a
    class, and no difference of nearly equal numbers is taken. It is in the value and the curvature,
    and not in `by_intercept`: `gap_slopes` has its part. Concave in slopes and cuts.
    """
    k, p = len(cuts), len(coefficients)
    value, slope = 0.0, np.zeros(p)
    above, below = np.zeros(k + 1), np.zeros(k + 1)
    curvature = np.zeros((k + p, k + p)) if is_curved else None
    for rows, x in pieces:
        own = y[rows]
        part, up, down = _between_cuts(x @ coefficients, cuts, own)
        value += part
        slope += x.T @ (up - down)
        above += np.bincount(own, up, k + 1)
        below += np.bincount(own, down, k + 1)
        if curvature is not None:
            _add_ordered(curvature, x, own, up * (1 - up), down * (1 - down))
    inner = np.bincount(y, minlength=k + 1)[1:-1]
    value += float((inner * np.log(-np.expm1(-gaps))).sum())
    if curvature is not None:
        bend = inner * np.exp(-gaps) / np.expm1(-gaps) ** 2
        for place, one in enumerate(bend):
            curvature[place : place + 2, place : place + 2] += one * np.array([[1, -1], [-1, 1]])
    return Slopes(value, above[:-1] - below[1:], -slope, curvature)


def gap_slopes(sizes: Ints, gaps: Floats) -> Floats:
    """By how much log(1 - exp(-gap)) of the classes between two cuts rises with each gap."""
    rise: Floats = sizes[1:-1] * np.exp(-gaps) / -np.expm1(-gaps)
    return rise


def _between_cuts(eta: Floats, cuts: Floats, y: Codes) -> tuple[float, Floats, Floats]:
    """Log s(u) + log s(-l) summed, and the slopes 1 - s(u) and s(l) of each row."""
    from scipy.special import expit, log_expit

    upper = np.append(cuts, np.inf)[y] - eta
    lower = np.insert(cuts, 0, -np.inf)[y] - eta
    value = float(log_expit(upper).sum() + log_expit(-lower).sum())
    return value, expit(-upper), expit(lower)


def _add_ordered(curvature: Floats, x: Floats, y: Codes, up: Floats, down: Floats) -> None:
    """What the records of a piece add: u rises with the cut above, l with the cut below."""
    k = len(curvature) - x.shape[1]
    curvature[k:, k:] += x.T @ (x * (up + down)[:, None])
    for cut in range(k):
        above, below = y == cut, y == cut + 1
        curvature[cut, cut] += up[above].sum() + down[below].sum()
        cross = x[above].T @ up[above] + x[below].T @ down[below]
        curvature[cut, k:] -= cross
        curvature[k:, cut] -= cross


def count_classes(pieces: Pieces, y: Codes, n_classes: int) -> Floats:
    """The sum of each column within each class: for an indicator, how many records."""
    return sum((x.T @ np.eye(n_classes)[y[rows]] for rows, x in pieces), np.zeros((1, n_classes)))


def separates(ones: Floats, sizes: Ints, *, is_ordered: bool) -> Mask:
    """Which indicators leave a likelihood without a highest point, by their ones in each class.

    Without an order: no record, or every record, of some class has a one. In order: the ones, or
    the zeros, are all in the first or all in the last class.
    """
    if not is_ordered:
        return np.asarray(((ones == 0) | (ones == sizes)).any(axis=1), bool)
    sides = [part.sum(axis=1)[:, None] == part[:, [0, -1]] for part in (ones, sizes - ones)]
    return np.asarray(np.concatenate(sides, axis=1).any(axis=1), bool)


# Where is a loss least, and how sharply does it rise there?


def climb(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, n_numbers: int
) -> tuple[Floats, bool]:
    """Where a loss per record is least, by its gradient; and whether that place was reached.

    One look at the loss goes through `n_numbers`; a large problem gets fewer looks.
    """
    from scipy.optimize import minimize

    steps = int(min(MOST_STEPS, max(50, WORK / max(n_numbers, 1))))
    options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 20}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, np.float64), bool(found.status != 1)


Derivatives = Callable[[Floats], tuple[float, Floats, Floats]]
"""The loss at a place, its gradient and its curvature."""

NEWTON_STEPS = 60
HALVINGS = 40
NEAR = 1e-16
"""The squared distance to the lowest place, in standard errors, at which to stop."""
ROUNDED = 1e-10
"""The same, below which rounding may hide the way."""


@dataclass(frozen=True)
class Minimum:
    """The place, and the inverse of the curvature there; whether the place was reached."""

    place: Floats
    covariance: Floats
    is_reached: bool


def minimise(look: Derivatives, start: Floats) -> Minimum:
    """Go down a convex loss; the inverse of the observed information is the covariance.

    Notes
    -----
    With g the gradient and H the curvature, a step is -H^-1 g, and g' H^-1 g is the squared
    distance that is left, in standard errors. Where classes are separated the loss falls for ever,
    by about a factor e for each step, and H loses its rank: both are "not reached".
    """
    place = start
    loss, gradient, curvature = look(place)
    for _ in range(NEWTON_STEPS):
        step = _solve(curvature, gradient)
        if step is None:
            break
        left = float(gradient @ step)
        share, seen = 1.0, None
        while left > NEAR and share > 2.0**-HALVINGS:
            seen = look(place - share * step)
            if seen[0] <= loss + 1e-12 * abs(loss):
                break
            share, seen = share / 2, None
        if seen is None:
            # Where rounding is all that is left, no step is lower.
            inverse = _solve(curvature, np.eye(len(place))) if left <= ROUNDED else None
            return Minimum(place, curvature if inverse is None else inverse, inverse is not None)
        place = place - share * step
        loss, gradient, curvature = seen
    return Minimum(place, curvature, is_reached=False)


def _solve(curvature: Floats, wanted: Floats) -> Floats | None:
    """The curvature's inverse times something; None where it has lost its rank."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    if not np.isfinite(curvature).all():
        return None
    try:
        found: Floats = cho_solve(cho_factor(curvature, lower=True), wanted)
    except LinAlgError:
        return None
    return found
