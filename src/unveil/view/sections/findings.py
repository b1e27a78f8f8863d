"""Annex E: published results, computed on both files."""

from collections.abc import Iterator

from unveil.records.replication import Replication
from unveil.records.report import Parts, ReportContents
from unveil.view import replication as replicated
from unveil.view.blocks import Block, Figure, Heading, Sentence, TableBlock, table
from unveil.view.charts.intervals import overlap
from unveil.view.format import format_count
from unveil.view.pages.replication import CAPTION
from unveil.view.sections.shared import fold, unmeasured


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Every published result with its intervals."""
    if any(part.kind == "findings" for part in contents.run.parts):
        yield Heading("Published results on the synthetic data", 3)
    for part, record in parts.of("findings"):
        yield from _findings(part, record)
    yield from unmeasured(contents, ["findings"])


def _findings(part: str, record: Replication) -> Iterator[Block]:
    first, *others = (
        Sentence(text, key=f"replication/{key}", of=part)
        for key, text in replicated.keyed_sentences(record)
    )
    if any(row.difference is not None for row in record.headline_rows):
        yield Figure(first, overlap(record), CAPTION)
    else:
        yield first
    yield from fold("Estimates and intervals", map(_table, replicated.groups(record)))
    yield Sentence(replicated.sizes(record), key="replication/sizes", of=part)
    yield from others
    n = len(record.not_measured)
    lost = [
        Sentence(text, key="replication/not measured", of=f"{part}|{place}")
        for place, text in enumerate(replicated.lost(record, most=n))
    ]
    yield from fold(f"{format_count(n, 'figure')} could not be measured", lost)


def _table(group: replicated.ResultTable) -> TableBlock:
    rows = [
        (label, *group.cells(row), *replicated.intervals(row))
        for label, row in zip(group.labels, group.rows, strict=True)
    ]
    return table(group.title, (group.head, *group.heads, *replicated.INTERVALS), rows)
