"""Do the intervals of original and copy cover each other? Side by side, figure by figure."""

from collections.abc import Iterator
from typing import Any

from unveil.records.replication import FindingRow, Replication, Unit
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import ORIGINAL, SYNTHETIC, Spec
from unveil.view.format import truncate

MOST_ROWS = 40
"""Figures in one panel; a longer one is cut, and says so."""
MOST_PANELS = 12
AXES: dict[Unit, str] = {
    "percent": "percent",
    "value": "mean",
    "coefficient": "coefficient, in standard errors from the original's estimate",
}
SIDES = ("original", "copy")
TITLE = "Findings on the original and on the copy"
NOTHING: Spec = {
    "data": {"values": [{"name": "No figure could be computed."}]},
    "mark": {"type": "text", "fontSize": 13},
    "encoding": {"text": {"field": "name", "type": "nominal"}},
}
LABELS = {"labelLimit": 230, "minExtent": 250, "grid": True, "tickBand": "extent"}


def replication_chart(record: Replication) -> str:
    """Estimates with their intervals, as an SVG document."""
    return overlap(record).svg()


def overlap(record: Replication) -> Chart:
    """Estimates with their intervals, original and copy, one panel for each finding."""
    panels = list(_panels(record))
    if not panels:
        return Chart(NOTHING, title=TITLE, description="No figure could be computed.")
    n_cut = sum(max(len(rows) - MOST_ROWS, 0) for _, rows in panels[:MOST_PANELS])
    n_cut += sum(len(rows) for _, rows in panels[MOST_PANELS:])
    spec: Spec = {
        "vconcat": [_panel(title, rows[:MOST_ROWS]) for title, rows in panels[:MOST_PANELS]],
        "config": {"concat": {"spacing": 24}},
    }
    cut = f" {n_cut:,} more figures are left out here." if n_cut else ""
    return Chart(
        spec,
        title=TITLE,
        description=(
            "For every figure two dots with lines from the lower to the upper end of their"
            f" confidence intervals: a grey round one for the original, a blue square one for the"
            f" copy.{cut}"
        ),
    )


def _panels(record: Replication) -> Iterator[tuple[str, list[tuple[str, FindingRow]]]]:
    """Prevalences share a panel, for they share a scale; all else has its own."""
    kinds = {finding.name: finding.kind for finding in record.findings}
    shares = [row for row in record.headline_rows if kinds[row.finding] == "prevalence"]
    if shares:
        yield "Prevalences", [(row.finding, row) for row in shares]
    for finding in record.findings:
        rows = [row for row in record.headline_rows if row.finding == finding.name]
        if finding.kind != "prevalence" and rows:
            yield truncate(finding.name), [(row.term, row) for row in rows]


def _panel(title: str, rows: list[tuple[str, FindingRow]]) -> Spec:
    labels = _distinct([label for label, _ in rows])
    values = [
        point for label, (_, row) in zip(labels, rows, strict=True) for point in _two(label, row)
    ]
    unit = rows[0][1].unit
    x: Spec = {"type": "quantitative", "scale": {"zero": False}, "title": AXES[unit]}
    x["axis"] = {"tickCount": 6, "labelOverlap": "greedy", "labelFlush": False}
    sides: Spec = {"field": "side", "type": "nominal", "sort": list(SIDES)}
    y: Spec = {"field": "name", "type": "nominal", "sort": labels, "title": None}
    colour: Spec = {**sides, "scale": {"domain": list(SIDES), "range": [ORIGINAL, SYNTHETIC]}}
    shape: Spec = {**sides, "scale": {"domain": list(SIDES), "range": ["circle", "square"]}}
    return {
        "title": {"text": title, "anchor": "start", "frame": "group", "fontSize": 13},
        "width": 420,
        "height": {"step": 15},
        "data": {"values": values},
        "encoding": {
            "y": {**y, "axis": LABELS},
            "yOffset": sides,
            "color": {**colour, "title": None, "legend": {"orient": "top"}},
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
                "encoding": {
                    "x": {**x, "field": "value"},
                    "shape": {**shape, "title": None, "legend": {"orient": "top"}},
                },
            },
        ],
    }


def _distinct(labels: list[str]) -> list[str]:
    """Labels short enough to read, and none twice, for each has its own line."""
    made: list[str] = []
    for label in labels:
        shown, count = truncate(label), 2
        while shown in made:
            shown, count = f"{truncate(label)} ({count})", count + 1
        made.append(shown)
    return made


def _two(label: str, row: FindingRow) -> Iterator[dict[str, Any]]:
    """The original's point and the copy's, with the ends of their intervals."""
    for side, value, low, high in (
        (SIDES[0], row.original, row.original_low, row.original_high),
        (SIDES[1], row.synthetic, row.synthetic_low, row.synthetic_high),
    ):
        ends = (value if low is None else low, value if high is None else high)
        at = [_placed(one, row) for one in (value, *ends)]
        yield {"name": label, "side": side, "value": at[0], "low": at[1], "high": at[2]}


def _placed(value: float | None, row: FindingRow) -> float | None:
    """Where a figure stands: coefficients, which share no unit, by the original's errors."""
    if row.unit != "coefficient" or value is None:
        return value
    if row.original is None or not row.original_se:
        return None
    return (value - row.original) / row.original_se
