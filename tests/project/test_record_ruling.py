"""Rulings, limits and answers: written with a name and a day, everything else stays, logged."""

import tomllib

import pytest

from project_cases import ANALYST, OFFICER, edited, made, ran, run
from unveil.errors import ReadError, SettingsError, WriteError
from unveil.project.edit_project import ProjectEdit, list_flags_now
from unveil.project.log import read_log
from unveil.project.project import Project
from unveil.project.read_project import read_project


def states(folder):
    return {one.id: one.state for one in list_flags_now(read_project(folder))}


def document(folder):
    return tomllib.loads((folder / "project.toml").read_text(encoding="utf-8"))


def say(folder, finding="neighbour/abroad=NO", *, accept=True, reason="Known.", by=ANALYST, **more):
    Project(folder).rule(finding, accept=accept, reason=reason, by=by, **more)


def test_the_case_has_findings_of_both_kinds(tmp_path):
    found = list_flags_now(read_project(ran(tmp_path)))
    assert {one.kind for one in found} == {"one_way", "two_way"}
    assert {one.state for one in found} == {"open"}


def test_a_ruling_is_written_with_name_and_day_and_the_rest_stays(tmp_path):
    folder = ran(tmp_path)
    before = (folder / "project.toml").read_text(encoding="utf-8")
    say(folder)
    assert (folder / "project.toml").read_text(encoding="utf-8").startswith(before.rstrip("\n"))
    (entry,) = read_project(folder).rulings
    assert (entry.finding, entry.accept, entry.reason) == ("neighbour/abroad=NO", True, "Known.")
    assert (entry.by, len(entry.on)) == (ANALYST, 10)
    assert states(folder)["neighbour/abroad=NO"] == "common knowledge"


def test_what_is_common_knowledge_is_left_out_by_the_next_run_and_raised_no_more(tmp_path):
    folder = ran(tmp_path)
    say(folder)
    assert run(folder).number == 2
    assert not [one for one in states(folder) if one.startswith("neighbour/abroad=NO")]


def test_what_is_kept_stays_a_finding_and_needs_no_new_run(tmp_path):
    folder = ran(tmp_path)
    say(folder, accept=False)
    assert run(folder).number == 1
    assert states(folder)["neighbour/abroad=NO"] == "keep"


def test_the_log_tells_scenario_and_target_and_no_level_or_reason(tmp_path):
    folder = ran(tmp_path)
    say(folder)
    line = read_log(folder)[-1]
    assert (line.event, line.by, line.subject) == ("ruling", ANALYST, "neighbour abroad")
    assert line.project_sha256 != read_log(folder)[-2].project_sha256


def test_a_finding_may_be_quoted_in_another_way(tmp_path):
    folder = ran(tmp_path)
    say(folder, 'neighbour/"abroad"="NO"')
    assert states(folder)["neighbour/abroad=NO"] == "common knowledge"


def test_ruling_twice_is_refused_unless_it_is_said_that_the_first_goes(tmp_path):
    folder = ran(tmp_path)
    say(folder)
    with pytest.raises(SettingsError) as refusal:
        say(folder, accept=False)
    assert str(refusal.value) == (
        "'neighbour/abroad=NO' was ruled on already, by A. Jones, analyst. To replace that ruling,"
        " add --instead."
    )
    say(folder, accept=False, reason="After all.", instead=True)
    assert document(folder)["ruling"][0]["reason"] == "After all."
    assert len(document(folder)["ruling"]) == 1
    assert [line.event for line in read_log(folder)] == ["run", "ruling", "ruling"]


def test_a_mind_can_be_changed_after_the_next_run_too(tmp_path):
    folder = ran(tmp_path)
    say(folder)
    run(folder)
    say(folder, accept=False, instead=True)
    run(folder)
    assert states(folder)["neighbour/abroad=NO"] == "keep"


def test_pairs_of_one_target_are_ruled_together_where_the_audience_allows_it(tmp_path):
    folder = ran(tmp_path)
    say(folder, "neighbour/abroad two-way", accept=False)
    pairs = {
        state for id_, state in states(folder).items() if id_.startswith("neighbour/abroad=NO@")
    }
    assert pairs == {"keep"}
    assert read_log(folder)[-1].subject == "neighbour abroad"


def test_for_an_open_audience_each_pair_needs_its_own(tmp_path):
    folder = ran(tmp_path)
    edited(folder, '"registered"', '"open"')
    with pytest.raises(SettingsError) as refusal:
        say(folder, "neighbour/abroad two-way", accept=False)
    assert str(refusal.value) == (
        "'neighbour/abroad two-way' would rule on all pairs of a target at once. For the audience"
        " open each pair needs a ruling of its own: unveil rule lists them."
    )


def test_an_unknown_finding_names_its_nearest_and_those_that_are_open(tmp_path):
    with pytest.raises(SettingsError) as refusal:
        say(ran(tmp_path), "neighbour/abraod=NO")
    told = str(refusal.value)
    assert told.startswith(
        "There is no flag 'neighbour/abraod=NO'. Did you mean 'neighbour/abroad=NO'? Open are:"
        " neighbour/ill=no, "
    )


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"reason": None}, 'State the reason: --reason "...".'),
        (
            {"reason": "..."},
            "'...' is only an example; write your own. State the reason: --reason \"...\".",
        ),
        ({"by": None}, 'A name is required: --by "Name, role".'),
        ({"by": "x" * 201}, 'A name is required, in at most 200 characters: --by "Name, role".'),
    ],
)
def test_a_ruling_without_reason_or_name_is_refused(tmp_path, asked, sentence):
    folder = ran(tmp_path)
    before = (folder / "project.toml").read_bytes()
    with pytest.raises(SettingsError) as refusal:
        say(folder, **asked)
    assert str(refusal.value) == sentence
    assert (folder / "project.toml").read_bytes() == before


def test_without_a_run_there_is_nothing_to_rule_on(tmp_path):
    with pytest.raises(ReadError, match="The project has no finished run yet"):
        say(made(tmp_path / "desk"))


def test_a_project_file_that_was_changed_meanwhile_is_not_overwritten(tmp_path):
    folder = ran(tmp_path)
    project = read_project(folder)
    edited(folder, 'title = "Desk"', 'title = "Table"')
    with (
        pytest.raises(WriteError, match="was changed since it was read"),
        ProjectEdit(project, ANALYST) as edit,
    ):
        edit.answer("other_sources", "None.")
    assert len(read_log(folder)) == 1


def test_a_preset_is_accepted_by_name(tmp_path):
    folder = ran(tmp_path)
    Project(folder).accept_limits(by=OFFICER, preset="registered")
    changed = read_project(folder)
    assert dict(changed.limits.values) == {"repU": (5, 10), "DiSCO": (5, 10), "S_pMSE": (3, 10)}
    assert changed.limits.accepted_by == OFFICER
    line = read_log(folder)[-1]
    assert (line.event, line.subject) == ("limits", "repU DiSCO S_pMSE")


def test_limits_are_changed_and_taken_off(tmp_path):
    folder = ran(tmp_path)
    changes = {"DiSCO": (1, 2.5), "S_pMSE": None}
    Project(folder).accept_limits(by=OFFICER, preset="open", changes=changes)
    Project(folder).accept_limits(by=ANALYST, changes={"repU": None})
    limits = document(folder)["limits"]
    assert (limits["DiSCO"], limits["accepted_by"]) == ([1, 2.5], ANALYST)
    assert set(limits) == {"DiSCO", "accepted_by", "on", "accepted"}


def test_another_preset_takes_the_place_of_all_limits(tmp_path):
    folder = ran(tmp_path)
    Project(folder).accept_limits(by=OFFICER, changes={"DCAP": (10, 20)})
    Project(folder).accept_limits(by=OFFICER, preset="closed")
    accepted = {"accepted_by", "on", "accepted"}
    assert set(document(folder)["limits"]) == {"repU", "DiSCO", "S_pMSE", *accepted}


def test_limits_that_mean_nothing_are_refused_all_together(tmp_path):
    with pytest.raises(SettingsError) as refusal:
        Project(ran(tmp_path)).accept_limits(by=OFFICER, changes={"DiSCO": (9, 3), "repu": (1, 2)})
    first, second = str(refusal.value).split("\n")
    assert first.startswith("The limit of DiSCO is [9, 3]")
    assert "Did you mean 'repU'?" in second


def test_no_limits_cannot_be_accepted(tmp_path):
    with pytest.raises(SettingsError, match=r"There are no limits to accept\. Start from a preset"):
        Project(ran(tmp_path)).accept_limits(by=OFFICER)


def test_an_answer_takes_the_place_of_an_earlier_one(tmp_path):
    folder = ran(tmp_path)
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    Project(folder).answer("other_sources", "A register.", by=OFFICER)
    said = read_project(folder).context.factors["other_sources"]
    assert (said.answer, said.by) == ("A register.", OFFICER)
    assert [line.subject for line in read_log(folder)[1:]] == ["other_sources"] * 2


def test_an_answer_needs_its_question_and_words(tmp_path):
    project = Project(ran(tmp_path))
    with pytest.raises(SettingsError, match="Did you mean 'other_sources'"):
        project.answer("other_source", "None.", by=ANALYST)
    with pytest.raises(SettingsError, match="Write the answer: unveil answer other_sources"):
        project.answer("other_sources", None, by=ANALYST)
