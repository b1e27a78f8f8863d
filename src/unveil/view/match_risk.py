"""Matches and their risk in sentences a custodian can repeat, as blocks and as bars."""

from collections.abc import Callable, Iterator

from unveil.records.person import PeopleByKeys
from unveil.records.uniques import AlignedMatch, AlignedMatchRow, Anonymity, Diversity, MatchRisk
from unveil.view.blocks import Block, Folded, Heading, Sentence, list_rows, notes, say
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import figure_row, percent_bars
from unveil.view.charts.marks import ORIGINAL, PEOPLE
from unveil.view.format import agree, and_list, fill, format_share, people, percent, truncate
from unveil.view.show import as_blocks, as_text
from unveil.view.uniques import NUMBERS, figure

ALONE = (
    "{n} of {N} people ({p}) {n:shares|share} their keys only with records of one value of"
    " {sensitive}, which is disclosed."
)
MATCHED = {
    2: "share their keys with no one else",
    3: "share their keys with at most one other",
    5: "share their keys with at most three others",
}
HIGH_RISK = 0.1
MANY = 10
"""Of so many people no tenth is given."""
ANONYMITY: dict[str, Callable[[Anonymity], str]] = {
    "k": lambda row: str(row.k),
    "people in smaller groups": lambda row: f"{row.n:,}",
    "percent": lambda row: percent(100 * row.share),
}
DIVERSITY: dict[str, Callable[[Diversity], str]] = {
    "l-diversity": lambda row: row.kind,
    "lowest l": lambda row: figure(row.lowest),
    "people below 2": lambda row: f"{row.n_below_2:,}",
    "below 3": lambda row: f"{row.n_below_3:,}",
}


def risk_sentences(record: MatchRisk) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    for row in record.anonymity:
        if row.n:
            yield f"k = {row.k}", _anonymity(record, row)
    if not any(row.n for row in record.anonymity):
        most = max(row.k for row in record.anonymity) - 1
        yield "k", f"Every person shares their keys with at least {NUMBERS[most]} others."
    assumed = "assuming that the file holds the whole population"
    if record.weights is not None:
        weights = truncate(record.weights)
        assumed = f"with {weights} as the number of people that each record represents"
    yield (
        "risk",
        f"Expected correct matches: {_format_expected(record.expected_reidentifications)} of"
        f" {people(record.n_records)} ({percent(100 * record.global_risk)}), {assumed}.",
    )
    if record.people is not None:
        yield _by_person(record.people)
    for above in record.risks:
        if above.above == HIGH_RISK and above.n:
            said = f"For {people(above.n)} the risk is above {percent(100 * above.above)}."
            yield "above", said
    for diversity in record.diversity:
        if diversity.kind == "distinct":
            n, sensitive = diversity.n_below_2, truncate(record.sensitive or "")
            share, of = percent(100 * n / record.n_records), f"{record.n_records:,}"
            none = f"No one shares their keys only with records of one value of {sensitive}."
            yield "l", fill(ALONE, p=share, n=f"{n:,}", N=of, sensitive=sensitive) if n else none


def _by_person(found: PeopleByKeys) -> tuple[str, str]:
    said = f"Counted by person, the rarest keys are those of {people(found.k)}"
    if found.global_risk is None:
        return "people weighted", f"{said}."
    p = percent(100 * found.global_risk)
    return "people", f"{said}; a match would be correct with probability {p} on average."


def _anonymity(record: MatchRisk, row: Anonymity) -> str:
    return (
        f"{row.n:,} of {record.n_records:,} {'people' if record.people is None else 'rows'}"
        f" ({percent(100 * row.share)}) {MATCHED[row.k]}."
    )


def _format_expected(value: float) -> str:
    """An expected number of people, never rounded to 0."""
    shown = f"{value:,.1f}" if value < MANY else f"{value:,.0f}"
    return "fewer than 0.1" if shown == "0.0" else f"about {shown}"


def match_chart(record: MatchRisk) -> Chart:
    """How many people few others match, and how many have a high individual risk."""
    shares = [(MATCHED[one.k].removeprefix("are "), one.n, one.share) for one in record.anonymity]
    shares += [(f"match risk above {100 * r.above:g} %", r.n, r.share) for r in record.risks]
    rows = [
        figure_row(name, 100 * share, f"{percent(100 * share)}: {people(n)}")
        for name, n, share in shares
    ]
    return percent_bars(rows, PEOPLE, ORIGINAL, f"Match risk by {and_list(record.keys)}")


@as_text.register
def _(record: MatchRisk) -> str:
    return (
        f"Match risk by {and_list(record.keys)}:"
        f" {_format_expected(record.expected_reidentifications)} of"
        f" {record.n_records:,} expected to match correctly ({percent(100 * record.global_risk)})"
    )


@as_blocks.register
def _(record: MatchRisk) -> Iterator[Block]:
    yield Heading("Match risk")
    yield from say(risk_sentences(record))
    yield list_rows("k-anonymity", ANONYMITY, record.anonymity)
    caption = f"l-diversity of {truncate(record.sensitive or '')}"
    yield list_rows(caption, DIVERSITY, record.diversity)
    yield from notes(record.coercions)


def match_detail(record: MatchRisk, of: str) -> Iterator[Block]:
    """The same in a report."""
    names = {"k": "no anonymity", "l": "diversity"}
    for key, text in risk_sentences(record):
        name = "anonymity" if key.startswith("k =") else names.get(key, key)
        yield Sentence(text, key=f"match risk/{name}", of=f"{of}|{key}")
    yield Folded("k-anonymity", (list_rows("", ANONYMITY, record.anonymity),))
    yield list_rows("l-diversity", DIVERSITY, record.diversity)


# Rows matched to rows

COLUMNS: dict[str, Callable[[AlignedMatchRow], str]] = {
    "copy": lambda row: str(row.copy),
    "matched": lambda row: f"{row.n_matched:,}",
    "perceived": lambda row: format_share(row.perceived_match_rate),
    "true": lambda row: format_share(row.true_match_rate),
    "false": lambda row: format_share(row.false_match_rate),
    "expected": lambda row: format_share(row.expected_match_rate),
}


def aligned_sentences(record: AlignedMatch) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    row = record.headline
    n, has = row.n_unique, "the synthetic data"
    if record.n_copies > 1:
        has = f"all {record.n_copies} copies"
    yield (
        "perceived",
        f"{n:,} of {record.n_records:,} people ({percent(100 * row.perceived_match_rate)})"
        f" {agree(n, 'has', 'have')} a single most likely row, for an intruder who knows"
        f" {and_list(record.keys)} and has {has}.",
    )
    yield "true", _true(row)
    yield (
        "expected",
        f"A random choice among the most likely rows would be correct for about"
        f" {row.expected_match_risk:,.1f} of {people(record.n_records)}"
        f" ({percent(100 * row.expected_match_rate)}).",
    )
    for off in record.tolerances:
        yield "tolerance", f"{truncate(off.key)} may differ by {off.tolerance:g}."


def _true(row: AlignedMatchRow) -> str:
    if row.false_match_rate is None:
        return "No one has a single most likely row."
    return (
        f"For {people(row.n_true)} ({percent(100 * row.true_match_rate)} of all) it is their own"
        f" row; {percent(100 * row.false_match_rate)} of these matches are wrong."
    )


@as_text.register
def _(record: AlignedMatch) -> str:
    row = record.headline
    return (
        f"Rows matched by {and_list(record.keys)}: about {row.expected_match_risk:,.1f} of"
        f" {record.n_records:,} expected to match correctly"
        f" ({percent(100 * row.expected_match_rate)})"
    )


@as_blocks.register
def _(record: AlignedMatch) -> Iterator[Block]:
    yield Heading("Rows of the synthetic data matched to people")
    yield from say(aligned_sentences(record))
    yield list_rows("Match rates", COLUMNS, record.rows, spare=("matched",))
    yield from notes(record.coercions)
