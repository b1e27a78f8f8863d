"""The people at risk as a page of their own: for the custodian's eyes, with a reason for each.

What stands in the rows comes from the original. It is made harmless where it is gathered; here it
is only given a frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from unveil.view.format import format_count, truncate
from unveil.view.html_page import page
from unveil.view.html_pieces import text
from unveil.view.report_style import BAND, REPORT_STYLE

WARNING = (
    "This page tells who could be found and what would be learnt about them. Keep it where the"
    " original is kept; it must not leave with the report."
)


@dataclass(frozen=True)
class RecordsBlock:
    """The people at risk of one scenario and target."""

    scenario: str
    target: str
    heads: tuple[str, ...]
    rows: str  # table rows in HTML, escaped
    n_shown: int
    n_all: int


def records_page(title: str, run: int, blocks: Sequence[RecordsBlock]) -> str:
    """The whole page; those who share their keys with the fewest come first."""
    body = [
        f'<p class="kicker">Records at risk, run {run:,}</p><h1>{text(title)}</h1>',
        f'<p class="lead">{escape(WARNING)}</p>',
        "<p>Row 0 is the first record of the original. People who share their keys with the fewest"
        " others come first.</p>",
        *(_block(place, one) for place, one in enumerate(blocks, start=1)),
    ]
    if not blocks:
        body.append("<p>No target was measured, so nobody is listed.</p>")
    return page(
        f"Records at risk: {truncate(title)}",
        body,
        style=REPORT_STYLE,
        band=f'<header><p class="band">{escape(BAND)}</p></header>',
    )


def _block(place: int, one: RecordsBlock) -> str:
    heading = f"{text(truncate(one.target))} ({text(truncate(one.scenario))})"
    opened = f'<section class="part" aria-labelledby="t{place}"><h2 id="t{place}">{heading}</h2>'
    if not one.n_all:
        return f"{opened}<p>Nobody's value could be learnt rightly in this way.</p></section>"
    told = f"{format_count(one.n_all, 'record')}."
    if one.n_shown < one.n_all:
        told += f" The first {one.n_shown:,} are shown; all are in the CSV file beside this page."
    heads = "".join(f'<th scope="col">{text(truncate(head))}</th>' for head in one.heads)
    label = escape(f"Records at risk, table {place}")
    return (
        f'{opened}<p>{told}</p><div class="scroll" tabindex="0" role="group" aria-label="{label}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{one.rows}</tbody></table></div></section>"
    )
