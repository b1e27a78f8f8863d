"""`unveil table`: counts, records and plans, as Python measures them."""

import json
import shlex
import sys

import pytest

import every_call
import unveil
from unveil.cli.main import main
from unveil.show.terminal import screen

COUNTS = "row,column,count\nA,D,1\nA,E,3\nA,F,0\nB,D,4\nB,E,0\nB,F,0\nC,D,3\nC,E,2\nC,F,0\n"
PLAN = """
[data]
original = "people.csv"
[[table]]
name = "one"
dims = ["sex", "age"]
publish = "suppress:5"
margins = "all"
[[table]]
name = "two"
dims = ["sex"]
where = "age >= 40"
"""


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.csv").write_text(COUNTS)
    (tmp_path / "plan.toml").write_text(PLAN)
    every_call.people(1).drop("pid").write_csv("people.csv")

    def run(words):
        monkeypatch.setattr(sys, "argv", ["unveil", "table", *shlex.split(words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code or 0, *capsys.readouterr())

    return run


def test_counts_are_measured_as_python_does(typed):
    words = "counts.csv --publish conventional:3 --margins all --people 4"
    code, printed, _ = typed(f"{words} --json")
    table = unveil.PublishedTable.read("counts.csv", publish="conventional:3", margins="all")
    document = json.loads(printed)
    assert code == 0
    values = json.loads(unveil.bounds(table).save("bounds.json").read_text())["tables"]["values"]
    assert document["tables"]["values"] == values
    curve = [row["SAP"] for row in document["tables"]["curve"]]
    assert curve == [row.SAP for row in unveil.sap(table, people=4).curve]


def test_records_are_counted_where_dimensions_are_named(typed):
    code, printed, _ = typed("people.csv --dims sex,age -c age:bands=40,60 --json")
    study = unveil.Study("people.csv", columns={"age": {"bands": (40, 60)}})
    table = unveil.PublishedTable.count(study, ("sex", "age"))
    levels = [row["levels"] for row in json.loads(printed)["tables"]["values"]]
    assert code == 0
    assert levels == [list(row.levels) for row in unveil.bounds(table).values]


def test_parts_have_schemes_of_their_own(typed):
    words = "counts.csv --publish conventional:3 --publish total=exact --margins row,total --json"
    publish = json.loads(typed(words)[1])["settings"]["publish"]
    assert publish == {"table": "conventional:3", "row": "conventional:3", "total": "exact"}


def test_schemes_are_compared_and_small_counts_hidden(typed):
    code, printed, _ = typed("counts.csv --schemes conventional:3 --schemes exact --people 4")
    assert code == 0
    assert "conventional:3: SAP is above 0.05 from 1 known person on." in printed
    code, printed, _ = typed("people.csv --dims sex,age --margins all --below 5 --json")
    values = json.loads(printed)["tables"]["values"]
    assert code == 0
    assert any(row["suppressed"] for row in values)
    assert not any(row["recovered"] for row in values)


def test_a_plan_is_measured(typed):
    code, printed, _ = typed("plan.toml --json")
    assert code == 0
    rows = unveil.plan("plan.toml").frame("planned").to_dicts()
    assert json.loads(printed)["tables"]["planned"] == rows


FIRMS = "firm,region,turnover\na,N,900\nb,N,40\nc,S,400\nd,S,420\ne,S,390\nf,W,8\ng,W,9\nh,W,7\n"
SUMS = '[data]\noriginal = "firms.csv"\n[[table]]\nname = "T"\ndims = ["region"]\nmargins = "all"\n'


def test_sums_are_protected_by_a_rule(typed, tmp_path):
    (tmp_path / "firms.csv").write_text(FIRMS)
    (tmp_path / "sums.toml").write_text(SUMS)
    study = unveil.Study("firms.csv", columns={"firm": "person"})
    cells = unveil.amounts(study, "turnover", ["region"], rule={"p": 10}).frame().to_dicts()
    code, printed, _ = typed(
        "firms.csv -c firm=person --dims region --amount turnover --rule p=10 --json"
    )
    assert code == 0
    assert json.loads(printed)["tables"]["cells"] == cells
    assert [row["value"] for row in cells] == [None, None, 24.0, 2174.0]
    code, printed, _ = typed("sums.toml --amount turnover --rule n=1,k=80 --rule least=1")
    assert code == 0
    assert "1 of 4 sums is unsafe by the rule" in printed
    words = printed.splitlines()[-1].removeprefix("Next: unveil table ")
    assert typed(words)[0] == 0


@pytest.mark.parametrize(
    "words",
    ["firms.csv --amount turnover", "firms.csv --dims region --rule p=10",
     "firms.csv --dims region --amount turnover --publish suppress:5", "sums.toml --amount profit",
     "firms.csv --dims region --amount turnover --below 5",
     "sums.toml --dims region --amount turnover",
     "firms.csv --dims region --amount turnover --rule p", "firms.csv --dims region --amount firm",
     "firms.csv --dims region --amount turnover --rule n=1"],
)  # fmt: skip
def test_what_sums_are_not_asked_is_refused(typed, tmp_path, words):
    (tmp_path / "firms.csv").write_text(FIRMS)
    (tmp_path / "sums.toml").write_text(SUMS)
    code, printed, complaint = typed(words)
    assert (code, printed, complaint.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("counts.csv --publish conventional:3 --margins all --limit recovered=0", 3),
        ("counts.csv --publish conventional:5 --people 2 --limit SAP=0.05", 0),
        ("counts.csv --publish conventional:3 --people 2 --limit SAP@depth=2=0.05", 3),
        ("counts.csv --publish conventional:3 --people 2 --limit SAP@depth=1=0.05", 0),
        ("plan.toml --limit recovered=10000", 0),
        ("plan.toml --dims sex", 2),
        ("plan.toml --out people.csv", 2),
        ("counts.csv --out counts.csv", 2),
        ("counts.csv --dims nobody", 2),
        ("people.csv", 2),
        ("nowhere.csv", 2),
    ],
)
def test_limits_and_faults_end_as_they_must(typed, words, code):
    ended, printed, complaint = typed(words)
    assert ended == code
    assert (complaint.count("\n") == 1 and not printed) == (code == 2)


def test_the_next_step_works_as_it_is_printed(typed):
    words = "counts.csv --publish conventional:3"
    for _ in range(3):
        code, printed, _ = typed(words)
        assert code == 0
        words = printed.splitlines()[-1].removeprefix("Next: unveil table ")
        if words.endswith("--help"):
            break


def test_a_first_screen_has_at_most_25_lines_of_80_columns(typed):
    counts = [[i % 7 for i in range(20)] for _ in range(12)]
    table = unveil.PublishedTable(counts, publish="suppress:5", margins="all")
    for results in (
        [unveil.bounds(table), unveil.sap(table, people=3)],
        [unveil.plan("plan.toml")],
    ):
        lines = screen(results, (), (), "unveil table").splitlines()
        assert len(lines) <= 25, "\n".join(lines)
        assert max(map(len, lines[:-1])) <= 80
