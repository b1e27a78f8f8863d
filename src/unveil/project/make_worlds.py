"""How are worlds made, several at once, so that work can stop at any moment and go on?

Each world is released and looked at in a process of its own kind: started anew, told what to do
through a pipe, and gone when the pipe closes. What was seen is put in place one world at a time.
All of it is confidential; the synthetic files themselves are never kept.
"""

import io
import json
import os
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, cast

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.atomic import replace_file
from unveil.errors import ReadError, SettingsError, WriteError, list_names
from unveil.io.isolated import module_search_path
from unveil.io.table import Table
from unveil.io.wire import receive, send
from unveil.io.worker import leave_no_image, take_standard_output
from unveil.measure.attacks.agreement import Agreement, ComparedColumn, Singles
from unveil.measure.attacks.recognition_scores import ScoreRows
from unveil.measure.attacks.worlds import WorldPool
from unveil.project.release_procedure import (
    Described,
    LiveProcedure,
    Procedure,
    ReleaseFiles,
    explain_failure,
    release_quietly,
)
from unveil.records.codebook import Codebook
from unveil.study.scenario import Progress

MOST_FAILED = 0.02
"""Share of worlds without a release beyond which nothing is said: failing may tell who was in."""

# One world: who is in it, the release, and what the intruder sees.


@dataclass(frozen=True)
class WorldMaker:
    """Makes any world of a pool; `table` holds the original with the reference stacked below."""

    procedure: Procedure
    pool: WorldPool
    agreement: Agreement
    table: Table
    rows: int
    files: int

    @cached_property
    def people(self) -> pl.DataFrame:
        """The records of the tested people and of those in no world."""
        return self.table.frame[self.pool.people]

    def look(self, world: int) -> Singles:
        """What is seen in the release of one world."""
        data = replace(self.table, frame=self.table.frame[self.pool.world(world)])
        seed = self.pool.seed_of(world)
        return self.look_at(release_quietly(self.procedure, data, seed, self.rows, self.files))

    def answer(self, world: int) -> bytes:
        """What is seen, after a plus; or after a minus why no release could be made."""
        try:
            return b"+" + self.look(world).tobytes()
        except Exception as fault:
            return b"-" + explain_failure(fault).encode()

    def look_at(self, made: ReleaseFiles) -> Singles:
        """What is seen in one release: means over its files."""
        seen = [
            self.agreement.look(made.recode(self.people, place), copy)
            for place, copy in enumerate(made.copies)
        ]
        means: Singles = np.mean(seen, axis=0, dtype=np.float32)
        return means


class WorldJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is told before the data."""

    procedure: Described
    pool: WorldPool
    columns: tuple[ComparedColumn, ...]
    rows: int
    files: int
    codebook: Codebook | None


def main() -> None:
    """Make the worlds that are asked for until nobody asks any more."""
    answers = take_standard_output()
    leave_no_image()
    questions = sys.stdin.buffer
    job = msgspec.json.decode(receive(questions), type=WorldJob)
    frame = pl.read_ipc_stream(io.BytesIO(receive(questions)))
    table = Table("original", "The original", frame, codebook=job.codebook)
    maker = WorldMaker(job.procedure, job.pool, Agreement(job.columns), table, job.rows, job.files)
    while True:
        try:
            world = int(receive(questions))
        except EOFError:
            return
        send(answers, maker.answer(world))
        answers.flush()


# What was seen, kept world by world.


HEAD = "worlds.json"
WORDS = {
    "version": "another version of unveil",
    "data": "other data",
    "procedure": "another release procedure",
    "seed": "another seed",
    "people": "other people",
    "columns": "other columns",
    "intruder": "another intruder",
    "out": "another way to be out of a world",
    "rows": "another number of rows",
    "files": "another number of files",
}


@dataclass(frozen=True)
class WorldStore:
    """A folder with a file for each finished world; a file that is not whole does not count."""

    folder: Path
    shape: tuple[int, int]  # people, figures

    def open(self, asked: dict[str, Any], *, is_own: bool) -> None:
        """Begin, or go on with the same; what was asked otherwise is refused, or swept if ours."""
        wanted = json.loads(json.dumps(asked))
        place = self.folder / HEAD
        with _written(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            head = None
            if place.exists():
                with suppress(ValueError):
                    head = json.loads(place.read_bytes())
            strangers = [one for one in self.folder.iterdir() if not one.name.startswith(".")]
            if head != wanted:
                if not is_own and strangers:
                    raise self._refuse(head, wanted)
                for one in self.folder.glob("world_*"):
                    one.unlink()
                replace_file(place, json.dumps(wanted, indent=2).encode(), mode=0o600)

    def _refuse(self, head: Any, wanted: dict[str, Any]) -> Exception:
        if not isinstance(head, dict):
            return WriteError(
                f"The folder {str(self.folder)!r} holds other files and no worlds. Name an empty or"
                " a new one."
            )
        other = [words for name, words in WORDS.items() if head.get(name) != wanted.get(name)]
        return SettingsError(
            f"The folder {str(self.folder)!r} holds worlds of {list_names(other)}. Name another"
            " folder, or ask the same again."
        )

    def done(self) -> set[int]:
        """The worlds that are finished, failed ones among them."""
        found = set()
        for path in self.folder.glob("world_*"):
            name, _, ending = path.name.removeprefix("world_").partition(".")
            if name.isdecimal() and (ending == "failed" or self._is_whole(path)):
                found.add(int(name))
        return found

    def _is_whole(self, path: Path) -> bool:
        content = path.read_bytes()
        size = 4 * self.shape[0] * self.shape[1]
        return len(content) == size + 4 and content[size:] == _sum(content[:size])

    def put(self, world: int, seen: bytes) -> None:
        """Keep what was seen in a world."""
        self._put(f"world_{world:06d}.f32", seen + _sum(seen))

    def put_failed(self, world: int, why: str) -> None:
        """Keep that no release could be made of a world."""
        self._put(f"world_{world:06d}.failed", why.encode())

    def _put(self, name: str, content: bytes) -> None:
        # A file that was cut short by a kill does not count, so it need not be put in one step.
        with _written(self.folder):
            place = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(place, "wb") as file:
                file.write(content)

    def failures(self, worlds: Sequence[int]) -> list[str]:
        """Why worlds failed, one sentence for each."""
        paths = [self.folder / f"world_{world:06d}.failed" for world in worlds]
        return [path.read_text("utf-8") for path in paths if path.exists()]

    def load(self, worlds: Ints, people: slice) -> ScoreRows:
        """What was seen of some people in these worlds."""
        n, width = people.stop - people.start, self.shape[1]
        made = np.empty((len(worlds), n, width), np.float32)
        for place, world in enumerate(worlds):
            with open(self.folder / f"world_{world:06d}.f32", "rb") as file:
                file.seek(4 * people.start * width)
                content = file.read(4 * n * width)
            made[place] = np.frombuffer(content, np.float32).reshape(n, width)
        return made


def _sum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "big")


@contextmanager
def _written(folder: Path) -> Iterator[None]:
    """A folder that cannot be written is told as such."""
    try:
        yield
    except OSError as fault:
        raise WriteError(
            f"The folder {str(folder)!r} cannot be written to: {fault.strerror}. Name one in which"
            " you may create files."
        ) from None


# Many worlds at once, in processes that are started anew.


_START = "from unveil.project.make_worlds import main; main()"
_ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_PATIENCE = 0.2


class _WorldProcess:
    """One process that makes worlds."""

    def __init__(self, job: bytes, data: bytes) -> None:
        path = {"PYTHONPATH": os.pathsep.join(module_search_path())}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD, **path},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            start_new_session=True,  # Ctrl-C is for this process, which ends the others
        )
        self.questions = cast(BinaryIO, self.process.stdin)
        self.answers = cast(BinaryIO, self.process.stdout)
        with suppress(OSError):  # told when the first world is asked for
            send(self.questions, job)
            send(self.questions, data)

    def look(self, world: int) -> bytes:
        send(self.questions, str(world).encode())
        self.questions.flush()
        return receive(self.answers)

    def end(self) -> None:
        self.process.kill()
        for pipe in (self.questions, self.answers):
            with suppress(OSError):
                pipe.close()
        self.process.wait()


@dataclass
class _Workers:
    """Processes, a thread for each, and what they have done."""

    maker: WorldMaker
    todo: SimpleQueue[int]
    done: SimpleQueue[tuple[int, bytes]] = field(default_factory=SimpleQueue)
    processes: list[_WorldProcess] = field(default_factory=list)
    is_stopped: bool = False
    job: bytes = b""
    data: bytes = b""

    def __post_init__(self) -> None:
        maker = self.maker
        assert not isinstance(maker.procedure, LiveProcedure)
        job = WorldJob(
            procedure=maker.procedure,
            pool=maker.pool,
            columns=maker.agreement.columns,
            rows=maker.rows,
            files=maker.files,
            codebook=maker.table.codebook,
        )
        self.job, held = msgspec.json.encode(job), io.BytesIO()
        maker.table.frame.write_ipc_stream(held)
        self.data = held.getvalue()

    def work(self) -> None:
        """Make worlds until none is left."""
        process: _WorldProcess | None = None
        while not self.is_stopped:
            try:
                world = self.todo.get_nowait()
            except Empty:
                break
            try:
                if process is None:
                    process = _WorldProcess(self.job, self.data)
                    self.processes.append(process)
                answer = process.look(world)
            except (EOFError, OSError):
                answer, process = b"-The process that made it ended.", None
            self.done.put((world, answer))
        if process is not None:
            process.end()

    def stop(self) -> None:
        """End all of them now."""
        self.is_stopped = True
        for process in self.processes:
            process.end()


def make_worlds(
    maker: WorldMaker, store: WorldStore, n_worlds: int, workers: int, progress: Progress
) -> Ints:
    """Make what is not there yet; the numbers of the worlds that have a release, in order."""
    every = range(n_worlds)
    known = store.done() & {*every}
    todo = [world for world in every if world not in known]
    pace = _Pace(len(known), n_worlds, progress)
    pace.tell(0)
    failed = [*store.failures(every)]
    for done, (world, answer) in enumerate(_answers(maker, todo, workers), start=1):
        if answer[:1] == b"+":
            store.put(world, answer[1:])
        else:
            store.put_failed(world, answer[1:].decode())
            failed.append(answer[1:].decode())
        _check_failed(failed, n_worlds)
        pace.tell(done)
    _check_failed(failed, n_worlds)
    ended = {world for world in every if not (store.folder / f"world_{world:06d}.failed").exists()}
    return np.array(sorted(ended), np.int64)


def _answers(maker: WorldMaker, todo: Sequence[int], workers: int) -> Iterator[tuple[int, bytes]]:
    if isinstance(maker.procedure, LiveProcedure):
        yield from ((world, maker.answer(world)) for world in todo)
        return
    queue: SimpleQueue[int] = SimpleQueue()
    for world in todo:
        queue.put(world)
    team = _Workers(maker, queue)
    threads = [
        threading.Thread(target=team.work, daemon=True) for _ in range(min(workers, len(todo)))
    ]
    try:
        for thread in threads:
            thread.start()
        n_left = len(todo)
        while n_left:
            try:
                yield team.done.get(timeout=_PATIENCE)  # Ctrl-C is heard between
            except Empty:
                if not any(thread.is_alive() for thread in threads) and team.done.empty():
                    raise ReadError(
                        "The processes that make worlds ended. What is finished is kept."
                    ) from None
                continue
            n_left -= 1
    finally:
        team.stop()


def _check_failed(failed: Sequence[str], n_worlds: int) -> None:
    if len(failed) > MOST_FAILED * n_worlds:
        raise SettingsError(
            f"No release could be made of {len(failed):,} of {n_worlds:,} worlds, which may depend"
            f" on who is in them, so nothing is said. The first: {failed[0]}"
        )


@dataclass
class _Pace:
    """How many worlds are done, and how long the others may take."""

    n_before: int
    n_worlds: int
    progress: Progress
    started: float = field(default_factory=time.monotonic)

    def tell(self, done: int) -> None:
        left = self.n_worlds - self.n_before - done
        words = "making worlds"
        if done and left:
            seconds = (time.monotonic() - self.started) / done * left
            words += f", {format_seconds(seconds)} left"
        self.progress(words, self.n_before + done, self.n_worlds)


def format_seconds(seconds: float) -> str:
    """A time as people say it."""
    minutes = seconds / 60
    if minutes < 1:
        return f"{max(round(seconds), 1)} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
