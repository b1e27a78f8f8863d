"""The utility of copies on a terminal, as JSON and as CSV."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.comparison import Comparison
from unveil.records.utility import PairTables, Projection, Tstr
from unveil.view import comparison as compared
from unveil.view import pair_tables as paired
from unveil.view import projection as projected
from unveil.view import tstr as trained
from unveil.view import utility as told
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, longest_name, new_table
from unveil.view.group_notes import group_notes
from unveil.view.pages.utility import UtilityFigures, headline, worst_copy
from unveil.view.render_documents import csv_document, json_text

Rows = Sequence[tuple[str, ...]]
MOST_SCORES, MOST_COLUMNS = 15, 15


def document(found: UtilityFigures, *, is_compared: bool, is_projected: bool) -> str:
    """All that was asked for, each the record of its own call."""
    placed = found.projection[0] if found.projection is not None and is_projected else None
    made = {
        "utility": found.utility.to_dict(),
        "tables": [one.to_dict() for one in found.tables],
        "comparison": found.comparison.to_dict() if is_compared else None,
        "projection": None if placed is None else placed.to_dict(),
        "tstr": None if found.tstr is None else found.tstr.to_dict(),
    }
    return json_text(made)


def table_lines(found: UtilityFigures) -> str:
    """Every table as one line, all its measures beside it."""
    rows = [
        {**row.to_dict(), "ways": record.ways, "variables": " : ".join(row.variables)}
        for record in found.tables
        for row in record.rows
    ]
    return f"{csv_document(rows)}\n"


def screen(found: UtilityFigures, width: int, *, is_compared: bool, is_projected: bool) -> Group:
    """All that a custodian sees, in the order they need it."""
    row = worst_copy(found.utility)
    placed = found.projection[0] if found.projection is not None and is_projected else None
    return Group(
        Text(),
        Text("How much of the original's story the copy still tells", style="bold"),
        Text(told.sizes(found.utility)),
        Text(),
        *_render_sentences(headline(found)),
        Text(),
        _grid(
            "Can a model tell them apart?",
            told.HEADS,
            [*map(told.cells, found.utility.rows)],
            width,
        ),
        Text(),
        *_render_sentences(told.sentences(found.utility, row)),
        Text(),
        *(part for one in found.tables for part in _tables(one, width)),
        *_columns(found.comparison, width),
        *(_associations(found.comparison, width) if is_compared else ()),
        *(() if placed is None else _projection(placed, width)),
        *(() if found.tstr is None else _tstr(found.tstr, width)),
        *notes(group_notes(found.utility.coercions)),
    )


def _render_sentences(sentences: Iterator[str]) -> Iterator[RenderableType]:
    yield from (Padding(Text(sentence), (0, 0, 0, 1)) for sentence in sentences)


SPARE = ("U", "size of model", "by pairs", "SPECKS", "Wasserstein", "measure", "kind")
"""Columns that give way where there is no room, these first, then from the right."""


def _grid(title: str, heads: Sequence[str], rows: Rows, width: int) -> Group:
    """A table as wide as there is room for; its title may be wider."""
    heads, rows = told.without_empty(heads, rows)

    def made(shown: Sequence[str]) -> Table:
        table = new_table("")
        table.title = None
        for place, head in enumerate(heads):
            if place == 0:
                least = longest_name([row[0] for row in rows])
                table.add_column(head, overflow="fold", min_width=least)
            elif head in shown:
                table.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
        for row in rows:
            table.add_row(
                *(Text(cell) for head, cell in zip(heads, row, strict=True) if head in shown)
            )
        return table

    first = [head for head in SPARE if head in heads]
    rest = [head for head in reversed(heads[2:]) if head not in first]
    return Group(Text(title, style="bold"), fit_width(made, heads, first + rest, width))


def _tables(record: PairTables, width: int) -> Iterator[RenderableType]:
    copy = paired.headline_copy(record)
    ranked = paired.standardised_rows(record, copy)[: paired.MOST_SHOWN]
    title = f"Tables of {paired.WAYS[record.ways]} that differ most"
    yield _grid(title, paired.HEADS, [paired.cells(row) for row in ranked], width)
    yield Text()
    yield from _render_sentences(paired.sentences(record, copy))
    yield Text()
    if record.ways > 1:
        scores = paired.scores(record, copy)
        shown = [paired.score_cells(one) for one in scores[:MOST_SCORES]]
        yield _grid("By variable, the worst first", paired.SCORE_HEADS, shown, width)
        yield from _render_remaining(len(scores) - len(shown), "variables")
    for worst in record.worst:
        if worst.copy == copy and worst.S_pMSE > 0:
            sizes = (record.n_original, record.n_synthetic[copy - 1])
            cells = paired.cell_rows(worst, *sizes)
            if cells:
                yield _grid(paired.locate_table(worst), paired.CELL_HEADS, cells, width)
                yield Text()


def _render_remaining(n: int, what: str) -> Iterator[RenderableType]:
    if n > 0:
        yield Text(f"... and {n:,} {what} more: all of them with --json", style="dim")
    yield Text()


def _columns(record: Comparison, width: int) -> Iterator[RenderableType]:
    rows = compared.ranked_distances(record)
    shown = rows[:MOST_COLUMNS]
    yield _grid("Column by column, the most different first", compared.DISTANCE_HEADS, shown, width)
    yield from _render_remaining(len(rows) - len(shown), "columns")
    told_of = dict(compared.comparison_sentences(record))
    yield from _render_sentences(iter([told_of[kind] for kind in ("column",) if kind in told_of]))
    yield Text()


def _associations(record: Comparison, width: int) -> Iterator[RenderableType]:
    rows = [compared.association_cells(row) for row in compared.changed_associations(record)]
    yield _grid(
        "What goes together, the most changed first", compared.ASSOCIATION_HEADS, rows, width
    )
    yield Text()
    yield from _render_sentences(iter([dict(compared.comparison_sentences(record))["association"]]))
    yield Text()


def _projection(record: Projection, width: int) -> Iterator[RenderableType]:
    rows = [projected.group_cells(row) for row in record.rows]
    yield _grid("Seen from the original's main axes", projected.GROUP_HEADS, rows, width)
    yield Text()
    yield from _render_sentences(sentence for _, sentence in projected.projection_sentences(record))
    yield Text()


def _tstr(record: Tstr, width: int) -> Iterator[RenderableType]:
    heads = ("trained on", "records", *trained.HEADS[record.kind])
    rows = [trained.row_cells(record, row) for row in record.rows]
    yield _grid("Train on synthetic, test on real", heads, rows, width)
    yield Text()
    yield from _render_sentences(sentence for _, sentence in trained.tstr_sentences(record))
    yield Text()
