"""Regressions beside statsmodels 0.15, whose figures are stored, and beside slow plain ones."""

import numpy as np
import pytest

from oracles import replication
from unveil.models.regressions import (
    fit_linear,
    fit_multinomial,
    fit_poisson,
    independent,
)


def uniform(n=60, columns=5, state=7):
    """The same numbers everywhere, by a linear congruence."""
    values = []
    for _ in range(n * columns):
        state = (1103515245 * state + 12345) % 2**31
        values.append(state / 2**31)
    return np.reshape(values, (n, columns))


U = uniform()
X = np.column_stack(
    [np.ones(60), np.round(100 * U[:, 0]), U[:, 1] > 0.5, np.round(U[:, 0] * 100) ** 2]
)
NOISE = U[:, 2] + U[:, 3] - 1
OUTCOMES = {
    "linear": np.round(20 + 0.3 * X[:, 1] - 5 * X[:, 2] + 10 * NOISE, 1),
    "logistic": (0.03 * X[:, 1] - 1.5 + 2 * NOISE + X[:, 2] * 0.5 > 0).astype(int),
    "multinomial": np.digitize(0.01 * X[:, 1] + 2 * NOISE + 0.3 * U[:, 4], [0.1, 0.9]),
    "poisson": np.floor(np.exp(0.01 * X[:, 1] + 0.5 * X[:, 2] + NOISE)),
}
STATSMODELS = {
    "linear": [
        [19.342491443392888, 0.37577196850937733, -5.363148772150213, -0.0009401132985520809],
        [1.4662057975374267, 0.06713737624237104, 0.959585650049673, 0.000701496979491113],
    ],
    "logistic": [
        [-9.525098350593897, 0.28881040339628655, 2.3410412327315586, -0.0017604578998268816],
        [3.8540653233639905, 0.13135975927203292, 1.2622618744952454, 0.0011217396667773099],
    ],
    "multinomial": [
        [
            [
                0.008046349268658156,
                -0.01138659370627051,
                0.3207429261485393,
                0.00020365301062359427,
            ],
            [-4.269560444187541, 0.19276635971288725, -0.4938261201473386, -0.0016663160936503287],
        ],
        [
            [0.84954917395079, 0.04343529753098353, 0.6406189343697211, 0.00046085622269644656],
            [1.8843879746115804, 0.0758728641175479, 0.729798186903179, 0.0007154328523902543],
        ],
    ],
    "poisson": [
        [-0.6972609459256978, 0.030736014141822112, 0.6181943664839125, -0.0001927427363189055],
        [0.39738303664708646, 0.015844002547469246, 0.2000051335349644, 0.0001534439703569332],
    ],
}


def fit(kind, X=X, y=None):
    y = OUTCOMES[kind] if y is None else y
    if kind in ("logistic", "multinomial"):
        return fit_multinomial(X, y, int(y.max()) + 1)
    return (fit_linear if kind == "linear" else fit_poisson)(X, y)


@pytest.mark.parametrize("kind", STATSMODELS)
def test_coefficients_and_errors_are_those_of_statsmodels(kind):
    found = fit(kind)
    for ours, theirs in zip(found[:2], STATSMODELS[kind], strict=True):
        assert ours.ravel() == pytest.approx(np.ravel(theirs), rel=1e-9)


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
    wide = np.column_stack([X, X[:, 2], 1 - X[:, 2], np.zeros(60), U[:, 4]])
    assert independent(wide).tolist() == [True] * 4 + [False] * 3 + [True]
    indicators = np.column_stack([np.ones(3), np.ones(3), [0, 1, 0], [0, 0, 1]])
    assert independent(indicators).tolist() == [True, False, True, True]
