"""A chart as a thing to hold: look at it in a notebook, save it, or take what it says as data.

A notebook gets Vega-Lite, in which figures are shown under the pointer, and the still picture
beside it. Notebooks store what they show, so a chart holds aggregates only. The specification is a
plain dictionary, so that tests can look at what it says; the same one gives the same bytes.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from unveil.atomic import write_private
from unveil.errors import InternalError, SettingsError
from unveil.view.charts.marks import INK, Spec
from unveil.view.format import visible

VEGA_LITE = "application/vnd.vegalite.v5+json"
ENDINGS = (".svg", ".png", ".pdf")
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # its name: no one fetches it
_CONFIG: Spec = {
    # The picture has one name and one description. Those that Vega writes for its parts would take
    # the text of a title for code, in which a backslash means something else.
    "aria": False,
    # Not system-ui: room for text is measured before it is known which font that will be, and these
    # have one width wherever they stand in for each other.
    "font": "Helvetica, Arial, sans-serif",
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
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 15,
        "limit": 620,  # names in it can be long
        "subtitleColor": "#555555",
    },
}
_SCALE = 2  # pixels of a PNG for each of the picture
_COUNTED = re.compile(r"(?<=[\"#])(?:gradient_|clip)\d+(?=[\")])")
_TAG = re.compile(r"<[^>]*>")
_NEEDLESS = re.compile(
    r' (?:aria-roledescription|aria-hidden|pointer-events|role|class)="[^"]*"| opacity="1"'
)
_EMPTY = re.compile(
    r'<path class="(?:back|fore)ground"(?![^>]*(?:fill|stroke)=)[^>]*/>|<path [^>]*display="none"/>'
)
_XLINK = re.compile(r' xmlns:xlink="[^"]*"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_FAMILY = re.compile(r' font-family="([^"]*)"')


@dataclass(frozen=True, repr=False)
class Chart:
    """One picture: what it shows in Vega-Lite, its title, and the same said in words."""

    spec: Spec
    title: str
    description: str

    def svg(self) -> str:
        """The still picture: one SVG document, with its title and description as text."""
        return render_svg(self.spec, title=self.title, description=self.description)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the still picture to a new file that only its owner may read.

        Its ending says as what: `.svg`, `.png` or `.pdf`.

        Raises
        ------
        SettingsError
            If the name of the file has another ending.
        WriteError
            If the file is there already, or cannot be written.
        """
        place = Path(path)
        check_ending(place)
        write_private(place, self.encode(place))
        return place

    def encode(self, path: Path) -> bytes:
        """The still picture as the ending of a file asks for it."""
        import vl_convert

        picture, ending = self.svg(), path.suffix.lower()
        if ending == ".png":
            return bytes(vl_convert.svg_to_png(picture, scale=_SCALE))
        return bytes(vl_convert.svg_to_pdf(picture)) if ending == ".pdf" else picture.encode()

    def to_dict(self) -> dict[str, Any]:
        """The whole specification in Vega-Lite, with its figures under the pointer."""
        themed = apply_theme(self.spec, title=self.title)
        marks = {"tooltip": True, **themed["config"].get("mark", {})}
        return {
            "$schema": _SCHEMA,
            "description": visible(self.description),
            **themed,
            "config": {**themed["config"], "mark": marks},
        }

    def __repr__(self) -> str:
        """The title, and what the picture shows."""
        return f"{visible(self.title)}\n{visible(self.description)}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: interactive where they can, the still picture where not."""
        return {
            VEGA_LITE: self.to_dict(),
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }


def check_ending(path: Path) -> None:
    """Refuse a file that no picture is written to."""
    if path.suffix.lower() not in ENDINGS:
        raise SettingsError(
            f"A chart is written as SVG, PNG or PDF: {path.name!r} has to end in .svg, .png or"
            " .pdf."
        )


def render_svg(spec: Spec, *, title: str, description: str) -> str:
    """A Vega-Lite specification as one SVG document, with what it shows said in words."""
    import vl_convert

    themed = apply_theme(spec, title=title)
    try:
        # No base address is allowed, so that nothing can be fetched, whatever a specification says.
        picture: str = vl_convert.vegalite_to_svg(themed, vl_version="5.20", allowed_base_urls=[])
    except ValueError:
        raise InternalError("A chart could not be drawn.") from None
    names = f"<title>{escape(visible(title))}</title><desc>{escape(visible(description))}</desc>"
    start, rest = shrink_svg(_with_own_ids(picture)).split(">", 1)
    return f'{start} role="img">{names}{rest}\n'


def apply_theme(spec: Spec, *, title: str) -> Spec:
    """The specification in our one look, with every text in it safe to show."""
    config = {**_CONFIG, **spec.get("config", {})}
    themed: Spec = _visible({"title": title, "padding": 8, **spec, "config": config})
    return themed


def _visible(part: Any) -> Any:
    """The same with every text made visible: one control character would end the whole process."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, Mapping):
        return {key: _visible(value) for key, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part


def _with_own_ids(picture: str) -> str:
    """Ids that follow from the picture: Vega counts on from one picture to the next.

    So the same picture has the same bytes, and pictures on one page have no id in common.
    """
    counted = list(dict.fromkeys(_COUNTED.findall(picture)))
    plain = _COUNTED.sub(lambda found: f"part{counted.index(found[0])}", picture)
    own = sha256(plain.encode()).hexdigest()[:12]
    return _COUNTED.sub(lambda found: f"p{own}-{counted.index(found[0])}", picture)


def shrink_svg(picture: str) -> str:
    """The same picture in fewer bytes: without what holds anyway; the font once, at the root.

    Only tags are looked at. Text of the data stands between them, every angle bracket escaped.
    """
    start, rest = picture.split(">", 1)
    families = {found for tag in _TAG.findall(rest) for found in _FAMILY.findall(tag)}
    family = families.pop() if len(families) == 1 else None
    rest = _TAG.sub(lambda tag: _shrink_tag(tag[0], family), _EMPTY.sub("", rest))
    own = f' font-family="{family}"' if family else ""
    start = start if "xlink:" in rest else _XLINK.sub("", start)
    return f"{start}{own}>{rest}"


def _shrink_tag(tag: str, family: str | None) -> str:
    made = _NEEDLESS.sub("", tag)
    return _NUMBER.sub(_round, made if family is None else _FAMILY.sub("", made))


def _round(number: re.Match[str]) -> str:
    """Hundredths of a pixel are more than anybody sees."""
    shown = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
