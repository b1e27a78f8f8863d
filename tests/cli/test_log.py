"""`unveil log`: every change in a line; --verify ends with 3 where something was changed."""

import json

import pytest

from cli.project_commands import typed
from project_cases import OFFICER, edited, made, ready
from unveil.project.decide import decide, load_decisions
from unveil.project.edit_project import today
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.verify import decision_lines


def test_every_change_is_a_line(tmp_path):
    code, shown, _ = typed(ready(tmp_path), "log")
    assert code == 0
    assert "release_context" in shown
    assert "neighbour ill abroad" in shown
    assert "A. Jones, analyst" in shown


def test_a_log_that_is_as_it_was_written(tmp_path):
    folder = ready(tmp_path)
    code, shown, _ = typed(folder, "log", "--verify")
    words = " ".join(shown.split())
    n = len(json.loads(typed(folder, "log", "--json")[1])["lines"])
    assert code == 0
    assert f"{n} lines, 1 run and 0 decisions: all as they were written. The last hash is" in words


def test_a_log_that_was_changed_is_exit_code_3_with_every_fault(tmp_path):
    folder = ready(tmp_path)
    place = folder / "log.jsonl"
    place.write_text(place.read_text(encoding="utf-8").replace("A. J", "B. J"), encoding="utf-8")
    (folder / "confidential/seed.json").unlink()
    code, shown, _ = typed(folder, "log", "--verify")
    assert code == 3
    assert "not as written." in shown
    assert "■ Line 1 was changed: its hash differs. (" not in shown
    assert "■ Line 1 was changed: its hash differs." in shown
    assert "■ The seed of run 1 is missing. (confidential/seed.json)" in shown
    code, document, _ = typed(folder, "log", "--verify", "--json")
    assert (code, len(json.loads(document)["faults"]) > 2) == (3, True)


def test_a_project_file_edited_by_hand_is_said_and_is_no_fault(tmp_path):
    folder = ready(tmp_path)
    edited(folder, 'title = "Desk"', 'title = "Table"')
    code, shown, _ = typed(folder, "log", "--verify")
    assert (code, "project.toml was edited since the last line" in shown) == (0, True)


def test_a_project_file_with_faults_can_still_be_verified(tmp_path):
    folder = ready(tmp_path)
    (folder / "project.toml").write_text("nonsense = [", encoding="utf-8")
    assert typed(folder, "log", "--verify")[0] == 0


def test_an_empty_log_is_shown_as_nothing(tmp_path):
    assert typed(made(tmp_path / "desk"), "log")[0] == 0


def test_a_folder_without_a_project_is_a_sentence(tmp_path):
    code, _, told = typed(tmp_path, "log")
    assert (code, "unveil init" in told) == (2, True)


@pytest.mark.slow
def test_files_changed_after_a_release_are_told_by_the_log_and_by_a_run(tmp_path):
    folder = ready(tmp_path)
    decide(read_project(folder), release=True, by=OFFICER, note="Fine.")
    assert typed(folder, "log", "--verify")[1].count("since decision 1 released run 1") == 0
    run = run_project(read_project(folder))
    decided = list(decision_lines(folder, run, load_decisions(folder)))
    assert decided == [f"Run 1 was released by {OFFICER} on {today()} (decision 1)."]
    with open(folder / "copy.csv", "a", encoding="utf-8") as file:
        file.write("m,20,NO,no\n")
    code, shown, _ = typed(folder, "log", "--verify")
    assert code == 0
    assert "▲ The file 'copy.csv' was changed since decision 1 released run 1" in shown
    (later,) = decision_lines(folder, run_project(read_project(folder)), load_decisions(folder))
    assert later.endswith("(decision 1). This is a later run, and no decision is about it.")
