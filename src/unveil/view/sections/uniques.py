"""What makes people unique in the original, and who could be matched? SUDA and match risk."""

import json
from collections.abc import Iterator

from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.records.uniques import MatchRisk, Suda
from unveil.view import match_risk as matched
from unveil.view import uniques as alone
from unveil.view.charts.bars import uniques_chart
from unveil.view.html_page import figures
from unveil.view.sections.by_scenario import note_of, render_by_scenario, scenarios_of
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure

KINDS: tuple[Kind, ...] = ("suda", "match_risk")
CAPTION = (
    "Above: people, each at the fewest keys that nobody else shares with them. Below: the part that"
    " each key takes in this, where a set of few keys counts for more."
)


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Special uniques and match risk of each scenario; None where nobody asked for them."""
    if not scenarios_of(contents, KINDS):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("suda", scenario):
            is_known = "dis_fraction" in json.loads(contents.run.part(part).settings)
            yield from _suda(part, record, has_fraction=is_known)
        for part, record in parts.about("match_risk", scenario):
            yield from _match_risk(part, record)

    statuses = [
        one.status
        for one in contents.judgement.figures
        if contents.run.part(one.part).kind in KINDS
    ]
    return Section(
        "uniques",
        "What makes people unique in your data",
        render_by_scenario(contents, "uniques", KINDS, render_scenario, parts=parts),
        note_of(statuses),
    )


def _suda(part: str, record: Suda, *, has_fraction: bool) -> Iterator[str]:
    told = alone.suda_sentences(record, has_fraction=has_fraction)
    first, *rest = (Phrase(f"uniques/{key}", part, text) for key, text in told)
    if record.n_msu:
        yield render_figure(
            first,
            uniques_chart(record),
            caption=CAPTION,
            heads=alone.SIZE_HEADS,
            rows=alone.size_rows(record),
        )
        keys = [alone.key_cells(row) for row in alone.contributions_in_order(record)]
        yield figures("Which keys make people unique", alone.KEY_HEADS, keys)
    else:
        yield first.html("lead")
    yield from (one.html() for one in rest)


def _match_risk(part: str, record: MatchRisk) -> Iterator[str]:
    for key, text in matched.risk_sentences(record):
        yield Phrase(f"match risk/{template_of(key)}", f"{part}|{key}", text).html()
    rows = matched.anonymity_rows(record)
    yield figures("Who breaks k-anonymity", matched.ANONYMITY_HEADS, rows)
    varied = matched.diversity_rows(record)
    yield figures("How varied the sensitive value is", matched.DIVERSITY_HEADS, varied)


def template_of(key: str) -> str:
    """The template behind the name of a figure."""
    if key.startswith("k ="):
        return "anonymity"
    return {"k": "no anonymity", "l": "diversity"}.get(key, key)
