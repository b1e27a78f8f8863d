"""Explanations: the sentences and figures of the record, and commands that work as they stand."""

import shlex
import tomllib

import pytest

from project_cases import ANALYST, ran
from unveil.errors import RolesError
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.explain import explain_target
from unveil.project.project import Project
from unveil.project.read_project import project_from, read_project
from unveil.project.store import load_parts, load_run
from unveil.study.exclusion_rules import parse_exclusions
from unveil.view import disclosure


def explain(folder, target="abroad", **others):
    project, run = read_project(folder), load_run(folder)
    parts = load_parts(folder, run)
    judgement = assess_stored_run(project, run, parts)
    return explain_target(run, parts, judgement, target, **others)


def record(folder):
    run = load_run(folder)
    return load_parts(folder, run)["disclosure neighbour"]


def test_sentences_and_ladder_are_those_of_the_record(tmp_path):
    folder = ran(tmp_path)
    (one,) = explain(folder).scenarios
    row = record(folder).attribute_of("abroad", 1)
    assert one.sentences == tuple(disclosure.attribute(record(folder), row).values())
    assert {rung.measure: rung.value for rung in one.ladder} == {
        name: getattr(row, name)
        for name in ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "DCAP")
    }
    assert one.keys == ("sex", "age")


def test_every_finding_of_the_target_is_there_with_its_level(tmp_path):
    folder = ran(tmp_path)
    (one,) = explain(folder).scenarios
    flags = {flag.exclusion: flag for flag in record(folder).flags if flag.target == "abroad"}
    assert {found.finding.exclusion for found in one.findings} == set(flags)
    for found in one.findings:
        flag = flags[found.finding.exclusion]
        assert (found.level, found.key, found.key_level) == (flag.level, flag.key, flag.key_level)


def test_the_exclusion_to_paste_is_read_as_the_same_exclusion(tmp_path):
    folder = ran(tmp_path)
    project = read_project(folder)
    for found in explain(folder).scenarios[0].findings:
        (table,) = tomllib.loads(found.toml)["exclude"]
        assert table["reason"] == "..."
        completed = found.toml.replace('"..."', '"Known."').replace("Name, role", "Ann Bell")
        pasted = project_from(project.path, f"{project.text}\n{completed}\n")
        assert pasted.excludes[0].exclusion.text == found.finding.exclusion


def test_the_commands_name_the_finding_and_its_exclusion(tmp_path):
    for found in explain(ran(tmp_path)).scenarios[0].findings:
        words = shlex.split(found.whatif)
        assert words[:3] == ["unveil", "whatif", "--exclude"]
        assert parse_exclusions(words[3])[0].text == found.finding.exclusion
        assert shlex.split(found.accept)[:4] == [
            "unveil",
            "rule",
            found.finding.id,
            "--common-knowledge",
        ]
        assert shlex.split(found.keep)[3] == "--keep"


def test_what_was_ruled_is_shown_with_its_reason(tmp_path):
    folder = ran(tmp_path)
    Project(folder).rule("neighbour/abroad=NO", accept=False, reason="Why.", by=ANALYST)
    found = [one.finding for one in explain(folder).scenarios[0].findings]
    assert [(one.state, one.reason) for one in found if one.kind == "one_way"] == [("keep", "Why.")]


def test_figures_are_those_judged_about_the_target(tmp_path):
    folder = ran(tmp_path)
    found = explain(folder)
    assert {row.target for row in found.figures} == {"abroad"}
    assert "DiSCO" in {row.measure for row in found.figures}


@pytest.mark.parametrize(
    ("target", "others", "sentence"),
    [
        (
            "abraod",
            {},
            "The run has no target 'abraod'. Did you mean 'abroad'? The targets are: ill, abroad.",
        ),
        (
            "abroad",
            {"scenario": "colleague"},
            "The run has no scenario 'colleague'. The scenarios are: neighbour.",
        ),
    ],
)
def test_unknown_names_have_their_nearest(tmp_path, target, others, sentence):
    with pytest.raises(RolesError) as refusal:
        explain(ran(tmp_path), target, **others)
    assert str(refusal.value) == sentence
