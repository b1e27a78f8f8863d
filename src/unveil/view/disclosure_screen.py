"""The disclosure record on a terminal: alarms first, then who is found and what is learnt."""

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from unveil.assessment.alerts import exit_code
from unveil.records.alerts import Assessment
from unveil.records.base import Copy
from unveil.records.disclosure import Coercion, Disclosure
from unveil.records.limits import Verdict
from unveil.view import disclosure
from unveil.view import flags as flags_view
from unveil.view.alerts import NO_VERDICT, alert_blocks, summary
from unveil.view.disclosure_tables import (
    certain_table,
    excluded_table,
    guess_table,
    identity_table,
    words_table,
)
from unveil.view.format import lines, percent, truncate, visible
from unveil.view.render_rich import render_rich


def screen(
    record: Disclosure,
    verdicts: Sequence[Verdict],
    assessment: Assessment | None = None,
    *,
    words: int,
    width: int,
) -> Group:
    """All that a custodian sees, in the order they need it."""
    return Group(
        Text(),
        *_alerts(assessment),
        Text("What the synthetic data would give away", style="bold"),
        *_line(disclosure.files(record)),
        Text(f"{disclosure.sizes(record)} {disclosure.scenario(record)}"),
        Text(),
        *_render_sentence(disclosure.means(record)),
        *_render_sentence(disclosure.people_sentence(record)),
        *_render_sentence(flags_view.exclusions(record)),
        identity_table(record, verdicts),
        Text(),
        *_render_sentence(disclosure.recurrence_sentence(record)),
        *_attribute(record, verdicts, width),
        *_render_sentences(record, words),
        *_flags(record),
        *_render_exclusions(record, width),
        *notes(record.coercions),
        *_render_closing(record, verdicts),
        *_verdict(assessment, verdicts),
    )


def _alerts(assessment: Assessment | None) -> Iterator[RenderableType]:
    """What the checks of the files say; figures above a limit close the page."""
    if assessment is not None:
        of_files = [one for one in assessment.alerts if one.kind != "limit"]
        yield render_rich(alert_blocks(of_files, assessment.not_tested))
        yield Text()


def _line(sentence: str | None) -> Iterator[RenderableType]:
    if sentence:
        yield Text(sentence)


def _render_sentence(sentence: str | None) -> Iterator[RenderableType]:
    if sentence:
        yield Text(sentence)
        yield Text()


def _attribute(
    record: Disclosure, verdicts: Sequence[Verdict], width: int
) -> Iterator[RenderableType]:
    if record.targets:
        yield certain_table(record, verdicts, width)
        yield Text()
        yield guess_table(record, verdicts)
        yield Text()


def _render_sentences(record: Disclosure, most: int) -> Iterator[RenderableType]:
    if record.targets and most:
        yield Text("In words", style="bold underline")
    for target in record.targets[:most]:
        row = record.attribute_of(target, record.headline_copy)
        yield words_table(record, row)
        yield Text()
    left = len(record.targets) - most
    if most and left > 0:
        yield Text(f"In words for {left} more: --words {len(record.targets)}", style="dim")
        yield Text()


def _flags(record: Disclosure) -> Iterator[RenderableType]:
    """What may be common knowledge: the sentence, and what to write to leave it out."""
    told = list(flags_view.group_flags(record))
    if not told:
        return
    yield Text("What may be common knowledge", style="bold underline")
    for target, flags, n_more in told:
        for flag in flags:
            yield Padding(Text(f"▲ {flag.sentence}"), (0, 0, 0, 1))
            yield Padding(Text(f"--exclude {shlex.quote(visible(flag.exclusion))}", "dim"), (0, 3))
        if n_more:
            more = f"... and {n_more:,} more about {truncate(target)}: all of them with --json"
            yield Padding(Text(more, "dim"), (0, 0, 0, 1))
    yield Text()


def _render_exclusions(record: Disclosure, width: int) -> Iterator[RenderableType]:
    """What each exclusion took out, and what all of them changed."""
    if not record.exclude:
        return
    yield excluded_table(record, width)
    yield Text()
    for effect in flags_view.effects(record):
        if effect.all != effect.after:
            yield Padding(Text(flags_view.effect_sentence(record, effect)), (0, 0, 0, 1))
    yield Text()


def notes(coercions: Sequence[Coercion]) -> Iterator[RenderableType]:
    """What was noticed and changed while reading."""
    if coercions:
        yield Text("How the files were read and matched", style="bold underline")
        for note in coercions:
            yield Padding(Text(f"{note.side}: {lines(note.sentence)}"), (0, 0, 0, 1))
        yield Text()


def _render_closing(record: Disclosure, verdicts: Sequence[Verdict]) -> Iterator[RenderableType]:
    shut = [verdict for verdict in verdicts if verdict.status != "within"]
    for kind in dict.fromkeys((verdict.measure, verdict.status) for verdict in shut):
        alike = [verdict for verdict in shut if (verdict.measure, verdict.status) == kind]
        worst = max(alike, key=lambda verdict: verdict.value or 0)
        yield Text(_shut(worst, len(verdict_copies(verdicts)) > 1), style="bold red")
    if verdicts and not shut:
        but = ", not counting what is left out" if record.exclude else ""
        yield Text(f"● All figures with a limit are within it{but}.", style="green")
    for sentence in flags_view.without_exclusions(record, verdicts):
        yield Text(f"▲ {sentence}")


def _verdict(
    assessment: Assessment | None, verdicts: Sequence[Verdict]
) -> Iterator[RenderableType]:
    """What the alerts come to, and that without a limit there is no verdict."""
    if assessment is None:
        return
    of_files = [one for one in assessment.alerts if one.kind != "limit"]
    if of_files:
        style = {0: "", 3: "bold red", 4: "bold yellow"}[exit_code(of_files)]
        yield Text(f"{summary(of_files)} They stand at the top.", style=style)
    if not assessment.is_gate:
        yield Text(NO_VERDICT)


def verdict_copies(verdicts: Sequence[Verdict]) -> set[Copy]:
    """The copies that were judged."""
    return {verdict.copy for verdict in verdicts}


def _shut(worst: Verdict, several: bool) -> str:
    where = f" for {truncate(worst.target)}" if worst.target else ""
    if several:
        where += " with all copies pooled" if worst.copy == "pooled" else f" in copy {worst.copy}"
    if worst.value is None:
        return f"■ {worst.measure}{where} could not be measured, so its limit counts as exceeded."
    return (
        f"■ {worst.measure}{where} reaches {percent(worst.value)}, above your limit of"
        f" {worst.limit:g} %."
    )
