"""Rows of a picture: a name at the left, marks in the middle, figures in columns at the right.

Every row has a place and not a name on its axis, so that two names that look alike stay two rows,
and no figure stands where a mark or a line could cross it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import INK, Spec
from unveil.view.format import truncate

NAMES_WIDE = 200
TITLE_WIDE = 620
DIM = "#555555"
RAIL = "#9aa3ad"
_GAP = 12
_REACHES = (1, 2, 5, 10, 20, 50, 100)

Row = dict[str, Any]


@dataclass(frozen=True)
class TextColumn:
    """Text at the right of the plot: a field of the rows, so many pixels from its end."""

    field: str
    at: int
    head: str = ""
    align: str = "right"
    colour: str = INK
    wide: int = 150


def places(rows: Sequence[Row]) -> list[Row]:
    """The same rows with their places, from the top."""
    return [{"place": place, **row} for place, row in enumerate(rows)]


def y_place(step_padding: float = 0.2) -> Spec:
    """Where a row stands."""
    scale = {"type": "band", "paddingInner": step_padding, "paddingOuter": step_padding / 2}
    return {"field": "place", "type": "ordinal", "axis": None, "scale": scale}


def x_percent(title: str, reach: float) -> Spec:
    """An axis in percent, from 0."""
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, reach]},
        "axis": {"tickCount": 5, "labelExpr": "datum.label + ' %'", "labelFlush": False},
    }


def reach_of(values: Iterable[float | None]) -> float:
    """The end of an axis in percent: the next round number."""
    most = max((value for value in values if value is not None), default=0.0)
    return next((reach for reach in _REACHES if reach >= most), 100)


def names_layer(field: str = "name", wide: int = NAMES_WIDE) -> Spec:
    """The names of the rows, to the left of the plot."""
    return {
        "mark": {
            "type": "text",
            "align": "right",
            "baseline": "middle",
            "limit": wide,
            "fontSize": 12,
            "color": INK,
        },
        "encoding": {
            "x": {"value": -_GAP},
            "y": {**y_place(), "bandPosition": 0.5},
            "text": {"field": field, "type": "nominal"},
        },
    }


def column_layers(columns: Sequence[TextColumn], width: int) -> list[Spec]:
    """The columns of text, each with its head."""
    return [layer for column in columns for layer in _column(column, width)]


def _column(column: TextColumn, width: int) -> list[Spec]:
    text: Spec = {"type": "text", "align": column.align, "baseline": "middle", "fontSize": 12}
    cells: Spec = {
        "mark": {**text, "color": column.colour, "limit": column.wide},
        "encoding": {
            "x": {"value": width + column.at},
            "y": {**y_place(), "bandPosition": 0.5},
            "text": {"field": column.field, "type": "nominal"},
        },
    }
    return (
        [cells, head_layer(column.head, width + column.at, column.align)]
        if column.head
        else [cells]
    )


def head_layer(text: str, x: float, align: str, *, up: int = 10, colour: str = DIM) -> Spec:
    """A word above the plot."""
    mark = {"type": "text", "align": align, "baseline": "middle", "fontSize": 12, "color": colour}
    return {
        "data": {"values": [{"text": text}]},
        "mark": mark,
        "encoding": {
            "x": {"value": x},
            "y": {"value": -up},
            "text": {"field": "text", "type": "nominal"},
        },
    }


def chart_of(spec: Spec, *, title: str, description: str) -> Chart:
    """A chart whose title is cut where the names in it are long."""
    cut = {"text": title, "limit": TITLE_WIDE}
    return Chart({"title": cut, **spec}, title=title, description=description)


def truncate_name(text: str) -> str:
    """A name from the data at the side of a row; never nothing."""
    return truncate(text) or "(no name)"
