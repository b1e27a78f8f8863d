"""How ECAP falls with the amount of noise, and what the noise did: for the custodian alone."""

from unveil.records.noise import NoiseChoice, NoisedColumn
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import BAD, INK, ORIGINAL, SYNTHETIC, Spec
from unveil.view.ecap import NOISES, claim, figure
from unveil.view.format import truncate
from unveil.view.noise import short

CONFIDENTIAL = "CONFIDENTIAL: ECAP values must not be published."
_OF_DATA = "CONFIDENTIAL: it shows the data."
_X = {"field": "sigma", "type": "quantitative", "title": "standard deviation of the noise"}
_Y = {
    "field": "ecap",
    "type": "quantitative",
    "title": "highest ECAP",
    "scale": {"domain": [0, 1]},
}
WIDTH, HEIGHT = 560, 320
_NAME, _NAMES_WIDE = 20, 60  # pixels


def _titled(text: str, subtitle: str, spec: Spec) -> Spec:
    return {"title": {"text": text, "subtitle": subtitle}, **spec}


def ecap_spec(record: NoiseChoice) -> Spec:
    """The highest ECAP by sigma, with the threshold and the noise to use (Figure 5)."""
    curve = [{"sigma": row.sigma, "ecap": row.ecap} for row in record.curve]
    layers: list[Spec] = [
        {
            "data": {"values": curve},
            "mark": {"type": "line", "color": SYNTHETIC, "point": {"color": SYNTHETIC, "size": 14}},
            "encoding": {"x": _X, "y": _Y},
        },
        *_level(record.threshold, f"threshold {record.threshold:g}", BAD, [6, 3], right=True),
        *_level(
            record.limit,
            f"limit {figure(record.limit)}",
            ORIGINAL,
            [2, 2],
            down=_clear(record.limit, record.threshold),
        ),
        *_amounts(record),
    ]
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def has_amounts(record: NoiseChoice) -> bool:
    """Whether there is noise that is enough, and more than none."""
    return bool(record.sigma and record.sigma_to_use)


def _amounts(record: NoiseChoice) -> list[Spec]:
    """The least noise, and the one to use, as upright lines with their names at the top."""
    if not has_amounts(record) or record.sigma is None or record.sigma_to_use is None:
        return []
    enough = {"sigma": record.sigma, "name": f"enough: {figure(record.sigma)}", "place": 14}
    use = {"sigma": record.sigma_to_use, "name": f"use: {figure(record.sigma_to_use)}", "place": 32}
    # Left of its line, or beyond the other, which would cross it.
    beside = {"sigma": record.sigma_to_use}
    reach = max((row.sigma for row in record.curve), default=record.sigma)
    has_room = WIDTH * record.sigma >= 2 * _NAMES_WIDE * reach
    rule = {"type": "rule", "color": INK, "strokeDash": [1, 3]}
    return [
        {"data": {"values": [enough, use]}, "mark": rule, "encoding": {"x": _X}},
        _amount(enough, "right") if has_room else _amount({**enough, **beside}, "left"),
        _amount(use, "left"),
    ]


def _amount(at: Spec, align: str) -> Spec:
    """The name of an upright line, at one of its sides."""
    text = {"type": "text", "dx": 6 if align == "left" else -6, "align": align}
    place = {"field": "place", "type": "quantitative", "scale": None, "axis": None}
    return {
        "data": {"values": [at]},
        "mark": {**text, "baseline": "middle", "color": INK},
        "encoding": {"x": _X, "y": place, "text": {"field": "name", "type": "nominal"}},
    }


def _clear(value: float, other: float) -> int:
    """How far below its line a name stands so that no other line crosses it; above is negative."""
    apart, room = round(HEIGHT * (other - value)), HEIGHT * value
    if not 0 <= apart < _NAME:
        return -8
    return 9 if room >= _NAME else -8 - apart


def _level(
    value: float, name: str, colour: str, dash: list[int], *, right: bool = False, down: int = -8
) -> list[Spec]:
    """A horizontal line with its name beside one of its ends."""
    rows = [{"value": value, "name": name}]
    y = {"field": "value", "type": "quantitative"}
    end = {"x": WIDTH - 5, "align": "right"} if right else {"x": 5, "align": "left"}
    text = {"type": "text", "color": colour, "dy": down, "baseline": "middle", **end}
    return [
        {
            "data": {"values": rows},
            "mark": {"type": "rule", "color": colour, "strokeDash": dash},
            "encoding": {"y": y},
        },
        {
            "data": {"values": rows},
            "mark": text,
            "encoding": {"y": y, "text": {"field": "name", "type": "nominal"}},
        },
    ]


def ecap_chart(record: NoiseChoice) -> str:
    """The curve as an SVG document."""
    return ecap_curve(record).svg()


def ecap_curve(record: NoiseChoice) -> Chart:
    """The curve as an SVG document."""
    told = "; ".join(f"sigma {figure(row.sigma)}: {claim(row.ecap)}" for row in record.curve)
    title = f"ECAP by the amount of {NOISES[record.noise]} noise"
    return Chart(
        _titled(title, CONFIDENTIAL, ecap_spec(record)),
        title=f"{title}. {CONFIDENTIAL}",
        description=f"Highest ECAP over the released values. {told}. {CONFIDENTIAL}",
    )


def populations_spec(record: NoiseChoice) -> Spec:
    """The same curve in populations of other size (Figure 6) and of other spread (Figure 7)."""
    return {"hconcat": [_others(record, "N"), _others(record, "spread")]}


def _others(record: NoiseChoice, what: str) -> Spec:
    called = {"N": "people", "spread": "spread"}[what]
    own = [(1.0, record.curve)]
    curves = [*own, *((row.factor, row.curve) for row in record.sensitivity if row.what == what)]
    rows = [
        {"sigma": at.sigma, "ecap": at.ecap, "name": f"{factor:g} times"}
        for factor, curve in sorted(curves)
        for at in curve
    ]
    names = [f"{factor:g} times" for factor, curve in sorted(curves) if curve]
    colour: Spec = {"field": "name", "type": "nominal", "title": f"the {called}"}
    colour |= {"scale": {"domain": names, "range": list(_SHADES[: len(names)])}}
    lines = {
        "data": {"values": rows},
        "mark": {"type": "line"},
        "encoding": {
            "x": _X,
            "y": _Y,
            "color": colour,
            "strokeDash": {"field": "name", "type": "nominal", "title": f"the {called}"}
            | {"scale": {"domain": names, "range": [list(one) for one in _DASHES[: len(names)]]}},
        },
    }
    rule = {"type": "rule", "color": BAD, "strokeDash": [6, 3]}
    level = {"field": "value", "type": "quantitative"}
    threshold: Spec = {"data": {"values": [{"value": record.threshold}]}, "mark": rule}
    threshold["encoding"] = {"y": level}
    return {
        "title": {"text": f"By the population's {'size' if what == 'N' else 'spread'}"},
        "width": 300,
        "height": 240,
        "layer": [lines, threshold],
    }


_SHADES = ("#9ecae1", "#4292c6", "#222222", "#8c6bb1", "#4d004b")
_DASHES = ((2, 2), (6, 2), (1, 0), (8, 3), (3, 1))


def populations_chart(record: NoiseChoice) -> str:
    """The same in other populations, as an SVG document."""
    return populations(record).svg()


def populations(record: NoiseChoice) -> Chart:
    """ECAP curves in populations of other size and spread as an SVG document."""
    told = "; ".join(
        f"{row.factor:g} times the {row.what}: sigma"
        f" {'none' if row.sigma is None else figure(row.sigma)}"
        for row in record.sensitivity
    )
    title = "ECAP were the population another"
    spec = {**populations_spec(record), "resolve": {"scale": {"color": "independent"}}}
    spec["resolve"]["scale"]["strokeDash"] = "independent"
    return Chart(
        _titled(title, f"Dashed red: the threshold. {CONFIDENTIAL}", spec),
        title=f"{title}. {CONFIDENTIAL}",
        description=f"Highest ECAP by the amount of noise. {told}. {CONFIDENTIAL}",
    )


def before_and_after_spec(column: NoisedColumn) -> Spec:
    """How many values lie in each interval, before and after (Figure 9)."""
    rows = [
        {"lower": one.lower, "upper": one.upper, "name": when, "value": count}
        for one in column.bins
        for when, count in (("before", one.n_before), ("after", one.n_after))
    ]
    return {
        "data": {"values": rows},
        "mark": {"type": "bar", "binSpacing": 1},
        "width": 280,
        "height": 220,
        "encoding": {
            "x": {"field": "lower", "bin": "binned", "type": "quantitative", "title": "value"},
            "x2": {"field": "upper"},
            "y": {"field": "value", "type": "quantitative", "title": "values"},
            "column": {
                "field": "name",
                "type": "nominal",
                "sort": ["before", "after"],
                "title": None,
            },
            "color": {
                "field": "name",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": ["before", "after"], "range": [ORIGINAL, SYNTHETIC]},
            },
        },
    }


def noise_chart(column: NoisedColumn) -> str:
    """One column before and after, as an SVG document."""
    return before_and_after(column).svg()


def before_and_after(column: NoisedColumn) -> Chart:
    """The distribution of one column before and after, and its displacement (Figures 8 and 9)."""
    counts = "; ".join(
        f"{short(one.lower)} to {short(one.upper)}: {one.n_before} before, {one.n_after} after"
        for one in column.bins
    )
    title, moved = f"{truncate(column.column)} before and after noise", column.displacement
    far = "" if moved is None else f"Moved by {short(moved.mean_absolute)} on average, by"
    far += "" if moved is None else f" {short(moved.largest)} at most. "
    return Chart(
        _titled(title, f"{far}{_OF_DATA}", before_and_after_spec(column)),
        title=f"{title}. {_OF_DATA}",
        description=f"{far}Values in each interval. {counts}.",
    )
