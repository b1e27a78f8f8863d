"""Flags, exclusions and excess in sentences a custodian can repeat.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from unveil.records.disclosure import (
    Disclosure,
    Excess,
    ExcessRow,
    ExclusionTable,
    ExclusionTableRow,
    Flag,
)
from unveil.records.exclusions import Effect
from unveil.records.limits import Verdict
from unveil.view.format import (
    MISSING,
    and_list,
    format_count,
    format_rule,
    n_of,
    percent,
    percent_or_dash,
    ratio,
    truncate,
)

TEMPLATES = {
    "one_way": (
        "{s} of the findings about {target} ({n} of {total}) are {target} = {level}, which {f} of"
        " {people} have. Would anyone guess it? If so, leave it out."
    ),
    "two_way": (
        "{n} of the findings about {target} {come} from {key} = {key_level}, where {a} of {b}"
        " people ({p}) have {target} = {level}. Known to everybody? If so, leave it out."
    ),
    "segment": "Within {by} = {segment}: ",
    "exclusions": "Left out as no real risk: {rules}.",
    "effect": (
        "Without what is left out, {measure} of {target} falls from {all} ({k} of {N}) to {after}"
        " ({l})."
    ),
    "held by exclusions": (
        "Within its limit by what is left out alone: with everything counted, {measure}{of} is"
        " {value}, above the limit of {limit} %."
    ),
    "no effect": "What is left out does not change {measure} of {target}.",
    "excess": (
        "{a} of the people whose records were used {are_found}, and {b} of the others. Of those"
        " for whom general knowledge would not do it, {R} {are_found} because their own record was"
        " used."
    ),
    "chance": "A difference this small may be chance.",
    "no excess": (
        "{a} of the people whose records were used {are_found}, and {b} of the others: nobody"
        " because their own record was used."
    ),
    "excess after": ("Without what is left out ({rules}) it is {a} and {b}."),
    "excess sizes": (
        "{train} in the train data, {control} in the control data, {copies}. We assume an intruder"
        " who knows {keys} of a person."
    ),
    "table": (
        "Percent of people whose target could be learnt: {original} with the original data,"
        " {synthetic} with the copy."
    ),
    "table DCAP": (
        "Percent of people whose target would be guessed rightly: {original} with the original"
        " data, {synthetic} with the copy."
    ),
    "table mean": "Figures of the copy are means over {m} copies.",
}

ARE_FOUND = {
    "iS": "are found in the copy",
    "DiS": "are shown with one single value",
    "DiSCO": "are given away",
    "DiSDiO": "are given away for certain",
    "DCAP": "are guessed rightly",
    "TCAP": "are given away, if they are found",
}

MOST_FLAGS = 3
"""How many flags of one target are told where people look; all of them are in the record."""


def level(text: str | None, label: str | None = None) -> str:
    """A level as it is shown; the missing level has no text of its own."""
    return MISSING if text is None else truncate(label or text)


def flag_sentence(flag: Flag) -> str:
    """A flag in words."""
    where = ""
    if flag.by is not None:
        where = TEMPLATES["segment"].format(
            by=truncate(flag.by), segment=level(flag.segment, flag.segment_label)
        )
    if flag.kind == "one_way":
        return where + TEMPLATES["one_way"].format(
            s=percent(flag.percent),
            target=truncate(flag.target),
            level=level(flag.level, flag.level_label),
            n=f"{flag.n:,}",
            total=f"{flag.n_disclosive:,}",
            f=percent(flag.percent_all or 0.0),
            people=f"all people counted ({flag.n_level:,} of {flag.n_all:,})",
        )
    return where + TEMPLATES["two_way"].format(
        n=f"{flag.n:,}",
        come="comes" if flag.n == 1 else "come",
        target=truncate(flag.target),
        key=truncate(flag.key or ""),
        key_level=level(flag.key_level, flag.key_level_label),
        level=level(flag.level, flag.level_label),
        p=percent(flag.percent),
        a=f"{flag.n_level:,}",
        b=f"{flag.n_all:,}",
    )


def visible_flags(record: Disclosure) -> list[Flag]:
    """Each finding once: of several copies the one in which it has the most records."""
    found: dict[tuple[str | None, ...], Flag] = {}
    for flag in record.flags:
        if flag.copy == "pooled":
            continue
        about = (flag.target, flag.kind, flag.level, flag.key, flag.key_level, flag.segment)
        if about not in found or flag.n > found[about].n:
            found[about] = flag
    # One-way flags say more about a target than any of its pairs, so they come first.
    order = {target: place for place, target in enumerate(record.targets)}
    return sorted(found.values(), key=lambda f: (order[f.target], f.kind, -f.n))


def group_flags(record: Disclosure) -> Iterator[tuple[str, list[Flag], int]]:
    """For each target that has any: its name, the flags to tell, and how many more there are."""
    flags = visible_flags(record)
    for target in dict.fromkeys(flag.target for flag in flags):
        of_target = [flag for flag in flags if flag.target == target]
        yield target, of_target[:MOST_FLAGS], max(0, len(of_target) - MOST_FLAGS)


def short_flags(flags: Iterable[Flag]) -> str:
    """The flags of one target in a few letters, for a table."""
    one_way = [flag for flag in flags if flag.kind == "one_way"]
    n_pairs = sum(flag.kind == "two_way" for flag in flags)
    parts = []
    if one_way:
        named = (
            level(one_way[0].level, one_way[0].level_label)
            if len(one_way) == 1
            else f"{len(one_way)}"
        )
        parts.append(f"1-way: {named}")
    if n_pairs:
        parts.append(f"2-way: {n_pairs}")
    return "  ".join(parts)


def exclusions(record: Disclosure, *, most: int | None = None) -> str | None:
    """What is left out, the first rules of very many; None where nothing is."""
    if not record.exclude:
        return None
    shown = record.exclude[:most]
    more = len(record.exclude) - len(shown)
    rules = "; ".join(truncate(text) for text in shown)
    return TEMPLATES["exclusions"].format(rules=f"{rules} and {more:,} more" if more else rules)


def effects(record: Disclosure, measure: str = "DiSCO") -> list[Effect]:
    """What the exclusions did to one measure of each target, in the figures of the headline."""
    return [
        effect
        for effect in record.effects
        if effect.measure == measure
        and effect.copy == record.headline_copy
        and effect.target is not None
    ]


def without_exclusions(record: Disclosure, verdicts: Sequence[Verdict]) -> list[str]:
    """For each limit that holds by exclusions alone, the worst figure without them."""
    before = {(e.target, e.copy, e.measure): e.all for e in record.effects}
    worst: dict[str, tuple[float, Verdict]] = {}
    for verdict in verdicts:
        value = before.get((verdict.target, verdict.copy, verdict.measure))
        held = verdict.status == "within" and value is not None and value > verdict.limit
        if held and value is not None and value > worst.get(verdict.measure, (0.0, verdict))[0]:
            worst[verdict.measure] = (value, verdict)
    return [
        TEMPLATES["held by exclusions"].format(
            measure=measure,
            of=f" of {truncate(verdict.target)}" if verdict.target else "",
            value=percent(value),
            limit=f"{verdict.limit:g}",
        )
        for measure, (value, verdict) in worst.items()
    ]


def effect_sentence(record: Disclosure, effect: Effect) -> str:
    """What the exclusions did to one figure."""
    target = truncate(effect.target or "")
    if effect.all is None or effect.after is None or effect.all == effect.after:
        return TEMPLATES["no effect"].format(measure=effect.measure, target=target)
    return TEMPLATES["effect"].format(
        measure=effect.measure,
        target=target,
        all=percent(effect.all),
        k=n_of(effect.all, record.n_original),
        N=f"{record.n_original:,}",
        after=percent(effect.after),
        l=n_of(effect.after, record.n_original),
    )


def excess_sizes(record: Excess) -> str:
    """How much data there is, and what is assumed of the intruder."""
    m = len(record.n_synthetic)
    copies = format_count(record.n_synthetic[0], "record") + " in the copy"
    if m > 1:
        copies = f"{m} copies of {and_list(f'{n:,}' for n in record.n_synthetic)} records"
    return TEMPLATES["excess sizes"].format(
        train=format_count(record.n_train, "person", "people"),
        control=format_count(record.n_control, "person", "people"),
        copies=copies,
        keys=and_list(record.keys),
    )


def headline_excess(record: Excess) -> list[ExcessRow]:
    """The rows that stand for all copies."""
    return [row for row in record.rows if row.copy == record.headline_copy]


EXCESS_HEADS = (
    *("train", "control", "R"),
    *("train after", "control after", "R after", "R of what is left out"),
)


def excess_cells(record: Excess, row: ExcessRow) -> list[str]:
    """The figures of one row as they are shown, under EXCESS_HEADS; the last four if they exist."""
    cells = [percent_or_dash(row.train), percent_or_dash(row.control), ratio(row.R)]
    if not record.exclude:
        return cells
    after = [percent_or_dash(row.train_after), percent_or_dash(row.control_after)]
    return [*cells, *after, ratio(row.R_after), ratio(row.R_exclusion)]


def excess_sentence(record: Excess, row: ExcessRow) -> str:
    """One row of the comparison in words."""
    if row.train is None or row.control is None or row.R is None:
        return "Not measurable."
    said = TEMPLATES["excess" if row.R > 0 else "no excess"].format(
        a=percent(row.train),
        b=percent(row.control),
        are_found=ARE_FOUND[row.measure],
        R=percent(100 * row.R),
    )
    # TCAP is a share of those found, whose number is not told here.
    if row.measure != "TCAP" and _may_be_chance(record, row.train, row.control):
        said = f"{said} {TEMPLATES['chance']}"
    if row.train_after is None or row.control_after is None or not row.R_exclusion:
        return said
    after = TEMPLATES["excess after"].format(
        rules="; ".join(truncate(format_rule(text)) for text in record.exclude),
        a=percent(row.train_after),
        b=percent(row.control_after),
    )
    return f"{said} {after}"


def _may_be_chance(record: Excess, train: float, control: float) -> bool:
    """Whether two shares differ by less than twice the standard error of their difference."""
    n_train, n_control = record.n_train, record.n_control
    p = (train * n_train + control * n_control) / (100 * (n_train + n_control))
    error = 100 * math.sqrt(p * (1 - p) * (1 / n_train + 1 / n_control))
    return 0 < abs(train - control) < 2 * error


def table_sentences(record: ExclusionTable) -> list[str]:
    """What the figures of the table are."""
    kind = "table DCAP" if record.measure == "DCAP" else "table"
    said = [
        TEMPLATES[kind].format(original=record.measure_original, synthetic=record.measure),
    ]
    if len(record.n_synthetic) > 1:
        said.append(TEMPLATES["table mean"].format(m=len(record.n_synthetic)))
    return said


def cells_of(record: ExclusionTable, target: str) -> Sequence[ExclusionTableRow]:
    """The cells of one target, from column to column."""
    return [row for row in record.rows if row.target == target]
