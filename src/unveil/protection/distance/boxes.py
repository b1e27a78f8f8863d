"""The shortest difference of two rows, where some values are missing and may be any in range.

Known differences d_K, free differences x in a box: minimise (d_K, x)' P (d_K, x), a strictly convex
problem. Each free difference is at its low end, at its high end, or between, where the derivative
is zero. Guesses of which are mended until every one is right (principal pivoting): all wrong ones
at once at first, then the last wrong one alone, which always ends (Murty). Rows with the same guess
are solved together.
"""

import numpy as np
from numpy.typing import NDArray

from unveil.count.profile import Mask
from unveil.errors import InternalError
from unveil.protection.distance.settings import Floats

AT_ONCE = 8
"""Rounds in which all wrong guesses are mended at once."""


def shortest(precision: Floats, linear: Floats, low: Floats, high: Floats) -> Floats:
    """The x that minimises x' P x + 2 linear x for each row, low <= x <= high: exact.

    Notes
    -----
    SPEC E: covariance [[1, .8], [.8, 1]], s = (1, missing), o = (0, 0), range -2 to 2: the
    minimum is 1.0, at x = 0.8; no difference (paper 004's shortcut) would give 1.6667.
    """
    x = -linear @ np.linalg.inv(precision)
    state = np.where(x < low, -1, np.where(x > high, 1, 0)).astype(np.int8)
    open_rows = np.flatnonzero((state != 0).any(axis=1))
    small = 1e-12 * (
        np.abs(linear).max(axis=1) + np.abs(precision).max() * (high - low).max(axis=1)
    )
    for turn in range(AT_ONCE + 4 ** min(precision.shape[0], 12)):
        if not len(open_rows):
            return np.clip(x, low, high)
        guess = state[open_rows], small[open_rows]
        box = low[open_rows], high[open_rows]
        x[open_rows], wrong = _solved(precision, linear[open_rows], guess, box)
        is_wrong = wrong != state[open_rows]
        stays = is_wrong.any(axis=1)
        open_rows, is_wrong, wrong = open_rows[stays], is_wrong[stays], wrong[stays]
        if turn >= AT_ONCE:
            is_wrong = _last_only(is_wrong)
        state[open_rows] = np.where(is_wrong, wrong, state[open_rows])
    raise InternalError("A shortest difference was not found.")


def _last_only(is_wrong: Mask) -> Mask:
    last = is_wrong.shape[1] - 1 - np.argmax(is_wrong[:, ::-1], axis=1)
    only: Mask = np.arange(is_wrong.shape[1]) == last[:, np.newaxis]
    return only


States = NDArray[np.int8]


def _solved(
    precision: Floats, linear: Floats, guess: tuple[States, Floats], box: tuple[Floats, Floats]
) -> tuple[Floats, States]:
    """The solution under each guess, and the guess that it suggests."""
    (state, small), (low, high) = guess, box
    x = np.where(state < 0, low, np.where(state > 0, high, 0.0))
    kinds, of_row = np.unique(state, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    for number, kind in enumerate(kinds):
        rows, free = np.flatnonzero(of_row == number), np.flatnonzero(kind == 0)
        if len(free):
            ends = x[np.ix_(rows, np.flatnonzero(kind))]
            pull = linear[np.ix_(rows, free)] + ends @ precision[np.ix_(np.flatnonzero(kind), free)]
            x[np.ix_(rows, free)] = -pull @ np.linalg.inv(precision[np.ix_(free, free)])
    slope = x @ precision + linear
    room = 1e-12 * (high - low)
    better = np.where(x < low - room, -1, np.where(x > high + room, 1, 0))
    limit = small[:, np.newaxis]
    at_low, at_high = np.where(slope < -limit, 0, -1), np.where(slope > limit, 0, 1)
    return x, np.where(state < 0, at_low, np.where(state > 0, at_high, better)).astype(np.int8)
