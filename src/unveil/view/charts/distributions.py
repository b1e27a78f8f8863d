"""How one column is distributed: original and synthetic data, or before and after noise.

What few people have is not drawn by itself: levels, bins and shares of fewer than ten people. The
record stays complete; pictures, their descriptions and tables follow one rule.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from unveil.records.comparison import Distribution, Histogram, LevelCount
from unveil.records.noise import NoisedColumn
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    ROW,
    SIDES,
    SYNTHETIC,
    WIDTH,
    Row,
    Spec,
    at,
    bar,
    draw,
    legend,
    line,
    look,
    number,
    panel,
    row_panel,
    words,
)
from unveil.view.format import format_count, percent, truncate
from unveil.view.noise import short
from unveil.view.pair_tables import SMALL, is_few

MOST_BARS = 30
_KEY = look("side", SIDES, legend(symbolType="square", symbolOpacity=1))
_SHARE = "percent of records"
_HEADROOM = 1.06
_DAY = 86_400_000  # milliseconds


# What few people have


@dataclass(frozen=True)
class Bar:
    """One bar on both sides, in percent of records."""

    label: str
    original: float | None  # None: few people, and no bar
    synthetic: float
    told: str  # the share of the original in words


def bar_of(label: str, people: tuple[int, int], of: tuple[int, int]) -> Bar:
    """A bar from numbers of people and of all; few people of the original are "under" a share."""
    here, there = map(_percent, people, of)
    if not is_few(people[0]):
        return Bar(label, here, there, f"{here:.1f}")
    most = min(100.0, math.ceil(1000 * SMALL / of[0]) / 10)
    under = f"under {most:.1f}"
    return Bar(f"{label}, original {under} %", None, there, under)


def is_rare(row: LevelCount) -> bool:
    """Whether a level is put together with others; missing keeps its name."""
    if row.kind == "missing":
        return False
    people = row.n_original or sum(row.n_synthetic)
    return row.kind == "other" or people < SMALL


def joined_bins(n_original: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Bins from the first to before the last, joined until they hold ten people or no one.

    Few people at the end join the bins before them.
    """
    made: list[tuple[int, int]] = []
    first = n = 0
    for place, count in enumerate(n_original):
        n += count
        if not is_few(n):
            made.append((first, place + 1))
            first, n = place + 1, 0
    if n:
        while made and not sum(n_original[made[-1][0] : made[-1][1]]):
            first = made.pop()[0]
        first = made.pop()[0] if made else first
        made.append((first, len(n_original)))
    yield from made


def bars_of(found: Distribution) -> Iterator[Bar]:
    """A bar for each level that is not rare, one for all others, and those beyond the bins."""
    rare = [row for row in found.levels if is_rare(row)]
    shown = [row for row in found.levels if row not in rare]
    frequent = sorted(shown, key=lambda row: -row.n_original)[:MOST_BARS]
    merged = rare + [row for row in shown if row not in frequent]
    for row in shown:
        if row in frequent:
            label = "missing" if row.kind == "missing" else truncate(row.level or "")
            yield _bar(label, [row], found)
    if merged:
        n_levels = sum(row.n_levels for row in merged)
        yield _bar(f"other ({format_count(n_levels, 'level')})", merged, found)
    if found.histogram is not None:
        yield from _beyond(found, found.histogram)


def _bar(label: str, rows: Sequence[LevelCount], found: Distribution) -> Bar:
    here = sum(row.n_original for row in rows)
    there = sum(sum(row.n_synthetic) for row in rows)
    return bar_of(label, (here, there), totals(found))


def _beyond(found: Distribution, histogram: Histogram) -> Iterator[Bar]:
    """Numbers beyond the bins: too few for a bar each, and told as one."""
    half = 0.5 if histogram.is_whole else 0.0
    below, above = (format_value(found, histogram.edges[end] + half) for end in (0, -1))
    for place, label in ((0, f"below {below}"), (-1, f"{above} or more")):
        here = histogram.n_original[place]
        there = sum(one[place] for one in histogram.n_synthetic)
        if here or there:
            yield bar_of(label, (here, there), totals(found))


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


def format_value(found: Distribution, value: float | None) -> str:
    """A number of a column, or a day of the calendar; days beyond it as a number."""
    if value is None:
        return "-"
    if found.kind != "date":
        return f"{value:,.6g}"
    try:
        return (date(1970, 1, 1) + timedelta(days=math.floor(value))).isoformat()
    except OverflowError:
        return f"day {value:,.0f}"


# One column on both sides


def distribution(found: Distribution) -> Chart:
    """One column side by side, copies together; no grey bar tells of fewer than ten people."""
    bars = list(bars_of(found))
    told = "; ".join(f"{one.label}: {one.told} and {one.synthetic:.1f}" for one in bars)
    said = f"Percent of records, original and synthetic: {told}." if told else ""
    title = truncate(found.column)
    if found.histogram is None:
        return Chart(_levels(bars, WIDTH), title=title, description=said)
    panels = [histogram_panel(found, found.histogram)]
    if any(one.original or one.synthetic for one in bars):
        panels.append(_levels(bars, 80))
    means = ", ".join(format_value(found, one) for one in found.mean_synthetic)
    return Chart(
        {"hconcat": panels, "spacing": 40},
        title=title,
        description=(
            "Histogram of the original (filled) and of the synthetic data (outlined) in the same"
            " bins, joined where they would hold fewer than ten people of the original; lines are"
            f" kernel densities. Mean {format_value(found, found.mean_original)} in the original,"
            f" {means} in the synthetic data. {said}"
        ),
    )


def _levels(bars: Sequence[Bar], width: int) -> Spec:
    """Two bars for each level, the original above."""
    rows = [{"name": b.label, "original": b.original, "synthetic": b.synthetic} for b in bars]
    x: Spec = {"type": "quantitative", "title": _SHARE}
    x["axis"] = {"tickCount": max(2, width // 50), "labelOverlap": True}
    marks = [
        bar(
            at(x, side),
            ROW,
            looks={"color": {**_KEY, "field": None, "datum": side}},
            yOffset=shift,
            height=9,
        )
        for side, shift in (("original", -5), ("synthetic", 5))
    ]
    return row_panel(rows, marks, width=width)


def histogram_panel(found: Distribution, histogram: Histogram) -> Spec:
    """The original filled, the synthetic data outlined, in the same bins, under densities."""
    n_original, n_synthetic = totals(found)
    pooled = [sum(one) for one in zip(*histogram.n_synthetic, strict=True)]
    binned = {"original": (histogram.n_original, n_original), "synthetic": (pooled, n_synthetic)}
    bins: list[Row] = [
        {
            "side": side,
            "low": _place(found, histogram.edges[first]),
            "high": _place(found, histogram.edges[after]),
            "value": _percent(sum(counts[first + 1 : after + 1]), of) / (after - first),
        }
        for side, (counts, of) in binned.items()
        for first, after in joined_bins(histogram.n_original[1:-1])
    ]
    densities = _densities(found)
    top = max((one["value"] for one in bins + densities), default=0.0) * _HEADROOM
    x = _axis(found, histogram)
    y = number("value", _SHARE, scale={"domain": [0, top or 1.0], "nice": False})
    place = {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}, "color": _KEY}
    looks: dict[str, Spec] = {
        "original": {"opacity": 0.45},
        "synthetic": {"fillOpacity": 0, "stroke": SYNTHETIC, "strokeWidth": 1.2},
    }
    layers = [
        draw("rect", [one for one in bins if one["side"] == side], place, **mark)
        for side, mark in looks.items()
    ]
    if densities:
        layers.append(line(x, y, densities, {"color": _KEY}))
    return panel(layers, 300, 200)


def _axis(found: Distribution, histogram: Histogram) -> Spec:
    named: Spec = {"field": "low", "title": truncate(found.column)}
    if found.kind == "date":
        return {**named, "type": "temporal", "scale": {"type": "utc", "nice": False}}
    if histogram.is_whole:
        named["axis"] = {"tickMinStep": 1, "format": "d"}
    return {**named, "type": "quantitative", "scale": {"zero": False, "nice": False}}


def _place(found: Distribution, value: float) -> float:
    """A place on the axis: dates in milliseconds."""
    return value * _DAY if found.kind == "date" else value


def _densities(found: Distribution) -> list[Row]:
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
    here = _percent(1, n_original) * sum(histogram.n_original)
    heights = {
        "original": [here * one for one in density.original],
        "synthetic": [_percent(1, n_synthetic) * sum(one) for one in zip(*copies, strict=True)],
    }
    return [
        {"side": side, "low": _place(found, place), "value": width * height}
        for side, curve in heights.items()
        for place, height in zip(density.at, curve, strict=False)
    ]


# The same as a table

HEADS = ("answer", "original", "synthetic")


def distribution_rows(found: Distribution) -> list[tuple[str, ...]]:
    """Answers under HEADS, in percent of records; few people are "under" a share."""
    return [(bar.label, f"{bar.told} %", percent(bar.synthetic)) for bar in shares(found)]


def shares(found: Distribution) -> list[Bar]:
    """Every band and every answer on both sides."""
    bands = [] if found.histogram is None else list(_bins(found, found.histogram))
    return [*bands, *bars_of(found)]


def _bins(found: Distribution, histogram: Histogram) -> Iterator[Bar]:
    for first, after in joined_bins(histogram.n_original[1:-1]):
        here = sum(histogram.n_original[first + 1 : after + 1])
        there = sum(sum(one[first + 1 : after + 1]) for one in histogram.n_synthetic)
        label = _span(found, histogram, first, after)
        yield replace(bar_of(label, (here, there), totals(found)), label=label)


def _span(found: Distribution, histogram: Histogram, first: int, after: int) -> str:
    """From the first value of a bin to the last of whole numbers, else to before the next."""
    low, high = histogram.edges[first], histogram.edges[after]
    if not histogram.is_whole:
        return f"{format_value(found, low)} to {format_value(found, high)}"
    lowest, highest = format_value(found, low + 0.5), format_value(found, high - 0.5)
    return lowest if lowest == highest else f"{lowest} to {highest}"


# One column before and after noise: for the custodian alone

_OF_DATA = "CONFIDENTIAL: it shows the data."


def before_and_after(column: NoisedColumn) -> Chart:
    """The distribution of one column before and after, and its displacement (Figures 8 and 9)."""
    whens = {"before": SIDES["original"], "after": SIDES["synthetic"]}
    rows = [
        {"lower": one.lower, "upper": one.upper, "name": when, "value": count}
        for one in column.bins
        for when, count in (("before", one.n_before), ("after", one.n_after))
    ]
    counts = "; ".join(
        f"{short(one.lower)} to {short(one.upper)}: {one.n_before} before, {one.n_after} after"
        for one in column.bins
    )
    moved, far = column.displacement, ""
    if moved is not None:
        far = (
            f"Moved by {short(moved.mean_absolute)} on average, by {short(moved.largest)} at most. "
        )
    place = {
        "x": number("lower", "value", bin="binned"),
        "x2": {"field": "upper"},
        "y": number("value", "values"),
        "column": {**words("name"), "sort": list(whens), "title": None},
        "color": look("name", whens),
    }
    title = f"{truncate(column.column)} before and after noise"
    return Chart(
        {
            "title": {"text": title, "subtitle": f"{far}{_OF_DATA}"},
            **draw("bar", rows, place, binSpacing=1),
            "width": 240,
            "height": 200,
        },
        title=f"{title}. {_OF_DATA}",
        description=f"{far}Values in each interval. {counts}.",
    )
