"""Simulated attacks as one page: sentences, the chart of risks, and all tables."""

from collections.abc import Iterator

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
from unveil.view.blocks import Block, Figure, Folded, Heading, Sentence, notes, sentences, table
from unveil.view.charts.intervals import attack_rates
from unveil.view.format import format_count, truncate
from unveil.view.render_page import render_page

TITLE = "Simulated attacks"
CAPTION = (
    "The mark is R, the line its confidence interval, the light stroke the rate of uninformed"
    " guesses. Left of the dashed line the control sample is hit more often than training records."
)
WITHOUT = (
    "The mark is the rate of the attack, the line its confidence interval, the light stroke the"
    " rate of uninformed guesses."
)


def attacks_page(run: AttackRun) -> str:
    """The whole page."""
    return render_page(TITLE, _blocks(run))


def _blocks(run: AttackRun) -> Iterator[Block]:
    yield from sentences(run.notes)
    for copy in run.copies:
        if len(run.copies) > 1:
            yield Heading(f"Copy {copy.copy}: {truncate(copy.file)}", 2)
        if copy.attacks:
            yield from _attacks(copy)
        if copy.membership is not None:
            yield from _membership(copy.membership)
        of_members = copy.membership.coercions if copy.membership else ()
        yield from notes(list(dict.fromkeys([*reading_notes(copy.attacks), *of_members])))
    yield Sentence(TEMPLATES["limits"])


def _attacks(copy: CopyAttacks) -> Iterator[Block]:
    records = copy.attacks
    yield from sentences([sizes(records[0]), *general(records)])
    caption = CAPTION if has_control(records) else WITHOUT
    yield Figure(Sentence(f"{headline(records)}.", "lead"), attack_rates([copy]), caption)
    yield from sentences(warnings(records), "look")
    caption = "Attacks, the highest risk first in each"
    yield table(caption, HEADS, table_rows(records), footnote=legend(records))
    found, _ = attack_sentences(records, most=sum(len(record.rows) for record in records))
    each = tuple(Sentence(text, figure=label) for label, text in found)
    yield Folded(f"{format_count(len(each), 'attack')} in words", each)


def _membership(record: Membership) -> Iterator[Block]:
    yield Heading("Membership: can training records be recognised?", 2)
    yield from sentences(text for _, text in of_membership.membership_sentences(record))
    yield from sentences(record.warnings, "look")
    rows = of_membership.membership_rows(record)
    yield table("Members by distance to the synthetic data", of_membership.HEADS, rows)
    closest = of_membership.closest_rows(record)
    yield table("Distance to the closest record", of_membership.CLOSEST_HEADS, closest)
