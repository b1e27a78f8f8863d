from datetime import date, datetime, time, timedelta

import polars as pl
import pyreadstat
import pytest

from foreign_files import CANARY, write_sav
from unveil.errors import ReadError, RolesError
from unveil.io.sources import read_table
from unveil.records.codebook import Level, MissingRange

WHERE = "The original (f.sav)"


@pytest.fixture
def read(tmp_path):
    def read(frame, columns=None, **declared):
        write_sav(pl.DataFrame(frame), tmp_path / "f.sav", **declared)
        return read_table(tmp_path / "f.sav", side="original", columns=columns)

    return read


def test_codes_stay_codes_and_refused_stays_apart_from_not_applicable(read):
    table = read(
        {"income": [1.0, 97.0, 98.0, None]},
        variable_value_labels={"income": {1: "low", 97: "refused", 98: "not applicable"}},
        missing_ranges={"income": [97, 98]},
    )
    assert table.frame["income"].to_list() == [1.0, 97.0, 98.0, None]
    known = table.codebook.variable("income")
    assert known.missing == (97, 98)
    assert known.label_of(97) == "refused"
    assert known.label_of(98) == "not applicable"
    assert [type(level.code) for level in known.levels] == [int, int, int]


def test_everything_declared_is_in_the_codebook(read):
    table = read(
        {"sex": [1.0, 2.0], "w": [0.5, 1.5], "t": ["a", "b"]},
        file_label="A survey",
        note=["first line", "second line"],
        column_labels={"sex": "Sex of the person", "w": "Weight"},
        variable_value_labels={"sex": {1: "male", 2: "female"}, "t": {"a": "Aa", "b": "Bb"}},
        variable_measure={"sex": "nominal", "w": "scale", "t": "ordinal"},
        variable_display_width={"w": 12},
        variable_format={"w": "F9.3"},
    )
    book = table.codebook
    assert (book.source, book.format, book.encoding) == ("f.sav", "spss", "UTF-8")
    assert book.file_label == "A survey"
    assert book.notes == ("first line", "second line")
    assert [known.name for known in book.variables] == ["sex", "w", "t"]
    sex, weight, text = book.variables
    assert (sex.label, sex.kind, sex.measure) == ("Sex of the person", "number", "nominal")
    assert (weight.format, weight.width, weight.measure) == ("F9.3", 12, "scale")
    assert (text.kind, text.measure, text.label) == ("text", "ordinal", None)
    assert text.levels == (Level(code="a", label="Aa"), Level(code="b", label="Bb"))


def test_ranges_of_missing_codes_may_be_open_and_stand_beside_a_single_one(read):
    table = read(
        {"a": [1.0], "b": [1.0], "c": [1.0], "t": ["x"]},
        missing_ranges={
            "a": [{"lo": 90, "hi": 99}, -1],
            "b": [{"lo": float("-inf"), "hi": -1}],
            "c": [{"lo": 900.5, "hi": float("inf")}],
            "t": ["x"],
        },
    )
    a, b, c, t = table.codebook.variables
    assert (a.missing, a.missing_ranges) == ((-1,), (MissingRange(lo=90, hi=99),))
    assert (b.missing, b.missing_ranges) == ((), (MissingRange(lo=None, hi=-1),))
    assert (c.missing, c.missing_ranges) == ((), (MissingRange(lo=900.5, hi=None),))
    assert (t.missing, t.missing_ranges) == (("x",), ())


def test_only_the_columns_asked_for_are_read_in_that_order(read):
    table = read({"a": [1.0], "b": ["x"], "c": [3.0]}, columns=["c", "a"])
    assert table.frame.columns == ["c", "a"]
    assert {known.name for known in table.codebook.variables} == {"a", "c"}
    with pytest.raises(RolesError, match=r"has no column 'aa'\. Did you mean 'a'\?"):
        read({"a": [1.0], "b": ["x"]}, columns=["aa"])


def test_long_labels_empty_labels_and_names_in_any_script_are_kept(read):
    long = "ä" * 5000
    table = read(
        {"größe": [1.0], "名前": ["x"], "пол": [1.0]},
        column_labels={"größe": long[:120], "пол": ""},
        variable_value_labels={"größe": {1: long[:60]}, "пол": {1: "", 2: "два"}},
    )
    size, name, sex = table.codebook.variables
    assert table.frame.columns == ["größe", "名前", "пол"]
    assert size.label == long[:120]
    assert size.label_of(1) == long[:60]
    assert (name.label, sex.label) == (None, None)
    assert sex.label_of(2) == "два"
    assert sex.label_of(1) == ""


@pytest.mark.slow
def test_twenty_thousand_labels_are_kept_in_their_order(read):
    labels = {code: f"place {code}" for code in range(20_000, 0, -1)}
    table = read({"place": [1.0, 20_000.0]}, variable_value_labels={"place": labels})
    levels = table.codebook.variable("place").levels
    assert [(level.code, level.label) for level in levels] == list(labels.items())


SECONDS = {day: (day - date(1582, 10, 14)).days * 86_400.0 for day in (date(2020, 2, 29),)}
LEAP = SECONDS[date(2020, 2, 29)]


@pytest.mark.parametrize(
    ("form", "number", "value"),
    [
        ("DATE11", LEAP, date(2020, 2, 29)),
        ("ADATE10", LEAP, date(2020, 2, 29)),
        ("EDATE10", LEAP, date(2020, 2, 29)),
        ("SDATE10", LEAP, date(2020, 2, 29)),
        ("JDATE7", LEAP, date(2020, 2, 29)),
        ("MOYR8", LEAP, date(2020, 2, 29)),
        ("QYR8", LEAP, date(2020, 2, 29)),
        ("WKYR10", LEAP, date(2020, 2, 29)),
        ("DATE11", -86_400.0, date(1582, 10, 13)),
        ("DATETIME20", LEAP + 3_661.25, datetime(2020, 2, 29, 1, 1, 1, 250_000)),
        ("DATETIME23.3", LEAP + 0.123, datetime(2020, 2, 29, 0, 0, 0, 123_000)),
        ("TIME8", 3_661.0, time(1, 1, 1)),
        ("TIME11.2", 86_399.25, time(23, 59, 59, 250_000)),
        ("TIME8", 90_000.0, timedelta(hours=25)),
        ("DTIME11", 90_000.0, timedelta(hours=25)),
        ("WKDAY9", 3.0, 3.0),
        ("MONTH9", 3.0, 3.0),
        ("F8.2", LEAP, LEAP),
        ("COMMA8.2", 1.5, 1.5),
    ],
)
def test_dates_and_times_are_read_by_their_format(read, form, number, value):
    table = read({"x": [number, None]}, variable_format={"x": form})
    assert table.frame["x"].to_list() == [value, None]
    assert table.codebook.variable("x").format == form
    assert table.notes == ()


def test_times_of_day_hidden_behind_dates_are_left_out_and_told(read):
    table = read({"x": [LEAP + 60, LEAP]}, variable_format={"x": "DATE11"})
    assert table.frame["x"].to_list() == [date(2020, 2, 29)] * 2
    assert [(note.kind, note.column, note.sentence) for note in table.notes] == [
        (
            "date",
            "x",
            "Column 'x' has the format of dates but also holds times of day; these were dropped.",
        )
    ]


def test_numbers_beyond_the_calendar_stay_numbers_and_that_is_told(read):
    table = read({"x": [1e14, LEAP]}, variable_format={"x": "DATETIME20"})
    assert table.frame["x"].to_list() == [1e14, LEAP]
    assert table.codebook.variable("x").kind == "number"
    assert [note.sentence for note in table.notes] == [
        "Column 'x' has the format of dates but numbers beyond the years 1 to 9999; it was left as "
        "numbers."
    ]


def test_numbers_that_are_no_times_are_not_called_dates(read):
    table = read({"x": [1e14, 60.0]}, variable_format={"x": "TIME8"})
    assert table.frame["x"].to_list() == [1e14, 60.0]
    assert [note.sentence for note in table.notes] == [
        "Column 'x' has the format of times but numbers of thousands of years; it was left as "
        "numbers."
    ]


def test_a_column_of_dates_with_nothing_in_it_is_one_of_dates(read):
    nothing = pl.Series([None, None], dtype=pl.Float64)
    table = read({"x": nothing, "y": [1.0, 2.0]}, variable_format={"x": "DATE11"})
    assert table.frame["x"].equals(pl.Series("x", [None, None], dtype=pl.Date))
    assert table.codebook.variable("x").kind == "date"


def test_what_is_not_utf8_although_declared_is_read_as_windows_and_told(tmp_path):
    path = tmp_path / "f.sav"
    frame = pl.DataFrame({"t": ["Bezirk", "Stra?e", "Köln"], "n": [1.0, 2.0, 3.0]})
    write_sav(frame, path, column_labels={"n": "Gr??e"}, variable_value_labels={"n": {1: "f?r"}})
    content = path.read_bytes()
    assert content.count(b"Stra?e") == 1
    # A part of the file came from a program that wrote Windows-1252; the rest is UTF-8.
    path.write_bytes(
        content.replace(b"Stra?e", b"Stra\xdfe")
        .replace(b"f?r", b"f\xfcr")
        .replace(b"??", b"\x80\x81")
    )
    table = read_table(path, side="original")
    assert table.frame["t"].to_list() == ["Bezirk", "Straße", "Köln"]
    assert table.codebook.variable("n").label == "Gr€\x81e"
    assert table.codebook.variable("n").label_of(1) == "für"
    assert [(note.kind, note.sentence) for note in table.notes] == [
        (
            "encoding",
            "The file is not written in the encoding it declares; what is not UTF-8 was read as "
            "Windows-1252.",
        )
    ]


@pytest.mark.parametrize("compress", [False, True])
def test_more_records_than_are_read_at_a_time_are_all_there(tmp_path, monkeypatch, compress):
    from unveil.io import read_stat
    from unveil.io.wire import ReadRequest

    monkeypatch.setattr(read_stat, "_CELLS_AT_A_TIME", 20_000)
    frame = pl.DataFrame(
        {"a": pl.int_range(25_000, eager=True).cast(pl.Float64), "b": ["x"] * 25_000}
    )
    path = tmp_path / "f.sav"
    pyreadstat.write_sav(frame, str(path), compress=compress)
    question = ReadRequest(
        kind="spss", path=str(path).encode(), name="f.sav", place=WHERE, side="original"
    )
    assert read_stat.parse(question).frame.equals(frame)


def test_portable_files_are_read_and_say_what_they_cannot_tell(tmp_path):
    path = tmp_path / "f.por"
    frame = pl.DataFrame({"A": [1.0, None], "T": ["x", "y"]})
    pyreadstat.write_por(frame, str(path), file_label="Old", column_labels={"A": "Alpha"})
    table = read_table(path, side="original")
    assert table.frame.equals(frame)
    assert table.codebook.variable("A").label == "Alpha"
    assert [note.sentence for note in table.notes] == [
        "Codes declared as missing are read as empty from a portable SPSS file; save it as .sav to "
        "keep them apart."
    ]


def test_a_file_without_records_is_refused(tmp_path):
    write_sav(pl.DataFrame({"a": [1.0]}).clear(), tmp_path / "f.sav")
    with pytest.raises(ReadError) as caught:
        read_table(tmp_path / "f.sav", side="original")
    assert str(caught.value) == (
        f"{WHERE} has columns but no rows. Check that its export was finished."
    )


def test_a_file_with_fewer_records_than_it_declares_is_refused(tmp_path):
    path = tmp_path / "f.sav"
    write_sav(pl.DataFrame({"a": [1.0] * 1000, "t": [CANARY] * 1000}), path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - 24_000])
    with pytest.raises(ReadError) as caught:
        read_table(path, side="original")
    assert str(caught.value) == (
        f"{WHERE} is damaged: it begins as an SPSS file but cannot be read to its end. Export or "
        "copy it again."
    )


def test_a_wide_file_is_parsed_once_and_its_columns_are_not_searched_for_letters(
    tmp_path, monkeypatch
):
    from unveil.io import read_stat
    from unveil.io.wire import ReadRequest

    path = tmp_path / "f.sav"
    frame = pl.DataFrame({f"c{i}": [1.0, None] for i in range(50)})
    pyreadstat.write_sav(frame, str(path))
    asked, read_sav = [], pyreadstat.read_sav

    def counted(*of, **settings):
        asked.append(settings)
        return read_sav(*of, **settings)

    def never(_):
        raise AssertionError("a column without letters was searched for them")

    monkeypatch.setattr(pyreadstat, "read_sav", counted)
    monkeypatch.setattr(read_stat, "is_letter", never)
    question = ReadRequest(
        kind="spss", path=str(path).encode(), name="f.sav", place=WHERE, side="original"
    )
    assert read_stat.parse(question).frame.equals(frame)
    assert len(asked) == 1
    assert "usecols" not in asked[0]


@pytest.mark.parametrize("n_rows", [999, 1000, 1001])
def test_files_about_as_long_as_the_first_part_are_read_to_their_end(tmp_path, n_rows):
    frame = pl.DataFrame({"a": pl.int_range(n_rows, eager=True).cast(pl.Float64)})
    pyreadstat.write_sav(frame, str(tmp_path / "f.sav"))
    assert read_table(tmp_path / "f.sav", side="original").frame.equals(frame)
