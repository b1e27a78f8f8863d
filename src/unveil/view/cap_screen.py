"""CAP on a terminal: the paper's tables, the regressions on m, and all of it in words."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.cap import Cap, Head, heads
from unveil.view import cap as told
from unveil.view import tcap
from unveil.view.cap_trend import FIT_HEADS, fit_cells
from unveil.view.cap_words import SCENARIOS, key_set_name, label_of, share
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import new_table
from unveil.view.format import truncate

FIGURE = len("<0.0001")
LABEL = 18


def screen(record: Cap, width: int) -> Group:
    """All that a custodian sees, in the order they need it."""
    return Group(
        Text(),
        Text(told.TEMPLATES["title"], style="bold"),
        Text(told.sizes(record)),
        *map(Text, told.assumptions(record)),
        Text(),
        *_tables(record, width),
        *_fits(record),
        *_words(told.all_cap_sentences(record), _first_key_set(record)),
        *_render_tcap(record),
        *_nearest(record),
        *notes(record.coercions),
    )


def _first_key_set(record: Cap) -> str:
    return f", {truncate(record.key_sets[0].name)}" if _several(record) else ""


def _tables(record: Cap, width: int) -> Iterator[RenderableType]:
    """The paper's table, in as few parts as there is room for."""
    for n_shared in range(3):
        parts: dict[tuple[str, ...], list[Head]] = {}
        for head in heads(record):
            shared = (told.RULES[head.rule], SCENARIOS[head.scenario])[:n_shared]
            parts.setdefault(shared, []).append(head)
        if all(_room(record, columns, n_shared) <= width for columns in parts.values()):
            break
    for shared, columns in parts.items():
        yield _table(record, ", ".join(["CAP with m copies pooled", *shared]), columns, n_shared)
        yield Text()


def _room(record: Cap, columns: Sequence[Head], n_shared: int) -> int:
    widths = (max(FIGURE, *map(len, _heads(record, head)[n_shared:])) for head in columns)
    return LABEL + sum(width + 2 for width in widths)


def _heads(record: Cap, head: Head) -> list[str]:
    """What a column is of, from the widest to the narrowest; with one key set it is not named."""
    return [
        head.rule,
        head.scenario,
        *([truncate(head.key_set.name)] if _several(record) else [""]),
    ]


def _several(record: Cap) -> bool:
    return len(record.key_sets) > 1


def _table(record: Cap, title: str, columns: list[Head], n_shared: int) -> Table:
    table = new_table(title)
    table.add_column("", overflow="fold", min_width=LABEL - 2)
    for head in columns:
        shown = Text("\n".join(filter(None, _heads(record, head)[n_shared:])))
        table.add_column(shown, justify="right", overflow="fold")
    for place, (label, *cells) in enumerate(told.layout(record, columns)):
        style = "dim" if place < 2 else ""
        table.add_row(Text(label, style), *(Text(cell, style) for cell in cells))
    return table


def _fits(record: Cap) -> Iterator[RenderableType]:
    fits = [fit for fit in record.on_m if fit.n_points > 2]
    if not fits:
        return
    table = new_table("CAP on the number of copies m")
    for place, head in enumerate(FIT_HEADS):
        table.add_column(head, justify="left" if place < 3 else "right", overflow="fold")
    for fit in fits:
        table.add_row(*map(Text, fit_cells(record, fit)))
    yield table
    yield Text()


def _words(sentences: Iterator[str], about: str = "") -> Iterator[RenderableType]:
    yield Text(f"In words{about}", style="bold underline")
    for sentence in sentences:
        yield Padding(Text(sentence), (0, 0, 0, 1))
    yield Text()


def _render_tcap(record: Cap) -> Iterator[RenderableType]:
    """The three measures called TCAP, all copies of each method pooled."""
    last = {(row.method, row.keys): row for row in record.tcap}
    if not last or record.tau is None:
        return
    table = new_table("Three measures called TCAP")
    for place, head in enumerate(tcap.TCAP_HEADS):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in last.values():
        label, *cells = tcap.tcap_cells(row)
        if _several(record):
            label = f"{label}, {truncate(key_set_name(record, row.keys))}"
        table.add_row(Text(label), *map(Text, cells))
    yield table
    yield Text()
    first = next(iter(last.values()))
    about = f", {label_of(first.method, first.m)}" if len(last) > 1 else ""
    yield from _words(tcap.tcap_sentences(first, record.tau), about)


def _nearest(record: Cap) -> Iterator[RenderableType]:
    last = {(row.method, row.keys): row for row in record.gcap}
    if not last:
        return
    table = new_table("GCAP: guessing from the nearest keys")
    table.add_column("", overflow="fold")
    table.add_column("GCAP", justify="right")
    table.add_column(ratio=1)
    for row in last.values():
        label = label_of(row.method, row.m)
        if _several(record):
            label = f"{label}, {truncate(key_set_name(record, row.keys))}"
        table.add_row(Text(label), Text(share(row.gcap)), Text(tcap.gcap_sentence(row)))
    yield table
    yield Text()
