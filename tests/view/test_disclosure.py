"""Every number in every sentence is derived again from the record, by other means."""

import re
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, measured
from unveil.examples import KEYS, survey, survey_synthetic
from unveil.view import disclosure

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def rounded(value: float) -> str:
    return str(Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_EVEN)) if value else "0"


@pytest.fixture(scope="module")
def record():
    return unveil.disclosure(survey(), survey_synthetic(), keys=KEYS).record


def test_the_numbers_of_the_identity_sentences(record):
    row = record.identity[0]
    for symbol, text in disclosure.identity(record, row).items():
        value = getattr(row, symbol)
        expected = [rounded(value), f"{round(value * 50):,}", "5,000"]
        assert numbers(text) == expected, symbol


def test_the_numbers_of_the_attribute_sentences(record):
    for row in record.attribute:
        said = disclosure.attribute(record, row)
        assert list(said) == ["DiSCO", "iS, DiS", "DCAP", "removed"]
        found = [rounded(row.DiSCO), f"{round(row.DiSCO * 50):,}", "5,000", rounded(row.Dorig)]
        assert numbers(said["DiSCO"]) == found
        assert numbers(said["iS, DiS"]) == [rounded(x) for x in (row.iS, row.DiS, row.DiSCO)]
        assert numbers(said["DCAP"]) == [rounded(x) for x in (row.DCAP, row.baseCAPd, row.CAPd)]
        assert numbers(said["removed"]) == [rounded(row.removed)]


def test_the_numbers_of_the_sizes(record):
    assert numbers(disclosure.sizes(record)) == [
        "5,000",
        "5,000",
        f"{record.n_q_original:,}",
        f"{record.n_q_synthetic:,}",
        f"{record.n_q_union:,}",
    ]


def test_the_keys_are_named():
    assert disclosure.scenario(measured(ORIGINAL, SYNTHETIC).record) == (
        "We assume an intruder who knows k1 and k2 of a person, has the synthetic data, and takes"
        " it for real."
    )


def test_nothing_found_is_said_in_its_own_words():
    record = measured(["axp", "byq"], ["ayp", "bxq"]).record
    said = disclosure.attribute(record, record.attribute[0])
    assert said["DiSCO"] == (
        "No one's t could be learnt rightly in this way: an intruder who knows k1 and k2 finds no"
        " single value that is right. With the original data: 100.0 %."
    )
    assert disclosure.identity(record, record.identity[0])["repU"] == (
        "None of your people is alone with their k1 and k2 in your data and in the copy."
    )


def test_a_copy_that_gives_away_more_than_the_original_is_called_out():
    record = measured(["axp", "axp", "axq", "bxp"], ["axp", "bxp"]).record
    assert disclosure.attribute(record, record.attribute[0])["removed"].startswith("Beware")


def test_an_original_that_settles_nothing_has_nothing_to_remove():
    record = measured(["axp", "axq"], ["axp", "axq"]).record
    said = disclosure.attribute(record, record.attribute[0])["removed"]
    assert said == "The original itself settles t for nobody."


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        (
            [ORIGINAL],
            "The copy IS the original: the same rows, all 6 of them, compared in 3 columns.",
        ),
        ([[*ORIGINAL, "cxp"]], "The copy CONTAINS the original: every one of its 6 records"),
        ([SYNTHETIC], "50.0 % of the original records (3 of 6) also stand in the copy:"),
        ([["axz"]], "No original record also stands in the copy."),
        ([ORIGINAL, SYNTHETIC], "Copy 1 IS the original"),
    ],
)
def test_real_records_in_the_copy_are_told(copies, said):
    record = measured(ORIGINAL, *copies).record
    assert disclosure.recurrence(record, record.recurrence[0]).startswith(said)


def test_the_range_over_copies_is_told():
    record = measured(ORIGINAL, SYNTHETIC, ["bxq", "axq"]).record
    text = disclosure.spread_sentence(record, "t", "DiSCO")
    (row,) = [r for r in record.spread if (r.target, r.measure) == ("t", "DiSCO")]
    assert numbers(text) == ["2", rounded(row.lowest), rounded(row.highest)]
    assert disclosure.spread_sentence(measured(ORIGINAL, SYNTHETIC).record, "t", "DiSCO") is None


def test_recurring_records_of_several_copies_are_told_in_one_sentence():
    record = measured(ORIGINAL, SYNTHETIC, ["axp", "cxz"]).record
    assert disclosure.recurrence_sentence(record) == (
        "16.7 % to 50.0 % of the original records (1 to 3 of 6) also stand in each of the 2 copies:"
        " the same in every compared column (3 columns)."
    )
    first_only = measured(ORIGINAL, SYNTHETIC, ["axz"]).record
    assert disclosure.recurrence_sentence(first_only).startswith(
        "50.0 % of the original records (3 of 6)"
    )
    assert disclosure.recurrence_sentence(measured(ORIGINAL, ["axz"]).record) is None


def test_what_means_stand_for_is_said_where_there_are_several_copies():
    assert disclosure.means(measured(ORIGINAL, SYNTHETIC).record) is None
    said = disclosure.means(measured(ORIGINAL, SYNTHETIC, SYNTHETIC).record)
    assert said.startswith("Figures are means over the 2 copies;")
