"""The page to sign by itself: page 1 of the report, on one sheet of A4."""

from unveil.records.summary import Summary
from unveil.view.format import truncate
from unveil.view.render_page import render_page
from unveil.view.summary import page_title, summary_blocks


def summary_page(summary: Summary) -> str:
    """The whole page; without a script and without anything from outside."""
    title = f"{truncate(summary.title)}: summary"
    return render_page(title, summary_blocks(summary), heading=page_title(summary))
