"""The ECAP curve of one column with the noise that was added, and the worst value it leaves."""

from collections.abc import Sequence

from unveil.records.protection import NoiseReason
from unveil.view.charts.chart import Chart
from unveil.view.charts.ecap_curve import CONFIDENTIAL, HEIGHT, ecap_spec
from unveil.view.charts.marks import BAD, INK, SYNTHETIC, Spec
from unveil.view.ecap import NOISES, claim, figure
from unveil.view.format import truncate

_X = {"field": "sigma", "type": "quantitative"}
_Y = {"field": "ecap", "type": "quantitative"}
_CLEAR = 12.0  # pixels


def noise_curve(reason: NoiseReason) -> Chart | None:
    """Highest ECAP by sigma, threshold, and the point of the copy; None without a curve."""
    choice = reason.choice
    if choice is None or not choice.curve:
        return None
    title = f"ECAP of {truncate(reason.column)} by the amount of {NOISES[choice.noise]} noise"
    told = "; ".join(f"sigma {figure(row.sigma)}: {claim(row.ecap)}" for row in choice.curve[::4])
    return Chart(
        noise_curve_spec(reason),
        title=title,
        description=(
            f"Highest ECAP over the released values. {told}. Threshold {choice.threshold:g}."
            f" {_added(reason)} {CONFIDENTIAL}"
        ),
    )


def _added(reason: NoiseReason) -> str:
    worst = "" if reason.ecap is None else f", worst ECAP {claim(reason.ecap.worst)}"
    return f"Added: {figure(reason.sigma)}{worst}."


def _beside(worst: float, levels: Sequence[float]) -> float:
    """How far from the top a name stands over its point, in pixels, clear of the lines across.

    The curve falls, so there is nothing else above a point of it.
    """
    place = HEIGHT * (1 - worst) - _CLEAR
    for level in sorted(levels):
        line = HEIGHT * (1 - level)
        if abs(line - place) < _CLEAR:
            place = line - _CLEAR
    return max(place, -_CLEAR)


def noise_curve_spec(reason: NoiseReason) -> Spec:
    """The curve in Vega-Lite, with a square at the noise that was added."""
    choice = reason.choice
    spec = {} if choice is None else ecap_spec(choice)
    worst = None if reason.ecap is None else reason.ecap.worst
    if choice is None or worst is None:
        return spec
    point = [
        {
            "sigma": reason.sigma,
            "ecap": worst,
            "text": f"worst value: {claim(worst)}",
            "place": _beside(worst, [choice.threshold, choice.limit]),
        }
    ]
    is_above = worst > choice.threshold
    mark = {"type": "point", "filled": True, "shape": "square", "size": 110, "opacity": 1}
    text = {"type": "text", "align": "left", "dx": 6, "baseline": "middle", "color": INK}
    place = {"field": "place", "type": "quantitative", "scale": None, "axis": None}
    layers: list[Spec] = [
        {
            "data": {"values": point},
            "mark": {**mark, "color": BAD if is_above else SYNTHETIC},
            "encoding": {"x": _X, "y": _Y},
        },
        {
            "data": {"values": point},
            "mark": text,
            "encoding": {"x": _X, "y": place, "text": {"field": "text", "type": "nominal"}},
        },
    ]
    return {**spec, "layer": [*spec["layer"], *layers]}
