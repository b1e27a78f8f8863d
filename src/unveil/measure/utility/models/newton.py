"""Where is a loss least, and how sharply does it rise there? Newton's steps, halved as needed."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.count.likelihoods import Floats

Look = Callable[[Floats], tuple[float, Floats, Floats]]
"""The loss at a place, its gradient and its curvature."""

STEPS = 60
HALVINGS = 40
NEAR = 1e-16
"""The squared distance to the lowest place, in standard errors, at which to stop."""
ROUNDED = 1e-10
"""The same, below which rounding may hide the way."""


@dataclass(frozen=True)
class Lowest:
    """The place, and the inverse of the curvature there; whether the place was reached."""

    place: Floats
    covariance: Floats
    is_reached: bool


def lowest(look: Look, start: Floats) -> Lowest:
    """Go down a convex loss; the inverse of the observed information is the covariance.

    Notes
    -----
    With g the gradient and H the curvature, a step is -H^-1 g, and g' H^-1 g is the squared
    distance that is left, in standard errors. Where classes are separated the loss falls for ever,
    by about a factor e for each step, and H loses its rank: both are "not reached".
    """
    place = start
    loss, gradient, curvature = look(place)
    for _ in range(STEPS):
        step = _solved(curvature, gradient)
        if step is None:
            return _unreached(place, curvature)
        left = float(gradient @ step)
        if left <= NEAR:
            return _reached(place, curvature)
        share = 1.0
        for _ in range(HALVINGS):
            seen = look(place - share * step)
            if seen[0] <= loss + 1e-12 * abs(loss):
                break
            share /= 2
        else:  # where rounding is all that is left, no step is lower
            return _reached(place, curvature) if left <= ROUNDED else _unreached(place, curvature)
        place = place - share * step
        loss, gradient, curvature = seen
    return _unreached(place, curvature)


def _reached(place: Floats, curvature: Floats) -> Lowest:
    inverse = _solved(curvature, np.eye(len(place)))
    return (
        _unreached(place, curvature) if inverse is None else Lowest(place, inverse, is_reached=True)
    )


def _unreached(place: Floats, curvature: Floats) -> Lowest:
    return Lowest(place, curvature, is_reached=False)


def _solved(curvature: Floats, wanted: Floats) -> Floats | None:
    """The curvature's inverse times something; None where it has lost its rank."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    if not np.isfinite(curvature).all():
        return None
    try:
        found: Floats = cho_solve(cho_factor(curvature, lower=True), wanted)
    except LinAlgError:
        return None
    return found
