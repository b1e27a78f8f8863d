"""Annex B: which disclosures may be common knowledge, and who ruled what on them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from unveil.records.disclosure import Disclosure, ExclusionTable, ExclusionTableRow
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import FlagRuling, RulingState
from unveil.records.report import ExclusionText, Parts, ReportContents
from unveil.records.run import Kind
from unveil.view.blocks import Block, Figure, Sentence, table
from unveil.view.charts.dots import exclusion_grid_chart
from unveil.view.charts.marks import MOST_ROWS
from unveil.view.flags import cells_of
from unveil.view.format import agree, format_count, format_rule, percent, rounded_percent, truncate
from unveil.view.sections.shared import (
    are,
    by_scenario,
    fold,
    format_time,
    scenarios_of,
    unmeasured,
)

KINDS: tuple[Kind, ...] = ("disclosure", "exclusion_table")
STATES: dict[RulingState, str] = {
    "open": "○ outstanding",
    "keep": "■ residual risk",
    "common knowledge": "● common knowledge, excluded",
    "not needed": "no ruling needed",
}
"""How each flag was ruled, the open ones first."""
HEADS = ("variable and value", "flags", "why flagged", "ruling")
FLAG_HEADS = ("exclusion", "flag", "ruling", "reason", "by")
CAPTION = (
    "One panel for each set of exclusions. Blue square: synthetic data. Grey ring: original. The"
    " number is for the synthetic data, in percent of the people in the original."
)
RULED = "ruled on an earlier run; this run excludes it, so the flag no longer arises"
MOST = 200
_VALUE = re.compile(r'(?:"(?:[^"]|"")*"|[^"@])*')


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Flags by target and value with their rulings; what exclusions would change unfolds."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("disclosure", scenario):
            yield from _flags(contents, part, record)
        for part, grid in parts.about("exclusion_table", scenario):
            records = [record for _, record in parts.about("disclosure", scenario)]
            texts = (
                one.rule
                for one in contents.exclusions  # as the grid has them: labels are beside codes
                if one.in_run and one.scenario in (None, scenario)
            )
            yield from _grid(part, grid, excluded_already(records).union(texts))

    overview = _overview(contents)
    yield from by_scenario(contents, parts, "", KINDS, draw, overview=overview, has_reasons=False)
    yield from unmeasured(contents, ["exclusion_table"])


def excluded_already(records: Sequence[Disclosure]) -> set[str]:
    """What a run excludes, the missing level of each target in its own words too."""
    rules = {rule for record in records for rule in record.exclude}
    if "missing-targets" in rules:
        targets = (target for record in records for target in record.targets)
        rules |= {Exclusion(rule="level", target=target).text for target in targets}
    return rules


def flags_of(contents: ReportContents, scenario: str | None) -> list[FlagRuling]:
    """The flags of one scenario: the open ones first, then those with most people."""
    order = list(STATES)
    found = [one for one in contents.judgement.findings if one.scenario == scenario]
    return sorted(found, key=lambda one: (order.index(one.state), one.kind, -one.n, one.id))


def cleared_rulings(contents: ReportContents, scenario: str | None) -> list[ExclusionText]:
    """Rulings that this run follows already, so that their flags no longer arise."""
    found = {one.exclusion for one in flags_of(contents, scenario)}
    return [
        one
        for one in contents.exclusions
        if one.from_ruling and one.in_run and one.scenario == scenario and one.rule not in found
    ]


def _flags(contents: ReportContents, part: str, record: Disclosure) -> Iterator[Block]:
    scenario = contents.run.part(part).scenario
    found, settled = flags_of(contents, scenario), cleared_rulings(contents, scenario)
    if not found and not settled:
        yield _no_flag_sentence(part, record)
        return
    yield summarise_flags(part, found, settled)
    every = [_flag_cells(one) for one in found[:MOST]]
    note = f"... and {len(found) - MOST:,} more in results.json" if len(found) > MOST else ""
    each = table("", FLAG_HEADS, every, text=FLAG_HEADS, footnote=note)
    yield from fold(f"Every flag ({len(found):,})", [each] if found else [])


def _overview(contents: ReportContents) -> Iterator[Block]:
    """The flags of all scenarios by target and value, the open ones first."""
    groups: dict[tuple[str, str], list[FlagRuling]] = {}
    settled: dict[str, ExclusionText] = {}
    for scenario in scenarios_of(contents, ["disclosure"]):
        for one in flags_of(contents, scenario):
            groups.setdefault((one.target, value_of(one.exclusion)), []).append(one)
        for ruled in cleared_rulings(contents, scenario):
            settled.setdefault(ruled.rule, ruled)
    rows = [_group(value, some) for (_, value), some in groups.items()]
    rows += [
        (format_rule(rule), "-", RULED, _ruling("common knowledge", one))
        for rule, one in settled.items()
    ]
    if rows:
        yield table("", HEADS, rows, text=HEADS[2:])


def value_of(exclusion: str) -> str:
    """The variable and value of a flag: a two-way flag without its level of a key."""
    matched = _VALUE.match(exclusion)
    return matched[0] if matched else exclusion


def _group(value: str, flags: Sequence[FlagRuling]) -> tuple[str, ...]:
    """The flags of one target and value in a row."""
    one_way = [one for one in flags if one.kind == "one_way"]
    pairs = [one for one in flags if one.kind == "two_way"]
    first = max(one_way or pairs, key=lambda one: one.n)
    why = [first.sentence.rpartition(" If ")[0] or first.sentence]
    if len(flags) > 1:
        scenarios = Counter(truncate(one.scenario) for one in flags)
        named = ", ".join(f"{name} {n:,}" for name, n in scenarios.items())
        by = f"; by scenario: {named}" if len(scenarios) > 1 else ""
        why.append(f"({len(one_way):,} one-way, {len(pairs):,} two-way{by})")
    states = {one.state: one for one in reversed(flags)}
    ruled = [
        _ruling(state, states[state], sum(one.state == state for one in flags), len(flags))
        for state in STATES
        if state in states
    ]
    named = format_rule(value).replace("=", " = ", 1)  # where a narrow column may break it
    return named, f"{len(flags):,}", " ".join(why), "; ".join(ruled)


def _ruling(state: RulingState, one: FlagRuling | ExclusionText, n: int = 1, of: int = 1) -> str:
    """How flags were ruled, by whom and why."""
    said = f'"{one.reason}"' if one.reason else ""
    who = ", ".join(word for word in (said, one.by, format_time(one.on) if one.on else "") if word)
    count = f" ({n:,} of {of:,})" if n < of else ""
    return f"{STATES[state]}{count}" + (f": {who}" if who else "")


def summarise_flags(
    part: str, found: Sequence[FlagRuling], settled: Sequence[ExclusionText]
) -> Sentence:
    """How many flags there are, and how they were ruled."""
    n = {state: sum(one.state == state for one in found) for state in STATES}
    n_pairs = len({(one.target, value_of(one.exclusion)) for one in found})
    n_open, n_common = n["open"], n["common knowledge"]
    on = f" on {format_count(n_pairs, 'value')}" if found else ""
    not_needed = f"; {are(n['not needed'])} without need of a ruling" if n["not needed"] else ""
    text = (
        f"{format_count(len(found), 'flag')}{on} may be common knowledge:"
        f" {are(n_open)} outstanding, {are(n_common)} excluded as common knowledge and"
        f" {are(n['keep'])} kept as residual risk{not_needed}."
    )
    if settled:
        n_settled = format_count(len(settled), "earlier ruling")
        text += f" {n_settled} {agree(len(settled), 'excludes', 'exclude')} more from this run."
    return Sentence(text, "lead", "checks.summary", part)


def _no_flag_sentence(part: str, record: Disclosure) -> Sentence:
    """That no check raised a flag, and from where on it would have."""
    (n_one, p_one), (n_two, p_two) = record.checks.one_way, record.checks.two_way
    text = (
        f"No flags: no value of a target makes up more than {n_one:g} correct disclosures and"
        f" {p_one:g} % of all, and no level of a key more than {n_two:g} where more than {p_two:g}"
        " % of its people share the value."
    )
    return Sentence(text, "lead", "checks.none", part)


def _flag_cells(one: FlagRuling) -> tuple[str, ...]:
    """One flag under FLAG_HEADS; what is not recorded is a dash."""
    by = ", ".join(word for word in (one.by, format_time(one.on) if one.on else None) if word)
    rule = format_rule(one.exclusion)
    return rule, one.sentence, STATES[one.state], one.reason or "-", by or "-"


def _grid(part: str, record: ExclusionTable, ruled: set[str]) -> Iterator[Block]:
    if not record.targets:
        return
    yield exclusion_sentence(part, record, ruled)
    heads = ("target", *(column.title for column in record.columns))
    drawn: list[Block] = []
    for place in range(0, len(record.targets), MOST_ROWS):
        some = record.targets[place : place + MOST_ROWS]
        rows = [grid_cells(record, target) for target in some]
        chart = exclusion_grid_chart(record, some)
        drawn.append(Figure(Sentence(""), chart, CAPTION, table("", heads, rows)))
    columns = [
        (one.title, "; ".join(map(format_rule, one.exclude)) or "nothing") for one in record.columns
    ]
    drawn.append(table("", ("column", "excludes"), columns, text=["excludes"]))
    yield from fold("What would remain after exclusions", drawn)


def grid_cells(record: ExclusionTable, target: str) -> tuple[str, ...]:
    """One target under every set of exclusions, as synthetic (original)."""
    found = (
        f"{rounded_percent(cell.synthetic)} ({rounded_percent(cell.original)})"
        for cell in cells_of(record, target)
    )
    return truncate(target), *found


def exclusion_sentence(part: str, record: ExclusionTable, ruled: set[str]) -> Sentence:
    """What excluding common knowledge would change most: values first, then missing values.

    What this run excludes already comes only where nothing else is to be excluded.
    """
    left = [one for one in record.targets if not ruled.issuperset(_rules(record, 1, one))]
    order: tuple[tuple[int, str, str, Sequence[str]], ...] = (
        (1, "accept", "Excluding {rules} as common knowledge would lower", left),
        (
            1,
            "accepted",
            "Excluding {rules} as common knowledge, as this run does, lowers",
            record.targets,
        ),
        (2, "grid missing", "Excluding missing values too would lower", record.targets),
    )
    for column, key, words, targets in order:
        before, after = _fall(record, column, targets)
        if before is None or after is None:
            continue
        rules = "; ".join(
            truncate(format_rule(rule)) for rule in _rules(record, column, before.target)
        )
        text = (
            f"{words.replace('{rules}', rules)} {record.measure} of {truncate(before.target)} from"
            f" {percent(before.synthetic or 0.0)} to {percent(after.synthetic or 0.0)}."
        )
        return Sentence(text, key=f"checks.{key}", of=f"{part}|{before.target}|{column}")
    text = "Excluding common values and missing values changes no figure."
    return Sentence(text, key="checks.grid same", of=part)


def _fall(
    record: ExclusionTable, column: int, targets: Sequence[str]
) -> tuple[ExclusionTableRow | None, ExclusionTableRow | None]:
    """The target that falls most from the first column to this one."""
    pairs = []
    for target in targets:
        cells = {cell.column: cell for cell in cells_of(record, target)}
        first, then = cells.get(0), cells.get(column)
        if first is None or then is None or first.synthetic is None or then.synthetic is None:
            continue
        if first.synthetic > then.synthetic:
            pairs.append((first.synthetic - then.synthetic, first, then))
    if not pairs:
        return None, None
    _, first, then = max(pairs, key=lambda pair: pair[0])
    return first, then


def _rules(record: ExclusionTable, column: int, target: str) -> tuple[str, ...]:
    """What a column excludes about one target; all of it where that cannot be told."""
    rules = next(one.exclude for one in record.columns if one.column == column)
    own = tuple(rule for rule in rules if rule.startswith((f"{target}=", f'"{target}"=')))
    return own or rules
