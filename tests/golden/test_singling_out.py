"""unveil against Anonymeter's singling out, at the tolerances the shared reference states."""

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from unveil.measure.attacks.membership import membership
from unveil.measure.attacks.singling_out import singling_out

FOLDER = Path(__file__).parents[2] / "../shared/reference/anonymeter"
N_FIGURES, N_SAMPLED = 10, 10
"""Figures that are equal to theirs, and means of samples that are so within their error."""
N_SEEDS = 20

if not (FOLDER / "expected.json").exists():
    pytest.skip(
        f"{FOLDER} is not there: {N_FIGURES} figures and {N_SAMPLED} means of singling out go"
        " unchecked",
        allow_module_level=True,
    )

EXPECTED = json.loads((FOLDER / "expected.json").read_text())
FILES = {"original": "orig.csv", "synthetic": "syn.csv", "control": "control.csv"}


def attacked(**asked):
    files = {side: FOLDER / name for side, name in FILES.items()}
    (row,) = singling_out(**files, **asked).rows
    return row


def test_every_predicate_of_one_column_is_that_of_the_reference():
    expected = EXPECTED["singling_out_univariate_exhaustive"]
    row = attacked(mode="univariate", seed=1)
    assert row.n_found == expected["n_queries"]
    assert row.main_successes == expected["n_success_orig"]
    assert row.control_successes == expected["n_success_control"]
    rates = expected["with_n_attacks_equal_n_queries"]
    low, high = row.main_interval
    assert row.main == pytest.approx(rates["main"], abs=1e-6)
    assert (high - low) / 2 == pytest.approx(rates["main_err"], abs=1e-6)
    low, high = row.control_interval
    assert row.control == pytest.approx(rates["control"], abs=1e-6)
    assert (high - low) / 2 == pytest.approx(rates["control_err"], abs=1e-6)
    assert pytest.approx(rates["risk"], abs=1e-6) == row.R
    assert row.interval_delta == pytest.approx(rates["risk_ci"], abs=1e-6)


def is_close(found, mean, sd, seeds):
    return abs(np.mean(found) - mean) <= 3 * sd * sqrt(1 / len(found) + 1 / seeds)


def test_sampled_predicates_of_one_column_succeed_as_often():
    expected = EXPECTED["singling_out_univariate_sampled"]
    rows = [
        attacked(mode="univariate", exhaustive=False, n=expected["n_attacks"], seed=seed)
        for seed in range(N_SEEDS)
    ]
    for successes, name in {
        "main_successes": "n_success",
        "control_successes": "n_control",
    }.items():
        found = [getattr(row, successes) for row in rows]
        mean, sd = expected[f"{name}_mean"], expected[f"{name}_sd"]
        assert is_close(found, mean, sd, expected["seeds"])


@pytest.mark.slow
@pytest.mark.parametrize("n_cols", [2, 4])
def test_predicates_of_several_columns_succeed_as_often(n_cols):
    expected = EXPECTED[f"singling_out_multivariate_{n_cols}cols"]
    rows = [
        attacked(mode="multivariate", n_cols=n_cols, n=expected["n_attacks"], seed=seed)
        for seed in range(N_SEEDS)
    ]
    assert {row.n_found for row in rows} == {expected["n_attacks"]}
    found = {
        "n_success": [row.main_successes for row in rows],
        "n_control": [row.control_successes for row in rows],
        "n_baseline": [row.naive_successes for row in rows],
        # Clipped, as the reference has it.
        "risk": [max(row.R, 0.0) for row in rows],
    }
    for name, values in found.items():
        figure = expected[name]
        assert is_close(values, figure["mean"], figure["sd"], expected["seeds"]), name


def lines_of(name):
    return (FOLDER / name).read_text().splitlines()[1:]


def test_what_membership_misses_and_exact_copies_show():
    # The reference took a share of the copy from the original as it is; the page says what F1 sees.
    files = {side: FOLDER / name for side, name in FILES.items()}
    record = membership(**files, seed=1).record
    original, copy = (lines_of(FILES[side]) for side in ("original", "synthetic"))
    assert record.n_exact == sum(line in set(original) for line in copy)
    assert record.rows[0].recall == EXPECTED["copied_share"] == 0.15
    assert round(record.headline.relative_F1, 3) == 0.002
    assert (record.rows[0].threshold, record.rows[0].precision) == (0, 1)
    assert record.people_auc_interval[0] > 0.5
    assert record.recall_at_1 >= 0.15  # those taken as they are, which F1 does not see
