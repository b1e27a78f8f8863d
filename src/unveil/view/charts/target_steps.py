"""One target in one picture: the steps from looking up to learning, above the ladder of guesses."""

from collections.abc import Sequence

from unveil.records.base import Copy
from unveil.records.disclosure import Disclosure
from unveil.view.charts.chart import Chart
from unveil.view.charts.funnel import FunnelBar, steps_bars
from unveil.view.charts.ladder import LadderMark, rung_layers, rungs_of
from unveil.view.charts.render_svg import INK, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    Row,
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    x_percent,
    y_place,
)
from unveil.view.format import percent_or_dash, truncate

WIDTH, STEP = 340, 23
HEADS = ("Looked up in the copy", "Beside the original, and guesses")


def target_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """iS, DiS, DiSCO and DiSDiO as bars, then DiSCO, DCAP and what they are held against."""
    chosen = record.headline_copy if copy is None else copy
    bars, rungs = steps_bars(record, target, chosen), rungs_of(record, target, chosen)
    told = [f"{bar.label}: {bar.told}" for bar in bars]
    told += [f"{rung.label}: {percent_or_dash(rung.value)}" for rung in rungs]
    return chart_of(
        target_spec(bars, rungs),
        title=f"{truncate(target)}: from looking up to learning",
        description=f"{'; '.join(told)}.",
    )


def target_rows(bars: Sequence[FunnelBar], rungs: Sequence[LadderMark]) -> list[Row]:
    """The rows from the top, those of each half under its head."""
    first, second = ({"kind": "head", "head": text} for text in HEADS)
    return places(
        [
            first,
            *(
                {"kind": "bar", "name": bar.label, "value": bar.value, "told": bar.told}
                for bar in bars
            ),
            second,
            *(
                {
                    "kind": "rung",
                    "name": rung.label,
                    "value": rung.value,
                    "told": percent_or_dash(rung.value),
                    "ladder": rung.ladder,
                    "of": rung.of,
                }
                for rung in rungs
            ),
        ]
    )


def target_spec(bars: Sequence[FunnelBar], rungs: Sequence[LadderMark]) -> Spec:
    """The picture in Vega-Lite; both halves share one axis."""
    rows = target_rows(bars, rungs)
    x = {**x_percent("percent of the people in your data", 100), "field": "value"}
    y = {**y_place(), "bandPosition": 0.5}
    # Each layer draws some of the rows, and the scale has to know all of them, in order.
    whole = {"domain": [row["place"] for row in rows]}
    heads = names_layer("head", wide=260)
    heads["mark"] = {**heads["mark"], "fontWeight": "bold"}
    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": rows},
        "layer": [
            {
                **_only("bar"),
                "mark": {"type": "bar", "color": SYNTHETIC},
                "encoding": {"x": x, "y": {**y_place(), "scale": {**y_place()["scale"], **whole}}},
            },
            *({**_only("rung"), **layer} for layer in rung_layers(x, y)),
            {**_only("head"), **heads},
            {**_but("head"), **names_layer(wide=260)},
            *(
                {**_but("head"), **layer}
                for layer in column_layers(
                    [TextColumn("told", 12, align="left", colour=INK, wide=300)], WIDTH
                )
            ),
        ],
    }


def _only(kind: str) -> Spec:
    return {"transform": [{"filter": {"field": "kind", "equal": kind}}]}


def _but(kind: str) -> Spec:
    return {"transform": [{"filter": {"not": {"field": "kind", "equal": kind}}}]}
