from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.io.text_types import decimal_marks, infer_type, is_almost_numbers


def column(*entries):
    return pl.Series("c", entries, dtype=pl.String)


def read(*entries, **settings):
    found = infer_type(column(*entries), **settings)
    assert found.name == "c"
    return found.dtype, found.to_list()


@pytest.mark.parametrize(
    ("entries", "dtype", "values"),
    [
        (("1", "-20", "0", ""), pl.Int64, [1, -20, 0, None]),
        (("9223372036854775807", "-9223372036854775808"), pl.Int64, [2**63 - 1, -(2**63)]),
        (("1", "2.5", ".5", "5.", "1e5", "-1E-2"), pl.Float64, [1, 2.5, 0.5, 5, 1e5, -0.01]),
        (("1", "NaN", "3"), pl.Int64, [1, None, 3]),
        (("1.5", "NaN", "nan"), pl.Float64, [1.5, None, None]),
        (("true", "FALSE", "True", None), pl.Boolean, [True, False, True, None]),
        (("2024-02-29", ""), pl.Date, [date(2024, 2, 29), None]),
    ],
)
def test_a_column_has_the_type_of_all_its_entries(entries, dtype, values):
    assert read(*entries) == (dtype, values)


@pytest.mark.parametrize(
    "entries",
    [
        ("007", "8"),
        ("-01",),
        ("01.5", "2.5"),
        ("1", "two"),
        (" 1", "2"),
        ("+1", "2"),
        ("1_000",),
        ("1,000",),
        ("12345678901234567890", "1"),
        ("12345678901234567890", "1.5"),
        ("1.5", "Inf"),
        ("1e400",),
        ("-",),
        (".",),
        ("e5",),
        ("0x1F",),
        ("٣",),
        ("NaN",),
        ("NA", "1"),
        ("Missing", "2"),
        ("true", "yes"),
        ("T", "F"),
        ("tRUE",),
        ("2023-02-29",),
        ("2024-1-2",),
        ("20240102", "2024-01-02"),
        ("2024-01-02", "2024-01-02 10:00"),
        ("01/02/2024",),
        ("2024-01-02 25:00",),
        ("2024-01-02T10:00:00", "2024-01-02T10:00:00Z"),
        ("2024-01-02 10:00:00.1234567",),
        (" padded ", "x\ny"),
    ],
)
def test_all_else_stays_text_as_it_stands(entries):
    assert read(*entries) == (pl.String, list(entries))


@pytest.mark.parametrize(
    ("entries", "values"),
    [
        (("2024-01-02 10:30", ""), [datetime(2024, 1, 2, 10, 30), None]),
        (("2024-01-02T10:30",), [datetime(2024, 1, 2, 10, 30)]),
        (
            ("2024-01-02T10:30:01", "2024-01-02T10:30:01.5"),
            [datetime(2024, 1, 2, 10, 30, 1), datetime(2024, 1, 2, 10, 30, 1, 500_000)],
        ),
        (
            ("2024-01-02T10:30:00Z", "2024-01-02T10:30:00+02:00"),
            [datetime(2024, 1, 2, 10, 30, tzinfo=UTC), datetime(2024, 1, 2, 8, 30, tzinfo=UTC)],
        ),
    ],
)
def test_dates_with_a_time_become_moments(entries, values):
    dtype, found = read(*entries)
    assert dtype.base_type() == pl.Datetime
    assert found == values


@pytest.mark.parametrize("entries", [(), ("",), ("", None, "")])
def test_a_column_with_nothing_in_it_has_no_type(entries):
    assert read(*entries) == (pl.Null, [None] * len(entries))


def test_a_word_given_as_missing_is_missing_and_the_rest_is_typed():
    assert read("1", "NA", "-9", missing_values=["NA", "-9"]) == (pl.Int64, [1, None, None])
    assert read("x", "NA", missing_values=["NA"]) == (pl.String, ["x", None])
    assert read("NA", "", missing_values=["NA"]) == (pl.Null, [None, None])


def test_a_type_that_fails_at_the_very_end_fails():
    entries = ["1"] * 100_000
    assert read(*entries, "2.5")[0] == pl.Float64
    assert read(*entries, "x")[0] == pl.String
    assert read(*[""] * 100_000, "7")[0] == pl.Int64


def test_decimal_commas_are_numbers_only_where_the_file_has_them():
    assert read("1,5", "2") == (pl.String, ["1,5", "2"])
    assert read("1,5", "2", decimal_comma=True) == (pl.Float64, [1.5, 2.0])
    assert read("3", "2", decimal_comma=True) == (pl.Int64, [3, 2])
    assert read("1.5", "2", decimal_comma=True) == (pl.String, ["1.5", "2"])
    assert read("1,234,567", decimal_comma=True) == (pl.String, ["1,234,567"])


@pytest.mark.parametrize(
    ("columns", "marks"),
    [
        ([("1,5", "2")], {","}),
        ([("1.5", "2")], {"."}),
        ([("1,5",), ("1.5",)], {",", "."}),
        ([("1,500", "12,250")], set()),
        ([("0,500",)], {","}),
        ([("-,5",)], {","}),
        ([("1234,567",)], {","}),
        ([("1,500", "1,5")], {","}),
        ([("1,5", "x"), ("1", "2"), ("",)], set()),
        ([("1,5", "NaN", "")], {","}),
    ],
)
def test_the_decimal_mark_is_found_where_it_cannot_mean_anything_else(columns, marks):
    assert decimal_marks(column(*entries) for entries in columns) == marks


@pytest.mark.parametrize(
    ("entries", "answer"),
    [
        (("1", "2", "NA"), True),
        (("1", "NA"), True),
        (("1.5", "2", ".", "."), True),
        (("1", "NA", "NA"), False),
        (("1", "2", "3", "NA", "refused"), False),
        (("x", "y"), False),
        (("1", "2", "007"), False),
        (("1", "2", "1,234"), False),
        ((), False),
    ],
)
def test_numbers_beside_one_word_are_noticed(entries, answer):
    assert is_almost_numbers(column(*entries)) is answer


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.none()))
def test_whole_numbers_are_read_as_they_were(values):
    assert read(*("" if v is None else str(v) for v in values))[1] == values


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_decimals_are_read_as_they_were(values):
    assert read("0.5", *map(repr, values)) == (pl.Float64, [0.5, *values])


@given(st.lists(st.dates(min_value=date(1000, 1, 1)), min_size=1))
def test_dates_are_read_as_they_were(values):
    assert read(*map(str, values)) == (pl.Date, values)


@pytest.mark.slow
@given(st.lists(st.text() | st.from_regex(r"[-+0-9.,eE:T ]{1,20}", fullmatch=True)))
def test_no_entry_is_lost_or_merged_unless_it_is_the_same_number(entries):
    dtype, found = read(*entries)
    if dtype == pl.String:
        assert found == [entry or None for entry in entries]
    else:
        lost = [e for e, v in zip(entries, found, strict=True) if v is None]
        assert set(lost) <= {"", "NaN", "nan"}
