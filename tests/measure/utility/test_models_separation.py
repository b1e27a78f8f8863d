"""Separation: whether the terms settle the outcome, beside an exact answer by linear programming.

Coefficients may be large for the unit or the origin of a column; that is no separation.
"""

import numpy as np
import pytest
import scipy
from hypothesis import assume, example, given
from hypothesis import strategies as st

from profiles import examples
from unveil.models.axes import Design, DesignColumn, LevelTerm, NumberTerm, axes_of
from unveil.models.likelihood import Minimum
from unveil.models.regression import (
    SEPARATED,
    UNSETTLED,
    Coefficients,
    FitFailure,
    fit_classes,
    fit_ordered,
    why_unfit,
)


def is_separated(rows):
    """Whether some direction is at least 0 for all rows and above it for one: Konis 2007."""
    rows = np.asarray(rows)
    bounds = [(-1, 1)] * rows.shape[1]
    best = scipy.optimize.linprog(
        -rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds
    )
    return -best.fun > 1e-7


def by_class(x, y, n_classes):
    """What must not fall: the log-odds of the own class against every other."""
    rows = []
    for one, own in zip(x, y, strict=True):
        for other in {*range(n_classes)} - {own}:
            row = np.zeros((n_classes, len(one)))
            row[own], row[other] = one, -one
            rows.append(row[1:].ravel())
    return rows


def in_order(x, y, n_classes):
    """What must not fall: the distance to the cuts above and below the own class."""
    rows = []
    for one, own in zip(x, y, strict=True):
        for cut, sign in ((own, 1), (own - 1, -1)):
            if 0 <= cut < n_classes - 1:
                above = sign * (np.arange(n_classes - 1) == cut)
                rows.append(np.concatenate((above, -sign * one[1:])))
    return rows


def columns(x, g, *, is_squared):
    made = [DesignColumn("x", (NumberTerm(x),)), DesignColumn("g", (LevelTerm(g, 1),))]
    return [*made, DesignColumn("x^2", (NumberTerm(x, 2),))] if is_squared else made


records = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(0, 2)), min_size=8, max_size=30
)


@pytest.mark.slow
@examples(60)
@given(records, st.sampled_from([2, 3]), st.sampled_from([0, 1990]), st.booleans())
@example([(k, k % 2, int(k > 3)) for k in range(7)] * 2, 2, 1990, False)
@example([(k, k % 2, int(k > 3) if k != 3 else 1) for k in range(7)] + [(3, 0, 0)], 2, 0, False)
def test_what_is_separated_is_what_linear_programming_finds(data, n_classes, origin, is_squared):
    x, g, y = map(np.array, zip(*data, strict=True))
    y = np.minimum(y, n_classes - 1)
    axes = axes_of(Design(tuple(columns(x + float(origin), g, is_squared=is_squared)), len(y)))
    assume(len(axes.labels) == 2 + is_squared and len(np.unique(y)) == n_classes)
    turned = np.vstack([np.insert(block, 0, 1.0, axis=1) for _, block in axes.blocks()])
    for fit, rows in ((fit_classes, by_class), (fit_ordered, in_order)):
        found = fit(axes, y, [str(k) for k in range(1, n_classes)])
        assert isinstance(found, FitFailure) == is_separated(rows(turned, y, n_classes))


@pytest.mark.parametrize(("low", "high"), [(18, 90), (1990, 2021), (1940, 2005)])
def test_a_year_and_its_square_are_those_of_the_year_from_its_middle(low, high):
    rng = np.random.default_rng(low)
    year = rng.integers(low, high, 500).astype(float)
    middle = (low + high) / 2
    y = (rng.logistic(size=500) < 3 * (year - middle) / (high - low)).astype(int)
    far, near = (
        fit_classes(
            axes_of(Design(tuple(columns(x, y * 0, is_squared=True)[::2]), 500)), y, [""]
        ).coefficients
        for x in (year, year - middle)
    )
    assert far["x^2"].estimate == pytest.approx(near["x^2"].estimate, rel=1e-5)
    assert far["x^2"].se == pytest.approx(near["x^2"].se, rel=1e-5)
    slope = near["x"].estimate - 2 * middle * near["x^2"].estimate
    assert far["x"].estimate == pytest.approx(slope, rel=1e-5)


def test_the_slope_of_a_year_for_a_level_is_fitted_though_its_level_is_far_from_the_data():
    rng = np.random.default_rng(1)
    year, sex = rng.integers(1940, 2005, 2_000).astype(float), rng.integers(2, size=2_000)
    y = (rng.logistic(size=2_000) < (year - 1972) * np.where(sex, 0.03, 0.01)).astype(int)
    made = (
        *columns(year, sex, is_squared=False),
        DesignColumn("x : g", (NumberTerm(year), LevelTerm(sex, 1))),
    )
    found = fit_classes(axes_of(Design(made, 2_000)), y, [""])
    assert isinstance(found, Coefficients)
    assert abs(found.coefficients["g"].estimate) > 15  # at the year 0, where nobody is
    alone = []
    for one in (0, 1):
        rows = sex == one
        axes = axes_of(Design((DesignColumn("x", (NumberTerm(year[rows]),)),), int(rows.sum())))
        alone.append(fit_classes(axes, y[rows], [""]).coefficients["x"].estimate)
    assert found.coefficients["x"].estimate == pytest.approx(alone[0], abs=1e-7)
    assert found.coefficients["x : g"].estimate == pytest.approx(alone[1] - alone[0], abs=1e-7)


def test_a_steep_slope_that_records_on_both_sides_hold_is_no_separation():
    # Nearly separated: two of 200 are on the wrong side, next to the middle.
    x = np.arange(200.0)
    y = (x >= 100).astype(int)
    y[[99, 100]] = 1, 0
    found = fit_classes(axes_of(Design((DesignColumn("x", (NumberTerm(x),)),), 200)), y, [""])
    assert isinstance(found, Coefficients)
    assert found.coefficients["x"].estimate * x.std() > 15


def test_a_search_that_did_not_end_is_separation_only_where_records_are_certain():
    axes = axes_of(Design((DesignColumn("x", (NumberTerm(np.arange(10.0)),)),), 10))
    for slope, why in ((30.0, SEPARATED), (1.0, UNSETTLED)):
        place = np.array([0.0, slope])
        lost = Minimum(place, np.eye(2), is_reached=False)
        assert why_unfit(axes, lost, [(place, np.eye(2))]) == why
