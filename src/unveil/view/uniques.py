"""Special uniques in sentences a custodian can repeat, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.person import PeopleByKeys
from unveil.records.uniques import KeyContribution, Suda
from unveil.view.blocks import Block, Heading, notes, sentences, table
from unveil.view.format import and_list, format_count, people, percent, percent_or_dash, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "uniques": "{k} of {N} {unit} ({p}) are unique on {keys}.",
    "people": (
        "Of {N} with {rows} rows, {k} ({p}) have keys that no one else has. All other figures here"
        " count rows."
    ),
    "no uniques": "None of the {unit} is unique on {keys}.",
    "sizes": "Keys needed to be unique: {sizes}.",
    "key": "{key} contributes to {p} of minimal sample uniques, more than any other key.",
}

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
KEY_HEADS = ("key", "minimal uniques", "contribution")
SIZE_HEADS = ("keys needed", "minimal uniques", "people")


def suda_sentences(record: Suda, *, has_fraction: bool = True) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure.

    DIS is given only where the sampling fraction is known (`has_fraction`).
    """
    kind = "uniques" if record.n_uniques else "no uniques"
    yield (
        "uniques",
        TEMPLATES[kind].format(
            p=percent(100 * record.n_uniques / record.n_records),
            k=f"{record.n_uniques:,}",
            N=f"{record.n_records:,}",
            unit="people" if record.people is None else "rows",
            keys=and_list(record.keys),
        ),
    )
    if record.people is not None:
        yield "people", _by_person(record.people)
    if sizes := [
        f"{NUMBERS[row.size] if row.size < 10 else row.size} for {people(row.n_records)}"
        for row in record.sizes
        if row.n_records
    ]:
        yield "sizes", TEMPLATES["sizes"].format(sizes=and_list(sizes))
    if has_fraction:
        yield "DIS", _dis(record)
    if record.special_threshold is not None:
        said = (
            f"{format_count(record.n_special, 'special unique')} (SUDA score"
            f" {figure(record.special_threshold)} or more: top"
            f" {percent(100 * (1 - record.quantile))} of the scores above 0, with ties)."
        )
        yield "special", said + (_highest_dis(record) if has_fraction else "")
    if record.n_uniques > record.n_scored:
        yield "unscored", _no_score_sentence(record)
    if (most := most_contributing(record)) is not None:
        said = TEMPLATES["key"].format(key=truncate(most.key), p=percent(most.percent or 0.0))
        yield "key", said


def _by_person(found: PeopleByKeys) -> str:
    return TEMPLATES["people"].format(
        N=people(found.person.n_people),
        rows=f"{found.person.n_rows:,}",
        k=f"{found.n_unique:,}",
        p=percent(found.percent),
    )


def _dis(record: Suda) -> str:
    if record.dis_file is None:
        (why,) = (one.reason for one in record.not_measured if one.field == "dis_file")
        return f"DIS cannot be measured: {why}."
    p, f = percent(100 * record.dis_file), percent(100 * record.dis_fraction)
    return (
        f"DIS: a unique match would be correct with probability {p}, assuming a sampling fraction"
        f" of {f}."
    )


def _highest_dis(record: Suda) -> str:
    if record.dis_highest is not None:
        return f" The highest DIS of a record is {percent(100 * record.dis_highest)}."
    (why,) = (one.reason for one in record.not_measured if one.field == "dis_highest")
    return f" Single records have no DIS: {why}."


def _no_score_sentence(record: Suda) -> str:
    n = record.n_uniques - record.n_scored
    reasons = []
    if record.max_msu is not None and record.max_msu < len(record.keys):
        reasons.append(f"sets of more than {format_count(record.max_msu, 'key')} were not searched")
    if record.missing == "exclude":
        reasons.append("a missing key takes part in no set")
    if record.scores == "normalised":
        reasons.append("the set of all keys weighs nothing")
    are, have = ("is", "has") if n == 1 else ("are", "have")
    why = " or ".join(reasons)
    return (
        f"{people(n)} {are} unique on all keys but {have} no score: {why}. A score of 0 does not"
        " mean that they cannot be matched."
    )


def most_contributing(record: Suda) -> KeyContribution | None:
    """The key that takes part most, where one does more than all others."""
    ranked = contributions_in_order(record)
    if not ranked or ranked[0].percent is None:
        return None
    if len(ranked) > 1 and ranked[1].percent == ranked[0].percent:
        return None
    return ranked[0]


def contributions_in_order(record: Suda) -> list[KeyContribution]:
    """The keys, the one that takes part most first."""
    return sorted(record.contributions, key=lambda row: -(row.percent or 0.0))


def key_cells(row: KeyContribution) -> tuple[str, str, str]:
    """One key under KEY_HEADS."""
    return truncate(row.key), f"{row.n_msu:,}", percent_or_dash(row.percent)


def size_rows(record: Suda) -> list[tuple[str, str, str]]:
    """The sizes of minimal uniques under SIZE_HEADS; people stand at the smallest of theirs."""
    return [(str(row.size), f"{row.n_msu:,}", f"{row.n_records:,}") for row in record.sizes]


def figure(value: float) -> str:
    """A score or an l as it is shown: whole numbers as such, others with three digits."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"


@as_text.register
def _(record: Suda) -> str:
    dis = "-" if record.dis_file is None else percent(100 * record.dis_file)
    return (
        f"Uniques by {and_list(record.keys)}: {people(record.n_uniques)} of {record.n_records:,}"
        f" unique, {record.n_special:,} special; DIS {dis}"
    )


@as_blocks.register
def _(record: Suda) -> Iterator[Block]:
    yield from suda_blocks(record)
    yield from notes(record.coercions)


def suda_blocks(record: Suda) -> Iterator[Block]:
    """Who is unique, on how few keys, and which keys do it."""
    yield Heading("Uniqueness on the key variables (SUDA)")
    yield from sentences(text for _, text in suda_sentences(record))
    rows = [key_cells(row) for row in contributions_in_order(record)]
    yield table("Contribution of each key", KEY_HEADS, rows)
    yield table("Keys needed to be unique", SIZE_HEADS, size_rows(record))
