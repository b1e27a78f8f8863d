"""Files are written whole or not at all, and nothing is overwritten unless it is asked for."""

import os
from pathlib import Path

import polars as pl
import pytest

from unveil.atomic import FilePlacement
from unveil.errors import WriteError
from unveil.io import write_file as copies
from unveil.io.write_file import WriteSettings, write_file, write_files

FRAME = pl.DataFrame({"x": [1, 2]})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_is_there_is_left_as_it_is(tmp_path):
    (tmp_path / "FAKE_c.csv").write_text("old")
    with pytest.raises(WriteError) as fault:
        write_file(FRAME, tmp_path / "c.csv")
    assert str(fault.value) == (
        f"The folder '{tmp_path}' already holds FAKE_c.csv. Nothing was written. Name another"
        " place, or move the old files away first."
    )
    assert (tmp_path / "FAKE_c.csv").read_text() == "old"
    assert names(tmp_path) == ["FAKE_c.csv"]


def test_the_codebook_beside_a_text_file_is_not_overwritten_either(tmp_path):
    (tmp_path / "FAKE_c.codebook.json").write_text("old")
    with pytest.raises(WriteError, match=r"already holds FAKE_c\.codebook\.json"):
        write_file(FRAME, tmp_path / "c.csv")
    assert names(tmp_path) == ["FAKE_c.codebook.json"]


def test_overwriting_has_to_be_asked_for(tmp_path):
    write_file(FRAME, tmp_path / "c.csv")
    write_file(pl.DataFrame({"y": [3]}), tmp_path / "c.csv", overwrite=True)
    assert (tmp_path / "FAKE_c.csv").read_text().split() == ['"y"', '"3"']


def test_one_copy_that_cannot_be_written_leaves_none(tmp_path):
    good, bad = FRAME, pl.DataFrame({"a b": [1]})
    jobs = [(good, tmp_path / "one.sav"), (bad, tmp_path / "two.sav")]
    with pytest.raises(WriteError, match=r"cannot hold the name"):
        write_files(jobs, WriteSettings())
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("stop", "told"), [(KeyboardInterrupt, KeyboardInterrupt), (MemoryError, WriteError)]
)
def test_an_interruption_leaves_nothing(stop, told, tmp_path, monkeypatch):
    def stopped(_, path, **__):
        path.write_bytes(b"half")
        raise stop

    monkeypatch.setattr(copies, "write_spss", stopped)
    with pytest.raises(told):
        write_file(FRAME, tmp_path / "c.sav")
    assert names(tmp_path) == []


def test_a_rename_that_fails_takes_back_those_before_it(tmp_path, monkeypatch):
    replace, done = Path.replace, []

    def second_fails(self, target):
        if done:
            raise OSError(28, "No space left on device")
        done.append(target)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", second_fails)
    with pytest.raises(WriteError) as fault:
        write_file(FRAME, tmp_path / "c.csv")
    beside = tmp_path / "FAKE_c.codebook.json"
    assert str(fault.value) == (
        f"The file {str(beside)!r} cannot be written: the disk is full. Nothing was written. Make"
        " room, or name a folder on another disk."
    )
    assert names(tmp_path) == []


def test_two_files_of_one_name_are_refused_before_anything_is_read(tmp_path):
    path = tmp_path / "FAKE_c.sav"
    with pytest.raises(WriteError) as fault:
        write_files([("absent.csv", path), ("absent too.csv", path)], WriteSettings())
    assert str(fault.value) == (
        "Two files would be called FAKE_c.sav. Nothing was written. Give the files different"
        " names, or write them one at a time."
    )


def test_a_folder_is_made_and_one_that_cannot_be_made_is_told(tmp_path):
    write_file(FRAME, tmp_path / "new" / "deep" / "c.parquet")
    assert names(tmp_path / "new" / "deep") == ["FAKE_c.parquet"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match=r"cannot be written: Not a directory|File exists"):
        write_file(FRAME, tmp_path / "file" / "c.parquet")


def test_a_file_that_appears_while_we_write_is_not_overwritten(tmp_path):
    path = tmp_path / "c.sav"
    with FilePlacement() as placing:
        placing.claim(path)
        placing.start(path).write_bytes(b"new")
        path.write_bytes(b"theirs")
        with pytest.raises(WriteError, match=r"already holds c\.sav"):
            placing.publish()
    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["c.sav"]


def test_a_name_that_leads_nowhere_counts_as_taken(tmp_path):
    os.symlink(tmp_path / "nowhere", tmp_path / "FAKE_c.sav")
    with pytest.raises(WriteError, match=r"already holds FAKE_c\.sav"):
        write_file(FRAME, tmp_path / "c.sav")
