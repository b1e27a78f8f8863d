"""ECAP: against its definition drawn by chance, against slow sums, and at its edges."""

from math import inf, lgamma, log, sqrt

import numpy as np
import polars as pl
import pytest

import unveil.view.ecap  # noqa: F401  (teaches the record to show itself)
from oracles.ecap import (
    NOISE_CDF,
    draw,
    drawn_ecap,
    normal_density,
    others_chance,
    own_chance,
    printed_form,
)
from unveil.errors import SettingsError
from unveil.measure.ecap.ecap import ecap

HEIGHTS = {"population": "normal(170, 12)", "N": 1500, "n": 25}


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "laplace", "uniform"])
@pytest.mark.parametrize(("x", "sigma"), [(171, 1.0), (195, 3.0)])
def test_it_is_how_often_a_claim_is_right(noise, x, sigma):
    result = ecap([x], population="normal(170, 12)", N=60, n=20, sigma=sigma, noise=noise)
    near = (result.below[0], result.above[0])
    right, claimed = drawn_ecap(
        x,
        near,
        someone=lambda rng: rng.gauss(170, 12),
        noise=lambda rng: draw(noise, sigma, rng),
        sizes=(60, 20),
        rounds=4000,
        seed=11,
    )
    expected = result.ecap[0]
    error = sqrt(expected * (1 - expected) / claimed)
    assert claimed > 500
    assert abs(right / claimed - expected) / error < 3.5


def t_density(y):
    z, df = (y - 5) / 2, 3
    log_density = lgamma(2) - lgamma(1.5) - log(df * np.pi) / 2 - 2 * log(1 + z * z / df)
    return np.exp(log_density) / 2


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "laplace", "uniform"])
@pytest.mark.parametrize(
    ("population", "x", "density", "ends"),
    [
        ("normal(170, 12)", 178, normal_density(170, 12), (50, 290)),
        ("t(3, 5, 2)", 9, t_density, (-3000, 3000)),
        ("gamma(2, 3)", 1, lambda y: y / 9 * np.exp(-y / 3), (0, 150)),
    ],
)
def test_it_is_what_thin_slices_of_the_population_add_up_to(noise, population, x, density, ends):
    N, n, sigma = 300, 20, 0.8
    result = ecap([x], population=population, N=N, n=n, sigma=sigma, noise=noise)
    near, cdf = (result.below[0], result.above[0]), NOISE_CDF[noise](sigma)
    p = own_chance(x, *near, cdf)
    b = others_chance(x, *near, density=density, ends=ends, cdf=cdf)
    slices_are_coarse = 1e-2 if ends[1] == 3000 else 1e-4
    assert result.ecap[0] == pytest.approx(printed_form(p, b, N, n), rel=slices_are_coarse)


@pytest.mark.parametrize(
    ("sigma", "expected"),
    [
        (0.05, 0.252527),
        (0.075, 0.164522),
        (0.1, 0.123794),
        (0.2, 0.067178),
        (0.3, 0.049504),
        (1, 0.025749),
        (50, 0.016561),
    ],
)
def test_figure_5_is_read_in_standard_deviations(sigma, expected):
    result = ecap([178], **HEIGHTS, sigma=sigma)
    assert result.ecap[0] == pytest.approx(expected, abs=5e-7)
    assert result.limit == pytest.approx(0.016534, abs=5e-7)


@pytest.mark.parametrize(
    ("population", "sigma", "expected"),
    [
        ("normal(34, 8)", 0.1, {57: 0.099, 59: 0.216, 60: 0.338, 64: 0.992}),
        ("normal(2, 2.5)", 0.1, {10: 0.083, 11: 0.351, 12: 0.960}),
        ("normal(4, 2.5)", 0.2, {12: 0.044, 13: 0.158, 14: 0.704}),
    ],
)
def test_the_prison_example(population, sigma, expected):
    result = ecap(list(expected), population=population, N=60_000, n=600, sigma=sigma)
    assert result.ecap == pytest.approx(list(expected.values()), abs=6e-4)
    assert result.limit == pytest.approx(0.00995, abs=5e-6)


def test_prison_ages_as_whole_numbers():
    result = ecap(
        [34, 50, 60, 65, 70], population="normal(34, 8)", N=60_000, n=600, sigma=0, discrete=True
    )
    assert result.ecap == pytest.approx([0.00995, 0.01012, 0.0661, 0.379, 0.892], abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "laplace", "uniform"])
def test_more_noise_never_makes_a_claim_surer(noise):
    values = [150, 178, 200, 215]
    sigmas = np.geomspace(1e-3, 300, 40)
    found = np.array([ecap(values, **HEIGHTS, sigma=s, noise=noise).ecap for s in sigmas])
    assert (np.diff(found, axis=0) <= 1e-9).all()
    assert found[-1] == pytest.approx(0.016534, abs=2e-3)


def test_a_population_smoothed_from_many_values_is_nearly_the_one_they_come_from():
    q = (np.arange(20_000) + 0.5) / 20_000
    from unveil.measure.ecap.populations import parse_population

    people = parse_population("normal(170, 12)")
    values = 170 + 12 * people.shape.ppf(q)
    given = {"name": "empirical", "values": values}
    found = ecap([160, 178], population=given, N=1500, n=25, sigma=0.2).ecap
    assert found == pytest.approx(ecap([160, 178], **HEIGHTS, sigma=0.2).ecap, rel=0.05)


def test_without_noise_every_claim_is_right():
    assert ecap([178, 200], **HEIGHTS, sigma=0).ecap == [1.0, 1.0]


def test_the_only_person_of_a_population_is_in_the_data():
    result = ecap([178], population="normal(170, 12)", N=1, n=1, sigma=5)
    assert (result.ecap, result.below, result.above, result.limit) == ([1.0], [None], [None], 1.0)


def test_what_is_missing_stays_missing_and_equal_values_have_equal_figures():
    result = ecap([178, None, 200, float("nan"), 178], **HEIGHTS, sigma=0.2)
    assert [value is None for value in result.ecap] == [False, True, False, True, False]
    assert result.ecap[0] == result.ecap[4]
    assert (result.record.n_missing, result.record.n_distinct) == (2, 2)
    assert (result.worst, result.record.worst_place) == (result.ecap[2], 2)
    assert result.frame()["ecap"].null_count() == 2


@pytest.mark.parametrize("made", [list, np.array, pl.Series])
def test_values_may_come_in_any_form_and_order(made):
    values = [150.0, 200.0, 178.0]
    found = ecap(made(values), **HEIGHTS, sigma=0.2).ecap
    turned = ecap(made(values[::-1]), **HEIGHTS, sigma=0.2).ecap
    assert found == turned[::-1]


def test_no_view_and_no_document_holds_the_figure_of_one_value():
    result = ecap([178, 200], **HEIGHTS, sigma=0.2)
    assert '"ecap"' not in result.to_json()
    assert str(result.below[0]) not in result.to_json() + repr(result) + result._repr_html_()
    assert result.to_dict()["ecap"] == result.ecap


def test_top_coding_that_would_be_enough_is_told():
    ages = {"population": "normal(34, 8)", "N": 60_000, "n": 600, "sigma": 0.1}
    result = ecap([30.5, 57, 60, 64, 4], **ages, threshold=0.1)
    assert result.record.n_above == 3
    assert result.warnings == (
        "3 values stay above the threshold of 0.1 with this noise. Top-code at 57.028 and"
        " bottom-code at 10.972, and it is enough for all; or give a population with heavier"
        " tails.",
    )
    assert max(ecap([57.028, 10.972], **ages).ecap) <= 0.1
    assert min(ecap([57.03, 10.97], **ages).ecap) > 0.1


def test_where_the_middle_itself_is_above_no_coding_is_advised():
    result = ecap([178.5], **HEIGHTS, sigma=0.001, threshold=0.1)
    assert result.warnings == ("1 value stays above the threshold of 0.1 with this noise.",)


def test_whole_numbers_taken_as_continuous_are_warned_of():
    said = "All values are whole numbers: rounding undoes this noise for {} of them"
    for sigma, share in ((0.1, "nearly all"), (0.5, "68 %")):
        (warning,) = ecap([170, 178], **HEIGHTS, sigma=sigma).warnings
        assert warning.startswith(said.format(share))
    assert ecap([170, 178], **HEIGHTS, sigma=2).warnings == ()
    assert ecap([170, 178], **HEIGHTS, sigma=0.1, discrete=True).warnings == ()


@pytest.mark.parametrize("N", [2, 10**9, 10**12])
@pytest.mark.parametrize("population", ["normal(0, 1)", "lognormal(0, 1)", "gamma(0.5, 1)"])
def test_every_size_and_shape_gives_a_probability(N, population):
    values = [1e-3, 0.5, 1, 4, 9]
    for sigma in (1e-9, 1e-3, 1, 1e6):
        found = ecap(values, population=population, N=N, n=1, sigma=sigma)
        assert all(found.limit - 1e-9 <= one <= 1 for one in found.ecap)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"population": "lognormal(0, 1)", "values": [-3, 2, None]},
            "The population lognormal(0, 1) gives 1 of 2 values probability zero, the first at"
            " place 0 (from 0). Give a population in which they occur, one with heavier tails, or"
            " top-code them first.",
        ),
        (
            {"sigma": -1},
            "sigma is -1. It must be a number from 0 to 1e+100, the"
            " standard deviation of the noise.",
        ),
        (
            {"noise": "gaussian"},
            "noise is 'gaussian'. It must be one of: normal, laplace, uniform.",
        ),
        (
            {"noise": "laplac"},
            "noise is 'laplac'. Did you mean 'laplace'? It must be one of: normal, laplace,"
            " uniform.",
        ),
        (
            {"N": 10},
            "N is 10 and n is 25. The population (N) cannot be smaller than the sample drawn from"
            " it (n).",
        ),
        (
            {"values": ["a"]},
            "The values are not a list of numbers. Give numbers, with None where one is missing.",
        ),
        ({"values": []}, "There are no values. Give at least one number."),
        ({"values": [None]}, "All values are missing. Give at least one number."),
        (
            {"values": [1, inf]},
            "The values hold an infinite number, the first at place 1 (from 0). Remove it, or make"
            " it missing.",
        ),
        (
            {"threshold": 1},
            "The threshold is 1. It must be a number between 0 and 1, the highest ECAP to be"
            " tolerated, such as 0.1.",
        ),
        (
            {"values": [1.5], "discrete": True},
            "The values are not all whole numbers, so integer noise does not fit them. Omit"
            " discrete, or round them first.",
        ),
    ],
)
def test_what_means_nothing_is_refused(change, said):
    asked = {"values": [178], **HEIGHTS, "sigma": 0.1} | change
    with pytest.raises(SettingsError) as fault:
        ecap(asked.pop("values"), **asked)
    assert str(fault.value) == said
