"""Annex D: disclosure of training records beyond a control sample, and simulated attacks."""

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
from unveil.view.blocks import Block, Figure, Heading, Items, Sentence, table
from unveil.view.charts.dots import attack_pairs_chart, excess_chart, membership_chart
from unveil.view.format import lines, percent, truncate
from unveil.view.recognition import TITLE, recognition_blocks
from unveil.view.sections.shared import by_scenario, fold, unmeasured

ATTACKS: tuple[Kind, ...] = ("singling_out", "linkability", "inference")
KINDS: tuple[Kind, ...] = ("excess", *ATTACKS, "membership")
CAPTIONS = {
    "excess": (
        "Blue square: training records. Grey ring: control sample, about whom the synthetic data"
        " can hold only what is true in general."
    ),
    "attacks": (
        "Blue square: attacks on training records. Grey ring: on the control sample. Lines: Wilson"
        " intervals. Light stroke: baseline. R with its interval is at the right."
    ),
    "no control": (
        "Blue square: success rate of the attack, with its Wilson interval. Light stroke: baseline."
    ),
    "membership": (
        "Blue square: training records called members. Grey ring: control records called members."
    ),
}
MOST_ROWS = 8
_COPY = re.compile(r" copy (\d+)$")


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """What a control sample shows in each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("excess", scenario):
            yield from _excess(part, record)
        yield from _attacks(parts, scenario)
        yield from _memberships(parts, scenario)

    title = "Excess disclosure and simulated attacks"
    yield from by_scenario(contents, parts, title, KINDS, draw)
    for part, record in parts.about("recognition", None):
        yield Heading(TITLE, 3)
        yield from recognition_blocks(record, part)
    yield from unmeasured(contents, ["recognition"])


def _excess(part: str, record: Excess) -> Iterator[Block]:
    rows = sorted(
        flags.headline_excess(record), key=lambda row: -(-9.0 if row.R is None else row.R)
    )
    heads = flags.EXCESS_HEADS if record.exclude else flags.EXCESS_HEADS[:3]
    cells = [(truncate(row.target), row.measure, *flags.excess_cells(record, row)) for row in rows]
    shown = table("", ("target", "measure", *heads), cells, text=["measure"])
    yield Figure(widest(part, rows), excess_chart(record), CAPTIONS["excess"], shown)
    yield from flags.excess_part_blocks(record)
    yield Sentence(flags.excess_sizes(record), key="checks/excess sizes", of=part)
    detail = [
        Sentence(
            f"{truncate(row.target)}: {flags.excess_sentence(record, row)}",
            key="checks/excess",
            of=f"{part}|{row.target}|{row.measure}",
        )
        for row in rows
        if row.R is not None
    ]
    yield from fold("Excess disclosure in words", detail)


def widest(part: str, rows: Sequence[ExcessRow]) -> Sentence:
    """The target with the widest gap, in points."""
    known = [
        (row.train - row.control, row)
        for row in rows
        if row.train is not None and row.control is not None
    ]
    if not known:
        text = "Training and control sample could not both be measured for any target."
        return Sentence(text, "lead", "leakage.nothing", part)
    gap, row = max(known, key=lambda pair: pair[0])
    shares = f"{percent(row.train or 0.0)} against {percent(row.control or 0.0)}"
    of = f"{part}|{row.target}|{row.measure}"
    if gap <= 0:
        text = (
            "Training records are not disclosed more often than the control sample; widest gap:"
            f" {truncate(row.target)}, {shares}."
        )
        return Sentence(text, "lead", "leakage.none", of)
    text = (
        f"Training records are disclosed more often than the control sample, most for"
        f" {truncate(row.target)}: {shares} ({points(gap)} points)."
    )
    return Sentence(text, "lead", "leakage.more", of)


def points(gap: float) -> str:
    """A difference of percentages; never a positive 0."""
    shown = f"{gap:.1f}"
    return "less than 0.1" if shown == "0.0" else shown


def _attacks(parts: Parts, scenario: str | None) -> Iterator[Block]:
    copies = attacks_by_copy(parts, scenario)
    if not copies:
        return
    order = sorted(copies, key=lambda copy: -_highest([one for _, one in copies[copy]]))
    first, *others = order
    named = copies[first]
    records = [record for _, record in named]
    is_controlled = has_control(records)
    if others:
        by = "R is highest" if is_controlled else "success is highest"
        text = f"Attacks on copy {first}, where {by} of {len(copies)} copies."
        yield Sentence(text, key="leakage.copy", of=named[0][0])
    yield Figure(
        Sentence(
            attacked.general(records)[0],
            "lead",
            f"attacks/{'meaning' if is_controlled else 'no control'}",
            named[0][0],
        ),
        attack_pairs_chart(records),
        CAPTIONS["attacks" if is_controlled else "no control"],
        table("", ATTACK_HEADS, attacked.table_rows(records)),
    )
    yield Sentence(legend(records))
    yield from _to_beware(warnings(records))
    yield from fold("Attacks in words", _in_words(named))
    for copy in others:
        rows = attacked.table_rows([record for _, record in copies[copy]])
        yield from fold(f"Attacks on copy {copy}", [table("", ATTACK_HEADS, rows)])
    yield Sentence(attacked.TEMPLATES["limits"], key="attacks/limits", of=named[0][0])


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


def _in_words(named: Sequence[tuple[str, Attacks]]) -> Iterator[Block]:
    """The highest rows of each attack, without groups."""
    for part, record in named:
        rows = [shown for shown in attack_rows([record]) if shown.row.group is None]
        for shown in rows[:MOST_ROWS]:
            of = f"{part}|{shown.row.attack}|{shown.row.target or ''}"
            said = list(attacked.row_keyed(shown))
            if said:
                text = " ".join(text for _, text in said)
                yield Sentence(text, key=f"attacks/{said[0][0]}", of=of)


def _memberships(parts: Parts, scenario: str | None) -> Iterator[Block]:
    found = parts.about("membership", scenario)
    found.sort(key=lambda pair: -pair[1].headline.relative_F1)
    for place, (part, record) in enumerate(found):
        drawn = list(_membership(part, record))
        yield from fold(truncate(part), drawn) if place else drawn


def _membership(part: str, record: Membership) -> Iterator[Block]:
    first, *rest = (
        Sentence(text, key=f"membership/{key}", of=part)
        for key, text in of_membership.membership_sentences(record)
    )
    rows = table("", of_membership.HEADS, of_membership.membership_rows(record))
    yield Figure(first, membership_chart(record), CAPTIONS["membership"], rows)
    closest = table("", of_membership.CLOSEST_HEADS, of_membership.closest_rows(record))
    *words, last = rest
    yield from fold("Membership in words", words)
    yield from _to_beware(record.warnings)
    yield from fold("Distances to the closest record: a description only", [last, closest])


def _to_beware(warnings_: Sequence[str]) -> Iterator[Block]:
    """Warnings in the words of the records; nothing of none."""
    if warnings_:
        yield Items(tuple(map(lines, warnings_)), "▲")
