"""Membership and closest records in sentences a custodian can repeat, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.attacks import ClosestRow, Membership, MembershipRow
from unveil.view.blocks import Block, Heading, Sentence, notes, sentences, table
from unveil.view.format import percent, ratio
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "people": (
        "Of a training and a control record the training record is closer to the synthetic data"
        " {p} of the time (interval {low} to {high}); 50.0 % is a guess."
    ),
    "recall": (
        "{p} of training records are closer than all but 1 % of the control sample; chance alone"
        " gives 1.0 %. This shows that a few were copied."
    ),
    "limits": (
        "This shows whether training records are closer to the synthetic data than others on the"
        " whole, not who is disclosed. A few disclosed people hardly change F1 and medians: see the"
        " exact copies and the share beyond 1 %. Another attack may still succeed."
    ),
}

HEADS = ("within", "true positives", "false positives", "precision", "F1", "relative F1")
CLOSEST_HEADS = (
    "closest record",
    "exact",
    "DCR 5 %",
    "DCR median",
    "NNDR 5 %",
    "NNDR median",
)


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
    yield "limits", TEMPLATES["limits"]
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
        TEMPLATES["people"].format(
            p=percent(100 * record.people_auc),
            low=percent(100 * low),
            high=percent(100 * high),
        ),
    )
    if record.recall_at_1 is not None:
        yield "recall", TEMPLATES["recall"].format(p=percent(100 * record.recall_at_1))


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


def membership_rows(record: Membership) -> list[tuple[str, ...]]:
    """The attack by threshold, under HEADS."""
    return [_row(row) for row in record.rows]


def _row(row: MembershipRow) -> tuple[str, ...]:
    return (
        distance(row.threshold),
        percent(100 * row.recall),
        percent(100 * row.false_positive_rate),
        ratio(row.precision),
        ratio(row.F1),
        ratio(row.relative_F1),
    )


def closest_rows(record: Membership) -> list[tuple[str, ...]]:
    """The distances to closest records, under CLOSEST_HEADS."""
    return [_closest(row) for row in record.closest]


def _closest(row: ClosestRow) -> tuple[str, ...]:
    return (
        row.pair,
        percent(100 * row.share_exact),
        distance(row.dcr_5),
        distance(row.dcr_median),
        ratio(row.nndr_5),
        ratio(row.nndr_median),
    )


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
    rows = membership_rows(record)[: n_apart + 1]
    caption = "Members by distance to the synthetic data, until everyone is called one"
    yield table(caption, HEADS, rows, spare=HEADS[-2:-1])
    yield Sentence(last)
    closest = closest_rows(record)
    yield table(
        "Distance to the closest record", CLOSEST_HEADS, closest, spare=CLOSEST_HEADS[-2:-1]
    )


@as_blocks.register
def _(record: Membership) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from membership_blocks(record)
    yield from notes(record.coercions)
