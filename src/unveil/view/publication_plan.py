"""What the tables of a publication plan disclose together, in sentences and blocks."""

from collections.abc import Callable, Iterator

from unveil.records.publication_plan import (
    PlanBox,
    PlanTable,
    PlanTables,
    PlanVerdict,
    PublicationPlan,
)
from unveil.view.blocks import Block, Heading, Kind, Sentence, list_rows, sentences
from unveil.view.format import agree, and_list, format_count, people, truncate
from unveil.view.show import as_blocks, as_text

CONFIDENTIAL = "Confidential: a list of recovered counts is the disclosure itself."
WHAT = {"recovered": "recovered exactly", "near": "nearly recovered"}
MARKS = {"above": "■ above limit", "within": "● within", "not settled": "■ not settled"}
SETS: dict[str, Callable[[PlanTables], str]] = {
    "tables": lambda one: " + ".join(map(truncate, one.tables)),
    "recovered": lambda one: f"{one.n_recovered:,}",
    "nearly": lambda one: f"{one.n_near:,}",
}
BOXES: dict[str, Callable[[PlanBox], str]] = {
    "people": lambda one: one.label,
    "from": lambda one: f"{one.lower:,}",
    "to": lambda one: f"{one.upper:,}",
    "kind": lambda one: one.kind,
    "tables": lambda one: " + ".join(map(truncate, one.tables)),
}
TABLES: dict[str, Callable[[PlanTable], str]] = {
    "table": lambda one: truncate(one.name),
    "values": lambda one: f"{one.n_values:,}",
    "suppressed": lambda one: f"{one.n_suppressed:,}",
    "alone": lambda one: f"{one.n_alone:,}",
    "with others": lambda one: f"{one.n_involved - one.n_alone:,}",
    "mended without it": lambda one: "-" if one.n_without is None else f"{one.n_without:,}",
}
MOST_ROWS = 12


def verdict_sentence(one: PlanVerdict) -> str:
    """A limit, and whether it holds."""
    limit = f"your limit of {one.limit:,}"
    rest = f"{one.status} {limit}"
    if one.status == "not settled":
        rest = f"and {one.n_open:,} not settled: {limit} cannot be shown to hold"
    n = format_count(one.n, "count")
    return f"{MARKS[one.status]}: {n} {WHAT[one.measure]}, {rest}."


def plan_sentences(record: PublicationPlan) -> Iterator[str]:
    """What the tables disclose together."""
    n_other = record.n_recovered - record.n_recovered_suppressed
    if not record.rows and not record.n_open:
        yield "No suppressed or small count can be worked out from the tables together."
    if record.n_suppressed:
        of = format_count(record.n_suppressed, "suppressed count")
        k = f"{record.n_recovered_suppressed:,}"
        yield f"{k} of {of} can be worked out exactly from the tables together."
    if n_other:
        yield (
            f"{format_count(n_other, 'count')} of fewer than {record.threshold:,} people that no"
            " table publishes exactly can be worked out exactly, by differences between tables."
        )
    if n := record.n_near:
        more = f"{format_count(n, 'count')} more {agree(n)}"
        yield f"{more} known to within {people(record.width)}."
    if n := sum(one.n_alone for one in record.tables):
        yield f"{n:,} of these {agree(n)} disclosed by one table alone: mend those tables first."


def example_sentence(one: PlanTables) -> str:
    """What a set of tables shows of one box."""
    box, tables = one.example, and_list(_quote(name) for name in one.tables)
    count = f"{people(box.lower)} {'is' if box.lower == 1 else 'are'}"
    if not box.recovered:
        count = f"{box.lower:,} to {people(box.upper)} are"
    neither = {2: "Neither table shows it alone."}
    some = "None of them can be omitted." if box.irreducible else ""
    if len(one.tables) == 1:
        return f"{tables} shows that {count} in {box.label}."
    last = neither.get(len(one.tables), some)
    return f"{tables} together show that {count} in {box.label}. {last}".strip()


def open_sentence(record: PublicationPlan) -> str:
    """How much was not settled; nothing where all was."""
    if not record.n_open:
        return ""
    n = record.n_open
    return (
        f"{format_count(n, 'count')} {agree(n, 'was', 'were')} not settled: the tables may or may"
        f" not disclose {agree(n, 'it', 'them')}. No limit holds on {agree(n, 'its', 'their')}"
        " account."
    )


def small_sentence(record: PublicationPlan) -> str:
    """How many small counts no table protects; nothing where all are."""
    if not record.n_small:
        return ""
    n = record.n_small
    return (
        f"{format_count(n, 'count')} below {record.threshold:,} {agree(n)} published exactly, as"
        f" the plan asks: no limit of the plan covers {agree(n, 'it', 'them')}."
    )


def leave_out_sentence(record: PublicationPlan) -> str:
    """Without which tables nothing is recovered any more."""
    if not record.leave_out or record.n_left is None:
        return ""
    named = [_quote(name) for name in record.leave_out[:MOST_ROWS]]
    if more := len(record.leave_out) - len(named):
        named.append(format_count(more, "more table"))
    if record.n_left:
        return f"Without {and_list(named)}, {record.n_left:,} of these could still be worked out."
    return f"Without {and_list(named)}, none of these can be worked out any more."


def _quote(name: str) -> str:
    return f'"{truncate(name)}"'


def _more(n_all: int, n_shown: int) -> str:
    return "" if n_all <= n_shown else f"... and {n_all - n_shown:,} more: all with --json"


def _sizes(record: PublicationPlan) -> str:
    of = "" if record.n_people is None else f" of {people(record.n_people)}"
    tables, values = format_count(record.n_tables, "table"), format_count(record.n_values, "value")
    n = record.n_unpublished
    between = f", and {n:,} more lie between them" if n else ""
    groups = format_count(record.n_boxes - n, "group")
    return f"{tables}{of}, {values} published. They count {groups} of people{between}."


def plan_blocks(record: PublicationPlan, *, has_rows: bool = False) -> Iterator[Block]:
    """The plan; single counts on the custodian's screen alone, notebooks keep what they show."""
    yield Heading("What the tables disclose together")
    yield Sentence(_sizes(record), "lead")
    for verdict in record.verdicts:
        kind: Kind = "plain" if verdict.status == "within" else "stop"
        yield Sentence(verdict_sentence(verdict), kind)
    yield from sentences(plan_sentences(record))
    for text in filter(None, (open_sentence(record), small_sentence(record))):
        yield Sentence(text, "look")
    if text := leave_out_sentence(record):
        yield Sentence(text)
    sets = record.by_tables[:MOST_ROWS]
    if has_rows:
        yield from sentences(example_sentence(one) for one in sets[:3])
    more = _more(len(record.by_tables), len(sets))
    yield list_rows("Tables that disclose counts together", SETS, sets, footnote=more)
    involved = sorted((t for t in record.tables if t.n_involved), key=lambda t: -t.n_involved)
    shown = involved[:MOST_ROWS]
    more = _more(len(involved), len(shown))
    spare = ("values", "suppressed")
    yield list_rows("Counts disclosed, by table", TABLES, shown, spare=spare, footnote=more)
    if has_rows:
        boxes = record.rows[:MOST_ROWS]
        more = _more(len(record.rows), len(boxes))
        caption, words = "Counts disclosed (confidential)", ("kind", "tables")
        yield list_rows(caption, BOXES, boxes, text=words, spare=("kind",), footnote=more)
        if boxes:
            yield Sentence(CONFIDENTIAL, "dim")
    yield from sentences(record.notes, "dim")


@as_text.register
def _(record: PublicationPlan) -> str:
    return (
        f"{format_count(record.n_tables, 'table')}: {record.n_recovered:,} counts recovered,"
        f" {record.n_near:,} nearly, {record.n_open:,} not settled (confidential)"
    )


@as_blocks.register
def _(record: PublicationPlan) -> Iterator[Block]:
    yield from plan_blocks(record)
