from fractions import Fraction
from statistics import NormalDist, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import regressions as oracle
from profiles import examples
from synthesis.regressions import category, matrix, number, predictors, stream
from unveil.models.regression import fit_line
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.normrank import NormrankModel, fit_normrank, normal_scores

ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(-9, 9)), min_size=5, max_size=20
)


def values(numbers, name="income"):
    return Target(name, "number", np.asarray(numbers))


def fitted(target, *parts, **options):
    return fit_normrank(target, predictors(*parts), Options(**options), stream())


@examples(60)
@given(ROWS)
def test_the_line_is_that_of_the_normal_equations(data):
    rows, z = [row[:2] for row in data], [row[2] / 4 for row in data]
    exact = oracle.least_squares(rows, z)
    found, sigma = fit_line(matrix(rows), np.array(z))
    if exact is None:
        assert len(found.dropped) or not np.ptp(np.array(rows), axis=0).all()
        return
    line, squares = exact
    assert [found.intercept[0], *found.coefficients] == pytest.approx(
        [float(one) for one in line], abs=1e-8
    )
    assert sigma**2 == pytest.approx(float(squares / Fraction(len(z) - 3)), abs=1e-9)


def test_scores_are_the_normal_deviates_of_ranks():
    scores = normal_scores(np.array([30.0, 10.0, 20.0]), stream())
    deviate = NormalDist().inv_cdf
    assert scores == pytest.approx([deviate(0.75), deviate(0.25), deviate(0.5)])


def test_equal_values_are_ranked_at_random():
    ties = np.array([5, 5, 5, 5])
    firsts = {int(np.argmin(normal_scores(ties, stream(seed)))) for seed in range(40)}
    assert firsts == {0, 1, 2, 3}
    scores = normal_scores(np.array([2, 1, 2, 1]), stream())
    assert max(scores[[1, 3]]) < min(scores[[0, 2]])


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [[0.0], [1.28], [-0.5, 0.5, 1.5]])
@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_few_values_keep_their_shares_and_their_correlation(cuts, noise):
    rng = stream(11)
    x = rng.normal(size=20_000)
    latent = x + noise * rng.normal(size=20_000)
    y = np.digitize(latent / latent.std(), cuts)
    model = fitted(values(y), number("age", x))
    drawn = model.sample(predictors(number("age", x)), stream(12))
    assert np.bincount(drawn) / 20_000 == pytest.approx(np.bincount(y) / 20_000, abs=0.012)
    assert np.corrcoef(x, drawn)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.045)


def test_one_value_for_all_but_one_record_is_drawn_from_without_a_fault():
    y = np.array([0] * 49 + [1])
    model = fitted(values(y), number("age", np.arange(50.0)), category("old", y))
    drawn = model.sample(predictors(number("age", np.arange(50.0)), category("old", y)), stream())
    assert set(drawn.tolist()) <= {0, 1}
    assert np.isfinite(model.sigma)


def test_every_synthetic_value_is_an_observed_one():
    rng = stream(1)
    x, y = rng.normal(size=400), np.round(np.exp(rng.normal(size=400)), 2)
    model = fitted(values(y), number("age", x))
    drawn = model.sample(predictors(number("age", 3 * rng.normal(size=5_000))), stream(2))
    assert set(drawn.tolist()) <= set(y.tolist())


def test_margin_and_rank_correlation_come_back():
    from scipy.stats import ks_2samp, spearmanr

    rng = stream(3)
    x = rng.normal(size=20_000)
    y = np.exp(0.8 * x + 0.6 * rng.normal(size=20_000))
    model = fitted(values(y), number("age", x))
    drawn = model.sample(predictors(number("age", x)), stream(4))
    assert model.sigma == pytest.approx(0.6, abs=0.02)
    assert ks_2samp(drawn, y).statistic < 0.015
    assert spearmanr(x, drawn)[0] == pytest.approx(spearmanr(x, y)[0], abs=0.015)


def test_without_predictors_each_observed_value_is_as_likely():
    model = fit_normrank(values(np.arange(10)), predictors(n=10), Options(), stream())
    # The scores of ten ranks have a spread below 1, so the ends are drawn a little less.
    deviates = [NormalDist().inv_cdf(rank / 11) for rank in range(1, 11)]
    assert model.sigma == pytest.approx(stdev(deviates))
    counts = np.bincount(model.sample(predictors(n=100_000), stream(5)), minlength=10)
    assert counts[4] == pytest.approx(counts[5], rel=0.05)
    large = fit_normrank(values(np.arange(5_000)), predictors(n=5_000), Options(), stream())
    drawn = large.sample(predictors(n=100_000), stream(6))
    assert np.bincount(drawn // 500) == pytest.approx(np.full(10, 10_000), rel=0.05)


def test_categories_shift_the_values():
    rng = stream(7)
    sex = rng.integers(2, size=10_000)
    y = 100 * sex + rng.integers(100, size=10_000)
    model = fitted(values(y), category("sex", sex))
    drawn = model.sample(predictors(category("sex", sex)), stream(8))
    assert drawn.dtype == y.dtype
    assert np.median(drawn[sex == 1]) - np.median(drawn[sex == 0]) > 80


def test_one_record_is_given_back():
    model = fitted(values([7]), number("age", [3]))
    drawn = model.sample(predictors(number("age", [1.0, 900.0])), stream())
    assert drawn.tolist() == [7, 7]


def test_a_predictor_that_another_determines_is_left_out_and_told():
    x = np.arange(50.0)
    model = fitted(values(x * 7 % 11), number("age", x), number("months", 12 * x))
    assert model.notes == (
        "In the model of income these were excluded, wholly or in part, because the predictors"
        " before them determine them: months.",
    )


def test_smoothing_leaves_the_observed_values_but_not_their_range():
    rng = stream(9)
    x, y = rng.normal(size=500), rng.normal(size=500)
    model = fitted(values(y), number("age", x), smoothing="density")
    drawn = model.sample(predictors(number("age", x)), stream(1))
    assert len(set(drawn.tolist()) & set(y.tolist())) < 25
    assert y.min() <= drawn.min() <= drawn.max() <= y.max()


@pytest.mark.parametrize("smoothing", [None, "density"])
def test_a_model_file_gives_the_same_draws(smoothing):
    x = np.arange(60.0)
    asked = predictors(number("age", x), category("sex", np.arange(60) % 2))
    model = fit_normrank(values(x * 7 % 11), asked, Options(smoothing=smoothing), stream())
    again = NormrankModel.from_arrays(model.to_arrays())
    assert np.array_equal(model.sample(asked, stream(9)), again.sample(asked, stream(9)))
