"""Which findings may be common knowledge, who ruled what on them, and what would it change?"""

from collections.abc import Iterator, Sequence

from unveil.records.disclosure import Disclosure, ExclusionTable, ExclusionTableRow
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import FlagRuling, RulingState
from unveil.records.report import ExclusionText, Parts, ReportContents
from unveil.records.run import Kind
from unveil.view.charts.dots import exclusion_grid_chart
from unveil.view.charts.marks import MOST_ROWS
from unveil.view.flags import cells_of
from unveil.view.format import format_count, format_rule, percent, rounded_percent, truncate
from unveil.view.html_page import figure, render_details
from unveil.view.html_pieces import text_table, when
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import render_by_scenario, render_subheading, scenarios_of
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure

KINDS: tuple[Kind, ...] = ("disclosure", "exclusion_table")
STATES: dict[RulingState, str] = {
    "open": "○ open: to be ruled on",
    "keep": "■ kept as a risk",
    "common knowledge": "● common knowledge, left out",
    "not needed": "no ruling needed",
}
"""How each finding was ruled, the open ones first."""
HEADS = ("finding", "what was found", "ruling", "why", "by")
COLUMN_HEADS = ("column", "what is left out")
CAPTION = (
    "One panel for each set of exclusions. Blue square: the copy. Grey ring: the original. The"
    " number is the copy's, in percent of the people in your data."
)
LEFT_OUT = "ruled on an earlier run; this run leaves it out, so that its checks do not find it"
FIRST, MOST = 10, 200


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Findings with their rulings, then the grid of exclusions; None where none was asked for."""
    if not scenarios_of(contents, KINDS):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("disclosure", scenario):
            yield from _findings(contents, part, record)
        for part, table in parts.about("exclusion_table", scenario):
            records = [record for _, record in parts.about("disclosure", scenario)]
            yield from _grid(contents, part, table, excluded_already(records))

    n_open = sum(one.state == "open" for one in contents.judgement.findings)
    return Section(
        "checks",
        "What may be common knowledge",
        render_by_scenario(contents, "checks", KINDS, render_scenario),
        f"{n_open:,} open" if n_open else "",
    )


def excluded_already(records: Sequence[Disclosure]) -> set[str]:
    """What a run leaves out already, the missing level of each target in its own words too."""
    rules = {rule for record in records for rule in record.exclude}
    if "missing-targets" in rules:
        targets = (target for record in records for target in record.targets)
        rules |= {Exclusion(rule="level", target=target).text for target in targets}
    return rules


def findings_of(contents: ReportContents, scenario: str | None) -> list[FlagRuling]:
    """The findings of one scenario: the open ones first, then those with most people."""
    order = list(STATES)
    found = [one for one in contents.judgement.findings if one.scenario == scenario]
    return sorted(found, key=lambda one: (order.index(one.state), one.kind, -one.n, one.id))


def _findings(contents: ReportContents, part: str, record: Disclosure) -> Iterator[str]:
    scenario = contents.run.part(part).scenario
    found, settled = findings_of(contents, scenario), accepted_rulings(contents, scenario)
    if not found and not settled:
        yield none_found(part, record).html("lead")
        return
    yield summary(part, found, settled).html("lead")
    rows = [ruling_cells(one) for one in settled] + [finding_cells(one) for one in found[:MOST]]
    yield _table("Findings of the checks", rows[:FIRST])
    rest = _table("The other findings", rows[FIRST:])
    yield render_details(f"{format_count(len(rows) - FIRST, 'more finding')}", rest)
    if len(found) > MOST:
        yield fill_sentence(
            "checks.more", part, n=format_count(len(found) - MOST, "finding")
        ).html()


def accepted_rulings(contents: ReportContents, scenario: str | None) -> list[ExclusionText]:
    """Rulings that this run left out already, so that its checks find them no more."""
    found = {one.exclusion for one in findings_of(contents, scenario)}
    return [
        one
        for one in contents.exclusions
        if one.from_ruling and one.in_run and one.scenario == scenario and one.rule not in found
    ]


def summary(part: str, found: Sequence[FlagRuling], settled: Sequence[ExclusionText]) -> Phrase:
    """How many findings there are, and how many of them were ruled how."""
    n = {state: sum(one.state == state for one in found) for state in STATES}
    n_common = n["common knowledge"] + len(settled)
    not_needed = n["not needed"]
    need = "needs" if not_needed == 1 else "need"
    return fill_sentence(
        "checks.summary settled" if not_needed else "checks.summary",
        part,
        n=format_count(len(found) + len(settled), "finding"),
        open=_are(n["open"]),
        common=_are(n_common),
        kept=_are(n["keep"]),
        **({"settled": f"{not_needed:,} {need}"} if not_needed else {}),
    )


def _are(n: int) -> str:
    return {0: "none is", 1: "1 is"}.get(n, f"{n:,} are")


def _table(caption: str, rows: Sequence[tuple[str, ...]]) -> str:
    return text_table(caption, HEADS, rows, kinds=("text", "text", "text", "text", "text"))


def none_found(part: str, record: Disclosure) -> Phrase:
    """That no check raised anything, and from where on it would have."""
    (n_one, p_one), (n_two, p_two) = record.checks.one_way, record.checks.two_way
    return fill_sentence(
        "checks.none",
        part,
        n1=f"{n_one:g}",
        p1=f"{p_one:g} %",
        n2=f"{n_two:g}",
        p2=f"{p_two:g} %",
    )


def finding_cells(one: FlagRuling) -> tuple[str, ...]:
    """One finding under HEADS; what nobody has said is a dash."""
    by = ", ".join(word for word in (one.by, when(one.on) if one.on else None) if word)
    rule = format_rule(one.exclusion)
    return rule, one.sentence, STATES[one.state], one.reason or "-", by or "-"


def ruling_cells(one: ExclusionText) -> tuple[str, ...]:
    """A ruling under HEADS whose finding this run does not show any more."""
    by = ", ".join(word for word in (one.by, when(one.on) if one.on else None) if word)
    return format_rule(one.rule), LEFT_OUT, STATES["common knowledge"], one.reason, by or "-"


def _grid(
    contents: ReportContents, part: str, record: ExclusionTable, ruled: set[str]
) -> Iterator[str]:
    if not record.targets:
        return
    yield render_subheading(contents, KINDS, "What would be left")
    heads = ("target", *(column.title for column in record.columns))
    for place in range(0, len(record.targets), MOST_ROWS):
        some = record.targets[place : place + MOST_ROWS]
        chart = exclusion_grid_chart(record, some)
        rows = [grid_cells(record, target) for target in some]
        if place:
            yield figure("", chart.svg(), caption=CAPTION, heads=heads, rows=rows)
        else:
            told = acceptance_sentence(part, record, ruled)
            yield render_figure(told, chart, caption=CAPTION, heads=heads, rows=rows)
    columns = [
        (one.title, "; ".join(map(format_rule, one.exclude)) or "nothing") for one in record.columns
    ]
    yield render_details(
        "What each column leaves out", text_table("Columns", COLUMN_HEADS, columns)
    )


def grid_cells(record: ExclusionTable, target: str) -> tuple[str, ...]:
    """One target under every set of exclusions, as copy (original)."""
    return (
        truncate(target),
        *(
            f"{rounded_percent(cell.synthetic)} ({rounded_percent(cell.original)})"
            for cell in cells_of(record, target)
        ),
    )


def acceptance_sentence(part: str, record: ExclusionTable, ruled: set[str]) -> Phrase:
    """What accepting common knowledge would change most: answers first, then missing values.

    What this run leaves out already is told only where nothing else is to be accepted.
    """
    measure = record.measure
    left = [one for one in record.targets if not ruled.issuperset(_rules(record, 1, one))]
    order: tuple[tuple[int, str, Sequence[str]], ...] = (
        (1, "accept", left),
        (1, "accepted", record.targets),
        (2, "grid missing", record.targets),
    )
    for column, key, targets in order:
        before, after = _fall(record, column, targets)
        if before is None or after is None:
            continue
        fields = {
            "measure": measure,
            "target": truncate(before.target),
            "p": percent(before.synthetic or 0.0),
            "q": percent(after.synthetic or 0.0),
        }
        of = f"{part}|{before.target}|{column}"
        if column == 2:
            return fill_sentence(f"checks.{key}", of, **fields)
        rules = _rules(record, column, before.target)
        kind = f"checks.{key}" if len(rules) == 1 else f"checks.{key} several"
        shown = "; ".join(truncate(format_rule(rule)) for rule in rules)
        return fill_sentence(kind, of, rules=shown, **fields)
    return fill_sentence("checks.grid same", part)


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
    """What a column leaves out about one target; all of it where that cannot be told."""
    rules = next(one.exclude for one in record.columns if one.column == column)
    own = tuple(rule for rule in rules if rule.startswith((f"{target}=", f'"{target}"=')))
    return own or rules
