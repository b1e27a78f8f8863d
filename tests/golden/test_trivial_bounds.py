"""unveil against the trivial bounds of the shared reference, exactly."""

import json
from pathlib import Path

import pytest

from unveil.measure.tables.schemes import trivial_bounds

CASES = Path(__file__).parents[2] / "../shared/reference/measures/cases.json"
N_FIGURES = 46

if not CASES.exists():
    pytest.skip(
        f"{CASES} is not there: {N_FIGURES:,} trivial bounds go unchecked", allow_module_level=True
    )

ALL = [c for c in json.loads(CASES.read_text())["cases"] if c["measure"] == "trivial_bounds"]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["id"])
def test_every_bound_is_that_of_the_reference(case):
    given, expected = case["input"], case["expected"]
    size = given.get("base", given.get("d"))
    scheme = f"{given['scheme']}:{size}"
    assert trivial_bounds(given["published"], scheme) == (expected["lo"], expected["hi"])


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    assert sum(len(case["expected"]) for case in ALL) == N_FIGURES
