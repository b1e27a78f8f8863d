"""Are people given away because their own record was used? Train against control, and attacks."""

import re
from collections.abc import Iterator, Sequence

from unveil.records.attacks import Attacks, Membership
from unveil.records.disclosure import Excess, ExcessRow
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view import attacks as attacked
from unveil.view import flags
from unveil.view import membership as of_membership
from unveil.view.attack_rows import HEADS as ATTACK_HEADS
from unveil.view.attack_rows import attack_rows, has_control, legend, warnings
from unveil.view.charts.dots import attack_pairs_chart, excess_chart, membership_chart
from unveil.view.format import lines, percent, truncate
from unveil.view.html import paragraph
from unveil.view.html_page import figures, render_details
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import (
    MOST_TARGETS,
    note_of,
    render_by_scenario,
    render_subheading,
    scenarios_of,
)
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure

ATTACKS: tuple[Kind, ...] = ("singling_out", "linkability", "inference")
KINDS: tuple[Kind, ...] = ("excess", *ATTACKS, "membership")
CAPTIONS = {
    "excess": (
        "Blue square: people whose records were used. Grey ring: people whose records were not,"
        " about whom the copy can only know what is true in general."
    ),
    "attacks": (
        "Blue square: attacks on people whose records were used. Grey ring: the same on others."
        " Lines are Wilson's intervals; the light stroke is an uninformed guess. R with its"
        " interval stands at the right."
    ),
    "no control": (
        "Blue square: how often the attack succeeds, with Wilson's interval. The light stroke is an"
        " uninformed guess."
    ),
    "membership": (
        "Blue square: people who were used and are called members. Grey ring: others who are called"
        " so too."
    ),
}
_COPY = re.compile(r" copy (\d+)$")


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """What a control shows in each scenario; None where nothing of it was asked for."""
    if not scenarios_of(contents, KINDS):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("excess", scenario):
            yield from _excess(part, record)
        yield from _attacks(contents, parts, scenario)
        yield from _memberships(contents, parts, scenario)

    statuses = [
        one.status
        for one in contents.judgement.figures
        if contents.run.part(one.part).kind in KINDS
    ]
    return Section(
        "leakage",
        "What is given away because a record was used",
        render_by_scenario(contents, "leakage", KINDS, render_scenario, parts=parts),
        note_of(statuses),
    )


def _excess(part: str, record: Excess) -> Iterator[str]:
    yield Phrase("checks/excess sizes", part, flags.excess_sizes(record)).html()
    rows = sorted(
        flags.headline_excess(record), key=lambda row: -(-9.0 if row.R is None else row.R)
    )
    n_heads = len(flags.EXCESS_HEADS) if record.exclude else 3
    yield render_figure(
        widest(part, rows),
        excess_chart(record),
        caption=CAPTIONS["excess"],
        heads=("target", "measure", *flags.EXCESS_HEADS[:n_heads]),
        rows=[
            (truncate(row.target), row.measure, *flags.excess_cells(record, row)) for row in rows
        ],
    )
    yield fill_sentence("leakage.no interval", part).html()
    for row in rows[:MOST_TARGETS]:
        if row.R is not None:
            text = f"{truncate(row.target)}: {flags.excess_sentence(record, row)}"
            of = f"{part}|{row.target}|{row.measure}"
            yield Phrase("checks/excess", of, text).html()


def widest(part: str, rows: Sequence[ExcessRow]) -> Phrase:
    """The target with the widest gap, in points."""
    known = [
        (row.train - row.control, row)
        for row in rows
        if row.train is not None and row.control is not None
    ]
    if not known:
        return fill_sentence("leakage.nothing", part)
    gap, row = max(known, key=lambda pair: pair[0])
    figures_ = {
        "target": truncate(row.target),
        "a": percent(row.train or 0.0),
        "b": percent(row.control or 0.0),
    }
    of = f"{part}|{row.target}|{row.measure}"
    if gap <= 0:
        return fill_sentence("leakage.none", of, **figures_)
    return fill_sentence("leakage.more", of, **figures_, x=points(gap))


def points(gap: float) -> str:
    """A difference of percentages; never a positive 0."""
    shown = f"{gap:.1f}"
    return "less than 0.1" if shown == "0.0" else shown


def _attacks(contents: ReportContents, parts: Parts, scenario: str | None) -> Iterator[str]:
    copies = attacks_by_copy(parts, scenario)
    if not copies:
        return
    yield render_subheading(contents, KINDS, "Simulated attacks")
    order = sorted(copies, key=lambda copy: -_highest([one for _, one in copies[copy]]))
    first, *others = order
    named = copies[first]
    records = [record for _, record in named]
    if others:
        key = "leakage.copy" if has_control(records) else "leakage.copy without control"
        yield fill_sentence(key, named[0][0], copy=f"copy {first}", m=f"{len(copies)}").html()
    key = "meaning" if has_control(records) else "no control"
    yield render_figure(
        Phrase(f"attacks/{key}", named[0][0], attacked.general(records)[0]),
        attack_pairs_chart(records),
        caption=CAPTIONS["attacks" if has_control(records) else "no control"],
        heads=ATTACK_HEADS,
        rows=attacked.table_rows(records),
    )
    yield paragraph(legend(records))
    yield _to_beware(warnings(records))
    yield from _in_words(named)
    for copy in others:
        rows = attacked.table_rows([record for _, record in copies[copy]])
        yield render_details(f"Attacks on copy {copy}", figures("", ATTACK_HEADS, rows))
    yield Phrase("attacks/limits", named[0][0], attacked.TEMPLATES["limits"]).html()


def attacks_by_copy(parts: Parts, scenario: str | None) -> dict[int, list[tuple[str, Attacks]]]:
    """The attacks on each copy, each with the name of its part."""
    made: dict[int, list[tuple[str, Attacks]]] = {}
    for kind in ATTACKS:
        for part, record in parts.about(kind, scenario):
            found = _COPY.search(part)
            made.setdefault(int(found[1]) if found else 1, []).append((part, record))
    return made


def _highest(records: Sequence[Attacks]) -> float:
    risks = [row.risk for record in records for row in record.rows if row.group is None]
    return max((risk for risk in risks if risk is not None), default=-9.0)


def _in_words(named: Sequence[tuple[str, Attacks]]) -> Iterator[str]:
    """The riskiest rows of each attack, groups left out."""
    for part, record in named:
        rows = [shown for shown in attack_rows([record]) if shown.row.group is None]
        for shown in rows[:MOST_TARGETS]:
            of = f"{part}|{shown.row.attack}|{shown.row.target or ''}"
            told = list(attacked.row_keyed(shown))
            if told:
                text = " ".join(text for _, text in told)
                yield Phrase(f"attacks/{told[0][0]}", of, text).html()


def _memberships(contents: ReportContents, parts: Parts, scenario: str | None) -> Iterator[str]:
    found = parts.about("membership", scenario)
    if not found:
        return
    yield render_subheading(contents, KINDS, "Who was in the data")
    found.sort(key=lambda pair: -pair[1].headline.relative_F1)
    for place, (part, record) in enumerate(found):
        block = "".join(_membership(part, record))
        yield render_details(truncate(part), block) if place else block


def _membership(part: str, record: Membership) -> Iterator[str]:
    told = [
        Phrase(f"membership/{'chosen' if key == 'threshold' else key}", part, text)
        for key, text in of_membership.membership_sentences(record)
    ]
    yield render_figure(
        told[0],
        membership_chart(record),
        caption=CAPTIONS["membership"],
        heads=of_membership.HEADS,
        rows=of_membership.membership_rows(record),
    )
    yield from (one.html() for one in told[1:])
    yield figures(
        "How close records come", of_membership.CLOSEST_HEADS, of_membership.closest_rows(record)
    )
    yield _to_beware([lines(warning) for warning in record.warnings])


def _to_beware(warnings_: Sequence[str]) -> str:
    """Warnings in the words of the records; nothing of none."""
    told = "".join(map(paragraph, warnings_))
    return f'<div class="look">{told}</div>' if told else ""
