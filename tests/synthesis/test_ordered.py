import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import regressions as oracle
from profiles import examples
from synthesis.regressions import (
    category,
    chi_square_p,
    classes,
    cumulative_probabilities,
    matrix,
    number,
    predictors,
    stream,
)
from unveil.models.axes import basis_of
from unveil.models.regression import RIDGE, fit_cumulative
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.regression import OrderedModel, fit_ordered

SMALL = st.integers(-2, 2)
DATA = st.lists(st.tuples(SMALL, SMALL, st.integers(0, 3)), min_size=10, max_size=30).filter(
    lambda rows: len({row[2] for row in rows}) == 4
)


def fitted(target, *parts):
    return fit_ordered(target, predictors(*parts), Options(), stream())


@examples(30)
@given(DATA)
def test_no_step_from_the_fit_makes_the_data_more_likely(data):
    rows, y = [row[:2] for row in data], [row[2] for row in data]
    found = fit_cumulative(matrix(rows), np.array(y), 4)
    cuts, slopes = found.intercept.tolist(), found.coefficients.tolist()

    def height(cuts, slopes):
        return oracle.ordered(cuts, slopes, rows, y) - found.ridge / 2 * sum(b * b for b in slopes)

    top = height(cuts, slopes)
    kept = basis_of(matrix(rows)).kept.tolist()
    for step in (0.03, -0.03):
        for place in range(3):
            moved = [cut + step * (place == at) for at, cut in enumerate(cuts)]
            assume(moved == sorted(set(moved)))
            assert height(moved, slopes) < top + 1e-6
        for place in kept:
            moved = [slope + step * (place == at) for at, slope in enumerate(slopes)]
            assert height(cuts, moved) < top + 1e-6


@examples(10)
@given(DATA)
def test_probabilities_are_those_of_the_definition(data):
    rows, y = [row[:2] for row in data], np.array([row[2] for row in data])
    found = fit_cumulative(matrix(rows), y, 4)
    for row, chances in zip(rows, cumulative_probabilities(found, matrix(rows)), strict=True):
        by_hand = oracle.ordered_shares(found.intercept.tolist(), found.coefficients.tolist(), row)
        assert chances == pytest.approx(by_hand, abs=1e-12)


def test_without_predictors_cuts_are_the_log_odds_of_being_below():
    model = fit_ordered(
        classes([0, 1, 1, 2, 2, 2, 2, 2], kind="ordered"), predictors(n=8), Options(), None
    )
    expected = [np.log(1 / 7), np.log(3 / 5)]
    assert model.levels.fit.intercept == pytest.approx(expected, abs=1e-5)


def test_two_classes_are_logistic_regression():
    y = [1, 0, 0, 0, 1, 1, 1, 1, 0]
    model = fitted(classes(y, kind="ordered"), category("sex", [0] * 4 + [1] * 5))
    assert model.levels.fit.intercept == pytest.approx([np.log(3)], abs=1e-5)
    assert model.levels.fit.coefficients == pytest.approx([np.log(12)], abs=1e-5)


def test_a_known_model_is_found_again_and_drawn_from():
    rng = stream(1)
    x = rng.normal(size=40_000)
    y = np.searchsorted([-1.0, 0.2, 2.0], 1.2 * x + rng.logistic(size=40_000))
    model = fitted(classes(y, kind="ordered"), number("age", x))
    assert model.levels.fit.intercept == pytest.approx([-1.0, 0.2, 2.0], abs=0.06)
    assert model.levels.fit.coefficients == pytest.approx([1.2], abs=0.04)
    at_one = model.sample(predictors(number("age", np.full(50_000, 1.0))), stream(2))
    chances = cumulative_probabilities(model.levels.fit, matrix([[(1.0 - x.mean()) / x.std()]]))[0]
    assert chi_square_p(np.bincount(at_one, minlength=4), 50_000 * chances) > 1e-3


def test_a_level_all_in_the_last_class_gets_a_ridge_and_is_told():
    y = np.concatenate((np.tile([0, 1, 2], 20), np.full(30, 2)))
    model = fitted(classes(y, kind="ordered"), category("region", [0] * 60 + [1] * 30))
    assert model.levels.fit.ridge == RIDGE
    assert model.notes == (
        "In the model of y predictors separate the classes, so coefficients were shrunk by a ridge"
        " penalty of 0.04.",
    )


def test_a_number_that_separates_the_classes_gets_a_ridge():
    x = np.linspace(-1, 1, 60)
    model = fitted(classes(np.digitize(x, [-0.3, 0.4]), kind="ordered"), number("age", x))
    assert model.levels.fit.ridge == RIDGE


def test_levels_that_do_not_occur_are_never_drawn():
    target = classes([1, 3, 3, 1, 5, 5], n_levels=7, kind="ordered")
    model = fitted(target, number("age", [1, 5, 2, 4, 3, 3]))
    drawn = model.sample(predictors(number("age", np.linspace(0, 6, 300))), stream())
    assert set(drawn.tolist()) <= {1, 3, 5}


def test_missing_is_modelled_apart_from_the_order():
    rng = stream(3)
    sex = rng.integers(2, size=20_000)
    y = np.searchsorted([-0.5, 1.0], sex + rng.logistic(size=20_000))
    y[rng.random(20_000) < np.where(sex == 1, 0.4, 0.1)] = 3
    target = Target("y", "ordered", y.astype(np.int32), 4, has_missing=True)
    model = fitted(target, category("sex", sex))
    alone = y < 3
    plain = fitted(classes(y[alone], kind="ordered"), category("sex", sex[alone]))
    assert model.levels.fit.coefficients == pytest.approx(plain.levels.fit.coefficients)
    drawn = model.sample(predictors(category("sex", sex)), stream(4))
    for level, share in ((0, 0.1), (1, 0.4)):
        assert (drawn[sex == level] == 3).mean() == pytest.approx(share, abs=0.02)


@pytest.mark.slow
def test_a_hundred_classes_are_quick():
    rng = stream(5)
    x = rng.normal(size=20_000)
    y = np.unique(np.floor(8 * (x + rng.logistic(size=20_000))), return_inverse=True)[1]
    model = fitted(classes(y, kind="ordered"), number("age", x))
    assert y.max() > 90
    assert (np.diff(model.levels.fit.intercept) > 0).all()
    assert model.levels.fit.coefficients == pytest.approx([1.0], abs=0.05)


@pytest.mark.parametrize("has_missing", [False, True])
def test_a_model_file_gives_the_same_draws(has_missing):
    rng = stream(6)
    x, y = rng.normal(size=200), rng.integers(4, size=200).astype(np.int32)
    asked = predictors(number("age", x))
    model = fit_ordered(Target("y", "ordered", y, 4, has_missing), asked, Options(), stream())
    again = OrderedModel.from_arrays(model.to_arrays())
    assert np.array_equal(model.sample(asked, stream(9)), again.sample(asked, stream(9)))
