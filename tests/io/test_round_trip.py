"""What is read, written and read again is what it was: values, and all that is declared."""

import math
from datetime import date, datetime, time, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from profiles import examples
from unveil.io.numbers import TAGS
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook, Level, MissingRange, Variable

EPOCH = datetime(1582, 10, 14)


def seconds(*moments: datetime | None) -> list[float | None]:
    return [None if one is None else (one - EPOCH).total_seconds() for one in moments]


def spss_file(path: Path) -> Path:
    """An SPSS file with everything that SPSS can declare, made without unveil."""
    frame = pl.DataFrame(
        {
            "sex": [1.0, 2.0, 9.0, None],
            "income": [1200.25, -8.0, None, 99999.0],
            "größe_in_cm": [170.0, 181.5, 165.0, 150.0],
            "region": ["n", "s", "", "xx"],
            "story": ["ü" * 200, "", "b", "c" * 300],
            "born": seconds(
                datetime(1950, 2, 3), None, datetime(1582, 10, 15), datetime(2024, 2, 29)
            ),
            "seen": seconds(*[datetime(2024, 1, 1, 12, 30, 15, 250000)] * 3, None),
            "at": [0.0, 86399.5, 3600.0, None],
            "lasted": [-5.0, 90000.0, 1.0, None],
            "month": seconds(datetime(2020, 5, 1), None, None, datetime(1999, 1, 1)),
        }
    )
    pyreadstat.write_sav(
        frame,
        path,
        file_label="A survey",
        note=["first line", "second line"],
        column_labels={"sex": "Sex of the person", "größe_in_cm": "x" * 256, "region": ""},
        variable_value_labels={
            "sex": {1: "Male", 2: "Female", 9: "Refused"},
            "income": {-8: "", -9: "y" * 120, 0.5: "half"},
            "region": {"n": "North", "s": "Süd", "a longer code": "Elsewhere"},
        },
        missing_ranges={
            "sex": [9],
            "income": [{"lo": -math.inf, "hi": -8}, 99999],
            "größe_in_cm": [-1, -2, -3],
            "region": ["xx", "yy"],
        },
        variable_display_width={"sex": 5, "story": 40},
        variable_measure={"sex": "nominal", "income": "scale", "region": "ordinal"},
        variable_format={
            "sex": "F1.0",
            "income": "COMMA10.2",
            "region": "A13",
            "born": "EDATE10",
            "seen": "DATETIME23.2",
            "at": "TIME11.2",
            "lasted": "DTIME12",
            "month": "MOYR8",
        },
    )
    return path


def stata_file(path: Path) -> Path:
    """A Stata file with letters, labels, dates and a long text, made without unveil."""
    letters = pl.Series("ill", np.array([1, "a", None, "z"], dtype=object), dtype=pl.Object)
    real = pl.Series("pay", np.array([1.5, "b", None, 2.25], dtype=object), dtype=pl.Object)
    frame = pl.DataFrame(
        [
            letters,
            real,
            pl.Series("n", [1, -5, None, 2147483620], dtype=pl.Int32),
            pl.Series("x", [0.1, None, 1e300, 3.0]),
            pl.Series("born", [0.0, None, -3653.0, 24000.0]),
            pl.Series("seen", [0.0, 1.5e12, None, 1.0]),
            pl.Series("at", [0.0, 86399500.0, None, 1.0]),
            pl.Series("month", [700.0, None, 1.0, 2.0]),
            pl.Series("region", ["n ", "", "Süd", "x"]),
            pl.Series("story", ["w" * 3000, "", "ü", "b"]),
        ]
    )
    pyreadstat.write_dta(
        frame,
        path,
        version=14,
        file_label="Ein Überblick",
        column_labels={"ill": "é" * 80},
        variable_value_labels={"ill": {1: "Yes", 2: "", "a": "Refused", "b": "Not asked"}},
        missing_user_values={"ill": ["a", "b", "z"], "pay": ["b"]},
        variable_format={
            "ill": "%8.0g",
            "born": "%tdD_m_Y",
            "seen": "%tc",
            "at": "%tcHH:MM:SS",
            "month": "%tm",
            "region": "%-20s",
        },
    )
    return path


SOURCES = {"sav": spss_file, "zsav": spss_file, "dta": stata_file, "parquet": spss_file}


def opened(path: Path) -> Table:
    return read_table(path, side="data")


def declared(table: Table) -> tuple[object, ...]:
    book = table.codebook
    return book.file_label, book.notes, book.variables


@pytest.mark.parametrize("ending", SOURCES)
def test_a_file_read_and_written_is_the_same_file_field_by_field(ending, tmp_path):
    origin = SOURCES[ending](tmp_path / ("in.sav" if ending != "dta" else "in.dta"))
    first = opened(origin)
    assert write_file(origin, tmp_path / f"out.{ending}", fake=False).notes == ()
    second = opened(tmp_path / f"out.{ending}")
    assert_frame_equal(second.frame, first.frame)
    assert declared(second) == declared(first)


@pytest.mark.parametrize("ending", SOURCES)
def test_a_second_writing_gives_the_same_bytes(ending, tmp_path):
    origin = SOURCES[ending](tmp_path / ("in.sav" if ending != "dta" else "in.dta"))
    for folder, source in (("one", origin), ("two", tmp_path / "one" / f"out.{ending}")):
        write_file(source, tmp_path / folder / f"out.{ending}", fake=False)
    one, two = ((tmp_path / folder / f"out.{ending}").read_bytes() for folder in ("one", "two"))
    assert one == two


def test_the_source_has_what_this_module_is_about(tmp_path):
    table = opened(spss_file(tmp_path / "in.sav"))
    book = table.codebook
    assert table.frame.schema["lasted"] == pl.Duration("us")
    assert table.frame["born"].to_list()[2] == date(1582, 10, 15)
    assert table.frame["at"].to_list()[1] == time(23, 59, 59, 500000)
    assert table.frame["lasted"].to_list()[0] == timedelta(seconds=-5)
    assert book.variable("income").missing_ranges == (MissingRange(lo=None, hi=-8.0),)
    assert book.variable("region").missing == ("xx", "yy")
    assert book.variable("sex").width == 5
    letters = opened(stata_file(tmp_path / "in.dta"))
    assert letters.frame["ill"].to_list() == [1.0, TAGS[".a"], None, TAGS[".z"]]
    assert letters.codebook.variable("ill").missing == (".a", ".b", ".z")


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_text_file_keeps_values_and_all_that_is_declared(ending, tmp_path):
    origin = SOURCES[ending](tmp_path / f"in.{ending}")
    first = opened(origin)
    write_file(origin, tmp_path / "out.csv", fake=False)
    book = Codebook.from_json((tmp_path / "out.codebook.json").read_bytes())
    assert (book.file_label, book.notes, book.variables) == declared(first)
    assert (book.source, book.format) == ("out.csv", first.codebook.format)
    text = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert text.columns == first.frame.columns
    if ending == "sav":
        assert text["sex"].to_list() == ["1", "2", "9", None]
        assert text["income"].to_list() == ["1200.25", "-8.0", None, "99999.0"]
        assert text["born"].to_list() == ["1950-02-03", None, "1582-10-15", "2024-02-29"]
        assert text["seen"].to_list() == [*["2024-01-01T12:30:15.250"] * 3, None]
        assert text["at"].to_list() == ["00:00:00", "23:59:59.500", "01:00:00", None]
        assert text["lasted"].to_list() == ["-00:00:05", "25:00:00", "00:00:01", None]
    else:
        assert text["ill"].to_list() == ["1", ".a", None, ".z"]
        assert text["pay"].to_list() == ["1.5", ".b", None, "2.25"]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_file_comes_back_from_a_text_file(ending, tmp_path):
    origin = SOURCES[ending](tmp_path / f"in.{ending}")
    write_file(origin, tmp_path / "mid.csv", fake=False)
    write_file(tmp_path / "mid.csv", tmp_path / f"out.{ending}", fake=False)
    first, last = opened(origin), opened(tmp_path / f"out.{ending}")
    assert declared(last) == declared(first)
    for name in first.frame.columns:
        assert last.frame[name].to_list() == first.frame[name].to_list(), name


def test_letters_cross_from_stata_to_parquet_and_back(tmp_path):
    origin = stata_file(tmp_path / "in.dta")
    write_file(origin, tmp_path / "mid.parquet", fake=False)
    write_file(tmp_path / "mid.parquet", tmp_path / "out.dta", fake=False)
    first, last = opened(origin), opened(tmp_path / "out.dta")
    assert_frame_equal(last.frame, first.frame)
    assert declared(last) == declared(first)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
numbers = st.one_of(st.none(), st.floats(-1e15, 1e15), st.integers(-100, 100).map(float))
days = st.one_of(st.none(), st.dates(date(1583, 1, 1), date(2200, 1, 1)))


@given(
    rows=st.lists(st.tuples(numbers, texts, days), min_size=1, max_size=8),
    codes=st.lists(st.integers(-99, 99), unique=True, max_size=4),
    ending=st.sampled_from(["sav", "zsav", "dta", "parquet"]),
)
@examples(20)
def test_any_values_and_labels_come_back(rows, codes, ending, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    schema = {"x": pl.Float64, "t": pl.String, "d": pl.Date}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    levels = tuple(Level(code=code, label=f"label {code}") for code in codes)
    variables = (Variable(name="x", kind="number", levels=levels, missing=tuple(codes[:3])),)
    book = Codebook(source="o", format="stata", variables=variables)
    write_file(frame, folder / f"out.{ending}", codebook=book, fake=False)
    again = opened(folder / f"out.{ending}")
    expected = (
        frame.with_columns(pl.col("t").str.strip_chars_end(" ")) if "sav" in ending else frame
    )
    for name in ("x", "d", "t"):
        assert again.frame[name].to_list() == expected[name].to_list(), name
    in_order = sorted(levels, key=lambda one: one.code) if ending == "dta" else levels
    assert again.codebook.variable("x").levels == tuple(in_order)
    if ending != "dta":
        assert again.codebook.variable("x").missing == tuple(codes[:3])


def test_times_in_a_text_file_are_times_again_by_its_codebook(tmp_path):
    frame = pl.DataFrame(
        {
            "t": [time(1, 2, 3), None, time(0, 0, 0, 5)],
            "span": [timedelta(hours=25), timedelta(0), None],
            "text": ["01:02:03", "x", None],
        }
    )
    write_file(frame, tmp_path / "c.csv", fake=False)
    again = read_table(tmp_path / "c.csv", side="data").frame
    assert again["t"].equals(frame["t"])
    assert again["span"].to_list() == ["25:00:00", "00:00:00", None]
    assert again["text"].to_list() == ["01:02:03", "x", None]
