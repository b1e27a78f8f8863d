"""Where are the counted scenarios? In a process of their own, so that pages never wait for numbers.

`python -m unveil.app.counting_process FOLDER` answers questions, one line of JSON each, one after
the other; equal questions are asked once. It dies: another is started, and counts again. Nothing
that it knows is worth keeping, for all of it follows from the project folder.
"""

import asyncio
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from unveil.errors import InputError, InternalError, SettingsError, UnveilError
from unveil.project.model import ProjectFile
from unveil.project.read_project import read_project
from unveil.project.whatif import ScenarioStudy
from unveil.study.scenario import Progress

MOST_KEPT = 512
"""So many answers are remembered."""
LONGEST = 2**26
"""Bytes of one answer at most."""
PATIENCE = 0.5
"""Seconds for which a page waits before it says that a scenario is being counted."""
LONG = 8.0
"""Seconds after which it says so of any answer: a browser does not wait for ever."""
TRIES = 3  # one that died after its last answer is noticed by the first


class Counting(Exception):  # noqa: N818 - no fault: it is being counted
    """Something is being computed: what is done, how far, of how much."""

    def __init__(
        self, what: str, done: int, total: int, about: str = "The scenario is being counted"
    ) -> None:
        super().__init__(what)
        self.what, self.done, self.total, self.about = what, done, total, about


class CountingProcess:
    """The server's end of the pipe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._asked: OrderedDict[tuple[Hashable, ...], asyncio.Task[Any]] = OrderedDict()
        self._far: tuple[str, int, int] | None = None  # while it counts

    async def ask(self, what: str, scenario: str, *given: Hashable) -> Any:
        """The answer to a question about a scenario.

        Raises
        ------
        Counting
            If the scenario is still being counted: ask again later.
        InputError
            If the question cannot be answered, in words.
        """
        question = (what, scenario, *given)
        task = self._asked.get(question)
        if task is None:
            task = asyncio.create_task(self._exchange(question))
            self._asked[question] = task
            while len(self._asked) > MOST_KEPT:
                self._asked.popitem(last=False)
        else:
            self._asked.move_to_end(question)
        start = time.monotonic()
        while not task.done():
            await asyncio.wait([task], timeout=PATIENCE)
            is_long = time.monotonic() - start > LONG
            if not task.done() and (self._far is not None or is_long):
                raise Counting(*(self._far or ("not finished yet", 0, 1)))
        if task.exception() is not None:
            self._asked.pop(question, None)  # it may be answered the next time
        return task.result()

    def forget(self) -> None:
        """The folder has changed: what was answered may be something else now."""
        self._asked.clear()

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    @property
    def pid(self) -> int | None:
        """Of the process; None before the first question."""
        return None if self._process is None else self._process.pid

    async def _exchange(self, question: tuple[Hashable, ...]) -> Any:
        async with self._turn:
            try:
                for _ in range(TRIES):
                    with suppress(ConnectionError, BrokenPipeError):
                        return await self._try(question)
            finally:
                self._far = None
        raise InternalError("The counting process stopped three times. Is there enough memory?")

    async def _try(self, question: tuple[Hashable, ...]) -> Any:
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(question) + b"\n")
        await process.stdin.drain()
        while True:
            line = await process.stdout.readline()
            if not line.endswith(b"\n"):
                self._process = None
                raise ConnectionError
            kind, *said = msgspec.json.decode(line)
            if kind == "far":
                self._far = (str(said[0]), int(said[1]), int(said[2]))
            elif kind == "refused":
                raise SettingsError(said[0])
            elif kind == "fault":
                raise InternalError(said[0])
            else:
                return said[0]

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._far = ("starting", 0, 1)
            words = ("-m", "unveil.app.counting_process", str(self.folder))
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST
            )
        return self._process


# The other end: a process that counts, and answers.


def main(folder: str) -> None:
    """Answer until nobody asks any more."""
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    kept: dict[tuple[str, str], ScenarioStudy] = {}
    for line in sys.stdin.buffer:
        _send(said, *_answer(Path(folder), msgspec.json.decode(line), kept, _reporter(said)))


def _answer(
    folder: Path, question: list[Any], kept: dict[tuple[str, str], ScenarioStudy], report: Progress
) -> tuple[Any, ...]:
    what, scenario, *given = question
    try:
        study = _open(read_project(folder), scenario, kept, report)
        return "ok", ANSWERS[what](study, *given)
    except InputError as fault:
        return "refused", str(fault)
    except UnveilError as fault:
        return "fault", str(fault)
    except Exception as fault:  # by its type alone: other libraries quote data
        return "fault", f"Internal error ({type(fault).__name__})."


def _open(
    file: ProjectFile,
    scenario: str,
    kept: dict[tuple[str, str], ScenarioStudy],
    report: Progress,
) -> ScenarioStudy:
    """The scenario as the project is now; a ruling is no reason to count it again."""
    mark = (file.text, scenario)
    study = kept.get(mark)
    if study is None or not study.is_current:
        kept.clear()
        kept[mark] = study = ScenarioStudy.open(file, scenario or None, report)
    return study


def _live(study: ScenarioStudy, texts: list[str]) -> Any:
    """Before and after, target by target."""
    return {"before": study.live(), "after": study.live(texts)}


def _settle(study: ScenarioStudy, texts: list[str]) -> Any:
    """The whole record of the same question: flags that close or open, every figure."""
    in_force = {one.text for one in study.in_force}
    asked = [one for one in texts if one not in in_force]
    return study.whatif(asked).to_json() if asked else None


def _recode(study: ScenarioStudy, bands: list[tuple[str, Any]]) -> Any:
    return study.whatif(bands=dict(bands)).to_json()


ANSWERS: dict[str, Callable[..., Any]] = {
    "live": _live,
    "settle": _settle,
    "recode": _recode,
}


def _reporter(said: BinaryIO) -> Progress:
    last = 0.0

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= 0.1:
            last = time.monotonic()
            _send(said, "far", what, done, total)

    return report


def _send(said: BinaryIO, *words: Any) -> None:
    said.write(msgspec.json.encode(words) + b"\n")
    said.flush()


if __name__ == "__main__":
    main(sys.argv[1])
