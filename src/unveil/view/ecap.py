"""The probability that a claim of membership is correct (ECAP), in sentences and blocks.

For the custodian alone: ECAP values are never published.
"""

import math
from collections.abc import Iterator
from itertools import pairwise

from unveil.records.noise import (
    CurveRow,
    DiscreteEcap,
    Ecap,
    EcapRecords,
    NoiseChoice,
    SensitivityRow,
)
from unveil.view.blocks import Block, Heading, Sentence, sentences, table
from unveil.view.format import and_list, format_count, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "confidential": "CONFIDENTIAL: ECAP values, the threshold and the seed must not be published."
    " The kind and the amount of noise may be.",
    "claim": "An intruder who knows the method and the noise would be correct with probability at"
    " most {e} for any value.",
    "limit": "No noise can reduce this below {limit}, the probability of being sampled.",
    "sigma": "The smallest {noise} noise with no ECAP above {t} has a standard deviation of"
    " {sigma}.",
    "use": "Use {use}, the next of 1, 2, 5, 10, 20 and so on: the exact amount, if published,"
    " would disclose the most extreme value.",
    "none needed": "No noise is needed: without any, no ECAP is above {t}.",
    "given": "{noise} noise with a standard deviation of {sigma}.",
    "discrete": "Values, population and noise are treated as whole numbers.",
    "undefined": "No claim can be made about any value.",
    "tail": "They are at {places}{more} (from 0).",
}
_LARGE = 1e15
_EVERY = 4
NOISES = {"normal": "normal", "laplace": "Laplace", "uniform": "uniform"}
CURVE_HEADS = ("sigma", "highest ECAP", "quotient")
SENSITIVITY_HEADS = ("difference", "population", "N", "sigma needed")


def figure(value: float) -> str:
    """A number with four digits, without an exponent where it need not be."""
    return f"{value:,.0f}" if 1000 <= abs(value) < _LARGE else f"{value:.4g}"


def claim(ecap: float | None) -> str:
    """A probability, rounded up: "at most" must stay true; never 1 or 0 unless it is."""
    if ecap is None:
        return "-"
    if ecap in (0, 1):
        return str(int(ecap))
    if ecap > 0.9999:
        return "almost 1"
    digits = max(4, 3 - math.floor(math.log10(ecap)))
    shown = f"{ecap:.{digits}f}"
    up = float(shown) + (10.0**-digits if float(shown) < ecap * (1 - 1e-7) else 0.0)
    return f"{up:.{digits}f}".rstrip("0")


def ecap_sentences(record: Ecap) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    yield "values", _values(record)
    if record.discrete:
        yield "discrete", TEMPLATES["discrete"]
    noise = NOISES[record.noise]
    given = TEMPLATES["given"].format(
        noise=noise[0].upper() + noise[1:], sigma=figure(record.sigma)
    )
    yield "given", given
    if record.worst is None:
        yield "claim", TEMPLATES["undefined"]
    else:
        yield "claim", TEMPLATES["claim"].format(e=claim(record.worst))
    yield "limit", TEMPLATES["limit"].format(limit=figure(record.limit))


def choice_sentences(record: NoiseChoice) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure; warnings stand by themselves."""
    yield "values", _values(record)
    if record.discrete:
        yield "discrete", TEMPLATES["discrete"]
    if record.sigma is not None:
        kind = "sigma" if record.sigma else "none needed"
        yield (
            "sigma",
            TEMPLATES[kind].format(
                noise=NOISES[record.noise],
                t=f"{record.threshold:g}",
                sigma=figure(record.sigma),
            ),
        )
        if record.sigma_to_use:
            yield "use", TEMPLATES["use"].format(use=figure(record.sigma_to_use))
        yield "claim", TEMPLATES["claim"].format(e=claim(record.worst))
    yield "limit", TEMPLATES["limit"].format(limit=figure(record.limit))
    if record.n_tail:
        left = record.n_tail - len(record.tail_places)
        word = "place" if record.n_tail == 1 else "places"
        places = f"{word} {', '.join(f'{place:,}' for place in record.tail_places)}"
        more = f" and {left:,} more" if left else ""
        yield "tail", TEMPLATES["tail"].format(places=places, more=more)


def _values(record: Ecap | NoiseChoice) -> str:
    missing = f" ({record.n_missing:,} missing)" if record.n_missing else ""
    return (
        f"{format_count(record.n_values, 'value')}{missing}, {record.n_distinct:,} distinct."
        f" Population {record.population}: N = {record.N:,}, of whom {record.n:,} were sampled."
    )


def curve_rows(record: NoiseChoice) -> list[tuple[str, str, str]]:
    """Every fourth amount of noise under CURVE_HEADS, that which is enough among them.

    Their quotients are from one shown row to the next.
    """
    rows = record.curve[::_EVERY]
    quotients = ["-", *(figure(_quotient(*pair)) for pair in pairwise(rows))]
    return [
        (figure(row.sigma), claim(row.ecap), quotient)
        for row, quotient in zip(rows, quotients, strict=False)
    ]


def _quotient(before: CurveRow, row: CurveRow) -> float:
    return (row.ecap - before.ecap) / (row.sigma - before.sigma)


def sensitivity_cells(row: SensitivityRow) -> tuple[str, str, str, str]:
    """One other population under SENSITIVITY_HEADS."""
    what = "people" if row.what == "N" else "spread"
    needed = f"none: {row.reason}" if row.sigma is None else figure(row.sigma)
    return f"{row.factor:g} times the {what}", row.population, f"{row.N:,}", needed


@as_text.register
def _(record: Ecap) -> str:
    return (
        f"ECAP of {format_count(record.n_values, 'value')} with {NOISES[record.noise]} noise of"
        f" {figure(record.sigma)}: at most {claim(record.worst)}; no noise goes below"
        f" {figure(record.limit)} (confidential)"
    )


@as_text.register
def _(record: NoiseChoice) -> str:
    sigma = "none is enough" if record.sigma is None else figure(record.sigma)
    return (
        f"Least {NOISES[record.noise]} noise for {format_count(record.n_values, 'value')} with "
        "an ECAP"
        f" of at most {record.threshold:g}: {sigma} (confidential)"
    )


@as_text.register
def _(record: DiscreteEcap) -> str:
    return (
        f"ECAP of {format_count(len(record.levels), 'whole number')}: at most "
        f"{claim(record.worst)}; no"
        f" noise goes below {figure(record.limit)} (confidential)"
    )


RECORDS = {
    "listed": "All {N} people of the population are known; {n} were sampled.",
    "sampled": "{known} known {people} stand for a population of {N}, of whom {n} were sampled.",
    "claim": "An intruder who knows {columns}{together}, the method and the noise would be correct"
    " with probability at most {e} for any record.",
    "above": "{above} of {all} are above the threshold of {t}.",
    "factor": "{factor} times the noise of every column would be enough.",
}


def records_sentences(record: EcapRecords) -> Iterator[str]:
    """What is known of whom, and with what probability."""
    kind = "listed" if record.n_people == record.N else "sampled"
    yield RECORDS[kind].format(
        N=f"{record.N:,}",
        n=f"{record.n:,}",
        known=f"{record.n_people:,}",
        people="person" if record.n_people == 1 else "people",
    )
    if record.worst is None:
        yield TEMPLATES["undefined"]
    else:
        together = " together" if len(record.columns) > 1 else ""
        names = and_list(column.column for column in record.columns)
        yield RECORDS["claim"].format(columns=names, together=together, e=claim(record.worst))
    if record.threshold is not None:
        above, records = f"{record.n_above:,}", format_count(record.n_records, "record")
        yield RECORDS["above"].format(above=above, all=records, t=f"{record.threshold:g}")
    if record.factor is not None and record.n_above:
        up = 10.0 ** (math.floor(math.log10(record.factor)) - 2)
        shown = figure(math.ceil(record.factor / up) * up)
        yield RECORDS["factor"].format(factor=shown)
    yield TEMPLATES["limit"].format(limit=figure(record.limit))


@as_text.register
def _(record: EcapRecords) -> str:
    names = and_list(column.column for column in record.columns)
    return (
        f"ECAP of {format_count(record.n_records, 'record')} by {names}: at most"
        f" {claim(record.worst)}; no noise goes below {figure(record.limit)} (confidential)"
    )


@as_blocks.register
def _(record: EcapRecords) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from sentences(records_sentences(record))
    rows = [
        (truncate(one.column), NOISES[one.noise], figure(one.sigma), claim(one.worst))
        for one in record.columns
    ]
    heads = ("column", "noise", "sigma", "highest ECAP, known alone")
    yield table("Each column by itself", heads, rows, text=("column", "noise"))
    yield from sentences((*record.warnings, TEMPLATES["confidential"]), "look")


def choice_tables(record: NoiseChoice) -> Iterator[Block]:
    """ECAP by the amount of noise, and what other populations would need."""
    yield table("ECAP by amount of noise", CURVE_HEADS, curve_rows(record))
    rows = map(sensitivity_cells, record.sensitivity)
    spare = ("population", "N")
    yield table("Other populations", SENSITIVITY_HEADS, rows, text=("population",), spare=spare)


@as_blocks.register
def _(record: Ecap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from sentences(text for _, text in ecap_sentences(record))
    yield from sentences((*record.warnings, TEMPLATES["confidential"]), "look")


@as_blocks.register
def _(record: NoiseChoice) -> Iterator[Block]:
    yield Heading(as_text(record))
    # Notebooks keep what they show, and places are of single records.
    yield from sentences(text for key, text in choice_sentences(record) if key != "tail")
    yield from sentences(record.warnings, "look")
    yield from choice_tables(record)
    yield Sentence(TEMPLATES["confidential"], "look")


@as_blocks.register
def _(record: DiscreteEcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    rows = [(str(row.level), claim(row.ecap)) for row in record.levels]
    yield table("ECAP by level", ("level", "ECAP"), rows)
    yield Sentence(TEMPLATES["confidential"], "look")
