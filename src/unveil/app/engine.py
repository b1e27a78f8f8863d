"""Where are the counted scenarios? In a process of their own, so that pages never wait for numbers.

One spawned process answers questions over a pipe, one at a time; equal questions are answered once.
It dies: another is started, and counts again. Nothing that it knows is worth keeping, for all of it
follows from the project folder.
"""

from collections.abc import Hashable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

MOST_KEPT = 512
"""So many answers are remembered."""


class Counting(Exception):  # noqa: N818 - no fault: it is being counted
    """The scenario is being counted: what is done, how far, of how much."""

    def __init__(self, what: str, done: int, total: int) -> None:
        super().__init__(what)
        self.what, self.done, self.total = what, done, total


class CountingEngine:
    """The server's end of the pipe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: BaseProcess | None = None

    async def ask(self, what: str, scenario: str, *given: Hashable) -> Any:
        """The answer to a question about a counted scenario."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the process."""
