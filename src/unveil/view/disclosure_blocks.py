"""The record of disclosure as blocks: who could be re-identified, what would be disclosed."""

import shlex
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import partial

from unveil.records.alerts import Alert, Assessment
from unveil.records.base import Copy
from unveil.records.disclosure import (
    MEANING,
    AttributeRow,
    Disclosure,
    IdentityRow,
    ValueRow,
)
from unveil.records.judgement import LimitCheck
from unveil.records.limits import Verdict
from unveil.view import disclosure as said
from unveil.view import flags as flags_view
from unveil.view.alerts import NO_VERDICT, alert_blocks, summary
from unveil.view.blocks import (
    Block,
    Folded,
    Heading,
    Items,
    Kind,
    Sentence,
    ShareBar,
    TableBlock,
    notes,
    sentences,
    table,
)
from unveil.view.claims import ADDED_HEADS, FOOTNOTE, added_cells, part_blocks
from unveil.view.disclosure import unit
from unveil.view.format import (
    and_list,
    copy_phrase,
    format_count,
    n_of,
    percent,
    percent_or_dash,
    ratio,
    truncate,
    visible,
)
from unveil.view.show import as_blocks, as_text
from unveil.view.status import format_status, worst

CERTAIN = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "TCAP")
GUESSED = ("CAPd", "CAPs", "DCAP")
UNIQUENESS = {
    "UiO": "unique in the original",
    "UiOiS": "of these, matched in the synthetic data",
    "repU": "of these, unique there too (replicated)",
    "UiS": "synthetic records that are unique",
}
WEIGHTED = ("DiSCO", "DiS", "Dorig")
Checked = Verdict | LimitCheck
PARTS = ("words", "flags", "details")
"""What is folded unless it is asked for."""


def disclosure_blocks(
    record: Disclosure,
    verdicts: Sequence[Verdict] = (),
    assessment: Assessment | None = None,
    show: Container[str] = (),
) -> Iterator[Block]:
    """All that a custodian sees, in the order they need it; `show` names PARTS to unfold."""
    if assessment is None:
        yield from sentences(said.alarms(record), "stop")
        yield Heading(_headline(record))
    else:
        yield from alert_blocks(_file_alerts(assessment))
        yield Heading("Disclosure risk of the synthetic data")
    yield from sentences(
        [said.files(record), f"{said.sizes(record)} {said.scenario(record.keys)}"], "lead"
    )
    yield from sentences(
        [said.means(record), said.people_sentence(record), flags_view.exclusions(record)]
    )
    yield identity_table(record, verdicts)
    if record.targets:
        yield attribute_table(record, verdicts)
    yield _tolerance_table(record)
    yield _weighted_table(record)
    yield from sentences([_flags_sentence(record)])
    yield from _fold("words", "In words", list(_words(record)), show)
    yield from _fold("flags", "Flags", list(_flags(record)), show)
    yield _effects(record)
    yield from _fold("details", "Details", list(_details(record, verdicts)), show)
    yield from notes(record.coercions)
    if assessment is not None:
        yield from alert_blocks((), assessment.not_tested)
    yield from _closing(record, verdicts, assessment)


def _file_alerts(assessment: Assessment) -> list[Alert]:
    """What the checks of the files raise; figures above a limit close the page."""
    return [one for one in assessment.alerts if one.kind != "limit"]


def _fold(
    part: str, summary: str, blocks: Sequence[Block], show: Container[str]
) -> Iterator[Block]:
    if blocks and part in show:
        yield Heading(summary, 4)
        yield from blocks
    elif blocks:
        yield Folded(summary, tuple(blocks))


def identity_table(record: Disclosure, verdicts: Sequence[Checked]) -> TableBlock:
    """UiO to repU, each with how many people it is."""
    row = record.identity_of(record.headline_copy)
    rows = []
    for symbol, what in UNIQUENESS.items():
        value, n = getattr(row, symbol), _n_of(record, row, symbol)
        count = "-" if value is None or n is None else n_of(value, n)
        cells = [what, count, percent_or_dash(value), symbol]
        rows.append([*cells, *_status(verdicts, None, (symbol,))])
    heads = ("uniqueness", unit(record), "percent", "measure")
    return table(
        "Re-identification: uniqueness on the keys",
        (*heads, "status") if verdicts else heads,
        rows,
        text=("measure",),
        spare=("measure",),
        footnote=said.recurrence_sentence(record) or "",
    )


def _n_of(record: Disclosure, row: IdentityRow, symbol: str) -> int | None:
    """Of how many a percentage is; a mean over copies of several sizes is of no one number."""
    if symbol != "UiS":
        return record.n_original
    if isinstance(row.copy, int):
        return record.n_synthetic[row.copy - 1]
    return sum(record.n_synthetic) if row.copy == "pooled" else None


def _headline_rows(record: Disclosure) -> list[AttributeRow]:
    return [record.attribute_of(target, record.headline_copy) for target in record.targets]


def attribute_table(record: Disclosure, verdicts: Sequence[Checked] = ()) -> TableBlock:
    """For how many people the keys point to a single value, true or not, target by target."""
    has_pool = len(record.n_synthetic) > 1
    found = flags_view.visible_flags(record)
    added = added_cells(record)
    wrongly = f"wrongly {unit(record)}"
    heads = (
        *(
            "target",
            f"correctly {unit(record)}",
            "correctly DiSCO",
            *(ADDED_HEADS if added else ()),
        ),
        *(wrongly, "wrongly percent", *(("pooled DiSCO",) if has_pool else ()), "original Dorig"),
        *("baseline baseCAPd", "reduction percent", *(("flags",) if found else ())),
    )
    rows = []
    for row in _headline_rows(record):
        wrong = None if row.DiS is None or row.DiSCO is None else row.DiS - row.DiSCO
        pool = (record.attribute_of(row.target, "pooled").DiSCO,) if has_pool else ()
        of_target = [flag for flag in found if flag.target == row.target]
        cells = [
            *(truncate(row.target), _count(record, row.DiSCO), percent_or_dash(row.DiSCO)),
            *added.get(row.target, ("-",) * len(ADDED_HEADS) if added else ()),
            *(_count(record, wrong), percent_or_dash(wrong)),
            *map(percent_or_dash, (*pool, row.Dorig, row.baseCAPd, row.removed)),
            *([flags_view.short_flags(of_target)] if found else []),
        ]
        rows.append([*cells, *_status(verdicts, row.target, (*CERTAIN, "adds"))])
    spare = ("reduction percent", "flags", "wrongly percent", "baseline baseCAPd", "pooled DiSCO")
    return table(
        "Attribute disclosure by target variable, highest first",
        (*heads, "status") if verdicts else heads,
        rows,
        text=("flags",),
        # What is added goes last: only a status is worth more.
        spare=(*spare, "original Dorig", wrongly, ADDED_HEADS[0], heads[1], *ADDED_HEADS[1:]),
        main=("correctly DiSCO",),
        footnote=f"{said.COLUMNS}{f' {FOOTNOTE}' if added else ''}",
    )


def _tolerance_table(record: Disclosure) -> TableBlock:
    """Targets with a tolerance: the figures of equal values, and of values near enough."""
    rows = []
    for one in record.tolerance:
        if one.copy == record.headline_copy:
            exact = record.attribute_of(one.target, one.copy)
            at_random = 100 * one.at_random / record.n_original if record.n_original else None
            figures = (exact.DiSCO, one.DiSCO, one.DiS, at_random, one.Dorig)
            within = f"± {one.radius:g}"
            rows.append((truncate(one.target), within, *map(percent_or_dash, figures)))
    return table(
        "Numbers within a tolerance, in percent of people",
        ("target", "within", "equal DiSCO", "DiSCO", "DiS", "at random", "original Dorig"),
        rows,
        text=("within",),
        main=("DiSCO",),
        footnote=said.TOLERANCE,
    )


def _weighted_table(record: Disclosure) -> TableBlock:
    """The main figures by record and in sampling weights."""
    weighted = record.weighted
    shown = [(None, "repU"), *((target, one) for target in record.targets for one in WEIGHTED)]
    rows = []
    for target, measure in shown if weighted is not None else ():
        row = record.find_weighted(measure, target, record.headline_copy)
        of = record.identity_of if target is None else partial(record.attribute_of, target)
        plain = getattr(of(record.headline_copy), measure)
        figures = (percent_or_dash(plain), percent(row.percent), f"{row.weight:,.0f}")
        rows.append((truncate(target or "all"), measure, *figures))
    name, total = ("", 0.0) if weighted is None else (weighted.column, weighted.total)
    return table(
        f"With {truncate(name)} as weights: the same records, {total:,.0f} people in all",
        ("target", "measure", f"percent of {unit(record)}", "percent of weights", "weights"),
        rows,
        text=("measure",),
    )


def _count(record: Disclosure, value: float | None) -> str:
    """How many people a percentage is."""
    return "-" if value is None else n_of(value, record.n_original).removeprefix("about ")


def _status(verdicts: Sequence[Checked], target: str | None, symbols: Sequence[str]) -> list[str]:
    """The worst that the limits on some measures say of one row, and in which of several copies."""
    if not verdicts:
        return []
    found = [one for one in verdicts if one.target == target and one.measure in symbols]
    status = worst(one.status for one in found)
    shown = format_status(status)
    if status in ("above", "review") and len({one.copy for one in verdicts}) > 1:
        highest = max(
            (one for one in found if one.status == status), key=lambda one: one.value or 0.0
        )
        shown = f"{shown}, {copy_phrase(highest.copy)}" if highest.copy is not None else shown
    return [shown]


def _flags_sentence(record: Disclosure) -> str | None:
    by_target = flags_view.flags_by_target(record)
    if not by_target:
        return None
    n, counts = sum(map(len, by_target.values())), format_count(len(by_target), "variable")
    each = ", ".join(f"{truncate(target)} {len(some)}" for target, some in by_target.items())
    return f"Flags that may be common knowledge: {n} on {counts} ({each})."


def _words(record: Disclosure) -> Iterator[Sentence]:
    """Every figure of the headline in a sentence."""
    yield from sentences(said.identity(record, record.identity_of(record.headline_copy)).values())
    for row in _headline_rows(record):
        yield from sentences(said.attribute(record, row).values())
        yield from sentences([said.spread_sentence(record, row.target, "DiSCO")])


def _flags(record: Disclosure) -> Iterator[Block]:
    """What may be common knowledge, each with what to type to exclude it."""
    rows = tuple(
        f"{flag.sentence}\n--exclude {shlex.quote(visible(flag.exclusion))}"
        for flag in flags_view.visible_flags(record)
    )
    if rows:
        yield Items(rows, "▲")
    yield from sentences(flags_view.small_cells(record))


def _effects(record: Disclosure) -> TableBlock:
    """What all exclusions together changed."""
    rows = [
        (
            truncate(effect.target or ""),
            *(_count(record, effect.all), percent_or_dash(effect.all)),
            *(_count(record, effect.after), percent_or_dash(effect.after)),
            ratio(effect.R),
        )
        for effect in flags_view.effects(record)
        if effect.all != effect.after
    ]
    of = unit(record)
    heads = ("target", f"before {of}", "before DiSCO", f"after {of}", "after DiSCO", "R")
    return table("Effect of the exclusions", heads, rows)


def _details(record: Disclosure, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """The guesses, and what each exclusion took out."""
    yield from sentences([said.combinations(record)])
    yield from part_blocks(record)
    is_judged = any(verdict.measure in GUESSED for verdict in verdicts)
    rows = [
        (
            truncate(row.target),
            *map(percent_or_dash, (row.DCAP, row.baseCAPd, row.CAPd)),
            "-" if row.protection is None else f"{row.protection:.1f}",
            *(_status(verdicts, row.target, GUESSED) if is_judged else ()),
        )
        for row in _headline_rows(record)
    ]
    heads = ("target", "synthetic DCAP", "baseline baseCAPd", "original CAPd", "Dorig - DiSCO")
    yield table(
        "Random guess among matching records: correct guesses, and protection in points",
        (*heads, "status") if is_judged else heads,
        rows,
        spare=(heads[-1],),
    )
    yield _exclusion_table(record)


def _exclusion_table(record: Disclosure) -> TableBlock:
    """How many people each exclusion took out of the figures of each target."""
    shown = 1 if len(record.n_synthetic) == 1 else "pooled"
    touched = {row.target for row in record.excluded if row.rule and row.original + row.synthetic}
    rows = [
        (
            truncate(row.target),
            "remaining" if row.rule is None else truncate(row.rule),
            *(f"{n:,}" for n in (row.original, row.Dorig, row.iS, row.DiSCO)),
        )
        for row in record.excluded
        if row.copy == shown and row.target in touched
    ]
    return table(
        f"Excluded {unit(record)}{', all copies pooled' if shown == 'pooled' else ''}",
        ("target", "exclusion", "all", "Dorig", "iS", "DiSCO"),
        rows,
        text=("exclusion",),
        spare=("iS", "Dorig", "all"),
    )


def _closing(
    record: Disclosure, verdicts: Sequence[Verdict], assessment: Assessment | None
) -> Iterator[Sentence]:
    """What the limits and the alerts come to; without a limit there is no verdict."""
    shut = [verdict for verdict in verdicts if verdict.status != "within"]
    several = len({verdict.copy for verdict in verdicts}) > 1
    for kind in dict.fromkeys((verdict.measure, verdict.status) for verdict in shut):
        alike = [verdict for verdict in shut if (verdict.measure, verdict.status) == kind]
        highest = max(alike, key=lambda verdict: verdict.value or 0)
        kind_of: Kind = "look" if highest.status == "review" else "stop"
        yield Sentence(_limit_sentence(highest, several), kind_of)
    if verdicts and not shut:
        after = " after exclusions" if record.exclude else ""
        yield Sentence(f"● All figures with a limit are within it{after}.", "lead")
    for text in flags_view.without_exclusions(record, verdicts):
        yield Sentence(f"▲ {text}", "lead")
    if assessment is not None:
        if of_files := _file_alerts(assessment):
            yield Sentence(f"{summary(of_files)} They are at the top.", "lead")
        if not assessment.is_gate:
            yield Sentence(NO_VERDICT, "lead")


def _limit_sentence(highest: Verdict, several: bool) -> str:
    where = f" of {truncate(highest.target)}" if highest.target else ""
    if several:
        where += f" ({copy_phrase(highest.copy)})"
    if highest.value is None:
        return f"■ {highest.measure}{where} could not be measured: its limit counts as exceeded."
    if highest.measure == "adds":
        where += f", {MEANING}"
    if highest.status == "review":
        text = f"▲ {highest.measure}{where}: the upper end of 95 % is above the limit of"
        return f"{text} {highest.limit:g} %."
    return (
        f"■ {highest.measure}{where} is {'at least ' if highest.measure == 'adds' else ''}"
        f"{percent(highest.value)}, above the limit of {highest.limit:g} %."
    )


# For which values are the synthetic data correct, and for which do they only point to one?


VALUE_HEADS = ("value", "shown", "correct", "correct when shown", "wrong", "people with it")
VALUE_NOTE = (
    "All people, before exclusions. Where correct when shown is close to the share of people with"
    " the value, the synthetic data tell no more than its frequency."
)
_UNNAMED = {"missing": "(missing)", "rare": "(values of fewer than ten people)"}


def value_blocks(record: Disclosure, target: str, copy: Copy) -> Iterator[Block]:
    """Each value that is shown of a target: for how many people, and how often correctly."""
    rows = [one for one in record.by_value if (one.target, one.copy) == (target, copy)]
    shown = [one for one in rows if one.n_correct + one.n_wrong]
    shown.sort(key=lambda one: -one.n_correct - one.n_wrong)
    if not shown:
        name = truncate(target)
        text = f"{name} has too many values for a table of them; its sensitive values are counted."
        if rows:
            text = f"The synthetic data point to no single value of {name} for anyone."
        yield Sentence(text, "lead")
        return
    for one in shown[:2]:
        yield Sentence(_value_sentence(record, one), "lead" if one is shown[0] else "plain")
    n = record.n_original
    cells = [
        (
            _value_name(one),
            f"{one.n_correct + one.n_wrong:,}",
            f"{one.n_correct:,}",
            percent(100 * one.n_correct / (one.n_correct + one.n_wrong)),
            f"{one.n_wrong:,}",
            f"{one.n_people:,} ({percent(100 * one.n_people / n)})",
        )
        for one in shown
    ]
    bars = [ShareBar(100 * one.n_correct / n, 100 * one.n_wrong / n) for one in shown]
    shown_table = table(
        f"{truncate(target)}: single values shown, and how often they are correct",
        VALUE_HEADS,
        cells,
        spare=("people with it",),
        main=("correct when shown",),
        footnote=VALUE_NOTE,
        bars=bars,
    )
    yield replace(shown_table, bar_head="correct (filled), wrong (hatched), of all people")


def _value_name(row: ValueRow) -> str:
    return _UNNAMED[row.kind] if row.level is None else truncate(row.level)


def _value_sentence(record: Disclosure, row: ValueRow) -> str:
    shown, n = row.n_correct + row.n_wrong, record.n_original
    return (
        f"For {shown:,} people the synthetic data show {truncate(row.target)} ="
        f" {_value_name(row)}: correctly for {row.n_correct:,}"
        f" ({percent(100 * row.n_correct / shown)}). {row.n_people:,} of {n:,} people"
        f" ({percent(100 * row.n_people / n)}) have it."
    )


def _headline(record: Disclosure) -> str:
    row = record.identity_of(record.headline_copy)
    head = f"Disclosure from {and_list(record.keys)}: repU {percent_or_dash(row.repU)}"
    if record.exclude:
        head = f"{head} (exclusions in force)"
    if not record.targets:
        return head
    highest = record.attribute_of(record.targets[0], record.headline_copy)
    return f"{head}; highest DiSCO {percent_or_dash(highest.DiSCO)} ({truncate(highest.target)})"


@as_text.register
def _(record: Disclosure) -> str:
    return "\n".join([*(f"STOP: {alarm}" for alarm in said.alarms(record)), _headline(record)])


@as_blocks.register
def _(record: Disclosure) -> Iterator[Block]:
    return disclosure_blocks(record)
