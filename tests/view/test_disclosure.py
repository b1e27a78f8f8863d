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
        expected = [f"{round(value * 50):,}", "5,000", rounded(value)]
        assert numbers(text) == expected, symbol


def test_the_numbers_of_the_attribute_sentences(record):
    for row in record.attribute:
        said = disclosure.attribute(record, row)
        assert list(said) == ["DiSCO", "iS, DiS", "DCAP", "removed"]
        n_correct, n_shown = round(row.DiSCO * 50), round(row.DiS * 50)
        original = [f"{round(row.Dorig * 50):,}", rounded(row.Dorig)]
        found = [f"{n_correct:,}", "5,000", rounded(row.DiSCO), *original]
        assert numbers(said["DiSCO"]) == found
        matched = [f"{round(row.iS * 50):,}", rounded(row.iS), f"{n_shown:,}", rounded(row.DiS)]
        assert numbers(said["iS, DiS"]) == [
            *matched,
            f"{n_correct:,}",
            f"{n_shown - n_correct:,}",
        ]
        guesses = [rounded(x) for x in (row.DCAP, row.baseCAPd, row.CAPd)]
        assert numbers(said["DCAP"]) == [f"{round(row.DCAP * 50):,}", *guesses]
        reduction = [rounded(x) for x in (row.removed, row.Dorig, row.DiSCO)]
        assert numbers(said["removed"]) == reduction


def test_the_numbers_of_the_sizes(record):
    assert numbers(disclosure.sizes(record)) == ["5,000", "5,000"]
    assert numbers(disclosure.combinations(record)) == [
        f"{record.n_q_original:,}",
        f"{record.n_q_synthetic:,}",
        f"{record.n_q_union:,}",
    ]


def test_the_keys_are_named():
    assert disclosure.scenario(measured(ORIGINAL, SYNTHETIC).record.keys) == (
        "Assumed intruder: knows k1 and k2, has the synthetic data and treats them as real."
    )


def test_nothing_found_is_said_in_its_own_words():
    record = measured(["axp", "byq"], ["ayp", "bxq"]).record
    said = disclosure.attribute(record, record.attribute[0])
    assert said["DiSCO"] == (
        "t would be correctly disclosed for none of 2 people to an intruder who knows k1 and k2;"
        " from the original, for 2 (Dorig 100.0 %)."
    )
    assert disclosure.identity(record, record.identity[0])["repU"] == (
        "None of 2 people is unique on k1 and k2 in both files (repU 0 %)."
    )


def test_synthetic_data_that_disclose_more_than_the_original_are_called_out():
    record = measured(["axp", "axp", "axq", "bxp"], ["axp", "bxp"]).record
    assert disclosure.attribute(record, record.attribute[0])["removed"].startswith("Warning: ")


def test_an_original_that_determines_nothing_has_nothing_to_reduce():
    record = measured(["axp", "axq"], ["axp", "axq"]).record
    said = disclosure.attribute(record, record.attribute[0])["removed"]
    assert said == "The original determines t for no one."


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        (
            [ORIGINAL],
            "The synthetic data ARE the original: all 6 rows are equal in all 3 compared",
        ),
        (
            [[*ORIGINAL, "cxp"]],
            "The synthetic data CONTAIN the original: all 6 original records reappear, equal in",
        ),
        ([SYNTHETIC], "3 of 6 original records (50.0 %) reappear in the synthetic data, equal"),
        ([["axz"]], "No original record reappears in the synthetic data."),
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
        "1 to 3 of 6 original records (16.7 % to 50.0 %) reappear in each of the 2 copies, equal in"
        " all 3 compared variables."
    )
    first_only = measured(ORIGINAL, SYNTHETIC, ["axz"]).record
    assert disclosure.recurrence_sentence(first_only).startswith(
        "3 of 6 original records (50.0 %) reappear in copy 1,"
    )
    assert disclosure.recurrence_sentence(measured(ORIGINAL, ["axz"]).record) is None


def test_what_means_stand_for_is_said_where_there_are_several_copies():
    assert disclosure.means(measured(ORIGINAL, SYNTHETIC).record) is None
    said = disclosure.means(measured(ORIGINAL, SYNTHETIC, SYNTHETIC).record)
    assert said.startswith("Figures are means over the 2 copies;")
