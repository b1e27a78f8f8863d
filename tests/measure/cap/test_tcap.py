"""Four measures called TCAP: by hand, and against the story told record by record."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import taub
from oracles.compare import assert_agrees
from profiles import examples
from scenarios import scenarios
from unveil.measure.cap.cap import cap
from unveil.measure.cap.tcap import tcap

unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large]


def measured(original, *copies, **given):
    frames = [people(copy) for copy in copies]
    return tcap(people(original), frames, keys=["k1", "k2"], target="t", **given)


def reasons(record) -> dict[str, str]:
    return {one.field: one.reason for one in record.not_measured}


def test_by_hand():
    # Sure: both a x (p), a y (q) and c x (p). c x is not in the original; of its two a x one has p,
    # its a y has p.
    found = measured(ORIGINAL, SYNTHETIC).to_dict()
    assert found["weap"] == [1.0, 1.0, 1.0, 0.5, 0.5, 1.0]
    assert (found["n_selected"], found["n_undefined"]) == (4, 1)
    assert (found["tcap"], found["tcap_zero"]) == (pytest.approx(1 / 3), 0.25)
    assert found["tcap_raab"] == 20.0
    assert (found["tcap_uniques"], found["n_uniques"]) == (0.0, 2)
    # Shown are p of both a x, and q of a y: correct for one of three, and for one of five matched.
    assert (found["correct_if_determined"], found["n_determined"]) == (pytest.approx(100 / 3), 3)
    # At random p is correct for 2 of 6, q for 4 of 6: (2/6 + 2/6 + 4/6) of three, or of five.
    assert found["correct_if_determined_baseline"] == pytest.approx(400 / 9)
    assert found["tcap_raab_baseline"] == pytest.approx(80 / 3)
    assert found["tcap_baseline"] == pytest.approx((2 / 6 + 2 / 6 + 4 / 6) / 3)
    assert found["tcap_uniques_baseline"] == pytest.approx((2 / 6 + 4 / 6) / 2)


def test_a_lower_threshold_selects_more():
    found = measured(ORIGINAL, SYNTHETIC, tau=0.5).record
    assert (found.n_selected, found.n_undefined) == (6, 1)
    assert found.tcap == pytest.approx((0.5 + 0.5 + 0 + 1 + 0) / 5)


def test_raabs_is_the_one_of_disclosure():
    disclosed = unveil.disclosure(
        people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], targets="t"
    )
    assert measured(ORIGINAL, SYNTHETIC).record.tcap_raab == disclosed.attribute[0].TCAP


def test_nothing_sure_is_not_measured():
    found = measured(["axp"], ["axp", "axq"]).record
    assert (found.n_selected, found.tcap, found.tcap_zero) == (0, None, None)
    why = "no synthetic record reaches tau for its target"
    single = "the synthetic files show a single target for no original record"
    assert reasons(found) == {
        **dict.fromkeys(("tcap", "tcap_zero", "tcap_baseline"), why),
        **dict.fromkeys(("correct_if_determined", "correct_if_determined_baseline"), single),
    }


def test_nobody_has_the_keys_of_what_is_sure():
    found = measured(["axp", "byp"], ["ayp", "bxq"]).record
    assert (found.n_selected, found.n_undefined, found.tcap, found.tcap_zero) == (2, 2, None, 0.0)
    assert (found.tcap_raab, found.tcap_uniques) == (None, 0.0)
    told = {name: why for name, why in reasons(found).items() if "baseline" not in name}
    assert told == {
        "tcap": "no key combination of the original reaches tau in the synthetic files",
        "tcap_raab": "no original record has keys that the synthetic files have",
        "correct_if_determined": "the synthetic files show a single target for no original record",
    }


def test_nobody_alone_with_their_keys():
    found = measured(["axp", "axq"], ["axp"]).record
    assert (found.n_uniques, found.tcap_uniques) == (0, None)
    why = "no original record is unique on its keys"
    assert reasons(found) == dict.fromkeys(("tcap_uniques", "tcap_uniques_baseline"), why)


def test_reasons_are_given_for_every_m():
    result = measured(["axp"], ["axp", "axq"], ["axp"])
    assert {(one.m, one.field) for one in result.record.not_measured} == {
        (m, name)
        for m in (1, 2)
        for name in (
            *("tcap", "tcap_zero", "tcap_baseline"),
            *("correct_if_determined", "correct_if_determined_baseline"),
        )
    }
    assert measured(ORIGINAL, SYNTHETIC).record.not_measured == ()


def test_copies_are_pooled():
    result = measured(ORIGINAL, SYNTHETIC, ["axq"])
    first, both = result.rows
    assert (first.n_selected, both.n_selected) == (4, 2)  # a x is no longer sure
    assert (both.n_synthetic, result.record.tcap) == (7, both.tcap)
    assert len(result.weap) == 7
    assert result.weap[-1] == pytest.approx(1 / 3)


def test_the_threshold_is_compared_with_the_quotient():
    # 3 of 30 are 0.1, although 0.1 * 30 is a little more than 3.
    copy = ["axp"] * 3 + ["axq"] * 27
    assert measured(["axp"], copy, tau=0.1).record.n_selected == 30


def test_no_view_has_a_record_of_the_data():
    result = measured(ORIGINAL, SYNTHETIC)
    assert "weap" not in result.to_json() + repr(result) + result._repr_html_()


@pytest.mark.parametrize("tau", [0, -1, 1.5, float("nan"), "1", None, True])
def test_a_threshold_outside_0_to_1_is_refused(tau):
    with pytest.raises(
        unveil.SettingsError, match=r"tau is .*\. It must be a number above 0 and at most 1\."
    ):
        measured(ORIGINAL, SYNTHETIC, tau=tau)


@pytest.mark.slow
@examples(120, suppress_health_check=unhurried)
@given(scenarios(), st.sampled_from([1.0, 0.5, 1 / 3, 0.75]))
def test_every_figure_equals_its_story(scenario, tau):
    target = scenario.targets[0]
    original, *copies = [
        [(key, (value,)) for key, value in file] for file in scenario.files(target)
    ]
    result = tcap(
        scenario.original, list(scenario.copies), keys=scenario.keys, target=target, tau=tau
    )
    for found, pool in zip(result.rows, taub.pools(copies), strict=True):
        expected = taub.tcap(original, pool, tau) | {"tcap_raab": taub.tcap_raab(original, pool)}
        assert_agrees(found.to_dict(), expected, f"m = {found.m}")
    pool = taub.pools(copies)[-1]
    assert result.weap.tolist() == pytest.approx([float(w) for w in taub.weap(pool)])


@examples(40, suppress_health_check=unhurried)
@given(scenarios(plain=True))
def test_the_one_for_uniques_is_zero_coded_cap_on_key_uniques(scenario):
    files = scenario.original, list(scenario.copies)
    asked = {"keys": scenario.keys, "target": scenario.targets}
    found = [row.tcap_uniques for row in tcap(*files, **asked).rows]
    rows = cap(*files, **asked, scenario="uniques").rows
    assert found == [row.cap_synthetic_zero for row in rows]
