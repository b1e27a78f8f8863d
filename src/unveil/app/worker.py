"""`python -m unveil.app.worker FOLDER JOB.json`: the action of a job, its progress in its file."""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from unveil.app.jobs import Job, JobState, read_job, write_job
from unveil.errors import UnveilError
from unveil.project.actions import load_action
from unveil.view.format import lines

PAUSE = 0.1
"""Seconds between two notes of how far it is."""
CANCELLED = 130


class JobFile:
    """The file of a job while its action is done."""

    def __init__(self, folder: Path, job: Job) -> None:
        self._folder, self._job = folder, job
        self._is_writing = self._is_stopped = False
        job.pid, job.state = os.getpid(), "running"
        self._write()

    def report(self, what: str, done: int, total: int) -> None:
        """Note how far it is, but not all the time."""
        job, now = self._job, time.time()
        if now - job.now >= PAUSE or done == total:
            job.what, job.done, job.total, job.now = what, done, total, now
            self._write()

    def end(self, state: JobState, what: str, code: int) -> int:
        """Note how it ended."""
        job = self._job
        job.state, job.what, job.now, job.exit_code = state, what, time.time(), code
        job.done = job.total if state == "done" else job.done
        self._write()
        return code

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Stop at once, or as soon as the note that is being written is whole."""
        self._is_stopped = True
        if not self._is_writing:
            self._leave()

    def _write(self) -> None:
        self._is_writing = True
        write_job(self._folder, self._job)
        self._is_writing = False
        if self._is_stopped:
            self._leave()

    def _leave(self) -> None:
        job = self._job
        job.state, job.what, job.now = "cancelled", "what was finished is kept", time.time()
        write_job(self._folder, job)
        os._exit(CANCELLED)  # nothing is left to do: what is finished is on the disk


def main(folder: str, place: str) -> int:
    """Do what the file of a job says, and note in it how far it is and how it ended."""
    home, job = Path(folder), read_job(Path(place))
    if job is None:
        return 2
    notes = JobFile(home, job)
    signal.signal(signal.SIGTERM, notes.stop)
    try:
        load_action(bytes(job.action)).do_in(home, notes.report)
    except UnveilError as fault:
        return notes.end("refused", lines(str(fault)), fault.exit_code)
    except Exception as fault:  # by its type alone: other libraries quote data
        return notes.end("refused", f"Internal error ({type(fault).__name__}).", 1)
    return notes.end("done", "finished", 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
