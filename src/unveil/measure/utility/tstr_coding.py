"""How does a model see the predictors? Standardised numbers, a dummy for each frequent level.

Everything is learnt from the records a model is trained on, so that nothing of those it is tested
on can reach it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.count.centring import centre
from unveil.measure.utility.coding import Floats, Variable, Whole

MOST_LEVELS = 50
_FARTHEST = 1e6  # standard deviations: a tested number may be any

Rows = dict[int, Whole]
"""Records by side: their places in it."""


@dataclass(frozen=True, eq=False)
class Design:
    """For each predictor, figures by level and dummy: what a model is given of a record."""

    variables: tuple[Variable, ...]
    figures: tuple[NDArray[np.float32], ...]

    def matrix(self, side: int, rows: Whole) -> NDArray[np.float32]:
        """The records of a side as a model sees them."""
        parts = [
            table[one.codes(side)[rows]]
            for one, table in zip(self.variables, self.figures, strict=True)
        ]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0), np.float32)


def design(variables: Sequence[Variable], side: int, rows: Whole) -> Design:
    """What the training records say of each predictor; those that do not vary are left out."""
    kept, tables = [], []
    for one in variables:
        counts = np.bincount(one.codes(side)[rows], minlength=one.column.n_levels)
        table = _number(one, counts) if one.is_number else _category(counts)
        if table.shape[1]:
            kept.append(one)
            tables.append(table.astype(np.float32))
    return Design(tuple(kept), tuple(tables))


def _number(variable: Variable, counts: Whole) -> Floats:
    """The standardised number, 0 where there is none, and a dummy for each state of having none."""
    ordinary = np.where(variable.is_ordinary, counts, 0)
    dummies = _category(np.where(variable.is_ordinary, 0, counts), is_whole=False)
    values = variable.values[ordinary > 0]
    if len(values) < 2:
        return dummies
    middle = centre(values, ordinary[ordinary > 0])
    if not np.isfinite(middle.sd(ddof=0)):
        return dummies
    with np.errstate(over="ignore"):
        standard = middle.standardise(variable.values).clip(-_FARTHEST, _FARTHEST)
    figures = np.where(variable.is_ordinary, standard, 0.0)
    return np.concatenate([figures[:, None], dummies], axis=1)


def _category(counts: Whole, *, is_whole: bool = True) -> Floats:
    """A dummy for each of the most frequent levels; one level alone says nothing."""
    occurs = np.flatnonzero(counts)
    if is_whole and len(occurs) < 2:
        return np.zeros((len(counts), 0))
    frequent = occurs[np.argsort(-counts[occurs], kind="stable")[:MOST_LEVELS]]
    made = np.zeros((len(counts), len(frequent)))
    made[frequent, np.arange(len(frequent))] = 1.0
    return made
