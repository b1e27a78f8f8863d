"""What the copy gives away about each target, beside what the original would, and the limits.

A square for the copy, a ring for the original; figures, status and checks stand in columns at the
right, where no line can cross them.
"""

from collections.abc import Sequence
from typing import Any, Literal

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import LimitCheck
from unveil.view.charts.chart import Chart
from unveil.view.charts.limit_lines import limit_layers, limits_of
from unveil.view.charts.render_svg import BASELINE, INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.status_marks import COLOURS
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
    x_percent,
    y_place,
)
from unveil.view.flags import visible_flags
from unveil.view.format import and_list, percent_or_dash
from unveil.view.status import GLYPHS, WORDS, worst

Measure = Literal["DiSCO", "DCAP"]

COMPANIONS: dict[Measure, str] = {"DiSCO": "Dorig", "DCAP": "CAPd"}
TITLES: dict[Measure, str] = {
    "DiSCO": "What could be learnt for certain",
    "DCAP": "What could be guessed rightly",
}
MOST = 50
"""So many targets on one picture: more would not fit a sheet of paper."""
WIDTH, STEP, DENSE = 330, 24, 20


def lollipop_chart(
    record: Disclosure,
    *,
    measure: Measure = "DiSCO",
    judged: Sequence[LimitCheck] = (),
    targets: Sequence[str] | None = None,
) -> Chart:
    """Every target from what the copy gives away to what the original would, the riskiest first.

    `judged` are the figures of this scenario held against limits; without them no limit is drawn.
    """
    own = [one for one in judged if one.measure == measure]
    rows = lollipop_rows(record, measure, own, targets)
    return chart_of(
        lollipop_spec(
            rows,
            measure,
            limits_of(own),
            with_status=bool(own),
            several=len(record.n_synthetic) > 1,
        ),
        title=f"{TITLES[measure]} from {and_list(record.keys)}",
        description=_described(rows, measure),
    )


def lollipop_rows(
    record: Disclosure,
    measure: Measure,
    judged: Sequence[LimitCheck],
    targets: Sequence[str] | None = None,
) -> list[Row]:
    """What is drawn of each target, ordered by what the copy gives away."""
    chosen = record.targets if targets is None else targets
    rows = [record.attribute_of(target, record.headline_copy) for target in chosen]
    rows.sort(key=lambda row: -_or_least(getattr(row, measure)))
    flagged = {(flag.target, flag.kind) for flag in visible_flags(record)}
    return [_row(record, row, measure, judged, flagged) for row in rows]


def _row(
    record: Disclosure,
    row: AttributeRow,
    measure: Measure,
    judged: Sequence[LimitCheck],
    flagged: set[tuple[str, Any]],
) -> Row:
    copy, original = getattr(row, measure), getattr(row, COMPANIONS[measure])
    spread = [one for one in record.spread if (one.target, one.measure) == (row.target, measure)]
    has_pool = len(record.n_synthetic) > 1
    pooled = getattr(record.attribute_of(row.target, "pooled"), measure) if has_pool else None
    status = worst(one.status for one in judged if one.target == row.target)
    words = {"one_way": "1-way", "two_way": "2-way"}
    return {
        "name": truncate_name(row.target),
        "copy": copy,
        "original": original,
        "baseline": row.baseCAPd if measure == "DCAP" else None,
        "lowest": spread[0].lowest if spread else None,
        "highest": spread[0].highest if spread else None,
        "pooled": pooled,
        "copy_told": percent_or_dash(copy),
        "pooled_told": percent_or_dash(pooled),
        "original_told": percent_or_dash(original),
        "baseline_told": percent_or_dash(row.baseCAPd),
        "glyph": GLYPHS[status],
        "status": WORDS[status],
        "colour": COLOURS[status],
        "checks": ", ".join(word for kind, word in words.items() if (row.target, kind) in flagged),
    }


def lollipop_spec(
    rows: Sequence[Row],
    measure: Measure,
    limits: tuple[float, float] | None,
    *,
    with_status: bool = True,
    several: bool = False,
) -> Spec:
    """The picture in Vega-Lite; the height grows with the targets."""
    fields = ("copy", "original", "highest", "pooled", "baseline")
    reach = reach_of([*(row[field] for row in rows for field in fields), *(limits or ())])
    x = x_percent("percent of the people in your data", reach)
    layers = [
        *limit_layers(limits, reach, x, width=WIDTH),
        _rail(x),
        *([_range(x), _points(x, "pooled", "diamond", SYNTHETIC, filled=False)] if several else []),
        *([_baseline(x)] if measure == "DCAP" else []),
        _points(x, "original", "circle", ORIGINAL, filled=False),
        _points(x, "copy", "square", SYNTHETIC, filled=True),
        names_layer(),
        *_columns(
            measure,
            with_status=with_status,
            with_checks=measure == "DiSCO" and any(row["checks"] for row in rows),
            several=several,
        ),
    ]
    step = STEP if len(rows) <= MOST // 2 else DENSE
    return {
        "width": WIDTH,
        "height": {"step": step},
        "data": {"values": places(rows)},
        "layer": layers,
    }


def _points(x: Spec, field: str, shape: str, colour: str, *, filled: bool) -> Spec:
    mark: Spec = {"type": "point", "shape": shape, "size": 90, "opacity": 1, "color": colour}
    hollow = {"filled": True} if filled else {"filled": False, "strokeWidth": 2, "fill": "white"}
    return {
        "mark": {**mark, **hollow},
        "encoding": {"x": {**x, "field": field}, "y": {**y_place(), "bandPosition": 0.5}},
    }


def _rail(x: Spec) -> Spec:
    return {
        "mark": {"type": "rule", "color": RAIL, "strokeWidth": 2},
        "encoding": {
            "x": {**x, "field": "copy"},
            "x2": {"field": "original"},
            "y": {**y_place(), "bandPosition": 0.5},
        },
    }


def _range(x: Spec) -> Spec:
    """From the lowest to the highest of the copies."""
    return {
        "mark": {"type": "rule", "color": SYNTHETIC, "strokeWidth": 7, "opacity": 0.35},
        "encoding": {
            "x": {**x, "field": "lowest"},
            "x2": {"field": "highest"},
            "y": {**y_place(), "bandPosition": 0.5},
        },
    }


def _baseline(x: Spec) -> Spec:
    mark = {"type": "tick", "thickness": 5, "size": 15, "color": BASELINE, "opacity": 1}
    return {
        "mark": mark,
        "encoding": {"x": {**x, "field": "baseline"}, "y": y_place()},
    }


def _columns(
    measure: Measure, *, with_status: bool, with_checks: bool, several: bool
) -> list[Spec]:
    """The figures, each as far to the right as the ones before it ask for."""
    heads = [("copy_told", f"copy ({measure})", SYNTHETIC)]
    if several:
        heads = [("copy_told", "mean of copies", SYNTHETIC), ("pooled_told", "pooled", SYNTHETIC)]
    heads.append(("original_told", f"original ({COMPANIONS[measure]})", INK))
    if measure == "DCAP":
        heads.append(("baseline_told", "by frequency", INK))
    columns = [
        TextColumn(field, 96 + 102 * place, head, colour=colour)
        for place, (field, head, colour) in enumerate(heads)
    ]
    right = columns[-1].at + 18
    layers = column_layers(columns, WIDTH)
    if with_status:
        glyph = column_layers([TextColumn("glyph", right, align="left")], WIDTH)[0]
        glyph["encoding"]["color"] = {"field": "colour", "type": "nominal", "scale": None}
        glyph["mark"]["fontSize"] = 15
        status = TextColumn("status", right + 18, "status", align="left")
        layers += [glyph, *column_layers([status], WIDTH)]
        right += 110
    if with_checks:
        layers += column_layers([TextColumn("checks", right, "checks", align="left")], WIDTH)
    return layers


def _described(rows: Sequence[Row], measure: Measure) -> str:
    told = [
        f"{row['name']}: {row['copy_told']} with the copy, {row['original_told']} with the"
        f" original, {row['status']}{', ' + row['checks'] if row['checks'] else ''}"
        for row in rows
    ]
    return f"{measure} beside {COMPANIONS[measure]}. {'; '.join(told)}." if told else "No target."


def _or_least(value: float | None) -> float:
    return -1.0 if value is None else value
