"""Regressions beside statsmodels, which is run here, and beside slow plain ones."""

import numpy as np
import pytest

from oracles import replication
from unveil.models.regressions import (
    fit_linear,
    fit_multinomial,
    fit_poisson,
    independent,
)


def draw(seed, n=60):
    """Columns of unlike sizes, a number and its square among them, and an outcome of each kind."""
    random = np.random.default_rng(seed)
    age, is_man = random.integers(1, 100, size=n), random.integers(2, size=n)
    X = np.column_stack([np.ones(n), age, is_man, age**2])
    noise = random.normal(size=n)
    return X, {
        "linear": np.round(20 + 0.3 * age - 5 * is_man + 10 * noise, 1),
        "logistic": (0.03 * age - 1.5 + noise + is_man * 0.5 > 0).astype(int),
        "multinomial": np.digitize(0.01 * age + noise, [0.1, 0.9]),
        "poisson": np.floor(np.exp(0.01 * age + 0.5 * is_man + noise / 2)),
    }


X, OUTCOMES = draw(7)


def fit(kind, X=X, y=None):
    y = OUTCOMES[kind] if y is None else y
    if kind in ("logistic", "multinomial"):
        return fit_multinomial(X, y, int(y.max()) + 1)
    return (fit_linear if kind == "linear" else fit_poisson)(X, y)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", OUTCOMES)
def test_coefficients_and_errors_are_those_of_statsmodels(kind, seed):
    import statsmodels.api as models

    X, outcomes = draw(seed, 60 + 100 * seed)
    name = {"linear": "OLS", "logistic": "Logit", "multinomial": "MNLogit", "poisson": "Poisson"}
    exactly = {} if kind == "linear" else {"method": "newton", "tol": 1e-13, "disp": False}
    theirs = getattr(models, name[kind])(outcomes[kind], X).fit(**exactly)
    coefficients, errors, *_ = fit(kind, X, outcomes[kind])
    assert coefficients.ravel() == pytest.approx(np.ravel(theirs.params, order="F"), rel=1e-9)
    assert errors.ravel() == pytest.approx(np.ravel(theirs.bse, order="F"), rel=1e-9)


def test_they_are_those_of_the_definitions():
    rows = X[:, :3].tolist()
    b, errors = replication.linear(rows, OUTCOMES["linear"].tolist())
    found = fit("linear", X[:, :3])
    assert (found.coefficients[0].tolist(), found.errors[0].tolist()) == (
        pytest.approx(b, rel=1e-9),
        pytest.approx(errors, rel=1e-9),
    )
    narrow = np.column_stack([X[:, 0], X[:, 1] / 100, X[:, 2]])
    b, errors = replication.multinomial(narrow.tolist(), OUTCOMES["multinomial"].tolist(), 3)
    found = fit("multinomial", narrow)
    assert found.coefficients.ravel() == pytest.approx(b, rel=1e-6)
    assert found.errors.ravel() == pytest.approx(errors, rel=1e-6)


def test_a_mean_by_hand():
    """Of an intercept alone: the mean, the log-odds, the logarithm of the mean."""
    one, y = np.ones((4, 1)), np.array([0, 1, 1, 1])
    assert fit("linear", one, y * 1.0)[:2] == (pytest.approx(0.75), pytest.approx(0.25))
    assert fit("logistic", one, y)[:2] == (pytest.approx(np.log(3)), pytest.approx((4 / 3) ** 0.5))
    assert fit("poisson", one, y * 1.0)[:2] == (pytest.approx(np.log(0.75)), pytest.approx(3**-0.5))


def test_without_a_maximum_it_is_told():
    """Whoever is above 50 has the outcome, or nobody with a level has a count."""
    separated = fit("logistic", X[:, :2], (X[:, 1] > 50).astype(int))
    assert not separated.has_maximum
    assert separated.fitted[:, 1] == pytest.approx((X[:, 1] > 50) * 1.0, abs=1e-9)
    empty = np.where(X[:, 2] == 1, 0, OUTCOMES["poisson"])
    assert not fit("poisson", X[:, :3], empty).has_maximum


def test_columns_that_others_determine_are_left_out():
    wide = np.column_stack([X, X[:, 2], 1 - X[:, 2], np.zeros(60), OUTCOMES["linear"]])
    assert independent(wide).tolist() == [True] * 4 + [False] * 3 + [True]
    indicators = np.column_stack([np.ones(3), np.ones(3), [0, 1, 0], [0, 0, 1]])
    assert independent(indicators).tolist() == [True, False, True, True]
