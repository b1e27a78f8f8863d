"""Several copies on the screens of a run: which copy a figure and a status are of."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from project.run_projects import HEAD, SCENARIO, project
from unveil.assessment.assess_run import headline_of
from unveil.cli import wrap_sentences
from unveil.project.assess_stored_run import assess_stored_run, summarise
from unveil.project.history import compare_runs
from unveil.project.model import ProjectFile
from unveil.project.run import run_project
from unveil.project.store import load_parts
from unveil.project.verify import decision_lines
from unveil.records.judgement import LimitCheck
from unveil.records.run import FigureChange, RunComparison
from unveil.view.render_rich import render_rich
from unveil.view.run import RunScreen, run_screen
from unveil.view.show import as_blocks

COPIES = HEAD.replace('["copy.csv"]', '["copy.csv", "copy_2.csv", "copy_3.csv"]')


VALUES = ("13.8", "%", "■", "10.5", "%", "■", "-3.3")


def drawn(what: object, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(what)
    return console.export_text()


@pytest.fixture(scope="module")
def of_three(tmp_path_factory: pytest.TempPathFactory) -> ProjectFile:
    made = project(tmp_path_factory.mktemp("three"), SCENARIO, head=COPIES, copies=3)
    run_project(made)
    run_project(made, seed=5)
    return made


def a_change(copy: object, values: tuple[float | None, ...], statuses: tuple[str, ...]):
    known = [value for value in values if value is not None]
    return FigureChange(
        measure="DiSCO",
        scenario="neighbour",
        target="ls",
        subject=None,
        copy=copy,
        values=values,
        change=known[-1] - known[0] if len(known) > 1 else None,
        statuses=statuses,
    )


def test_compare_shows_the_worst_copy_of_each_run():
    rows = (
        a_change("pooled", (6.3, 6.0), ("review", "review")),
        a_change(1, (13.8, 4.0), ("above", "within")),
        a_change(2, (11.9, 10.5), ("above", "above")),
    )
    both = RunComparison(runs=(1, 2), started=("", ""), settings=(), risk=rows, utility=())
    (line,) = [
        one for one in drawn(render_rich(as_blocks(both), width=120)).splitlines() if "DiSCO" in one
    ]
    assert line.split() == ["DiSCO", "ls,", "worst", "copy", *VALUES]


def test_compare_of_one_copy_names_no_copy():
    rows = (a_change(1, (1.0, None), ("within", "not measured")),)
    both = RunComparison(runs=(1, 2), started=("", ""), settings=(), risk=rows, utility=())
    text = drawn(render_rich(as_blocks(both), width=120))
    assert "worst copy" not in text
    assert "- not measured" in text.splitlines()[-1]


@pytest.mark.slow
def test_compare_of_real_runs_has_no_row_below_the_worst_copy(of_three: ProjectFile):
    found = compare_runs(of_three, [1, 2])
    highest = max(row.values[0] or 0 for row in found.risk if row.measure == "DiSCO")
    text = drawn(render_rich(as_blocks(found), width=120))
    assert f"{highest:.1f} %" in text


@pytest.mark.slow
def test_a_table_of_several_copies_says_whose_figure_and_whose_status(of_three: ProjectFile):
    run = run_project(of_three)
    parts = load_parts(of_three.folder, run)
    judgement = assess_stored_run(of_three, run, parts)
    judged = tuple(
        replace(row, limit=1.0, review=0.5, status="above" if row.copy == 2 else "within")
        if row.measure == "DiSCO"
        else row
        for row in judgement.figures
    )
    judgement = replace(judgement, figures=judged)
    summary = summarise(of_three, run, parts, judgement)
    shown = RunScreen(run, parts, judgement, summary, is_new=False)
    text = drawn(render_rich(run_screen(shown, details=True, width=140), width=140), 140)
    assert "Figures are means over the 3 copies" in text
    assert "■ above limit, copy 2" in text


def a_figure(copy: object, value: float) -> LimitCheck:
    return LimitCheck(
        measure="DiSCO",
        part="disclosure neighbour",
        scenario="neighbour",
        target="income",
        subject=None,
        copy=copy,
        value=value,
        companion=None,
        review=5,
        limit=10,
        status="above",
    )


@pytest.mark.parametrize(
    ("copies", "words"),
    [((1,), "59.5 % (limit"), ((2, 1), "59.5 % in copy 2 (limit")],
)
def test_a_headline_says_which_copy_it_is_about(
    copies: tuple[int, ...], words: str, of_three: ProjectFile
):
    figures = [a_figure(copy, 59.5 - place) for place, copy in enumerate(copies)]
    assert words in headline_of(run_project(of_three), figures, (), accepted_by="C. Ustodian")


def test_a_headline_about_all_copies_pooled_says_so(of_three: ProjectFile):
    figures = [a_figure(1, 51.8), a_figure("pooled", 59.5)]
    told = headline_of(run_project(of_three), figures, (), accepted_by="C. Ustodian")
    assert "59.5 % in all copies pooled (limit 10)" in told


def test_a_column_called_like_an_option_can_be_explained_as_told(of_three: ProjectFile):
    run = run_project(of_three)
    parts = load_parts(of_three.folder, run)
    judgement = assess_stored_run(of_three, run, parts)
    above = replace(a_figure(1, 50.0), target="--by")
    judgement = replace(judgement, figures=(above,))
    summary = summarise(of_three, run, parts, judgement)
    shown = RunScreen(run, parts, judgement, summary, is_new=False)
    assert "Next: unveil explain -- --by" in drawn(
        render_rich(run_screen(shown, width=120), width=120)
    )


def test_a_run_without_a_decision_says_nothing_of_one(of_three: ProjectFile):
    assert list(decision_lines(of_three.folder, run_project(of_three), ())) == []


def test_a_refusal_fits_a_terminal_and_its_points_stand_below_each_other():
    text = wrap_sentences("unveil: Not released. First:\n- " + "word " * 60 + "end", 60)
    assert max(map(len, text.splitlines())) <= 60
    assert text.splitlines()[0] == "unveil: Not released. First:"
    assert all(line.startswith("  ") for line in text.splitlines()[2:])
