"""Results on a terminal, or as plain text: the first screen, tables, charts in letters, words."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from unveil.errors import check_name, printable
from unveil.results import Check, Result, Row, Table

MOST = 12  # rows of a table on the first screen
WORD = 20  # letters of a text that are not parted
BAR = 30  # letters of the longest bar
SIGNS = {
    "within limit": "●", "cannot reach the limit": "●", "above limit": "■", "not measured": "■",
    "to be decided": "▲", "cannot tell": "○",
}  # fmt: skip
QUIET = ("within limit", "cannot reach the limit")


def screen(
    results: Sequence[Result],
    names: Iterable[str] = (),
    checks: Sequence[Check] = (),
    typed: str = "",
) -> str:
    """What is asked for of several results, as plain text; without names the first screen.

    `typed` is the command that made them: the next step repeats it.
    """
    names = list(names)
    known = {name for r in results for name in (r.name, *r.tables, *r.charts)}
    for name in names:
        check_name(name, [*sorted(known), "words", "all"], "There is no table or chart")
    width = max(80, min(shutil.get_terminal_size((80, 24)).columns, 160))
    console = Console(file=StringIO(), width=width, no_color=True, highlight=False, soft_wrap=False)
    for result in results:
        is_first_screen = not names or (result.name in names and result.name not in result.tables)
        for part in _first_screen(result) if is_first_screen else _parts(result, names):
            console.print(part)
    for line in _checked(checks):
        console.print(_plain(line))
    console.print(_plain(_next(results[0], names, typed)), soft_wrap=True)  # one line to copy
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def _next(result: Result, names: Sequence[str], typed: str) -> str:
    """What is worth seeing after this, as it is typed."""
    step = f"--out {result.name}.html" if names else f"--show {result.next}"
    if not typed:
        return f'Next: .save("{result.name}.html")' if names else f'Next: .show("{result.next}")'
    if names and ("--out" in typed or typed.startswith("unveil demo")):
        step, typed = "--help", f"unveil {result.name}"
    return f"Next: {typed} {step}"


def _plain(text: str) -> Text:
    return Text(printable(text))


def _first_screen(result: Result) -> Iterator[RenderableType]:
    yield Text(result.title)
    yield from map(_plain, result.head)
    for table in result.all_tables():
        if table.heading.is_first:
            yield _grid(table, table.first_rows[:MOST])
            if len(table.first_rows) > MOST:
                yield Text(f"{len(table.first_rows) - MOST} more rows in {table.name}.")
    yield from map(_plain, result.foot)


def _parts(result: Result, names: Sequence[str]) -> Iterator[RenderableType]:
    is_all = "all" in names
    if "words" in names or is_all:
        yield from map(_plain, result.sentences)
        yield from (_plain(note.sentence) for note in result.notes)
    for table in result.all_tables():
        if table.name in names or (is_all and table.rows):
            yield Text(f"\n{table.heading.title}")
            yield _grid(table, table.first_rows) if table.rows else Text("none")
    for name in result.charts:
        if name in names and name not in result.tables:
            yield from _bars(result, name)


def _grid(table: Table, rows: Sequence[Row]) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    columns = table.first_columns
    texts = {name: [_plain(unit.text(row[name])) for row in rows] for name, unit in columns.items()}
    for name, unit in columns.items():
        longest = max((text.cell_len for text in [Text(unit.title), *texts[name]]), default=0)
        grid.add_column(
            unit.title.replace(" ", "\n") if unit.is_figure else unit.title,
            vertical="bottom",
            justify="right" if unit.is_figure else "left",
            overflow="fold",
            min_width=None if unit.is_figure else min(longest, WORD),
            no_wrap=unit.is_figure,
        )
    for line in zip(*texts.values(), strict=True):
        grid.add_row(*line)
    return grid


def _bars(result: Result, name: str) -> Iterator[Text]:
    """A chart in letters: a bar for each number."""
    drawing = result.drawings[name]
    table = result.table(drawing.table)
    labels = [drawing.columns[part] for part in ("group", "label") if part in drawing.columns]
    figures = [column for column in drawing.columns.values() if column not in labels]
    highest = max((row[f] or 0 for row in table.first_rows for f in figures), default=0) or 1
    yield Text(f"\n{drawing.title}")
    for row in table.first_rows:
        for figure in figures:
            unit, value = table.units[figure], row[figure]
            bar = "█" * round(BAR * max(value or 0, 0) / highest)
            about = " ".join(table.units[label].text(row[label]) for label in labels)
            yield _plain(f"{about[:24]:<24} {unit.title[:10]:<10} {bar} {unit.text(value)}")


def _checked(checks: Sequence[Check]) -> Iterator[str]:
    """A line for each figure that is not within its limit, as many as fit, and one of all."""
    stands_out = [check for check in checks if check.status not in QUIET]
    for check in stands_out[:MOST]:
        about = " ".join(filter(None, (check.figure, check.version, check.subject)))
        value = "" if check.value is None else f" {check.value:,.1f}"
        copy = f" (copy {check.copy})" if check.copy not in (1, "") else ""
        yield f"{SIGNS[check.status]} {about}{value}{copy}: {check.status} (limit {_limit(check)})"
    groups: dict[tuple[str, str, str], int] = {}
    for check in [*stands_out[MOST:], *(check for check in checks if check.status in QUIET)]:
        about_limit = check.figure, _limit(check), check.status
        groups[about_limit] = groups.get(about_limit, 0) + 1
    for (figure, limit, status), number in groups.items():
        more = " more" if status not in QUIET else ""
        yield f"{SIGNS[status]} {figure}: {number:,}{more} {status} (limit {limit})"


def _limit(check: Check) -> str:
    """Limits on people in percent too."""
    of = f" of {check.of:,.0f}, {100 * check.limit / check.of:g} %" if check.of else ""
    return f"{check.limit:,g}{of}"
