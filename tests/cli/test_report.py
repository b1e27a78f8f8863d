"""`unveil report`: where the page goes, what is written beside it, and what is refused."""

import csv
import json
import os
import re
import shutil
import stat
import webbrowser
from html import unescape
from pathlib import Path

import pytest

from unveil.cli import main
from unveil.project import write_report
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.verify import verify_project

PROJECT = """schema = 1
title = "Small survey"

[data]
original = "survey.csv"
synthetic = ["copy.csv"]

[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = ["job"]
measures = ["disclosure"]
"""
FORMULA = "=cmd()"
MARKUP = "<b onclick=x>"
PEOPLE = [
    ("f", "20", FORMULA),
    ("f", "30", MARKUP),
    ("f", "40", "nurse"),
    ("f", "40", "nurse"),
    ("m", "20", "clerk"),
    ("m", "30", "nurse"),
]


def written(place: Path, rows) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("sex", "age", "job"), *rows])


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch) -> None:
    """Pictures are empty here: where they are drawn is no question of the command."""
    picture = '<svg xmlns="http://www.w3.org/2000/svg" class="marks"></svg>'
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: picture)


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> Path:
    """A project with a run, whose copy is the original but for one person."""
    folder = tmp_path_factory.mktemp("measured")
    written(folder / "survey.csv", PEOPLE)
    written(folder / "copy.csv", [*PEOPLE[:5], ("m", "50", "clerk")])
    (folder / "project.toml").write_text(PROJECT, encoding="utf-8")
    run_project(read_project(folder))
    return folder


@pytest.fixture
def project(measured: Path, tmp_path: Path) -> Path:
    """The same for one test alone."""
    return shutil.copytree(measured, tmp_path / "project")


def called(capsys, *arguments) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["report", *map(str, arguments)])
    told = capsys.readouterr()
    assert told.out == ""
    return int(ended.value.code or 0), told.err


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def page_text(path: Path) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_the_page_goes_into_the_confidential_folder_for_its_owner_alone(project, capsys):
    code, told = called(capsys, project)
    report = project / "confidential" / "report_0001.html"
    assert code == 0
    assert told == f"unveil: run 1 written to {report}. It is confidential.\n"
    assert "Small survey" in page_text(report)
    if os.name == "posix":
        assert mode(report) == 0o600
        assert mode(report.parent) == 0o700


def test_here_is_where_the_project_is_looked_for(project, capsys, monkeypatch):
    monkeypatch.chdir(project)
    assert called(capsys)[0] == 0
    assert (project / "confidential" / "report_0001.html").is_file()


def test_a_later_report_of_the_same_run_takes_the_place_of_the_earlier(project, capsys):
    report = project / "confidential" / "report_0001.html"
    called(capsys, project)
    changed = PROJECT.replace("Small survey", "Another title")
    (project / "project.toml").write_text(changed, encoding="utf-8")
    assert called(capsys, project)[0] == 0
    assert "Another title" in page_text(report)
    assert [one.name for one in report.parent.glob("report*")] == ["report_0001.html"]


def test_a_file_that_is_named_is_never_overwritten(project, capsys):
    (project / "mine.html").write_text("mine", encoding="utf-8")
    code, told = called(capsys, project, "--out", project / "mine.html")
    assert code == 2
    assert "is there already. Nothing was written." in told
    assert (project / "mine.html").read_text(encoding="utf-8") == "mine"
    assert not (project / "confidential" / "report_0001.html").exists()


def test_the_page_goes_where_it_is_sent(project, capsys):
    place = project / "elsewhere.html"
    assert called(capsys, project, "--out", place)[0] == 0
    assert "Small survey" in page_text(place)
    if os.name == "posix":
        assert mode(place) == 0o600


def test_each_report_is_a_line_of_the_log_and_the_log_still_holds(project, capsys):
    called(capsys, project)
    lines = [json.loads(line) for line in (project / "log.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["run", "report"]
    assert lines[-1]["subject"] == "1"
    assert verify_project(project).faults == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--run", "7"], "There is no run 7. The runs are: 1."),
        (["--out", "no/folder/page.html"], "There is no folder 'no/folder' to write to."),
        (["--run", "one"], "'one' is not a valid integer"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(project, capsys, arguments, said):
    code, told = called(capsys, project, *arguments)
    assert code == 2
    assert said in told
    assert "Traceback" not in told


def test_without_a_project_it_says_how_to_make_one(tmp_path, capsys):
    code, told = called(capsys, tmp_path)
    assert code == 2
    assert "unveil init" in told


def test_without_a_run_it_says_how_to_make_one(tmp_path, capsys):
    written(tmp_path / "survey.csv", PEOPLE)
    written(tmp_path / "copy.csv", PEOPLE)
    (tmp_path / "project.toml").write_text(PROJECT, encoding="utf-8")
    code, told = called(capsys, tmp_path)
    assert code == 2
    assert told == "unveil: The project has no finished run yet. Make one: unveil run.\n"
    assert not (tmp_path / "confidential").exists()


def test_a_page_that_cannot_be_drawn_leaves_nothing_behind(project, capsys, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret value")

    monkeypatch.setattr(write_report, "custodian_page", broken)
    before = sorted(one.name for one in (project / "confidential").iterdir())
    code, told = called(capsys, project)
    assert code == 1
    assert "secret value" not in told
    assert sorted(one.name for one in (project / "confidential").iterdir()) == before


def test_open_gives_the_browser_the_address_of_the_file(project, capsys, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    called(capsys, project, "--open")
    assert opened == [(project / "confidential" / "report_0001.html").resolve().as_uri()]


def test_no_record_of_a_person_stands_in_the_report(project, capsys):
    called(capsys, project, "--records")
    told = page_text(project / "confidential" / "report_0001.html")
    assert "Alone with these keys" not in told


def test_records_at_risk_are_listed_with_a_reason_each_the_most_exposed_first(project, capsys):
    code, told = called(capsys, project, "--records")
    place = project / "confidential" / "records_at_risk_0001.csv"
    assert code == 0
    assert f"CONFIDENTIAL: records at risk written to {place}." in told
    with place.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["row"], row["value"], row["copy_says"]) for row in rows] == [
        ("0", f"'{FORMULA}", f"'{FORMULA}"),
        ("1", MARKUP, MARKUP),
        ("4", "clerk", "clerk"),
        ("2", "nurse", "nurse"),
        ("3", "nurse", "nurse"),
    ]
    assert rows[0]["why"] == (
        "Unique on these keys in the original; the synthetic data have 1 with them, with the"
        " same value: right."
    )
    assert (rows[0]["scenario"], rows[0]["target"]) == ("neighbour", "job")
    assert (rows[0]["key sex"], rows[0]["key age"]) == ("f", "20")


def test_the_page_of_records_shows_the_same_people_and_no_markup_of_theirs(project, capsys):
    called(capsys, project, "--records")
    page = (project / "confidential" / "records_at_risk_0001.html").read_text(encoding="utf-8")
    assert page.count('<tr><th scope="row"') == 5
    assert "<b onclick" not in page
    assert "&lt;b onclick=x&gt;" in page
    assert "CONFIDENTIAL: " in page


def test_records_are_for_their_owner_alone_and_the_report_links_to_them(project, capsys):
    called(capsys, project, "--records")
    home = project / "confidential"
    report = (home / "report_0001.html").read_text(encoding="utf-8")
    for name in ("records_at_risk_0001.html", "records_at_risk_0001.csv"):
        assert f'href="./{name}"' in report
        if os.name == "posix":
            assert mode(home / name) == 0o600


def test_a_report_elsewhere_names_the_records_and_does_not_link_to_them(project, capsys):
    place = project / "elsewhere.html"
    called(capsys, project, "--records", "--out", place)
    assert 'href="./records' not in place.read_text(encoding="utf-8")
    assert "confidential/records_at_risk_0001.html" in page_text(place)


def test_records_of_files_that_changed_since_the_run_are_refused(project, capsys):
    written(project / "survey.csv", PEOPLE[:4])
    code, told = called(capsys, project, "--records")
    assert code == 2
    assert "The file 'survey.csv' was changed since the run. Measure again: unveil run." in told
    assert not (project / "confidential" / "records_at_risk_0001.csv").exists()
    assert not (project / "confidential" / "report_0001.html").exists()


def test_a_report_of_files_that_changed_since_the_run_says_so_on_top(project, capsys):
    written(project / "survey.csv", PEOPLE[:4])
    assert called(capsys, project)[0] == 0
    told = page_text(project / "confidential" / "report_0001.html")
    assert "The file 'survey.csv' was changed since the run." in told
