"""Linear, logistic, multinomial and ordered regressions: by hand, by an oracle, and at the edge."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import regressions as exact
from oracles import replication as oracle
from profiles import examples
from unveil.models.axes import AT_ONCE, Design, DesignColumn, LevelTerm, NumberTerm, axes_of
from unveil.models.regression import Coefficients, FitFailure, fit_classes, fit_linear, fit_ordered


def number(name, values, power=1):
    return DesignColumn(name, (NumberTerm(np.asarray(values, float), power),))


def level(name, codes, code=1):
    return DesignColumn(name, (LevelTerm(np.asarray(codes), code),))


def axes(*columns, n=None):
    n = n or len(columns[0].block(slice(None)))
    return axes_of(Design(columns, n))


def figures(fitted):
    return (
        [one.estimate for one in fitted.coefficients.values()],
        [one.se for one in fitted.coefficients.values()],
    )


def two_by_two(a, b, c, d):
    """x = 1: a with y = 1, b with y = 0. x = 0: c with y = 1, d with y = 0."""
    x = np.repeat([1, 1, 0, 0], [a, b, c, d])
    y = np.repeat([1, 0, 1, 0], [a, b, c, d])
    return x, y


@pytest.mark.parametrize("cells", [(10, 20, 30, 40), (1, 1, 1, 1), (3, 7, 100, 2)])
def test_the_log_odds_ratio_of_a_two_by_two_table_is_the_closed_form(cells):
    a, b, c, d = cells
    x, y = two_by_two(*cells)
    found = fit_classes(axes(level("x", x)), y, [""]).coefficients
    assert found["x"].estimate == pytest.approx(math.log(a * d / (b * c)), abs=1e-9)
    assert found["x"].se == pytest.approx(math.sqrt(1 / a + 1 / b + 1 / c + 1 / d), rel=1e-9)
    assert found["intercept"].estimate == pytest.approx(math.log(c / d), abs=1e-9)
    assert found["intercept"].se == pytest.approx(math.sqrt(1 / c + 1 / d), rel=1e-9)


def test_a_model_without_terms_has_the_log_odds_of_the_shares():
    y = np.repeat([0, 1, 2], [10, 20, 30])
    found = fit_classes(axes(n=60), y, ["b | ", "c | "]).coefficients
    assert found["b | intercept"].estimate == pytest.approx(math.log(2), abs=1e-9)
    assert found["c | intercept"].se == pytest.approx(math.sqrt(1 / 30 + 1 / 10), rel=1e-9)


def test_the_cuts_of_a_model_without_terms_are_the_logits_of_the_shares_below():
    y = np.repeat([0, 1, 2], [10, 20, 30])
    found = fit_ordered(axes(n=60), y, ["a | b", "b | c"]).coefficients
    assert found["a | b"].estimate == pytest.approx(math.log(1 / 5), abs=1e-9)
    assert found["b | c"].estimate == pytest.approx(0.0, abs=1e-9)
    assert found["b | c"].se == pytest.approx(math.sqrt(60 / (30 * 30)), rel=1e-9)


def test_least_squares_by_hand():
    # y = 1, 3, 2 at x = 0, 1, 2: slope 1/2, intercept 3/2, residual sum of squares 3/2 on 1 degree.
    found = fit_linear(axes(number("x", [0, 1, 2])), np.array([1.0, 3.0, 2.0]))
    assert found.df == 1
    assert found.coefficients["x"].estimate == pytest.approx(0.5)
    assert found.coefficients["intercept"].estimate == pytest.approx(1.5)
    assert found.coefficients["x"].se == pytest.approx(math.sqrt(1.5 / 2))
    assert found.coefficients["intercept"].se == pytest.approx(math.sqrt(1.5 * (1 / 3 + 1 / 2)))


tiny = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 1), st.integers(0, 2)), min_size=8, max_size=16
)


@examples(40)
@given(tiny)
def test_least_squares_is_the_oracle(rows):
    x, g, y = map(np.array, zip(*rows, strict=True))
    made = axes(number("x", x), level("g", g))
    assume(not made.collinear and not made.absent)
    got, errors = figures(fit_linear(made, y.astype(float)))
    b, se = oracle.linear(
        [(1, a, c) for a, c in zip(x.tolist(), g.tolist(), strict=True)], y.tolist()
    )
    assert got == pytest.approx(b, abs=1e-8)
    assert errors == pytest.approx(se, abs=1e-8)


@pytest.mark.parametrize("shift", [1e9, -1e12])
def test_least_squares_loses_no_digit_of_numbers_that_differ_little_beside_their_size(shift):
    rng = np.random.default_rng(5)
    x = rng.normal(size=200)
    g, y = (x > 0.3).astype(int), 2 * x + rng.normal(size=200) - shift
    x = x + shift
    found = fit_linear(axes(number("x", x), level("g", g)), y).coefficients
    rows = list(zip(x.tolist(), g.tolist(), strict=True))
    (_, slope, jump), squares = exact.least_squares(rows, y.tolist())
    assert found["x"].estimate == pytest.approx(float(slope), rel=1e-12)
    assert found["g"].estimate == pytest.approx(float(jump), rel=1e-12)
    line, _ = exact.least_squares([[one] for one in g.tolist()], x.tolist())
    alone = [Fraction(a) - line[0] - line[1] * b for a, b in rows]
    error = math.sqrt(squares / 197 / sum(one**2 for one in alone))
    assert found["x"].se == pytest.approx(error, rel=1e-12)


@pytest.mark.slow
@examples(12)
@given(tiny, st.sampled_from([2, 3]))
def test_classes_are_the_oracle_and_what_runs_off_is_said(rows, n_classes):
    x, g, y = map(np.array, zip(*rows, strict=True))
    y = np.minimum(y, n_classes - 1)
    made = axes(number("x", x), level("g", g))
    assume(not made.collinear and not made.absent and len(np.unique(y)) == n_classes)
    found = fit_classes(made, y, [f"{k} | " for k in range(1, n_classes)])
    said = oracle.multinomial(
        [(1, a, c) for a, c in zip(x.tolist(), g.tolist(), strict=True)], y.tolist(), n_classes
    )
    if said is None:
        assert isinstance(found, FitFailure)
    else:
        got, errors = figures(found)
        assert got == pytest.approx(said[0], abs=1e-6)
        assert errors == pytest.approx(said[1], rel=1e-5, abs=1e-5)


@examples(12)
@given(tiny)
def test_the_ordered_model_is_the_oracle_and_what_runs_off_is_said(rows):
    x, g, y = map(np.array, zip(*rows, strict=True))
    made = axes(number("x", x), level("g", g))
    assume(not made.collinear and not made.absent and len(np.unique(y)) == 3)
    found = fit_ordered(made, y, ["0 | 1", "1 | 2"])
    said = oracle.ordered(list(zip(x.tolist(), g.tolist(), strict=True)), y.tolist(), 3)
    if said is None:
        assert isinstance(found, FitFailure)
    else:
        got, errors = figures(found)
        assert got == pytest.approx(said[0], abs=1e-6)
        assert errors == pytest.approx(said[1], rel=1e-5, abs=1e-5)


def test_a_level_that_settles_the_outcome_is_named():
    x, y = two_by_two(5, 0, 4, 6)
    found = fit_classes(axes(level("sex = F", x)), y, [""])
    assert isinstance(found, FitFailure)
    assert found.reason == (
        "sex = F separates the levels of the outcome, so that no finite coefficient is the most"
        " likely"
    )


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]),  # complete separation
        ([1, 2, 3, 3, 4, 5], [0, 0, 0, 1, 1, 1]),  # but for a tie
    ],
)
def test_a_number_that_separates_is_said_not_crashed(x, y):
    found = fit_classes(axes(number("x", x)), np.array(y), [""])
    assert isinstance(found, FitFailure)
    assert "separate" in found.reason
    found = fit_ordered(axes(number("x", x)), np.array(y), ["0 | 1"])
    assert isinstance(found, FitFailure)


def test_a_rare_level_that_separates_is_found_among_very_many():
    codes = np.zeros(20_000, int)
    codes[:3] = 1
    y = (np.arange(20_000) % 2).astype(int)
    y[:3] = 1
    assert isinstance(fit_classes(axes(level("rare", codes)), y, [""]), FitFailure)


def test_terms_that_others_determine_are_named_and_the_first_is_kept():
    x = np.arange(20.0)
    made = axes(
        number("x", x), number("twice x", 2 * x + 1), number("x", x, 2), number("one", x * 0 + 1)
    )
    assert made.labels == ("x", "x")
    assert made.collinear == ("twice x", "one")


def test_a_level_that_nobody_has_is_absent_not_collinear():
    made = axes(level("a", [0, 1, 0, 1]), level("b", [0, 1, 0, 1], 7))
    assert (made.labels, made.absent, made.collinear) == (("a",), ("b",), ())


def test_too_few_records_are_said():
    found = fit_linear(axes(number("x", [1, 2])), np.array([1.0, 2.0]))
    assert isinstance(found, FitFailure)
    assert found.reason == "so few records (2) are not enough for 2 coefficients"


def test_large_offsets_do_not_spoil_the_figures():
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    y = 2 * x + rng.normal(size=500)
    near = fit_linear(axes(number("x", x)), y).coefficients["x"]
    far = fit_linear(axes(number("x", x + 1e6)), y + 1e6).coefficients["x"]
    assert far.estimate == pytest.approx(near.estimate, rel=1e-6)
    assert far.se == pytest.approx(near.se, rel=1e-6)


def test_blocks_of_rows_give_what_one_block_gives(monkeypatch):
    rng = np.random.default_rng(4)
    x, g = rng.normal(size=300), rng.integers(2, size=300)
    y = rng.integers(3, size=300)
    whole = [
        fit(axes(number("x", x), level("g", g)), y, ["a", "b"])
        for fit in (fit_classes, fit_ordered)
    ]
    assert AT_ONCE > 600
    monkeypatch.setattr("unveil.models.axes.AT_ONCE", 64)
    parts = [
        fit(axes(number("x", x), level("g", g)), y, ["a", "b"])
        for fit in (fit_classes, fit_ordered)
    ]
    for one, two in zip(whole, parts, strict=True):
        assert isinstance(one, Coefficients)
        assert figures(two)[0] == pytest.approx(figures(one)[0], abs=1e-10)
        assert figures(two)[1] == pytest.approx(figures(one)[1], abs=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_numbers_of_any_size_are_fitted(scale):
    x = np.arange(30) % 7
    y = np.arange(30.0)
    near = fit_linear(axes(number("x", x)), y).coefficients["x"]
    far = fit_linear(axes(number("x", x * scale)), y).coefficients["x"]
    assert far.estimate * scale == pytest.approx(near.estimate)
    assert far.se * scale == pytest.approx(near.se)


def test_numbers_that_no_float_can_hold_are_left_out_and_told():
    x = np.arange(20.0)
    made = axes(number("x", x), number("x^9", x * 1e40, 9))
    assert (made.labels, made.too_large) == (("x",), ("x^9",))
