"""ECAP where it is easily wrong: poles, outliers that vouch for themselves, noise that rises."""

from math import exp, gamma, inf

import numpy as np
import polars as pl
import pytest

import unveil.view.ecap  # noqa: F401  (teaches the record to show itself)
from oracles.ecap import NOISE_CDF
from unveil.errors import SettingsError
from unveil.measure.ecap.caveats import commonest_step
from unveil.measure.ecap.choose_noise import choose_noise, round_up_enough
from unveil.measure.ecap.ecap import ecap, prepare_values

HEIGHTS = {"population": "normal(170, 12)", "N": 1500, "n": 25}
SPIKES = [0] * 22 + [1] * 4 + [500] * 2 + [14, 15, 16]
RISING = {
    "population": {"name": "empirical", "values": SPIKES},
    "N": 34,
    "n": 32,
    "noise": "uniform",
    "discrete": True,
}


def pole_chance(x, near, k, cdf, n=60_000):
    """b of gamma(k, 1) by thin slices of equal length in y^k, which has no pole."""
    low, high = (x + near[0]) / 2, (x + near[1]) / 2
    top = 60.0**k
    hit = mass = 0.0
    for i in range(n):
        y = ((i + 0.5) / n * top) ** (1 / k)
        if near[0] < y < near[1]:
            continue
        weight = exp(-y) * top / n / k / gamma(k)
        mass += weight
        hit += weight * (cdf(high - y) - cdf(low - y))
    return hit / mass


@pytest.mark.parametrize(("k", "x", "sigma"), [(0.05, 1e-8, 1e-4), (0.05, 0.1, 1), (0.3, 0.01, 1)])
def test_a_pole_at_zero_is_not_lost(k, x, sigma):
    asked = prepare_values([x], f"gamma({k}, 1)", 2, 1, "normal", discrete=False).values
    near = float(asked.below[0]), float(asked.above[0])
    expected = pole_chance(x, near, k, NOISE_CDF["normal"](sigma))
    assert asked.chances(sigma)[1][0] == pytest.approx(expected, rel=2e-3)


def test_b_at_the_pole_is_that_of_a_finer_reckoning():
    asked = prepare_values([1e-8], "gamma(0.05, 1)", 2, 1, "normal", discrete=False).values
    assert asked.chances(1e-4)[1][0] == pytest.approx(0.393, abs=5e-4)


@pytest.mark.parametrize("k", [0.01, 0.05, 0.125, 0.3, 0.5, 0.9, 1.5])
def test_with_much_noise_a_gamma_population_is_at_the_limit(k):
    result = ecap([1.0], population=f"gamma({k}, 1)", N=15, n=1, sigma=1e6)
    assert result.ecap[0] == pytest.approx(1 / 15, abs=1e-9)


@pytest.mark.slow
def test_a_threshold_above_the_limit_is_attained_in_a_population_with_a_pole():
    result = choose_noise([0.1, 1.0], population="gamma(0.05, 1)", N=15, n=1, threshold=0.08)
    assert 0 < result.sigma < 10
    assert result.record.worst <= 0.08


def test_where_ecap_rises_with_noise_what_is_chosen_is_enough_all_the_same():
    values = sorted(set(SPIKES))
    found = [ecap(values, **RISING, sigma=sigma).worst for sigma in (0.3, 0.6, 1.2, 5)]
    assert found != sorted(found, reverse=True)
    record = choose_noise(values, **RISING, threshold=0.6647).record
    assert record.worst <= 0.6647
    assert ecap(values, **RISING, sigma=record.sigma).worst == record.worst
    assert ecap(values, **RISING, sigma=record.sigma_to_use).worst <= 0.6647


def test_the_amount_to_use_is_tried_and_the_next_rung_taken_where_it_is_not_enough():
    class Rising:
        x = np.array([1.0])

        def ecap(self, sigma, places=None):
            return np.array([0.5 if 4 < sigma < 15 else 0.01])

    assert round_up_enough(Rising(), 3, 0.1) == 20
    assert round_up_enough(Rising(), 1.5, 0.1) == 2


@pytest.mark.slow
def test_what_is_published_is_the_same_for_most_extremes():
    used = {
        choose_noise([170, extreme], **HEIGHTS).sigma_to_use for extreme in np.linspace(194, 198, 5)
    }
    assert len(used) <= 2
    assert all(f"{sigma:e}"[0] in "125" for sigma in used)


@pytest.mark.parametrize("discrete", [False, True])
def test_an_outlier_does_not_vouch_for_itself(discrete):
    children = [0] * 200 + [1] * 250 + [2] * 300 + [3] * 150 + [4] * 40 + [15]
    asked = {"population": "empirical", "N": 60_000, "n": 941, "discrete": discrete}
    with pytest.raises(SettingsError) as fault:
        choose_noise(children, **asked)
    assert str(fault.value) == (
        "Smoothed from the values themselves, 1 of 941 values would vouch for themselves: hardly"
        " any other value is near, the first at place 940 (from 0). Name a distribution, give"
        ' values of the population ({"name": "empirical", "values": [...]}), or top-code'
        " them first."
    )
    with pytest.raises(SettingsError, match="3 of 943 values would vouch"):
        ecap([*children, 15, 15], **asked, sigma=1)
    coded = [min(one, 4) for one in children]
    assert choose_noise(coded, **asked, threshold=0.2).sigma is not None


def test_values_of_the_population_may_have_few_of_a_kind():
    result = ecap([14, 500], **RISING, sigma=1)
    assert all(0 < one <= 1 for one in result.ecap)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([10**400], "The values hold a whole number beyond 9,007,199,254,740,992, which"),
        ([None, 10**400], "The values hold a whole number beyond 9,007,199,254,740,992, which"),
        ([2**53 + 1], "The values hold a whole number beyond 9,007,199,254,740,992, which"),
        (pl.Series([2**60]), "The values hold a whole number beyond 9,007,199,254,740,992, which"),
        ([True, None], "The values are not a list of numbers."),
        (["34", None], "The values are not a list of numbers."),
    ],
)
def test_what_only_looks_like_numbers_is_refused(values, said):
    with pytest.raises(SettingsError) as fault:
        ecap(values, **HEIGHTS, sigma=1)
    assert str(fault.value).startswith(said)


def test_noise_beyond_all_measure_is_at_the_limit_or_refused():
    result = ecap([178], **HEIGHTS, sigma=1e99)
    assert result.ecap == [pytest.approx(result.limit, rel=1e-9)]
    whole = ecap([178], **HEIGHTS, sigma=1e99, discrete=True)
    assert whole.ecap == [pytest.approx(whole.limit, rel=1e-9)]
    with pytest.raises(SettingsError) as fault:
        ecap([178], **HEIGHTS, sigma=1e300)
    assert str(fault.value) == (
        "sigma is 1e+300. It must be a number from 0 to 1e+100, the"
        " standard deviation of the noise."
    )
    with pytest.raises(SettingsError, match="sigma is inf"):
        ecap([178], **HEIGHTS, sigma=inf)


def incomes(step, n=40):
    return [1000.0 + step * i for i in range(n)]


@pytest.mark.parametrize("step", [1, 5, 10, 50, 100, 0.1])
def test_the_step_of_heaped_numbers_is_found(step):
    values = [*incomes(step), 1003.37, 1011.11, 1017.23]
    distinct = prepare_values(
        values, "normal(1500, 900)", 10**6, 100, "normal", discrete=False
    ).distinct
    found, share = commonest_step(distinct)
    assert found == step
    assert share == pytest.approx(40 / 43)


def test_heaped_numbers_from_which_rounding_takes_the_noise_are_warned_of():
    asked = {"population": "normal(1500, 900)", "N": 10**6, "n": 100}
    for discrete in (False, True):
        (warning,) = ecap(incomes(50), **asked, sigma=10, discrete=discrete).warnings
        assert warning == (
            "All values are multiples of 50: rounding to these undoes this noise for 99 % of them."
            " Use more noise, at least about 37.5, or band the values."
        )
        assert ecap(incomes(50), **asked, sigma=100, discrete=discrete).warnings == ()
    assert ecap([1000.0, 1050.0], **asked, sigma=10, discrete=True).warnings == ()


def test_the_curve_has_forty_points_and_other_populations_have_curves_too():
    record = choose_noise([178, 190], **HEIGHTS, threshold=0.2).record
    assert len(record.curve) == 41
    assert record.curve[20].sigma == pytest.approx(record.sigma)
    for row in record.sensitivity:
        other = {"population": row.population, "N": row.N, "n": 25}
        assert [at.sigma for at in row.curve] == [at.sigma for at in record.curve[::2]]
        at = row.curve[7]
        assert ecap([178, 190], **other, sigma=at.sigma).worst == pytest.approx(at.ecap)
