"""What long work is under way, or was? One file for each job, so that another server finds it.

A job is a process with a session of its own: closing the browser or the server does not end it. Its
file is replaced whole, and says the action with all its options: to resume is to do that again.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from unveil.atomic import replace_file
from unveil.errors import SettingsError
from unveil.project.actions import Action, format_command
from unveil.project.seeds import CONFIDENTIAL, confidential_folder

HOME = Path(CONFIDENTIAL) / "app" / "jobs"
JobState = Literal["starting", "running", "done", "cancelled", "interrupted", "refused"]
UNDER_WAY = ("starting", "running")
GRACE = 60.0
"""Seconds in which a process that another server started says its first word."""
MOST_SHOWN = 12


class Job(msgspec.Struct, kw_only=True):
    """One piece of long work, as its file says."""

    number: int
    command: str
    action: msgspec.Raw
    state: JobState = "starting"
    pid: int = 0
    what: str = "starting"
    done: int = 0
    total: int = 1
    began: float = 0.0
    now: float = 0.0
    exit_code: int | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether it has not ended."""
        return self.state in UNDER_WAY

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(self.done / max(self.total, 1), 1.0)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return max(self.now - self.began, 0.0)

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take; None while that is no more than a guess."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0.02 else None


def job_path(folder: Path, number: int) -> Path:
    """The file of a job."""
    return folder / HOME / f"{number:04d}.json"


def read_job(path: Path) -> Job | None:
    """A job as its file says; None where it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Job)
    except (OSError, msgspec.DecodeError):
        return None


def write_job(folder: Path, job: Job) -> None:
    """Replace the file of a job, whole."""
    replace_file(job_path(folder, job.number), msgspec.json.encode(job), mode=0o600)


class Jobs:
    """The jobs of one project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mine: dict[int, subprocess.Popen[bytes]] = {}

    def list(self) -> list[Job]:
        """The last jobs, the newest first; one whose process is gone was interrupted."""
        found = (self._look(number) for number in self._numbers()[:MOST_SHOWN])
        return [one for one in found if one is not None]

    def _numbers(self) -> Sequence[int]:
        """Of all jobs, the newest first."""
        places = (self.folder / HOME).glob(4 * "[0-9]" + ".json")
        return sorted((int(one.stem) for one in places), reverse=True)

    @property
    def running(self) -> Job | None:
        """The job under way; None where there is none."""
        return next((one for one in self.list() if one.is_under_way), None)

    def start(self, action: Action) -> Job:
        """Have an action done by a process of its own.

        Raises
        ------
        SettingsError
            If another job is under way.
        """
        if self.running is not None:
            raise SettingsError("A job is under way. Wait until it is done, or cancel it.")
        home = self.folder / HOME
        confidential_folder(self.folder)
        for one in (home.parent, home):
            one.mkdir(exist_ok=True, mode=0o700)
        number = max([0, *self._numbers()]) + 1
        words, now = format_command(action.command()), time.time()
        content = msgspec.Raw(msgspec.json.encode(action))
        job = Job(number=number, command=words, action=content, began=now, now=now)
        write_job(self.folder, job)
        place = str(job_path(self.folder, number))
        command = [sys.executable, "-m", "unveil.app.worker", str(self.folder), place]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            command, start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet
        )
        self._mine[number] = process
        return job

    def cancel(self, number: int) -> None:
        """End a job that is under way; what it finished is kept."""
        job, mine = self._look(number), self._mine.get(number)
        if job is None or not job.is_under_way:
            return
        if job.pid and _is_ours(job.pid, self.folder):
            os.killpg(job.pid, signal.SIGTERM)
        elif mine is not None and not job.pid:  # it has not said its first word
            mine.terminate()
            mine.wait()
            job = read_job(job_path(self.folder, number)) or job
            if job.is_under_way:
                job.state, job.what = "cancelled", "nothing was begun"
                write_job(self.folder, job)

    def _look(self, number: int) -> Job | None:
        mine = self._mine.get(number)
        has_ended = mine is not None and mine.poll() is not None  # it is waited for, too
        job = read_job(job_path(self.folder, number))
        if job is None or not job.is_under_way:
            return job
        if job.pid:
            is_gone = not _is_ours(job.pid, self.folder)
        else:
            is_gone = has_ended if mine is not None else time.time() - job.now > GRACE
        if is_gone:
            job.state, job.what = "interrupted", "stopped in the middle; what was finished is kept"
        return job


def _is_ours(pid: int, folder: Path) -> bool:
    """Whether a process is there and is a worker of this folder: numbers are used again."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError, OverflowError):
        return False
    words = Path(f"/proc/{pid}/cmdline")
    if not words.exists():  # another system: the number must do
        return True
    said = words.read_bytes().split(b"\0")
    return b"unveil.app.worker" in said and os.fsencode(folder) in said
