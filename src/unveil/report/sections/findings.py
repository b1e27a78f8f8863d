"""Would a reader of the copy come to the same conclusions? Published findings on both files."""

from collections.abc import Iterator

from unveil.records.dossier import Dossier, Parts
from unveil.records.replication import Replication
from unveil.report import replication as replicated
from unveil.report.charts.replication import overlap
from unveil.report.page import SAME_FIGURES, figures, folded
from unveil.report.replication_page import CAPTION
from unveil.report.sections.pictured import pictured, standing, unmeasured
from unveil.report.sections.section import Said, Section
from unveil.report.words import counted


def section(dossier: Dossier, parts: Parts) -> Section | None:
    """Every finding with its intervals; None where none was declared."""
    found = parts.of("findings")
    body = [
        *(part for name_, record in found for part in _findings(name_, record)),
        *(one.html() for one in unmeasured(dossier, "findings", ["findings"])),
    ]
    if not body:
        return None
    note = standing(dossier, [name_ for name_, _ in found])
    return Section("findings", "Published findings on the copy", "".join(body), note)


def _findings(part: str, record: Replication) -> Iterator[str]:
    told = [Said(f"replication/{key}", part, text) for key, text in replicated.keyed(record)]
    yield Said("replication/sizes", part, replicated.sizes(record)).html()
    first, *others = told
    if any(row.difference is not None for row in record.headline_rows):
        yield pictured(first, overlap(record), caption=CAPTION, heads=(), rows=())
    else:
        yield first.html()
    tables = "".join(map(_table, replicated.groups(record)))
    yield folded(SAME_FIGURES, tables)
    yield from (one.html() for one in others)
    yield from _lost(part, record)


def _table(group: replicated.Group) -> str:
    rows = [
        (label, *group.cells(row), *replicated.intervals(row))
        for label, row in zip(group.labels, group.rows, strict=True)
    ]
    return figures(group.title, (group.head, *group.heads, *replicated.INTERVALS), rows)


def _lost(part: str, record: Replication) -> Iterator[str]:
    """Why figures are missing, all of them."""
    n = len(record.not_measured)
    told = [
        Said("replication/not measured", f"{part}|{place}", text).html()
        for place, text in enumerate(replicated.lost(record, most=n))
    ]
    yield folded(f"{counted(n, 'figure')} could not be measured", "".join(told))
