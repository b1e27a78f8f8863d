"""Replicated findings as one sealed page: sentences, the picture of intervals, and all tables."""

from html import escape

from unveil.records.replication import Replication
from unveil.view.charts.intervals import overlap
from unveil.view.html import notes, paragraph
from unveil.view.html_page import confidential, figure, page
from unveil.view.replication import lost, sentences, sizes, tables
from unveil.view.show import as_text

CAPTION = "Estimates and confidence intervals: the original above, the copy below it."


def replication_page(record: Replication) -> str:
    """The whole page."""
    said = list(sentences(record))
    reasons = "".join(f"<p>{escape(reason)}</p>" for reason in lost(record))
    return page(
        "Findings replicated",
        [
            f"<h1>{escape(as_text(record))}</h1>",
            confidential(),
            paragraph(sizes(record)),
            *map(paragraph, said[1:]),
            figure(said[0], overlap(record).svg(), caption=CAPTION),
            *(f'<div class="scroll">{table}</div>' for table in tables(record)),
            f'<h2>Not measured</h2><div class="look">{reasons}</div>' if reasons else "",
            notes(record.coercions),
        ],
    )
