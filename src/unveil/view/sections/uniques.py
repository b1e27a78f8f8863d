"""Annex C, second part: which keys make people unique (SUDA), and match risk."""

import json
from collections.abc import Iterator

from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.records.uniques import MatchRisk, Suda
from unveil.view import match_risk as matched
from unveil.view import uniques as special
from unveil.view.blocks import Block, Figure, Sentence, table
from unveil.view.charts.bars import uniques_chart
from unveil.view.sections.shared import by_scenario, fold

KINDS: tuple[Kind, ...] = ("suda", "match_risk")
CAPTION = (
    "Above: people by the fewest keys that make them unique. Below: contribution of each key to the"
    " minimal sample uniques; small sets count for more."
)


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Special uniques and match risk of each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("suda", scenario):
            is_known = "dis_fraction" in json.loads(contents.run.part(part).settings)
            yield from _suda(part, record, has_fraction=is_known)
        for part, record in parts.about("match_risk", scenario):
            yield from _match_risk(part, record)

    title = "Special uniques (SUDA), k-anonymity and match risk"
    yield from by_scenario(contents, parts, title, KINDS, draw)


def _suda(part: str, record: Suda, *, has_fraction: bool) -> Iterator[Block]:
    said = special.suda_sentences(record, has_fraction=has_fraction)
    first, *rest = (Sentence(text, key=f"uniques/{key}", of=part) for key, text in said)
    if record.n_msu:
        sizes = table("", special.SIZE_HEADS, special.size_rows(record))
        yield Figure(first, uniques_chart(record), CAPTION, sizes)
        keys = [special.key_cells(row) for row in special.contributions_in_order(record)]
        yield from fold("Contribution of each key", [table("", special.KEY_HEADS, keys)])
    else:
        yield first
    yield from rest


def _match_risk(part: str, record: MatchRisk) -> Iterator[Block]:
    for key, text in matched.risk_sentences(record):
        yield Sentence(text, key=f"match risk/{template_of(key)}", of=f"{part}|{key}")
    groups = table("", matched.ANONYMITY_HEADS, matched.anonymity_rows(record))
    yield from fold("k-anonymity", [groups])
    yield table("l-diversity", matched.DIVERSITY_HEADS, matched.diversity_rows(record))


def template_of(key: str) -> str:
    """The template behind the name of a figure."""
    if key.startswith("k ="):
        return "anonymity"
    return {"k": "no anonymity", "l": "diversity"}.get(key, key)
