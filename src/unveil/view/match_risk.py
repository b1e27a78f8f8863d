"""Matches and their risk in sentences a custodian can repeat, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.person import PeopleByKeys
from unveil.records.uniques import Anonymity, MatchRisk
from unveil.view.blocks import Block, Heading, notes, sentences, table
from unveil.view.format import and_list, fill, people, percent, truncate
from unveil.view.show import as_blocks, as_text
from unveil.view.uniques import NUMBERS, figure

TEMPLATES = {
    "weights": "with {weights} as the number of people that each record represents",
    "no weights": "assuming that the file holds the whole population",
    "people": (
        "Counted by person, the rarest keys are those of {k}; a match would be correct with"
        " probability {p} on average."
    ),
    "diversity": (
        "{n} of {N} people ({p}) {n:shares|share} their keys only with records of one value of"
        " {sensitive}, which is disclosed."
    ),
    "no diversity": "No one shares their keys only with records of one value of {sensitive}.",
}

MATCHED = {
    2: "share their keys with no one else",
    3: "share their keys with at most one other",
    5: "share their keys with at most three others",
}
HIGH_RISK = 0.1
MANY = 10
"""Of so many people no tenth is given."""
ANONYMITY_HEADS = ("k", "people in smaller groups", "percent")
DIVERSITY_HEADS = ("l-diversity", "lowest l", "people below 2", "below 3")


def risk_sentences(record: MatchRisk) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    for row in record.anonymity:
        if row.n:
            yield f"k = {row.k}", _anonymity(record, row)
    if not any(row.n for row in record.anonymity):
        most = max(row.k for row in record.anonymity) - 1
        yield "k", f"Every person shares their keys with at least {NUMBERS[most]} others."
    assumption = "no weights" if record.weights is None else "weights"
    yield (
        "risk",
        (
            f"Expected correct matches: {_format_expected(record.expected_reidentifications)} of"
            f" {people(record.n_records)} ({percent(100 * record.global_risk)}),"
            f" {fill(TEMPLATES[assumption], weights=truncate(record.weights or ''))}."
        ),
    )
    if record.people is not None:
        yield _by_person(record.people)
    for above in record.risks:
        if above.above == HIGH_RISK and above.n:
            said = f"For {people(above.n)} the risk is above {percent(100 * above.above)}."
            yield "above", said
    for diversity in record.diversity:
        if diversity.kind == "distinct":
            kind = "diversity" if diversity.n_below_2 else "no diversity"
            yield (
                "l",
                fill(
                    TEMPLATES[kind],
                    p=percent(100 * diversity.n_below_2 / record.n_records),
                    n=f"{diversity.n_below_2:,}",
                    N=f"{record.n_records:,}",
                    sensitive=truncate(record.sensitive or ""),
                ),
            )


def _by_person(found: PeopleByKeys) -> tuple[str, str]:
    k = people(found.k)
    if found.global_risk is None:
        return "people weighted", f"Counted by person, the rarest keys are those of {k}."
    return "people", fill(TEMPLATES["people"], k=k, p=percent(100 * found.global_risk))


def _anonymity(record: MatchRisk, row: Anonymity) -> str:
    return (
        f"{row.n:,} of {record.n_records:,} {'people' if record.people is None else 'rows'}"
        f" ({percent(100 * row.share)}) {MATCHED[row.k]}."
    )


def _format_expected(value: float) -> str:
    """An expected number of people, never rounded to 0."""
    shown = f"{value:,.1f}" if value < MANY else f"{value:,.0f}"
    return "fewer than 0.1" if shown == "0.0" else f"about {shown}"


def anonymity_rows(record: MatchRisk) -> list[tuple[str, str, str]]:
    """k-anonymity under ANONYMITY_HEADS."""
    return [(str(row.k), f"{row.n:,}", percent(100 * row.share)) for row in record.anonymity]


def diversity_rows(record: MatchRisk) -> list[tuple[str, str, str, str]]:
    """l-diversity under DIVERSITY_HEADS."""
    return [
        (row.kind, figure(row.lowest), f"{row.n_below_2:,}", f"{row.n_below_3:,}")
        for row in record.diversity
    ]


@as_text.register
def _(record: MatchRisk) -> str:
    return (
        f"Match risk by {and_list(record.keys)}:"
        f" {_format_expected(record.expected_reidentifications)} of"
        f" {record.n_records:,} expected to match correctly ({percent(100 * record.global_risk)})"
    )


@as_blocks.register
def _(record: MatchRisk) -> Iterator[Block]:
    yield Heading("Match risk")
    yield from sentences(text for _, text in risk_sentences(record))
    yield table("k-anonymity", ANONYMITY_HEADS, anonymity_rows(record))
    caption = f"l-diversity of {truncate(record.sensitive or '')}"
    yield table(caption, DIVERSITY_HEADS, diversity_rows(record))
    yield from notes(record.coercions)
