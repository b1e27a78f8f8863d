"""A file is read in a process of its own, so that a damaged one cannot take the user's with it.

The process is started when the first file is read and answers for the files after it; it ends
with this one, after a minute without work, or when a very large file or many large ones have been
read, so that its memory is free again. Where no process can be started, the file is read in this
one.
"""

import atexit
import os
import select
import subprocess
import sys
import threading
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
import polars as pl

from unveil import errors
from unveil.errors import ReadError
from unveil.io.parsers import NAMES, parse
from unveil.io.stat_codebook import ENDING as CATALOGUE
from unveil.io.wire import (
    ParsedFile,
    ReadHeader,
    ReadRefusal,
    ReadRequest,
    new_memory,
    receive,
    receive_mark,
    receive_parsed,
    send,
)

_LARGE = 1 << 28
_SMALL = 1 << 18  # bytes of a file, below which the pipe does as well
_MOST_SHARED = 16  # tables in shared memory, after which a new process is started
_BREAKDOWNS = (EOFError, OSError, ValueError, MemoryError)
_PATIENCE = 500  # milliseconds
# Nothing that an import makes is garbage: looking for it is a tenth of the start.
_START = "import gc; gc.disable(); from unveil.io.worker import main; gc.enable(); main()"
_PACKAGES = Path(__file__).parents[2]

_turns: dict[int, threading.Lock] = {}  # by process: one copied from this has no one to wait for


class _Answers:
    """The answers of a process. While none comes, Ctrl-C is heard."""

    def __init__(self, pipe: BufferedReader) -> None:
        self._pipe = pipe
        self.close = pipe.close

    def read(self, n: int, /) -> bytes:
        """Some of the bytes that are there, as soon as there are any."""
        # Once polars is imported, a signal no longer breaks off a read, but it does a wait.
        if hasattr(select, "poll"):
            waiting = select.poll()
            waiting.register(self._pipe.fileno(), select.POLLIN)
            while not waiting.poll(_PATIENCE):
                pass
        return self._pipe.raw.read(n) or b""


class _ReadingProcess:
    """One reading process."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.memory = new_memory(_MOST_SHARED)
        self.is_spent = False  # whether it holds much memory, or has none left to answer with
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(module_search_path())},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                pass_fds=self.memory,
            )
        except OSError:
            self._close_memory()
            raise
        self.questions = cast(BinaryIO, self.process.stdin)
        self.answers = _Answers(cast(BufferedReader, self.process.stdout))

    def hears(self, question: ReadRequest) -> bool:
        """Whether the process is there and has the question."""
        if self.memory and question.n_bytes >= _SMALL:
            question = msgspec.structs.replace(question, memory=self.memory[-1])
        try:
            send(self.questions, msgspec.json.encode(question))
            self.questions.flush()
            return receive_mark(self.answers)
        except OSError:
            return False
        except BaseException:  # interrupted: no one will hear the answer
            self.end()
            raise

    def answer(self, question: ReadRequest) -> ParsedFile | ReadRefusal:
        """What it found, or why it refuses."""
        head = msgspec.json.decode(receive(self.answers), type=ReadHeader | ReadRefusal)
        if isinstance(head, ReadRefusal):
            return head
        if not self.memory or question.n_bytes < _SMALL:
            parsed = receive_parsed(self.answers, head)
            self.is_spent = parsed.frame.estimated_size() >= _LARGE
            return parsed
        memory = self.memory.pop()
        try:
            parsed = receive_parsed(self.answers, head, memory)
            self.is_spent = not self.memory or os.fstat(memory).st_size >= _LARGE
            return parsed
        finally:
            os.close(memory)

    def end(self) -> None:
        """End the process now."""
        self.process.kill()
        self._close_memory()
        for pipe in (self.questions, self.answers):
            with suppress(OSError):
                pipe.close()
        self.process.wait()

    def _close_memory(self) -> None:
        while self.memory:
            os.close(self.memory.pop())


_kept: list[_ReadingProcess] = []


def read_apart(question: ReadRequest) -> ParsedFile:
    """What the file holds, read in a process of its own."""
    with _turns.setdefault(os.getpid(), threading.Lock()):
        reader = _ready_process(question)
        if reader is not None:
            return _receive_answer(reader, question)
    return parse(question)


def _ready_process(question: ReadRequest) -> _ReadingProcess | None:
    """A process that has the question: the one kept from before, or a new one."""
    while _kept:
        reader = _kept.pop()
        if reader.owner != os.getpid():  # it belongs to the process this one was copied from
            continue
        if reader.hears(question):
            return reader
        reader.end()
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        reader = _ReadingProcess()
    except OSError:
        return None
    if reader.hears(question):
        return reader
    reader.end()
    return None


def _receive_answer(reader: _ReadingProcess, question: ReadRequest) -> ParsedFile:
    may_stay = False
    try:
        answer = reader.answer(question)
        may_stay = not reader.is_spent
    except (*_BREAKDOWNS, msgspec.MsgspecError, pl.exceptions.PolarsError):
        raise ReadError(_given_up_sentence(question)) from None
    finally:
        if may_stay:
            _kept.append(reader)
        else:
            reader.end()
    if isinstance(answer, ReadRefusal):
        raise getattr(errors, answer.error)(answer.message)
    return answer


def _given_up_sentence(question: ReadRequest) -> str:
    catalogue = Path(os.fsdecode(question.path)).with_suffix(CATALOGUE)
    has_catalogue = question.kind == "sas" and catalogue.exists()
    which = f"it, or on its catalogue ({catalogue.name})" if has_catalogue else "it"
    remedy = f", or move {catalogue.name} away" if has_catalogue else ""
    return (
        f"{question.place} could not be read: it begins as {NAMES[question.kind]}, but what reads "
        f"such files broke down on {which}. The file is damaged, or needs more memory than is "
        f"free. Export or copy it again{remedy}."
    )


def module_search_path() -> list[str]:
    """Where this process finds its modules, for the other to find the same."""
    places = [os.path.abspath(place) for place in sys.path if place]
    return list(dict.fromkeys([*places, str(_PACKAGES)]))


def _end_all() -> None:
    while _kept:
        reader = _kept.pop()
        if reader.owner == os.getpid():
            reader.end()


atexit.register(_end_all)
