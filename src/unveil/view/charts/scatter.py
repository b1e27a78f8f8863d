"""How two columns of numbers lie together: people in hexagons, or some of the points."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from unveil.records.comparison import FEWEST_PEOPLE, Cloud, PairCounts
from unveil.view.charts.chart import render_svg
from unveil.view.charts.marks import BASELINE, ORIGINAL, SYNTHETIC, Spec
from unveil.view.format import truncate

MOST_POINTS = 2_000
Row = TypeVar("Row")
_SIZE = 300
_HEXAGON = "M0,-1L0.866,-0.5L0.866,0.5L0,1L-0.866,0.5L-0.866,-0.5Z"
_DAY = 86_400_000


def thin_points(rows: Sequence[Row], most: int = MOST_POINTS) -> Sequence[Row]:
    """Some of many points, always the same: a picture with more of them shows no more.

    Not every tenth, say: rows that differ by their place would all be of one kind.
    """
    if len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(Random(0).sample(range(len(rows)), most))]


def hexbin_chart(record: PairCounts) -> str:
    """Two panels, original and copies: darker where more people are.

    Hexagons with fewer than five people have one light shade, whoever they are.
    """
    panels = [
        _panel(record, counts, title, _highest(record))
        for counts, title in ((record.n_original, "original"), (record.n_synthetic, "synthetic"))
    ]
    spec: Spec = {
        "hconcat": panels,
        "spacing": 30,
        "resolve": {"scale": {"color": "shared"}},
    }
    outside = record.n_outside_original, record.n_outside_synthetic
    return render_svg(
        spec,
        title=f"{truncate(record.a)} and {truncate(record.b)}",
        description=(
            f"Percent of people in each hexagon: {sum(record.n_original):,} of the original,"
            f" {sum(record.n_synthetic):,} of the copies. Outside the picture: {outside[0]:,} and"
            f" {outside[1]:,}. Light grey: fewer than {FEWEST_PEOPLE} people."
        ),
    )


def _highest(record: PairCounts) -> float:
    """The largest share of people in a hexagon, in percent: the end of both colour scales."""
    sides = (record.n_original, record.n_synthetic)
    return max(100 * max(side, default=0) / max(sum(side), 1) for side in sides) or 1.0


def _panel(record: PairCounts, counts: Sequence[int], title: str, highest: float) -> Spec:
    total = sum(counts)
    cells = [
        {"x": _place(x, record.kind_a), "y": _place(y, record.kind_b), "value": 100 * n / total}
        for x, y, n in zip(record.x, record.y, counts, strict=True)
        if n >= FEWEST_PEOPLE
    ]
    few = [
        {"x": _place(x, record.kind_a), "y": _place(y, record.kind_b)}
        for x, y, n in zip(record.x, record.y, counts, strict=True)
        if 0 < n < FEWEST_PEOPLE
    ]
    across = _SIZE / (record.n_across + 1)
    mark: Spec = {
        "type": "point",
        "shape": _HEXAGON,
        "filled": True,
        "opacity": 1,
        "strokeWidth": 0,
        "size": (across / 0.866) ** 2,
    }
    places = {
        "x": _axis(record.a, record.kind_a, record.range_a, record.n_across),
        "y": _axis(record.b, record.kind_b, record.range_b, record.n_across),
    }
    colour: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": "percent",
        "scale": {"scheme": "blues", "domain": [0, highest]},
        "legend": {"orient": "right"},
    }
    return {
        "title": {"text": title, "fontSize": 13, "fontWeight": "normal"},
        "width": _SIZE,
        "height": _SIZE,
        "layer": [
            {
                "data": {"values": few},
                "mark": {**mark, "color": BASELINE, "opacity": 0.5},
                "encoding": {axis: {**one, "field": axis} for axis, one in places.items()},
            },
            {
                "data": {"values": cells},
                "mark": mark,
                "encoding": {
                    **{axis: {**one, "field": axis} for axis, one in places.items()},
                    "color": colour,
                },
            },
        ],
    }


def _axis(column: str, kind: str, limits: tuple[float, float], n_across: int) -> Spec:
    margin = (limits[1] - limits[0]) / n_across / 2
    ends = [_place(limits[0] - margin, kind), _place(limits[1] + margin, kind)]
    if kind == "date":
        scale: Spec = {"type": "utc", "domain": ends, "nice": False}
        return {"type": "temporal", "scale": scale, "title": truncate(column)}
    scale = {"domain": ends, "nice": False, "zero": False}
    return {"type": "quantitative", "scale": scale, "title": truncate(column)}


def _place(value: float, kind: str) -> float:
    return value * _DAY if kind == "date" else value


def scatter_chart(cloud: Cloud) -> str:
    """Points of single records, at most 2,000: the original hollow, the copies filled."""
    rows = [
        {"side": side, "x": x, "y": y}
        for side, x, y in zip(cloud.side, cloud.x, cloud.y, strict=True)
    ]
    points = list(thin_points(rows))
    return render_svg(
        points_spec(points, truncate(cloud.a), truncate(cloud.b)),
        title=f"{truncate(cloud.a)} and {truncate(cloud.b)}",
        description=thinned_words(cloud, len(points)),
    )


def points_spec(points: list[Spec], x: str, y: str) -> Spec:
    """Points by side: a colour and a shape each, so that neither is needed alone."""
    looks = {
        "original": (ORIGINAL, "circle"),
        "synthetic": (SYNTHETIC, "triangle-up"),
        "retained": (SYNTHETIC, "triangle-up"),
        "filtered": ("#b3261e", "cross"),
    }
    sides = [side for side in looks if any(point["side"] == side for point in points)]
    key: Spec = {"field": "side", "type": "nominal", "title": None, "sort": sides}
    legend = {"orient": "top", "symbolOpacity": 1, "symbolSize": 60}
    return {
        "data": {"values": points},
        "width": 480,
        "height": 400,
        "mark": {"type": "point", "size": 18, "opacity": 0.55, "filled": True},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": x,
                "scale": {"zero": False},
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": y,
                "scale": {"zero": False},
            },
            "color": {
                **key,
                "scale": {"domain": sides, "range": [looks[side][0] for side in sides]},
                "legend": legend,
            },
            "shape": {
                **key,
                "scale": {"domain": sides, "range": [looks[side][1] for side in sides]},
                "legend": legend,
            },
        },
    }


def thinned_words(cloud: Cloud, n_points: int) -> str:
    """What the points are, and how many of them are left out."""
    n_all = cloud.n_original + cloud.n_synthetic
    said = f"Points of single records: {cloud.n_original:,} of the original"
    said += f" and {cloud.n_synthetic:,} of the copies."
    if n_points < n_all:
        said += f" {n_points:,} of them are drawn, chosen by chance."
    return said
