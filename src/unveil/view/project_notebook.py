"""A project in a notebook: what-ifs, explanations, judgements, decisions, compared runs, the log.

Aggregates, levels that checks name, and what people said; every text from data or people escaped.
"""

from collections.abc import Iterable
from html import escape

from unveil.records.judgement import (
    Decision,
    ExplainedFlag,
    Explanation,
    Judgement,
    LogCheck,
    WhatIf,
)
from unveil.view import project
from unveil.view.alerts import alerts_html
from unveil.view.format import and_list, truncate, visible
from unveil.view.html import grid, paragraph, view
from unveil.view.show import as_html, as_text


@as_html.register
def _(record: WhatIf) -> str:
    parts = [f"<h3>What if {escape(and_list(record.exclude))} is left out?</h3>"]
    for one in record.scenarios:
        parts += map(paragraph, one.sentences)
        rows = project.whatif_rows(record, one)
        parts.append(
            grid(f"{truncate(one.scenario)}: before and after", project.WHATIF_HEADS, rows)
        )
    return view([*parts, paragraph(project.saved_sentence(record))])


@as_html.register
def _(record: Explanation) -> str:
    parts = [f"<h3>{escape(truncate(record.target))} in run {record.run}</h3>"]
    for place, one in enumerate(record.scenarios):
        parts += map(paragraph, one.sentences)
        heads, rows = project.LADDER_HEADS, project.ladder_rows(record, place)
        parts.append(grid(f"{truncate(one.scenario)}: step by step", heads, rows))
        parts.append(_findings(one.findings))
    limited = [one for one in record.figures if one.status != "no limit"]
    figures = grid("Against the limits", project.FIGURE_HEADS, project.figure_rows(limited))
    return view([*parts, figures, *map(paragraph, record.stale)])


def _findings(findings: Iterable[ExplainedFlag]) -> str:
    rows = [
        (
            truncate(one.finding.id),
            f"{one.finding.n:,}",
            one.finding.state,
            visible(one.accept)
            if one.finding.state == "open"
            else visible(one.finding.reason or ""),
        )
        for one in findings
    ]
    heads = ("finding", "people", "ruling", "if it is common knowledge; or why it is ruled so")
    return grid("What may be common knowledge", heads, rows)


@as_html.register
def _(record: Judgement) -> str:
    above = [one for one in record.figures if one.status in ("above", "review", "not measured")]
    missing = [(visible(one.sentence), visible(one.fix)) for one in record.missing]
    return view(
        [
            alerts_html(record.alerts, record.not_tested),
            f"<h3>{escape(as_text(record))}</h3>",
            paragraph(record.rule),
            *map(paragraph, map(visible, (*record.stale, *record.void))),
            grid("To look at", project.FIGURE_HEADS, project.figure_rows(above)),
            grid("Still to be said", ("what", "how"), missing),
        ]
    )


@as_html.register
def _(record: Decision) -> str:
    first, *rest = project.decision_lines(record)
    return view([f"<h3>{escape(first)}</h3>", *map(paragraph, rest)])


@as_html.register
def _(record: LogCheck) -> str:
    return view(map(paragraph, project.check_lines(record)))
