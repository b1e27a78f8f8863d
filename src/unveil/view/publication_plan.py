"""What the tables of a publication plan disclose together, in sentences and blocks."""

from collections.abc import Iterator

from unveil.records.publication_plan import (
    PlanBox,
    PlanTable,
    PlanTables,
    PlanVerdict,
    PublicationPlan,
)
from unveil.view.blocks import Block, Heading, Kind, Sentence, sentences, table
from unveil.view.format import and_list, format_count, people, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "sizes": "{tables}{people}, {values} published. They count {boxes} of people{between}.",
    "between": ", and {n} more lie between them",
    "suppressed": "{k} of {m} can be worked out exactly from the tables together.",
    "unpublished": (
        "{k} of fewer than {threshold} people that no table publishes exactly can be worked out"
        " exactly, by differences between tables."
    ),
    "near": "{k} more {are} known to within {width}.",
    "nothing": "No suppressed or small count can be worked out from the tables together.",
    "small": (
        "{k} below {threshold} {are} published exactly, as the plan asks: no limit of the plan"
        " covers {them}."
    ),
    "alone": "{k} of these {are} disclosed by one table alone: mend those tables first.",
    "pair": "{tables} together show that {count} in {box}. {neither}",
    "open": (
        "{k} {were} not settled: the tables may or may not disclose {them}. No limit holds on"
        " {their} account."
    ),
    "leave out": "Without {tables}, none of these can be worked out any more.",
    "leave out some": "Without {tables}, {n} of these could still be worked out.",
    "above": "{n} {what}, above your limit of {limit}.",
    "within": "{n} {what}, within your limit of {limit}.",
    "not settled": (
        "{n} {what}, and {n_open} not settled: your limit of {limit} cannot be shown to hold."
    ),
    "confidential": "Confidential: a list of recovered counts is the disclosure itself.",
}
WHAT = {"recovered": "recovered exactly", "near": "nearly recovered"}
MARKS = {"above": "■ above limit", "within": "● within", "not settled": "■ not settled"}
SET_HEADS = ("tables", "recovered", "nearly")
BOX_HEADS = ("people", "from", "to", "kind", "tables")
TABLE_HEADS = ("table", "values", "suppressed", "alone", "with others", "mended without it")
MOST_ROWS = 12


def verdict_sentence(one: PlanVerdict) -> str:
    """A limit, and whether it holds."""
    text = TEMPLATES[one.status].format(
        n=format_count(one.n, "count"),
        what=WHAT[one.measure],
        n_open=f"{one.n_open:,}",
        limit=f"{one.limit:,}",
    )
    return f"{MARKS[one.status]}: {text}"


def plan_sentences(record: PublicationPlan) -> Iterator[str]:
    """What the tables disclose together."""
    n_other = record.n_recovered - record.n_recovered_suppressed
    if not record.rows and not record.n_open:
        yield TEMPLATES["nothing"]
    if record.n_suppressed:
        yield TEMPLATES["suppressed"].format(
            k=f"{record.n_recovered_suppressed:,}",
            m=format_count(record.n_suppressed, "suppressed count"),
        )
    if n_other:
        yield TEMPLATES["unpublished"].format(
            k=format_count(n_other, "count"), threshold=f"{record.threshold:,}"
        )
    if record.n_near:
        yield TEMPLATES["near"].format(
            k=format_count(record.n_near, "count"),
            are="is" if record.n_near == 1 else "are",
            width=people(record.width),
        )
    if n_alone := sum(one.n_alone for one in record.tables):
        yield TEMPLATES["alone"].format(k=f"{n_alone:,}", are="is" if n_alone == 1 else "are")


def example_sentence(one: PlanTables) -> str:
    """What a set of tables shows of one box."""
    box, tables = one.example, and_list(_quote(name) for name in one.tables)
    count = f"{people(box.lower)} {'is' if box.lower == 1 else 'are'}"
    if not box.recovered:
        count = f"{box.lower:,} to {people(box.upper)} are"
    neither = {1: "", 2: "Neither table shows it alone."}
    some = "None of them can be omitted." if box.irreducible else ""
    if len(one.tables) == 1:
        return f"{tables} shows that {count} in {box.label}."
    return (
        TEMPLATES["pair"]
        .format(
            tables=tables, count=count, box=box.label, neither=neither.get(len(one.tables), some)
        )
        .strip()
    )


def open_sentence(record: PublicationPlan) -> str:
    """How much was not settled; nothing where all was."""
    if not record.n_open:
        return ""
    is_one = record.n_open == 1
    return TEMPLATES["open"].format(
        k=format_count(record.n_open, "count"),
        were="was" if is_one else "were",
        them="it" if is_one else "them",
        their="its" if is_one else "their",
    )


def small_sentence(record: PublicationPlan) -> str:
    """How many small counts no table protects; nothing where all are."""
    if not record.n_small:
        return ""
    is_one = record.n_small == 1
    return TEMPLATES["small"].format(
        k=format_count(record.n_small, "count"),
        threshold=f"{record.threshold:,}",
        are="is" if is_one else "are",
        them="it" if is_one else "them",
    )


def leave_out_sentence(record: PublicationPlan) -> str:
    """Without which tables nothing is recovered any more."""
    if not record.leave_out or record.n_left is None:
        return ""
    named = [_quote(name) for name in record.leave_out[:MOST_ROWS]]
    if more := len(record.leave_out) - len(named):
        named.append(format_count(more, "more table"))
    name = "leave out" if not record.n_left else "leave out some"
    return TEMPLATES[name].format(tables=and_list(named), n=f"{record.n_left:,}")


def _quote(name: str) -> str:
    return f'"{truncate(name)}"'


def _set_cells(one: PlanTables) -> tuple[str, ...]:
    names = " + ".join(truncate(name) for name in one.tables)
    return names, f"{one.n_recovered:,}", f"{one.n_near:,}"


def _box_cells(one: PlanBox) -> tuple[str, ...]:
    tables = " + ".join(truncate(name) for name in one.tables)
    return one.label, f"{one.lower:,}", f"{one.upper:,}", one.kind, tables


def _table_cells(one: PlanTable) -> tuple[str, ...]:
    without = "-" if one.n_without is None else f"{one.n_without:,}"
    figures = (one.n_values, one.n_suppressed, one.n_alone, one.n_involved - one.n_alone)
    return truncate(one.name), *(f"{n:,}" for n in figures), without


def _more(n_all: int, n_shown: int) -> str:
    return "" if n_all <= n_shown else f"... and {n_all - n_shown:,} more: all with --json"


def plan_blocks(record: PublicationPlan, *, has_rows: bool = False) -> Iterator[Block]:
    """The plan; single counts on the custodian's screen alone, notebooks keep what they show."""
    yield Heading("What the tables disclose together")
    between = TEMPLATES["between"].format(n=f"{record.n_unpublished:,}")
    sizes = TEMPLATES["sizes"].format(
        tables=format_count(record.n_tables, "table"),
        people="" if record.n_people is None else f" of {people(record.n_people)}",
        values=format_count(record.n_values, "value"),
        boxes=format_count(record.n_boxes - record.n_unpublished, "group"),
        between=between if record.n_unpublished else "",
    )
    yield Sentence(sizes, "lead")
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
    yield table(
        "Tables that disclose counts together", SET_HEADS, map(_set_cells, sets), footnote=more
    )
    involved = sorted((t for t in record.tables if t.n_involved), key=lambda t: -t.n_involved)
    shown = involved[:MOST_ROWS]
    rows = map(_table_cells, shown)
    more = _more(len(involved), len(shown))
    spare = ("values", "suppressed")
    yield table("Counts disclosed, by table", TABLE_HEADS, rows, spare=spare, footnote=more)
    if has_rows:
        boxes = record.rows[:MOST_ROWS]
        more = _more(len(record.rows), len(boxes))
        caption, text_heads = "Counts disclosed (confidential)", ("kind", "tables")
        cells = map(_box_cells, boxes)
        yield table(caption, BOX_HEADS, cells, text=text_heads, spare=("kind",), footnote=more)
        if boxes:
            yield Sentence(TEMPLATES["confidential"], "dim")
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
