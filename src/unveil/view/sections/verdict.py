"""What does the run mean against the custodian's own limits, and what was decided?

Never "safe": a verdict is against limits that a named person accepted, or it is that nobody has.
"""

from collections.abc import Iterator
from html import escape

from unveil.records.judgement import Decision, Judgement, LimitCheck, Status
from unveil.records.report import Parts, ReportContents
from unveil.view.alerts import alerts_html, is_open
from unveil.view.format import format_count, truncate
from unveil.view.html_pieces import render_in_full, text, when
from unveil.view.limits import (
    MeasureFigures,
    describe_thing,
    figure_text,
    group_figures,
    limit_text,
    worst,
)
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section
from unveil.view.status import GLYPHS, WORDS

CARDS = (
    ("repU", "Identity (repU)"),
    ("DiSCO", "Worst attribute (DiSCO)"),
    ("GTCAP", "Mean GTCAP"),
    ("S_pMSE", "Utility (S_pMSE max)"),
)
"""The four measures that stand on top, and what they are called there."""
COLOURS: dict[Status, str] = {
    "above": "above",
    "not measured": "above",
    "review": "review",
    "within": "within",
    "no limit": "none",
}
"""Of a status, the class of its colour; shape and word always stand with it."""


FINDINGS = "A ruling on each finding of the checks:"
WHERE = "what may be common knowledge"


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """The alerts, the verdict, four cards, what is still to be said, and the decision."""
    judgement = contents.judgement
    groups = group_figures(judgement)
    first, *more = sentences(judgement, groups)
    body = [
        alerts_html(judgement.alerts, judgement.not_tested),
        _line(judgement, first),
        *(one.html("told") for one in more),
        _cards(contents, groups),
        _still_to_say(judgement),
        *_decided(contents.decision),
        fill_sentence("verdict.evidence").html("told dim"),
    ]
    return Section("verdict", "Verdict against your limits", "".join(body))


def _line(judgement: Judgement, first: Phrase) -> str:
    """The verdict in one breath, and the first reason for it."""
    status, words = headline(judgement)
    told = f'<strong class="{COLOURS[status]}">{GLYPHS[status]} {words}:</strong> '
    opened, rest = first.html("verdict").split(">", 1)
    return f"{opened}>{told}{rest}"


def headline(judgement: Judgement) -> tuple[Status, str]:
    """Status and words of the verdict in one breath."""
    is_accepted = any(one.accepted is not None for one in judgement.alerts)
    cases: tuple[tuple[bool, Status, str], ...] = (
        (judgement.exit_code == 3, "above", "NOT READY FOR RELEASE"),
        (judgement.accepted_by is None, "no limit", "NO LIMITS ACCEPTED YET"),
        (not judgement.is_current, "review", "OUT OF DATE: MEASURE AGAIN"),
        (judgement.exit_code == 4, "review", "NOT READY TO BE DECIDED"),
        (is_accepted, "review", "ALERTS ACCEPTED BY NAME"),
        (bool(judgement.n_review), "review", "WITHIN YOUR LIMITS, SOME TO REVIEW"),
    )
    found = (case[1:] for case in cases if case[0])
    return next(found, ("within", "WITHIN YOUR LIMITS"))


def sentences(judgement: Judgement, groups: list[MeasureFigures]) -> Iterator[Phrase]:
    """What is open, above, to be reviewed, not measured, or waits for somebody."""
    if n_alerts := sum(map(is_open, judgement.alerts)):
        yield fill_sentence("verdict.alerts", n=format_count(n_alerts, "alert"))
    for group in groups:
        yield from (_above(part) for part in kinds_of(group) if part.above)
    statuses = [one.status for group in groups for one in group.worst_of_each]
    for status, key in (("not measured", "verdict.not_measured"), ("review", "verdict.review")):
        if n := statuses.count(status):  # type: ignore[arg-type]
            yield fill_sentence(key, n=format_count(n, "figure"))
    n_within = statuses.count("within")
    if n_within and n_within == sum(status != "no limit" for status in statuses):
        yield fill_sentence("verdict.within", n=f"{n_within:,}")
    if n_open := sum(finding.state == "open" for finding in judgement.findings):
        yield fill_sentence("verdict.open", n=format_count(n_open, "finding"))
    yield _accepted(judgement)


def kinds_of(group: MeasureFigures) -> list[MeasureFigures]:
    """The figures of a measure, those of one kind of thing together: a model is no pair."""
    found: dict[str, list[LimitCheck]] = {}
    for one in group.worst_of_each:
        found.setdefault(_kind(one), []).append(one)
    return [MeasureFigures(group.measure, tuple(figures)) for figures in found.values()]


def _kind(one: LimitCheck) -> str:
    if one.measure == "SAP":
        return "tables"
    return "targets" if one.target is not None else "pairs" if _is_pair(one) else "figures"


def _above(group: MeasureFigures) -> Phrase:
    first, k, n = group.above[0], len(group.above), len(group.limited)
    limit, kind = limit_text(group.measure, first.limit or 0.0), _kind(first)
    if n == 1:
        value = figure_text(group.measure, first.value)
        return fill_sentence(
            "verdict.figure",
            f"{group.measure}|{kind}",
            measure=group.measure,
            whose=_of(first),
            value=value,
            limit=limit,
        )
    return fill_sentence(
        f"verdict.{kind}",
        f"{group.measure}|{kind}",
        k=f"{k:,}",
        n=f"{n:,}",
        measure=group.measure,
        limit=limit,
    )


def _of(one: LimitCheck) -> str:
    """What the only figure of its kind is of, where its measure does not say so by itself."""
    if one.measure == "S_pMSE" and not _is_pair(one):
        return " of the model over all columns"
    named = one.target if one.target is not None else one.subject if _is_pair(one) else None
    return "" if named is None else f" of {truncate(named)}"


def _is_pair(one: LimitCheck) -> bool:
    return one.part.startswith("tables") and one.subject is not None


def _accepted(judgement: Judgement) -> Phrase:
    if judgement.accepted_by is None:
        return fill_sentence("verdict.no_limits")
    by = truncate(judgement.accepted_by)
    if judgement.accepted_on is None:
        return fill_sentence("verdict.accepted_once", by=by)
    return fill_sentence("verdict.accepted", by=by, on=when(judgement.accepted_on))


def _cards(contents: ReportContents, groups: list[MeasureFigures]) -> str:
    by_measure = {group.measure: group for group in groups}
    scenarios = len(contents.scenarios)
    made = "".join(
        _card(measure, label, by_measure.get(measure), scenarios) for measure, label in CARDS
    )
    return f'<ul class="cards" aria-label="Four figures against your limits">{made}</ul>'


def _card(measure: str, label: str, group: MeasureFigures | None, scenarios: int) -> str:
    figures = _of_card(group) if group else ()
    measured = tuple(one for one in figures if one.value is not None)
    one = worst(measured or figures)
    n_lacking = len(figures) - len(measured) if measured else 0
    status: Status = one.status if one else "not measured"
    value = figure_text(measure, one.value) if one else "-"
    beside = "".join(
        f'<span class="beside">{escape(line)}</span>'
        for line in (*_beside(one, scenarios), *([f"{n_lacking:,} not measured"] * bool(n_lacking)))
    )
    colour = COLOURS[status] if one else "none"
    return (
        f'<li class="c-{colour}" data-card="{measure}"><span class="label">{escape(label)}</span>'
        f'<span class="value">{escape(value)}</span>'
        f'<span class="status {colour}">{GLYPHS[status]} {WORDS[status]}</span>{beside}</li>'
    )


def _of_card(group: MeasureFigures) -> tuple[LimitCheck, ...]:
    """Of S_pMSE the pairs of columns: the worst of them is what the card is about."""
    pairs = tuple(one for one in group.worst_of_each if _is_pair(one))
    return pairs or group.worst_of_each


def _beside(one: LimitCheck | None, scenarios: int) -> Iterator[str]:
    if one is None:
        yield "not asked for in this run"
        return
    if of := describe_thing(one, scenarios=scenarios):
        yield of
    if one.companion is not None:
        yield f"original {figure_text(one.measure, one.companion)}"
    if one.limit is not None:
        yield f"limit {limit_text(one.measure, one.limit)}"


def _still_to_say(judgement: Judgement) -> str:
    """What waits for a person; findings stand in a section of their own, and may be very many."""
    told = "".join(
        f"<li>{text(one.sentence)} <code>{text(one.fix)}</code></li>"
        for one in judgement.missing
        if one.kind != "finding"
    )
    if any(one.kind == "finding" for one in judgement.missing):
        told += f'<li>{escape(FINDINGS)} <a href="#checks">{escape(WHERE)}</a></li>'
    changed = "".join(f"<p>{text(one)}</p>" for one in (*judgement.stale, *judgement.void))
    waiting = f"<p><strong>Still to be said:</strong></p><ul>{told}</ul>" if told else ""
    return f'<div class="next">{changed}{waiting}</div>' if changed or waiting else ""


def _decided(decision: Decision | None) -> Iterator[str]:
    if decision is None:
        yield fill_sentence("verdict.undecided").html("told")
        return
    key = "verdict.release" if decision.release else "verdict.refuse"
    told = fill_sentence(
        key, "decision", by=truncate(decision.by), on=when(decision.on), run=f"{decision.run:,}"
    )
    yield told.html("verdict")
    yield f'<div class="told">Note: {render_in_full(decision.note)}</div>'
    for one in decision.despite:
        why = render_in_full(one.reason)
        yield f'<div class="told">Despite <code>{text(one.alert)}</code>, because: {why}</div>'
