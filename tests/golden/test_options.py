"""unveil against synthpop 1.9-3 under its options: exclusions, groups, and many targets at once.

What is not compared, and why (`test_what_is_not_compared` holds the numbers):

- Identity figures under exclusions of anything but missing keys. synthpop counts keys in the tables
  that are left, so that taking out answers makes people unique; ours leave identity alone.
- Records left out of DiSCO and DiSDiO where synthpop's two tables were misaligned (a numeric target
  of Adult): only those two sums need a cell of one table beside the same cell of the other. The six
  other sums are compared, and so are the recomputed figures.
- Reasons for which a case has no exclusion: zero there, and nothing of ours to compare with it.
"""

import pytest

from golden import published
from golden.calls import (
    Call,
    attribute_expected,
    call_of,
    header_of,
    identity_expected,
    measured,
    reason_of,
    removed_expected,
    without_exclusions,
)
from golden.published import FIGURES, SD2011_KEYS, skip_unless_there
from oracles.compare import assert_agrees
from scenarios import figures_of

skip_unless_there("test_options")

CASES = published.cases_with_options()
EXCLUDING = [case for case in CASES if call_of(case).exclude]
CALLS = sorted({call_of(case) for case in EXCLUDING}, key=repr)

ODS, S1, FIVE = "sd2011_ods.csv", ("s1.csv",), tuple(f"s5_{i}.csv" for i in range(1, 6))
# The tables of multi.disclosure: what was measured, and with which of the two measures.
MULTI = {
    "multi_s1_DiSCO": (Call(ODS, S1, SD2011_KEYS), "Dorig", "DiSCO"),
    "multi_s1_DCAP": (Call(ODS, S1, SD2011_KEYS), "CAPd", "DCAP"),
    "multi_s5_DiSCO": (Call(ODS, FIVE, SD2011_KEYS), "Dorig", "DiSCO"),
    "multi_s1_ng20": (
        Call(ODS, S1, SD2011_KEYS, bands=(("income", 20), ("depress", 20))),
        "Dorig",
        "DiSCO",
    ),
    "multi_s1_notlev": (Call(ODS, S1, SD2011_KEYS, exclude=("workab=NO",)), "Dorig", "DiSCO"),
    "multi_train_DiSCO": (
        Call("train.csv", ("syntrain.csv",), SD2011_KEYS),
        "Dorig",
        "DiSCO",
    ),
    "multi_train_DCAP": (Call("train.csv", ("syntrain.csv",), SD2011_KEYS), "CAPd", "DCAP"),
    "multi_control_DiSCO": (
        Call("control.csv", ("syntrain.csv",), SD2011_KEYS),
        "Dorig",
        "DiSCO",
    ),
    "multi_control_DCAP": (Call("control.csv", ("syntrain.csv",), SD2011_KEYS), "CAPd", "DCAP"),
}


def removed_measured(result, target: str, copy: int) -> dict:
    found: dict[str, int] = {}
    rows = [r for r in result.to_dict()["excluded"] if (r["target"], r["copy"]) == (target, copy)]
    assert rows[-1]["rule"] is None
    for row in rows:
        for table in row.keys() - {"target", "copy", "rule"}:
            name = f"{table}, {reason_of(row['rule'])}"
            found[name] = found.get(name, 0) + row[table]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_figure_of_synthpop_under_its_options_is_ours(case):
    figures = figures_of(measured(call_of(case)))
    assert len(case["syntheses"]) == len(case["syn"])
    for copy, synthesis in enumerate(case["syntheses"], 1):
        assert_agrees(figures["identity", copy], identity_expected(case, synthesis))
        row = figures[f"target {case['target']}", copy]
        assert_agrees(row, attribute_expected(case, synthesis))


@pytest.mark.parametrize("case", EXCLUDING, ids=lambda case: case["id"])
def test_every_exclusion_removes_the_records_it_does_in_synthpop(case):
    result = measured(call_of(case))
    assert tuple(result.to_dict()["exclude"]) == call_of(case).exclude
    for copy, synthesis in enumerate(case["syntheses"], 1):
        assert_agrees(
            removed_measured(result, case["target"], copy), removed_expected(case, synthesis)
        )


@pytest.mark.parametrize(
    "case", [c for c in published.all_cases() if c not in EXCLUDING], ids=lambda case: case["id"]
)
def test_nothing_is_removed_without_an_exclusion(case):
    assert measured(call_of(case)).to_dict()["excluded"] == ()
    for synthesis in case["syntheses"]:
        removed_expected(case, synthesis)  # nor in synthpop


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.keys} {call.exclude}")
def test_a_what_if_has_the_figures_of_a_fresh_count(call):
    whatif = measured(without_exclusions(call)).whatif(exclude=list(call.exclude))
    assert whatif.to_dict() == measured(call).to_dict()


@pytest.mark.parametrize("name", MULTI)
def test_every_table_of_many_targets(name):
    call, original, synthetic = MULTI[name]
    figures = figures_of(measured(call))
    assert_agrees(figures["identity", 1], published.multi_identity(name))
    copy = 1 if len(call.synthetic) == 1 else "mean"
    for target, expected in published.multi(name).items():
        row = figures[f"target {target}", copy]
        assert_agrees({"original": row[original], "synthetic": row[synthetic]}, expected, target)


def test_all_tables_of_many_targets_are_compared():
    assert {*MULTI, "table3"} == set(published.golden()["multi"])


def test_keys_used_without_their_missing_level_are_in_the_order_of_the_file():
    """synthpop takes the wrong key where they are not, and these figures would be wrong."""
    per_key = [c for c in CASES if isinstance(c["options"].get("usekeysNA"), list)]
    assert len(per_key) == 3
    for case in per_key:
        in_order = [name for name in header_of(case["orig"]) if name in case["keys"]]
        assert in_order == list(case["keys"])


def pairs_of(cases: list[dict]) -> list[tuple[dict, dict]]:
    return [(case, synthesis) for case in cases for synthesis in case["syntheses"]]


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    figures = sum(
        len(identity_expected(*pair)) + len(attribute_expected(*pair)) for pair in pairs_of(CASES)
    )
    removed = sum(len(removed_expected(*pair)) for pair in pairs_of(EXCLUDING))
    tables = sum(
        len(published.multi_identity(name)) + sum(map(len, published.multi(name).values()))
        for name in MULTI
    )
    assert (len(CASES), len(pairs_of(CASES))) == (72, 84)
    assert figures + removed + tables == FIGURES["test_options"]


def test_what_is_not_compared():
    identity = sum(
        len(synthesis["ident"]) - len(identity_expected(case, synthesis))
        for case, synthesis in pairs_of(CASES)
    )
    across = [
        (case, synthesis)
        for case, synthesis in pairs_of(EXCLUDING)
        if not synthesis["aligned_check"]
    ]
    removed = sum(
        2 * len({reason_of(rule) for rule in (*call_of(case).exclude, None)}) for case, _ in across
    )
    assert (identity, len(across), removed) == (216, 11, 58)
