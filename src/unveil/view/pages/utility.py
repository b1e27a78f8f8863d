"""How useful a copy is, as one sealed page: figures, heat map, bars, associations, projection."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from unveil.records.comparison import Cloud, Comparison
from unveil.records.utility import PairTables, Projection, Tstr, Utility, UtilityRow
from unveil.view import comparison as compared
from unveil.view import pair_tables as paired
from unveil.view import projection as projected
from unveil.view import tstr as trained
from unveil.view import utility as told
from unveil.view.charts.bars import distances
from unveil.view.charts.distributions import distribution
from unveil.view.charts.grids import associations, pair_map
from unveil.view.charts.scatter import projection_chart
from unveil.view.format import truncate
from unveil.view.group_notes import group_notes
from unveil.view.html import notes, paragraph
from unveil.view.html_page import confidential, figure, figures, page

TEMPLATES = {
    "times": (
        "A model that tries to tell the two files apart does {x} times as well as chance would; 1"
        " is perfect."
    ),
    "not measured": (
        "How well a model tells the two files apart cannot be held against chance: {why}."
    ),
    "several": "That is the worst of {n} copies.",
    "thumb": (
        "A rule of thumb, from synthpop's vignette on utility: S_pMSE of all pairs of columns below"
        " 10, better below 3."
    ),
    "pair": "Worst pair: {a} by {b}.",
}
CAPTIONS = {
    "pairs": "S_pMSE of every pair of columns; light is like the original, dark blue is not.",
    "distances": "The share of records that would have to change for the shares to be the same.",
    "column": (
        "Grey is the original, blue the copies; what fewer than ten people of the original have has"
        " no grey bar."
    ),
    "associations": "Pearson's correlation, Cramér's V or correlation ratio, by kind of columns.",
    "projection": "Two principal components of the original; points are single records.",
}
MOST_COLUMNS = 60
"""Of how many columns bars are drawn, the most different first."""


@dataclass(frozen=True)
class UtilityFigures:
    """All that was measured of the utility of some copies; None what nobody asked for."""

    utility: Utility
    tables: tuple[PairTables, ...]  # by the number of variables
    comparison: Comparison
    projection: tuple[Projection, Cloud] | None = None
    tstr: Tstr | None = None

    @property
    def pairs(self) -> PairTables | None:
        """The tables of two variables."""
        return next((one for one in self.tables if one.ways == 2), None)


def worst_copy(record: Utility) -> UtilityRow:
    """The copy that is told apart best."""
    return max(record.rows, key=lambda row: (row.S_pMSE or 0.0, row.pMSE))


def headline(found: UtilityFigures) -> Iterator[str]:
    """What to say first."""
    yield from (text for _, text in against_chance(found.utility))
    if found.pairs is not None and (said := worst_pair(found.pairs)):
        yield said
    yield TEMPLATES["thumb"]


def against_chance(record: Utility) -> Iterator[tuple[str, str]]:
    """How well a model does beside chance, each sentence with the name of its template."""
    row = worst_copy(record)
    if row.S_pMSE is None:
        reasons = [one.reason for one in record.not_measured if one.copy == row.copy]
        yield "not measured", TEMPLATES["not measured"].format(why=reasons[0])
    else:
        yield "times", TEMPLATES["times"].format(x=told.figure(row.S_pMSE))
    if len(record.rows) > 1:
        yield "several", TEMPLATES["several"].format(n=len(record.rows))


def worst_pair(record: PairTables) -> str:
    """The pair of columns that differs most; nothing where none is measured."""
    ranked = paired.standardised_rows(record, paired.headline_copy(record))
    if not ranked:
        return ""
    a, b = map(truncate, ranked[0].variables)
    return TEMPLATES["pair"].format(a=a, b=b)


def utility_page(found: UtilityFigures) -> str:
    """The whole page."""
    row = worst_copy(found.utility)
    said = [paragraph(sentence) for sentence in told.sentences(found.utility, row)]
    return page(
        "Utility",
        [
            "<h1>How much of the original's story the copy still tells</h1>",
            confidential(),
            paragraph(told.sizes(found.utility)),
            *map(paragraph, headline(found)),
            "<h2>Can a model tell them apart?</h2>",
            *said,
            _table("By copy", told.HEADS, [told.cells(row) for row in found.utility.rows]),
            *(part for one in found.tables for part in _tables(one)),
            *_columns(found.comparison),
            *_associations(found.comparison),
            *_projection(found),
            *_tstr(found.tstr),
            notes(group_notes(found.utility.coercions)),
        ],
    )


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    return figures(title, *told.without_empty(heads, rows))


def _tables(record: PairTables) -> Iterator[str]:
    copy = paired.headline_copy(record)
    said = list(paired.sentences(record, copy))
    yield f"<h2>Tables of {paired.WAYS[record.ways]}</h2>"
    ranked = paired.standardised_rows(record, copy)
    if record.ways == 2 and ranked:
        yield figure(
            worst_pair(record),
            pair_map(record).svg(),
            caption=CAPTIONS["pairs"],
            heads=paired.HEADS,
            rows=[paired.cells(row) for row in ranked],
        )
    else:
        most = ranked[: paired.MOST_SHOWN]
        title = "The tables that differ most"
        yield _table(title, paired.HEADS, [paired.cells(row) for row in most])
    yield from map(paragraph, said)
    if record.ways > 1:
        scores = [paired.score_cells(one) for one in paired.scores(record, copy)]
        yield _table("By variable", paired.SCORE_HEADS, scores)
    yield from _worst(record, copy)


def _worst(record: PairTables, copy: int) -> Iterator[str]:
    """Where the worst tables differ: cells of ten people and more."""
    for table in record.worst:
        if table.copy == copy and table.S_pMSE > 0:
            sizes = (record.n_original, record.n_synthetic[copy - 1])
            cells = paired.cell_rows(table, *sizes)
            yield _table(paired.locate_table(table), paired.CELL_HEADS, cells)


def _columns(record: Comparison) -> Iterator[str]:
    said = dict(compared.comparison_sentences(record))
    ranked = compared.ranked_distances(record)
    heads, rows = told.without_empty(compared.DISTANCE_HEADS, ranked)
    yield "<h2>Column by column</h2>"
    yield figure(
        said.get("column", said["sizes"]),
        distances(record).svg(),
        caption=CAPTIONS["distances"],
        heads=heads,
        rows=rows,
    )
    yield from _bars(record, [row.column for row in compared.ranked_rows(record)])


def _bars(record: Comparison, columns: Sequence[str]) -> Iterator[str]:
    for column in columns[:MOST_COLUMNS]:
        drawing = distribution(record.distribution_of(column)).svg()
        yield (f"<figure>{drawing}<figcaption>{escape(CAPTIONS['column'])}</figcaption></figure>")
    if len(columns) > MOST_COLUMNS:
        yield paragraph(f"The other {len(columns) - MOST_COLUMNS:,} columns differ less.")


def _associations(record: Comparison) -> Iterator[str]:
    rows = [compared.association_cells(row) for row in compared.changed_associations(record)]
    yield "<h2>What goes together</h2>"
    said = dict(compared.comparison_sentences(record))["association"]
    if not rows:
        yield paragraph(said)
        return
    yield figure(
        said,
        associations(record).svg(),
        caption=CAPTIONS["associations"],
        heads=compared.ASSOCIATION_HEADS,
        rows=rows,
    )


def _projection(found: UtilityFigures) -> Iterator[str]:
    if found.projection is None:
        return
    record, cloud = found.projection
    said = [sentence for _, sentence in projected.projection_sentences(record)]
    yield "<h2>Seen from the original's main axes</h2>"
    yield figure(
        said[0],
        projection_chart(record, cloud),
        caption=CAPTIONS["projection"],
        heads=projected.GROUP_HEADS,
        rows=[projected.group_cells(row) for row in record.rows],
    )
    yield from map(paragraph, said[1:])


def _tstr(record: Tstr | None) -> Iterator[str]:
    if record is None:
        return
    heads = ("trained on", "records", *trained.HEADS[record.kind])
    yield "<h2>Train on synthetic, test on real</h2>"
    yield from (paragraph(sentence) for _, sentence in trained.tstr_sentences(record))
    title = "How well real people are predicted"
    yield _table(title, heads, [trained.row_cells(record, row) for row in record.rows])
