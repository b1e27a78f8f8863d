"""`unveil.Project`: the whole way from a file to a decision, from Python."""

import inspect
import json
import os
import re

import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.commands import Commands
from unveil.errors import (
    AboveLimitError,
    InputError,
    ReadError,
    RolesError,
    RulingNeededError,
    SettingsError,
)
from unveil.examples import survey
from unveil.project.project import Project
from unveil.project.run_result import RunResult

KEYS = ["sex", "age", "settlement"]
COLUMNS = [*KEYS, "marital", "condition", "income"]
ANALYST, REVIEWER = "A. Nalyst, survey team", "R. Viewer, disclosure control"
CONDITION = "condition=no condition"
FACTORS = (
    "release_context",
    "taken_for_real",
    "other_sources",
    "intruder_knowledge",
    "method_released",
)


def begun(folder, n: int = 800, **settings) -> Project:
    survey().head(n).select(COLUMNS).write_csv(folder / "survey.csv")
    return Project.create(folder / "survey.csv", folder=folder, keys=KEYS, by=ANALYST, **settings)


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> tuple[Project, RunResult]:
    """A project with one copy and one run; not to be changed."""
    project = begun(tmp_path_factory.mktemp("project"))
    project.synthesise(seed=1)
    return project, project.run(seed=7)


@pytest.mark.slow
def test_the_storyboard_runs_from_a_file_to_a_decision(tmp_path):
    p = begun(tmp_path)
    s = p.synthesise(method="cart", copies=1, seed=1)
    assert p.file.data.synthetic == ("copies/0001/FAKE_survey.csv",)
    assert s.record.n_copies == 1

    r = p.run(seed=7)
    assert (r.number, r.exit_code) == (1, 4)
    assert "no one has accepted limits" in repr(r)
    assert set(r.frame()["status"]) == {"no limit"}

    worst = r.frame().sort("DiSCO")["target"][-1]
    assert worst == "condition"
    assert r.explain(worst).target == worst
    tried = r.whatif(exclude=[CONDITION])
    assert not tried.kept
    assert p.file.excludes == ()
    found = r.frame().filter(pl.col("target") == worst)["DiSCO"][0]
    assert r.records_at_risk(worst).height == round(8 * found)

    p.accept_limits(by=REVIEWER, changes={"DiSCO": (20, 25), "repU": (10, 20)})
    for factor in FACTORS:
        p.answer(factor, "looked at", by=REVIEWER)
    assert p.judgement().exit_code == 3  # a limit is exceeded, whatever else is missing
    p.rule(f"neighbour/{CONDITION}", accept=True, reason="nine in ten have none", by=ANALYST)
    assert not p.judgement().is_current
    assert still_open(p) == []  # the pairs of that level are settled with it

    again = p.run()
    assert (again.number, p.runs()) == (2, (1, 2))
    assert again.exit_code == 3
    assert again.judgement.missing == ()
    with pytest.raises(AboveLimitError, match=r"DiSCO of marital"):
        p.decide(release=True, by=REVIEWER, note="fine")
    refused = p.decide(release=False, by=REVIEWER, note="larger leaves first")
    assert (refused.number, refused.run, refused.release) == (1, 2, False)

    p.synthesise(min_leaf=50, seed=2)
    third = p.run()
    assert third.number == 3
    p.accept_limits(by=REVIEWER, changes={"DiSCO": (20, 30), "S_pMSE": (10, 20)})
    for finding in still_open(p):
        p.rule(finding, accept=False, reason="not known to everybody", by=ANALYST)
    verdict = p.judgement()
    assert (verdict.exit_code, verdict.missing, verdict.run) == (0, (), 3)
    assert p.report().report == p.folder / "confidential" / "report_0003.html"
    released = p.decide(release=True, by=REVIEWER, note="for registered users")
    assert (released.number, released.run, released.release) == (2, 3, True)

    assert p.compare(1, 2, 3).runs == (1, 2, 3)
    assert p.compare() == p.compare(1, 2, 3)
    events = [line.event for line in p.log() if line.event not in ("context", "ruling", "limits")]
    made = [
        "init",
        "synthesise",
        "run",
        "run",
        "decision",
        "synthesise",
        "run",
        "report",
        "decision",
    ]
    assert events == made
    assert p.verify().faults == ()


def still_open(p: Project) -> list[str]:
    return [finding.id for finding in p.judgement().findings if finding.state == "open"]


def test_all_but_the_subject_is_said_by_name():
    for name, method in inspect.getmembers(Project, inspect.isfunction):
        if not name.startswith("_"):
            kinds = [one.kind for one in inspect.signature(method).parameters.values()]
            positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
            subject = {"answer": 3}.get(name, 2)  # a question and its answer
            assert positional <= subject, name
            assert method.__doc__, name


def test_what_an_editor_changes_is_seen_at_once(tmp_path):
    p = begun(tmp_path)
    text = p.path.read_text(encoding="utf-8")
    p.path.write_text(text.replace('title = "survey"', 'title = "another"'), encoding="utf-8")
    assert p.file.title == "another"


def test_another_working_folder_does_not_lose_the_project(tmp_path, monkeypatch):
    begun(tmp_path)
    monkeypatch.chdir(tmp_path)
    p = Project.open()
    monkeypatch.chdir(tmp_path.parent)
    assert p.file.title == "survey"
    assert p.folder == tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda p: p.result(), ReadError, "The project has no finished run yet."),
        (lambda p: p.explain("income"), ReadError, "The project has no finished run yet."),
        (lambda p: p.rule("x", accept=True, reason="r", by="Al"), ReadError, "no finished run yet"),
        (
            lambda p: p.answer("contxt", "a", by="Al"),
            SettingsError,
            "There is no question 'contxt'",
        ),
        (lambda p: p.answer("release_context", "a", by=""), SettingsError, "A name is required"),
        (lambda p: p.accept_limits(by=" "), SettingsError, "A name is required"),
        (lambda p: p.accept_limits(by="Ann", changes={"DiSCo": (1, 2)}), InputError, "DiSCO"),
        (lambda p: p.compare(1), SettingsError, "Give at least two run numbers"),
        (lambda p: p.protect(), SettingsError, "there is no [[protect.step]]"),
        (lambda p: p.decide(release=True, by="Ann", note="n"), ReadError, "no finished run yet"),
    ],
)
def test_refusals_are_those_of_the_command_line(tmp_path, call, kind, sentence):
    with pytest.raises(kind) as caught:
        call(begun(tmp_path, 60))
    assert sentence in str(caught.value)


def test_a_project_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ReadError, match=r"There is no project.toml in the folder"):
        Project.open(tmp_path)


@pytest.mark.slow
def test_nothing_is_released_without_what_people_have_to_say(done):
    p, _ = done
    with pytest.raises(RulingNeededError) as caught:
        p.decide(release=True, by=REVIEWER, note="fine")
    assert caught.value.exit_code == 4


@pytest.mark.slow
def test_the_frame_has_one_row_for_each_scenario_target_and_copy(done):
    _, r = done
    frame = r.frame()
    assert frame.select("scenario", "copy").unique().rows() == [("neighbour", "1")]
    assert sorted(frame["target"]) == ["condition", "income", "marital"]
    plain = r.parts["disclosure neighbour"]
    for row in plain.attribute:
        mine = frame.filter(pl.col("target") == row.target).to_dicts()[0]
        assert {name: mine[name] for name in ("DiSCO", "Dorig", "DCAP")} == {
            "DiSCO": row.DiSCO,
            "Dorig": row.Dorig,
            "DCAP": row.DCAP,
        }
        assert mine["repU"] == plain.identity[0].repU


@pytest.mark.slow
def test_the_mean_over_copies_has_figures_and_no_status(tmp_path):
    p = begun(tmp_path, 120)
    p.synthesise(copies=2, seed=1)
    p.accept_limits(by=REVIEWER, changes={"DiSCO": (0, 0), "GTCAP": None})
    frame = p.run(seed=7).frame()
    assert set(frame["copy"]) == {"1", "2", "mean", "pooled"}
    by_copy = dict(frame.filter(pl.col("target") == "condition").select("copy", "status").rows())
    assert by_copy["mean"] is None
    assert by_copy["pooled"] == "above"


def test_printing_a_run_shows_no_record(done):
    _, r = done
    people = survey().head(800).select(COLUMNS)
    shown = repr(r) + r._repr_html_()
    assert "Run 1 of survey" in repr(r)
    assert "<script" not in shown
    rows = {",".join(map(str, row)) for row in people.rows()}
    assert not any(row in shown for row in rows)
    assert not re.search(r"\brow \d+", shown)


def test_the_notebook_shows_status_by_shape_and_word(done):
    _, r = done
    assert "○ no limit set" in r._repr_html_()
    assert "unveil limits --accept" in r._repr_html_()


@pytest.mark.slow
def test_records_at_risk_of_other_files_are_refused(tmp_path):
    p = begun(tmp_path, 60)
    p.synthesise(seed=1)
    r = p.run(seed=7)
    survey().head(61).select(COLUMNS).write_csv(tmp_path / "survey.csv")
    with pytest.raises(ReadError) as caught:
        r.records_at_risk("condition")
    assert str(caught.value) == (
        "The files are not those that run 1 measured. Measure again: unveil run."
    )


def test_an_unknown_scenario_names_its_neighbour(done):
    _, r = done
    with pytest.raises(RolesError) as caught:
        r.disclosure("neighbor")
    assert str(caught.value) == (
        "There is no scenario 'neighbor'. Did you mean 'neighbour'? The scenarios are: neighbour."
    )


def test_the_disclosure_of_a_run_is_its_part(done):
    _, r = done
    assert r.disclosure().record == r.parts["disclosure neighbour"]


def test_the_command_line_prints_what_python_has(done, monkeypatch):
    p, r = done
    monkeypatch.chdir(p.folder)
    printed = CliRunner().invoke(Commands("unveil"), ["run", "--json"], catch_exceptions=False)
    assert json.loads(printed.stdout) == json.loads(r.to_json())
    assert printed.exit_code == r.exit_code


def test_a_run_of_unchanged_files_is_the_run_that_is_kept(done):
    p, r = done
    assert p.run().record == r.record
    assert p.runs() == (1,)
    assert p.result(1).record == r.record


def test_the_project_can_be_reached_by_its_public_name():
    assert unveil.Project is Project
    assert "Project" in unveil.__all__


def test_it_says_where_it_is(done):
    p, _ = done
    assert repr(p) == f"Project({os.fspath(p.path)!r})"
