"""Risks of simulated attacks with their intervals, secret by secret.

As Figures 15 to 17 of Chapelle and Falissard, but with R as it is: not clipped at 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unveil.records.attacks import CopyAttacks
from unveil.view.attack_rows import AttackDisplayRow, Reading, attack_rows
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import BAD, BASELINE, INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.format import format_count, truncate

MOST_ROWS = 60
TITLE = "Risks of simulated attacks"
COLOURS: dict[Reading, str] = {
    "above 0": BAD,
    "holds 0": ORIGINAL,
    "below 0": SYNTHETIC,
    "no control": INK,
}
SHAPES: dict[Reading, str] = {
    "above 0": "square",
    "holds 0": "circle",
    "below 0": "triangle-down",
    "no control": "diamond",
}
WORDS: dict[Reading, str] = {
    "above 0": "interval above 0",
    "holds 0": "interval holds 0",
    "below 0": "interval below 0",
    "no control": "rate of the attack",
}
RATE = "share of attacks that succeed"
NAIVE = "light stroke: the rate of uninformed guesses"
LABELS = {"labelLimit": 230, "minExtent": 250, "grid": True, "tickBand": "extent"}
NOTHING: Spec = {
    "data": {"values": [{"name": "Nothing could be measured."}]},
    "mark": {"type": "text", "fontSize": 13},
    "encoding": {"text": {"field": "name", "type": "nominal"}},
}


@dataclass(frozen=True)
class Frame:
    """What all panels share: from where to where the axis goes, and the marks of the legend."""

    reach: tuple[float, float]
    readings: tuple[Reading, ...]

    @classmethod
    def of(cls, rows: Sequence[AttackDisplayRow]) -> "Frame":
        """Room for all intervals, all naive rates, and 0."""
        ends = [end for shown in rows for end in (*(shown.interval or ()), shown.row.naive or 0)]
        there = {shown.reading for shown in rows}
        return cls((min(0.0, *ends), max(0.1, *ends)), tuple(one for one in WORDS if one in there))


def attacks_chart(copies: Sequence[CopyAttacks]) -> str:
    """The risks as an SVG document."""
    return attack_rates(copies).svg()


def attack_rates(copies: Sequence[CopyAttacks]) -> Chart:
    """R with its interval for every attack and secret; without a control the main rate."""
    panels = [(copy, _measured(copy)) for copy in copies]
    panels = [(copy, rows) for copy, rows in panels if rows]
    if not panels:
        return Chart(NOTHING, title=TITLE, description="Nothing could be measured.")
    frame = Frame.of([shown for _, rows in panels for shown in rows])
    n_cut = sum(max(len(rows) - MOST_ROWS, 0) for _, rows in panels)
    cut = f" {format_count(n_cut, 'row')} with lower risks left out." if n_cut else ""
    return Chart(
        {
            "vconcat": [
                attacks_spec(
                    rows[:MOST_ROWS], frame, title=truncate(copy.file) if len(panels) > 1 else None
                )
                for copy, rows in panels
            ],
            "config": {"concat": {"spacing": 24}},
        },
        title=TITLE,
        description=(
            "One line for every attack and secret: a mark for the risk with a line over its"
            " interval, and a light upright stroke for the rate of uninformed guesses. Groups are"
            f" not drawn.{cut}"
        ),
    )


def _measured(copy: CopyAttacks) -> list[AttackDisplayRow]:
    """Rows with a risk and an interval; attack by attack, the highest risk first."""
    rows = [shown for shown in attack_rows(copy.attacks) if shown.row.group is None]
    return [s for s in rows if s.row.risk is not None and s.interval is not None]


def attacks_spec(rows: Sequence[AttackDisplayRow], frame: Frame, *, title: str | None) -> Spec:
    """One panel, in Vega-Lite."""
    labels = _distinct([shown.label for shown in rows])
    values = [_point(label, shown) for label, shown in zip(labels, rows, strict=True)]
    with_control = any(shown.row.R is not None for shown in rows)
    x: Spec = {
        "type": "quantitative",
        "scale": {"domain": list(frame.reach), "nice": True},
        "axis": {"tickCount": 6, "labelOverlap": "greedy", "labelFlush": False},
        "title": ["R (0: no more than general knowledge)" if with_control else RATE, NAIVE],
    }
    y: Spec = {"field": "name", "type": "nominal", "sort": labels, "title": None}
    readings = frame.readings
    domain = [WORDS[one] for one in readings]
    legend: Spec = {"field": "reading", "type": "nominal", "title": None}
    top = {"legend": {"orient": "top", "labelLimit": 300, "columnPadding": 40}}
    colour = {**legend, **top, "scale": {"domain": domain, "range": [COLOURS[o] for o in readings]}}
    shape = {**legend, **top, "scale": {"domain": domain, "range": [SHAPES[o] for o in readings]}}
    panel: Spec = {
        "width": 420,
        "height": {"step": 22},
        "data": {"values": values},
        "encoding": {"y": {**y, "axis": LABELS}},
        "layer": [
            _zero(),
            _naive(x),
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {**x, "field": "low"},
                    "x2": {"field": "high"},
                    "color": colour,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"x": {**x, "field": "value"}, "color": colour, "shape": shape},
            },
        ],
    }
    if title is None:
        return panel
    return {**panel, "title": {"text": title, "frame": "group", "fontSize": 13}}


def _zero() -> Spec:
    return {
        "data": {"values": [{"value": 0}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
        "encoding": {"x": {"field": "value", "type": "quantitative"}, "y": None},
    }


def _naive(x: Spec) -> Spec:
    """A light upright stroke where uninformed guesses stand; the axis says what it is."""
    return {
        "mark": {"type": "tick", "thickness": 4, "size": 14, "color": BASELINE, "opacity": 1},
        "encoding": {"x": {**x, "field": "naive"}},
    }


def _point(label: str, shown: AttackDisplayRow) -> dict[str, Any]:
    low, high = shown.interval or (None, None)
    return {
        "name": label,
        "value": shown.row.risk,
        "low": low,
        "high": high,
        "naive": shown.row.naive,
        "reading": WORDS[shown.reading],
    }


def _distinct(labels: Sequence[str]) -> list[str]:
    """Labels none of which is there twice, for each has its own line."""
    made: list[str] = []
    for label in labels:
        shown, count = label, 2
        while shown in made:
            shown, count = f"{label} ({count})", count + 1
        made.append(shown)
    return made
