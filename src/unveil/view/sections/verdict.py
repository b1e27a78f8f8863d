"""The verdict against limits that a named person accepted, and what was decided."""

from collections.abc import Iterator
from typing import Literal

from unveil.records.judgement import Decision, Judgement, LimitCheck, Status
from unveil.records.report import Parts, ReportContents
from unveil.view.alerts import alert_blocks, is_open
from unveil.view.blocks import AlertBox, Block, Items, Kind, Sentence, TableBlock, table
from unveil.view.format import format_count, truncate
from unveil.view.limits import (
    MeasureFigures,
    describe_thing,
    figure_text,
    group_figures,
    limit_text,
    worst,
)
from unveil.view.sections.shared import format_time
from unveil.view.status import GLYPHS, format_status

CARDS = (
    ("repU", "Replicated uniques (repU)"),
    ("DiSCO", "Highest disclosure (DiSCO)"),
    ("GTCAP", "Highest mean GTCAP"),
    ("S_pMSE", "Worst pair (S_pMSE)"),
)
"""The four measures that stand on top, and what they are called there."""
BOXES: dict[Status, Literal["block", "review", "within"]] = {
    "above": "block",
    "not measured": "block",
    "within": "within",
}
TEMPLATES = {
    "alerts": "{n} above, against a release or for a person to decide.",
    "targets": "{k} of {n} targets exceed the limit on {measure} ({limit}).",
    "pairs": "{k} of {n} pairs of columns exceed the limit on {measure} ({limit}).",
    "tables": "{k} of {n} tables exceed the limit on {measure} ({limit}).",
    "figures": "{k} of {n} figures exceed the limit on {measure} ({limit}).",
    "figure": "{measure}{whose} is {value}, above the limit ({limit}).",
    "not measured": "{n} with a limit could not be measured, which counts as above the limit.",
    "review": "{n} to review: above the review value, within the limit.",
    "within": "All {n} figures with a limit are within it.",
    "no limits": "No limits have been accepted, so no figure can be within one.",
    "accepted": "Limits accepted by {by}, {on}.",
    "open": "{n} without a ruling: common knowledge or residual risk?",
    "release": "Decision: release. {by}, {on}, on run {run}.",
    "refuse": "Decision: no release. {by}, {on}, on run {run}.",
    "undecided": "No decision has been recorded for this run.",
    "evidence": "Evidence for a decision, not a certificate. Annexes follow.",
}


def _say(key: str, of: str = "", kind: Kind = "plain", **values: str) -> Sentence:
    return Sentence(TEMPLATES[key].format(**values), kind, f"verdict/{key}", of)


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """The alerts, the verdict, four figures, what is outstanding, and the decision."""
    judgement = contents.judgement
    groups = group_figures(judgement)
    status, words = headline(judgement)
    first, *more = sentences(judgement, groups)
    yield from alert_blocks(judgement.alerts, judgement.not_tested, level=2)
    yield AlertBox(BOXES.get(status, "review"), f"{GLYPHS[status]} {words}", (first.text,))
    yield from more
    yield _cards(contents, groups)
    yield from _outstanding(judgement)
    yield from _decided(contents.decision)
    yield _say("evidence", kind="dim")


def headline(judgement: Judgement) -> tuple[Status, str]:
    """Status and words of the verdict in one breath."""
    is_accepted = any(one.accepted is not None for one in judgement.alerts)
    cases: tuple[tuple[bool, Status, str], ...] = (
        (judgement.exit_code == 3, "above", "NOT READY FOR RELEASE"),
        (judgement.accepted_by is None, "no limit", "CANNOT BE ASSESSED YET"),
        (not judgement.is_current, "review", "OUT OF DATE: RUN AGAIN"),
        (judgement.exit_code == 4, "review", "DECISIONS OUTSTANDING"),
        (is_accepted, "review", "ALERTS ACCEPTED BY NAME"),
        (bool(judgement.n_review), "review", "WITHIN LIMITS, SOME FIGURES TO REVIEW"),
    )
    found = (case[1:] for case in cases if case[0])
    return next(found, ("within", "WITHIN ACCEPTED LIMITS"))


def sentences(judgement: Judgement, groups: list[MeasureFigures]) -> Iterator[Sentence]:
    """What is open, above, to be reviewed, not measured, or waits for somebody."""
    if n_alerts := sum(map(is_open, judgement.alerts)):
        yield _say("alerts", n=format_count(n_alerts, "alert"))
    for group in groups:
        yield from (_above(part) for part in kinds_of(group) if part.above)
    statuses = [one.status for group in groups for one in group.worst_of_each]
    for status, key in (("not measured", "not measured"), ("review", "review")):
        if n := statuses.count(status):  # type: ignore[arg-type]
            yield _say(key, n=format_count(n, "figure"))
    n_within = statuses.count("within")
    if n_within and n_within == sum(status != "no limit" for status in statuses):
        yield _say("within", n=f"{n_within:,}")
    if n_open := sum(finding.state == "open" for finding in judgement.findings):
        yield _say("open", n=format_count(n_open, "flag"))
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


def _above(group: MeasureFigures) -> Sentence:
    first, k, n = group.above[0], len(group.above), len(group.limited)
    limit, kind = limit_text(group.measure, first.limit or 0.0), _kind(first)
    if n == 1:
        value = figure_text(group.measure, first.value)
        return _say(
            "figure",
            f"{group.measure}|{kind}",
            measure=group.measure,
            whose=_of(first),
            value=value,
            limit=limit,
        )
    return _say(
        kind,
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


def _accepted(judgement: Judgement) -> Sentence:
    if judgement.accepted_by is None:
        return _say("no limits")
    by = truncate(judgement.accepted_by)
    return _say("accepted", by=by, on=format_time(judgement.accepted_on))


def _cards(contents: ReportContents, groups: list[MeasureFigures]) -> TableBlock:
    by_measure = {group.measure: group for group in groups}
    rows = [
        _card(measure, label, by_measure.get(measure), len(contents.scenarios))
        for measure, label in CARDS
    ]
    return table("", ("measure", "worst", "of", "original", "limit", "status"), rows, text=["of"])


def _card(
    measure: str, label: str, group: MeasureFigures | None, scenarios: int
) -> tuple[str, ...]:
    figures = _of_card(group) if group else ()
    measured = tuple(one for one in figures if one.value is not None)
    one = worst(measured or figures)
    if one is None:
        return label, "-", "not in this run", "-", "-", format_status("not measured")
    n_lacking = len(figures) - len(measured) if measured else 0
    of = describe_thing(one, scenarios=scenarios)
    lacking = f" ({n_lacking:,} not measured)" if n_lacking else ""
    return (
        label,
        figure_text(measure, one.value),
        f"{of}{lacking}".strip() or "-",
        "-" if one.companion is None else figure_text(measure, one.companion),
        "-" if one.limit is None else limit_text(measure, one.limit),
        format_status(one.status),
    )


def _of_card(group: MeasureFigures) -> tuple[LimitCheck, ...]:
    """Of S_pMSE the pairs of columns: the worst of them is what the card is about."""
    pairs = tuple(one for one in group.worst_of_each if _is_pair(one))
    return pairs or group.worst_of_each


def _outstanding(judgement: Judgement) -> Iterator[Block]:
    """What a person still has to record; flags have an annex of their own."""
    yield from (Sentence(one, "look") for one in (*judgement.stale, *judgement.void))
    said = [f"{one.sentence} {one.fix}" for one in judgement.missing if one.kind != "finding"]
    if any(one.kind == "finding" for one in judgement.missing):
        said.append("Rulings on the flags of annex B: unveil rule")
    if said:
        yield Sentence("Outstanding before a decision:", "lead")
        yield Items(tuple(said), "-")


def _decided(decision: Decision | None) -> Iterator[Block]:
    if decision is None:
        yield _say("undecided")
        return
    key = "release" if decision.release else "refuse"
    by, on = truncate(decision.by), format_time(decision.on)
    yield _say(key, "decision", "lead", by=by, on=on, run=f"{decision.run:,}")
    yield Sentence(f"Note: {decision.note}")
    for one in decision.despite:
        yield Sentence(f"Despite {one.alert}, because: {one.reason}")
