"""Pieces of HTML that all views share: no script, no outside resource, every name escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from unveil.records.disclosure import Coercion
from unveil.view.format import lines

STYLE = (
    "<style>.unveil{font-family:system-ui,sans-serif;max-width:60em}"
    ".unveil table{border-collapse:collapse;margin:.5em 0}"
    ".unveil th,.unveil td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}"
    ".unveil caption{text-align:left;font-weight:bold}.unveil td{white-space:nowrap}"
    ".unveil th:first-child,.unveil td:first-child{text-align:left}"
    ".unveil .stop{border:2px solid #b3261e;padding:.5em;font-weight:bold}"
    ".unveil .alerts{list-style:none;padding:0}.unveil .alert{border-left:4px solid #888;"
    "padding:.1em .8em;margin:.5em 0}.unveil .alert p{margin:.2em 0}"
    ".unveil .a-block{border-color:#b3261e}.unveil .a-decide{border-color:#b26a00}</style>"
)


def view(parts: Iterable[str]) -> str:
    """The whole of a view, from its parts."""
    return f'{STYLE}<div class="unveil">{"".join(parts)}</div>'


def titled_view(title: str, *parts: str) -> str:
    """The whole of a view under its title."""
    return view([f"<h3>{escape(title)}</h3>", *parts])


def paragraph(text: str | None) -> str:
    """A sentence or two; nothing of nothing."""
    return f"<p>{escape(text)}</p>" if text else ""


def grid(caption: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table with a caption; nothing without rows."""
    if not rows:
        return ""
    body = "".join(_cells("td", row) for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead>{_cells('th', heads)}</thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cells(tag: str, texts: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"


def notes(coercions: Sequence[Coercion]) -> str:
    """How the files were read and matched."""
    told = "".join(
        f"<li>{escape(note.side)}: {escape(lines(note.sentence))}</li>" for note in coercions
    )
    return f"<p>How the files were read and matched:</p><ul>{told}</ul>" if told else ""
