"""Rounding schemes side by side in sentences and blocks."""

from collections.abc import Iterator, Sequence

from unveil.records.count_tables import BandRow, RoundingComparison, SchemeSummary
from unveil.view.blocks import Block, Heading, Sentence, sentences, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.lines import SAP, StepLine, curve_table, sap_curve
from unveil.view.format import and_list, format_count, people, truncate
from unveil.view.sap import CURVE, reading_notes
from unveil.view.show import as_blocks, as_text

SUMMARY_HEADS = ("scheme", "risk\nfrom n", "exceeds\nfrom n", "tables\nexceeding", "mean\nchange")
HELLINGER_HEAD = "Hellinger"
MOST_BESIDE = 4
"""So many schemes stand in one table."""
BAND_HEADS = ("n", "=0", *(f"<.{tenth}" for tenth in range(1, 10)), "<1", "=1")


def comparison_sentences(record: RoundingComparison) -> Iterator[tuple[str, str]]:
    """What each scheme discloses and costs, by the name of the figure."""
    for row in record.summaries:
        yield "scheme", _scheme(record, row)
    if any(row.n_draws > 1 for row in record.rows):
        d = format_count(record.draws, "time")
        drawn = f"Schemes that draw were drawn {d} for every table"
        yield "draws", f"{drawn}; their figures are means over the draws."
    if not all(row.complete for row in record.rows):
        text = "Some curves are certified lower bounds only: SAP may be higher than is shown."
        yield "bounds", text
    elif len(record.summaries) > 1:
        yield "choice", _choice(record)


def _scheme(record: RoundingComparison, row: SchemeSummary) -> str:
    n_first, n_pass = (record.n_max if n is None else n for n in (row.first_risk, row.passes))
    first, t = people(n_first), f"SAP exceeds {record.threshold:g}"
    kinds = (
        f"the risk starts at {first} known",
        f"the risk starts at {first} known at the latest",
        f"no risk up to {first} known",
        f"no risk is shown up to {first} known, nor that there is none",
    )
    starts = _when(row.first_risk, _could(record, row.scheme, 0), kinds)
    if row.first_risk == 0:
        starts = "the published table itself discloses a zero"
    kinds = (
        f"{t} from {n_pass:,}",
        f"{t} from {n_pass:,} at the latest",
        f"SAP does not exceed {record.threshold:g} up to {n_pass:,}",
        f"whether {t} up to {n_pass:,} is not known",
    )
    passes = _when(row.passes, _could(record, row.scheme, record.threshold), kinds)
    is_open = not all(one.complete for one in record.rows if one.scheme == row.scheme)
    tables = f" ({'at least ' if is_open else ''}{row.n_passing:,} of {row.n_tables:,} tables)"
    off = f"the mean absolute change of a count is {change(row.mean_absolute)}"
    off = "no cell is published" if row.mean_absolute is None else off
    return (
        f"{truncate(row.scheme)}: {starts}, and {passes}{tables if row.n_tables > 1 else ''};"
        f" {off}{_left_out(record, row.scheme)}."
    )


def _could(record: RoundingComparison, scheme: str, limit: float) -> int | None:
    """The smallest n at which a curve that is not exact could be above a limit; None for none."""
    rows = [row for row in record.rows if row.scheme == scheme and not row.complete]
    above = (n for row in rows for n, high in enumerate(row.upper) if high > limit)
    return min(above, default=None)


def _when(found: int | None, possible: int | None, kinds: Sequence[str]) -> str:
    """Of four kinds: at a number, at the latest there, never, and not known."""
    at, by, never, unknown = kinds
    if found is None:
        return never if possible is None else unknown
    return at if possible is None or possible >= found else by


def _left_out(record: RoundingComparison, scheme: str) -> str:
    """How many cells are suppressed; nothing where none is."""
    rows = [row for row in record.rows if row.scheme == scheme]
    mean = _mean_suppressed_cells(record, scheme)
    if not mean:
        return ""
    n = f"{mean:,.0f}" if mean == int(mean) else change(mean)
    if len(rows) == 1:
        return f", and {n} of {rows[0].n_cells:,} cells are suppressed"
    return f", and {n} cells of a table are suppressed on average"


def _mean_suppressed_cells(record: RoundingComparison, scheme: str) -> float:
    found = [row.n_suppressed for row in record.rows if row.scheme == scheme]
    return sum(found) / len(found)


def _choice(record: RoundingComparison) -> str:
    """Which scheme keeps risk within the threshold longest; of several the one that costs least."""
    within = f"within {record.threshold:g}"
    up_to = f"{within} up to {people(record.n_max)} known"
    never = [row for row in record.summaries if row.passes is None]
    # Suppressing costs what no mean change shows: it is not ranked against changing.
    changing = [row for row in never if not _mean_suppressed_cells(record, row.scheme)]
    if changing:
        scheme = truncate(min(changing, key=_cost).scheme)
        if len(never) == 1:
            return f"Only {scheme} stays {up_to}."
        return f"Of those that stay {up_to}, {scheme} changes counts least."
    if never:
        schemes = and_list(row.scheme for row in never)
        if len(never) == 1:
            return f"Only {schemes} stays {up_to}, and suppresses cells."
        return f"{schemes} stay {up_to}, and suppress cells."
    latest = max(record.summaries, key=lambda row: (row.passes or 0, -_cost(row)))
    if (latest.passes or 0) < 2:
        return f"None stays {within} once anyone is known."
    n = people((latest.passes or 0) - 1)
    return f"{truncate(latest.scheme)} stays {within} for the most people known: up to {n}."


def _cost(row: SchemeSummary) -> float:
    return float("inf") if row.mean_absolute is None else row.mean_absolute


def change(value: float | None) -> str:
    """A mean change or a Hellinger distance, never rounded to nothing; a dash for none."""
    if value is None:
        return "-"
    shown = f"{value:,.2f}"
    return "<0.01" if value and shown == "0.00" else shown if value else "0"


def summary_heads(record: RoundingComparison) -> tuple[str, ...]:
    """The heads of the summary; one table needs no column of tables."""
    kept = [head for head in SUMMARY_HEADS if record.n_tables > 1 or "tables" not in head]
    return (*kept, HELLINGER_HEAD)


def summary_cells(record: RoundingComparison, row: SchemeSummary) -> tuple[str, ...]:
    """One scheme under `summary_heads`."""
    tables = (f"{row.n_passing:,}",) if record.n_tables > 1 else ()
    first = _number(row.first_risk, _could(record, row.scheme, 0))
    passes = _number(row.passes, _could(record, row.scheme, record.threshold))
    return (
        truncate(row.scheme),
        first,
        passes,
        *tables,
        change(row.mean_absolute),
        change(row.hellinger),
    )


def _number(found: int | None, possible: int | None) -> str:
    shown = "" if found is None else f"{found:,}"
    return _when(found, possible, (shown, f"≤{shown}", "-", "?"))


def lines_of(record: RoundingComparison) -> list[StepLine]:
    """One curve per scheme: the mean over tables, bounds where some are not exact."""
    return [_line(record, row) for row in record.summaries]


def _line(record: RoundingComparison, row: SchemeSummary) -> StepLine:
    uppers = [one.upper for one in record.rows if one.scheme == row.scheme]
    means = tuple(sum(at) / len(uppers) for at in zip(*uppers, strict=True))
    upper = tuple(max(low, min(1.0, high)) for low, high in zip(row.mean_sap, means, strict=True))
    return StepLine(row.scheme, row.mean_sap, upper)


def curve_rows(record: RoundingComparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and rows of all curves."""
    keep = [n for row in record.summaries for n in (row.first_risk, row.passes) if n is not None]
    return curve_table(lines_of(record), keep)


def comparison_chart(record: RoundingComparison) -> Chart:
    """The curves as a picture."""
    return sap_curve(lines_of(record), title=f"{SAP}, by scheme", threshold=record.threshold)


def band_cells(row: BandRow) -> tuple[str, ...]:
    """One n under BAND_HEADS."""
    return tuple(f"{k:,}" for k in (row.n, row.zero, *row.bands, row.one))


def bands_of(record: RoundingComparison, scheme: str, numbers: Sequence[int]) -> list[BandRow]:
    """The bands of one scheme at some n."""
    return [row for row in record.bands if row.scheme == scheme and row.n in numbers]


@as_text.register
def _(record: RoundingComparison) -> str:
    return (
        f"{format_count(len(record.schemes), 'scheme')} on "
        f"{format_count(record.n_tables, 'table')}:"
        f" {and_list(record.schemes)}; up to {people(record.n_max)} known"
    )


def comparison_blocks(
    record: RoundingComparison, notes: Sequence[str] | None = None
) -> Iterator[Block]:
    """Schemes side by side: the risk of each, and what it costs."""
    published = ["the table", *(" by ".join(one.split(",")) for one in record.margins)]
    published += ["the total"] if record.total else []
    yield Heading("Comparison of rounding schemes")
    yield Sentence(
        f"{format_count(record.n_tables, 'table')}; published: {and_list(published)}; up to"
        f" {people(record.n_max)} known.",
        "lead",
    )
    yield from sentences(text for _, text in comparison_sentences(record))
    heads = summary_heads(record)
    summaries = [summary_cells(record, row) for row in record.summaries]
    yield table("Risk and loss by scheme", heads, summaries, spare=(HELLINGER_HEAD, *heads[3:-1]))
    heads, rows = curve_rows(record)
    for place in range(1, len(heads), MOST_BESIDE):
        some = slice(place, place + MOST_BESIDE)
        yield table(CURVE, ("n", *heads[some]), [(row[0], *row[some]) for row in rows])
    if record.n_tables > 1:
        shown = [int(row[0].replace(",", "")) for row in rows]
        for scheme in record.schemes:
            bands = [band_cells(row) for row in bands_of(record, scheme, shown)]
            yield table(f"Tables by SAP: {truncate(scheme)}", BAND_HEADS, bands)
    yield from reading_notes(record.notes if notes is None else notes)


@as_blocks.register
def _(record: RoundingComparison) -> Iterator[Block]:
    yield from comparison_blocks(record)
