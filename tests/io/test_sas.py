from datetime import date, datetime, time
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from foreign_files import CANARY, make, write_xpt
from unveil.errors import ReadError
from unveil.io import read_stat, stat_codebook
from unveil.io.numbers import TAGS
from unveil.io.sources import read_table
from unveil.io.stat_dates import stamp_of
from unveil.io.wire import ReadRequest

KEPT = Path(__file__).parent / "data" / "people.sas7bdat"
"""Forty invented people, written once by ReadStat: nothing here can write such files."""

DAY = (date(2020, 2, 29) - date(1960, 1, 1)).days


@pytest.fixture
def read(tmp_path):
    def read(frame, mend=lambda content: content, **declared):
        path = tmp_path / "f.xpt"
        write_xpt(pl.DataFrame(frame), path, **declared)
        path.write_bytes(mend(path.read_bytes()))
        return read_table(path, side="original")

    return read


@pytest.mark.slow
@pytest.mark.parametrize("version", [5, 8])
def test_transport_files_of_both_versions_are_read(read, version):
    frame = pl.DataFrame({"A": [1.5, None, -3.0], "T": ["x", "yy", "é"]})
    table = read(frame, file_format_version=version, file_label="L", column_labels={"A": "Alpha"})
    assert table.frame.equals(frame)
    assert table.codebook.format == "sas"
    assert table.codebook.variable("A").label == "Alpha"
    assert table.codebook.file_label == "L"


@pytest.mark.parametrize("version", [5, 8])
def test_letters_of_missing_values_in_a_transport_file_stay_apart(read, version):
    def mend(content):
        missing = b"." + bytes(7)
        assert content.count(missing) == 3
        head, *rest = content.split(missing)
        marks = [b"A" + bytes(7), b"_" + bytes(7), missing]
        return head + b"".join(mark + part for mark, part in zip(marks, rest, strict=True))

    table = read(
        {"T": ["A", "B", "_", "A"], "X": [None, 65.0, None, None]},
        mend,
        file_format_version=version,
    )
    assert table.frame["X"].to_list() == [TAGS[".a"], 65.0, TAGS["._"], None]
    assert table.frame["T"].to_list() == ["A", "B", "_", "A"]
    assert table.codebook.variable("X").missing == (".a", "._")


def test_numbers_are_never_taken_for_letters(read):
    numbers = [float(2**n) for n in range(-40, 200)] + [float(n) for n in range(-300, 300)]
    assert read({"X": numbers}).frame["X"].to_list() == numbers


@pytest.mark.parametrize(
    ("form", "number", "value"),
    [
        ("DATE9", DAY, date(2020, 2, 29)),
        ("MMDDYY10", DAY, date(2020, 2, 29)),
        ("DDMMYY10", DAY, date(2020, 2, 29)),
        ("YYMMDD10", DAY, date(2020, 2, 29)),
        ("MONYY7", DAY, date(2020, 2, 29)),
        ("WORDDATE18", DAY, date(2020, 2, 29)),
        ("JULIAN7", DAY, date(2020, 2, 29)),
        ("E8601DA10", DAY, date(2020, 2, 29)),
        ("DATETIME20", DAY * 86_400 + 1.5, datetime(2020, 2, 29, 0, 0, 1, 500_000)),
        ("E8601DT19", DAY * 86_400, datetime(2020, 2, 29)),
        ("TIME8", 3_661, time(1, 1, 1)),
        ("HHMM5", 3_600, time(1)),
        ("BEST12", 7, 7.0),
        ("DOLLAR9.2", 7, 7.0),
    ],
)
def test_dates_and_times_are_read_by_their_format(read, form, number, value):
    table = read({"X": [float(number), None]}, variable_format={"X": form})
    assert table.frame["X"].to_list() == [value, None]


def test_formats_that_only_look_like_those_of_dates_are_not():
    for form in ("DATELABEL5", "$DATE9", "TIMES4", "YEARS2"):
        assert stamp_of("sas", form) is None


def test_labels_come_from_the_catalogue_beside_the_file(tmp_path, monkeypatch):
    # No writer of this format is at hand: the parser is played, the rest is ours.
    import pyreadstat

    path = tmp_path / "f.sas7bdat"
    (tmp_path / "f.sas7bcat").write_bytes(stat_codebook._MAGIC + b"...")
    found = {"SEX": [1.0, 2.0, "A"]}
    meta = SimpleNamespace(
        column_names=["SEX"],
        column_names_to_labels={"SEX": "Sex"},
        number_rows=3,
        readstat_variable_types={"SEX": "double"},
        original_variable_types={"SEX": "SEXF"},
        variable_to_label={"SEX": "SEXF"},
        value_labels={},
        variable_measure={"SEX": "unknown"},
        variable_display_width={"SEX": 8},
        missing_ranges={},
        file_label="",
        file_encoding="UTF-8",
        notes=[],
    )
    labels = SimpleNamespace(value_labels={"SEXF": {1.0: "male", 2.0: "female", "A": "refused"}})
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda *_, **__: (found, meta))
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda *_, **__: ({}, labels))
    question = ReadRequest(
        kind="sas", path=str(path).encode(), name="f.sas7bdat", place="The data", side="data"
    )
    parsed = read_stat.parse(question)
    assert parsed.frame["SEX"].to_list() == [1.0, 2.0, TAGS[".a"]]
    known = parsed.codebook.variable("SEX")
    assert [(level.code, level.label) for level in known.levels] == [
        (1, "male"),
        (2, "female"),
        (".a", "refused"),
    ]
    assert known.missing == (".a",)
    assert [(note.kind, note.sentence) for note in parsed.notes] == [
        (
            "dictionary",
            "Labels of codes were taken from the catalogue 'f.sas7bcat' beside the file.",
        )
    ]
    (tmp_path / "f.sas7bcat").write_bytes(b"something else")
    assert read_stat.parse(question).codebook.variable("SEX").levels == ()


def test_a_file_of_sas_itself_is_read():
    table = read_table(KEPT, side="original")
    assert table.frame["SEX"].to_list() == [1.0, 2.0, 9.0, None] * 10
    assert table.frame["WEIGHT"].to_list() == [n / 7 for n in range(40)]
    assert table.frame["ILL"].to_list() == [CANARY, "no", "no", ""] * 10
    assert table.codebook.variable("SEX").label == "Sex of the person"
    assert table.codebook.format == "sas"


def test_only_the_columns_asked_for_are_read_from_it():
    table = read_table(KEPT, side="original", columns=["ILL", "SEX"])
    assert table.frame.columns == ["ILL", "SEX"]


@pytest.mark.parametrize("n_bytes", [100, 1_000, 9_000])
def test_one_that_was_cut_short_is_damaged(tmp_path, n_bytes):
    path = tmp_path / "f.sas7bdat"
    path.write_bytes(KEPT.read_bytes()[:n_bytes])
    with pytest.raises(ReadError, match=r"^The original \(f.sas7bdat\) is damaged: it begins as"):
        read_table(path, side="original")


def test_a_second_table_of_a_transport_file_is_told(tmp_path):
    one, two = make(tmp_path, ".xpt", stem="a"), make(tmp_path, ".xpt", stem="b")
    assert not read_table(one, side="synthetic").notes
    more = two.read_bytes()
    more = more[more.index(b"HEADER RECORD*******MEMB") :]
    one.write_bytes(one.read_bytes() + more)
    (note,) = read_table(one, side="synthetic").notes
    assert note.sentence == "It has 2 tables, of which the first was read."
    assert note.kind == "beside"
