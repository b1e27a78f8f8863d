"""What a format cannot hold is refused, all of it together, with what to do and without a value."""

import errno
import math
import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import polars as pl
import pytest

from unveil.errors import SettingsError, WriteError
from unveil.io.numbers import TAGS
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook, Level, Variable

CANARY = "CANARY-77"
LONG = "x" * 65


def refusal(frame, path, **settings) -> str:
    with pytest.raises(WriteError) as fault:
        write_file(frame, path, **settings)
    assert list(path.parent.iterdir()) == []
    assert CANARY not in str(fault.value)
    return str(fault.value)


SPSS = "The synthetic dataset cannot be written as SPSS. "
STATA = "The synthetic dataset cannot be written as Stata. "


@pytest.mark.parametrize(
    ("names", "ending", "sentence"),
    [
        (["a b"], "sav", "SPSS cannot hold the name of a column: 'a b' (holds a blank)"),
        (["ALL"], "sav", "SPSS cannot hold the name of a column: 'ALL' (a reserved word)"),
        (["with"], "sav", "SPSS cannot hold the name of a column: 'with' (a reserved word)"),
        (
            ["_x"],
            "sav",
            "SPSS cannot hold the name of a column: '_x' (does not begin with a letter)",
        ),
        (["x."], "sav", "SPSS cannot hold the name of a column: 'x.' (ends with a point)"),
        (
            ["a-b"],
            "zsav",
            "SPSS cannot hold the name of a column: 'a-b' (allowed are letters, digits, _ . $ # @)",
        ),
        (
            [LONG, "ok"],
            "sav",
            f"SPSS cannot hold the name of a column: '{LONG}' (longer than 64 bytes)",
        ),
        (
            ["1a", "if", "é" * 33],
            "dta",
            "Stata cannot hold the name of 3 columns: '1a' (does not begin with a letter); 'if' (a"
            f" reserved word); '{'é' * 33}' (longer than 32 characters)",
        ),
        (["str12"], "dta", "Stata cannot hold the name of a column: 'str12' (a reserved word)"),
        (
            ["a.b"],
            "dta",
            "Stata cannot hold the name of a column: 'a.b' (allowed are letters, digits, _)",
        ),
    ],
)
def test_names_that_the_format_cannot_hold(names, ending, sentence, tmp_path):
    frame = pl.DataFrame({name: [1] for name in names})
    told = refusal(frame, tmp_path / f"c.{ending}")
    program = STATA if ending == "dta" else SPSS
    them = "it" if "a column" in sentence else "them"
    assert told == f"{program}{sentence}. Rename {them} first."


def test_spss_knows_no_capital_letters(tmp_path):
    told = refusal(pl.DataFrame({"Sex": [1], "sex": [2]}), tmp_path / "c.sav")
    assert told == (
        f"{SPSS}SPSS takes capital and small letters for the same: 'Sex' and 'sex'. Rename one of"
        " them."
    )


def test_names_that_a_text_file_would_lose(tmp_path):
    frame = pl.DataFrame({" x": [1], "y\nz": [2], " ": [3]})
    told = refusal(frame, tmp_path / "c.csv")
    assert told == (
        "The synthetic dataset cannot be written as a text file. A text file cannot hold the"
        " name of 3 columns: ' x' (blanks around it); 'y\\nz' (runs over a line); ' ' (empty)."
        " Rename them first."
    )


NOT_HELD = (
    "holds lists, objects or exact decimals, which no such file can hold. Turn the column into text"
    " or numbers first."
)


@pytest.mark.parametrize(
    ("values", "ending", "sentence"),
    [
        (
            [CANARY * 4000],
            "sav",
            "holds texts of more than 32,767 bytes, the most SPSS holds. Shorten them first.",
        ),
        (
            [date(1582, 10, 14)],
            "sav",
            "holds dates outside 15 October 1582 to the year 9999, which SPSS cannot hold. Correct"
            " them first.",
        ),
        (
            [datetime(1500, 1, 1)],
            "zsav",
            "holds dates outside 15 October 1582 to the year 9999, which SPSS cannot hold. Correct"
            " them first.",
        ),
        (
            [date(99, 1, 1)],
            "dta",
            "holds dates outside 1 January 100 to the year 9999, which Stata cannot hold. Correct"
            " them first.",
        ),
        (
            [datetime(2020, 1, 1, tzinfo=UTC)],
            "sav",
            "holds times with a time zone, which SPSS does not have. Remove the zone first.",
        ),
        ([Decimal("1.5")], "dta", NOT_HELD),
        ([[1, 2]], "sav", NOT_HELD),
        ([[1, 2]], "csv", NOT_HELD),
        ([b"bytes"], "csv", NOT_HELD),
        (
            [2**53 + 1],
            "sav",
            "holds whole numbers beyond 2^53 (9,007,199,254,740,992), which SPSS cannot hold"
            " exactly. Turn identifiers into text first.",
        ),
        (
            [math.inf],
            "sav",
            "holds numbers too large for SPSS, or infinite ones. Make them missing first.",
        ),
        (
            [9e307],
            "dta",
            "holds numbers too large for Stata, or infinite ones. Make them missing first.",
        ),
        (
            [f"{CANARY}\0x"],
            "dta",
            "holds texts with a zero byte, at which Stata would end them. Remove it first.",
        ),
        (
            [TAGS[".b"], 1.0],
            "sav",
            "holds letters of missing values (.a to .z), which SPSS does not have. Turn them into"
            " numbers that mean missing first.",
        ),
        (
            [TAGS["._"]],
            "dta",
            "holds SAS's missing value ._, which Stata does not have. Turn it into a letter first.",
        ),
    ],
)
def test_values_that_the_format_cannot_hold(values, ending, sentence, tmp_path):
    told = refusal(pl.DataFrame({"v": values}), tmp_path / f"c.{ending}")
    assert told.partition(". ")[2] == f"Column 'v' {sentence}"


def test_all_faults_are_told_together(tmp_path):
    frame = pl.DataFrame(
        {"a b": [1], "d": [date(1500, 1, 1)], "e": [date(1400, 1, 1)], "i": [math.inf]}
    )
    assert refusal(frame, tmp_path / "c.sav") == (
        "The synthetic dataset cannot be written as SPSS, for 3 reasons:\n- SPSS cannot hold the"
        " name of a column: 'a b' (holds a blank). Rename it first.\n- Column 'i' holds numbers too"
        " large for SPSS, or infinite ones. Make them missing first.\n- Columns 'd', 'e' hold"
        " dates outside 15 October 1582 to the year 9999, which SPSS cannot hold. Correct them"
        " first."
    )


def test_misfits_of_several_columns_are_told_together(tmp_path):
    variables = tuple(Variable(name=name, kind="number") for name in "ab")
    book = Codebook(source="o.sav", format="spss", variables=variables)
    frame = pl.DataFrame({"a": [CANARY], "b": [date(2020, 1, 1)]})
    told = refusal(frame, tmp_path / "c.sav", codebook=book)
    assert told.startswith("The synthetic dataset cannot be written as SPSS, for 2 reasons:\n- ")


def test_labels_need_room_beside_the_name_in_stata(tmp_path):
    name = "a" * 32
    level = Level(code=1, label="one")
    book = Codebook(
        source="o", format="frame", variables=(Variable(name=name, kind="number", levels=(level,)),)
    )
    assert refusal(pl.DataFrame({name: [1]}), tmp_path / "c.dta", codebook=book) == (
        f"{STATA}Stata needs shorter names for columns that have labels: at most 31 characters."
        f" Rename '{name}' first."
    )


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("c.xlsx", "has the ending '.xlsx'"),
        ("c", "has no ending"),
        ("c.csv.gz", "has the ending '.gz'"),
    ],
)
def test_only_five_endings_are_written(path, sentence):
    with pytest.raises(WriteError) as fault:
        write_file(pl.DataFrame({"a": [1]}), path)
    assert str(fault.value) == (
        f"The file '{path}' {sentence}. unveil writes files that end in .sav, .zsav, .dta, .parquet"
        " or .csv."
    )


def test_settings_that_contradict_each_other(tmp_path):
    frame = pl.DataFrame({"a": [1]})
    book = Codebook(source="o", format="frame")
    with pytest.raises(SettingsError, match=r"^Give like or codebook, not both"):
        write_file(frame, tmp_path / "c.sav", like=frame, codebook=book)
    with pytest.raises(SettingsError, match=r"^A marker column says FAKE: omit it"):
        write_file(frame, tmp_path / "c.sav", fake=False, marker="m")
    with pytest.raises(SettingsError, match=r"^The marker column has no name\."):
        write_file(frame, tmp_path / "c.sav", marker=" ")
    with pytest.raises(SettingsError, match=r"^codebook is 3\. Give the path of a file"):
        write_file(frame, tmp_path / "c.sav", codebook=3)
    assert list(tmp_path.iterdir()) == []


def test_a_fault_of_the_library_is_a_sentence_without_its_words(tmp_path, monkeypatch):
    import pyreadstat

    def fail(*_, **__):
        raise pyreadstat.ReadstatError(f"bad value {CANARY}")

    monkeypatch.setattr(pyreadstat, "write_sav", fail)
    told = refusal(pl.DataFrame({"a": [1]}), tmp_path / "c.sav")
    assert told == (
        "The synthetic dataset could not be written as SPSS: the library that writes it refused."
        " Nothing was written. Check the disk, or write Parquet or CSV instead."
    )


def test_a_fault_while_a_column_is_recoded_is_a_sentence_too(tmp_path, monkeypatch):
    def fail(*_):
        raise pl.exceptions.InvalidOperationError(f"conversion failed: [{CANARY}]")

    monkeypatch.setattr("unveil.io.write_file.fit_column", fail)
    told = refusal(pl.DataFrame({"a": [1]}), tmp_path / "c.csv")
    assert told == (
        "The synthetic dataset could not be written as a text file: the library that writes it"
        " refused. Nothing was written. Check the disk, or write another format instead."
    )


@pytest.mark.parametrize("why", [(errno.ENOSPC, "No room"), ("no number",)])
@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "csv"])
def test_a_full_disk_is_told_as_such(tmp_path, monkeypatch, ending, why):
    import pyreadstat

    def fail(*_, **__):
        raise ValueError(f"could not write {CANARY}")

    def full(*_, **__):
        raise OSError(*why)

    monkeypatch.setattr(pyreadstat, "write_sav", fail)
    monkeypatch.setattr(pyreadstat, "write_dta", fail)
    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4095))
    told = refusal(pl.DataFrame({"a": [1]}), tmp_path / f"c.{ending}")
    assert told == (
        f"The synthetic dataset cannot be written: the disk of the folder {str(tmp_path)!r} is"
        " full. Nothing was written. Make room, or name a folder on another disk."
    )
    assert list(tmp_path.iterdir()) == []
