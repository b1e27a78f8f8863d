"""The expected neighbours: the closed integral against drawn populations."""

from math import exp

import numpy as np
import pytest

from oracles.ecap import drawn_neighbours
from unveil.measure.ecap.gaps import gaps
from unveil.measure.ecap.populations import parse_population

DRAWN = {
    "normal(170, 12)": lambda rng: rng.gauss(170, 12),
    "lognormal(1, 0.5)": lambda rng: exp(rng.gauss(1, 0.5)),
    "gamma(2, 3)": lambda rng: rng.gammavariate(2, 3),
    "t(3, 5, 2)": lambda rng: 5 + 2 * rng.gauss(0, 1) / (rng.gammavariate(1.5, 2) / 3) ** 0.5,
}


def neighbours(population, x, N):
    given = parse_population(population)
    found = gaps(given.shape, given.standard(np.array([float(x)])), N)
    return x - found.below[0] * given.scale, x + found.above[0] * given.scale


@pytest.mark.slow
@pytest.mark.parametrize(
    ("population", "x", "N"),
    [
        ("normal(170, 12)", 171, 40),
        ("normal(170, 12)", 200, 40),
        ("normal(170, 12)", 135, 20),
        ("lognormal(1, 0.5)", 7, 30),
        ("gamma(2, 3)", 1, 30),
        ("t(3, 5, 2)", 8, 30),
        ("normal(170, 12)", 180, 2),
    ],
)
def test_they_are_those_of_drawn_populations(population, x, N):
    drawn = drawn_neighbours(x, DRAWN[population], N, 4000, seed=5)
    for found, (mean, error) in zip(neighbours(population, x, N), drawn, strict=True):
        assert abs(found - mean) / error < 3.5


@pytest.mark.parametrize(
    ("x", "below", "above"),
    [
        (178, 177.974991, 178.025078),
        (200, 199.580068, 200.513221),
        (215, 209.182419, 217.762831),
    ],
)
def test_they_are_those_that_were_checked_with_20000_populations(x, below, above):
    assert neighbours("normal(170, 12)", x, 1500) == pytest.approx((below, above), abs=1e-6)


def test_far_out_nobody_but_the_tail_itself_is_beyond():
    # One of N - 1 others is above with next to no chance; given that, it is the mean excess.
    _, above = neighbours("normal(0, 1)", 8, 100)
    density, tail = np.exp(-32) / np.sqrt(2 * np.pi), 6.22096057427178e-16
    assert above == pytest.approx(density / tail, rel=1e-9)


def test_in_a_huge_population_the_gap_is_one_person_wide():
    below, above = neighbours("normal(0, 1)", 0.0, 10**12)
    width = np.sqrt(2 * np.pi) / 10**12
    assert (-below, above) == pytest.approx((width, width), rel=1e-6)


def test_both_sides_are_mirror_images():
    below, above = neighbours("normal(0, 1)", 1.7, 500)
    other_below, other_above = neighbours("normal(0, 1)", -1.7, 500)
    assert (below, above) == pytest.approx((-other_above, -other_below), rel=1e-12)


def test_the_methods_for_many_and_for_few_people_meet():
    # (N - 1) S is just below and just above the number at which the rule changes.
    z, tail = 2.0, 0.022750131948179195
    at = [neighbours("normal(0, 1)", z, round(share / tail) + 1)[1] - z for share in (199, 201)]
    assert at[0] / at[1] == pytest.approx(201 / 199, rel=1e-3)
    assert at[0] > at[1]
