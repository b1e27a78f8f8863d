"""The same members give the same bytes, and an archive tells nothing beside them."""

import zipfile
from pathlib import Path

import pytest

from unveil.errors import ReadError
from unveil.io.archive import archive_faults, extract_archive, write_archive

MEMBERS = {"b/two.txt": b"two", "one.txt": b"one" * 1000}


def written(folder: Path, name: str = "a.zip", **more: bytes) -> Path:
    write_archive(folder / name, {**MEMBERS, **more})
    return folder / name


def faults(archive: Path, folder: Path) -> list[str]:
    return [*archive_faults(archive, extract_archive(archive, folder / "out"))]


def test_the_same_members_from_files_and_from_memory_give_the_same_bytes(tmp_path):
    place = tmp_path / "one"
    place.write_bytes(MEMBERS["one.txt"])
    write_archive(tmp_path / "b.zip", {"one.txt": place, "b/two.txt": b"two"})
    assert (tmp_path / "b.zip").read_bytes() == written(tmp_path).read_bytes()


def test_an_archive_of_ours_has_no_faults_and_no_times(tmp_path):
    archive = written(tmp_path)
    assert faults(archive, tmp_path) == []
    with zipfile.ZipFile(archive) as opened:
        assert {one.date_time for one in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not any(one.extra or one.comment for one in opened.infolist())


def test_every_changed_byte_is_found(tmp_path):
    whole = written(tmp_path, **{"z": b"z"}).read_bytes()
    places = [*range(0, len(whole), 7), *range(len(whole) - 60, len(whole))]
    for number, place in enumerate(places):
        changed = tmp_path / f"{number}.zip"
        changed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        out = tmp_path / f"out{number}"
        try:
            members = extract_archive(changed, out)
        except ReadError:
            continue
        assert [*archive_faults(changed, members)] != []


@pytest.mark.parametrize("name", ["../out.txt", "/etc/x", "a\\b", "folder/"])
def test_names_that_would_leave_the_folder_are_refused(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = name
        archive.writestr(entry, b"x" if not name.endswith("/") else b"")
    with pytest.raises(ReadError, match="is not a release pack"):
        extract_archive(tmp_path / "bad.zip", tmp_path / "out")


def test_a_compressed_archive_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(10_000_000))
    with pytest.raises(ReadError, match="it is compressed"):
        extract_archive(tmp_path / "bomb.zip", tmp_path / "out")


def test_what_is_no_archive_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "no.zip").write_bytes(b"no archive")
    with pytest.raises(ReadError, match="cannot be read as a release pack"):
        extract_archive(tmp_path / "no.zip", tmp_path / "out")
