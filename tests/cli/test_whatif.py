"""`unveil whatif`: before and after on a screen, nothing saved without --keep, exit code 0."""

import json

import pytest

from cli.project_commands import typed
from project_cases import OFFICER, ran
from unveil.project.project import Project
from unveil.project.read_project import read_project


@pytest.mark.slow
def test_before_and_after_with_statuses(tmp_path):
    folder = ran(tmp_path)
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (1, 2)})
    code, shown, _ = typed(folder, "whatif", "--exclude", "abroad=NO")
    assert code == 0
    assert "Effect of excluding abroad=NO" in shown
    line = next(one for one in shown.splitlines() if one.split()[:2] == ["abroad", "DiSCO"])
    assert "■ above limit" in line
    assert "● within" in line
    assert "Nothing was saved." in shown


def test_it_gates_nothing(tmp_path):
    folder = ran(tmp_path)
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (0, 0)})
    assert typed(folder, "whatif", "-x", "ill=yes")[0] == 0


def test_what_is_kept_is_told_with_what_to_do_next(tmp_path):
    folder = ran(tmp_path)
    said = ("--keep", "--reason", "Known.", "--by", "A. Jones, analyst")
    code, shown, _ = typed(folder, "whatif", "-x", "abroad=NO", "-x", "missing-targets", *said)
    assert code == 0
    assert "Written to project.toml by A. Jones, analyst." in " ".join(shown.split())
    assert "unveil run" in shown
    assert len(read_project(folder).excludes) == 2


def test_exclusions_in_force_are_named(tmp_path):
    folder = ran(tmp_path)
    said = ("--keep", "--reason", "Known.", "--by", "A. Jones, analyst")
    typed(folder, "whatif", "-x", "abroad=NO", *said)
    assert "Excluded already: abroad=NO." in typed(folder, "whatif", "-x", "ill=no")[1]


def test_the_document_is_the_record(tmp_path):
    _, shown, _ = typed(ran(tmp_path), "whatif", "-x", "abroad=NO", "--json")
    document = json.loads(shown)
    assert (document["exclude"], document["kept"]) == (["abroad=NO"], False)
    assert {"before", "after", "R", "status_before"} <= set(document["rows"][0])


def test_nothing_asked_is_wrong_use(tmp_path):
    assert typed(ran(tmp_path), "whatif")[::2] == (
        2,
        "Name what to exclude: unveil whatif --exclude workab=NO.",
    )


def test_the_column_of_shares_is_in_percent_and_explained(tmp_path):
    words = " ".join(typed(ran(tmp_path), "whatif", "-x", "abroad=NO")[1].split())
    assert "Effect of excluding abroad=NO" in words
    assert "due to it (R): (before - after) / (100 % - after)" in words


def test_a_rule_is_asked_about_as_a_rule(tmp_path):
    words = " ".join(typed(ran(tmp_path), "whatif", "-x", "max-denominator-syn=1")[1].split())
    assert "Effect of max-denominator-syn=1" in words
