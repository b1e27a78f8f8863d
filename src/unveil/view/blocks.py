"""What is shown of a record, stated once: a short list of blocks that every renderer draws.

A view turns a record into blocks; `render_rich` draws them on a terminal, `render_html` in a
notebook or on a page. Text in a block is plain: each renderer makes it harmless for where it goes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from unveil.records.disclosure import Coercion
from unveil.records.judgement import Status
from unveil.view.format import lines, truncate

if TYPE_CHECKING:
    from unveil.view.charts.chart import Chart

Row = TypeVar("Row")
Kind = Literal["plain", "lead", "look", "stop", "dim"]
ColumnKind = Literal["text", "number", "status", "hash"]


@dataclass(frozen=True)
class Heading:
    """What the blocks after it are about; 3 is the title of a record, 4 a part of it."""

    text: str
    level: Literal[2, 3, 4] = 3


@dataclass(frozen=True)
class Sentence:
    """One statement; in a report it names its template and what it is of, so a test finds it."""

    text: str
    kind: Kind = "plain"
    key: str = ""  # the template: "disclosure/DiSCO"
    of: str = ""  # part, target or subject, copy; as far as it has them
    figure: str = ""  # "19.6 %", before the sentence that says what it means
    symbol: str = ""  # "DiSCO"


@dataclass(frozen=True)
class Facts:
    """Values under their names; one without a value is not shown."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Column:
    """A column of a table; of the spare ones the highest gives way first where room is short."""

    head: str
    kind: ColumnKind = "number"
    spare: int = 0
    is_main: bool = False  # printed in bold


@dataclass(frozen=True)
class ShareBar:
    """A bar from 0 to 100 %: what is disclosed correctly, beside it wrongly, a dot, a limit."""

    correct: float
    wrong: float = 0.0
    dot: float | None = None  # the original
    limit: float | None = None


@dataclass(frozen=True)
class TableBlock:
    """Rows of text under heads; nothing is drawn without rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    footnote: str = ""  # "... and 12 more below 1 %"
    bars: tuple[ShareBar, ...] = ()  # one for each row, on a page only; or none
    bar_head: str = "0 to 100 % of people"


@dataclass(frozen=True)
class Items:
    """A list; the mark stands before each item on a terminal."""

    rows: tuple[str, ...]
    mark: str = ""
    is_numbered: bool = False
    files: tuple[str, ...] = ()  # one for each row, beside the page: its rows are links there


@dataclass(frozen=True)
class Command:
    """What to type next."""

    text: str


@dataclass(frozen=True)
class AlertBox:
    """Something that stands against a release, or asks for a decision or a review."""

    status: Literal["block", "decide", "review", "accepted", "within"]
    head: str
    lines: tuple[str, ...]
    id: str = ""


@dataclass(frozen=True)
class Figure:
    """A chart under the sentence it supports, with its caption and its figures as a table.

    On a terminal only the sentence is drawn: the views of a terminal have tables of their own. So
    it is on paper where sentences beside the chart say what it shows.
    """

    sentence: Sentence
    chart: "Chart"
    caption: str
    table: TableBlock | None = None
    is_printed: bool = True


@dataclass(frozen=True)
class Signatures:
    """Boxes to tick and lines to sign, on a page only."""

    choices: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Folded:
    """Detail: unfolds on a page, is hidden on paper, and on a terminal unless asked for."""

    summary: str
    blocks: "tuple[Block, ...]"
    is_counted: bool = False  # a terminal shows the summary where it does not unfold


Words = Heading | Sentence | Items | Command
Block = Words | Facts | TableBlock | AlertBox | Figure | Signatures | Folded


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    text: Sequence[str] = (),
    spare: Sequence[str] = (),
    main: Sequence[str] = (),
    footnote: str = "",
    bars: Sequence[ShareBar] = (),
) -> TableBlock:
    """A table of figures: the first column and those in `text` hold text, the others numbers.

    `spare` names the columns that give way where room is short, the first of them first.
    """
    order = {head: len(spare) - place for place, head in enumerate(spare)}
    kinds: dict[str, ColumnKind] = {one: "text" for one in (*heads[:1], *text)}
    kinds |= {one: "status" for one in heads if one.startswith("status")}
    columns = tuple(
        Column(head, kinds.get(head, "number"), order.get(head, 0), head in main) for head in heads
    )
    return TableBlock(caption, columns, tuple(map(tuple, rows)), footnote, tuple(bars))


def list_rows(
    caption: str, columns: Mapping[str, Callable[[Row], str]], rows: Iterable[Row], **settings: Any
) -> TableBlock:
    """A table of records: under each head what is written of one of them."""
    cells = [[write(row) for write in columns.values()] for row in rows]
    return table(caption, tuple(columns), cells, **settings)


def sentences(texts: Iterable[str | None], kind: Kind = "plain") -> Iterator[Sentence]:
    """A block for each text; nothing of nothing."""
    yield from (Sentence(text, kind) for text in texts if text)


def limit_line(text: str, *, is_within: bool) -> Sentence:
    """What a limit said, with its shape."""
    return Sentence(f"{'●' if is_within else '■'} {text}", "lead" if is_within else "stop")


def say(keyed: Iterable[tuple[str, str]], about: str = "", of: str = "") -> Iterator[Sentence]:
    """A sentence for each text, by the name of its figure; in a report also by what it is of."""
    yield from (Sentence(text, key=f"{about}/{key}" if about else "", of=of) for key, text in keyed)


STATUS_OF_GLYPH: dict[str, Status] = {
    "■": "above",
    "▲": "review",
    "●": "within",
    "○": "no limit",
    "-": "not measured",
}
"""The status of a cell by the shape it begins with; see `status.format_status`."""


# How files were read

MOST_COLUMNS = 5
"""Columns that are named in one note."""


def notes(coercions: Sequence[Coercion]) -> Iterator[Block]:
    """How the files were read and matched."""
    if coercions:
        yield Heading("How the files were read and matched", 4)
        yield Items(tuple(f"{one.side}: {lines(one.sentence)}" for one in group_notes(coercions)))


def group_notes(coercions: Sequence[Coercion]) -> list[Coercion]:
    """The same notes, but all columns that a side alone has in one sentence."""
    lone = [note for note in coercions if note.kind == "not_compared" and note.column]
    by_side: dict[str, list[str]] = {}
    for note in lone:
        by_side.setdefault(note.side, []).append(note.column or "")
    told = [_exclude(side, columns) for side, columns in by_side.items() if len(columns) > 1]
    sides = {note.side for note in told}
    return told + [note for note in coercions if note not in lone or note.side not in sides]


def _exclude(side: str, columns: Sequence[str]) -> Coercion:
    shown = [truncate(column) for column in columns]
    if len(shown) > MOST_COLUMNS + 1:
        shown = [*shown[:MOST_COLUMNS], f"{len(shown) - MOST_COLUMNS:,} more"]
    names = f"{', '.join(shown[:-1])} and {shown[-1]}"
    sentence = f"{len(columns)} columns are not in every file and were excluded: {names}."
    return Coercion(side=side, column=None, kind="not_compared", sentence=sentence)
