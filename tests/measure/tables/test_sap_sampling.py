"""Draws of people against the exact probability, and the interval against its definition."""

from itertools import pairwise
from math import comb

import pytest

from measure.tables.systems import PAPER, paper_facts, system
from unveil.measure.tables.sap_boxes import split
from unveil.measure.tables.sap_sampling import estimate
from unveil.models.intervals import clopper_pearson

MADE = system(PAPER, paper_facts(), structural=(2, 5, 8))
OTHER = system([1, 1, 1, 2], [((0, 1), 2, 2), ((0, 2), 2, 2), ((1, 2, 3), 4, 4)])


@pytest.mark.parametrize("made", [MADE, OTHER], ids=["network", "programme"])
def test_draws_agree_with_the_exact_probability(made):
    exact = split(made, made.N).lower
    # 0.9999 of each interval: the seed is fixed, and no n may miss by chance.
    found = estimate(made, made.N, draws=400, seed=7, confidence=0.9999)
    assert [one.n for one in found] == list(range(made.N + 1))
    for one, true in zip(found, exact, strict=True):
        assert one.lower <= true <= one.upper
        assert one.n_draws == 400


def test_the_same_seed_draws_the_same_people_and_another_does_not():
    one, again, other = (estimate(MADE, 13, draws=50, seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_estimates_of_one_order_of_people_never_fall():
    found = estimate(MADE, 13, draws=60, seed=1)
    assert all(one.n_risky <= other.n_risky for one, other in pairwise(found))
    assert found[0].n_risky == 0
    assert found[-1].n_risky == 60


def test_only_those_who_may_be_drawn_are_drawn():
    # Only the people of cell 1 (three of them) can be met: it needs all three to be full.
    chance = [0, 3, 0, 0, 0, 0, 0, 0, 0]
    found = estimate(MADE, 9, draws=20, chance=chance, events=[(0,)])
    assert len(found) == 4
    assert all(one.n_risky == 0 for one in found)


def test_no_time_is_no_draw():
    assert estimate(MADE, 13, draws=50, seconds=1e-9) == ()


@pytest.mark.parametrize(("risky", "draws"), [(0, 20), (3, 20), (20, 20), (1, 1), (250, 400)])
def test_the_interval_leaves_half_of_the_rest_on_either_side(risky, draws):
    lower, upper = clopper_pearson(risky, draws, 0.025)

    def at_most(k, p):
        return sum(comb(draws, i) * p**i * (1 - p) ** (draws - i) for i in range(k + 1))

    assert lower == 0 if risky == 0 else at_most(risky - 1, lower) == pytest.approx(0.975)
    assert upper == 1 if risky == draws else at_most(risky, upper) == pytest.approx(0.025)
    assert lower <= risky / draws <= upper
