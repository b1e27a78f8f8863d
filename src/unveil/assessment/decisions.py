"""What has a named person to decide? Each question once: 63 flags on 5 variables are 5 decisions.

In the order in which one would see to them: alerts, what is above its limit, flags, what is to be
reviewed, sign-offs, and what was not tested.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unveil.assessment.alerts import format_names, percent
from unveil.assessment.outstanding import BY, shell_word
from unveil.assessment.ruling_groups import BY_SHARE, MISSING
from unveil.records.alerts import Alert, NotTested
from unveil.records.judgement import MissingKind, Outstanding
from unveil.records.limits import MEASURES
from unveil.records.summary import (
    AboveLimit,
    DecisionKind,
    IdentitySummary,
    RulingGroup,
    SummaryDecision,
    SummaryVerdict,
    TargetSummary,
)

MOST_VALUES = 2
"""So many values of a target are named in a decision."""
OF_THE_RUN: tuple[DecisionKind, ...] = ("alerts", "identity", "figure", "target")
"""Decisions on what a run showed; a change since may have settled them."""
HALF = 0.5
"""From this part of the correct disclosures on, the most common value may be why."""
_SIGN_OFFS: dict[MissingKind, DecisionKind] = {
    "limits": "limits",
    "context": "context",
    "measure": "measure",
    "four_eyes": "four_eyes",
}
N_QUESTIONS = 5


@dataclass(frozen=True)
class TargetGroups:
    """What is to be ruled on about one target, most people first."""

    groups: tuple[RulingGroup, ...]

    @property
    def reasons(self) -> str:
        """What explains most of the correct values, in a sentence; nothing where nothing does."""
        explained = [one for one in self.groups if one.part is not None]
        if not explained:
            return ""
        more = len(explained) - 1  # the page has a line for each decision
        rest = f"; {_count(more, 'smaller group')}" if more > 0 else ""
        return f" Explained by {_explain(explained[0])}{rest}."

    @property
    def n_flags(self) -> int:
        """How many flags are outstanding."""
        return sum(len(one.flags) for one in self.groups)

    @property
    def labels(self) -> tuple[str, ...]:
        """The values that flags are about."""
        flagged = (one for one in self.groups if one.flags)
        return tuple(dict.fromkeys(one.label for one in flagged))

    @property
    def values(self) -> str:
        """The values, in words."""
        names, more = self.labels, len(self.labels) - MOST_VALUES
        if more > 0:
            return f"{', '.join(names[:MOST_VALUES])} and {more:,} more"
        return " and ".join(names)


def list_decisions(
    verdict: SummaryVerdict,
    identity: IdentitySummary | None,
    targets: Sequence[TargetSummary],
    groups: Mapping[str, TargetGroups],
    *,
    alerts: Sequence[Alert],
    missing: Sequence[Outstanding],
    not_tested: Sequence[NotTested],
    stale: Sequence[str],
    n_people: int,
    is_project: bool,
) -> Iterator[SummaryDecision]:
    """Every decision that is open, the gravest first."""
    made = _Decisions(verdict, identity, targets, groups, n_people, is_project)
    yield from made.alerts(alerts)
    yield from made.above(alerts)
    yield from made.flagged()
    yield from made.review()
    yield from made.sign_offs(missing)
    if stale:
        yield SummaryDecision(
            kind="stale",
            subject="changes since the run",
            sentence=f"{stale[0]} Measure again before a decision.",
            choices=("run again",),
            commands=("unveil run",),
        )
    if not_tested:
        n = len(not_tested)
        yield SummaryDecision(
            kind="not_tested",
            subject="what was not tested",
            sentence=f"What was not tested: {_count(n, 'point')}.",
            choices=("test", "accept"),
        )


def next_command(decisions: Sequence[SummaryDecision]) -> str:
    """What to type next in a project: look at the first decision, or record the last one.

    After a change since the run, alerts and figures of it wait for the next run; rulings do not.
    """
    is_stale = any(one.kind == "stale" for one in decisions)
    for one in decisions:
        if is_stale and one.kind in OF_THE_RUN and not one.n_flags:
            continue
        if one.kind == "target":
            dash = "-- " if (one.target or "").startswith("-") else ""
            return f"unveil explain {dash}{shell_word(one.target or '')}"
        if one.kind in OF_THE_RUN:  # to accept it is a choice, not the next step
            return "unveil report"
        if one.commands:
            return one.commands[0]
    return f'unveil decide --release {BY} --note "..."'


@dataclass(frozen=True)
class _Decisions:
    verdict: SummaryVerdict
    identity: IdentitySummary | None
    targets: Sequence[TargetSummary]
    groups: Mapping[str, TargetGroups]
    n_people: int
    is_project: bool

    def alerts(self, alerts: Sequence[Alert]) -> Iterator[SummaryDecision]:
        """Alerts about the files, all together."""
        found = [
            one
            for one in alerts
            if one.accepted is None and one.status != "review" and one.kind != "limit"
        ]
        if found:
            yield SummaryDecision(
                kind="alerts",
                subject=_count(len(found), "alert"),
                sentence=(
                    f"{_count(len(found), 'alert')} about the files"
                    f" ({format_names([one.id for one in found])})."
                ),
                choices=("correct the files", "accept each by name"),
                commands=tuple(self._accept(one.id) for one in found),
            )

    def above(self, alerts: Sequence[Alert]) -> Iterator[SummaryDecision]:
        """Every figure above its limit that no one accepted: those of one target together."""
        accepted = {one.id for one in alerts if one.accepted is not None}
        open_ = [one for one in self.verdict.above if _alert_id(one) not in accepted]
        by_subject: dict[str | None, list[AboveLimit]] = {}
        for one in open_:
            if one.target is not None:
                by_subject.setdefault(one.target, []).append(one)
        yield from self._identity([one for one in open_ if one.measure == "repU"])
        for target, figures in by_subject.items():
            yield self._target(target or "", figures)
        by_measure: dict[str, list[AboveLimit]] = {}
        for one in open_:
            if one.target is None and one.measure != "repU":
                by_measure.setdefault(one.measure, []).append(one)
        for measure, figures in by_measure.items():
            yield SummaryDecision(
                kind="figure",
                subject=measure,
                sentence=f"{_figures(figures[:1])}{_more(len(figures) - 1)}.",
                choices=("protect", "accept"),
                commands=tuple(dict.fromkeys(self._accept(_alert_id(one)) for one in figures)),
            )

    def _identity(self, figures: Sequence[AboveLimit]) -> Iterator[SummaryDecision]:
        if figures:
            known = self.identity
            n = "" if known is None else f"{known.replicated:,} "
            yield SummaryDecision(
                kind="identity",
                subject="replicated uniques",
                sentence=f"{n}replicated uniques ({_figures(figures[:1])}).",
                choices=("recode", "accept"),
                commands=tuple(self._accept(_alert_id(one)) for one in figures),
            )

    def _target(self, target: str, figures: Sequence[AboveLimit]) -> SummaryDecision:
        of_target = self.groups.get(target, TargetGroups(()))
        said = [f"{target}: {_figures(figures)}."]
        row = next((one for one in self.targets if one.target == target), None)
        is_common = row is not None and _is_mostly_common(row)
        if row is not None and is_common:
            n = row.correct - row.not_most_common
            said.append(
                f"{n:,} of {row.correct:,} are {row.most_common}"
                f" ({percent(row.most_common_share)} of people)."
            )
        elif n_flags := of_target.n_flags:
            said.append(f"{_count(n_flags, 'flag')} ({of_target.values}).{of_target.reasons}")
        choices = ("protect", "accept")
        return SummaryDecision(
            kind="target",
            target=target,
            n_flags=of_target.n_flags,
            subject=target,
            sentence=" ".join(said),
            choices=("exclude", *choices) if is_common or of_target.groups else choices,
            commands=(
                *self._rule(target, of_target),
                *(self._accept(_alert_id(one)) for one in figures),
            ),
            groups=of_target.groups,
        )

    def flagged(self) -> Iterator[SummaryDecision]:
        """Flags on targets that no figure is above a limit of."""
        above = {one.target for one in self.verdict.above}
        for target, group in self.groups.items():
            if target not in above and group.n_flags:
                all_of = ", all for " if len(group.labels) == 1 and group.n_flags > 1 else " for "
                yield SummaryDecision(
                    kind="target",
                    target=target,
                    n_flags=group.n_flags,
                    subject=target,
                    sentence=(
                        f"{target}: {_count(group.n_flags, 'flag')}{all_of}{group.values}."
                        f"{group.reasons}"
                    ),
                    choices=("exclude", "keep"),
                    commands=self._rule(target, group),
                    groups=group.groups,
                )

    def review(self) -> Iterator[SummaryDecision]:
        """All targets in review together, but those that flags ask about already."""
        found = [one for one in self.targets if one.status == "review"]
        flagged = {target for target, group in self.groups.items() if group.n_flags}
        names = tuple(one.target for one in found if one.target not in flagged)
        if names:
            yield SummaryDecision(
                kind="review",
                targets=names,
                subject=format_names(names),
                sentence=f"{format_names(names)}: between review and limit.",
                choices=("protect", "accept"),
            )

    def sign_offs(self, missing: Sequence[Outstanding]) -> Iterator[SummaryDecision]:
        """What people have still to state, each kind once."""
        for kind, named in _SIGN_OFFS.items():
            mine = [one for one in missing if one.kind == kind]
            if not mine:
                continue
            sentence, subject = mine[0].sentence, _SUBJECTS[kind]
            if kind == "context":
                n = sum(one.fix.startswith("unveil answer") for one in mine)
                subject = f"context questions ({n} unanswered)"
                sentence = f"Context: {n} of {N_QUESTIONS} questions unanswered."
                if n < len(mine):
                    sentence = f"{sentence} {mine[0].sentence}"
            elif len(mine) > 1:
                sentence = f"{sentence}{_more(len(mine) - 1)}"
            yield SummaryDecision(
                kind=named,
                subject=subject,
                sentence=sentence,
                choices=("done",),
                commands=tuple(one.fix for one in mine),
            )

    def _accept(self, alert: str) -> str:
        do = "unveil run" if self.is_project else "unveil assess ..."
        return f'{do} --accept {shell_word(alert)} --reason "..." {BY}'

    def _rule(self, target: str, found: TargetGroups) -> tuple[str, ...]:
        flagged = [one for one in found.groups if one.flags]
        if not self.is_project:
            texts = [
                text for one in flagged for text in (one.flags if one.keys else one.exclusions)
            ]
            return tuple(f"--exclude {shell_word(one)}" for one in texts)
        said = f'--common-knowledge --reason "..." {BY}'
        return (f"unveil rule --target {shell_word(target)} {said}",) if flagged else ()


_SUBJECTS: dict[MissingKind, str] = {
    "limits": "limits not accepted",
    "context": "context questions",
    "measure": "results that are lacking",
    "four_eyes": "a second person",
}


def _explain(one: RulingGroup) -> str:
    """What explains a group of correct values, and how many: "age: 393 (SINGLE)"."""
    by = format_names(one.keys) if one.keys else BY_SHARE
    what = one.label if one.label == MISSING else f"({one.label})"  # which has brackets
    return f"{by}: {one.n:,} {what}"


def _is_mostly_common(row: TargetSummary) -> bool:
    """Whether the obvious answer makes up at least half of the correct disclosures."""
    n = row.correct - row.not_most_common
    return row.correct > 0 and row.most_common is not None and n >= HALF * row.correct


def _figures(figures: Sequence[AboveLimit]) -> str:
    return "; ".join(map(_figure, figures))


def _figure(one: AboveLimit) -> str:
    of = f" of {one.subject}" if one.subject is not None else ""
    if one.value is None:
        return f"{one.measure}{of} not measured"
    unit = MEASURES[one.measure].unit
    is_percent = unit == "percent"
    value = percent(one.value) if is_percent else f"{one.value:.{0 if unit == 'count' else 2}f}"
    return f"{one.measure}{of} {value}, limit {one.limit:g}{' %' if is_percent else ''}"


def _alert_id(one: AboveLimit) -> str:
    target = "" if one.target is None else f":{one.target}"
    scenario = "" if one.scenario is None else f"@{one.scenario}"
    return f"limit:{one.measure}{target}{scenario}"


def _more(n: int) -> str:
    return f" (and {n:,} more)" if n > 0 else ""


def _count(n: int, one: str) -> str:
    return f"1 {one}" if n == 1 else f"{n:,} {one}s"
