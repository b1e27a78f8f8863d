"""Who is left from step to step? Bars that say of how many they are a part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from unveil.records.base import Copy
from unveil.records.disclosure import Disclosure
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    reach_of,
    x_percent,
    y_place,
)
from unveil.view.format import and_list, n_of, percent, truncate

Side = Literal["original", "copy", "of the copy"]

STEP, WIDTH = 34, 340
IDENTITY = {
    "UiO": "alone in your data (UiO)",
    "UiOiS": "… and found in the copy (UiOiS)",
    "repU": "… and alone there too (repU)",
    "UiS": "alone in the copy (UiS)",
}
STEPS = {
    "iS": "found in the copy (iS)",
    "DiS": "… shown one single value (DiS)",
    "DiSCO": "… and it is right (DiSCO)",
    "DiSDiO": "… and settled by the original (DiSDiO)",
}


@dataclass(frozen=True)
class FunnelBar:
    """One step: a percentage, of how many, and on which side they are."""

    label: str
    value: float | None
    told: str
    side: Side


def identity_chart(record: Disclosure, copy: Copy | None = None) -> Chart:
    """UiO, UiOiS and repU of the people of the original, and UiS of the records of the copy."""
    bars = identity_bars(record, record.headline_copy if copy is None else copy)
    return chart_of(
        funnel_spec(bars, "percent", reach_of(bar.value for bar in bars)),
        title=f"Who is alone with {and_list(record.keys)}",
        description=_described(bars),
    )


def identity_bars(record: Disclosure, copy: Copy) -> list[FunnelBar]:
    """The four bars; the last is of other records than the three above it."""
    row = record.identity_of(copy)
    sides: dict[str, Side] = {"UiO": "original", "UiS": "of the copy"}
    return [
        FunnelBar(
            label,
            value := getattr(row, symbol),
            _of_copy(record, copy, value) if symbol == "UiS" else _of_people(record, value),
            sides.get(symbol, "copy"),
        )
        for symbol, label in IDENTITY.items()
    ]


def _of_people(record: Disclosure, value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{percent(value)}: {n_of(value, record.n_original)} of {record.n_original:,} people"


def _of_copy(record: Disclosure, copy: Copy, value: float | None) -> str:
    if value is None:
        return "not measured"
    total = records_of(record, copy)
    if total is None:
        return f"{percent(value)} of synthetic records"
    return f"{percent(value)}: {n_of(value, total)} of {total:,} records"


def records_of(record: Disclosure, copy: Copy) -> int | None:
    """How many records a copy has, or all pooled; None for a mean over copies that differ."""
    if isinstance(copy, int):
        return record.n_synthetic[copy - 1]
    if copy == "pooled":
        return sum(record.n_synthetic)
    return record.n_synthetic[0] if len(set(record.n_synthetic)) == 1 else None


def steps_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """The steps iS, DiS, DiSCO and DiSDiO of one target, all of the people of the original."""
    bars = steps_bars(record, target, record.headline_copy if copy is None else copy)
    return chart_of(
        funnel_spec(bars, "percent of the people in your data", 100),
        title=f"From looking up to learning {truncate(target)}",
        description=_described(bars),
    )


def steps_bars(record: Disclosure, target: str, copy: Copy) -> list[FunnelBar]:
    """The four steps."""
    row = record.attribute_of(target, copy)
    return [
        FunnelBar(label, value := getattr(row, symbol), _of_people(record, value), "copy")
        for symbol, label in STEPS.items()
    ]


def funnel_spec(bars: Sequence[FunnelBar], title: str, reach: float) -> Spec:
    """The bars, in Vega-Lite; a bar of other records than the rest is drawn hollow."""
    rows = [
        {"name": bar.label, "value": bar.value, "told": bar.told, "side": bar.side} for bar in bars
    ]
    sides = ["original", "copy", "of the copy"]
    x = x_percent(title, reach)
    fill = {"domain": sides, "range": [ORIGINAL, SYNTHETIC, "white"]}
    stroke = {"domain": sides, "range": [ORIGINAL, SYNTHETIC, SYNTHETIC]}
    side: Spec = {"field": "side", "type": "nominal", "legend": None}
    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": places(rows)},
        "layer": [
            {
                "mark": {"type": "bar", "strokeWidth": 1.5},
                "encoding": {
                    "x": {**x, "field": "value"},
                    "y": y_place(),
                    "fill": {**side, "scale": fill},
                    "stroke": {**side, "scale": stroke},
                },
            },
            names_layer(wide=240),
            *column_layers([TextColumn("told", 12, align="left", wide=300)], WIDTH),
        ],
    }


def _described(bars: Sequence[FunnelBar]) -> str:
    return "; ".join(f"{bar.label}: {bar.told}" for bar in bars) + "."
