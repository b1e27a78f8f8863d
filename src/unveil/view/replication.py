"""Published results in sentences and tables: original and synthetic data side by side.

One catalogue of templates, filled from the record only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.records.replication import FindingNotMeasured, FindingRow, Replication, Unit
from unveil.view.blocks import Block, Heading, Items, Sentence, notes, table
from unveil.view.format import and_list, format_count, people, truncate, visible
from unveil.view.show import as_blocks, as_text

TITLE = "Published results on the synthetic data"
TEMPLATES = {
    "sizes": "{original} in the original, {copies}. Confidence level {level} %.",
    "means": (
        "Mean overlap of confidence intervals {overlap} (1 = identical, 0 = touching, below 0 ="
        " apart); mean distance {z} standard errors of the original."
    ),
    "half": "{k} of {n} figures have intervals that overlap by half or more.",
    "combined": (
        "The copies are combined: the mean of their estimates, with the standard error that the"
        " original would have. Inference about the population uses {rule}."
    ),
    "none": "No figure could be compared.",
    "not measured": "{which}, {where}: {reason}.",
}
HEADS = ("original", "synthetic", "diff.", "counts", "overlap", "std. diff.")
INTERVALS = ("original, interval", "synthetic, interval")
SPARE = (*reversed(INTERVALS), "counts", "diff.", "std. diff.")
MOST_REASONS = 12


@dataclass(frozen=True)
class ResultTable:
    """Rows that stand in one table, each with what it is called there."""

    title: str
    head: str
    rows: tuple[FindingRow, ...]
    labels: tuple[str, ...]

    @property
    def heads(self) -> tuple[str, ...]:
        """What its columns show; no ratio of counts where nothing is counted."""
        is_counted = any(row.ratio_of_counts is not None for row in self.rows)
        return HEADS if is_counted else tuple(head for head in HEADS if head != "counts")

    def cells(self, row: FindingRow) -> tuple[str, ...]:
        """A row under its heads."""
        named = zip(HEADS, cells(row), strict=True)
        return tuple(cell for head, cell in named if head in self.heads)


def sizes(record: Replication) -> str:
    """How much data there is."""
    m = len(record.n_synthetic)
    copies = f"{format_count(record.n_synthetic[0], 'record')} in the synthetic data"
    if record.stages:
        each = zip(record.stages, record.n_synthetic, strict=True)
        copies = and_list(f"{truncate(name)} of {n:,} records" for name, n in each)
    elif m > 1:
        copies = f"{m} copies of {and_list(f'{n:,}' for n in record.n_synthetic)} records"
    return TEMPLATES["sizes"].format(
        original=people(record.n_original), copies=copies, level=f"{100 * record.level:g}"
    )


def sentences(record: Replication) -> Iterator[str]:
    """What the figures say, the most important first."""
    yield from (text for _, text in keyed_sentences(record))


def keyed_sentences(record: Replication) -> Iterator[tuple[str, str]]:
    """The same, each with the name of its template."""
    rows = [row for row in record.headline_rows if row.overlap is not None]
    if not any(row.difference is not None for row in record.headline_rows):
        yield "none", TEMPLATES["none"]
    if rows:
        overlaps = [row.overlap or 0.0 for row in rows]
        yield "means", _means(record, overlaps)
        if record.stages:
            yield "stages", f"Mean overlap by file, none combined: {_by_stage(record, rows)}."
        n = f"{len(rows):,}"
        yield "half", TEMPLATES["half"].format(k=f"{sum(one >= 0.5 for one in overlaps):,}", n=n)
        if n_apart := sum(one < 0 for one in overlaps):
            yield "apart", f"{n_apart:,} of {n} figures have intervals that do not overlap."
        yield from _farthest(record)
    if len(record.n_synthetic) > 1 and not record.stages:
        yield "combined", TEMPLATES["combined"].format(rule=record.rule)


def _by_stage(record: Replication, rows: Sequence[FindingRow]) -> str:
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
    return TEMPLATES["means"].format(
        overlap=f"{sum(overlaps) / len(overlaps):.2f}", z=f"{mean:.2f}"
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


def _which(row: FindingRow) -> str:
    is_named = row.unit == "value" or row.term == row.finding
    return truncate(row.finding) if is_named else f"{truncate(row.finding)} ({truncate(row.term)})"


def lost(record: Replication, most: int = MOST_REASONS) -> Iterator[str]:
    """Why figures are missing, the first of them in full."""
    for one in record.not_measured[:most]:
        yield TEMPLATES["not measured"].format(
            which=_lost_which(one), where=_lost_where(one, record), reason=visible(one.reason)
        )
    if (more := len(record.not_measured) - most) > 0:
        yield f"{more:,} more could not be computed; --json lists all."


def _lost_which(one: FindingNotMeasured) -> str:
    return (
        truncate(one.finding)
        if one.term is None
        else f"{truncate(one.finding)} ({truncate(one.term)})"
    )


def _lost_where(one: FindingNotMeasured, record: Replication) -> str:
    if one.copy == "original":
        return "in the original"
    if one.copy == "combined":
        return "copies combined"
    if record.stages:
        return f"in {truncate(record.stages[one.copy - 1])}"
    return "in the synthetic data" if len(record.n_synthetic) == 1 else f"in copy {one.copy}"


def groups(record: Replication) -> list[ResultTable]:
    """Single figures in one table, every table and regression in its own."""
    kinds = {finding.name: finding for finding in record.findings}
    singles, made = [], []
    for row in record.headline_rows:
        if kinds[row.finding].kind in ("prevalence", "mean"):
            singles.append(row)
    if singles:
        labels = tuple(record.name_of(row, truncate(row.finding)) for row in singles)
        made.append(ResultTable("Prevalences and means", "result", tuple(singles), labels))
    for finding in record.findings:
        rows = tuple(row for row in record.headline_rows if row.finding == finding.name)
        if finding.kind in ("table", "regression") and rows:
            model = f" ({finding.model} regression)" if finding.model else ""
            title = f"{truncate(finding.name)}{model}"
            labels = tuple(record.name_of(row, truncate(row.term)) for row in rows)
            made.append(ResultTable(title, "term", rows, labels))
    return made


def cells(row: FindingRow) -> tuple[str, ...]:
    """One row under HEADS."""
    z = row.standardised_difference
    return (
        figure_of(row.original, row.unit),
        figure_of(row.synthetic, row.unit),
        format_difference(row.difference, row.unit),
        _two(row.ratio_of_counts),
        _two(row.overlap),
        "-" if z is None else f"{z:+.1f}",
    )


def intervals(row: FindingRow) -> tuple[str, str]:
    """The two intervals under INTERVALS."""
    return (
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
    for key, text in keyed_sentences(record):
        yield Sentence(text, key=f"replication/{key}")
    for group in groups(record):
        rows = [
            (label, *group.cells(row), *intervals(row))
            for label, row in zip(group.labels, group.rows, strict=True)
        ]
        yield table(group.title, (group.head, *group.heads, *INTERVALS), rows, spare=SPARE)
    if record.not_measured:
        yield Heading("Not computed", 4)
        yield Items(tuple(lost(record)))
    yield from notes(record.coercions)
