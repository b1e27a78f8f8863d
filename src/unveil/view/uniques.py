"""Special uniques in sentences a custodian can repeat, as blocks and as bars."""

from collections.abc import Callable, Iterator

from unveil.records.uniques import KeyContribution, MsuSize, Suda
from unveil.view.blocks import Block, Figure, Folded, Heading, list_rows, notes, say
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import bars_panel, figure_row
from unveil.view.charts.marks import ORIGINAL, PEOPLE, describe_rows, percent_axis, truncate_name
from unveil.view.format import and_list, format_count, people, percent, percent_or_dash, truncate
from unveil.view.show import as_blocks, as_text

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
KEYS: dict[str, Callable[[KeyContribution], str]] = {
    "key": lambda row: truncate(row.key),
    "minimal uniques": lambda row: f"{row.n_msu:,}",
    "contribution": lambda row: percent_or_dash(row.percent),
}
SIZES: dict[str, Callable[[MsuSize], str]] = {
    "keys needed": lambda row: str(row.size),
    "minimal uniques": lambda row: f"{row.n_msu:,}",
    "people": lambda row: f"{row.n_records:,}",
}
CAPTION = (
    "Above: people by the fewest keys that make them unique. Below: contribution of each key to the"
    " minimal sample uniques; small sets count for more."
)


def suda_sentences(record: Suda, *, has_fraction: bool = True) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure.

    DIS is given only where the sampling fraction is known (`has_fraction`).
    """
    unit, share = "rows" if record.people else "people", record.n_uniques / record.n_records
    who = f"{record.n_uniques:,} of {record.n_records:,} {unit} ({percent(100 * share)}) are"
    who = who if record.n_uniques else f"None of the {unit} is"
    yield "uniques", f"{who} unique on {and_list(record.keys)}."
    if (found := record.people) is not None:
        yield (
            "people",
            f"Of {people(found.person.n_people)} with {found.person.n_rows:,} rows,"
            f" {found.n_unique:,} ({percent(found.percent)}) have keys that no one else has. All"
            " other figures here count rows.",
        )
    if sizes := [
        f"{NUMBERS[row.size] if row.size < 10 else row.size} for {people(row.n_records)}"
        for row in record.sizes
        if row.n_records
    ]:
        yield "sizes", f"Keys needed to be unique: {and_list(sizes)}."
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
        share = most.percent or 0.0
        of = f"{percent(share)} of minimal sample uniques"
        yield "key", f"{truncate(most.key)} contributes to {of}, more than any other key."


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


def uniques_chart(record: Suda) -> Chart:
    """People by the fewest keys that make them unique, above the contribution of each key."""
    shares = [(row, 100 * row.n_records / record.n_records) for row in record.sizes]
    sizes = [
        figure_row(
            format_count(row.size, "key"), share, f"{percent(share)}: {people(row.n_records)}"
        )
        for row, share in shares
    ]
    keys = [
        figure_row(truncate_name(row.key), row.percent, percent_or_dash(row.percent))
        for row in contributions_in_order(record)
    ]
    panels = [
        bars_panel(rows, percent_axis(axis, (row["value"] for row in rows)), ORIGINAL, title=title)
        for rows, axis, title in (
            (sizes, PEOPLE, "Keys needed to be unique"),
            (keys, "percent of the sum of scores", "Contribution of each key"),
        )
    ]
    return Chart(
        {"vconcat": panels, "spacing": 26},
        title=f"Uniqueness on {and_list(record.keys)} (SUDA)",
        description=describe_rows((*sizes, *keys)),
    )


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
    yield from say(suda_sentences(record))
    yield list_rows("Contribution of each key", KEYS, contributions_in_order(record))
    yield list_rows("Keys needed to be unique", SIZES, record.sizes)


def suda_detail(record: Suda, of: str, *, has_fraction: bool) -> Iterator[Block]:
    """The same in a report, with the chart."""
    first, *rest = say(suda_sentences(record, has_fraction=has_fraction), "uniques", of)
    if record.n_msu:
        sizes = list_rows("", SIZES, record.sizes)
        yield Figure(first, uniques_chart(record), CAPTION, sizes, is_printed=False)
        keys = list_rows("", KEYS, contributions_in_order(record))
        yield Folded("Contribution of each key", (keys,))
    else:
        yield first
    yield from rest
