"""What a format has no room for is told, column by column, and the rest is kept."""

from datetime import date, datetime, time

import polars as pl
import pyreadstat
import pytest

from unveil.io.numbers import TAGS
from unveil.io.sources import read_table
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook, Level, MissingRange, Variable


def written(frame, variables, path, *, source="spss", **settings):
    book = Codebook(source="o", format=source, variables=tuple(variables))
    return write_file(frame, path, codebook=book, fake=False, **settings)


def number(**declared) -> Variable:
    return Variable(name="x", kind="number", **declared)


X = pl.DataFrame({"x": [1, 2]})
IN_STATA = "Stata has letters instead, and takes the codes for values like any others."
TOO_MANY = "SPSS has room for three codes, or a range and a code, and for texts of eight bytes."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "ending", "note"),
    [
        (number(missing=(9,)), "dta", f"Missing codes of 'x' are not in the file: {IN_STATA}"),
        (
            number(missing_ranges=(MissingRange(lo=7, hi=9),)),
            "dta",
            f"Missing codes of 'x' are not in the file: {IN_STATA}",
        ),
        (
            number(missing=(6, 7, 8, 9)),
            "sav",
            f"Missing codes of 'x' are not in the file: {TOO_MANY}",
        ),
        (
            number(missing=(1, 2), missing_ranges=(MissingRange(lo=7, hi=9),)),
            "sav",
            f"Missing codes of 'x' are not in the file: {TOO_MANY}",
        ),
        (
            number(levels=(Level(code=0.5, label="half"), Level(code=1, label="one"))),
            "dta",
            "Some labels of 'x' are not in the file: Stata labels whole numbers and letters only.",
        ),
        (
            number(levels=(Level(code=".a", label="Refused"),), missing=(".a",)),
            "sav",
            "Letters of missing values of 'x' are not in the file: no record holds one, and SPSS"
            " has none.",
        ),
        (
            number(levels=(Level(code="a", label="A"), Level(code="1", label="one"))),
            "sav",
            "Codes in text of 'x' are not in the file: the columns hold numbers.",
        ),
        (number(label="é" * 81), "dta", "Labels of 'x' were cut to Stata's 80 characters."),
        (
            number(label="é" * 129),
            "sav",
            "Labels of 'x' were cut to 256 bytes (of a column) and 120 bytes (of a code).",
        ),
        (
            number(levels=(Level(code=1, label="é" * 61),)),
            "zsav",
            "Labels of 'x' were cut to 256 bytes (of a column) and 120 bytes (of a code).",
        ),
    ],
)
def test_what_is_declared_and_has_no_place_is_told(variable, ending, note, tmp_path):
    made = written(X, [variable], tmp_path / f"c.{ending}")
    assert made.notes == (note,)
    assert read_table(made.path, side="data").frame["x"].to_list() == [1, 2]


def test_labels_are_cut_between_characters(tmp_path):
    label = "x" + "é" * 128
    written(X, [number(label=label)], tmp_path / "c.sav")
    _, meta = pyreadstat.read_sav(tmp_path / "c.sav", output_format="polars")
    assert meta.column_labels == ["x" + "é" * 127]


def test_a_text_that_means_missing_and_is_too_long_for_spss(tmp_path):
    variable = Variable(name="t", kind="text", missing=("ééééé",))
    made = written(pl.DataFrame({"t": ["a"]}), [variable], tmp_path / "c.sav")
    assert made.notes == (f"Missing codes of 't' are not in the file: {TOO_MANY}",)


def test_codes_among_dates_belong_to_their_program(tmp_path):
    frame = pl.DataFrame({"d": [date(2020, 1, 1)]})
    declared = Variable(
        name="d", kind="date", levels=(Level(code=5, label="?"),), missing=(5,), format="DATE11"
    )
    assert written(frame, [declared], tmp_path / "a.sav").notes == ()
    assert written(frame, [declared], tmp_path / "b.sav", source="stata").notes == (
        "Codes among the dates of 'd' are not in the file: they are numbers of another program.",
    )
    assert len(written(frame, [declared], tmp_path / "c.dta").notes) == 2
    again = read_table(tmp_path / "a.sav", side="data").codebook.variable("d")
    assert (again.levels, again.missing) == (declared.levels, declared.missing)


def test_times_finer_than_shown_and_blanks_at_the_end_are_told(tmp_path):
    frame = pl.DataFrame({"m": [datetime(2020, 1, 1, 0, 0, 0, 123456)], "t": [time(0, 0, 0, 1)]})
    shown = "thousandths of a second when SPSS shows them"
    made = write_file(frame, tmp_path / "c.sav", fake=False)
    exactly = "ten microseconds, as exactly as SPSS keeps them"
    assert made.notes == (
        f"Times of 'm', 't' were cut to {shown}.",
        f"Moments of 'm' were cut to {exactly}.",
    )
    again = read_table(tmp_path / "c.sav", side="data").frame
    assert again["m"].to_list() == [datetime(2020, 1, 1, 0, 0, 0, 123460)]
    assert again["t"].to_list() == [time(0, 0, 0, 1)]
    made = write_file(pl.DataFrame({"s": ["a ", "b"]}), tmp_path / "d.sav", fake=False)
    assert made.notes == ("Texts of 's' were cut to their last character that is no blank.",)


def test_a_column_of_nothing_but_letters_and_labels_of_letters_among_dates(tmp_path):
    refused = Level(code=".a", label="Refused")
    declared = [Variable(name="d", kind="date", format="%td", levels=(refused,))]
    frame = pl.DataFrame({"x": [TAGS[".a"], None], "d": [date(2020, 1, 1), None]})
    made = written(frame, declared, tmp_path / "c.dta", source="stata")
    assert made.notes == ()
    again = read_table(made.path, side="data")
    assert again.frame.to_dict(as_series=False) == frame.to_dict(as_series=False)
    assert again.codebook.variable("d").levels == (refused,)
    assert again.codebook.variable("x").missing == (".a",)


def test_letters_outside_stata_are_told(tmp_path):
    frame = pl.DataFrame({"x": [1.0, TAGS[".a"]]})
    (in_parquet,) = write_file(frame, tmp_path / "c.parquet", fake=False).notes
    assert in_parquet.startswith("Missing values of 'x' that have letters are kept as Stata's")
    assert write_file(frame, tmp_path / "c.csv", fake=False).notes == (
        "Missing values of 'x' are written as letters, such as .a, among the numbers.",
    )
    assert (tmp_path / "c.csv").read_text().split() == ['"x"', '"1"', '".a"']


def test_texts_that_a_spreadsheet_would_run_are_told_and_kept(tmp_path):
    frame = pl.DataFrame({"t": ["=1+1", "@x"], "n": ["-5", "+4.5"], "^u$": ["x", "-y"]})
    made = write_file(frame, tmp_path / "c.csv", fake=False)
    assert made.notes == (
        "Texts of 't' (2), '^u$' (1) begin with =, +, - or @, which a spreadsheet may run as"
        " formulas. They are written as they are: import such columns as text.",
    )
    assert (tmp_path / "c.csv").read_text() == "t,n,^u$\n=1+1,-5,x\n@x,+4.5,-y\n"


def test_notes_that_stata_cannot_keep_are_told(tmp_path):
    book = Codebook(source="o", format="spss", notes=("a note",))
    assert write_file(X, tmp_path / "c.dta", codebook=book, fake=False).notes == (
        "The notes are not in the file.",
    )


def test_long_notes_are_kept_in_lines_of_spss(tmp_path):
    book = Codebook(source="o", format="spss", notes=("é" * 50 + "z", "two\nlines"))
    write_file(X, tmp_path / "c.sav", codebook=book, fake=False)
    _, meta = pyreadstat.read_sav(tmp_path / "c.sav", output_format="polars")
    assert meta.notes == ["é" * 40, "é" * 10 + "z", "two", "lines"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "dta", "parquet"])
def test_twenty_thousand_labels_are_kept(ending, tmp_path):
    levels = tuple(Level(code=code, label=f"place {code}") for code in range(20_000))
    written(X, [number(levels=levels)], tmp_path / f"c.{ending}")
    assert read_table(tmp_path / f"c.{ending}", side="data").codebook.variable("x").levels == levels


@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "csv"])
def test_a_column_without_an_entry_and_one_with_types_of_frames_are_written(ending, tmp_path):
    frame = pl.DataFrame(
        {
            "nothing": pl.Series([None, None], dtype=pl.Null),
            "enum": pl.Series(["a", None], dtype=pl.Enum(["a", "b"])),
            "small": pl.Series([1, 255], dtype=pl.UInt8),
            "single": pl.Series([0.5, float("nan")], dtype=pl.Float32),
            "truth": [True, None],
        }
    )
    write_file(frame, tmp_path / f"c.{ending}", fake=False)
    again = read_table(tmp_path / f"c.{ending}", side="data").frame
    assert again["nothing"].null_count() == 2
    assert again["enum"].cast(pl.String).to_list()[0] == "a"
    assert again["small"].to_list() == [1, 255]
    assert again["single"].fill_nan(None).to_list() == [0.5, None]
    assert again["truth"].to_list() == [1, None]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_categories_that_are_their_own_labels_are_no_loss(tmp_path, ending):
    frame = pl.DataFrame({"x": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"]))})
    assert write_file(frame, tmp_path / f"c.{ending}", fake=False).notes == ()


def test_one_column_with_missing_entries_keeps_its_rows_in_a_text_file(tmp_path):
    write_file(pl.DataFrame({"x": [1, None, 3]}), tmp_path / "c.csv", fake=False)
    assert read_table(tmp_path / "c.csv", side="data").frame["x"].to_list() == [1, None, 3]


def test_like_takes_what_is_declared_from_the_original(tmp_path):
    levels = (Level(code=1, label="Yes"), Level(code=2, label="No"))
    written(X, [number(label="Ill", levels=levels, missing=(2,))], tmp_path / "o.sav")
    copy = pl.DataFrame({"x": ["No", "Yes", "No"], "extra": [1.5, 2.5, 3.5]})
    made = write_file(copy, tmp_path / "copy.sav", like=tmp_path / "o.sav")
    again = read_table(made.path, side="data")
    assert again.frame["x"].to_list() == [2, 1, 2]
    one = again.codebook.variable("x")
    assert (one.label, one.levels, one.missing) == ("Ill", levels, (2,))
    assert again.codebook.variable("extra").kind == "number"


def test_whole_numbers_are_whole_where_the_format_has_them(tmp_path):
    frame = pl.DataFrame({"whole": [1.0, 2.0], "big": [2**40, 1], "part": [1.5, 2.0]})
    write_file(frame, tmp_path / "c.dta", fake=False)
    again = read_table(tmp_path / "c.dta", side="data").frame
    assert again.schema == {"whole": pl.Int64, "big": pl.Float64, "part": pl.Float64}
    write_file(frame, tmp_path / "c.csv", fake=False)
    assert (tmp_path / "c.csv").read_text() == "whole,big,part\n1,1099511627776,1.5\n2,1,2.0\n"
