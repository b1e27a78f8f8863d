"""Results on a terminal, or as plain text: the first screen, tables, charts in letters, words."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from unveil.errors import check_name
from unveil.results import Check, Result, Row, Table

MOST = 12  # rows of a table on the first screen
WORD = 20  # letters of a text that are not parted
BAR = 40  # letters of the longest bar
SIGNS = {"within limit": "●", "above limit": "■", "to be decided": "▲", "not measured": "■"}


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
    for line in _checked(checks, results[0].people):
        console.print(_plain(line))
    if not names:
        step = results[0].next
        console.print(Text(f"Next: {typed} --show {step}" if typed else f'Next: .show("{step}")'))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def _plain(text: str) -> Text:
    """Text in which nothing acts on a terminal: labels come from files."""
    return Text("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}"
                        for letter in text))  # fmt: skip


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
        longest = max((text.cell_len for text in texts[name]), default=0)
        grid.add_column(
            unit.title.replace(" ", "\n") if unit.is_figure else unit.title,
            vertical="bottom",
            justify="right" if unit.is_figure else "left",
            overflow="fold",
            min_width=longest if unit.is_figure else min(longest, WORD),
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


def _checked(checks: Sequence[Check], n: int) -> Iterator[str]:
    """A line for each figure that has a limit; limits on people in percent too."""
    for check in checks:
        about = " ".join(filter(None, (check.figure, check.version, check.subject)))
        value = "" if check.value is None else f" {check.value:,.1f}"
        of_people = f" people, {100 * check.limit / n:g} %" if check.is_of_people and n else ""
        sign = SIGNS.get(check.status, "○")
        yield f"{sign} {about}{value}: {check.status} (limit {check.limit:,g}{of_people})"
