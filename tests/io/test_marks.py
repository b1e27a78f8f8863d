"""Fake data says that it is fake, and nothing of the original's file or of this machine."""

import os
import platform
import stat
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

from unveil.errors import SettingsError
from unveil.io.outgoing import LABEL, NOTE, PARTLY_LABEL, marked_path
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook, Variable

FRAME = pl.DataFrame({"x": [1, 2], "t": ["a", "b"]})
BOOK = Codebook(
    source="secret_survey.sav",
    format="spss",
    file_label="Real people of Anytown",
    notes=("Made by somebody in /home/somebody",),
    variables=(Variable(name="x", label="A number", kind="number"),),
)
ENDINGS = ["sav", "zsav", "dta", "parquet", "csv"]


@pytest.mark.parametrize(
    ("given", "marked"),
    [
        ("copy.sav", "FAKE_copy.sav"),
        ("FAKE_copy.sav", "FAKE_copy.sav"),
        ("fake.csv", "FAKE_fake.csv"),
    ],
)
def test_the_name_begins_with_fake(given, marked):
    assert marked_path(Path("a") / given) == Path("a") / marked


def test_the_marks_fit_where_they_go():
    assert len(LABEL.encode()) <= 64
    assert len(NOTE.encode()) <= 80
    assert LABEL == "FAKE: synthetic data, no real people"


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_says_that_it_is_fake_and_where_it_comes_from_is_not_in_it(
    ending, tmp_path, monkeypatch
):
    for variable in ("USER", "LOGNAME", "USERNAME", "HOME"):
        monkeypatch.setenv(variable, f"canary-{variable}")
    made = write_file(FRAME, tmp_path / f"copy.{ending}", codebook=BOOK)
    assert made.fake
    assert Path(made.path).name == f"FAKE_copy.{ending}"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted([f"FAKE_copy.{ending}", *(Path(one).name for one in made.beside)])
    never = ["canary", str(tmp_path), os.getcwd(), "somebody", "Anytown", "secret_survey"]
    never += [platform.node()] if len(platform.node()) > 5 else []  # a short one is there by chance
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert [text for text in never if text.encode() in content] == []
        assert LABEL.encode() in content or path.suffix == ".csv"


def test_spss_and_stata_show_the_label_and_spss_the_note(tmp_path):
    for ending, read in (
        ("sav", pyreadstat.read_sav),
        ("zsav", pyreadstat.read_sav),
        ("dta", pyreadstat.read_dta),
    ):
        write_file(FRAME, tmp_path / f"copy.{ending}", codebook=BOOK)
        path = tmp_path / f"FAKE_copy.{ending}"
        _, meta = read(path, metadataonly=True, output_format="polars")
        assert meta.file_label == LABEL
        assert meta.notes == ([] if ending == "dta" else [NOTE])
        assert meta.creation_time.year == 1970


def test_parquet_says_it_in_its_metadata_and_csv_in_its_codebook(tmp_path):
    write_file(FRAME, tmp_path / "copy.parquet", codebook=BOOK)
    write_file(FRAME, tmp_path / "copy.csv", codebook=BOOK)
    told = pl.read_parquet_metadata(tmp_path / "FAKE_copy.parquet")
    assert told["unveil.notice"] == LABEL
    for text in (told["unveil.codebook"], (tmp_path / "FAKE_copy.codebook.json").read_text()):
        book = Codebook.from_json(text)
        assert (book.file_label, book.notes) == (LABEL, (NOTE,))
        assert book.source in ("FAKE_copy.parquet", "FAKE_copy.csv")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_is_not_fake_says_nothing_of_it(ending, tmp_path):
    made = write_file(FRAME, tmp_path / f"survey.{ending}", codebook=BOOK, fake=False)
    assert Path(made.path).name == f"survey.{ending}"
    assert all(b"FAKE" not in path.read_bytes() for path in tmp_path.iterdir())


def test_the_marker_column_stands_first_and_says_fake_in_every_row(tmp_path):
    write_file(FRAME, tmp_path / "copy.parquet", marker="mark")
    found = pl.read_parquet(tmp_path / "FAKE_copy.parquet")
    assert found.columns == ["mark", "x", "t"]
    assert found["mark"].to_list() == ["FAKE", "FAKE"]


def test_a_marker_column_that_is_there_is_left_and_another_of_its_name_is_refused(tmp_path):
    marked = FRAME.with_columns(mark=pl.lit("FAKE"))
    made = write_file(marked, tmp_path / "copy.parquet", marker="mark")
    assert made.n_columns == 3
    with pytest.raises(SettingsError) as fault:
        write_file(FRAME, tmp_path / "other.parquet", marker="x")
    assert str(fault.value) == (
        "The synthetic dataset has a column 'x' already. Choose another name for the marker column."
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("ending", ENDINGS)
def test_only_the_owner_may_read_what_was_written(ending, tmp_path):
    write_file(FRAME, tmp_path / f"copy.{ending}")
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "csv"])
def test_a_copy_that_is_synthetic_in_part_does_not_say_that_nobody_is_real(tmp_path, ending):
    made = write_file(FRAME, tmp_path / f"copy.{ending}", codebook=BOOK, partly=True)
    content = b"".join(Path(path).read_bytes() for path in (made.path, *made.beside))
    assert b"no real people" not in content
    assert PARTLY_LABEL.encode() in content
