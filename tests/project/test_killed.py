"""A run that is killed at any moment goes on where it was, and ends as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project.run_projects import HEAD, SCENARIO, project, tree
from unveil.project.measure_parts import Measuring
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.store import list_runs, load_parts, load_run
from unveil.project.verify import verify_project
from unveil.records.run import Run

RUN = "from unveil.cli import main; main()"
KILLS = 50 if os.environ.get("UNVEIL_HEAVY") == "1" else 5
MORE = '\n[[scenario]]\nname = "colleague"\nkeys = ["sex", "town"]\ntargets = "all"\n'
SETTINGS = (SCENARIO, MORE)
WITH_CONTROL = HEAD + 'control = "control.csv"\n'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")


def started(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, "run", str(folder), "--seed", "7"]
    out = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=out, stderr=out)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, float]:
    """A run that nobody kills; when it first wrote and when it was done, in seconds."""
    folder = tmp_path_factory.mktemp("undisturbed")
    project(folder, *SETTINGS, head=WITH_CONTROL)
    clock = time.perf_counter()
    process = started(folder)
    while not (folder / "runs").exists() and process.poll() is None:
        time.sleep(0.005)
    first = time.perf_counter() - clock
    assert process.wait() == 4  # nobody has accepted limits
    return folder, first, time.perf_counter() - clock


def measured(folder: Path) -> int:
    done = folder / "runs/.unfinished/done"
    return len(list(done.glob("*.json"))) if done.is_dir() else 0


def same_records(run: Run, other: Run) -> None:
    assert [(p.name, p.fingerprint, p.sha256, p.reason) for p in run.parts] == [
        (p.name, p.fingerprint, p.sha256, p.reason) for p in other.parts
    ]
    assert run.figures == other.figures


@pytest.mark.slow
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_killed_run_is_resumed_to_the_same_bytes(
    kill: int, undisturbed: tuple[Path, float, float], tmp_path: Path
) -> None:
    whole, first, last = undisturbed
    folder = tmp_path / "project"
    made = project(folder, *SETTINGS, head=WITH_CONTROL)
    process = started(folder)
    time.sleep(random.Random(kill).uniform(first, last))
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept, was_done = measured(folder), list_runs(folder)
    run = run_project(read_project(folder), seed=7)
    assert run.number == 1
    if not was_done:
        assert run.n_resumed == kept
    same_records(run, load_run(whole))
    load_parts(folder, run)
    left = [name for name in tree(folder) if name.endswith((".tmp", ".lock")) or "unfini" in name]
    assert left == []
    assert set(tree(folder / "runs")) == set(tree(whole / "runs"))
    assert verify_project(folder).faults == ()
    assert run_project(made, seed=7) == run


@pytest.mark.slow
def test_a_run_killed_between_its_results_and_its_number_is_taken_up(
    undisturbed: tuple[Path, float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project(tmp_path, *SETTINGS, head=WITH_CONTROL)

    def killed(*paths: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unveil.project.store.os.rename", killed)
    with pytest.raises(KeyboardInterrupt):
        run_project(made, seed=7)
    monkeypatch.undo()
    assert list_runs(tmp_path) == ()
    assert (tmp_path / "runs/.unfinished/results.json").exists()
    run = run_project(made, seed=7)
    assert run.n_resumed == sum(part.file is not None for part in run.parts)
    same_records(run, load_run(undisturbed[0]))


@pytest.mark.slow
@pytest.mark.parametrize("at", ["suda neighbour", "its number"])
def test_a_run_again_that_was_killed_goes_on_though_again_is_not_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    made = project(tmp_path)
    first = run_project(made, seed=7)
    whole = Measuring.outcome

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    def stopped(self, part, seed):  # type: ignore[no-untyped-def]
        if part.name == at:
            killed()
        return whole(self, part, seed)

    monkeypatch.setattr(Measuring, "outcome", stopped)
    if at == "its number":
        monkeypatch.setattr("unveil.project.store.os.rename", killed)
    with pytest.raises(KeyboardInterrupt):
        run_project(made, seed=7, again=True)
    monkeypatch.undo()
    run = run_project(made, seed=7)
    names = [part.name for part in run.parts if part.file is not None]
    assert run.number == 2
    assert run.n_resumed == (names.index(at) if at in names else len(names)) > 0
    assert {part.state for part in run.parts if part.file is not None} == {"measured"}
    same_records(run, first)
    assert sorted(path.name for path in (tmp_path / "runs/0002").iterdir()) == [
        "parts",
        "results.json",
    ]
    assert run_project(made, seed=7) == run


@pytest.mark.slow
def test_a_second_run_at_once_is_refused_and_harms_nothing(
    undisturbed: tuple[Path, float, float], tmp_path: Path
) -> None:
    project(tmp_path, *SETTINGS, head=WITH_CONTROL)
    process = started(tmp_path)
    while not (tmp_path / "runs/.lock").exists() or not (tmp_path / "runs/.lock").read_bytes():
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGSTOP)  # so that it is not done before the second asks
    second = subprocess.run(
        [sys.executable, "-c", RUN, "run", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    process.send_signal(signal.SIGCONT)
    assert process.wait() == 4
    assert second.returncode == 2
    assert second.stdout == ""
    assert second.stderr.startswith("unveil: The project is in use: ")
    assert f"(process {process.pid}) has been running unveil run for" in second.stderr
    same_records(load_run(tmp_path), load_run(undisturbed[0]))
    assert list_runs(tmp_path) == (1,)
