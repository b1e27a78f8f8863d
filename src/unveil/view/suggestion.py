"""Proposed roles in sentences a custodian can weigh, and as they are shown in a notebook."""

from collections.abc import Iterator

from unveil.records.suggestion import Role, RoleRow, Suggestion
from unveil.view.format import and_list, lines, people, percent, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text
from unveil.view.uniques import NUMBERS

ROLES: tuple[Role, ...] = ("key", "target", "identifier", "person", "weight", "ignore")
ROLE_WORDS = {"identifier": "identifier (drop)", "person": "person (drop)"}
GRADE_WORDS = {
    "visible": "visible",
    "often": "often known",
    "sometimes": "sometimes known",
    "sensitive": "sensitive",
}
ROLE_HEADS = ("column", "role", "grade", "reason")
STEP_HEADS = ("keys", "more", "unique", "of all")
MAY_BE_KNOWN = ("visible", "often", "sometimes")

KNOWN = "{these} usually known to neighbours or colleagues."
PERHAPS = "{these} known to some neighbours or colleagues."
NAMED = "{these} what an intruder knows, as you say."
TOGETHER = "{together} {out} {k} of {N} people."
CHANGE = "Change them if an intruder in your setting knows more."
NO_KEYS = (
    "No column speaks of what others usually know about a person (sex, age, place, education, job)"
    " in its name or label, so no keys are proposed. Name what an intruder knows in your setting."
)
PROPOSAL = "A proposal, made on this machine from names, labels and counts. The decision is yours."
ROWS = "Counts of people here are counts of rows."
STOPS = {
    "given": "No key was added to those you named.",
    "no_candidate": "",
    "enough": (
        "The search stopped there: from {enough} of unique people on, no further grade of what is"
        " known is opened."
    ),
    "small_gain": (
        "The search stopped there: from {enough} of unique people on, a further key must single out"
        " {least} of all people more. {at} would add {gain}."
    ),
    "most_keys": "The search stopped at {most} keys; {at} would have been next.",
    "no_more": "The search ended there: no other column speaks of what others know.",
}


def key_line(record: Suggestion) -> str | None:
    """The keys and how many people they single out, in a line."""
    if not record.keys:
        return None
    keys = ", ".join(map(truncate, record.keys))
    return f"{keys}: {record.n_unique:,} of {record.n_records:,}"


def sentences(record: Suggestion) -> Iterator[str]:
    """What is proposed and why the search for keys ended, in the order people need it."""
    if not record.keys:
        yield NO_KEYS
    else:
        yield f"{_who_knows(record)} {_together(record)} {CHANGE}"
    if said := _stop(record):
        yield said
    if left := _functions(record):
        yield left
    if following := _next(record):
        yield following
    if record.person is not None:
        yield f"{truncate(record.person.column)} {record.person.counts}. {ROWS}"
    yield PROPOSAL


def _who_knows(record: Suggestion) -> str:
    n = len(record.keys)
    number = NUMBERS[n] if n < len(NUMBERS) else str(n)
    these = "This is" if n == 1 else f"These {number} are"
    if record.stop == "given":
        return NAMED.format(these=these)
    grades = {record.row_of(key).grade for key in record.keys}
    return (PERHAPS if "sometimes" in grades else KNOWN).format(these=these)


def _together(record: Suggestion) -> str:
    is_one = len(record.keys) == 1
    return TOGETHER.format(
        together="By itself it" if is_one else "Together they",
        out="singles out" if is_one else "single out",
        k=f"{record.n_unique:,}",
        N=f"{record.n_records:,}",
    )


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
    """Which candidates were left out because a key settles them."""
    left = [row for row in record.rows if row.role == "ignore" and row.function_of]
    if not left:
        return None
    told = [
        f"{truncate(row.column)} (of {and_list(row.function_of)},"
        f" +{percent(100 * (row.n_gained or 0) / record.n_records)})"
        for row in left
    ]
    return f"Left out as a function of a key: {', '.join(told)}."


def _next(record: Suggestion) -> str | None:
    """Which column would single out most, of those that others may know."""
    known = [row for row in record.rows if row.role == "target" and row.grade in MAY_BE_KNOWN] or [
        row for row in record.rows if row.role == "target" and not record.keys
    ]
    best = max(known, key=lambda row: row.n_gained or 0, default=None)
    if best is None or not best.n_gained:
        return None
    if not record.keys:
        return f"{truncate(best.column)} singles out most by itself: {people(best.n_gained)}."
    grade = GRADE_WORDS[best.grade or "often"]
    return (
        f"Of the others that may be known, {truncate(best.column)} ({grade}) would single out most:"
        f" {people(best.n_gained)} more."
    )


def rows_in_order(record: Suggestion) -> Iterator[RoleRow]:
    """The columns by role: keys as they were added, targets with sensitive ones first, others."""
    for role in ROLES:
        for column in record.list_columns(role):
            yield record.row_of(column)


def role_cells(row: RoleRow) -> tuple[str, str, str, str]:
    """One column under ROLE_HEADS."""
    grade = "" if row.grade is None else GRADE_WORDS[row.grade]
    return truncate(row.column), ROLE_WORDS.get(row.role, row.role), grade, lines(row.reason)


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
    targets = f"{len(record.targets):,} targets" if len(record.targets) != 1 else "1 target"
    if not record.keys:
        return f"Proposed roles: no keys, {targets}"
    return (
        f"Proposed keys {and_list(record.keys)}: {people(record.n_unique)} of"
        f" {record.n_records:,} unique; {targets}"
    )


@as_html.register
def _(record: Suggestion) -> str:
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for sentence in sentences(record)),
        grid("Unique people, key by key", STEP_HEADS, step_rows(record)),
        grid("Proposed roles", ROLE_HEADS, [role_cells(row) for row in rows_in_order(record)]),
        notes(record.coercions),
    )
