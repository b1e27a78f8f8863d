"""Grids of squares: how columns go together, what changed, and S_pMSE of all pairs."""

from collections.abc import Sequence

from unveil.errors import InternalError
from unveil.records.comparison import AssociationRow, Comparison
from unveil.records.utility import PairTables
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import SYNTHETIC, Row, Spec, cells, number, shade, words
from unveil.view.comparison import MEASURES
from unveil.view.format import truncate
from unveil.view.pair_tables import headline_copy, standardised_rows
from unveil.view.utility import POOR, figure

# Associations of columns

MOST_COLUMNS = 30
"""Columns in the picture of changes: of more, those that changed most."""
MOST_WRITTEN = 12  # columns up to which figures stand in the squares of three panels
_WRITTEN = 0.05  # smaller differences are not written into their squares
_SMALLEST_SCALE = 0.2


def association_rows(record: Comparison) -> list[AssociationRow]:
    """One association for each pair, measured on both sides: numbers by Pearson's correlation."""
    return [
        row
        for row in record.associations
        if row.copy == record.headline_copy
        and row.measure != "spearman"
        and row.difference is not None
    ]


def associations(record: Comparison) -> Chart:
    """Associations of both and their difference; numbers by Pearson's correlation."""
    found = association_rows(record)
    rows: list[Row] = [
        {
            "across": across,
            "down": down,
            "original": row.original,
            "synthetic": row.synthetic,
            "difference": row.difference,
        }
        for row in found
        for across, down in ((row.a, row.b), (row.b, row.a))
    ]
    most = max([_SMALLEST_SCALE, *(abs(row["difference"]) for row in rows)])
    scales = {"original": 1.0, "synthetic": 1.0, "difference": most}
    panels = [_associations(rows, record.columns, field, end) for field, end in scales.items()]
    return Chart(
        {"hconcat": panels, "spacing": 30, "resolve": {"scale": {"color": "independent"}}},
        title="Associations between columns",
        description=(
            "Pearson's correlation of two numbers, Cramér's V of two categories, the correlation"
            " ratio of a number and a category: in the original, in the synthetic data, and the"
            f" difference. {_largest(found)}"
        ),
    )


def _associations(rows: list[Row], columns: Sequence[str], field: str, most: float) -> Spec:
    is_written = len(columns) <= MOST_WRITTEN
    key = {"orient": "bottom", "gradientLength": 140, "format": ".1f"}
    text = {"field": field, "type": "quantitative", "format": ".2f"}
    return cells(
        rows,
        columns,
        columns,
        shade(field, most, legend=key),
        text=text if is_written else None,
        light={"field": field, "range": [-0.7 * most, 0.7 * most]},
        step=30 if is_written else 14,
        title=field,
        names=field == "original",
    )


def correlation_difference(record: Comparison) -> Chart:
    """Synthetic less original for every pair, by Pearson, Cramér or correlation ratio.

    The lower half of the square; the sign is written, not only coloured.
    """
    columns = visible_columns(record)
    places = {column: place for place, column in enumerate(columns)}
    found = association_rows(record)
    rows: list[Row] = []
    for row in found:
        if row.a in places and row.b in places:
            across, down = sorted((row.a, row.b), key=lambda column: places[column])
            value = row.difference or 0.0
            shown = f"{value:+.2f}" if abs(value) >= _WRITTEN else ""
            measure = MEASURES[row.measure]
            rows.append({"across": across, "down": down, "value": value, "shown": shown})
            rows[-1]["measure"] = measure
    most = max([_SMALLEST_SCALE, *(abs(row["value"]) for row in rows)])
    key = {"orient": "right", "gradientLength": 120, "format": "+.1f", "tickCount": 5}
    return Chart(
        cells(
            rows,
            columns[:-1],
            columns[1:],
            shade("value", most, legend={**key, "title": ["synthetic", "- original"]}),
            text=words("shown"),
            light={"field": "value", "range": [-0.7 * most, 0.7 * most]},
        ),
        title="Change of associations between columns",
        description=(
            f"Association in the synthetic data less that in the original, for {len(columns)}"
            f" columns. {_largest(found)}"
        ),
    )


def visible_columns(record: Comparison) -> list[str]:
    """The columns in the picture of changes, in the order of the file."""
    if len(record.columns) <= MOST_COLUMNS:
        return list(record.columns)
    changes = [one for one in record.changes if one.copy == record.headline_copy]
    most = sorted(changes, key=lambda one: -(one.largest_difference or 0.0))[:MOST_COLUMNS]
    kept = {one.column for one in most}
    return [column for column in record.columns if column in kept]


def _largest(rows: Sequence[AssociationRow]) -> str:
    if not rows:
        return "None is measured."
    ranked = sorted(rows, key=lambda row: -abs(row.difference or 0.0))[:5]
    told = "; ".join(
        f"{truncate(row.a)} and {truncate(row.b)} {row.difference:+.3f}" for row in ranked
    )
    return f"The largest differences: {told}."


# S_pMSE of all pairs

LIMITS = [1, 2, 3, 5, 10]
COLOURS = ["#ededed", "#d6e1f0", "#aec4e0", "#7a9cc9", "#4674ae", SYNTHETIC]
MOST_NAMED = 40  # figures are written into the squares of no more variables than this


def pair_map(
    record: PairTables, copy: int | None = None, *, variables: Sequence[str] | None = None
) -> Chart:
    """S_pMSE of all pairs as one picture; on the diagonal nothing, the worst pair named.

    Both halves, so that a row can be read along; of `variables` alone where they are given, and
    then one half, which is half as large.
    """
    if record.ways != 2:
        raise InternalError("The map of pairs was asked of tables that are no pairs.")
    chosen = headline_copy(record) if copy is None else copy
    order = list(record.variables if variables is None else variables)
    rows: list[Row] = [
        {"across": b, "down": a, "value": row.S_pMSE, "shown": figure(row.S_pMSE)}
        for row in record.list_tables(chosen)
        if set(row.variables) <= set(order)
        for a, b in (row.variables, row.variables[::-1])
        if variables is None or order.index(a) > order.index(b)
    ]
    scale = {"type": "threshold", "domain": LIMITS, "range": COLOURS}
    key = {"title": "S_pMSE", "symbolType": "square"}
    ranked = standardised_rows(record, chosen)
    named = [f"{' and '.join(map(truncate, row.variables))}" for row in ranked[:5]]
    highest = [f"{name} {figure(row.S_pMSE)}" for name, row in zip(named, ranked, strict=False)]
    n_poor = sum((row.S_pMSE or 0.0) > POOR for row in ranked)
    return Chart(
        cells(
            rows,
            order if variables is None else order[:-1],
            order if variables is None else order[1:],
            number("value", scale=scale, legend=key),
            text=words("shown") if len(order) <= MOST_NAMED else None,
            light={"field": "value", "lt": LIMITS[-2]},
            top=variables is None,
        ),
        title=f"S_pMSE of all pairs: {named[0]} differ most ({figure(ranked[0].S_pMSE)})"
        if ranked
        else "S_pMSE of all pairs: nothing to compare",
        description=(
            f"Heat map of {len(record.variables)} variables, {len(ranked)} pairs: the bluer, the"
            f" farther are the synthetic data from the original. Above {POOR:g}: {n_poor}."
            f"{' The highest: ' + '; '.join(highest) + '.' if highest else ''}"
        ),
    )
