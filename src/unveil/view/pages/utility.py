"""Utility of synthetic data as one page, on a terminal and as documents: all that was measured."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unveil.records.comparison import Cloud, Comparison
from unveil.records.utility import PairTables, Projection, Tstr, Utility
from unveil.view import comparison as compared
from unveil.view import pair_tables as paired
from unveil.view import utility as separated
from unveil.view.blocks import Block, Figure, Folded, Heading, Sentence, notes, sentences
from unveil.view.charts.bars import distances
from unveil.view.charts.distributions import distribution
from unveil.view.charts.grids import associations, pair_map
from unveil.view.charts.scatter import projection_chart
from unveil.view.format import format_count, truncate
from unveil.view.group_notes import group_notes
from unveil.view.projection import projection_blocks
from unveil.view.render_documents import csv_document, json_text
from unveil.view.render_page import illustrate, render_page
from unveil.view.tstr import tstr_blocks

TITLE = "Utility of the synthetic data"
TEMPLATES = {
    "times": "S_pMSE {x} (1 = no more than chance; below 3 good, above 10 poor).",
    "not measured": "S_pMSE of all columns cannot be computed: {why}.",
}
CAPTIONS = {
    "pairs": "S_pMSE of every pair of columns; light is like the original, dark blue is not.",
    "distances": "Total variation distance: the share of records that would have to change.",
    "column": (
        "Grey: original; blue: synthetic data. What fewer than ten people of the original have has"
        " no grey bar."
    ),
    "associations": "Pearson's correlation, Cramér's V or correlation ratio, by kind of columns.",
    "projection": "Two principal components of the original; points are single records.",
}
MOST_COLUMNS = 60
"""Of how many columns bars are drawn, the most different first."""
worst_copy = separated.worst_copy


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
    yield from (text for _, text in against_chance(found.utility))
    if found.pairs is not None:
        yield worst_pair(found.pairs)


def against_chance(record: Utility) -> Iterator[tuple[str, str]]:
    """How well a model does beside chance, each sentence with the name of its template."""
    row = worst_copy(record)
    if row.S_pMSE is None:
        reasons = [one.reason for one in record.not_measured if one.copy == row.copy]
        yield "not measured", TEMPLATES["not measured"].format(why=reasons[0])
    else:
        yield "times", TEMPLATES["times"].format(x=separated.figure(row.S_pMSE))
    if len(record.rows) > 1:
        yield "several", f"This is the worst of {len(record.rows)} copies."


def worst_pair(record: PairTables) -> str:
    """The pair of columns that differs most; nothing where none is measured."""
    ranked = paired.standardised_rows(record, paired.headline_copy(record))
    if not ranked:
        return ""
    a, b = map(truncate, ranked[0].variables)
    return f"Worst pair of variables: {a} by {b} (S_pMSE {separated.figure(ranked[0].S_pMSE)})."


def utility_blocks(
    found: UtilityFigures, *, has_associations: bool = True, has_charts: bool = False
) -> Iterator[Block]:
    """All that a custodian sees, in the order they need it; charts on a page only."""
    record = found.utility
    yield Sentence(separated.sizes(record), "lead")
    yield from sentences(headline(found))
    yield Heading("Can a model separate the files?", 2)
    keyed = separated.keyed_sentences(record, worst_copy(record))
    yield from sentences(text for key, text in keyed if key not in ("S", "no S"))
    yield separated.model_table(record)
    for one in found.tables:
        yield Heading(f"Tables of {paired.WAYS[one.ways]}", 2)
        yield from paired.table_blocks(one)
    yield Heading("Distributions of single columns", 2)
    yield from compared.column_blocks(found.comparison)
    if has_charts:
        yield _bars(found.comparison)
    if has_associations:
        yield Heading("Associations", 2)
        yield from compared.association_blocks(found.comparison)
    if found.projection is not None:
        yield Heading("Principal components of the original", 2)
        yield from projection_blocks(found.projection[0])
    if found.tstr is not None:
        yield Heading("Train on synthetic, test on real", 2)
        yield from tstr_blocks(found.tstr)
    yield from notes(group_notes(record.coercions))


def _charts(found: UtilityFigures) -> Iterator[tuple[str, Callable[[Sentence], Figure]]]:
    """The charts of a page, each by the key of the sentence that it supports."""
    record = found.comparison
    rows = compared.ranked_distances(record)
    every = separated.filled_table("", compared.DISTANCE_HEADS, rows)
    yield (
        "comparison/column",
        lambda text: Figure(text, distances(record), CAPTIONS["distances"], every),
    )
    if compared.changed_associations(record):
        yield (
            "comparison/association",
            lambda text: Figure(text, associations(record), CAPTIONS["associations"]),
        )
    if (pairs := found.pairs) is not None:
        ranked = paired.standardised_rows(pairs, paired.headline_copy(pairs))
        table = separated.filled_table("", paired.HEADS, [*map(paired.cells, ranked)])
        yield (
            "pair tables/worst",
            lambda text: Figure(text, pair_map(pairs), CAPTIONS["pairs"], table),
        )
    if (placed := found.projection) is not None:
        yield (
            "projection/explained",
            lambda text: Figure(text, projection_chart(*placed), CAPTIONS["projection"]),
        )


def _bars(record: Comparison) -> Folded:
    drawn = compared.ranked_rows(record)[:MOST_COLUMNS]
    charts = tuple(
        Figure(
            Sentence(compared.describe_column(row)),
            distribution(record.distribution_of(row.column)),
            CAPTIONS["column"],
        )
        for row in drawn
    )
    return Folded(f"Bars of {format_count(len(drawn), 'column')}, the most different first", charts)


def utility_page(found: UtilityFigures) -> str:
    """The whole page."""
    return render_page(
        TITLE, illustrate(utility_blocks(found, has_charts=True), dict(_charts(found)))
    )


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
