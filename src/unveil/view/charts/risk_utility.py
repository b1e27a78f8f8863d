"""The risk-utility map: each setting a point, and the line of those that no other betters."""

from unveil.records.exploration import Exploration, ExplorationRow, frontier
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import BASELINE, INK, ORIGINAL, REVIEW, SYNTHETIC, Spec
from unveil.view.exploration import RISKS, UTILITIES, value
from unveil.view.format import truncate

METHODS = ("cart", "parametric", "sample", "catall", "ipf", "by column")
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
TREATED = ("as drawn", "filtered", "noise", "filtered, noise")
COLOURS = (SYNTHETIC, REVIEW, ORIGINAL, INK)
MOST_NAMED = 30
_WIDTH, _HEIGHT, _CLOSE, _LETTER = 620, 400, 12, 6.5
_SHIFTS = (-8, 13, -21, 26, -34, 39)


def risk_utility_map(record: Exploration) -> str:
    """The map as an SVG document."""
    return risk_utility(record).svg()


def risk_utility(record: Exploration) -> Chart:
    """Risk to the right, lost utility upwards: the best settings are at the lower left."""
    best = frontier(record.rows, record.risk, record.utility)
    known = _known(record)
    told = "; ".join(
        f"{row.name}: {record.risk} {value(row, record.risk)}, {record.utility}"
        f" {value(row, record.utility)}{' (frontier)' if row in best else ''}"
        for row in known
    )
    return Chart(
        risk_utility_spec(record),
        title="Risk and utility of each setting: the lower and the farther left, the better",
        description=f"Points with the line of those that no other betters. {told}.",
    )


def _known(record: Exploration) -> list[ExplorationRow]:
    axes = (record.risk, record.utility)
    return [row for row in record.rows if None not in [getattr(row, axis) for axis in axes]]


def risk_utility_spec(record: Exploration) -> Spec:
    """The map in Vega-Lite."""
    rows = _known(record)
    points = [_point(record, row) for row in rows]
    line = [_point(record, row) for row in frontier(record.rows, record.risk, record.utility)]
    place = {
        "x": _axis("risk", RISKS[record.risk], points),
        "y": _axis("utility", f"{UTILITIES[record.utility]} (lower is better)", points),
    }
    layers: list[Spec] = [
        {
            "data": {"values": line},
            "mark": {"type": "line", "color": BASELINE, "strokeWidth": 2, "interpolate": "linear"},
            "encoding": {**place, "order": {"field": "risk", "type": "quantitative"}},
        },
        *_spread(points, place),
        _marks(points, place),
    ]
    if len(points) <= MOST_NAMED:
        layers += _names(points, place)
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "layer": layers,
        # Legends are measured in another font than they are shown in.
        "padding": {"left": 5, "top": 5, "bottom": 5, "right": 40},
    }


def _point(record: Exploration, row: ExplorationRow) -> Spec:
    risk, utility = (getattr(row, axis) for axis in (record.risk, record.utility))
    spread = [getattr(row, f"{axis}_sd") or 0.0 for axis in (record.risk, record.utility)]
    treated = [
        word for word, is_so in (("filtered", row.is_filtered), ("noise", row.is_noised)) if is_so
    ]
    return {
        "name": truncate(row.name),
        "method": row.method if row.method in METHODS else METHODS[-1],
        "treated": ", ".join(treated) or TREATED[0],
        "risk": risk,
        "utility": utility,
        "left": risk - spread[0],
        "right": risk + spread[0],
        "down": utility - spread[1],
        "up": utility + spread[1],
    }


def _axis(field: str, title: str, points: list[Spec]) -> Spec:
    """Room around the points, so that names are not cut off."""
    low, high = ("left", "right") if field == "risk" else ("down", "up")
    ends = [point[low] for point in points] + [point[high] for point in points]
    lowest, highest = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = 0.06 * (highest - lowest) or 0.5
    room = 0.2 * (highest - lowest) if field == "risk" else 0.0
    scale = {"domain": [lowest - margin, highest + margin + room], "zero": False, "nice": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def _spread(points: list[Spec], place: Spec) -> list[Spec]:
    """One standard deviation over copies to either side, thin."""
    thin = {"type": "rule", "color": BASELINE, "strokeWidth": 1}
    x, y = place["x"], place["y"]
    data = {"values": points}
    return [
        {
            "data": data,
            "mark": thin,
            "encoding": {"x": {**x, "field": "left"}, "x2": {"field": "right"}, "y": y},
        },
        {
            "data": data,
            "mark": thin,
            "encoding": {"y": {**y, "field": "down"}, "y2": {"field": "up"}, "x": x},
        },
    ]


def _marks(points: list[Spec], place: Spec) -> Spec:
    methods = [one for one in METHODS if any(point["method"] == one for point in points)]
    treated = [one for one in TREATED if any(point["treated"] == one for point in points)]
    shapes = [SHAPES[METHODS.index(one)] for one in methods]
    colours = [COLOURS[TREATED.index(one)] for one in treated]
    return {
        "data": {"values": points},
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
        "encoding": {
            **place,
            "shape": _legend("method", methods, shapes, many=len(methods) > 1),
            "color": _legend("treated", treated, colours, many=len(treated) > 1),
        },
    }


def _legend(field: str, domain: list[str], range_: list[str], *, many: bool) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "title": "method" if field == "method" else "copies",
        "scale": {"domain": domain, "range": range_},
        "legend": {"orient": "right"} if many else None,
    }


def _names(points: list[Spec], place: Spec) -> list[Spec]:
    """Names beside the points, moved up or down where others or other points are in the way."""
    spots = {id(point): _spot(point, place) for point in points}
    by_shift: dict[int, list[Spec]] = {}
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda one: -one["utility"]):
        x, y = spots[id(point)]
        others = [(*spots[id(one)], 0.0) for one in points if one is not point]
        width = _LETTER * len(point["name"])
        inside = [shift for shift in _SHIFTS if 0 < y + shift < _HEIGHT - _CLOSE / 2]
        free = (shift for shift in inside if not _covers((x, y + shift, width), taken + others))
        shift = next(free, _SHIFTS[0])
        taken.append((x, y + shift, width))
        by_shift.setdefault(shift, []).append(point)
    return [
        {
            "data": {"values": some},
            "mark": {"type": "text", "align": "left", "dx": 9, "dy": shift, "color": INK},
            "encoding": {**place, "text": {"field": "name", "type": "nominal"}},
        }
        for shift, some in by_shift.items()
    ]


def _spot(point: Spec, place: Spec) -> tuple[float, float]:
    """Where a point is in the picture, from its upper left corner."""
    low_x, high_x = place["x"]["scale"]["domain"]
    low_y, high_y = place["y"]["scale"]["domain"]
    across = (point["risk"] - low_x) / (high_x - low_x) * _WIDTH
    return across, (high_y - point["utility"]) / (high_y - low_y) * _HEIGHT


def _covers(text: tuple[float, float, float], others: list[tuple[float, float, float]]) -> bool:
    """Whether a name would be written over others, or over points (of no width)."""
    x, y, width = text
    return any(
        x - 12 < other_x + other_width and other_x < x + width + 12 and abs(y - other_y) < _CLOSE
        for other_x, other_y, other_width in others
    )
