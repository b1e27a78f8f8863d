"""What would the synthetic data disclose? Tables and sentences a custodian can repeat.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from unveil.records.base import Copy
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow, Recurrence
from unveil.view.format import and_list, fill, format_count, n_of, people, percent, truncate

TEMPLATES = {
    "scenario": "Assumed intruder: knows {keys}, has the synthetic data and treats them as real.",
    "sizes": "{N} in the original, {M} in {copies}.",
    "UiO": "{k} of {N} {unit} (UiO {p}) {k:is|are} unique on {keys} in the original.",
    "UiS": (
        "{k} of {N} synthetic records (UiS {p}) {k:is|are} unique on {keys} in the synthetic data."
    ),
    "UiS mean": (
        "On average over the copies, {p} of synthetic records (UiS) are unique on {keys} in their"
        " copy."
    ),
    "UiOiS": (
        "{k} of {N} {unit} (UiOiS {p}) {k:is|are} unique on {keys} in the original, and {k:is|are}"
        " matched in the synthetic data."
    ),
    "repU": (
        "{k} of {N} {unit} (repU {p}) {k:is a replicated unique|are replicated uniques}: unique on"
        " {keys} in both files. {k:This is a possible match|These are possible matches}."
    ),
    "repU none": "None of {N} {unit} is unique on {keys} in both files (repU {p}).",
    "DiSCO": (
        "{target} would be correctly disclosed for {k} of {N} {unit} (DiSCO {p}) to an intruder who"
        " knows {keys}; from the original, for {l} (Dorig {q})."
    ),
    "DiSCO none": (
        "{target} would be correctly disclosed for none of {N} {unit} to an intruder who knows"
        " {keys}; from the original, for {l} (Dorig {q})."
    ),
    "iS, DiS": (
        "{a} {a:{one}|{unit}} (iS {p}) {a:is|are} matched; for {b} (DiS {q}) the match shows a"
        " single value; it is correct for {c} and wrong for {d}."
    ),
    "DCAP": (
        "A random guess among the matching synthetic records is correct for {k}"
        " {k:{one}|{unit}} (DCAP {p}); baseline {b}, original {q}."
    ),
    "removed": "Synthesis reduces attribute disclosure by {r} (from {q} to {p}).",
    "added": "Warning: the synthetic data disclose more than the original ({q} there, {p} here).",
    "mean": "Figures are means over {m} copies; {measure} ranges from {lowest} to {highest}.",
    "equal": "{copy} the original: all {N} rows are equal in {columns}.",
    "all": "{copy} the original: all {N} original records reappear, equal in {columns}.",
    "some": (
        "{k} of {N} original records ({p}) {k:reappears|reappear} in {copy}, equal in {columns}."
    ),
    "means": (
        "Figures are means over the {m} copies; 'pooled' combines all copies. Limits apply to each"
        " copy and to the pool."
    ),
    "none": "No original record reappears in {copy}.",
    "tolerance": (
        "Within a tolerance a number is determined where all matching records are no farther from"
        " each other, and correct where each of them is no farther from the truth."
    ),
    "columns": (
        "correctly, wrongly: the match shows a single value, true or not. original: from the"
        " original itself."
    ),
    "flags": "Flags that may be common knowledge: {n} on {variables} ({counts}).",
}


ALARMS = {"equal": ("ARE", "IS"), "all": ("CONTAIN", "CONTAINS")}
"""Kinds of recurrence that are shouted about."""


def scenario(record: Disclosure) -> str:
    """What is assumed of the intruder."""
    return fill(TEMPLATES["scenario"], keys=and_list(record.keys))


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
    return fill(TEMPLATES["sizes"], N=whom, M=records, copies=copies)


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
    figures = {
        "UiO": (row.UiO, record.n_original),
        "UiS": (row.UiS, n_synthetic),
        "UiOiS": (row.UiOiS, record.n_original),
        "repU": (row.repU, record.n_original),
    }
    keys = and_list(record.keys)
    said = {
        symbol: fill(
            TEMPLATES[_variant(symbol, value, row.copy)],
            p=percent(value),
            k=n_of(value, total),
            N=f"{total:,}",
            keys=keys,
            unit=unit(record),
        )
        + _one_by_person(record, symbol, None, row.copy)
        for symbol, (value, total) in figures.items()
        if value is not None
    }
    return _after_exclusions(said) if _is_touched(record, None) else said


def _variant(symbol: str, value: float, copy: Copy) -> str:
    if symbol == "repU" and not value:
        return "repU none"
    # The copies may differ in size, so a mean over them is of no one number of records.
    return "UiS mean" if symbol == "UiS" and copy == "mean" else symbol


def attribute(record: Disclosure, row: AttributeRow) -> dict[str, str]:
    """The sentences for one target: what is disclosed, by which steps, and against which guess."""
    if row.DiSCO is None or row.Dorig is None:
        return {}
    n, of = record.n_original, unit(record)
    said = {"DiSCO": _disco(record, row)}
    if row.iS is not None and row.DiS is not None:
        said["iS, DiS"] = fill(
            TEMPLATES["iS, DiS"],
            a=n_of(row.iS, n),
            p=percent(row.iS),
            b=n_of(row.DiS, n),
            q=percent(row.DiS),
            c=n_of(row.DiSCO, n),
            d=n_of(row.DiS - row.DiSCO, n),
            unit=of,
            one=one_of(record),
        )
    if row.DCAP is not None and row.baseCAPd is not None and row.CAPd is not None:
        said["DCAP"] = fill(
            TEMPLATES["DCAP"],
            k=n_of(row.DCAP, n),
            p=percent(row.DCAP),
            b=percent(row.baseCAPd),
            q=percent(row.CAPd),
            unit=of,
            one=one_of(record),
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
    found, original = row.DiSCO or 0.0, row.Dorig or 0.0
    said = fill(
        TEMPLATES["DiSCO" if found else "DiSCO none"],
        unit=unit(record),
        keys=and_list(record.keys),
        target=truncate(row.target),
        p=percent(found),
        k=n_of(found, record.n_original),
        N=f"{record.n_original:,}",
        l=n_of(original, record.n_original),
        q=percent(original),
    )
    return said + _one_by_person(record, "DiSCO", row.target, row.copy)


def _reduction_sentence(row: AttributeRow) -> str:
    if row.removed is None:
        return f"The original determines {truncate(row.target)} for no one."
    return fill(
        TEMPLATES["added" if row.removed < 0 else "removed"],
        r=percent(row.removed),
        p=percent(row.DiSCO or 0.0),
        q=percent(row.Dorig or 0.0),
    )


def spread_sentence(record: Disclosure, target: str | None, measure: str) -> str | None:
    """How far a mean over copies reaches; None where there is one copy only."""
    for row in record.spread:
        if (row.target, row.measure) == (target, measure):
            return fill(
                TEMPLATES["mean"],
                m=row.n_copies,
                measure=measure,
                lowest=percent(row.lowest),
                highest=percent(row.highest),
            )
    return None


def recurrence(record: Disclosure, row: Recurrence) -> str:
    """Whether the original's own records reappear in a copy."""
    return fill(
        TEMPLATES[row.kind],
        copy=_copy(record, row),
        p=percent(row.percent),
        k=f"{row.n:,}",
        N=f"{record.n_original:,}",
        columns=_columns(row),
    )


def means(record: Disclosure) -> str | None:
    """What the figures stand for where there are several copies."""
    m = len(record.n_synthetic)
    return fill(TEMPLATES["means"], m=m) if m > 1 else None


def recurrence_sentence(record: Disclosure) -> str | None:
    """How many original records reappear, where it is some but not all."""
    some = [row for row in record.recurrence if row.kind == "some"]
    if not some or len(some) < len(record.recurrence):
        return " ".join(recurrence(record, row) for row in some) or None
    if len(some) == 1:
        return recurrence(record, some[0])
    least, most = min(some, key=lambda row: row.n), max(some, key=lambda row: row.n)
    if least.n == most.n:
        return fill(
            TEMPLATES["some"],
            p=percent(most.percent),
            k=f"{most.n:,}",
            N=f"{record.n_original:,}",
            copy=f"each of the {len(some)} copies",
            columns=_columns(most),
        )
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
