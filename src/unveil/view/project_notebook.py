"""A project in a notebook: what-ifs, explanations, judgements, decisions, compared runs, the log.

Aggregates, levels that checks name, and what people said; every text from data or people escaped.
"""

from collections.abc import Iterable, Iterator
from html import escape

from unveil.records.judgement import (
    Decision,
    ExplainedFlag,
    Explanation,
    Judgement,
    LogCheck,
    WhatIf,
)
from unveil.records.run import FigureChange, RunComparison
from unveil.view import project
from unveil.view.alerts import alerts_html
from unveil.view.format import and_list, format_count, truncate, visible
from unveil.view.html import grid, paragraph, titled_view, view
from unveil.view.show import as_html, as_text
from unveil.view.status import format_status

_HEADLINE = (
    *("DiSCO", "repU", "GTCAP", "R", "membership", "ECAP", "SAP", "unique"),
    *("S_pMSE", "pMSE"),
)
"""What is quoted of two runs; the record has every figure."""


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


@as_text.register
def _(record: RunComparison) -> str:
    changed = format_count(len(record.settings), "setting differs", "settings differ")
    moved = [sum(bool(row.change) for row in rows) for rows in (record.risk, record.utility)]
    return (
        f"Runs {and_list(str(number) for number in record.runs)}: {changed};"
        f" {format_count(moved[0], 'figure')} of risk and {moved[1]:,} of utility changed"
    )


@as_html.register
def _(record: RunComparison) -> str:
    runs = tuple(f"run {number}" for number in record.runs)
    settings = [
        (
            visible(change.setting if change.part is None else f"{change.part}: {change.setting}"),
            *("-" if value is None else truncate(value) for value in change.values),
        )
        for change in record.settings
    ]
    heads = ("measure", "of", "copy", *runs, "change", "status now")
    return titled_view(
        as_text(record),
        grid("What was set otherwise", ("setting", *runs), settings),
        grid("What is given away", heads, [*_changes(record.risk)]),
        grid("How useful the copy is", heads, [*_changes(record.utility)]),
    )


def _changes(rows: Iterable[FigureChange]) -> Iterator[tuple[str, ...]]:
    """The figures to quote that moved; those that did not are as they were."""
    for row in rows:
        if row.change and row.measure in _HEADLINE:
            yield (
                row.measure,
                " ".join(truncate(one) for one in (row.scenario, row.target, row.subject) if one),
                "-" if row.copy is None else str(row.copy),
                *("-" if value is None else f"{value:.4g}" for value in row.values),
                f"{row.change:+.3g}",
                format_status(row.statuses[-1]),  # type: ignore[arg-type]
            )
