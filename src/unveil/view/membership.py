"""Membership and closest records in sentences a custodian can repeat, and as shown in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.attacks import ClosestRow, Membership, MembershipRow
from unveil.view.format import lines, percent, ratio
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "attack": (
        "An attacker who takes for a member whoever has a synthetic record within a distance of"
        " {h} is right about {recall} of the people who were used, and wrong about {wrong} of"
        " those who were not."
    ),
    "F1": (
        "Where {t} of the people looked at are members, F1 is {F1}; calling everybody a member"
        " gives {naive}. The relative F1 is {relative} (interval {low} to {high}): 0 is no better"
        " than that, 1 is certainty."
    ),
    "chosen": "The distance was chosen afterwards, as the best for the attacker.",
    "exact": (
        "{p} of the synthetic records ({n} of {N}) are equal to an original record in every"
        " compared column. Looked for among {m} records each, {a} are equal to an original and"
        " {b} to a control record."
    ),
    "closer": (
        "{p} of the synthetic records are closer to the original than to the control (interval"
        " {low} to {high}); 50.0 % is what a copy shows that owes nothing to single people."
    ),
    "distance": (
        "At the median the closest original record is {d} away, the closest control record {c}."
    ),
    "limits": (
        "What this shows is whether people who were used come closer to the copy than others, on"
        " the whole. It does not show who can be found or what is learnt about them, and a few"
        " people given away are lost in F1 and in medians: look at the exact copies and at the"
        " 5th percentiles. That nothing shows is no proof that another attack would fail."
    ),
}

HEADS = ("within", "called members", "others called so", "precision", "F1", "relative F1")
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
        TEMPLATES["attack"].format(
            h=distance(row.threshold),
            recall=percent(100 * row.recall),
            wrong=percent(100 * row.false_positive_rate),
        ),
    )
    low, high = row.interval
    yield (
        "F1",
        TEMPLATES["F1"].format(
            t=percent(100 * record.prevalence),
            F1=ratio(row.F1),
            naive=ratio(record.naive_F1),
            relative=ratio(row.relative_F1),
            low=ratio(low),
            high=ratio(high),
        ),
    )
    if record.threshold is None:
        yield "threshold", TEMPLATES["chosen"]
    yield from _closest_sentences(record)
    yield "limits", TEMPLATES["limits"]


def _closest_sentences(record: Membership) -> Iterator[tuple[str, str]]:
    by_pair = {row.pair: row for row in record.closest}
    original, control = by_pair["synthetic to original"], by_pair["synthetic to control"]
    yield (
        "exact",
        TEMPLATES["exact"].format(
            p=percent(100 * record.share_exact),
            n=f"{record.n_exact:,}",
            N=f"{record.n_synthetic:,}",
            m=f"{original.n_reference:,}",
            a=percent(100 * original.share_exact),
            b=percent(100 * control.share_exact),
        ),
    )
    low, high = record.closer_interval
    yield (
        "closer",
        TEMPLATES["closer"].format(
            p=percent(100 * record.closer_to_original),
            low=percent(100 * low),
            high=percent(100 * high),
        ),
    )
    yield (
        "distance",
        TEMPLATES["distance"].format(
            d=distance(original.dcr_median), c=distance(control.dcr_median)
        ),
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
        f" distance of {distance(record.headline.threshold)};"
        f" {percent(100 * record.closer_to_original)} of the copy closer to the original than to"
        " the control"
    )


@as_html.register
def _(record: Membership) -> str:
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for _, sentence in membership_sentences(record)),
        *(paragraph(lines(warning)) for warning in record.warnings),
        grid("Members by distance to the copy", HEADS, membership_rows(record)),
        grid("How close records come", CLOSEST_HEADS, closest_rows(record)),
        notes(record.coercions),
    )
