"""What was changed, torn or stopped on the disk: who sees it, and what is the way out?"""

import errno
import json
import os
from pathlib import Path

import pytest

from project.run_projects import project
from project_cases import ANALYST, OFFICER, ran, ready, run
from unveil.errors import InputError, TamperedError, WriteError
from unveil.project import decide as deciding
from unveil.project import log
from unveil.project import run as running
from unveil.project.decide import decide, load_decisions
from unveil.project.history import compare_runs
from unveil.project.lock import lock_project
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.run_result import RunResult
from unveil.project.store import list_runs, load_run, next_number
from unveil.project.verify import verify_project
from unveil.project.write_report import gather_report, write_report

CHANGED = (
    "The file 'runs/0001/results.json' differs from the log: the results of run 1 were changed."
    " Restore it from a backup; if there is none, measure everything again: unveil run --again."
)


def edit_results(folder: Path, number: int = 1) -> None:
    """A figure that is nicer than it was measured."""
    place = folder / f"runs/{number:04d}/results.json"
    document = json.loads(place.read_text())
    for row in document["figures"]:
        row["value"] = 0.5
    place.write_text(json.dumps(document))


def a_part(folder: Path, number: int = 1) -> Path:
    return next((folder / f"runs/{number:04d}/parts").glob("disclosure*"))


def damage(place: Path) -> None:
    place.write_bytes(place.read_bytes().replace(b'"DiSCO"', b'"DiSC0"', 1))


def sentences(folder: Path) -> list[str]:
    return [fault.sentence for fault in verify_project(folder).faults]


def release(folder: Path) -> object:
    return decide(read_project(folder), release=True, by=OFFICER, note="Fine.")


def refuse(folder: Path) -> object:
    return decide(read_project(folder), release=False, by=OFFICER, note="No.")


@pytest.mark.parametrize(
    "reads",
    [
        run_project,
        lambda p: load_run(p.folder),
        RunResult.load,
        lambda p: compare_runs(p, [1, 2]),
        gather_report,
        write_report,
        lambda p: decide(p, release=True, by=OFFICER, note="Fine."),
    ],
)
def test_results_that_were_edited_are_refused_by_whatever_reads_them(reads, tmp_path: Path):
    folder = ready(tmp_path)
    edit_results(folder)
    with pytest.raises(TamperedError) as told:
        reads(read_project(folder))
    assert (str(told.value), told.value.exit_code) == (CHANGED, 3)


@pytest.mark.slow
def test_edited_results_are_measured_anew_with_again_and_nothing_is_taken_over(tmp_path: Path):
    folder = ready(tmp_path)
    edit_results(folder)
    made = run_project(read_project(folder), again=True)
    assert made.number == 2
    assert {part.state for part in made.parts if part.file} == {"measured"}
    assert made.warnings[0] == (
        "Run 1 differs from the log, so nothing was reused from it. See unveil log --verify."
    )
    assert release(folder).warnings == ("The results of run 1 were changed after it was logged.",)


@pytest.mark.slow
def test_a_report_believes_nothing_of_a_run_before_it_that_was_edited(tmp_path: Path):
    folder = ready(tmp_path)
    edit_results(folder)
    run_project(read_project(folder), again=True)
    first, second = gather_report(read_project(folder))[0].history
    assert (first.DiSCO, first.changed) == (None, (CHANGED,))
    assert second.DiSCO is not None


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (edit_results, "differs from the log"),
        (lambda folder: damage(a_part(folder)), "is not as the run wrote it"),
    ],
)
def test_to_refuse_is_possible_whatever_was_changed_and_says_what_was(harm, words, tmp_path: Path):
    folder = ready(tmp_path)
    harm(folder)
    decision = refuse(folder)
    assert (decision.release, decision.run, decision.judgement) == (False, 1, None)
    (told,) = decision.warnings
    assert words in told
    assert load_decisions(folder) == (decision,)


def test_a_damaged_part_is_named_measured_anew_and_hinders_no_release_of_the_new_run(
    tmp_path: Path,
):
    folder = ready(tmp_path)
    part = a_part(folder)
    damage(part)
    with pytest.raises(TamperedError, match=r"or measure it again: unveil run\.$"):
        release(folder)
    made = run(folder)
    assert made.number == 2
    states = {one.name: one.state for one in made.parts}
    assert states["disclosure neighbour"] == "measured"
    assert states["suda neighbour"] == "reused"
    assert made.warnings[0] == (
        f"The record of 'disclosure neighbour' in run 1 (parts/{part.name}) was changed or is"
        " missing. It was measured again."
    )
    assert sentences(folder) == ["A part of run 1 was changed."]
    assert release(folder).warnings == ("A part of run 1 was changed.",)


def test_every_fault_says_what_to_do(tmp_path: Path):
    folder = ready(tmp_path)
    release(folder)
    edit_results(folder)
    damage(a_part(folder))
    (folder / "runs/0001/parts/more.json").write_text("{}")
    (folder / "decisions/0002.json").write_text("{}")
    place = folder / "log.jsonl"
    place.write_bytes(place.read_bytes().replace(b"A. Jones", b"B. Jones", 1) + b'{"n"')
    faults = verify_project(folder).faults
    assert len(faults) >= 7
    assert [fault for fault in faults if not fault.fix] == []


def test_a_torn_line_is_healed_by_a_decision_too(tmp_path: Path):
    folder = ready(tmp_path)
    with open(folder / "log.jsonl", "a") as file:
        file.write('{"n":9,"at":"2026-')
    assert len(sentences(folder)) == 1
    release(folder)
    assert sentences(folder) == []


def test_a_torn_line_is_healed_by_a_run_that_measures_nothing(tmp_path: Path):
    folder = ran(tmp_path)
    with open(folder / "log.jsonl", "a") as file:
        file.write('{"n":9,"at":"2026-')
    assert run(folder).number == 1
    assert sentences(folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("heals", ["answer", "report", "decide"])
def test_a_run_stopped_before_its_line_is_told_so_and_logged_by_the_next_command(
    heals: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = ready(tmp_path)
    monkeypatch.setattr(running, "log_run", lambda folder, run: None)
    run_project(read_project(folder), again=True)
    monkeypatch.undo()
    (fault,) = verify_project(folder).faults
    assert fault.sentence == "Run 2 is complete, but its command was stopped before it was logged."
    assert fault.fix == "The next command that logs writes it: unveil run."
    if heals == "answer":
        Project(folder).answer("other_sources", "None.", by=ANALYST)
    elif heals == "report":
        write_report(read_project(folder))
    else:
        release(folder)
    assert sentences(folder) == []
    assert [line.subject for line in log.read_log(folder) if line.event == "run"] == ["1", "2"]


def test_a_decision_stopped_before_its_line_is_logged_by_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = ready(tmp_path)
    monkeypatch.setattr(deciding, "log_decision", lambda folder, decision, content: None)
    release(folder)
    monkeypatch.undo()
    assert sentences(folder) == [
        "Decision 1 is complete, but its command was stopped before it was logged."
    ]
    run(folder)
    assert sentences(folder) == []
    assert log.read_log(folder)[-1].subject == "1 run 1 release"


def test_a_decision_that_was_put_there_is_not_logged(tmp_path: Path):
    folder = ready(tmp_path)
    release(folder)
    (folder / "decisions/0002.json").write_bytes((folder / "decisions/0001.json").read_bytes())
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    assert "Decision 2 is not in the log: it was added." in sentences(folder)


def test_nothing_is_healed_where_lines_were_removed(tmp_path: Path):
    folder = ready(tmp_path)
    release(folder)
    place = folder / "log.jsonl"
    place.write_text("".join(f"{one}\n" for one in place.read_text().splitlines()[:-1]))
    run(folder)
    assert [line for line in log.read_log(folder) if line.event == "decision"] == []
    assert len(sentences(folder)) == 2


@pytest.mark.slow
def test_a_command_at_work_writes_its_own_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import threading

    folder = ran(tmp_path)
    monkeypatch.setattr(running, "log_run", lambda folder, run: None)
    run_project(read_project(folder), again=True)
    with lock_project(folder, "unveil run"):
        said = threading.Thread(
            target=Project(folder).answer, args=("other_sources", "None."), kwargs={"by": ANALYST}
        )
        said.start()
        said.join()
    assert [line.event for line in log.read_log(folder)] == ["run", "context"]


def test_the_first_line_without_its_head_is_no_fault_after_the_next_command(tmp_path: Path):
    folder = ran(tmp_path)
    (folder / log.HEAD).unlink()
    run(folder)
    assert sentences(folder) == []


def test_a_later_head_that_is_gone_is_not_made_up(tmp_path: Path):
    folder = ready(tmp_path)
    (folder / log.HEAD).unlink()
    run(folder)
    assert len(sentences(folder)) == 1


def test_an_older_head_is_seen(tmp_path: Path):
    folder = ran(tmp_path)
    before = (folder / log.HEAD).read_bytes()
    for factor in ("other_sources", "taken_for_real", "method_released"):
        Project(folder).answer(factor, "No.", by=ANALYST)
    (folder / log.HEAD).write_bytes(before)
    assert sentences(folder) == [
        "The head of the log is that of line 1, but the log ends with line 4: it was replaced by an"
        " older one."
    ]


def test_a_run_under_another_spelling_of_its_number_is_no_run(tmp_path: Path):
    folder = ran(tmp_path)
    (folder / "runs/0001").rename(folder / "runs/00001")
    assert list_runs(folder) == ()
    assert next_number(folder) == 2
    assert sentences(folder) == [
        "runs/00001 is not a run of this project: it was added.",
        "Run 1 is in the log but its folder is missing.",
    ]


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_a_part_that_is_a_link_and_an_empty_folder_are_seen(tmp_path: Path):
    folder = ran(tmp_path)
    part = a_part(folder)
    part.rename(tmp_path / "elsewhere.json")
    part.symlink_to(tmp_path / "elsewhere.json")
    (folder / "runs/0001/empty").mkdir()
    assert sentences(folder) == [
        "Run 1 holds a folder that it did not write.",
        "A file of run 1 was replaced by a link to another.",
    ]


def test_files_changed_after_a_release_are_told_and_are_no_fault(tmp_path: Path):
    folder = ready(tmp_path)
    release(folder)
    assert verify_project(folder).since_release == ()
    with open(folder / "copy.csv", "a") as file:
        file.write("m,20,NO,no\n")
    (folder / "original.csv").unlink()
    check = verify_project(folder)
    assert check.faults == ()
    assert check.since_release == (
        "The file 'original.csv' is missing or cannot be read since decision 1 released run 1: the"
        " decision is about the file as it was.",
        "The file 'copy.csv' was changed since decision 1 released run 1: the decision is about the"
        " file as it was.",
    )


def test_a_refusal_is_about_no_file_that_anybody_has(tmp_path: Path):
    folder = ready(tmp_path)
    release(folder)
    refuse(folder)
    (folder / "copy.csv").unlink()
    assert verify_project(folder).since_release == ()


def test_a_second_release_of_the_same_run_says_that_it_is_one(tmp_path: Path):
    folder = ready(tmp_path)
    first = release(folder)
    assert first.warnings == ()
    assert release(folder).warnings == (
        f"Run 1 was released already, by {OFFICER} on {first.on[:10]} (decision 1).",
    )


@pytest.mark.slow
def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = project(tmp_path)

    def full(*arguments: object, **others: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(running.Unfinished, "_take_up", full)
    with pytest.raises(WriteError, match="cannot be written: No space left on device"):
        run_project(made)
    monkeypatch.undo()
    monkeypatch.setattr(running, "load_measured", full)
    with pytest.raises(InputError, match=r"^The run cannot be kept: No space left on device\. "):
        run_project(made)
    monkeypatch.undo()
    assert not (tmp_path / "runs/.lock").exists()
    assert run_project(made).number == 1


def test_a_lock_that_cannot_be_signed_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with (
        pytest.raises(WriteError, match=r"No space left on device\. Nothing was changed\."),
        lock_project(tmp_path, "unveil run"),
    ):
        pass
    assert not (tmp_path / "runs/.lock").exists()
