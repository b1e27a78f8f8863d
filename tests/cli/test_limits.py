"""`unveil limits`: those in force and the presets with their origin; accepted by name."""

import json

import pytest

from cli.project_commands import typed
from project_cases import edited, ran
from unveil.project.read_project import read_project

BY = ("--by", "B. Smith, data protection")


def test_presets_are_shown_with_rule_and_origin(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "limits")
    words = " ".join(shown.split())
    assert code == 0
    assert "No limits are set, so there is no verdict. Start from a preset below." in words
    for text in ("Preset closed", "Preset registered", "Preset open", "Open (anyone)"):
        assert text in words
    assert "no published value: your decision" in words
    assert "Chapelle and Falissard: at most 0.2, better 0.1" in words


def test_a_preset_is_accepted_by_name(tmp_path):
    folder = ran(tmp_path)
    code, shown, _ = typed(folder, "limits", "--preset", "open", "--accept", *BY)
    assert code == 0
    assert "Accepted by B. Smith, data protection on 20" in shown
    assert read_project(folder).limits.values["DiSCO"] == (1, 5)


def test_without_accept_nothing_is_written(tmp_path):
    folder = ran(tmp_path)
    before = (folder / "project.toml").read_bytes()
    _, shown, _ = typed(folder, "limits", "--preset", "open", "--set", "DCAP=20,30")
    assert "Nothing was written. To accept these: add --accept" in shown
    assert "DCAP" in shown
    assert (folder / "project.toml").read_bytes() == before


def test_limits_are_set_and_taken_off(tmp_path):
    folder = ran(tmp_path)
    asked = ("--preset", "open", "--set", "DiSCO=5,10", "--set", "S_pMSE=off", "--accept", *BY)
    document = json.loads(typed(folder, "limits", *asked, "--json")[1])
    assert [(one["measure"], one["limit"]) for one in document["limits"]] == [
        ("repU", 5),
        ("DiSCO", 10),
    ]
    assert document["accepted_by"] == BY[1]
    assert len(document["presets"]["open"]) == 9


def test_limits_in_the_file_that_nobody_accepted_say_so(tmp_path):
    folder = ran(tmp_path)
    with open(folder / "project.toml", "a", encoding="utf-8") as file:
        file.write("\n[limits]\nDiSCO = [5, 10]\n")
    assert ("proposed in project.toml and not yet accepted") in " ".join(
        typed(folder, "limits")[1].split()
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--set", "DiSCO=5"],
            "--set 'DiSCO=5' cannot be read. Write a measure, =, and two numbers, review above and"
            " limit: DiSCO=5,10; or DiSCO=off.",
        ),
        (
            ["--set", "DiSCO=9,5"],
            "The limit of DiSCO is [9, 5]: review starts above the limit. Write the lower number"
            " first.",
        ),
        (
            ["--set", "DiSCO=1,2", "--set", "DiSCO=2,3"],
            "DiSCO is given two limits. Give it one.",
        ),
        (["--preset", "open", "--accept"], 'A name is required: --by "Name, role".'),
        (["--preset", "open", *BY], "--by names who accepts the limits. Add --accept."),
        (
            ["--accept", *BY],
            "There are no limits to accept. Start from a preset: unveil limits --preset registered"
            ' --accept --by "Name, role".',
        ),
    ],
)
def test_wrong_use(tmp_path, arguments, sentence):
    assert typed(ran(tmp_path), "limits", *arguments)[::2] == (2, sentence)


def test_every_limit_that_cannot_be_set_is_told(tmp_path):
    asked = ("--set", "DiSCO=10,5", "--set", "GTCAP=3,4", "--set", "foo=1")
    code, _, told = typed(ran(tmp_path), "limits", *asked)
    assert code == 2
    assert [line.split(".")[0] for line in told.split("\n")] == [
        "The limit of DiSCO is [10, 5]: review starts above the limit",
        "The limit of GTCAP has the value 3",
        "--set 'foo=1' cannot be read",
    ]


def test_limits_changed_by_hand_are_said_to_be_out_of_force(tmp_path):
    folder = ran(tmp_path)
    typed(folder, "limits", "--preset", "open", "--accept", *BY)
    edited(folder, "DiSCO = [1, 5]", "DiSCO = [99, 100]")
    words = " ".join(typed(folder, "limits")[1].split())
    assert (
        "Not in force: the limits were changed since B. Smith, data protection accepted them."
        in words
    )
    document = json.loads(typed(folder, "limits", "--json")[1])
    assert (document["accepted_by"], document["accepted_on"]) == (None, None)


def test_an_unknown_measure_names_its_neighbour(tmp_path):
    code, _, told = typed(ran(tmp_path), "limits", "--set", "disco=1,2")
    assert (code, "Did you mean 'DiSCO'?" in told) == (2, True)
