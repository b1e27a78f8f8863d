"""How does a run stand against the limits that a named person accepted?

A value up to the first number of a limit is within, up to the second it is to be reviewed, beyond
it above. Every copy and the pool of all copies are judged; means hide the worst copy and are not.
Until a person accepts the limits by name there is no verdict at all. What could not be measured is
never quietly within, and a run of other files or settings than those of now lets nothing pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import asdict

from unveil.assessment.context import rule_of
from unveil.assessment.flag_rulings import ExclusionInForce, Ruling, list_flag_rulings
from unveil.assessment.limits import limit_status
from unveil.assessment.outstanding import list_outstanding
from unveil.assessment.run_alerts import GateStatements, run_alerts, void_of
from unveil.errors import list_names
from unveil.records.alerts import Acceptance, Alert, AlertStatus
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import (
    Audience,
    FactorName,
    FigureRow,
    Judgement,
    Limit,
    LimitCheck,
    Outstanding,
    Status,
)
from unveil.records.limits import MEASURES
from unveil.records.run import Run, RunPart

# What does a judgement come to, in one sentence? Never that something is safe.


NO_COPY = "The project names no synthetic file: only the original and tables are assessed."
_ALERTS: dict[AlertStatus, str] = {
    "block": "Against a release",
    "decide": "Decision outstanding",
    "review": "To review",
}
STALE = "Files or settings have changed since: measure again before a decision, unveil run."


def headline_of(
    run: Run,
    figures: Sequence[LimitCheck],
    missing: Sequence[Outstanding],
    alerts: Sequence[Alert] = (),
    *,
    accepted_by: str | None,
    not_in_force: str | None = None,
    is_current: bool = True,
) -> str:
    """The gravest alert about the files, and the verdict against the limits of a named person."""
    if accepted_by is None:
        why = not_in_force or "no one has accepted limits"
        verdict, is_passed = f"No verdict on run {run.number}: {why}.", True
    else:
        verdict, is_passed = _verdict(figures, accepted_by)
    open_ = [one for one in alerts if one.accepted is None]
    accepted = [one.id for one in alerts if one.accepted is not None]
    if accepted:
        verdict = f"{verdict} Accepted by name: {list_names(accepted, most=3)}."
        is_passed = is_passed or all(one.kind != "limit" for one in open_)
    is_stopped = any(one.status != "review" for one in open_)
    said = [
        *_gravest(open_),
        verdict,
        *([] if run.n_synthetic else [NO_COPY]),
        *([] if is_current else [STALE]),
        *([_open(missing)] if is_passed and (missing or (is_current and not is_stopped)) else []),
    ]
    return " ".join(said)


def _gravest(alerts: Sequence[Alert]) -> list[str]:
    """The gravest alert but for figures above a limit, and how many more there are."""
    found = [one for one in alerts if one.kind != "limit"]
    if not found:
        return []
    more = f" and {_format_count(len(found) - 1, 'more alert')}" if len(found) > 1 else ""
    return [f"{_ALERTS[found[0].status]}: {found[0].sentence.rstrip('.')} ({found[0].id}){more}."]


def _verdict(figures: Sequence[LimitCheck], accepted_by: str) -> tuple[str, bool]:
    """What the limits say, and whether they let the run pass."""
    limited = [row for row in figures if row.limit is not None]
    above = [row for row in limited if row.status == "above"]
    unknown = [row for row in limited if row.status == "not measured"]
    where = f"the limits that {accepted_by} accepted"
    if above:
        return (
            f"{_format_count(len(above), 'figure')} of {len(limited)} with a limit"
            f" {'is' if len(above) == 1 else 'are'} above {where}; the furthest is"
            f" {_format_row(_farthest(above), several=_is_of_several(figures))}."
        ), False
    if unknown:
        return (
            f"{_format_count(len(unknown), 'figure')} of {len(limited)} with a limit could not be"
            f" measured, so {'it counts' if len(unknown) == 1 else 'they count'} as above {where};"
            f" the first is {unknown[0].measure} of {unknown[0].part}:"
            f" {(unknown[0].reason or 'no reason is known').rstrip('.')}."
        ), False
    n_review = sum(row.status == "review" for row in limited)
    review = f", {n_review} of them to be reviewed" if n_review else ""
    return f"None of {_format_count(len(limited), 'figure')} is above {where}{review}.", True


def format_figure(measure: str, value: float) -> str:
    """A figure with its unit."""
    if MEASURES[measure].unit == "percent":
        return f"{value:.1f} %" if value >= 0.1 or not value else "less than 0.1 %"
    if MEASURES[measure].unit == "count":
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 0.01 or value <= 0 else "less than 0.01"


def _open(missing: Sequence[Outstanding]) -> str:
    if not missing:
        return "Nothing is outstanding before a decision."
    n_flags = sum(one.kind == "finding" for one in missing)
    others = len(missing) - n_flags
    parts = [
        *([f"{_format_count(n_flags, 'flag')} to rule on"] if n_flags else []),
        *([_format_count(others, "other item" if n_flags else "item")] if others else []),
    ]
    return f"Outstanding before a decision: {' and '.join(parts)}."


def _farthest(rows: Sequence[LimitCheck]) -> LimitCheck:
    def beyond(row: LimitCheck) -> float:
        value, limit = row.value or 0.0, row.limit or 0.0
        return value / limit if limit else float("inf")

    return max(rows, key=lambda row: (beyond(row), row.value or 0.0))


def _is_of_several(figures: Sequence[LimitCheck]) -> bool:
    """Whether there are several copies, so that a figure has to state which it is of."""
    return any(row.copy not in (None, 1) for row in figures)


def _format_row(row: LimitCheck, *, several: bool) -> str:
    of = f" of {row.target}" if row.target else f" of {row.subject}" if row.subject else ""
    if row.measure == "R" and row.target:
        of = f" ({row.subject}){of}"
    scenario = f" ({row.scenario})" if row.scenario else ""
    value = format_figure(row.measure, row.value or 0.0)
    where = ""
    if several and row.copy is not None:
        where = " in all copies pooled" if row.copy == "pooled" else f" in copy {row.copy}"
    return f"{row.measure}{of}{scenario}: {value}{where} (limit {row.limit or 0:g})"


def _format_count(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


UNMEASURABLE = "it is not defined for these data"


@dataclass(frozen=True)
class ProjectStatements:
    """All that people said in a project, as far as it decides how a run is judged."""

    audience: Audience | None
    limits: tuple[Limit, ...]
    accepted_by: str | None
    accepted_on: str | None
    not_in_force: str | None = None  # why limits with a name beside them are not accepted
    rulings: tuple[Ruling, ...] = ()
    exclusions: tuple[ExclusionInForce, ...] = ()
    answered: frozenset[FactorName] = frozenset()
    four_eyes: bool = False
    sensitive: Mapping[str, Sequence[str]] = field(default_factory=dict)  # levels, by target
    acceptances: tuple[Acceptance, ...] = ()


def assess_run(
    run: Run,
    disclosures: Sequence[tuple[str, Disclosure]],
    said: ProjectStatements,
    *,
    gate: GateStatements | None = None,
    stale: tuple[str, ...] = (),
    reasons: Mapping[FigureRow, str] | None = None,
) -> Judgement:
    """A run against what people said.

    Parameters
    ----------
    run
        What was measured.
    disclosures
        The disclosure record of each scenario, by its name: their flags are those judged.
    said
        Limits, audience, rulings and answers as they are now.
    gate
        What the checks of the files counted, and which columns have a role.
    stale
        What has changed since the run, in sentences.
    reasons
        Why figures of measured parts are not defined, as far as it is known.
    """
    in_force = {limit.measure: limit for limit in said.limits} if said.accepted_by else {}
    figures = (*_figures(run, in_force, reasons or {}), *_unmeasured_rows(run, in_force))
    findings = list_flag_rulings(
        disclosures, audience=said.audience, rulings=said.rulings, exclusions=said.exclusions
    )
    assessment = run_alerts(
        run,
        gate or GateStatements(),
        figures,
        disclosures,
        limits=in_force,
        sensitive=said.sensitive,
        acceptances=said.acceptances,
        audience=said.audience,
    )
    digest = assessment.files_sha256 or ""
    missing = list_outstanding(
        run,
        findings,
        audience=said.audience,
        limits=said.limits,
        accepted_by=said.accepted_by,
        not_in_force=said.not_in_force,
        answered=said.answered,
        four_eyes=said.four_eyes,
    )
    statuses = [row.status for row in figures]
    return Judgement(
        run=run.number,
        audience=said.audience,
        rule=rule_of(said.audience),
        accepted_by=said.accepted_by,
        accepted_on=said.accepted_on,
        limits=said.limits,
        alerts=assessment.alerts,
        not_tested=assessment.not_tested,
        void=void_of(said.acceptances, assessment.alerts, digest),
        files_sha256=digest,
        figures=figures,
        findings=findings,
        missing=missing,
        n_above=statuses.count("above"),
        n_review=statuses.count("review"),
        n_not_measured=statuses.count("not measured"),
        is_current=not stale,
        stale=stale,
        exit_code=_exit_code(assessment.exit_code, missing, stale),
        headline=headline_of(
            run,
            figures,
            missing,
            assessment.alerts,
            accepted_by=said.accepted_by,
            not_in_force=said.not_in_force,
            is_current=not stale,
        ),
    )


def status_of(value: float | None, limit: Limit | None, high: float | None = None) -> Status:
    """What a limit, if there is one, says of one figure."""
    return "no limit" if limit is None else limit_status(value, limit.review, limit.limit, high)


def _figures(
    run: Run, in_force: Mapping[str, Limit], reasons: Mapping[FigureRow, str]
) -> Iterator[LimitCheck]:
    for row in run.figures:
        if row.copy != "mean" and not _is_void(row):
            yield _check_row(row, in_force.get(row.measure), reasons.get(row, UNMEASURABLE))


def _is_void(row: FigureRow) -> bool:
    """Whether a pair of columns has one cell alone, in which nothing can differ."""
    return row.measure == "S_pMSE" and row.subject is not None and row.value is None


def _check_row(row: FigureRow, limit: Limit | None, why: str | None) -> LimitCheck:
    return LimitCheck(
        **asdict(row),
        review=limit.review if limit else None,
        limit=limit.limit if limit else None,
        status=status_of(row.value, limit, row.high),
        reason=why if limit and row.value is None else None,
    )


def _unmeasured_rows(run: Run, in_force: Mapping[str, Limit]) -> Iterator[LimitCheck]:
    """A row for each limit that a part would have answered, had it been measured."""
    for name, limit in in_force.items():
        for part in run.parts:
            if part.kind in MEASURES[name].kinds and part.state == "not measured":
                yield _check_row(_row_of(part, name), limit, part.reason)


def _row_of(part: RunPart, measure: str) -> FigureRow:
    return FigureRow(
        measure=measure, part=part.name, scenario=part.scenario, target=part.target, value=None
    )


def _exit_code(
    alerts: Literal[0, 3, 4], missing: Sequence[Outstanding], stale: Sequence[str]
) -> Literal[0, 3, 4]:
    """What the alerts ask for; where they let the run pass, what people have still to say."""
    return alerts or (4 if missing or stale else 0)
