"""From where on is a figure reviewed, and from where on is it too high? Upright lines.

Their names stand above the plot, each at its own height, where no mark can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.records.judgement import LimitCheck
from unveil.view.charts.render_svg import BAD, INK, REVIEW, Spec
from unveil.view.charts.text_rows import head_layer


def limits_of(judged: Sequence[LimitCheck]) -> tuple[float, float] | None:
    """Review and limit; None where none is set."""
    for one in judged:
        if one.review is not None and one.limit is not None:
            return one.review, one.limit
    return None


@dataclass(frozen=True)
class _Limit:
    """One upright line, and how high above the plot its name stands."""

    word: str
    value: float
    colour: str
    dash: tuple[int, int]
    up: int


def limit_layers(
    limits: tuple[float, float] | None, reach: float, x: Spec, *, width: int
) -> list[Spec]:
    """An upright line for each limit, with its name above the plot."""
    if limits is None:
        return []
    review, limit = limits
    lines = [_Limit("limit", limit, BAD, (6, 3), 10)]
    if review != limit:
        lines.insert(0, _Limit("review above", review, REVIEW, (2, 3), 26))
    return [layer for line in lines for layer in _limit(line, reach, x, width)]


def _limit(line: _Limit, reach: float, x: Spec, width: int) -> list[Spec]:
    at = width * line.value / reach
    # Near the right end the name would run into the heads of the columns.
    align, shift = ("left", 4) if at < width - 110 else ("right", -4)
    mark = {"type": "rule", "color": line.colour, "strokeDash": line.dash, "strokeWidth": 1.5}
    return [
        {
            "data": {"values": [{"value": line.value}]},
            "mark": mark,
            "encoding": {
                "x": {**x, "field": "value"},
                "y": {"value": -line.up - 6},
                "y2": {"value": "height"},
            },
        },
        head_layer(f"{line.word} {line.value:g} %", at + shift, align, up=line.up, colour=INK),
    ]
