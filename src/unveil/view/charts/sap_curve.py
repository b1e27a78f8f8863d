"""The chance of a disclosure by the number of known people: a step line for each table.

Smith and Elliot (2008). Lines differ by colour, dashes and the name at their end; where only
bounds are known, the space between them is shaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from unveil.records.count_tables import Sap
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import INK, Spec
from unveil.view.format import format_count, truncate
from unveil.view.format_probability import between, probability

MOST_LINES = 6
"""Lines in one picture; more would not be told apart."""
# No colour of a status, and each with dashes of its own.
COLOURS = ("#1f4e8c", "#000000", "#8c4fa3", "#2b8cbe", "#6b6b6b", "#c270a8")
DASHES = ([1, 0], [9, 4], [2, 3], [12, 3, 2, 3], [5, 2], [1, 4])
_WIDTH, _HEIGHT, _LINE_HEIGHT = 480, 300, 16
_LONGEST = 26
_THRESHOLD = "threshold"


@dataclass(frozen=True)
class CurveLine:
    """One table under one scheme: what it is called, and what was found."""

    label: str
    record: Sap


def sap_curve(curves: Sequence[CurveLine], *, threshold: float | None = None) -> Chart:
    """Some tables in one picture; where each leaves zero is marked."""
    return Chart(
        sap_curve_spec(curves, threshold=threshold),
        title="Chance that known people give an empty combination away",
        description=" ".join(map(curve_sentence, curves)),
    )


def curve_sentence(curve: CurveLine) -> str:
    """One curve in a sentence."""
    record = curve.record
    last = record.n[-1]
    low, high = record.lower[-1], record.upper[-1]
    if not high:
        return (
            f"{truncate(curve.label)}: 0 up to "
            f"{format_count(last, 'known person', 'known people')}."
        )
    starts = "" if record.first_risk is None else f" above 0 from {record.first_risk:,} known on,"
    return (
        f"{truncate(curve.label)}:{starts} {between(low, high) or probability(high)} at {last:,}."
    )


def sap_curve_spec(curves: Sequence[CurveLine], *, threshold: float | None = None) -> Spec:
    """The steps in Vega-Lite."""
    labels = _distinct(curves)
    longest = max(curve.record.n[-1] for curve in curves)
    last = min(longest, max(map(_reach, curves)))
    rows: list[Spec] = [
        {"label": label, "n": n, "low": low, "high": high}
        for label, curve in zip(labels, curves, strict=True)
        for n, low, high in zip(curve.record.n, curve.record.lower, curve.record.upper, strict=True)
        if n <= last
    ]
    title = "people already known (n)" + ("; beyond, no line changes" if last < longest else "")
    x: Spec = {"type": "quantitative", "title": title, "field": "n"}
    x |= {"scale": {"domain": [0, max(last, 1)], "nice": False}}
    x["axis"] = {"values": _ticks(last), "format": ",d", "grid": False}
    y: Spec = {"type": "quantitative", "title": "probability", "scale": {"domain": [0, 1]}}
    colour = _channel(labels, list(COLOURS))
    line = {"type": "line", "interpolate": "step", "strokeWidth": 2}
    dash = _channel(labels, [list(one) for one in DASHES])
    layers: list[Spec] = [
        {
            "data": {"values": rows},
            "mark": line,
            "encoding": {"x": x, "y": {**y, "field": "high"}, "color": colour, "strokeDash": dash},
        }
    ]
    layers += _bounds(rows, x, y, colour)
    layers += _starts(labels, curves, x, y, colour)
    if threshold is not None:
        layers.append(_threshold(threshold, y))
    layers += _names(_ends(labels, curves, last, threshold), labels)
    return {"width": _WIDTH, "height": _HEIGHT, "layer": layers}


def _reach(curve: CurveLine) -> int:
    """How far a line has something to show: to its end while there is no risk, else a bit on."""
    record = curve.record
    if not record.upper[-1]:
        return record.n[-1]
    bounds = list(zip(record.lower, record.upper, strict=True))
    moved = [n for n, (before, now) in enumerate(pairwise(bounds), start=1) if before != now]
    settled = moved[-1] if moved else 0
    return settled + max(1, settled // 6)


def _distinct(curves: Sequence[CurveLine]) -> list[str]:
    """Names short enough for the margin, none twice."""
    made: list[str] = []
    for place, curve in enumerate(curves):
        shown = truncate(curve.label)
        shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
        made.append(f"{shown} ({place + 1})" if shown in made else shown)
    return made


def _channel(labels: list[str], values: Sequence[object]) -> Spec:
    n = len(values)
    range_ = [values[place % n] for place in range(len(labels))]
    scale = {"domain": labels, "range": range_}
    return {"field": "label", "type": "nominal", "sort": labels, "scale": scale, "legend": None}


def _bounds(rows: list[Spec], x: Spec, y: Spec, colour: Spec) -> list[Spec]:
    """Where upper and lower bound are not one figure, what lies between them."""
    wide = {row["label"] for row in rows if row["high"] - row["low"] > 1e-6}
    if not wide:
        return []
    area = {"type": "area", "interpolate": "step", "opacity": 0.2}
    return [
        {
            "data": {"values": [row for row in rows if row["label"] in wide]},
            "mark": area,
            "encoding": {
                "x": x,
                "y": {**y, "field": "low"},
                "y2": {"field": "high"},
                "color": colour,
            },
        }
    ]


def _starts(
    labels: list[str], curves: Sequence[CurveLine], x: Spec, y: Spec, colour: Spec
) -> list[Spec]:
    """A dot where the risk leaves zero, with its number of people."""
    points = [
        {
            "label": label,
            "n": curve.record.first_risk,
            "value": curve.record.upper[curve.record.first_risk],
            "text": f"n = {curve.record.first_risk:,}",
        }
        for label, curve in zip(labels, curves, strict=True)
        if curve.record.first_risk is not None
    ]
    place = {"x": x, "y": {**y, "field": "value"}}
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    dots: Spec = {"mark": mark, "encoding": {**place, "color": colour}}
    text = {"type": "text", "align": "left", "dx": 5, "dy": -8, "color": INK}
    words: Spec = {
        "mark": text,
        "encoding": {**place, "text": {"field": "text", "type": "nominal"}},
    }
    once = list({(point["n"], point["value"]): point for point in points}.values())
    if not points:
        return []
    return [{"data": {"values": points}, **dots}, {"data": {"values": once}, **words}]


def _ends(
    labels: list[str], curves: Sequence[CurveLine], last: int, threshold: float | None
) -> list[Spec]:
    """Where each line ends, and where its name has room at the right, moved apart; in pixels."""
    ends: list[Spec] = [
        {
            "label": label,
            "x": min(curve.record.n[-1] / max(last, 1), 1.0) * _WIDTH,
            "y": (1 - curve.record.upper[-1]) * _HEIGHT,
        }
        for label, curve in zip(labels, curves, strict=True)
    ]
    if threshold is not None:
        label = f"{_THRESHOLD} {threshold:g}"
        ends.append({"label": label, "x": _WIDTH, "y": (1 - threshold) * _HEIGHT})
    ends.sort(key=lambda end: (end["y"], end["label"]))
    heights: list[float] = []
    for end in ends:
        heights.append(max(end["y"], heights[-1] + _LINE_HEIGHT) if heights else end["y"])
    beyond = max(0.0, heights[-1] - _HEIGHT)
    return [
        {**end, "x2": _WIDTH + 14, "place": height - beyond}
        for end, height in zip(ends, heights, strict=True)
    ]


def _names(ends: list[Spec], labels: list[str]) -> list[Spec]:
    """The name of each line at the right, with a thin line that leads to it."""
    pixels: Spec = {"type": "quantitative", "scale": None, "axis": None}
    lines = [end for end in ends if end["label"] in labels]
    leads: Spec = {
        "data": {"values": lines},
        "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.7},
        "encoding": {
            "x": {**pixels, "field": "x"},
            "x2": {"field": "x2"},
            "y": {**pixels, "field": "y"},
            "y2": {"field": "place"},
            "color": _channel(labels, list(COLOURS)),
        },
    }
    names: Spec = {
        "data": {"values": ends},
        "mark": {"type": "text", "align": "left", "x": _WIDTH + 18, "color": INK, "fontSize": 12},
        "encoding": {
            "y": {**pixels, "field": "place"},
            "text": {"field": "label", "type": "nominal"},
        },
    }
    return [leads, names]


def _threshold(value: float, y: Spec) -> Spec:
    rule = {"type": "rule", "color": "#666666", "strokeDash": [1, 4]}
    data = {"values": [{"value": value}]}
    return {"data": data, "mark": rule, "encoding": {"y": {**y, "field": "value"}}}


def _ticks(last: int) -> list[int]:
    """Whole numbers, no more than a dozen of them."""
    steps = (size * factor for size in (1, 10, 100, 1000, 10_000) for factor in (1, 2, 5))
    step = next((step for step in steps if last / step <= 12), max(1, last // 12))
    return list(range(0, last + 1, step))
