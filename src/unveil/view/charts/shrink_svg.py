"""What can a picture do without? Nothing that is seen: attributes that say what holds anyway.

Only tags are looked at. Text of the data stands between them, with every angle bracket escaped.
"""

import re

_TAG = re.compile(r"<[^>]*>")
_NEEDLESS = re.compile(
    r' (?:aria-roledescription|aria-hidden|pointer-events|role|class)="[^"]*"| opacity="1"'
)
_EMPTY = re.compile(
    r'<path class="(?:back|fore)ground"(?![^>]*(?:fill|stroke)=)[^>]*/>|<path [^>]*display="none"/>'
)
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_FAMILY = re.compile(r' font-family="([^"]*)"')


def shrink_svg(picture: str) -> str:
    """The same picture in fewer bytes; the font stands once, at the root."""
    head, rest = picture.split(">", 1)
    families = {found for tag in _TAG.findall(rest) for found in _FAMILY.findall(tag)}
    family = families.pop() if len(families) == 1 else None
    rest = _EMPTY.sub("", rest)
    rest = _TAG.sub(lambda tag: _slim(tag[0], family), rest)
    own = f' font-family="{family}"' if family else ""
    return f"{head}{own}>{rest}"


def _slim(tag: str, family: str | None) -> str:
    made = _NEEDLESS.sub("", tag)
    if family is not None:
        made = _FAMILY.sub("", made)
    return _NUMBER.sub(_rounded, made)


def _rounded(number: re.Match[str]) -> str:
    """Hundredths of a pixel are more than anybody sees."""
    shown = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
