"""Rates, R and intervals: by hand, against the quadratic they solve, laws, and warnings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import attacks as oracle
from profiles import examples
from unveil.measure.attacks import rates
from unveil.measure.attacks.rates import (
    Outcomes,
    attack_row,
    bootstrap,
    delta_interval,
    excess,
    wilson,
)

LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.99])


def outcomes(main, n, control=None, n_control=None, naive=0):
    def zeros_and_ones(successes, length):
        return np.r_[np.ones(successes), np.zeros(length - successes)]

    return Outcomes(
        zeros_and_ones(main, n),
        zeros_and_ones(naive, n),
        None if control is None else zeros_and_ones(control, n_control or n),
    )


def row(given_outcomes, **more):
    asked = {"attack": "inference", "level": 0.95, "seed": 1, "method": "by hand"}
    return attack_row(given_outcomes, n_requested=None, **{**asked, **more})


@examples(50)
@given(st.integers(1, 300), st.floats(0, 1), LEVELS)
def test_wilson_is_the_interval_whose_ends_solve_its_quadratic(n, share, level):
    successes = share * n
    assert wilson(successes, n, level).interval == pytest.approx(
        oracle.wilson(successes, n, level), abs=1e-9
    )


def test_no_success_of_500_is_reported_as_the_centre_not_as_0():
    assert wilson(0, 500, 0.95).centre == pytest.approx(0.003812, abs=1e-6)


def test_r_by_hand_and_below_0_where_it_falls_there():
    assert excess(0.6, 0.2) == pytest.approx(0.5)
    assert excess(0.2, 0.6) == pytest.approx(-1)
    assert excess(0.5, 1.0) is None


def test_the_delta_interval_is_symmetrical_around_r_and_unclipped():
    main, control = wilson(1, 20, 0.95), wilson(15, 20, 0.95)
    low, high = delta_interval(main, control)
    assert (low + high) / 2 == pytest.approx(excess(main.centre, control.centre))
    assert low < -1


def test_the_bootstrap_of_zeros_and_ones_is_that_of_a_binomial():
    # Of 2,000 draws the quantiles of a mean of 400 coin flips are those of its normal limit to
    # within a few of their own standard errors (about 0.0015).
    low, high = bootstrap(outcomes(200, 400), level=0.95, seed=3, path=("x",))
    assert (low, high) == pytest.approx((0.5 - 0.049, 0.5 + 0.049), abs=0.005)


def test_the_bootstrap_with_a_control_is_as_wide_as_the_delta_interval_where_that_is_right():
    given_outcomes = outcomes(120, 400, 80)
    low, high = bootstrap(given_outcomes, level=0.95, seed=3, path=("x",))
    main, control = wilson(120, 400, 0.95), wilson(80, 400, 0.95)
    assert (low, high) == pytest.approx(delta_interval(main, control), abs=0.012)


def test_pairs_that_always_end_alike_leave_little_doubt_about_r():
    both = np.r_[np.ones(30), np.zeros(70)]
    low, high = bootstrap(Outcomes(both, both, both, paired=True), level=0.95, seed=1, path=())
    assert -0.04 < low < 0 < high < 0.04  # by one imagined pair, half of which end otherwise
    low, high = bootstrap(Outcomes(both, both, both), level=0.95, seed=1, path=())
    assert low < -0.1 < 0.1 < high


def test_without_pairs_ones_and_zeros_have_the_posterior_of_jeffreys_prior():
    beta = pytest.importorskip("scipy.stats").beta
    low, high = bootstrap(outcomes(3, 25), level=0.95, seed=3, path=("x",))
    assert (low, high) == pytest.approx(beta.ppf([0.025, 0.975], 3.5, 22.5), abs=0.01)


def test_drawing_the_distinct_outcomes_is_weighing_the_attacks_one_by_one():
    values = np.array([0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.25, 0.0])
    drawn = rates._bootstrap_rates([values], None, np.random.default_rng(1))[0]
    weights = np.random.default_rng(2).dirichlet([1.0] * 8 + [0.5, 0.5], rates.N_BOOTSTRAP)
    one_by_one = weights @ np.r_[values, 0, 1]
    error = one_by_one.std() / np.sqrt(rates.N_BOOTSTRAP)
    assert drawn.mean() == pytest.approx(one_by_one.mean(), abs=5 * error)
    assert drawn.std() == pytest.approx(one_by_one.std(), rel=0.08)


def test_attacks_of_one_cluster_have_one_weight():
    values, whose = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0], 40), np.repeat(np.arange(5), 40)
    apart = bootstrap(Outcomes(values, values, None), level=0.95, seed=1, path=())
    together = bootstrap(
        Outcomes(values, values, None, clusters=whose), level=0.95, seed=1, path=()
    )
    few = bootstrap(Outcomes(values[::40], values, None), level=0.95, seed=1, path=())
    assert apart[1] - apart[0] < 0.15
    # Five records of the copy say what five attacks say, but for the weight of the imagined one.
    assert together[1] - together[0] > 0.9 * (few[1] - few[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("main", "control", "n"), [(0.99, 0.3, 60), (0.95, 0.3, 200), (0.3, 0.3, 200)]
)
@pytest.mark.parametrize("paired", [False, True])
def test_the_interval_covers_the_true_r_high_or_0(main, control, n, paired):
    true, covered = (main - control) / (1 - control), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        sides = [(rng.random(n) < rate).astype(float) for rate in (main, control)]
        ends = bootstrap(
            Outcomes(sides[0], sides[0], sides[1], paired=paired), level=0.95, seed=seed, path=()
        )
        covered += ends[0] <= true <= ends[1]
    assert 181 <= covered <= 198


def test_an_attack_that_always_succeeds_may_always_succeed():
    found = row(outcomes(60, 60, 18))
    assert found.interval[1] == 1
    assert found.interval[0] < found.R
    assert row(outcomes(60, 60)).interval[1] == 1


@examples(20)
@given(st.integers(0, 40), st.integers(0, 40), LEVELS)
def test_the_interval_has_the_same_ends_again_and_holds_r(main, control, level):
    given_outcomes = outcomes(main, 40, control)
    first, again = (row(given_outcomes, level=level) for _ in range(2))
    assert first == again
    low, high = first.interval
    assert low - 1e-9 <= first.R <= high + 1e-9


def test_how_the_draws_are_cut_into_pieces_changes_nothing(monkeypatch):
    values = np.random.default_rng(1).random(50)
    whole = row(Outcomes(values, values, values[::-1].copy()))
    monkeypatch.setattr(rates, "DRAWN_AT_ONCE", 170)
    assert row(Outcomes(values, values, values[::-1].copy())) == whole


def test_without_a_control_the_risk_is_the_main_rate_and_its_interval():
    found = row(outcomes(30, 100))
    assert (found.R, found.control, found.n_control, found.control_interval) == (None,) * 4
    assert found.risk == found.main == wilson(30, 100, 0.95).centre
    assert found.interval_delta == found.main_interval
    assert found.interval[0] < found.main < found.interval[1]


def test_naive_guesses_that_do_better_are_told():
    found = row(outcomes(100, 1000, 90, naive=300))
    assert found.warnings == (
        "Uninformed guesses succeed as often as the attack, or more often: it is too weak to show"
        " that there is no risk.",
    )


def test_a_control_that_is_too_small_says_how_many_it_would_take():
    found = row(outcomes(10, 20, 5))
    half = (found.interval_delta[1] - found.interval_delta[0]) / 2
    assert found.warnings == (
        "The control sample is too small for a precise figure: with 20 attacks on it R is known to"
        f" within {half:.2f} either way; for 0.05 about"
        f" {rates.needed_attacks(found.main, found.control, 0.95):,} on each side are needed.",
    )


@pytest.mark.parametrize(("main", "control"), [(0.3, 0.2), (0.9, 0.5), (0.1, 0.1)])
def test_with_as_many_as_it_says_r_is_known_to_within_a_twentieth(main, control):
    n = rates.needed_attacks(main, control, 0.95)
    low, high = delta_interval(wilson(main * n, n, 0.95), wilson(control * n, n, 0.95))
    assert (high - low) / 2 == pytest.approx(0.05, abs=0.002)


def test_nothing_attacked_has_no_rate_and_no_interval():
    none = np.empty(0)
    found = row(Outcomes(none, none, np.ones(3)))
    assert (found.main, found.R, found.interval, found.interval_delta) == (None,) * 4
    assert found.warnings == ("Nothing was attacked, so there is no rate.",)


def test_a_control_without_attacks_leaves_r_open():
    found = row(Outcomes(np.ones(3), np.zeros(3), np.empty(0)))
    assert (found.R, found.interval, found.interval_delta, found.control) == (None,) * 4
    assert found.main is not None
    assert found.warnings == (
        "Nothing of the control was attacked, so R is not computable.",
        "All attacks on the original had the same outcome, so the width of the interval depends"
        " only on their number.",
    )


@pytest.mark.parametrize(
    ("given_outcomes", "where"),
    [
        (outcomes(0, 1000, 0), "the original and on the control"),
        (outcomes(1000, 1000, 300), "the original"),
        (outcomes(300, 1000, 0), "the control"),
        (outcomes(1000, 1000), "the original"),
    ],
)
def test_a_side_on_which_all_attacks_ended_alike_is_told(given_outcomes, where):
    found = row(given_outcomes)
    assert found.interval[0] < found.interval[1]
    assert found.warnings[-1:] == (
        f"All attacks on {where} had the same outcome, so the width of the interval depends only"
        " on their number.",
    )


def test_where_nobody_is_left_to_be_given_away_r_cannot_be_said():
    found = row(outcomes(10, 20, 20))
    assert found.interval[0] == -10
    assert found.warnings[0] == (
        "R cannot be computed: the attack succeeds on so much of the control sample that too few"
        " people remain whom the synthetic data could disclose, or too few were attacked."
    )


@pytest.mark.slow
def test_sides_of_different_size_are_compared_by_plain_rates():
    found = row(outcomes(20, 200, 0, 4), group="yes")
    risk = found.R
    assert risk == pytest.approx(0.1)  # the centres would say -0.25 or so
    assert found.interval[0] < 0 < found.interval[1]
    assert row(outcomes(20, 200, 4, 4)).R is None
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        sides = [(rng.random(n) < 0.05).astype(float) for n in (100, 4)]
        ends = row(Outcomes(sides[0], sides[0], sides[1]), seed=seed).interval
        covered += ends[0] <= 0 <= ends[1]
    assert covered >= 181


def test_one_attack_is_no_attacks():
    found = row(Outcomes(np.array([1.0]), np.array([0.0]), np.array([0.0])))
    assert "with 1 attack on it R" in found.warnings[0]


def test_of_few_pairs_the_interval_is_that_of_the_delta_method():
    both = outcomes(12, 29, 9)
    few = row(Outcomes(both.main, both.naive, both.control, paired=True))
    assert few.interval == few.interval_delta
    both = outcomes(12, 30, 9)
    enough = row(Outcomes(both.main, both.naive, both.control, paired=True))
    assert enough.interval != enough.interval_delta


def test_very_many_different_outcomes_are_drawn_a_little_coarser(monkeypatch):
    values = np.random.default_rng(1).random(300)
    fine = bootstrap(Outcomes(values, values, None), level=0.95, seed=1, path=())
    monkeypatch.setattr(rates, "MOST_DISTINCT", 64)
    coarse = bootstrap(Outcomes(values, values, None), level=0.95, seed=1, path=())
    # Other draws of the same distribution: the ends differ by their own chance error alone.
    assert coarse == pytest.approx(fine, abs=0.005)
    assert coarse != fine


def test_attacks_that_succeed_by_one_record_widen_the_interval_by_hand():
    main, apart = np.array([1.0, 1.0, 0.0, 0.0]), np.arange(4)
    by_one = Outcomes(main, main, None, clusters=apart, other_clusters=(np.array([7, 7, 8, 9]),))
    # Squares of moves from the mean: 4 of 0.25 alone; 1 + 0.25 + 0.25 where two succeed by one.
    assert rates.stretch(by_one) == pytest.approx(np.sqrt((1 + 1.5 - 1) / 1))
    by_four = Outcomes(main, main, None, clusters=apart, other_clusters=(apart,))
    assert rates.stretch(by_four) == 1
    wide, narrow = (bootstrap(each, level=0.95, seed=1, path=()) for each in (by_one, by_four))
    assert wide[0] < narrow[0] < narrow[1] <= wide[1] <= 1
    assert rates.stretch(Outcomes(main, main, None)) == 1
