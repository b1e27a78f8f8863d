"""Simulated attacks in sentences a custodian can repeat, and as blocks.

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
from unveil.view.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Sentence,
    notes,
    sentences,
    table,
)
from unveil.view.format import and_list, format_count, people, percent, ratio, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "singling_out": (
        "Of {n} that fit exactly one synthetic record, {main} fit exactly one person of the"
        " original{o}; of as many random descriptions, {naive}."
    ),
    "singling_out_control": ", and {control} exactly one of the control sample",
    "linkability": (
        "An intruder who knows {keys} from one file and {others} from another, and uses the"
        " {nearest}, would link {main} of {n}{o}; at random, {naive}."
    ),
    "inference": (
        "Taking {secret} from the nearest synthetic record is correct for {main} of {n}{who}{o};"
        " from any synthetic record, for {naive}."
    ),
    "people_control": ", and {control} of {m} in the control sample",
    "above": (
        "Excess risk R of this attack: of the {whom}, {R} (between {low} and {high}) are"
        " disclosed because their own records were used."
    ),
    "above_predicates": (
        "Excess risk R of this attack: of the descriptions that single out no one in the control"
        " sample, {R} (between {low} and {high}) do so because these people's own records were"
        " used."
    ),
    "holds": (
        "R of this attack is {r} and its interval, {ends}, includes 0: all of this may be general"
        " knowledge. An R of up to {high} is not ruled out."
    ),
    "below": (
        "R of this attack is {r} and its interval, {ends}, lies below 0: the attack succeeds more"
        " often on the control sample. That is chance, or the two groups differ; it does not mean"
        " that no one is at risk."
    ),
    "no R": "R of this attack could not be computed.",
    "no control": (
        "Without a control sample there is no R: general knowledge cannot be separated from what"
        " the synthetic data add. Only the rate of the attack is given."
    ),
    "meaning": (
        "R (excess risk): of those not disclosed by general knowledge, the share that the"
        " synthetic data disclose; 0 is no more than general knowledge, 1 is everyone. Success on"
        " the control sample counts as general knowledge."
    ),
    "limits": (
        "Limits: these are simple attacks; an intruder may know more or have better ones. A low"
        " rate does not show that nothing can be disclosed, and a few disclosed people hardly"
        " change it."
    ),
}
MANY = 10
"""Of fewer expected successes a decimal is given, or 0.4 and 1.4 would be the same."""
WHOM = {
    "linkability": "people whose two parts are not linked by general knowledge",
    "inference": "people whose {secret} is not disclosed by general knowledge",
}


def sizes(record: Attacks) -> str:
    """How many people and records there are."""
    whom = format_count(record.n_original, "person", "people")
    if record.person is not None:
        whom = f"{record.n_original:,} rows of {people(record.person.n_people)}"
    parts = [
        f"{whom} in the original",
        f"{format_count(record.n_synthetic, 'record')} in the synthetic data",
    ]
    if record.n_control is not None:
        rows = "" if record.person is None else " rows"
        parts.insert(1, f"{record.n_control:,}{rows} in the control sample")
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
        yield _risk_sentence(shown, row.R, *shown.interval)


def _success(shown: AttackDisplayRow, kind: str) -> str:
    row = shown.row
    n = f"{row.n_found:,} people"
    return TEMPLATES[kind].format(
        n=format_count(row.n_found, "description") if kind == "singling_out" else n,
        main=format_expected(row.main_successes),
        naive=format_expected(row.naive_successes),
        o=_control_sentence(row, is_predicate=kind == "singling_out"),
        secret=truncate(row.target or ""),
        who="" if row.group is None else f" who have {truncate(row.group)}",
        keys=and_list(row.keys),
        others=and_list(row.other_keys),
        nearest="nearest record" if shown.k == 1 else f"{shown.k or 0:,} nearest records",
    )


def _control_sentence(row: AttackRow, *, is_predicate: bool) -> str:
    if row.control_successes is None or row.n_control is None:
        return ""
    which = "singling_out_control" if is_predicate else "people_control"
    return TEMPLATES[which].format(
        control=format_expected(row.control_successes), m=f"{row.n_control:,}"
    )


def _risk_sentence(
    shown: AttackDisplayRow, risk: float, low: float, high: float
) -> tuple[str, str]:
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


def attack_sentences(records: Sequence[Attacks]) -> list[tuple[str, str]]:
    """Rows in words, by what they are called; groups of a secret are in the table."""
    rows = [shown for shown in attack_rows(records) if shown.row.group is None]
    found = [(shown.label, " ".join(row_sentences(shown))) for shown in rows]
    return [(label, text) for label, text in found if text]


def headline(records: Sequence[Attacks]) -> str:
    """The highest risk of all, in a line."""
    rows = [s for s in attack_rows(records) if s.row.group is None and s.row.risk is not None]
    if not rows:
        return "Simulated attacks: nothing could be measured"
    worst = max(rows, key=lambda shown: shown.row.risk or 0)
    if worst.row.R is None:
        most = percent(100 * (worst.row.main or 0))
        row = worst.row
        base = "" if row.naive is None else f", {percent(100 * row.naive)} by an uninformed guess"
        return f"Simulated attacks, no control: highest rate {most}{base} ({worst.label})"
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


def attack_blocks(
    records: Sequence[Attacks], chart: Figure | None = None, *, has_words: bool = False
) -> Iterator[Block]:
    """What was tried, one table, and each attack in words; with a chart where there is one."""
    yield from sentences([sizes(records[0]), *general(records)], "lead")
    if chart is not None:
        yield chart
    shown = HEADS if has_control(records) else (*HEADS[:4], HEADS[6])
    rows = [
        tuple(cell for head, cell in zip(HEADS, row, strict=True) if head in shown)
        for row in table_rows(records)
    ]
    caption = "Attacks, the highest risk first in each"
    spare = (HEADS[1], HEADS[3])
    yield table(caption, shown, rows, main=("R",), spare=spare, footnote=legend(records))
    yield from sentences((f"▲ {text}" for text in warnings(records)), "look")
    words = tuple(Sentence(f"{label}: {text}") for label, text in attack_sentences(records))
    if words and has_words:
        yield Heading("In words", 4)
        yield from words
    elif words:
        yield Folded(f"{format_count(len(words), 'attack')} in words", words)


@as_blocks.register
def _(record: Attacks) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from attack_blocks([record])
    yield Sentence(TEMPLATES["limits"])
    yield from notes(record.coercions)
