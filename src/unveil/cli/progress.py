"""How far is the work, and how long may it take? A bar on a terminal, silence elsewhere."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.console import Console

from unveil.cli.options import option
from unveil.view.format import truncate

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many steps are done, and how many there are."""


PAUSE = 0.1
"""Seconds between two lines of progress."""
progress_option = option(
    "--progress",
    "json: how far it is, as lines of JSON on standard error.",
    type=click.Choice(["json"]),
)


@contextmanager
def progress_bar(*, in_percent: bool = False, as_lines: bool = False) -> Iterator[Report]:
    """A bar on standard error that vanishes when the work is done; or lines for a program.

    In percent, with the time left, for work that is weighed and not counted.
    """
    if as_lines:
        yield _report_lines()
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what, done, total: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    how_far = TaskProgressColumn() if in_percent else MofNCompleteColumn()
    what = TextColumn("{task.description}", markup=False)
    columns = (what, BarColumn(), how_far, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield _report_to_bar(bar)


def _report_lines() -> Report:
    last = 0.0

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PAUSE or done == total:
            last = now
            said = {"what": what, "done": done, "total": total}
            click.echo(json.dumps(said, ensure_ascii=True), err=True)

    return report


def _report_to_bar(bar: "Progress") -> Report:
    task = bar.add_task("starting", total=None)

    def report(what: str, done: int, total: int) -> None:
        if done == 0:
            bar.reset(task, total=total)
        bar.update(task, description=truncate(what), completed=done, total=total)

    return report
