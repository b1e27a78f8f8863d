"""Points on two axes: files on the original's main axes, settings and runs by risk and utility."""

from collections.abc import Sequence
from math import cos, pi, sin
from random import Random
from typing import TypeVar

from unveil.records.comparison import Cloud
from unveil.records.exploration import Exploration, ExplorationRow, frontier
from unveil.records.report import HistoryRow
from unveil.records.utility import ProjectedGroup, Projection
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    BASELINE,
    DIM,
    INK,
    ORIGINAL,
    REVIEW,
    SOLID,
    SYNTHETIC,
    Row,
    Spec,
    at,
    draw,
    legend,
    line,
    look,
    number,
    panel,
    rule,
    words,
    write,
)
from unveil.view.exploration import RISKS, UTILITIES, value
from unveil.view.format import percent, truncate
from unveil.view.projection import group_name

MOST_POINTS = 2_000
Thing = TypeVar("Thing")


def thin_points(rows: Sequence[Thing], most: int = MOST_POINTS) -> Sequence[Thing]:
    """Some of many points, always the same: a picture with more of them shows no more.

    Not every tenth, say: rows that differ by their place would all be of one kind.
    """
    if len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(Random(0).sample(range(len(rows)), most))]


def _crosses(rows: Sequence[Row], x: Spec, y: Spec, looks: Spec, **mark: object) -> list[Spec]:
    """One standard deviation to either side, along each axis."""
    across = {"x": at(x, "left"), "x2": {"field": "right"}, "y": y, **looks}
    upright = {"x": x, "y": at(y, "down"), "y2": {"field": "up"}, **looks}
    return [draw("rule", rows, place, strokeWidth=1, **mark) for place in (across, upright)]


# Files on the original's main axes (Chapelle and Falissard 2023, Figures 12 and 13)

LOOKS = {
    "original": (ORIGINAL, "circle", SOLID),
    "synthetic": (SYNTHETIC, "square", [6, 3]),
    "retained": (SYNTHETIC, "triangle-up", [6, 3]),
    "filtered": (INK, "cross", [2, 2]),
}
"""Colour, shape and dashes, so that none is needed alone."""
_ON_AXES = "Original and synthetic data on the original's main axes"
_CORNERS = 48


def _main_axes(record: Projection) -> tuple[Spec, Spec]:
    both = {"scale": {"zero": False}, "axis": {"tickCount": 6}}
    x, y = (
        number(field, f"axis {one.number} ({percent(100 * one.explained)} of the spread)", **both)
        for field, one in zip("xy", record.components, strict=True)
    )
    return x, y


def _looks(rows: Sequence[Row]) -> dict[str, Spec]:
    """Colour, shape and dashes of the sides that are there; they share one legend."""
    there = {row["kind"] for row in rows}
    key = legend(symbolSize=100, symbolStrokeWidth=0, symbolOpacity=1)
    return {
        channel: look("kind", {k: one[place] for k, one in LOOKS.items() if k in there}, key)
        for place, channel in enumerate(("color", "shape", "strokeDash"))
    }


def projection_chart(record: Projection, cloud: Cloud) -> Chart:
    """At most 2,000 points of single records: for a confidential page, and for no notebook."""
    sides = zip(cloud.side, cloud.x, cloud.y, strict=True)
    points = thin_points([{"kind": side, "x": x, "y": y} for side, x, y in sides])
    x, y = _main_axes(record)
    looks = _looks(points)
    place = {"x": x, "y": y, "color": looks["color"], "shape": looks["shape"]}
    n_all = cloud.n_original + cloud.n_synthetic
    thinned = (
        f" {len(points):,} of them are drawn, chosen by chance." if len(points) < n_all else ""
    )
    return Chart(
        panel([draw("point", points, place, size=18, opacity=0.55, filled=True)], 480, 400),
        title=_ON_AXES,
        description=(
            f"Points of single records: {cloud.n_original:,} of the original and"
            f" {cloud.n_synthetic:,} of the synthetic data.{thinned}"
        ),
    )


def projected_groups(record: Projection) -> Chart:
    """Every file, or the marked units of one, as its centre and its spread: no single record.

    A group is its mean, a cross of one standard deviation to either side, and the ellipse around.
    """
    groups = [
        row for row in record.rows if None not in (row.mean_1, row.mean_2, row.sd_1, row.sd_2)
    ]
    told = "; ".join(
        f"{group_name(row)}: centre {row.mean_1:.2f} and {row.mean_2:.2f}, spread {row.sd_1:.2f}"
        f" and {row.sd_2:.2f}"
        for row in groups
    )
    centres = [_centre(row) for row in groups]
    x, y = _main_axes(record)
    looks = _looks(centres)
    colour = {"color": looks["color"]}
    around = {"order": number("order"), "detail": words("name"), **colour}
    around["strokeDash"] = {**looks["strokeDash"], "legend": None}
    corners = [corner for row in centres for corner in _ellipse(row)]
    point = {"x": x, "y": y, "color": looks["color"], "shape": looks["shape"]}
    layers = [
        line(x, y, corners, around, strokeWidth=1.2, opacity=0.8),
        *_crosses(centres, x, y, colour, opacity=0.6),
        draw("point", centres, point, filled=True, size=110, opacity=1),
    ]
    said = f"Centres and one standard deviation around them. {told}."
    return Chart(
        panel(layers, 420, 320),
        title=_ON_AXES,
        description=said if groups else "No record could be placed.",
    )


def _centre(row: ProjectedGroup) -> Row:
    x, y = row.mean_1 or 0.0, row.mean_2 or 0.0
    wide, high = row.sd_1 or 0.0, row.sd_2 or 0.0
    ends = {"left": x - wide, "right": x + wide, "down": y - high, "up": y + high}
    return {"name": group_name(row), "kind": row.mark or row.side, "x": x, "y": y, **ends}


def _ellipse(row: Row) -> list[Row]:
    wide, high = row["right"] - row["x"], row["up"] - row["y"]
    angles = [2 * pi * corner / _CORNERS for corner in range(_CORNERS + 1)]
    named = {"name": row["name"], "kind": row["kind"]}
    return [
        {
            "x": round(row["x"] + wide * cos(angle), 6),
            "y": round(row["y"] + high * sin(angle), 6),
            "order": order,
            **named,
        }
        for order, angle in enumerate(angles)
    ]


# The risk-utility map

METHODS = {
    "cart": "circle",
    "parametric": "square",
    "sample": "diamond",
    "catall": "triangle-up",
    "ipf": "triangle-down",
    "by column": "cross",
    "file": "triangle-right",
}
TREATED = {
    "untreated": SYNTHETIC,
    "filtered": REVIEW,
    "noise": ORIGINAL,
    "filtered, noise": INK,
}
MOST_NAMED = 30
_WIDTH, _HEIGHT, _CLOSE, _LETTER = 480, 340, 12, 6.5
_SHIFTS = (-8, 13, -21, 26, -34, 39)


def risk_utility(record: Exploration) -> Chart:
    """Risk to the right, lost utility upwards: the best settings are at the lower left."""
    axes = (record.risk, record.utility)
    known = [row for row in record.rows if None not in [getattr(row, axis) for axis in axes]]
    best = frontier(record.rows, *axes)
    points, edge = ([_setting(record, row) for row in rows] for rows in (known, best))
    floor = None if record.floor is None else getattr(record.floor, record.risk)
    ends = [*points, *([] if floor is None else [{"left": floor, "right": floor}])]
    x = _axis("risk", RISKS[record.risk], ends, ("left", "right"), room=0.2)
    lower = f"{UTILITIES[record.utility]} (lower is better)"
    y = _axis("utility", lower, points, ("down", "up"))
    looks = {
        "shape": _present("method", METHODS, points, "method"),
        "color": _present("treated", TREATED, points, "protection"),
    }
    layers = [
        line(x, y, edge, {"order": number("risk")}, color=BASELINE),
        *_crosses(points, x, y, {}, color=BASELINE),
        draw("point", points, {"x": x, "y": y, **looks}, filled=True, size=90, opacity=1),
        *(_names(points, x, y) if len(points) <= MOST_NAMED else ()),
        *(() if floor is None else _floor(floor, x)),
    ]
    told = "; ".join(
        f"{row.name}: {record.risk} {value(row, record.risk)}, {record.utility}"
        f" {value(row, record.utility)}{' (frontier)' if row in best else ''}"
        for row in known
    )
    if floor is not None and record.floor is not None:
        told = f"{told}; independent columns: {record.risk} {value(record.floor, record.risk)}"
    # Legends are measured in another font than they are shown in.
    padding = {"left": 5, "top": 5, "bottom": 5, "right": 40}
    return Chart(
        {**panel(layers, _WIDTH, _HEIGHT), "padding": padding},
        title="Risk and utility of each setting: lower left is better",
        description=f"Points with the line of those that no other betters. {told}.",
    )


def run_map(history: Sequence[HistoryRow], floor: float | None = None) -> Chart:
    """Runs by highest DiSCO and worst S_pMSE, joined in their order; equal ones named together."""
    found = [
        (row.run, row.DiSCO, row.S_pMSE)
        for row in history
        if row.DiSCO is not None and row.S_pMSE is not None
    ]
    numbers: dict[tuple[float, float], list[int]] = {}
    for run, risk, utility in found:
        numbers.setdefault((risk, utility), []).append(run)
    points: list[Row] = [
        {"name": f"run {', '.join(map(str, runs))}", "risk": risk, "utility": utility}
        for (risk, utility), runs in numbers.items()
    ]
    way: list[Row] = [{"risk": risk, "utility": utility, "run": n} for n, risk, utility in found]
    ends = [*points, *([] if floor is None else [{"risk": floor}])]
    x = _axis("risk", RISKS["DiSCO_max"], ends, ("risk",), room=0.2)
    y = _axis("utility", f"{UTILITIES['S_pMSE_max']} (lower is better)", points, ("utility",))
    layers = [
        line(x, y, way, {"order": number("run")}, color=BASELINE),
        draw("point", points, {"x": x, "y": y}, filled=True, size=90, opacity=1, color=SYNTHETIC),
        *(_names(points, x, y) if len(points) <= MOST_NAMED else ()),
        *(() if floor is None else _floor(floor, x)),
    ]
    told = "; ".join(
        f"{one['name']}: DiSCO {percent(one['risk'])}, S_pMSE {one['utility']:.1f}"
        for one in points
    )
    return Chart(
        panel(layers, _WIDTH, _HEIGHT),
        title="Risk and utility of each run: lower left is better",
        description=f"Points joined in the order of the runs. {told}.",
    )


def _floor(risk: float, x: Spec) -> list[Spec]:
    """A line where columns drawn independently are, which is no risk of people."""
    rows: list[Row] = [{"risk": risk, "name": "independent columns"}]
    return [
        rule(rows, BASELINE, (4, 3), x=x),
        write("name", x, {"value": _HEIGHT - 8}, rows=rows, dx=5, colour=DIM),
    ]


def _setting(record: Exploration, row: ExplorationRow) -> Row:
    risk, utility = getattr(row, record.risk), getattr(row, record.utility)
    wide, high = (getattr(row, f"{axis}_sd") or 0.0 for axis in (record.risk, record.utility))
    treated = (("filtered", row.is_filtered), ("noise", row.is_noised))
    return {
        "name": truncate(row.name),
        "method": row.method if row.method in METHODS else "by column",
        "treated": ", ".join(word for word, is_so in treated if is_so) or "untreated",
        "risk": risk,
        "utility": utility,
        "left": risk - wide,
        "right": risk + wide,
        "down": utility - high,
        "up": utility + high,
    }


def _axis(
    field: str, title: str, points: Sequence[Row], ends: tuple[str, ...], room: float = 0.0
) -> Spec:
    """Room around the points, so that names are not cut off."""
    found = [point[end] for point in points for end in ends] or [0.0, 1.0]
    lowest, highest = min(found), max(found)
    margin = 0.06 * (highest - lowest) or 0.5
    domain = [lowest - margin, highest + margin + room * (highest - lowest)]
    return number(field, title, scale={"domain": domain, "zero": False, "nice": False})


def _present(field: str, looks: dict[str, str], points: Sequence[Row], title: str) -> Spec:
    """The looks of what is there, in a legend where there are several."""
    there = {point[field] for point in points}
    chosen = {word: one for word, one in looks.items() if word in there}
    key = {"orient": "right", "title": title} if len(chosen) > 1 else None
    return look(field, chosen, key)


def _names(points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Names beside the points, moved up or down where others or other points are in the way."""
    spots = {id(point): _spot(point, x, y) for point in points}
    by_shift: dict[int, list[Row]] = {}
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda one: -one["utility"]):
        across, down = spots[id(point)]
        others = [(*spots[id(one)], 0.0) for one in points if one is not point]
        width = _LETTER * len(point["name"])
        inside = [shift for shift in _SHIFTS if 0 < down + shift < _HEIGHT - _CLOSE / 2]
        free = (s for s in inside if not _covers((across, down + s, width), taken + others))
        shift = next(free, _SHIFTS[0])
        taken.append((across, down + shift, width))
        by_shift.setdefault(shift, []).append(point)
    return [
        write("name", x, y, rows=some, dx=9, dy=shift, baseline="alphabetic")
        for shift, some in by_shift.items()
    ]


def _spot(point: Row, x: Spec, y: Spec) -> tuple[float, float]:
    """Where a point is in the picture, from its upper left corner."""
    (low_x, high_x), (low_y, high_y) = x["scale"]["domain"], y["scale"]["domain"]
    across = (point["risk"] - low_x) / (high_x - low_x) * _WIDTH
    return across, (high_y - point["utility"]) / (high_y - low_y) * _HEIGHT


def _covers(text: tuple[float, float, float], others: list[tuple[float, float, float]]) -> bool:
    """Whether a name would be written over others, or over points (of no width)."""
    x, y, width = text
    return any(
        x - 12 < other_x + other_width and other_x < x + width + 12 and abs(y - other_y) < _CLOSE
        for other_x, other_y, other_width in others
    )
