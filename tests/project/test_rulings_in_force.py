"""Rulings and exclusions that contradict one another: the narrower wins, or both are told."""

import pytest

from project_cases import ANALYST, edited, made, ran, run
from unveil.errors import SettingsError
from unveil.project.assess_stored_run import list_changes
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run
from unveil.project.whatif import whatif

PAIR = "neighbour/abroad=NO@sex=m"
EXCLUDE = '\n[[exclude]]\ntarget = "abroad"\nlevel = "NO"\nreason = "known"\nby = "Carl Dee"\n'


def say(folder, finding, *, accept, **more):
    Project(folder).rule(finding, accept=accept, reason="Known.", by=ANALYST, **more)


def added(folder, text):
    with open(folder / "project.toml", "a", encoding="utf-8") as file:
        file.write(text)


def disclosure(folder):
    return load_parts(folder, load_run(folder))["disclosure neighbour"]


def test_a_pair_that_is_kept_stays_counted_where_all_pairs_are_common_knowledge(tmp_path):
    folder = ran(tmp_path)
    say(folder, PAIR, accept=False)
    say(folder, "neighbour/abroad two-way", accept=True)
    run(folder)
    excluded = disclosure(folder).exclude
    assert "abroad=NO@sex=f" in excluded
    assert "abroad=NO@sex=m" not in excluded


def test_to_keep_a_pair_after_all_were_left_out_makes_the_run_stale(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad two-way", accept=True)
    run(folder)
    assert list_changes(read_project(folder), load_run(folder)) == ()
    added(
        folder,
        f'\n[[ruling]]\nfinding = "{PAIR}"\naccept = false\nreason = "r"\nby = "Carl Dee"\n',
    )
    assert list_changes(read_project(folder), load_run(folder)) != ()
    run(folder)
    assert "abroad=NO@sex=m" not in disclosure(folder).exclude


def test_an_exclusion_of_what_is_kept_is_a_fault_with_both_lines(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad=NO", accept=False)
    added(folder, EXCLUDE)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    lines = text.split("\n")
    first, second = lines.index("[[exclude]]") + 1, lines.index("[[ruling]]") + 1
    with pytest.raises(SettingsError) as refusal:
        read_project(folder)
    assert str(refusal.value) == (
        f"project.toml, line {first}: 'abroad=NO' is excluded here and kept as a residual risk in"
        f" scenario 'neighbour' by the [[ruling]] of line {second}. Remove one of the two."
    )


def test_an_exclusion_of_another_scenario_contradicts_nothing(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad=NO", accept=False)
    other = '\n[[scenario]]\nname = "other"\nkeys = ["age"]\n'
    added(folder, other + EXCLUDE.replace("]]\n", ']]\nscenario = "other"\n'))
    assert len(read_project(folder).excludes) == 1


def test_what_is_excluded_cannot_be_ruled_to_be_kept(tmp_path):
    folder = ran(tmp_path)
    added(folder, EXCLUDE)
    with pytest.raises(SettingsError) as refusal:
        say(folder, "neighbour/abroad=NO", accept=False)
    assert str(refusal.value) == (
        "'neighbour/abroad=NO' cannot be kept: [[exclude]] in project.toml excludes it, recorded"
        " by Carl Dee. Remove that table first."
    )


def test_what_was_ruled_to_be_kept_cannot_be_excluded_for_good(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad=NO", accept=False)
    assert not whatif(read_project(folder), ["abroad=NO"]).kept
    with pytest.raises(SettingsError, match="was ruled a residual risk by A"):
        whatif(read_project(folder), ["abroad=NO"], keep=True, reason="r", by=ANALYST)


def test_a_kept_pair_of_a_level_that_is_left_out_is_told_by_the_run(tmp_path):
    folder = ran(tmp_path)
    say(folder, PAIR, accept=False)
    say(folder, "neighbour/abroad=NO", accept=True)
    told = [one for one in run(folder).warnings if "was ruled to be kept" in one]
    assert told == [
        "A pair of 'abroad' was ruled to be kept in scenario 'neighbour', but its whole level is"
        " excluded as common knowledge, and the pair with it."
    ]


def test_what_a_ruling_leaves_out_already_is_not_written_again(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad=NO", accept=True)
    asked = ["abroad=NO", "ill=no"]
    whatif(read_project(folder), asked, keep=True, reason="r", by=ANALYST)
    assert [one.exclusion.text for one in read_project(folder).excludes] == ["ill=no"]
    say(folder, "neighbour/abroad=NO", accept=False, instead=True)
    run(folder)
    assert disclosure(folder).exclude == ("ill=no",)


def test_what_one_scenario_leaves_out_already_is_written_for_the_other_alone(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad=NO", accept=True)
    added(folder, '\n[[scenario]]\nname = "other"\nkeys = ["age"]\n')
    asked = ["abroad=NO", "ill=no"]
    whatif(read_project(folder), asked, keep=True, reason="r", by=ANALYST)
    entries = [(one.scenario, one.exclusion.text) for one in read_project(folder).excludes]
    assert entries == [("other", "abroad=NO"), (None, "ill=no")]


def test_pairs_ruled_together_are_refused_where_no_audience_is_said(tmp_path):
    folder = made(tmp_path / "desk")
    edited(folder, 'audience = "registered"\n', "")
    added(
        folder,
        '\n[[ruling]]\nfinding = "neighbour/abroad two-way"\naccept = true\nreason = "r"\n'
        'by = "Carl Dee"\n',
    )
    with pytest.raises(
        SettingsError, match=r"for an audience that is not stated \(taken to be open\)"
    ):
        read_project(folder)
