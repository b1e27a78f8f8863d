"""How many generated people the distance filter kept and removed, round by round."""

from unveil.records.protection import Refill
from unveil.view.charts.chart import Chart
from unveil.view.charts.render_svg import INK, SYNTHETIC, Spec
from unveil.view.format import format_count

SIDES = ("passed", "removed")
_WIDTH = 560


def refill_rounds(record: Refill) -> Chart:
    """A bar for each round: filled what was kept, hollow what stood too close."""
    told = "; ".join(
        f"round {one.round}: {one.kept:,} passed, {one.drawn - one.kept:,} removed"
        for one in record.rounds
    )
    return Chart(
        refill_rounds_spec(record),
        title="Generated people who passed and who were removed, by round",
        description=f"{format_count(len(record.rounds), 'round')}. {told}.",
    )


def refill_rounds_spec(record: Refill) -> Spec:
    """The rounds in Vega-Lite; figures stand in words behind each bar."""
    values = [
        {"round": f"round {one.round}", "side": side, "value": value, "from": start}
        for one in record.rounds
        for side, value, start in (
            ("passed", one.kept, 0),
            ("removed", one.drawn - one.kept, one.kept),
        )
    ]
    ends = [
        {
            "round": f"round {one.round}",
            "to": one.drawn,
            "text": f"{one.kept:,} passed, {one.drawn - one.kept:,} removed",
        }
        for one in record.rounds
    ]
    y: Spec = {"field": "round", "type": "nominal", "sort": None, "title": None}
    most = max((one.drawn for one in record.rounds), default=1)
    # Room for the words behind the longest bar.
    scale = {"domain": [0, most * 1.4], "nice": False}
    x: Spec = {"type": "quantitative", "title": "generated people", "scale": scale}
    x["axis"] = {"tickCount": 5, "format": ",d", "tickMinStep": 1}
    return {
        "width": _WIDTH,
        "height": {"step": 26},
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "bar", "height": {"band": 0.7}, "strokeWidth": 1.5},
                "encoding": {
                    "y": y,
                    "x": {**x, "field": "value", "stack": "zero"},
                    "order": {"field": "from", "type": "quantitative"},
                    "color": _colours([SYNTHETIC, "white"]),
                    "stroke": {**_colours([SYNTHETIC, SYNTHETIC]), "legend": None},
                },
            },
            {
                "data": {"values": ends},
                "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
                "encoding": {
                    "y": y,
                    "x": {**x, "field": "to"},
                    "text": {"field": "text", "type": "nominal"},
                },
            },
        ],
    }


def _colours(two: list[str]) -> Spec:
    return {
        "field": "side",
        "type": "nominal",
        "title": None,
        "sort": list(SIDES),
        "scale": {"domain": list(SIDES), "range": two},
        "legend": {"orient": "top", "symbolType": "square", "symbolStrokeColor": SYNTHETIC},
    }
