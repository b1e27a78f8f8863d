import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import regressions as oracle
from profiles import examples
from synthesis.regressions import category, classes, matrix, number, predictors, stream
from unveil.models.regression import RIDGE, fit_binary, probability
from unveil.synthesis.methods import Options
from unveil.synthesis.regression import LogisticModel
from unveil.synthesis.regression import fit_logistic as fit

DATA = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 1)), min_size=6, max_size=30).filter(
    lambda rows: len({row[1] for row in rows}) == 2
)


def fitted(target, *parts):
    return fit(target, predictors(*parts), Options(), stream())


@examples(20)
@given(DATA)
def test_as_many_are_expected_as_are_seen(data):
    rows, y = [row[:1] for row in data], [row[1] for row in data]
    found = fit_binary(matrix(rows), np.array(y), 2)
    chances = [oracle.logistic(found.intercept[0] + found.coefficients[0] * x) for (x,) in rows]
    assert probability(found, matrix(rows)) == pytest.approx(chances, abs=1e-12)
    assert sum(chances) == pytest.approx(sum(y), abs=2e-3)
    if found.ridge == 0:
        weighted = sum(x * chance for (x,), chance in zip(rows, chances, strict=True))
        seen = sum(x * one for (x,), one in zip(rows, y, strict=True))
        assert weighted == pytest.approx(seen, abs=5e-3)


def test_two_levels_by_hand():
    # Odds 1:3 in the first level and 4:1 in the second, so a log odds ratio of log 12.
    y = [1, 0, 0, 0, 1, 1, 1, 1, 0]
    model = fitted(classes(y), category("sex", [0] * 4 + [1] * 5))
    assert model.fit.intercept == pytest.approx([-np.log(3)], abs=1e-5)
    assert model.fit.coefficients == pytest.approx([np.log(12)], abs=1e-5)


def test_draws_follow_the_line():
    rng = stream(1)
    x = rng.normal(size=50_000)
    y = (rng.logistic(size=50_000) < 0.5 + 1.5 * x).astype(int)
    model = fitted(classes(y), number("age", x))
    assert model.fit.intercept[0] == pytest.approx(0.5, abs=0.05)
    drawn = model.sample(predictors(number("age", x)), stream(2))
    for low, high in ((-3, -1), (-1, 0), (0, 1), (1, 3)):
        inside = (x > low) & (x < high)
        assert drawn[inside].mean() == pytest.approx(y[inside].mean(), abs=0.02)


def test_complete_separation_has_a_ridge_and_finite_coefficients():
    model = fitted(classes([0] * 30 + [1] * 30), category("sex", [0] * 30 + [1] * 30))
    assert model.fit.ridge == RIDGE
    assert 3 < model.fit.coefficients[0] < 15
    assert "separate the classes" in model.notes[0]


def test_no_separation_no_ridge():
    model = fitted(classes([0, 1, 1, 0, 1, 1]), category("sex", [0, 0, 0, 1, 1, 1]))
    assert model.fit.ridge == 0


def test_a_model_file_gives_the_same_draws():
    x = np.arange(40.0)
    asked = predictors(number("age", x))
    model = fit(classes(np.arange(40) * 7 % 5 > 2, n_levels=2), asked, Options(), stream())
    again = LogisticModel.from_arrays(model.to_arrays())
    assert np.array_equal(model.sample(asked, stream(9)), again.sample(asked, stream(9)))
