"""Would a reader of the copy come to the same conclusions? Published findings on both files."""

from collections.abc import Iterator

from unveil.records.replication import Replication
from unveil.records.report import Parts, ReportContents
from unveil.view import replication as replicated
from unveil.view.charts.intervals import overlap
from unveil.view.format import format_count
from unveil.view.html_page import SAME_FIGURES, figures, render_details
from unveil.view.pages.replication import CAPTION
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import contents_status, render_figure, unmeasured_sentences


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Every finding with its intervals; None where none was declared."""
    found = parts.of("findings")
    body = [
        *(part for name_, record in found for part in _findings(name_, record)),
        *(one.html() for one in unmeasured_sentences(contents, "findings", ["findings"])),
    ]
    if not body:
        return None
    note = contents_status(contents, [name_ for name_, _ in found])
    return Section("findings", "Published findings on the copy", "".join(body), note)


def _findings(part: str, record: Replication) -> Iterator[str]:
    told = [
        Phrase(f"replication/{key}", part, text) for key, text in replicated.keyed_sentences(record)
    ]
    yield Phrase("replication/sizes", part, replicated.sizes(record)).html()
    first, *others = told
    if any(row.difference is not None for row in record.headline_rows):
        yield render_figure(first, overlap(record), caption=CAPTION, heads=(), rows=())
    else:
        yield first.html()
    tables = "".join(map(_table, replicated.groups(record)))
    yield render_details(SAME_FIGURES, tables)
    yield from (one.html() for one in others)
    yield from _lost(part, record)


def _table(group: replicated.ResultTable) -> str:
    rows = [
        (label, *group.cells(row), *replicated.intervals(row))
        for label, row in zip(group.labels, group.rows, strict=True)
    ]
    return figures(group.title, (group.head, *group.heads, *replicated.INTERVALS), rows)


def _lost(part: str, record: Replication) -> Iterator[str]:
    """Why figures are missing, all of them."""
    n = len(record.not_measured)
    told = [
        Phrase("replication/not measured", f"{part}|{place}", text).html()
        for place, text in enumerate(replicated.lost(record, most=n))
    ]
    yield render_details(f"{format_count(n, 'figure')} could not be measured", "".join(told))
