"""Every example in the docs is run, and what it prints is what the page says."""

import doctest
import inspect
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

import every_call
import unveil
from unveil.cli.main import main
from unveil.examples import survey, survey_synthetic

PROJECT = Path(__file__).parents[1]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SCREENS = re.compile(r"```sh\n(?:[^\n]*/)?(unveil .*?)```\n.*?```text\n(.*?)```", re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the files are that the pages name."""
    survey().write_csv(tmp_path / "survey.csv")
    survey_synthetic().write_csv(tmp_path / "synthetic.csv")
    survey_synthetic().sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "copy_2.csv")
    survey().sample(1_000, seed=1).write_csv(tmp_path / "control.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_the_page_says(page):
    text = page.read_text()
    fenced = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(fenced, {}, page.name, str(page), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=report.append)
    assert not report, "".join(report)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page, monkeypatch, capsys):
    for typed, expected in SCREENS.findall(page.read_text()):
        monkeypatch.setattr(sys, "argv", shlex.split(typed.replace("\\\n", "")))
        with pytest.raises(SystemExit):
            main()
        printed = capsys.readouterr().out
        assert doctest.OutputChecker().check_output(expected, printed, OPTIONS), printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not broken


COLUMNS = re.compile(r"(<!-- columns of ([\w.]+) -->\n).*?(<!-- end -->)", re.DOTALL)
TABLES = {
    f"{name}.{table}": row_type
    for name, call in every_call.CALLS.items()
    for kind in [inspect.signature(call).return_annotation]
    for table, (_, row_type) in kind.headings().items()
}


METHODS = ("run", "explain", "decide", "log", "pack")
TABLES |= {
    f"{name}.{table}": row_type
    for name in METHODS
    for kind in [inspect.signature(getattr(unveil.Project, name)).return_annotation]
    for table, (_, row_type) in kind.headings().items()
    if not any(issubclass(row_type, known) for known in TABLES.values())
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_of_columns_are_those_of_the_results(page):
    """With UNVEIL_DOCS=write they are written."""
    text = page.read_text()
    derived = COLUMNS.sub(lambda mark: mark[1] + columns_of(TABLES[mark[2]]) + mark[3], text)
    if os.environ.get("UNVEIL_DOCS") == "write":
        page.write_text(derived)
    assert page.read_text() == derived


def columns_of(row_type):
    """What each column means, as a table."""
    if not any(unit.meaning for unit in row_type.units().values()):
        return f"Columns: {', '.join(f'`{name}`' for name in row_type.units())}.\n"
    lines = [
        f"| `{name}` | {unit.meaning} | {type(unit).__name__.lower()} | {unit.source} |\n"
        for name, unit in row_type.units().items()
        if unit.meaning
    ]
    return "| column | people or records | unit | source |\n|---|---|---|---|\n" + "".join(lines)


def test_every_table_stands_on_a_page():
    """What several calls return stands once."""
    stands = {mark[1] for page in PAGES for mark in COLUMNS.findall(page.read_text())}
    assert {TABLES[mark] for mark in stands} == set(TABLES.values())
