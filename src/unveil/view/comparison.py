"""Distributions and associations of the synthetic data beside the original's."""

from collections.abc import Iterator

from unveil.records.comparison import AssociationRow, Comparison, DistanceRow, PairCounts
from unveil.view.blocks import Block, Heading, Sentence, notes
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import figure_row, percent_bars
from unveil.view.charts.marks import SYNTHETIC, truncate_name
from unveil.view.format import format_count, format_figure, percent, truncate
from unveil.view.pair_tables import is_few
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import filled_table, first_rows

CONFIDENTIAL = "Confidential: it shows figures of the original."
MEASURES = {
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
    "cramer_v": "Cramér's V",
    "correlation_ratio": "correlation ratio",
}
DISTANCE_HEADS = (
    "column",
    "kind",
    "Hellinger",
    "total variation",
    "Wasserstein",
    "in SD",
    "missing, points",
)
ASSOCIATION_HEADS = ("columns", "measure", "original", "synthetic", "difference")
MOST_ROWS = 10
MOST_COLUMNS = 15
HALF_A_TENTH = 0.05
FEW = "few"
"""Instead of a figure of fewer than ten people of the original."""


def comparison_sentences(record: Comparison) -> Iterator[tuple[str, str]]:
    """What the comparison says, by the name of what is said."""
    copies = copies_of(record)
    columns = format_count(len(record.columns), "column")
    n, m = format_count(record.n_original, "record"), (f"{n:,}" for n in record.n_synthetic)
    yield "sizes", f"{columns} compared: {n} in the original, {' + '.join(m)} in {copies}."
    worst = most_different(record)
    if worst is not None and worst.total_variation:
        share = percent(100 * worst.total_variation)
        move = "move to another band" if is_in_bands(record, worst) else "change"
        yield (
            "column",
            f"{truncate(worst.column)} differs most: total variation distance {share} (share of"
            f" records in {copies} that would have to {move}).",
        )
    elif worst is not None:
        yield "column", f"Every column has the same distribution in the original and in {copies}."
    yield "association", _association(record)


def is_in_bands(record: Comparison, row: DistanceRow) -> bool:
    """Whether shares are of bins of numbers, and not of single answers."""
    return record.distribution_of(row.column).histogram is not None


def copies_of(record: Comparison) -> str:
    """The copies in a sentence."""
    n = len(record.n_synthetic)
    return "the synthetic data" if n == 1 else f"the {n} copies"


def _association(record: Comparison) -> str:
    row = record.most_changed
    if row is None:
        return "No association could be computed."
    if not row.difference:
        return "No association changed."
    return (
        f"The association of {truncate(row.a)} and {truncate(row.b)} changed most:"
        f" {MEASURES[row.measure]} {figure(row.original)} in the original, {figure(row.synthetic)}"
        f" in {copies_of(record)}."
    )


def most_different(record: Comparison) -> DistanceRow | None:
    """The column with the largest total variation in the headline copy."""
    known = [row for row in headline_rows(record) if row.total_variation is not None]
    return max(known, key=lambda row: row.total_variation or 0.0, default=None)


def headline_rows(record: Comparison) -> list[DistanceRow]:
    """Distances of the only copy, or of the mean of all."""
    return [row for row in record.rows if row.copy == record.headline_copy]


def ranked_rows(record: Comparison) -> list[DistanceRow]:
    """Distances of the headline copy, the most different column first."""
    return sorted(headline_rows(record), key=lambda row: -(row.total_variation or 0.0))


def ranked_distances(record: Comparison) -> list[tuple[str, ...]]:
    """The columns under DISTANCE_HEADS, the most different first."""
    return [distance_cells(record, row) for row in ranked_rows(record)]


def distance_cells(record: Comparison, row: DistanceRow) -> tuple[str, ...]:
    """One column under DISTANCE_HEADS."""
    moved = "-" if row.wasserstein is None else f"{row.wasserstein:,.4g}"
    figures = (figure(row.hellinger, 4), figure(row.total_variation, 4))
    missing = _missing(record, row)
    return (truncate(row.column), row.kind, *figures, moved, figure(row.wasserstein_sd), missing)


def _missing(record: Comparison, row: DistanceRow) -> str:
    """How many points more are missing in the synthetic data; "few" for few people."""
    if row.missing_difference is None:
        return "-"
    levels = record.distribution_of(row.column).levels
    without = [one for one in levels if one.kind in ("missing", "special")]
    is_hidden = is_few(sum(one.n_original for one in without))
    return FEW if is_hidden else _points(row.missing_difference)


def _points(value: float) -> str:
    if abs(value) < 1e-9:
        return "0"
    return f"{value:+.1f}" if abs(value) >= HALF_A_TENTH else "0.0"


def association_cells(row: AssociationRow) -> tuple[str, ...]:
    """One pair under ASSOCIATION_HEADS."""
    signed = "-" if row.difference is None else _format_signed(row.difference)
    pair = f"{truncate(row.a)} and {truncate(row.b)}"
    return pair, MEASURES[row.measure], figure(row.original), figure(row.synthetic), signed


def _format_signed(value: float) -> str:
    shown = f"{value:+.3f}"
    return shown if float(shown) else "0.000" if value else "0"


def figure(value: float | None, digits: int = 3) -> str:
    """A measure without a unit; never a positive 0.000."""
    return format_figure(value, digits)


def changed_associations(record: Comparison) -> list[AssociationRow]:
    """The associations that changed most in the headline copy, the largest change first."""
    known = [
        row
        for row in record.associations
        if row.copy == record.headline_copy and row.difference is not None
    ]
    return sorted(known, key=lambda row: -abs(row.difference or 0.0))[:MOST_ROWS]


def distances(record: Comparison, *, most: int | None = None) -> Chart:
    """Total variation of every column, or of so many, the most different first."""
    shares = [(row.column, row.total_variation) for row in ranked_rows(record)]
    rows = [
        figure_row(truncate_name(column), 100 * share, percent(100 * share))
        for column, share in shares
        if share is not None
    ]
    axis = "percent of records that would have to change"
    chart = percent_bars(rows[:most], axis, SYNTHETIC, "Total variation distance by column")
    return chart if rows else Chart(chart.spec, chart.title, "No column could be compared.")


@as_text.register
def _(record: Comparison) -> str:
    said = dict(comparison_sentences(record))
    return f"Comparison: {said['sizes']} {said['association']}"


def column_blocks(record: Comparison) -> Iterator[Block]:
    """The columns, the most different first."""
    if text := dict(comparison_sentences(record)).get("column"):
        yield Sentence(text)
    found = first_rows(ranked_distances(record), MOST_COLUMNS, "columns")
    yield filled_table("Columns, the most different first", DISTANCE_HEADS, **found)


def association_blocks(record: Comparison) -> Iterator[Block]:
    """The associations that changed most."""
    yield Sentence(dict(comparison_sentences(record))["association"])
    rows = [*map(association_cells, changed_associations(record))]
    yield filled_table("Associations, the most changed first", ASSOCIATION_HEADS, rows)


@as_blocks.register
def _(record: Comparison) -> Iterator[Block]:
    yield Heading("Distributions and associations")
    yield Sentence(dict(comparison_sentences(record))["sizes"], "lead")
    yield Sentence(CONFIDENTIAL)
    yield from column_blocks(record)
    yield from association_blocks(record)
    yield from notes(record.coercions)


@as_text.register
def _(record: PairCounts) -> str:
    return (
        f"{truncate(record.a)} and {truncate(record.b)}: {sum(record.n_original):,} people in the"
        f" original and {sum(record.n_synthetic):,} synthetic records in {len(record.x):,} hexagons"
    )
