"""All that a page, the app or a mail shows of a project, in the words that they use.

A face draws a `View` and decides nothing: what stands first, which rows are seen and which are
counted, every mark, number and sentence is here. Numbers add up as they are printed.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from unveil.arguments import quote_name
from unveil.measures.utility.utility import FAIR, GOOD
from unveil.project.rows import (
    AlertRow,
    CheckRow,
    Decision,
    FigureRow,
    OutstandingRow,
    PartRow,
    Run,
)
from unveil.project.settings import EVERYTHING, QUESTIONS, Settings, Statement
from unveil.project.standing import Standing, State, part_rows, result_of
from unveil.project.statements import ALERTS, about_of
from unveil.results import COMPLETE, NEARLY, FileUsed, Result, grouped
from unveil.results.limits import SEVERITY
from unveil.results.words import COPIES, are, join_names, percent

Mark = Literal["■", "▲", "●", "○"]
MARKS: dict[str, Mark] = {
    "above limit": "■", "not measured": "■", "to be decided": "▲", "within limit": "●",
    "cannot tell": "○", "cannot reach the limit": "○", "no limit": "○",
}  # fmt: skip
STATE_MARKS: dict[State, Mark] = {
    "out of date": "■", "refused": "■", "blocked": "■", "decide": "▲", "released": "●",
    "review": "●", "within": "●",
}  # fmt: skip
STATE_WORDS: dict[State, str] = {
    "out of date": "Out of date", "refused": "Not to be released", "blocked": "Above limit",
    "decide": "To be decided", "released": "Released", "review": "Within limit, to review",
    "within": "Within limit",
}  # fmt: skip
ROWS = {"records": 3, "uniques": 1, "links": 2, "keys": 3, "sensitive": 2}
"""Rows of each block that page 1 shows; the others are counted in a line. At most nine in all."""
MOST = 9
NEVER_TESTED = 3  # of what was not tested, sentences on page 1


class Head(msgspec.Struct, frozen=True):
    """What stands first: the decision, or the verdict while there is none."""

    mark: Mark
    words: str
    sentence: str
    cause: str  # empty: none that figures share
    next: str  # in words
    command: str  # the same as it is typed
    is_decided: bool
    status: str
    exit_code: int


class Line(msgspec.Struct, frozen=True):
    """One figure of people as it is printed; of several files the worst."""

    what: str
    by: str
    known: str  # who knows what, where the title of the block does not say it
    people: str
    of: str
    others: str
    beyond: str
    limit: str
    mark: Mark
    status: str
    small: str  # the paper's figure
    row: FigureRow


class Block(msgspec.Struct, frozen=True):
    """A question, its rows, and how many others there are."""

    kind: str
    title: str
    note: str
    lines: tuple[Line, ...]
    more: tuple[str, ...]
    all_lines: tuple[Line, ...]  # for an inner page


class Fact(msgspec.Struct, frozen=True):
    """A setting or a file, with its name."""

    name: str
    text: str


class PartView(msgspec.Struct, frozen=True):
    """A part of the run, for an annex."""

    row: PartRow
    result: Result | None


class View(msgspec.Struct, frozen=True):
    """A project as it is now, or as one of its runs was."""

    title: str
    unit: str
    people: int
    run: str
    head: Head
    limit: str
    blocks: tuple[Block, ...]
    checks: tuple[CheckRow, ...]
    policy: tuple[str, ...]  # limits on other figures than those of people, the worst first
    alerted: str  # which alerts there are, in a line
    utility: str
    not_tested: tuple[str, ...]
    alerts: tuple[AlertRow, ...]
    choices: tuple[str, ...]  # boxes of the decision, the recommended one first
    outstanding: tuple[OutstandingRow, ...]
    questions: tuple[Fact, ...]  # Raab's five, each with its answer or none
    statements: tuple[Statement, ...]
    decision: Decision | None
    signature: str
    settings: tuple[Fact, ...]
    files: tuple[FileUsed, ...]
    parts: tuple[PartView, ...]
    log: str
    confidential: str


def view_of(project: Any, run: int | None = None) -> View:
    """All that a face shows of a project; by default of its last run."""
    return view_of_standing(project.standing(run))


def view_of_standing(standing: Standing) -> View:
    settings, record, rows = standing.settings, standing.record, standing.rows
    files = next((result.files for _, result in standing.parts if result), ())
    people = next((file.people for file in files if file.role == "original"), 0)
    by = f" by {record.by}" if record.by else ""
    return View(
        title=settings.title or record.names.get("synthetic 1", "Synthetic data"),
        unit=settings.data.unit,
        people=people,
        run=f"Run {record.number}, {record.on:%-d %B %Y}{by}, unveil {record.version}",
        head=head_of(standing),
        limit=_limit(standing, people),
        blocks=tuple(blocks_of(rows.figures, settings.data.unit)),
        checks=rows.checks,
        policy=tuple(_policy(rows.checks)),
        alerted=_alerted(rows.alerts),
        utility=utility_of(standing),
        not_tested=tuple(_not_tested(standing)),
        alerts=rows.alerts,
        choices=tuple(_choices(standing)),
        outstanding=standing.outstanding(),
        questions=tuple(
            Fact(question, said.answer if (said := standing.stated.get(about)) else "")
            for about, question in QUESTIONS.items()
        ),
        statements=tuple(said.plain for said in standing.stated.values()),
        decision=standing.decision,
        signature=_signature(standing),
        settings=tuple(_facts(settings)),
        files=files,
        parts=tuple(
            PartView(row, result)
            for row, (_, result) in zip(part_rows(standing.parts), standing.parts, strict=True)
        ),
        log=standing.log,
        confidential="This page is drawn from the original data. Do not pass it on.",
    )


def run_of(standing: Standing) -> Run:
    """The same as a result with tables."""
    view, record = view_of_standing(standing), standing.record
    words = "" if standing.decision else f"{view.head.words}. "
    head = [f"{words}{view.head.sentence}"]
    if n := len(standing.missing):
        head.append(f"{n} {'statement is' if n == 1 else 'statements are'} missing.")
    not_tested = join_names(dict.fromkeys(row.what for row in standing.rows.not_tested))
    about = {
        "run": record.number, "on": record.on, "by": record.by, "version": record.version,
        "seed": record.seed, "audience": standing.settings.context.audience, "unit": view.unit,
        "limits": standing.limits, "exit_code": standing.exit_code, "status": standing.status,
        "headline": standing.headline, "head": head, "next": view.head.command,
        "foot": [view.limit, view.utility, f"Not tested: {not_tested}.",
                 *filter(None, [view.head.cause])],
    }  # fmt: skip
    return Run(**standing.rows._asdict(), outstanding=view.outstanding,
               parts=part_rows(standing.parts), settings=msgspec.to_builtins(about),
               files=view.files)  # fmt: skip


# The head


def head_of(standing: Standing) -> Head:
    cause = cause_of(standing)
    words, command = next_of(standing, cause)
    return Head(
        mark=STATE_MARKS[standing.state], words=STATE_WORDS[standing.state],
        sentence=sentence_of(standing), cause=_cause_sentence(standing, cause), next=words,
        command=command, is_decided=standing.decision is not None, status=standing.status,
        exit_code=standing.exit_code,
    )  # fmt: skip


def sentence_of(standing: Standing) -> str:
    """What a director repeats."""
    if standing.changed or standing.decision:
        return f"{standing.headline}."
    figures = standing.figures
    n = {status: sum(row.status == status for row in figures) for status in SEVERITY}
    worst = max((row for row in figures if row.beyond is not None),
                key=lambda row: row.beyond or 0, default=None)  # fmt: skip
    largest = f" Largest: {_short(worst)}." if worst else ""
    accepted = f" {standing.accepted} accepted, with reasons." if standing.accepted else ""
    if at_fault := [
        f"{n[status]} {are(n[status])} {status}" for status in SEVERITY[:3] if n[status]
    ]:
        return f"Of {len(figures)} figures {join_names(at_fault)}.{largest}{accepted}"
    alerts = sum(alert.status in ALERTS for alert in standing.rows.alerts)
    if alerts:
        return f"{alerts} {'alert stands' if alerts == 1 else 'alerts stand'} against a release."
    if n["cannot tell"]:
        none = f"None of {len(figures)} figures is above its limit; {n['cannot tell']} cannot tell"
        return f"{none} (too few {standing.settings.data.unit}).{largest}{accepted}"
    return f"Nothing was found beyond its limit.{largest}{accepted}"


def _short(row: FigureRow) -> str:
    margin = "" if row.margin is None else f" ± {row.margin:,.0f}"
    by = f" by {row.by}" if row.by else ""
    return f"{row.beyond:+z,.0f}{margin} for {LABELS.get(row.what, row.what)}{by}"


def cause_of(standing: Standing) -> str:
    """What most alerts that stand against a release have in common."""
    alerts = standing.rows.alerts
    causes = [alert.cause for alert in alerts if alert.cause and alert.status in ALERTS]
    return max(causes, key=causes.count, default="")


def _cause_sentence(standing: Standing, cause: str) -> str:
    if not cause or standing.state not in ("blocked", "decide"):
        return ""
    linked = sum(cause in row.by.split(", ") for row in standing.rows.figures
                 if row.kind == "links" and row.status in SEVERITY[:3])  # fmt: skip
    return f"Cause: {cause}" + (f" ({linked} figures beyond their limit)." if linked else ".")


def next_of(standing: Standing, cause: str) -> tuple[str, str]:
    """The one next step, in words and as it is typed."""
    state = standing.state
    if state == "out of date":
        return (
            ("See what does not fit.", "unveil log")
            if "hand" in standing.changed
            else ("Assess again.", "unveil run")
        )
    if state == "released":
        return "Build the pack.", "unveil pack release.zip"
    if state in ("review", "within"):
        return "Decide.", 'unveil decide release --by "NAME, ROLE"'
    remedies = [alert.remedy for alert in standing.rows.alerts if alert.status in ALERTS]
    is_column = cause in standing.settings.columns
    if state in ("refused", "blocked"):
        change = next(filter(None, remedies), "Change the synthetic data and assess again.")
        protect = f"unveil protect --try {shlex.quote(quote_name(cause))}"
        protect = protect if is_column else "unveil run"
        return change, protect
    first = standing.outstanding()[0]
    return f"State: {first.sentence}", first.command


def _choices(standing: Standing) -> Iterator[str]:
    """What may be decided, the recommended first."""
    n = sum(need.is_of_figure for need in standing.needs)
    cause = cause_of(standing)
    if n:
        yield (
            f"Protect {cause} and assess again (recommended)"
            if cause in standing.settings.columns
            else ("Change the synthetic data and assess again (recommended)")
        )
        yield "Do not release"
        many = "1 figure" if n == 1 else f"{n} figures"
        yield f"Release with {many} not within limit, reasons attached"
    else:
        yield "Release"
        yield "Do not release"


def _signature(standing: Standing) -> str:
    if standing.decision is None:
        return "Name, role, date, signature:"
    about = standing.decision.settings
    return f"{about['sentence']}. {about['reason']}".strip()


# Blocks of figures


def blocks_of(figures: Sequence[FigureRow], unit: str) -> Iterator[Block]:
    """A block for each question, with the worst rows; the others are counted."""
    room = MOST
    counted = [row for row in figures if row.may_block or row.status == "to be decided"]
    by_kind = {kind: [row for row in counted if row.kind == kind] for kind in ROWS}
    by_kind = {kind: rows for kind, rows in by_kind.items() if rows}
    for later, (kind, rows) in zip(reversed(range(len(by_kind))), by_kind.items(), strict=True):
        worst = sorted((_worst(same) for same in grouped(rows, about_of)), key=_gravity)
        is_several = kind in WHOSE and len({row.by for row in worst}) > 1
        lines = [_line(row, is_several or kind == "links") for row in worst]
        shown = lines[: min(ROWS[kind], room - later)]  # each block has its worst row
        room -= len(shown)
        title = WHOSE[kind] if is_several else TITLES[kind]
        yield Block(
            kind=kind, title=title.format(unit=unit, by=worst[0].by),
            note=NOTES[kind].format(unit=unit), lines=tuple(shown),
            more=tuple(_more(lines[len(shown):])), all_lines=tuple(lines),
        )  # fmt: skip


TITLES = {
    "records": "Are records of real {unit} in it?",
    "uniques": "Who is unique by {by}, and in the synthetic data too?",
    "links": "What does linking other variables disclose?",
    "keys": "What would an intruder learn who knows {by}?",
    "sensitive": "Would declared sensitive values be disclosed?",
}
WHOSE = {
    "uniques": "Who is unique to these intruders, and in the synthetic data too?",
    "keys": "What would these intruders learn?",
}
"""The same of several intruders, who are named with each row."""
NOTES = {
    "records": "From others: how many have another person so much alike that a record would match"
    " by chance.",
    "uniques": "Possible matches, not proof.",
    "links": "From others: what two different {unit} share anyway.",
    "keys": "From others: of the values shown correctly, what the records of other {unit} give.",
    "sensitive": "From others: by the shares alone, from whatever source.",
}
LABELS = {COMPLETE: "equal in all variables", NEARLY: "equal in all variables, or all but one"}


def _gravity(row: FigureRow) -> tuple[int, float]:
    return min(SEVERITY.index(row.status), 3), -(row.beyond or 0)


def _worst(rows: Sequence[FigureRow]) -> FigureRow:
    return min(rows, key=_gravity)


def _line(row: FigureRow, is_said: bool) -> Line:
    beyond = None if row.beyond is None else round(row.beyond)
    people = None if row.people is None else round(row.people)
    margin = "" if row.margin is None else f" ± {row.margin:,.0f}"
    scenario = f"{row.scenario}: " if row.scenario not in ("", EVERYTHING) else ""
    is_shown = people is not None and beyond is not None
    copy = COPIES.get(str(row.copy), f"copy {row.copy}" if row.copy not in ("", 1) else "")
    side = ", ".join(text for text in (row.version, copy) if text)
    is_share = row.of and row.people is not None and row.kind != "uniques"  # repU is of everybody
    share = percent(100 * row.people / row.of) if is_share else ""  # type: ignore[operator]
    return Line(
        what=f"{LABELS.get(row.what, row.what)}{f' ({side})' if side else ''}", by=row.by,
        known=f"{scenario}by {row.by}" if is_said else "",
        people="not measured" if people is None else f"{people:,}",
        of="" if row.of is None or people is None else f"of {row.of:,.0f}",
        others=f"{people - beyond:,}" if is_shown else "",  # type: ignore[operator]
        beyond="" if beyond is None else f"{beyond:+,}{margin}",
        limit="" if row.limit is None else f"{row.limit:,.0f}", mark=MARKS[row.status],
        status=row.status, small=f"{row.symbol} {share}".strip() if row.symbol else share, row=row,
    )  # fmt: skip


def _more(lines: Sequence[Line]) -> Iterator[str]:
    """10 more above limit: +124 to +1,054."""
    for same in grouped(lines, lambda line: line.status):
        beyond = [round(line.row.beyond) for line in same if line.row.beyond is not None]
        span = f": {min(beyond):+,} to {max(beyond):+,}" if len(beyond) > 1 else ""
        span = f": {beyond[0]:+,}" if len(beyond) == 1 else span
        yield f"{same[0].mark} {len(same)} more {same[0].status}{span}"


# Single lines


def _limit(standing: Standing, people: int) -> str:
    beyond = standing.limits.get("beyond")
    said = standing.stated.get("limits")
    chosen = (
        f"chosen by {said.by}"
        if said
        else (f"proposed for {standing.settings.context.audience} data, not accepted yet")
    )
    if beyond is None:
        return f"Limits: {join_names(standing.limits)}, {chosen}."
    unit = standing.settings.data.unit
    return (
        f"Limits: {beyond * people / 100:,.0f} {unit} beyond for each figure ({beyond:g} %),"
        f" {chosen}; a starting value, no standard."
    )


def _policy(checks: Sequence[CheckRow]) -> Iterator[str]:
    """■ 2 above limit, DiSCO of health in neighbour 44.4 (limit 10)."""
    for status in SEVERITY:
        same = [row for row in checks if row.status == status]
        if same:
            worst = max(same, key=lambda row: (row.value or 0) - row.limit)
            about = f" of {worst.subject}" if worst.subject else ""
            about += f" in {worst.scenario}" if worst.scenario not in ("", EVERYTHING) else ""
            value = "" if worst.value is None else f" {worst.value:,.1f}"
            yield (f"{MARKS[status]} {len(same)} {status}: {worst.figure}{about}{value}"
                   f" (limit {worst.limit:g})")  # fmt: skip


def _alerted(alerts: Sequence[AlertRow]) -> str:
    """Those that stop a release, or else those to be looked at."""
    stops = dict.fromkeys(alert.id for alert in alerts if alert.status in ALERTS)
    reviews = dict.fromkeys(alert.id for alert in alerts if alert.status not in ALERTS)
    if stops:
        return f"■ {len(stops)} {'alert' if len(stops) == 1 else 'alerts'}: {join_names(stops)}."
    return f"● {len(reviews)} to be looked at: {join_names(reviews)}." if reviews else ""


def _not_tested(standing: Standing) -> list[str]:
    """What no figure speaks of, then the figures that cannot tell, of several copies once."""
    measured = {figure.what for figure in standing.figures}
    rows = standing.rows.not_tested
    untold = {(row.scenario, row.what): row.sentence for row in rows if row.what in measured}
    never = [row.sentence for row in rows if row.what not in measured]
    return list(dict.fromkeys([*never, *untold.values()]))


def utility_of(standing: Standing) -> str:
    """In a word of its own: it blocks only where somebody limited it."""
    result = result_of(standing.parts, "utility")
    rows = [row for row in result.overall if row.S_pMSE is not None] if result else []
    if not rows:
        return "Utility: not measured."
    worst = max(rows, key=lambda row: max(row.S_pMSE, row.S_pMSE_worst or 0))
    pair = "" if worst.S_pMSE_worst is None else (
        f", of the worst pair {worst.S_pMSE_worst:.1f} ({worst.worst})"
    )  # fmt: skip
    return (
        f"Utility: {worst.word}, S_pMSE {worst.S_pMSE:.1f} ({worst.model}){pair}; 1 is chance,"
        f" to {GOOD:g} good, above {FAIR:g} poor."
    )


def _facts(settings: Settings) -> Iterator[Fact]:
    """What was assumed, for the page of settings."""
    for name, scenario in settings.scenarios.items():
        label = "Intruder" if name == EVERYTHING else f"Intruder: {name}"
        yield Fact(label, f"knows {join_names(scenario.keys)}")
        targets = ("+".join(t) if isinstance(t, tuple) else t for t in scenario.targets)
        yield Fact("may learn", join_names(targets))
    roles: dict[str, list[str]] = {}
    for name, column in settings.columns.items():
        roles.setdefault(column.role or "in no role", []).append(name)
    for role, names in roles.items():
        if role not in ("key", "target"):
            yield Fact(role, join_names(names))
    yield Fact("audience", settings.context.audience)
    for figure, limit in settings.limits.items():
        yield Fact(f"limit of {figure}", f"{limit:g}")
    for step in settings.protect:
        yield Fact("step", ", ".join(f"{name} {value}" for name, value in step.items()))
