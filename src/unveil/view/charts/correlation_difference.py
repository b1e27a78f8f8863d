"""By how much did the copies change what goes together? One square for every pair of columns."""

from unveil.records.comparison import AssociationRow, Comparison
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import INK, SYNTHETIC, Spec
from unveil.view.comparison import MEASURES
from unveil.view.format import truncate

MOST_COLUMNS = 30
"""Columns in the picture: of more, those that changed most."""
_WRITTEN = 0.05  # smaller differences are not written into their squares
_SMALLEST_SCALE = 0.2
_STEP = 38
SHADES = ("#3d3d3d", "#f2f2f2", SYNTHETIC)
"""Lower in the copy, alike, higher: no colour of a status; the sign is written."""


def correlation_difference(record: Comparison) -> Chart:
    """Synthetic less original for every pair, by Pearson, Cramér or correlation ratio."""
    rows = _rows(record)
    columns = visible_columns(record)
    return Chart(
        correlation_difference_spec(record),
        title="How much the copies changed what goes together",
        description=(
            f"Association in the copies less that in the original, for {len(columns)} columns."
            f" {_worst(rows)}"
        ),
    )


def visible_columns(record: Comparison) -> list[str]:
    """The columns in the picture, in the order of the file."""
    if len(record.columns) <= MOST_COLUMNS:
        return list(record.columns)
    changes = [one for one in record.changes if one.copy == record.headline_copy]
    worst = sorted(changes, key=lambda one: -(one.largest_difference or 0.0))[:MOST_COLUMNS]
    kept = {one.column for one in worst}
    return [column for column in record.columns if column in kept]


def _rows(record: Comparison) -> list[AssociationRow]:
    """One association for each pair: numbers by Pearson's correlation."""
    return [
        row
        for row in record.associations
        if row.copy == record.headline_copy
        and row.measure != "spearman"
        and row.difference is not None
    ]


def correlation_difference_spec(record: Comparison) -> Spec:
    """The lower half of the square in Vega-Lite; the sign is written, not only coloured."""
    columns = visible_columns(record)
    places = {column: place for place, column in enumerate(columns)}
    cells = []
    for row in _rows(record):
        if row.a in places and row.b in places:
            across, down = sorted((row.a, row.b), key=lambda column: places[column])
            cells.append(_cell(row, across, down))
    most = max([_SMALLEST_SCALE, *(abs(cell["value"]) for cell in cells)])
    axis = {"type": "nominal", "title": None, "sort": columns}
    place: Spec = {
        "x": {"field": "across", **axis, "scale": {"domain": columns[:-1]}},
        "y": {"field": "down", **axis, "scale": {"domain": columns[1:]}},
    }
    place["x"]["axis"] = {"labelAngle": -45, "grid": False, "labelLimit": 120}
    place["y"]["axis"] = {"grid": False, "labelLimit": 160}
    return {
        "data": {"values": cells},
        "width": {"step": _STEP},
        "height": {"step": _STEP},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "white"},
                "encoding": {**place, "color": _colour(most)},
            },
            _written(place, most),
        ],
    }


def _cell(row: AssociationRow, across: str, down: str) -> Spec:
    value = row.difference or 0.0
    return {
        "across": across,
        "down": down,
        "measure": MEASURES[row.measure],
        "value": value,
        "shown": f"{value:+.2f}" if abs(value) >= _WRITTEN else "",
    }


def _colour(most: float) -> Spec:
    return {
        "field": "value",
        "type": "quantitative",
        "title": ["synthetic", "- original"],
        "scale": {"type": "linear", "domain": [-most, 0, most], "range": list(SHADES)},
        "legend": {"orient": "right", "gradientLength": 120, "format": "+.1f", "tickCount": 5},
    }


def _written(place: Spec, most: float) -> Spec:
    dark = 0.7 * most
    light = {"test": {"field": "value", "range": [-dark, dark]}, "value": INK}
    return {
        "mark": {"type": "text", "fontSize": 12},
        "encoding": {
            **place,
            "text": {"field": "shown", "type": "nominal"},
            "color": {"condition": light, "value": "white"},
        },
    }


def _worst(rows: list[AssociationRow]) -> str:
    if not rows:
        return "None is measured."
    ranked = sorted(rows, key=lambda row: -abs(row.difference or 0.0))[:5]
    told = "; ".join(
        f"{truncate(row.a)} and {truncate(row.b)} {row.difference:+.3f}" for row in ranked
    )
    return f"The largest: {told}."
