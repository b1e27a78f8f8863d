"""Where do statistical uniques stand between guessing (0) and the original (1)? A histogram.

Of the record's bins the two that have no end are drawn as wide as their neighbours, and say so.
"""

from collections.abc import Sequence

from unveil.records.cap import Gtcap, GtcapBin
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import INK, SYNTHETIC, Spec
from unveil.view.charts.text_rows import chart_of
from unveil.view.format import and_list, format_count, ratio
from unveil.view.gtcap import ends

WIDTH, HEIGHT = 560, 220
SCALE = "0 = guessing by frequencies, 1 = as good as the original"


def gtcap_chart(record: Gtcap) -> Chart:
    """The normalised scores of the statistical uniques, with their mean."""
    told = "; ".join(f"{ends(row)}: {row.n:,}" for row in record.histogram if row.n)
    mean = "no mean" if record.mean is None else f"mean {ratio(record.mean)}"
    return chart_of(
        gtcap_spec(record),
        title=f"GTCAP of {and_list(record.target)} from {and_list(record.keys)}",
        description=f"{format_count(record.n_unique, 'statistical unique')}, {mean}. {told}.",
    )


def gtcap_spec(record: Gtcap) -> Spec:
    """Bars with their numbers, and a line for the mean, in Vega-Lite."""
    bars = record.histogram
    rows = [
        {"place": place, "n": row.n, "told": f"{row.n:,}" if row.n else "", "name": ends(row)}
        for place, row in enumerate(bars)
    ]
    most = max((row.n for row in bars), default=0)
    x: Spec = {
        "field": "name",
        "type": "nominal",
        "sort": [row["name"] for row in rows],
        "title": SCALE,
        "axis": {"labelAngle": -45},
        "scale": {"paddingInner": 0.08, "paddingOuter": 0.04},
    }
    y: Spec = {
        "field": "n",
        "type": "quantitative",
        "title": "statistical uniques",
        "scale": {"domain": [0, max(1, most)]},
        "axis": {"tickCount": 4, "tickMinStep": 1, "format": ",d"},
    }
    text = {"type": "text", "dy": -7, "fontSize": 11, "color": INK}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {
                "data": {"values": rows},
                "mark": {"type": "bar", "color": SYNTHETIC},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": rows},
                "mark": text,
                "encoding": {"x": x, "y": y, "text": {"field": "told", "type": "nominal"}},
            },
            *_mean(record.mean, bars),
        ],
    }


def _mean(mean: float | None, bars: Sequence[GtcapBin]) -> list[Spec]:
    """An upright line at the mean, with its name above the bars."""
    if mean is None:
        return []
    at = WIDTH * place_of(mean, bars) / len(bars)
    values = [{"at": at, "text": f"mean {ratio(mean)}"}]
    x = {"field": "at", "type": "quantitative", "scale": None, "axis": None}
    align, shift = ("left", 5) if at < WIDTH - 80 else ("right", -5)
    line = {"type": "rule", "color": INK, "strokeDash": [5, 3], "strokeWidth": 1.5}
    text = {"type": "text", "align": align, "dx": shift, "fontWeight": "bold", "color": INK}
    return [
        {
            "data": {"values": values},
            "mark": line,
            "encoding": {"x": x, "y": {"value": -24}, "y2": {"value": HEIGHT}},
        },
        {
            "data": {"values": values},
            "mark": text,
            "encoding": {
                "x": x,
                "y": {"value": -20},
                "text": {"field": "text", "type": "nominal"},
            },
        },
    ]


def place_of(value: float, bars: Sequence[GtcapBin]) -> float:
    """Where a score stands among the bars, each one wide; in the middle of one without an end."""
    for place, row in enumerate(bars):
        if row.high is not None and value >= row.high:
            continue
        if row.low is None or row.high is None:
            return place + 0.5
        return place + (value - row.low) / (row.high - row.low)
    return float(len(bars))
