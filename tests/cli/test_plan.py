"""`unveil plan`: what is printed, exit codes, and bad input."""

import json

import polars as pl
import pytest

from unveil.cli import main

PLAN = """
data = "people.csv"
[[table]]
name = "16 and over"
by = ["job"]
where = {{ age = ">= 16" }}
[[table]]
name = "18 and over"
by = ["job"]
where = {{ age = "{over}" }}
"""


def run(tmp_path, capsys, *more, over=">= 18", plan=PLAN):
    rows = (
        [(10, "none")] * 20
        + [(16, "works")] * 2
        + [(16, "none")] * 8
        + [(40, "works")] * 30
        + [(40, "none")] * 9
    )
    pl.DataFrame(rows, schema=["age", "job"], orient="row").write_csv(tmp_path / "people.csv")
    (tmp_path / "plan.toml").write_text(plan.format(over=over))
    with pytest.raises(SystemExit) as ended:
        main(["plan", str(tmp_path / "plan.toml"), *more])
    return ended.value.code, capsys.readouterr()


def test_tables_that_disclose_together_exceed_a_limit(tmp_path, capsys):
    code, said = run(tmp_path, capsys, "--limit", "recovered=0")
    text = " ".join(said.out.split())
    assert code == 3
    assert "above limit: 1 count recovered exactly, above your limit of 0" in text
    assert '"16 and over" and "18 and over" together show that 2 people are in' in text
    assert "Neither table shows it alone." in text
    assert run(tmp_path, capsys)[0] == 0
    assert run(tmp_path, capsys, "--limit", "recovered=1")[0] == 0
    code, said = run(tmp_path, capsys, "--limit", "recovered=0", over=">= 16")
    assert code == 0
    assert "● within" in said.out


def test_documents(tmp_path, capsys):
    record = json.loads(run(tmp_path, capsys, "--json")[1].out)
    (row,) = record["rows"]
    assert (row["lower"], row["tables"]) == (2, ["16 and over", "18 and over"])
    head, line = run(tmp_path, capsys, "--csv")[1].out.splitlines()
    assert head.startswith("box,kind,lower,upper")
    assert "16 and over | 18 and over" in line


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--limit", "recovered"], "is not a limit"),
        (["--limit", "DiSCO=1"], "recovered, near"),
        (["--threshold", "1"], "threshold is 1"),
        (["--seconds", "0"], "seconds is 0"),
        (["--json", "--csv"], "Choose one"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path, capsys, more, sentence):
    code, said = run(tmp_path, capsys, *more)
    assert code == 2
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ("[[table]\n", "not valid TOML"),
        ('data = "nowhere.csv"\n[[table]]\nby = ["job"]', "nowhere.csv"),
        ('[[table]]\nby = ["job"]', "no file of published values"),
        ('data = "people.csv"\n[[table]]\nby = ["jobb"]', "no column 'jobb'"),
        ('dta = "people.csv"', "Did you mean 'data'"),
        ('data = "people.csv"\n[[table]]\nby = ["job"]\nweights = "w"', "weighted"),
    ],
)
def test_bad_plans_are_one_sentence(tmp_path, capsys, plan, sentence):
    code, said = run(tmp_path, capsys, plan=plan)
    assert code == 2
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1
    with pytest.raises(SystemExit):
        main(["plan", str(tmp_path / "absent.toml")])
    assert "absent.toml" in capsys.readouterr().err
