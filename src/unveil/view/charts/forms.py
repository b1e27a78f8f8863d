"""Charts of rows that several records have: bars with their figures, and paired dots."""

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.records.attacks import Interval
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    MOST_ROWS,
    ORIGINAL,
    ROW,
    SYNTHETIC,
    Row,
    Spec,
    TextColumn,
    at,
    bar,
    describe_rows,
    interval,
    percent_axis,
    row_panel,
    span,
    stroke,
    within_row,
)
from unveil.view.format import format_count, percent_or_dash

# Bars


def figure_row(name: str, value: float | None, told: str) -> Row:
    """One bar: its name, its length, and its figure in words."""
    return {"name": name, "value": value, "told": told}


def bars_panel(
    rows: Sequence[Row],
    x: Spec,
    colour: str = SYNTHETIC,
    more: Sequence[Spec] = (),
    title: str | None = None,
) -> Spec:
    """A bar for each row with its figure at the right, and marks over them."""
    bars = bar(at(x, "value"), ROW, color=colour)
    return row_panel(rows, [bars, *more], [TextColumn("told", align="left")], title=title)


def percent_bars(rows: Sequence[Row], axis: str, colour: str, title: str) -> Chart:
    """Bars in percent, up to the next round number."""
    x = percent_axis(axis, (row["value"] for row in rows))
    return Chart(bars_panel(rows, x, colour), title=title, description=describe_rows(rows))


# Training records beside a control sample


@dataclass(frozen=True)
class DotPair:
    """One row: in percent, for training records and for the control sample."""

    label: str
    training: float | None
    control: float | None
    R: str = ""
    training_interval: Interval | None = None
    control_interval: Interval | None = None
    naive: float | None = None


def pairs_chart(pairs: Sequence[DotPair], title: str, axis: str, last: str) -> Chart:
    """Training records beside the control sample, row by row."""
    shown, n_more = pairs[:MOST_ROWS], max(0, len(pairs) - MOST_ROWS)
    rows = [_pair_row(pair) for pair in shown]
    fields = ("training", "control", "training_high", "control_high", "naive")
    x = percent_axis(axis, (row[field] for row in rows for field in fields))
    has_control = any(pair.control is not None for pair in shown)
    has_naive = any(pair.naive is not None for pair in shown)
    # Intervals would hide each other on one line; dots alone stand on it, joined.
    is_apart = has_control and any(pair.training_interval is not None for pair in shown)
    upper, lower = map(within_row, (0.3, 0.7) if is_apart else (0.5, 0.5))
    marks = [stroke(x, "naive")] if has_naive else []
    columns = [TextColumn("training_told", "training", colour=SYNTHETIC)]
    if has_control:
        marks += [] if is_apart else [span(x, "training", "control")]
        marks += interval(x, "control", lower, ORIGINAL)
        columns.append(TextColumn("control_told", "control"))
    marks += interval(x, "training", upper, SYNTHETIC)
    if has_naive:
        columns.append(TextColumn("naive_told", "baseline"))
    if has_control:
        columns.append(TextColumn("R", last, "left"))
    told = "; ".join(
        f"{pair.label}: {percent_or_dash(pair.training)} of training records,"
        f" {percent_or_dash(pair.control)} of the control sample, {last} {pair.R}"
        for pair in shown
    )
    more = f" {format_count(n_more, 'row')} more in the table." if n_more else ""
    return Chart(
        row_panel(rows, marks, columns), title=title, description=f"{told or 'Nothing'}.{more}"
    )


def _pair_row(pair: DotPair) -> Row:
    low, high = pair.training_interval or (None, None)
    control_low, control_high = pair.control_interval or (None, None)
    figures = {"training": pair.training, "control": pair.control, "naive": pair.naive}
    return {
        "name": pair.label,
        **figures,
        **{f"{field}_told": percent_or_dash(value) for field, value in figures.items()},
        "training_low": low,
        "training_high": high,
        "control_low": control_low,
        "control_high": control_high,
        "R": pair.R,
    }
