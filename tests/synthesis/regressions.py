"""Small columns, targets and matrices for the tests of regressions."""

import numpy as np
import polars as pl
import scipy

from unveil.models.design import ColumnValues, ModelColumn, Predictors
from unveil.synthesis.methods import Target


def category(name, codes, n_levels=None):
    codes = np.asarray(codes, np.int32)
    n = n_levels or int(codes.max()) + 1
    levels = pl.Series([f"level {place}" for place in range(n)])
    return ColumnValues(ModelColumn(name, "category", pl.String(), levels), codes)


def number(name, values, state=None, n_special=0):
    values = np.asarray(values, float)
    special = pl.Series([-float(code) for code in range(8, 8 + n_special)], dtype=pl.Float64)
    states = None if state is None else np.asarray(state, np.int16)
    column = ModelColumn(
        name, "number", pl.Float64(), special=special, has_missing=state is not None
    )
    return ColumnValues(column, values, states)


def predictors(*parts, n=None):
    return Predictors(tuple(parts), len(parts[0]) if parts else n)


def classes(codes, name="y", n_levels=None, kind="category"):
    codes = np.asarray(codes, np.int32)
    return Target(name, kind, codes, n_levels or int(codes.max()) + 1)


def matrix(rows):
    return scipy.sparse.csr_array(np.asarray(rows, float))


def stream(seed=1):
    return np.random.default_rng(seed)


def chi_square_p(counts, expected):
    """How likely counts are to be further from what is expected; expected 0 must be 0."""
    from scipy.special import chdtrc

    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    assert counts[expected == 0].sum() == 0
    there = expected > 0
    statistic = ((counts[there] - expected[there]) ** 2 / expected[there]).sum()
    return float(chdtrc(there.sum() - 1, statistic))


def cumulative_probabilities(fit, x):
    """P(class | row) of an ordered model."""
    up_to = scipy.special.expit(fit.intercept[None, :] - (x @ fit.coefficients)[:, None])
    return np.diff(up_to, axis=1, prepend=0.0, append=1.0)
