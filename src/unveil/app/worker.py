"""`python -m unveil.app.worker FOLDER JOB.json`: the action of a job, its progress in its file."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from unveil.app.jobs import Job, JobState, read_job, write_job
from unveil.errors import UnveilError
from unveil.project.actions import load_action
from unveil.study.scenario import Progress
from unveil.view.format import lines

PAUSE = 0.1
"""Seconds between two notes of how far it is."""
CANCELLED = 130


def main(folder: str, place: str) -> int:
    """Do what the file of a job says, and note in it how far it is and how it ended."""
    home, job = Path(folder), read_job(Path(place))
    if job is None:
        return 2
    job.pid, job.state = os.getpid(), "running"
    write_job(home, job)
    signal.signal(signal.SIGTERM, _stopper(home, job))
    try:
        load_action(bytes(job.action)).do_in(home, _reporter(home, job))
    except UnveilError as fault:
        return _end(home, job, "refused", lines(str(fault)), fault.exit_code)
    except Exception as fault:  # by its type alone: other libraries quote data
        return _end(home, job, "refused", f"Internal error ({type(fault).__name__}).", 1)
    job.done = job.total
    return _end(home, job, "done", "finished", 0)


def _reporter(home: Path, job: Job) -> Progress:
    def report(what: str, done: int, total: int) -> None:
        now = time.time()
        if now - job.now >= PAUSE or done == total:
            job.what, job.done, job.total, job.now = what, done, total, now
            write_job(home, job)

    return report


def _stopper(home: Path, job: Job) -> Callable[[int, FrameType | None], None]:
    def stop(number: int, frame: FrameType | None) -> None:
        job.state, job.what, job.now = (
            "cancelled",
            "cancelled; what was finished is kept",
            time.time(),
        )
        write_job(home, job)
        os._exit(CANCELLED)  # nothing is left to do: what is finished is on the disk

    return stop


def _end(home: Path, job: Job, state: JobState, what: str, code: int) -> int:
    job.state, job.what, job.now, job.exit_code = state, what, time.time(), code
    write_job(home, job)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
