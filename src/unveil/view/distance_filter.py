"""The distance filter in sentences and blocks: about all rows, never about one."""

from collections.abc import Callable, Iterator, Sequence

from unveil.records.protection import DistanceFilter, Refill, RefillRound, Shift
from unveil.view.blocks import Block, Heading, list_rows, notes, say
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
    agree,
    and_list,
    format_count,
    format_share,
    format_signed,
    lines,
    truncate,
)
from unveil.view.show import as_blocks, as_text

SELECTED = (
    "The retained rows are a selected sample: the filter favours outlying values. See what changed"
    " below."
)
METRICS = {"mahalanobis": "Mahalanobis", "jaccard": "Jaccard's", "gower": "Gower's"}


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"


def _shown(row: Shift, value: float | None) -> str:
    """The share of a level, or the mean of a number."""
    return format_share(value) if row.kind == "category" else _figure(value)


SHIFTS: dict[str, Callable[[Shift], str]] = {
    "column": lambda row: truncate(row.column),
    "level": lambda row: "-" if row.level is None else truncate(row.level),
    "before": lambda row: _shown(row, row.before),
    "after": lambda row: _shown(row, row.after),
    "difference in sd": lambda row: format_signed(row.difference),
    "missing before": lambda row: format_share(row.missing_before),
    "missing after": lambda row: format_share(row.missing_after),
}
ROUNDS: dict[str, Callable[[RefillRound], str]] = {
    "round": lambda one: str(one.round),
    "drawn": lambda one: f"{one.drawn:,}",
    "retained": lambda one: f"{one.kept:,}",
    "acceptance": lambda one: format_share(one.acceptance),
}


def unit_words(record: DistanceFilter | Refill) -> dict[str, str]:
    """What is compared: rows, or people with all their rows."""
    one, unit = ("row", "rows") if record.time is None else ("person", "people")
    return {"one": one, "unit": unit}


def filter_sentences(record: DistanceFilter | Refill) -> Iterator[tuple[str, str]]:
    """What the filter did, the most important first, each sentence by its name."""
    unit = unit_words(record)["unit"]
    if isinstance(record, DistanceFilter):
        share = f"{record.n_kept:,} of {record.n_synthetic:,} synthetic {unit}"
        on = f"by {METRICS[record.metric]} distance on {and_list(record.columns)}"
        yield "kept", f"{share} ({format_share(record.acceptance)}) are retained, {on}."
    else:
        n, drawn = record.n_rows, f"{sum(one.drawn for one in record.rounds):,}"
        kept = f"{n:,} of {record.rows_wanted:,} {unit} wanted {agree(n, 'was', 'were')} retained"
        rounds = format_count(len(record.rounds), "round")
        yield "refill", f"{kept}, out of {drawn} drawn in {rounds}."
    yield from _rest(record)


def _rest(record: DistanceFilter | Refill) -> Iterator[tuple[str, str]]:
    is_any = record.n_kept if isinstance(record, DistanceFilter) else record.n_rows
    one, unit = unit_words(record).values()
    if is_any and record.rule == "paper":
        share = format_share(record.share_refused_by_strict)
        yield (
            "paper",
            f"Each retained {one} is at least as far from its nearest original as another original"
            f" is. Only the nearest is compared: {record.n_refused_by_strict:,} retained {unit}"
            f" ({share}) are closer to another original than any original is, and the strict rule"
            " would reject them.",
        )
    elif is_any:
        where = ", on the columns that both have" if record.missing == "pattern" else ""
        nearest = "closer to any original than its nearest other original is"
        yield "strict", f"No retained {one} is {nearest}{where}."
    if is_any and record.n_close_unfiltered is not None:
        n = f"{record.n_close_unfiltered:,.0f} {unit} that are too close"
        without = "A file of the same length without the filter would hold"
        yield "unfiltered", f"{without} {n}, on average."
    if is_any:
        yield "selected", SELECTED
    for dropped in record.dropped_columns:
        yield "dropped", f"{lines(dropped.sentence)} It is excluded."
    yield from (("warning", lines(warning)) for warning in record.warnings)


def sort_by_shift(shifts: Sequence[Shift]) -> list[Shift]:
    """The columns, those that moved most first."""
    return sorted(shifts, key=lambda row: -abs(row.difference or 0.0))


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


@as_blocks.register(DistanceFilter)
@as_blocks.register(Refill)
def _(record: DistanceFilter | Refill) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from say(filter_sentences(record))
    if isinstance(record, Refill):
        yield list_rows("Rounds", ROUNDS, record.rounds)
    rows = sort_by_shift(record.shifts)
    yield list_rows("Before and after the filter", SHIFTS, rows, text=("level",))
    yield from notes(record.coercions)
