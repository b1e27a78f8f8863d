"""`unveil synthesise` and `unveil noise` give what Python gives."""

import json
import sys

import polars as pl
import pytest

import unveil
from unveil.cli.main import main
from unveil.examples import survey


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder with a survey: its exit code, what it prints and complains of."""
    survey().head(500).write_csv(tmp_path / "survey.csv")
    monkeypatch.chdir(tmp_path)

    def run_words(*words):
        monkeypatch.setattr(sys, "argv", ["unveil", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code or 0, *capsys.readouterr())

    return run_words


def study():
    return unveil.Study("survey.csv", columns={"income": {"special": (-8,)}})


MAKING = ("synthesise", "survey.csv", "-c", "income:special=-8", "--leaf", "20,60", "--seed", "3")


def test_each_copy_is_a_file_that_says_it_is_synthetic(run, tmp_path):
    rule = "age >= 20 or marital = 'never married'"
    code, printed, _ = run(*MAKING, "--out", "made.csv", "--copies", "2", "--rule", rule)
    result = unveil.synthesise(study(), leaf=(20, 60), copies=2, rules=rule, seed=3)
    assert code == 0
    for copy in (1, 2):
        frame = unveil.read(tmp_path / f"FAKE_made_{copy}.csv").frame
        assert {*frame["FAKE"]} == {1}
        expected = result.study.synthetic["", copy]
        assert frame.drop("FAKE").cast(dict(expected.schema)).equals(expected)
    assert unveil.Result.load(tmp_path / "made.json") == result
    assert "Keep made.json confidential" in printed
    assert "unveil describe survey.csv FAKE_made_1.csv FAKE_made_2.csv" in printed


def test_synthesis_as_one_document(run):
    _, printed, _ = run(*MAKING, "--out", "made.parquet", "--json")
    assert json.loads(printed)["tables"]["copies"] == [{"copy": 1, "records": 500, "people": 500}]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--out", "made.txt"), "ends with none of"),
        (("--out", "nowhere/made.csv"), "in no folder"),
        (("--out", "survey.csv"), "is a file that is read"),
    ],
)
def test_where_nothing_can_be_written_nothing_is_made(run, tmp_path, words, complaint):
    before = (tmp_path / "survey.csv").read_bytes()
    code, printed, told = run(*MAKING, *words)
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert complaint in told
    assert (tmp_path / "survey.csv").read_bytes() == before
    assert len([*tmp_path.iterdir()]) == 1


POPULATION = ("--population", "normal(48, 19)", "--N", "60000")


def test_the_noise_of_a_column_is_that_of_its_numbers(run):
    ages = pl.read_csv("survey.csv")["age"]
    asked = {"population": "normal(48, 19)", "N": 60_000, "n": 500}
    for words, result in (
        (("--threshold", "0.2"), unveil.choose_noise(ages, threshold=0.2, **asked)),
        (("--sigma", "2", "--discrete"), unveil.ecap(ages, sigma=2, discrete=True, **asked)),
    ):
        code, printed, _ = run("noise", "survey.csv", "age", *POPULATION, *words, "--json")
        assert (code, json.loads(printed)) == (0, json.loads(json.dumps(result.document())))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("survey.csv", "agee", *POPULATION), "Did you mean 'age'?"),
        (("survey.csv", "sex", *POPULATION), "no numbers"),
        (("survey.csv", "age"), "--population"),
        (("survey.csv", "age", "--population", "normal(48, 19)"), "--N"),
        (("survey.csv", "age", *POPULATION, "--sigma", "1", "--threshold", "0.1"), "either"),
    ],
)
def test_noise_says_what_is_missing(run, words, complaint):
    code, printed, told = run("noise", *words)
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert complaint in told
