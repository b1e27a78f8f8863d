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
from unveil.view.blocks import Block, Heading, Sentence, say, sentences, table
from unveil.view.format import agree, and_list, format_count, truncate
from unveil.view.show import as_blocks, as_text

NOT_PUBLIC = (
    "CONFIDENTIAL: ECAP values, the threshold and the seed must not be published. The kind and the"
    " amount of noise may be."
)
WHOLE = "Values, population and noise are treated as whole numbers."
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


def claim_sentence(ecap: float | None) -> str:
    """What an intruder could claim at most."""
    if ecap is None:
        return "No claim can be made about any value."
    return (
        "An intruder who knows the method and the noise would be correct with probability at most"
        f" {claim(ecap)} for any value."
    )


def noise_sentence(noise: str, sigma: float) -> str:
    """What noise there is."""
    name = NOISES[noise]
    return f"{name[0].upper()}{name[1:]} noise with a standard deviation of {figure(sigma)}."


def _limit_sentence(limit: float) -> str:
    return f"No noise can reduce this below {figure(limit)}, the probability of being sampled."


def ecap_sentences(record: Ecap) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    yield "values", _values(record)
    if record.discrete:
        yield "discrete", WHOLE
    yield "given", noise_sentence(record.noise, record.sigma)
    yield "claim", claim_sentence(record.worst)
    yield "limit", _limit_sentence(record.limit)


def choice_sentences(record: NoiseChoice) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure; warnings stand by themselves."""
    yield "values", _values(record)
    if record.discrete:
        yield "discrete", WHOLE
    if record.sigma is not None:
        t = f"{record.threshold:g}"
        least = (
            f"The smallest {NOISES[record.noise]} noise with no ECAP above {t} has a standard"
            f" deviation of {figure(record.sigma)}."
        )
        none = f"No noise is needed: without any, no ECAP is above {t}."
        yield "sigma", least if record.sigma else none
        if record.sigma_to_use:
            yield (
                "use",
                f"Use {figure(record.sigma_to_use)}, the next of 1, 2, 5, 10, 20 and so on: the"
                " exact amount, if published, would disclose the most extreme value.",
            )
        yield "claim", claim_sentence(record.worst)
    yield "limit", _limit_sentence(record.limit)
    if record.n_tail:
        left = record.n_tail - len(record.tail_places)
        word = "place" if record.n_tail == 1 else "places"
        places = f"{word} {', '.join(f'{place:,}' for place in record.tail_places)}"
        more = f" and {left:,} more" if left else ""
        yield "tail", f"They are at {places}{more} (from 0)."


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


def records_sentences(record: EcapRecords) -> Iterator[str]:
    """What is known of whom, and with what probability."""
    n, everyone = f"{record.n:,}", f"{record.N:,}"
    if record.n_people == record.N:
        yield f"All {everyone} people of the population are known; {n} were sampled."
    else:
        known = f"{record.n_people:,} known {agree(record.n_people, 'person', 'people')}"
        yield f"{known} stand for a population of {everyone}, of whom {n} were sampled."
    if record.worst is None:
        yield claim_sentence(None)
    else:
        together = " together" if len(record.columns) > 1 else ""
        names = and_list(column.column for column in record.columns)
        yield (
            f"An intruder who knows {names}{together}, the method and the noise would be correct"
            f" with probability at most {claim(record.worst)} for any record."
        )
    if record.threshold is not None:
        of = f"{record.n_above:,} of {format_count(record.n_records, 'record')}"
        yield f"{of} are above the threshold of {record.threshold:g}."
    if record.factor is not None and record.n_above:
        up = 10.0 ** (math.floor(math.log10(record.factor)) - 2)
        shown = figure(math.ceil(record.factor / up) * up)
        yield f"{shown} times the noise of every column would be enough."
    yield _limit_sentence(record.limit)


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
    yield from sentences((*record.warnings, NOT_PUBLIC), "look")


def choice_tables(record: NoiseChoice) -> Iterator[Block]:
    """ECAP by the amount of noise, and what other populations would need."""
    yield table("ECAP by amount of noise", CURVE_HEADS, curve_rows(record))
    rows = map(sensitivity_cells, record.sensitivity)
    spare = ("population", "N")
    yield table("Other populations", SENSITIVITY_HEADS, rows, text=("population",), spare=spare)


@as_blocks.register
def _(record: Ecap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from say(ecap_sentences(record))
    yield from sentences((*record.warnings, NOT_PUBLIC), "look")


@as_blocks.register
def _(record: NoiseChoice) -> Iterator[Block]:
    yield Heading(as_text(record))
    # Notebooks keep what they show, and places are of single records.
    yield from sentences(text for key, text in choice_sentences(record) if key != "tail")
    yield from sentences(record.warnings, "look")
    yield from choice_tables(record)
    yield Sentence(NOT_PUBLIC, "look")


@as_blocks.register
def _(record: DiscreteEcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    rows = [(str(row.level), claim(row.ecap)) for row in record.levels]
    yield table("ECAP by level", ("level", "ECAP"), rows)
    yield Sentence(NOT_PUBLIC, "look")
