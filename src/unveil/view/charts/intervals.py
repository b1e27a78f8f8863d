"""Estimates with their intervals: risks of simulated attacks, and published results replicated.

Attacks are drawn as in Figures 15 to 17 of Chapelle and Falissard (2023), but with R as it is: not
clipped at 0.
"""

from collections.abc import Iterator, Sequence

from unveil.records.attacks import CopyAttacks
from unveil.records.replication import FindingRow, Replication, Unit
from unveil.view.attack_rows import AttackDisplayRow, Reading, attack_rows
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    BAD,
    DASHED,
    INK,
    MOST_ROWS,
    ORIGINAL,
    SYNTHETIC,
    Row,
    Spec,
    at,
    draw,
    interval,
    legend,
    look,
    nothing,
    number,
    row_panel,
    rule,
    stroke,
    truncate_name,
    within_row,
)
from unveil.view.format import format_count, truncate

_TICKS = {"tickCount": 6, "labelOverlap": "greedy", "labelFlush": False}

# Risks of simulated attacks

READINGS: dict[Reading, tuple[str, str, str]] = {
    "above 0": ("interval above 0", BAD, "square"),
    "holds 0": ("interval includes 0", ORIGINAL, "circle"),
    "below 0": ("interval below 0", SYNTHETIC, "triangle-down"),
    "no control": ("rate of the attack", INK, "diamond"),
}
"""The words, the colour and the shape of each reading of an interval."""
_ATTACKS = "Excess success of simulated attacks"
_BASELINE = "grey stroke: baseline of uninformed guesses"


def attack_rates(copies: Sequence[CopyAttacks]) -> Chart:
    """R with its interval for every attack and secret; without a control the main rate."""
    panels = [(copy, rows) for copy in copies if (rows := _measured_rows(copy))]
    if not panels:
        return Chart(nothing(_NONE), title=_ATTACKS, description=_NONE)
    everything = [shown for _, rows in panels for shown in rows]
    n_cut = sum(max(len(rows) - MOST_ROWS, 0) for _, rows in panels)
    cut = f" {format_count(n_cut, 'row')} with lower risks not drawn." if n_cut else ""
    marks = _attack_marks(everything)
    drawn = [
        row_panel(
            [_attack_row(shown) for shown in rows[:MOST_ROWS]],
            marks,
            title=truncate(copy.file) if len(panels) > 1 else None,
        )
        for copy, rows in panels
    ]
    return Chart(
        {"vconcat": drawn, "spacing": 24},
        title=_ATTACKS,
        description=(
            "One row for every attack and secret: a mark for the risk with a line over its"
            f" interval, and a {_BASELINE.replace(':', ' for the')}. Groups are not drawn.{cut}"
        ),
    )


_NONE = "Nothing could be measured."


def _measured_rows(copy: CopyAttacks) -> list[AttackDisplayRow]:
    """Rows with a risk and an interval; attack by attack, the highest risk first."""
    rows = [shown for shown in attack_rows(copy.attacks) if shown.row.group is None]
    return [s for s in rows if s.row.risk is not None and s.interval is not None]


def _attack_marks(rows: Sequence[AttackDisplayRow]) -> list[Spec]:
    """Marks that mean the same in every panel, on an axis with room for all of them and 0."""
    ends = [end for shown in rows for end in (*(shown.interval or ()), shown.row.naive or 0)]
    with_control = any(shown.row.R is not None for shown in rows)
    name = "R (0: no more than in the control sample)" if with_control else "share that succeeds"
    scale = {"domain": [min(0.0, *ends), max(0.1, *ends)], "nice": True}
    x = number("value", [name, _BASELINE], scale=scale, axis=_TICKS)
    there = {shown.reading for shown in rows}
    looks = [one for reading, one in READINGS.items() if reading in there]
    top = legend(labelLimit=300, columnPadding=40)
    colour = look("reading", {words: colour for words, colour, _ in looks}, top)
    shape = look("reading", {words: shape for words, _, shape in looks}, top)
    line = {"x": at(x, "low"), "x2": {"field": "high"}, "y": within_row(), "color": colour}
    mark = {"x": x, "y": within_row(), "color": colour, "shape": shape}
    return [
        rule([{"value": 0}], INK, DASHED, x=x),
        stroke(x, "naive"),
        draw("rule", None, line, strokeWidth=2),
        draw("point", None, mark, filled=True, size=80, opacity=1),
    ]


def _attack_row(shown: AttackDisplayRow) -> Row:
    low, high = shown.interval or (None, None)
    return {
        "name": shown.label,
        "value": shown.row.risk,
        "low": low,
        "high": high,
        "naive": shown.row.naive,
        "reading": READINGS[shown.reading][0],
    }


# Published results on the original and on the synthetic data

MOST_PANELS = 12
AXES: dict[Unit, str] = {
    "percent": "percent",
    "value": "mean",
    "coefficient": "coefficient, in standard errors from the original's estimate",
}
_RESULTS = "Published results on the original and on the synthetic data"
_NO_RESULT = "No figure could be computed."


def overlap(record: Replication) -> Chart:
    """Estimates with their intervals, original and synthetic, one panel for each result."""
    panels = list(_panels(record))
    if not panels:
        return Chart(nothing(_NO_RESULT), title=_RESULTS, description=_NO_RESULT)
    n_cut = sum(max(len(rows) - MOST_ROWS, 0) for _, rows in panels[:MOST_PANELS])
    n_cut += sum(len(rows) for _, rows in panels[MOST_PANELS:])
    cut = f" {n_cut:,} more figures are not drawn." if n_cut else ""
    drawn = [_panel(title, rows[:MOST_ROWS]) for title, rows in panels[:MOST_PANELS]]
    key = "ring: original, square: synthetic data"
    return Chart(
        {"title": {"text": _RESULTS, "subtitle": key}, "vconcat": drawn, "spacing": 24},
        title=_RESULTS,
        description=(
            "For every figure two marks with lines over their confidence intervals: a grey ring"
            f" for the original, a blue square for the synthetic data.{cut}"
        ),
    )


def _panels(record: Replication) -> Iterator[tuple[str, list[tuple[str, FindingRow]]]]:
    """Prevalences share a panel, for they share a scale; all else has its own."""
    kinds = {finding.name: finding.kind for finding in record.findings}
    shares = [row for row in record.headline_rows if kinds[row.finding] == "prevalence"]
    if shares:
        yield "Prevalences", [(record.name_of(row, row.finding), row) for row in shares]
    for finding in record.findings:
        rows = [row for row in record.headline_rows if row.finding == finding.name]
        if finding.kind != "prevalence" and rows:
            yield truncate(finding.name), [(record.name_of(row, row.term), row) for row in rows]


def _panel(title: str, rows: Sequence[tuple[str, FindingRow]]) -> Spec:
    x = number("original", AXES[rows[0][1].unit], scale={"zero": False}, axis=_TICKS)
    sides = (("original", 0.3, ORIGINAL), ("synthetic", 0.7, SYNTHETIC))
    marks = [
        one for field, band, colour in sides for one in interval(x, field, within_row(band), colour)
    ]
    return row_panel([_result_row(name, row) for name, row in rows], marks, title=title)


def _result_row(name: str, row: FindingRow) -> Row:
    """The marks of both sides and the ends of their intervals."""
    made: Row = {"name": truncate_name(name)}
    for side in ("original", "synthetic"):
        value = _position(getattr(row, side), row)
        ends = {f"{side}_{end}": getattr(row, f"{side}_{end}") for end in ("low", "high")}
        made[side] = value
        made |= {
            field: value if end is None else _position(end, row) for field, end in ends.items()
        }
    return made


def _position(value: float | None, row: FindingRow) -> float | None:
    """Where a figure stands: coefficients, which share no unit, by the original's errors."""
    if row.unit != "coefficient" or value is None:
        return value
    if row.original is None or not row.original_se:
        return None
    return (value - row.original) / row.original_se
