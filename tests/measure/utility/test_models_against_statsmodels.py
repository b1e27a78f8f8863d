"""Our four models beside those of statsmodels; needs the extra `models` (marker `models`)."""

import numpy as np
import pytest

from unveil.models.axes import Design, DesignColumn, LevelTerm, NumberTerm, axes_of
from unveil.models.regression import fit_classes, fit_linear, fit_ordered

pytestmark = pytest.mark.models


def data(seed, n=2_000):
    """Age and its square, three levels, and the product of age and a level."""
    rng = np.random.default_rng(seed)
    age, level = rng.uniform(18, 90, n).round(), rng.integers(3, size=n)
    columns = [
        DesignColumn("age", (NumberTerm(age),)),
        DesignColumn("age^2", (NumberTerm(age, 2),)),
        DesignColumn("b", (LevelTerm(level, 1),)),
        DesignColumn("c", (LevelTerm(level, 2),)),
        DesignColumn("age : b", (NumberTerm(age), LevelTerm(level, 1))),
    ]
    design = Design(tuple(columns), n)
    x = np.vstack([block for _, block in design.blocks()])
    line = 0.04 * (age - 50) - 0.5 * (level == 1) + 0.3 * (level == 2)
    return axes_of(design), x, line, rng


def ours(fitted):
    found = fitted.coefficients.values()
    return np.array([one.estimate for one in found]), np.array([one.se for one in found])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_least_squares_is_theirs(seed):
    models = pytest.importorskip("statsmodels.api")
    axes, x, line, rng = data(seed)
    y = line + rng.normal(size=len(line))
    theirs = models.OLS(y, models.add_constant(x)).fit()
    estimates, errors = ours(fitted := fit_linear(axes, y))
    assert fitted.df == theirs.df_resid
    assert estimates == pytest.approx(theirs.params, abs=1e-6)
    assert errors == pytest.approx(theirs.bse, abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_logistic_model_is_theirs(seed):
    models = pytest.importorskip("statsmodels.api")
    axes, x, line, rng = data(seed)
    y = (rng.logistic(size=len(line)) < line).astype(int)
    theirs = models.Logit(y, models.add_constant(x)).fit(disp=0, tol=1e-12)
    estimates, errors = ours(fit_classes(axes, y, [""]))
    assert estimates == pytest.approx(theirs.params, abs=1e-6)
    assert errors == pytest.approx(theirs.bse, abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_multinomial_model_is_theirs(seed):
    models = pytest.importorskip("statsmodels.api")
    axes, x, line, rng = data(seed)
    y = np.digitize(line + rng.logistic(size=len(line)), [-2, 0, 1])
    theirs = models.MNLogit(y, models.add_constant(x)).fit(disp=0, method="newton", maxiter=100)
    estimates, errors = ours(fit_classes(axes, y, ["1 | ", "2 | ", "3 | "]))
    assert estimates == pytest.approx(theirs.params.T.ravel(), abs=1e-6)
    assert errors == pytest.approx(theirs.bse.T.ravel(), abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_ordered_model_is_theirs(seed):
    """Their cuts are a first one and logarithms of gaps; ours are turned into theirs."""
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    _, x, line, rng = data(seed)
    x = (x[:, [0, 2, 3]] - [50, 0, 0]) / [10, 1, 1]
    columns = tuple(DesignColumn(str(j), (NumberTerm(x[:, j].copy()),)) for j in range(3))
    y = np.digitize(line + rng.logistic(size=len(line)), [-2, 0, 1])
    model = ordinal.OrderedModel(y, x, distr="logit")
    theirs = model.fit(disp=0, method="newton", maxiter=100)
    estimates, errors = ours(fit_ordered(axes_of(Design(columns, len(y))), y, ["a", "b", "c"]))
    cuts = model.transform_threshold_params(theirs.params)[1:-1]
    assert estimates[3:] == pytest.approx(theirs.params[:3], abs=1e-6)
    assert estimates[:3] == pytest.approx(cuts, abs=1e-6)
    # The delta method: cut_k = first + sum of exp(log gaps).
    turn = np.zeros((3, 6))
    turn[:, 3] = 1
    gaps = np.exp(theirs.params[4:])
    turn[1:, 4] = gaps[0]
    turn[2, 5] = gaps[1]
    covariance = turn @ np.asarray(theirs.cov_params()) @ turn.T
    assert errors[3:] == pytest.approx(theirs.bse[:3], abs=1e-5)
    assert errors[:3] == pytest.approx(np.sqrt(np.diag(covariance)), abs=1e-5)


@pytest.mark.parametrize(("low", "high"), [(1940, 2005), (1990, 2021)])
def test_years_their_squares_and_slopes_by_level_are_theirs(low, high):
    """They are given years from the middle, where their search ends; ours are given the years."""
    models = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(low)
    n, middle = 2_000, (low + high) / 2
    year, level = rng.integers(low, high, n).astype(float), rng.integers(2, size=n)
    d = year - middle
    y = (rng.logistic(size=n) < d * np.where(level, 0.05, 0.02)).astype(int)
    for ours_too, theirs_too in (
        (DesignColumn("year^2", (NumberTerm(year, 2),)), d**2),
        (DesignColumn("year : b", (NumberTerm(year), LevelTerm(level, 1))), d * level),
    ):
        columns = (
            DesignColumn("year", (NumberTerm(year),)),
            DesignColumn("b", (LevelTerm(level, 1),)),
            ours_too,
        )
        estimates, errors = ours(fit_classes(axes_of(Design(columns, n)), y, [""]))
        x = models.add_constant(np.column_stack([d, level, theirs_too]))
        theirs = models.Logit(y, x).fit(disp=0, tol=1e-12)
        assert theirs.mle_retvals["converged"]
        assert estimates[3] == pytest.approx(theirs.params[3], abs=1e-7)
        assert errors[3] == pytest.approx(theirs.bse[3], abs=1e-6)
