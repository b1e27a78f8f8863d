"""What `run`, `demo` and `assess` print: at most 40 lines of 80 columns; the rest on request."""

import json
from importlib import import_module

import pytest
from click.testing import CliRunner

from cli.project_commands import typed
from project_cases import edited, ran
from unveil.examples import KEYS, write_csv

BY = ("--by", "A. Jones, analyst")


def screen(command, *arguments):
    """Exit code and lines of a command on a terminal of 80 columns."""
    module = import_module(f"unveil.cli.{command}")
    done = CliRunner().invoke(
        getattr(module, command), list(map(str, arguments)), env={"COLUMNS": "80"},
        standalone_mode=False,
    )  # fmt: skip
    if done.exception is not None:
        raise done.exception
    return done.return_value or 0, done.stdout.splitlines()


def test_the_demo_fits_a_screen_and_sentences_are_asked_for():
    _, shown = screen("demo")
    assert len(shown) <= 40
    assert max(map(len, shown)) <= 80
    text = "\n".join(shown)
    assert "2,220  44.4 %              7  -12 ± 30      416" in text
    assert "condition (48 flags)" in text
    assert "5 income (2 flags)" in text
    _, more = screen("demo", "--words", "--flags")
    assert len(more) > len(shown)
    assert "condition would be correctly disclosed for 2,220 of 5,000 people" in "\n".join(more)


def test_assess_needs_no_project_and_has_the_exit_codes_of_the_gate(tmp_path):
    files = write_csv(tmp_path)
    keys = ("--keys", ",".join(KEYS))
    code, shown = screen(
        "assess", *files, *keys, "--limit", "DiSCO=10", "--sensitive", "health=good"
    )
    assert code == 3
    assert (len(shown) <= 40, max(map(len, shown)) <= 80) == (True, True)
    text = " ".join(" ".join(shown).split())
    assert "NOT READY FOR RELEASE" in text
    assert "health = good: " in text
    code, shown = screen("assess", *files, *keys, "--json")
    document = json.loads("\n".join(shown))["summary"]
    assert (code, document["verdict"]["status"]) == (0, "no limit")
    assert document["any_correct"] == 2795


def test_a_run_fits_a_screen_and_carries_its_summary(tmp_path):
    folder = ran(tmp_path)
    code, shown = screen("run", folder)
    assert (code, len(shown) <= 40, max(map(len, shown)) <= 80) == (4, True, True)
    document = json.loads("\n".join(screen("run", "--project", folder, "--json")[1]))
    assert list(document) == ["summary", "run", "judgement"]
    stored = document["run"]["summary"]
    assert stored["targets"] == document["summary"]["targets"]
    assert document["summary"]["next_command"] in " ".join(shown)
    _, more = screen("run", folder, "--words", "--flags", "--details")
    assert "neighbour/abroad=NO (open)" in "\n".join(more)


def test_the_project_is_named_once(tmp_path):
    folder = ran(tmp_path)
    code, _, told = typed(folder, "run", str(folder))
    assert (code, told) == (2, "The project is named twice. Name it once: --project FOLDER.")


def open_flags(folder):
    found = json.loads(typed(folder, "rule", "--json")[1])["findings"]
    return [one for one in found if one["state"] == "open"]


@pytest.mark.parametrize("choice", ["--keep", "--common-knowledge"])
def test_all_flags_of_a_target_are_ruled_on_at_once(tmp_path, choice):
    folder = ran(tmp_path)
    before = {one["target"] for one in open_flags(folder)}
    code, shown, _ = typed(folder, "rule", "--target", "abroad", choice, "--reason", "Known.", *BY)
    assert code == 0
    assert "Next: unveil " in shown
    assert {one["target"] for one in open_flags(folder)} == before - {"abroad"}


def test_an_open_audience_rules_on_each_pair_by_itself(tmp_path):
    folder = ran(tmp_path)
    edited(folder, '"registered"', '"open"')
    said = ("--keep", "--reason", "Hm.", *BY)
    code, _, told = typed(folder, "rule", "--target", "abroad", *said)
    assert code == 2
    assert "need a ruling each: the audience is open" in told
    value = ("--target", "abroad", "--value", "NO", "--common-knowledge", "--reason", "Known.")
    assert typed(folder, "rule", *value, *BY)[0] == 0


def test_an_unknown_target_names_its_nearest(tmp_path):
    said = ("--keep", "--reason", "Hm.", *BY)
    code, _, told = typed(ran(tmp_path), "rule", "--target", "abraod", *said)
    assert (code, "Did you mean 'abroad'?" in told) == (2, True)
