"""ECAP of whole numbers, with noise of whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.ecap  # noqa: F401  (teaches the record to show itself)
from oracles.ecap import discrete
from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.ecap.discrete import ecap_discrete
from unveil.measure.ecap.ecap import ecap

weights = st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any)


def shares(weights, first=0):
    return {first + i: weight / sum(weights) for i, weight in enumerate(weights)}


@examples(60)
@given(weights, weights, st.integers(2, 5000), st.integers(1, 50))
def test_it_is_the_sum_over_all_pairs(of_levels, of_noise, N, n):
    pmf, noise = shares(of_levels), shares(of_noise, first=-(len(of_noise) // 2))
    found = ecap_discrete(pmf, N, min(n, N), noise).ecap
    expected = discrete(pmf, N, min(n, N), noise)
    for level, value in expected.items():
        assert found[level] == (None if value is None else pytest.approx(value, abs=1e-9))


def test_by_hand_without_noise():
    # Half the people have 0. Somebody with 0 was released: was it one certain person of 4?
    found = ecap_discrete({0: 0.5, 1: 0.5}, N=4, n=1).ecap
    assert found == {0: pytest.approx(0.25 / (0.25 + 0.75 * 0.5)), 1: pytest.approx(0.4)}


def test_levels_are_named_as_they_were_given():
    result = ecap_discrete({"0": 0.5, "1": 0.5}, 100, 10, {"-1": 0.5, "1": 0.5})
    assert list(result.ecap) == ["0", "1"]
    assert result.to_dict()["ecap"] == result.ecap
    assert "confidential" in repr(result)


def test_where_nothing_can_come_to_lie_nothing_can_be_claimed():
    assert ecap_discrete({0: 1.0, 5: 0.0}, 100, 10, {1: 1.0}).ecap == {0: None, 5: None}


def test_rounded_populations_and_rounded_noise_are_the_same_by_levels():
    from math import erf, sqrt

    def mass(low, high, mean, sd):
        return (erf((high - mean) / sd / sqrt(2)) - erf((low - mean) / sd / sqrt(2))) / 2

    pmf = {v: mass(v - 0.5, v + 0.5, 34, 8) for v in range(-40, 110)}
    noise = {k: mass(k - 0.5, k + 0.5, 0, 1.5) for k in range(-14, 15)}
    levels = ecap_discrete(pmf, 60_000, 600, noise).ecap
    ages = [20, 34, 57, 64]
    found = ecap(ages, population="normal(34, 8)", N=60_000, n=600, sigma=1.5, discrete=True)
    assert found.ecap == pytest.approx([levels[age] for age in ages], abs=1e-9)


def test_many_values_and_much_noise_are_folded_to_the_same(monkeypatch):
    asked = {"population": "normal(34, 8)", "N": 60_000, "n": 600, "discrete": True}
    ages = list(range(5, 70))
    for noise in ("normal", "laplace", "uniform"):
        for sigma in (0.3, 4, 60):
            by_one = ecap(ages, **asked, sigma=sigma, noise=noise).ecap
            with monkeypatch.context() as patched:
                patched.setattr("unveil.measure.ecap.discrete._MOST_CELLS", 0)
                folded = ecap(ages, **asked, sigma=sigma, noise=noise).ecap
            assert folded == pytest.approx(by_one, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "laplace", "uniform"])
@pytest.mark.parametrize("population", ["normal(0, 3000)", "t(1.5, 0, 40)", "gamma(0.3, 500)"])
def test_much_noise_on_whole_numbers_is_integrated_to_the_same(monkeypatch, noise, population):
    asked = {"population": population, "N": 10**6, "n": 10, "discrete": True, "noise": noise}
    values = [0, 5, 900, 7000]
    added = ecap(values, **asked, sigma=300).ecap
    with monkeypatch.context() as patched:
        patched.setattr("unveil.measure.ecap.discrete._MOST_CELLS", 0)
        patched.setattr("unveil.measure.ecap.discrete._MOST_IN_ALL", 0)
        integrated = ecap(values, **asked, sigma=300).ecap
    assert integrated == pytest.approx(added, rel=1e-5)


def test_heavy_tails_and_millions_of_whole_numbers_are_not_refused():
    given = {"population": "t(1.5, 0, 1000)", "N": 10**8, "n": 10, "discrete": True}
    result = ecap([0, 5, 10**6, 10**9], **given, sigma=1e6)
    assert result.limit <= min(result.ecap)
    assert result.ecap[0] < result.ecap[3]


def test_values_far_apart_are_folded_in_parts(monkeypatch):
    given = {"population": "t(2, 0, 100)", "N": 10**5, "n": 10, "discrete": True, "sigma": 4}
    values = [0, 3, 50, 400_000, 400_001, 5_000_000]
    added = ecap(values, **given).ecap
    monkeypatch.setattr("unveil.measure.ecap.discrete._MOST_CELLS", 0)
    assert ecap(values, **given).ecap == pytest.approx(added, rel=1e-6)


def test_zero_is_a_whole_number_of_a_population_that_begins_there():
    # P(round(Y) = 0) = 1 - exp(-0.5/10) = 0.0488 of gamma(1, 10): without noise b is that.
    found = ecap([0], population="gamma(1, 10)", N=100, n=1, sigma=0, discrete=True).ecap
    assert found == [pytest.approx(0.01 / (0.01 + 0.99 * 0.048770575), abs=1e-7)]
    found = ecap([0], population="lognormal(0, 1)", N=100, n=1, sigma=1, discrete=True).ecap
    assert 0.01 < found[0] < 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([0.5],), "pmf must be a mapping of whole numbers to probabilities."),
        (({0: 0.5},), "The probabilities of pmf add up to 0.5, not to 1."),
        (({0: -1.0, 1: 2},), "pmf gives 0 the probability -1. It must be from 0 to 1."),
        (({0.5: 1},), "pmf has the level 0.5, which is not a whole number."),
        (({"1": 0.5, 1: 0.5},), "pmf has 1 twice. Give it once."),
        (({0: 1}, {0: 0.9}), "The probabilities of noise_pmf add up to 0.9, not to 1."),
    ],
)
def test_what_is_no_distribution_is_refused(given, said):
    with pytest.raises(SettingsError) as fault:
        ecap_discrete(given[0], 10, 1, *given[1:])
    assert str(fault.value) == said
