"""Tables on screens that are not made of blocks yet."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from unveil.records.judgement import Status
from unveil.view.format import truncate
from unveil.view.render_rich import STYLES
from unveil.view.status import format_status


def new_table(title: str) -> Table:
    """A table in the style of all others."""
    return Table(title=Text(title), title_justify="left", title_style="bold", box=None)


def fits(table: Table, width: int) -> bool:
    """Whether a table has room for all it holds."""
    wide = Console(width=1000)
    return Measurement.get(wide, wide.options, table).maximum <= width


def fit_width(
    made: Callable[[Sequence[str]], Table], heads: Sequence[str], spare: Sequence[str], width: int
) -> Table:
    """The table with all its columns, or without some that can be spared, the first of them first.

    Every figure is in --json and --csv, so nothing is lost on a narrow terminal.
    """
    shown = list(heads)
    for head in spare:
        if fits(made(shown), width):
            break
        shown.remove(head)
    return made(shown)


def longest_name(names: Sequence[str]) -> int:
    """Room for names, within reason: a figure without its name says nothing."""
    return max([8, *(min(len(truncate(one)), 20) for one in names)])


def status_text(status: Status, where: str = "") -> Text:
    """A status by its shape and its word, never by colour alone."""
    return Text(f"{format_status(status)}{where}", STYLES[status], no_wrap=True)
