"""Simulated attacks as one sealed page: sentences, the picture of risks, and all tables."""

from collections.abc import Iterator
from html import escape

from unveil.records.attacks import AttackRun, CopyAttacks, Membership
from unveil.view import membership as of_membership
from unveil.view.attack_rows import HEADS, has_control, legend, warnings
from unveil.view.attacks import (
    TEMPLATES,
    attack_sentences,
    general,
    headline,
    reading_notes,
    sizes,
    table_rows,
)
from unveil.view.charts.intervals import attack_rates
from unveil.view.format import lines, truncate
from unveil.view.html import grid, notes, paragraph
from unveil.view.html_page import confidential, figure, page

CAPTION = (
    "The mark is R, the line its interval, the light stroke the rate of uninformed guesses. Left of"
    " the dashed line others are found more often than those whose records were used."
)
WITHOUT = (
    "The mark is the rate of the attack, the line its interval, the light stroke the rate of"
    " uninformed guesses."
)


def attacks_page(run: AttackRun) -> str:
    """The whole page."""
    body = [
        "<h1>Simulated attacks</h1>",
        confidential(),
        *(paragraph(lines(note)) for note in run.notes),
    ]
    for copy in run.copies:
        body.extend(_copy(copy, several=len(run.copies) > 1))
    return page("Simulated attacks", [*body, paragraph(TEMPLATES["limits"])])


def _copy(copy: CopyAttacks, *, several: bool) -> Iterator[str]:
    if several:
        yield f"<h2>Copy {copy.copy}: {escape(truncate(copy.file))}</h2>"
    if copy.attacks:
        yield from _attacks(copy)
    if copy.membership is not None:
        yield from _membership(copy.membership)
    told = [*reading_notes(copy.attacks), *(copy.membership.coercions if copy.membership else ())]
    yield notes(list(dict.fromkeys(told)))


def _attacks(copy: CopyAttacks) -> Iterator[str]:
    records = copy.attacks
    yield paragraph(sizes(records[0]))
    yield from map(paragraph, general(records))
    caption = CAPTION if has_control(records) else WITHOUT
    yield figure(f"{headline(records)}.", attack_rates([copy]).svg(), caption=caption)
    table = grid("Attacks, in each the highest risk first", HEADS, table_rows(records))
    yield f'<div class="scroll">{table}</div>'
    yield paragraph(legend(records))
    told = "".join(f"<p>{escape(warning)}</p>" for warning in warnings(records))
    yield f'<h2>What to beware of</h2><div class="look">{told}</div>' if told else ""
    said, _ = attack_sentences(records, most=sum(len(record.rows) for record in records))
    yield "<h2>In words</h2>" if said else ""
    for label, sentence in said:
        yield f"<h3>{escape(label)}</h3>{paragraph(sentence)}"


def _membership(record: Membership) -> Iterator[str]:
    yield "<h2>Membership: can it be told who was in the original?</h2>"
    for _, sentence in of_membership.membership_sentences(record):
        yield paragraph(sentence)
    for warning in record.warnings:
        yield f'<div class="look">{paragraph(lines(warning))}</div>'
    for table in (
        grid(
            "Members by distance to the copy",
            of_membership.HEADS,
            of_membership.membership_rows(record),
        ),
        grid(
            "How close records come",
            of_membership.CLOSEST_HEADS,
            of_membership.closest_rows(record),
        ),
    ):
        yield f'<div class="scroll">{table}</div>'
