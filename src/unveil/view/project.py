"""A project on a screen and in a notebook: flags, rulings, what-ifs, limits, decisions, the log.

Filled from records only; every name, level, reason and note is shown as hostile text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from unveil.records.exclusions import Rule
from unveil.records.judgement import (
    Decision,
    ExplainedFlag,
    Explanation,
    FlagRuling,
    Judgement,
    Limit,
    LimitCheck,
    LogCheck,
    LogLine,
    Status,
    WhatIf,
    WhatIfRow,
    WhatIfScenario,
)
from unveil.records.report import ContextAnswer
from unveil.records.summary import RulingGroup
from unveil.view.alerts import alert_blocks, is_open, summary
from unveil.view.blocks import (
    Block,
    Command,
    Heading,
    Items,
    Sentence,
    TableBlock,
    sentences,
    table,
)
from unveil.view.format import (
    and_list,
    format_count,
    format_share,
    n_of,
    people,
    percent,
    percent_or_dash,
    ratio,
    truncate,
    visible,
)
from unveil.view.show import as_blocks, as_text
from unveil.view.status import format_status, worst

MOST_TOLD = 3
MOST_FLAGS = 5
"""So many flags of one target are listed on a screen; all of them with --json."""
IDENTITY_ROW = "(re-identification)"
TEMPLATES = {
    "falls": (
        "If {rules} is common knowledge, {measure} of {target} falls from {before} ({k} of {N}) to"
        " {after} ({l}). Of the people not disclosed after the exclusion, {R} are disclosed before"
        " it only through this value (R)."
    ),
    "found": (
        "If {rules} is excluded, {measure} falls from {before} ({k} of {N}) to {after} ({l})."
    ),
    "rule": (
        "With {rules} in force, {measure} of {target} falls from {before} ({k} of {N}) to {after}"
        " ({l})."
    ),
    "bands": (
        "In bands ({rules}), {measure} of {target} goes from {before} ({k} of {N}) to {after}"
        " ({l})."
    ),
    "bands found": (
        "In bands ({rules}), {measure} goes from {before} ({k} of {N}) to {after} ({l})."
    ),
}
RULES = tuple(one for one in get_args(Rule) if one not in ("level", "pair"))


# What would change if something were excluded?


def whatif_sentences(
    scenario: WhatIfScenario,
    rows: Sequence[WhatIfRow],
    n_original: int,
    bands: Sequence[str] = (),
) -> tuple[str, ...]:
    """What the exclusions, or bands, would do in one scenario."""
    rules = and_list((*bands, *scenario.added))
    flags = _flag_sentences(scenario)
    if not rows:
        what = f"Bands {rules} change" if bands else f"Excluding {rules} changes"
        return (f"{what} no figure.", *flags)
    is_rule = any(map(_is_rule, scenario.added))
    kinds = ("falls", "found")
    if bands or is_rule:
        kinds = ("bands", "bands found") if bands else ("rule", "found")
    changes = [
        _change_sentence(row, rules, n_original, kinds[row.target is None])
        for row in rows
        if row.copy == scenario.headline_copy
        and row.measure in ("DiSCO", "repU")
        and row.before is not None
        and row.after is not None
    ]
    n_more = len(changes) - MOST_TOLD
    more = [f"{format_count(n_more, 'target changes', 'targets change')} too: see the table."]
    return (*changes[:MOST_TOLD], *(more if n_more > 0 else ()), *flags)


def _is_rule(exclusion: str) -> bool:
    """Whether it is a rule about many records, not a level that people may know."""
    return exclusion.partition("=")[0] in RULES


def _change_sentence(row: WhatIfRow, rules: str, n_original: int, kind: str) -> str:
    before, after = row.before or 0.0, row.after or 0.0
    return TEMPLATES[kind].format(
        rules=rules,
        measure=row.measure,
        target=truncate(row.target or ""),
        before=percent(before),
        after=percent(after),
        k=n_of(before, n_original),
        N=people(n_original),
        l=n_of(after, n_original),
        R=format_share(row.R),
    )


def _flag_sentences(scenario: WhatIfScenario) -> Iterator[str]:
    for kind, ids in (("cleared", scenario.closes), ("raised", scenario.opens)):
        if ids:
            shown = ", ".join(truncate(one) for one in ids[:MOST_TOLD])
            more = f" and {len(ids) - MOST_TOLD:,} more" if len(ids) > MOST_TOLD else ""
            yield f"{format_count(len(ids), 'flag')} would be {kind}: {shown}{more}."


def _whatif_table(record: WhatIf, scenario: WhatIfScenario) -> TableBlock:
    """The figures that change in one scenario: of the copy that stands for all, the worst status.

    Of a target DiSCO and Dorig, of identity UiO and repU, and whatever else has a limit.
    """
    here = [row for row in record.rows if row.scenario == scenario.scenario]

    def statuses(row: WhatIfRow, field: str) -> list[Status]:
        alike = [one for one in here if (one.target, one.measure) == (row.target, row.measure)]
        return [one for one in (getattr(each, field) for each in alike) if one is not None]

    rows = [
        (
            IDENTITY_ROW if row.target is None else truncate(row.target),
            row.measure,
            percent_or_dash(row.before),
            percent_or_dash(row.after),
            *(() if record.bands else (format_share(row.R),)),
            *(format_status(worst(statuses(row, f"status_{at}"))) for at in ("before", "after")),
        )
        for row in here
        if row.copy == scenario.headline_copy
        and (
            row.measure in ("DiSCO", "Dorig", "UiO", "repU")
            or any(status != "no limit" for status in statuses(row, "status_before"))
        )
    ]
    due = () if record.bands else ("due to\nit (R)",)  # of what is excluded, not of bands
    heads = ("target", "measure", "before", "after", *due)
    return table(
        f"{truncate(scenario.scenario)}: before and after",
        (*heads, "status before", "status after"),
        rows,
        text=("measure",),
        footnote="" if record.bands else "due to it (R): (before - after) / (100 % - after).",
    )


@as_text.register
def _(record: WhatIf) -> str:
    return "\n".join(one for scenario in record.scenarios for one in scenario.sentences)


@as_blocks.register
def _(record: WhatIf) -> Iterator[Block]:
    what = "" if any(map(_is_rule, record.exclude)) else "excluding "
    what = "bands: " if record.bands else what
    yield Heading(f"Effect of {what}{and_list((*record.bands, *record.exclude))}")
    for one in record.scenarios:
        if one.in_force:
            yield Sentence(f"Excluded already: {and_list(one.in_force)}.")
        yield from sentences(one.sentences)
        yield _whatif_table(record, one)
    yield from _likeness_blocks(record)
    end = 'Nothing was saved. To keep it: add --keep --reason "..." --by "Name, role".'
    if record.bands:
        end = (
            "Nothing was saved. To use the bands, write them below the scenario, or protect with"
            " [[protect.step]]."
        )
    elif record.kept:
        written = f"Written to project.toml by {visible(record.by or '')}"
        end = f"{written}. Figures change with the next run: unveil run."
    yield Sentence(end, "lead")


def _likeness_blocks(record: WhatIf) -> Iterator[Block]:
    """What bands cost and keep: like with like, for chance is divided out of S_pMSE."""
    for key in dict.fromkeys(one.key for one in record.likeness):
        rows = [one for one in record.likeness if one.key == key]
        detail = f"{percent(rows[0].detail)} of the detail of {truncate(key)}"
        yield Sentence(
            f"The bands keep {detail} (entropy in the original). Bands hide detail; they do not"
            " make the files more alike."
        )
        several = len({one.copy for one in rows}) > 1
        cells = [
            (
                truncate(one.target) + (f", copy {one.copy}" if several else ""),
                ratio(one.S_pMSE_before),
                ratio(one.S_pMSE_after),
            )
            for one in rows
        ]
        caption = f"S_pMSE of {truncate(key)} by target (1 = no more than chance)"
        yield table(caption, ("target", "as it is", "in bands"), cells)


# Why does a target have this result?


def figure_table(caption: str, figures: Iterable[LimitCheck]) -> TableBlock:
    """Figures beside their limits."""
    rows = [
        (
            row.measure,
            truncate(row.scenario or "-"),
            truncate(row.subject or row.target or "-"),
            "-" if row.copy is None else str(row.copy),
            "-" if row.value is None else f"{row.value:.4g}",
            "-" if row.limit is None else f"{row.limit:g}",
            format_status(row.status),
        )
        for row in figures
    ]
    heads = ("measure", "scenario", "of", "copy", "figure", "limit", "status")
    return table(caption, heads, rows, text=("scenario", "of", "copy"))


def _not_measured(figures: Sequence[LimitCheck]) -> Iterator[str]:
    """Why figures that have a limit are not measured, each reason once."""
    rows = [row for row in figures if row.status == "not measured"]
    for measure, part, reason in dict.fromkeys((r.measure, r.part, r.reason) for r in rows):
        yield f"{measure} of {truncate(part)} is not measured: {visible(reason or '-')}"


@as_text.register
def _(record: Explanation) -> str:
    return "\n".join(one for scenario in record.scenarios for one in scenario.sentences)


@as_blocks.register
def _(record: Explanation) -> Iterator[Block]:
    yield Heading(f"{truncate(record.target)} in run {record.run}")
    yield Items(record.stale, "▲")
    for one in record.scenarios:
        yield Heading(f"{truncate(one.scenario)}: an intruder who knows {and_list(one.keys)}", 4)
        yield from sentences(one.sentences)
        steps = [(percent_or_dash(rung.value), rung.measure, rung.what) for rung in one.ladder]
        heads = ("percent", "measure", "meaning")
        yield table("Step by step", heads, steps, text=heads[1:])
        yield from _explain_flags(one.findings)
    limited = [one for one in record.figures if one.limit is not None]
    yield figure_table("Figures and limits", limited)
    yield from sentences(_not_measured(record.figures))


def _explain_flags(flags: Sequence[ExplainedFlag]) -> Iterator[Block]:
    """The flags of a target; what to type about the first that is open."""
    if not flags:
        return
    found = [one.finding for one in flags]
    n_open = sum(one.state == "open" for one in found)
    yield Heading(f"Flags that may be common knowledge: {len(flags):,}, outstanding {n_open:,}", 4)
    yield Items(tuple(map(flag_text, found[:MOST_FLAGS])), "▲")
    if len(flags) > MOST_FLAGS:
        yield Sentence(f"... and {len(flags) - MOST_FLAGS:,} more: all of them with --json", "dim")
    first = next((one for one in flags if one.finding.state == "open"), flags[0])
    yield Sentence("To try, to rule on or to keep the first outstanding one:", "lead")
    yield Command(visible(first.whatif))
    if first.finding.state == "open":
        yield from (Command(visible(one)) for one in (first.accept, first.keep))
    yield Sentence("To exclude the first, add to project.toml:", "lead")
    yield Command(first.toml)


def flag_text(flag: FlagRuling) -> str:
    """A flag: its id and state, the sentence, and how it was ruled."""
    ruled = ""
    if flag.reason is not None:
        on = f" on {flag.on}" if flag.on else ""
        ruled = f"\n{visible(flag.by or '')}{on}: {visible(flag.reason)}"
    return f"{visible(flag.id)} ({flag.state})\n{visible(flag.sentence)}{ruled}"


def count_outstanding(judgement: Judgement) -> Iterator[str]:
    """What is outstanding and how to do it; flags are counted, as they have a list of their own."""
    flags = [one for one in judgement.missing if one.kind == "finding"]
    if flags:
        yield f"{format_count(len(flags), 'flag')} to rule on: unveil rule"
    yield from (f"{one.sentence} {one.fix}" for one in judgement.missing if one not in flags)


def outstanding_blocks(
    flags: Sequence[FlagRuling],
    audience_rule: str,
    commands: Mapping[str, str],
    together: Mapping[str, str],
    groups: Sequence[RulingGroup] = (),
) -> Iterator[Block]:
    """The flags to rule on, target by target: ids with `commands`, pairs with one `together`.

    First what one ruling covers, where it is more than one flag.
    """
    still = [one for one in flags if one.state == "open"]
    yield Heading(f"Flags to rule on: {len(still):,} of {len(flags):,}")
    yield Sentence(audience_rule, "lead")
    for scenario, target in dict.fromkeys((one.scenario, one.target) for one in still):
        mine = [one for one in still if (one.scenario, one.target) == (scenario, target)]
        pairs = [one for one in mine if one.kind == "two_way"]
        n_shown = min(len(pairs), MOST_TOLD) if together else len(pairs)
        shown = [*(one for one in mine if one.kind == "one_way"), *pairs[:n_shown]]
        of = f"{truncate(target)} ({truncate(scenario)}): {format_count(len(mine), 'flag')}"
        yield Heading(of, 4)
        alike = [one for one in groups if (one.scenario, one.target) == (scenario, target)]
        yield Items(
            tuple(
                f"{visible(one.sentence)}\n{visible(commands[one.id])}"
                for one in alike
                if one.id in commands and len(one.exclusions) > 1
            ),
            "☐",
        )
        rows = [f"{flag_text(one)}\n{visible(commands[one.id])}" for one in shown]
        yield Items((*rows, *(visible(one.id) for one in pairs[n_shown:])), "▲")
        if together and len(pairs) > 1:
            yield Sentence(f"All {len(pairs):,} pairs together:")
            yield Command(visible(together[pairs[0].id]))


# Limits, questions, decisions, the log


def limit_table(caption: str, limits: Sequence[Limit]) -> TableBlock:
    """Limits with their origin."""
    rows = [(one.measure, f"{one.review:g}", f"{one.limit:g}", one.origin) for one in limits]
    return table(caption, ("measure", "review above", "limit", "origin"), rows, text=("origin",))


def answer_blocks(answers: Sequence[ContextAnswer], why: Mapping[str, str]) -> Iterator[Block]:
    """The questions about the context, each with its answer or why it is asked."""
    n = sum(one.answer is not None for one in answers)
    yield Heading(f"Context questions: {n} of {len(answers)} answered")
    for one in answers:
        on = f" on {one.on}" if one.on else ""
        below = why[one.name]
        if one.answer is not None:
            below = f"{visible(one.answer)} ({visible(one.by or '')}{on})"
        yield Items((f"{one.name}: {one.question}\n{below}",), "●" if one.answer else "○")


@as_text.register
def _(record: Judgement) -> str:
    return visible(record.headline)


@as_blocks.register
def _(record: Judgement) -> Iterator[Block]:
    yield from alert_blocks(record.alerts, record.not_tested)
    yield Heading(as_text(record))
    yield from sentences((record.rule, *record.stale, *record.void))
    yield review_table(record)
    missing = [(one.sentence, one.fix) for one in record.missing]
    yield table("Outstanding", ("what", "how"), missing, text=("how",))


def review_table(judgement: Judgement) -> TableBlock:
    """Every figure that is above its limit, to review, or has a limit and is not measured."""
    shown = ("above", "review", "not measured")
    rows = (one for one in judgement.figures if one.status in shown)
    return figure_table("Above limit or to review", rows)


def _decision_lines(decision: Decision) -> Iterator[str]:
    """What was decided, by whom, and on what."""
    what = "RELEASED" if decision.release else "REFUSED"
    who = f"by {visible(decision.by)} on {decision.on}"
    yield f"Decision {decision.number}: run {decision.run} is {what} {who}."
    yield f"Note: {visible(decision.note)}"
    for accepted in decision.despite:
        yield f"Released despite {visible(accepted.alert)}: {visible(accepted.reason)}"
    if decision.judgement is not None:
        yield visible(decision.judgement.headline)
    for one in decision.warnings:
        yield f"To note: {visible(one)}"
    yield f"Results {decision.results_sha256[:16]}…, log {decision.log_head[:16]}…"


@as_text.register
def _(record: Decision) -> str:
    return "\n".join(_decision_lines(record))


@as_blocks.register
def _(record: Decision) -> Iterator[Block]:
    first, *rest = _decision_lines(record)
    yield Heading(first)
    yield from sentences(rest)


def decision_blocks(record: Decision, answers: Sequence[ContextAnswer]) -> Iterator[Block]:
    """A decision with the evidence it rests on."""
    yield from as_blocks(record)
    if record.judgement is not None:
        yield Heading("Evidence", 4)
        for is_there, text in _checklist(record.judgement, answers):
            yield Items((text,), "●" if is_there else "○")


def _checklist(
    judgement: Judgement, answers: Sequence[ContextAnswer]
) -> Iterator[tuple[bool, str]]:
    """What the context asks for, and whether it is there."""
    accepted = f" accepted by {visible(judgement.accepted_by)}" if judgement.accepted_by else ""
    yield judgement.audience is not None, judgement.rule
    yield judgement.accepted_by is not None, f"Limits{accepted or ' not accepted by name'}."
    yield judgement.is_current, "Files and settings are unchanged since the run."
    yield not any(map(is_open, judgement.alerts)), f"Alerts: {summary(judgement.alerts)}"
    n_open = sum(found.state == "open" for found in judgement.findings)
    yield not n_open, f"Flags: {len(judgement.findings):,}, outstanding: {n_open:,}."
    for one in answers:
        given = "not answered" if one.answer is None else visible(one.answer)
        who = "" if one.by is None else f" ({visible(one.by)})"
        yield one.answer is not None, f"{one.question} {given}{who}"


def log_table(lines: Sequence[LogLine]) -> TableBlock:
    """The log, a line for each change."""
    rows = [
        (
            str(line.n),
            line.at.replace("T", " ").removesuffix("Z"),
            line.event,
            visible(line.subject or "-"),
            visible(line.by or "-"),
        )
        for line in lines
    ]
    heads = ("line", "when\n(UTC)", "what", "about", "by")
    return table("Log", heads, rows, text=heads)


def _check_lines(check: LogCheck) -> Iterator[str]:
    """Whether all is as it was written; every error otherwise."""
    if check.faults:
        n = format_count(len(check.faults), "thing is", "things are")
        yield f"{n} not as written."
        for fault in check.faults:
            where = f" ({visible(fault.file)})" if fault.file else ""
            fix = f" {visible(fault.fix)}" if fault.fix else ""
            yield f"■ {visible(fault.sentence)}{where}{fix}"
    else:
        yield (
            f"{format_count(check.n_lines, 'line')}, {format_count(check.n_runs, 'run')} and"
            f" {format_count(check.n_decisions, 'decision')}: all as they were written. The last"
            f" hash is {check.head}."
        )
    if check.is_edited:
        yield (
            "project.toml was edited since the last line; the next command that logs will record"
            " it."
        )
    for one in check.since_release:
        yield f"▲ {visible(one)}"


@as_text.register
def _(record: LogCheck) -> str:
    return "\n".join(_check_lines(record))


@as_blocks.register
def _(record: LogCheck) -> Iterator[Block]:
    yield from sentences(_check_lines(record), "lead")
