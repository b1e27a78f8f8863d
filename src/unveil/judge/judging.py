"""How does a run stand against the limits that a named person accepted?

A value up to the first number of a limit is within, up to the second it is to be reviewed, beyond
it above. Every copy and the pool of all copies are judged; means hide the worst copy and are not.
Until somebody accepts the limits by name there is no verdict at all. What could not be measured is
never quietly within, and a run of other files or settings than those of now lets nothing pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from unveil.judge.audiences import rule_of
from unveil.judge.headline import headline_of
from unveil.judge.measures import MEASURES
from unveil.judge.missing import missing_of
from unveil.judge.rulings import InForce, Ruling, findings_of
from unveil.judge.run_alerts import GateFindings, assess_run, void_of
from unveil.records.alerts import Acceptance
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import (
    Audience,
    FactorName,
    Judged,
    Judgement,
    Limit,
    Missing,
    Status,
)
from unveil.records.run import FigureRow, Part, Run

UNMEASURABLE = "it is not defined for these data"


@dataclass(frozen=True)
class Said:
    """All that people said in a project, as far as it decides how a run is judged."""

    audience: Audience | None
    limits: tuple[Limit, ...]
    accepted_by: str | None
    accepted_on: str | None
    not_in_force: str | None = None  # why limits with a name beside them are not accepted
    rulings: tuple[Ruling, ...] = ()
    exclusions: tuple[InForce, ...] = ()
    answered: frozenset[FactorName] = frozenset()
    four_eyes: bool = False
    sensitive: Mapping[str, Sequence[str]] = field(default_factory=dict)  # levels, by target
    acceptances: tuple[Acceptance, ...] = ()


def judged(
    run: Run,
    disclosures: Sequence[tuple[str, Disclosure]],
    said: Said,
    *,
    gate: GateFindings | None = None,
    stale: tuple[str, ...] = (),
    reasons: Mapping[FigureRow, str] | None = None,
) -> Judgement:
    """A run against what people said.

    Parameters
    ----------
    run
        What was measured.
    disclosures
        The disclosure record of each scenario, by its name: their flags are the findings.
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
    figures = (*_figures(run, in_force, reasons or {}), *_refused(run, in_force))
    findings = findings_of(
        disclosures, audience=said.audience, rulings=said.rulings, exclusions=said.exclusions
    )
    assessment = assess_run(
        run,
        gate or GateFindings(),
        figures,
        [record for _, record in disclosures],
        limits=in_force,
        sensitive=said.sensitive,
        acceptances=said.acceptances,
        audience=said.audience,
    )
    digest = assessment.files_sha256 or ""
    missing = missing_of(
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


def status_of(value: float | None, limit: Limit | None) -> Status:
    """What a limit says of one figure."""
    if limit is None:
        return "no limit"
    if value is None:
        return "not measured"
    return "within" if value <= limit.review else "review" if value <= limit.limit else "above"


def _figures(
    run: Run, in_force: Mapping[str, Limit], reasons: Mapping[FigureRow, str]
) -> Iterator[Judged]:
    for row in run.figures:
        if row.copy != "mean" and not _is_void(row):
            yield _judged(row, in_force.get(row.measure), reasons.get(row, UNMEASURABLE))


def _is_void(row: FigureRow) -> bool:
    """Whether a pair of columns has one cell alone, in which nothing can differ."""
    return row.measure == "S_pMSE" and row.subject is not None and row.value is None


def _judged(row: FigureRow, limit: Limit | None, why: str | None) -> Judged:
    return Judged(
        measure=row.measure,
        part=row.part,
        scenario=row.scenario,
        target=row.target,
        subject=row.subject,
        copy=row.copy,
        value=row.value,
        companion=row.companion,
        review=limit.review if limit else None,
        limit=limit.limit if limit else None,
        status=status_of(row.value, limit),
        reason=why if limit and row.value is None else None,
    )


def _refused(run: Run, in_force: Mapping[str, Limit]) -> Iterator[Judged]:
    """A row for each limit that a part would have answered, had it been measured."""
    for name, limit in in_force.items():
        for part in run.parts:
            if part.kind in MEASURES[name].kinds and part.state == "not measured":
                yield _judged(_row_of(part, name), limit, part.reason)


def _row_of(part: Part, measure: str) -> FigureRow:
    return FigureRow(
        measure=measure, part=part.name, scenario=part.scenario, target=part.target, value=None
    )


def _exit_code(
    alerts: Literal[0, 3, 4], missing: Sequence[Missing], stale: Sequence[str]
) -> Literal[0, 3, 4]:
    """What the alerts ask for; where they let the run pass, what people have still to say."""
    return alerts or (4 if missing or stale else 0)
