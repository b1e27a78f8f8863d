"""SAP within each area in sentences a custodian can repeat, and as blocks."""

from collections.abc import Iterator, Sequence

from unveil.records.count_tables import AreaSap, NeighbourSap
from unveil.records.limits import AreaVerdict
from unveil.view.blocks import Block, Heading, Sentence, limit_line, sentences, table
from unveil.view.format import (
    agree,
    between,
    format_count,
    people,
    probability,
    probability_figure,
    truncate,
)
from unveil.view.show import as_blocks, as_text

ROWS = 10


def neighbour_sentences(record: NeighbourSap) -> Iterator[str]:
    """The worst area at the number of known people that rows are ordered by, and the mean."""
    n, worst = record.at, record.rows[0]
    areas = _areas(record.n_areas, record.area)
    if worst.upper[n] == 0:
        yield (
            f"In none of {areas} can an intruder who knows {people(n)} be certain that some"
            " combination applies to none of the others there."
        )
    else:
        mean = probability_figure(record.mean_lower[n], record.mean_upper[n])
        yield (
            f"Among the {people(worst.people)} with {record.area}={truncate(worst.area)}, an"
            f" intruder who knows {_known(n)} can, with"
            f" {_probability(worst.lower[n], worst.upper[n])}, be certain that some combination"
            f" applies to none of the others: the highest of {areas}. The mean over people is"
            f" {mean}."
        )
    if record.n_empty:
        k = _areas(record.n_empty, record.area)
        yield f"{k} without people {agree(record.n_empty)} omitted."


def _areas(k: int, area: str) -> str:
    return f"{format_count(k, 'level')} of {area}"


def _known(n: int) -> str:
    return f"{n:,} of them" if n else "none of them"


def _probability(low: float, high: float) -> str:
    span = between(low, high)
    return f"probability {probability(high)}" if span is None else f"a probability {span}"


def area_verdict_sentence(verdict: AreaVerdict) -> str:
    """What a limit said of all areas."""
    areas, limit = _areas(verdict.n_areas, verdict.area), f"your limit of {verdict.limit:g}"
    sap = f"SAP with {people(verdict.n)} known is"
    if verdict.status == "not settled":
        return (
            f"In {verdict.n_open:,} of {areas}, whether {sap} within {limit} could not be"
            " determined, so the limit counts as exceeded."
        )
    is_within = verdict.status == "within"
    where = f"each of {areas}" if is_within else f"{verdict.n_above:,} of {areas}"
    highest = probability_figure(verdict.lower, verdict.upper)
    level = f"{verdict.area}={truncate(verdict.level)} ({people(verdict.people)})"
    return (
        f"In {where}, {sap} {'within' if is_within else 'above'} {limit}; the highest is {highest},"
        f" in {level}."
    )


def area_verdict_blocks(verdicts: Sequence[AreaVerdict]) -> Iterator[Block]:
    """One line for each limit."""
    for verdict in verdicts:
        text = area_verdict_sentence(verdict)
        yield limit_line(text, is_within=verdict.status == "within")


def neighbour_blocks(record: NeighbourSap, *, is_chosen: bool = True) -> Iterator[Block]:
    """The sentences, then the worst areas."""
    yield Heading("Risk among neighbours", 3)
    yield from sentences(neighbour_sentences(record))
    if not is_chosen:
        yield Sentence(
            f"Areas are the levels of {record.area}, the dimension with the most levels. Choose"
            " another with --area, or --area none."
        )
    shown = sorted({n for n in (1, 2, record.at, record.n[-1]) if n <= record.n[-1]})
    yield table(
        f"SAP within {record.area} by number of people known, highest first (confidential)",
        (record.area, "people", *(f"n={n}" for n in shown)),
        [_row(row, shown) for row in record.rows[:ROWS]],
        text=(record.area,),
        footnote=f"{record.n_areas - ROWS:,} more are in --csv." if record.n_areas > ROWS else "",
    )


def _row(row: AreaSap, shown: Sequence[int]) -> tuple[str, ...]:
    figures = (probability_figure(row.lower[n], row.upper[n]) for n in shown)
    return truncate(row.area), f"{row.people:,}", *figures


@as_text.register
def _(record: NeighbourSap) -> str:
    n, worst = record.at, record.rows[0]
    p = probability_figure(worst.lower[n], worst.upper[n])
    return (
        f"SAP within {_areas(record.n_areas, record.area)}: at most {p} with {n:,} known, in"
        f" {truncate(worst.area)}"
    )


@as_blocks.register
def _(record: NeighbourSap) -> Iterator[Block]:
    yield from neighbour_blocks(record)
