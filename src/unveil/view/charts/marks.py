"""What recurs in pictures: channels, marks, rows with text at both sides, limits and looks.

A channel says where a mark stands or how it looks; a layer is one mark of some rows; a panel is
layers on one another. Text from the data goes in as data, never as the name of a field or as an
expression. Every row has a place and not a name on its axis, so that two names that look alike stay
two rows, and no figure stands where a mark or a line could cross it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unveil.records.judgement import Status
from unveil.view.format import truncate

SYNTHETIC = "#1f4e8c"  # dark blue
ORIGINAL = "#767676"  # grey that can still be read on white
BASELINE = "#c4c4c4"
INK = "#222222"
DIM = "#555555"
RAIL = "#9aa3ad"
GOOD, REVIEW, BAD = "#2e7d32", "#855000", "#b3261e"  # never without a shape or a word beside it
STATUS_COLOURS: dict[Status, str] = {
    "above": BAD,
    "not measured": BAD,
    "review": REVIEW,
    "within": GOOD,
    "no limit": ORIGINAL,
}
SIDES = {"original": ORIGINAL, "synthetic": SYNTHETIC}
SHADES = ("#3d3d3d", "#f2f2f2", SYNTHETIC)
"""Lower in the synthetic data, alike, higher: no colour of a status; the sign is written."""
PEOPLE = "percent of people in the original"
SOLID, DASHED, DOTTED = [1, 0], [6, 3], [2, 3]
TICKS = {"tickCount": 6, "labelOverlap": "greedy", "labelFlush": False}

WIDTH = 200
"""Pixels of the plot between names and figures."""
MOST_ROWS = 50
"""Rows in one picture: more would not fit a sheet of paper."""
_STEP, _DENSE = 26, 20
_SIZE, _LETTER, _GAP = 12, 6.3, 12  # pixels: of text, of one letter, between plot and text
_NAMES_WIDE, _TEXT_WIDE = 250, 300
_HEADS_UP = (10, 26)  # pixels above the plot, the lowest line first
_REACHES = (1, 2, 5, 10, 20, 50, 100)

Spec = dict[str, Any]
Row = dict[str, Any]
Align = Literal["left", "right", "center"]


# Channels


def number(field: str, title: str | Sequence[str] | None = None, **more: Any) -> Spec:
    """A number along an axis."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def at(channel: Spec, field: str) -> Spec:
    """The same axis for another field."""
    return {**channel, "field": field}


def pixel(value: float | str) -> Spec:
    """One place in pixels."""
    return {"value": value}


def pixels(field: str) -> Spec:
    """Places in pixels that rows bring along."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def words(field: str) -> Spec:
    """Text of the rows."""
    return {"field": field, "type": "nominal"}


def look(field: str, of: Mapping[str, object], legend: Spec | None = None) -> Spec:
    """How marks look by one of few known words; no legend where none is given."""
    scale = {"domain": list(of), "range": list(of.values())}
    return {**words(field), "title": None, "sort": list(of), "scale": scale, "legend": legend}


def legend(**more: Any) -> Spec:
    """A legend above the plot."""
    return {"orient": "top", **more}


def shade(field: str, most: float, **more: Any) -> Spec:
    """From grey over white to blue: what is lower, alike and higher."""
    scale = {"type": "linear", "domain": [-most, 0, most], "range": list(SHADES)}
    return number(field, scale=scale, **more)


ROW: Spec = {
    "field": "place",
    "type": "ordinal",
    "axis": None,
    "scale": {"type": "band", "paddingInner": 0.2, "paddingOuter": 0.1},
}
"""Where a row stands."""


def within_row(band: float = 0.5) -> Spec:
    """A place within a row, from its top; its middle."""
    return {**ROW, "bandPosition": band}


def percent_axis(title: str | None, values: Iterable[float | None] = (100,), **axis: Any) -> Spec:
    """An axis in percent from 0 to the next round number."""
    given = {"tickCount": 5, "labelExpr": "datum.label + ' %'", "labelFlush": False}
    scale = {"domain": [0, reach_of(values)]}
    return {"type": "quantitative", "title": title, "scale": scale, "axis": {**given, **axis}}


def reach_of(values: Iterable[float | None]) -> float:
    """The end of an axis in percent: the next round number."""
    most = max((value for value in values if value is not None), default=0.0)
    return next((reach for reach in _REACHES if reach >= most), 100)


# Marks


def draw(kind: str, rows: Sequence[Row] | None, channels: Mapping[str, Spec], **mark: Any) -> Spec:
    """One layer: a mark of some rows, or of those of its panel."""
    layer: Spec = {"mark": {"type": kind, **mark}, "encoding": dict(channels)}
    return layer if rows is None else {"data": {"values": list(rows)}, **layer}


def bar(
    x: Spec,
    y: Spec,
    rows: Sequence[Row] | None = None,
    looks: Mapping[str, Spec] | None = None,
    **more: Any,
) -> Spec:
    """Bars from 0."""
    return draw("bar", rows, {"x": x, "y": y, **(looks or {})}, **more)


def dot(x: Spec, y: Spec, shape: str, colour: str, *, size: int = 90, hollow: bool = False) -> Spec:
    """A mark of one shape and colour; hollow ones hide what is behind them."""
    filled = {"filled": False, "strokeWidth": 2, "fill": "white"} if hollow else {"filled": True}
    mark: Spec = {"shape": shape, "color": colour, "size": size, "opacity": 1, **filled}
    return draw("point", None, {"x": x, "y": y}, **mark)


def square(x: Spec, field: str, y: Spec | None = None, *, size: int = 90) -> Spec:
    """The synthetic data: a blue square."""
    return dot(at(x, field), y or within_row(), "square", SYNTHETIC, size=size)


def ring(x: Spec, field: str, y: Spec | None = None, *, size: int = 90) -> Spec:
    """The original: a grey ring."""
    return dot(at(x, field), y or within_row(), "circle", ORIGINAL, size=size, hollow=True)


def span(
    x: Spec, low: str, high: str, y: Spec | None = None, colour: str = RAIL, **more: Any
) -> Spec:
    """A line along a row from one field to another: an interval, a range, a gap."""
    place = {"x": at(x, low), "x2": {"field": high}, "y": y or within_row()}
    return draw("rule", None, place, **{"color": colour, "strokeWidth": 2, **more})


def interval(x: Spec, field: str, y: Spec, colour: str) -> list[Spec]:
    """A mark over the line of its interval: a blue square, or a grey ring."""
    mark = (square if colour == SYNTHETIC else ring)(x, field, y, size=60)
    return [span(x, f"{field}_low", f"{field}_high", y, colour), mark]


def crosses(rows: Sequence[Row], x: Spec, y: Spec, looks: Spec, **mark: object) -> list[Spec]:
    """One standard deviation to either side, along each axis."""
    across = {"x": at(x, "left"), "x2": {"field": "right"}, "y": y, **looks}
    upright = {"x": x, "y": at(y, "down"), "y2": {"field": "up"}, **looks}
    return [draw("rule", rows, place, strokeWidth=1, **mark) for place in (across, upright)]


def stroke(x: Spec, field: str) -> Spec:
    """The baseline: a light upright stroke."""
    mark = {"thickness": 5, "size": 15, "color": BASELINE, "opacity": 1}
    return draw("tick", None, {"x": at(x, field), "y": ROW}, **mark)


def rule(rows: Sequence[Row], colour: str, dash: Sequence[int], **channels: Spec) -> Spec:
    """A dashed line across the plot, or between two ends."""
    return draw("rule", rows, channels, color=colour, strokeDash=list(dash), strokeWidth=1.5)


def line(x: Spec, y: Spec, rows: Sequence[Row], looks: Mapping[str, Spec], **more: Any) -> Spec:
    """Lines through the rows."""
    return draw("line", rows, {"x": x, "y": y, **looks}, **{"strokeWidth": 2, **more})


def write(
    field: str,
    x: Spec,
    y: Spec,
    align: Align = "left",
    *,
    rows: Sequence[Row] | None = None,
    colour: str = INK,
    **more: Any,
) -> Spec:
    """Text of the rows, or of rows of its own."""
    mark = {"align": align, "baseline": "middle", "fontSize": _SIZE, "color": colour, **more}
    return draw("text", rows, {"x": x, "y": y, "text": words(field)}, **mark)


def head(text: str, x: float, align: Align, *, up: int = 10, colour: str = DIM) -> Spec:
    """A word above the plot."""
    return write("text", pixel(x), pixel(-up), align, rows=[{"text": text}], colour=colour)


def cells(
    rows: Sequence[Row],
    across: Sequence[str],
    down: Sequence[str],
    colour: Spec,
    *,
    text: Spec | None,
    light: Spec,
    step: int = 32,
    top: bool = False,
    title: str | None = None,
    names: bool = True,
) -> Spec:
    """A square for each pair of names; `text` in it, white but where the square is `light`."""
    axis = {"type": "nominal", "title": None, "sort": None}
    below = {"labelAngle": -45, "grid": False, "labelLimit": 120}
    place: Spec = {
        "x": {"field": "across", **axis, "scale": {"domain": list(across)}},
        "y": {"field": "down", **axis, "scale": {"domain": list(down)}},
    }
    place["x"]["axis"] = {**below, "orient": "top" if top else "bottom"}
    place["y"]["axis"] = {"grid": False, "labelLimit": 160, "labels": names}
    layers = [draw("rect", None, {**place, "color": colour}, stroke="white")]
    if text is not None:
        written = {"condition": {"test": light, "value": INK}, "value": "white"}
        size = _SIZE if step >= 32 else 10
        layers.append(draw("text", None, {**place, "text": text, "color": written}, fontSize=size))
    return panel(layers, {"step": step}, {"step": step}, rows=rows, title=title)


# Panels


def panel(
    layers: Sequence[Spec],
    width: float | Spec,
    height: float | Spec,
    *,
    rows: Sequence[Row] | None = None,
    title: str | Sequence[str] | None = None,
) -> Spec:
    """Layers on one another, under a title of their own where there are several panels."""
    made: Spec = {"width": width, "height": height, "layer": list(layers)}
    if rows is not None:
        made["data"] = {"values": list(rows)}
    if title is not None:
        small = {"fontSize": 13, "fontWeight": "normal", "anchor": "start", "frame": "group"}
        made["title"] = {"text": title, **small}
    return made


@dataclass(frozen=True)
class TextColumn:
    """Text at the right of the plot: a field of the rows, under a head of one or two lines."""

    field: str
    head: str = ""
    align: Align = "right"
    colour: str = INK
    coloured: str | None = None  # the field with the colour of each row

    def width(self, rows: Sequence[Row]) -> float:
        """Room for the longest text."""
        texts = [*self.head.split("\n"), *(row.get(self.field) or "" for row in rows)]
        return min(_LETTER * max(map(len, texts)), _TEXT_WIDE)


def row_panel(
    rows: Sequence[Row],
    marks: Sequence[Spec],
    columns: Sequence[TextColumn] = (),
    *,
    names: str | None = "name",
    width: int = WIDTH,
    title: str | Sequence[str] | None = None,
) -> Spec:
    """Rows from the top: a name at the left, marks in the middle, figures at the right."""
    placed = [{"place": place, **row} for place, row in enumerate(rows)]
    layers = list(marks)
    if names is not None:
        text = write(names, pixel(-_GAP), within_row(), "right", limit=_NAMES_WIDE)
        layers.append(text)
    right: float = width + _GAP
    for column in columns:
        wide = column.width(rows)
        layers += _column(column, right if column.align == "left" else right + wide, wide)
        right += wide + _GAP
    step = {"step": _STEP if len(rows) <= MOST_ROWS // 2 else _DENSE}
    return panel(layers, width, step, rows=placed, title=title)


def _column(column: TextColumn, x: float, wide: float) -> list[Spec]:
    limit = wide + _GAP - 2
    text = write(
        column.field, pixel(x), within_row(), column.align, colour=column.colour, limit=limit
    )
    if column.coloured is not None:
        text["encoding"]["color"] = {**words(column.coloured), "scale": None}
    heads = reversed(column.head.split("\n")) if column.head else ()
    return [
        text,
        *(head(one, x, column.align, up=up) for one, up in zip(heads, _HEADS_UP, strict=False)),
    ]


def limit_lines(limits: tuple[float, float] | None, x: Spec, width: int = WIDTH) -> list[Spec]:
    """Upright lines at review and limit; their names stand above the plot, where no mark is."""
    if limits is None:
        return []
    review, limit = limits
    lines = [("limit", limit, BAD, DASHED, _HEADS_UP[0])]
    if review != limit:
        lines.insert(0, ("review above", review, REVIEW, DOTTED, _HEADS_UP[1]))
    layers = []
    for word, value, colour, dash, up in lines:
        place = {"x": at(x, "value"), "y": pixel(-up - 6), "y2": pixel("height")}
        layers.append(rule([{"value": value}], colour, dash, **place))
        middle = width * value / x["scale"]["domain"][1]
        # Near the right end the name would run into the heads of the columns.
        align: Align = "left" if middle < width - 110 else "right"
        shift = 4 if align == "left" else -4
        layers.append(head(f"{word} {value:g} %", middle + shift, align, up=up, colour=INK))
    return layers


def nothing(text: str) -> Spec:
    """A picture that says why there is none."""
    rows = [{"text": text}]
    return {**draw("text", rows, {"text": words("text")}, fontSize=13), "width": 400}


# Text from the data


def truncate_name(text: str) -> str:
    """A name from the data at the side of a row; never nothing."""
    return truncate(text) or "(no name)"


def separate_labels(
    ends: Sequence[tuple[float, str]], gap: float, room: float
) -> list[tuple[float, str]]:
    """Texts at their heights, moved down until none meets another, then up into the room."""
    placed: list[tuple[float, str]] = []
    for height, text in sorted(ends):
        placed.append((max(height, placed[-1][0] + gap) if placed else height, text))
    lowest = room
    for place in range(len(placed) - 1, -1, -1):
        height, text = placed[place]
        placed[place] = (min(height, lowest), text)
        lowest = placed[place][0] - gap
    return placed


def describe_rows(rows: Iterable[Row]) -> str:
    """The figures of rows in words."""
    return "; ".join(f"{row['name']}: {row['told']}" for row in rows if row.get("told")) + "."
