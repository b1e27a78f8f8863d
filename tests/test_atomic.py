"""Files appear whole or not at all, whatever stops the work."""

import pytest

from unveil import atomic
from unveil.errors import WriteError

FILES = {"one.txt": b"1", "two.txt": b"2", "three.txt": b"3"}


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError, ValueError])
def test_whatever_stops_the_work_leaves_no_file(stop, tmp_path, monkeypatch):
    put = atomic.replace_file

    def stops_at_the_last(path, content, *, mode):
        if path.name == "three.txt":
            raise stop
        return put(path, content, mode=mode)

    monkeypatch.setattr(atomic, "replace_file", stops_at_the_last)
    with pytest.raises(stop):
        atomic.write_new(tmp_path, FILES)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_in_a_sentence_and_leaves_no_file(tmp_path, monkeypatch):
    put = atomic.replace_file

    def fills_up(path, content, *, mode):
        if path.name == "two.txt":
            raise OSError(28, "No space left on device")
        return put(path, content, mode=mode)

    monkeypatch.setattr(atomic, "replace_file", fills_up)
    with pytest.raises(WriteError) as caught:
        atomic.write_new(tmp_path, FILES)
    assert str(caught.value) == (
        f"The files cannot be written to {str(tmp_path)!r}: No space left on device. Name a folder"
        " in which you may create files."
    )
    assert list(tmp_path.iterdir()) == []


def test_all_files_are_there_in_the_end(tmp_path):
    paths = atomic.write_new(tmp_path / "new", FILES)
    assert [path.read_bytes() for path in paths] == [*FILES.values()]
