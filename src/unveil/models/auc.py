"""How well do scores tell cases from others? The AUC, its error and its interval."""

import math

import numpy as np

from unveil.arrays import Floats
from unveil.models.intervals import Interval, z_of


def auc(members: Floats, others: Floats) -> float:
    """The chance that one of the first scores above one of the others; ties are half.

    References
    ----------
    Hanley and McNeil (1982), Radiology 143, 29-36; Mann and Whitney (1947).
    """
    order = np.sort(others)
    below = np.searchsorted(order, members, "left") + np.searchsorted(order, members, "right")
    return float(below.sum() / (2 * len(members) * len(others)))


def auc_error(members: Floats, others: Floats) -> float:
    """The standard error of the AUC by DeLong et al. (1988)."""
    parts = [_placements(members, others), _placements(others, members)]
    return math.sqrt(sum(_variance(part) / len(part) for part in parts))


def _variance(values: Floats) -> float:
    """The largest there can be of a single one, of which nothing is known."""
    return float(values.var(ddof=1)) if len(values) > 1 else 0.25


def _placements(some: Floats, others: Floats) -> Floats:
    order = np.sort(others)
    below = np.searchsorted(order, some, "left") + np.searchsorted(order, some, "right")
    placed: Floats = below / (2 * len(others))
    return placed


def auc_interval(value: float, error: float, level: float) -> Interval:
    """Cut to what an AUC can be."""
    half = z_of(level) * error
    return max(value - half, 0.0), min(value + half, 1.0)
