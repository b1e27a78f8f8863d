"""ECAP and the least noise: beside its definition, told the slow way."""

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest

import unveil
from oracles import ecap as oracle
from unveil.making.claims import Claims, ecap_of, open_population

HEIGHTS = (158.0, 170.0, 178.0, 191.0)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize(("N", "n"), [(3, 1), (4, 2), (5, 3)])
def test_equation_1_is_what_all_samples_of_a_small_population_give(N, n, replacement):
    """Every sample of n of N people, each of whom lands there by their chance."""
    rng = Random(f"{N} {n}")
    for _ in range(5):
        p, b = rng.random(), rng.random()
        enumerated = oracle.enumerated_people([p] + [b] * (N - 1), 0, n, replaced=replacement)
        assert math.isclose(
            ecap_of(np.array(p), np.array(b), N, n, replacement=replacement), enumerated,
            rel_tol=1e-12,
        )  # fmt: skip


@pytest.mark.parametrize("b", [1e-300, 1e-14, 1e-9, 1e-3, 0.3])
def test_no_digit_is_lost_beside_sixty(b):
    for N, n, p in ((10**9, 1, 0.1), (10**9, 10**6, 0.9), (60_000, 600, 1e-6)):
        figures = (
            (ecap_of(np.array(p), np.array(b), N, n), oracle.printed_form(p, b, N, n)),
            (
                ecap_of(np.array(p), np.array(b), N, n, replacement=False),
                oracle.without_replacement_form(p, b, N, n),
            ),
        )
        for figure, exact in figures:
            assert float(figure) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("noise", ["normal", "laplace"])
def test_p_and_b_are_sums_over_thin_slices_of_the_population(noise):
    x, sigma = np.array(HEIGHTS), 0.5
    population = "normal(170, 12)"
    below, above = Claims(x, open_population(population), 1500, 25).neighbours
    cdf = oracle.NOISE_CDF[noise](sigma)
    rows = unveil.ecap(
        HEIGHTS, population=population, N=1500, n=25, sigma=sigma, noise=noise
    ).values
    for row, low, high in zip(rows, below, above, strict=True):
        assert row.p == pytest.approx(oracle.own_chance(row.value, low, high, cdf), rel=1e-9)
        b = oracle.others_chance(
            row.value,
            low,
            high,
            density=oracle.normal_density(170, 12),
            ends=(50.0, 290.0),
            cdf=cdf,
        )
        assert row.b == pytest.approx(b, rel=1e-4)


def test_a_claim_is_as_often_right_as_drawing_people_shows():
    x, N, n, sigma = 178.0, 60, 6, 0.4
    claims = Claims(np.array([x]), open_population("normal(170, 12)"), N, n)
    neighbours = tuple(float(side[0]) for side in claims.neighbours)
    right, claimed = oracle.drawn_ecap(
        x, neighbours, someone=lambda rng: rng.gauss(170, 12),
        noise=lambda rng: rng.gauss(0, sigma), sizes=(N, n), rounds=20_000, seed=1,
    )  # fmt: skip
    share, error = right / claimed, math.sqrt(0.25 / claimed)
    assert abs(float(claims.ecap(sigma)[0]) - share) < 4 * error


def test_the_expected_neighbours_are_those_of_drawn_populations():
    claims = Claims(np.array([195.0]), open_population("normal(170, 12)"), 50, 5)
    drawn = oracle.drawn_neighbours(195.0, lambda rng: rng.gauss(170, 12), 50, 4_000, seed=2)
    for side, (mean, error) in zip(claims.neighbours, drawn, strict=True):
        assert abs(float(side[0]) - mean) < 4 * error


def test_whole_numbers_are_shared_and_their_noise_is_rounded():
    """34 of normal(34, 8): everyone who rounds to it, as SPEC.md works out."""
    asked = {"population": "normal(34, 8)", "N": 60_000, "n": 600, "discrete": True}
    rows = unveil.ecap([34, 50, 60, 65, 70], **asked).values
    assert [round(row.ECAP, 3) for row in rows] == [0.01, 0.01, 0.066, 0.379, 0.892]
    shares = {value: row.b for value, row in zip((34, 50, 60, 65, 70), rows, strict=True)}
    exact = oracle.discrete(shares | {0: 1 - sum(shares.values())}, 60_000, 600, {0: 1.0})
    for row in rows:
        assert math.isclose(row.ECAP, exact[int(row.value)], rel_tol=1e-9)


def test_without_noise_a_number_names_its_owner():
    assert {row.ECAP for row in unveil.ecap(
        HEIGHTS, population="normal(170, 12)", N=1500, n=25).values} == {1.0}  # fmt: skip


def test_the_least_noise_is_enough_and_a_hundredth_less_is_not():
    asked = {"population": "normal(170, 12)", "N": 1500, "n": 25}
    for noise in ("normal", "laplace"):
        (row,) = unveil.choose_noise(HEIGHTS, threshold=0.2, noise=noise, **asked).choice

        def worst(sigma):
            rows = unveil.ecap(HEIGHTS, sigma=sigma, noise=noise, **asked).values
            return max((row.ECAP, row.value) for row in rows)

        assert worst(row.sigma)[0] <= 0.2 < worst(row.sigma * 0.99)[0]
        assert worst(row.sigma_to_publish)[0] <= 0.2
        assert worst(row.sigma)[1] == row.worst
        mantissa = row.sigma_to_publish / 10 ** math.floor(math.log10(row.sigma_to_publish))
        assert round(mantissa, 9) in (1, 2, 5)


def test_the_curve_has_the_highest_ecap_and_its_quotients():
    asked = {"population": "normal(170, 12)", "N": 1500, "n": 25}
    curve = unveil.choose_noise(HEIGHTS, **asked).curve
    for before, row in pairwise(curve):
        rows = unveil.ecap(HEIGHTS, sigma=row.sigma, **asked).values
        assert max(r.ECAP for r in rows) == row.ECAP
        change = (row.ECAP - before.ECAP) / (row.sigma - before.sigma)
        assert row.quotient == pytest.approx(change, rel=1e-12)


def test_another_population_asks_for_what_it_would_by_itself():
    rows = unveil.choose_noise(HEIGHTS, population="normal(170, 12)", N=1500, n=25).populations
    assert [(row.what, row.factor) for row in rows] == [
        ("N", 0.5), ("N", 2.0), ("spread", 0.8), ("spread", 1.25)]  # fmt: skip
    for row in rows:
        sd = 12 * row.factor if row.what == "spread" else 12
        (other,) = unveil.choose_noise(
            HEIGHTS, population=f"normal(170, {sd!r})", N=row.N, n=25).choice  # fmt: skip
        assert row.sigma == pytest.approx(other.sigma, rel=1e-8)


def test_values_in_the_tails_are_coded_to_where_the_others_end():
    """64 of normal(34, 8) is 3.75 standard deviations out: all others need a tenth of its noise."""
    ages = [20, 30, 34, 40, 64]
    result = unveil.choose_noise(ages, population="normal(34, 8)", N=60_000, n=600)
    (row,) = result.choice
    assert (row.top_code, row.bottom_code, row.worst) == (40, None, 64)
    (others,) = unveil.choose_noise(ages[:4], population="normal(34, 8)", N=60_000, n=600).choice
    assert row.sigma_coded == pytest.approx(others.sigma, rel=1e-8)
    assert result.sentences[1].endswith(f"To need {others.sigma:.3g} only, top-code at 40.")


def test_sentences_say_what_the_tables_hold():
    asked = {"population": "normal(170, 12)", "N": 1500, "n": 25}
    result = unveil.ecap(HEIGHTS, sigma=0.5, **asked)
    worst = max(row.ECAP for row in result.values)
    assert result.sentences == (
        "With this noise the strongest claim about any value is correct with probability at most"
        f" {worst:.3f}, assuming 25 of 1,500 people were sampled.",
    )
    impossible = unveil.choose_noise(HEIGHTS, threshold=0.01, **asked)
    assert impossible.choice[0].sigma is None
    limit = 1 - (1 - 1 / 1500) ** 25
    assert impossible.sentences == (
        f"No noise brings ECAP to 0.01: everyone is in the data with probability {limit:.3g},"
        " assuming 25 of 1,500 people were sampled.",
    )
    (none,) = unveil.choose_noise(
        [30, 34], population="normal(34, 8)", N=60_000, n=600, discrete=True
    ).sentences
    assert none.startswith("No noise is needed: ECAP is at most 0.1 without it")


TOGETHER = {
    "values": {"height": [158, 178, None, 158], "weight": [60, 75, 80, 60]},
    "population": {"height": "normal(170, 12)", "weight": "normal(70, 15)"},
    "N": 1500,
    "n": 25,
    "sigma": {"height": 0.5, "weight": 1},
}


@pytest.mark.parametrize("replacement", [True, False])
def test_who_knows_several_columns_needs_all_of_them_to_fit(replacement):
    """p and b of people are products: what is released of each column is independent."""
    rows = unveil.ecap(**TOGETHER, replacement=replacement).values
    assert [(row.column, row.level) for row in rows] == [
        ("height, weight", "158, 60"), ("height, weight", "178, 75"),
    ]  # fmt: skip
    for row, person in zip(rows, ((158, 60), (178, 75)), strict=True):
        p = b = 1.0
        for name, value in zip(("height", "weight"), person, strict=True):
            (alone,) = unveil.ecap(
                [value], population=TOGETHER["population"][name], N=1500, n=25,
                sigma=TOGETHER["sigma"][name],
            ).values  # fmt: skip
            p, b = p * alone.p, b * alone.b
        form = oracle.printed_form if replacement else oracle.without_replacement_form
        assert (row.p, row.b) == pytest.approx((p, b), rel=1e-12)
        assert pytest.approx(float(form(p, b, 1500, 25)), rel=1e-9) == row.ECAP


@pytest.mark.parametrize("replacement", [True, False])
def test_several_columns_in_a_population_small_enough_for_all_samples(replacement):
    """Whole numbers that are 1 or 2: everybody else lands on each with a known chance."""
    shares, flips = {1: 0.3, 2: 0.7}, {-1: 0.1, 0: 0.8, 1: 0.1}
    (row,) = unveil.ecap(
        {"a": [1], "b": [2]}, population={"a": shares, "b": shares}, N=4, n=2, noise=flips,
        discrete=True, replacement=replacement,
    ).values  # fmt: skip
    b = (0.3 * 0.8 + 0.7 * 0.1) * (0.7 * 0.8 + 0.3 * 0.1)
    enumerated = oracle.enumerated_people([0.8 * 0.8] + [b] * 3, 0, 2, replaced=replacement)
    assert pytest.approx(enumerated, rel=1e-12) == row.ECAP


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"population": "normal(34, 8)"}, "'population' names one"),
        ({"population": {"height": "normal(170, 12)"}}, "'population' names one"),
        ({"sigma": {"height": 1}}, "'sigma' names one"),
        ({"values": {"height": [158], "weight": [60, 75]}}, "differ in length"),
        ({"values": {"height": ["a secret text"], "weight": [60]}}, "list of numbers"),
        ({"values": {"height": [None], "weight": [60]}}, "has none"),
    ],
)
def test_wrong_columns_are_refused_in_a_sentence_without_them(wrong, word):
    with pytest.raises(unveil.InputError, match=word) as refusal:
        unveil.ecap(**TOGETHER | wrong)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"population": "normal(34"}, "population"),
        ({"population": "narmal(34, 8)"}, "normal"),
        ({"population": "normal(34, -8)"}, "normal"),
        ({"population": {1: 0.4, 2: 0.4}, "discrete": True}, "add up to 1"),
        ({"population": {1: 0.5, 2: 0.5}}, "discrete"),
        ({"N": 1}, "N"),
        ({"n": 70_000}, "more than"),
        ({"n": 0}, "n"),
        ({"sigma": -1}, "sigma"),
        ({"sigma": {"height": 1}}, "sigma"),
        ({"noise": "uniform"}, "noise"),
        ({"values": ["a secret text"]}, "values"),
        ({"values": []}, "values"),
        ({"values": [30.5], "discrete": True}, "discrete"),
        ({"values": [1e9]}, "nobody"),
        ({"values": [30.0, float("inf")]}, "infinite"),
    ],
)
def test_wrong_values_are_refused_in_a_sentence_without_them(wrong, word):
    asked = {"values": [30, 34], "population": "normal(34, 8)", "N": 60_000, "n": 600} | wrong
    with pytest.raises(unveil.InputError) as refusal:
        unveil.ecap(**asked)
    assert word in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_a_result_is_the_same_after_json(tmp_path):
    for result in (
        unveil.ecap(HEIGHTS, population="normal(170, 12)", N=1500, n=25, sigma=0.1),
        unveil.choose_noise(HEIGHTS, population="t(4, 170, 9)", N=1500, n=25),
    ):
        loaded = unveil.Result.load(result.save(tmp_path / "result.json"))
        assert loaded == result
        assert loaded.sentences == result.sentences
        assert result.save(tmp_path / "chart.svg", *result.charts[:1]).exists()
        result.show()


def test_noise_of_several_columns_is_not_chosen_in_one_call():
    by_column = {"height": [170, 178], "weight": [60, 75]}
    with pytest.raises(unveil.InputError, match="choose for each of them, ask ecap of all"):
        unveil.choose_noise(by_column, population="normal(170, 12)", N=1500, n=25)
