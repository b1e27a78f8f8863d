import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import regressions as oracle
from profiles import examples
from synthesis.regressions import (
    category,
    chi_square_p,
    classes,
    matrix,
    number,
    predictors,
    stream,
)
from unveil.models.axes import basis_of
from unveil.models.regression import RIDGE, fit_softmax, is_separated, softmax_probabilities
from unveil.synthesis.methods import Options
from unveil.synthesis.regression import MultinomialModel, fit_multinomial

SMALL = st.integers(-2, 2)
DATA = st.lists(st.tuples(SMALL, SMALL, st.integers(0, 2)), min_size=8, max_size=30).filter(
    lambda rows: len({row[2] for row in rows}) == 3
)


def fitted(target, *parts):
    return fit_multinomial(target, predictors(*parts), Options(), stream())


@examples(20)
@given(DATA)
def test_what_is_seen_is_what_is_expected_at_the_highest_likelihood(data):
    rows, y = [row[:2] for row in data], [row[2] for row in data]
    found = fit_softmax(matrix(rows), np.array(y), 3)
    slopes = found.coefficients.tolist()
    surplus = oracle.surplus(found.intercept.tolist(), slopes, rows, y)
    basis = basis_of(matrix(rows))
    assert surplus[0] == pytest.approx([0, 0, 0], abs=2e-3)
    for column in basis.kept:
        held_back = [found.ridge * slope for slope in slopes[column]]
        assert surplus[column + 1] == pytest.approx(held_back, abs=5e-3)


@examples(10)
@given(DATA)
def test_probabilities_are_those_of_the_definition(data):
    rows, y = [row[:2] for row in data], np.array([row[2] for row in data])
    found = fit_softmax(matrix(rows), y, 3)
    for row, chances in zip(rows, softmax_probabilities(found, matrix(rows)), strict=True):
        by_hand = oracle.shares(found.intercept.tolist(), found.coefficients.tolist(), row)
        assert chances == pytest.approx(by_hand, abs=1e-12)


def test_one_predictor_with_all_combinations_gives_their_shares_back():
    # Three levels x three classes, none empty: the model is saturated.
    counts = np.array([[5, 3, 2], [1, 8, 1], [4, 4, 12]])
    level, y = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    model = fitted(classes(y), category("region", level))
    assert model.fit.ridge == 0
    assert model.notes == ()
    chances = softmax_probabilities(model.fit, matrix([[0, 0], [1, 0], [0, 1]]))
    assert chances == pytest.approx(counts / counts.sum(axis=1, keepdims=True), abs=1e-6)


def test_draws_follow_the_shares_of_each_level():
    counts = np.array([[5, 3, 2], [1, 8, 1], [4, 4, 12]])
    level, y = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    model = fitted(classes(y), category("region", level))
    asked = np.repeat([0, 1, 2], 40_000)
    drawn = model.sample(predictors(category("region", asked)), stream(7))
    for place, row in enumerate(counts):
        got = np.bincount(drawn[asked == place], minlength=3)
        assert chi_square_p(got, 40_000 * row / row.sum()) > 1e-3


def test_without_predictors_draws_follow_the_shares_of_all():
    model = fit_multinomial(classes([0, 1, 1, 2, 2, 2]), predictors(n=6), Options(), stream())
    drawn = model.sample(predictors(n=60_000), stream(3))
    assert chi_square_p(np.bincount(drawn), [10_000, 20_000, 30_000]) > 1e-3


def test_an_empty_combination_gets_a_ridge_and_is_told():
    level = np.repeat([0, 1], 50)
    y = np.concatenate((np.tile([0, 1], 25), np.tile([0, 2], 25)))
    model = fitted(classes(y), category("region", level))
    assert model.fit.ridge == RIDGE
    assert model.notes == (
        "In the model of y predictors separate the classes, so coefficients were shrunk by a ridge"
        " penalty of 0.04.",
    )
    assert np.abs(model.fit.coefficients).max() < 10
    chances = softmax_probabilities(model.fit, matrix([[0], [1]]))
    assert 0 < chances[0, 2] < 0.01
    assert 0 < chances[1, 1] < 0.01


def test_a_number_that_separates_the_classes_gets_a_ridge():
    x = np.linspace(-1, 1, 60)
    y = np.digitize(x, [-0.3, 0.4])
    assert not is_separated(matrix(x[:, None]), y, 3)
    model = fitted(classes(y), number("age", x))
    assert model.fit.ridge == RIDGE
    drawn = model.sample(predictors(number("age", x)), stream())
    assert (drawn == y).mean() > 0.7


def test_a_predictor_that_another_determines_is_left_out_and_told():
    rng = stream(5)
    x = rng.normal(size=300)
    y = (x + rng.logistic(size=300) > 0).astype(int) + (rng.random(300) < 0.3)
    alone = fitted(classes(y), number("age", x))
    both = fitted(classes(y), number("age", x), number("months", 12 * x + 3))
    assert both.notes == (
        "In the model of y these were excluded, wholly or in part, because the predictors before"
        " them determine them: months.",
    )
    assert both.fit.coefficients[1].tolist() == [0, 0, 0]
    assert both.fit.coefficients[0] == pytest.approx(alone.fit.coefficients[0], abs=1e-6)


def test_almost_equal_predictors_stay():
    rng = stream(6)
    x = rng.normal(size=500)
    other = x + 0.01 * rng.normal(size=500)
    assert basis_of(matrix(np.column_stack((x, other)))).kept.tolist() == [0, 1]
    close = x + 0.004 * rng.normal(size=500)
    assert basis_of(matrix(np.column_stack((x, close)))).dropped.tolist() == [1]


def test_a_predictor_of_one_value_is_left_out_without_a_word():
    model = fitted(
        classes([0, 1, 2, 0, 1, 2]), number("age", np.ones(6)), category("sex", [0] * 6, 3)
    )
    assert model.notes == ()
    assert not model.fit.coefficients.any()


def test_levels_that_do_not_occur_are_never_drawn():
    model = fitted(classes([1, 4, 4, 1, 1, 6], n_levels=9), number("age", [1, 2, 3, 4, 5, 6]))
    assert model.classes.tolist() == [1, 4, 6]
    drawn = model.sample(predictors(number("age", np.linspace(-50, 50, 500))), stream())
    assert set(drawn.tolist()) <= {1, 4, 6}
    assert drawn.dtype == np.int32


def test_one_level_needs_no_model():
    model = fitted(classes([3, 3], n_levels=5), number("age", [1, 2]))
    assert model.sample(predictors(number("age", [5, 6, 7])), stream()).tolist() == [3, 3, 3]


def test_missing_and_special_predictors_have_effects_of_their_own():
    state = np.repeat([0, 1, 2], 2_000)
    y = np.concatenate((np.tile([0, 1], 1000), np.tile([0, 0, 0, 1], 500), np.tile([1, 2], 1000)))
    income = number("income", np.where(state == 0, np.arange(6_000) % 7, 0), state, n_special=1)
    model = fitted(classes(y), income)
    asked = number("income", np.zeros(40_000), np.repeat([1, 2], 20_000), n_special=1)
    drawn = model.sample(predictors(asked), stream())
    assert (drawn[:20_000] == 0).mean() == pytest.approx(0.75, abs=0.015)
    assert (drawn[20_000:] == 2).mean() == pytest.approx(0.5, abs=0.015)


@pytest.mark.slow
def test_three_hundred_classes_and_levels_stay_small_and_quick():
    rng = stream(2)
    level, y = rng.integers(300, size=4_000), rng.integers(300, size=4_000)
    model = fitted(classes(y, n_levels=300), category("town", level, 300))
    assert model.fit.coefficients.shape == (299, 300)
    drawn = model.sample(predictors(category("town", level, 300)), rng)
    assert len(np.unique(drawn)) > 250


def test_a_model_file_gives_the_same_draws():
    rng = stream(4)
    x, sex, y = rng.normal(size=200), rng.integers(2, size=200), rng.integers(4, size=200)
    asked = predictors(number("age", x), category("sex", sex))
    model = fit_multinomial(classes(y), asked, Options(), stream())
    again = MultinomialModel.from_arrays(model.to_arrays())
    assert np.array_equal(model.sample(asked, stream(9)), again.sample(asked, stream(9)))


def test_the_same_model_whatever_the_order_of_levels():
    rng = stream(8)
    level, y = rng.integers(4, size=900), rng.integers(3, size=900)
    one = fitted(classes(y), category("region", level))
    other = fitted(classes(2 - y), category("region", 3 - level))
    eye = np.vstack((np.zeros(3), np.eye(3)))
    chances = softmax_probabilities(one.fit, matrix(eye))
    assert chances == pytest.approx(
        softmax_probabilities(other.fit, matrix(eye))[::-1, ::-1], abs=1e-5
    )
