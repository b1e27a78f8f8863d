"""How one column looks in the original and in the copies: bars, histograms and densities."""

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from unveil.records.comparison import Distribution, Histogram, LevelCount
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.rare import Bar, bar_of, is_rare, joined_bins
from unveil.view.format import format_count, truncate

SIDES = ("original", "synthetic")
COLOUR: Spec = {
    "field": "side",
    "type": "nominal",
    "title": None,
    "sort": list(SIDES),
    "scale": {"domain": list(SIDES), "range": [ORIGINAL, SYNTHETIC]},
    "legend": {"orient": "top", "symbolType": "square", "symbolOpacity": 1},
}
MOST_BARS = 30
_HEADROOM = 1.06
_WIDE = 560


def distribution_chart(found: Distribution) -> str:
    """One column side by side, as an SVG document."""
    return distribution(found).svg()


def distribution(found: Distribution) -> Chart:
    """One column side by side, copies together; no grey bar tells of fewer than ten people."""
    title = truncate(found.column)
    bars = list(bars_of(found))
    if found.histogram is None:
        return Chart(_levels(bars, width=_WIDE), title=title, description=_sentence(bars))
    panels = [_numbers(found, found.histogram)]
    if any(bar.original or bar.synthetic for bar in bars):
        panels.append(_levels(bars, width=160))
    spec: Spec = {"hconcat": panels, "spacing": 40}
    return Chart(spec, title=title, description=_told_numbers(found) + _sentence(bars))


def bars_of(found: Distribution) -> Iterator[Bar]:
    """A bar for each level that is not rare, one for all others, and those beyond the bins."""
    rare = [row for row in found.levels if is_rare(row)]
    shown = [row for row in found.levels if row not in rare]
    frequent = sorted(shown, key=lambda row: -row.n_original)[:MOST_BARS]
    merged = rare + [row for row in shown if row not in frequent]
    for row in shown:
        if row in frequent:
            yield _bar(_label(row), [row], found)
    if merged:
        n_levels = sum(row.n_levels for row in merged)
        yield _bar(f"other ({format_count(n_levels, 'level')})", merged, found)
    if found.histogram is not None:
        yield from _beyond(found, found.histogram)


def _label(row: LevelCount) -> str:
    return "missing" if row.kind == "missing" else truncate(row.level or "")


def _bar(label: str, rows: Sequence[LevelCount], found: Distribution) -> Bar:
    here = sum(row.n_original for row in rows)
    there = sum(sum(row.n_synthetic) for row in rows)
    return bar_of(label, (here, there), totals(found))


def totals(found: Distribution) -> tuple[int, int]:
    """All records of the original, and of the copies together."""
    histogram = found.histogram
    here = sum(row.n_original for row in found.levels)
    there = sum(sum(row.n_synthetic) for row in found.levels)
    if histogram is not None:
        here += sum(histogram.n_original)
        there += sum(map(sum, histogram.n_synthetic))
    return here, there


def _percent(n: int, of: int) -> float:
    return 100 * n / of if of else 0.0


def _beyond(found: Distribution, histogram: Histogram) -> Iterator[Bar]:
    """Numbers beyond the bins: too few for a bar each, and told as one."""
    half = 0.5 if histogram.is_whole else 0.0
    below, above = (
        format_value(found, edge)
        for edge in (histogram.edges[0] + half, histogram.edges[-1] + half)
    )
    for place, label in ((0, f"below {below}"), (-1, f"{above} or more")):
        here = histogram.n_original[place]
        there = sum(one[place] for one in histogram.n_synthetic)
        if here or there:
            yield bar_of(label, (here, there), totals(found))


def format_value(found: Distribution, value: float | None) -> str:
    """A number of a column, or a day of the calendar."""
    if value is None:
        return "-"
    return _day(value) if found.kind == "date" else f"{value:,.6g}"


def _day(days: float) -> str:
    """A day of the calendar; days beyond it as a number."""
    try:
        return (date(1970, 1, 1) + timedelta(days=math.floor(days))).isoformat()
    except OverflowError:
        return f"day {days:,.0f}"


def _levels(bars: Sequence[Bar], *, width: int) -> Spec:
    values = [
        {"name": bar.label, "side": side, "value": value}
        for bar in bars
        for side, value in zip(SIDES, (bar.original, bar.synthetic), strict=True)
        if value is not None
    ]
    return {
        "data": {"values": values},
        "width": width,
        "height": {"step": 13},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "name", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "side", "scale": {"domain": list(SIDES)}},
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": "percent of records",
                "axis": {"tickCount": width // 50, "labelOverlap": True},
            },
            "color": COLOUR,
        },
    }


def _numbers(found: Distribution, histogram: Histogram) -> Spec:
    n_original, n_synthetic = totals(found)
    pooled = [sum(one) for one in zip(*histogram.n_synthetic, strict=True)]
    binned = {"original": (histogram.n_original, n_original), "synthetic": (pooled, n_synthetic)}
    bars: list[Spec] = [
        {
            "side": side,
            "low": _place(found, histogram.edges[first]),
            "high": _place(found, histogram.edges[after]),
            "value": _percent(sum(counts[first + 1 : after + 1]), of) / (after - first),
        }
        for side, (counts, of) in binned.items()
        for first, after in joined_bins(histogram.n_original[1:-1])
    ]
    lines = _lines(found)
    top = max((one["value"] for one in bars + lines), default=0.0) * _HEADROOM
    x, y = _axis(found), _heights(top)
    layers: list[Spec] = [_filled(bars, x, y), _outlined(bars, x, y)]
    if lines:
        layers.append(_drawn_lines(lines, x, y))
    return {"width": 420, "height": 220, "layer": layers}


def _heights(top: float) -> Spec:
    """The axis of heights, with room above the highest."""
    scale = {"domain": [0, top or 1.0], "nice": False}
    return {
        "field": "value",
        "type": "quantitative",
        "title": "percent of records",
        "scale": scale,
    }


def _axis(found: Distribution) -> Spec:
    axis: Spec = {"title": truncate(found.column)}
    if found.kind == "date":
        return {**axis, "type": "temporal", "scale": {"type": "utc", "nice": False}}
    if found.histogram is not None and found.histogram.is_whole:
        axis["axis"] = {"tickMinStep": 1, "format": "d"}
    return {**axis, "type": "quantitative", "scale": {"zero": False, "nice": False}}


def _place(found: Distribution, value: float) -> float:
    """A place on the axis: dates in milliseconds."""
    return value * 86_400_000 if found.kind == "date" else value


def _filled(bars: Sequence[Spec], x: Spec, y: Spec) -> Spec:
    return {
        "data": {"values": [bar for bar in bars if bar["side"] == "original"]},
        "mark": {"type": "rect", "opacity": 0.45},
        "encoding": _bar_places(x, y),
    }


def _outlined(bars: Sequence[Spec], x: Spec, y: Spec) -> Spec:
    return {
        "data": {"values": [bar for bar in bars if bar["side"] == "synthetic"]},
        "mark": {"type": "rect", "fillOpacity": 0, "stroke": SYNTHETIC, "strokeWidth": 1.2},
        "encoding": _bar_places(x, y),
    }


def _bar_places(x: Spec, y: Spec) -> Spec:
    return {
        "x": {**x, "field": "low"},
        "x2": {"field": "high"},
        "y": y,
        "y2": {"datum": 0},
        "color": COLOUR,
    }


def _lines(found: Distribution) -> list[Spec]:
    """Densities on the scale of the bars: percent of all records in a bin of their width."""
    histogram, density = found.histogram, found.density
    if histogram is None or density is None:
        return []
    width = histogram.edges[1] - histogram.edges[0]
    n_original, n_synthetic = totals(found)
    n_numbers = [sum(one) for one in histogram.n_synthetic]
    copies = [
        [n * height for height in one]
        for n, one in zip(n_numbers, density.synthetic, strict=True)
        if one is not None
    ]
    heights = {
        "original": [
            _percent(1, n_original) * sum(histogram.n_original) * one for one in density.original
        ],
        "synthetic": [_percent(1, n_synthetic) * sum(one) for one in zip(*copies, strict=True)],
    }
    return [
        {"side": side, "low": _place(found, at), "value": width * height}
        for side, line in heights.items()
        for at, height in zip(density.at, line, strict=False)
    ]


def _drawn_lines(values: list[Spec], x: Spec, y: Spec) -> Spec:
    return {
        "data": {"values": values},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "low"}, "y": y, "color": COLOUR},
    }


def _sentence(bars: Sequence[Bar]) -> str:
    told = "; ".join(f"{bar.label}: {bar.told} and {bar.synthetic:.1f}" for bar in bars)
    return f"Percent of records, original and copies: {told}." if told else ""


def _told_numbers(found: Distribution) -> str:
    mean = format_value(found, found.mean_original)
    copies = ", ".join(format_value(found, one) for one in found.mean_synthetic)
    return (
        "Histogram of the original (filled) and of the copies (outlined) in the same bins, joined"
        " where they would hold fewer than ten people of the original; lines are kernel densities."
        f" Mean {mean} in the original, {copies} in the copies. "
    )
