"""What do more copies give away? CAP by the number of copies pooled, as Taub et al. 2018 tell it.

One panel for each group of people: lines for the copies, with non-matches as 0 and as undefined,
beside the original and the baseline, which no copy moves.
"""

from collections.abc import Sequence

from unveil.records.cap import Cap, CapRow
from unveil.view.cap_words import SCENARIOS, method_phrase, share
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import INK, ORIGINAL, SYNTHETIC, Spec, separate_labels
from unveil.view.format import and_list

WIDTH, HEIGHT = 210, 200
_GAP = 14  # pixels between two names at the ends of lines
LINES = {
    "original": ("original", "cap_original", ORIGINAL, [1, 0]),
    "undefined": ("copies, of those matched", "cap_synthetic_undefined", SYNTHETIC, [5, 3]),
    "zero": ("copies, non-match as 0", "cap_synthetic_zero", SYNTHETIC, [1, 0]),
    "baseline": ("baseline", "cap_baseline", "#8a8a8a", [2, 2]),
}
SHAPES = {"original": "circle", "undefined": "diamond", "zero": "square", "baseline": "cross"}


def cap_lines_chart(record: Cap | Sequence[Cap], method: str | None = None) -> Chart:
    """CAP by m for every group of people, of one method and by the first set of keys.

    Several records are of the same target, each with other groups of people.
    """
    records = [record] if isinstance(record, Cap) else list(record)
    first = records[0]
    chosen = first.methods[0].name if method is None else method
    panels = [
        (scenario, one.rows_of(chosen, one.key_sets[0].keys, scenario))
        for one in records
        for scenario in one.scenarios
    ]
    return Chart(
        cap_lines_spec([(scenario, rows) for scenario, rows in panels if rows[0].n]),
        title=f"CAP of {and_list(first.targets)} by the number of copies{method_phrase(chosen)}",
        description=_described(panels),
    )


def cap_lines_spec(panels: Sequence[tuple[str, Sequence[CapRow]]]) -> Spec:
    """The panels in Vega-Lite; the names of the lines stand at the end of the last."""
    reach = _reach(panels)
    drawn = [
        _panel(scenario, rows, reach, is_first=not place, is_last=place == len(panels) - 1)
        for place, (scenario, rows) in enumerate(panels)
    ]
    return {"hconcat": drawn, "spacing": 24}


def _reach(panels: Sequence[tuple[str, Sequence[CapRow]]]) -> float:
    values = [
        getattr(row, field) or 0.0
        for _, rows in panels
        for row in rows
        for _, field, _, _ in LINES.values()
    ]
    most = max(values, default=1.0)
    return next(reach for reach in (0.1, 0.2, 0.5, 1.0) if reach >= most)


def _panel(
    scenario: str, rows: Sequence[CapRow], reach: float, *, is_first: bool, is_last: bool
) -> Spec:
    values = [
        {"m": row.m, "line": line, "value": getattr(row, field)}
        for line, (_, field, _, _) in LINES.items()
        for row in rows
    ]
    x = {"field": "m", "type": "ordinal", "title": "copies pooled", "axis": {"labelAngle": 0}}
    y: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": "share guessed rightly (CAP)" if is_first else None,
        "scale": {"domain": [0, reach]},
        "axis": {"tickCount": 5},
    }
    kinds = list(LINES)
    line: Spec = {"field": "line", "type": "nominal", "legend": None}
    colour = {**line, "scale": {"domain": kinds, "range": [LINES[one][2] for one in kinds]}}
    dash = {**line, "scale": {"domain": kinds, "range": [LINES[one][3] for one in kinds]}}
    shape = {**line, "scale": {"domain": kinds, "range": [SHAPES[one] for one in kinds]}}
    return {
        "title": {"text": SCENARIOS[scenario], "fontSize": 13, "fontWeight": "normal"},
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash},
            },
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
            },
            *([_names(rows[-1], reach)] if is_last else []),
        ],
    }


def _names(row: CapRow, reach: float) -> Spec:
    """The names of the lines at their ends, moved apart where they would meet."""
    ends = [
        (HEIGHT * (1 - value / reach), f"{label} {share(value)}")
        for label, field, _, _ in LINES.values()
        if (value := getattr(row, field)) is not None
    ]
    values = [{"at": at, "text": text} for at, text in separate_labels(ends, _GAP, HEIGHT)]
    place = {"field": "at", "type": "quantitative", "scale": None, "axis": None}
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "baseline": "middle", "color": INK},
        "encoding": {
            "x": {"value": WIDTH + 8},
            "y": place,
            "text": {"field": "text", "type": "nominal"},
        },
    }


def _described(panels: Sequence[tuple[str, Sequence[CapRow]]]) -> str:
    told = []
    for scenario, rows in panels:
        first, last = rows[0], rows[-1]
        if not first.n:
            told.append(f"{SCENARIOS[scenario]}: nobody")
            continue
        told.append(
            f"{SCENARIOS[scenario]}: baseline {share(first.cap_baseline)}, original"
            f" {share(first.cap_original)}; with one copy {share(first.cap_synthetic_zero)} (of"
            f" those matched {share(first.cap_synthetic_undefined)}), with {last.m}"
            f" {share(last.cap_synthetic_zero)} ({share(last.cap_synthetic_undefined)})"
        )
    return f"{'. '.join(told)}."
