"""Annex C, second part: which keys make people unique (SUDA), and match risk."""

import json
from collections.abc import Iterator

from unveil.records.report import Parts, ReportContents
from unveil.view.blocks import Block
from unveil.view.match_risk import match_detail
from unveil.view.sections.shared import by_scenario
from unveil.view.uniques import suda_detail

TITLE = "Special uniques (SUDA), k-anonymity and match risk"


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Special uniques and match risk of each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("suda", scenario):
            is_known = "dis_fraction" in json.loads(contents.run.part(part).settings)
            yield from suda_detail(record, part, has_fraction=is_known)
        for part, record in parts.about("match_risk", scenario):
            yield from match_detail(record, part)

    yield from by_scenario(contents, parts, TITLE, ["suda", "match_risk"], draw)
