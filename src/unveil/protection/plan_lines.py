"""In which line of a TOML file does something stand?

The parser is asked itself: a statement stands in the lines by which it comes to know it. So quoted
names, dotted names and values over several lines are found as surely as plain ones.
"""

import tomllib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

Path = Sequence[str | int]


class Lines:
    """A text that can be parsed as TOML, and where things stand in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self._known: dict[int, Any] = {}

    def of(self, *path: str | int) -> int | None:
        """The line in which what has this path begins, from 1; None where nothing has it."""
        found = self.span(*path)
        return None if found is None else found[0]

    def span(self, *path: str | int) -> tuple[int, int] | None:
        """The first and the last line of the statement that begins what has this path."""
        if not _has(self._whole, path):
            return None
        low, high = 0, len(self._lines)  # the first has not the path, the last has it
        while True:
            middle = self._readable((low + high + 1) // 2, high)
            if middle >= high:
                middle = self._readable(low + 1, high)
                if middle >= high:
                    return self._begin(low), high
            if _has(self._parsed(middle), path):
                high = middle
            else:
                low = middle

    @cached_property
    def _whole(self) -> Any:
        return self._parsed(len(self._lines))

    def _readable(self, start: int, end: int) -> int:
        """The first number of lines from `start` on that can be parsed by themselves."""
        return next((n for n in range(start, end) if self._parsed(n) is not None), end)

    def _parsed(self, n: int) -> Any:
        if n not in self._known:
            try:
                self._known[n] = tomllib.loads("\n".join([*self._lines[:n], ""]))
            except tomllib.TOMLDecodeError:
                self._known[n] = None
        return self._known[n]

    def _begin(self, low: int) -> int:
        """The line of a statement, behind what is empty or a comment."""
        rest = enumerate(self._lines[low:], start=low + 1)
        return next(n for n, line in rest if line.strip() and not line.strip().startswith("#"))


def _has(found: Any, path: Path) -> bool:
    for part in path:
        if isinstance(part, int):
            if not isinstance(found, list) or len(found) <= part:
                return False
            found = found[part]
        elif not isinstance(found, dict) or part not in found:
            return False
        else:
            found = found[part]
    return True
