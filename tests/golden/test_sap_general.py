"""unveil against every reference case of a general release: bounds, and SAP as exact fractions."""

import json
from pathlib import Path

import pytest

from unveil.measure.tables.bounds import find_tightest
from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.sap_boxes import split

WHERE = "../shared/reference/measures/cases.json"
FILE = Path(__file__).parents[2] / WHERE
FIGURES = 1_490

if not FILE.exists():
    pytest.skip(
        f"{FIGURES:,} reference figures of test_sap_general went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )

CASES = [
    case
    for case in json.loads(FILE.read_text(encoding="utf-8"))["cases"]
    if case["measure"] == "sap_general"
]


def system_of(asked):
    facts = tuple(
        Fact(tuple(one["cells"]), one["lo"], one["hi"], f"constraint {number}")
        for number, one in enumerate(asked["constraints"])
    )
    counts = tuple(asked["counts"])
    shape = tuple(asked.get("shape", (len(counts),)))
    return System(counts, facts, frozenset(asked["structural"]), shape)


def test_all_figures_are_there():
    parts = [case["expected"][name] for case in CASES for name in ("lower", "upper", "sap")]
    assert len(CASES) == 84
    assert sum(map(len, parts)) == FIGURES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_tightest_bounds(case):
    found = find_tightest(system_of(case["input"]))
    assert list(found.lower) == case["expected"]["lower"]
    assert list(found.upper) == case["expected"]["upper"]
    assert found.complete


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_sap_is_the_same_fraction(case):
    made = system_of(case["input"])
    found = split(made, made.N)
    exact = [f"{one.numerator}/{one.denominator}" for one in found.lower]
    assert exact == case["expected"]["sap"]
    assert found.complete
    assert found.lower == found.upper
