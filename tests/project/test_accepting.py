"""Limits are in force as they were accepted: a value or a name changed by hand takes it back."""

from hashlib import sha256

import pytest

from project_cases import OFFICER, edited, ran, ready
from unveil.errors import RulingNeededError
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.decide import decide
from unveil.project.model import limits_mark
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run

CHANGED = f"The limits were changed since {OFFICER} accepted them, so they are not in force."


def judged(folder):
    run = load_run(folder)
    return assess_stored_run(read_project(folder), run, load_parts(folder, run))


def test_the_mark_is_the_start_of_a_hash_over_name_and_sorted_values():
    text = "Ann\nDiSCO = 5.0, 10.0\nrepU = 1.0, 2.5"
    wanted = sha256(text.encode()).hexdigest()[:12]
    assert limits_mark({"repU": (1, 2.5), "DiSCO": (5, 10)}, "Ann") == wanted
    assert limits_mark({"DiSCO": (5.0, 10.0), "repU": (1, 2.5)}, "Ann") == wanted


@pytest.mark.slow
def test_limits_accepted_by_command_are_in_force(tmp_path):
    found = judged(ready(tmp_path))
    assert (found.accepted_by, found.exit_code) == (OFFICER, 0)


@pytest.mark.parametrize(
    "change",
    [
        ("DiSCO = [100, 100]", "DiSCO = [99, 100]"),
        ("DiSCO = [100, 100]", "DiSCO = [100, 100]\nrepU = [1, 2]"),
    ],
)
def test_values_changed_by_hand_are_not_accepted_and_let_nobody_release(tmp_path, change):
    folder = ready(tmp_path)
    edited(folder, *change)
    found = judged(folder)
    assert (found.exit_code, found.accepted_by, found.accepted_on) == (4, None, None)
    assert [one.sentence for one in found.missing if one.kind == "limits"] == [CHANGED]
    assert {row.status for row in found.figures} == {"no limit"}
    with pytest.raises(RulingNeededError, match="changed since B"):
        decide(read_project(folder), release=True, by=OFFICER, note="n")


def test_another_name_beside_the_same_values_has_not_accepted_them(tmp_path):
    folder = ready(tmp_path)
    edited(folder, f'accepted_by = "{OFFICER}"', 'accepted_by = "Carl Dee, head"')
    assert judged(folder).accepted_by is None


def test_a_name_typed_by_hand_does_not_count_until_the_command_is_given(tmp_path):
    folder = ran(tmp_path)
    with open(folder / "project.toml", "a", encoding="utf-8") as file:
        file.write('\n[limits]\nDiSCO = [99, 100]\naccepted_by = "Carl Dee"\non = 2026-11-16\n')
    assert judged(folder).missing[0].sentence == (
        "Carl Dee is named beside the limits but did not accept them by command, so they are not"
        " in force."
    )
    Project(folder).accept_limits(by="Carl Dee")
    assert judged(folder).accepted_by == "Carl Dee"


def test_spacing_and_order_of_the_values_change_nothing(tmp_path):
    folder = ready(tmp_path)
    edited(folder, "DiSCO = [100, 100]", "# as agreed\nDiSCO   =   [ 100.0,100 ]")
    assert judged(folder).accepted_by == OFFICER
