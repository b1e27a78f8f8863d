"""Blocks on a terminal, as wide as there is room for; every figure is in --json and --csv."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import assert_never

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from unveil.records.judgement import Status
from unveil.view.blocks import (
    STATUS_OF_GLYPH,
    AlertBox,
    Block,
    Column,
    Command,
    Facts,
    Figure,
    Folded,
    Heading,
    Items,
    Kind,
    Sentence,
    Signatures,
    TableBlock,
    Words,
)
from unveil.view.format import lines

STYLES: dict[Status, str] = {
    "above": "bold red",
    "not measured": "bold red",
    "review": "yellow",
    "within": "green",
    "no limit": "dim",
}
_HEADINGS = {2: "bold", 3: "bold", 4: "bold underline"}
_SENTENCES: dict[Kind, str] = {"stop": "bold red", "dim": "dim"}
_BORDERS = {"block": "bold red", "decide": "bold yellow"}
LONGEST_NAME = 20
"""So much of a name is kept on one line; a longer one is folded."""
_WIDEST = 1000  # at which nothing is broken


Drawn = Group
"""What is ready to be printed."""


def render_rich(
    blocks: Iterable[Block], *, width: int | None = None, has_details: bool = False
) -> Group:
    """The blocks one below the other, a blank line between what differs in kind."""
    width = Console().width if width is None else width
    parts: list[RenderableType] = [Text()]
    for (kind, _), some in groupby(_unfold(blocks, has_details), key=_alike):
        alike = list(some)
        drawn = list(_draw_group(alike, width))
        if drawn:
            if kind is Command and len(parts) > 1 and isinstance(parts[-1], Text):
                parts.pop()  # a command stands directly below what it is for
            parts += drawn if kind is Heading else [*drawn, Text()]
    return Group(*parts[:-1] if len(parts) > 1 and isinstance(parts[-1], Text) else parts)


def count_lines(blocks: Iterable[Block], width: int | None = None) -> int:
    """How many lines the blocks take on a terminal."""
    console = Console() if width is None else Console(width=width)
    return len(console.render_lines(render_rich(blocks, width=width), pad=False))


def print_rich(shown: RenderableType) -> str | None:
    """Print on a terminal; elsewhere hand back the same as plain lines."""
    console = Console()
    if console.is_terminal:
        console.print(shown)
        return None
    with console.capture() as printed:
        console.print(shown)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def _unfold(blocks: Iterable[Block], has_details: bool) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block.sentence
        elif not isinstance(block, Folded):
            yield block
        elif has_details:
            yield Heading(block.summary, 4)
            yield from _unfold(block.blocks, has_details)
        elif block.is_counted:
            yield Sentence(block.summary, "dim")


def _alike(block: Block) -> tuple[type, object]:
    """Blocks drawn without a blank line between: tables never are."""
    if isinstance(block, Sentence):
        return Sentence, (block.kind, bool(block.figure or block.symbol))
    return type(block), id(block) if isinstance(block, TableBlock | Facts) else None


def _draw_group(blocks: list[Block], width: int) -> Iterator[RenderableType]:
    """Sentences with figures stand as one grid; everything else is drawn by itself."""
    said = [one for one in blocks if isinstance(one, Sentence) and (one.figure or one.symbol)]
    if said:
        yield _figures(said)
    else:
        for block in blocks:
            yield from _draw(block, width)


def _draw(block: Block, width: int) -> Iterator[RenderableType]:
    match block:
        case Heading() | Sentence() | Items() | Command():
            yield from _draw_text(block, width)
        case Facts():
            yield from _facts(block)
        case TableBlock():
            yield from _draw_table(block, width)
        case AlertBox():
            yield _alert(block)
        case Figure() | Folded() | Signatures():  # taken apart by `_unfold`, or of paper alone
            return
        case _:
            assert_never(block)


def _draw_text(block: Words, width: int) -> Iterator[RenderableType]:
    match block:
        case Heading():
            yield Text(lines(block.text), style=_HEADINGS[block.level])
        case Sentence():
            shown = break_command(lines(block.text), width)
            text = Text(shown, style=_SENTENCES.get(block.kind, ""))
            yield Padding(text, (0, 0, 0, 1)) if block.kind == "plain" else text
        case Items():
            yield from _items(block)
        case Command():
            shown = break_command(lines(block.text), width - 3)
            yield Padding(Text(shown, style="dim"), (0, 0, 0, 3))


def break_command(text: str, width: int) -> str:
    """A command in lines that a shell reads as one: broken between its words, never in quotes."""
    starts = ("unveil ", "Next: unveil ")
    if not text.startswith(starts) or len(text) <= width or "$'" in text:
        return text
    command, beside, rest = text.partition("   ")
    broken, *words = re.findall(r"""(?:[^\s"']|"[^"]*"|'[^']*'|["'])+""", command)
    taken = len(broken)
    for word in words:
        fits = taken + len(word) + len(" ") + len(" \\") <= width
        broken += f" {word}" if fits else f" \\\n  {word}"
        taken = len(broken.rpartition("\n")[2])
    return f"{broken}{beside if taken + len(beside + rest) <= width else chr(10)}{rest}"


def _items(block: Items) -> Iterator[RenderableType]:
    """Items below each other, each beside its mark or number."""
    if not (block.mark or block.is_numbered):
        yield from (Padding(Text(lines(row)), (0, 0, 0, 1)) for row in block.rows)
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for place, row in enumerate(block.rows, start=1):
        mark = f"{place}" if block.is_numbered else block.mark
        grid.add_row(mark, Text(lines(row)))
    if block.rows:
        yield Padding(grid, (0, 0, 0, 1))


def _draw_table(block: TableBlock, width: int) -> Iterator[RenderableType]:
    if block.rows:
        if block.caption:  # as wide as the screen, not broken to the width of the table
            yield Text(lines(block.caption), style="bold")
        yield _fit(block, width)
        if block.footnote:
            yield Padding(Text(lines(block.footnote), style="dim"), (0, 0, 0, 1))


def _figures(said: list[Sentence]) -> Table:
    """Each figure beside the sentence that says what it means."""
    grid = new_grid("")
    grid.show_header = False
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for one in said:
        grid.add_row(Text(lines(one.figure)), Text(lines(one.symbol), "dim"), Text(lines(one.text)))
    return grid


def _facts(block: Facts) -> Iterator[RenderableType]:
    rows = [(name, value) for name, value in block.rows if value]
    if rows:
        grid = new_grid("")
        grid.show_header = False
        grid.add_column(no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        for name, value in rows:
            grid.add_row(Text(lines(name), "dim"), Text(lines(value)))
        yield grid


def _fit(block: TableBlock, width: int) -> RenderableType:
    """The table with all its columns, without those that can be spared, or row below row."""
    spare = sorted((one for one in block.columns if one.spare), key=lambda one: -one.spare)
    left_out: list[Column] = []
    if spare:
        wide = Console(width=_WIDEST)
        widths = [_width_of(block, place, wide) for place in range(len(block.columns))]
    for column in spare:
        shown = zip(block.columns, widths, strict=True)
        taken = sum(one_width for one, one_width in shown if one not in left_out)
        if min(taken, _WIDEST) <= width:
            break
        left_out.append(column)
    places = [place for place, one in enumerate(block.columns) if one not in left_out]
    grid, wide = _grid(block, places), Console(width=_WIDEST)
    if Measurement.get(wide, wide.options, grid).minimum > width:
        return Group(*(_stacked(row, block.columns) for row in block.rows))
    return grid


def _stacked(row: Sequence[str], columns: Sequence[Column]) -> RenderableType:
    """A row where there is no room for a table: its first cell, and the others with their heads."""
    first, *rest = (lines(cell) for cell in row)
    heads = (lines(column.head).replace("\n", " ") for column in columns[1:])
    said = (f"{head} {cell}".strip() for head, cell in zip(heads, rest, strict=True) if cell)
    body = Padding(Text("; ".join(said)), (0, 0, 0, 2))
    return Padding(Group(Text(first, "bold"), body), (0, 0, 0, 1))


def _width_of(block: TableBlock, place: int, wide: Console) -> int:
    """How wide a column is with nothing broken; it does not depend on the others."""
    return Measurement.get(wide, wide.options, _grid(block, [place])).maximum


def _grid(block: TableBlock, shown: Sequence[int]) -> Table:
    grid = new_grid("")
    for place in shown:
        column = block.columns[place]
        longest = max((len(row[place]) for row in block.rows), default=0)
        if column.kind == "number":
            grid.add_column(_two_lines(column.head), justify="right", no_wrap=True)
        elif column.kind == "status":
            grid.add_column(column.head, no_wrap=True)
        else:
            least = min(longest, LONGEST_NAME)
            grid.add_column(_two_lines(column.head), overflow="fold", min_width=least)
    for row in block.rows:
        grid.add_row(*(_cell(row[place], block.columns[place]) for place in shown))
    return grid


def _two_lines(head: str) -> Text:
    return Text(lines(head) if "\n" in head else lines(head).replace(" ", "\n", 1))


def _cell(text: str, column: Column) -> Text:
    style = "bold" if column.is_main else ""
    if column.kind == "status":
        style = STYLES.get(STATUS_OF_GLYPH.get(text[:1], "no limit"), "")
    return Text(lines(text), style)


def _alert(block: AlertBox) -> RenderableType:
    """A panel for what stands against a release; plain lines for a review or what is accepted."""
    *said, last = (lines(one) for one in block.lines)
    body = [*map(Text, said), Text(last, "dim")]
    if block.status not in _BORDERS:
        head = Text(lines(block.head), "bold")
        return Padding(Group(head, *(Padding(one, (0, 2)) for one in body)), (0, 1))
    border = _BORDERS[block.status]
    title = Text(lines(block.head))
    return Panel(Group(*body), title=title, title_align="left", border_style=border)


def new_grid(title: str) -> Table:
    """A table in the style of all others."""
    shown = Text(lines(title)) if title else None
    return Table(title=shown, title_justify="left", title_style="bold", box=None)
