"""Figures of Anonymeter 1.1.0 on the same files, each within the tolerance that its file states.

Not compared, for they differ by decision (docs/attacks.md): linkability of single tie rules, the
secret that is a number (its tolerance is a share of the guess), and R clipped at 0.
"""

import json
from functools import cache
from math import sqrt

import pytest

import unveil
from reference import FIGURES, reference
from unveil.models.intervals import Rate, excess_rate

GOLDEN = json.loads(reference("anonymeter/expected.json").read_text())


@cache
def study(keys=("age",), targets=()):
    files = [reference(f"anonymeter/{name}.csv") for name in ("orig", "syn", "control")]
    return unveil.Study(files[0], files[1], control=files[2], keys=keys, targets=targets)


def assert_as_published(figures, published):
    """R is clipped there, its value and its ends."""
    low, high = (min(max(figures[end], 0), 1) for end in ("R_low", "R_high"))
    assert figures["main"] == pytest.approx(published["main"], abs=1e-6)
    assert figures["control"] == pytest.approx(published["control"], abs=1e-6)
    assert max(figures["R"], 0) == pytest.approx(published["risk"], abs=1e-6)
    assert [low, high] == pytest.approx(published["risk_ci"], abs=1e-6)


@pytest.mark.parametrize("case", GOLDEN["confidence_cases"])
def test_intervals_are_those_of_anonymeter(case):
    main, control = (Rate(case[of], case["n"], case["level"]) for of in ("n_success", "n_control"))
    ratio, half = excess_rate(main, control)
    assert main.half == pytest.approx(case["main_err"], abs=1e-6)
    assert control.half == pytest.approx(case["control_err"], abs=1e-6)
    ends = {"R": ratio, "R_low": ratio - half, "R_high": ratio + half}
    assert_as_published({"main": main.centre, "control": control.centre, **ends}, case)


def test_every_predicate_of_one_column_succeeds_as_in_anonymeter():
    published = GOLDEN["singling_out_univariate_exhaustive"]
    row = unveil.singling_out(study(), guesses=500).attacks[0]
    assert row.guesses == published["n_queries"]
    assert_as_published(row, published["with_n_attacks_equal_n_queries"])


RATES = (("main", "n_success"), ("control", "n_control"), ("naive", "n_baseline"))
SAMPLED = [
    ("singling_out_univariate_sampled", 1, 50, "main", "n_success"),
    ("singling_out_univariate_sampled", 1, 50, "control", "n_control"),
    *(
        (f"singling_out_multivariate_{columns}cols", columns, 200, ours, theirs)
        for columns in (2, 4)
        for ours, theirs in RATES
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "columns", "guesses", "ours", "theirs"), SAMPLED)
def test_drawn_predicates_succeed_as_often_on_average(name, columns, guesses, ours, theirs):
    published, seeds = GOLDEN[name], 20
    mean, sd = (
        published.get(f"{theirs}_{part}", published.get(theirs, {}).get(part))
        for part in ("mean", "sd")
    )
    z2 = 1.959963984540054**2
    rows = [
        unveil.singling_out(study(), largest=columns, guesses=guesses, seed=seed).attacks[-1]
        for seed in range(seeds)
    ]
    successes = [row[ours] * (row.guesses + z2) - z2 / 2 for row in rows]
    margin = 3 * sd * sqrt(1 / seeds + 1 / published["seeds"])
    assert sum(successes) / seeds == pytest.approx(mean, abs=margin)


@pytest.mark.parametrize("target", ["occupation", "marital"])
def test_the_chance_over_ties_is_the_expectation_of_anonymeter(target):
    published = GOLDEN["inference_all_rows"][target]
    row = unveil.inference(study(tuple(published["aux_cols"]), target)).attacks[0]
    for rate, exact in ((row.main, "exact_orig"), (row.control, "exact_control")):
        expected = published[exact]["expected_success_random_ties"]
        assert rate == pytest.approx(Rate(expected, 1_000).centre, abs=1e-6)


@pytest.mark.parametrize("neighbours", ["1", "5", "10"])
def test_links_are_no_more_than_if_all_ties_were_kept(neighbours):
    published = GOLDEN["linkability_all_rows"]
    most = published["by_n_neighbors"][neighbours]["if_all_ties_kept"]
    row = unveil.linkability(
        study(), parts=tuple(map(tuple, published["aux_cols"])), neighbours=int(neighbours)
    ).attacks[0]
    assert row.main <= Rate(most["orig"], 1_000).centre
    assert row.control <= Rate(most["control"], 1_000).centre


def test_all_figures_are_counted():
    rates, univariate, ties, links = 7 * len(GOLDEN["confidence_cases"]), 6, 4, 6
    n = rates + univariate + len(SAMPLED) + ties + links
    assert n == FIGURES["anonymeter/expected.json"][1]
