"""Utility of synthetic data as one page, on a terminal and as documents: all that was measured."""

from collections.abc import Iterator
from dataclasses import dataclass

from unveil.records.comparison import Cloud, Comparison
from unveil.records.utility import PairTables, Projection, Tstr, Utility
from unveil.view import comparison as compared
from unveil.view import pair_tables as paired
from unveil.view import utility as separated
from unveil.view.blocks import Block, Figure, Heading, Sentence, notes, sentences
from unveil.view.format import truncate
from unveil.view.projection import projection_blocks, projection_chart
from unveil.view.render_documents import csv_document, json_text
from unveil.view.render_page import render_page
from unveil.view.sections import utility as section
from unveil.view.tstr import tstr_blocks

TITLE = "Utility of the synthetic data"
MOST_COLUMNS = 60
"""Of how many columns bars are drawn, the most different first."""
POINTS = "Two principal components of the original; points are single records."


@dataclass(frozen=True)
class UtilityFigures:
    """All that was measured of the utility of synthetic data; None what was not asked for."""

    utility: Utility
    tables: tuple[PairTables, ...]  # by the number of variables
    comparison: Comparison
    projection: tuple[Projection, Cloud] | None = None
    tstr: Tstr | None = None

    @property
    def pairs(self) -> PairTables | None:
        """The tables of two variables."""
        return next((one for one in self.tables if one.ways == 2), None)


def headline(found: UtilityFigures) -> Iterator[str]:
    """What to say first."""
    yield from (text for _, text in separated.against_chance(found.utility))
    if found.pairs is not None:
        yield worst_pair(found.pairs)


def worst_pair(record: PairTables) -> str:
    """The pair of columns that differs most; nothing where none is measured."""
    ranked = paired.standardised_rows(record, paired.headline_copy(record))
    if not ranked:
        return ""
    a, b = map(truncate, ranked[0].variables)
    return f"Worst pair of variables: {a} by {b} (S_pMSE {separated.figure(ranked[0].S_pMSE)})."


def utility_blocks(found: UtilityFigures, *, has_associations: bool = True) -> Iterator[Block]:
    """All that a custodian sees on a terminal, in the order they need it."""
    record = found.utility
    yield Sentence(separated.sizes(record), "lead")
    yield from sentences(headline(found))
    yield Heading("Can a model separate the files?", 2)
    keyed = separated.utility_sentences(record, separated.worst_copy(record))
    yield from sentences(text for key, text in keyed if key not in ("S", "no S"))
    yield separated.model_table(record)
    for one in found.tables:
        yield Heading(f"Tables of {paired.WAYS[one.ways]}", 2)
        yield from paired.table_blocks(one)
    yield Heading("Distributions of single columns", 2)
    yield from compared.column_blocks(found.comparison)
    if has_associations:
        yield Heading("Associations", 2)
        yield from compared.association_blocks(found.comparison)
    if found.projection is not None:
        yield Heading("Principal components of the original", 2)
        yield from projection_blocks(found.projection[0])
    yield from _last_blocks(found)


def _last_blocks(found: UtilityFigures) -> Iterator[Block]:
    if found.tstr is not None:
        yield Heading("Train on synthetic, test on real", 2)
        yield from tstr_blocks(found.tstr)
    yield from notes(found.utility.coercions)


def utility_page(found: UtilityFigures) -> str:
    """The whole page: the records as in annex E of a report, and single records as points."""
    return render_page(TITLE, _page_blocks(found))


def _page_blocks(found: UtilityFigures) -> Iterator[Block]:
    yield from section.model_blocks("", found.utility)
    for one in found.tables:
        yield from section.pair_blocks("", one)
    yield from section.column_blocks("", found.comparison, MOST_COLUMNS)
    yield from section.association_blocks("", found.comparison)
    if found.projection is not None:
        yield Heading("Principal components of the original", 3)
        first, *others = projection_blocks(found.projection[0])
        assert isinstance(first, Sentence)
        yield Figure(first, projection_chart(*found.projection), POINTS)
        yield from others
    yield from _last_blocks(found)


def utility_document(found: UtilityFigures, *, has_associations: bool) -> str:
    """All that was asked for as JSON, each the record of its own call."""
    made = {
        "utility": found.utility.to_dict(),
        "tables": [one.to_dict() for one in found.tables],
        "comparison": found.comparison.to_dict() if has_associations else None,
        "projection": None if found.projection is None else found.projection[0].to_dict(),
        "tstr": None if found.tstr is None else found.tstr.to_dict(),
    }
    return json_text(made)


def tables_csv(found: UtilityFigures) -> str:
    """Every table as one line of CSV, all its measures beside it."""
    rows = [
        {**row.to_dict(), "ways": record.ways, "variables": " : ".join(row.variables)}
        for record in found.tables
        for row in record.rows
    ]
    return f"{csv_document(rows)}\n"
