"""A project as it is typed: a custodian's five commands, and a job at night."""

import json
import re
import shlex
import shutil
import sys

import pytest

from project.desk import ANN, ANSWERS, CARL, copy_of, people, settle, with_canary
from unveil import Project
from unveil.cli.main import main
from unveil.project.view import view_of


@pytest.fixture
def typed(monkeypatch, capsys):
    """Types a command; the exit code, what is printed, and what is complained of."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["unveil", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code or 0, *capsys.readouterr())

    return run


def next_of(printed):
    return shlex.split(re.findall("^Next: unveil (.*)$", printed, re.MULTILINE)[-1])


def test_five_commands_from_two_files_to_a_pack(tmp_path, monkeypatch, typed):
    """Each next step works as it is printed."""
    monkeypatch.chdir(tmp_path)
    with_canary(people(1)).write_csv("people.csv")
    people(2, 121).write_csv("FAKE_people.csv")
    code, printed, _ = typed(
        "init", "people.csv", "FAKE_people.csv", "-k", "sex,age", "-t", "health,income", "--by", ANN
    )
    assert (code, next_of(printed)) == (0, ["run"])
    assert "In no role: " in printed
    code, printed, complaint = typed(*next_of(printed))
    assert code == 4
    assert complaint.startswith("exit 4: ")
    assert len(printed.splitlines()) <= 25
    assert next_of(printed) == ["sign", "limits=accepted", "--by", "NAME, ROLE"]
    words = [f"{about}={answer}" for about, answer in ANSWERS.items()]
    others = [need.about for need in Project().standing().missing if need.about not in ANSWERS]
    words += [f"{about}=accepted" for about in others]
    code, printed, _ = typed("sign", *words, "--reason", "Few people.", "--by", ANN)
    assert (code, next_of(printed)) == (0, ["decide", "release", "--by", "NAME, ROLE"])
    code, printed, _ = typed("decide", "release", "--by", CARL)
    assert (code, next_of(printed)) == (0, ["pack", "release.zip"])
    code, printed, _ = typed(*next_of(printed))
    assert (code, next_of(printed)) == (0, ["pack", "--verify", "release.zip"])
    code, printed, _ = typed(*next_of(printed))
    assert code == 0
    assert "Next: unzip release.zip" in printed
    code, printed, complaint = typed("run")
    assert code == 0
    assert printed.startswith(f"● Released by {CARL}")
    assert complaint.startswith(f"exit 0: Released by {CARL}")


def test_a_job_at_night_reads_exit_codes_and_figures(measured, tmp_path, typed):
    project = copy_of(measured, tmp_path)
    desk = project.folder
    code, printed, _ = typed("run", "--project", desk, "--json")
    document = json.loads(printed)
    assert (code, document["exit_code"], document["status"]) == (4, 4, "decide")
    figures = document["tables"]["figures"]
    assert {"what", "people", "expected", "margin", "limit", "status"} <= {*figures[0]}
    assert document["headline"] == project.standing().headline
    for need in project.standing().missing:
        answer = ANSWERS.get(need.about, "accepted")
        words = ["sign", f"{need.about}={answer}", "--reason", "Few.", "--by", ANN, "-p", desk]
        assert typed(*words)[0] == 0
    assert typed("run", "-p", desk)[0] == 0
    shutil.copy(desk / "secret_people.csv", desk / "made.csv")  # a leak
    code, printed, complaint = typed("run", "-p", desk, "--json")
    assert (code, json.loads(printed)["status"]) == (3, "blocked")
    assert "above limit" in complaint
    assert "alerts" not in document["tables"] or json.loads(printed)["headline"]


def test_a_new_synthesis_at_night_is_named_in_the_project(tmp_path, typed):
    people(1).write_csv(tmp_path / "people.csv")
    code, printed, _ = typed(
        "init", tmp_path / "people.csv", "-k", "sex,age", "--project", tmp_path
    )
    assert (code, next_of(printed)[0]) == (0, "synthesise")
    code, _, complaint = typed("run", "--project", tmp_path)
    assert (code, complaint.count("\n")) == (2, 1)
    code, printed, _ = typed(*next_of(printed), "--seed", 7)
    assert (code, next_of(printed)) == (0, ["run", "--project", str(tmp_path)])
    assert Project(tmp_path).settings.data.synthetic == "FAKE_people.csv"
    before = (tmp_path / "FAKE_people.csv").read_bytes()
    typed("synthesise", "-p", tmp_path, "--seed", 7)
    assert (tmp_path / "FAKE_people.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["decide", "release", "--by", CARL], 4, "A release needs"),
        (["decide", "refuse", "--by", CARL], 2, "A reason is missing"),
        (["decide", "maybe", "--by", CARL], 2, "'answer' takes 'release' or 'refuse'"),
        (["decide", "release"], 2, "--by"),
        (["sign", "--by", ANN], 2, "Nothing is stated"),
        (["sign", "limits", "--by", ANN], 2, "'limits' is no ABOUT=ANSWER"),
        (["pack", "release.zip"], 3, "Only what is released can be packed"),
        (["pack"], 2, "Name the pack that is built"),
        (["explain", "helth"], 2, "has no target 'helth'. Did you mean 'health'?"),
        (["run", "--only", "asses"], 2, "There is no measure (--only) 'asses'"),
        (["report", "--run", "9"], 2, "There is no run 9; the last is 1"),
        (["synthesise", "--leaf", "5"], 2, "A project says itself what --leaf says"),
    ],
)
def test_a_refusal_ends_with_its_code(
    measured, tmp_path, monkeypatch, typed, words, code, sentence
):
    monkeypatch.chdir(copy_of(measured, tmp_path).folder)
    place = ["--project", "."] if words[0] == "synthesise" else []
    ended, printed, complaint = typed(*words, *place)
    assert (ended, printed) == (code, "")
    assert complaint.startswith("unveil: ")
    assert sentence in complaint


def test_what_is_shown_of_a_target_leads_to_its_statement(measured, tmp_path, monkeypatch, typed):
    monkeypatch.chdir(copy_of(measured, tmp_path).folder)
    code, printed, _ = typed("explain", "health")
    assert code == 0
    code, _, _ = typed(*next_of(printed))
    assert code == 0
    code, printed, _ = typed("explain", "health", "--show", "records", "--json")
    assert (code, {"row", "level", "shown"} <= {*json.loads(printed)[0]}) == (0, True)
    code, printed, _ = typed("log", "--json")
    acts = json.loads(printed)["tables"]["acts"]
    assert (code, acts[-1]["act"]) == (0, "records")


def test_a_log_that_was_changed_ends_with_3(measured, tmp_path, typed):
    project = copy_of(measured, tmp_path)
    log = project.folder / "log.jsonl"
    log.write_text(log.read_text().replace("Ann", "Eve"))
    code, printed, _ = typed("log", "-p", project.folder)
    assert code == 3
    assert "does not fit the line before it" in printed
    assert typed("run", "-p", project.folder)[0] == 3


# The view


def test_numbers_of_a_view_are_those_of_its_rows_and_add_up(project):
    view = view_of(project)
    rows = project.run().figures
    for block in view.blocks:
        for line in (*block.lines, *block.all_lines):
            assert line.row in rows
            if line.others:
                people, others, beyond = (
                    int(re.match(r"[+-]?[\d,]+", text)[0].replace(",", ""))
                    for text in (line.people, line.others, line.beyond)
                )
                assert people - others == beyond == round(line.row.beyond)
    assert sum(len(block.lines) for block in view.blocks) <= 9
    assert "safe" not in json.dumps(str(view)).lower()


def test_rows_that_page_1_does_not_show_are_counted(project):
    for block in view_of(project).blocks:
        hidden = sum(int(re.search(r"(\d+) more", text)[1]) for text in block.more)
        assert len(block.lines) + hidden == len(block.all_lines)


def test_steps_recode_the_original_likewise_and_a_try_is_used(tmp_path, monkeypatch, typed):
    """Like is compared with like: the original is recoded as the synthetic data are."""
    monkeypatch.chdir(tmp_path)
    people(1).write_csv("secret.csv")
    typed("init", "secret.csv", "-k", "sex,age,region", "--by", ANN)
    project = Project()
    step = '\n[[protect]]\ndo = "round"\ncolumn = "income"\nto = 500\n'
    step += '\n[[protect]]\ndo = "synthesise"\n'
    project.file.write_text(project.file.read_text() + step)
    code, printed, _ = typed("protect", "--seed", 7)
    assert (code, next_of(printed)) == (0, ["run"])
    assert set(project.study().original["income"]) <= set(range(500, 3001, 500))
    assert max(people(1)["income"] % 500) > 0
    assert project.settings.data.recoded == "confidential/recoded.json"
    assert project.settings.data.original == "secret.csv"
    typed(*next_of(printed))
    assert "extra-column:FAKE" not in {row.id for row in project.run().alerts}
    settle(project)
    project.decide("release", by=CARL)
    assert not project.pack(tmp_path / "release.zip").faults
    people(3).write_csv("secret.csv")
    code, _, complaint = typed("run")
    assert (code, "The original changed since it was recoded" in complaint) == (3, True)
    assert typed("protect", "--use", 1)[0] == 2  # nothing was tried
    code, printed, _ = typed("protect", "--try", "income", "--seed", 7)
    assert code == 0
    assert "income to " in printed
    assert typed("protect", "--use", 2, "--seed", 8)[0] == 0
    assert [step["do"] for step in project.settings.protect].count("round") >= 1
    assert typed("run")[0] in (3, 4)
