"""Rates, linkability and inference against the figures of another implementation."""

import json
from pathlib import Path

import pytest

from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.rates import delta_interval, excess, wilson

REFERENCE = Path(__file__).parents[2] / "../shared/reference/anonymeter"
N_FIGURES, N_BOUNDS = 39, 16
"""Figures that are equal to theirs, and ends that ours must lie between."""

if not REFERENCE.exists():
    pytest.skip(
        f"{N_FIGURES} figures and {N_BOUNDS} bounds of attacks went unchecked:"
        " ../shared/reference/anonymeter is not there",
        allow_module_level=True,
    )

EXPECTED = json.loads((REFERENCE / "expected.json").read_text(encoding="utf-8"))
LINKED = EXPECTED["linkability_all_rows"]
INFERRED = EXPECTED["inference_all_rows"]
FILES = (REFERENCE / "orig.csv", REFERENCE / "syn.csv")
CONTROL = REFERENCE / "control.csv"
TOLERANCE = 1e-6
"""Theirs are printed with six decimals."""


def clipped(*values):
    return [min(max(value, 0), 1) for value in values]


@pytest.mark.parametrize("case", EXPECTED["confidence_cases"], ids=lambda case: f"n{case['n']}")
def test_rates_and_risks_are_theirs_once_clipped(case):
    main, control = (wilson(case[s], case["n"], case["level"]) for s in ("n_success", "n_control"))
    found = [main.centre, main.error, control.centre, control.error]
    theirs = [case[name] for name in ("main", "main_err", "control", "control_err")]
    assert found == pytest.approx(theirs, abs=TOLERANCE)
    risk, ends = excess(main.centre, control.centre), delta_interval(main, control)
    assert clipped(risk, *ends) == pytest.approx([case["risk"], *case["risk_ci"]], abs=TOLERANCE)


@pytest.mark.parametrize("k", LINKED["by_n_neighbors"])
def test_linkability_lies_within_what_ties_allow(k):
    theirs = LINKED["by_n_neighbors"][k]
    row = linkability(*FILES, control=CONTROL, columns=LINKED["aux_cols"], k=int(k), seed=1).rows[0]
    assert row.n_found == row.n_control == LINKED["n_attacks"]
    assert 0 < row.main_successes <= theirs["if_all_ties_kept"]["orig"]
    assert 0 < row.control_successes <= theirs["if_all_ties_kept"]["control"]


@pytest.mark.parametrize("secret", ["occupation", "marital"])
def test_inference_is_the_stated_expectation_over_ties(secret):
    theirs = INFERRED[secret]
    row = inference(*FILES, control=CONTROL, secrets=secret, keys=theirs["aux_cols"], seed=1).rows[
        0
    ]
    assert row.n_found == row.n_control == theirs["n_attacks"]
    for found, exact in (
        (row.main_successes, theirs["exact_orig"]),
        (row.control_successes, theirs["exact_control"]),
    ):
        assert found == pytest.approx(exact["expected_success_random_ties"], abs=TOLERANCE)
        assert exact["certain_success"] <= found <= exact["possible_success"]


def test_a_guessed_number_is_as_near_to_theirs_as_the_other_denominator_allows():
    # Theirs is 5 % of the guess and one way to break ties: no exact figure is stated.
    theirs = INFERRED["age (regression, 5% of the guess)"]
    row = inference(*FILES, control=CONTROL, secrets="age", keys=theirs["aux_cols"], seed=1).rows[0]
    low, high = theirs["risk_ci"]
    assert low <= row.R <= high


def test_the_figures_and_bounds_are_as_many_as_is_said():
    rates = 7 * len(EXPECTED["confidence_cases"])
    exact = [case[side] for case in INFERRED.values() for side in case if side.startswith("exact_")]
    linked = [end for case in LINKED["by_n_neighbors"].values() for end in case["if_all_ties_kept"]]
    assert rates + len(exact) == N_FIGURES
    assert len(linked) + 2 * len(exact) + 2 == N_BOUNDS
