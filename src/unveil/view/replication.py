"""Published results in sentences, tables and intervals: original and synthetic side by side."""

from collections.abc import Iterator, Sequence

from unveil.records.replication import Replication, ReplicationNotMeasured, ReplicationRow, Unit
from unveil.view.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Items,
    Sentence,
    TableBlock,
    notes,
    say,
    table,
)
from unveil.view.charts import marks
from unveil.view.charts.chart import Chart
from unveil.view.format import and_list, format_copies, format_count, people, truncate, visible
from unveil.view.render_page import illustrate, render_page
from unveil.view.show import as_blocks, as_text

TITLE = "Published results on the synthetic data"
CAPTION = "Estimates and confidence intervals: the original above, the synthetic data below it."
HEADS = (
    *("original", "synthetic", "diff.", "counts", "overlap", "std. diff."),
    *("original, interval", "synthetic, interval"),
)
SPARE = (*reversed(HEADS[-2:]), "counts", "diff.", "std. diff.")
MOST_REASONS = 12


def sizes(record: Replication) -> str:
    """How much data there is."""
    copies = format_copies(record.n_synthetic)
    if record.stages:
        each = zip(record.stages, record.n_synthetic, strict=True)
        copies = and_list(f"{truncate(name)} of {n:,} records" for name, n in each)
    level = f"Confidence level {100 * record.level:g} %"
    return f"{people(record.n_original)} in the original, {copies}. {level}."


def replication_sentences(record: Replication) -> Iterator[tuple[str, str]]:
    """What the figures say, the most important first, each sentence by its name."""
    rows = [row for row in record.headline_rows if row.overlap is not None]
    if not any(row.difference is not None for row in record.headline_rows):
        yield "none", "No figure could be compared."
    if rows:
        overlaps = [row.overlap or 0.0 for row in rows]
        yield "means", _means(record, overlaps)
        if record.stages:
            yield "stages", f"Mean overlap by file, none combined: {_by_stage(record, rows)}."
        n, n_half = f"{len(rows):,}", sum(one >= 0.5 for one in overlaps)
        yield "half", f"{n_half:,} of {n} figures have intervals that overlap by half or more."
        if n_apart := sum(one < 0 for one in overlaps):
            yield "apart", f"{n_apart:,} of {n} figures have intervals that do not overlap."
        yield from _farthest(record)
    if len(record.n_synthetic) > 1 and not record.stages:
        yield (
            "combined",
            "The copies are combined: the mean of their estimates, with the standard error that the"
            f" original would have. Inference about the population uses {record.rule}.",
        )


def _by_stage(record: Replication, rows: Sequence[ReplicationRow]) -> str:
    """The mean overlap of every stage."""
    told = []
    for place, name in enumerate(record.stages, 1):
        own = [row.overlap for row in rows if row.copy == place and row.overlap is not None]
        told.append(f"{truncate(name)} {sum(own) / len(own):.2f}" if own else f"{truncate(name)} -")
    return and_list(told)


def _means(record: Replication, overlaps: Sequence[float]) -> str:
    apart = [
        abs(row.standardised_difference or 0.0)
        for row in record.headline_rows
        if row.standardised_difference is not None
    ]
    mean = sum(apart) / len(apart) if apart else 0.0
    return (
        f"Mean overlap of confidence intervals {sum(overlaps) / len(overlaps):.2f} (1 = identical,"
        f" 0 = touching, below 0 = apart); mean distance {mean:.2f} standard errors of the"
        " original."
    )


def _farthest(record: Replication) -> Iterator[tuple[str, str]]:
    rows = [row for row in record.headline_rows if row.standardised_difference]
    if rows:
        worst = max(rows, key=lambda row: abs(row.standardised_difference or 0.0))
        farthest = (
            f"Furthest from the original: {record.name_of(worst, _which(worst))},"
            f" {figure_of(worst.original, worst.unit)} in the original and"
            f" {figure_of(worst.synthetic, worst.unit)} in the synthetic data"
            f" ({abs(worst.standardised_difference or 0.0):.1f} standard errors)."
        )
        yield "farthest", farthest


def _which(row: ReplicationRow) -> str:
    is_named = row.unit == "value" or row.term == row.finding
    return truncate(row.finding) if is_named else f"{truncate(row.finding)} ({truncate(row.term)})"


def lost(record: Replication, most: int = MOST_REASONS) -> Iterator[str]:
    """Why figures are missing, the first of them in full."""
    for one in record.not_measured[:most]:
        term = "" if one.term is None else f" ({truncate(one.term)})"
        where = _lost_where(one, record)
        yield f"{truncate(one.finding)}{term}, {where}: {visible(one.reason)}."
    if (more := len(record.not_measured) - most) > 0:
        yield f"{more:,} more could not be computed; --json lists all."


def _lost_where(one: ReplicationNotMeasured, record: Replication) -> str:
    if one.copy == "original":
        return "in the original"
    if one.copy == "combined":
        return "copies combined"
    if record.stages:
        return f"in {truncate(record.stages[one.copy - 1])}"
    return "in the synthetic data" if len(record.n_synthetic) == 1 else f"in copy {one.copy}"


def result_tables(record: Replication) -> Iterator[TableBlock]:
    """Single figures in one table, every table and regression in its own."""
    kinds = {finding.name: finding.kind for finding in record.findings}
    found = record.headline_rows
    singles = [row for row in found if kinds[row.finding] in ("prevalence", "mean")]
    named = [(record.name_of(row, truncate(row.finding)), row) for row in singles]
    yield from _result_table("Prevalences and means", "result", named)
    for finding in record.findings:
        if finding.kind in ("table", "regression"):
            model = f" ({finding.model} regression)" if finding.model else ""
            rows = [row for row in found if row.finding == finding.name]
            named = [(record.name_of(row, truncate(row.term)), row) for row in rows]
            yield from _result_table(f"{truncate(finding.name)}{model}", "term", named)


def _result_table(
    title: str, head: str, named: Sequence[tuple[str, ReplicationRow]]
) -> Iterator[TableBlock]:
    """Rows by what they are called; no ratio of counts where nothing is counted."""
    is_counted = any(row.ratio_of_counts is not None for _, row in named)
    heads = [one for one in HEADS if is_counted or one != "counts"]
    rows = [
        (label, *(dict(zip(HEADS, cells(row), strict=True))[one] for one in heads))
        for label, row in named
    ]
    if rows:
        yield table(title, (head, *heads), rows, spare=SPARE)


def cells(row: ReplicationRow) -> tuple[str, ...]:
    """One row under HEADS."""
    z = row.standardised_difference
    return (
        figure_of(row.original, row.unit),
        figure_of(row.synthetic, row.unit),
        format_difference(row.difference, row.unit),
        _two(row.ratio_of_counts),
        _two(row.overlap),
        "-" if z is None else f"{z:+.1f}",
        _interval(row.original_low, row.original_high, row.unit),
        _interval(row.synthetic_low, row.synthetic_high, row.unit),
    )


def _interval(low: float | None, high: float | None, unit: Unit) -> str:
    if low is None or high is None:
        return "-"
    return f"{figure_of(low, unit)} to {figure_of(high, unit)}"


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def figure_of(value: float | None, unit: Unit) -> str:
    """A figure as people read it; percentages with one decimal, others with four digits."""
    if value is None:
        return "-"
    if unit == "percent":
        return f"{value:.1f} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def format_difference(value: float | None, unit: Unit) -> str:
    """A difference with its sign; of percentages in points."""
    if value is None:
        return "-"
    said = f"{abs(value):.2f}" if unit == "percent" else figure_of(abs(value), unit)
    return f"{'-' if value < 0 else '+'}{said}" if value else said


@as_text.register
def _(record: Replication) -> str:
    n = format_count(len(record.findings), "published result")
    overlaps = [row.overlap for row in record.headline_rows if row.overlap is not None]
    if not overlaps:
        return f"{n}: no figure could be compared"
    return f"{n}: mean overlap of confidence intervals {sum(overlaps) / len(overlaps):.2f}"


@as_blocks.register
def _(record: Replication) -> Iterator[Block]:
    yield Heading(TITLE)
    yield from replication_blocks(record)


def replication_blocks(record: Replication) -> Iterator[Block]:
    """All that is shown of it, without the title."""
    yield Sentence(sizes(record), "lead")
    yield from say(replication_sentences(record), "replication")
    yield from result_tables(record)
    if record.not_measured:
        yield Heading("Not computed", 4)
        yield Items(tuple(lost(record)))
    yield from notes(record.coercions)


def replication_page(record: Replication) -> str:
    """The whole page: the same, with the chart below the sentence on its overlap."""
    charts = {"replication/means": lambda text: Figure(text, overlap(record), CAPTION)}
    return render_page(TITLE, illustrate(replication_blocks(record), charts))


def replication_detail(record: Replication, of: str) -> Iterator[Block]:
    """The same in a report: estimates, and what could not be measured, unfold."""
    first, *others = say(replication_sentences(record), "replication", of)
    is_any = any(row.difference is not None for row in record.headline_rows)
    yield Figure(first, overlap(record), CAPTION) if is_any else first
    if tables := tuple(result_tables(record)):
        yield Folded("Estimates and intervals", tables)
    yield Sentence(sizes(record), key="replication/sizes", of=of)
    yield from others
    if n := len(record.not_measured):
        texts = enumerate(lost(record, most=n))
        reasons = tuple(
            Sentence(text, key="replication/not measured", of=f"{of}|{at}") for at, text in texts
        )
        yield Folded(f"{format_count(n, 'figure')} could not be measured", reasons)


# The chart

MOST_PANELS = 12
AXES: dict[Unit, str] = {
    "percent": "percent",
    "value": "mean",
    "coefficient": "coefficient, in standard errors from the original's estimate",
}
_RESULTS = "Published results on the original and on the synthetic data"
_NO_RESULT = "No figure could be computed."


def overlap(record: Replication) -> Chart:
    """Estimates with their intervals, original and synthetic, one panel for each result."""
    panels = list(_panels(record))
    if not panels:
        return Chart(marks.nothing(_NO_RESULT), title=_RESULTS, description=_NO_RESULT)
    n_cut = sum(max(len(rows) - marks.MOST_ROWS, 0) for _, rows in panels[:MOST_PANELS])
    n_cut += sum(len(rows) for _, rows in panels[MOST_PANELS:])
    cut = f" {n_cut:,} more figures are not drawn." if n_cut else ""
    drawn = [_panel(title, rows[: marks.MOST_ROWS]) for title, rows in panels[:MOST_PANELS]]
    key = "ring: original, square: synthetic data"
    return Chart(
        {"title": {"text": _RESULTS, "subtitle": key}, "vconcat": drawn, "spacing": 24},
        title=_RESULTS,
        description=(
            "For every figure two marks with lines over their confidence intervals: a grey ring"
            f" for the original, a blue square for the synthetic data.{cut}"
        ),
    )


def _panels(record: Replication) -> Iterator[tuple[str, list[tuple[str, ReplicationRow]]]]:
    """Prevalences share a panel, for they share a scale; all else has its own."""
    kinds = {finding.name: finding.kind for finding in record.findings}
    shares = [row for row in record.headline_rows if kinds[row.finding] == "prevalence"]
    if shares:
        yield "Prevalences", [(record.name_of(row, row.finding), row) for row in shares]
    for finding in record.findings:
        rows = [row for row in record.headline_rows if row.finding == finding.name]
        if finding.kind != "prevalence" and rows:
            yield truncate(finding.name), [(record.name_of(row, row.term), row) for row in rows]


def _panel(title: str, rows: Sequence[tuple[str, ReplicationRow]]) -> marks.Spec:
    x = marks.number("original", AXES[rows[0][1].unit], scale={"zero": False}, axis=marks.TICKS)
    sides = (("original", 0.3, marks.ORIGINAL), ("synthetic", 0.7, marks.SYNTHETIC))
    drawn = [
        one
        for field, band, colour in sides
        for one in marks.interval(x, field, marks.within_row(band), colour)
    ]
    return marks.row_panel([_result_row(name, row) for name, row in rows], drawn, title=title)


def _result_row(name: str, row: ReplicationRow) -> marks.Row:
    """The marks of both sides and the ends of their intervals."""
    made: marks.Row = {"name": marks.truncate_name(name)}
    for side in ("original", "synthetic"):
        value = _position(getattr(row, side), row)
        ends = {f"{side}_{end}": getattr(row, f"{side}_{end}") for end in ("low", "high")}
        made[side] = value
        made |= {
            field: value if end is None else _position(end, row) for field, end in ends.items()
        }
    return made


def _position(value: float | None, row: ReplicationRow) -> float | None:
    """Where a figure stands: coefficients, which share no unit, by the original's errors."""
    if row.unit != "coefficient" or value is None:
        return value
    if row.original is None or not row.original_se:
        return None
    return (value - row.original) / row.original_se
