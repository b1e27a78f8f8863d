"""A project from its file to the decision: faults, runs, statements, the log."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import filelock
import polars as pl
import pytest

import unveil
from project.desk import ANN, CARL, change, make_project, people, release, settle
from unveil import BlockedError, DecisionNeededError, InputError, Project
from unveil.project.settings import QUESTIONS
from unveil.project.statements import Need
from unveil.project.view import view_of

# The file


def test_every_fault_of_the_file_has_its_line_and_the_nearest_name(project):
    change(project, 'region = {role = "key"}', 'region = {role = "kye"}')
    change(project, "title =", "titel =")
    change(project, "four_eyes = false", "four_eyes = 5")
    text = project.file.read_text() + '\n[[statement]]\nabout = "limits"\nby = 3\n'
    project.file.write_text(text)
    lines = {part: text[: text.index(part)].count("\n") + 1 for part in
             ("region", "four_eyes = 5", "[[statement]]", "by = 3")}  # fmt: skip
    with pytest.raises(InputError) as fault:
        project.run()
    assert str(fault.value).splitlines() == [
        "project.toml, line 2: There is no section 'titel'. Did you mean 'title'?",
        f"project.toml, line {lines['region']}: columns.region.role cannot be 'kye'."
        " Did you mean 'key'?",
        f"project.toml, line {lines['four_eyes = 5']}: 'context.four_eyes' takes True or False,"
        " not 5.",
        f"project.toml, line {lines['[[statement]]']}: statement.0.answer is missing.",
        f"project.toml, line {lines['[[statement]]']}: statement.0.on is missing.",
        f"project.toml, line {lines['by = 3']}: 'statement.0.by' takes a text, not 3.",
    ]


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (
            '[scenario.press]\nkeys = ["sex", "agee"]',
            "[columns] has no 'agee'. Did you mean 'age'?",
        ),
        ('[scenario.press]\nmeasures = ["cup"]', "There is no measure 'cup'. Did you mean 'cap'?"),
        (
            '[scenario."a/b"]\nkeys = ["sex"]',
            "A scenario cannot be called 'a/b'. Rename it.",
        ),
        ('[scenario.sensitive]\nkeys = ["sex"]', "A scenario cannot be called 'sensitive'."),
        ("[synthesis]\nleaf = [1", "project.toml is no TOML"),
    ],
)
def test_a_name_that_is_nowhere_is_refused_with_its_line(project, section, sentence):
    project.file.write_text(f"{project.file.read_text()}\n{section}\n")
    with pytest.raises(InputError, match=re.escape(sentence)):
        project.settings  # noqa: B018


def test_a_limit_is_on_a_figure_that_is_measured(project):
    change(project, "real_records", "DiSCOO")
    with pytest.raises(InputError, match=r"line \d+: No limit can be set on 'DiSCOO'. .*'DiSCO'"):
        project.run()


def test_a_new_project_names_every_column_and_proposes_recodings(tmp_path):
    ages = people(1, 400).with_columns(age=pl.int_range(pl.len()) % 77 + 16)
    ages.write_csv(tmp_path / "people.csv")
    project = Project.create(str(tmp_path / "people.csv"), folder=str(tmp_path), by=ANN,
                             keys=["age", "region"], audience="registered")  # fmt: skip
    columns = ages.columns
    assert {*project.settings.columns} == {*columns}
    text = project.file.read_text()
    assert project.settings.limits == {"beyond": 2, "real_records": 0.1}
    step = text[text.index("# [[protect]]") :]
    project.file.write_text(text.replace(step, step.replace("\n# ", "\n").removeprefix("# ")))
    assert project.settings.protect[0]["column"] in columns


def test_no_project_is_made_over_another(project):
    with pytest.raises(InputError, match=r"There is a project in .* already"):
        make_project(project.folder)


def test_an_edit_keeps_comments(project):
    comments = re.findall("#.*", project.file.read_text())
    project.sign({"limits": "accepted"}, by=ANN)
    assert re.findall("#.*", project.file.read_text()) == comments
    assert project.settings.statement[0].about == "limits"


# Runs


def test_figures_are_those_of_plain_calls(project):
    study = unveil.Study(
        project.folder / "secret_people.csv", project.folder / "made.csv",
        keys=project.settings.with_role("key"), targets=project.settings.with_role("target"),
    )  # fmt: skip
    run = project.run()
    plain = unveil.assess(study, limits={"beyond": 2, "real_records": 0.1})
    rows = {(row.kind, row.what, row.symbol): row for row in run.figures}
    for row in plain.figures:
        of_run = rows.pop((row.kind, row.what, row.symbol))
        assert {name: of_run[name] for name in row.units()} == {n: row[n] for n in row.units()}
    assert not rows
    of_files = unveil.Study(project.folder / "secret_people.csv", project.folder / "made.csv")
    stored = {part.measure: result for part, result in project.standing().parts}
    for call in (unveil.disclosure, unveil.suda, unveil.utility, unveil.compare):
        whole = call in (unveil.utility, unveil.compare)
        of_call, of_part = call(of_files if whole else study), stored[call.__name__]
        for table in of_call.tables:
            assert of_part.frame(table).equals(of_call.frame(table)), (call.__name__, table)


def states(run):
    return {(part.measure, part.scenario): part.state for part in run.parts}


def test_a_run_measures_what_a_change_touches(project):
    assert {*states(project.run()).values()} == {"reused"}
    assert len(project.runs()) == 1
    change(project, "beyond = 2", "beyond = 3")
    assert {*states(project.run()).values()} == {"reused"}
    change(project, 'sex = {role = "key"}', 'sex = {role = "target"}')
    changed = states(project.run())
    of_files = {("utility", ""), ("compare", "")}
    assert {part for part, state in changed.items() if state == "reused"} == of_files
    change(project, 'sex = {role = "target"}', 'sex = {role = "key"}')
    assert {*states(project.run()).values()} == {"reused"}
    assert [row.changed for row in project.log().runs] == [
        "first run", "limits", "settings", "settings"]  # fmt: skip


def test_a_part_that_is_asked_for_alone_leaves_the_others(project):
    change(project, 'sex = {role = "key"}', 'sex = {role = "target"}')
    run = project.run(only="suda")
    assert states(run)["suda", "everything"] == "measured"
    assert states(run)["assess", "everything"] == "left out"
    assert run.exit_code == 4  # without figures it is never within
    settle(project)
    assert Need is not None
    assert "not measured" in {row.status for row in run.figures}


def test_what_cannot_be_measured_is_said_and_never_within(project):
    change(project, "beyond = 2", "beyond = 2\nGTCAP = 0.3")
    run = project.run()
    part = next(part for part in run.parts if part.measure == "gtcap")
    assert (part.state, bool(part.reason)) == ("not measured", True)
    check = next(check for check in run.checks if check.figure == "GTCAP")
    assert (check.status, run.exit_code) == ("not measured", 4)  # limits are only proposed
    project.sign({"limits": "accepted"}, by=ANN)
    assert project.run().exit_code == 3


def test_a_limit_on_a_figure_of_the_papers_holds_whatever_is_expected(project):
    DiSCO = max(row.DiSCO for row in project.run().attribute)
    change(project, "beyond = 2", f"beyond = 2\nDiSCO = {DiSCO - 0.5}")
    run = project.run()
    check = next(check for check in run.checks if check.status == "above limit")
    assert check.value == DiSCO
    abouts = [row.about for row in run.outstanding]
    assert f"everything/DiSCO@{check.subject}" in abouts


def test_a_second_run_at_the_same_time_is_refused(project):
    with (
        filelock.FileLock(project.folder / ".run.lock"),
        pytest.raises(InputError, match="Another run is under way in this project"),
    ):
        project.run()


KILLS = int(os.environ.get("UNVEIL_KILLS", "3"))


def test_a_run_that_is_killed_at_any_moment_loses_nothing(project, measured):
    """Kills at random moments; then the figures are those of a run that was left alone."""
    for name in ("parts", "runs", "log.jsonl"):
        path = project.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    chance, finished, ended = Random(KILLS), 0, False
    words = [sys.executable, "-m", "unveil", "run", "-p", str(project.folder)]
    for _ in range(KILLS):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.5, 12))
        ended |= process.poll() is not None
        process.kill()
        process.wait()
        now = len(list((project.folder / "parts").rglob("[!.]*.json")))
        assert now >= finished
        finished = now
        for path in (project.folder / "parts").rglob("[!.]*.json"):
            unveil.Result.load(path)  # none is broken
    run = project.run()
    whole = measured.run()
    assert (run.figures, run.alerts, run.attribute) == (
        whole.figures,
        whole.alerts,
        whole.attribute,
    )
    assert not project.log().fault
    assert finished == 0 or "reused" in {part.state for part in run.parts}


@pytest.mark.parametrize("moment", ["before the line", "half a line", "after the line"])
def test_a_log_survives_a_kill_while_it_is_written(project, moment):
    log = project.folder / "log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    run = project.folder / "runs" / "0001.json"
    run.rename(run.with_name(".0001.json.new"))
    ends = {"before the line": lines[:-1], "half a line": [*lines[:-1], lines[-1][:40]]}
    log.write_bytes(b"".join(ends.get(moment, lines)))
    assert project.run(by=ANN).exit_code == 4
    assert len(project.runs()) == 1
    assert not project.log().fault


# Statements


def test_a_refused_release_names_all_that_is_missing_and_each_command_is_typed(
    project, monkeypatch
):
    with pytest.raises(DecisionNeededError) as fault:
        project.decide("release", by=CARL)
    abouts = [need.about for need in project.standing().missing]
    assert {"limits", *QUESTIONS} <= {*abouts}
    commands = re.findall(r"^    (unveil sign .*)$", str(fault.value), re.MULTILINE)
    assert len(commands) == len(abouts)
    for about, command in zip(abouts, commands, strict=True):
        assert about in command
    settle(project)
    assert project.standing().missing == ()
    assert project.decide("release", by=CARL).settings["answer"] == "release"


@pytest.mark.parametrize(
    ("answers", "reason", "by", "sentence"),
    [
        ({"limits": "accepted"}, "", " ", "Who says so"),
        ({"limit": "accepted"}, "", ANN, "There is nothing to state about 'limit'.*'limits'"),
        ({"limits": "yes"}, "", ANN, "'limits' takes accepted, not 'yes'"),
        ({"release_context": "..."}, "", ANN, "An answer is missing for release_context"),
        ({"release_context": " "}, "", ANN, "An answer is missing for release_context"),
        ({}, "", ANN, "Nothing is stated. Name one of limits"),
    ],
)
def test_a_statement_that_says_nothing_is_refused(project, answers, reason, by, sentence):
    before = project.file.read_text()
    with pytest.raises(InputError, match=sentence):
        project.sign(answers, reason=reason, by=by)
    assert project.file.read_text() == before


def above(project):
    """A project in which a figure is above its limit, and the name of that figure."""
    shutil.copy(project.folder / "secret_people.csv", project.folder / "made.csv")
    run = project.run()
    return next(row.about for row in run.outstanding if row.choices == ("accepted",)
                and row.about != "limits")  # fmt: skip


def test_a_figure_above_its_limit_blocks_until_it_is_accepted_with_a_reason(project):
    about = above(project)
    assert project.run().exit_code == 3
    with pytest.raises(InputError, match="A reason is missing"):
        project.sign({about: "accepted"}, by=ANN)
    settle(project)
    standing = project.standing()
    assert (standing.exit_code, standing.accepted > 0) == (0, True)
    assert "accepted, with reasons" in standing.headline
    project.decide("release", by=CARL)
    assert re.search(r"; \d+ figures? accepted, with reasons$", project.standing().headline)


@pytest.mark.parametrize(
    ("before", "now", "holds"),
    [
        ("above limit 40", "above limit 40", True),
        ("above limit 40", "above limit 39.5", True),
        ("above limit 40", "to be decided 30", True),
        ("above limit 40", "above limit 40.5", False),
        ("to be decided 40", "above limit 20", False),
        ("not measured 0", "above limit 20", False),
        ("above limit 20", "not measured 0", True),
        ("decide 3", "block 2", False),
    ],
)
def test_an_acceptance_holds_while_the_figure_is_not_worse(before, now, holds):
    from datetime import date

    from unveil.project.settings import Signed

    said = Signed(about="x", answer="accepted", by=ANN, on=date(2026, 1, 2), holds_for=before)
    assert Need("x", "", ("accepted",), now, True).is_met_by(said) is holds


VOID = {
    "limits": ("beyond = 2", "beyond = 3"),
    "release_context": ('audience = "registered"', 'audience = "open"'),
    "intruder_knowledge": ("[context]", '[scenario.boss]\nkeys = ["sex"]\n\n[context]'),
    "method_released": ("[context]", "[synthesis]\nleaf = 5\n\n[context]"),
}


@pytest.mark.parametrize("about", VOID)
def test_a_statement_is_void_when_what_it_is_about_changes(project, about):
    settle(project)
    change(project, *VOID[about])
    if about == "intruder_knowledge":
        project.run()
    assert about in [need.about for need in project.standing().missing]


@pytest.mark.parametrize("harm", ["written by hand", "changed by hand"])
def test_a_statement_that_was_not_signed_does_not_hold(project, harm):
    settle(project)
    if harm == "changed by hand":
        change(project, "None is known.", "Some are known.")
        assert [need.about for need in project.standing().missing] == ["other_sources"]
        return
    text = project.file.read_text()
    log = project.folder / "log.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    project.file.write_text(text)
    assert {"limits", *QUESTIONS} <= {need.about for need in project.standing().missing}


def test_common_knowledge_is_left_out_of_the_next_run(tmp_path):
    folder = tmp_path
    files = {"people": people(1, 400), "made": people(2, 400)}
    for name, frame in files.items():
        common = frame.with_columns(pl.lit("no").alias("income"))
        common.write_csv(folder / f"{name}.csv")
    project = Project.create(
        str(folder / "people.csv"), str(folder / "made.csv"), folder=str(folder),
        keys=["sex", "age"], targets=["health", "income"], by=ANN, columns={"income": "target"},
    )  # fmt: skip
    before = project.run()
    shown = next(row.people for row in before.figures if (row.kind, row.what) == ("keys", "income"))
    explained = project.explain("income", exclude="income=no")
    effect = next(row for row in explained.effect if row.figure == "DiSCO")
    assert (effect.before > 90, effect.after) == (True, 0)
    signed = project.sign({"everything/income": "common knowledge"}, reason="Everyone.", by=ANN)
    assert [said.about for said in signed] == ["everything/income=no"]
    assert project.standing().state == "out of date"
    after = project.run()
    left = next(row.people for row in after.figures if (row.kind, row.what) == ("keys", "income"))
    assert (shown > 100, left) == (True, 0)


# The decision


def test_a_decision_stands_first_everywhere_until_what_it_is_on_changes(project):
    release(project)
    run, view = project.run(), view_of(project)
    assert run.headline.startswith(f"Released by {CARL}")
    assert (run.exit_code, run.status) == (0, "within")
    assert (view.head.is_decided, view.head.sentence) == (True, f"{run.headline}.")
    assert view.head.command == "unveil pack release.zip"
    change(project, "beyond = 2", "beyond = 3")
    assert project.run().exit_code == 4
    change(project, "beyond = 3", "beyond = 2")
    assert project.run().headline.startswith("Released by")


def test_a_refusal_stands_first_too(project):
    with pytest.raises(InputError, match="A reason is missing"):
        project.decide("refuse", by=CARL)
    project.decide("refuse", reason="Too many real records.", by=CARL)
    run, view = project.run(), view_of(project)
    assert run.exit_code == 3
    assert run.headline.startswith(f"Not to be released, decided by {CARL}")
    assert (view.head.words, view.head.mark) == ("Not to be released", "■")
    with pytest.raises(BlockedError, match="Only what is released can be packed"):
        project.pack(project.folder / "release.zip")


@pytest.mark.parametrize("name", ["made.csv", "secret_people.csv"])
def test_a_file_that_changed_since_the_run_is_not_decided_on(project, name):
    settle(project)
    path = project.folder / name
    pl.read_csv(path).head(100).write_csv(path)
    for call in (lambda: project.decide("release", by=CARL), lambda: project.sign({}, by=ANN)):
        with pytest.raises(BlockedError, match=f"Out of date: {name} changed since run 1"):
            call()
    assert project.standing().exit_code == 3


@pytest.mark.parametrize("by", [ANN, "ann  BELL, head of data"])
def test_four_eyes(project, by):
    change(project, "four_eyes = false", "four_eyes = true")
    settle(project)
    with pytest.raises(InputError, match=r"Four eyes: .* signed statements"):
        project.decide("release", by=by)
    assert project.decide("release", by=CARL).sentences[0].startswith("Released by Carl Dee")


# The log


@pytest.mark.parametrize("harm", ["change", "remove", "swap", "cut"])
def test_the_log_says_what_does_not_fit(project, harm):
    release(project)
    path = project.folder / "log.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    assert project.log().fault == ""
    if harm == "change":
        lines[2] = lines[2].replace("Ann", "Eve")
    elif harm == "remove":
        del lines[3]
    elif harm == "swap":
        lines[3], lines[4] = lines[4], lines[3]
    else:
        del lines[-1]
    path.write_text("".join(lines))
    says = "0001.json in decisions is not in the log." if harm == "cut" else "Line 4 of log.jsonl"
    assert project.log().fault.startswith(says)
    assert project.log().exit_code == 3
    with pytest.raises(BlockedError, match="Changed by hand"):
        project.pack(project.folder / "release.zip")


@pytest.mark.parametrize("what", ["runs/0001.json", "decisions/0001.json", "parts"])
def test_a_stored_file_that_was_changed_is_found(project, what):
    release(project)
    path = project.folder / what
    if what == "parts":
        path = next(path for path in path.rglob("*.json") if '"assessment"' in path.read_text())
    text = path.read_text()
    path.write_text(text.replace("0", "1", 1))
    with pytest.raises(BlockedError, match=r"not as it was|Changed by hand|not as the log says"):
        project.pack(project.folder / "release.zip")


def test_records_of_people_are_given_on_request_and_logged(project):
    records = project.explain("health").records()
    assert {"row", "target", "level", "shown"} <= {*records.columns}
    assert [act.act for act in project.log().acts][-1] == "records"


def test_a_project_moves_with_its_files(project, tmp_path):
    shutil.move(project.folder, tmp_path / "elsewhere")
    moved = Project(tmp_path / "elsewhere")
    assert {*states(moved.run()).values()} == {"reused"}


def test_scenarios_have_figures_of_their_own_and_files_have_them_once(project):
    change(
        project,
        "[context]",
        '[scenario.boss]\nkeys = ["sex", "age"]\n[scenario.press]\nkeys = ["region"]\n[context]',
    )
    run = project.run()
    of_files = [row for row in run.figures if row.kind == "records"]
    assert {row.scenario for row in of_files} == {""}
    assert len(of_files) == len({row.what for row in of_files})
    of_keys = {(row.scenario, row.by) for row in run.figures if row.kind == "keys"}
    assert {scenario for scenario, _ in of_keys} == {"boss", "press"}
    json.dumps(run.document())
    assert Path(project.report()).is_file()


@pytest.mark.parametrize("harm", ['sex = {role = "key"}', 'income = {role = "target"}'])
def test_a_column_in_no_role_is_not_tested_and_said_so(project, harm):
    name = harm.partition(" ")[0]
    change(project, harm, f"{name} = {{}}" if name == "sex" else f"# {harm}")
    run = project.run()
    assert run.not_tested[0].sentence == f"In no role: {name}."
    assert view_of(project).not_tested[0] == f"In no role: {name}."


HOSTILE = {"sex": 'q"uo', "age": "a.b=c/d", "region": "] [x", "health": "<b>#", "income": "=1+1"}


def test_hostile_names_of_columns_stay_names(tmp_path):
    for name, frame in ("people", people(1, 300)), ("made", people(2, 300)):
        frame.rename(HOSTILE).write_csv(tmp_path / f"{name}.csv")
    columns = dict.fromkeys([HOSTILE[n] for n in ("sex", "age", "region")], "key")
    project = Project.create(
        str(tmp_path / "people.csv"), str(tmp_path / "made.csv"), folder=str(tmp_path),
        columns=columns | {HOSTILE["health"]: "target"}, by=ANN,
    )  # fmt: skip
    assert {*project.settings.columns} == {*HOSTILE.values()}
    run = project.run(only=["disclosure", "suda"])
    assert states(run)["disclosure", "everything"] == "measured"
    settle(project)
    assert project.standing().missing == ()
    page = project.report().read_text()
    assert "<b>#" not in page


@pytest.mark.parametrize("method", ["run", "explain", "decide", "log"])
def test_results_of_a_project_are_what_they_were_after_json(project, tmp_path, method):
    settle(project)
    made = {
        "run": project.run,
        "explain": lambda: project.explain("health"),
        "decide": lambda: project.decide("release", by=CARL),
        "log": project.log,
    }[method]()
    loaded = unveil.Result.load(made.save(tmp_path / "result.json"))
    assert loaded == made
    assert type(loaded) is type(made)
    assert made.save(tmp_path / "result.html").read_text().startswith("<!")
    assert made._repr_html_()
