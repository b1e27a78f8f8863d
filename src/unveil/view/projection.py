"""The files on the original's principal components: aggregates, no single record."""

from collections.abc import Callable, Iterator, Sequence
from math import cos, pi, sin
from random import Random
from typing import TypeVar

from unveil.records.comparison import Cloud
from unveil.records.utility import Loading, ProjectedGroup, Projection
from unveil.view.blocks import Block, Heading, list_rows, notes, say
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    INK,
    ORIGINAL,
    SOLID,
    SYNTHETIC,
    Row,
    Spec,
    crosses,
    draw,
    legend,
    line,
    look,
    number,
    panel,
    words,
)
from unveil.view.format import and_list, format_count, percent, truncate, visible
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import filled_table

LOADINGS: dict[str, Callable[[Loading], str]] = {
    "column": lambda row: truncate(row.column),
    "level": lambda row: "" if row.level is None else truncate(visible(row.level)),
    "axis 1": lambda row: f"{row.PC1:+.3f}",
    "axis 2": lambda row: f"{row.PC2:+.3f}",
}
GROUP_HEADS = ("file", "units", "mean 1", "sd 1", "mean 2", "sd 2")
MOST_LOADINGS = 12
_LITTLE = 0.3


def projection_sentences(record: Projection) -> Iterator[tuple[str, str]]:
    """What the projection says, by the name of what is said."""
    first, second = (one.explained for one in record.components)
    text = (
        f"The first two principal components explain {percent(100 * (first + second))} of the"
        f" variance of {format_count(len(record.columns), 'column')} in the original"
        f" ({percent(100 * first)} and {percent(100 * second)})."
    )
    little = " That is little: files that differ elsewhere can look alike here."
    yield "explained", text + (little if first + second < _LITTLE else "")
    if record.n_fitted < record.n_original:
        yield (
            "some",
            f"The components were fitted to {record.n_fitted:,} of its records, drawn at random: it"
            " is large, and has missing values.",
        )
    original = record.rows[0]
    for row in record.rows[1:]:
        yield from _group_sentences(original, row)
    for row in record.rows:
        if row.n_unplaced and row.mark is None:
            n = f"{format_count(row.n_unplaced, 'record')} of {group_name(row)}"
            yield "unplaced", f"{n} could not be placed: all values are missing."
    yield from _marks(record)
    for one in record.dropped_columns:
        yield "dropped", f"{truncate(one.column)} is not used: {one.reason}."
    for warning in record.warnings:
        yield "warning", warning


def _group_sentences(original: ProjectedGroup, row: ProjectedGroup) -> Iterator[tuple[str, str]]:
    """How far the centre of a copy is from that of the original."""
    shifts = (
        _shift(original.mean_1, row.mean_1, original.sd_1),
        _shift(original.mean_2, row.mean_2, original.sd_2),
    )
    if row.mark is None and None not in shifts:
        d1, d2 = (f"{shift:.2f}" for shift in shifts)
        yield (
            "place",
            f"The centre of {group_name(row)} lies {d1} standard deviations of the original from"
            f" the original's on the first axis, {d2} on the second.",
        )


def _shift(there: float | None, here: float | None, sd: float | None) -> float | None:
    return None if there is None or here is None or not sd else abs(here - there) / sd


def _marks(record: Projection) -> Iterator[tuple[str, str]]:
    kept = {row.copy: row.n for row in record.rows if row.mark == "retained"}
    gone = {row.copy: row.n for row in record.rows if row.mark == "filtered"}
    for copy, n in kept.items():
        units = format_count(n, "unit")
        removed = f"removed {gone[copy]:,} of copy {copy}"
        yield "marks", f"The distance filter retained {units} and {removed}."


def group_name(row: ProjectedGroup) -> str:
    """A file, or the marked units of one, in a sentence."""
    if row.copy is None:
        return "the original"
    return f"copy {row.copy}" + (f", {row.mark}" if row.mark else "")


def group_cells(row: ProjectedGroup) -> tuple[str, ...]:
    """One file under GROUP_HEADS."""
    figures = (row.mean_1, row.sd_1, row.mean_2, row.sd_2)
    shown = ("-" if one is None else f"{one:.3f}" for one in figures)
    return (group_name(row), f"{row.n:,}", *shown)


@as_text.register
def _(record: Projection) -> str:
    first, second = (percent(100 * one.explained) for one in record.components)
    return f"Projection of {and_list(record.columns)}: axes explain {first} and {second}"


def projection_blocks(record: Projection) -> Iterator[Block]:
    """The projection without its title."""
    yield from say(projection_sentences(record))
    yield filled_table("Where the files lie", GROUP_HEADS, [*map(group_cells, record.rows)])


@as_blocks.register
def _(record: Projection) -> Iterator[Block]:
    yield Heading("Principal components of the original")
    yield from projection_blocks(record)
    pull = sorted(record.loadings, key=lambda one: -max(abs(one.PC1), abs(one.PC2)))
    yield list_rows("Largest loadings", LOADINGS, pull[:MOST_LOADINGS], text=("level",))
    yield from notes(record.coercions)


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
MOST_POINTS = 2_000
Thing = TypeVar("Thing")


def thin_points(rows: Sequence[Thing], most: int = MOST_POINTS) -> Sequence[Thing]:
    """Some of many points, always the same: a picture with more of them shows no more.

    Not every tenth, say: rows that differ by their place would all be of one kind.
    """
    if len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(Random(0).sample(range(len(rows)), most))]


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
        *crosses(centres, x, y, colour, opacity=0.6),
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
