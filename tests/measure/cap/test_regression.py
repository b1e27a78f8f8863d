"""CAP on the number of copies: by hand, against the normal equations, and as a result shows it."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import taub
from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.cap.cap import cap, fit_on_m

# Taub et al. (2018), Table 6, CART, full set, non-matches as zero; and Table 1, parametric.
BSA_CART = (0.115, 0.173, 0.196, 0.218, 0.230, 0.238, 0.248, 0.251, 0.257, 0.259)
BSA_CART_UNIQUES = (0.304, 0.329, 0.313, 0.316, 0.316, 0.312, 0.316, 0.314, 0.315, 0.312)
BSA_CART_SPECIAL = (0.273, 0.370, 0.309, 0.362, 0.424, 0.417, 0.409, 0.419, 0.414, 0.407)
LCF_PARAMETRIC = (0.296, 0.346, 0.364, 0.378, 0.388, 0.393, 0.397, 0.403, 0.406, 0.420)
LCF_CART_SPECIAL = (0.549, 0.530, 0.568, 0.535, 0.525, 0.525, 0.522, 0.507, 0.523, 0.519)
TEN = range(1, 11)


def test_by_hand():
    # Through 1, 3, 2: slope 1/2, intercept 1, residuals -1/2, 1, -1/2 with one degree of freedom.
    fit = fit_on_m([1, 2, 3], [1.0, 3.0, 2.0])
    assert (fit.slope, fit.intercept, fit.df) == (0.5, 1.0, 1)
    assert fit.se_slope == pytest.approx((1.5 / 2) ** 0.5)
    assert fit.se_intercept == pytest.approx((1.5 * (1 / 3 + 4 / 2)) ** 0.5)
    assert fit.t_slope == pytest.approx(0.5 / (1.5 / 2) ** 0.5)
    assert fit.p_slope == pytest.approx(2 / 3)  # with one degree of freedom t = tan(pi/6)


def test_the_printed_means_give_what_the_specification_says():
    cart = fit_on_m(TEN, BSA_CART)
    assert (round(cart.intercept, 4), round(cart.slope, 5), cart.df) == (0.1433, 0.01368, 8)
    parametric = fit_on_m(TEN, LCF_PARAMETRIC)
    assert (round(parametric.intercept, 4), round(parametric.slope, 5)) == (0.3193, 0.01087)
    uniques = fit_on_m(TEN, BSA_CART_UNIQUES)
    assert (round(uniques.intercept, 4), round(uniques.slope, 5)) == (0.3155, -0.00015)
    assert round(uniques.p_slope, 2) == 0.84
    special = fit_on_m(TEN, BSA_CART_SPECIAL)
    assert (round(special.intercept, 4), round(special.slope, 5)) == (0.3071, 0.01332)
    assert round(fit_on_m(TEN, LCF_CART_SPECIAL).p_slope, 2) == 0.02


@examples(80)
@given(st.lists(st.integers(0, 1000), min_size=3, max_size=12))
def test_it_solves_the_normal_equations(thousandths):
    x = [Fraction(m) for m in range(1, len(thousandths) + 1)]
    y = [Fraction(value, 1000) for value in thousandths]
    lies_on_a_line = len({b - a for a, b in pairwise(y)}) == 1
    fit = fit_on_m([float(m) for m in x], [float(value) for value in y])
    if lies_on_a_line:
        assert (fit.se_slope, fit.t_slope, fit.p_slope) == (0.0, None, None)
        return
    expected = taub.line(x, y)
    for name, value in expected.items():
        assert getattr(fit, name) == pytest.approx(float(value), rel=1e-8, abs=1e-9), name


def test_too_few_points():
    one, two = fit_on_m([1], [0.5]), fit_on_m([1, 2], [0.5, 0.7])
    assert (one.n_points, one.slope, one.df) == (1, None, None)
    assert (two.slope, two.se_slope, two.p_slope, two.df) == (pytest.approx(0.2), None, None, 0)
    assert fit_on_m([], []).n_points == 0


def test_scores_that_do_not_exist_are_left_out():
    fit = fit_on_m([1, 2, 3, 4], [None, 0.1, 0.3, 0.2])
    assert (fit.n_points, fit.df) == (3, 1)
    assert fit.slope == pytest.approx(0.05)


def test_the_same_score_for_every_m_leaves_nothing_to_test():
    fit = fit_on_m(TEN, [0.3] * 10)
    assert (fit.slope, fit.se_slope, fit.t_slope, fit.p_slope) == (0.0, 0.0, None, None)


def test_a_result_has_the_regression_of_both_rules():
    copies = [people(rows) for rows in (SYNTHETIC, ["bxq", "axq"], ["bxq"])]
    result = cap(people(ORIGINAL), copies, keys=["k1", "k2"], target="t")
    points = [row.cap_synthetic_zero for row in result.rows]
    zero = result.on_m()
    assert zero.slope == pytest.approx(fit_on_m([1, 2, 3], points).slope)
    assert (zero.nonmatch, zero.scenario, zero.n_points, zero.df) == ("zero", "full", 3, 1)
    assert {
        "intercept",
        "slope",
        "se_intercept",
        "se_slope",
        "p_intercept",
        "p_slope",
        "df",
    } <= set(zero.to_dict())
    assert result.on_m("undefined").nonmatch == "undefined"
    with pytest.raises(SettingsError) as refused:
        result.on_m("nought")
    assert str(refused.value) == (
        "The rule for people without a match is 'nought'. It must be one of: zero, undefined."
    )
