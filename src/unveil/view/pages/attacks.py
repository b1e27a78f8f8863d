"""Simulated attacks as one self-contained page: sentences, the chart of risks, and all tables."""

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
from unveil.view.blocks import (
    Block,
    Facts,
    Figure,
    Heading,
    Items,
    Sentence,
    notes,
    sentences,
    table,
)
from unveil.view.charts.attack_intervals import attack_rates
from unveil.view.format import truncate
from unveil.view.render_page import render_page

CAPTION = (
    "The mark is R, the line its interval, the light stroke the baseline. Left of the dashed line"
    " the control sample is attacked more successfully than the training records."
)
WITHOUT = "The mark is the success rate, the line its interval, the light stroke the baseline."


def attacks_page(run: AttackRun) -> str:
    """The whole page."""
    return render_page("Simulated attacks", _blocks(run))


def _blocks(run: AttackRun) -> Iterator[Block]:
    yield from sentences(run.notes)
    for copy in run.copies:
        if len(run.copies) > 1:
            yield Heading(f"Copy {copy.copy}: {truncate(copy.file)}", 2)
        if copy.attacks:
            yield from _attacks(copy)
        if copy.membership is not None:
            yield from _membership(copy.membership)
        own = copy.membership.coercions if copy.membership else ()
        yield from notes(list(dict.fromkeys([*reading_notes(copy.attacks), *own])), level=2)
    yield Sentence(TEMPLATES["limits"], "dim")


def _attacks(copy: CopyAttacks) -> Iterator[Block]:
    records = copy.attacks
    yield from sentences([sizes(records[0]), *general(records)])
    caption = CAPTION if has_control(records) else WITHOUT
    yield Figure(Sentence(f"{headline(records)}.", "lead"), attack_rates([copy]), caption)
    yield table("Attacks, highest risk first", HEADS, table_rows(records))
    yield Sentence(legend(records), "dim")
    if found := warnings(records):
        yield Heading("Warnings", 2)
        yield Items(tuple(found), "▲")
    said, _ = attack_sentences(records, most=sum(len(record.rows) for record in records))
    if said:
        yield Heading("In words", 2)
        yield Facts(tuple(said))


def _membership(record: Membership) -> Iterator[Block]:
    yield Heading("Membership inference", 2)
    yield from sentences(text for _, text in of_membership.membership_sentences(record))
    yield from sentences(record.warnings, "look")
    rows = of_membership.membership_rows(record)
    yield table("Members by distance to the synthetic data", of_membership.HEADS, rows)
    closest = of_membership.closest_rows(record)
    yield table("Distance to the closest record", of_membership.CLOSEST_HEADS, closest)
