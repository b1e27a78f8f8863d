"""Annex E: how closely analyses of the synthetic data agree with the original."""

from collections.abc import Iterator

from unveil.records.codebook import CodebookDifferences
from unveil.records.comparison import Comparison, DistanceRow
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.records.utility import PairTables, Projection, Utility
from unveil.view import codebook
from unveil.view import comparison as compared
from unveil.view import pair_tables as paired
from unveil.view import projection as projected
from unveil.view import utility as modelled
from unveil.view.blocks import Block, Figure, Heading, Sentence, table
from unveil.view.charts.distributions import HEADS, distribution, distribution_rows
from unveil.view.charts.grids import correlation_difference, pair_map, visible_columns
from unveil.view.format import and_list, format_count, percent, truncate
from unveil.view.sections.shared import fold, number_sentences, unmeasured, warn

KINDS: tuple[Kind, ...] = ("utility", "tables", "compare", "projection", "structure")
TITLES = {1: "Single columns", 2: "Pairs of columns", 3: "Three columns at a time"}
PAIRS = "S_pMSE of every pair of columns; light is like the original, dark blue is not."
DISTANCES = "Total variation distance: the share of records that would have to change."
AXES = (
    "Two principal components of the original. A mark is the mean of a file; cross and ellipse are"
    " one standard deviation. No single record is drawn."
)
BARS = (
    "Grey: original; blue: synthetic data. What fewer than ten people of the original have has no"
    " grey bar."
)
CAPTION = (
    "Association in the synthetic data less that in the original: Pearson's correlation of two"
    " numbers, Cramér's V of two categories, correlation ratio of a number and a category. White:"
    " not measured."
)
MOST_DIFFERENCES = 60
MOST_VARIABLES = 24
"""Columns in the map: of more, those whose pairs differ most."""
MOST_ROWS = 20
MOST_WORST = 3
MOST_DRAWN = 8
"""Columns in the chart of distances, the most different first; its table has them all."""
MOST_COLUMNS = 24


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Everything that was measured about utility."""
    if not any(part.kind in KINDS for part in contents.run.parts):
        return
    for part, record in parts.of("utility"):
        yield from model_blocks(part, record)
    for part, record in parts.of("tables"):
        yield from pair_blocks(part, record)
    for part, record in parts.of("compare"):
        yield from column_blocks(part, record)
        yield from association_blocks(part, record)
    for part, record in parts.of("projection"):
        yield from fold("On the original's principal components", _projection(part, record))
    yield from _structure(parts)
    if not any(parts.of(kind) for kind in KINDS):
        text = "Utility was not measured: low risk by itself does not make data useful."
        yield Sentence(text, "look", "utility.nothing")
    yield from unmeasured(contents, KINDS)


def model_blocks(part: str, record: Utility) -> Iterator[Block]:
    """How well a model separates the files; what it is, in words, unfolds."""
    row = modelled.worst_copy(record)
    of = f"{part}|{row.copy}"
    yield Heading("Propensity score: can a model distinguish the files?", 3)
    for place, (key, text) in enumerate(modelled.against_chance(record)):
        yield Sentence(text, "plain" if place else "lead", f"utility page/{key}", of)
    heads, rows = modelled.without_empty(
        modelled.HEADS, [modelled.cells(one) for one in record.rows]
    )
    yield table("", heads, rows)
    said = [Sentence(modelled.sizes(record), key="utility/sizes", of=part)]
    said += [
        Sentence(text, key=f"utility/{key}", of=of)
        for key, text in modelled.utility_sentences(record, row)
    ]
    yield from fold("The model in words", said)


def pair_blocks(part: str, record: PairTables) -> Iterator[Block]:
    """The map of all pairs with its sentences; tables of other sizes in words alone."""
    copy = paired.headline_copy(record)
    of = f"{part}|{copy}"
    ranked = paired.standardised_rows(record, copy)
    yield Heading(TITLES[record.ways], 3)
    if record.ways == 2 and ranked:
        shown = visible_variables(record, copy)
        a, b = map(truncate, ranked[0].variables)
        text = f"Worst pair: {a} by {b}, S_pMSE {modelled.figure(ranked[0].S_pMSE)}."
        rows = [paired.cells(row) for row in ranked[:MOST_ROWS]]
        yield Figure(
            Sentence(text, "lead", "utility.worst pair", of),
            pair_map(record, copy, variables=shown),
            PAIRS,
            table("", paired.HEADS, rows),
        )
        if len(shown) < len(record.variables):
            yield _some(part, len(shown), len(record.variables))
    for key, text in paired.pair_sentences(record, copy):
        if key != "worst" or record.ways != 2:  # the map says it
            yield Sentence(text, key=f"pair tables/{key}", of=of)
    yield from fold("Where they differ", _where(record, copy))


def _some(part: str, n: int, total: int) -> Sentence:
    text = f"The chart has the {n:,} columns that differ most, of {total:,}."
    return Sentence(text, key="utility.some", of=part)


def visible_variables(record: PairTables, copy: int) -> list[str]:
    """The columns of the map, in the order of the file."""
    if len(record.variables) <= MOST_VARIABLES:
        return list(record.variables)
    worst = {one.variable for one in paired.scores(record, copy)[:MOST_VARIABLES]}
    worst |= set(paired.standardised_rows(record, copy)[0].variables)
    return [variable for variable in record.variables if variable in worst]


def _where(record: PairTables, copy: int) -> Iterator[Block]:
    """Scores of the columns, and cells of ten people and more of the worst tables."""
    if record.ways > 1:
        scores = [paired.score_cells(one) for one in paired.scores(record, copy)]
        yield table("By column", paired.SCORE_HEADS, scores)
    sizes = (record.n_original, record.n_synthetic[copy - 1])
    worst = [one for one in record.worst if one.copy == copy and one.S_pMSE > 0]
    for one in worst[:MOST_WORST]:
        cells = paired.cell_rows(one, *sizes)
        yield table(paired.locate_table(one), paired.CELL_HEADS, cells)


def column_blocks(part: str, record: Comparison, most: int = MOST_COLUMNS) -> Iterator[Block]:
    """How far every column is from the original, and bars of those that differ most."""
    said = dict(compared.comparison_sentences(record))
    ranked = compared.ranked_rows(record)
    yield Heading("Distributions, column by column", 3)
    sizes = Sentence(said["sizes"], key="comparison/sizes", of=part)
    if not ranked or "column" not in said:
        yield sizes
        return
    heads, rows = modelled.without_empty(compared.DISTANCE_HEADS, compared.ranked_distances(record))
    lead = Sentence(said["column"], "lead", "comparison/column", part)
    caption = DISTANCES
    if len(rows) > MOST_DRAWN:
        caption = f"The {MOST_DRAWN} columns that differ most. {caption}"
    chart = compared.distances(record, most=MOST_DRAWN)
    yield Figure(lead, chart, caption, table("", heads, rows))
    yield sizes
    drawn = [_bars(part, record, row) for row in ranked[:most]]
    columns = format_count(len(drawn), "column")
    detail: list[Block] = [Sentence(BARS), *drawn] if drawn else []
    yield from fold(f"Distributions of {columns}, the most different first", detail)
    if n := len(ranked) - len(drawn):
        text = f"{n:,} more columns differ less; the table of columns has their figures."
        yield Sentence(text, key="utility.more columns", of=part)


def _bars(part: str, record: Comparison, row: DistanceRow) -> Figure:
    found = record.distribution_of(row.column)
    column = truncate(row.column)
    if not row.total_variation:
        text, key = f"{column}: same distribution in both files.", "utility.alike"
    else:
        share = percent(100 * row.total_variation)
        bands = " in bands" if compared.is_in_bands(record, row) else ""
        text, key = f"{column}: total variation distance{bands} {share}.", "utility.column"
    return Figure(
        Sentence(text, key=key, of=f"{part}|{row.column}|{row.copy}"),
        distribution(found),
        "",
        table("", HEADS, distribution_rows(found)),
    )


def association_blocks(part: str, record: Comparison) -> Iterator[Block]:
    """The associations that changed most."""
    text = dict(compared.comparison_sentences(record))["association"]
    sentence = Sentence(text, "lead", "comparison/association", part)
    rows = [compared.association_cells(row) for row in compared.changed_associations(record)]
    yield Heading("Associations", 3)
    if len(record.columns) < 2 or not rows:
        yield sentence
        return
    figures = table("", compared.ASSOCIATION_HEADS, rows)
    yield Figure(sentence, correlation_difference(record), CAPTION, figures, is_printed=False)
    shown = len(visible_columns(record))
    if shown < len(record.columns):
        yield _some(part, shown, len(record.columns))


def _projection(part: str, record: Projection) -> Iterator[Block]:
    keyed = [one for one in projected.projection_sentences(record) if one[0] != "warning"]
    first, *others = number_sentences("projection", part, keyed)
    rows = [projected.group_cells(row) for row in record.rows]
    yield Figure(
        first, projected.projected_groups(record), AXES, table("", projected.GROUP_HEADS, rows)
    )
    yield from others
    yield from warn("utility", part, record.warnings)


def _structure(parts: Parts) -> Iterator[Block]:
    found: list[tuple[str, CodebookDifferences]] = parts.of("structure")
    yield from [Heading("Structure of the files", 3)] if found else []
    alike = [one for one in found if not one[1].rows]
    if len(alike) > 1:
        names = and_list(one.files[1] for _, one in alike)
        text = f"{names} have the structure of {truncate(alike[0][1].files[0])}: no differences."
        yield Sentence(text, key="utility.built alike", of=alike[0][0])
        found = [one for one in found if one[1].rows]
    for part, record in found:
        key, text = codebook.differences_keyed(record)
        yield Sentence(text, key=f"codebook/{key}", of=part)
        rows = [codebook.difference_cells(row) for row in record.rows[:MOST_DIFFERENCES]]
        shown = table("", codebook.DIFFERENCE_HEADS, rows, text=codebook.DIFFERENCE_HEADS)
        yield from fold("Differences of structure, the gravest first", [shown] if rows else [])
