"""Annex D: disclosure of training records beyond a control sample, and simulated attacks."""

import re
from collections.abc import Iterator, Sequence

from unveil.records.attacks import Attacks
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view.attacks import HEADS, LIMITS, attacks_detail, has_control, table_rows
from unveil.view.blocks import Block, Heading, Sentence, table
from unveil.view.flags import excess_detail
from unveil.view.format import truncate
from unveil.view.membership import membership_detail
from unveil.view.recognition import TITLE, recognition_blocks
from unveil.view.sections.shared import by_scenario, fold, unmeasured

ATTACKS: tuple[Kind, ...] = ("singling_out", "linkability", "inference")
KINDS: tuple[Kind, ...] = ("excess", *ATTACKS, "membership")
_COPY = re.compile(r" copy (\d+)$")


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """What a control sample shows in each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("excess", scenario):
            yield from excess_detail(record, part)
        yield from _attacks(parts, scenario)
        found = parts.about("membership", scenario)
        found.sort(key=lambda pair: -pair[1].headline.relative_F1)
        for place, (part, record) in enumerate(found):
            drawn = membership_detail(record, part)
            yield from fold(truncate(part), drawn) if place else drawn

    title = "Excess disclosure and simulated attacks"
    yield from by_scenario(contents, parts, title, KINDS, draw)
    for part, record in parts.about("recognition", None):
        yield Heading(TITLE, 3)
        yield from recognition_blocks(record, part)
    yield from unmeasured(contents, ["recognition"])


def _attacks(parts: Parts, scenario: str | None) -> Iterator[Block]:
    """Those on the copy with the highest risk; the tables of the other copies unfold."""
    copies = attacks_by_copy(parts, scenario)
    if not copies:
        return
    order = sorted(copies, key=lambda copy: -_highest([one for _, one in copies[copy]]))
    first, *others = order
    named = copies[first]
    if others:
        is_controlled = has_control([record for _, record in named])
        by = "R is highest" if is_controlled else "success is highest"
        text = f"Attacks on copy {first}, where {by} of {len(copies)} copies."
        yield Sentence(text, key="leakage.copy", of=named[0][0])
    yield from attacks_detail(named)
    for copy in others:
        rows = table_rows([record for _, record in copies[copy]])
        yield from fold(f"Attacks on copy {copy}", [table("", HEADS, rows)])
    yield Sentence(LIMITS, key="attacks/limits", of=named[0][0])


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
