"""What is left when common knowledge is left out? Raab's Table 2 as a row of small pictures.

One panel for each set of exclusions, one row for each target: a square for the copy, a ring for the
original, and the figure of the copy at the right.
"""

import textwrap
from collections.abc import Sequence

from unveil.records.disclosure import ExclusionColumn, ExclusionTable
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    RAIL,
    Row,
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    reach_of,
    truncate_name,
    y_place,
)
from unveil.view.flags import cells_of
from unveil.view.format import rounded_percent, truncate

WIDTH, STEP, LONGEST = 86, 22, 15
MOST = 50


def exclusion_grid_chart(record: ExclusionTable, targets: Sequence[str] | None = None) -> Chart:
    """The copy beside the original for every target, under one set of exclusions after another."""
    shown = tuple(record.targets if targets is None else targets)
    return chart_of(
        exclusion_grid_spec(record, shown),
        title=f"{record.measure} when common knowledge is left out",
        description=_described(record, shown),
    )


def exclusion_grid_spec(record: ExclusionTable, targets: Sequence[str]) -> Spec:
    """The panels side by side; the names of the targets stand before the first."""
    cells = [cell for target in targets for cell in cells_of(record, target)]
    reach = reach_of(value for cell in cells for value in (cell.synthetic, cell.original))
    panels = [
        _panel(column, _rows(record, targets, column), reach, is_first=not place)
        for place, column in enumerate(record.columns)
    ]
    return {"hconcat": panels, "spacing": 14}


def _rows(record: ExclusionTable, targets: Sequence[str], column: ExclusionColumn) -> list[Row]:
    found = {
        cell.target: cell
        for target in targets
        for cell in cells_of(record, target)
        if cell.column == column.column
    }
    return [
        {
            "name": truncate_name(target),
            "copy": found[target].synthetic,
            "original": found[target].original,
            "told": rounded_percent(found[target].synthetic),
        }
        for target in targets
    ]


def _panel(column: ExclusionColumn, rows: list[Row], reach: float, *, is_first: bool) -> Spec:
    x: Spec = {
        "type": "quantitative",
        "title": "percent" if is_first else None,
        "scale": {"domain": [0, reach]},
        "axis": {"values": [0, reach / 2, reach], "labelFlush": True, "labelFontSize": 11},
    }
    y = {**y_place(), "bandPosition": 0.5}
    rail = {"mark": {"type": "rule", "color": RAIL, "strokeWidth": 1.5}}
    return {
        "title": {
            "text": textwrap.wrap(truncate(column.title), LONGEST) or [""],
            "fontSize": 12,
            "fontWeight": "normal",
            "anchor": "start",
            "frame": "group",
        },
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": places(rows)},
        "layer": [
            {
                **rail,
                "encoding": {"x": {**x, "field": "copy"}, "x2": {"field": "original"}, "y": y},
            },
            _point({**x, "field": "original"}, y, "circle", ORIGINAL, filled=False),
            _point({**x, "field": "copy"}, y, "square", SYNTHETIC, filled=True),
            *column_layers([TextColumn("told", 38, colour=INK)], WIDTH),
            *([names_layer()] if is_first else []),
        ],
    }


def _point(x: Spec, y: Spec, shape: str, colour: str, *, filled: bool) -> Spec:
    mark: Spec = {"type": "point", "shape": shape, "size": 50, "opacity": 1, "color": colour}
    look = {"filled": True} if filled else {"filled": False, "strokeWidth": 1.5, "fill": "white"}
    return {"mark": {**mark, **look}, "encoding": {"x": x, "y": y}}


def _described(record: ExclusionTable, targets: Sequence[str]) -> str:
    titles = {column.column: column.title for column in record.columns}
    told = [
        f"{truncate(target)}: "
        + ", ".join(
            f"{truncate(titles[cell.column])} {rounded_percent(cell.synthetic)}"
            for cell in cells_of(record, target)
        )
        for target in targets
    ]
    return f"{record.measure} in percent. {'; '.join(told)}." if told else "No target."
