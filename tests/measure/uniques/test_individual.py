"""The formulas of individual risk, where they meet and where they lose digits."""

import numpy as np
import pytest

from oracles import risk as oracle
from unveil.measure.uniques.frequencies import individual_risk


def risk(fk: float, Fk: float) -> float:
    return float(individual_risk(np.array([fk]), np.array([Fk]))[0])


@pytest.mark.parametrize("Fk", [3.0, 5.5, 40.0, 1e4, 1e7])
@pytest.mark.parametrize("fk", [1.0, 2.0, 2.5, 3.0])
def test_as_sdcmicro_prints_it(fk, Fk):
    assert risk(fk, Fk) == pytest.approx(oracle.individual_risk(fk, Fk), rel=1e-7)


@pytest.mark.parametrize("fk", [1.1, 1.5, 1.9])
@pytest.mark.parametrize("Fk", [2.0, 5.5, 40.0, 1e3])
def test_between_one_and_two_it_is_the_expectation(fk, Fk):
    assert risk(fk, Fk) == pytest.approx(oracle.expected_inverse(fk, fk / Fk), rel=1e-8)


@pytest.mark.parametrize("Fk", [2.5, 10.0, 1e3, 1e6])
def test_the_expectation_meets_the_closed_formulas_at_one_and_two(Fk):
    assert risk(1 + 1e-9, Fk * (1 + 1e-9)) == pytest.approx(risk(1.0, Fk), rel=1e-7)
    assert risk(2 - 1e-9, Fk * (1 - 5e-10)) == pytest.approx(risk(2.0, Fk), rel=1e-7)


@pytest.mark.parametrize("fk", [1.0, 1.5, 2.0, 3.0])
def test_near_a_census_no_digit_is_lost(fk):
    for beyond in (1e-3, 1e-6, 1e-9, 1e-12):
        near = risk(fk, fk * (1 + beyond))
        assert near == pytest.approx(1 / fk, rel=2 * beyond + 1e-12)
    assert risk(fk, fk) == 1 / fk


def test_a_larger_population_means_less_risk():
    risks = individual_risk(np.full(50, 2.0), np.geomspace(2, 1e6, 50))
    assert (np.diff(risks) < 0).all()
