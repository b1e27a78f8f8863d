"""A codebook, and the differences of two, as they are shown in a notebook and on a console."""

from html import escape
from itertools import islice

from unveil.records.codebook import (
    CodebookDifferences,
    ColumnContents,
    DescribedFile,
    Difference,
    Variable,
)
from unveil.view.codebook_sentences import (
    KINDS,
    NO_DATA,
    RULES,
    TEMPLATES,
    columns,
    findings,
    headline,
    missing,
    values,
)
from unveil.view.format import format_count, lines, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

HEADS = ("column", "label", "kind", "holds", "missing")
DIFFERENCE_HEADS = ("column", "difference", "what to do")
MOST_ROWS = 200
"""Columns shown in a notebook; a page and the documents have all."""


def overview_cells(variable: Variable, found: ColumnContents | None) -> tuple[str, ...]:
    """One column of the file under HEADS."""
    label = truncate(variable.label or "")
    return (
        truncate(variable.name),
        label,
        KINDS[variable.kind],
        values(variable, found),
        missing(found),
    )


def differences_headline(record: CodebookDifferences) -> str:
    """How many differences there are, in a sentence."""
    return differences_keyed(record)[1]


def differences_keyed(record: CodebookDifferences) -> tuple[str, str]:
    """The same, with the name of its template."""
    original, synthetic = (truncate(file) for file in record.files)
    if not record.rows:
        said = TEMPLATES["built alike"].format(copy=synthetic, original=original)
        return "built alike", said
    return "built otherwise", TEMPLATES["built otherwise"].format(
        copy=synthetic,
        original=original,
        n=format_count(len(record.rows), "difference"),
        alike=f"{record.n_alike:,}",
        columns=format_count(record.n_variables_original, "column"),
    )


def difference_cells(row: Difference) -> tuple[str, str, str]:
    """One difference under DIFFERENCE_HEADS."""
    where = "the file" if row.variable is None else truncate(row.variable)
    return where, lines(row.sentence), lines(row.remedy)


@as_text.register
def _(record: DescribedFile) -> str:
    return headline(record)


@as_html.register
def _(record: DescribedFile) -> str:
    rows = [overview_cells(*column) for column in islice(columns(record), MOST_ROWS)]
    left = len(record.codebook.variables) - len(rows)
    said = "".join(
        f"<li>{f'<b>{escape(truncate(where))}</b> ' if where else ''}{escape(sentence)}</li>"
        for where, sentence in findings(record)
    )
    return titled_view(
        headline(record),
        paragraph(NO_DATA if record.declared_only else RULES),
        grid("Columns", HEADS, rows),
        paragraph(f"... and {format_count(left, 'more column')}" if left else None),
        f"<p>What to look at:</p><ul>{said}</ul>" if said else "",
        notes(record.coercions),
    )


@as_text.register
def _(record: CodebookDifferences) -> str:
    return differences_headline(record)


@as_html.register
def _(record: CodebookDifferences) -> str:
    items = "".join(
        f"<li><b>{escape(where)}</b> {escape(sentence)} {escape(remedy)}</li>"
        for where, sentence, remedy in map(difference_cells, record.rows)
    )
    return titled_view(
        differences_headline(record),
        f"<ul>{items}</ul>" if items else "",
        notes(record.coercions),
    )
