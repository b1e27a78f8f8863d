"""`unveil claims`: what is printed is what `unveil.claims` counts."""

import json

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Half of the records are real ones, the others of nobody."""
    rng = np.random.default_rng(2)

    def people(n):
        return pl.DataFrame({
            "a": rng.integers(0, 8, n),
            "b": rng.integers(0, 8, n),
            "t": rng.integers(0, 5, n),
        })  # fmt: skip

    original = people(600)
    monkeypatch.chdir(tmp_path)
    original.write_csv("original.csv")
    pl.concat([original[:300], people(40)]).write_csv("synthetic.csv")
    people(300).write_csv("control.csv")


def run(capsys, *more):
    with pytest.raises(SystemExit) as ended:
        main(["claims", "original.csv", "synthetic.csv", *more])
    return ended.value.code, capsys.readouterr()


def test_the_command_is_the_call(files, capsys):
    options = ("--control", "control.csv", "--public", "a+t", "--at-least", "5", "--seed", "3")
    code, said = run(capsys, "-k", "a,b", "-t", "t", *options, "--json")
    assert code == 0
    same = unveil.claims(
        "original.csv", "synthetic.csv", "control.csv",
        keys=["a", "b"], targets="t", public="a+t", at_least=5, seed=3,
    )  # fmt: skip
    assert json.loads(said.out) == json.loads(same.to_json())


def test_no_figure_stands_without_what_is_expected(files, capsys):
    code, said = run(capsys, "-k", "a,b", "-t", "t")
    assert code == 0
    assert "expected" in said.out
    assert "own record or deeper pattern" in " ".join(said.out.split())
    code, said = run(capsys, "-k", "a,b", "-t", "t", "--csv")
    assert {"claimed", "correct", "expected", "adds"} <= {*said.out.splitlines()[0].split(",")}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("-t", "t"), "--keys"),
        (("-k", "a,c", "-t", "t"), "'c'"),
        (("-k", "a", "-t", "t", "--certainty", "0.2"), "certainty"),
        (("-k", "a", "-t", "t", "--public", "zz"), "zz"),
    ],
)
def test_bad_input_is_one_sentence(files, capsys, more, words):
    code, said = run(capsys, *more)
    assert code == 2
    assert words in said.err
    assert "Traceback" not in said.err
