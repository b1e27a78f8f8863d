"""Included against left out: the cases of the specification, and the paper's Table 4 on our data.

The paper's survey is not published. `train.csv`, `control.csv` and the copy of the first are the
SD2011 survey of Raab (2024), so its Table 4 is made in shape: the figures are the oracle's, which
the cases tie to the specification.
"""

import csv
import json
import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from golden.published import SD2011_KEYS, SYNTHPOP
from oracles import confidentiality as oracle
from oracles.compare import assert_agrees
from oracles.values import canonical
from unveil.measure.cap.differential import differential_confidentiality
from unveil.view import differential as told

MEASURES = SYNTHPOP.parent / "measures" / "cases.json"
PAGE = Path(__file__).parents[2] / "docs" / "measures" / "differential_confidentiality.md"
FIELDS = {
    "n_a": "n_included",
    "n_b": "n_left_out",
    "mean_a": "mean_included",
    "mean_b": "mean_left_out",
    "diff": "difference",
    "t": "t",
    "df": "df",
    "p": "p",
}
N_CASES, N_FIGURES = 12, 12 * 2 * len(FIELDS)

if not MEASURES.exists():
    pytest.skip(
        f"{N_FIGURES} figures of the specification and those of the page on differential"
        f" confidentiality went unchecked: {MEASURES.parent} is not there",
        allow_module_level=True,
    )

CASES = [
    case
    for case in json.loads(MEASURES.read_text(encoding="utf-8"))["cases"]
    if case["measure"] == "differential_confidentiality"
]
TARGETS = ("income", "depress", "ls", "marital", "workab")
METHODS = {"CART": "s5_", "Parametric": "parametric5_"}


def framed(rows: list[list]):
    return pl.DataFrame(rows, schema=[f"c{i}" for i in range(len(rows[0]))], orient="row")


def columns(places: list[int]) -> list[str]:
    return [f"c{place}" for place in places]


def told_apart(rows: list[list], given: dict) -> list[tuple]:
    return [
        (tuple(row[k] for k in given["keys"]), tuple(row[t] for t in given["targets"]))
        for row in rows
    ]


def test_all_cases_are_here():
    assert len(CASES) == N_CASES
    assert sum(len(rule) for case in CASES for rule in case["expected"].values()) == N_FIGURES


@pytest.mark.parametrize("rule", oracle.RULES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_unveil_has_the_figures_of_the_specification(case, rule):
    given, expected = case["input"], case["expected"][rule]
    row = differential_confidentiality(
        framed(given["synthesised"]),
        framed(given["held_out"]),
        [framed(copy) for copy in given["synthetic"]],
        keys=columns(given["keys"]),
        target=columns(given["targets"]),
        nonmatch=rule,
        n_bootstrap=100,
        seed=1,
    ).rows[-1]
    for name, field in FIELDS.items():
        assert getattr(row, field) == pytest.approx(expected[name], rel=0, abs=case["tol"]), field


@pytest.mark.parametrize("rule", oracle.RULES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_oracle_has_the_figures_of_the_specification(case, rule):
    given, expected = case["input"], case["expected"][rule]
    included, left_out, *copies = (
        told_apart(rows, given)
        for rows in (given["synthesised"], given["held_out"], *given["synthetic"])
    )
    *_, last = oracle.by_m(included, left_out, copies, rule)
    assert_agrees(last, {field: expected[name] for name, field in FIELDS.items()})


@cache
def read(name: str, target: tuple[str, ...]) -> tuple:
    with (SYNTHPOP / name).open(newline="", encoding="utf-8") as file:
        return tuple(
            (
                tuple(canonical(row[key]) for key in SD2011_KEYS),
                tuple(canonical(row[one]) for one in target),
            )
            for row in csv.DictReader(file)
        )


@cache
def measured(target: tuple[str, ...], rule: str = "zero"):
    return against(SYNTHPOP / "syntrain.csv", target, rule)


def against(copies, target: tuple[str, ...], rule: str = "zero"):
    return differential_confidentiality(
        SYNTHPOP / "train.csv",
        SYNTHPOP / "control.csv",
        copies,
        keys=SD2011_KEYS,
        target=target,
        nonmatch=rule,
        margin=0.05,
        seed=1,
    ).record


@pytest.mark.slow
@pytest.mark.parametrize("rule", oracle.RULES)
@pytest.mark.parametrize("target", [*((one,) for one in TARGETS), ("marital", "ls")])
def test_train_against_control_has_the_figures_of_the_oracle(target, rule):
    included, left_out, copy = (
        read(name, target) for name in ("train.csv", "control.csv", "syntrain.csv")
    )
    (expected,) = oracle.by_m(included, left_out, [copy], rule)
    assert_agrees(measured(target, rule).rows[0].to_dict(), expected)


def page_table(title: str) -> list[list[str]]:
    """The rows of the table under a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [re.split(r" *\| *", line.strip("| ")) for line in lines[2:]]


def assert_shown(shown: list[str], cells: tuple[str, ...]) -> None:
    """A row of the page is what is shown; the interval, drawn by chance, within 0.003."""
    included, left_out, difference, interval, *rest = shown
    assert [included, left_out, difference, *rest] == [*cells[1:4], *cells[5:]]
    for printed, drawn in zip(interval.split(" to "), cells[4].split(" to "), strict=True):
        assert float(printed) == pytest.approx(float(drawn), abs=0.003)


def test_the_page_has_the_figures_of_train_against_control():
    rows = page_table("Table 4 of the paper, on SD2011")
    assert [row[0] for row in rows] == list(TARGETS)
    for target, *shown in rows:
        _, (cells,) = told.table(measured((target,)))
        assert_shown(shown, cells)


def test_the_page_has_the_figures_where_both_groups_were_used():
    rows = page_table("Where both groups were used")
    assert [tuple(row[:2]) for row in rows] == [
        (method, str(m)) for method in METHODS for m in range(1, 6)
    ]
    copies = {
        method: [SYNTHPOP / f"{stem}{number}.csv" for number in range(1, 6)]
        for method, stem in METHODS.items()
    }
    record = against(copies, ("marital",))
    for method in METHODS:
        _, cells = told.table(record, method)
        for shown, row in zip([row for row in rows if row[0] == method], cells, strict=True):
            assert_shown(shown[2:], row)
