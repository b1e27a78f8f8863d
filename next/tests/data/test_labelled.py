"""Files of SPSS, Stata and SAS, with their labels and missing codes."""

import math
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path

import polars as pl
import pyreadstat
import pytest
from polars.testing import assert_frame_equal

import unveil
from data.damaged import good_files, try_files
from unveil.data import apart, labelled
from unveil.data.codebook import Variable
from unveil.data.labelled import ELSEWHERE, read_labelled

PEOPLE = Path(__file__).parents[3] / "tests" / "io" / "data" / "people.sas7bdat"
CANARY = "HIVpositive1847"
DAMAGED = "is damaged: it cannot be read. Ask for it again, or export it as CSV."
ALL_ONES = "1 column has codes that stand for a missing answer; each is a level of its own."


def letters(name, *values):
    """Numbers and Stata's letters, as pyreadstat writes them."""
    return pl.Series(name, values, dtype=pl.Object)


# SPSS


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """All that an SPSS file can say of its columns."""
    path = tmp_path_factory.mktemp("spss") / "survey.sav"
    frame = pl.DataFrame({
        "sex": [1.0, 2.0, 9.0, None],
        "income": [1200.5, -8.0, None, 99999.0],
        "region": ["n", "s", "", "xx"],
        "story": ["é" * 300, "", "b", "c"],
        "größe": [170.0, 181.5, 165.0, 150.0],
        "born": pl.Series([date(1583, 1, 1), date(2026, 11, 19), None, date(1900, 1, 1)]),
        "n": [1, 2, 3, None],
        "is_ill": [True, False, None, True],
        "empty": pl.Series([None] * 4, dtype=pl.Float64),
    })  # fmt: skip
    pyreadstat.write_sav(
        frame,
        path,
        column_labels={"sex": "Sex of the person", "größe": "Größe in cm"},
        variable_value_labels={
            "sex": {1: "male", 2: "female", 9: "refused"},
            "income": {-8: "not asked", 0.5: "half"},
            "region": {"n": "North", "s": "South", "a longer code": "Elsewhere"},
        },
        missing_ranges={
            "sex": [9],
            "income": [{"lo": -math.inf, "hi": -1}, 99999],
            "region": ["xx", "yy"],
        },
        variable_measure={"sex": "nominal", "income": "scale"},
        variable_format={"sex": "F1.0", "income": "COMMA10.2"},
    )
    return read_labelled(path)


def test_codes_stay_codes_and_what_the_file_lacks_is_missing(survey):
    expected = pl.DataFrame({
        "sex": [1, 2, 9, None],
        "income": [1200.5, -8.0, None, 99999.0],
        "region": ["n", "s", None, "xx"],
        "story": ["é" * 300, None, "b", "c"],
        "größe": [170.0, 181.5, 165.0, 150.0],
        "born": [date(1583, 1, 1), date(2026, 11, 19), None, date(1900, 1, 1)],
        "n": [1, 2, 3, None],
        "is_ill": [1, 0, None, 1],
        "empty": pl.Series([None] * 4, dtype=pl.Int64),
    })  # fmt: skip
    assert_frame_equal(survey.frame, expected)


def test_the_codebook_has_labels_missing_codes_formats_and_measures(survey):
    book = survey.codebook
    labels = {"1": "male", "2": "female", "9": "refused"}
    assert book["sex"] == Variable("Sex of the person", labels, ((9.0, 9.0),), "F1.0", "nominal")
    assert book["income"].labels == {"-8": "not asked", "0.5": "half"}
    assert book["income"].format == "COMMA10.2"
    assert book["region"].labels["a longer code"] == "Elsewhere"
    assert book["region"].missing == (("xx", "xx"), ("yy", "yy"))
    assert book["größe"] == Variable("Größe in cm", format="F8.2")
    assert (book["born"].format, book["born"].measure) == ("DATE11", "")


def test_a_range_of_missing_codes_may_have_no_end(survey):
    income = survey.codebook["income"]
    assert [income.is_missing(n) for n in (-1e300, -8, -1, 0, 99999)] == [True] * 3 + [False, True]
    assert all(math.isfinite(end) for ends in income.missing for end in ends)


def test_a_note_says_how_many_columns_have_missing_codes(survey):
    sentence = "3 columns have codes that stand for a missing answer; each is a level of its own."
    assert survey.notes == (sentence,)


SECONDS = (date(2020, 2, 29) - date(1582, 10, 14)).days * 86_400.0
SPSS_FORMATS = [
    ("DATE11", SECONDS, date(2020, 2, 29)),
    ("ADATE10", -86_400.0, date(1582, 10, 13)),
    ("EDATE10", SECONDS + 60, datetime(2020, 2, 29, 0, 1)),
    ("SDATE10", SECONDS, date(2020, 2, 29)),
    ("JDATE7", SECONDS, date(2020, 2, 29)),
    ("MOYR8", SECONDS, date(2020, 2, 29)),
    ("QYR8", SECONDS, date(2020, 2, 29)),
    ("WKYR10", SECONDS, date(2020, 2, 29)),
    ("DATETIME20", SECONDS + 3661.25, datetime(2020, 2, 29, 1, 1, 1, 250_000)),
    ("DATETIME23.3", SECONDS + 0.123, datetime(2020, 2, 29, 0, 0, 0, 123_000)),
    ("YMDHMS19", SECONDS, datetime(2020, 2, 29)),
    ("TIME8", 3661.0, time(1, 1, 1)),
    ("TIME11.2", 86_399.25, time(23, 59, 59, 250_000)),
    ("DTIME11", 90_000.0, timedelta(hours=25)),
    ("TIME9", -5.0, timedelta(seconds=-5)),
    ("DATETIME20", 265_621_679_999.0, datetime(9999, 12, 31, 23, 59, 59)),
    ("DATETIME20", 265_621_680_000.0, 265_621_680_000),
    ("DATE11", -(datetime(1582, 10, 14) - datetime.min).total_seconds(), date.min),
    ("WKDAY9", 3.0, 3),
    ("MONTH9", 3.0, 3),
    ("F8.2", SECONDS, int(SECONDS)),
]


def test_numbers_of_spss_are_dates_and_times_by_their_format(tmp_path):
    columns = {f"c{place}": [number, None] for place, (_, number, _) in enumerate(SPSS_FORMATS)}
    formats = {f"c{place}": form for place, (form, _, _) in enumerate(SPSS_FORMATS)}
    pyreadstat.write_sav(pl.DataFrame(columns), tmp_path / "f.sav", variable_format=formats)
    frame = read_labelled(tmp_path / "f.sav").frame
    assert [*frame.row(0)] == [value for _, _, value in SPSS_FORMATS]
    assert frame.row(1) == (None,) * len(SPSS_FORMATS)


def test_codes_of_dates_are_written_as_dates(tmp_path):
    seconds = (date(1900, 1, 1) - date(1582, 10, 14)).days * 86_400.0
    pyreadstat.write_sav(
        pl.DataFrame({"born": [seconds, SECONDS]}),
        tmp_path / "f.sav",
        variable_format={"born": "DATE11"},
        variable_value_labels={"born": {seconds: "not known"}},
        missing_ranges={"born": [seconds]},
    )
    data = read_labelled(tmp_path / "f.sav")
    assert data.frame["born"].to_list() == [date(1900, 1, 1), date(2020, 2, 29)]
    assert data.codebook["born"].labels == {"1900-01-01": "not known"}
    assert data.codebook["born"].missing == (("1900-01-01", "1900-01-01"),)


def test_text_in_another_encoding_than_declared_is_read_and_told(tmp_path):
    path = tmp_path / "f.sav"
    pyreadstat.write_sav(pl.DataFrame({"street": ["Stra?e", "Weg"]}), path)
    path.write_bytes(path.read_bytes().replace(b"Stra?e", b"Stra\xdfe"))
    data = read_labelled(path)
    assert data.frame["street"].to_list() == ["Straße", "Weg"]
    sentence = "It is not in the encoding that it declares, and was read as Windows-1252."
    assert data.notes == (sentence,)


# Stata


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    path = tmp_path_factory.mktemp("stata") / "panel.dta"
    frame = pl.DataFrame([
        letters("ill", 1, "a", None, "z"),
        letters("pay", 1.5, "b", None, 2.0),
        letters("asked", "a", None, "b", "b"),
        letters("born", 0.0, "a", None, 21974.0),
        pl.Series("single", [0.1, 1e300, None, 3.0]),
        pl.Series("whole", [1, -5, None, 2_147_483_620], dtype=pl.Int32),
        pl.Series("day", [0.0, -3652.0, None, 24000.0]),
        pl.Series("moment", [0.0, 1.5e12 + 0.25, None, 1.0]),
        pl.Series("clock", [0.0, 86_399_500.0, None, 1.0]),
        pl.Series("month", [700.0, 1.0, None, 2.0]),
        pl.Series("story", ["w" * 3000, "", "ü", "b"]),
    ])  # fmt: skip
    pyreadstat.write_dta(
        frame,
        path,
        version=14,
        column_labels={"ill": "é" * 80},
        variable_value_labels={"ill": {1: "yes", "a": "refused", "b": "not asked"}},
        missing_user_values={
            "ill": ["a", "b", "z"], "pay": ["b"], "asked": ["a", "b"], "born": ["a"],
        },
        variable_format={
            "born": "%td", "day": "%tdCCYY.NN.DD", "moment": "%tc", "clock": "%tcHH:MM:SS",
            "month": "%tm",
        },
    )  # fmt: skip
    return read_labelled(path)


def test_letters_of_missing_answers_are_levels_of_a_column_of_text(panel):
    frame, book = panel.frame, panel.codebook
    assert frame["ill"].to_list() == ["1", ".a", None, ".z"]
    assert frame["pay"].to_list() == ["1.5", ".b", None, "2"]
    assert frame["asked"].to_list() == [".a", None, ".b", ".b"]
    assert frame["born"].to_list() == ["1960-01-01", ".a", None, "2020-02-29"]
    assert book["ill"].labels == {"1": "yes", ".a": "refused", ".b": "not asked"}
    assert book["ill"].missing == ((".a", ".a"), (".b", ".b"), (".z", ".z"))
    assert panel.notes == (
        "4 columns have codes that stand for a missing answer; each is a level of its own.",
        "Letters (.a to .z) stand for missing answers in 'ill', 'pay', 'asked', 'born': these"
        " columns are text. Name the letters as missing to compare numbers.",
    )


def test_numbers_of_stata_are_whole_numbers_dates_and_times(panel):
    frame = panel.frame
    assert frame["whole"].to_list() == [1, -5, None, 2_147_483_620]
    assert frame["single"].to_list() == [0.1, 1e300, None, 3.0]
    assert frame["day"].to_list() == [
        date(1960, 1, 1), date(1950, 1, 1), None, date(2025, 9, 16),
    ]  # fmt: skip
    assert frame["moment"][1] == datetime(2007, 7, 14, 2, 40, 0, 250)
    assert frame["clock"].to_list()[:2] == [time(0), time(23, 59, 59, 500_000)]
    assert frame["month"].to_list() == [700, 1, None, 2]
    assert frame["story"].to_list() == ["w" * 3000, None, "ü", "b"]


def test_the_same_letters_are_the_same_levels_in_text_and_in_stata(panel):
    texts = panel.frame.select("ill", "pay")
    study = unveil.Study(panel, texts, keys="ill", targets="pay")
    assert study.column("ill").counts.tolist() == [[1, 1, 1, 1]] * 2
    assert study.column("ill").written == [".a", ".z", "1", None]


def test_a_column_with_letters_has_numbers_where_they_are_named_as_missing(panel):
    numbers = pl.DataFrame({"ill": ["1", ".a"], "pay": [1.5, 3.0]})
    study = unveil.Study(panel, numbers, keys="ill", targets="pay", missing=[".b"])
    assert study.column("pay").kind == "number"
    assert study.column("pay").written == ["1.5", "2", "3", None]


# SAS


def test_a_file_of_sas_has_the_levels_and_counts_that_were_written():
    if not PEOPLE.exists():
        pytest.skip("the file of version 0.1 is not here")
    data = read_labelled(PEOPLE)
    counts = {name: dict(data.frame[name].value_counts().rows()) for name in ("SEX", "ILL")}
    assert counts["SEX"] == {1: 10, 2: 10, 9: 10, None: 10}
    assert counts["ILL"] == {CANARY: 10, "no": 20, None: 10}
    assert data.frame["WEIGHT"].to_list() == [row / 7 for row in range(40)]
    assert data.codebook["SEX"] == Variable("Sex of the person")


DAYS = float((date(2020, 2, 29) - date(1960, 1, 1)).days)
SAS_FORMATS = [
    ("DATE9", DAYS, date(2020, 2, 29)),
    ("MMDDYY10", DAYS, date(2020, 2, 29)),
    ("DDMMYYP10", DAYS, date(2020, 2, 29)),
    ("YYMMDD10", DAYS, date(2020, 2, 29)),
    ("MONYY7", DAYS, date(2020, 2, 29)),
    ("WORDDATE18", DAYS, date(2020, 2, 29)),
    ("JULIAN7", DAYS, date(2020, 2, 29)),
    ("E8601DA10", DAYS, date(2020, 2, 29)),
    ("YYQ6", DAYS, date(2020, 2, 29)),
    ("DATETIME20", DAYS * 86_400 + 1.5, datetime(2020, 2, 29, 0, 0, 1, 500_000)),
    ("E8601DT19", DAYS * 86_400, datetime(2020, 2, 29)),
    ("DATEAMPM19", DAYS * 86_400, datetime(2020, 2, 29)),
    ("TIME8", 3661.0, time(1, 1, 1)),
    ("HHMM5", 3600.0, time(1)),
    ("BEST12", 7.0, 7),
    ("DOLLAR9.2", 7.5, 7.5),
    ("DATELABEL5", 7.0, 7),
    ("TIMES4", 7.0, 7),
]


def test_numbers_of_sas_are_dates_and_times_by_their_format(tmp_path):
    columns = {f"c{place}": [number, None] for place, (_, number, _) in enumerate(SAS_FORMATS)}
    formats = {f"c{place}": form for place, (form, _, _) in enumerate(SAS_FORMATS)}
    pyreadstat.write_xport(pl.DataFrame(columns), tmp_path / "f.xpt", variable_format=formats)
    frame = read_labelled(tmp_path / "f.xpt").frame
    assert [*frame.row(0)] == [value for _, _, value in SAS_FORMATS]


def test_letters_of_sas_are_levels_as_they_are_in_stata(tmp_path):
    path, missing = tmp_path / "f.xpt", b"." + bytes(7)
    pyreadstat.write_xport(pl.DataFrame({"T": ["A", "B", "C"], "X": [None, 65.0, None]}), path)
    start, middle, end = path.read_bytes().split(missing)
    path.write_bytes(start + b"A" + bytes(7) + middle + missing + end)
    data = read_labelled(path)
    assert data.frame.rows() == [("A", ".a"), ("B", "65"), ("C", None)]
    assert data.codebook["X"].missing == ((".a", ".a"),)
    assert data.notes[0] == ALL_ONES


def test_a_transport_file_of_two_tables_says_that_the_first_was_read(tmp_path):
    path = tmp_path / "f.xpt"
    pyreadstat.write_xport(pl.DataFrame({"A": [1.0, 2.0]}), path)
    content = path.read_bytes()
    path.write_bytes(content + content[content.index(b"HEADER RECORD*******MEMB") :])
    data = read_labelled(path)
    assert data.frame["A"].to_list() == [1, 2]
    assert data.notes == ("It has 2 tables, of which the first was read.",)


# Refusals


def refusal(path):
    with pytest.raises(unveil.InputError) as caught:
        unveil.read(path)
    assert caught.value.__cause__ is None
    assert CANARY not in str(caught.value)
    return str(caught.value).removeprefix(f"{str(path)!r} ")


def sav(path, n=1000):
    frame = pl.DataFrame({"ill": [CANARY] * n, "number": [1847.25] * n})
    pyreadstat.write_sav(frame, path, column_labels={"ill": CANARY})
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.sav", b"", "is empty. Ask for it again."),
        ("a.sav", b"\x1c" + bytes(7) + b"ENCRYPTEDSAV" + bytes(99),
         "is locked with a password. Save it without one."),
        ("a.sav", b"sex,age\n1,2\n", "is no file of SPSS, whatever its ending says."
         " Ask for it again, or export it as CSV."),
        ("a.dta", b"PK\x03\x04", "is no file of Stata, whatever its ending says."
         " Ask for it again, or export it as CSV."),
        ("a.sas7bdat", b"$FL2" + bytes(99), "is no file of SAS, whatever its ending says."
         " Ask for it again, or export it as CSV."),
        ("a.xpt", b"**COMPRESSED** **COMPRESSED**", "is no file of SAS, whatever its ending says."
         " Ask for it again, or export it as CSV."),
        ("a.sav", b"$FL2" + bytes(999), DAMAGED),
        ("a.xpt", b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + bytes(99), DAMAGED),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name) == sentence


@pytest.mark.parametrize("cut", [600, 5_000])
def test_a_file_that_was_cut_short_is_damaged_and_nothing_of_it_is_told(tmp_path, capfd, cut):
    content = sav(tmp_path / "f.sav")
    (tmp_path / "f.sav").write_bytes(content[:-cut])
    assert refusal(tmp_path / "f.sav") == DAMAGED
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
def test_a_file_that_claims_more_records_than_memory_holds_is_refused(tmp_path):
    path = tmp_path / "f.dta"
    pyreadstat.write_dta(pl.DataFrame({"x": [1.0]}), path, version=14)
    one, many = (b"<N>" + n.to_bytes(8, "little") for n in (1, 2**31 - 1))
    path.write_bytes(path.read_bytes().replace(one, many))
    sentence = "is damaged, or needs more memory than there is."
    assert refusal(path) in (f"{sentence} Ask for it again, or export it as CSV.", DAMAGED)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
@pytest.mark.parametrize("end", ["kill -SEGV $$", "kill -KILL $$", f"echo {CANARY} >&2; exit 1"])
def test_a_parser_that_crashes_takes_nothing_with_it(tmp_path, monkeypatch, capfd, end):
    sav(tmp_path / "f.sav")
    (parser := tmp_path / "parser").write_text(f"#!/bin/sh\n{end}\n")
    parser.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(parser))
    assert refusal(tmp_path / "f.sav") == DAMAGED
    assert capfd.readouterr() == ("", "")


def test_a_parser_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    sav(tmp_path / "f.sav")
    monkeypatch.setattr(apart, "SECONDS", 0.001)
    monkeypatch.setattr(apart, "BYTES_A_SECOND", 10**9)
    assert refusal(tmp_path / "f.sav") == DAMAGED


def test_modules_beside_the_data_are_not_taken_for_those_of_python(tmp_path, monkeypatch):
    sav(tmp_path / "f.sav")
    (tmp_path / "json.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert unveil.read("f.sav").frame.height == 1000


@pytest.mark.parametrize("ending", ELSEWHERE)
def test_what_is_not_read_says_what_to_do_instead(tmp_path, ending):
    (tmp_path / f"f{ending}").write_bytes(b"something")
    assert ELSEWHERE[ending] in refusal(tmp_path / f"f{ending}")


def test_names_of_any_letters_and_endings_in_capitals_are_read(tmp_path):
    path = tmp_path / "-ä b.SAV"
    sav(path, n=3)
    assert read_labelled(path).frame.height == 3


@pytest.mark.parametrize("ending", [*labelled.PROGRAMS, ".csv", ".csv.gz", ".parquet", ".xlsx"])
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path, ending):
    contents = good_files(tmp_path).get(ending)
    if not contents:
        pytest.skip("the file of version 0.1 is not here")
    counts = try_files(ending, contents, 25, tmp_path)
    assert not [outcome for outcome in counts if outcome.startswith("WRONG")]
    assert counts["refused"] > 0
