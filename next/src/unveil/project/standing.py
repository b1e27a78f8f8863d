"""Where a project stands: its figures beside their limits, what is missing, and what was decided.

Terminal, page, app and JSON show what is worked out here, once.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec

from unveil.gate.sentences import ABOVE, measured, worst_first
from unveil.project.parts import MEASURES, StoredPart, measures_of_figures
from unveil.project.rows import (
    AlertRow,
    CheckRow,
    Decision,
    FigureRow,
    NotTestedRow,
    OutstandingRow,
    PartRow,
    TargetRow,
    WhoRow,
    in_scenario,
)
from unveil.project.settings import Settings, Signed
from unveil.project.statements import Need, about_of, alert_of, needs, valid
from unveil.project.store import short_hash
from unveil.results import OF_PEOPLE, PROPOSED, Result, limit_figures
from unveil.results.words import join_names

State = Literal["out of date", "refused", "released", "blocked", "decide", "review", "within"]
Status = Literal["blocked", "decide", "review", "within"]
STATUSES: dict[State, Status] = {
    "out of date": "blocked", "refused": "blocked", "released": "within", "blocked": "blocked",
    "decide": "decide", "review": "review", "within": "within",
}  # fmt: skip
EXIT_CODES: dict[Status, int] = {"blocked": 3, "decide": 4, "review": 0, "within": 0}
"""The one place, beside 2 for wrong input."""
WHO = '--by "NAME, ROLE"'
OF_FILES = ("records", "links")
"""Kinds of figures that are the same whoever the intruder is."""


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Which parts, of which files: the results stand with their parts."""

    number: int
    on: datetime
    by: str
    version: str
    seed: int | None
    files: dict[str, str]
    names: dict[str, str]
    limits: dict[str, float]
    parts: tuple[StoredPart, ...]
    headline: str = ""
    status: str = ""
    exit_code: int = 0

    @property
    def plan(self) -> str:
        """What was measured, of what: a decision is on it."""
        return short_hash([part.hash for part in self.parts])


class Rows(NamedTuple):
    """The rows of all parts, beside their limits."""

    figures: tuple[FigureRow, ...]
    alerts: tuple[AlertRow, ...]
    attribute: tuple[TargetRow, ...]
    identity: tuple[WhoRow, ...]
    not_tested: tuple[NotTestedRow, ...]
    checks: tuple[CheckRow, ...]


Parts = Sequence[tuple[StoredPart, Result | None]]


def rows_of(parts: Parts, limits: Mapping[str, float]) -> Rows:
    """Figures, alerts and checks of every scenario; what is of the files alone stands once."""
    lists: dict[str, list[Any]] = {name: [] for name in Rows._fields}
    for part, result in parts:
        if part.measure == "assess" and result is None:
            lists["figures"].append(_not_measured(part, limits))
        elif part.measure == "assess":
            for name, rows in _of_assessment(result, part.scenario, limits).items():
                lists[name] += [row for row in rows if row not in lists[name]]
    lists["checks"] += _checks(parts, limits)
    lists["figures"] = worst_first(lists["figures"])
    return Rows(**{name: tuple(rows) for name, rows in lists.items()})


def _of_assessment(result: Any, scenario: str, limits: Mapping[str, float]) -> dict[str, Any]:
    """The tables of one scenario, its figures beside the limits of the project."""
    figures = limit_figures(result.figures, limits, result.people)
    whats = {figure.what for figure in figures}
    untold = [figure for figure in figures if figure.status == "cannot tell"]
    of_files = [figure for figure in figures if figure.kind in OF_FILES]
    others = [figure for figure in figures if figure.kind not in OF_FILES]
    return {
        "figures": in_scenario(of_files, FigureRow, "") + in_scenario(others, FigureRow, scenario),
        "alerts": in_scenario(result.alerts, AlertRow, ""),
        "attribute": in_scenario(result.attribute, TargetRow, scenario),
        "identity": in_scenario(result.identity, WhoRow, scenario),
        "not_tested": [
            *(
                NotTestedRow(what=figure.what, scenario=scenario,
                             sentence=f"{measured(figure)}: too few people to tell.")
                for figure in untold
            ),
            *in_scenario((r for r in result.not_tested if r.what not in whats), NotTestedRow, ""),
        ],
    }  # fmt: skip


def _not_measured(part: StoredPart, limits: Mapping[str, float]) -> FigureRow:
    """In the place of figures that a part did not give."""
    return FigureRow(
        version="", copy="", kind="keys", what="assessment", by="", people=None, of=None,
        limit=limits.get("beyond"), status="not measured", scenario=part.scenario,
    )  # fmt: skip


def _checks(parts: Parts, limits: Mapping[str, float]) -> Iterator[CheckRow]:
    """Limits on other figures than those of people, in each scenario."""
    for address, limit in limits.items():
        figure, _, subject = address.partition("@")
        if figure in OF_PEOPLE:
            continue
        for part, result in parts:
            if part.measure != measures_of_figures()[figure]:
                continue
            if result is None:
                yield CheckRow(
                    figure=figure, version="", copy="", subject=subject, value=None, limit=limit,
                    status="not measured", scenario=part.scenario,
                )  # fmt: skip
            else:
                yield from in_scenario(result.check({address: limit}), CheckRow, part.scenario)


@dataclass(frozen=True)
class Standing:
    """The project as it is now."""

    settings: Settings
    record: RunRecord
    parts: Parts
    statements: tuple[Signed, ...]  # those that the log knows
    decided: Decision | None  # the last decision, whether it holds or not
    changed: str  # what is not as the run found it
    log: str

    @cached_property
    def limits(self) -> dict[str, float]:
        return limits_of(self.settings)

    @cached_property
    def rows(self) -> Rows:
        rows = rows_of(self.parts, self.limits)
        return rows._replace(not_tested=(*self._unasked(), *rows.not_tested))

    def _unasked(self) -> Iterator[NotTestedRow]:
        """Columns of the files that no scenario asks about."""
        compared = result_of(self.parts, "compare")
        names = {row.column for row in compared.columns} if compared else set()
        columns = self.settings.columns
        nowhere = [*(name for name, column in columns.items() if column.role is None),
                   *sorted(names - columns.keys())]  # fmt: skip
        if nowhere:
            what, sentence = "columns in no role", f"In no role: {join_names(nowhere)}."
            yield NotTestedRow(what=what, sentence=sentence, scenario="")

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        rows = self.rows
        return tuple(
            needs(self.settings, self.limits, self.record.files, rows.figures, rows.checks,
                  rows.alerts)
        )  # fmt: skip

    @cached_property
    def stated(self) -> dict[str, Signed]:
        """The statements that hold, by what they are about."""
        return valid(self.needs, self.statements)

    @cached_property
    def missing(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.about not in self.stated)

    @cached_property
    def decision(self) -> Decision | None:
        """The last decision, while files, settings and limits are those it was taken on."""
        if self.decided is None:
            return None
        about = self.decided.settings
        is_same = (about["plan"], about["limits"]) == (self.record.plan, self.limits)
        holds = is_same and (about["answer"] == "refuse" or not self.missing)
        return self.decided if holds else None

    @property
    def limits_are_accepted(self) -> bool:
        return "limits" in self.stated

    @cached_property
    def state(self) -> State:
        """The first that holds."""
        if self.changed:
            return "out of date"
        if self.decision:
            return "released" if self.decision.settings["answer"] == "release" else "refused"
        if any(need.holds_for.startswith("block") for need in self.missing):
            return "blocked"
        if self.limits_are_accepted and any(need.is_blocking for need in self.missing):
            return "blocked"
        if self.missing:
            return "decide"
        return "review" if self.rows.alerts else "within"

    @property
    def status(self) -> Status:
        return STATUSES[self.state]

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.status]

    @property
    def accepted(self) -> int:
        """How many figures or alerts stand above a limit, with a reason."""
        return sum(need.is_of_figure and need.about in self.stated for need in self.needs)

    @property
    def figures(self) -> tuple[FigureRow, ...]:
        """Those that count: of exceptions only those that ask for a decision."""
        return tuple(row for row in self.rows.figures if row.may_block or row.status in ABOVE)

    @cached_property
    def headline(self) -> str:
        """One line for a log: the decision, or what failed, by how much."""
        if self.changed:
            return self.changed
        if self.decision:
            return str(self.decision.settings["sentence"])
        open_abouts = {need.about for need in self.missing}
        stops = {alert.id: alert for alert in self.rows.alerts if alert.id in open_abouts}
        figures = [row for row in self.figures
                   if (alert_of(row, stops) or about_of(row)) in open_abouts]  # fmt: skip
        says = [
            f"{status} in {len(same)} of {len(self.figures)} figures"
            for status in ABOVE
            if (same := [row for row in figures if row.status == status])
        ]
        if figures:
            says.append(f"furthest: {measured(figures[0])}")
        says += [f"{about_of(row)}: {row.status}" for row in self.rows.checks
                 if about_of(row) in open_abouts]  # fmt: skip
        if stops:
            says.append(f"alerts: {join_names(stops)}")
        if others := [need for need in self.missing if not need.is_of_figure]:
            says.append(f"to be stated: {join_names(need.about for need in others)}")
        if self.accepted:
            says.append(f"{self.accepted} accepted, with reasons")
        if untold := sum(row.status == "cannot tell" for row in self.figures):
            says.append(f"{untold} of {len(self.figures)} figures cannot tell")
        return "; ".join(says) or f"within limits: {len(self.figures)} figures, no alert"

    def outstanding(self) -> tuple[OutstandingRow, ...]:
        return tuple(
            OutstandingRow(
                number=number, about=need.about, sentence=need.sentence, choices=need.choices,
                command=f"unveil sign {command_word(need)} {WHO}",
            )
            for number, need in enumerate(self.missing, start=1)
        )  # fmt: skip


def limits_of(settings: Settings) -> dict[str, float]:
    """The limits that are written, or those proposed for the audience."""
    if settings.limits:
        return dict(settings.limits)
    proposed = PROPOSED[settings.context.audience]
    return {name: proposed[name] for name in ("beyond", "real_records")}


def command_word(need: Need) -> str:
    """ABOUT=ANSWER as it is typed."""
    answer = need.choices[0] if not need.choices[0].startswith("a ") else "..."
    reason = ' --reason "..."' if need.is_of_figure else ""
    return shlex.quote(f"{need.about}={answer}") + reason


def part_rows(parts: Parts) -> tuple[PartRow, ...]:
    names = PartRow.__struct_fields__
    return tuple(PartRow(**{name: getattr(part, name) for name in names}) for part, _ in parts)


def result_of(parts: Parts, measure: str, scenario: str | None = None) -> Any:
    """The result of a measure, of the first scenario that has one or of one that is named."""
    assert measure in MEASURES
    return next(
        (
            result
            for part, result in parts
            if part.measure == measure and scenario in (None, part.scenario)
        ),
        None,
    )
