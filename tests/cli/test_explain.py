"""`unveil explain`: sentences, ladder, findings with what to type, limits."""

import json

from cli.project_commands import typed
from project_cases import ANALYST, OFFICER, edited, ran, run
from unveil.project.project import Project


def test_the_screen_says_why_and_what_to_type(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "explain", "abroad")
    assert code == 0
    words = " ".join(shown.split())
    assert "abroad in run 1" in words
    assert "neighbour: an intruder who knows sex and age" in words
    assert "Step by step" in words
    assert "neighbour/abroad=NO (open)" in words
    assert 'unveil whatif --exclude "abroad=NO"' in words
    assert 'unveil rule "neighbour/abroad=NO" --common-knowledge --reason "..." --by' in words
    assert '[[exclude]] scenario = "neighbour" target = "abroad" level = "NO"' in words
    assert "more: all of them with --json" in words


def test_what_is_ruled_is_shown_with_who_said_it_and_not_asked_again(tmp_path):
    folder = ran(tmp_path)
    Project(folder).rule("neighbour/abroad=NO", accept=False, reason="Hm.", by=ANALYST)
    words = " ".join(typed(folder, "explain", "abroad")[1].split())
    assert "neighbour/abroad=NO (keep)" in words
    assert "A. Jones, analyst on 20" in words
    assert 'unveil rule "neighbour/abroad=NO" ' not in words


def test_figures_with_a_limit_stand_beside_it(tmp_path):
    folder = ran(tmp_path)
    assert "Figures and limits" not in typed(folder, "explain", "abroad")[1]
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (1, 2)})
    shown = typed(folder, "explain", "abroad")[1]
    assert "Figures and limits" in shown
    assert "■ above limit" in shown


def test_a_run_that_is_no_longer_current_says_so(tmp_path):
    folder = ran(tmp_path)
    edited(folder, 'keys = ["sex", "age"]', 'keys = ["age"]')
    assert "▲ Settings of the project" in typed(folder, "explain", "abroad")[1]


def test_the_document_holds_every_finding(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "explain", "abroad", "--json")
    document = json.loads(shown)
    assert (code, document["target"], document["run"]) == (0, "abroad", 1)
    assert len(document["scenarios"][0]["findings"]) > 5


def test_a_mistyped_target_names_its_neighbour(tmp_path):
    code, _, told = typed(ran(tmp_path), "explain", "abraod")
    assert (code, "Did you mean 'abroad'?" in told) == (2, True)
    assert typed(tmp_path / "desk", "explain")[::2] == (
        2,
        "Name the target: unveil explain workab.",
    )


def test_a_run_without_a_scenario_of_disclosure_says_what_it_lacks(tmp_path):
    folder = ran(tmp_path)
    edited(folder, 'measures = ["disclosure", "suda"]', 'measures = ["suda"]')
    run(folder)
    code, _, told = typed(folder, "explain", "abroad")
    assert (code, told) == (
        2,
        "The run has no target to explain: no scenario measured disclosure. Declare one,"
        " [[scenario]] with name and keys in project.toml, and run again: unveil run.",
    )
