"""CAP, WEAP, TCAP and GCAP against the specification's exact fractions and the paper's pattern."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from unveil.measure.cap.cap import cap, fit_on_m
from unveil.measure.cap.cap_table import cap_table
from unveil.measure.cap.gcap import gcap
from unveil.measure.cap.tcap import tcap

REFERENCE = Path(__file__).parents[2] / "../shared/reference"
CASES = REFERENCE / "measures" / "cases.json"
SYNTHPOP = REFERENCE / "synthpop"
N_FIGURES = 6285

if not CASES.exists() or not SYNTHPOP.exists():
    pytest.skip(
        f"{N_FIGURES:,} figures of CAP, TCAP and GCAP went unchecked: ../shared/reference is not"
        " there",
        allow_module_level=True,
    )

ALL = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
CAP = [case for case in ALL if case["measure"] == "cap"]
ON_M = [case for case in ALL if case["measure"] == "cap_on_m"]
# A case whose tolerance is 0.0 has exact fractions; ours are floats, sums of at most some hundred
# quotients, so they may be off by their last binary digits and by nothing more.
EXACT = 1e-12

FIELDS = {
    "n": "n",
    "n_match": "n_match",
    "cap_o": "cap_original",
    "cap_b": "cap_baseline",
    "cap_s_zero": "cap_synthetic_zero",
    "cap_s_undefined": "cap_synthetic_undefined",
}


def frame(rows: list[list]) -> pl.DataFrame:
    columns = zip(*rows, strict=True)
    return pl.DataFrame({f"c{i}": pl.Series(c, dtype=pl.Int64) for i, c in enumerate(columns)})


def asked(case: dict) -> dict:
    given = case["input"]
    return {name: [f"c{i}" for i in given[f"{name}s"]] for name in ("target",)} | {
        "keys": [f"c{i}" for i in given["keys"]]
    }


def tolerance(case: dict) -> float:
    """The case's own, where it has one."""
    return case["tol"] if case["tol"] > 0 else EXACT


def compare(found: object, expected: object, case: dict) -> int:
    """One figure more that agrees."""
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(float(Fraction(expected)), rel=0, abs=tolerance(case))
    return 1


def cap_figures(case: dict) -> int:
    """How many figures of CAP agree, in both scenarios, for every m, and for every record."""
    original, copies = frame(case["input"]["original"]), map(frame, case["input"]["synthetic"])
    copies, expected, n = list(copies), case["expected"], 0
    for scenario in ("full", "uniques"):
        result = cap(original, copies, scenario=scenario, **asked(case))
        pairs = [(result.rows[-1], expected[scenario])]
        if scenario == "full":
            pairs += zip(result.rows, expected["nested"], strict=True)
        for row, figures in pairs:
            n += sum(compare(getattr(row, FIELDS[name]), v, case) for name, v in figures.items())
    scores = cap(original, copies, **asked(case)).scores().to_dicts()
    for found, figures in zip(scores, expected["per_record"], strict=True):
        n += compare(found["cap_original"], figures["cap_o"], case)
        n += compare(found["cap_baseline"], figures["cap_b"], case)
        n += compare(found["cap_synthetic"], figures["cap_s"], case)
        assert (found["unique"], found["matches"]) == (figures["unique"], figures["matches"])
        n += 2
    return n


def targeted_figures(case: dict) -> int:
    """How many figures of WEAP, TCAP and GCAP agree, in the first copy."""
    original, copy = frame(case["input"]["original"]), frame(case["input"]["synthetic"][0])
    expected = case["expected"]
    found = tcap(original, copy, **asked(case)).to_dict()
    half = tcap(original, copy, tau=0.5, **asked(case)).to_dict()
    n = sum(compare(w, v, case) for w, v in zip(found["weap"], expected["weap_m1"], strict=True))
    n += sum(compare(found[name], v, case) for name, v in expected["tcap_m1"].items())
    n += sum(compare(half[name], v, case) for name, v in expected["tcap_tau_half_m1"].items())
    n += compare(found["tcap_raab"], expected["raab_m1"]["TCAP"], case)
    return n + compare(gcap(original, copy, **asked(case)).record.gcap, expected["gcap_m1"], case)


@pytest.mark.parametrize("case", CAP, ids=lambda case: case["id"])
def test_cap_has_the_fractions_of_the_specification(case):
    assert cap_figures(case) + targeted_figures(case) > 0


@pytest.mark.parametrize("case", ON_M, ids=lambda case: case["id"])
def test_the_regression_has_the_figures_of_the_specification(case):
    fit = fit_on_m(case["input"]["m"], case["input"]["cap"])
    for name, value in case["expected"].items():
        assert getattr(fit, name) == pytest.approx(value, rel=case["tol"], abs=case["tol"]), name


# docs/measures/taub_cap.md: SD2011, keys sex, age, region and placesize, target depress.
METHODS = {"CART": "s5", "parametric": "parametric5"}
KEYS = ("sex", "age", "region", "placesize")
PAGE = Path(__file__).parents[2] / "docs" / "measures" / "taub_cap.md"
SLOPES = {  # by method, scenario and rule: slope, p
    ("CART", "full", "zero"): (0.01798, 0.0098),
    ("CART", "full", "undefined"): (0.00089, 0.5488),
    ("CART", "uniques", "zero"): (0.02560, 0.0030),
    ("CART", "special", "zero"): (0.02408, 0.0009),
    ("parametric", "full", "zero"): (0.01382, 0.0195),
    ("parametric", "full", "undefined"): (0.00169, 0.0826),
    ("parametric", "uniques", "zero"): (0.01624, 0.0063),
    ("parametric", "special", "zero"): (0.01034, 0.0060),
}


@cache
def table(target: str, scenarios: tuple[str, ...] = ("full", "uniques", "special")):
    copies = {
        method: [SYNTHPOP / f"{name}_{i}.csv" for i in range(1, 6)]
        for method, name in METHODS.items()
    }
    return cap_table(
        SYNTHPOP / "sd2011_ods.csv", copies, key_sets=[KEYS], target=target, scenarios=scenarios
    )


def documented() -> list[list[str]]:
    """The table of the page: its heads, then a row each for original, baseline, method and m."""
    section = PAGE.read_text(encoding="utf-8").partition("## An example with two methods")[2]
    lines = [line for line in section.partition("## ")[0].splitlines() if line.startswith("|")]
    heads, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return [heads, *rows]


def test_the_documented_table():
    heads, *rows = documented()
    wide = table("depress").wide()
    assert heads[1:] == wide.columns[2:]
    shown = [
        [method if m is None else f"{method} {m}", *(f"{value:.4f}" for value in values)]
        for method, m, *values in wide.rows()
    ]
    assert shown == rows
    n = {row.scenario: row.n for row in table("depress").rows}
    assert n == {"full": 5000, "uniques": 2419, "special": 420}


def test_the_documented_slopes():
    fits = {(fit.method, fit.scenario, fit.nonmatch): fit for fit in table("depress").on_m()}
    for subject, (slope, p) in SLOPES.items():
        assert fits[subject].slope == pytest.approx(slope, abs=5e-6)
        assert fits[subject].p_slope == pytest.approx(p, abs=5e-5)


@pytest.mark.parametrize("target", ["depress", "income", "ls", "marital", "workab"])
def test_the_pattern_of_the_paper(target):
    """CART above parametric; zero-coded CAP rising with m, and below the original throughout."""
    result = table(target, ("full", "uniques")).record
    for scenario in ("full", "uniques"):
        cart, parametric = (result.rows_of(m, KEYS, scenario) for m in METHODS)
        for one, other in zip(cart, parametric, strict=True):
            assert one.cap_synthetic_zero > other.cap_synthetic_zero
            assert one.cap_synthetic_undefined > other.cap_synthetic_undefined
            assert one.cap_synthetic_undefined < one.cap_original
        for rows in (cart, parametric):
            zero = [row.cap_synthetic_zero for row in rows]
            assert zero == sorted(set(zero))
            fit = result.fit(rows[0].method, KEYS, scenario, "zero")
            assert fit.slope > 0
            assert fit.p_slope < 0.05


def test_the_count_of_figures():
    n = sum(cap_figures(case) + targeted_figures(case) for case in CAP)
    n += sum(len(case["expected"]) for case in ON_M)
    n += sum(len(row) - 1 for row in documented()[1:]) + 2 * len(SLOPES)
    assert n == N_FIGURES
