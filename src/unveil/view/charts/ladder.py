"""How far does the copy go from guessing to the original? Rungs of one target.

Guessing has three rungs: frequencies alone, the copy, the original. Learning for certain has two:
frequencies alone settle nothing, and the baseline of a guess can be higher than DiSCO.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.records.base import Copy
from unveil.records.disclosure import Disclosure
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import BASELINE, INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    RAIL,
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    x_percent,
    y_place,
)
from unveil.view.format import percent_or_dash, truncate

WIDTH, STEP = 340, 24
SHAPES = {"baseline": "triangle-up", "copy": "square", "original": "circle"}
FILLS = {"baseline": BASELINE, "copy": SYNTHETIC, "original": "white"}
STROKES = {"baseline": INK, "copy": SYNTHETIC, "original": ORIGINAL}
RUNGS = (
    ("certain", "copy", "learnt for certain, copy (DiSCO)", "DiSCO"),
    ("certain", "original", "learnt for certain, original (Dorig)", "Dorig"),
    ("guessed", "baseline", "guessed, frequencies alone (baseCAPd)", "baseCAPd"),
    ("guessed", "copy", "guessed, copy (DCAP)", "DCAP"),
    ("guessed", "original", "guessed, original (CAPd)", "CAPd"),
)


@dataclass(frozen=True)
class LadderMark:
    """One figure on a ladder."""

    ladder: str
    of: str  # baseline, copy or original
    label: str
    value: float | None


def ladder_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """DiSCO below Dorig, and DCAP between its baseline and CAPd."""
    rungs = rungs_of(record, target, record.headline_copy if copy is None else copy)
    told = "; ".join(f"{rung.label}: {percent_or_dash(rung.value)}" for rung in rungs)
    return chart_of(
        ladder_spec(rungs),
        title=f"{truncate(target)}: from guessing to the original",
        description=f"{told}.",
    )


def rungs_of(record: Disclosure, target: str, copy: Copy) -> list[LadderMark]:
    """The rungs of both ladders."""
    row = record.attribute_of(target, copy)
    return [
        LadderMark(ladder, of, label, getattr(row, symbol)) for ladder, of, label, symbol in RUNGS
    ]


def ladder_spec(rungs: Sequence[LadderMark]) -> Spec:
    """The rungs in Vega-Lite, those of one ladder joined by a line."""
    rows = places(
        [
            {
                "name": rung.label,
                "ladder": rung.ladder,
                "of": rung.of,
                "value": rung.value,
                "told": percent_or_dash(rung.value),
            }
            for rung in rungs
        ]
    )
    x = {**x_percent("percent of the people in your data", 100), "field": "value"}
    y = {**y_place(), "bandPosition": 0.5}

    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": rows},
        "layer": [
            _rails(x, y),
            *rung_layers(x, y),
            names_layer(wide=240),
            *column_layers([TextColumn("told", 12, align="left")], WIDTH),
        ],
    }


def rung_layers(x: Spec, y: Spec) -> list[Spec]:
    """The rungs, told apart by shape and fill, and a line along those of one ladder."""
    return [
        {
            "mark": {"type": "line", "color": RAIL, "strokeWidth": 1.5},
            "encoding": {
                "x": x,
                "y": y,
                "detail": {"field": "ladder", "type": "nominal"},
                "order": {"field": "place", "type": "quantitative"},
            },
        },
        {
            "mark": {"type": "point", "size": 90, "opacity": 1, "strokeWidth": 2},
            "encoding": {
                "x": x,
                "y": y,
                "shape": _scale(SHAPES),
                "fill": _scale(FILLS),
                "stroke": _scale(STROKES),
            },
        },
    ]


def _scale(ranges: dict[str, str]) -> Spec:
    field: Spec = {"field": "of", "type": "nominal", "legend": None}
    return {**field, "scale": {"domain": list(ranges), "range": list(ranges.values())}}


def _rails(x: Spec, y: Spec) -> Spec:
    return {
        "mark": {"type": "rule", "color": "#e6e6e6", "strokeWidth": 1},
        "encoding": {"x": {**x, "field": None, "datum": 0}, "x2": {"datum": 100}, "y": y},
    }
