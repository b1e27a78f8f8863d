"""What does each figure mean, in a sentence a custodian can repeat?

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from unveil.records.base import Copy
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow, Recurrence
from unveil.view.format import and_list, format_count, n_of, people, percent, truncate

TEMPLATES = {
    "scenario": (
        "We assume an intruder who knows {keys} of a person, has the synthetic data, and takes it"
        " for real."
    ),
    "files": "Original: {original}. {copies}: {synthetic}.",
    "sizes": (
        "{N} in the original, {M} in {copies}. The keys make {a} in the original and {b} in the"
        " synthetic data, {c} in all."
    ),
    "UiO": "{p} of your {unit} ({k} of {N}) are alone with their {keys} in your data.",
    "UiS": "{p} of the synthetic records ({k} of {N}) are alone with their {keys} in the copy.",
    "UiS mean": (
        "{p} of the synthetic records, on average over the copies, are alone with their {keys} in"
        " their copy."
    ),
    "UiOiS": (
        "{p} of your {unit} ({k} of {N}) are alone with their {keys} in your data and can be looked"
        " up in the copy."
    ),
    "repU": (
        "{p} of your {unit} ({k} of {N}) are alone with their {keys} in your data and again alone"
        " in the copy."
    ),
    "repU none": "None of your {unit} is alone with their {keys} in your data and in the copy.",
    "DiSCO": (
        "An intruder who knows {keys} and looks a person up in the synthetic data would, for {p} of"
        " the {unit} in your data ({k} of {N}), find a single value of {target}, and it would be"
        " right. With the original data: {q}."
    ),
    "DiSCO none": (
        "No one's {target} could be learnt rightly in this way: an intruder who knows {keys} finds"
        " no single value that is right. With the original data: {q}."
    ),
    "iS, DiS": (
        "{a} of the {unit} are found at all; for {b} the copy shows one single value; for {c} that"
        " value is correct."
    ),
    "DCAP": (
        "Guessing at random among the matching synthetic records, the intruder is right for {p} (by"
        " frequencies alone {b}; with the original {q})."
    ),
    "removed": "The synthetic data takes away {r} of what the original would give away.",
    "added": "Beware: here the synthetic data gives away more than the original itself would.",
    "nothing to remove": "The original itself settles {target} for nobody.",
    "mean": "Figures are means over {m} copies; {measure} ranges from {lowest} to {highest}.",
    "equal": "{copy} IS the original: the same rows, all {N} of them, compared in {columns}.",
    "all": (
        "{copy} CONTAINS the original: every one of its {N} records stands in it whole, compared in"
        " {columns}."
    ),
    "some": (
        "{p} of the original records ({k} of {N}) also stand in {copy}: the same in every compared"
        " column ({columns})."
    ),
    "some in several": (
        "{p} to {q} of the original records ({k} to {l} of {N}) also stand in each of the {m}"
        " copies: the same in every compared column ({columns})."
    ),
    "means": (
        "Figures are means over the {m} copies; 'pooled' is what someone who has them all would"
        " find. Limits are held against each copy and against the pool."
    ),
    "by person": (
        "{person} {counts}. The tables count rows; a limit is held against the larger of rows and"
        " people. People with at least one such row: {figures}."
    ),
    "one by person": " Counted by person: {p} ({k} of {N} people).",
    "not counting": "Not counting what is left out: {sentence}",
    "none": "No original record also stands in {copy}.",
}


ALARMING = ("equal", "all")
"""Kinds of recurrence that are shouted about."""


def scenario(record: Disclosure) -> str:
    """What is assumed of the intruder."""
    return TEMPLATES["scenario"].format(keys=and_list(record.keys))


def files(record: Disclosure) -> str | None:
    """Which files were measured; None for data frames."""
    original, *copies = (truncate(file) for file in record.files)
    if set(record.files) == {"a data frame"}:
        return None
    numbered = [f"{number} = {file}" for number, file in enumerate(copies, start=1)]
    return TEMPLATES["files"].format(
        original=original,
        copies="Synthetic copy" if len(copies) == 1 else "Synthetic copies",
        synthetic=copies[0] if len(copies) == 1 else ", ".join(numbered),
    )


def sizes(record: Disclosure) -> str:
    """How much data there is on each side."""
    sizes, m = record.n_synthetic, len(record.n_synthetic)
    records, copies = (
        format_count(sizes[0], "record"),
        "the copy" if m == 1 else f"each of {m} copies",
    )
    if len(set(sizes)) > 1:
        records, copies = f"{and_list(f'{n:,}' for n in sizes)} records", f"{m} copies"
    whom = people(record.n_original)
    if record.people is not None:
        whom = f"{record.n_original:,} rows of {people(record.people.person.n_people)}"
    return TEMPLATES["sizes"].format(
        N=whom,
        M=records,
        copies=copies,
        a=format_count(record.n_q_original, "combination"),
        b=f"{record.n_q_synthetic:,}",
        c=f"{record.n_q_union:,}",
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
    return TEMPLATES["by person"].format(
        person=truncate(record.people.person.column),
        counts=record.people.person.counts,
        figures=", ".join(figures),
    )


def unit(record: Disclosure) -> str:
    """What the figures count, where the tables have no count of people beside."""
    return "people" if record.people is None else "rows"


def _one_by_person(record: Disclosure, measure: str, target: str | None, copy: Copy) -> str:
    """The same figure counted by person; nothing where every row is a person."""
    for row in () if record.people is None else record.people.rows:
        if (row.measure, row.target, row.copy) == (measure, target, copy):
            n = record.people.person.n_people if record.people else 0
            return TEMPLATES["one by person"].format(
                p=percent(row.percent), k=n_of(row.percent, n), N=f"{n:,}"
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
        symbol: TEMPLATES[_variant(symbol, value, row.copy)].format(
            p=percent(value), k=n_of(value, total), N=f"{total:,}", keys=keys, unit=unit(record)
        )
        + _one_by_person(record, symbol, None, row.copy)
        for symbol, (value, total) in figures.items()
        if value is not None
    }
    return _not_counting(said) if _is_touched(record, None) else said


def _variant(symbol: str, value: float, copy: Copy) -> str:
    if symbol == "repU" and not value:
        return "repU none"
    # The copies may differ in size, so a mean over them is of no one number of records.
    return "UiS mean" if symbol == "UiS" and copy == "mean" else symbol


def attribute(record: Disclosure, row: AttributeRow) -> dict[str, str]:
    """The sentences for one target: what is learnt, by which steps, and against what guesses."""
    if row.DiSCO is None or row.Dorig is None:
        return {}
    said = {"DiSCO": _disco(record, row)}
    if row.iS is not None and row.DiS is not None:
        said["iS, DiS"] = TEMPLATES["iS, DiS"].format(
            a=percent(row.iS), b=percent(row.DiS), c=percent(row.DiSCO), unit=unit(record)
        )
    if row.DCAP is not None and row.baseCAPd is not None and row.CAPd is not None:
        said["DCAP"] = TEMPLATES["DCAP"].format(
            p=percent(row.DCAP), b=percent(row.baseCAPd), q=percent(row.CAPd)
        )
    said["removed"] = _removed(row)
    return _not_counting(said) if _is_touched(record, row.target) else said


def _is_touched(record: Disclosure, target: str | None) -> bool:
    """Whether exclusions changed a figure about this target; about identity, for None."""
    return any(e.target == target and e.all != e.after for e in record.effects)


def _not_counting(said: dict[str, str]) -> dict[str, str]:
    """The same sentences, true where something is left out."""
    return {
        symbol: TEMPLATES["not counting"].format(sentence=text[0].lower() + text[1:])
        for symbol, text in said.items()
    }


def _disco(record: Disclosure, row: AttributeRow) -> str:
    found = row.DiSCO or 0.0
    said = TEMPLATES["DiSCO" if found else "DiSCO none"].format(
        unit=unit(record),
        keys=and_list(record.keys),
        target=truncate(row.target),
        p=percent(found),
        k=n_of(found, record.n_original),
        N=f"{record.n_original:,}",
        q=percent(row.Dorig or 0.0),
    )
    return said + _one_by_person(record, "DiSCO", row.target, row.copy)


def _removed(row: AttributeRow) -> str:
    if row.removed is None:
        return TEMPLATES["nothing to remove"].format(target=truncate(row.target))
    if row.removed < 0:
        return TEMPLATES["added"]
    return TEMPLATES["removed"].format(r=percent(row.removed))


def spread_sentence(record: Disclosure, target: str | None, measure: str) -> str | None:
    """How far a mean over copies reaches; None where there is one copy only."""
    for row in record.spread:
        if (row.target, row.measure) == (target, measure):
            return TEMPLATES["mean"].format(
                m=row.n_copies,
                measure=measure,
                lowest=percent(row.lowest),
                highest=percent(row.highest),
            )
    return None


def recurrence(record: Disclosure, row: Recurrence) -> str:
    """Whether the original's own rows stand in a copy."""
    return TEMPLATES[row.kind].format(
        copy=_copy(record, row),
        p=percent(row.percent),
        k=f"{row.n:,}",
        N=f"{record.n_original:,}",
        columns=format_count(row.n_columns, "column"),
    )


def means(record: Disclosure) -> str | None:
    """What the figures stand for where there are several copies."""
    m = len(record.n_synthetic)
    return TEMPLATES["means"].format(m=m) if m > 1 else None


def recurrence_sentence(record: Disclosure) -> str | None:
    """How many original records stand whole in the copies, where it is some but not all."""
    some = [row for row in record.recurrence if row.kind == "some"]
    if not some or len(some) < len(record.recurrence):
        return " ".join(recurrence(record, row) for row in some) or None
    if len(some) == 1:
        return recurrence(record, some[0])
    least, most = min(some, key=lambda row: row.n), max(some, key=lambda row: row.n)
    if least.n == most.n:
        return TEMPLATES["some"].format(
            p=percent(most.percent),
            k=f"{most.n:,}",
            N=f"{record.n_original:,}",
            copy=f"each of the {len(some)} copies",
            columns=format_count(most.n_columns, "column"),
        )
    return TEMPLATES["some in several"].format(
        p=percent(least.percent),
        q=percent(most.percent),
        k=f"{least.n:,}",
        l=f"{most.n:,}",
        N=f"{record.n_original:,}",
        m=len(some),
        columns=format_count(least.n_columns, "column"),
    )


def alarms(record: Disclosure) -> list[str]:
    """What must be shouted: copies that are, or contain, the original."""
    return [recurrence(record, row) for row in record.recurrence if row.kind in ALARMING]


def _copy(record: Disclosure, row: Recurrence) -> str:
    called = "the copy" if len(record.n_synthetic) == 1 else f"copy {row.copy}"
    return called.capitalize() if row.kind in ALARMING else called
