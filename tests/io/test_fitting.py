"""A copy coded otherwise than the original gets the original's codes, or a sentence."""

from datetime import date, datetime, time, timedelta

import polars as pl
import pytest

from unveil.errors import WriteError
from unveil.io.numbers import TAGS
from unveil.io.write_checks import fit_column
from unveil.records.codebook import Level, Variable

YES_NO = (Level(code=1, label="Yes"), Level(code=2, label="No"), Level(code=".a", label="Refused"))
REGIONS = (Level(code="01", label="North"), Level(code="02", label="South"))
NUMBER = Variable(name="x", kind="number", levels=YES_NO)
SPELT = Variable(name="x", kind="text", levels=(Level(code="TRUE", label="yes"),))
YEARS = Variable(
    name="x", kind="number", levels=(Level(code=1, label="2010"), Level(code=2, label="2011"))
)
TEXT = Variable(name="x", kind="text", levels=REGIONS)
TIME = Variable(name="x", kind="time")
CANARY = "CANARY-77"


@pytest.mark.parametrize(
    ("held", "variable", "expected"),
    [
        (["Yes", "No", None, ""], NUMBER, [1, 2, None, None]),
        (["Yes", "Refused"], NUMBER, [1.0, TAGS[".a"]]),
        (["1", "No", ".a"], NUMBER, [1.0, 2.0, TAGS[".a"]]),
        (["Yes", "2.5", "-3"], NUMBER, [1.0, 2.5, -3.0]),
        ([1, 2, 7], NUMBER, [1, 2, 7]),
        ([2011, None, 2010], YEARS, [2, None, 1]),
        ([2011, 1], YEARS, [2011, 1]),
        ([2011, 1999], YEARS, [2011, 1999]),
        ([True, False, None], NUMBER, [1, 0, None]),
        (["North", "02", None, "South"], TEXT, ["01", "02", None, "02"]),
        (["01", "elsewhere", "North"], TEXT, ["01", "elsewhere", "North"]),
        ([1, 2, None, 3], TEXT, ["01", "02", None, "3"]),
        ([1.0, 2.0], TEXT, ["01", "02"]),
        ([1.5], TEXT, ["1.5"]),
        ([float("nan"), 2.0], TEXT, [None, "02"]),
        ([datetime(2020, 1, 1), None], Variable(name="x", kind="date"), [date(2020, 1, 1), None]),
        ([date(2020, 1, 1)], Variable(name="x", kind="moment"), [datetime(2020, 1, 1)]),
        ([0, 1, None], Variable(name="x", kind="truth"), [False, True, None]),
        ([0.0, 1.0, None], Variable(name="x", kind="truth"), [False, True, None]),
        ([None, None], Variable(name="x", kind="date"), [None, None]),
        ([date(2020, 1, 31), None], TEXT, ["2020-01-31", None]),
        ([datetime(2020, 1, 31, 9, 30)], TEXT, ["2020-01-31 09:30:00"]),
        ([True, False], SPELT, ["TRUE", "false"]),
        (["anything"], Variable(name="x"), ["anything"]),
        (["12:30", "00:00:01.5", ""], TIME, [time(12, 30), time(0, 0, 1, 500000), None]),
        (["25:00:00", "-00:00:05"], TIME, [timedelta(hours=25), timedelta(seconds=-5)]),
    ],
)
def test_a_column_is_recoded_as_the_original_is(held, variable, expected):
    assert fit_column(pl.Series("x", held, strict=False), variable).to_list() == expected


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("number", pl.Float64),
        ("text", pl.String),
        ("date", pl.Date),
        ("moment", pl.Datetime("us")),
        ("time", pl.Time),
        ("truth", pl.Boolean),
    ],
)
def test_a_column_without_an_entry_has_the_type_of_the_original(kind, dtype):
    variable = Variable(name="x", kind=kind)
    for held in (pl.Null, pl.Float64, pl.String, pl.Date):
        made = fit_column(pl.Series("x", [None, None], dtype=held), variable)
        assert made.null_count() == 2
        assert made.dtype == dtype


def test_categories_are_taken_for_their_texts():
    labels = pl.Series("x", ["No", "Yes"], dtype=pl.Enum(["Yes", "No"]))
    assert fit_column(labels, NUMBER).to_list() == [2, 1]
    assert fit_column(labels.cast(pl.Categorical), NUMBER).dtype == pl.Int64


@pytest.mark.parametrize(
    ("held", "variable", "sentence"),
    [
        (
            ["Yes", CANARY, "3"],
            NUMBER,
            "Column 'x' holds numbers in the original but text in the synthetic data, and 1 of"
            " its 3 different texts are neither numbers nor labels of the original. Give it the"
            " original's codes or labels first.",
        ),
        (
            ["Yes", "NaN", "inf"],
            NUMBER,
            "Column 'x' holds numbers in the original but text in the synthetic data, and 2 of"
            " its 3 different texts are neither numbers nor labels of the original. Give it the"
            " original's codes or labels first.",
        ),
        (
            ["Same"],
            Variable(
                name="x",
                kind="number",
                levels=(Level(code=1, label="Same"), Level(code=2, label="Same")),
            ),
            "Column 'x' holds labels in the synthetic data, and the original has the same label"
            " for two codes. Give the synthetic data the original's codes first.",
        ),
        (
            [1, 2],
            Variable(name="x", kind="date"),
            "Column 'x' holds dates in the original but numbers in the synthetic data. Give it"
            " the original's type first.",
        ),
        (
            [CANARY],
            Variable(name="x", kind="moment"),
            "Column 'x' holds dates with times in the original but text in the synthetic data."
            " Give it the original's type first.",
        ),
        (
            [datetime(2020, 1, 1, 12)],
            Variable(name="x", kind="date"),
            "Column 'x' holds dates in the original but dates with times in the synthetic data."
            " Give it the original's type first.",
        ),
        (
            [time(12)],
            NUMBER,
            "Column 'x' holds numbers in the original but times in the synthetic data. Give it"
            " the original's type first.",
        ),
        (
            ["12:30", "12:60"],
            TIME,
            "Column 'x' holds times in the original but text in the synthetic data. Give it the"
            " original's type first.",
        ),
        (
            [0, 2],
            Variable(name="x", kind="truth"),
            "Column 'x' holds truth values in the original but numbers in the synthetic data."
            " Give it the original's type first.",
        ),
    ],
)
def test_what_cannot_be_recoded_is_told_and_never_shown(held, variable, sentence):
    with pytest.raises(WriteError) as fault:
        fit_column(pl.Series("x", held), variable)
    assert str(fault.value) == sentence
    assert CANARY not in str(fault.value)
