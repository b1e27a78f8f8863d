"""Which columns go together: in the original, in the copies, and what changed, in colours."""

from unveil.records.comparison import Comparison
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import Spec
from unveil.view.format import truncate

MOST_WRITTEN = 12  # columns up to which figures stand in the cells
_SMALLEST_SCALE = 0.2

PANELS = (("original", "original"), ("synthetic", "synthetic"), ("difference", "difference"))


def associations_chart(record: Comparison) -> str:
    """The same as an SVG document."""
    return associations(record).svg()


def associations(record: Comparison) -> Chart:
    """Associations of both and their difference; numbers by Pearson's correlation."""
    cells = _cells(record)
    columns = [truncate(one) for one in record.columns]
    largest = max((abs(cell["difference"]) for cell in cells), default=0.0)
    scales = {"difference": max(largest, _SMALLEST_SCALE)}
    spec: Spec = {
        "hconcat": [
            _panel(cells, columns, field, title, scales.get(field, 1.0)) for field, title in PANELS
        ],
        "spacing": 30,
        "padding": {"left": 16, "top": 5, "right": 5, "bottom": 5},
        "resolve": {"scale": {"color": "independent"}},
    }
    return Chart(
        spec,
        title="How columns go together",
        description=(
            "Pearson's correlation of two numbers, Cramér's V of two categories, the correlation"
            " ratio of a number and a category: in the original, in the copies, and the difference."
            f" {_worst(record)}"
        ),
    )


def _cells(record: Comparison) -> list[Spec]:
    """Every pair both ways round, where it is measured on both sides."""
    found = []
    for row in record.associations:
        if row.copy != record.headline_copy or row.measure == "spearman" or row.difference is None:
            continue
        figures = {
            "original": row.original,
            "synthetic": row.synthetic,
            "difference": row.difference,
        }
        for a, b in ((row.a, row.b), (row.b, row.a)):
            found.append({"a": truncate(a), "b": truncate(b), **figures})
    return found


def _panel(cells: list[Spec], columns: list[str], field: str, title: str, most: float) -> Spec:
    step = 30 if len(columns) <= MOST_WRITTEN else 14
    places: Spec = {
        "x": {
            "field": "a",
            "type": "nominal",
            "sort": columns,
            "title": None,
            "scale": {"domain": columns},
            "axis": {"labelAngle": -60, "grid": False, "labelLimit": 110},
        },
        "y": {
            "field": "b",
            "type": "nominal",
            "sort": columns,
            "title": None,
            "scale": {"domain": columns},
            "axis": {"grid": False, "labels": field == "original", "labelLimit": 130},
        },
    }
    colour: Spec = {
        "field": field,
        "type": "quantitative",
        "title": None,
        "scale": {"scheme": "purpleorange", "domain": [-most, most], "reverse": True},
        "legend": {"orient": "bottom", "gradientLength": 140, "format": ".1f"},
    }
    layers: list[Spec] = [{"mark": {"type": "rect"}, "encoding": {**places, "color": colour}}]
    if len(columns) <= MOST_WRITTEN:
        layers.append(_figures(places, field, most))
    return {
        "title": {"text": title, "fontSize": 13, "fontWeight": "normal"},
        "data": {"values": cells},
        "width": {"step": step},
        "height": {"step": step},
        "layer": layers,
    }


def _figures(places: Spec, field: str, most: float) -> Spec:
    dark = 0.75 * most
    return {
        "mark": {"type": "text", "fontSize": 9},
        "encoding": {
            **places,
            "text": {"field": field, "type": "quantitative", "format": ".2f"},
            "color": {
                "condition": {
                    "test": {"field": field, "range": [-dark, dark]},
                    "value": "#222222",
                },
                "value": "white",
            },
        },
    }


def _worst(record: Comparison) -> str:
    row = record.most_changed
    if row is None or row.difference is None:
        return "None is measured."
    return (
        f"The largest difference is {row.difference:+.3f}, of {truncate(row.a)} and "
        f"{truncate(row.b)}."
    )
