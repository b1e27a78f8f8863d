"""The heat map of all pairs of variables: grey where a copy is like the original, else blue."""

from collections.abc import Sequence

from unveil.errors import InternalError
from unveil.records.utility import PairTables, TableRow
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import INK, SYNTHETIC, Spec
from unveil.view.format import truncate
from unveil.view.pair_tables import headline_copy, standardised_rows
from unveil.view.utility import POOR, figure

LIMITS = [1, 2, 3, 5, 10]
COLOURS = ["#ededed", "#d6e1f0", "#aec4e0", "#7a9cc9", "#4674ae", SYNTHETIC]
MOST_NAMED = 40  # figures are written into the squares of no more variables than this
STEP = 38


def pair_map_chart(record: PairTables, copy: int | None = None) -> str:
    """S_pMSE of all pairs as an SVG document."""
    return pair_map(record, copy).svg()


def pair_map(
    record: PairTables, copy: int | None = None, *, variables: Sequence[str] | None = None
) -> Chart:
    """S_pMSE of all pairs as one picture; on the diagonal nothing, the worst pair named.

    Of `variables` alone where they are given, and then one half of the map.
    """
    if record.ways != 2:
        raise InternalError("The map of pairs was asked of tables that are no pairs.")
    chosen = headline_copy(record) if copy is None else copy
    ranked = standardised_rows(record, chosen)
    return Chart(
        pair_map_spec(record, chosen, variables),
        title=title(ranked),
        description=description(record, ranked),
    )


def title(ranked: list[TableRow]) -> str:
    """What the map says first: the pair that differs most."""
    if not ranked:
        return "S_pMSE of all pairs: nothing to compare"
    worst = " and ".join(truncate(one) for one in ranked[0].variables)
    return f"S_pMSE of all pairs: {worst} differ most ({figure(ranked[0].S_pMSE)})"


def description(record: PairTables, ranked: list[TableRow]) -> str:
    """The same for those who cannot see it."""
    n_poor = sum((row.S_pMSE or 0.0) > POOR for row in ranked)
    said = f"Heat map of {len(record.variables)} variables, {len(ranked)} pairs: the bluer, the"
    said += f" farther is the copy from the original. Above 10: {n_poor}."
    worst = [f"{' and '.join(row.variables)} {figure(row.S_pMSE)}" for row in ranked[:5]]
    return f"{said} The highest: {'; '.join(worst)}." if worst else said


def pair_map_spec(record: PairTables, copy: int, variables: Sequence[str] | None = None) -> Spec:
    """The map in Vega-Lite: both halves are drawn, so that a row can be read along.

    Of chosen variables one half only, which is half as large.
    """
    order = list(record.variables if variables is None else variables)
    values = [
        {"across": b, "down": a, "value": row.S_pMSE, "shown": figure(row.S_pMSE)}
        for row in record.list_tables(copy)
        if set(row.variables) <= set(order)
        for a, b in (row.variables, row.variables[::-1])
        if variables is None or order.index(a) > order.index(b)
    ]
    across, down = (order, order) if variables is None else (order[:-1], order[1:])
    axis = {"type": "nominal", "sort": None, "title": None}
    below: Spec = {"labelAngle": -45, "orient": "top" if variables is None else "bottom"}
    place = {
        "x": {"field": "across", **axis, "scale": {"domain": across}, "axis": below},
        "y": {"field": "down", **axis, "scale": {"domain": down}},
    }
    colour = {
        "field": "value",
        "type": "quantitative",
        "scale": {"type": "threshold", "domain": LIMITS, "range": COLOURS},
        "legend": {"title": "S_pMSE", "symbolType": "square"},
    }
    layers: list[Spec] = [
        {"mark": {"type": "rect", "stroke": "white"}, "encoding": {**place, "color": colour}}
    ]
    if len(order) <= MOST_NAMED:
        layers.append(_figures(place))
    return {
        "data": {"values": values},
        "width": {"step": STEP},
        "height": {"step": STEP},
        "layer": layers,
    }


def _figures(place: Spec) -> Spec:
    """The figures in the squares, white on dark blue."""
    dark = {"test": f"datum.value >= {LIMITS[-2]}", "value": "white"}
    return {
        "mark": {"type": "text", "fontSize": 12},
        "encoding": {
            **place,
            "text": {"field": "shown", "type": "nominal"},
            "color": {"condition": dark, "value": INK},
        },
    }
