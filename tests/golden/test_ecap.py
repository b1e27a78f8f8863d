"""unveil against every ECAP case of the shared reference, at their tolerance."""

import json
from pathlib import Path

import numpy as np
import pytest

from unveil.measure.ecap.arguments import ecap_from_probabilities
from unveil.measure.ecap.choose_noise import choose_noise
from unveil.measure.ecap.discrete import ecap_discrete
from unveil.measure.ecap.ecap import ecap
from unveil.measure.ecap.gaps import AttackerKnowledge, Continuous
from unveil.measure.ecap.populations import parse_population

CASES = Path(__file__).parents[2] / "../shared/reference/measures/cases.json"
N_CASES = {"ecap": 15, "ecap_from_p_b": 7, "ecap_sigma": 4, "ecap_discrete": 10}
N_FIGURES = 433

if not CASES.exists():
    pytest.skip(
        f"{CASES} is not there: {N_FIGURES} figures of ECAP go unchecked",
        allow_module_level=True,
    )

ALL = json.loads(CASES.read_text())["cases"]


def of(measure):
    return [case for case in ALL if case["measure"] == measure]


def named(case):
    return case["id"]


def test_all_cases_are_there():
    assert {measure: len(of(measure)) for measure in N_CASES} == N_CASES
    n_levels = sum(len(case["expected"]["ecap"]) for case in of("ecap_discrete"))
    n_by_sigma = sum(3 * len(case["input"]["sigmas"]) + 3 for case in of("ecap"))
    assert n_by_sigma + 7 + 4 + n_levels == N_FIGURES


@pytest.mark.parametrize("case", of("ecap"), ids=named)
def test_neighbours_probabilities_and_ecap(case):
    given, expected, close = case["input"], case["expected"], {"abs": case["tol"], "rel": 0}
    population = {"name": "normal", "mean": given["mean"], "sd": given["sd"]}
    asked = {"population": population, "N": given["N"], "n": given["n"], "noise": given["noise"]}
    for sigma, value in zip(given["sigmas"], expected["ecap"], strict=True):
        result = ecap([given["x"]], **asked, sigma=sigma)
        assert result.ecap == pytest.approx([value], **close)
    assert result.below == pytest.approx([expected["x_below"]], **close)
    assert result.above == pytest.approx([expected["x_above"]], **close)
    assert result.limit == pytest.approx(expected["limit"], **close)


@pytest.mark.parametrize("case", of("ecap"), ids=named)
def test_both_probabilities_of_the_equation(case):
    given, close = case["input"], {"rel": 1e-6, "abs": 1e-12}
    population = parse_population({"name": "normal", "mean": given["mean"], "sd": given["sd"]})
    setting = AttackerKnowledge(population, given["N"], given["n"], given["noise"])
    values = Continuous.of(np.array([float(given["x"])]), setting)
    for sigma, (p, b) in zip(given["sigmas"], case["expected"]["p_b"], strict=True):
        found = values.chances(sigma)
        assert (found[0][0], found[1][0]) == pytest.approx((p, b), **close)


@pytest.mark.parametrize("case", of("ecap_from_p_b"), ids=named)
def test_ecap_from_its_probabilities(case):
    found = ecap_from_probabilities(**case["input"])
    assert found == pytest.approx(case["expected"]["ecap"], abs=case["tol"], rel=0)


@pytest.mark.parametrize("case", of("ecap_sigma"), ids=named)
def test_the_least_noise(case):
    given = dict(case["input"])
    values, mean, sd = given.pop("values"), given.pop("mean"), given.pop("sd")
    result = choose_noise(values, population=f"normal({mean}, {sd})", **given)
    assert result.sigma == pytest.approx(case["expected"]["sigma"], rel=case["tol"])


@pytest.mark.parametrize("case", of("ecap_discrete"), ids=named)
def test_whole_numbers(case):
    found = ecap_discrete(**case["input"]).ecap
    assert found == pytest.approx(case["expected"]["ecap"], abs=case["tol"], rel=0)
