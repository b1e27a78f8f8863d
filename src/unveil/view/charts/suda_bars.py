"""With how few keys are people alone, and which keys make them so? Bars of a SUDA record."""

from unveil.records.uniques import Suda
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import ORIGINAL, Spec
from unveil.view.charts.text_rows import (
    Row,
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    reach_of,
    truncate_name,
    x_percent,
    y_place,
)
from unveil.view.format import and_list, format_count, people, percent, percent_or_dash
from unveil.view.uniques import contributions_in_order

WIDTH, STEP = 320, 26


def uniques_chart(record: Suda) -> Chart:
    """People by the fewest keys that make them alone, above the part that each key takes."""
    sizes, keys = size_rows(record), key_rows(record)
    told = "; ".join(f"{row['name']}: {row['told']}" for row in (*sizes, *keys))
    return chart_of(
        {
            "vconcat": [
                _bars(
                    sizes,
                    "percent of the people in your data",
                    "With how few keys people are alone",
                ),
                _bars(keys, "percent of the sum of scores", "Which keys make people unique"),
            ],
            "spacing": 26,
        },
        title=f"What makes people unique by {and_list(record.keys)}",
        description=f"{told}.",
    )


def size_rows(record: Suda) -> list[Row]:
    """People, each at the smallest set of keys that makes them alone."""
    return [
        {
            "name": format_count(row.size, "key"),
            "value": (share := 100 * row.n_records / record.n_records),
            "told": f"{percent(share)}: {people(row.n_records)}",
        }
        for row in record.sizes
    ]


def key_rows(record: Suda) -> list[Row]:
    """The part that each key takes, the greatest first."""
    return [
        {"name": truncate_name(row.key), "value": row.percent, "told": percent_or_dash(row.percent)}
        for row in contributions_in_order(record)
    ]


def _bars(rows: list[Row], axis: str, title: str) -> Spec:
    x = x_percent(axis, reach_of(row["value"] for row in rows))
    return {
        "title": {"text": title, "fontSize": 13, "fontWeight": "normal", "frame": "group"},
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": places(rows)},
        "layer": [
            {
                "mark": {"type": "bar", "color": ORIGINAL},
                "encoding": {"x": {**x, "field": "value"}, "y": y_place()},
            },
            names_layer(),
            *column_layers([TextColumn("told", 12, align="left", wide=300)], WIDTH),
        ],
    }
