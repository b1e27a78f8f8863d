"""`/risk`: which flags are one decision, and what is left if something is common knowledge?

Flags are ticked by their number in the run, so that no value of the data is in an address. Nothing
is written until a named person rules.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_ticked, place_of
from unveil.app.render_app import (
    check_mark,
    draw_page,
    draw_part,
    is_part,
    perform,
    workspace_of,
)
from unveil.app.workspace import Workspace
from unveil.assessment.assess_run import status_of
from unveil.assessment.context import can_rule_together
from unveil.errors import SettingsError
from unveil.project.actions import RuleOnFlags
from unveil.project.plan_run import exclusions_of
from unveil.project.run_result import RunResult
from unveil.records.disclosure import Disclosure, Flag
from unveil.records.judgement import FlagRuling, Limit, Status, WhatIf
from unveil.view.format import format_count, percent, truncate
from unveil.view.show import as_blocks

OPEN = ("open", "keep")
"""Flags with these rulings may be ticked: others are excluded already."""
TITLE = "Risk"
MOST_TICKS = 20_000


@dataclass
class TickRow:
    """One flag that may be ticked, and below it those that are settled with it."""

    number: int
    ruling: FlagRuling
    level: str
    where: str = ""
    share: float | None = None
    is_ticked: bool = False
    narrower: "list[TickRow]" = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether it may be ticked."""
        return self.ruling.state in OPEN


@dataclass
class TickGroup:
    """The flags of one target."""

    target: str
    rows: list[TickRow]

    @property
    def n_flags(self) -> int:
        """How many flags the target has."""
        return sum(1 + len(one.narrower) for one in self.rows)

    @property
    def n_open(self) -> int:
        """How many of them are decisions that are still to be taken."""
        return sum(one.ruling.state == "open" for one in self.rows)


@dataclass(frozen=True)
class LivePoint:
    """One target in the chart: as it is, with what is ticked, and in the original."""

    target: str
    before: float
    after: float
    original: float
    status: Status

    @property
    def is_moved(self) -> bool:
        """Whether the ticks change it."""
        return self.before != self.after


async def show(request: Request) -> Response:
    """The flags, and the figures of the last run."""
    return _draw(request, workspace_of(request).scenario_of(request))


async def whatif(request: Request) -> Response:
    """The figures with what is ticked; nothing is written."""
    workspace, form = workspace_of(request), await request.form(max_fields=MOST_TICKS)
    check_mark(workspace, str(form.get("mark", "")))
    result, scenario = _run(workspace), _scenario(workspace, form)
    ticked = _ticked(result, form)
    found = await workspace.counting.ask("live", scenario, tuple(one.exclusion for one in ticked))
    points = _points(result, found["before"], found["after"])
    command = _whatif_command(ticked, scenario, result)
    if not is_part(request):
        return _draw(request, scenario, points, ticked, command)
    say = f"{len(ticked)} ticked. {_moves(points)}"
    values = _chart(workspace, points, len(ticked))
    return draw_part(request, "live.html", command=command, say=say, **values)


async def settle(request: Request) -> Response:
    """The whole record of the same question: flags that close or open, every figure."""
    workspace, form = workspace_of(request), await request.form(max_fields=MOST_TICKS)
    if workspace.now.mark != form.get(
        "mark"
    ):  # ruled on meanwhile: what was asked is no question now
        return Response(status_code=204)
    ticked = _ticked(_run(workspace), form)
    if not ticked:
        return draw_part(request, "settled.html", blocks=(), n_closed=0, n_opened=0)
    texts = tuple(one.exclusion for one in ticked)
    found = await workspace.counting.ask("settle", _scenario(workspace, form), texts)
    record = None if found is None else WhatIf.from_json(found)
    n_closed = sum(len(one.closes) for one in record.scenarios) if record else 0
    n_opened = sum(len(one.opens) for one in record.scenarios) if record else 0
    blocks = as_blocks(record) if record else ()
    return draw_part(request, "settled.html", blocks=blocks, n_closed=n_closed, n_opened=n_opened)


async def rule(request: Request) -> Response:
    """Record one ruling on all that is ticked: one change, one line of the log."""
    workspace, form = workspace_of(request), await request.form(max_fields=MOST_TICKS)

    def action() -> RuleOnFlags:
        result = _run(workspace)
        ticked, accept = _ticked(result, form), form.get("accept") != "no"
        if not ticked:
            raise SettingsError("Nothing is ticked. Tick the flags that the ruling is about.")
        ruled = {one.id: one for one in ticked}
        if not accept:  # a value that is kept settles no pair: each is ruled on
            rows = [
                row for group in _groups(result, _scenario(workspace, form)) for row in group.rows
            ]
            named = [row for row in rows if row.ruling.id in ruled]
            ruled |= {one.ruling.id: one.ruling for row in named for one in row.narrower}
        return RuleOnFlags(
            findings=tuple(ruled),
            accept=accept,
            reason=str(form.get("reason", "")),
            by=str(form.get("by", "")),
            instead=any(one.state != "open" for one in ruled.values()),
        )

    done = "The ruling is recorded. The next run measures with it."
    return await perform(request, form, action, done=done, back="/risk")


def _draw(
    request: Request,
    scenario: str,
    points: Sequence[LivePoint] = (),
    ticked: Sequence[FlagRuling] = (),
    command: tuple[str, ...] | None = None,
) -> Response:
    workspace = workspace_of(request)
    result = workspace.result
    if result is None or not result.scenarios:
        return draw_page(request, "empty.html", title=TITLE, command="unveil run")
    record = _record(result, scenario)
    groups = _groups(result, scenario, {one.id for one in ticked})
    return draw_page(
        request,
        "risk.html",
        title=TITLE,
        tab="flags",
        command=command or ("unveil", "rule"),
        groups=groups,
        record=record,
        scenario=scenario,
        scenarios=result.scenarios,
        s=result.scenarios.index(scenario),
        run=result.number,
        n_newer=_count_newer(workspace, result, scenario),
        is_each=not can_rule_together(result.judgement.audience),
        **_chart(workspace, points or _points_of_run(result, record), len(ticked)),
    )


def _count_newer(workspace: Workspace, result: RunResult, scenario: str) -> int:
    """Rulings and exclusions in force that the run did not measure with."""
    if workspace.file is None:
        return 0
    name, _ = result.parts.of("disclosure", scenario)[0]
    then, now = (
        json.loads(result.record.part(name).settings),
        exclusions_of(workspace.file, scenario),
    )
    named = ("exclude", "exclude_pairs_of")
    return sum(one not in then[name] for name in named for one in now[name])


def _run(workspace: Workspace) -> RunResult:
    if workspace.result is None:
        raise SettingsError("Nothing was measured yet. Run first.")
    return workspace.result


def _scenario(workspace: Workspace, form: FormData) -> str:
    names = _run(workspace).scenarios
    return names[place_of(form.get("s"), len(names)) or 0]


def _record(result: RunResult, scenario: str) -> Disclosure:
    found: Disclosure = result.parts.of("disclosure", scenario)[0][1]
    return found


def _ticked(result: RunResult, form: FormData) -> list[FlagRuling]:
    """The flags whose numbers a form has; others than may be ticked are left alone."""
    return [one for one in parse_ticked(form, "f", result.judgement.findings) if one.state in OPEN]


def _groups(result: RunResult, scenario: str, ticked: Iterable[str] = ()) -> list[TickGroup]:
    """Flags by target, each pair below its value where that is flagged by itself."""
    flags = {one.exclusion: one for one in _record(result, scenario).flags}
    groups: dict[str, TickGroup] = {}
    for number, one in enumerate(result.judgement.findings):
        if one.scenario == scenario:
            row = _row(number, one, flags.get(one.exclusion))
            row.is_ticked = one.id in set(ticked)
            groups.setdefault(one.target, TickGroup(one.target, [])).rows.append(row)
    for group in groups.values():
        group.rows.sort(key=lambda row: (row.ruling.kind != "one_way", -row.ruling.n))
        values = {row.level: row for row in group.rows if row.ruling.kind == "one_way"}
        for row in group.rows:
            if row.ruling.kind == "two_way" and row.level in values:
                values[row.level].narrower.append(row)
        group.rows = [
            row for row in group.rows if row.ruling.kind == "one_way" or row.level not in values
        ]
    return list(groups.values())


def _row(number: int, ruling: FlagRuling, flag: Flag | None) -> TickRow:
    if flag is None:
        return TickRow(number, ruling, truncate(ruling.exclusion))
    level = flag.level_label or flag.level or "(missing)"
    if flag.key is None:
        return TickRow(number, ruling, level, "", flag.percent_all)
    at = flag.key_level_label or flag.key_level or "(missing)"
    return TickRow(number, ruling, level, f"{flag.key} = {at}", flag.percent)


def _whatif_command(
    ticked: Sequence[FlagRuling], scenario: str, result: RunResult
) -> tuple[str, ...]:
    if not ticked:
        return ("unveil", "rule")
    said = (word for one in ticked for word in ("--exclude", one.exclusion))
    beside = ("--scenario", scenario) if len(result.scenarios) > 1 else ()
    return ("unveil", "whatif", *said, *beside)


def _limit(result: RunResult) -> Limit | None:
    return next((one for one in result.judgement.limits if one.measure == "DiSCO"), None)


def _points(
    result: RunResult, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[LivePoint]:
    limit = _limit(result) if result.judgement.accepted_by else None
    made = [
        LivePoint(
            target=target,
            before=before[target]["DiSCO"] or 0.0,
            after=now["DiSCO"] or 0.0,
            original=now["Dorig"] or 0.0,
            status=status_of(now["DiSCO"], limit),
        )
        for target, now in after.items()
    ]
    return sorted(made, key=lambda one: -one.before)


def _points_of_run(result: RunResult, record: Disclosure) -> list[LivePoint]:
    rows = [row for row in record.attribute if row.copy == record.headline_copy]
    figures = {row.target: {"DiSCO": row.DiSCO, "Dorig": row.Dorig} for row in rows}
    return _points(result, figures, figures)


def _moves(points: Sequence[LivePoint]) -> str:
    moved = [one for one in points if one.is_moved]
    told = [f"{one.target} from {percent(one.before)} to {percent(one.after)}" for one in moved[:3]]
    more = f"; {format_count(len(moved) - 3, 'more')}" if len(moved) > 3 else ""
    return f"{'; '.join(told)}{more}." if told else "No figure changes."


def _chart(workspace: Workspace, points: Sequence[LivePoint], n_ticked: int) -> dict[str, Any]:
    """What the chart is drawn from: percentages on a common scale."""
    result = _run(workspace)
    limit = _limit(result)
    highest = max([10.0, *(one.original for one in points), *(one.before for one in points)])
    most = min(100, 10 * (int(highest) // 10 + 1))
    return {
        "points": points,
        "most": most,
        "axis": range(0, most + 1, 10 if most <= 50 else 20),
        "limit": None if limit is None else limit.limit,
        "is_accepted": result.judgement.accepted_by is not None,
        "n_ticked": n_ticked,
        "moves": _moves(points) if n_ticked else "",
    }


ROUTES = (
    Route("/risk", show),
    Route("/risk/whatif", whatif, methods=["POST"]),
    Route("/risk/settle", settle, methods=["POST"]),
    Route("/risk/rule", rule, methods=["POST"]),
)
