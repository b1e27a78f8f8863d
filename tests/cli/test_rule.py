"""`unveil rule`: lists what is open, rules on one, shows hostile text as text."""

import json
import shutil
import subprocess

import pytest

from cli.project_commands import typed
from project_cases import edited, made, ran, run

BY = ("--by", "A. Jones, analyst")


def test_without_a_finding_the_open_ones_are_listed_with_sentences_and_commands(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "rule")
    words = " ".join(shown.split())
    assert code == 0
    assert "Flags to rule on: " in words
    assert "Registered (known users, under an agreement)" in words
    assert "▲ neighbour/abroad=NO (open)" in words
    assert "If this is common knowledge, exclude it." in words
    assert 'unveil rule "neighbour/abroad=NO" --common-knowledge' in words


def test_every_open_finding_is_listed_whatever_the_audience(tmp_path):
    folder = ran(tmp_path)
    ids = [one["id"] for one in json.loads(typed(folder, "rule", "--json")[1])["findings"]]
    shown = typed(folder, "rule")[1]
    assert len(ids) > 5
    assert [one for one in ids if f"▲ {one}" not in shown] == []
    edited(folder, '"registered"', '"open"')
    words = " ".join(typed(folder, "rule")[1].split())
    assert [one for one in ids if f'unveil rule "{one}" --common-knowledge' not in words] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to paste into")
def test_the_command_for_a_level_with_control_characters_can_be_pasted(tmp_path):
    folder = made(tmp_path / "desk", level="\x1b[31mN'O")
    run(folder)
    words = " ".join(typed(folder, "rule")[1].split())
    pasted = "$'" + words.split("unveil rule $'")[1].split(" --common-knowledge")[0]
    done = subprocess.run(
        ["bash", "-c", f"printf %s {pasted}"], capture_output=True, text=True, check=True
    )
    said = ("--keep", "--reason", "Hm.", *BY)
    assert pasted.startswith("$'neighbour/abroad=\\x1b[31mN\\'O")
    assert typed(folder, "rule", done.stdout, *said)[0] == 0


def test_a_ruling_is_confirmed_with_what_is_left(tmp_path):
    folder = ran(tmp_path)
    found = json.loads(typed(folder, "rule", "--json")[1])["findings"]
    settled = [one for one in found if one["exclusion"].startswith("abroad=NO")]  # pairs among them
    said = ("--common-knowledge", "--reason", "Known.", *BY)
    code, shown, _ = typed(folder, "rule", "neighbour/abroad=NO", *said)
    words = " ".join(shown.split())
    assert code == 0
    assert words.startswith("neighbour/abroad=NO: common knowledge. 1 ruling recorded; ")
    left = len(found) - len(settled)
    assert f"{left} flags on 1 variable outstanding. Excluded from the next run on." in words
    assert "Next: unveil " in words
    assert 1 < len(settled) < len(found)


def test_after_the_last_ruling_the_next_step_is_a_run_of_what_it_excludes(tmp_path):
    folder = ran(tmp_path)
    targets = {one["target"] for one in json.loads(typed(folder, "rule", "--json")[1])["findings"]}
    for target in sorted(targets):
        said = ("--target", target, "--common-knowledge", "--reason", "Known.", *BY)
        shown = typed(folder, "rule", *said)[1]
    assert "no flags outstanding" in shown
    assert "Next: unveil explain" not in shown


def test_a_risk_that_is_kept_is_confirmed(tmp_path):
    said = ("--keep", "--reason", "Hm.", *BY, "--json")
    document = json.loads(typed(ran(tmp_path), "rule", "neighbour/abroad=NO", *said)[1])
    (found,) = [one for one in document["findings"] if one["id"] == "neighbour/abroad=NO"]
    assert (found["state"], found["reason"], found["by"]) == ("keep", "Hm.", "A. Jones, analyst")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["x"], "State the ruling: --common-knowledge or --keep, one of the two."),
        (
            ["x", "--keep", "--common-knowledge"],
            "State the ruling: --common-knowledge or --keep, one of the two.",
        ),
        (["--keep"], "Name the flag, or all of a target: unveil rule --target TARGET ..."),
        (["neighbour/abroad=NO", "--keep", *BY], 'State the reason: --reason "...".'),
        (
            ["abroad", "--keep", "--reason", "Hm.", *BY],
            "'abroad' is a variable, not a flag. To rule on all its flags: unveil rule --target"
            " abroad.",
        ),
    ],
)
def test_wrong_use(tmp_path, arguments, sentence):
    assert typed(ran(tmp_path), "rule", *arguments)[::2] == (2, sentence)


def test_without_a_run_there_is_a_sentence(tmp_path):
    code, _, told = typed(made(tmp_path / "desk"), "rule")
    assert (code, told) == (2, "The project has no finished run yet. Make one: unveil run.")


@pytest.mark.slow
def test_hostile_levels_are_shown_as_text(tmp_path):
    hostile = "\x1b[31mNO\u202e<b>"
    folder = made(tmp_path / "desk", level=hostile)
    run(folder)
    shown = typed(folder, "rule")[1] + typed(folder, "explain", "abroad")[1]
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\u001b[31mNO" in shown
    typed(folder, "rule", f"neighbour/abroad={hostile}", "--keep", "--reason", "Hm.", *BY)
    shown = typed(folder, "explain", "abroad")[1]
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "keep" in shown
    edited(folder, "Hm.", r"\u001b[31mHm.\u202e")
    code, _, told = typed(folder, "explain", "abroad")
    assert (code, "an unprintable character" in told, "\x1b" in told) == (2, True, False)
