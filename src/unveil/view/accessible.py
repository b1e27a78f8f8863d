"""What readers by ear and by keyboard need of the plain pieces that notebooks and pages share."""

import re

_SCROLL = re.compile(r'<div class="(scroll[^"]*)"><table>(?:<caption>([^<]*)</caption>)?')
_FIRST_CELL = re.compile(r"<tr><td>([^<]*)</td>")
_EMPTY_CAPTION = "<caption></caption>"


def accessible(body: str) -> str:
    """Tables whose heads say what they head, and wide pieces that the keyboard can scroll."""
    named = _SCROLL.sub(_named, body).replace(_EMPTY_CAPTION, "")
    headed = named.replace("<th>", '<th scope="col">')
    return _FIRST_CELL.sub(r'<tr><th scope="row">\1</th>', headed).replace(
        "<figure>", '<figure tabindex="0">'
    )


def _named(found: re.Match[str]) -> str:
    kind, caption = found[1], found[2] or ""
    shown = f"<caption>{caption}</caption>" if caption else ""
    label = caption or "The figures of the picture above"
    return f'<div class="{kind}" tabindex="0" role="group" aria-label="{label}"><table>{shown}'
