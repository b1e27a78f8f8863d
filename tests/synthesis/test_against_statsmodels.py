"""Our likelihoods beside those of statsmodels; needs the extra `models` (marker `models`)."""

import numpy as np
import pytest

from synthesis.regressions import cumulative_probabilities, matrix
from unveil.models.regression import (
    fit_binary,
    fit_cumulative,
    fit_softmax,
    probability,
    softmax_probabilities,
)

pytestmark = pytest.mark.models


def data(seed, n=2_500):
    rng = np.random.default_rng(seed)
    level = rng.integers(5, size=n)
    x = np.column_stack((rng.normal(size=(n, 2)), np.eye(5)[level][:, 1:]))
    return x, x @ rng.normal(size=x.shape[1]), rng


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_logistic_model_is_theirs(seed):
    models = pytest.importorskip("statsmodels.api")
    x, line, rng = data(seed)
    y = (rng.logistic(size=len(line)) < line).astype(int)
    theirs = models.Logit(y, models.add_constant(x)).fit(disp=0)
    found = fit_binary(matrix(x), y, 2)
    ours = [found.intercept[0], *found.coefficients]
    assert ours == pytest.approx(theirs.params.tolist(), abs=2e-4)
    assert probability(found, matrix(x)) == pytest.approx(theirs.predict(), abs=2e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_multinomial_model_is_theirs(seed):
    models = pytest.importorskip("statsmodels.api")
    x, line, rng = data(seed)
    y = np.digitize(line + rng.logistic(size=len(line)), [-2, 0, 1])
    theirs = models.MNLogit(y, models.add_constant(x)).fit(disp=0, method="newton", maxiter=50)
    found = fit_softmax(matrix(x), y, 4)
    assert softmax_probabilities(found, matrix(x)) == pytest.approx(theirs.predict(), abs=1e-4)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_ordered_model_is_theirs(seed):
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    x, line, rng = data(seed)
    y = np.digitize(line + rng.logistic(size=len(line)), [-2, 0, 1])
    theirs = ordinal.OrderedModel(y, x, distr="logit").fit(disp=0, method="newton", maxiter=50)
    found = fit_cumulative(matrix(x), y, 4)
    assert found.coefficients == pytest.approx(theirs.params[:-3], abs=2e-4)
    assert cumulative_probabilities(found, matrix(x)) == pytest.approx(theirs.predict(), abs=2e-5)
