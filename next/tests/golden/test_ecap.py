"""ECAP beside figures that were computed apart (cases.json, SPEC.md D)."""

import json

import numpy as np
import pytest

import unveil
from reference import reference
from unveil.making.claims import Claims, ecap_of, open_population

CASES = json.loads(reference("measures/cases.json").read_text())["cases"]


def cases(measure):
    return [
        pytest.param(c["input"], c["expected"], id=c["id"])
        for c in CASES
        if c["measure"] == measure
    ]


def normal(asked):
    return f"normal({asked['mean']!r}, {asked['sd']!r})"


@pytest.mark.parametrize(("asked", "expected"), cases("ecap"))
def test_ecap_of_normal_populations(asked, expected):
    x = np.array([float(asked["x"])])
    claims = Claims(x, open_population(normal(asked)), asked["N"], asked["n"])
    below, above = claims.neighbours
    assert (below[0], above[0]) == pytest.approx(
        (expected["x_below"], expected["x_above"]), abs=1e-6
    )
    for sigma, figure, chances in zip(
        asked["sigmas"], expected["ecap"], expected["p_b"], strict=True
    ):
        (row,) = unveil.ecap(
            [asked["x"]],
            population=normal(asked),
            N=asked["N"],
            n=asked["n"],
            sigma=sigma,
            noise=asked["noise"],
        ).values
        assert pytest.approx(figure, abs=1e-8) == row.ECAP
        assert (row.p, row.b) == pytest.approx(chances, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("asked", "expected"), cases("ecap_sigma"))
def test_the_least_noise(asked, expected):
    result = unveil.choose_noise(
        asked["values"],
        population=normal(asked),
        N=asked["N"],
        n=asked["n"],
        threshold=asked["threshold"],
        noise=asked["noise"],
    )
    assert result.choice[0].sigma == pytest.approx(expected["sigma"], rel=1e-8)


@pytest.mark.parametrize(("asked", "expected"), cases("ecap_from_p_b"))
def test_equation_1_loses_no_digits(asked, expected):
    p, b = np.array(asked["p"]), np.array(asked["b"])
    assert ecap_of(p, b, asked["N"], asked["n"]) == pytest.approx(expected["ecap"], rel=1e-9)


@pytest.mark.parametrize(("asked", "expected"), cases("ecap_discrete"))
def test_ecap_of_whole_numbers(asked, expected):
    noise = {"noise": asked["noise_pmf"]} if asked["noise_pmf"] else {}
    result = unveil.ecap(
        [int(value) for value in asked["pmf"]],
        population=asked["pmf"],
        N=asked["N"],
        n=asked["n"],
        discrete=True,
        **noise,
    )
    figures = {str(int(row.value)): row.ECAP for row in result.values}
    assert figures == pytest.approx(expected["ecap"], rel=1e-9)
