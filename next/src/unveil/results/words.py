"""Words that every sentence needs: how many of how many, of which data, names in a row."""

from collections.abc import Iterable, Sequence
from typing import Any

from unveil.results.result import FileUsed, Row
from unveil.results.units import Count, People, Percent

NAMED = 8
percent, count, people = Percent().text, Count().text, People().text


class Words:
    """The words of one study: what people are called, how many they are, what is known of them."""

    def __init__(self, settings: dict[str, Any], files: Sequence[FileUsed]) -> None:
        self.unit: str = settings["unit"]
        self.keys = join_names(settings["keys"])
        self.is_population = settings["fraction"] == 1
        self.has_exclusions = bool(settings.get("exclude"))
        self.files = files

    def base(self, row: Row) -> tuple[int, str]:
        """How many a row's percentages are of, and what they are called."""
        original = next(file for file in self.files if file.role == "original")
        if row["unit"] == "people" or original.rows == original.people:
            return original.people, self.unit
        return original.rows, "records"

    @property
    def counted(self) -> str:
        """What tables without a unit count."""
        original = next(file for file in self.files if file.role == "original")
        return self.unit if original.rows == original.people else "records"


COPIES = {"mean": "mean of the copies", "pooled": "all copies together"}


def side_of(row: Row) -> str:
    """Which data a sentence is about, where there are several."""
    words = [word for word in (row["version"], COPIES.get(row["copy"], "")) if word]
    return f"{', '.join(words)}: " if words else ""


def others_of(learner: str, unit: str) -> str:
    """Who tells what is expected."""
    single = "single keys among " if learner == "main effects" else ""
    return f"{single}other {whose(unit)} records alone give"


def are(n: float | None) -> str:
    return "is" if n == 1 else "are"


def whose(unit: str) -> str:
    """people's, patients'."""
    return f"{unit}'" if unit.endswith("s") else f"{unit}'s"


def quote(level: str | None) -> str:
    return "missing" if level is None else f'"{level}"'


def join_names(names: Iterable[str]) -> str:
    """a, b and c; of many the first, and how many more."""
    names = list(names) or ["none"]
    if len(names) > NAMED:
        names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
