"""Several methods, key sets and scenarios in one call, in the layout of the paper."""

import pytest

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.errors import InputError
from unveil.measure.cap.cap import cap
from unveil.measure.cap.cap_table import cap_table
from unveil.measure.cap.gcap import gcap
from unveil.measure.cap.prepare import parse_key_sets
from unveil.measure.cap.tcap import tcap

OTHER = ["axq", "bxq", "cyp"]
THIRD = ["ayp", "byq"]
METHODS = {"CART": [people(SYNTHETIC), people(OTHER)], "parametric": people(THIRD)}
KEY_SETS = [["k1"], ["k2", "k1"]]


def measured(**given):
    settings = {"key_sets": KEY_SETS, "target": "t", **given}
    return cap_table(people(ORIGINAL), METHODS, **settings)


def test_every_row_is_that_of_a_call_of_its_own():
    result = measured(scenarios=["uniques", "full", "mask"], mask=[True, False] * 3)
    expected = []
    for method, copies in METHODS.items():
        for keys in KEY_SETS:
            for scenario in ("uniques", "full", "mask"):
                mask = [True, False] * 3 if scenario == "mask" else None
                alone = cap(
                    people(ORIGINAL), copies, keys=keys, target="t", scenario=scenario, mask=mask
                )
                expected += [{**row.to_dict(), "method": method} for row in alone.rows]
    assert [row.to_dict() for row in result.rows] == expected


def test_the_layout_of_the_paper():
    wide = measured(scenarios=["full", "uniques"]).wide()
    assert wide.columns == [
        "method",
        "m",
        "zero full Key 1",
        "zero full Key 2",
        "zero uniques Key 1",
        "zero uniques Key 2",
        "undefined full Key 1",
        "undefined full Key 2",
        "undefined uniques Key 1",
        "undefined uniques Key 2",
    ]
    assert wide.select("method", "m").rows() == [
        ("original", None),
        ("baseline", None),
        ("CART", 1),
        ("CART", 2),
        ("parametric", 1),
    ]
    both = wide["zero full Key 2"].to_list()
    assert both[:3] == [pytest.approx(5 / 6), pytest.approx(5 / 9), pytest.approx(1 / 3)]
    one_set = measured(key_sets=["k1", "k2"]).wide()
    assert one_set.columns[2] == "zero full"


def test_key_sets_have_names_from_their_size_their_keys_or_the_user():
    assert [one.name for one in measured().record.key_sets] == ["Key 1", "Key 2"]
    assert [one.name for one in measured(key_sets=[["k1"], ["k2"]]).record.key_sets] == ["k1", "k2"]
    named = measured(key_sets={"small": "k1", "large": ["k1", "k2"]})
    assert [(one.name, one.keys) for one in named.record.key_sets] == [
        ("small", ("k1",)),
        ("large", ("k1", "k2")),
    ]


def test_regressions_of_every_method_and_rule():
    found = measured().on_m()
    assert len(found) == 2 * 2 * 2 * 2  # methods, key sets, scenarios, rules
    assert {row.nonmatch for row in measured().on_m("undefined")} == {"undefined"}


def test_masks_by_key_set_and_by_a_function_of_the_keys():
    everyone, nobody = [True] * 6, [False] * 6
    by_name = measured(scenarios="special", mask={"Key 1": everyone, "Key 2": nobody})
    by_keys = measured(
        scenarios="special", mask=lambda keys: everyone if len(keys) == 1 else nobody
    )
    assert by_name.rows == by_keys.rows
    assert [row.n for row in by_name.rows] == [6, 6, 0, 0, 6, 0]


def test_beside_the_scenario_mask_special_uniques_are_those_of_suda():
    everyone = [True] * 6
    both = measured(scenarios=["special", "mask"], mask=everyone).rows
    assert [row for row in both if row.scenario == "special"] == [
        *measured(scenarios="special").rows
    ]
    assert [row for row in both if row.scenario == "mask"] == [
        *measured(scenarios="mask", mask=everyone).rows
    ]
    assert {row.n for row in measured(scenarios="special", mask=everyone).rows} == {6}


def test_special_uniques_are_those_of_each_key_set():
    special = measured(scenarios=["special", "uniques"])
    n = {(row.keys, row.scenario): row.n for row in special.rows}
    assert n[("k1",), "special"] == n[("k1",), "uniques"] == 0
    assert 0 < n[("k2", "k1"), "special"] <= n[("k2", "k1"), "uniques"]


def test_tcap_and_gcap_from_the_same_counts():
    result = measured(tau=0.5, gcap=True).record
    for method, copies in METHODS.items():
        for keys in KEY_SETS:
            alone = {"keys": keys, "target": "t"}
            rows = tcap(people(ORIGINAL), copies, tau=0.5, **alone).rows
            found = [r for r in result.tcap if (r.method, r.keys) == (method, tuple(keys))]
            assert [{**r.to_dict(), "method": method} for r in rows] == [r.to_dict() for r in found]
            rows = gcap(people(ORIGINAL), copies, **alone).rows
            found = [r for r in result.gcap if (r.method, r.keys) == (method, tuple(keys))]
            assert [{**r.to_dict(), "method": method} for r in rows] == [r.to_dict() for r in found]
    assert measured().record.tcap == measured().record.gcap == ()


def test_tcap_that_is_not_measured_has_its_reason():
    result = measured(key_sets=["k1"], tau=1.0).record
    lacking = {(one.m, one.field) for one in result.not_measured if one.scenario is None}
    assert lacking == {
        (row.m, name)
        for row in result.tcap
        for name, value in row.to_dict().items()
        if value is None
    }
    assert (1, "tcap_uniques") in lacking


def test_the_frame_has_a_row_for_each_row():
    result = measured()
    assert result.frame().height == len(result.rows) == 3 * 2 * 2
    assert "_repr_html_" in dir(result)


def test_key_sets_are_one_text_a_list_or_anything_to_go_through():
    (wanted,) = parse_key_sets([["k10"]])
    assert (wanted.name, wanted.keys) == ("Key 1", ("k10",))
    for given in ("k10", ["k10"], ("k10",), iter([["k10"]])):
        assert parse_key_sets(given) == (wanted,)
    with pytest.raises(InputError):
        parse_key_sets(None)
