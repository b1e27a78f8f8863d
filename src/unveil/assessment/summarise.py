"""What does a director need to know before signing? One `Summary` out of the records of a run.

Every count is of the worst copy (or of all copies pooled) and of the worst scenario; means hide the
worst. Flags on one target are one decision, whatever their number.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from unveil.assessment.alerts import format_names
from unveil.assessment.assess_release import check_of
from unveil.assessment.decisions import TargetGroups, list_decisions, next_command
from unveil.assessment.ruling_groups import MISSING, group_rulings, worst_flags
from unveil.records.alerts import Alert, Assessment, NotTested
from unveil.records.base import Copy
from unveil.records.disclosure import Disclosure, SingleValues
from unveil.records.judgement import FlagRuling, Judgement, Limit, LimitCheck, Outstanding, Status
from unveil.records.limits import GATE, MEASURES, Verdict
from unveil.records.run import Run
from unveil.records.summary import (
    AboveLimit,
    IdentitySummary,
    RulingGroup,
    SensitiveSummary,
    Summary,
    SummaryRuling,
    SummaryVerdict,
    TargetSummary,
    UtilitySummary,
    VerdictStatus,
)

SEVERITY: tuple[Status, ...] = ("above", "not measured", "review", "within", "no limit")
"""The worst status first."""

ByScenario = Sequence[tuple[str | None, Disclosure]]


@dataclass(frozen=True)
class ProjectFacts:
    """What the records of a run do not have: what was declared, ruled and excluded."""

    sensitive: Mapping[str, Collection[str]] = field(default_factory=dict)  # levels, by target
    rulings: tuple[SummaryRuling, ...] = ()
    with_radii: frozenset[str] = frozenset()  # targets that GTCAP measures with a tolerance
    has_weight: bool = False
    run_hash: str | None = None


def summarise_run(
    run: Run, disclosures: ByScenario, judgement: Judgement, facts: ProjectFacts
) -> Summary:
    """The summary of a run as the project stands now."""
    made = _Counted(disclosures, judgement.figures, facts.sensitive)
    failed = [part for part in run.parts if part.kind == "disclosure" and part.reason is not None]
    reason = failed[0].reason if failed and not disclosures else None
    accepted = judgement.accepted_by is not None
    return made.summary(
        title=run.title,
        run=run.number,
        date=run.started,
        by=run.by,
        audience=judgement.audience,
        run_hash=facts.run_hash,
        n_people=run.n_original or 0,
        n_copies=len(run.n_synthetic),
        alerts=judgement.alerts,
        status=_status(judgement.exit_code, is_limited=True, reason=reason),
        reason=None if reason is None else reason.split("\n")[0],
        accepted_by=judgement.accepted_by,
        limits=judgement.limits if accepted else (),
        not_tested=(*judgement.not_tested, *_not_tested(disclosures, facts)),
        findings=judgement.findings,
        missing=judgement.missing,
        stale=judgement.stale,
        rulings=facts.rulings,
        is_project=True,
    )


def summarise_disclosure(
    record: Disclosure,
    *,
    assessment: Assessment | None = None,
    verdicts: Sequence[Verdict] = (),
    sensitive: Mapping[str, Collection[str]] | None = None,
) -> Summary:
    """The summary of one scenario without a project; no verdict where no limit was set."""
    figures = [check_of(one) for one in verdicts]
    disclosures = [(None, record)]
    facts = ProjectFacts(sensitive=sensitive or {})
    not_tested = [NotTested(what="control", sentence=NO_CONTROL)]
    if assessment is not None:
        not_tested = [*assessment.not_tested]
    limits = {one.measure: float(one.limit) for one in verdicts}
    return _Counted(disclosures, figures, facts.sensitive).summary(
        title=record.files[0] if record.files else "",
        n_people=record.n_original,
        n_copies=len(record.n_synthetic),
        alerts=() if assessment is None else assessment.alerts,
        status=_status(
            0 if assessment is None else assessment.exit_code, is_limited=bool(verdicts)
        ),
        limits=tuple(
            Limit(measure=name, review=one, limit=one, unit=MEASURES[name].unit, origin="")
            for name, one in limits.items()
        ),
        not_tested=(*not_tested, *_not_tested(disclosures, facts)),
        findings=tuple(_open_flags(record)),
    )


NO_CONTROL = (
    "Effect of being in the data (membership, linkage and inference attacks): no control sample"
    " was supplied."
)


def _status(exit_code: int, *, is_limited: bool, reason: str | None = None) -> VerdictStatus:
    if reason is not None:
        return "not assessed"
    found: dict[int, VerdictStatus] = {3: "above", 4: "outstanding"}
    return found.get(exit_code, "within" if is_limited else "no limit")


def _open_flags(record: Disclosure) -> Iterator[FlagRuling]:
    """The flags of a scenario, each once, from its worst copy; no one has ruled on them."""
    for flag in worst_flags(record.flags).values():
        yield FlagRuling(
            id=flag.exclusion,
            scenario="",
            target=flag.target,
            kind=flag.kind,
            exclusion=flag.exclusion,
            n=flag.n,
            sentence=flag.sentence,
            state="open",
        )


def _not_tested(disclosures: ByScenario, facts: ProjectFacts) -> Iterator[NotTested]:
    """What follows from how the scenarios were declared."""
    if len(disclosures) == 1:
        n_keys = len(disclosures[0][1].keys)
        keys = "1 key variable" if n_keys == 1 else f"{n_keys} key variables"
        yield NotTested(
            what="scenario",
            sentence=f"Better-informed intruders: only one scenario ({keys}) was declared.",
        )
    exact = [name for _, record in disclosures for name in record.single_values.exact]
    near = tuple(name for name in dict.fromkeys(exact) if name not in facts.with_radii)
    if near:
        yield NotTested(
            what="numbers",
            columns=near,
            sentence=f"Near misses in {format_names(near)} count as wrong.",
        )
    if facts.has_weight:
        yield NotTested(what="weights", sentence="Survey weights are not used in these counts.")


@dataclass(frozen=True)
class _Counted:
    """Scenarios that were counted, and their figures beside the limits."""

    disclosures: ByScenario
    figures: Sequence[LimitCheck]
    sensitive: Mapping[str, Collection[str]]

    def summary(
        self,
        *,
        status: VerdictStatus,
        alerts: Sequence[Alert],
        limits: Sequence[Limit],
        not_tested: Sequence[NotTested],
        findings: Sequence[FlagRuling],
        n_people: int,
        reason: str | None = None,
        accepted_by: str | None = None,
        missing: Sequence[Outstanding] = (),
        stale: Sequence[str] = (),
        rulings: tuple[SummaryRuling, ...] = (),
        is_project: bool = False,
        **head: object,
    ) -> Summary:
        """All of it."""
        verdict = self._verdict(status, alerts, accepted_by, reason)
        identity, targets = self._identity(), tuple(self._targets())
        groups = self._groups(findings, rulings)
        counted = [record.single_values for _, record in self.disclosures]
        at_risk = max((one.n_people for each in counted for one in each.any_correct), default=0)
        if counted:
            n_people = counted[0].n_people
        decisions = tuple(
            list_decisions(
                verdict,
                identity,
                targets,
                groups,
                alerts=alerts,
                missing=missing,
                not_tested=not_tested,
                stale=stale,
                n_people=n_people,
                is_project=is_project,
            )
        )
        return Summary(
            n_people=n_people,
            is_by_person=any(record.people is not None for _, record in self.disclosures),
            scenarios=tuple(name for name, _ in self.disclosures if name is not None),
            verdict=verdict,
            alerts=tuple(alerts),
            identity=identity,
            targets=targets,
            any_correct=at_risk if len(targets) > 1 else None,
            excluded=tuple(
                dict.fromkeys(text for _, record in self.disclosures for text in record.exclude)
            ),
            limits=tuple((one.measure, one.limit) for one in limits),
            sensitive=tuple(self._sensitive()),
            not_tested=tuple(not_tested),
            utility=self._utility(),
            n_flags=sum(one.n_flags for one in groups.values()),
            decisions=decisions,
            rulings=rulings,
            next_command=next_command(decisions) if is_project else None,
            **head,  # type: ignore[arg-type]
        )

    def _verdict(
        self,
        status: VerdictStatus,
        alerts: Sequence[Alert],
        accepted_by: str | None,
        reason: str | None,
    ) -> SummaryVerdict:
        worst = [*self._worst_figures()]
        limited = [one for one in worst if one.status != "no limit"]
        n_review = sum(one.status == "review" for one in limited)
        n_accepted = sum(one.accepted is not None for one in alerts)
        if status == "within" and (n_review or n_accepted):
            status = "review"
        return SummaryVerdict(
            status=status,
            n_review=n_review,
            n_limited=len(limited),
            n_alerts=sum(map(_stands_against, alerts)),
            n_accepted=n_accepted,
            above=tuple(
                AboveLimit(
                    measure=one.measure,
                    target=one.target,
                    subject=one.subject,
                    scenario=one.scenario,
                    value=one.value,
                    limit=one.limit or 0.0,
                    unit=MEASURES[one.measure].unit,
                )
                for one in sorted(limited, key=_farthest)
                if one.status == "not measured"
                or (one.status == "above" and one.measure not in GATE)
            ),
            accepted_by=accepted_by,
            reason=reason,
        )

    def _worst_figures(self) -> Iterator[LimitCheck]:
        """Of each figure the synthetic file with the worst status, and of those the highest."""
        found: dict[tuple[str | None, ...], LimitCheck] = {}
        for one in self.figures:
            # A table has a figure for every number of people known, and is one thing.
            subject = None if one.measure == "SAP" else one.subject
            what = (one.measure, one.part, one.scenario, one.target, subject)
            found[what] = min(found.get(what, one), one, key=_severity)
        yield from found.values()

    def _status_of(self, measure: str, scenario: str | None, target: str | None) -> Status:
        found = [
            one.status
            for one in self.figures
            if (one.measure, one.scenario, one.target) == (measure, scenario, target)
        ]
        return min(found, key=SEVERITY.index, default="no limit")

    def _identity(self) -> IdentitySummary | None:
        found = [
            (_people(record, "repU", row.copy), name, record, row.copy)
            for name, record in self.disclosures
            for row in record.identity
            if row.copy != "mean" and row.repU is not None
        ]
        if not found:
            return None
        replicated, name, record, copy = max(found, key=lambda one: one[0])
        same = max(record.recurrence, key=lambda row: row.n, default=None)
        return IdentitySummary(
            scenario=name,
            copy=copy,
            keys=record.keys,
            unique=_people(record, "UiO", copy),
            replicated=replicated,
            reappearing=0 if same is None else same.n,
            n_variables=0 if same is None else same.n_columns,
            status=self._status_of("repU", name, None),
        )

    def _targets(self) -> Iterator[TargetSummary]:
        """Of each target the scenario and copy with the most people disclosed correctly."""
        worst: dict[str, tuple[str | None, Disclosure, SingleValues]] = {}
        for name, record in self.disclosures:
            for row in record.single_values.targets:
                known = worst.get(row.target)
                if known is None or row.n_correct > known[2].n_correct:
                    worst[row.target] = name, record, row
        for name, record, row in sorted(worst.values(), key=lambda one: -one[2].n_correct):
            status = self._status_of("DiSCO", name, row.target)
            yield TargetSummary(
                target=row.target,
                scenario=name,
                copy=row.copy,
                correct=row.n_correct,
                wrong=row.n_wrong,
                not_most_common=row.n_not_most_common,
                most_common=MISSING if row.kind == "missing" else row.level_label or row.level,
                most_common_share=100 * row.n_level / max(record.single_values.n_people, 1),
                is_tied=row.is_tied,
                **_expected(record, row),
                status=status,
                by_exclusion=status in ("within", "review")
                and self._is_excluded(name, record, row),
            )

    def _is_excluded(self, scenario: str | None, record: Disclosure, row: SingleValues) -> bool:
        """Whether the figure without exclusions would be above its limit."""
        limits = [
            one.limit
            for one in self.figures
            if (one.measure, one.scenario, one.target) == ("DiSCO", scenario, row.target)
        ]
        return any(
            effect.all > limits[0]
            for effect in record.effects
            if (effect.target, effect.measure, effect.copy) == (row.target, "DiSCO", row.copy)
            and effect.all is not None
            and limits
            and limits[0] is not None
        )

    def _sensitive(self) -> Iterator[SensitiveSummary]:
        for target, levels in self.sensitive.items():
            for level in levels:
                rows = [
                    (row.n_correct + row.n_wrong, name, row)
                    for name, record in self.disclosures
                    for row in record.single_values.sensitive or record.by_value
                    if (row.target, row.level) == (target, level)
                ]
                _, name, row = max(rows, key=lambda one: one[0], default=(0, None, None))
                yield SensitiveSummary(
                    target=target,
                    level=level,
                    scenario=name,
                    people=0 if row is None else row.n_people,
                    correct=0 if row is None else row.n_correct,
                    falsely_shown=0 if row is None else row.n_wrong,
                )

    def _utility(self) -> UtilitySummary | None:
        found = [one for one in self.figures if one.measure == "S_pMSE" and one.value is not None]
        whole = [one for one in found if one.subject is None]
        pairs = [one for one in found if one.subject is not None]
        if not found:
            return None
        pair = max(pairs, key=_value, default=None)
        return UtilitySummary(
            S_pMSE=max(map(_value, whole), default=None),
            pair=None if pair is None else pair.subject,
            pair_S_pMSE=None if pair is None else pair.value,
            status=min((one.status for one in found), key=SEVERITY.index),
        )

    def _groups(
        self, findings: Sequence[FlagRuling], rulings: Sequence[SummaryRuling]
    ) -> dict[str, TargetGroups]:
        """What is to be ruled on, by target; those with flags in the order of the flags."""
        excluded = {text for one in rulings if one.state == "common knowledge" for text in one.what}
        found: dict[str, list[RulingGroup]] = {
            one.target: [] for one in findings if one.state == "open"
        }
        for name, record in self.disclosures:
            for group in group_rulings(name, record, findings, excluded):
                found.setdefault(group.target, []).append(group)
        return {target: TargetGroups(tuple(groups)) for target, groups in found.items()}


def _expected(record: Disclosure, row: SingleValues) -> dict[str, float]:
    """Correct disclosures that other people's records would teach, and those that are added."""
    one = record.find_claim(row.target, row.copy)
    if one is None:
        return {}
    ends = {"adds": one.adds, "adds_low": one.low, "adds_high": one.high}
    return {"expected": one.expected, **ends}


def _people(record: Disclosure, measure: str, copy: Copy) -> int:
    """A whole number of people behind a percentage of identity."""
    for row in () if record.people is None else record.people.rows:
        if (row.measure, row.target, row.copy) == (measure, None, copy):
            return round(row.n_people)
    value: float = getattr(record.identity_of(copy), measure) or 0.0
    return round(value * record.n_original / 100)


def _stands_against(one: Alert) -> bool:
    return one.accepted is None and one.status != "review" and one.kind != "limit"


def _severity(one: LimitCheck) -> tuple[int, float]:
    return SEVERITY.index(one.status), -_value(one)


def _farthest(one: LimitCheck) -> tuple[float, float]:
    limit = one.limit or 0.0
    return (-_value(one) / limit if limit else float("-inf"), -_value(one))


def _value(one: LimitCheck) -> float:
    return one.value or 0.0
