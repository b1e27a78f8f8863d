"""Recognition as part of a project: measured once, kept, judged, reported, and never in public."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import msgspec
import pytest
from click.testing import CliRunner

import unveil
from project.run_projects import CUSTODIAN, HEAD, SCENARIO, people, project
from project.test_killed import RUN
from unveil.cli.commands import Commands
from unveil.measure.attacks.recognition_figures import self_test
from unveil.project.model import limits_mark
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.store import load_parts

pytestmark = pytest.mark.slow

WITH_CONTROL = HEAD + 'control = "control.csv"\n'
ASKED = "\n[recognition]\npeople = 10\nworlds = 60\n"
COPIES = [sys.executable, "-S", "-c", "import shutil, sys; shutil.copy(*sys.argv[1:])"]
LEAKS = f"{ASKED}command = {json.dumps([*COPIES, '{data}', '{out}'])}\n"
STEPS = """
[[protect.step]]
do = "top_code"
column = "age"
at = 35

[[protect.step]]
do = "synthesise"
"""
WORLDS = "confidential/recognition"
FIGURES = ("AUC", "recognised", "epsilon")


def limits(**values):
    """Limits on recognition that somebody accepted."""
    lines = "".join(f"{name} = [{low}, {high}]\n" for name, (low, high) in values.items())
    by = f'accepted_by = "{CUSTODIAN}"\non = 2026-11-16\n'
    return f'\n[limits]\n{lines}{by}accepted = "{limits_mark(values, CUSTODIAN)}"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("recognition")
    run_project(leaking(place), seed=8)
    return place


def leaking(folder):
    """The release is the original: everybody leaves a trace."""
    made = project(folder, LEAKS, SCENARIO, head=WITH_CONTROL)
    shutil.copy(folder / "people.csv", folder / "copy.csv")
    return made


def part_of(run):
    (found,) = (part for part in run.parts if part.kind == "recognition")
    return found


def figures_of(run):
    return {row.measure: row.value for row in run.figures if row.measure in FIGURES}


def worlds_of(folder):
    return {one.name: one.stat().st_mtime_ns for one in (folder / WORLDS).glob("world_*")}


def command(*words):
    return CliRunner().invoke(Commands(), [str(word) for word in words])


def test_a_run_records_the_figures_and_reuses_part_and_worlds(folder):
    made = read_project(folder)
    run = run_project(made, seed=8)
    record = load_parts(folder, run)[part_of(run).name]
    assert figures_of(run) == {
        "AUC": record.auc_mean,
        "recognised": record.percent_recognised,
        "epsilon": record.epsilon,
    }
    assert record.auc_mean > 0.9
    assert record.n_recognised > 5
    assert record.epsilon > 0.1
    assert (record.n_people, record.n_worlds, record.n_reference) == (10, 60, 60)
    before = worlds_of(folder)
    assert len(before) == 60
    made.path.write_text(made.path.read_text() + SCENARIO.replace("neighbour", "colleague"))
    more = run_project(read_project(folder), seed=8)
    assert part_of(more).state == "reused"
    again = run_project(read_project(folder), seed=8, again=True)
    assert part_of(again).state == "measured"
    assert figures_of(again) == figures_of(more) == figures_of(run)
    assert worlds_of(folder) == before


def test_only_where_the_project_does_not_ask_is_it_listed_as_not_tested(folder, tmp_path):
    other = run_project(project(tmp_path, SCENARIO, head=WITH_CONTROL), seed=8)
    assert "recognition" in {one.what for one in other.not_tested}
    assert figures_of(other) == {}
    asked = run_project(read_project(folder), seed=8)
    assert "recognition" not in {one.what for one in asked.not_tested}
    found = [one.sentence for one in asked.alerts if one.kind == "recognition"]
    assert len(found) == 1
    assert "a guess in 50 %" in found[0]


def judged(folder, name):
    """How a figure stands against its limit."""
    (found,) = (
        row for row in unveil.Project.open(folder).judgement().figures if row.measure == name
    )
    return found.status


@pytest.fixture
def own(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "own")
    return tmp_path / "own"


def set_limits(folder, **values):
    path = folder / "project.toml"
    path.write_text(path.read_text().partition("\n[limits]")[0] + limits(**values))


def test_figures_are_judged_by_their_limits_and_above_one_the_exit_code_is_3(own):
    values = figures_of(run_project(read_project(own), seed=8))
    set_limits(own, **{name: (value / 2, value / 2) for name, value in values.items()})
    assert [judged(own, name) for name in FIGURES] == ["above"] * 3
    set_limits(own, AUC=(1, 1), recognised=(100, 100), epsilon=(9, 9))
    assert [judged(own, name) for name in FIGURES] == ["within"] * 3
    people(2).write_csv(own / "copy.csv")  # no real record: nothing but recognition is against it
    assert command("run", own, "--seed", 8).exit_code != 3
    set_limits(own, AUC=(0.5, 0.6))
    assert command("run", own, "--seed", 8).exit_code == 3


def test_where_the_self_test_fails_a_limit_is_not_held(own, monkeypatch):
    def fails(scores, coins):
        return msgspec.structs.replace(self_test(scores, coins), passed=False, failed=("auc",))

    monkeypatch.setattr("unveil.measure.attacks.recognition_result.self_test", fails)
    set_limits(own, AUC=(1, 1))
    run = run_project(read_project(own), seed=8, again=True)
    assert {*figures_of(run).values()} == {None}
    assert judged(own, "AUC") == "not measured"
    assert unveil.Project.open(own).judgement().exit_code != 0


def test_the_report_has_the_section_and_nobody_in_it(folder):
    made = read_project(folder)
    run = run_project(made, seed=8)
    page = folder / "report.html"
    done = command("report", folder, "--out", page)
    assert done.exit_code in (0, 4), done.output
    text = page.read_text()
    assert "Membership of single people (recognition)" in text
    record = load_parts(folder, run)[part_of(run).name]
    assert f"{record.auc_mean:.2f}" in text
    for name in ("is_exposed", "triples_alone", "isolation", "has_double"):
        assert name not in text
        assert name not in unveil.view.render_documents.json_document(record)


def test_the_steps_of_protect_are_the_procedure(tmp_path):
    made = project(tmp_path, ASKED, STEPS, SCENARIO, head=WITH_CONTROL)
    run = run_project(made, seed=8)
    record = load_parts(tmp_path, run)[part_of(run).name]
    assert record.procedure == "unveil.protect"
    assert record.n_failed == 0
    assert record.self_test.n_people == 10


def test_explore_shows_it_beside_the_other_risks():
    found = unveil.explore(
        people(1), keys=("sex", "age"), targets=("work",), copies=1, control=0.4, seed=4,
        recognition={"people": 10, "worlds": 60, "workers": 1},
        settings=[{"method": "sample"}, {"method": "sample", "rows": 30, "files": 2}],
    )  # fmt: skip
    for row in found.rows[:2]:
        assert 0 < row.AUC < 1
        assert 0 <= row.recognised <= 100
        assert row.epsilon >= 0
    assert found.rows[0].AUC != found.rows[1].AUC


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_a_run_killed_while_worlds_are_made_goes_on_to_the_same_figures(folder, tmp_path):
    made = leaking(tmp_path)
    words = [sys.executable, "-c", RUN, "run", str(tmp_path), "--seed", "8"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(worlds_of(tmp_path)) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = dict(sorted(worlds_of(tmp_path).items())[:4])
    run = run_project(made, seed=8)
    after = worlds_of(tmp_path)
    assert len(after) == 60
    assert {name: after[name] for name in kept} == kept
    assert figures_of(run) == figures_of(run_project(read_project(folder), seed=8))
