"""Does the copy still tell the original's story? Models, pairs, columns, associations, axes."""

from collections.abc import Iterator

from unveil.records.codebook import CodebookDifferences
from unveil.records.comparison import Comparison
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.records.utility import Projection, Utility
from unveil.view import codebook
from unveil.view import comparison as compared
from unveil.view import projection as projected
from unveil.view import utility as told
from unveil.view.charts.grids import correlation_difference, visible_columns
from unveil.view.charts.scatter import projected_groups
from unveil.view.html_page import figures
from unveil.view.pages import utility
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import (
    contents_status,
    number_sentences,
    render_figure,
    render_heading,
    render_warnings,
    unmeasured_sentences,
)
from unveil.view.sections.utility_columns import columns
from unveil.view.sections.utility_pairs import pairs

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


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Everything that was measured about utility; None where nothing was asked for."""
    body = [
        *(part for name_, record in parts.of("utility") for part in _model(name_, record)),
        *(part for name_, record in parts.of("tables") for part in pairs(name_, record)),
        *(part for name_, record in parts.of("compare") for part in columns(name_, record)),
        *(part for name_, record in parts.of("compare") for part in _associations(name_, record)),
        *(part for name_, record in parts.of("projection") for part in _projection(name_, record)),
        *_structure(parts),
        *(one.html() for one in unmeasured_sentences(contents, "utility", KINDS)),
    ]
    if not body:
        return None
    names = [name_ for kind in KINDS for name_, _ in parts.of(kind)]
    if not names:
        body.insert(0, fill_sentence("utility.nothing").html())
    return Section(
        "utility",
        "Where the synthetic copy differs",
        "".join(body),
        contents_status(contents, names),
    )


def _model(part: str, record: Utility) -> Iterator[str]:
    row = utility.worst_copy(record)
    of = f"{part}|{row.copy}"
    yield render_heading("Can a model tell the files apart?")
    first, *others = utility.against_chance(record)
    yield Phrase(f"utility page/{first[0]}", of, first[1]).html("lead")
    for key, text in others:
        yield Phrase(f"utility page/{key}", of, text).html()
    yield Phrase("utility/sizes", part, told.sizes(record)).html()
    for key, text in told.keyed_sentences(record, row):
        yield Phrase(f"utility/{key}", of, text).html()
    rows = [told.cells(one) for one in record.rows]
    yield figures("By copy", *told.without_empty(told.HEADS, rows))


def _associations(part: str, record: Comparison) -> Iterator[str]:
    text = dict(compared.comparison_sentences(record))["association"]
    sentence = Phrase("comparison/association", part, text)
    rows = [compared.association_cells(row) for row in compared.changed_associations(record)]
    yield render_heading("What goes together")
    if len(record.columns) < 2 or not rows:
        yield sentence.html()
        return
    yield render_figure(
        sentence,
        correlation_difference(record),
        caption=CAPTION,
        heads=compared.ASSOCIATION_HEADS,
        rows=rows,
    )
    shown = len(visible_columns(record))
    if shown < len(record.columns):
        n = f"{len(record.columns):,}"
        yield fill_sentence("utility.some", part, n=f"{shown:,}", all=n).html()


def _projection(part: str, record: Projection) -> Iterator[str]:
    keyed = [one for one in projected.projection_sentences(record) if one[0] != "warning"]
    first, *others = number_sentences("projection", part, keyed)
    yield render_heading("Seen from the original's main axes")
    yield render_figure(
        first,
        projected_groups(record),
        caption=AXES,
        heads=projected.GROUP_HEADS,
        rows=[projected.group_cells(row) for row in record.rows],
    )
    yield fill_sentence("utility.groups", part).html()
    yield from (one.html() for one in others)
    yield from render_warnings("utility", part, record.warnings)


def _structure(parts: Parts) -> Iterator[str]:
    found: list[tuple[str, CodebookDifferences]] = parts.of("structure")
    if found:
        yield render_heading("How the files are built")
    for part, record in found:
        key, text = codebook.differences_keyed(record)
        yield Phrase(f"codebook/{key}", part, text).html()
        rows = [codebook.difference_cells(row) for row in record.rows[:MOST_DIFFERENCES]]
        table = codebook.DIFFERENCE_HEADS
        yield figures("What differs, the gravest first", table, rows).replace(" figures", "", 1)
