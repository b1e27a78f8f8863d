"""The distance filter in sentences and blocks: about all rows, never about one."""

from collections.abc import Iterator, Sequence

from unveil.records.protection import DistanceFilter, Refill, Shift
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, notes, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    ROW,
    SYNTHETIC,
    TextColumn,
    bar,
    describe_rows,
    number,
    row_panel,
)
from unveil.view.format import (
    and_list,
    fill,
    format_count,
    format_share,
    format_signed,
    lines,
    truncate,
)
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "kept": "{k} of {n} synthetic {unit} ({p}) are retained, by {metric} distance on {columns}.",
    "paper": (
        "Each retained {one} is at least as far from its nearest original as another original is."
        " Only the nearest is compared: {s} retained {unit} ({p}) are closer to another original"
        " than any original is, and the strict rule would reject them."
    ),
    "strict": (
        "No retained {one} is closer to any original than its nearest other original is{where}."
    ),
    "unfiltered": (
        "A file of the same length without the filter would hold {n} {unit} that are too close, on"
        " average."
    ),
    "selected": (
        "The retained rows are a selected sample: the filter favours outlying values. See what"
        " changed below."
    ),
    "dropped": "{why} It is excluded.",
}

METRICS = {"mahalanobis": "Mahalanobis", "jaccard": "Jaccard's", "gower": "Gower's"}
SHIFT_HEADS = (
    *("column", "level", "before", "after", "difference in sd"),
    *("missing before", "missing after"),
)
ROUND_HEADS = ("round", "drawn", "retained", "acceptance")


def unit_words(record: DistanceFilter | Refill) -> dict[str, str]:
    """What is compared: rows, or people with all their rows."""
    one, unit = ("row", "rows") if record.time is None else ("person", "people")
    return {"one": one, "unit": unit}


def sentences(record: DistanceFilter) -> Iterator[str]:
    """What the filter did, the most important first."""
    yield from (text for _, text in _sentences_by_key(record))


def _sentences_by_key(record: DistanceFilter) -> Iterator[tuple[str, str]]:
    kept = fill(
        TEMPLATES["kept"],
        k=f"{record.n_kept:,}",
        n=f"{record.n_synthetic:,}",
        p=format_share(record.acceptance),
        metric=METRICS[record.metric],
        columns=and_list(record.columns),
        unit=unit_words(record)["unit"],
    )
    yield "kept", kept
    yield from _rest(record)


def refill_sentences(record: Refill) -> Iterator[str]:
    """How the rounds ended, the most important first."""
    yield from (text for _, text in refill_keyed(record))


def refill_keyed(record: Refill) -> Iterator[tuple[str, str]]:
    """The same, each with the name of its template."""
    refill = fill(
        "{k} of {n} {unit} wanted {k:was|were} retained, out of {drawn} drawn in {rounds}.",
        k=f"{record.n_rows:,}",
        n=f"{record.rows_wanted:,}",
        drawn=f"{sum(one.drawn for one in record.rounds):,}",
        rounds=format_count(len(record.rounds), "round"),
        unit=unit_words(record)["unit"],
    )
    yield "refill", refill
    yield from _rest(record)


def _rest(record: DistanceFilter | Refill) -> Iterator[tuple[str, str]]:
    is_any = record.n_kept if isinstance(record, DistanceFilter) else record.n_rows
    words = unit_words(record)
    if is_any and record.rule == "paper":
        s, p = f"{record.n_refused_by_strict:,}", format_share(record.share_refused_by_strict)
        yield "paper", fill(TEMPLATES["paper"], s=s, p=p, **words)
    elif is_any:
        where = ", on the columns that both have" if record.missing == "pattern" else ""
        yield "strict", fill(TEMPLATES["strict"], where=where, **words)
    if is_any and record.n_close_unfiltered is not None:
        n = f"{record.n_close_unfiltered:,.0f}"
        yield "unfiltered", fill(TEMPLATES["unfiltered"], n=n, **words)
    if is_any:
        yield "selected", TEMPLATES["selected"]
    for dropped in record.dropped_columns:
        yield "dropped", fill(TEMPLATES["dropped"], why=lines(dropped.sentence))
    yield from (("warning", lines(warning)) for warning in record.warnings)


def shift_cells(row: Shift) -> tuple[str, ...]:
    """One column under SHIFT_HEADS."""
    shown = format_share if row.kind == "category" else _figure
    return (
        truncate(row.column),
        "-" if row.level is None else truncate(row.level),
        shown(row.before),
        shown(row.after),
        format_signed(row.difference),
        format_share(row.missing_before),
        format_share(row.missing_after),
    )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"


def sort_by_shift(shifts: Sequence[Shift]) -> list[Shift]:
    """The columns, those that moved most first."""
    return sorted(shifts, key=lambda row: -abs(row.difference or 0.0))


def round_rows(record: Refill) -> list[tuple[str, ...]]:
    """The rounds under ROUND_HEADS."""
    return [
        (str(one.round), f"{one.drawn:,}", f"{one.kept:,}", format_share(one.acceptance))
        for one in record.rounds
    ]


def refill_rounds(record: Refill) -> Chart:
    """A bar for each round: filled what was retained, hollow what stood too close."""
    rows = [
        {
            "name": f"round {one.round}",
            "retained": one.kept,
            "generated": one.drawn,
            "told": f"{one.kept:,} retained, {one.drawn - one.kept:,} removed",
        }
        for one in record.rounds
    ]
    axis = {"tickCount": 5, "format": ",d", "tickMinStep": 1}
    x = number("retained", "generated records (filled: retained, hollow: removed)", axis=axis)
    removed = bar(x, ROW, fill="white", stroke=SYNTHETIC, strokeWidth=1.5)
    removed["encoding"]["x2"] = {"field": "generated"}
    marks = [bar(x, ROW, color=SYNTHETIC), removed]
    return Chart(
        row_panel(rows, marks, [TextColumn("told", align="left")]),
        title="Records retained and removed by the distance filter, by round",
        description=f"{format_count(len(rows), 'round')}. {describe_rows(rows)}",
    )


@as_text.register
def _(record: DistanceFilter) -> str:
    share, unit = format_share(record.acceptance), unit_words(record)["unit"]
    kept = f"{record.n_kept:,} of {record.n_synthetic:,} {unit} retained ({share})"
    strict = f"; the strict rule would reject {record.n_refused_by_strict:,} of them"
    return (
        f"Distance filter, {record.rule} rule, on {and_list(record.columns)}: {kept}"
        f"{strict if record.rule == 'paper' else ''}"
    )


@as_text.register
def _(record: Refill) -> str:
    rounds, unit = format_count(len(record.rounds), "round"), unit_words(record)["unit"]
    return (
        f"Refill, {record.rule} rule, on {and_list(record.columns)}: {record.n_rows:,} of"
        f" {record.rows_wanted:,} {unit} after {rounds}"
        f" (acceptance {format_share(record.acceptance)})"
    )


def _blocks(record: DistanceFilter | Refill, said: Iterator[str]) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from blocks.sentences(said)
    if isinstance(record, Refill):
        yield table("Rounds", ROUND_HEADS, round_rows(record))
    rows = map(shift_cells, sort_by_shift(record.shifts))
    yield table("Before and after the filter", SHIFT_HEADS, rows, text=("level",))
    yield from notes(record.coercions)


@as_blocks.register
def _(record: DistanceFilter) -> Iterator[Block]:
    yield from _blocks(record, sentences(record))


@as_blocks.register
def _(record: Refill) -> Iterator[Block]:
    yield from _blocks(record, refill_sentences(record))
