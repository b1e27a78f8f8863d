"""`unveil decide`: exit codes that gate a pipeline, the decision, and what it rests on."""

import json

import pytest

from cli.project_commands import typed
from project_cases import OFFICER, edited, ran, ready
from unveil.project.project import Project

SAID = ("--by", "B. Smith, data protection", "--note", "Fine.")


@pytest.mark.slow
def test_a_release_prints_the_decision_and_what_it_rests_on(tmp_path):
    code, shown, _ = typed(ready(tmp_path), "decide", "--release", *SAID)
    words = " ".join(shown.split())
    assert code == 0
    assert "Decision 1: run 1 is RELEASED by B. Smith, data protection on 20" in words
    assert "Note: Fine." in words
    assert "Limits accepted by B. Smith, data protection." in words
    assert words.count("Thought about. (A. Jones, analyst)") == 5
    assert "○" not in words


def test_a_refusal_shows_what_is_not_there(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "decide", "--refuse", *SAID)
    assert code == 0
    assert "run 1 is REFUSED" in shown
    assert shown.count("○") == 7  # limits, findings, five questions


@pytest.mark.slow
def test_the_document_is_the_record(tmp_path):
    document = json.loads(typed(ready(tmp_path), "decide", "--release", *SAID, "--json")[1])
    assert (document["release"], document["number"]) == (True, 1)
    assert document["judgement"]["exit_code"] == 0


def test_exit_code_4_where_something_is_missing(tmp_path):
    code, shown, told = typed(ran(tmp_path), "decide", "--release", *SAID)
    assert (code, shown) == (4, "")
    assert told.startswith("Not released. First:")


def test_exit_code_3_where_a_limit_is_exceeded_and_0_despite_it(tmp_path):
    folder = ready(tmp_path)
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (0, 1)})
    assert typed(folder, "decide", "--release", *SAID)[0] == 3
    ids = [f"limit:DiSCO:{target}@neighbour" for target in ("ill", "abroad")]
    given = [one for id_ in ids for one in ("--despite", f"{id_}=For teaching.")]
    code, shown, _ = typed(folder, "decide", "--release", *SAID, *given)
    assert code == 0
    assert [f"Released despite {id_}: For teaching." in shown for id_ in ids] == [True, True]


def test_exit_code_3_where_the_evidence_was_changed(tmp_path):
    folder = ready(tmp_path)
    (folder / "log.jsonl").write_text("", encoding="utf-8")
    assert typed(folder, "decide", "--release", *SAID)[0] == 3


@pytest.mark.parametrize("arguments", [[], ["--release", "--refuse"]])
def test_one_of_the_two_has_to_be_said(tmp_path, arguments):
    assert typed(ready(tmp_path), "decide", *arguments, *SAID)[::2] == (
        2,
        "State the decision: --release or --refuse, one of the two.",
    )


def test_hostile_answers_are_refused_and_shown_as_text(tmp_path):
    folder = ready(tmp_path)
    edited(folder, '"Thought about."', r'"\u001b[31mThought\u202e about."')
    code, shown, told = typed(folder, "decide", "--release", *SAID)
    assert (code, shown) == (2, "")
    assert "with a line break or an unprintable character" in told
    assert "\x1b" not in told
    assert "\u202e" not in told
