"""One at a time: the lock of a project names its holder, and ends with it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unveil.errors import LockedError, WriteError
from unveil.project.lock import lock_project

HOLDER = """
import sys, time
from pathlib import Path
from unveil.project.lock import lock_project
with lock_project(Path(sys.argv[1]), "unveil run"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    with lock_project(tmp_path, "a test"):
        held = json.loads((tmp_path / "runs/.lock").read_text())
        assert held["pid"] == os.getpid()
        assert held["doing"] == "a test"
    assert list((tmp_path / "runs").iterdir()) == []


def test_who_holds_it_may_enter_again(tmp_path: Path) -> None:
    with lock_project(tmp_path, "a run"), lock_project(tmp_path, "its log"):
        assert json.loads((tmp_path / "runs/.lock").read_text())["doing"] == "a run"
    assert not (tmp_path / "runs/.lock").exists()


@pytest.mark.slow
def test_another_process_is_told_who_is_at_work_and_since_when(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(LockedError) as told, lock_project(tmp_path, "unveil run"):
        pass
    sentence = str(told.value)
    assert f"(process {holder.pid}) has been running unveil run for" in sentence
    assert sentence.endswith("seconds. Wait until it is done, and try again.") or sentence.endswith(
        "second. Wait until it is done, and try again."
    )
    assert told.value.exit_code == 2


def test_another_thread_is_another_holder(tmp_path: Path) -> None:
    from threading import Thread

    met: list[str] = []

    def enter() -> None:
        try:
            with lock_project(tmp_path, "the same"):
                met.append("entered")
        except LockedError as fault:
            met.append(str(fault))

    with lock_project(tmp_path, "a run"):
        thread = Thread(target=enter)
        thread.start()
        thread.join()
    assert "has been running a run for" in met[0]


@pytest.mark.slow
def test_a_killed_holder_holds_nothing(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / "runs/.lock").exists()
    with lock_project(tmp_path, "the next"):
        assert json.loads((tmp_path / "runs/.lock").read_text())["doing"] == "the next"
    assert not (tmp_path / "runs/.lock").exists()


@pytest.mark.slow
def test_the_age_is_told_in_the_largest_unit_that_fits(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    place = tmp_path / "runs/.lock"
    for ago, said in ((90, "1 minute"), (7300, "2 hours"), (200_000, "2 days")):
        owner = json.loads(place.read_text())
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))
        place.write_text(json.dumps({**owner, "since": since}))
        with pytest.raises(LockedError, match=f"for {said}. Wait"), lock_project(tmp_path, "x"):
            pass


@pytest.mark.slow
def test_a_holder_that_has_not_written_yet_is_told_too(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    (tmp_path / "runs/.lock").write_text("")
    with pytest.raises(LockedError) as told, lock_project(tmp_path, "x"):
        pass
    assert str(told.value) == (
        "The project is in use by another process that has just started. Wait until it is done,"
        " and try again."
    )


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    said = r"cannot be written to: .* Nothing was changed\."
    with pytest.raises(WriteError, match=said), lock_project(tmp_path, "x"):
        pass
