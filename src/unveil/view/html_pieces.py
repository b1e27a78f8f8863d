"""Pieces of a page that several sections are made of; every text in them is escaped here."""

from collections.abc import Iterable, Sequence
from html import escape

from unveil.view.format import truncate, visible

NOT_SAID = "not said"
LONGEST_TEXT, SHOWN = 400, 160
"""A text of more letters is folded behind its beginning."""


def text(given: str) -> str:
    """Text of people or of data in full: safe, and wrapped where it is long."""
    return escape(visible(given))


def render_in_full(given: str) -> str:
    """The same; one that would fill a screen is folded, with its beginning to be seen."""
    if len(given) <= LONGEST_TEXT:
        return text(given)
    return (
        f"<details><summary>{text(given[:SHOWN])}… (all {len(given):,} letters)</summary>"
        f"{text(given)}</details>"
    )


def aside(summary: str, content: str) -> str:
    """Something to unfold on the screen that stays folded on paper. Nothing of nothing."""
    if not content:
        return ""
    return f'<details class="aside"><summary>{escape(summary)}</summary>{content}</details>'


def when(moment: str | None) -> str:
    """A time as people read it: 2026-11-16 10:00 UTC; a date as it is."""
    if moment is None:
        return NOT_SAID
    day, at, clock = moment.partition("T")
    return f"{day} {clock[:5]} UTC" if at and clock.endswith("Z") else moment


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is said of something, each under its name; nothing of what is empty."""
    told = "".join(f"<dt>{escape(what)}</dt><dd>{text(said)}</dd>" for what, said in pairs if said)
    return f'<dl class="facts">{told}</dl>' if told else ""


def chips(names: Sequence[str], *, kind: str, label: str) -> str:
    """Names of columns side by side; one that is cut short has its whole name to point at."""
    shown = "".join(f"<li{_whole(one)}>{escape(truncate(one))}</li>" for one in names)
    return f'<ul class="chips {kind}" aria-label="{escape(label)}">{shown}</ul>' if shown else ""


def _whole(given: str) -> str:
    return "" if truncate(given) == given else f' title="{escape(visible(given))}"'


def text_table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    kinds: Sequence[str] = (),
) -> str:
    """A table of texts, each row headed by its first; `kinds` are classes of the columns."""
    if not rows:
        return ""
    style = [f' class="{kind}"' if kind else "" for kind in (*kinds, *[""] * len(heads))]
    head = "".join(
        f'<th scope="col"{style[place]}>{escape(one)}</th>' for place, one in enumerate(heads)
    )
    body = "".join(f"<tr>{_cells(row, style)}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str], style: Sequence[str]) -> str:
    first, *rest = row
    cells = [f'<th scope="row"{style[0]}>{render_in_full(first)}</th>']
    cells += [
        f"<td{style[place]}>{render_in_full(one)}</td>" for place, one in enumerate(rest, start=1)
    ]
    return "".join(cells)
