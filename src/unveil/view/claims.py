"""Claims about people in sentences and blocks: what is correct, what is expected, what is added."""

from collections.abc import Iterator

from unveil.records.base import Copy
from unveil.records.claims import Claims
from unveil.records.disclosure import MEANING, ClaimGroup, ClaimRow, Disclosure, PartsRow
from unveil.view.blocks import Block, Heading, Sentence, notes, table
from unveil.view.format import and_list, format_rule, people, percent, truncate
from unveil.view.show import as_blocks, as_text

RULES = {
    "single_value": "single value (DiSCO)",
    "near_certain": "near-certain",
    "most_common": "most common value",
    "agreed": "agreed by the files",
    "best_of_copies": "best of copies",
    "some_file": "some file (ceiling)",
    "most_support": "most support",
}
ROW_HEADS = ("target", "rule", "claimed", "correct", "at random", "expected", "adds")
PART_HEADS = (
    *("target", "correct", "excluded", "declared", "marginal", "one key", "two keys", "pattern"),
    *("rest", "rest adds"),
)
PART_NAMES = {
    "declared": "public table",
    "marginal": "marginal distribution",
    "one_key": "one key",
    "two_keys": "two keys",
    "pattern": "pattern of all keys",
}
GROUP_HEADS = ("target", "value", "explained by", "people", "share")
LONGEST = 4
"""Levels of keys that are named before the rest is counted."""


def rule_name(row: ClaimRow) -> str:
    """A rule as people read it."""
    at = "" if row.certainty is None else f" {100 * row.certainty:g} %"
    return f"{RULES[row.rule]}{at}"


def signed(value: float) -> str:
    """A number of people with its sign."""
    return f"{round(value):+,}" if round(value) else "0"


def points(value: float) -> str:
    """A difference in percentage points, with its sign; never -0.0."""
    shown = f"{value:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def claim_sentence(row: ClaimRow) -> str:
    """What a single value comes to, and how much of it is added."""
    ends = f"{round(row.low):,} to {round(row.high):,}"
    added = f"{round(row.adds):,} ({ends}): {MEANING}"
    if row.low <= 0:
        added = f"nothing measurable ({signed(row.adds)}, interval {ends})"
    return (
        f"The synthetic data point to the correct value of {truncate(row.target)} for"
        f" {round(row.correct):,} of {row.n:,} people ({percent(row.percent('correct'))}). Other"
        f" people's records would give about {round(row.expected):,} of these. The synthetic data"
        f" add {added}."
    )


def sentences(record: Claims) -> Iterator[str]:
    """Target by target, those to which most is added first."""
    rows = _headline_rows(record)
    for row in rows:
        yield claim_sentence(row)
    for part in record.parts:
        if part.copy == record.headline_copy and part.own_record is not None:
            yield (
                f"{truncate(part.target)}: of {part.rest:,} correct values that nothing explains,"
                f" about {round(part.population_inference or 0):,} would be correct about other"
                f" people, too; {round(part.own_record):,} ({round(part.own_record_low or 0):,} to"
                f" {round(part.own_record_high or 0):,}) are by the own record."
            )
    yield (
        "A value that the pattern itself teaches is still disclosed; whether it may be is your"
        " ruling. Expected is what other people's records teach, not what is common knowledge."
    )


def _headline_rows(record: Claims) -> list[ClaimRow]:
    copy: Copy = "mean" if len(record.n_synthetic) > 1 else 1
    rows = [record.row_of(target, copy) for target in record.targets]
    return sorted(rows, key=lambda row: -row.adds)


def claim_cells(row: ClaimRow) -> tuple[str, ...]:
    """One rule under ROW_HEADS, in percent of people."""
    copy = "" if row.copy == 1 else f", {'all files' if row.copy == 'pooled' else row.copy}"
    figures = [percent(row.percent(one)) for one in ("claimed", "correct", "at_random", "expected")]
    return (
        truncate(row.target),
        f"{rule_name(row)}{copy}",
        *figures,
        f"{points(row.percent('adds'))} ± {row.percent('high') - row.percent('adds'):.1f}",
    )


def part_cells(row: PartsRow) -> tuple[str, ...]:
    """The parts of one target under PART_HEADS, in people."""
    counts = (
        *(row.correct, row.excluded, row.declared, row.marginal, row.one_key, row.two_keys),
        *(row.pattern, row.rest),
    )
    half = (row.rest_high - row.rest_low) / 2
    adds = f"{signed(row.rest_adds)} ± {round(half):,}"
    return truncate(row.target), *(f"{n:,}" for n in counts), adds


def group_cells(row: ClaimGroup) -> tuple[str, ...]:
    """One thing to rule on under GROUP_HEADS."""
    by = PART_NAMES.get(row.part, row.part)
    if row.keys:
        levels = [
            ", ".join("missing" if one is None else one for one in at) for at in row.key_levels
        ]
        more = f" and {len(levels) - LONGEST} more" if len(levels) > LONGEST else ""
        shown = "; ".join(truncate(one) for one in levels[:LONGEST])
        by = f"{and_list(row.keys)}: {shown}{more}"
    level = "missing" if row.level is None else truncate(row.level)
    return truncate(row.target), level, by, f"{row.n:,}", percent(row.percent)


ADDED_HEADS = ("expected percent", "adds points")
FOOTNOTE = f"adds: correct beyond expected ({MEANING}; only a control sample tells which)."


def added_cells(record: Disclosure) -> dict[str, tuple[str, ...]]:
    """What other people's records would give of each target's DiSCO, and what is added."""
    rows = [record.find_claim(target, record.headline_copy) for target in record.targets]
    return {row.target: claim_cells(row)[-2:] for row in rows if row is not None}


def part_blocks(record: Claims | Disclosure) -> Iterator[Block]:
    """What explains the correct single values, and what is to be ruled on; if it was computed."""
    copies = [row.copy for row in record.parts]
    if not copies:
        return
    pooled = " of all files pooled" if copies[-1] == "pooled" else ""
    yield table(
        f"What explains the correct single values{pooled}, in people",
        PART_HEADS,
        [part_cells(row) for row in record.parts if row.copy == copies[-1]],
        spare=("excluded", "declared"),
        footnote=f"rest adds: {MEANING}.",
    )
    yield table(
        "To be ruled on: common knowledge or not",
        GROUP_HEADS,
        [group_cells(row) for row in record.groups if row.copy == copies[-1]],
        text=("value", "explained by"),
    )


@as_text.register
def _(record: Claims) -> str:
    added = [row.target for row in _headline_rows(record) if row.low > 0]
    what = (
        f"the synthetic data add to {and_list(added)}" if added else "nothing measurable is added"
    )
    return f"Claims about {and_list(record.targets)} from {and_list(record.keys)}: {what}"


@as_blocks.register
def _(record: Claims) -> Iterator[Block]:
    yield Heading("What the synthetic data add")
    knows = f"An intruder knows {and_list(record.keys)} and trusts the synthetic data"
    yield Sentence(f"{people(record.n_original)} in the original. {knows}.", "lead")
    for text in sentences(record):
        yield Sentence(text)
    headline = (record.headline_copy, "mean")
    rows = [row for row in record.rows if row.copy in headline]
    yield table(
        "Claims, in percent of people",
        ROW_HEADS,
        map(claim_cells, rows),
        text=("rule",),
        spare=("at random", "claimed"),
        main=("adds",),
        footnote=FOOTNOTE,
    )
    yield from part_blocks(record)
    if record.exclude:
        yield Sentence(f"Excluded: {', '.join(map(format_rule, record.exclude))}.", "dim")
    yield from notes(record.coercions)
