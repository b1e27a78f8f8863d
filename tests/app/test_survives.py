"""Whatever is killed, at whatever moment, nothing that was finished or said is lost."""

import os
import random
import re
import shutil
import signal
import threading
import time
from contextlib import suppress
from http.client import HTTPException

import pytest

from app.conftest import files_in, serving, wait_for
from unveil.project.project import Project

pytestmark = [pytest.mark.app, pytest.mark.slow]
BY = "Ann Bell, reviewer"


def state(browser):
    return re.findall(r"<b>(\w+)</b><span>", browser.get("/jobs/state")[2])[0]


def pid_of(browser, folder):
    from unveil.app.jobs import Jobs

    return wait_for(lambda: Jobs(folder).list()[0].pid)


def start_run(browser):
    assert browser.post("/jobs/run", {"mark": browser.mark(), "again": "yes", "by": BY})[0] == 303


def check_whole(folder, *, runs):
    project = Project(folder)
    assert project.runs() == tuple(range(1, runs + 1))
    assert project.verify().faults == ()
    assert project.unfinished() == ()


def test_a_run_outlives_its_server_and_the_next_one_adopts_it(folder):
    with serving(folder) as app:
        browser = app.browser.enter()
        start_run(browser)
        pid = pid_of(browser, folder)
        app.end(signal.SIGKILL)
    os.kill(pid, 0)  # it is there
    with serving(folder) as app:
        browser = app.browser.enter()
        assert state(browser) in ("Starting", "Running", "Done")
        assert browser.post("/jobs/run", {"mark": browser.mark()})[0] in (303, 422)
        wait_for(lambda: state(browser) == "Done")
    check_whole(folder, runs=2)


def test_a_killed_worker_is_resumed_with_the_same_command(folder):
    rng = random.Random(31)
    with serving(folder) as app:
        browser = app.browser.enter()
        start_run(browser)
        for _ in range(3):
            pid = pid_of(browser, folder)
            time.sleep(rng.uniform(0.5, 4))
            if state(browser) == "Done":
                break
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: state(browser) in ("Interrupted", "Done"))
            kept = Project(folder).unfinished()
            if state(browser) == "Done":
                break
            number = max(int(one.stem) for one in (folder / "confidential/app/jobs").glob("*.json"))
            page = browser.get("/jobs")[2]
            assert "unveil run --again --by" in page
            assert browser.post(f"/jobs/{number}/resume", {"mark": browser.mark()})[0] == 303
            assert len(Project(folder).unfinished()) >= len(kept)
        wait_for(lambda: state(browser) == "Done", 180)
    check_whole(folder, runs=2)
    assert not any(part.state == "reused" for part in Project(folder).result().record.parts)


def test_a_cancelled_run_keeps_what_is_finished(folder):
    with serving(folder) as app:
        browser = app.browser.enter()
        start_run(browser)
        wait_for(lambda: Project(folder).unfinished())
        start = time.monotonic()
        assert browser.act("/jobs/1/cancel")[0] == 200
        wait_for(lambda: state(browser) == "Cancelled", 10)
        assert time.monotonic() - start < 5
        assert Project(folder).unfinished()
        assert browser.post("/jobs/1/resume", {"mark": browser.mark()})[0] == 303
        wait_for(lambda: state(browser) == "Done", 180)
    check_whole(folder, runs=2)
    assert Project(folder).result().record.n_resumed > 0


def test_a_job_cancelled_before_its_first_word_ends_alone(folder):
    """Its process has no number yet: nothing but it may be ended."""
    with serving(folder) as app:
        browser = app.browser.enter()
        mark = browser.mark()
        for n in (1, 2):
            said = {"mark": mark, "again": "yes", "by": BY}
            assert browser.post("/jobs/run", said)[0] == 303
            assert browser.post(f"/jobs/{n}/cancel", {"mark": mark})[0] == 200
            wait_for(lambda: state(browser) == "Cancelled", 30)
        assert app.process.poll() is None
    check_whole(folder, runs=1)


def test_a_killed_engine_counts_again(folder):
    before = files_in(folder)
    with serving(folder) as app:
        browser = app.browser.enter()
        for tick in ("0", "48", "49"):
            wait_for(lambda at=tick: "as ticked" in browser.act("/risk/whatif", f=at)[2])
            engines = [
                one for one in _children(app.process.pid) if "unveil.app.counting_process" in one[1]
            ]
            assert len(engines) == 1
            os.kill(engines[0][0], signal.SIGKILL)
    assert files_in(folder) == before


def _children(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as words:
                    if stat.read().rpartition(")")[2].split()[1] == str(pid):
                        found.append((int(name), words.read().split("\0")))
            except OSError:
                continue
    return found


def test_rulings_are_whole_or_not_there_whenever_the_server_is_killed(example, tmp_path):
    rng = random.Random(7)
    for n in range(4):
        folder = tmp_path / f"{n}" / "survey"
        shutil.copytree(example, folder)
        with serving(folder) as app:
            browser = app.browser.enter()
            said = {"mark": browser.mark(), "f": ["0", "48", "49"], "reason": "known", "by": BY}
            killer = threading.Timer(rng.uniform(0, 0.3), app.process.kill)
            killer.start()
            with suppress(OSError, HTTPException):
                browser.post("/risk/rule", said)
            killer.join()
            app.process.wait()
        project = Project(folder)
        assert len(project.file.rulings) in (0, 3)
        assert project.verify().faults == ()
