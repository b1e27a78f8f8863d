"""Results on a terminal, or as plain text: the first screen, tables, charts in letters, words."""

import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.align import Align
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from unveil.arguments import quote_name
from unveil.errors import check_name, printable
from unveil.results import Check, Onward, Result, Row, Table, grouped

LINES, FEWEST = 25, 3  # of the first screen at most; of a table in it at least
MOST = 3  # figures that are not within their limits, each in a line
WIDTH = 80  # letters of the narrowest line
WORD, SHORTEST = 20, 8  # letters of a text that are not parted, where all columns fit or not
GAP = 2  # letters between columns
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
    width = max(WIDTH, min(shutil.get_terminal_size((WIDTH, 24)).columns, 160))
    parts = [
        part
        for result in results
        for part in (
            _first_screen(result)
            if not names or (result.name in names and result.name not in result.tables)
            else _parts(result, names)
        )
    ]
    parts += map(_plain, _checked(checks))
    lines = [(part, _lines(part, width)) for part in parts]
    if not names:
        lines = _cut(lines)
    texts = [line for _, of_part in lines for line in of_part]
    if results[0].verdict and not names:
        from unveil.show.figures import verdict_lines

        texts = [printable(line) for line in verdict_lines(results[0], results[1:])]
    return "\n".join([*texts, printable(_next(results[0], names, typed))])  # one line to copy


def _lines(part: RenderableType, width: int) -> list[str]:
    """What one part looks like."""
    console = Console(file=StringIO(), width=width, no_color=True, highlight=False)
    console.print(part)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return [line.rstrip() for line in text.splitlines()]


def _cut(parts: list[tuple[RenderableType, list[str]]]) -> list[tuple[RenderableType, list[str]]]:
    """The first screen: tables have the room that is left, and what short ones leave."""
    tables = sorted((lines for part, lines in parts if isinstance(part, Grid)), key=len)
    room = LINES - 1 - sum(len(lines) for part, lines in parts if not isinstance(part, Grid))
    most = 0
    for place, lines in enumerate(tables):
        most = max(room // (len(tables) - place), FEWEST)
        if len(lines) > most:
            break
        room -= len(lines)
    return [
        (part, [*lines[: most - 1], f"... {len(lines) - most + 1:,} more lines with --show."])
        if isinstance(part, Grid) and len(lines) > most
        else (part, lines)
        for part, lines in parts
    ]


def _next(result: Result, names: Sequence[str], typed: str) -> str:
    """What is worth seeing after this, as it is typed."""
    if result.step and not names:
        words = shlex.split(typed)
        places = [place for place, word in enumerate(words) if word in ("-p", "--project")]
        folder = [part for place in places for part in words[place : place + 2]]
        return f"Next: {result.step}{' ' * bool(folder)}{shlex.join(folder)}"
    if result.onward and not names and (typed or result.onward.call):
        return f"Next: {_onward(result.onward, typed)}"
    step = f"--out {result.name}.html" if names else f"--show {result.next}"
    if not typed:
        return f'Next: .save("{result.name}.html")' if names else f'Next: .show("{result.next}")'
    if names and ("--out" in typed or typed.startswith("unveil demo")):
        command = typed.split()[1].replace("demo", result.name)
        step, typed = "--help", f"unveil {command}"
    return f"Next: {_with_options(shlex.split(typed), step.split())}"


def _onward(step: Onward, typed: str) -> str:
    """Another call on the same files, in Python or as a command."""
    if not typed:
        columns = f", columns={{**study.columns, **{step.columns}}}" if step.columns else ""
        return f"unveil.{step.call}(study.replace(keys={tuple(step.keys)}{columns}))"
    words = ["-k", ",".join(map(quote_name, step.keys))] if step.keys else []
    for name, about in step.columns.items():
        for setting, value in about.items():
            entry = value if isinstance(value, str) else ",".join(map(str, value))
            part = "" if setting == "role" else f":{setting}"
            words += ["-c", f"{quote_name(name)}{part}={entry}"]
    program, _, *rest = shlex.split(typed)
    return _with_options([program, step.command, *_without(rest, step.drops)], [*words, *step.adds])


def _without(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """What was typed, without these options and what stands beside them."""
    is_value = False
    for word in words:
        is_dropped = is_value or word.partition("=")[0] in options
        is_value = word in options and word != "--json"
        if not is_dropped:
            yield word


def _with_options(typed: list[str], options: list[str]) -> str:
    """A command with options more, before what is no option, whatever it looks like."""
    place = typed.index("--") if "--" in typed else len(typed)
    return shlex.join([*typed[:place], *options, *typed[place:]])


def _plain(text: str) -> Text:
    return Text(printable(text))


def _first_screen(result: Result) -> Iterator[RenderableType]:
    yield Text(result.title)
    yield from map(_plain, result.head)
    yield from [_plain(note.sentence) for note in result.notes if note.about == "files"][:2]
    for table in result.all_tables():
        if table.heading.is_first and table.rows:
            yield _grid(table, table.first_rows)
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
    grid = Grid(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    columns = table.first_columns
    texts = {name: [_plain(unit.text(row[name])) for row in rows] for name, unit in columns.items()}
    lengths = {
        name: max(
            len(word)
            for word in (
                *(unit.title.split() if unit.is_figure else [unit.title]),
                *(text.plain for text in texts[name]),
            )
        )
        for name, unit in columns.items()
    }
    word = _longest_word(
        [length for name, length in lengths.items() if not columns[name].is_figure],
        WIDTH - sum(length + GAP for name, length in lengths.items() if columns[name].is_figure),
    )
    for name, unit in columns.items():
        title = unit.title.replace(" ", "\n") if unit.is_figure else unit.title
        grid.add_column(
            Align(title, "right" if unit.is_figure else "left", vertical="bottom"),
            justify="right" if unit.is_figure else "left",
            overflow="fold",
            min_width=None if unit.is_figure else min(lengths[name], word),
            no_wrap=unit.is_figure,
        )
    for line in zip(*texts.values(), strict=True):
        grid.add_row(*line)
    return grid


def _longest_word(lengths: Sequence[int], room: int) -> int:
    """How many letters of a text are kept together, so that the last figure is not cut off."""
    return next(
        (
            word
            for word in range(WORD, SHORTEST, -1)
            if sum(min(length, word) + GAP for length in lengths) <= room
        ),
        SHORTEST,
    )


def _bars(result: Result, name: str) -> Iterator[Text]:
    """A chart in letters: a bar for each number."""
    drawing = result.drawings[name]
    if not drawing.table:
        yield Text(f"\n{drawing.title}: a picture, --out {name}.png --show {name}.")
        return
    table = result.table(drawing.table)
    columns = drawing.columns.values()
    names = ("group", "label", "m", "start", "end")
    first = [drawing.columns[part] for part in names if part in drawing.columns]
    figures = [c for c in columns if table.units[c].is_figure and c not in first]
    labels = [*first, *(c for c in columns if c not in [*first, *figures])]
    rows = table.rows if "m" in drawing.columns else table.first_rows
    highest = max((row[f] or 0 for row in rows for f in figures), default=0) or 1
    yield Text(f"\n{drawing.title}")
    for row in rows:
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
    others = [*stands_out[MOST:], *(check for check in checks if check.status in QUIET)]
    for same in grouped(others, lambda check: check.status):
        figures = ", ".join(dict.fromkeys(check.figure for check in same))
        limits = {_limit(check) for check in same}
        status = f"{same[0].status} (limit {limits.pop()})" if len(limits) == 1 else same[0].status
        more = " more" if same[0] in stands_out else ""
        yield f"{SIGNS[same[0].status]} {figures}: {len(same):,}{more} {status}"


def _limit(check: Check) -> str:
    """Limits on people in percent too."""
    of = f" of {check.of:,.0f}, {100 * check.limit / check.of:g} %" if check.of else ""
    return f"{check.limit:,g}{of}"
