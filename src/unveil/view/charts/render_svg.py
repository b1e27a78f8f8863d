"""From a chart said in Vega-Lite to a picture: static SVG, text stays text, nothing is fetched.

A chart is a plain dictionary, so that tests can look at what it says. Text from the data goes in as
data, never as the name of a field or as an expression. The same specification gives the same bytes.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from random import Random
from typing import Any, TypeVar

from unveil.errors import InternalError
from unveil.view.charts.shrink_svg import shrink_svg
from unveil.view.format import visible

SYNTHETIC = "#1f4e8c"  # dark blue
ORIGINAL = "#767676"  # grey that can still be read on white
BASELINE = "#c4c4c4"
INK = "#222222"
GOOD, REVIEW, BAD = "#2e7d32", "#855000", "#b3261e"  # never without a shape or a word beside it
MOST_POINTS = 2_000

Spec = dict[str, Any]
Row = TypeVar("Row")

_COUNTED = re.compile(r"(?<=[\"#])(?:gradient_|clip)\d+(?=[\")])")
# Not system-ui: room for text is measured before it is known which font that will be, and these
# have one width wherever they stand in for each other.
_FONT = "Helvetica, Arial, sans-serif"
_CONFIG: Spec = {
    # The picture has one name and one description. Those that Vega writes for its parts would take
    # the text of a title for code, in which a backslash means something else.
    "aria": False,
    "font": _FONT,
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "domainColor": "#888888",
        "gridColor": "#e6e6e6",
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 220,
        "tickColor": "#888888",
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "header": {"labelColor": INK, "labelFontSize": 12, "titleColor": INK},
    "legend": {"labelColor": INK, "labelFontSize": 12, "labelLimit": 260, "titleColor": INK},
    "title": {"anchor": "start", "color": INK, "fontSize": 15, "subtitleColor": "#555555"},
}


def render_svg(spec: Spec, *, title: str, description: str) -> str:
    """A Vega-Lite specification as one SVG document, with what it shows said in words."""
    import vl_convert

    told = apply_theme(spec, title=title)
    try:
        # No base address is allowed, so that nothing can be fetched, whatever a specification says.
        picture: str = vl_convert.vegalite_to_svg(told, vl_version="5.20", allowed_base_urls=[])
    except ValueError:
        raise InternalError("A chart could not be drawn.") from None
    said = f"<title>{escape(visible(title))}</title><desc>{escape(visible(description))}</desc>"
    head, rest = shrink_svg(_with_own_ids(picture)).split(">", 1)
    return f'{head} role="img">{said}{rest}\n'


def apply_theme(spec: Spec, *, title: str) -> Spec:
    """The specification in our one look, with every text in it safe to show."""
    config = {**_CONFIG, **spec.get("config", {})}
    told: Spec = _shown({"title": title, "padding": 12, **spec, "config": config})
    return told


def _with_own_ids(picture: str) -> str:
    """Ids that follow from the picture: Vega counts on from one picture to the next.

    So the same picture has the same bytes, and pictures on one page have no id in common.
    """
    counted = list(dict.fromkeys(_COUNTED.findall(picture)))
    plain = _COUNTED.sub(lambda found: f"part{counted.index(found[0])}", picture)
    own = sha256(plain.encode()).hexdigest()[:12]
    return _COUNTED.sub(lambda found: f"p{own}-{counted.index(found[0])}", picture)


def thin_points(rows: Sequence[Row], most: int = MOST_POINTS) -> Sequence[Row]:
    """Some of many points, always the same: a picture with more of them shows no more.

    Not every tenth, say: rows that differ by their place would all be of one kind.
    """
    if len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(Random(0).sample(range(len(rows)), most))]


def _shown(part: Any) -> Any:
    """The same with every text made visible: one control character would end the whole process."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, Mapping):
        return {key: _shown(value) for key, value in part.items()}
    return [_shown(value) for value in part] if isinstance(part, list | tuple) else part
