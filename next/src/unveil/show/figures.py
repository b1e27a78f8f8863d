"""Figures of people on a terminal: the verdict, blocks of rows, and what was not tested."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from unveil.results import ALONE, COMPLETE, NEARLY, PeopleFigure, grouped
from unveil.results.units import People

WIDTH, LINES = 80, 25
OPENING, FOOT, INDENT = 4, 2, 12  # lines of the verdict, and of each sentence below the figures
SIGNS = {"blocked": "■", "decide": "▲", "review": "●", "within": "●"}
OF_STATUS = {
    "within limit": "● within", "above limit": "■ above", "to be decided": "▲ to decide,",
    "cannot tell": "○ cannot tell,", "cannot reach the limit": "○ cannot reach",
}  # fmt: skip
BLOCKS = ("records", "uniques", "links", "keys", "sensitive")
STANDS_OUT = ("above limit", "to be decided", "not measured")
SHOWN_AS = {
    NEARLY: "equal in all, or but one", ALONE: "equal in all, nobody alike",
    "unique in both files": "unique in both",
}  # fmt: skip
whole = People().text


def verdict_lines(result: Any, others: Sequence[Any]) -> list[str]:
    """The first screen of a result that gives a verdict, and a line of results beside it."""
    text = f"{SIGNS[result.verdict.status]} {' '.join(result.head)}"
    opening = wrap(text, WIDTH, max_lines=OPENING, placeholder=" ...")
    said = [*result.foot, *(f"{other.name}: {' '.join(other.head)}" for other in others)]
    below = [line for text in said for line in paragraph(text)]
    room = LINES - 1 - len(opening) - len(below)
    return [*opening, *list(figure_lines(result))[:room], *below]


def figure_lines(result: Any) -> Iterator[str]:
    """The blocks of rows."""
    figures = [_worst(same) for same in grouped(result.figures, _of_copies)]
    blocks = [
        block for kind in BLOCKS if (block := [f for f in figures if f.kind == kind])
    ]  # fmt: skip
    rows = {id(f): _cells(f) for block in blocks for f in _first(block)}
    widths = [max((len(row[place]) for row in rows.values()), default=0) for place in range(4)]
    heads = (result.settings["unit"], "from others", "beyond", "limit")
    widths = [max(width, len(head)) for width, head in zip(widths, heads, strict=True)]
    name = WIDTH - sum(widths) - 2 * len(widths)

    def line(label: str, cells: Sequence[str]) -> str:
        texts = (cell.rjust(width) for cell, width in zip(cells[:3], widths, strict=False))
        return "  ".join([_cut(label, name), *texts, cells[3]])

    yield line("", heads)
    for block in blocks:
        if block[0].kind == "links" and all((f.beyond or 0) <= (f.margin or 0) for f in block):
            searched = f"{block[0].searched:,} figures"
            yield f"Disclosed by linking other columns: none beyond chance, {searched}"
            continue
        yield _title(block, result.settings["unit"])
        for figure in _first(block):
            odd = " (exceptions)" if figure.symbol == "exceptions" else ""
            of = f", of {whole(figure.of)}" if figure.kind in ("uniques", "sensitive") else ""
            label = f"  {SHOWN_AS.get(figure.what, figure.what)}{odd}{of}"
            yield line(label, rows[id(figure)])
        yield from _others(block)


def _of_copies(figure: PeopleFigure) -> tuple[str, str, str, str]:
    by = "" if figure.kind == "links" else figure.by
    return figure.kind, figure.what, by, figure.symbol


def _worst(figures: Sequence[PeopleFigure]) -> PeopleFigure:
    """Of several versions and copies."""
    return min(figures, key=_gravity)


def _gravity(figure: PeopleFigure) -> tuple[int, float]:
    place = STANDS_OUT.index(figure.status) if figure.status in STANDS_OUT else len(STANDS_OUT)
    return place, -(figure.beyond or 0)


def _first(block: Sequence[PeopleFigure]) -> list[PeopleFigure]:
    """The rows that a block prints: records one by one, of others the worst."""
    if block[0].kind == "records":
        return [f for f in block if f.what in (COMPLETE, NEARLY) or f.status in STANDS_OUT]
    return _by_gravity(block)[:1]


def _by_gravity(block: Sequence[PeopleFigure]) -> list[PeopleFigure]:
    """The gravest first; exceptions only where they stand out."""
    told = [f for f in block if f.symbol != "exceptions" or f.status in STANDS_OUT]
    return sorted(told, key=_gravity)


def _others(block: Sequence[PeopleFigure]) -> Iterator[str]:
    """One line that counts the rows that are not printed."""
    if block[0].kind == "records":
        return
    for same in grouped(
        _by_gravity(block)[1:], lambda f: f.status if f.status in STANDS_OUT else ""
    )[:2]:
        beyond = [f.beyond for f in same if f.beyond is not None]
        status = f" {same[0].status}" if same[0].status in STANDS_OUT else ""
        ends = dict.fromkeys(f"{end:+,.0f}" for end in (min(beyond), max(beyond))) if beyond else {}
        most = f": {' to '.join(ends)} beyond" if ends else ""
        yield f"  {len(same):,} more{status}{most}"


def _title(block: Sequence[PeopleFigure], unit: str) -> str:
    by = min(block, key=_gravity).by
    titles = {
        "records": f"Records of real {unit} in the data",
        "uniques": f"Possible matches by {by}",
        "links": f"Disclosed by linking {by}",
        "keys": f"Disclosed to an intruder who knows {by}",
        "sensitive": "Sensitive values, beside the shares alone",
    }
    return _cut(titles[block[0].kind], WIDTH).rstrip()


def _cells(figure: PeopleFigure) -> tuple[str, str, str, str]:
    margin = "" if figure.margin is None else f" ± {whole(figure.margin)}"
    beyond = "-" if figure.beyond is None else f"{figure.beyond:+,.0f}{margin}"
    return whole(figure.people), whole(figure.expected), beyond, _status(figure)


def _status(figure: PeopleFigure) -> str:
    if figure.status not in OF_STATUS:
        return figure.status if figure.status == "no limit" else f"■ {figure.status}"
    limit = "" if figure.limit is None else f" {figure.limit:,.0f}"
    words = OF_STATUS[figure.status]
    return f"{words}{limit}" if limit else words.rstrip(",")


def _cut(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else f"{text[: width - 3]}..."


def paragraph(text: str) -> list[str]:
    """A text with its label in a column of its own."""
    label, _, said = text.partition(": ")
    lines = wrap(said, WIDTH - INDENT, max_lines=FOOT, placeholder=" ...")
    return [(label if line is lines[0] else "").ljust(INDENT) + line for line in lines]
