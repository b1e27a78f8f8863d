"""AUC, max-T, the bound on epsilon, hit rates and self-test: by hand, exactly, and as laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import recognition as oracle
from profiles import examples
from unveil.measure.attacks.recognition_figures import (
    assess_jointly,
    bound_epsilon,
    hit_rates,
    list_aucs,
    most_epsilon,
    person_epsilon,
    self_test,
    threshold_at,
)
from unveil.models.auc import auc, auc_error
from unveil.models.intervals import clopper_pearson

SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=7)


def numbers(*values):
    return np.array(values, float)


def test_the_worked_example_by_hand():
    members, others = numbers(3, 2, 1, 0), numbers(0, 0, 1, 0)
    assert auc(members, others) == 13 / 16
    assert (members > threshold_at(others, 0.25)).mean() == 0.75
    assert (members > threshold_at(others, 0.1)).mean() == 0.5
    full, none = np.array(100), np.array(0)
    for alpha, shown in ((0.05, 3.28), (0.05 / 100, 2.45)):
        least = (alpha / 2) ** (1 / 100)  # no miss of 100 worlds, and no false alarm of 100
        found = float(bound_epsilon(full, 100, none, 100, alpha))
        assert (found, round(found, 2)) == (pytest.approx(math.log(least / (1 - least))), shown)
    assert bound_epsilon(np.array(2), 4, none, 4, 0.05) == 0


@examples(100)
@given(SCORES, SCORES)
def test_auc_and_its_error_are_those_of_all_pairs(members, others):
    mine, its = numbers(*members), numbers(*others)
    assert auc(mine, its) == pytest.approx(float(oracle.auc(members, others)))
    variance = oracle.auc_variance(members, others)
    assert auc_error(mine, its) == pytest.approx(math.sqrt(variance))
    assert auc(-mine, -its) == pytest.approx(1 - auc(mine, its))
    assert auc(np.exp(mine), np.exp(its)) == auc(mine, its)


@examples(60)
@given(st.integers(1, 40), st.data())
def test_limits_are_those_of_exact_binomial_sums(n, data):
    k = data.draw(st.integers(0, n))
    for alpha in (0.025, 0.00025):
        low, high = clopper_pearson(np.array(k), n, alpha)
        assert (low, high) == pytest.approx(oracle.clopper_pearson(k, n, alpha), abs=1e-9)


@examples(60)
@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_the_bound_is_exact_grows_with_hits_and_never_exceeds_the_most(n1, n0, data):
    hits, alarms = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n0))
    coins = np.r_[np.ones(n1, bool), np.zeros(n0, bool)][:, None]

    def bound(k, wrong, alpha=0.05):
        return float(bound_epsilon(np.array(k), n1, np.array(wrong), n0, alpha))

    found = bound(hits, alarms)
    assert found == pytest.approx(oracle.epsilon_bound(hits, n1, alarms, n0, 0.05), abs=1e-7)
    assert bound(min(hits + 1, n1), alarms) >= found >= bound(hits, min(alarms + 1, n0))
    assert found >= bound(hits, alarms, alpha=0.005)
    assert found <= most_epsilon(coins, 0.05) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_p_of_all_people_together_is_that_of_every_permutation(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=(8, 2)), 1)
    coins = np.stack([rng.permutation([True] * 4 + [False] * 4) for _ in range(2)], axis=1)
    scores[:, 0] += 3 * coins[:, 0]
    exact = oracle.max_t(scores.T.tolist(), coins.T.tolist())
    found = assess_jointly(scores, coins, seed, draws=20_000).p
    assert found == pytest.approx(exact, abs=0.015)


def test_only_the_order_of_scores_counts_and_constant_ones_show_nothing():
    rng = np.random.default_rng(1)
    scores, coins = rng.normal(size=(60, 5)), rng.random((60, 5)) < 0.5
    one, other = (assess_jointly(made, coins, 1, draws=50).p for made in (scores, np.exp(scores)))
    assert (one == other).all()
    train, test = (scores[:30, 0], coins[:30, 0]), (scores[30:, 0], coins[30:, 0])
    moved = [(np.exp(score), coin) for score, coin in (train, test)]
    assert person_epsilon(*train, *test, 0.05) == person_epsilon(*moved[0], *moved[1], 0.05)
    same = np.zeros((60, 5))
    assert (assess_jointly(same, coins, 1, draws=50).p == 1).all()
    assert [one[0] for one in list_aucs(same, coins)] == [0.5] * 5


def test_few_worlds_are_not_measured_and_rare_alarms_need_many():
    coins = np.arange(40)[:, None] % 4 == np.zeros((1, 3))
    scores = np.random.default_rng(1).normal(size=(40, 3))
    assert len([one for one in list_aucs(scores, coins) if one is not None]) == 3
    assert list_aucs(scores[:36], coins[:36]) == [None] * 3
    rates = [*hit_rates(scores, coins, np.ones(3, bool), (scores, coins), 0.95)]
    assert [rate.rate for rate in rates] == [None, None]  # 90 worlds without are below 100


def test_hit_rates_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    coins = rng.random((200, 20)) < 0.5
    scores = np.round(rng.normal(size=(200, 20)) + coins, 1)
    exposed = np.arange(20) < 10
    first, second = hit_rates(scores, coins, exposed, (scores, coins), 0.95)
    for found in (first, second):
        exact = oracle.hit_rate(scores[coins], scores[~coins], found.false_alarms)
        assert found.rate == found.phantoms == pytest.approx(float(exact))
        assert found.interval[0] <= found.rate <= found.interval[1]
    n = [int(coins[:, part].sum()) for part in (exposed, ~exposed)]
    mixed = (n[0] * first.exposed + n[1] * first.random) / sum(n)
    assert mixed == pytest.approx(first.rate)


def test_the_self_test_fails_where_people_in_no_world_are_recognised():
    rng = np.random.default_rng(1)
    coins, noise = rng.random((100, 40)) < 0.5, rng.normal(size=(100, 40))
    assert self_test(noise, coins).passed
    assert self_test(noise + 0.3 * coins, coins).failed == ("auc", "hit rate")
    rare = noise + np.where(rng.random((100, 40)) < 0.04, 9, 0) * coins - 0.06 * coins
    assert self_test(rare, coins).failed == ("hit rate",)
    nothing = self_test(noise[:8], coins[:8])
    assert (nothing.passed, nothing.auc_mean) == (False, None)
