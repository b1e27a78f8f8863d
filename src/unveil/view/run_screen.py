"""A run on a terminal: each scenario's targets against the limits, the rest in a line each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.disclosure import AttributeRow, Disclosure, Flag
from unveil.records.judgement import Judgement, LimitCheck, Status
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.records.summary import Summary
from unveil.view import disclosure
from unveil.view import flags as flags_view
from unveil.view.alerts import alert_blocks
from unveil.view.blocks import Block, Heading, Items, Sentence
from unveil.view.disclosure_tables import fit_width, longest_name, new_table, status_text
from unveil.view.format import (
    and_list,
    copy_phrase,
    format_count,
    lines,
    n_of,
    people,
    percent,
    percent_or_dash,
    truncate,
    visible,
)
from unveil.view.render_rich import render_rich
from unveil.view.run_lines import Line, lines_of_run, not_measured
from unveil.view.run_notebook import MOST_EXCLUSIONS
from unveil.view.status import worst
from unveil.view.summary import screen_blocks, words_blocks

MOST_LINES, FEWEST_TARGETS = 40, 1
"""A screen has at most so many lines, and at least so many targets."""
MOST_TARGETS = 15
"""So many targets have a row of their own, and beyond them those that are not within."""
LONG, N_LONGEST = 60.0, 5
"""Of a run of so many seconds, so many parts are named with the time they took."""
HEADS = ("original", "synthetic", "people", "protection", "removed", "status", "checks")
SPARE = ("people", "protection", "removed", "checks")


@dataclass(frozen=True)
class RunScreen:
    """A run with all that its screen needs."""

    run: Run
    parts: Parts
    judgement: Judgement
    summary: Summary
    is_new: bool
    decided: tuple[str, ...] = ()  # what was decided about it, or about runs before it

    def status(self, part: str, target: str | None) -> Status:
        """The worst that the limits say of a part about one target, or about none."""
        return worst(row.status for row in self._limit_checks(part, target))

    def where(self, part: str, target: str | None) -> str:
        """In which of several copies that is so: the worst of them, as a figure is a mean."""
        status = self.status(part, target)
        found = [row for row in self._limit_checks(part, target) if row.status == status]
        if len(self.run.n_synthetic) < 2 or status in ("within", "no limit") or not found:
            return ""
        highest = max(found, key=lambda row: row.value or 0.0)
        return f", {copy_phrase(highest.copy)}" if highest.copy is not None else ""

    def _limit_checks(self, part: str, target: str | None) -> list[LimitCheck]:
        return [row for row in self.judgement.figures if row.part == part and row.target == target]


def run_screen(
    shown: RunScreen, width: int, *, words: bool = False, flags: bool = False, details: bool = False
) -> Group:
    """The summary in at most 40 lines; sentences, flags and computing details where asked for."""
    parts: list[RenderableType] = [fit_summary(shown.summary, width, _closing(shown))]
    if words:
        parts.append(render_rich(words_blocks(shown.summary), width=width))
    if flags:
        parts.append(render_rich(flag_blocks(shown.judgement), width=width))
    if details:
        parts += _details(shown, width)
    return Group(*parts)


def fit_summary(summary: Summary, width: int, closing: Sequence[Block]) -> Group:
    """The summary with as many targets as leave it within 40 lines."""
    for most in range(MOST_TARGETS, FEWEST_TARGETS - 1, -1):
        made = render_rich([*screen_blocks(summary, most=most), *closing], width=width)
        if _n_lines(made, width) <= MOST_LINES:
            break
    return made


def summary_screen(
    summary: Summary, record: Disclosure, closing: Sequence[Block], *, words: bool, flags: bool
) -> RenderableType:
    """A summary without a project, and what else was asked for."""
    width = Console().width
    parts: list[RenderableType] = [fit_summary(summary, width, closing)]
    if words:
        parts.append(render_rich(words_blocks(summary), width=width))
    if flags:
        found = [visible(one.sentence) for one in flags_view.visible_flags(record)]
        heading = Heading("Flags that may be common knowledge", 4)
        parts.append(render_rich([heading, Items(tuple(found) or ("None.",))], width=width))
    return Group(*parts)


def _n_lines(made: Group, width: int) -> int:
    console = Console(width=width)
    return len(console.render_lines(made, pad=False))


def _closing(shown: RunScreen) -> list[Block]:
    """How it was computed, what was decided, and what to type next."""
    n_notes = len(shown.run.warnings) + len(shown.judgement.void)
    noted = f" {format_count(n_notes, 'note')}: --details." if n_notes else ""
    return [
        *(Sentence(one, "dim") for one in shown.decided),
        Sentence(f"{_format_reuse(shown)}{noted}", "dim"),
        Sentence(f"Next: {visible(shown.summary.next_command or '')}   More: --words", "dim"),
    ]


def flag_blocks(judgement: Judgement) -> Iterator[Block]:
    """Every flag with its sentence and how it was ruled."""
    yield Heading("Flags that may be common knowledge", 4)
    rows = [
        f"{visible(one.id)} ({one.state}): {visible(one.sentence)}" for one in judgement.findings
    ]
    yield Items(tuple(rows) or ("None.",), mark="▲" if rows else "")


def _details(shown: RunScreen, width: int) -> list[RenderableType]:
    """Every table and line of the run, and what was noticed."""
    disclosures = shown.parts.of("disclosure")
    return [
        Text(),
        render_rich(alert_blocks(shown.judgement.alerts, shown.judgement.not_tested), width=width),
        *(part for one in disclosures for part in _scenario(shown, *one, width)),
        *_lines(lines_of_run(shown.run, shown.parts, shown.judgement)),
        *_render_list("Not measured", not_measured(shown.run)),
        *_render_list("Noted", map(lines, (*shown.run.warnings, *shown.judgement.void))),
        *_render_list("Since this run", [lines(one) for one in shown.judgement.stale]),
    ]


def _format_reuse(shown: RunScreen) -> str:
    """What was computed, and what was known."""
    run = shown.run
    if not shown.is_new:
        return (
            f"Nothing has changed since run {run.number} ({run.started[:10]}): all results reused."
        )
    states = [part.state for part in run.parts]
    said = [f"{format_count(states.count('measured'), 'result')} computed in {_time(run.seconds)}"]
    if run.n_resumed:
        said.append(f"{run.n_resumed:,} of them by a run that was stopped")
    if "reused" in states:
        earlier = sorted({part.reused_from for part in run.parts if part.reused_from})
        what = "run" if len(earlier) == 1 else "runs"
        numbers = and_list(str(number) for number in earlier)
        said.append(f"{states.count('reused'):,} reused from {what} {numbers} (inputs unchanged)")
    if "not measured" in states:
        said.append(f"{states.count('not measured'):,} not computed")
    return f"{'; '.join(said)}.{_longest(run)}"


def _longest(run: Run) -> str:
    """Where the time of a long run went."""
    measured = (part for part in run.parts if part.state == "measured" and part.seconds)
    took = sorted(((part.seconds or 0.0, part.name) for part in measured), reverse=True)
    if run.seconds < LONG or not took:
        return ""
    shown = and_list(f"{name} ({_time(seconds)})" for seconds, name in took[:N_LONGEST])
    return f" The longest were {shown}."


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes:,} min {left} s"


def _scenario(
    shown: RunScreen, part: str, record: Disclosure, width: int
) -> Iterator[RenderableType]:
    scenario = shown.run.part(part).scenario or ""
    yield Text(f"Scenario {truncate(scenario)}", style="bold underline")
    yield Text(f"{disclosure.sizes(record)} {disclosure.scenario(record)}")
    excluded = flags_view.exclusions(record, most=MOST_EXCLUSIONS)
    if excluded:
        yield Text(excluded)
    if (by_person := disclosure.people_sentence(record)) is not None:
        yield Text(by_person)
    yield Text()
    if record.targets:
        yield _table(shown, part, record, width)
        yield from _render_excluded(shown, part, record)
        yield Text()
    yield from _lines([_identity(shown, part, record)])


def _table(shown: RunScreen, part: str, record: Disclosure, width: int) -> Table:
    """The table with what the checks found in full, or in short where there is no room."""
    long, short = (_with_checks(shown, part, record, width, brief=brief) for brief in (False, True))
    return long if len(long.columns) >= len(short.columns) else short


def _with_checks(
    shown: RunScreen, part: str, record: Disclosure, width: int, *, brief: bool
) -> Table:
    targets = _own_row(shown, part, record)
    cells = {target: _cells(shown, part, record, target, brief=brief) for target in targets}
    flagged = any(str(of_target["checks"]) for of_target in cells.values())
    heads = [head for head in HEADS if head != "checks" or flagged]

    def made(columns: Sequence[str]) -> Table:
        table = new_table(_caption(record))
        table.add_column("target", overflow="fold", min_width=longest_name(targets))
        for head in columns:
            is_text = head in ("status", "checks")
            shown_head = disclosure.unit(record) if head == "people" else head
            table.add_column(shown_head, justify="left" if is_text else "right", no_wrap=True)
        for target in targets:
            table.add_row(Text(truncate(target)), *(cells[target][head] for head in columns))
        return table

    return fit_width(made, heads, SPARE, width)


def _caption(record: Disclosure) -> str:
    return f"Attribute disclosure by target variable, highest first{_mean_of(record)}"


def _mean_of(record: Disclosure) -> str:
    n = len(record.n_synthetic)
    return "" if n == 1 else f", mean of {n:,} copies"


def _own_row(shown: RunScreen, part: str, record: Disclosure) -> list[str]:
    """The riskiest, and all that are not within their limits."""
    rest = [
        target
        for target in record.targets[MOST_TARGETS:]
        if shown.status(part, target) in ("above", "not measured", "review")
    ]
    return [*record.targets[:MOST_TARGETS], *rest]


def _render_excluded(shown: RunScreen, part: str, record: Disclosure) -> Iterator[RenderableType]:
    hidden = [one for one in record.targets if one not in _own_row(shown, part, record)]
    if hidden:
        values = [record.attribute_of(one, record.headline_copy).DiSCO or 0.0 for one in hidden]
        yield Text(
            f"  ... and {format_count(len(hidden), 'more target')} of at most "
            f"{percent(max(values))}"
            " each; all of them with --json",
            style="dim",
        )


def _cells(
    shown: RunScreen, part: str, record: Disclosure, target: str, *, brief: bool
) -> dict[str, Text]:
    row = record.attribute_of(target, record.headline_copy)
    flags = [flag for flag in flags_view.visible_flags(record) if flag.target == target]
    return {
        "original": Text(percent_or_dash(row.Dorig)),
        "synthetic": Text(percent_or_dash(row.DiSCO), "bold"),
        "people": Text("-" if row.DiSCO is None else n_of(row.DiSCO, record.n_original)),
        "protection": Text("-" if row.protection is None else f"{row.protection:.1f}"),
        "removed": Text(_format_removed(row)),
        "status": status_text(shown.status(part, target), shown.where(part, target)),
        "checks": Text(_brief(flags) if brief else flags_view.short_flags(flags)),
    }


def _brief(flags: Sequence[Flag]) -> str:
    """How many findings each check has."""
    counts = {"1-way": "one_way", "2-way": "two_way"}
    found = {word: sum(flag.kind == kind for flag in flags) for word, kind in counts.items()}
    return " ".join(f"{word}: {n}" for word, n in found.items() if n)


def _format_removed(row: AttributeRow) -> str:
    """As a whole percentage, as far as it is one."""
    if row.removed is None:
        return "-"
    whole = f"{row.removed:.0f} %"
    return percent(row.removed) if whole in ("100 %", "0 %", "-0 %") else whole


def _identity(shown: RunScreen, part: str, record: Disclosure) -> Line:
    row = record.identity_of(record.headline_copy)
    if row.repU is None or row.UiO is None:
        return "Identity", "not measurable.", None
    n = record.n_original
    whom = people(n) if record.people is None else f"{n:,} rows"
    sentence = (
        f"{n_of(row.repU, n)} of {whom} (repU {percent(row.repU)}) are unique on the keys in both"
        f" files{_mean_of(record)}; {percent(row.UiO)} in the original."
    )
    return "Identity", sentence, shown.status(part, None)


def _lines(said: Iterable[Line]) -> Iterator[RenderableType]:
    found = list(said)
    if not found:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(ratio=1)
    table.add_column(no_wrap=True)
    for what, sentence, status in found:
        table.add_row(what, Text(sentence), Text("") if status is None else status_text(status))
    yield table
    yield Text()


def _render_list(title: str, said: Iterable[str]) -> Iterator[RenderableType]:
    if told := list(said):
        yield Text(title, style="bold underline")
        for one in told:
            yield Padding(Text(one), (0, 0, 0, 1))
        yield Text()
