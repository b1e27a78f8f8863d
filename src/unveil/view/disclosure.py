"""What would the synthetic data disclose? In sentences a custodian can repeat."""

from collections.abc import Iterable

from unveil.records.base import Copy
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow, Recurrence
from unveil.view.format import agree, and_list, format_count, n_of, people, percent, truncate

TOLERANCE = (
    "Within a tolerance a number is determined where all matching records are no farther from each"
    " other, and correct where each of them is no farther from the truth."
)
COLUMNS = (
    "correctly, wrongly: the match shows a single value, true or not. original: from the original"
    " itself."
)
ALARMS = {"equal": ("ARE", "IS"), "all": ("CONTAIN", "CONTAINS")}
"""Kinds of recurrence that are shouted about."""


def scenario(keys: Iterable[str]) -> str:
    """What is assumed of the intruder."""
    known = and_list(keys)
    return f"Assumed intruder: knows {known}, has the synthetic data and treats them as real."


def files(record: Disclosure) -> str | None:
    """Which files were measured; None for data frames."""
    original, *copies = (truncate(file) for file in record.files)
    if set(record.files) == {"a data frame"}:
        return None
    numbered = [f"{number} = {file}" for number, file in enumerate(copies, start=1)]
    return (
        f"Original: {original}. {'Synthetic data' if len(copies) == 1 else 'Synthetic copies'}:"
        f" {copies[0] if len(copies) == 1 else ', '.join(numbered)}."
    )


def sizes(record: Disclosure) -> str:
    """How much data there is on each side."""
    sizes, m = record.n_synthetic, len(record.n_synthetic)
    records = format_count(sizes[0], "record")
    copies = "the synthetic data" if m == 1 else f"each of {m} copies"
    if len(set(sizes)) > 1:
        records, copies = f"{and_list(f'{n:,}' for n in sizes)} records", f"{m} copies"
    whom = people(record.n_original)
    if record.people is not None:
        whom = f"{record.n_original:,} rows of {people(record.people.person.n_people)}"
    return f"{whom} in the original, {records} in {copies}."


def combinations(record: Disclosure) -> str:
    """How many combinations of key values there are."""
    return (
        f"Key combinations: {record.n_q_original:,} in the original, {record.n_q_synthetic:,} in"
        f" the synthetic data, {record.n_q_union:,} in either."
    )


def people_sentence(record: Disclosure) -> str | None:
    """The main figures counted by person; None where every row is a person."""
    if record.people is None:
        return None
    shown = [(None, "repU"), *((target, "DiSCO") for target in record.targets)]
    figures = [
        f"{row.measure}{f' of {truncate(row.target)}' if row.target else ''} {percent(row.percent)}"
        f" ({round(row.n_people):,} of {record.people.person.n_people:,})"
        for target, measure in shown
        for row in record.people.rows
        if (row.target, row.measure, row.copy) == (target, measure, record.headline_copy)
    ]
    return (
        f"{truncate(record.people.person.column)} {record.people.person.counts}. The tables count"
        " rows; limits apply to the larger of rows and people. People with at least one such row:"
        f" {', '.join(figures)}."
    )


def unit(record: Disclosure) -> str:
    """What the figures count, where the tables have no count of people beside."""
    return "people" if record.people is None else "rows"


def one_of(record: Disclosure) -> str:
    """The same of one."""
    return "person" if record.people is None else "row"


def _one_by_person(record: Disclosure, measure: str, target: str | None, copy: Copy) -> str:
    """The same figure counted by person; nothing where every row is a person."""
    for row in () if record.people is None else record.people.rows:
        if (row.measure, row.target, row.copy) == (measure, target, copy):
            n = record.people.person.n_people if record.people else 0
            return (
                f" Counted by person: {n_of(row.percent, n)} of {n:,} people"
                f" ({percent(row.percent)})."
            )
    return ""


def identity(record: Disclosure, row: IdentityRow) -> dict[str, str]:
    """A sentence for each identity figure of one copy that could be measured."""
    n_synthetic = sum(record.n_synthetic) if row.copy == "pooled" else record.n_synthetic[0]
    if isinstance(row.copy, int):
        n_synthetic = record.n_synthetic[row.copy - 1]
    n = record.n_original
    totals = {"UiO": n, "UiS": n_synthetic, "UiOiS": n, "repU": n}
    said = {
        symbol: _identity(record, row, symbol, value, total)
        + _one_by_person(record, symbol, None, row.copy)
        for symbol, total in totals.items()
        if (value := getattr(row, symbol)) is not None
    }
    return _after_exclusions(said) if _is_touched(record, None) else said


def _identity(record: Disclosure, row: IdentityRow, symbol: str, value: float, n: int) -> str:
    keys, p, k = and_list(record.keys), f"({symbol} {percent(value)})", n_of(value, n)
    who = f"{k} of {n:,} {unit(record)} {p} {agree(k)}"
    if symbol == "UiO":
        return f"{who} unique on {keys} in the original."
    if symbol == "UiOiS":
        return (
            f"{who} unique on {keys} in the original, and {agree(k)} matched in the synthetic data."
        )
    if symbol == "repU" and not value:
        return f"None of {n:,} {unit(record)} is unique on {keys} in both files {p}."
    if symbol == "repU":
        are = agree(k, "a replicated unique", "replicated uniques")
        these = agree(k, "This is a possible match", "These are possible matches")
        return f"{who} {are}: unique on {keys} in both files. {these}."
    # The copies may differ in size, so a mean over them is of no one number of records.
    if row.copy == "mean":
        return (
            f"On average over the copies, {percent(value)} of synthetic records (UiS) are unique on"
            f" {keys} in their copy."
        )
    return f"{k} of {n:,} synthetic records {p} {agree(k)} unique on {keys} in the synthetic data."


def attribute(record: Disclosure, row: AttributeRow) -> dict[str, str]:
    """The sentences for one target: what is disclosed, by which steps, and against which guess."""
    if row.DiSCO is None or row.Dorig is None:
        return {}
    n, one, many = record.n_original, one_of(record), unit(record)
    said = {"DiSCO": _disco(record, row)}
    if row.iS is not None and row.DiS is not None:
        k = n_of(row.iS, n)
        said["iS, DiS"] = (
            f"{k} {agree(k, one, many)} (iS {percent(row.iS)}) {agree(k)} matched; for"
            f" {n_of(row.DiS, n)} (DiS {percent(row.DiS)}) the match shows a single value; it is"
            f" correct for {n_of(row.DiSCO, n)} and wrong for {n_of(row.DiS - row.DiSCO, n)}."
        )
    if row.DCAP is not None and row.baseCAPd is not None and row.CAPd is not None:
        k = n_of(row.DCAP, n)
        said["DCAP"] = (
            f"A random guess among the matching synthetic records is correct for {k}"
            f" {agree(k, one, many)} (DCAP {percent(row.DCAP)}); baseline {percent(row.baseCAPd)},"
            f" original {percent(row.CAPd)}."
        )
    said["removed"] = _reduction_sentence(row)
    return _after_exclusions(said) if _is_touched(record, row.target) else said


def _is_touched(record: Disclosure, target: str | None) -> bool:
    """Whether exclusions changed a figure about this target; about identity, for None."""
    return any(e.target == target and e.all != e.after for e in record.effects)


def _after_exclusions(said: dict[str, str]) -> dict[str, str]:
    """The same sentences, true where something is excluded."""
    return {symbol: f"After exclusions: {text}" for symbol, text in said.items()}


def _disco(record: Disclosure, row: AttributeRow) -> str:
    found, original, n = row.DiSCO or 0.0, row.Dorig or 0.0, record.n_original
    whom = f"{n_of(found, n) if found else 'none'} of {n:,} {unit(record)}"
    said = (
        f"{truncate(row.target)} would be correctly disclosed for {whom}"
        f"{f' (DiSCO {percent(found)})' if found else ''} to an intruder who knows"
        f" {and_list(record.keys)}; from the original, for {n_of(original, n)} (Dorig"
        f" {percent(original)})."
    )
    return said + _one_by_person(record, "DiSCO", row.target, row.copy)


def _reduction_sentence(row: AttributeRow) -> str:
    if row.removed is None:
        return f"The original determines {truncate(row.target)} for no one."
    p, q = percent(row.DiSCO or 0.0), percent(row.Dorig or 0.0)
    if row.removed < 0:
        return f"Warning: the synthetic data disclose more than the original ({q} there, {p} here)."
    return f"Synthesis reduces attribute disclosure by {percent(row.removed)} (from {q} to {p})."


def spread_sentence(record: Disclosure, target: str | None, measure: str) -> str | None:
    """How far a mean over copies reaches; None where there is one copy only."""
    for row in record.spread:
        if (row.target, row.measure) == (target, measure):
            reach = f"{measure} ranges from {percent(row.lowest)} to {percent(row.highest)}"
            return f"Figures are means over {row.n_copies} copies; {reach}."
    return None


def recurrence(record: Disclosure, row: Recurrence) -> str:
    """Whether the original's own records reappear in a copy."""
    copy, n = _copy(record, row), f"{record.n_original:,}"
    if row.kind == "none":
        return f"No original record reappears in {copy}."
    if row.kind == "some":
        return _reappearing(record, row, copy)
    what = f"all {n} rows are" if row.kind == "equal" else f"all {n} original records reappear,"
    return f"{copy} the original: {what} equal in {_columns(row)}."


def _reappearing(record: Disclosure, row: Recurrence, copy: str) -> str:
    return (
        f"{row.n:,} of {record.n_original:,} original records ({percent(row.percent)})"
        f" {agree(row.n, 'reappears', 'reappear')} in {copy}, equal in {_columns(row)}."
    )


def means(record: Disclosure) -> str | None:
    """What the figures stand for where there are several copies."""
    m = len(record.n_synthetic)
    if m < 2:
        return None
    return (
        f"Figures are means over the {m} copies; 'pooled' combines all copies. Limits apply to each"
        " copy and to the pool."
    )


def recurrence_sentence(record: Disclosure) -> str | None:
    """How many original records reappear, where it is some but not all."""
    some = [row for row in record.recurrence if row.kind == "some"]
    if not some or len(some) < len(record.recurrence):
        return " ".join(recurrence(record, row) for row in some) or None
    if len(some) == 1:
        return recurrence(record, some[0])
    least, most = min(some, key=lambda row: row.n), max(some, key=lambda row: row.n)
    if least.n == most.n:
        return _reappearing(record, most, f"each of the {len(some)} copies")
    return (
        f"{least.n:,} to {most.n:,} of {record.n_original:,} original records"
        f" ({percent(least.percent)} to {percent(most.percent)}) reappear in each of the"
        f" {len(some)} copies, equal in {_columns(least)}."
    )


def _columns(row: Recurrence) -> str:
    several = f"all {row.n_columns:,} compared variables"
    return several if row.n_columns > 1 else "the one compared variable"


def alarms(record: Disclosure) -> list[str]:
    """What must be shouted: synthetic data that are, or contain, the original."""
    return [recurrence(record, row) for row in record.recurrence if row.kind in ALARMS]


def _copy(record: Disclosure, row: Recurrence) -> str:
    is_one = len(record.n_synthetic) == 1
    called = "the synthetic data" if is_one else f"copy {row.copy}"
    if row.kind not in ALARMS:
        return called
    return f"{called.capitalize()} {ALARMS[row.kind][0 if is_one else 1]}"
