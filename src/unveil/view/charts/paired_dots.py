"""Are people whose records were used given away more often than others? Pairs of dots.

A square for those who were used, a ring for those who were not, each with its interval where there
is one, and R at the right.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.records.attacks import Attacks, Interval, Membership
from unveil.records.disclosure import Excess
from unveil.view.attack_rows import MARKS, AttackDisplayRow, attack_rows, ends
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import BASELINE, ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    RAIL,
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
from unveil.view.flags import headline_excess
from unveil.view.format import and_list, format_count, percent_or_dash, ratio
from unveil.view.membership import distance

WIDTH, STEP, DENSE = 320, 30, 24
MOST = 50


@dataclass(frozen=True)
class DotPair:
    """One row: in percent, for people who were used and for people who were not."""

    label: str
    used: float | None
    others: float | None
    R: str = ""
    used_interval: Interval | None = None
    others_interval: Interval | None = None
    naive: float | None = None


def excess_chart(record: Excess) -> Chart:
    """Train against control for every target, the widest gap first."""
    pairs = excess_pairs(record)
    return _chart(
        pairs,
        f"People whose records were used, and others, by {and_list(record.keys)}",
        "percent of people",
        "R",
    )


def excess_pairs(record: Excess) -> list[DotPair]:
    """One pair for each target, and for each measure where there are several."""
    several = len(record.measures) > 1
    rows = sorted(headline_excess(record), key=lambda row: -(-9.0 if row.R is None else row.R))
    return [
        DotPair(
            f"{truncate_name(row.target)}{f', {row.measure}' if several else ''}",
            row.train,
            row.control,
            ratio(row.R),
        )
        for row in rows
    ]


def attack_pairs_chart(records: Sequence[Attacks]) -> Chart:
    """The rate of each attack on people who were used and on others, with Wilson's intervals."""
    return _chart(
        attack_pairs(records), "How often attacks succeed", "percent of attacks", "R, interval"
    )


def attack_pairs(records: Sequence[Attacks]) -> list[DotPair]:
    """One pair for each attack and secret; groups of a secret are left out."""
    return [_attack(shown) for shown in attack_rows(records) if shown.row.group is None]


def _attack(shown: AttackDisplayRow) -> DotPair:
    row = shown.row
    risk = f"{MARKS[shown.reading]} {ratio(row.R)}, {ends(shown)}" if row.R is not None else "-"
    return DotPair(
        shown.label,
        _percent(row.main),
        _percent(row.control),
        risk,
        _both(row.main_interval),
        _both(row.control_interval),
        _percent(row.naive),
    )


def membership_chart(record: Membership) -> Chart:
    """Who is called a member, by the distance to the copy: those who were used, and others."""
    return _chart(
        membership_pairs(record), "Who is taken for a member", "percent of people", "relative F1"
    )


def membership_pairs(record: Membership) -> list[DotPair]:
    """One pair for each distance."""
    return [
        DotPair(
            f"within {distance(row.threshold)}",
            100 * row.recall,
            100 * row.false_positive_rate,
            ratio(row.relative_F1),
        )
        for row in record.rows
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _both(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])


def _chart(pairs: Sequence[DotPair], title: str, axis: str, last: str) -> Chart:
    shown, n_more = pairs[:MOST], max(0, len(pairs) - MOST)
    told = "; ".join(
        f"{pair.label}: {percent_or_dash(pair.used)} of those used, {percent_or_dash(pair.others)}"
        f" of the others, {last} {pair.R}"
        for pair in shown
    )
    more = f" {format_count(n_more, 'row')} more in the table." if n_more else ""
    return chart_of(
        paired_dots_spec(shown, axis, last), title=title, description=f"{told or 'Nothing'}.{more}"
    )


def paired_dots_spec(pairs: Sequence[DotPair], axis: str, last: str) -> Spec:
    """The pairs in Vega-Lite."""
    rows = places([_row(pair) for pair in pairs])
    fields = ("used", "others", "used_high", "others_high", "naive")
    x = x_percent(axis, reach_of(row[field] for row in rows for field in fields))
    has_others = any(pair.others is not None for pair in pairs)
    has_naive = any(pair.naive is not None for pair in pairs)
    # Intervals would hide each other on one line; dots alone stand on it, joined.
    is_apart = has_others and any(pair.used_interval is not None for pair in pairs)
    heights = (0.34, 0.66) if is_apart else (0.5, 0.5)
    return {
        "width": WIDTH,
        "height": {"step": STEP if len(rows) <= MOST // 2 else DENSE},
        "data": {"values": rows},
        "layer": [
            *([_naive(x)] if has_naive else []),
            *([_rail(x)] if has_others and not is_apart else []),
            *(
                _side(x, "others", "circle", ORIGINAL, heights[1], filled=False)
                if has_others
                else []
            ),
            *_side(x, "used", "square", SYNTHETIC, heights[0], filled=True),
            names_layer(wide=230),
            *_columns(last, has_others=has_others, has_naive=has_naive),
        ],
    }


def _row(pair: DotPair) -> dict[str, object]:
    used_low, used_high = pair.used_interval or (None, None)
    others_low, others_high = pair.others_interval or (None, None)
    return {
        "name": pair.label,
        "used": pair.used,
        "others": pair.others,
        "naive": pair.naive,
        "used_low": used_low,
        "used_high": used_high,
        "others_low": others_low,
        "others_high": others_high,
        "used_told": percent_or_dash(pair.used),
        "others_told": percent_or_dash(pair.others),
        "naive_told": percent_or_dash(pair.naive),
        "R": pair.R,
    }


def _side(x: Spec, field: str, shape: str, colour: str, band: float, *, filled: bool) -> list[Spec]:
    """A dot, and its interval where it has one; the two sides stand a little apart."""
    y = {**y_place(), "bandPosition": band}
    look = {"filled": True} if filled else {"filled": False, "strokeWidth": 2, "fill": "white"}
    return [
        {
            "mark": {"type": "rule", "color": colour, "strokeWidth": 2},
            "encoding": {
                "x": {**x, "field": f"{field}_low"},
                "x2": {"field": f"{field}_high"},
                "y": y,
            },
        },
        {
            "mark": {"type": "point", "shape": shape, "size": 70, "opacity": 1, "color": colour}
            | look,
            "encoding": {"x": {**x, "field": field}, "y": y},
        },
    ]


def _rail(x: Spec) -> Spec:
    """The gap between the two."""
    mark = {"type": "rule", "color": RAIL, "strokeWidth": 2}
    between = {"x": {**x, "field": "used"}, "x2": {"field": "others"}}
    return {"mark": mark, "encoding": {**between, "y": {**y_place(), "bandPosition": 0.5}}}


def _naive(x: Spec) -> Spec:
    """A light upright stroke where uninformed guesses stand."""
    mark = {"type": "tick", "thickness": 4, "size": 20, "color": BASELINE, "opacity": 1}
    return {"mark": mark, "encoding": {"x": {**x, "field": "naive"}, "y": y_place()}}


def _columns(last: str, *, has_others: bool, has_naive: bool) -> list[Spec]:
    columns = [TextColumn("used_told", 78, "used", colour=SYNTHETIC)]
    if has_others:
        columns.append(TextColumn("others_told", 78 * 2, "others"))
    if has_naive:
        columns.append(TextColumn("naive_told", 78 * (len(columns) + 1), "naive"))
    if has_others:
        columns.append(TextColumn("R", 78 * len(columns) + 16, last, align="left"))
    return column_layers(columns, WIDTH)
