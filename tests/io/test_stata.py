import struct
from datetime import date, datetime, time

import polars as pl
import pytest

from foreign_files import write_dta
from unveil.io.numbers import TAGS
from unveil.io.read_stat import series_of
from unveil.io.sources import read_table
from unveil.io.stat_dates import stamp_of

DAY = (date(2020, 2, 29) - date(1960, 1, 1)).days
MILLISECONDS = DAY * 86_400_000.0


def entry(number, tag):
    """A number among the records, to be replaced by a letter."""
    return struct.pack("<d", number), struct.pack("<d", TAGS[tag])


def code(number, letter):
    """A code among the labels, to be replaced by a letter; Stata counts on from its `.`."""
    return struct.pack("<i", number), struct.pack("<i", 2_147_483_621 + " abcdefg".index(letter))


@pytest.fixture
def read(tmp_path):
    def read(frame, replace=(), **declared):
        path = tmp_path / "f.dta"
        write_dta(pl.DataFrame(frame), path, **declared)
        content = path.read_bytes()
        for old, new in replace:
            assert content.count(old) == 1
            content = content.replace(old, new)
        path.write_bytes(content)
        return read_table(path, side="original")

    return read


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_every_release_is_read(read, version):
    frame = pl.DataFrame({"a": [1.5, None], "t": ["x", "yy"], "i": [1, 2]})
    table = read(frame, version=version, column_labels={"a": "Alpha"})
    assert table.frame.equals(frame)
    assert table.codebook.variable("a").label == "Alpha"
    assert table.codebook.format == "stata"


def test_letters_of_missing_values_stay_apart_from_each_other_and_from_empty(read):
    table = read(
        {"x": [1.0, 12345.678, None, 98765.432]},
        replace=[
            entry(12345.678, ".a"),
            entry(98765.432, ".z"),
            code(1_234_567, "a"),
            code(7_654_321, "c"),
        ],
        variable_value_labels={"x": {1: "yes", 1_234_567: "refused", 7_654_321: "never used"}},
    )
    assert table.frame["x"].to_list() == [1.0, TAGS[".a"], None, TAGS[".z"]]
    known = table.codebook.variable("x")
    assert known.missing == (".a", ".c", ".z")
    assert [(level.code, level.label) for level in known.levels] == [
        (1, "yes"),
        (".a", "refused"),
        (".c", "never used"),
    ]
    assert table.notes == ()


def test_letters_among_dates_are_missing_and_that_is_told(read):
    table = read(
        {"d": [float(DAY), 12345.678]},
        replace=[entry(12345.678, ".b")],
        variable_format={"d": "%td"},
    )
    assert table.frame["d"].to_list() == [date(2020, 2, 29), None]
    assert [(note.column, note.kind, note.sentence) for note in table.notes] == [
        (
            "d",
            "missing",
            "Column 'd' holds dates or times, and among them letters of missing values (.a to .z),"
            " which were taken as missing.",
        )
    ]
    assert table.codebook.variable("d").missing == ()


@pytest.mark.parametrize(
    ("form", "number", "value"),
    [
        ("%td", DAY, date(2020, 2, 29)),
        ("%d", DAY, date(2020, 2, 29)),
        ("%tdCCYY-NN-DD", DAY, date(2020, 2, 29)),
        ("%tdD_m_Y", DAY, date(2020, 2, 29)),
        ("%-tdD_m_Y", DAY, date(2020, 2, 29)),
        ("%dM_d,_CY", DAY, date(2020, 2, 29)),
        ("%td", -1.0, date(1959, 12, 31)),
        ("%tc", MILLISECONDS + 3_661_250, datetime(2020, 2, 29, 1, 1, 1, 250_000)),
        ("%tcCCYY-NN-DD_HH:MM:SS", MILLISECONDS, datetime(2020, 2, 29)),
        ("%tcHH:MM:SS", 3_661_000.0, time(1, 1, 1)),
        ("%tcHH:MM", 3_600_000.0, time(1)),
        ("%tw", 100.0, 100.0),
        ("%tm", 721.0, 721.0),
        ("%tq", 240.0, 240.0),
        ("%th", 120.0, 120.0),
        ("%ty", 2020.0, 2020.0),
        ("%9.0g", 5.0, 5.0),
    ],
)
def test_dates_and_times_are_read_by_their_format(read, form, number, value):
    table = read({"x": [float(number), None]}, variable_format={"x": form})
    assert table.frame["x"].to_list() == [value, None]
    assert table.codebook.variable("x").format == form


def test_a_clock_that_shows_the_day_too_is_no_time_of_day():
    assert stamp_of("stata", "%tcHH:MM:SS_DD_Mon").kind == "moment"
    assert stamp_of("stata", "%tcHH:MM:SS.sss").kind == "time"
    assert stamp_of("stata", "%-9s") is None


def test_whole_numbers_are_whole(read):
    table = read(pl.DataFrame({"whole": [1, 2]}, schema={"whole": pl.Int8}))
    assert table.frame.schema == {"whole": pl.Int64}


def test_single_precision_stays_single():
    # Written by Stata alone: 0.1 as a float is another number than 0.1 as a double.
    (single,) = struct.unpack("<f", struct.pack("<f", 0.1))
    assert series_of([single, None], "float").equals(pl.Series([0.1, None], dtype=pl.Float32))


def test_names_and_labels_in_any_script_are_kept(read):
    table = read(
        {"größe": [1, 2], "t": ["Köln", "東京"]},
        column_labels={"größe": "Größe in cm"},
        variable_value_labels={"größe": {1: "klein", 2: "groß"}},
        file_label="Übersicht",
    )
    assert table.frame.columns == ["größe", "t"]
    assert table.frame["t"].to_list() == ["Köln", "東京"]
    assert table.codebook.file_label == "Übersicht"
    assert table.codebook.variable("größe").label_of(2) == "groß"
