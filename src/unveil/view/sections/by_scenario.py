"""What do sections on risk share? One part for each scenario, and the words for copies."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from unveil.records.base import Copy
from unveil.records.judgement import LimitCheck, Status
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view.format import truncate
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.shared import render_heading, unmeasured_sentences
from unveil.view.status import worst

MOST_TARGETS = 8
"""So many targets are told one by one; those with less risk are folded."""
OPEN_TARGETS = 3
"""So many stand open with their picture."""


def render_by_scenario(
    contents: ReportContents,
    section: str,
    kinds: Sequence[Kind],
    told: Callable[[str | None], Iterable[str]],
    *,
    parts: Parts | None = None,
    with_missing: bool = True,
) -> str:
    """What there is to tell of each scenario, under its name where there are several.

    One whose figures are those of a scenario before it refers to that, where `parts` are given.
    Parts that have no figures follow with their reasons.
    """
    names = scenarios_of(contents, kinds)
    several = len(names) > 1
    body = []
    for one in names:
        other = None if parts is None else same_as(parts, kinds, one, names)
        if one is not None and other is not None:
            same = fill_sentence("scenario.same", f"{one}|{other}", other=truncate(other))
            body += [render_heading(one), same.html()]
        elif shown := list(told(one)):
            body += [render_heading(one or "All scenarios") if several else "", *shown]
    if with_missing:
        body += [one.html() for one in unmeasured_sentences(contents, section, kinds)]
    return "".join(body)


def same_as(
    parts: Parts, kinds: Sequence[Kind], scenario: str | None, names: Sequence[str | None]
) -> str | None:
    """A scenario before this one with the very same figures; None where there is none."""
    own = _records(parts, kinds, scenario)
    earlier = [one for one in names[: names.index(scenario)] if one is not None]
    return next((one for one in earlier if own and _records(parts, kinds, one) == own), None)


def _records(parts: Parts, kinds: Sequence[Kind], scenario: str | None) -> list[object]:
    return [record for kind in kinds for _, record in parts.about(kind, scenario)]


def scenarios_of(contents: ReportContents, kinds: Sequence[Kind]) -> list[str | None]:
    """The scenarios for which some of these measures were asked for, as the project has them."""
    asked = [part.scenario for part in contents.run.parts if part.kind in kinds]
    order = [one.name for one in contents.scenarios]
    known: list[str | None] = [one for one in order if one in asked]
    return [*known, *dict.fromkeys(one for one in asked if one not in order)]


def render_subheading(contents: ReportContents, kinds: Sequence[Kind], text: str) -> str:
    """What a part of a scenario is about, one level below the scenario where that has a heading."""
    level = "h4" if len(scenarios_of(contents, kinds)) > 1 else "h3"
    return f"<{level}>{escape(text)}</{level}>"


def copy_name(copy: Copy) -> str:
    """A copy before a row of its figures."""
    return {"mean": "mean", "pooled": "all pooled"}.get(str(copy), f"copy {copy}")


def figures_of_part(
    contents: ReportContents, part: str, measures: Iterable[str]
) -> list[LimitCheck]:
    """The figures of one part that are of these measures."""
    wanted = set(measures)
    return [one for one in contents.judgement.figures if one.part == part and one.measure in wanted]


def status_of(judged: Iterable[LimitCheck]) -> Status:
    """The worst of the figures that a limit is held against."""
    return worst(one.status for one in judged)


def note_of(statuses: Sequence[Status]) -> str:
    """A word for the table of contents."""
    for status, word in (("above", "above limit"), ("review", "to review")):
        if n := sum(one == status for one in statuses):
            return f"{n:,} {word}"
    return ""
