"""Files to take home: what is written and read again is what it was."""

import math
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random

import polars as pl
import pyreadstat
import pytest
from polars.testing import assert_frame_equal

import unveil
from unveil.data.codebook import Data, Variable
from unveil.data.write import FAKE, SYNTHETIC, write

CANARY = "HIVpositive1847"
FRAME = pl.DataFrame({
    "name": ["Ann", "Bö b", None, "c, \"d\"\ne"],
    "sex": [1, 2, 9, None],
    "income": [1200, -8, None, 99_999],
    "weight": [0.1, -2.5, None, 1e10],
    "region": ["n", "s", None, "xx"],
    "born": [date(1583, 1, 1), date(2026, 11, 19), None, date(1950, 12, 31)],
    "seen": [datetime(2026, 1, 2, 3, 4, 5, 250_000), None, *[datetime(1583, 1, 1)] * 2],
    "is_ill": [True, False, None, True],
})  # fmt: skip
CODEBOOK = {
    "name": Variable("Name of the person", format="A20"),
    "sex": Variable(
        "Sex", {"1": "male", "2": "female", "9": "refused"}, ((9.0, 9.0),), "F1.0", "nominal"
    ),
    "income": Variable(
        label="",
        labels={"-8": "not asked", "0.5": "half"},
        missing=((-9.0, -1.0), (99_999.0, 99_999.0)),
        format="COMMA8.2",
        measure="scale",
    ),
    "weight": Variable("Weight of the record", format="F12.4", measure="scale"),
    "region": Variable(
        "Region", {"n": "North", "s": "South", "xx": "Abroad"}, (("xx", "xx"),), "A5", "nominal"
    ),
    "born": Variable("Born on", format="EDATE10", measure="scale"),
    "seen": Variable("Seen at", format="DATETIME23.2"),
    "is_ill": Variable("Is ill", format="F1.0"),
}
SURVEY = Data(FRAME, CODEBOOK)
LABELLED = pl.col("is_ill").cast(pl.Int64)  # SPSS and Stata have no truth values


def letters_file(path):
    """A Stata file in whose columns letters stand for missing answers."""
    frame = pl.DataFrame([
        pl.Series("ill", [1, "a", None, 2], dtype=pl.Object),
        pl.Series("pay", [1.5, "b", None, 2.0], dtype=pl.Object),
        pl.Series("asked", [1, 2, None, 1], dtype=pl.Object),
    ])  # fmt: skip
    pyreadstat.write_dta(
        frame,
        path,
        variable_value_labels={
            "ill": {1: "yes", 2: "no", "a": "refused", "z": "not asked"},
            "asked": {1: "yes", "c": "later"},
        },
        missing_user_values={"ill": ["a", "z"], "pay": ["b"], "asked": ["c"]},
        variable_format={"ill": "%8.0g", "pay": "%9.2f"},
    )
    return path


# There and back


def test_parquet_keeps_everything(tmp_path):
    data = unveil.read(write(SURVEY, tmp_path / "survey.parquet", fake=False))
    assert_frame_equal(data.frame, FRAME)
    assert data.codebook == CODEBOOK
    FRAME.write_parquet(tmp_path / "others.parquet", metadata={"codebook": "of another kind"})
    assert unveil.read(tmp_path / "others.parquet").codebook == {}


def test_a_csv_has_its_labels_and_missing_codes_beside_it(tmp_path):
    path = write(SURVEY, tmp_path / "survey.csv", fake=False)
    data = unveil.read(path)
    assert data.notes[-1] == "Its labels are those of survey_codebook.csv."
    assert_frame_equal(data.frame, FRAME)
    for name, variable in CODEBOOK.items():
        read = data.codebook[name]
        assert (read.label, read.labels) == (variable.label, variable.labels), name
        assert set(read.missing) == set(variable.missing), name
    write(FRAME, tmp_path / "plain.csv")
    assert {file.name for file in tmp_path.iterdir()} == {
        "survey.csv", "survey_codebook.csv", "FAKE_plain.csv",
    }  # fmt: skip


def test_spss_keeps_values_labels_missing_codes_and_formats(tmp_path):
    data = unveil.read(write(SURVEY, tmp_path / "survey.sav", fake=False))
    assert_frame_equal(data.frame, FRAME.with_columns(LABELLED))
    assert data.codebook == CODEBOOK


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_any_numbers_texts_and_dates_come_back(tmp_path, ending):
    chance = Random(1)
    letters = ["a", "ß", "名", "\U0001f600", "'", '"', "\n", "\t", ",", "=", " x"]
    first = datetime(1583, 1, 1)
    n_days = (date(2500, 1, 1) - first.date()).days

    def drawn(draw):
        return [None if chance.random() < 0.1 else draw() for _ in range(2_000)]

    frame = pl.DataFrame({
        "decimal": drawn(lambda: chance.uniform(-1, 1) * 10 ** chance.randint(-300, 300)),
        "whole": drawn(lambda: chance.randint(-(2 ** chance.randint(1, 53)), 2**53) + 1),
        "code": drawn(lambda: chance.randint(-120, 170)),
        "text": drawn(lambda: "".join(chance.choices(letters, k=chance.randint(1, 400)))),
        "day": drawn(lambda: first.date() + timedelta(chance.randrange(3_000_000))),
        "moment": drawn(lambda: first + timedelta(
            days=chance.randrange(n_days), milliseconds=chance.randrange(86_400_000)
        )),
    }).with_columns(pl.col("whole").clip(-(2**53) + 1, 2**53 - 1))  # fmt: skip
    again = unveil.read(write(frame, tmp_path / f"f.{ending}", fake=False)).frame
    assert_frame_equal(again, frame)


def test_stata_keeps_values_and_the_labels_of_whole_numbers(tmp_path):
    data = unveil.read(write(SURVEY, tmp_path / "survey.dta", fake=False))
    assert_frame_equal(data.frame, FRAME.with_columns(LABELLED))
    assert {name: known.label for name, known in data.codebook.items()} == {
        name: known.label for name, known in CODEBOOK.items()
    }
    assert data.codebook["sex"].labels == CODEBOOK["sex"].labels
    assert data.codebook["income"].labels == {"-8": "not asked"}
    assert [data.codebook[name].format for name in ("born", "seen")] == ["%td", "%tc"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_without_labels_come_back_by_those_of_another_file(tmp_path, ending):
    original = write(SURVEY, tmp_path / "original.sav", fake=False)
    between = write(SURVEY, tmp_path / f"between{ending}", fake=False)
    data = unveil.read(write(between, tmp_path / "again.sav", like=original, fake=False))
    expected = unveil.read(original)
    assert_frame_equal(data.frame, expected.frame)
    assert data.codebook == expected.codebook


def test_a_csv_file_has_codes_and_not_their_labels(tmp_path):
    original = write(SURVEY, tmp_path / "original.sav", fake=False)
    path = write(original, tmp_path / "f.csv", fake=False)
    texts = pl.read_csv(path, infer_schema=False)
    assert texts["sex"].to_list() == ["1", "2", "9", None]
    assert texts["income"].to_list() == ["1200", "-8", None, "99999"]
    assert texts["born"].to_list() == ["1583-01-01", "2026-11-19", None, "1950-12-31"]
    assert texts["name"].to_list() == FRAME["name"].to_list()


def test_letters_of_stata_come_back_and_are_text_in_spss(tmp_path):
    original = letters_file(tmp_path / "f.dta")
    first = unveil.read(original)
    again = unveil.read(write(original, tmp_path / "again.dta", fake=False))
    assert_frame_equal(again.frame, first.frame)
    assert again.codebook == first.codebook
    spss = unveil.read(write(original, tmp_path / "f.sav", fake=False))
    assert_frame_equal(spss.frame, first.frame)
    assert spss.codebook["ill"].labels == first.codebook["ill"].labels
    assert spss.codebook["ill"].missing == (*first.codebook["ill"].missing,)


def test_numbers_are_numbers_of_stata_again_where_the_original_has_letters(tmp_path):
    original = letters_file(tmp_path / "f.dta")
    synthetic = pl.DataFrame({"ill": ["yes", "refused", "no"], "pay": [1.0, None, 2.5]})
    path = write(synthetic, tmp_path / "new.dta", like=original, fake=False)
    frame, facts = pyreadstat.read_dta(path, output_format="polars", user_missing=True)
    assert [frame["ill"].to_list(), frame["pay"].to_list()] == [[1, "a", 2], [1, None, 2.5]]
    assert facts.variable_value_labels["ill"]["z"] == "not asked"
    assert facts.original_variable_types == {"ill": "%8.0g", "pay": "%9.2f"}


# Like another file


def test_labels_become_codes_in_the_types_of_the_other_file(tmp_path):
    synthetic = pl.DataFrame({
        "sex": ["female", "refused", None, "male"],
        "income": [1.0, -8.0, 3.0, None],
        "region": pl.Series(["South", "n", "Moon", None], dtype=pl.Categorical),
        "born": ["2026-01-02", None, "1583-01-01", "1999-09-09"],
        "weight": [1, 2, 3, 4],
        "is_ill": [True, None, False, True],
        "new": ["x", None, "y", "z"],
    })  # fmt: skip
    data = unveil.read(write(synthetic, tmp_path / "f.sav", like=SURVEY, fake=False))
    assert data.frame.to_dict(as_series=False) == {
        "sex": [2, 9, None, 1],
        "income": [1, -8, 3, None],
        "region": ["s", "n", "Moon", None],
        "born": [date(2026, 1, 2), None, date(1583, 1, 1), date(1999, 9, 9)],
        "weight": [1, 2, 3, 4],
        "is_ill": [1, None, 0, 1],
        "new": ["x", None, "y", "z"],
    }
    for name in ("sex", "region", "born", "weight"):
        assert data.codebook[name] == CODEBOOK[name]


def test_decimals_stay_decimals_where_the_other_file_has_whole_numbers(tmp_path):
    synthetic = pl.DataFrame({"income": [1200.5, None]})
    data = unveil.read(write(synthetic, tmp_path / "f.sav", like=SURVEY, fake=False))
    assert data.frame["income"].to_list() == [1200.5, None]


# Marked


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".sav", ".dta"])
def test_synthetic_data_say_so_in_their_name_and_last_column(tmp_path, ending):
    path = write(FRAME.select("sex"), tmp_path / f"copy{ending}", like=SURVEY)
    assert path == tmp_path / f"FAKE_copy{ending}"
    beside = {"FAKE_copy_codebook.csv"} if ending == ".csv" else set()
    assert {file.name for file in tmp_path.iterdir()} == {path.name} | beside
    data = unveil.read(path)
    assert data.frame.columns == ["sex", FAKE]
    assert data.frame[FAKE].to_list() == [1] * 4
    again = unveil.read(write(path, tmp_path / f"FAKE_again{ending}")).frame
    assert again.columns == ["sex", FAKE]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_say_that_data_are_synthetic(tmp_path, ending):
    path = write(FRAME.select("sex"), tmp_path / f"copy.{ending}")
    _, facts = getattr(pyreadstat, f"read_{ending}")(path, output_format="polars")
    assert facts.file_label == SYNTHETIC
    assert facts.column_names_to_labels[FAKE] == SYNTHETIC
    assert facts.variable_value_labels[FAKE] == {1: SYNTHETIC}


def test_data_that_are_not_synthetic_are_not_marked(tmp_path):
    path = write(FRAME.select("sex", "region"), str(tmp_path / "copy.csv"), fake=False)
    assert path.read_text() == "sex,region\n1,n\n2,s\n9,\n,xx\n"


# What formats hold


def test_text_that_a_spreadsheet_would_execute_is_guarded(tmp_path):
    frame = pl.DataFrame({"=name": ["=1+1", "-8", "-x", "@a", "plain", None]})
    path = write(frame, tmp_path / "f.csv")
    assert path.read_text().splitlines()[:5] == ["'=name,FAKE", "'=1+1,1", "-8,1", "'-x,1", "'@a,1"]


def test_long_labels_are_cut_between_letters(tmp_path):
    codebook = {"sex": Variable("ä" * 300, {"1": "x" + "ä" * 200, "2": "female"})}
    data = Data(FRAME.select("sex"), codebook)
    spss = unveil.read(write(data, tmp_path / "f.sav")).codebook["sex"]
    stata = unveil.read(write(data, tmp_path / "f.dta")).codebook["sex"]
    assert (spss.label, spss.labels["1"]) == ("ä" * 128, "x" + "ä" * 59)
    assert (stata.label, stata.labels) == ("ä" * 40, codebook["sex"].labels)


def test_types_that_the_programs_lack_are_written_as_what_comes_nearest(tmp_path):
    frame = pl.DataFrame({
        "single": pl.Series([0.1, None], dtype=pl.Float32),
        "decimal": pl.Series(["1.10", "2.25"]).cast(pl.Decimal(10, 2)),
        "zoned": pl.Series([datetime(2026, 1, 1, 12), None]).dt.replace_time_zone("Europe/Berlin"),
        "clock": [time(1, 2, 3), time(23, 59, 59, 500_000)],
        "span": [timedelta(hours=25), None],
        "empty": [None, None],
    })  # fmt: skip
    for ending in ("sav", "dta"):
        again = unveil.read(write(frame, tmp_path / f"f.{ending}", fake=False)).frame
        assert again.rows() == [
            (0.1, 1.1, datetime(2026, 1, 1, 12), time(1, 2, 3), "1 day, 1:00:00", None),
            (None, 2.25, None, time(23, 59, 59, 500_000), None, None),
        ]


def test_long_texts_and_no_records_are_written(tmp_path):
    frame = pl.DataFrame({"story": ["w" * 3000, None, "ü", "w" * 3000, ""]})
    for ending in ("sav", "dta"):
        again = unveil.read(write(frame, tmp_path / f"f.{ending}")).frame["story"].to_list()
        assert again == ["w" * 3000, None, "ü", "w" * 3000, None]
        nothing = unveil.read(write(frame.clear(), tmp_path / f"g.{ending}")).frame
        assert nothing.columns == ["story", FAKE]


def odd(name, *values):
    return pl.DataFrame({"sex": [1] * len(values), name: values})


@pytest.mark.parametrize(
    ("frame", "name", "column"),
    [
        (odd("Age, years", 1.5), "f.dta", "Age, years"),
        (odd("Age, years", 1.5), "f.sav", "Age, years"),
        (odd("ä" * 33, 1.5), "f.dta", "ä" * 33),
        (odd("ä" * 33, 1.5), "f.sav", "ä" * 33),
        (odd("int", 1), "f.dta", "int"),
        (odd("ALL", 1), "f.sav", "ALL"),
        (odd("n", 2**53 + 1), "f.sav", "n"),
        (odd("n", 2**53 + 1), "f.dta", "n"),
        (odd("n", math.inf), "f.dta", "n"),
        (odd("story", CANARY * 3000), "f.sav", "story"),
        (odd("list", [CANARY]), "f.sav", "list"),
        (odd("list", [CANARY]), "f.csv", "list"),
        (odd("span", timedelta(1)), "f.csv", "span"),
    ],
)
def test_a_column_that_a_format_cannot_hold_is_named(tmp_path, frame, name, column):
    with pytest.raises(unveil.InputError) as caught:
        write(frame, tmp_path / name, fake=False)
    assert f"cannot hold {column!r}. It takes" in str(caught.value)
    assert CANARY not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_more_missing_codes_than_spss_has_are_refused(tmp_path):
    missing = tuple((float(code), float(code)) for code in range(4))
    data = Data(FRAME.select("sex"), {"sex": Variable(missing=missing)})
    with pytest.raises(unveil.InputError, match=r"'sex'\. .* three missing codes"):
        write(data, tmp_path / "f.sav")


# Refusals


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        ({"sex": ["male", CANARY]}, "Column 'sex' has entries that are no codes or labels"),
        ({"income": ["1", CANARY]}, "Column 'income' .* text|Column 'income' has entries"),
        (
            {"born": ["2026-01-01", CANARY]},
            "Column 'born' in the data: 1 of 2 entries cannot be read as a date",
        ),
        ({"born": [1, 2]}, "Column 'born' differs"),
    ],
)
def test_entries_unlike_those_of_the_other_file_are_refused(tmp_path, frame, match):
    with pytest.raises(unveil.InputError, match=match) as caught:
        write(pl.DataFrame(frame), tmp_path / "f.sav", like=SURVEY)
    assert CANARY not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_read_is_not_replaced(tmp_path):
    path = write(SURVEY, tmp_path / "f.csv", fake=False)
    for settings in ({"data": path}, {"data": SURVEY, "like": path}):
        with pytest.raises(unveil.InputError, match="would be replaced"):
            write(path=tmp_path / "f.csv", fake=False, **settings)


@pytest.mark.parametrize(
    ("path", "match"),
    [
        ("f.xlsx", "ends with none of .csv .parquet .sav .dta"),
        ("nowhere/f.csv", "or is in no folder"),
        (5, "'path' takes a path"),
    ],
)
def test_a_path_that_cannot_be_is_refused(tmp_path, path, match):
    with pytest.raises(unveil.InputError, match=match):
        write(FRAME, path if path == 5 else tmp_path / path)


def test_a_column_fake_of_something_else_is_refused(tmp_path):
    with pytest.raises(unveil.InputError, match="a column 'FAKE' that is not 1"):
        write(pl.DataFrame({FAKE: [1, 0]}), tmp_path / "f.csv")


def test_names_that_differ_in_capitals_only_are_refused_by_spss(tmp_path):
    with pytest.raises(unveil.InputError, match="differ in capitals only"):
        write(pl.DataFrame({"a": [1], "A": [2]}), tmp_path / "f.sav")
    assert Path(write(pl.DataFrame({"a": [1], "A": [2]}), tmp_path / "f.dta")).exists()
