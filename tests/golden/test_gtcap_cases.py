"""unveil against the GTCAP cases of the shared reference, at their tolerance."""

import json
from pathlib import Path

import polars as pl
import pytest

from unveil.measure.cap.gtcap import gtcap

CASES = Path(__file__).parents[2] / "../shared/reference/measures/cases.json"
N_FIGURES = 9_212
FIELDS = ("synthetic", "baseline", "original", "normalised")
MEANS = {"mean_synth": "mean_synthetic", "mean_base": "mean_baseline", "mean_orig": "mean_original"}

if not CASES.exists():
    pytest.skip(
        f"{CASES} is not there: {N_FIGURES:,} figures of GTCAP go unchecked",
        allow_module_level=True,
    )

ALL = [case for case in json.loads(CASES.read_text())["cases"] if case["measure"] == "gtcap"]
BY_RULE = [(case, rule) for case in ALL for rule in case["expected"]]


def frame(rows):
    return pl.DataFrame({str(c): [row[c] for row in rows] for c in range(len(rows[0]))})


def measured(given, rule):
    return gtcap(
        frame(given["original"]),
        frame(given["synthetic"]),
        keys=[str(c) for c in given["keys"]],
        target=[str(c) for c in given["targets"]],
        radii=given["radii"],
        unique_rule=rule,
    )


def figures(expected):
    """Every figure of one case: who is unique, their scores, the counts and the means."""
    return len(expected["unique"]) + sum(map(len, expected["rows"])) + 2 + 4


@pytest.mark.parametrize(
    ("case", "rule"), BY_RULE, ids=lambda x: x if isinstance(x, str) else x["id"]
)
def test_every_figure_is_that_of_the_reference(case, rule):
    result, expected = measured(case["input"], rule), case["expected"][rule]
    close = {"abs": case["tol"], "rel": 0}
    assert result.unique.tolist() == expected["unique"]
    assert result.n_unique == expected["n_unique"]
    assert result.n_dropped == expected["n_degenerate"]
    found = [[getattr(row, field) for field in FIELDS] for row in result.rows]
    for ours, theirs in zip(found, expected["rows"], strict=True):
        assert ours == pytest.approx(theirs, **close)
    (copy,) = result.record.copies
    means = {"mean": result.mean, **{old: getattr(copy, new) for old, new in MEANS.items()}}
    for name, value in means.items():
        assert value == (None if expected[name] is None else pytest.approx(expected[name], **close))


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    assert (len(ALL), len(BY_RULE)) == (60, 210)
    assert sum(figures(case["expected"][rule]) for case, rule in BY_RULE) == N_FIGURES
