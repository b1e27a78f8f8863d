"""How far is the work, and how long may it take? A bar on a terminal, silence elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from unveil.report.words import name


@contextmanager
def progress_bar(console: Console) -> Iterator["Bar"]:
    """A bar on standard error that vanishes when the work is done."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield Bar(bar)


class Bar:
    """Called with what is being done, how many steps are done, and how many there are."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=None)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Move the bar."""
        if done == 0:
            self._progress.reset(self._task, total=total)
        self._progress.update(
            self._task, description=Text(name(what)).plain, completed=done, total=total
        )
