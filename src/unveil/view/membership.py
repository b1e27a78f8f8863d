"""Membership and closest records in sentences a custodian can repeat, as blocks and as dots."""

from collections.abc import Callable, Iterator

from unveil.records.attacks import ClosestRow, Membership, MembershipRow
from unveil.view.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Items,
    Sentence,
    list_rows,
    notes,
    say,
    sentences,
)
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import DotPair, pairs_chart
from unveil.view.format import format_share, lines, percent, ratio
from unveil.view.show import as_blocks, as_text

LIMITS = (
    "This shows whether training records are closer to the synthetic data than others on the whole,"
    " not who is disclosed. A few disclosed people hardly change F1 and medians: see the exact"
    " copies and the share beyond 1 %. Another attack may still succeed."
)
CAPTION = "Blue square: training records called members. Grey ring: control records called members."
ROWS: dict[str, Callable[[MembershipRow], str]] = {
    "within": lambda row: distance(row.threshold),
    "true positives": lambda row: format_share(row.recall),
    "false positives": lambda row: format_share(row.false_positive_rate),
    "precision": lambda row: ratio(row.precision),
    "F1": lambda row: ratio(row.F1),
    "relative F1": lambda row: ratio(row.relative_F1),
}
"""The attack by threshold."""
CLOSEST: dict[str, Callable[[ClosestRow], str]] = {
    "closest record": lambda row: row.pair,
    "exact": lambda row: format_share(row.share_exact),
    "DCR 5 %": lambda row: distance(row.dcr_5),
    "DCR median": lambda row: distance(row.dcr_median),
    "NNDR 5 %": lambda row: ratio(row.nndr_5),
    "NNDR median": lambda row: ratio(row.nndr_median),
}
"""The distances to closest records."""


def membership_sentences(record: Membership) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    row = record.headline
    yield (
        "attack",
        (
            "An attacker who takes everyone with a synthetic record within a distance of"
            f" {distance(row.threshold)} for a member is correct about {percent(100 * row.recall)}"
            f" of training records, and wrong about {percent(100 * row.false_positive_rate)} of"
            " the control sample."
        ),
    )
    low, high = row.interval
    yield (
        "F1",
        (
            f"With {percent(100 * record.prevalence)} members, F1 is {ratio(row.F1)}; calling"
            f" everyone a member gives {ratio(record.naive_F1)}. The relative F1 is"
            f" {ratio(row.relative_F1)} (interval {ratio(low)} to {ratio(high)}): 0 is no better"
            " than that, 1 is certainty."
        ),
    )
    if record.threshold is None:
        yield "chosen", "The distance was chosen afterwards, as the best for the attacker."
    yield from _closest_sentences(record)
    yield "limits", LIMITS
    yield "distance", _distance_sentence(record)


def _closest_sentences(record: Membership) -> Iterator[tuple[str, str]]:
    by_pair = {row.pair: row for row in record.closest}
    original, control = by_pair["synthetic to original"], by_pair["synthetic to control"]
    yield (
        "exact",
        (
            f"{record.n_exact:,} of {record.n_synthetic:,} synthetic records"
            f" ({percent(100 * record.share_exact)}) are equal to an original record in every"
            f" compared column. Compared with {original.n_reference:,} records each,"
            f" {percent(100 * original.share_exact)} are equal to an original and"
            f" {percent(100 * control.share_exact)} to a control record."
        ),
    )
    low, high = record.people_auc_interval
    yield (
        "people",
        "Of a training and a control record the training record is closer to the synthetic data"
        f" {percent(100 * record.people_auc)} of the time (interval {percent(100 * low)} to"
        f" {percent(100 * high)}); 50.0 % is a guess.",
    )
    if record.recall_at_1 is not None:
        yield (
            "recall",
            f"{percent(100 * record.recall_at_1)} of training records are closer than all but 1 %"
            " of the control sample; chance alone gives 1.0 %. This shows that a few were copied.",
        )


def _distance_sentence(record: Membership) -> str:
    by_pair = {row.pair: row for row in record.closest}
    return (
        "For description only: at the median the closest original record is"
        f" {distance(by_pair['synthetic to original'].dcr_median)} away, the closest control"
        f" record {distance(by_pair['synthetic to control'].dcr_median)}. Distances are no"
        " evidence of privacy: they miss people whom an intruder recognises by rerunning the"
        " synthesiser (unveil recognise)."
    )


def distance(value: float) -> str:
    """A distance as people read it: whole where it is, and never a positive 0."""
    if value == int(value):
        return f"{value:.0f}"
    shown = f"{value:.3f}"
    return "less than 0.001" if shown == "0.000" else shown


def membership_chart(record: Membership) -> Chart:
    """Who is classed as a member, by the distance to the synthetic data."""
    pairs = [
        DotPair(
            f"within {distance(row.threshold)}",
            100 * row.recall,
            100 * row.false_positive_rate,
            ratio(row.relative_F1),
        )
        for row in record.rows
    ]
    title = "People classed as members, by distance"
    return pairs_chart(pairs, title, "percent of people", "relative F1")


@as_text.register
def _(record: Membership) -> str:
    return (
        f"Membership by nearest records: relative F1 {ratio(record.headline.relative_F1)} within a"
        f" distance of {distance(record.headline.threshold)}; AUC of training against control"
        f" records {ratio(record.people_auc)}"
    )


def membership_blocks(record: Membership) -> Iterator[Block]:
    """Whether training records can be recognised, and how close records come."""
    *said, (_, last) = membership_sentences(record)
    yield from sentences(text for figure, text in said if figure != "chosen")  # a warning has it
    yield from sentences((f"▲ {text}" for text in record.warnings), "look")
    n_apart = sum(row.recall + row.false_positive_rate < 2 for row in record.rows)
    caption = "Members by distance to the synthetic data, until everyone is called one"
    yield list_rows(caption, ROWS, record.rows[: n_apart + 1], spare=("F1",))
    yield Sentence(last)
    caption = "Distance to the closest record"
    yield list_rows(caption, CLOSEST, record.closest, spare=("NNDR 5 %",))


def membership_detail(record: Membership, of: str) -> Iterator[Block]:
    """The same in a report, with the chart."""
    first, *words, last = say(membership_sentences(record), "membership", of)
    rows = list_rows("", ROWS, record.rows)
    yield Figure(first, membership_chart(record), CAPTION, rows, is_printed=False)
    yield Folded("Membership in words", tuple(words))
    if record.warnings:
        yield Items(tuple(map(lines, record.warnings)), "▲")
    closest = list_rows("", CLOSEST, record.closest)
    yield Folded("Distances to the closest record: a description only", (last, closest))


@as_blocks.register
def _(record: Membership) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from membership_blocks(record)
    yield from notes(record.coercions)
