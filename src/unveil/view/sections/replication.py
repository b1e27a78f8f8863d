"""Annex E: published results, computed on both files."""

from collections.abc import Iterator

from unveil.records.report import Parts, ReportContents
from unveil.view.blocks import Block, Heading
from unveil.view.replication import TITLE, replication_detail
from unveil.view.sections.shared import unmeasured


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Every published result with its intervals."""
    if any(part.kind == "findings" for part in contents.run.parts):
        yield Heading(TITLE, 3)
    for part, record in parts.of("findings"):
        yield from replication_detail(record, part)
    yield from unmeasured(contents, ["findings"])
