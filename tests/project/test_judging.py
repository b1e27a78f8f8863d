"""A stored run judged by the project as it is now."""

import pytest

from project_cases import ANALYST, OFFICER, edited, ran, ready, run
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run


def judged(folder):
    found = load_run(folder)
    project = read_project(folder, needs_files=False)
    return assess_stored_run(project, found, load_parts(folder, found))


def test_a_project_with_nothing_said_has_no_verdict(tmp_path):
    found = judged(ran(tmp_path))
    assert found.exit_code == 4
    assert {row.status for row in found.figures} == {"no limit"}
    assert {one.kind for one in found.missing} == {"limits", "finding", "context"}


def test_the_figures_are_those_of_the_run(tmp_path):
    folder = ran(tmp_path)
    rows = load_run(folder).figures
    assert [(one.measure, one.value) for one in judged(folder).figures] == [
        (one.measure, one.value) for one in rows
    ]


def test_all_said_is_exit_code_0(tmp_path):
    found = judged(ready(tmp_path))
    assert (found.exit_code, found.missing, found.is_current) == (0, (), True)
    assert {one.state for one in found.findings} == {"keep"}
    assert {one.by for one in found.findings} == {ANALYST}


def test_limits_of_now_are_held_against_figures_of_then(tmp_path):
    folder = ready(tmp_path)
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (0, 1)})
    found = judged(folder)
    assert (found.exit_code, found.is_current) == (3, True)
    assert found.accepted_by == OFFICER


def test_files_that_are_gone_are_told_and_nothing_breaks(tmp_path):
    folder = ready(tmp_path)
    (folder / "copy.csv").unlink()
    found = judged(folder)
    assert not found.is_current
    assert "copy.csv" in found.stale[0]


def test_the_quick_route_is_taken_by_an_exclusion_of_its_own(tmp_path):
    folder = ready(tmp_path)
    edited(folder, '"registered"', '"closed"')
    text = (folder / "project.toml").read_text(encoding="utf-8")
    kept = text[: text.index("[[ruling]]")]
    rule = '[[exclude]]\nrule = "max-denominator=1"\nreason = "r"\nby = "Xan"\n'
    (folder / "project.toml").write_text(f"{kept}\n{rule}", encoding="utf-8")
    run(folder)
    found = judged(folder)
    assert {one.state for one in found.findings} <= {"not needed"}
    assert found.exit_code == 0


@pytest.mark.slow
def test_why_a_figure_is_not_defined_is_taken_from_its_record(tmp_path):
    folder = ready(tmp_path)
    (folder / "original.csv").write_text(
        "sex,age,abroad,ill\nm,20,NO,no\nf,21,NO,yes\n", encoding="utf-8"
    )
    (folder / "copy.csv").write_text(
        "sex,age,abroad,ill\nm,21,NO,no\nf,20,NO,yes\n", encoding="utf-8"
    )
    Project(folder).accept_limits(by=OFFICER, changes={"TCAP": (50, 90)})
    run(folder)
    found = judged(folder)
    record = load_parts(folder, load_run(folder))["disclosure neighbour"]
    (reason,) = {one.reason for one in record.not_measured if one.field == "TCAP"}
    rows = {(row.status, row.reason) for row in found.figures if row.measure == "TCAP"}
    assert rows == {("not measured", reason)}
    assert found.exit_code == 3
