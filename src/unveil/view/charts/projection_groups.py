"""Where the files lie on the original's two main axes: centres and spreads, no single record.

Chapelle and Falissard (2023) draw every unit (Figures 12 and 13). A record holds no place of a
single record, so here a group is its mean, a cross of one standard deviation to either side, and
the ellipse around it.
"""

from math import cos, pi, sin

from unveil.records.utility import ProjectedGroup, Projection
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.format import percent
from unveil.view.projection import group_name

LOOKS = {
    "original": (ORIGINAL, "circle", [1, 0]),
    "synthetic": (SYNTHETIC, "square", [6, 3]),
    "retained": (SYNTHETIC, "triangle-up", [6, 3]),
    "filtered": (INK, "cross", [2, 2]),
}
"""Colour, shape and dashes, so that none is needed alone."""
_CORNERS = 48
_WIDTH, _HEIGHT = 480, 360


def projected_groups(record: Projection) -> Chart:
    """Every file, or the marked units of one, as its centre and its spread."""
    groups = [row for row in record.rows if None not in _figures(row)]
    told = "; ".join(
        f"{group_name(row)}: centre {row.mean_1:.2f} and {row.mean_2:.2f}, spread {row.sd_1:.2f}"
        f" and {row.sd_2:.2f}"
        for row in groups
    )
    said = f"Centres and one standard deviation around them. {told}."
    return Chart(
        projected_groups_spec(record),
        title="Original and copies on the original's main axes",
        description=said if groups else "No record could be placed.",
    )


def _figures(row: ProjectedGroup) -> tuple[float | None, ...]:
    return row.mean_1, row.mean_2, row.sd_1, row.sd_2


def projected_groups_spec(record: Projection) -> Spec:
    """The groups in Vega-Lite."""
    groups = [row for row in record.rows if None not in _figures(row)]
    kinds = [kind for kind in LOOKS if any(_kind(row) == kind for row in groups)]
    first, second = (
        f"axis {one.number} ({percent(100 * one.explained)} of the spread)"
        for one in record.components
    )
    both: Spec = {"type": "quantitative", "scale": {"zero": False}, "axis": {"tickCount": 6}}
    x, y = {**both, "title": first}, {**both, "title": second}
    look = [_look(kinds, place) for place in range(3)]
    centres = [_centre(row) for row in groups]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "layer": [
            _ellipses(groups, x, y, look),
            *_crosses(centres, x, y, look),
            {
                "data": {"values": centres},
                "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
                "encoding": {
                    "x": {**x, "field": "x"},
                    "y": {**y, "field": "y"},
                    "color": look[0],
                    "shape": look[1],
                },
            },
        ],
    }


def _kind(row: ProjectedGroup) -> str:
    return row.mark or row.side


def _look(kinds: list[str], place: int) -> Spec:
    """One channel of how groups look; all three share one legend."""
    return {
        "field": "kind",
        "type": "nominal",
        "title": None,
        "sort": kinds,
        "scale": {"domain": kinds, "range": [LOOKS[kind][place] for kind in kinds]},
        "legend": {"orient": "top", "symbolSize": 100, "symbolStrokeWidth": 0},
    }


def _centre(row: ProjectedGroup) -> Spec:
    x, y = row.mean_1 or 0.0, row.mean_2 or 0.0
    wide, high = row.sd_1 or 0.0, row.sd_2 or 0.0
    ends = {"left": x - wide, "right": x + wide, "down": y - high, "up": y + high}
    return {"name": group_name(row), "kind": _kind(row), "x": x, "y": y, **ends}


def _crosses(centres: list[Spec], x: Spec, y: Spec, look: list[Spec]) -> list[Spec]:
    """One standard deviation to either side, along each axis."""
    rule = {"type": "rule", "strokeWidth": 1, "opacity": 0.6}
    colour = {"color": look[0]}
    across = {"x": {**x, "field": "left"}, "x2": {"field": "right"}, "y": {**y, "field": "y"}}
    upright = {"x": {**x, "field": "x"}, "y": {**y, "field": "down"}, "y2": {"field": "up"}}
    return [
        {"data": {"values": centres}, "mark": rule, "encoding": {**place, **colour}}
        for place in (across, upright)
    ]


def _ellipses(groups: list[ProjectedGroup], x: Spec, y: Spec, look: list[Spec]) -> Spec:
    corners = [
        {**_on_ellipse(row, corner), "order": corner, "name": group_name(row), "kind": _kind(row)}
        for row in groups
        for corner in range(_CORNERS + 1)
    ]
    return {
        "data": {"values": corners},
        "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.8},
        "encoding": {
            "x": {**x, "field": "x"},
            "y": {**y, "field": "y"},
            "order": {"field": "order", "type": "quantitative"},
            "detail": {"field": "name", "type": "nominal"},
            "color": look[0],
            "strokeDash": {**look[2], "legend": None},
        },
    }


def _on_ellipse(row: ProjectedGroup, corner: int) -> dict[str, float]:
    angle = 2 * pi * corner / _CORNERS
    wide, high = (row.sd_1 or 0.0) * cos(angle), (row.sd_2 or 0.0) * sin(angle)
    return {"x": round((row.mean_1 or 0.0) + wide, 6), "y": round((row.mean_2 or 0.0) + high, 6)}
