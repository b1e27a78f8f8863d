"""Simulated attacks in sentences a custodian can repeat, and as shown in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator, Sequence

from unveil.records.attacks import AttackRow, Attacks
from unveil.records.disclosure import Coercion
from unveil.view.attack_rows import (
    HEADS,
    AttackDisplayRow,
    attack_rows,
    cells,
    ends,
    has_control,
    legend,
    warnings,
)
from unveil.view.format import and_list, format_count, people, percent, ratio, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "singling_out": (
        "Of {n} that fit one synthetic record alone, {main} fit one person of the original alone{o}"
        "; of as many made up without looking at single records, {naive}."
    ),
    "singling_out_control": ", and {control} fit one of the people who were not used",
    "linkability": (
        "Knowing {keys} from one file and {others} from another, an intruder who looks at the"
        " {nearest} of the copy would link {main} of {n}{o}; at random they would link {naive}."
    ),
    "inference": (
        "Taking {secret} from the nearest synthetic record is right for {main} of {n}{who}{o};"
        " taking it from any synthetic record, for {naive}."
    ),
    "people_control": ", and {control} of {m} who were not used",
    "above": (
        "Of the {whom}, the copy gives away {R} (between {low} and {high}) because their own"
        " records were used."
    ),
    "above_predicates": (
        "Of the descriptions that would not single anybody out among others, {R} (between {low} and"
        " {high}) do so because these people's own records were used."
    ),
    "holds": (
        "R is {r} and its interval, {ends}, holds 0: all of this may be general knowledge. An R"
        " of up to {high} is not ruled out."
    ),
    "below": (
        "R is {r} and its interval, {ends}, lies below 0: it succeeds more often with people who"
        " were not used. That is chance, or the two groups differ in kind; it does not mean that"
        " nobody is at risk."
    ),
    "no R": "R could not be computed.",
    "no control": (
        "Without a control it cannot be told how much of this is general knowledge and how much"
        " the copy adds: there is no R, and the rate of the main attack is all there is."
    ),
    "meaning": (
        "R: of those whom general knowledge would not give away, the share that the copy does."
        " 0 is no more than general knowledge, 1 is everybody. What succeeds with people whose"
        " records were not used (control) is general knowledge."
    ),
    "limits": (
        "What cannot be said: these are simple attacks, and an intruder may know more or have"
        " better ones. That nothing shows does not prove that nothing can be learnt. Rates are"
        " about everybody: a few people who are given away are lost in them."
    ),
}
MANY = 10
"""Of fewer expected successes a decimal is told, or 0.4 and 1.4 would be the same."""
WHOM = {
    "linkability": "people whose two parts general knowledge would not link",
    "inference": "people whose {secret} general knowledge would not give away",
}


def sizes(record: Attacks) -> str:
    """How many people and records there are."""
    whom = format_count(record.n_original, "person", "people")
    if record.person is not None:
        whom = f"{record.n_original:,} rows of {people(record.person.n_people)}"
    parts = [
        f"{whom} in the original",
        f"{format_count(record.n_synthetic, 'record')} in the copy",
    ]
    if record.n_control is not None:
        rows = "" if record.person is None else " rows"
        parts.insert(1, f"{record.n_control:,}{rows} in the control")
    return f"{', '.join(parts)}. Intervals at {record.level:.4g}; seed {record.seed}."


def row_sentences(shown: AttackDisplayRow) -> Iterator[str]:
    """How often the attack succeeded, and what its R says."""
    for _, text in row_keyed(shown):
        yield text


def row_keyed(shown: AttackDisplayRow) -> Iterator[tuple[str, str]]:
    """The same, each sentence by its name."""
    row = shown.row
    if not row.n_found:
        return
    kind = "singling_out" if row.attack.startswith("singling_out") else row.attack
    yield kind, _success(shown, kind)
    if shown.reading == "no R":
        yield "no R", TEMPLATES["no R"]
    elif row.R is not None and shown.interval is not None:
        yield _of_risk(shown, row.R, *shown.interval)


def _success(shown: AttackDisplayRow, kind: str) -> str:
    row = shown.row
    n = f"{row.n_found:,} people"
    return TEMPLATES[kind].format(
        n=format_count(row.n_found, "description") if kind == "singling_out" else n,
        main=format_expected(row.main_successes),
        naive=format_expected(row.naive_successes),
        o=_of_others(row, is_predicate=kind == "singling_out"),
        secret=truncate(row.target or ""),
        who="" if row.group is None else f" who have {truncate(row.group)}",
        keys=and_list(row.keys),
        others=and_list(row.other_keys),
        nearest="nearest record" if shown.k == 1 else f"{shown.k or 0:,} nearest records",
    )


def _of_others(row: AttackRow, *, is_predicate: bool) -> str:
    if row.control_successes is None or row.n_control is None:
        return ""
    which = "singling_out_control" if is_predicate else "people_control"
    return TEMPLATES[which].format(
        control=format_expected(row.control_successes), m=f"{row.n_control:,}"
    )


def _of_risk(shown: AttackDisplayRow, risk: float, low: float, high: float) -> tuple[str, str]:
    row = shown.row
    if shown.reading == "above 0":
        whom = WHOM.get(row.attack)
        kind = "above_predicates" if whom is None else "above"
        return kind, TEMPLATES[kind].format(
            whom=(whom or "").format(secret=truncate(row.target or "")),
            R=percent(100 * risk),
            low=percent(100 * low),
            high=percent(100 * high),
        )
    kind = "holds" if shown.reading == "holds 0" else "below"
    return kind, TEMPLATES[kind].format(
        r=_in_a_sentence(risk), ends=ends(shown), high=f"{max(high, 0.01):.2f}"
    )


def _in_a_sentence(risk: float) -> str:
    return ratio(risk).replace("<", "below ").replace(">", "above ")


def format_expected(successes: float) -> str:
    """How many succeed; "about" where it is an expectation over ties or samples."""
    whole = round(successes)
    if abs(successes - whole) < 1e-6:
        return f"{whole:,}"
    if successes < MANY:
        shown = f"{successes:.1f}"
        return "fewer than 0.1" if shown == "0.0" else f"about {shown}"
    return f"about {whole:,}"


def general(records: Sequence[Attacks]) -> list[str]:
    """What is to be known before any of the figures is read."""
    return [TEMPLATES["meaning" if has_control(records) else "no control"]]


def attack_sentences(records: Sequence[Attacks], most: int) -> tuple[list[tuple[str, str]], int]:
    """Rows in words, by what they are called, and how many are left.

    Groups are left out; of secrets the riskiest are told.
    """
    rows = [shown for shown in attack_rows(records) if shown.row.group is None]
    secrets = [shown for shown in rows if shown.row.attack == "inference"]
    left = secrets[most:]
    told = [(shown.label, " ".join(row_sentences(shown))) for shown in rows if shown not in left]
    return [(label, said) for label, said in told if said], len(left)


def headline(records: Sequence[Attacks]) -> str:
    """The highest risk of all, in a line."""
    rows = [s for s in attack_rows(records) if s.row.group is None and s.row.risk is not None]
    if not rows:
        return "Simulated attacks: nothing could be measured"
    worst = max(rows, key=lambda shown: shown.row.risk or 0)
    if worst.row.R is None:
        most = percent(100 * (worst.row.main or 0))
        return f"Simulated attacks, no control: highest rate {most} ({worst.label})"
    return f"Simulated attacks: highest R {ratio(worst.row.R)}, {ends(worst)} ({worst.label})"


def table_rows(records: Sequence[Attacks]) -> list[tuple[str, ...]]:
    """The table of all rows, under HEADS."""
    return [(shown.label, *cells(shown)) for shown in attack_rows(records)]


def reading_notes(records: Sequence[Attacks]) -> list[Coercion]:
    """How the files were read, each note once."""
    return list(dict.fromkeys(note for record in records for note in record.coercions))


@as_text.register
def _(record: Attacks) -> str:
    return headline([record])


@as_html.register
def _(record: Attacks) -> str:
    records = [record]
    told, _ = attack_sentences(records, most=3)
    return titled_view(
        as_text(record),
        paragraph(sizes(record)),
        *map(paragraph, general(records)),
        *(paragraph(f"{label}. {said}") for label, said in told),
        grid("Attacks, in each the highest risk first", HEADS, table_rows(records)),
        paragraph(legend(records)),
        *map(paragraph, warnings(records)),
        paragraph(TEMPLATES["limits"]),
        notes(record.coercions),
    )
