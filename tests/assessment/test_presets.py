"""Limits one could start from, and where each comes from."""

import pytest

from unveil.assessment.context import (
    FACTORS,
    QUESTIONS,
    RULES,
    can_rule_together,
    is_quick_route,
    parse_factor,
    rule_of,
)
from unveil.assessment.limits import OURS, limits_of, preset
from unveil.errors import SettingsError
from unveil.records.limits import MEASURES, limits_fault

AUDIENCES = ("closed", "registered", "open")


def values(audience):
    return {one.measure: (one.review, one.limit) for one in preset(audience, declared=None)}


def test_limits_tighten_from_closed_to_open():
    closed, registered, opened = (values(one) for one in AUDIENCES)
    for name in closed:
        for looser, tighter in ((closed, registered), (registered, opened)):
            assert looser[name] >= tighter[name]
            assert looser[name][1] >= tighter[name][1]
    assert closed["DiSCO"] > registered["DiSCO"] > opened["DiSCO"]


def test_published_values_name_their_origin_and_all_others_say_that_there_is_none():
    for audience in AUDIENCES:
        origins = {one.measure: one.origin for one in preset(audience, declared=None)}
        assert origins.pop("ECAP") == "Chapelle and Falissard: at most 0.2, better 0.1"
        assert "vignette" in origins.pop("S_pMSE")
        assert set(origins.values()) == {OURS} == {"no published value: your decision"}


def test_published_values_are_the_same_for_everybody():
    for audience in AUDIENCES:
        assert values(audience)["ECAP"] == (0.1, 0.2)
        assert values(audience)["S_pMSE"] == (3, 10)


def test_every_preset_is_a_limit_that_means_something():
    for audience in AUDIENCES:
        for name, pair in values(audience).items():
            assert limits_fault(name, *pair) is None
            assert {one.unit for one in preset(audience) if one.measure == name} <= {
                MEASURES[name].unit
            }


def test_what_the_project_cannot_measure_has_no_limit():
    assert [one.measure for one in preset("open")] == ["repU", "DiSCO", "S_pMSE"]
    with_control = [one.measure for one in preset("open", declared=("control",))]
    assert with_control == ["repU", "DiSCO", "R", "membership", "S_pMSE"]
    with_plan = {one.measure: one.limit for one in preset("closed", declared=("plan",))}
    assert with_plan["recovered"] == 0


def test_without_an_audience_the_strictest_are_proposed():
    assert preset(None) == preset("open")


def test_limits_of_a_project_say_whether_they_are_those_of_the_preset():
    as_proposed, own, published = limits_of({"DiSCO": (5, 10), "repU": (7, 9), "ECAP": (0.05, 0.2)})
    assert as_proposed.origin == OURS
    assert own.origin == f"set for this project; {OURS}"
    assert published.origin.startswith("set for this project; Chapelle")


def test_each_audience_has_a_stated_rule_and_none_is_taken_for_open():
    assert set(RULES) == set(AUDIENCES)
    assert rule_of(None) == f"No audience is stated, so it is taken to be open. {RULES['open']}"
    assert [can_rule_together(one) for one in (*AUDIENCES, None)] == [True, True, False, False]


@pytest.mark.parametrize("audience", [*AUDIENCES, None])
def test_the_quick_route_is_for_closed_alone_and_only_with_its_exclusion(audience):
    assert not is_quick_route(audience, ["max-denominator=2", "missing-targets"])
    assert is_quick_route(audience, ["max-denominator=1"]) == (audience == "closed")


def test_the_five_factors_are_raabs_in_his_order():
    assert [QUESTIONS[name].item for name in FACTORS] == ["a", "b", "c", "d", "e"]
    assert all(asked.question.endswith("?") for asked in QUESTIONS.values())


def test_an_unknown_factor_names_its_neighbour():
    with pytest.raises(SettingsError) as refusal:
        parse_factor("intruder_knowlege")
    assert str(refusal.value) == (
        "There is no question 'intruder_knowlege'. Did you mean 'intruder_knowledge'? The five are:"
        " release_context, taken_for_real, other_sources, intruder_knowledge, method_released."
    )
