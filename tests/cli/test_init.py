"""`unveil init`: what it writes, says and refuses."""

import json
import os
import tomllib

import pytest
from click.testing import CliRunner

from unveil.cli.init import init
from unveil.errors import InputError
from unveil.examples import KEYS, write_csv
from unveil.project.read_project import read_project


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example")
    write_csv(folder)
    return folder


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(init, [str(one) for one in arguments])


def done(*arguments):
    made = run(*arguments)
    assert made.exit_code == 0, made.output
    return made


def test_it_writes_a_project_and_says_what_it_proposes_and_what_comes_next(example, desk):
    made = done(example / "survey.csv", "--by", "Ann, analyst")
    project = read_project(desk)
    assert {*project.scenarios[0].keys} == {*KEYS}
    assert project.context.analyst == "Ann, analyst"
    flat = " ".join(made.stdout.split())
    for sentence in (
        "Project for survey.csv: 5,000 people",
        "project.toml is written. Everything in it is a proposal with a reason: change what does",
        "Keys: age, region, settlement and sex. Unique on them: 1,963 of 5,000 people (39.3 %).",
        "Special codes: income -8 (negative among numbers of at least 0: probably a missing code).",
        "Radii for GTCAP: age 5, income 200.",
        "2 recodings are in the file as comments, for unveil protect.",
        "Limits for the audience registered are proposed, and not yet accepted.",
        'unveil limits --accept --by "Name, role"',
        "unveil run",
        "unveil synthesise",
    ):
        assert sentence in flat
    assert all(len(line) <= 80 for line in made.stdout.splitlines())


def test_a_copy_that_is_named_need_not_be_made(example, desk):
    made = done(
        example / "survey.csv",
        *("--synthetic", example / "survey_synthetic.csv", "--folder", "my desk"),
        *("--template", "neighbour,prosecutor", "--owner", "income", "--audience", "open"),
    )
    project = read_project("my desk")
    assert [one.name for one in project.scenarios] == ["neighbour", "prosecutor", "co-owner"]
    assert project.context.audience == "open"
    assert len(project.data.synthetic) == 1
    assert "unveil synthesise" not in made.stdout
    assert "cd 'my desk'" in made.stdout


def test_json_is_the_whole_proposal_and_nothing_else(example, desk):
    made = done(example / "survey.csv", "--json", "--keys", "sex,age")
    said = json.loads(made.stdout)
    assert said["file"] == "project.toml"
    assert said["scenarios"][0]["keys"] == ["sex", "age"]
    assert said["radii"][0] == {
        "column": "age",
        "radius": 5.0,
        "reason": "about a tenth of the distance between the quartiles",
    }
    assert said["special_codes"][0]["codes"] == [-8.0]
    assert said["roles"]["n_records"] == said["n_records"] == 5000
    assert [row["do"] for row in said["codings"]["rows"]] == ["band", "top_code"]


def test_settings_of_reading_go_into_the_file(example, desk):
    done(example / "survey.csv", "--missing", "NA", "--missing", "-9", "--special-codes", "age=99")
    said = tomllib.loads((desk / "project.toml").read_text(encoding="utf-8"))
    assert said["data"]["missing_values"] == ["NA", "-9"]
    assert said["data"]["special_codes"] == {"age": [99], "income": [-8]}


def test_hostile_names_are_shown_without_their_power(desk):
    name = "a\x1b[31m\u202eb"
    (desk / "people.csv").write_text(f"sex,{name}\n" + "f,1\nm,2\n" * 30, encoding="utf-8")
    made = done("people.csv", "--keys", name)
    assert "\x1b" not in made.stdout
    assert "\u202e" not in made.stdout
    assert read_project(desk).scenarios[0].keys == (name,)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name the file of the original: unveil init survey.sav."),
        (["none.csv"], "The dataset (none.csv) was not found: there is no file 'none.csv'."),
        (["people.csv", "--template", "co-owner"], "The template co-owner needs the columns of"),
        (["people.csv", "--template", "stranger"], "template is 'stranger'. It must be one of:"),
        (["people.csv", "--synthetic", "no.csv"], "There is no file 'no.csv'. Check the name and"),
        (["people.csv", "--owner", "agee"], "The dataset (people.csv) has no column 'agee'."),
        (["people.csv", "--synthetic", "people.csv"], "project.toml, line 8: the original"),
    ],
)
def test_what_means_nothing_is_refused_in_a_sentence_and_nothing_is_written(
    desk, arguments, sentence
):
    (desk / "people.csv").write_text("sex,age\n" + "f,1\nm,2\n" * 30, encoding="utf-8")
    made = run(*arguments)
    assert isinstance(made.exception, InputError)
    assert made.exception.exit_code == 2
    assert str(made.exception).startswith(sentence)
    assert os.listdir(desk) == ["people.csv"]


def test_a_project_that_is_there_stays_as_it_is(example, desk):
    (desk / "project.toml").write_text("mine", encoding="utf-8")
    made = run(example / "survey.csv")
    assert str(made.exception) == (
        "There is a project already: 'project.toml'. Nothing was written. Change it in an editor,"
        " or name another folder with --folder."
    )
    assert (desk / "project.toml").read_text(encoding="utf-8") == "mine"
