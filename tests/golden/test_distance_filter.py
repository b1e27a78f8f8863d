"""unveil against the distance filter cases of the shared reference, at their tolerance."""

import json
from pathlib import Path

import polars as pl
import pytest

from unveil.protection.distance_filter import distance_filter

CASES = Path(__file__).parents[2] / "../shared/reference/measures/cases.json"
N_FIGURES = 4_512

if not CASES.exists():
    pytest.skip(
        f"{CASES} is not there: {N_FIGURES:,} figures of the distance filter go unchecked",
        allow_module_level=True,
    )

ALL = [c for c in json.loads(CASES.read_text())["cases"] if c["measure"] == "distance_filter"]
BY_CONVENTION = [(case, convention) for case in ALL for convention in case["expected"]]


def frame(rows):
    names = [str(c) for c in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64), orient="row")


@pytest.mark.parametrize("is_given", [True, False], ids=["as given", "as computed"])
@pytest.mark.parametrize(
    ("case", "convention"), BY_CONVENTION, ids=lambda x: x if isinstance(x, str) else x["id"]
)
def test_every_row_is_that_of_the_reference(case, convention, is_given):
    given, expected = case["input"], case["expected"][convention]
    names = ("inverse_covariance", "ranges") if is_given else ()
    ties, missing = convention.split("_")
    result = distance_filter(
        frame(given["original"]),
        frame(given["synthetic"]),
        ties=ties,
        missing=missing,
        **{name: given[name] for name in names},
    ).to_dict()
    close = {"abs": case["tol"], "rel": 0}
    assert result["keep"] == [row["keep"] for row in expected]
    assert result["nearest"] == [row["nearest"] for row in expected]
    assert result["d_synthetic"] == pytest.approx([row["d_so"] for row in expected], **close)
    assert result["d_original"] == pytest.approx([row["d_oo"] for row in expected], **close)


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    assert (len(ALL), len(BY_CONVENTION)) == (50, 150)
    assert sum(4 * len(case["expected"][name]) for case, name in BY_CONVENTION) == N_FIGURES
