"""CAP by hand, and against the story told record by record."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import raab, taub
from oracles.compare import assert_agrees
from profiles import examples
from scenarios import Scenario, scenarios
from unveil.measure.cap.cap import cap
from unveil.records.cap import Cap

KEYS = ["k1", "k2"]
unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large]


def measured(*copies: list[str], original=ORIGINAL, **given):
    return cap(people(original), [people(copy) for copy in copies], keys=KEYS, target="t", **given)


def row(*copies: list[str], **given) -> dict:
    return measured(*copies, **given).rows[-1].to_dict()


def test_everyone_by_hand():
    # a x: the copy says p, right for one of two. a y: it says q, wrong. b x: not there. b y: it
    # says q half the time, for two people who have q. By frequency: two of six have p, four q.
    found = row(SYNTHETIC)
    assert (found["n"], found["n_match"], found["match_rate"]) == (6, 5, pytest.approx(5 / 6))
    assert found["cap_original"] == pytest.approx(5 / 6)
    assert found["cap_baseline"] == pytest.approx(5 / 9)
    assert found["cap_synthetic_zero"] == pytest.approx(1 / 3)
    assert found["cap_synthetic_undefined"] == pytest.approx(2 / 5)
    # The same without b x, who has q and is alone: two of the five have p, three q.
    assert found["cap_original_matched"] == pytest.approx(4 / 5)
    assert found["cap_baseline_matched"] == pytest.approx((2 * 2 / 6 + 3 * 4 / 6) / 5)
    assert (found["n_settled"], found["n_right"]) == (3, 1)  # both of a x, and a y


def test_those_alone_with_their_keys_by_hand():
    found = row(SYNTHETIC, scenario="uniques")
    assert (found["n"], found["n_match"], found["cap_original"]) == (2, 1, 1.0)
    assert (found["cap_synthetic_zero"], found["cap_baseline"]) == (0.0, 0.5)


def test_two_copies_are_pooled_not_averaged():
    first, second = measured(SYNTHETIC, ["bxq", "axq"]).rows
    assert (first.m, second.m) == (1, 2)
    assert first.cap_synthetic_zero == pytest.approx(1 / 3)
    assert (second.n_match, second.cap_synthetic_zero) == (6, 0.5)
    assert second.cap_synthetic_undefined == 0.5


def test_a_joint_target_is_right_only_where_every_part_is():
    original = pl.DataFrame({"k": ["a", "a"], "t": ["p", "q"], "u": ["x", "y"]})
    copy = pl.DataFrame({"k": ["a", "a"], "t": ["p", "q"], "u": ["x", "x"]})
    found = cap(original, copy, keys="k", target=["t", "u"]).rows[0]
    assert found.target == ("t", "u")
    assert (found.cap_synthetic_zero, found.cap_original, found.cap_baseline) == (0.25, 0.5, 0.5)


def test_a_mask_says_who_is_scored_against_the_whole_of_the_original():
    mask = [True, False, False, True, False, False]  # a x p, right, and b x q, not found
    found = row(SYNTHETIC, mask=mask)
    assert (found["scenario"], found["n"], found["n_match"]) == ("mask", 2, 1)
    assert (found["cap_synthetic_zero"], found["cap_synthetic_undefined"]) == (0.5, 1.0)
    assert found["cap_baseline"] == pytest.approx((2 / 6 + 4 / 6) / 2)
    assert row(SYNTHETIC, mask=mask, scenario="special")["scenario"] == "special"


def test_special_uniques_are_found_without_a_mask():
    # Everyone alone with both keys; those who stand out by one key alone are the special ones.
    original = ["axp", "ayp", "bxp", "byq", "czq"]
    result = measured(["axp"], original=original, scenario="special")
    assert result.scores()["row"].to_list() == [4]


def test_nobody_in_the_scenario_is_not_measured():
    result = measured(SYNTHETIC, original=["axp", "axq"], scenario="uniques")
    (found,) = result.rows
    assert (found.n, found.n_match, found.cap_original, found.cap_synthetic_zero) == (
        0,
        0,
        None,
        None,
    )
    reasons = {(one.field, one.reason) for one in result.record.not_measured}
    assert ("cap_baseline", "no original record is in this scenario") in reasons


def test_nobody_matched_is_zero_or_not_measured():
    result = measured(["ayp", "bxp"], original=["axp", "byq"])
    (found,) = result.rows
    assert (found.n_match, found.cap_synthetic_zero, found.cap_synthetic_undefined) == (
        0,
        0.0,
        None,
    )
    assert {one.field: one.reason for one in result.record.not_measured} == dict.fromkeys(
        ("cap_synthetic_undefined", "cap_original_matched", "cap_baseline_matched"),
        "no original record of this scenario has keys that the synthetic files have",
    )


def test_scores_record_by_record():
    scores = measured(SYNTHETIC, ["bxq", "axq"]).scores(m=1)
    assert scores["row"].to_list() == list(range(6))
    assert scores["cap_synthetic"].to_list() == [1.0, 0.0, 0.0, None, 0.5, 0.5]
    assert scores["matches"].to_list() == [2, 2, 1, 0, 2, 2]
    assert scores["unique"].to_list() == [False, False, True, True, False, False]
    assert scores["right"].to_list() == [True, False, False, False, False, False]
    uniques = measured(SYNTHETIC, scenario="uniques").scores()
    assert uniques["row"].to_list() == [2, 3]


def test_no_view_of_the_result_has_a_record_of_the_data():
    result = measured(SYNTHETIC)
    shown = result.to_json() + repr(result) + result._repr_html_() + str(result.to_dict())
    assert "scores" not in shown
    assert "_classes" not in repr(result)
    assert Cap.from_json(result.to_json()) == result.record


def test_missing_is_a_level():
    original = pl.DataFrame({"k": ["a", None], "t": ["p", None]})
    copy = pl.DataFrame({"k": ["a", None, None], "t": ["q", None, "p"]})
    found = cap(original, copy, keys="k", target="t").rows[0]
    assert (found.n_match, found.cap_synthetic_zero) == (2, 0.25)


def joint_files(scenario: Scenario) -> list[list[tuple]]:
    keys = [scenario.column(name) for name in scenario.keys]
    targets = [scenario.column(name) for name in scenario.targets]
    return [
        list(
            zip(
                zip(*(key[i] for key in keys), strict=True),
                zip(*(target[i] for target in targets), strict=True),
                strict=True,
            )
        )
        for i in range(len(scenario.sides))
    ]


@pytest.mark.slow
@examples(100, suppress_health_check=unhurried)
@given(scenarios(), st.randoms(use_true_random=False))
def test_every_figure_equals_its_story(scenario, chance):
    original, *copies = joint_files(scenario)
    mask = [chance.random() < 0.5 for _ in original]
    chosen = {"full": None, "uniques": taub.uniques(original), "mask": mask}
    given_copies = list(scenario.copies)
    for name, people_chosen in chosen.items():
        result = cap(
            scenario.original,
            given_copies,
            keys=scenario.keys,
            target=scenario.targets,
            scenario=name,
            mask=mask if name == "mask" else None,
        )
        for found, pool in zip(result.rows, taub.pools(copies), strict=True):
            expected = taub.cap(original, pool, people_chosen)
            assert_agrees(found.to_dict(), expected, f"{name}, m = {found.m}")


@examples(60, suppress_health_check=unhurried)
@given(scenarios(max_rows=30, max_levels=2, max_copies=3, plain=True))
def test_scores_equal_their_story_where_many_share_their_keys(scenario):
    original, *copies = joint_files(scenario)
    result = cap(
        scenario.original, list(scenario.copies), keys=scenario.keys, target=scenario.targets
    )
    for m, pool in enumerate(taub.pools(copies), start=1):
        for (key, target), found in zip(original, result.scores(m).to_dicts(), strict=True):
            seen = taub.matches(key, pool)
            expected = {
                "cap_original": taub.score(target, taub.matches(key, original)),
                "cap_synthetic": taub.score(target, seen),
                "matches": len(seen),
            }
            assert_agrees(found, expected, f"m = {m}")


@examples(60, suppress_health_check=unhurried)
@given(scenarios(max_copies=2, plain=True))
def test_zero_coded_cap_is_dcap_and_right_is_disco(scenario):
    target = scenario.targets[0]
    original, *copies = scenario.files(target)
    found = cap(scenario.original, list(scenario.copies), keys=scenario.keys, target=target)
    for m, seen in enumerate(found.rows, start=1):
        pool = [line for copy in copies[:m] for line in copy]
        figures = raab.attribute(original, pool)
        n = len(original)
        assert_agrees(
            {
                "DCAP": 100 * seen.cap_synthetic_zero,
                "CAPd": 100 * seen.cap_original,
                "baseCAPd": 100 * seen.cap_baseline,
                "iS": 100 * seen.n_match / n,
                "DiS": 100 * seen.n_settled / n,
                "DiSCO": 100 * seen.n_right / n,
            },
            {name: figures[name] for name in ("DCAP", "CAPd", "baseCAPd", "iS", "DiS", "DiSCO")},
        )


@examples(40, suppress_health_check=unhurried)
@given(scenarios(plain=True), st.randoms(use_true_random=False))
def test_order_of_rows_and_of_copies_in_the_pool_means_nothing(scenario, chance):
    def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
        order = list(range(frame.height))
        chance.shuffle(order)
        return frame[order]

    plain = {"keys": scenario.keys, "target": scenario.targets}
    before = cap(scenario.original, list(scenario.copies), **plain).rows[-1]
    mixed = [shuffled(copy) for copy in reversed(scenario.copies)]
    after = cap(shuffled(scenario.original), mixed, **plain).rows[-1]
    assert before == after
