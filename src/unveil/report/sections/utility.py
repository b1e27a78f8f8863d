"""Does the copy still tell the original's story? Models, pairs, columns, associations, axes."""

from collections.abc import Iterator

from unveil.records.codebook_differences import CodebookDifferences
from unveil.records.comparison import Comparison
from unveil.records.dossier import Dossier, Parts
from unveil.records.projection import Projection
from unveil.records.run import Kind
from unveil.records.utility import Utility
from unveil.report import codebook, utility_page
from unveil.report import comparison as compared
from unveil.report import projection as projected
from unveil.report import utility as told
from unveil.report.catalogue import said
from unveil.report.charts.correlation_difference import correlation_difference, shown_columns
from unveil.report.charts.projected_groups import projected_groups
from unveil.report.page import figures
from unveil.report.sections.pictured import (
    heading,
    numbered,
    pictured,
    standing,
    unmeasured,
    warned,
)
from unveil.report.sections.section import Said, Section
from unveil.report.sections.utility_columns import columns
from unveil.report.sections.utility_pairs import pairs

KINDS: tuple[Kind, ...] = ("utility", "tables", "compare", "projection", "structure")
AXES = (
    "Two principal components of the original. A mark is the mean of a file, its cross and ellipse"
    " are one standard deviation."
)
CAPTION = (
    "Association in the copy less that in the original: Pearson's correlation of two numbers,"
    " Cramér's V of two categories, the correlation ratio of a number and a category. White: not"
    " measured."
)
MOST_DIFFERENCES = 60


def section(dossier: Dossier, parts: Parts) -> Section | None:
    """Everything that was measured about utility; None where nothing was asked for."""
    body = [
        *(part for name_, record in parts.of("utility") for part in _model(name_, record)),
        *(part for name_, record in parts.of("tables") for part in pairs(name_, record)),
        *(part for name_, record in parts.of("compare") for part in columns(name_, record)),
        *(part for name_, record in parts.of("compare") for part in _associations(name_, record)),
        *(part for name_, record in parts.of("projection") for part in _projection(name_, record)),
        *_structure(parts),
        *(one.html() for one in unmeasured(dossier, "utility", KINDS)),
    ]
    if not body:
        return None
    names = [name_ for kind in KINDS for name_, _ in parts.of(kind)]
    if not names:
        body.insert(0, said("utility.nothing").html())
    return Section(
        "utility", "Where the synthetic copy differs", "".join(body), standing(dossier, names)
    )


def _model(part: str, record: Utility) -> Iterator[str]:
    row = utility_page.worst_copy(record)
    of = f"{part}|{row.copy}"
    yield heading("Can a model tell the files apart?")
    first, *others = utility_page.against_chance(record)
    yield Said(f"utility page/{first[0]}", of, first[1]).html("lead")
    for key, text in others:
        yield Said(f"utility page/{key}", of, text).html()
    yield Said("utility/sizes", part, told.sizes(record)).html()
    for key, text in told.keyed(record, row):
        yield Said(f"utility/{key}", of, text).html()
    rows = [told.cells(one) for one in record.rows]
    yield figures("By copy", *told.without_empty(told.HEADS, rows))


def _associations(part: str, record: Comparison) -> Iterator[str]:
    text = dict(compared.comparison_sentences(record))["association"]
    sentence = Said("comparison/association", part, text)
    rows = [compared.association_cells(row) for row in compared.changed_associations(record)]
    yield heading("What goes together")
    if len(record.columns) < 2 or not rows:
        yield sentence.html()
        return
    yield pictured(
        sentence,
        correlation_difference(record),
        caption=CAPTION,
        heads=compared.ASSOCIATION_HEADS,
        rows=rows,
    )
    shown = len(shown_columns(record))
    if shown < len(record.columns):
        n = f"{len(record.columns):,}"
        yield said("utility.some", part, n=f"{shown:,}", all=n).html()


def _projection(part: str, record: Projection) -> Iterator[str]:
    keyed = [one for one in projected.projection_sentences(record) if one[0] != "warning"]
    first, *others = numbered("projection", part, keyed)
    yield heading("Seen from the original's main axes")
    yield pictured(
        first,
        projected_groups(record),
        caption=AXES,
        heads=projected.GROUP_HEADS,
        rows=[projected.group_cells(row) for row in record.rows],
    )
    yield said("utility.groups", part).html()
    yield from (one.html() for one in others)
    yield from warned("utility", part, record.warnings)


def _structure(parts: Parts) -> Iterator[str]:
    found: list[tuple[str, CodebookDifferences]] = parts.of("structure")
    if found:
        yield heading("How the files are built")
    for part, record in found:
        key, text = codebook.differences_keyed(record)
        yield Said(f"codebook/{key}", part, text).html()
        rows = [codebook.difference_cells(row) for row in record.rows[:MOST_DIFFERENCES]]
        table = codebook.DIFFERENCE_HEADS
        yield figures("What differs, the gravest first", table, rows).replace(" figures", "", 1)
