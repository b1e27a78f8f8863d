import pytest

from measure.small import ORIGINAL, SYNTHETIC, measured
from unveil.assessment.limits import check_limits, is_limit_exceeded, parse_limits
from unveil.errors import SettingsError

RECORD = measured(ORIGINAL, SYNTHETIC).record  # DiSCO 16.67, repU 16.67, TCAP 20


@pytest.mark.parametrize(
    ("limits", "status", "shut"),
    [
        ({"DiSCO": 10}, "above", True),
        ({"DiSCO": 17}, "within", False),
        ({"TCAP": 20}, "within", False),  # at the limit is within
        ({"repU": 5}, "above", True),
        ({"DiSDiO": 0}, "within", False),
    ],
)
def test_a_figure_is_above_its_limit_or_within(limits, status, shut):
    verdicts = check_limits(RECORD, limits)
    assert [verdict.status for verdict in verdicts] == [status]
    assert is_limit_exceeded(verdicts) == shut


def test_without_limits_nothing_is_judged():
    assert check_limits(RECORD, {}) == ()
    assert not is_limit_exceeded(())


def test_every_copy_and_the_pool_are_judged_and_the_mean_is_not():
    record = measured(ORIGINAL, SYNTHETIC, ["axp", "ayp"]).record
    verdicts = check_limits(record, {"DiSCO": 50})
    assert [verdict.copy for verdict in verdicts] == [1, 2, "pooled"]


def test_what_could_not_be_measured_keeps_the_gate_shut():
    record = measured(["axp", "byq"], ["ayp", "bxq"]).record
    (verdict,) = check_limits(record, {"TCAP": 90})
    assert (verdict.status, verdict.value) == ("not measured", None)
    assert is_limit_exceeded([verdict])


def test_limits_as_people_type_them():
    assert parse_limits(["DiSCO=10", "repU=2.5"]) == {"DiSCO": 10.0, "repU": 2.5}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("DiSCO", "'DiSCO' is not a limit. Write it as DiSCO=10."),
        (
            "DiSCO=ten",
            "The limit of DiSCO is 'ten', which is not a number. Write it as DiSCO=10.",
        ),
        (
            "DiSCO=101",
            "The limit of DiSCO is 101. It is a percentage of people: write a number from 0 to"
            " 100.",
        ),
        (
            "DiSCO=nan",
            "The limit of DiSCO is 'nan', which is not a number. Write it as DiSCO=10.",
        ),
        (
            "disco=10",
            "No limit can be set on 'disco'. Did you mean 'DiSCO'? Limits can be set on: UiO, UiS,"
            " UiOiS, repU, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO, CAPd, CAPs, DCAP, TCAP, adds,"
            " real_records, tied, sensitive.",
        ),
    ],
)
def test_limits_that_mean_nothing(text, sentence):
    with pytest.raises(SettingsError) as refusal:
        parse_limits([text])
    assert str(refusal.value) == sentence


def test_two_limits_for_one_measure_are_refused():
    with pytest.raises(SettingsError, match="DiSCO is given two limits"):
        parse_limits(["DiSCO=10", "DiSCO=20"])
