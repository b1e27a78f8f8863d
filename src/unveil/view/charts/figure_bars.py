"""A bar for each of a few figures: the three TCAPs, match risk, copies told apart by a model."""

from collections.abc import Sequence

from unveil.records.cap import Tcap
from unveil.records.uniques import MatchRisk
from unveil.records.utility import Utility
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.charts.text_rows import (
    Row,
    TextColumn,
    chart_of,
    column_layers,
    names_layer,
    places,
    reach_of,
    x_percent,
    y_place,
)
from unveil.view.format import and_list, people, percent, percent_or_dash
from unveil.view.match_risk import MATCHED
from unveil.view.utility import GOOD, POOR, figure

WIDTH, STEP = 320, 30
_NAMES = 270


def tcap_chart(record: Tcap) -> Chart:
    """The three measures called TCAP beside each other, all copies pooled."""
    target = record.target if isinstance(record.target, str) else and_list(record.target)
    uniques = record.tcap_uniques
    shares = {
        "found in the copy, and settled rightly (Raab)": record.tcap_raab,
        "where a record of the copy is sure (Taub)": _percent(record.tcap),
        "alone with their keys (Chapelle)": _percent(uniques),
    }
    rows = [_row(called, value, percent_or_dash(value)) for called, value in shares.items()]
    return _chart(rows, f"The three TCAPs of {target}", "percent, each of people of its own")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def match_chart(record: MatchRisk) -> Chart:
    """How many people few others match, and how many have a high individual risk."""
    rows = [
        _row(MATCHED[one.k].removeprefix("are "), 100 * one.share, _people(one.n, one.share))
        for one in record.anonymity
    ]
    rows += [
        _row(f"match risk above {100 * one.above:g} %", 100 * one.share, _people(one.n, one.share))
        for one in record.risks
    ]
    title = f"Who could be matched by {and_list(record.keys)}"
    return _chart(rows, title, "percent of the people in your data", colour=ORIGINAL)


def _people(n: int, share: float) -> str:
    return f"{percent(100 * share)}: {people(n)}"


def utility_chart(record: Utility) -> Chart:
    """S_pMSE of every copy; pMSE where one cannot be standardised."""
    is_standard = all(row.S_pMSE is not None for row in record.rows)
    values = [(row.S_pMSE if is_standard else row.pMSE) or 0.0 for row in record.rows]
    rows = [
        _row(f"copy {row.copy}", value, figure(value) if is_standard else f"{value:.6f}")
        for row, value in zip(record.rows, values, strict=True)
    ]
    measure = "S_pMSE" if is_standard else "pMSE"
    reach = max([*values, POOR * 1.2 if is_standard else 0.0])
    x: Spec = {"type": "quantitative", "title": measure, "scale": {"domain": [0, reach or 1]}}
    return chart_of(
        _bars(rows, x, SYNTHETIC, _marks(x) if is_standard else []),
        title="How well a model tells each copy from the original",
        description=f"{measure}. {_sentence(rows)}",
    )


def _marks(x: Spec) -> list[Spec]:
    """What chance gives, and the limits of the rule of thumb."""
    lines = [{"value": one, "text": text} for one, text in _THUMB]
    rule = {"type": "rule", "strokeDash": [2, 3], "color": INK}
    text = {"type": "text", "baseline": "bottom", "dy": -4, "y": 0, "color": INK}
    place = {"x": {**x, "field": "value"}}
    named = {**place, "text": {"field": "text", "type": "nominal"}}
    return [
        {"data": {"values": lines}, "mark": rule, "encoding": place},
        {"data": {"values": lines}, "mark": text, "encoding": named},
    ]


_THUMB = ((1.0, "1"), (GOOD, f"{GOOD:g}"), (POOR, f"{POOR:g}"))


def _row(called: str, value: float | None, told: str) -> Row:
    return {"name": called, "value": value, "told": told}


def _chart(rows: Sequence[Row], title: str, axis: str, *, colour: str = SYNTHETIC) -> Chart:
    x = x_percent(axis, reach_of(row["value"] for row in rows))
    return chart_of(_bars(rows, x, colour), title=title, description=_sentence(rows))


def _sentence(rows: Sequence[Row]) -> str:
    return "; ".join(f"{row['name']}: {row['told']}" for row in rows) + "."


def _bars(rows: Sequence[Row], x: Spec, colour: str, marks: Sequence[Spec] = ()) -> Spec:
    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": places(rows)},
        "layer": [
            {
                "mark": {"type": "bar", "color": colour},
                "encoding": {"x": {**x, "field": "value"}, "y": y_place()},
            },
            *marks,
            names_layer(wide=_NAMES),
            *column_layers([TextColumn("told", 12, align="left", wide=220)], WIDTH),
        ],
    }
