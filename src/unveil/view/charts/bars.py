"""Bars: who is unique, the steps to disclosure, TCAP, match risk, SUDA, utility, rounds, GTCAP.

A grey bar is of the original, a blue one of the synthetic data; a hollow one is of other records
than the rest. The figure of each stands in words at the right.
"""

from collections.abc import Sequence

from unveil.records.base import Copy
from unveil.records.cap import Gtcap, GtcapBin, Tcap
from unveil.records.comparison import Comparison
from unveil.records.disclosure import Disclosure
from unveil.records.protection import Refill
from unveil.records.uniques import MatchRisk, Suda
from unveil.records.utility import Utility
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    DASHED,
    DOTTED,
    INK,
    ORIGINAL,
    PEOPLE,
    ROW,
    SIDES,
    SYNTHETIC,
    Align,
    Row,
    Spec,
    TextColumn,
    at,
    bar,
    describe_rows,
    look,
    number,
    panel,
    percent_axis,
    pixel,
    pixels,
    row_panel,
    rule,
    stroke,
    truncate_name,
    write,
)
from unveil.view.format import (
    and_list,
    format_count,
    n_of,
    people,
    percent,
    percent_or_dash,
    ratio,
    truncate,
)
from unveil.view.gtcap import ends
from unveil.view.match_risk import MATCHED
from unveil.view.tcap import tcap_figures
from unveil.view.uniques import contributions_in_order
from unveil.view.utility import GOOD, POOR, figure

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
_FILLS = {**SIDES, "synthetic records": "white"}
_STROKES = {**SIDES, "synthetic records": SYNTHETIC}
_HOLLOW: Spec = {"fill": "white", "stroke": SYNTHETIC, "strokeWidth": 1.5}


def figure_row(name: str, value: float | None, told: str) -> Row:
    """One bar: its name, its length, and its figure in words."""
    return {"name": name, "value": value, "told": told}


def bars_panel(
    rows: Sequence[Row],
    x: Spec,
    colour: str = SYNTHETIC,
    more: Sequence[Spec] = (),
    title: str | None = None,
) -> Spec:
    """A bar for each row with its figure at the right, and marks over them."""
    bars = bar(at(x, "value"), ROW, color=colour)
    return row_panel(rows, [bars, *more], [TextColumn("told", align="left")], title=title)


def _percent_bars(rows: Sequence[Row], axis: str, colour: str, title: str) -> Chart:
    x = percent_axis(axis, (row["value"] for row in rows))
    return Chart(bars_panel(rows, x, colour), title=title, description=describe_rows(rows))


# Disclosure, step by step


def identity_chart(record: Disclosure, copy: Copy | None = None) -> Chart:
    """UiO, UiOiS and repU of the people of the original, and UiS of the synthetic records."""
    rows = identity_rows(record, record.headline_copy if copy is None else copy)
    x = percent_axis("percent", (row["value"] for row in rows))
    looks = {"fill": look("side", _FILLS), "stroke": look("side", _STROKES)}
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


# A few figures of one record


TCAPS = {
    "where a synthetic record is certain (Taub)": 0,
    "matched, and determined correctly (Raab)": 2,
    "unique on their keys (Chapelle)": 3,
    "correct where determined (Little)": 4,
}
"""The measures called TCAP, and where each stands under TCAP_HEADS."""


def tcap_chart(record: Tcap) -> Chart:
    """The four measures called TCAP, all copies pooled, each with its baseline as a stroke."""
    target = record.target if isinstance(record.target, str) else and_list(record.target)
    figures, baselines = tcap_figures(record.rows[-1])
    rows = []
    for name, place in TCAPS.items():
        value, base = _percent(figures[place]), _percent(baselines[place])
        told = f"{percent_or_dash(value)}, at random {percent_or_dash(base)}"
        rows.append({**figure_row(name, value, told), "baseline": base})
    ends = [row[field] for row in rows for field in ("value", "baseline")]
    x = percent_axis("percent, each of its own people", ends)
    return Chart(
        bars_panel(rows, x, more=[stroke(x, "baseline")]),
        title=f"The four TCAP measures of {target}, and at random",
        description=describe_rows(rows),
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def match_chart(record: MatchRisk) -> Chart:
    """How many people few others match, and how many have a high individual risk."""
    shares = [(MATCHED[one.k].removeprefix("are "), one.n, one.share) for one in record.anonymity]
    shares += [(f"match risk above {100 * r.above:g} %", r.n, r.share) for r in record.risks]
    rows = [
        figure_row(name, 100 * share, f"{percent(100 * share)}: {people(n)}")
        for name, n, share in shares
    ]
    return _percent_bars(rows, PEOPLE, ORIGINAL, f"Match risk by {and_list(record.keys)}")


def uniques_chart(record: Suda) -> Chart:
    """People by the fewest keys that make them unique, above the contribution of each key."""
    sizes, keys = size_rows(record), key_rows(record)
    panels = [
        bars_panel(rows, percent_axis(axis, (row["value"] for row in rows)), ORIGINAL, title=title)
        for rows, axis, title in (
            (sizes, PEOPLE, "Keys needed to be unique"),
            (keys, "percent of the sum of scores", "Contribution of each key"),
        )
    ]
    return Chart(
        {"vconcat": panels, "spacing": 26},
        title=f"Uniqueness on {and_list(record.keys)} (SUDA)",
        description=describe_rows((*sizes, *keys)),
    )


def size_rows(record: Suda) -> list[Row]:
    """People, each at the smallest set of keys that makes them unique."""
    shares = [(row, 100 * row.n_records / record.n_records) for row in record.sizes]
    return [
        figure_row(
            format_count(row.size, "key"), share, f"{percent(share)}: {people(row.n_records)}"
        )
        for row, share in shares
    ]


def key_rows(record: Suda) -> list[Row]:
    """The contribution of each key, the greatest first."""
    return [
        figure_row(truncate_name(row.key), row.percent, percent_or_dash(row.percent))
        for row in contributions_in_order(record)
    ]


def utility_chart(record: Utility) -> Chart:
    """S_pMSE of every copy; pMSE where one cannot be standardised."""
    is_standard = all(row.S_pMSE is not None for row in record.rows)
    values = [(row.S_pMSE if is_standard else row.pMSE) or 0.0 for row in record.rows]
    rows = [
        figure_row(f"copy {row.copy}", value, figure(value) if is_standard else f"{value:.6f}")
        for row, value in zip(record.rows, values, strict=True)
    ]
    measure = "S_pMSE" if is_standard else "pMSE"
    reach = max([*values, POOR * 1.2 if is_standard else 0.0])
    x = number("value", measure, scale={"domain": [0, reach or 1]})
    return Chart(
        bars_panel(rows, x, more=_thumb(x) if is_standard else ()),
        title="How well a model tells each copy from the original",
        description=f"{measure}. {describe_rows(rows)}",
    )


def _thumb(x: Spec) -> list[Spec]:
    """What chance gives, and the limits of the rule of thumb."""
    lines = [{"value": value, "text": f"{value:g}"} for value in (1.0, GOOD, POOR)]
    return [
        rule(lines, INK, DOTTED, x=x),
        write("text", x, pixel(-9), "center", rows=lines),
    ]


def distances(record: Comparison, *, most: int | None = None) -> Chart:
    """Total variation of every column, or of so many, the most different first."""
    found = [row for row in record.rows if row.copy == record.headline_copy]
    shares = [(row.column, row.total_variation) for row in found if row.total_variation is not None]
    rows = [
        figure_row(truncate_name(column), 100 * share, percent(100 * share))
        for column, share in sorted(shares, key=lambda one: -one[1])[:most]
    ]
    axis = "percent of records that would have to change"
    chart = _percent_bars(rows, axis, SYNTHETIC, "Total variation distance by column")
    return chart if rows else Chart(chart.spec, chart.title, "No column could be compared.")


def refill_rounds(record: Refill) -> Chart:
    """A bar for each round: filled what was retained, hollow what stood too close."""
    rows = [
        {
            "name": f"round {one.round}",
            "retained": one.kept,
            "generated": one.drawn,
            "told": f"{one.kept:,} retained, {one.drawn - one.kept:,} removed",
        }
        for one in record.rounds
    ]
    axis = {"tickCount": 5, "format": ",d", "tickMinStep": 1}
    x = number("retained", "generated records (filled: retained, hollow: removed)", axis=axis)
    removed = bar(x, ROW, **_HOLLOW)
    removed["encoding"]["x2"] = {"field": "generated"}
    marks = [bar(x, ROW, color=SYNTHETIC), removed]
    return Chart(
        row_panel(rows, marks, [TextColumn("told", align="left")]),
        title="Records retained and removed by the distance filter, by round",
        description=f"{format_count(len(rows), 'round')}. {describe_rows(rows)}",
    )


# The histogram of GTCAP

_WIDE, _HIGH = 480, 150


def gtcap_chart(record: Gtcap) -> Chart:
    """The normalised scores of the statistical uniques, with their mean.

    Of the record's bins the two that have no end are drawn as wide as their neighbours.
    """
    bins = record.histogram
    rows: list[Row] = [{"name": ends(one), "n": one.n, "told": f"{one.n:,}"} for one in bins]
    mean = "no mean" if record.mean is None else f"mean {ratio(record.mean)}"
    x: Spec = {
        "field": "name",
        "type": "nominal",
        "sort": [row["name"] for row in rows],
        "title": "0 = baseline, 1 = original",
        "axis": {"labelAngle": -45},
        "scale": {"paddingInner": 0.08, "paddingOuter": 0.04},
    }
    most = max((row["n"] for row in rows), default=0)
    axis = {"tickCount": 4, "tickMinStep": 1, "format": ",d"}
    y = number("n", "statistical uniques", scale={"domain": [0, max(1, most)]}, axis=axis)
    some = [row for row in rows if row["n"]]
    layers = [
        bar(x, y, rows, color=SYNTHETIC),
        *_mean(record.mean, bins),
        # Twice: a white edge below keeps the figure legible where the line of the mean crosses it.
        write("told", x, y, "center", rows=some, dy=-7, fontSize=11, stroke="white", strokeWidth=4),
        write("told", x, y, "center", rows=some, dy=-7, fontSize=11),
    ]
    return Chart(
        panel(layers, _WIDE, _HIGH),
        title=f"GTCAP of {and_list(record.target)} from {and_list(record.keys)}",
        description=f"{format_count(record.n_unique, 'statistical unique')}, {mean}."
        f" {describe_rows(some)}",
    )


def _mean(mean: float | None, bins: Sequence[GtcapBin]) -> list[Spec]:
    """An upright line at the mean, with its name above the bars."""
    if mean is None:
        return []
    middle = _WIDE * place_of(mean, bins) / len(bins)
    rows = [{"at": middle, "text": f"mean {ratio(mean)}"}]
    align: Align = "left" if middle < _WIDE - 80 else "right"
    shift = 5 if align == "left" else -5
    return [
        rule(rows, INK, DASHED, x=pixels("at"), y=pixel(-24), y2=pixel(_HIGH)),
        write("text", pixels("at"), pixel(-20), align, rows=rows, dx=shift, fontWeight="bold"),
    ]


def place_of(value: float, bins: Sequence[GtcapBin]) -> float:
    """Where a score stands among the bars, each one wide; in the middle of one without an end."""
    for place, row in enumerate(bins):
        if row.high is not None and value >= row.high:
            continue
        if row.low is None or row.high is None:
            return place + 0.5
        return place + (value - row.low) / (row.high - row.low)
    return float(len(bins))
