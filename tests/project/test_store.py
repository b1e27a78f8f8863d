"""Runs on the disk: whole or not there, never changed, strangers left alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from project.run_projects import project, tree
from unveil.errors import ReadError, SettingsError, TamperedError, WriteError
from unveil.project.run import run_project
from unveil.project.store import (
    Unfinished,
    list_runs,
    load_parts,
    load_run,
    next_number,
    results_sha256,
)


@pytest.mark.slow
def test_a_run_is_a_results_file_and_a_file_for_each_part(tmp_path: Path) -> None:
    run = run_project(project(tmp_path))
    files = set(tree(tmp_path / "runs"))
    parts = {f"0001/{part.file}" for part in run.parts if part.file is not None}
    assert files == {"0001/results.json", *parts}
    assert load_run(tmp_path) == load_run(tmp_path, 1) == run
    assert len(results_sha256(tmp_path, 1)) == 64


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_everything_is_its_owners_alone(tmp_path: Path) -> None:
    run_project(project(tmp_path), records=True)
    ours = [*(tmp_path / "runs/0001").rglob("*"), *(tmp_path / "confidential").rglob("*")]
    ours += [tmp_path / "runs/0001", tmp_path / "confidential", tmp_path / "log.jsonl"]
    assert len(ours) > 10
    assert [path for path in ours if path.stat().st_mode & 0o077] == []


@pytest.mark.slow
def test_every_record_is_read_back(tmp_path: Path) -> None:
    run = run_project(project(tmp_path))
    parts = load_parts(tmp_path, run)
    (disclosure,) = parts.of("disclosure", "neighbour")
    assert disclosure[0] == "disclosure neighbour"
    assert disclosure[1].keys == ("sex", "age")
    assert len(parts.of("cap")) == 3


@pytest.mark.slow
def test_a_changed_part_is_refused_by_name(tmp_path: Path) -> None:
    run = run_project(project(tmp_path))
    file = run.part("disclosure neighbour").file
    assert file is not None
    place = tmp_path / "runs/0001" / file
    place.write_bytes(place.read_bytes().replace(b'"DiSCO"', b'"DiSC0"', 1))
    with pytest.raises(TamperedError) as told:
        load_parts(tmp_path, run)
    assert str(told.value) == (
        f"The file 'runs/0001/{file}' is not as the run wrote it. Restore it from a backup, or"
        " measure it again: unveil run."
    )
    assert told.value.exit_code == 3


@pytest.mark.slow
def test_a_part_may_not_point_elsewhere(tmp_path: Path) -> None:
    run = run_project(project(tmp_path))
    part = replace(run.parts[0], file="../../people.csv")
    with pytest.raises(TamperedError, match="is not as the run wrote it"):
        load_parts(tmp_path, replace(run, parts=(part,)))


@pytest.mark.slow
def test_a_run_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"has no finished run yet\. Make one: unveil run\."):
        load_run(tmp_path)
    run_project(project(tmp_path))
    with pytest.raises(SettingsError, match=r"There is no run 7\. The runs are: 1\."):
        load_run(tmp_path, 7)


@pytest.mark.slow
def test_a_run_folder_under_another_number_is_refused(tmp_path: Path) -> None:
    run_project(project(tmp_path))
    (tmp_path / "runs/0001").rename(tmp_path / "runs/0002")
    with pytest.raises(ReadError, match="is of another run"):
        load_run(tmp_path, 2)


@pytest.mark.slow
def test_strangers_among_the_runs_are_left_alone(tmp_path: Path) -> None:
    strange = {"notes.txt": b"mine", "0007/draft.txt": b"too", "old/.x.1.tmp": b"also"}
    for name, content in strange.items():
        place = tmp_path / "runs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    assert list_runs(tmp_path) == ()
    assert next_number(tmp_path) == 8
    run = run_project(project(tmp_path))
    assert run.number == 8
    found = tree(tmp_path / "runs")
    assert {name: found[name] for name in strange} == strange


@pytest.mark.slow
def test_half_written_files_of_the_dead_are_swept(tmp_path: Path) -> None:
    made = project(tmp_path)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for place in ("runs", "runs/.unfinished/parts", "runs/.unfinished/done", "confidential"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / f".cap_1.json.{dead.pid}-0123abcd.tmp").write_bytes(b"{")
    living = tmp_path / "confidential" / f".log_head.json.{os.getppid()}-0123abcd.tmp"
    living.write_bytes(b"{")
    run_project(made)
    assert [name for name in tree(tmp_path) if name.endswith(".tmp")] == [
        f"confidential/{living.name}"
    ]
    before = tmp_path / "confidential" / f".log_head.json.{os.getpid()}-0123abcd.tmp"
    before.write_bytes(b"{")  # of a process that had our number
    run_project(made)  # also where nothing is left to be measured
    assert len([name for name in tree(tmp_path) if name.endswith(".tmp")]) == 1


@pytest.mark.slow
def test_what_a_killed_run_left_of_another_plan_is_no_part_of_the_next(tmp_path: Path) -> None:
    made = project(tmp_path)
    left = Unfinished(tmp_path)
    left.open(again=False)
    (left.home / "parts/cap_0123456789abcdef.json").write_text("{}")
    run = run_project(made)
    files = set(tree(tmp_path / "runs/0001"))
    assert files == {"results.json", *(part.file for part in run.parts if part.file)}


@pytest.mark.slow
def test_a_disk_that_cannot_be_written_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unveil.project import store

    made = project(tmp_path)
    written: list[Path] = []
    whole = store.replace_file

    def full(path: Path, content: bytes, *, mode: int) -> Path:
        if len(written) == 9:
            raise OSError(28, "No space left on device")
        written.append(path)
        return whole(path, content, mode=mode)

    monkeypatch.setattr(store, "replace_file", full)
    with pytest.raises(
        WriteError, match=r"cannot be written: No space left on device\. Earlier results"
    ):
        run_project(made)
    assert list_runs(tmp_path) == ()
    assert not (tmp_path / "runs/.lock").exists()
    monkeypatch.undo()
    run = run_project(made)
    assert run.n_resumed == 4  # two files each, and the ninth was the first of the fifth
    assert not (tmp_path / "runs/.unfinished").exists()
