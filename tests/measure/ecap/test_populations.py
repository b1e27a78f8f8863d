"""Populations: one parser, both tails, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.ecap.populations import parse_population

VALUES = np.array([1.0, 2, 2, 3, 5, 8, 13, 13, 14])
ALL = ["normal(34, 8)", "lognormal(1, 0.5, 2)", "t(4, 1, 2)", "gamma(2, 3)", "gamma(0.5, 1, -1)"]
WAYS = (
    "Write one of: normal(mean, sd), lognormal(mu, sigma), t(df, loc, scale), gamma(shape, scale),"
    " or empirical."
)


def shapes():
    return [*(parse_population(text) for text in ALL), parse_population("empirical", VALUES)]


@pytest.mark.parametrize("population", shapes(), ids=lambda one: one.text)
def test_tails_and_their_inverses_agree(population):
    shape, q = population.shape, np.array([1e-12, 1e-4, 0.1, 0.5, 0.9, 0.9999])
    assert shape.cdf(shape.ppf(q)) == pytest.approx(q, rel=1e-9)
    assert shape.sf(shape.isf(q)) == pytest.approx(q, rel=1e-9)
    assert shape.cdf(shape.isf(q)) == pytest.approx(1 - q, rel=1e-9)


@pytest.mark.parametrize("population", shapes(), ids=lambda one: one.text)
def test_the_density_is_the_slope_of_the_share_below(population):
    shape = population.shape
    z = shape.ppf(np.array([0.05, 0.3, 0.5, 0.8, 0.99]))
    step = 1e-5 * np.abs(z).clip(1e-3)
    slope = (shape.cdf(z + step) - shape.cdf(z - step)) / (2 * step)
    assert shape.pdf(z) == pytest.approx(slope, rel=2e-4)


def test_a_text_and_a_mapping_say_the_same():
    assert parse_population({"name": "normal", "mean": 34, "sd": 8}).text == "normal(34, 8)"
    assert parse_population(" Normal( 34 ,8.0 ) ").text == "normal(34, 8)"
    assert parse_population({"name": "gamma", "shape": 2, "scale": 3, "loc": 1}).loc == 1
    assert parse_population("log-normal(0, 1)").text == "lognormal(0, 1)"


def test_given_values_are_smoothed_about_their_mean():
    population = parse_population({"name": "empirical", "values": VALUES.tolist()})
    q = (np.arange(20_000) + 0.5) / 20_000
    drawn = population.loc + population.scale * population.shape.ppf(q)
    assert drawn.mean() == pytest.approx(VALUES.mean(), abs=1e-3)
    assert population.shape.pdf(population.standard(np.array([-100.0, 200.0]))).tolist() == [0, 0]


@examples(25)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.floats(0.25, 4))
def test_a_wider_population_is_wider_and_stays_where_it_is(values, factor):
    if len(set(values)) < 2:
        values = [*values, values[0] + 1]
    for population in (
        parse_population("empirical", np.array(values, dtype=float)),
        parse_population("normal(3, 2)"),
        parse_population("t(5, 1, 2)"),
    ):
        wide = population.stretch(factor)
        assert wide.spread == pytest.approx(factor * population.spread, rel=1e-9)


def test_a_stretched_gamma_keeps_its_mean():
    population = parse_population("gamma(4, 2)").stretch(2)
    assert population.text == "gamma(1, 8)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("normla(34, 8)", f"There is no population called 'normla'. Did you mean 'normal'? {WAYS}"),
        ("34, 8", f"The population is '34, 8'. {WAYS}"),
        (7, f"The population is 7. {WAYS}"),
        ("normal(34)", "The population normal is given 1 numbers. Write normal(mean, sd)."),
        ("normal", "The population normal is given 0 numbers. Write normal(mean, sd)."),
        ("normal(34, 0)", "The sd of the population normal is 0, not above 0."),
        (
            "normal(34, x)",
            "The sd of the population normal is 'x', which is not a finite number.",
        ),
        ("empirical(3)", "The population empirical takes no numbers. Write only empirical."),
        (
            "t(1, 0, 1)",
            "The population t has 1 degrees of freedom. With 1 or fewer it has no mean, and no one"
            " a nearest neighbour to expect; near 1 that cannot be reckoned. Give 1.2 or more.",
        ),
        (
            "lognormal(1000, 1)",
            "The numbers of the population lognormal are too large or too small to be reckoned"
            " with. Give values and population in other units.",
        ),
        (
            {"name": "empirical", "values": [-1e308, 1e308]},
            "The population cannot be smoothed: its values are too large, or lie too close"
            " together, for numbers of 64 bits. Give them in other units.",
        ),
        (
            {"name": "normal", "mean": 3, "std": 1},
            "The population normal has no 'std'. Did you mean 'sd'? It has: mean, sd.",
        ),
        ({"name": "normal", "mean": 3}, f"The population normal lacks sd. {WAYS}"),
        (
            "empirical",
            'The empirical population has no values. Give {"name": "empirical", "values": [...]}.',
        ),
        (
            {"name": "empirical", "values": [3, 3]},
            "The population cannot be smoothed from values that are all the same. Name a"
            " distribution, such as normal(34, 8), or give values of the population.",
        ),
    ],
)
def test_what_is_no_population_is_refused(given, said):
    with pytest.raises(SettingsError) as fault:
        parse_population(given)
    assert str(fault.value) == said
