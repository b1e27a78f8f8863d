"""How columns hang together, and the records on two axes (Chapelle and Falissard, Figures 10-13).

Pearson's r of two numbers, Cramer's V of two categories, else the correlation ratio; factor
analysis of mixed data (Pages 2004).
"""

from typing import NamedTuple

import numpy as np

from unveil.measures.utility.columns import Floats, Ints, Mask, Variable
from unveil.results import Figure

COMMONEST = 50  # levels of a column that the axes are made of


def measure_of(a: Variable, b: Variable) -> str:
    """Which association two columns have."""
    if a.is_number and b.is_number:
        return "Pearson's r"
    return "correlation ratio" if a.is_number or b.is_number else "Cramer's V"


def association(a: Variable, b: Variable, rows: slice) -> Figure:
    """Of the records of one file that have both; None where a column has one value there."""
    if a.is_number and b.is_number:
        x, y = a.amounts[rows], b.amounts[rows]
        return pearson(x[known := ~(np.isnan(x) | np.isnan(y))], y[known])
    if a.is_number or b.is_number:
        number, category = (a, b) if a.is_number else (b, a)
        x, level = number.amounts[rows], category.states[rows]
        return correlation_ratio(x[known := ~np.isnan(x)], level[known])
    return cramers_v(a.states[rows], b.states[rows])


def pearson(x: Floats, y: Floats) -> Figure:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))


def correlation_ratio(x: Floats, level: Ints) -> Figure:
    """The root of the share of the variance that lies between levels."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(level) == 0:
        return None
    x = x - x.mean()
    n, total = np.bincount(level), np.bincount(level, x)
    return float(np.sqrt((total[n > 0] ** 2 / n[n > 0]).sum() / (x @ x)))


def cramers_v(a: Ints, b: Ints) -> Figure:
    """The root of chi-squared over n and the smaller number of levels, less 1."""
    of_a, of_b = np.bincount(a), np.bincount(b)
    if (smaller := min((of_a > 0).sum(), (of_b > 0).sum()) - 1) < 1:
        return None
    cells, n = np.unique(a * len(of_b) + b, return_counts=True)
    share = (n**2 / (of_a[cells // len(of_b)] * of_b[cells % len(of_b)])).sum()
    return float(np.sqrt(max(share - 1, 0) / smaller))


class Axes(NamedTuple):
    """The two main axes of the original."""

    weights: Floats  # columns of the matrix x axes
    explained: Floats
    columns: list[tuple[Variable, Floats, Floats]]  # of each matrix part its centre and scale

    def place(self, records: Ints) -> Floats:
        """Where records lie on the axes."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            return _matrix(self.columns, records) @ self.weights


def main_axes(variables: list[Variable]) -> Axes | None:
    """The axes along which the original's records differ most; None where they do not.

    Numbers are standardised, a missing one stands at the mean; levels are indicators over the root
    of their share, of many levels the commonest.
    """
    from threadpoolctl import threadpool_limits

    original = variables[0].rows[0]
    columns = []
    for v in variables:
        if v.is_number:
            known = v.known(0)
            centre, scale = (known.mean(), known.std()) if len(known) else (0, 0)
            parts = np.array([centre]), np.array([scale])
        else:
            counts = np.bincount(v.states[original], minlength=v.n_states)[:COMMONEST]
            share = counts / len(v.states[original])
            parts = share, np.sqrt(share)
        if parts[1].any() and (v.is_number or (parts[0] > 0).sum() > 1):
            columns.append((v, *parts))
    if not columns:
        return None
    matrix = _matrix(columns, np.arange(original.start, original.stop))
    with threadpool_limits(1):  # more threads add in another order
        sizes, axes = np.linalg.eigh(matrix.T @ matrix / len(matrix))
    weights = axes[:, ::-1][:, :2]
    weights = weights * np.sign(weights[np.abs(weights).argmax(axis=0), range(weights.shape[1])])
    return Axes(weights, sizes[::-1][:2] / sizes.sum(), columns)


def _matrix(columns: list[tuple[Variable, Floats, Floats]], records: Ints) -> Floats:
    """Standardised numbers and weighted indicators side by side."""
    parts = []
    for v, centre, scale in columns:
        seen: Mask = scale > 0
        if v.is_number:
            values = np.nan_to_num((v.amounts[records] - centre) / scale)[:, None]
        else:
            levels = np.arange(len(centre))
            values = ((v.states[records, None] == levels) - centre)[:, seen] / scale[seen]
        parts.append(values)
    return np.concatenate(parts, axis=1)
