"""Proposed roles of columns, with reasons a custodian can weigh."""

from collections.abc import Callable, Iterator

from unveil.records.suggestion import Role, RoleRow, Suggestion
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, Sentence, list_rows, notes, table
from unveil.view.format import and_list, format_count, lines, people, percent, truncate
from unveil.view.show import as_blocks, as_text

ROLES: tuple[Role, ...] = ("key", "target", "identifier", "person", "weight", "ignore")
ROLE_WORDS = {"identifier": "identifier (drop)", "person": "person (drop)"}
GRADE_WORDS = {
    "visible": "visible",
    "often": "often known",
    "sometimes": "sometimes known",
    "sensitive": "sensitive",
}
COLUMNS: dict[str, Callable[[RoleRow], str]] = {
    "column": lambda row: truncate(row.column),
    "role": lambda row: ROLE_WORDS.get(row.role, row.role),
    "grade": lambda row: "" if row.grade is None else GRADE_WORDS[row.grade],
    "reason": lambda row: lines(row.reason),
}
STEP_HEADS = ("keys", "more", "unique", "of all")
MAY_BE_KNOWN = ("visible", "often", "sometimes")

KEYS = "Proposed keys: {keys}. Unique on them: {k} of {N} people ({share})."
KNOWN = "Neighbours or colleagues usually know {these}."
PERHAPS = "Some neighbours or colleagues know {these}."
NAMED = "You named {these} as what an intruder knows."
CHANGE = "Change {these} if an intruder in your setting knows more or less."
NO_KEYS = (
    "No name or label points to what others usually know about a person (sex, age, place,"
    " education, job), so no keys are proposed. Name what an intruder knows in your setting."
)
PROPOSAL = "This is a proposal from names, labels and counts. The decision is yours."
ROWS = "People are counted as rows."
STOPS = {
    "given": "No key was added to those you named.",
    "no_candidate": "",
    "enough": (
        "The search stopped: once {enough} of people are unique, columns that fewer others know are"
        " not tried."
    ),
    "small_gain": (
        "The search stopped: once {enough} of people are unique, a further key must make {least} of"
        " all people unique. {at} would add {gain}."
    ),
    "most_keys": "The search stopped at {most} keys; {at} would be next.",
    "no_more": "No other name or label points to what others know.",
}


def key_line(record: Suggestion) -> str | None:
    """The keys and how many people are unique on them."""
    if not record.keys:
        return None
    return KEYS.format(
        keys=", ".join(map(truncate, record.keys)),
        k=f"{record.n_unique:,}",
        N=f"{record.n_records:,}",
        share=percent(100 * record.n_unique / record.n_records),
    )


def sentences(record: Suggestion) -> Iterator[str]:
    """What is proposed and why the search for keys ended, in the order people need it."""
    yield _who_knows(record) if record.keys else NO_KEYS
    yield from filter(None, (_stop(record), _functions(record), _next(record)))
    if record.person is not None:
        yield f"{truncate(record.person.column)} {record.person.counts}. {ROWS}"
    yield PROPOSAL


def _who_knows(record: Suggestion) -> str:
    these = "it" if len(record.keys) == 1 else "them"
    grades = {record.row_of(key).grade for key in record.keys}
    known = NAMED if record.stop == "given" else PERHAPS if "sometimes" in grades else KNOWN
    return f"{known.format(these=these)} {CHANGE.format(these=these)}"


def _stop(record: Suggestion) -> str:
    at = record.stopped_at
    gained = 0 if at is None else record.row_of(at).n_gained or 0
    return STOPS[record.stop].format(
        enough=f"{record.enough_percent:g} %",
        least=f"{record.least_gain_percent:g} %",
        most=record.most_keys,
        at=truncate(at or ""),
        gain=f"{gained:,} ({percent(100 * gained / record.n_records)})",
    )


def _functions(record: Suggestion) -> str | None:
    """Which candidates were not used because a key determines them."""
    determined = [row for row in record.rows if row.role == "ignore" and row.function_of]
    if not determined:
        return None
    shown = [
        f"{truncate(row.column)} (by {and_list(row.function_of)},"
        f" +{percent(100 * (row.n_gained or 0) / record.n_records)})"
        for row in determined
    ]
    return f"Not used, because a key determines them: {', '.join(shown)}."


def _next(record: Suggestion) -> str | None:
    """Which column would make most people unique, of those that others may know."""
    known = [row for row in record.rows if row.role == "target" and row.grade in MAY_BE_KNOWN] or [
        row for row in record.rows if row.role == "target" and not record.keys
    ]
    best = max(known, key=lambda row: row.n_gained or 0, default=None)
    if best is None or not best.n_gained:
        return None
    if not record.keys:
        return f"By itself {truncate(best.column)} makes {people(best.n_gained)} unique, the most."
    grade = GRADE_WORDS[best.grade or "often"]
    return (
        f"Of the other columns, {truncate(best.column)} ({grade}) would make most people unique:"
        f" {best.n_gained:,} more."
    )


def step_rows(record: Suggestion) -> list[tuple[str, str, str, str]]:
    """The keys as they were added, under STEP_HEADS."""
    return [
        (
            truncate(step.key) if not place else f"+ {truncate(step.key)}",
            f"{step.n_gained:,}",
            f"{step.n_unique:,}",
            percent(step.percent),
        )
        for place, step in enumerate(record.steps)
    ]


@as_text.register
def _(record: Suggestion) -> str:
    targets = format_count(len(record.targets), "target")
    if not record.keys:
        return f"Proposed roles: no keys, {targets}"
    return (
        f"Proposed keys {and_list(record.keys)}: {people(record.n_unique)} of"
        f" {record.n_records:,} unique; {targets}"
    )


@as_blocks.register
def _(record: Suggestion) -> Iterator[Block]:
    yield Heading("Proposed roles of the columns")
    if line := key_line(record):
        yield Sentence(line, "lead")
    yield from blocks.sentences(sentences(record))
    yield table("Unique people, key by key", STEP_HEADS, step_rows(record))
    # Keys as they were added, targets with sensitive ones first, others.
    rows = [record.row_of(column) for role in ROLES for column in record.list_columns(role)]
    yield list_rows("Roles", COLUMNS, rows, text=tuple(COLUMNS))
    yield from notes(record.coercions)
