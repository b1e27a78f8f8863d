"""unveil against the reference cases of SAP: exact fractions, and the figures the paper prints."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from unveil.measure.tables.sap import sap

WHERE = "../shared/reference/measures/cases.json"
FILE = Path(__file__).parents[2] / WHERE
KINDS = ("sap_exact", "sap_rounded", "sap_rounded_total")
CASES = 136

if not FILE.exists():
    pytest.skip(
        f"{CASES} reference cases of test_sap went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )


@cache
def cases() -> list[dict]:
    every = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
    return [case for case in every if case["measure"] in KINDS]


def asked(case: dict) -> dict:
    given = case["input"]
    settings = {
        "structural": given.get("structural"),
        "n_max": given.get("n_max", sum(given["counts"])),
    }
    if case["measure"] != "sap_exact":
        size = given.get("base", given.get("d"))
        settings["rounding"] = f"{given['scheme']}:{size}"
        settings["published"] = given.get("published")
        settings["total"] = case["measure"] == "sap_rounded_total"
    return settings


def test_all_cases_are_here():
    assert len(cases()) == CASES


@pytest.mark.parametrize("number", range(CASES))
def test_the_curve_is_that_of_the_reference(number):
    case = cases()[number]
    expected = case["expected"]
    found = sap(case["input"]["counts"], **asked(case))
    if "sap" in expected:
        assert list(found.fractions) == [Fraction(one) for one in expected["sap"]]
    if "sap_float" in expected:
        assert list(found.lower) == pytest.approx(expected["sap_float"], abs=1e-12)
    assert "sap" in expected or "sap_float" in expected
    record = found.to_dict()
    for theirs, ours in (
        ("bounds", "cell_bounds"),
        ("cell_bounds", "cell_bounds"),
        *((one, one) for one in ("exposed", "total_bounds")),
    ):
        if theirs in expected:
            assert json.loads(json.dumps(record[ours])) == expected[theirs]


def test_the_example_of_section_2_3_1():
    assert sap([2, 1, 3]).record.exact == ("0/1", "1/6", "2/5", "7/10", "1/1", "1/1", "1/1")


FIGURE_1 = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]


def test_figures_3_and_4_are_the_trivial_bounds():
    record = sap(FIGURE_1, rounding="conventional:3").record
    assert [lo for lo, _ in record.cell_bounds] == [0, 2, 0, 2, 0, 0, 2, 2, 0]
    assert [hi for _, hi in record.cell_bounds] == [1, 4, 1, 4, 1, 1, 4, 4, 1]
    # Whoever knows the one person in (A, D) recovers a zero, as the paper says of these bounds.
    assert 0 in record.exposed
    assert record.taught.n_recovered == 0


def test_figures_5_and_6_recover_three_of_the_four_zeros():
    released = dict(rounding="conventional:3", margins="all", total=True)
    found = sap(FIGURE_1, **released)
    assert found.record.taught.n_recovered == 3
    assert set(found.fractions) == {Fraction(1)}
    assert [lesson.cell for lesson in found.record.taught.lessons] == [
        "dim1=0, dim2=2",
        "dim1=1, dim2=2",
        "dim1=2, dim2=2",
    ]


def test_without_the_recovered_column_the_figures_start_at_one_known_person():
    released = dict(rounding="conventional:3", margins="all", total=True, structural=[2, 5, 8])
    expected = "0 1/13 2/13 67/286 46/143 49/117 226/429 85/132 983/1287 125/143 137/143 1 1 1"
    assert list(sap(FIGURE_1, **released).fractions) == [Fraction(one) for one in expected.split()]


def test_cells_of_figure_2_alone():
    expected = "0 1/13 2/13 3/13 17/55 503/1287 205/429 245/429 862/1287 551/715 124/143 37/39 1 1"
    found = sap(FIGURE_1, rounding="conventional:3")
    assert list(found.fractions) == [Fraction(one) for one in expected.split()]
