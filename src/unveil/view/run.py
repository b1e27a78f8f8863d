"""A run on a terminal and in a notebook: the summary first, then every table; aggregates only."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from unveil.records.disclosure import Disclosure
from unveil.records.judgement import Judgement, LimitCheck
from unveil.records.limits import MEASURES
from unveil.records.report import Parts
from unveil.records.run import Kind, Run, RunPart
from unveil.records.summary import Summary
from unveil.view import disclosure
from unveil.view.alerts import alert_blocks, alert_lines
from unveil.view.blocks import Block, Heading, Items, Sentence, TableBlock, sentences, table
from unveil.view.disclosure_blocks import attribute_table, identity_table
from unveil.view.flags import exclusions, visible_flags
from unveil.view.format import and_list, format_count, format_value, lines, truncate, visible
from unveil.view.project import count_outstanding, review_table
from unveil.view.render_rich import count_lines
from unveil.view.show import as_text
from unveil.view.status import format_status, worst
from unveil.view.summary import screen_blocks, words_blocks

MOST_LINES, MOST_TARGETS = 40, 15
"""A screen has at most so many lines, with as many rows of targets as fit."""
MOST_EXCLUSIONS = 6
LONG, N_LONGEST = 60.0, 5
"""Of a run of so many seconds, so many parts are named with the time they took."""
_MOST_NAMED = 4


@dataclass(frozen=True)
class RunScreen:
    """A run with all that its screen needs."""

    run: Run
    parts: Parts
    judgement: Judgement
    summary: Summary
    is_new: bool
    decided: tuple[str, ...] = ()  # what was decided about it, or about runs before it


def run_screen(
    shown: RunScreen,
    *,
    words: bool = False,
    flags: bool = False,
    details: bool = False,
    width: int | None = None,
) -> Iterator[Block]:
    """The summary in at most 40 lines; sentences, flags and computing details where asked for."""
    yield from fit_summary(shown.summary, list(_closing(shown)), width)
    if words:
        yield from words_blocks(shown.summary)
    if flags:
        found = (f"{one.id} ({one.state}): {one.sentence}" for one in shown.judgement.findings)
        yield from flag_items(found)
    if details:
        yield from alert_blocks(shown.judgement.alerts, shown.judgement.not_tested)
        yield from run_details(shown.run, shown.parts, shown.judgement)


def summary_screen(
    summary: Summary, record: Disclosure, closing: Sequence[Block], *, words: bool, flags: bool
) -> Iterator[Block]:
    """A summary without a project, and what else was asked for."""
    yield from fit_summary(summary, closing)
    if words:
        yield from words_blocks(summary)
    if flags:
        yield from flag_items(one.sentence for one in visible_flags(record))


def fit_summary(
    summary: Summary, closing: Sequence[Block], width: int | None = None
) -> list[Block]:
    """The summary with as many targets as leave it within 40 lines."""
    for most in range(MOST_TARGETS, 0, -1):
        made = [*screen_blocks(summary, most=most), *closing]
        if count_lines(made, width) <= MOST_LINES:
            break
    return made


def flag_items(found: Iterable[str]) -> Iterator[Block]:
    """Every flag of the checks."""
    rows = tuple(map(visible, found))
    yield Heading("Flags that may be common knowledge", 4)
    yield Items(rows or ("None.",), mark="▲" if rows else "")


def _closing(shown: RunScreen) -> Iterator[Block]:
    """How it was computed, what was decided, and what to type next."""
    n_notes = len(shown.run.warnings) + len(shown.judgement.void)
    noted = f" {format_count(n_notes, 'note')}: --details." if n_notes else ""
    yield from sentences(shown.decided, "dim")
    yield Sentence(f"{_format_reuse(shown.run, is_new=shown.is_new)}{noted}", "dim")
    yield Sentence(f"Next: {visible(shown.summary.next_command or '')}   More: --words", "dim")


def _format_reuse(run: Run, *, is_new: bool) -> str:
    """What was computed, and what was reused."""
    if not is_new:
        return (
            f"Nothing has changed since run {run.number} ({run.started[:10]}): all results reused."
        )
    states = [part.state for part in run.parts]
    by = "" if run.engine == "memory" else f" by {run.engine}"
    n_computed = format_count(states.count("measured"), "result")
    said = [f"{n_computed} computed{by} in {_time(run.seconds)}"]
    if run.n_resumed:
        said.append(f"{run.n_resumed:,} of them by a run that was stopped")
    if "reused" in states:
        earlier = sorted({part.reused_from for part in run.parts if part.reused_from})
        numbers = f"{'run' if len(earlier) == 1 else 'runs'} {and_list(map(str, earlier))}"
        said.append(f"{states.count('reused'):,} reused from {numbers} (inputs unchanged)")
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


# Every table and note of a run


def run_text(run: Run, judgement: Judgement) -> str:
    """A run for a console: its alerts, the verdict, and what was not tested."""
    alerts, left = alert_lines(judgement.alerts), alert_lines((), judgement.not_tested)
    return "\n".join([*alerts, _line(run, judgement), *left])


def _line(run: Run, judgement: Judgement) -> str:
    return f"Run {run.number} of {visible(run.title)}: {visible(judgement.headline)}"


def run_blocks(run: Run, parts: Parts, judgement: Judgement) -> Iterator[Block]:
    """A run for a notebook."""
    yield from alert_blocks(judgement.alerts, judgement.not_tested)
    yield Heading(_line(run, judgement))
    yield Sentence(_format_reuse(run, is_new=True))
    yield from run_details(run, parts, judgement)
    found = [(one.id, f"{one.n:,}", one.state) for one in judgement.findings]
    heads = ("flag", "people", "ruling")
    yield table("Flags that may be common knowledge", heads, found, text=("ruling",))


def run_details(run: Run, parts: Parts, judgement: Judgement) -> Iterator[Block]:
    """Every table of a run, what was not measured and what was noticed: `--details`."""
    for part in run.list_parts("disclosure"):
        figures = (one for one in judgement.figures if one.part == part.name)
        checks = [one for one in figures if one.limit is not None]
        yield from _scenario(part.scenario or "", parts[part.name], checks)
    yield _highest(run, judgement)
    yield review_table(judgement)
    yield from _list("Also computed", _other_parts(run, parts, judgement))
    yield from _list("Outstanding", count_outstanding(judgement))
    yield from _list("Not measured", not_measured(run, parts))
    yield from _list("Notes", (*run.warnings, *judgement.void))
    yield from _list("Since this run", judgement.stale)


def _list(title: str, rows: Iterable[str]) -> Iterator[Block]:
    if shown := tuple(map(lines, rows)):
        yield Heading(title, 4)
        yield Items(shown)


def _scenario(scenario: str, record: Disclosure, checks: list[LimitCheck]) -> Iterator[Block]:
    yield Heading(f"Scenario {truncate(scenario)}", 4)
    yield from sentences(
        (
            f"{disclosure.sizes(record)} {disclosure.scenario(record.keys)}",
            disclosure.means(record),
            exclusions(record, most=MOST_EXCLUSIONS),
            disclosure.people_sentence(record),
        )
    )
    yield identity_table(record, checks)
    if record.targets:
        yield attribute_table(record, checks)


def _of_kind(run: Run, judgement: Judgement) -> dict[tuple[str, Kind], list[LimitCheck]]:
    """Figures that have a value, by measure and kind of part; those of a scenario's tables not."""
    kinds = {part.name: part.kind for part in run.parts}
    found: dict[tuple[str, Kind], list[LimitCheck]] = {}
    for one in judgement.figures:
        kind = kinds.get(one.part)
        if kind is not None and kind != "disclosure" and one.value is not None:
            found.setdefault((one.measure, kind), []).append(one)
    return found


def _highest(run: Run, judgement: Judgement) -> TableBlock:
    """The highest figure of every other measure, and what it is of."""
    rows, found = [], _of_kind(run, judgement)
    for (measure, kind), figures in found.items():
        is_only = sum(one == measure for one, _ in found) == 1
        top = max(figures, key=lambda one: one.value or 0.0)
        middle = median(one.value or 0.0 for one in figures)
        copy = "" if top.copy is None or len(run.n_synthetic) < 2 else f"copy {top.copy}"
        of = [truncate(one) for one in (top.scenario, top.target, top.subject, copy) if one]
        several = f"{len(figures):,} (median {_format_value(measure, middle)})"
        rows.append(
            (
                measure if is_only else f"{measure} ({kind.replace('_', ' ')})",
                _format_value(measure, top.value or 0.0),
                ", ".join(of) or "-",
                several if len(figures) > 1 else "1",
                format_status(worst(one.status for one in figures)),
                MEASURES[measure].what if measure in MEASURES else "",
            )
        )
    heads = ("measure", "highest", "of", "figures", "status", "meaning")
    return table(
        "Other measures: highest figure",
        heads,
        rows,
        text=("of", "figures", "meaning"),
        spare=("figures", "meaning"),
    )


def _format_value(measure: str, value: float) -> str:
    unit = MEASURES[measure].unit if measure in MEASURES else "share"
    return format_value(value, unit)


def _other_parts(run: Run, parts: Parts, judgement: Judgement) -> Iterator[str]:
    """Each part without a figure that a limit can be set on, in its own words."""
    known = {kind for _, kind in _of_kind(run, judgement)} | {"disclosure", "gate"}
    for kind in dict.fromkeys(part.kind for part in run.parts if part.kind not in known):
        found = run.list_parts(kind)
        if len(found) > _MOST_NAMED:
            yield f"{kind}: {len(found):,} results, in the report (unveil report)"
        else:
            texts = (as_text(parts[part.name]).splitlines()[0] for part in found)
            yield from (
                f"{truncate(part.name)}: {text}" for part, text in zip(found, texts, strict=True)
            )


def not_measured(run: Run, parts: Parts) -> Iterator[str]:
    """What is not measured and why: a cause that affects many parts once, with their number."""
    by_reason: dict[str, list[RunPart]] = {}
    for part in run.parts:
        if part.state == "not measured":
            first = (part.reason or "").split("\n")[0]
            by_reason.setdefault(first, []).append(part)
    for reason, found in by_reason.items():
        names = and_list(part.name for part in found)
        if len(found) > _MOST_NAMED:
            kinds = and_list(dict.fromkeys(part.kind for part in found))
            names = f"{format_count(len(found), 'part')} ({kinds})"
        yield f"{names}: {lines(reason)}"
    for name, record in parts.of("gtcap"):
        yield from (f"{truncate(name)}: {lines(one.reason)}" for one in record.not_measured[:1])
