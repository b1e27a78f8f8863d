"""A protected copy on a terminal: what each step did, what should be known, where the files are."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.protection import Protection
from unveil.view import distance_filter as of_filter
from unveil.view import protection as told
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import new_table
from unveil.view.format import lines, visible
from unveil.view.render_documents import json_text


def document(record: Protection, paths: Sequence[Path]) -> str:
    """All of it for a machine: confidential; without seeds."""
    found = {**record.to_dict(), "written": [str(path) for path in paths]}
    return json_text(found)


def screen(record: Protection, paths: Sequence[Path], project: str) -> Group:
    """All that a custodian sees, in the order they need it."""
    return Group(
        Text(),
        Text("A protected copy", style="bold"),
        *(Text(sentence) for sentence in told.protection_sentences(record)),
        Text(),
        _table(
            "What each step did", told.STEP_HEADS, [told.step_cells(step) for step in record.steps]
        ),
        Text(),
        *_rounds(record),
        *_sweep(record),
        *_warnings(record),
        *notes(record.coercions),
        *(Text(f"Written: {visible(str(path))}") for path in paths),
        Text(told.TEMPLATES["apart"].format(folder=visible(str(paths[-1].parent)))),
        Text(told.TEMPLATES["entered"].format(project=visible(project))),
        Text(told.TEMPLATES["public"]),
        Text(told.TEMPLATES["next"]),
    )


def _rounds(record: Protection) -> Iterator[RenderableType]:
    if record.refill is not None:
        rows = of_filter.round_rows(record.refill)
        yield _table("Rounds of the filter", of_filter.ROUND_HEADS, rows)
        yield Text()


def _sweep(record: Protection) -> Iterator[RenderableType]:
    if record.sweep:
        rows = [told.sweep_cells(row) for row in record.sweep]
        yield _table("Sizes of leaves", told.SWEEP_HEADS, rows)
        yield from (Text(sentence) for sentence in told.sweep_sentences(record))
        yield Text()


def _warnings(record: Protection) -> Iterator[RenderableType]:
    if record.warnings:
        yield Text("What should be known of it", style="bold underline")
        yield from (Padding(Text(lines(one)), (0, 0, 0, 1)) for one in record.warnings)
        yield Text()


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    table = new_table(title)
    for place, head in enumerate(heads):
        is_text = place == 0 or head in ("what it did", "of")
        table.add_column(head, justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
