"""Simulated attacks as blocks: what was tried, the chart of risks on a page, and all tables."""

from collections.abc import Iterator

from unveil.records.attacks import AttackRun, CopyAttacks
from unveil.view.attack_rows import has_control
from unveil.view.attacks import TEMPLATES, attack_blocks, headline, reading_notes
from unveil.view.blocks import Block, Figure, Heading, Items, Sentence, notes
from unveil.view.charts.intervals import attack_rates
from unveil.view.format import truncate
from unveil.view.membership import membership_blocks
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
    return render_page(TITLE, run_blocks(run, has_charts=True))


def run_blocks(
    run: AttackRun, *, has_charts: bool = False, has_words: bool = False
) -> Iterator[Block]:
    """Every copy with its attacks."""
    if run.notes:
        yield Items(run.notes)
    for copy in run.copies:
        if len(run.copies) > 1:
            yield Heading(f"Copy {copy.copy}: {truncate(copy.file)}", 2)
        if copy.attacks:
            chart = _chart(copy) if has_charts else None
            yield from attack_blocks(copy.attacks, chart, has_words=has_words)
        if copy.membership is not None:
            yield Heading("Membership: can training records be recognised?", 2)
            yield from membership_blocks(copy.membership)
        of_members = copy.membership.coercions if copy.membership else ()
        yield from notes(list(dict.fromkeys([*reading_notes(copy.attacks), *of_members])))
    yield Sentence(TEMPLATES["limits"])


def _chart(copy: CopyAttacks) -> Figure:
    caption = CAPTION if has_control(copy.attacks) else WITHOUT
    lead = Sentence(f"{headline(copy.attacks)}.", "lead")
    return Figure(lead, attack_rates([copy]), caption)
