"""The page to sign: the same order and words on paper, on a terminal and in a notebook.

Blocks are filled from the `Summary` alone. The order is fixed, and a part that has nothing to
report says so in one line; nothing here says that data are safe.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unveil.records.alerts import Alert, NotTested
from unveil.records.disclosure import MEANING
from unveil.records.judgement import Status
from unveil.records.summary import (
    AboveLimit,
    IdentitySummary,
    SensitiveSummary,
    Summary,
    SummaryDecision,
    SummaryRuling,
    TargetSummary,
    VerdictStatus,
)
from unveil.view.blocks import (
    AlertBox,
    Block,
    Column,
    Command,
    Heading,
    Items,
    Sentence,
    ShareBar,
    Signatures,
    TableBlock,
    table,
)
from unveil.view.format import (
    agree,
    and_list,
    fill,
    format_count,
    format_value,
    people,
    percent,
    truncate,
    visible,
)
from unveil.view.render_page import render_page
from unveil.view.show import as_blocks, as_text
from unveil.view.status import GLYPHS, format_status, worst

WORDS: dict[VerdictStatus, str] = {
    "above": "NOT READY FOR RELEASE",
    "outstanding": "CANNOT BE ASSESSED YET",
    "review": "WITHIN LIMITS, {n} TO REVIEW",
    "within": "WITHIN ACCEPTED LIMITS",
    "no limit": "NO LIMITS SET: THIS IS NOT A VERDICT",
    "not assessed": "NOT ASSESSED",
}
"""What the verdict is called."""
_LIKE: dict[VerdictStatus, Status] = {
    "above": "above",
    "not assessed": "above",
    "outstanding": "review",
    "review": "review",
    "within": "within",
    "no limit": "no limit",
}
_BOXES: dict[Status, str] = {"above": "block", "review": "decide", "within": "accepted"}
SHORT = {
    "control": "effect of being in the data (no control sample)",
    "scenario": "better-informed intruders (one scenario)",
    "recognition": "membership of single people",
    "sampling": "population match probability (sampling fraction not stated)",
    "weights": "survey weights",
    "check": "ties to own values, near copies and groups",
    "numbers": "near misses in numbers",
}
"""What was not tested, in a few words."""
MOST_NAMED, MOST_GAPS, MOST_ALERTS = 4, 4, 2
MOST_ROWS, MOST_DECISIONS, MOST_ON_PAGE = 6, 7, 6
ROOM_FOR_ALERTS = 2
"""So many rows fewer of targets and of decisions where alerts need the room on one sheet."""
MOST_ON_SCREEN = 15
"""So many targets have a row of their own on a terminal."""
LONGEST, LONGEST_SUBJECT = 24, 36
SCREEN_LINE = 78
"""Letters in a line of a terminal of 80 columns, indented."""
ADDS = f"adds (95 %): {MEANING}."
FOOT = "Evidence for a decision, not a certificate of safety."
MATCH = "A replicated unique is a possible match, not proof of one."
REAPPEAR = (
    "{n} original {k:record|records} {k:reappears|reappear} in the synthetic data, equal in"
    " {v:the one compared variable|all {v} compared variables}."
)
CHOICES = ("release", "release with conditions", "do not release")
ROLES = ("Analyst", "Reviewer", "Approver")


def summary_blocks(summary: Summary) -> Iterator[Block]:
    """Page 1 of the report: one sheet of paper."""
    yield from _head(summary)
    yield _verdict_box(summary)
    yield from _alerts(summary)
    yield Heading("1  Who could be re-identified?")
    yield from _identity_page(summary)
    yield Heading("2  Which values would be disclosed, and how often correctly?")
    yield from _targets_page(summary)
    yield Heading("3  What was not tested")
    yield Items(tuple(_gaps(summary.not_tested)) or ("No gaps are known.",))
    yield Heading(f"4  Utility: {utility_sentence(summary)}")
    yield Heading("5  Decisions to take")
    yield from _decisions_page(summary)
    yield Signatures(CHOICES, ROLES)
    yield Sentence(_foot(summary), "dim", "summary.foot")


def summary_page(summary: Summary) -> str:
    """The page to sign by itself, on one sheet of A4; without anything from outside."""
    title = f"{truncate(summary.title)}: summary"
    return render_page(title, summary_blocks(summary), heading=page_title(summary))


def screen_blocks(summary: Summary, *, most: int = MOST_ON_SCREEN) -> Iterator[Block]:
    """The same on a terminal, in short."""
    yield Heading(_title(summary))
    yield from _verdict_lines(summary)
    if (known := summary.identity) is not None:
        yield Heading("Re-identification", 4)
        yield Sentence(_unique_sentence(summary, known))
        yield Sentence(f"{_replicated_sentence(summary, known)}{_beside(known.status)}")
    if summary.targets:
        yield Heading("Attribute disclosure: people for whom a single value is shown", 4)
        yield _screen_table(summary, most)
        yield from (Sentence(one) for one in _below_table(summary, most))
    yield Heading("Not tested", 4)
    yield Sentence("; ".join(map(_short, summary.not_tested)) or "No gaps are known.")
    if summary.utility is not None:
        yield Sentence(f"Utility: {utility_sentence(summary)}", "lead")
    yield Heading(f"Decisions to take: {len(summary.decisions)}", 4)
    subjects = [_name_with_flags(_subject(one), one.n_flags) for one in summary.decisions]
    listed = [f"{place} {one}" for place, one in enumerate(subjects, start=1)][:MOST_DECISIONS]
    if (more := len(subjects) - len(listed)) > 0:
        listed.append(f"and {more:,} more: --words")
    yield Sentence("\n".join(_pack(listed)) or "None.")


def _subject(one: SummaryDecision) -> str:
    """What a numbered decision is about; no count stands next to the number."""
    return "the alerts" if one.kind == "alerts" else one.subject


def _pack(items: Sequence[str]) -> Iterator[str]:
    """Items side by side in lines of a terminal, none of them broken where it fits one."""
    line = ""
    for one in items:
        if line and len(line) + len(one) + 3 > SCREEN_LINE:
            yield line
            line = ""
        line = f"{line}   {one}" if line else one
    yield line


def words_blocks(summary: Summary) -> Iterator[Block]:
    """What every line means, in sentences: `--words`."""
    yield Heading("In words", 4)
    if (known := summary.identity) is not None:
        yield Sentence(f"{_unique_sentence(summary, known)}.")
        yield Sentence(f"{_replicated_sentence(summary, known)}. {MATCH}")
    yield from (Sentence(_target_sentence(summary, one)) for one in summary.targets)
    yield Items(tuple(visible(one.sentence) for one in summary.not_tested))
    for place, one in enumerate(summary.decisions, start=1):
        yield Sentence(f"{place}. {visible(one.sentence)}")
        yield from (Command(visible(command)) for command in one.commands[:2])
        shown = [group for group in one.groups if group.flags] or one.groups[:MOST_NAMED]
        yield Items(tuple(visible(group.sentence) for group in shown), "☐")


def _title(summary: Summary) -> str:
    if summary.run is None:
        return f"Disclosure risk of {truncate(summary.title)} ({people(summary.n_people)})"
    by = f", by {truncate(summary.by)}" if summary.by else ""
    return f"Run {summary.run} of {truncate(summary.title)}{by}"


def page_title(summary: Summary) -> str:
    """What stands above the page."""
    run = "" if summary.run is None else f", run {summary.run:,}"
    return f"Disclosure risk summary: {truncate(summary.title)}{run}"


def _head(summary: Summary) -> Iterator[Block]:
    day = "" if summary.date is None else f"{summary.date[:10]}. "
    audience = f"Audience: {summary.audience}. " if summary.audience else ""
    text = f"{day}{audience}{people(summary.n_people)}. {_scenario_sentence(summary)}"
    yield Sentence(text, "dim", "summary.head")


def _scenario_sentence(summary: Summary) -> str:
    known = summary.identity
    if known is None:
        return "No scenario was measured."
    several = f" (scenario {truncate(known.scenario or '')})" if len(summary.scenarios) > 1 else ""
    return f"Intruder assumed to know {and_list(known.keys)}{several}."


def headline(summary: Summary) -> str:
    """Shape and words of the verdict."""
    verdict = summary.verdict
    if verdict.status == "review" and not verdict.n_review:
        words = "WITHIN LIMITS, ALERTS ACCEPTED BY NAME"
    elif verdict.status == "within" and verdict.accepted_by is None:
        words = "WITHIN THE LIMITS GIVEN"
    else:
        n = format_count(verdict.n_review, "FIGURE", "FIGURES")
        words = WORDS[verdict.status].format(n=n)
    return f"{GLYPHS[_LIKE[verdict.status]]} {words}"


def verdict_sentence(summary: Summary) -> str:
    """What exceeds its limit, what is outstanding, and who accepted the limits."""
    verdict = summary.verdict
    said = []
    if verdict.reason is not None:
        said.append(visible(verdict.reason))
    if verdict.n_alerts:
        said.append(f"{format_count(verdict.n_alerts, 'alert')} about the files.")
    if verdict.above:
        who = f" accepted by {truncate(verdict.accepted_by)}" if verdict.accepted_by else ""
        n = format_count(len(verdict.above), "figure exceeds its limit", "figures exceed limits")
        more = len(verdict.above) - MOST_NAMED
        rest = f"; and {more:,} more" if more > 0 else ""
        said.append(f"{n}{who}: {_list_above(verdict.above[:MOST_NAMED])}{rest}.")
    elif verdict.accepted_by is not None:
        said.append(
            f"None of {format_count(verdict.n_limited, 'figure')} exceeds the limits accepted by"
            f" {truncate(verdict.accepted_by)}."
        )
    if verdict.status == "outstanding":
        said.append(f"Outstanding: {'; '.join(_outstanding(summary.outstanding))}.")
    if verdict.n_accepted:
        said.append(f"{format_count(verdict.n_accepted, 'alert')} accepted by name.")
    return " ".join(said)


def _outstanding(waiting: Sequence[SummaryDecision]) -> Iterator[str]:
    """What named people have still to do, rulings on flags together."""
    flagged = [one for one in waiting if one.n_flags]
    others = [_shorten(one.subject, LONGEST_SUBJECT) for one in waiting if not one.n_flags]
    if flagged:
        n = format_count(sum(one.n_flags for one in flagged), "flag")
        on = _shorten(flagged[0].subject, LONGEST_SUBJECT)
        one_or_more = f"{len(flagged):,} variables" if len(flagged) > 1 else on
        yield f"rulings on {one_or_more} ({n})"
    yield from others[:MOST_NAMED]
    if (more := len(others) - MOST_NAMED) > 0:
        yield f"and {more:,} more"


def _list_above(figures: Sequence[AboveLimit]) -> str:
    """Figures with what they are of, those of one measure together with its limit."""
    by_measure: dict[str, list[AboveLimit]] = {}
    for one in figures:
        by_measure.setdefault(one.measure, []).append(one)
    said = []
    for measure, alike in by_measure.items():
        sign = " %" if alike[0].unit == "percent" else ""
        listed = ", ".join(map(_format_above, alike))
        said.append(f"{measure} {listed} (limit {alike[0].limit:g}{sign})")
    return "; ".join(said)


def _format_above(one: AboveLimit) -> str:
    of = one.target if one.target is not None else one.subject
    value = "not measured"
    if one.value is not None:
        value = format_value(one.value, one.unit)
    return value if of is None else f"of {_shorten(of, LONGEST_SUBJECT)} {value}"


def _name_with_flags(subject: str, n_flags: int) -> str:
    flags = f" ({format_count(n_flags, 'flag')})" if n_flags else ""
    return f"{_shorten(subject, LONGEST_SUBJECT)}{flags}"


def _verdict_box(summary: Summary) -> AlertBox:
    status = _BOXES.get(_LIKE[summary.verdict.status], "review")
    told = f"{verdict_sentence(summary)}{_to_review(summary, ' (annex B)')}".strip()
    return AlertBox(status, headline(summary), (told,) if told else ())  # type: ignore[arg-type]


def _verdict_lines(summary: Summary) -> Iterator[Block]:
    above = _LIKE[summary.verdict.status] == "above"
    told = f"{verdict_sentence(summary)}{_to_review(summary, ' (--details)')}".strip()
    colon = "." if told.startswith("Outstanding:") else ":"  # which has one of its own
    text = f"{headline(summary)}{colon} {told}" if told else headline(summary)
    yield Sentence(text, "stop" if above else "lead")
    rows = [f"{one.status}: {visible(one.sentence)}" for one in _open_alerts(summary)]
    if rows:
        more = len(rows) - MOST_ALERTS
        yield Items(tuple(rows[:MOST_ALERTS]), mark="■")
        if more > 0:
            yield Sentence(f"and {format_count(more, 'more alert')}: --details", "dim")
    yield Sentence(_scenario_sentence(summary), "lead")


def _to_review(summary: Summary, where: str) -> str:
    """How many alerts about the files do not stand against a release, and where they are told."""
    n = sum(
        one.status == "review" and one.accepted is None and one.kind != "limit"
        for one in summary.alerts
    )
    return f" {format_count(n, 'alert')} to review{where}." if n else ""


def _open_alerts(summary: Summary) -> list[Alert]:
    return [
        one
        for one in summary.alerts
        if one.accepted is None and one.status != "review" and one.kind != "limit"
    ]


def _alerts(summary: Summary) -> Iterator[Block]:
    found = _open_alerts(summary)
    if found:
        more = len(found) - MOST_ALERTS
        rows = [f"{visible(one.sentence)} ({visible(one.id)})" for one in found[:MOST_ALERTS]]
        rest = [f"and {format_count(more, 'more alert')} (annex B)"] if more > 0 else []
        yield AlertBox("block", "Alerts about the files", (*rows, *rest))


def _room(summary: Summary) -> int:
    return ROOM_FOR_ALERTS if _open_alerts(summary) else 0


def _share(n: int, of: int) -> str:
    return percent(100 * n / of) if of else "-"


def _unique_sentence(summary: Summary, known: IdentitySummary) -> str:
    n, of = known.unique, summary.n_people
    return f"{n:,} of {people(of)} {agree(n)} unique on the keys in the original ({_share(n, of)})"


def _replicated_sentence(summary: Summary, known: IdentitySummary) -> str:
    n = known.replicated
    return (
        f"{n:,} {agree(n)} also unique in the synthetic data (repU {_share(n, summary.n_people)})"
    )


def _beside(status: Status) -> str:
    return "" if status == "no limit" else f"  {format_status(status)}"


def _identity_page(summary: Summary) -> Iterator[Block]:
    known, of = summary.identity, summary.n_people
    if known is None:
        yield Sentence("Not measured.")
        return
    rows = [
        ("unique on the keys in the original", *_count_cells(known.unique, of), ""),
        (
            "also unique in the synthetic data: replicated uniques (repU)",
            *_count_cells(known.replicated, of),
            format_status(known.status),
        ),
    ]
    bars = [
        ShareBar(correct=_of(known.unique, of)),
        ShareBar(correct=_of(known.replicated, of), limit=dict(summary.limits).get("repU")),
    ]
    made = table("", ("people", "number", "share", "status"), rows, main=("number",), bars=bars)
    yield replace(made, bar_head="of all people")
    n = known.reappearing
    text = f"{MATCH} {fill(REAPPEAR, n=_none_or(n), k=n, v=known.n_variables)}"
    yield Sentence(text, key="summary.reappear")
    if len(summary.scenarios) > 1:
        others = [one for one in summary.scenarios if one != known.scenario]
        text = f"Also assessed: {and_list(others)}; the highest figure is shown."
        yield Sentence(text, "dim", "summary.scenarios")


def _none_or(n: int) -> str:
    return f"{n:,}" if n else "No"


def _count_cells(n: int, of: int) -> tuple[str, str]:
    return f"{n:,}", _share(n, of)


def _of(n: int, of: int) -> float:
    return 100 * n / of if of else 0.0


def _name(summary: Summary, one: TargetSummary) -> str:
    """A target, with its scenario where that is not the one of the page."""
    known = summary.identity
    is_other = known is not None and one.scenario != known.scenario
    return (
        f"{truncate(one.target)} ({truncate(one.scenario or '')})"
        if is_other
        else (truncate(one.target))
    )


TARGET_HEADS = (
    *("variable", "disclosed correctly", "of these, not the most common", "expected; adds"),
    *("disclosed wrongly", "status"),
)


def _adds(one: TargetSummary) -> str:
    """What is added beyond what other people's records teach, in people, with its interval."""
    half = ((one.adds_high or 0.0) - (one.adds_low or 0.0)) / 2
    return f"{round(one.adds or 0.0):+,} ± {half:,.0f}"


def _cells(summary: Summary, one: TargetSummary) -> tuple[str, ...]:
    excluded = " (by exclusion)" if one.by_exclusion else ""
    tie = " (tie)" if one.is_tied else ""
    return (
        _name(summary, one),
        f"{one.correct:,} ({_share(one.correct, summary.n_people)})",
        f"{one.not_most_common:,}{tie}",
        # On one line: the page has no room for a second one of each variable.
        "-"
        if one.expected is None
        else f"{one.expected:,.0f}; {_adds(one)}".replace(" ", "\u00a0"),
        f"{one.wrong:,}",
        f"{format_status(one.status)}{excluded}",
    )


def _targets_page(summary: Summary) -> Iterator[Block]:
    if not summary.targets:
        yield Sentence("No target was measured.")
        return
    flagged = [one for one in summary.targets if one.status in ("above", "not measured", "review")]
    shown = (flagged or list(summary.targets))[: MOST_ROWS - _room(summary)]
    rest = [one for one in summary.targets if one not in shown]
    rows = [_cells(summary, one) for one in shown]
    limit = dict(summary.limits).get("DiSCO")
    bars = [_bar(summary, one, limit) for one in shown]
    if rest:
        top = rest[0]
        rows.append(
            (
                format_count(len(rest), "other variable"),
                f"at most {top.correct:,} ({_share(top.correct, summary.n_people)})",
                f"at most {max(one.not_most_common for one in rest):,}",
                "",
                f"at most {max(one.wrong for one in rest):,}",
                format_status(worst(one.status for one in rest)),
            )
        )
        bars.append(_bar(summary, top, limit))
    is_known = any(one.expected is not None for one in shown)
    note = "Blue: correctly; hatched: wrongly; line: limit. Expected (-): not computed."
    made = table(
        "",
        TARGET_HEADS,
        rows,
        main=("disclosed correctly",),
        bars=bars,
        footnote=f"{note.partition(' Expected')[0]} {ADDS}" if is_known else note,
    )
    yield replace(made, bar_head="of all people")
    yield Sentence(" ".join(_notes(summary)), "look", "summary.notes")


def _bar(summary: Summary, one: TargetSummary, limit: float | None) -> ShareBar:
    return ShareBar(
        correct=_of(one.correct, summary.n_people),
        wrong=_of(one.wrong, summary.n_people),
        limit=limit,
    )


def _notes(summary: Summary) -> Iterator[str]:
    """Sensitive values, people with at least one value correct, and what was excluded."""
    for one in summary.sensitive:
        yield sensitive_sentence(one)
    if not summary.sensitive:
        yield "No sensitive values declared."
    if summary.any_correct is not None:
        yield any_sentence(summary)
    if summary.excluded:
        shown = list(summary.excluded[:MOST_NAMED])
        more = len(summary.excluded) - len(shown)
        rest = f" and {more:,} more" if more else ""
        yield f"Excluded as common knowledge: {', '.join(map(visible, shown))}{rest}."


def any_sentence(summary: Summary) -> str:
    """People for whom some value is disclosed correctly."""
    n = summary.any_correct or 0
    share = f" ({_share(n, summary.n_people)})" if n else ""
    whom = f"{_none_or(n)} {agree(n, 'person', 'people')}{share}"
    return f"{whom} {agree(n, 'has', 'have')} at least one value correctly disclosed."


def sensitive_sentence(one: SensitiveSummary) -> str:
    """A declared sensitive value: who would be disclosed, and who would be shown with it."""
    what = f"{truncate(one.target)} = {truncate(one.level)}"
    if not one.people:
        return f"{what}: no one in the original has it."
    n = f"{one.correct:,}" if one.correct else "none"
    verb = "is" if one.correct in (0, 1) else "are"
    shown = f"{one.falsely_shown:,} people who do not have it would be shown with it"
    if not one.falsely_shown:
        shown = "no one else would be shown with it"
    elif one.falsely_shown == 1:
        shown = "1 of the people who do not have it would be shown with it"
    return f"{what}: {n} of the {one.people:,} people {verb} correctly disclosed; {shown}."


def _below_table(summary: Summary, most: int) -> Iterator[str]:
    """What the rows do not say; in one paragraph, for a screen has 40 lines."""
    yield from (sensitive_sentence(one) for one in summary.sensitive)
    said = []
    if rest := summary.targets[most:]:
        n = format_count(len(rest), "more variable")
        k = rest[0].correct
        whom = f"at most {people(k)}{' each' * (len(rest) > 1)}" if k else "no one"
        said.append(f"{n}: {whom}.")
    if summary.any_correct is not None:
        said.append(any_sentence(summary))
    if any(one.adds is not None for one in summary.targets[:most]):
        said.append(ADDS)
    if said:
        yield " ".join(said)
    if summary.excluded:
        yield f"Excluded as common knowledge: {_some(summary.excluded)}."


def _some(names: Sequence[str]) -> str:
    more = len(names) - 3
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{', '.join(map(truncate, names[:3]))}{rest}"


def _shorten(name: str, longest: int = LONGEST) -> str:
    """A name of a column on a terminal, where a line has little room for it."""
    shown = truncate(name)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _screen_table(summary: Summary, most: int) -> Block:
    shown = summary.targets[:most]
    has_limit = any(one.status != "no limit" for one in summary.targets)
    is_known = any(one.adds is not None for one in shown)
    rows = []
    for one in shown:
        name = _name(summary, one)
        cells = (
            _shorten(name),
            *_count_cells(one.correct, summary.n_people),
            f"{one.not_most_common:,}",
            *((_adds(one) if one.adds is not None else "-",) if is_known else ()),
            f"{one.wrong:,}",
        )
        rows.append((*cells, format_status(one.status)) if has_limit else cells)
    heads = (
        *("variable", "correctly", "share", "not-commonest"),
        *(*(("adds",) if is_known else ()), "wrongly"),
    )
    return table(
        "",
        (*heads, "status") if has_limit else heads,
        rows,
        main=("correctly",),
        spare=("share", "not-commonest"),
    )


def _target_sentence(summary: Summary, one: TargetSummary) -> str:
    n, of = one.correct, summary.n_people
    said = [
        f"{truncate(one.target)} would be correctly disclosed for {n:,} of {people(of)} (DiSCO"
        f" {_share(n, of)}) and wrongly for {one.wrong:,}."
    ]
    if one.most_common is not None:
        said.append(
            f"{truncate(one.most_common)} for everyone would be correct for"
            f" {percent(one.most_common_share)}; {one.not_most_common:,} of the correct values are"
            " another one."
        )
    if one.expected is not None:
        said.append(
            f"About {one.expected:,.0f} of these are expected from other people's records; the"
            f" release adds {_adds(one)} ({MEANING})."
        )
    if one.by_exclusion:
        said.append("It meets its limit only because of exclusions.")
    return " ".join(said)


def gap_sentences(gaps: Sequence[NotTested]) -> Iterator[str]:
    """What was not tested, and what to do about it."""
    for one in gaps:
        names = f"{and_list(one.columns)}: " if one.columns and one.what == "columns" else ""
        yield f"{names}{visible(one.sentence)}"


def _gaps(gaps: Sequence[NotTested]) -> Iterator[str]:
    """A line for each on page 1, which has no room for what to do."""
    for text in gap_sentences(gaps[:MOST_GAPS]):
        yield f"{text.partition('. ')[0].removesuffix('.')}."
    more = len(gaps) - MOST_GAPS
    if more > 0:
        yield f"and {more:,} more (annex B)"


def _short(one: NotTested) -> str:
    if one.what == "columns" and one.columns:
        return f"{format_count(len(one.columns), 'variable')} in no scenario"
    return SHORT.get(one.what, visible(one.sentence).rstrip("."))


def utility_sentence(summary: Summary) -> str:
    """One line: status, S_pMSE, and the pair of variables that is least alike."""
    known = summary.utility
    if known is None:
        return "Not measured."
    said = []
    if known.S_pMSE is not None:
        said.append(f"S_pMSE {known.S_pMSE:.1f} (1 = no more than chance)")
    if known.pair is not None and known.pair_S_pMSE is not None:
        said.append(f"worst pair {known.pair_S_pMSE:.1f} ({truncate(known.pair)})")
    return f"{'; '.join(said)}{_beside(known.status)}"


def _decisions_page(summary: Summary) -> Iterator[Block]:
    shown = summary.decisions[: MOST_ON_PAGE - _room(summary)]
    more = len(summary.decisions) - len(shown)
    rest = f"and {more:,} more (annex B)" if more > 0 else ""
    rows = []
    for place, one in enumerate(shown, start=1):
        subject = _shorten(_subject(one).partition(" (")[0], LONGEST)
        sentence = visible(one.sentence.removeprefix(f"{one.target}: "))
        choices = "  ".join(f"☐ {each}" for each in one.choices)
        rows.append((f"{place}  {subject}", sentence, choices))
    if rows:
        heads = (
            Column("decision", "text"),
            Column("on what", "text"),
            Column("tick one", "status"),
        )
        yield TableBlock("", heads, tuple(rows), rest)
    else:
        yield Sentence("None.")
    yield Sentence(rulings_sentence(summary.rulings), "dim", "summary.rulings")


def rulings_sentence(rulings: Sequence[SummaryRuling]) -> str:
    """What was ruled already, by whom."""
    if not rulings:
        return "No rulings yet."
    said = []
    for one in rulings[:MOST_NAMED]:
        what = truncate(one.target) if one.target is not None else "all targets"
        state = "common knowledge" if one.state == "common knowledge" else "residual risk"
        n = format_count(one.n_rulings, "ruling")
        said.append(f"{what}: {state} ({n}, {truncate(one.by)})")
    more = len(rulings) - MOST_NAMED
    rest = f"; and {more:,} more" if more > 0 else ""
    return f"Already ruled: {'; '.join(said)}{rest}."


def _foot(summary: Summary) -> str:
    run = "" if summary.run_hash is None else f", run {summary.run_hash[:12]}"
    copies = f" Figures are the highest of {summary.n_copies} copies." * (summary.n_copies > 1)
    return f"unveil {summary.version}{run}.{copies} {FOOT}"


@as_text.register
def _(record: Summary) -> str:
    return f"{_title(record)}: {headline(record)}. {verdict_sentence(record)}".rstrip()


@as_blocks.register
def _(record: Summary) -> Iterator[Block]:
    yield from screen_blocks(record)
    yield from words_blocks(record)
