"""What people read of a project: findings, what-ifs, explanations, decisions and the log.

Filled from records only; every name, level, reason and note is shown as hostile text.
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from unveil.records.exclusions import Rule
from unveil.records.judgement import (
    Decision,
    ExplainedFlag,
    Explanation,
    FlagRuling,
    Judgement,
    Limit,
    LimitCheck,
    LogCheck,
    LogLine,
    Status,
    WhatIf,
    WhatIfRow,
    WhatIfScenario,
)
from unveil.records.report import ContextAnswer
from unveil.view.alerts import is_open, summary
from unveil.view.format import (
    and_list,
    format_count,
    n_of,
    people,
    percent,
    percent_or_dash,
    truncate,
    visible,
)
from unveil.view.show import as_text
from unveil.view.status import format_status, worst

MOST_TOLD = 3
IDENTITY_ROW = "(re-identification)"
WHATIF_HEADS = (
    *("target", "measure", "before", "after", "due to it (R)", "status before", "status after"),
)
WHATIF_NOTE = (
    "Due to it (R): of the people not disclosed after the exclusion, the share disclosed before"
    " it; (before - after) / (100 % - after)."
)
FIGURE_HEADS = ("measure", "scenario", "of", "copy", "figure", "limit", "status")
LADDER_HEADS = ("percent", "measure", "what it is")
LIMIT_HEADS = ("measure", "review above", "limit", "origin")
LOG_HEADS = ("line", "when (UTC)", "what", "about", "by")
TEMPLATES = {
    "falls": (
        "If {rules} is common knowledge, {measure} of {target} falls from {before} ({k} of {N}) to"
        " {after} ({l}). Of the people not disclosed after the exclusion, {R} are disclosed before"
        " it only through this value (R)."
    ),
    "found": (
        "If {rules} is excluded, {measure} falls from {before} ({k} of {N}) to {after} ({l})."
    ),
    "rule": (
        "With {rules} in force, {measure} of {target} falls from {before} ({k} of {N}) to {after}"
        " ({l})."
    ),
    "asked": "Effect of excluding {rules}",
    "rule asked": "What if {rules} is in force?",
    "more": "{n} more targets change; they are in the table.",
    "nothing": "Excluding {rules} changes no figure.",
    "closes": "{n} cleared: {ids}.",
    "opens": "{n} added: {ids}.",
    "kept": "Recorded in project.toml by {by}. Next: unveil run",
    "not kept": 'Nothing was saved. To keep it: add --keep --reason "..." --by "Name, role".',
    "released": "Decision {n}: run {run} is RELEASED by {by} on {on}.",
    "refused": "Decision {n}: run {run} is REFUSED by {by} on {on}.",
    "despite": "Released despite {alert}: {why}",
    "intact": (
        "{lines}, {runs} and {decisions}: all as they were written. The last hash is {head}."
    ),
    "edited": (
        "project.toml was edited since the last line; the next command that logs will say so."
    ),
    "forged": "{n} not as written.",
}
RULES = tuple(one for one in get_args(Rule) if one not in ("level", "pair"))
_SHOWN_MEASURES = ("DiSCO", "repU")


def whatif_sentences(
    scenario: WhatIfScenario, rows: Sequence[WhatIfRow], n_original: int
) -> tuple[str, ...]:
    """What the exclusions would do in one scenario."""
    rules = and_list(scenario.added)
    if not rows:
        return (TEMPLATES["nothing"].format(rules=rules), *_flag_sentences(scenario))
    shown = [row for row in rows if row.copy == scenario.headline_copy]
    is_rule = any(map(_is_rule, scenario.added))
    told = [_falls(row, rules, n_original, is_rule=is_rule) for row in shown if _is_told(row)]
    n_more = len(told) - MOST_TOLD
    more = [TEMPLATES["more"].format(n=f"{n_more:,}")] if n_more > 0 else []
    return (*told[:MOST_TOLD], *more, *_flag_sentences(scenario))


def _is_told(row: WhatIfRow) -> bool:
    return row.measure in _SHOWN_MEASURES and row.before is not None and row.after is not None


def whatif_title(record: WhatIf) -> str:
    """What is asked."""
    kind = "rule asked" if any(map(_is_rule, record.exclude)) else "asked"
    return TEMPLATES[kind].format(rules=and_list(record.exclude))


def _is_rule(exclusion: str) -> bool:
    """Whether it is a rule about many records, not a level that people may know."""
    return exclusion.partition("=")[0] in RULES


def _falls(row: WhatIfRow, rules: str, n_original: int, *, is_rule: bool) -> str:
    kind = "found" if row.target is None else "rule" if is_rule else "falls"
    before, after = row.before or 0.0, row.after or 0.0
    return TEMPLATES[kind].format(
        rules=rules,
        measure=row.measure,
        target=truncate(row.target or ""),
        before=percent(before),
        after=percent(after),
        k=n_of(before, n_original),
        N=people(n_original),
        l=n_of(after, n_original),
        R="-" if row.R is None else percent(100 * row.R),
    )


def _flag_sentences(scenario: WhatIfScenario) -> Iterator[str]:
    for kind, ids in (("closes", scenario.closes), ("opens", scenario.opens)):
        if ids:
            shown = ", ".join(truncate(one) for one in ids[:MOST_TOLD])
            more = f" and {len(ids) - MOST_TOLD:,} more" if len(ids) > MOST_TOLD else ""
            yield TEMPLATES[kind].format(
                n=f"{format_count(len(ids), 'flag')} would be", ids=f"{shown}{more}"
            )


def whatif_rows(record: WhatIf, scenario: WhatIfScenario) -> list[tuple[str, ...]]:
    """The figures that change in one scenario: of the copy that stands for all, the worst status.

    Of a target DiSCO and Dorig, of identity UiO and repU, and whatever else has a limit.
    """
    here = [row for row in record.rows if row.scenario == scenario.scenario]
    return [
        (
            IDENTITY_ROW if row.target is None else truncate(row.target),
            row.measure,
            percent_or_dash(row.before),
            percent_or_dash(row.after),
            "-" if row.R is None else percent(100 * row.R),
            _worst(here, row, "status_before"),
            _worst(here, row, "status_after"),
        )
        for row in here
        if row.copy == scenario.headline_copy and _is_shown(here, row)
    ]


def _alike(rows: Sequence[WhatIfRow], row: WhatIfRow, field: str) -> list[Status]:
    found = (
        getattr(one, field)
        for one in rows
        if (one.target, one.measure) == (row.target, row.measure)
    )
    return [status for status in found if status is not None]


def _is_shown(rows: Sequence[WhatIfRow], row: WhatIfRow) -> bool:
    has_limit = any(status != "no limit" for status in _alike(rows, row, "status_before"))
    return row.measure in ("DiSCO", "Dorig", "UiO", "repU") or has_limit


def _worst(rows: Sequence[WhatIfRow], row: WhatIfRow, field: str) -> str:
    return format_status(worst(_alike(rows, row, field)))


def saved_sentence(record: WhatIf) -> str:
    """Whether anything was saved, and what to do next."""
    if not record.kept:
        return TEMPLATES["not kept"]
    return TEMPLATES["kept"].format(by=visible(record.by or ""))


def figure_rows(figures: Sequence[LimitCheck]) -> list[tuple[str, ...]]:
    """Figures beside their limits."""
    return [
        (
            row.measure,
            truncate(row.scenario or "-"),
            truncate(row.subject or row.target or "-"),
            "-" if row.copy is None else str(row.copy),
            "-" if row.value is None else f"{row.value:.4g}",
            "-" if row.limit is None else f"{row.limit:g}",
            format_status(row.status),
        )
        for row in figures
    ]


def unmeasured_lines(figures: Sequence[LimitCheck]) -> Iterator[str]:
    """Why figures that have a limit are not measured, each reason once."""
    rows = [row for row in figures if row.status == "not measured"]
    for measure, part, reason in dict.fromkeys((r.measure, r.part, r.reason) for r in rows):
        yield f"{measure} of {truncate(part)} is not measured: {visible(reason or '-')}"


def ladder_rows(explained: Explanation, place: int) -> list[tuple[str, ...]]:
    """The steps from the original to what the copy gives away."""
    return [
        (percent_or_dash(rung.value), rung.measure, rung.what)
        for rung in explained.scenarios[place].ladder
    ]


def limit_rows(limits: Sequence[Limit]) -> list[tuple[str, ...]]:
    """Limits with their origin."""
    return [
        (limit.measure, f"{limit.review:g}", f"{limit.limit:g}", limit.origin) for limit in limits
    ]


def finding_lines(finding: FlagRuling) -> Iterator[str]:
    """A finding: its id and state, the sentence, and what was said of it."""
    yield f"{visible(finding.id)} ({finding.state})"
    yield visible(finding.sentence)
    if finding.reason is not None:
        on = f" on {finding.on}" if finding.on else ""
        yield f"{visible(finding.by or '')}{on}: {visible(finding.reason)}"


def command_lines(explained: ExplainedFlag) -> Iterator[str]:
    """What can be typed about a finding."""
    yield visible(explained.whatif)
    if explained.finding.state == "open":
        yield visible(explained.accept)
        yield visible(explained.keep)


def decision_lines(decision: Decision) -> Iterator[str]:
    """What was decided, by whom, and on what."""
    yield TEMPLATES["released" if decision.release else "refused"].format(
        n=decision.number, run=decision.run, by=visible(decision.by), on=decision.on
    )
    yield f"Note: {visible(decision.note)}"
    for accepted in decision.despite:
        yield TEMPLATES["despite"].format(
            alert=visible(accepted.alert), why=visible(accepted.reason)
        )
    if decision.judgement is not None:
        yield visible(decision.judgement.headline)
    for one in decision.warnings:
        yield f"To note: {visible(one)}"
    yield f"Results {decision.results_sha256[:16]}…, log {decision.log_head[:16]}…"


def checklist(judgement: Judgement, factors: Sequence[ContextAnswer]) -> Iterator[tuple[bool, str]]:
    """What the context asks for, and whether it is there."""
    accepted = f" accepted by {visible(judgement.accepted_by)}" if judgement.accepted_by else ""
    yield judgement.audience is not None, judgement.rule
    yield judgement.accepted_by is not None, f"Limits{accepted or ' not accepted by name'}."
    yield judgement.is_current, "Files and settings are unchanged since the run."
    yield not any(map(is_open, judgement.alerts)), f"Alerts: {summary(judgement.alerts)}"
    n_open = sum(found.state == "open" for found in judgement.findings)
    yield not n_open, f"Flags: {len(judgement.findings):,}, outstanding: {n_open:,}."
    for factor in factors:
        said = "not answered" if factor.answer is None else visible(factor.answer)
        who = "" if factor.by is None else f" ({visible(factor.by)})"
        yield factor.answer is not None, f"{factor.question} {said}{who}"


def log_rows(lines: Sequence[LogLine]) -> list[tuple[str, ...]]:
    """The log, a line for each change."""
    return [
        (
            str(line.n),
            _moment(line.at),
            line.event,
            visible(line.subject or "-"),
            visible(line.by or "-"),
        )
        for line in lines
    ]


def _moment(at: str) -> str:
    """When, for people: 2026-11-16 11:30:00."""
    return at.replace("T", " ").removesuffix("Z")


def check_lines(check: LogCheck) -> Iterator[str]:
    """Whether all is as it was written; every fault otherwise."""
    if check.faults:
        yield TEMPLATES["forged"].format(
            n=format_count(len(check.faults), "thing is", "things are")
        )
        for fault in check.faults:
            where = f" ({visible(fault.file)})" if fault.file else ""
            fix = f" {visible(fault.fix)}" if fault.fix else ""
            yield f"■ {visible(fault.sentence)}{where}{fix}"
    else:
        yield TEMPLATES["intact"].format(
            lines=format_count(check.n_lines, "line"),
            runs=format_count(check.n_runs, "run"),
            decisions=format_count(check.n_decisions, "decision"),
            head=check.head,
        )
    if check.is_edited:
        yield TEMPLATES["edited"]
    for one in check.since_release:
        yield f"▲ {visible(one)}"


@as_text.register
def _(record: Judgement) -> str:
    return visible(record.headline)


@as_text.register
def _(record: WhatIf) -> str:
    return "\n".join(one for scenario in record.scenarios for one in scenario.sentences)


@as_text.register
def _(record: Explanation) -> str:
    return "\n".join(one for scenario in record.scenarios for one in scenario.sentences)


@as_text.register
def _(record: Decision) -> str:
    return "\n".join(decision_lines(record))


@as_text.register
def _(record: LogCheck) -> str:
    return "\n".join(check_lines(record))
