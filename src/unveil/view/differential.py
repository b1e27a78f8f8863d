"""Training data against control sample, and how a file was split: sentences and blocks.

The words that the paper has for "no difference" are used only where the whole interval lies inside
a margin that the custodian has stated, and something can be concluded from it: see `_margin`.
"""

from collections.abc import Iterator

from unveil.records.differential import (
    ROUNDING,
    ConfidentialityRow,
    DifferentialConfidentiality,
    Split,
)
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, Sentence, notes
from unveil.view.format import (
    and_list,
    format_copies,
    format_count,
    people,
    percent,
    ratio,
    truncate,
)
from unveil.view.show import as_blocks, as_text

BEYOND_CHANCE = "The interval excludes 0: chance hardly explains the difference."
NO_MARGIN = (
    "The interval includes 0. This is no evidence that there is no difference: to test that, state"
    " a difference that would not matter (margin)."
)
SPLIT_SEED = (
    "The parts and the seed are as confidential as the original: the seed shows who is in which."
)
HEADS = ("m", "training", "control", "difference", "interval", "t", "df", "p", "margin")
"""The columns of the table of a method; the last where there is a margin."""


def points(share: float) -> str:
    """A difference of shares in percentage points, without its sign."""
    shown = f"{abs(100 * share):.1f}"
    if share and shown == "0.0":
        return "less than 0.1 points"
    return f"{shown} points"


def sizes(record: DifferentialConfidentiality) -> str:
    """How much data there is, what is assumed of the intruder, and what a non-match counts."""
    copies = ", ".join(_sizes(method, n) for method, n in record.methods.items())
    nonmatch = {
        "zero": "A person without a match counts as guessed wrongly.",
        "undefined": "People without a match are not counted.",
    }
    return (
        f"{people(record.n_included)} in the training data, {people(record.n_left_out)} in the"
        f" control sample, {copies}. Assumed intruder: knows {and_list(record.keys)}, and guesses"
        f" {_target(record)} from the records with the same keys. {nonmatch[record.nonmatch]}"
    )


def _sizes(method: str, n: tuple[int, ...]) -> str:
    return format_copies(n, f" by {truncate(method)}" if method else "")


def _target(record: DifferentialConfidentiality) -> str:
    together = " together" if len(record.target) > 1 else ""
    return f"{and_list(record.target)}{together}"


def differential_sentences(record: DifferentialConfidentiality) -> Iterator[tuple[str, list[str]]]:
    """What to say, under a heading for each method."""
    for method in record.methods:
        about = f", {truncate(method)}" if method else ""
        yield f"In words{about}", list(sentences(record, method))


def sentences(record: DifferentialConfidentiality, method: str = "") -> Iterator[str]:
    """What all copies of a method show: the difference, the margin, and what p is worth."""
    row = record.headline(method)
    yield _difference(record, row)
    yield (
        f"{percent(100 * row.n_match_included / record.n_included)} of the training data and"
        f" {percent(100 * row.n_match_left_out / record.n_left_out)} of the control sample have"
        f" keys that occur in {_copies(row)}."
    )
    if row.interval is not None:
        yield _margin(record, row)
    if row.p is not None:
        yield (
            "t, df and p assume independent scores. People with the same keys are scored on the"
            " same synthetic records, so p is only an indication."
        )


def _difference(record: DifferentialConfidentiality, row: ConfidentialityRow) -> str:
    if row.difference is None or row.mean_included is None or row.mean_left_out is None:
        return f"The difference could not be measured: {_reason(record, row, 'difference')}."
    a, b = percent(100 * row.mean_included), percent(100 * row.mean_left_out)
    often = f"{points(row.difference)} {'more' if row.difference > 0 else 'less'} often"
    said = f"Guesses are correct {often} about the training data: {a}, against {b} about the"
    said += " control sample"
    if abs(row.difference) < ROUNDING:
        said = f"Guesses are correct as often about the training data as the control sample: {a}"
    if row.interval is None:
        return f"{said}. No interval could be computed: {_reason(record, row, 'interval')}."
    low, high = (f"{100 * end:.1f}".replace("-0.0", "0.0") for end in row.interval)
    return f"{said} ({100 * record.confidence:g} % interval: {low} to {high} points)."


def _margin(record: DifferentialConfidentiality, row: ConfidentialityRow) -> str:
    if record.margin is None and row.doubt is not None:
        return f"Nothing can be concluded from the interval: {row.doubt}."
    if record.margin is None:
        low, high = row.interval or (0.0, 0.0)
        return NO_MARGIN if low <= 0 <= high else BEYOND_CHANCE
    margin = f"the margin of {100 * record.margin:g} points either way"
    if row.equivalent is None:
        return f"Whether the difference lies inside {margin} cannot be determined: {row.doubt}."
    if not row.equivalent:
        return (
            f"The interval does not lie inside {margin}: a difference that matters is not ruled"
            " out."
        )
    return (
        f"The whole interval lies inside {margin}: within it, {_copies(row)} are differentially"
        f" confidential for {_target(record)} given {and_list(record.keys)}."
    )


def _copies(row: ConfidentialityRow) -> str:
    by = f" by {truncate(row.method)}" if row.method else ""
    return f"the synthetic data{by}" if row.m == 1 else f"the {row.m} copies{by} together"


def _reason(record: DifferentialConfidentiality, row: ConfidentialityRow, field: str) -> str:
    place = (row.method, row.m, field)
    lacking = record.not_measured
    return next((one.reason for one in lacking if (one.method, one.m, one.field) == place), "")


def table(
    record: DifferentialConfidentiality, method: str = ""
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads and the figures of every m of a method, shaped as the paper's Table 4."""
    heads = HEADS if record.margin is not None else HEADS[:-1]
    return heads, [_cells(row)[: len(heads)] for row in record.rows if row.method == method]


def caption(method: str) -> str:
    """What stands over the table of a method."""
    of = f", {truncate(method)}" if method else ""
    return f"Training data against control sample, by number of pooled copies (m){of}"


def _cells(row: ConfidentialityRow) -> tuple[str, ...]:
    low, high = row.interval or (None, None)
    return (
        str(row.m),
        _share(row.mean_included),
        _share(row.mean_left_out),
        _share(row.difference),
        "-" if low is None else f"{_share(low)} to {_share(high)}",
        ratio(row.t),
        "-" if row.df is None else f"{row.df:,.0f}",
        "-" if row.p is None else "<0.001" if row.p < 0.0005 else f"{row.p:.3f}",
        {None: "-", True: "inside", False: "outside"}[row.equivalent],
    )


def _share(value: float | None) -> str:
    """A share with three decimals, as the paper's Table 4 has them; never a positive 0.000."""
    if value is None:
        return "-"
    if abs(value) < ROUNDING:
        return "0"
    shown = f"{value:.3f}"
    return {"0.000": "<0.001", "-0.000": ">-0.001"}.get(shown, shown)


@as_text.register
def _(record: DifferentialConfidentiality) -> str:
    who = f"{_target(record)} from {and_list(record.keys)}"
    rows = [record.headline(method) for method in record.methods]
    return "\n".join(
        f"Training against control, {who}, {truncate(row.method)}{' ' if row.method else ''}m ="
        f" {row.m}: {_difference(record, row)}"
        for row in rows
    )


@as_blocks.register
def _(record: DifferentialConfidentiality) -> Iterator[Block]:
    yield Heading("Differential confidentiality")
    yield Sentence(sizes(record), "lead")
    for method in record.methods:
        heads, rows = table(record, method)
        spare = ("df", "t", "p", "training", "control")
        yield blocks.table(caption(method), heads, rows, spare=spare)
    for heading, said in differential_sentences(record):
        yield Heading(heading, 4)
        yield from blocks.sentences(said)
    yield Sentence(f"Seed of the bootstrap: {record.seed}", "dim")
    yield from notes(record.coercions)


@as_text.register
def split_sentence(record: Split) -> str:
    """How a file was split."""
    strata = ""
    if record.strata:
        n = format_count(record.n_strata, "combination")
        strata = f", within {n} of {and_list(record.strata)}"
    drawn = f"drawn at random with seed {record.seed}{strata}."
    if record.person is not None:
        return (
            f"{record.n_people_included:,} of {record.person.n_people:,} people are in the training"
            f" sample and {record.n_people_left_out:,} in the control sample, each with all rows of"
            f" their {truncate(record.person.column)} ({record.n_included:,} rows and"
            f" {record.n_left_out:,}), {drawn}"
        )
    return (
        f"{record.n_included:,} of {format_count(record.n_original, 'record')} are in the training"
        f" sample and {record.n_left_out:,} in the control sample, {drawn}"
    )


@as_blocks.register
def _(record: Split) -> Iterator[Block]:
    yield from blocks.sentences([split_sentence(record), SPLIT_SEED])
    yield from notes(record.coercions)
