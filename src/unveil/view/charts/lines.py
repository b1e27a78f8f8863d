"""Lines: CAP by the number of copies, SAP by what is known, ECAP by the amount of noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from unveil.records.cap import Cap, CapRow
from unveil.records.noise import NoiseChoice
from unveil.records.protection import NoiseReason
from unveil.view.cap import SCENARIOS, method_phrase, share
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    BAD,
    DASHED,
    INK,
    ORIGINAL,
    SOLID,
    SYNTHETIC,
    Row,
    Spec,
    at,
    draw,
    line,
    look,
    number,
    panel,
    pixel,
    pixels,
    rule,
    separate_labels,
    write,
)
from unveil.view.ecap import NOISES, claim, figure
from unveil.view.format import (
    and_list,
    between,
    format_count,
    probability,
    probability_figure,
    truncate,
    visible,
)

_NAME = 16  # pixels between two names at the ends of lines


def _end_names(ends: Sequence[tuple[float, str]], width: float, height: float) -> Spec:
    """The names of lines at their ends, moved apart where they would meet."""
    rows = [{"place": at, "label": text} for at, text in separate_labels(ends, _NAME, height)]
    return write("label", pixel(width + 18), pixels("place"), rows=rows)


# CAP by the number of copies pooled, as Taub et al. 2018 tell it

LINES = {
    "original": ("cap_original", ORIGINAL, SOLID, "circle"),
    "copies, of those matched": ("cap_synthetic_undefined", SYNTHETIC, [5, 3], "diamond"),
    "copies, non-match as 0": ("cap_synthetic_zero", SYNTHETIC, SOLID, "square"),
    "baseline": ("cap_baseline", "#8a8a8a", [2, 2], "cross"),
}
"""The field, and how each line looks: told apart without a colour."""
_CAP_WIDTH, _CAP_HEIGHT = 110, 120
_Panels = Sequence[tuple[str, Sequence[CapRow]]]


def cap_lines_chart(record: Cap | Sequence[Cap], method: str | None = None) -> Chart:
    """CAP by m for every group of people, of one method and by the first set of keys.

    Lines for the copies, with non-matches as 0 and as undefined, beside the original and the
    baseline, which no copy moves. Several records are of the same target, each with other groups.
    """
    records = [record] if isinstance(record, Cap) else list(record)
    first = records[0]
    chosen = first.methods[0].name if method is None else method
    everyone = [
        (scenario, one.rows_of(chosen, one.key_sets[0].keys, scenario))
        for one in records
        for scenario in one.scenarios
    ]
    panels = [(scenario, rows) for scenario, rows in everyone if rows[0].n]
    fields = [field for field, *_ in LINES.values()]
    shares = [getattr(row, field) or 0.0 for _, rows in panels for row in rows for field in fields]
    reach = next(reach for reach in (0.1, 0.2, 0.5, 1.0) if reach >= max(shares, default=1.0))
    drawn = [_cap_panel(panels, place, reach) for place in range(len(panels))]
    return Chart(
        {"hconcat": drawn, "spacing": 24},
        title=f"CAP of {and_list(first.targets)} by the number of copies{method_phrase(chosen)}",
        description=_describe_cap(everyone),
    )


def _cap_panel(panels: _Panels, place: int, reach: float) -> Spec:
    """One group of people; the names of the lines stand at the end of the last."""
    scenario, found = panels[place]
    rows = [
        {"m": row.m, "line": kind, "value": getattr(row, field)}
        for kind, (field, *_) in LINES.items()
        for row in found
    ]
    x = {"field": "m", "type": "ordinal", "title": "copies pooled", "axis": {"labelAngle": 0}}
    title = None if place else "share guessed correctly (CAP)"
    y = number("value", title, scale={"domain": [0, reach]}, axis={"tickCount": 5})
    colour, dash, shape = (
        look("line", {kind: one[position] for kind, one in LINES.items()}) for position in (1, 2, 3)
    )
    point = {"x": x, "y": y, "color": colour, "shape": shape}
    layers = [
        line(x, y, rows, {"color": colour, "strokeDash": dash}),
        draw("point", rows, point, filled=True, size=60, opacity=1),
    ]
    if place == len(panels) - 1:
        ends = [
            (_CAP_HEIGHT * (1 - value / reach), f"{name} {share(value)}")
            for name, (field, *_) in LINES.items()
            if (value := getattr(found[-1], field)) is not None
        ]
        layers.append(_end_names(ends, _CAP_WIDTH - 10, _CAP_HEIGHT))
    return panel(layers, _CAP_WIDTH, _CAP_HEIGHT, title=SCENARIOS[scenario])


def _describe_cap(panels: _Panels) -> str:
    told = []
    for scenario, rows in panels:
        first, last = rows[0], rows[-1]
        if not first.n:
            told.append(f"{SCENARIOS[scenario]}: no one")
            continue
        told.append(
            f"{SCENARIOS[scenario]}: baseline {share(first.cap_baseline)}, original"
            f" {share(first.cap_original)}; with one copy {share(first.cap_synthetic_zero)} (of"
            f" those matched {share(first.cap_synthetic_undefined)}), with {last.m}"
            f" {share(last.cap_synthetic_zero)} ({share(last.cap_synthetic_undefined)})"
        )
    return f"{'. '.join(told)}."


# SAP by the number of known people (Smith and Elliot 2008)

MOST_LINES = 6
"""Lines in one picture; more would not be told apart."""
# No colour of a status, and each with dashes of its own.
COLOURS = (SYNTHETIC, "#000000", "#8c4fa3", "#2b8cbe", "#6b6b6b", "#c270a8")
DASHES = (SOLID, [9, 4], [2, 3], [12, 3, 2, 3], [5, 2], [1, 4])
_SAP_WIDTH, _SAP_HEIGHT, _LONGEST = 420, 220, 26
_MOST_NUMBERS = 25


SAP = "SAP by number of people known to the intruder"
_TRUE_COUNTS = "Confidential: drawn from true counts, and may end at the number of people."


@dataclass(frozen=True)
class StepLine:
    """One curve over n = 0, 1, ...: its name, and its bounds, equal where it is known exactly."""

    label: str
    lower: Sequence[float]
    upper: Sequence[float]

    @property
    def last(self) -> int:
        """The largest n."""
        return len(self.upper) - 1

    @property
    def first_risk(self) -> int | None:
        """The smallest n whose lower bound is above 0."""
        return next((n for n, low in enumerate(self.lower) if low > 0), None)

    @property
    def is_open(self) -> bool:
        """Whether only bounds are known."""
        return any(high - low > 1e-6 for low, high in zip(self.lower, self.upper, strict=True))

    @property
    def sentence(self) -> str:
        """The curve in words."""
        start, name, last = self.first_risk, truncate(self.label), self.last
        low, high = self.lower[-1], self.upper[-1]
        if not high:
            return f"{name}: 0 up to {format_count(last, 'known person', 'known people')}."
        latest = " at the latest" if any(self.upper[:start]) else ""
        starts = "" if start is None else f" above 0 from {start:,} known people on{latest},"
        return f"{name}:{starts} {between(low, high) or probability(high)} at {last:,}."


def sap_curve(
    curves: Sequence[StepLine], *, title: str = SAP, threshold: float | None = None
) -> Chart:
    """A step line for each table; where each leaves zero is marked.

    Lines differ by colour, dashes and the name at their end; where only bounds are known, the
    space between them is shaded.
    """
    labels = _distinct(curves)
    named = list(zip(labels, curves, strict=True))
    longest = max(curve.last for curve in curves)
    last = min(longest, max(map(_reach, curves)))
    rows: list[Row] = [
        {"label": label, "n": n, "low": low, "high": high}
        for label, curve in named
        for n, (low, high) in enumerate(zip(curve.lower, curve.upper, strict=True))
        if n <= last
    ]
    beyond = "; beyond, no line changes" if last < longest else ""
    axis = {"values": _ticks(last), "format": ",d", "grid": False}
    scale = {"domain": [0, max(last, 1)], "nice": False}
    x = number("n", f"people known to the intruder (n){beyond}", scale=scale, axis=axis)
    y = number("high", "probability", scale={"domain": [0, 1]})
    colour, dash = (
        look("label", {label: looks[place % len(looks)] for place, label in enumerate(labels)})
        for looks in (COLOURS, DASHES)
    )
    layers = [line(x, y, rows, {"color": colour, "strokeDash": dash}, interpolate="step")]
    wide = {label for label, curve in named if curve.is_open}
    if wide:
        between_them = {"x": x, "y": at(y, "low"), "y2": {"field": "high"}, "color": colour}
        some = [row for row in rows if row["label"] in wide]
        layers.append(draw("area", some, between_them, interpolate="step", opacity=0.2))
    layers += _starts(named, x, y, colour)
    ends = [(label, curve.last, curve.upper[-1]) for label, curve in named]
    if threshold is not None:
        layers.append(rule([{"high": threshold}], "#666666", [1, 4], y=y))
        ends.append((f"threshold {threshold:g}", last, threshold))
    layers += _leads(ends, max(last, 1), colour, labels)
    return Chart(
        {
            "title": {"text": title, "subtitle": _TRUE_COUNTS},
            **panel(layers, _SAP_WIDTH, _SAP_HEIGHT),
        },
        title=title,
        description=" ".join(curve.sentence for curve in curves),
    )


def _reach(curve: StepLine) -> int:
    """How far a line has something to show: to its end while there is no risk, else a bit on."""
    if not curve.upper[-1]:
        return curve.last
    bounds = list(zip(curve.lower, curve.upper, strict=True))
    moved = [n for n, (before, now) in enumerate(pairwise(bounds), start=1) if before != now]
    settled = moved[-1] if moved else 0
    return settled + max(1, settled // 6)


def _distinct(curves: Sequence[StepLine]) -> list[str]:
    """Names short enough for the margin, none twice."""
    made: list[str] = []
    for place, curve in enumerate(curves):
        shown = truncate(curve.label)
        shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
        shown += " (bounds)" if curve.is_open else ""
        made.append(f"{shown} ({place + 1})" if shown in made else shown)
    return made


def _starts(named: Sequence[tuple[str, StepLine]], x: Spec, y: Spec, colour: Spec) -> list[Spec]:
    """A dot where the risk leaves zero, with its number of people."""
    rows: list[Row] = [
        {"label": label, "n": n, "high": curve.upper[n], "text": f"n = {n:,}"}
        for label, curve in named
        if (n := curve.first_risk) is not None
    ]
    once = {(row["n"], row["high"]): row for row in rows}.values()
    dots = {"x": x, "y": y, "color": colour}
    return [
        draw("point", rows, dots, filled=True, size=60, opacity=1),
        write("text", x, y, rows=list(once), dx=5, dy=-8),
    ]


def _leads(
    ends: Sequence[tuple[str, int, float]], last: int, colour: Spec, labels: Sequence[str]
) -> list[Spec]:
    """The name of each line at the right, with a thin line that leads to it."""
    heights = [((1 - high) * _SAP_HEIGHT, label) for label, _, high in ends]
    names = _end_names(heights, _SAP_WIDTH, _SAP_HEIGHT)
    places = {row["label"]: row["place"] for row in names["data"]["values"]}
    rows = [
        {
            "label": label,
            "x": min(n / last, 1.0) * _SAP_WIDTH,
            "x2": _SAP_WIDTH + 14,
            "y": (1 - high) * _SAP_HEIGHT,
            "place": places[label],
        }
        for label, n, high in ends
        if label in labels
    ]
    leads = {"x": pixels("x"), "x2": {"field": "x2"}, "y": pixels("y"), "y2": {"field": "place"}}
    return [draw("rule", rows, {**leads, "color": colour}, strokeWidth=1, opacity=0.7), names]


def _ticks(last: int) -> list[int]:
    """Whole numbers, no more than a dozen of them."""
    return list(range(0, last + 1, _round_step(last, 12)))


def _round_step(last: int, most: int) -> int:
    """A round number of which at most so many fit into the axis."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            if last / step <= most:
                return step
        size *= 10


def curve_table(
    curves: Sequence[StepLine], keep: Sequence[int] = ()
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same as a table: its heads and its rows, those of `keep` among them."""
    heads = ("n", *(visible(curve.label) for curve in curves))
    rows = [
        (f"{n:,}", *(probability_figure(curve.lower[n], curve.upper[n]) for curve in curves))
        for n in numbers_shown(curves[0].last, keep)
    ]
    return heads, rows


def numbers_shown(last: int, keep: Sequence[int] = ()) -> list[int]:
    """All n where they are few; else evenly spaced ones, the ends and those that matter."""
    if last < _MOST_NUMBERS:
        return list(range(last + 1))
    step = _round_step(last, _MOST_NUMBERS - 5)
    return sorted({*range(0, last + 1, step), last, *(n for n in keep if 0 <= n <= last)})


# ECAP by the amount of noise: for the custodian alone

CONFIDENTIAL = "CONFIDENTIAL: ECAP values must not be published."
_WIDTH, _HEIGHT = 480, 240
_X = number("sigma", "standard deviation of the noise")
_Y = number("ecap", "highest ECAP", scale={"domain": [0, 1]})
_SHADES = ("#9ecae1", "#4292c6", "#222222", "#8c6bb1", "#4d004b")
_DASHES = ([2, 2], [6, 2], SOLID, [8, 3], [3, 1])
_CLEAR, _NAMES_WIDE = 12.0, 60  # pixels


def ecap_curve(record: NoiseChoice) -> Chart:
    """The highest ECAP by sigma, with the threshold and the noise to use (Figure 5)."""
    told = "; ".join(f"sigma {figure(row.sigma)}: {claim(row.ecap)}" for row in record.curve)
    title = f"ECAP by the amount of {NOISES[record.noise]} noise"
    return Chart(
        {
            "title": {"text": title, "subtitle": CONFIDENTIAL},
            **panel(_ecap_layers(record), _WIDTH, _HEIGHT),
        },
        title=f"{title}. {CONFIDENTIAL}",
        description=f"Highest ECAP over the released values. {told}. {CONFIDENTIAL}",
    )


def _ecap_layers(record: NoiseChoice) -> list[Spec]:
    rows = [{"sigma": row.sigma, "ecap": row.ecap} for row in record.curve]
    threshold, limit = record.threshold, record.limit
    return [
        line(_X, _Y, rows, {}, color=SYNTHETIC, point={"color": SYNTHETIC, "size": 14}),
        *_level(
            threshold,
            f"threshold {threshold:g}",
            {"colour": BAD, "dash": DASHED},
            {"x": pixel(_WIDTH - 5), "align": "right", "dy": -8},
        ),
        *_level(
            limit,
            f"limit {figure(limit)}",
            {"colour": ORIGINAL, "dash": [2, 2]},
            {"x": pixel(5), "dy": _clear(limit, threshold)},
        ),
        *_amounts(record),
    ]


def _level(value: float, name: str, mark: Spec, text: Spec) -> list[Spec]:
    """A horizontal line with its name beside one of its ends."""
    rows = [{"ecap": value, "name": name}]
    return [rule(rows, y=_Y, **mark), write("name", y=_Y, rows=rows, colour=mark["colour"], **text)]


def _clear(value: float, other: float) -> int:
    """How far below its line a name stands so that no other line crosses it; above is negative."""
    apart, room = round(_HEIGHT * (other - value)), _HEIGHT * value
    if not 0 <= apart < 20:
        return -8
    return 9 if room >= 20 else -8 - apart


def has_amounts(record: NoiseChoice) -> bool:
    """Whether there is noise that is enough, and more than none."""
    return bool(record.sigma and record.sigma_to_use)


def _amounts(record: NoiseChoice) -> list[Spec]:
    """The least noise, and the one to use, as upright lines with their names at the top."""
    least, use = record.sigma, record.sigma_to_use
    if not least or not use:
        return []
    lines = [{"sigma": least}, {"sigma": use}]
    # Left of its line, or beyond the other, which would cross it.
    reach = max((row.sigma for row in record.curve), default=least)
    has_room = _WIDTH * least >= 2 * _NAMES_WIDE * reach
    beside, align, shift = (least, "right", -6) if has_room else (use, "left", 6)
    enough = [{"sigma": beside, "name": f"enough: {figure(least)}"}]
    chosen = [{"sigma": use, "name": f"use: {figure(use)}"}]
    return [
        rule(lines, INK, [1, 3], x=_X),
        write("name", _X, pixel(14), align, rows=enough, dx=shift),  # type: ignore[arg-type]
        write("name", _X, pixel(32), "left", rows=chosen, dx=6),
    ]


def noise_curve(reason: NoiseReason) -> Chart | None:
    """ECAP by sigma, and a square at the noise that was added; None without a curve."""
    choice = reason.choice
    if choice is None or not choice.curve:
        return None
    layers = _ecap_layers(choice)
    worst = None if reason.ecap is None else reason.ecap.worst
    if worst is not None:
        height = _beside(worst, [choice.threshold, choice.limit])
        point = {"sigma": reason.sigma, "ecap": worst}
        name = {**point, "text": f"worst value: {claim(worst)}", "place": height}
        colour = BAD if worst > choice.threshold else SYNTHETIC
        look_of = {"filled": True, "shape": "square", "size": 110, "opacity": 1, "color": colour}
        layers.append(draw("point", [point], {"x": _X, "y": _Y}, **look_of))
        layers.append(write("text", _X, pixels("place"), rows=[name], dx=6))
    told = "; ".join(f"sigma {figure(row.sigma)}: {claim(row.ecap)}" for row in choice.curve[::4])
    left = "" if worst is None else f", worst ECAP {claim(worst)}"
    return Chart(
        panel(layers, _WIDTH, _HEIGHT),
        title=f"ECAP of {truncate(reason.column)} by the amount of {NOISES[choice.noise]} noise",
        description=(
            f"Highest ECAP over the released values. {told}. Threshold {choice.threshold:g}."
            f" Added: {figure(reason.sigma)}{left}. {CONFIDENTIAL}"
        ),
    )


def _beside(worst: float, levels: Sequence[float]) -> float:
    """How far from the top a name stands over its point, in pixels, clear of the lines across.

    The curve falls, so there is nothing else above a point of it.
    """
    place = _HEIGHT * (1 - worst) - _CLEAR
    for level in sorted(levels):
        height = _HEIGHT * (1 - level)
        if abs(height - place) < _CLEAR:
            place = height - _CLEAR
    return max(place, -_CLEAR)


def populations(record: NoiseChoice) -> Chart:
    """The same curve in populations of other size (Figure 6) and of other spread (Figure 7)."""
    told = "; ".join(
        f"{row.factor:g} times the {row.what}: sigma"
        f" {'none' if row.sigma is None else figure(row.sigma)}"
        for row in record.sensitivity
    )
    title = "ECAP in other populations"
    apart = {"scale": {"color": "independent", "strokeDash": "independent"}}
    return Chart(
        {
            "title": {"text": title, "subtitle": f"Dashed red: the threshold. {CONFIDENTIAL}"},
            "hconcat": [
                _others(record, "N", "number of people"),
                _others(record, "spread", "spread"),
            ],
            "resolve": apart,
        },
        title=f"{title}. {CONFIDENTIAL}",
        description=f"Highest ECAP by the amount of noise. {told}. {CONFIDENTIAL}",
    )


def _others(record: NoiseChoice, what: str, called: str) -> Spec:
    curves = [(row.factor, row.curve) for row in record.sensitivity if row.what == what]
    curves = sorted([(1.0, record.curve), *curves])
    rows = [
        {"sigma": one.sigma, "ecap": one.ecap, "name": f"{factor:g} times"}
        for factor, curve in curves
        for one in curve
    ]
    names = [f"{factor:g} times" for factor, curve in curves if curve]
    key = {"title": None, "orient": "right"}
    looks = {
        channel: look("name", dict(zip(names, values, strict=False)), key)
        for channel, values in (("color", _SHADES), ("strokeDash", _DASHES))
    }
    layers = [line(_X, _Y, rows, looks), rule([{"ecap": record.threshold}], BAD, DASHED, y=_Y)]
    return panel(layers, 180, 200, title=f"By the {called}")
