"""What sections share: one part for each scenario, sentences by key, why figures are missing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from unveil.records.judgement import LimitCheck
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind, RunPart
from unveil.view.blocks import Block, Folded, Heading, Sentence, ShareBar, table
from unveil.view.format import format_count, lines, truncate

MOST_TARGETS, MOST_GUESSED = 25, 10
"""So many rows of targets stand in a printed table, and of guesses; those with less risk fold."""
NAMES: dict[Kind, str] = {
    "disclosure": "Disclosure",
    "exclusion_table": "Effect of exclusions",
    "cap": "CAP",
    "tcap": "TCAP",
    "gtcap": "GTCAP",
    "suda": "Special uniques (SUDA)",
    "match_risk": "Match risk",
    "excess": "Excess disclosure over the control sample",
    "singling_out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
    "membership": "Membership",
    "recognition": "Membership of single people",
}
"""Measures of a scenario as a sentence names them."""


def by_scenario(
    contents: ReportContents,
    parts: Parts,
    title: str,
    kinds: Sequence[Kind],
    draw: Callable[[str | None], Iterable[Block]],
    *,
    overview: Iterable[Block] = (),
    has_reasons: bool = True,
) -> Iterator[Block]:
    """An overview of all scenarios, then that of page 1; the others unfold.

    A scenario with the figures of one before it refers to that. A section that is the whole of its
    annex has no title.
    """
    names = scenarios_of(contents, kinds)
    if names and title:
        yield Heading(title, 3)
    yield from overview
    for one in names:
        other = _same_as(parts, kinds, one, names)
        if other is not None:
            text = f"Keys and figures are those of {truncate(other)}: see there."
            yield Heading(truncate(one or "All scenarios"), 4 if title else 3)
            yield Sentence(text, key="scenario.same", of=f"{one}|{other}")
        elif (shown := tuple(draw(one))) and (one != names[0] or _is_detail(shown, names)):
            yield Folded(f"Scenario {truncate(one or '')}", shown)
        elif shown:
            name = f"Scenario {truncate(one)}" if one is not None else "All scenarios"
            yield from [Heading(name, 4 if title else 3)] if len(names) > 1 else []
            yield from shown
    if has_reasons:
        yield from unmeasured(contents, kinds)


def _is_detail(blocks: Sequence[Block], names: Sequence[str | None]) -> bool:
    """Whether a scenario of several has only what unfolds: no heading stands alone on paper."""
    return len(names) > 1 and all(isinstance(block, Folded) for block in blocks)


def _same_as(
    parts: Parts, kinds: Sequence[Kind], scenario: str | None, names: Sequence[str | None]
) -> str | None:
    """A scenario before this one with the very same figures; None where there is none."""
    own = _records(parts, kinds, scenario)
    earlier = [one for one in names[: names.index(scenario)] if one is not None]
    return next((one for one in earlier if own and _records(parts, kinds, one) == own), None)


def _records(parts: Parts, kinds: Sequence[Kind], scenario: str | None) -> list[object]:
    return [record for kind in kinds for _, record in parts.about(kind, scenario)]


def scenarios_of(contents: ReportContents, kinds: Sequence[Kind]) -> list[str | None]:
    """The scenarios for which some of these measures were asked for, that of page 1 first."""
    asked = [part.scenario for part in contents.run.parts if part.kind in kinds]
    known_first = contents.summary.identity
    first = None if known_first is None else known_first.scenario
    order = sorted((one.name for one in contents.scenarios), key=lambda name: name != first)
    known: list[str | None] = [one for one in order if one in asked]
    return [*known, *dict.fromkeys(one for one in asked if one not in order)]


def unmeasured(contents: ReportContents, kinds: Sequence[Kind]) -> Iterator[Sentence]:
    """Why parts that were asked for have no figures: one cause once, with all it affects."""
    reasons: dict[str, list[RunPart]] = {}
    for part in contents.run.parts:
        if part.kind in kinds and part.file is None:
            reasons.setdefault(part.reason or "no reason was given.", []).append(part)
    for reason, found in reasons.items():
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        text = f"Not measured: {_name(found[0])}{more}. {lines(reason)}"
        yield Sentence(text, "look", "not measured", found[0].name)


def _name(part: RunPart) -> str:
    """What was asked for as people call it, and of what."""
    if (called := NAMES.get(part.kind)) is None:
        return truncate(part.name)
    of = f" of {truncate(part.target)}" if part.target is not None else ""
    return f"{called}{of}" + (f" ({truncate(part.scenario)})" if part.scenario is not None else "")


def number_sentences(
    subject: str, part: str, keyed: Iterable[tuple[str, str]]
) -> Iterator[Sentence]:
    """Sentences of a subject, each told apart by which of its kind it is, from 0."""
    so_far: Counter[str] = Counter()
    for key, text in keyed:
        yield Sentence(text, key=f"{subject}/{key}", of=f"{part}|{so_far[key]}")
        so_far[key] += 1


def warn(section: str, part: str, warnings: Sequence[str]) -> Iterator[Sentence]:
    """What was noticed while it was measured."""
    for place, warning in enumerate(warnings):
        yield Sentence(lines(warning), "look", f"{section}.warning", f"{part}|{place}")


def fold(summary: str, blocks: Iterable[Block]) -> Iterator[Folded]:
    """Detail; nothing of nothing."""
    if found := tuple(blocks):
        yield Folded(summary, found)


def figures_of_part(
    contents: ReportContents, part: str, measures: Iterable[str]
) -> list[LimitCheck]:
    """The figures of one part that are of these measures."""
    wanted = set(measures)
    return [one for one in contents.judgement.figures if one.part == part and one.measure in wanted]


def worst_first(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[tuple[float | None, str | None, Sequence[str]]],
    note: str = "",
    bars: Sequence[ShareBar] = (),
    *,
    most: int = MOST_TARGETS,
    **columns: Sequence[str],
) -> Iterator[Block]:
    """One table of all targets and scenarios, the highest figure first; what is below unfolds.

    A row has the figure it is ordered by, its scenario, and its cells, the target first.
    """
    several = len({scenario for _, scenario, _ in rows}) > 1
    ranks = [-1e9 if value is None else value for value, _, _ in rows]
    order = sorted(range(len(rows)), key=lambda at: -ranks[at])
    shown = [heads[0], "scenario", *heads[1:]] if several else heads
    cells = [
        (rows[at][2][0], truncate(rows[at][1] or "-"), *rows[at][2][1:]) if several else rows[at][2]
        for at in order
    ]
    drawn = [bars[at] for at in order] if bars else []
    columns["text"] = ("scenario", *columns.get("text", ()))
    n = len(cells) - most
    more = f"... and {n:,} more with a lower figure. {note}" if n > 0 else note
    for first, some, foot in ((0, most, more), (most, len(cells), note)):
        made = table(
            caption, shown, cells[first:some], footnote=foot, bars=drawn[first:some], **columns
        )
        if first and made.rows:
            yield Folded(format_count(n, "more row"), (made,))
        elif made.rows:
            yield made


def format_time(moment: str | None) -> str:
    """A time as people read it: 2026-11-16 10:00 UTC; a date as it is."""
    day, at, clock = (moment or "not stated").partition("T")
    return f"{day} {clock[:5]} UTC" if at and clock.endswith("Z") else moment or day


def are(n: int) -> str:
    """How many, with their verb."""
    return {0: "none is", 1: "1 is"}.get(n, f"{n:,} are")
