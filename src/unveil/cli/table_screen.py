"""A release or several schemes on a terminal: sentences first, then the figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from unveil.cli.table_documents import TableFigures
from unveil.measure.tables.published_table import OF_SAMPLE, PublishedTable
from unveil.records.count_tables import Audit, Bounds, RoundingComparison, Sap
from unveil.records.limits import SapVerdict
from unveil.view import count_tables, rounding, sap
from unveil.view.disclosure_tables import fits
from unveil.view.format import and_list, format_count, lines, people, truncate

MOST_CELLS = 40
BAR = 24
GIVEN_AWAY = "How many people can be in each cell (true counts are confidential)"
HIDDEN = "Suppressed values (confidential)"


@dataclass(frozen=True)
class TitledTable:
    """A table with lines above and below it, which are not broken to its width."""

    title: str
    table: Table
    below: str | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        yield self.table
        if self.below:
            yield Text(self.below, style="dim")


def release_screen(
    release: PublishedTable, figures: TableFigures, *, threshold: float, words: int, width: int
) -> Group:
    """All that a custodian sees of one release, in the order they need it."""
    record = figures.found.record
    sizes = " x ".join(f"{size:,}" for size in record.n_levels)
    told = sap.sap_sentences(record, threshold=threshold, words=words)
    return Group(
        Text(),
        Text("What the table would give away", style="bold"),
        Text(
            f"{and_list(record.dims)} ({sizes} cells), {people(release.N)}."
            f" Published: {sap.published_phrase(record.schemes)}."
        ),
        Text(),
        *(Text(sentence) for _, sentence in told),
        Text(),
        _curve(record, threshold, width),
        Text(),
        *(() if figures.of_cells is None else _bounds(figures.of_cells.record, release, width)),
        *(() if figures.hidden is None else _audit(figures.hidden.record, width)),
        *_notes(record.notes),
        *_verdicts(record, figures.verdicts),
    )


def _curve(record: Sap, threshold: float, width: int) -> TitledTable:
    """The curve, with bars where there is room, without depths where there is little."""
    heads, rows = sap.curve_rows(record, threshold)
    title = "SAP by how many people are known (n)"
    below = None
    if "simulated" in heads:
        below = "SAP: certain bounds. Simulated: with 95 % confidence."
    scale = "0" + " " * (BAR - 2) + "1"
    barred = [(*row, _bar(record, row)) for row in rows]
    return _first_that_fits(
        (
            _grid(title, (*heads, scale), barred, last_is_text=True, below=below),
            _grid(title, heads, rows, below=below),
            _grid(title, heads[:2], [row[:2] for row in rows]),
        ),
        width,
    )


def _bar(record: Sap, row: tuple[str, ...]) -> str:
    """What is certain as full blocks, up to the upper bound as light ones."""
    n = int(row[0].replace(",", ""))
    low, high = (round(value * BAR) for value in (record.lower[n], record.upper[n]))
    return "█" * low + "░" * (high - low)


def _bounds(record: Bounds, release: PublishedTable, width: int) -> Iterator[RenderableType]:
    """The only place where true counts are shown: the custodian's own screen."""
    yield Text("What all of it says together", style="bold underline")
    yield from (Text(sentence) for _, sentence in count_tables.bounds_sentences(record))
    yield Text()
    yield _bounds_table(record, release, width)
    yield from _more(record.n_cells, "cell")
    yield Text()


def _bounds_table(record: Bounds, release: PublishedTable, width: int) -> TitledTable:
    shown = record.cells[:MOST_CELLS]
    true = [f"{release.system.counts[row.cell]:,}" for row in shown]
    bounds = [count_tables.bound_cells(row) for row in shown]
    by_dim = [
        (*map(truncate, row.levels), count, *cells)
        for row, count, cells in zip(shown, true, bounds, strict=True)
    ]
    together = [
        (count_tables.levels_text(row.levels), count, low, high, mark[:1])
        for row, count, (low, high, mark) in zip(shown, true, bounds, strict=True)
    ]
    heads = (*map(truncate, record.dims), "true", *count_tables.BOUND_HEADS)
    below = "■ given away; i impossible; o perhaps tighter"
    return _first_that_fits(
        (
            _grid(GIVEN_AWAY, heads, by_dim, n_texts=len(record.dims), last_is_text=True),
            _grid(GIVEN_AWAY, ("cell", "true", "from", "to", ""), together, n_texts=1, below=below),
        ),
        width,
    )


def _audit(record: Audit, width: int) -> Iterator[RenderableType]:
    yield Text("What is suppressed", style="bold underline")
    yield from (Text(sentence) for _, sentence in count_tables.audit_sentences(record))
    yield Text()
    if not record.rows:
        return
    rows = [count_tables.audit_cells(row) for row in record.rows[:MOST_CELLS]]
    kept = [(value, low, high, mark[:1]) for _, value, low, high, _, mark in rows]
    below = "■ exactly; ▲ nearly; n not settled"
    yield _first_that_fits(
        (
            _grid(HIDDEN, count_tables.AUDIT_HEADS, rows, n_texts=2, last_is_text=True),
            _grid(HIDDEN, ("value", "from", "to", ""), kept, n_texts=1, below=below),
        ),
        width,
    )
    yield from _more(len(record.rows), "value")
    yield Text()


def _more(n_all: int, what: str) -> Iterator[RenderableType]:
    if n_all > MOST_CELLS:
        left = format_count(n_all - MOST_CELLS, f"more {what}")
        yield Text(f"... and {left}: all of them with --csv or --json", style="dim")


def _notes(told: Iterable[str]) -> Iterator[RenderableType]:
    # What a sample assumes is said in a sentence of its own already.
    shown = [note for note in told if note != OF_SAMPLE]
    if shown:
        yield Text("How the table was read", style="bold underline")
        yield from (Text(f" {lines(note)}") for note in shown)
        yield Text()


def _verdicts(record: Sap, verdicts: Sequence[SapVerdict]) -> Iterator[RenderableType]:
    for verdict in verdicts:
        is_within = verdict.status == "within"
        mark, style = ("●", "green") if is_within else ("■", "bold red")
        yield Text(f"{mark} {sap.verdict_sentence(record, verdict)}", style=style)


def comparison_screen(record: RoundingComparison, *, notes: Sequence[str], width: int) -> Group:
    """Schemes side by side: what each gives away, and what it costs."""
    published = ["the table", *(" by ".join(one.split(",")) for one in record.margins)]
    published += ["the total"] if record.total else []
    heads, rows = rounding.curve_rows(record)
    side_by_side = _grid("SAP by how many people are known (n)", heads, rows)
    one_by_one = [
        _grid(f"SAP by n: {head}", ("n", "SAP"), [(row[0], row[place]) for row in rows])
        for place, head in enumerate(heads[1:], 1)
    ]
    curves = [side_by_side] if fits(side_by_side.table, width) else one_by_one
    return Group(
        Text(),
        Text("Choosing a rounding scheme", style="bold"),
        Text(
            f"{format_count(record.n_tables, 'table')}; published: {and_list(published)}; up to"
            f" {people(record.n_max)} known."
        ),
        Text(),
        *(Text(sentence) for _, sentence in rounding.comparison_sentences(record)),
        *((Text(sap.TEMPLATES["sample"]),) if OF_SAMPLE in notes else ()),
        Text(),
        _summary(record, width),
        Text(),
        *(part for one in curves for part in (one, Text())),
        *_bands(record, rows, width),
        *_notes(notes),
    )


def _summary(record: RoundingComparison, width: int) -> TitledTable:
    heads = rounding.summary_heads(record)
    rows = [rounding.summary_cells(record, row) for row in record.summaries]
    title = "Risk and loss by scheme"
    return _first_that_fits(
        (
            _grid(title, heads, rows, n_texts=1),
            _grid(title, heads[:-1], [row[:-1] for row in rows], n_texts=1),
            _grid(title, heads[:3], [row[:3] for row in rows], n_texts=1),
        ),
        width,
    )


def _bands(
    record: RoundingComparison, rows: Sequence[tuple[str, ...]], width: int
) -> Iterator[RenderableType]:
    """How many tables have a SAP in each band, as the paper's Table 3."""
    if record.n_tables < 2:
        return
    shown = [int(row[0].replace(",", "")) for row in rows]
    for scheme in record.schemes:
        bands = rounding.bands_of(record, scheme, shown)
        title = f"Tables by their SAP: {truncate(scheme)}"
        few = [rounding.few_band_cells(row) for row in bands]
        yield _first_that_fits(
            (
                _grid(title, rounding.BAND_HEADS, [rounding.band_cells(row) for row in bands]),
                _grid(title, rounding.FEW_BAND_HEADS, few),
            ),
            width,
        )
        yield Text()


def _grid(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    n_texts: int = 0,
    last_is_text: bool = False,
    below: str | None = None,
) -> TitledTable:
    """A table of figures under its title; the first columns, and the last, may be texts."""
    table = Table(box=None)
    for place, head in enumerate(heads):
        is_text = place < n_texts or (last_is_text and place == len(heads) - 1)
        table.add_column(
            Text(head), justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return TitledTable(title, table, below)


def _first_that_fits(made: Iterable[TitledTable], width: int) -> TitledTable:
    """The first table there is room for, the last of them in any case."""
    *wide, narrow = made
    return next((one for one in wide if fits(one.table, width)), narrow)
