"""The chance of a disclosure by the number of known people, drawn as steps: static SVG text.

No script, no outside resource, no library. Lines differ by colour, dashes and the name at their
end, so that the picture can be read without colours; every name is escaped. The same figures stand
in a table (`figures`), and in the picture's description for those who cannot see it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from unveil.view.format import visible
from unveil.view.format_probability import between, probability, probability_figure

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 560, 56, 360
LABEL_HEIGHT = 15
LONGEST_LABEL = 26
# Okabe and Ito's colours that stand out on white; five dashes, so that no pair comes again soon.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9")
DASHES = ("", "9 4", "2 3", "12 3 2 3", "5 2")
MOST_ROWS = 25
CONFIDENTIAL = "Confidential: drawn from true counts, and may end at the number of people."


@dataclass(frozen=True)
class StepLine:
    """One curve over n = 0, 1, ...: its name, and its bounds, equal where it is known exactly."""

    label: str
    lower: Sequence[float]
    upper: Sequence[float]


def step_chart(lines: Sequence[StepLine], *, title: str, threshold: float | None = None) -> str:
    """The curves as one SVG document."""
    last = len(lines[0].lower) - 1
    told = " ".join(_sentence(line) for line in lines)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' font-family="system-ui,sans-serif" font-size="12" fill="#222">',
        f"<title>{_safe(title)}</title><desc>{_safe(told)}</desc>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{_safe(title)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 4}" font-size="10" fill="#666">{CONFIDENTIAL}</text>',
        *_axes(last),
        *(part for place, line in enumerate(lines) for part in _curve(line, place, last)),
        *_labels([*(() if threshold is None else [_threshold(threshold)]), *_ends(lines)]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def figures(
    lines: Sequence[StepLine], keep: Sequence[int] = ()
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same as a table: its heads and its rows, those of `keep` among them."""
    heads = ("n", *(visible(line.label) for line in lines))
    rows = [
        (f"{n:,}", *(probability_figure(line.lower[n], line.upper[n]) for line in lines))
        for n in numbers_shown(len(lines[0].lower) - 1, keep)
    ]
    return heads, rows


def numbers_shown(last: int, keep: Sequence[int] = ()) -> list[int]:
    """All n where they are few; else evenly spaced ones, the ends and those that matter."""
    if last < MOST_ROWS:
        return list(range(last + 1))
    step = _step(last, MOST_ROWS - 5)
    return sorted({*range(0, last + 1, step), last, *(n for n in keep if 0 <= n <= last)})


def _sentence(line: StepLine) -> str:
    """One curve in a sentence or two."""
    last = len(line.lower) - 1
    start = next((n for n, low in enumerate(line.lower) if low > 0), None)
    if start is None and not line.upper[-1]:
        return f"{line.label}: 0 for every number of known people up to {last:,}."
    earlier = start is not None and any(line.upper[:start])
    latest = " at the latest" if earlier else ""
    starts = "" if start is None else f" above 0 from {start:,} known people on{latest},"
    low, high = line.lower[-1], line.upper[-1]
    return f"{line.label}:{starts} {between(low, high) or probability(high)} at {last:,}."


def _safe(text: str) -> str:
    return escape(visible(text))


def _x(n: float, last: int) -> float:
    return LEFT + (n + 0.5) * (RIGHT - LEFT) / (last + 1)


def _y(value: float) -> float:
    return BOTTOM - value * (BOTTOM - TOP)


def _step(last: int, most: int) -> int:
    """A round number of which at most so many fit into the axis."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if last / (size * factor) <= most:
                return size * factor
        size *= 10


def _axes(last: int) -> list[str]:
    made = []
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        made.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#ddd"/>')
        made.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:g}</text>')
    for n in range(0, last + 1, _step(last, 12)):
        x = _x(n, last)
        made.append(f'<path d="M{x:.1f} {BOTTOM}v5" stroke="#222"/>')
        made.append(f'<text x="{x:.1f}" y="{BOTTOM + 19}" text-anchor="middle">{n:,}</text>')
    made.append(f'<path d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}" fill="none" stroke="#222"/>')
    middle = (LEFT + RIGHT) // 2
    made.append(
        f'<text x="{middle}" y="{BOTTOM + 42}" text-anchor="middle">people already known (n)</text>'
    )
    made.append(f'<text x="{LEFT}" y="{TOP - 10}">probability</text>')
    return made


def _curve(line: StepLine, place: int, last: int) -> list[str]:
    """The steps of a curve; the space between two bounds is shaded."""
    colour, style = COLOURS[place % len(COLOURS)], _style(place)
    upper = _corners(line.upper, last)
    made = [f'<path d="{_path(upper)}" {style}/>']
    if _is_open(line):
        lower = _corners(line.lower, last)
        area = _path([*upper, *reversed(lower)]) + "Z"
        made.insert(0, f'<path d="{area}" fill="{colour}" fill-opacity="0.18"/>')
        made.append(f'<path d="{_path(lower)}" {style}/>')
    return made


def _corners(values: Sequence[float], last: int) -> list[tuple[float, float]]:
    half = (RIGHT - LEFT) / (last + 1) / 2
    return [
        corner
        for n, value in enumerate(values)
        for corner in ((_x(n, last) - half, _y(value)), (_x(n, last) + half, _y(value)))
    ]


def _path(corners: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def _style(place: int) -> str:
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{colour}" stroke-width="2"{dashed}'


def _is_open(line: StepLine) -> bool:
    return any(high - low > 1e-6 for low, high in zip(line.lower, line.upper, strict=True))


@dataclass(frozen=True)
class _End:
    """What stands at the right: where its line ends, from where it starts, and its name."""

    y: float
    start: int
    style: str
    label: str


def _threshold(value: float) -> _End:
    style = 'fill="none" stroke="#666" stroke-dasharray="1 4"'
    return _End(_y(value), LEFT, style, f"threshold {value:g}")


def _ends(lines: Sequence[StepLine]) -> Iterator[_End]:
    for place, line in enumerate(lines):
        label = f"{line.label} (bounds)" if _is_open(line) else line.label
        yield _End(_y(line.upper[-1]), RIGHT, _style(place), label)


def _labels(ends: Iterable[_End]) -> list[str]:
    """The name of each line at its end, moved apart where ends meet, with a line that leads to it.

    Ends that are as high stand in the order of the curves.
    """
    order = sorted(ends, key=lambda end: end.y)
    heights: list[float] = []
    for end in order:
        heights.append(max(end.y, heights[-1] + LABEL_HEIGHT) if heights else end.y)
    beyond = max(0.0, heights[-1] - (HEIGHT - 8))
    made = []
    for end, height in zip(order, heights, strict=True):
        at, middle = height - beyond, RIGHT + 14
        path = f"M{end.start} {end.y:.1f}H{RIGHT}L{middle} {at:.1f}H{RIGHT + 34}"
        made.append(f'<path d="{path}" {end.style}/>')
        made.append(f'<text x="{RIGHT + 39}" y="{at + 4:.1f}">{_safe(_cut(end.label))}</text>')
    return made


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
