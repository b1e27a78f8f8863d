"""Disclosure: targets beside the original, uniqueness, sets of keys, steps and exclusions.

A blue square is for the synthetic data, a grey ring for the original; a hollow bar is of other
records than the rest. Figures, status and checks stand at the right, where no line crosses them.
"""

import textwrap
from collections.abc import Sequence
from typing import Any, Literal

from unveil.records.base import Copy
from unveil.records.disclosure import (
    AttributeRow,
    Disclosure,
    ExclusionTable,
    KeySetFigure,
)
from unveil.records.judgement import LimitCheck
from unveil.records.key_sets import KeySets
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import bars_panel, figure_row
from unveil.view.charts.marks import (
    BASELINE,
    INK,
    ORIGINAL,
    PEOPLE,
    RAIL,
    ROW,
    SIDES,
    STATUS_COLOURS,
    SYNTHETIC,
    Row,
    Spec,
    TextColumn,
    at,
    bar,
    describe_rows,
    dot,
    draw,
    limit_lines,
    look,
    number,
    percent_axis,
    pixel,
    ring,
    row_panel,
    span,
    square,
    stroke,
    truncate_name,
    within_row,
    words,
    write,
)
from unveil.view.flags import cells_of, visible_flags
from unveil.view.format import (
    and_list,
    n_of,
    percent,
    percent_or_dash,
    rounded_percent,
    truncate,
)
from unveil.view.key_sets import figure_label, format_adds
from unveil.view.status import GLYPHS, WORDS, worst

# Targets beside the original, and limits

Measure = Literal["DiSCO", "DCAP"]

COMPANIONS: dict[Measure, str] = {"DiSCO": "Dorig", "DCAP": "CAPd"}
TITLES: dict[Measure, str] = {"DiSCO": "Disclosed correctly", "DCAP": "Guessed correctly"}
_CHECKS = {"one_way": "1-way", "two_way": "2-way"}


def limits_of(judged: Sequence[LimitCheck]) -> tuple[float, float] | None:
    """Review and limit; None where none is set."""
    for one in judged:
        if one.review is not None and one.limit is not None:
            return one.review, one.limit
    return None


def lollipop_chart(
    record: Disclosure,
    *,
    measure: Measure = "DiSCO",
    judged: Sequence[LimitCheck] = (),
    targets: Sequence[str] | None = None,
) -> Chart:
    """Every target from the synthetic data to the original, the riskiest first.

    `judged` are the figures of this scenario held against limits; without them no limit is drawn.
    """
    own = [one for one in judged if one.measure == measure]
    rows = lollipop_rows(record, measure, own, targets)
    several = len(record.n_synthetic) > 1
    limits = limits_of(own)
    fields = ("synthetic", "original", "highest", "pooled", "baseline")
    x = percent_axis(PEOPLE, [*(row[field] for row in rows for field in fields), *(limits or ())])
    marks = [*limit_lines(limits, x), span(x, "synthetic", "original")]
    if several:
        pooled = dot(at(x, "pooled"), within_row(), "diamond", SYNTHETIC, hollow=True)
        lowest = span(x, "lowest", "highest", None, SYNTHETIC, strokeWidth=7, opacity=0.35)
        marks += [lowest, pooled]
    if measure == "DCAP":
        marks.append(stroke(x, "baseline"))
    marks += [ring(x, "original"), square(x, "synthetic")]
    columns = _lollipop_columns(measure, several=several, with_status=bool(own))
    if any(row["checks"] for row in rows):
        columns.append(TextColumn("checks", "flags", "left"))
    told = "; ".join(
        f"{row['name']}: {row['synthetic_told']} with the synthetic data, {row['original_told']}"
        f" with the original, {row['status']}{', ' + row['checks'] if row['checks'] else ''}"
        for row in rows
    )
    return Chart(
        row_panel(rows, marks, columns),
        title=f"{TITLES[measure]} from {and_list(record.keys)}",
        description=f"{measure} beside {COMPANIONS[measure]}. {told}." if told else "No target.",
    )


def lollipop_rows(
    record: Disclosure,
    measure: Measure,
    judged: Sequence[LimitCheck],
    targets: Sequence[str] | None = None,
) -> list[Row]:
    """What is drawn of each target, the highest figure first."""
    chosen = record.targets if targets is None else targets
    rows = [record.attribute_of(target, record.headline_copy) for target in chosen]
    rows.sort(key=lambda row: -_or_least(getattr(row, measure)))
    flagged = {(flag.target, flag.kind) for flag in visible_flags(record)}
    return [_lollipop_row(record, row, measure, judged, flagged) for row in rows]


def _lollipop_row(
    record: Disclosure,
    row: AttributeRow,
    measure: Measure,
    judged: Sequence[LimitCheck],
    flagged: set[tuple[str, Any]],
) -> Row:
    spread = [one for one in record.spread if (one.target, one.measure) == (row.target, measure)]
    has_pool = len(record.n_synthetic) > 1
    status = worst(one.status for one in judged if one.target == row.target)
    figures = {
        "synthetic": getattr(row, measure),
        "original": getattr(row, COMPANIONS[measure]),
        "baseline": row.baseCAPd if measure == "DCAP" else None,
        "pooled": getattr(record.attribute_of(row.target, "pooled"), measure) if has_pool else None,
    }
    return {
        "name": truncate_name(row.target),
        **figures,
        **{f"{field}_told": percent_or_dash(value) for field, value in figures.items()},
        "lowest": spread[0].lowest if spread else None,
        "highest": spread[0].highest if spread else None,
        "glyph": GLYPHS[status],
        "status": WORDS[status],
        "colour": STATUS_COLOURS[status],
        "checks": ", ".join(
            word for kind, word in _CHECKS.items() if (row.target, kind) in flagged
        ),
    }


def _lollipop_columns(measure: Measure, *, several: bool, with_status: bool) -> list[TextColumn]:
    copy = "mean of copies" if several else "synthetic"
    columns = [TextColumn("synthetic_told", f"{copy}\n{measure}", colour=SYNTHETIC)]
    if several:
        columns.append(TextColumn("pooled_told", f"pooled\n{measure}", colour=SYNTHETIC))
    columns.append(TextColumn("original_told", f"original\n{COMPANIONS[measure]}"))
    if measure == "DCAP":
        columns.append(TextColumn("baseline_told", "baseline\nbaseCAPd"))
    if with_status:
        columns.append(TextColumn("glyph", align="left", coloured="colour"))
        columns.append(TextColumn("status", "status", "left"))
    return columns


def _or_least(value: float | None) -> float:
    return -1.0 if value is None else value


# Every set of the keys


def key_sets_chart(record: KeySets, target: str | None = None) -> Chart:
    """The worst set of each size and without each key, beside what is expected; all sets as ticks.

    Of the target with the highest figure where none is named; of repU where there is no target.
    """
    copy: Copy = 1 if len(record.n_synthetic) == 1 else "pooled"
    figures = [
        one
        for one in record.figures
        if (one.copy, one.target) == (copy, target) and one.kind != "all_keys"
    ]
    measure = "repU" if target is None else "DiSCO"
    of = "" if target is None else f" of {truncate(target)}"
    rows: list[Row] = [_key_set_row(one, record) for one in figures]
    ticks = [
        {"place": place, "tick": getattr(row, measure)}
        for place, one in enumerate(figures)
        if one.kind == "size"
        for row in record.rows
        if (row.copy, row.target) == (copy, target or row.target) and len(row.keys) == len(one.keys)
    ]
    about = (measure, target)
    limit = next((one.limit for one in record.verdicts if (one.measure, one.target) == about), None)
    limits = None if limit is None else (limit, limit)
    x = percent_axis(PEOPLE, [*(row["highest"] for row in rows), limit])
    every = draw("tick", ticks, {"x": at(x, "tick"), "y": ROW}, color=RAIL, thickness=1, size=12)
    marks = [*limit_lines(limits, x), every, stroke(x, "expected"), square(x, "correct")]
    columns = [
        TextColumn("told", measure, colour=SYNTHETIC),
        TextColumn("expected_told", "expected"),
        TextColumn("adds", "adds"),
        TextColumn("keys", "keys", "left"),
    ]
    told = "; ".join(
        f"{row['name']}: {row['told']}, expected {row['expected_told']}, adds {row['adds']}"
        for row in rows
    )
    return Chart(
        row_panel(rows, marks, columns),
        title=f"{measure}{of} on every set of the keys",
        description=f"The worst set of keys in each row, of {record.n_sets:,}. {told}.",
    )


def _key_set_row(one: KeySetFigure, record: KeySets) -> Row:
    is_all = one.kind == "size" and len(one.keys) == len(record.keys)
    correct, expected = one.percent("correct"), one.percent("expected")
    return {
        "name": f"all {figure_label(one)}" if is_all else figure_label(one),
        "correct": correct,
        "expected": expected,
        "highest": max(correct, expected),
        "told": percent_or_dash(correct),
        "expected_told": percent_or_dash(expected),
        "adds": format_adds(one),
        "keys": and_list(one.keys) if one.keys else "none left",
    }


# Who is unique, and one target step by step

IDENTITY = {
    "UiO": "unique in the original (UiO)",
    "UiOiS": "… and matched (UiOiS)",
    "repU": "… and unique there too (repU)",
    "UiS": "unique in the synthetic data (UiS)",
}
STEPS = {
    "iS": "matched in the synthetic data (iS)",
    "DiS": "… to a single value (DiS)",
    "DiSCO": "… which is correct (DiSCO)",
    "DiSDiO": "… and determined by the original (DiSDiO)",
}
_SIDE_FILLS = {**SIDES, "synthetic records": "white"}
_SIDE_STROKES = {**SIDES, "synthetic records": SYNTHETIC}


def identity_chart(record: Disclosure, copy: Copy | None = None) -> Chart:
    """UiO, UiOiS and repU of the people of the original, and UiS of the synthetic records."""
    rows = identity_rows(record, record.headline_copy if copy is None else copy)
    x = percent_axis("percent", (row["value"] for row in rows))
    looks = {"fill": look("side", _SIDE_FILLS), "stroke": look("side", _SIDE_STROKES)}
    bars = bar(at(x, "value"), ROW, looks=looks, strokeWidth=1.5)
    return Chart(
        row_panel(rows, [bars], [TextColumn("told", align="left")]),
        title=f"Uniqueness on {and_list(record.keys)}",
        description=describe_rows(rows),
    )


def identity_rows(record: Disclosure, copy: Copy) -> list[Row]:
    """The four bars; the last is of other records than the three above it, and hollow."""
    row = record.identity_of(copy)
    sides = {"UiO": "original", "UiS": "synthetic records"}
    return [
        {
            **figure_row(
                label,
                value := getattr(row, symbol),
                (_format_records if symbol == "UiS" else _format_people)(record, copy, value),
            ),
            "side": sides.get(symbol, "synthetic"),
        }
        for symbol, label in IDENTITY.items()
    ]


def _format_people(record: Disclosure, copy: Copy, value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{percent(value)}: {n_of(value, record.n_original)} of {record.n_original:,} people"


def _format_records(record: Disclosure, copy: Copy, value: float | None) -> str:
    if value is None:
        return "not measured"
    total = records_of(record, copy)
    if total is None:
        return f"{percent(value)} of synthetic records"
    return f"{percent(value)}: {n_of(value, total)} of {total:,} records"


def records_of(record: Disclosure, copy: Copy) -> int | None:
    """How many records a copy has, or all pooled; None for a mean over copies that differ."""
    if isinstance(copy, int):
        return record.n_synthetic[copy - 1]
    if copy == "pooled":
        return sum(record.n_synthetic)
    return record.n_synthetic[0] if len(set(record.n_synthetic)) == 1 else None


def steps_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """The steps iS, DiS, DiSCO and DiSDiO of one target, all of the people of the original."""
    rows = step_rows(record, target, record.headline_copy if copy is None else copy)
    return Chart(
        bars_panel(rows, percent_axis(PEOPLE)),
        title=f"{truncate(target)}: from match to disclosure",
        description=describe_rows(rows),
    )


def step_rows(record: Disclosure, target: str, copy: Copy) -> list[Row]:
    """The four steps."""
    row = record.attribute_of(target, copy)
    return [
        figure_row(label, value := getattr(row, symbol), _format_people(record, copy, value))
        for symbol, label in STEPS.items()
    ]


# One target: steps, and rungs from baseline to original

RUNGS = (
    ("correct", "synthetic", "disclosed correctly, synthetic (DiSCO)", "DiSCO"),
    ("correct", "original", "disclosed correctly, original (Dorig)", "Dorig"),
    ("guessed", "baseline", "guessed, baseline (baseCAPd)", "baseCAPd"),
    ("guessed", "synthetic", "guessed, synthetic (DCAP)", "DCAP"),
    ("guessed", "original", "guessed, original (CAPd)", "CAPd"),
)
_SHAPES = {"baseline": "triangle-up", "synthetic": "square", "original": "circle"}
_FILLS = {"baseline": BASELINE, "synthetic": SYNTHETIC, "original": "white"}
_STROKES = {"baseline": INK, "synthetic": SYNTHETIC, "original": ORIGINAL}


def ladder_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """DiSCO below Dorig, and DCAP between its baseline and CAPd.

    Guessing has three rungs, correct disclosure two: the marginal distribution determines
    nothing, and the baseline of a guess can be higher than DiSCO.
    """
    rows = rung_rows(record, target, record.headline_copy if copy is None else copy)
    x = percent_axis(PEOPLE)
    rails = draw("rule", None, {"x": {"datum": 0}, "x2": {"datum": 100}, "y": within_row()})
    rails["mark"] |= {"color": "#e6e6e6", "strokeWidth": 1}
    return Chart(
        row_panel(rows, [rails, *_rungs(x)], [TextColumn("told", align="left")]),
        title=f"{truncate(target)}: from baseline to original",
        description=describe_rows(rows),
    )


def rung_rows(record: Disclosure, target: str, copy: Copy) -> list[Row]:
    """The rungs of both ladders."""
    row = record.attribute_of(target, copy)
    return [
        {
            "name": label,
            "ladder": ladder,
            "of": of,
            "rung": (value := getattr(row, symbol)),
            "told": percent_or_dash(value),
        }
        for ladder, of, label, symbol in RUNGS
    ]


def _rungs(x: Spec) -> list[Spec]:
    """The rungs, told apart by shape and fill, and a line along those of one ladder."""
    place = {"x": at(x, "rung"), "y": within_row()}
    along = {"detail": words("ladder"), "order": number("place")}
    looks = {
        "shape": look("of", _SHAPES),
        "fill": look("of", _FILLS),
        "stroke": look("of", _STROKES),
    }
    return [
        draw("line", None, {**place, **along}, color=RAIL, strokeWidth=1.5),
        draw("point", None, {**place, **looks}, size=90, opacity=1, strokeWidth=2),
    ]


def target_chart(record: Disclosure, target: str, copy: Copy | None = None) -> Chart:
    """iS, DiS, DiSCO and DiSDiO as bars, then DiSCO, DCAP and what they are held against."""
    chosen = record.headline_copy if copy is None else copy
    steps, rungs = step_rows(record, target, chosen), rung_rows(record, target, chosen)
    empty = {"name": "", "told": "", "of": "none", "ladder": ""}
    rows: list[Row] = [
        {**empty, "head": "In the synthetic data"},
        *({**empty, "head": "", **row} for row in steps),
        {**empty, "head": "Beside the original and the baseline"},
        *({**empty, "head": "", **row} for row in rungs),
    ]
    x = percent_axis(PEOPLE)
    heads = write("head", pixel(-12), within_row(), "right", fontWeight="bold")
    marks = [bar(at(x, "value"), ROW, color=SYNTHETIC), *_rungs(x), heads]
    return Chart(
        row_panel(rows, marks, [TextColumn("told", align="left")]),
        title=f"{truncate(target)}: from match to disclosure",
        description=describe_rows([*steps, *rungs]),
    )


# Exclusions: Raab's Table 2 as a row of small pictures

_SMALL, _LONGEST = 64, 13


def exclusion_grid_chart(record: ExclusionTable, targets: Sequence[str] | None = None) -> Chart:
    """Synthetic beside original for every target, under one set of exclusions after another."""
    shown = tuple(record.targets if targets is None else targets)
    found = {(cell.target, cell.column): cell for one in shown for cell in cells_of(record, one)}
    values = (value for cell in found.values() for value in (cell.synthetic, cell.original))
    x = percent_axis(None, values, labelFlush=True, labelFontSize=11, labelExpr="datum.label")
    reach = x["scale"]["domain"][1]
    x["axis"]["values"] = [0, reach / 2, reach]
    panels = []
    for place, column in enumerate(record.columns):
        rows = [
            {
                "name": truncate_name(target),
                "synthetic": (cell := found[target, column.column]).synthetic,
                "original": cell.original,
                "told": rounded_percent(cell.synthetic),
            }
            for target in shown
        ]
        axis = {**x, "title": None if place else "percent"}
        marks = [
            span(axis, "synthetic", "original"),
            ring(axis, "original", size=50),
            square(axis, "synthetic", size=50),
        ]
        panels.append(
            row_panel(
                rows,
                marks,
                [TextColumn("told")],
                names=None if place else "name",
                width=_SMALL,
                title=textwrap.wrap(truncate(column.title), _LONGEST) or [""],
            )
        )
    titles = {column.column: truncate(column.title) for column in record.columns}
    told = [
        f"{truncate(target)}: "
        + ", ".join(
            f"{titles[cell.column]} {rounded_percent(cell.synthetic)}"
            for cell in cells_of(record, target)
        )
        for target in shown
    ]
    return Chart(
        {"hconcat": panels, "spacing": 14},
        title=f"{record.measure} with exclusions",
        description=f"{record.measure} in percent. {'; '.join(told)}." if told else "No target.",
    )
