"""Noise against claims of membership (ECAP). Confidential.

ECAP values must not be published (Chapelle and Falissard 2023). Places of single values stay out
of the report too.
"""

from collections.abc import Iterator

from unveil.records.noise import NoisedColumn
from unveil.records.protection import NoiseReason, Protection
from unveil.records.report import Parts, ReportContents
from unveil.view import ecap as claimed
from unveil.view import noise as noised
from unveil.view.blocks import Block, Figure, Heading, Items, Sentence, table
from unveil.view.charts.lines import has_amounts, noise_curve
from unveil.view.format import limit_text, lines, truncate
from unveil.view.sections.shared import (
    figures_of_part,
    fold,
    number_sentences,
    unmeasured,
    warn,
)
from unveil.view.status import format_status

CAPTION = "Highest ECAP over the released values. Dashed red: threshold."
UPRIGHT = " Vertical lines: least sufficient noise, and the amount to use."
SQUARE = " Square: noise of the synthetic data and the worst value it leaves. Not for publication."


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Every column with noise, and the statement that may be published."""
    for part, record in parts.of("protection"):
        yield Heading("Noise against claims of membership", 3)
        yield from _noise(contents, part, record)
    yield from unmeasured(contents, ["protection"])


def _noise(contents: ReportContents, part: str, record: Protection) -> Iterator[Block]:
    if record.noise is None:
        yield Sentence("No noise was added.", key="noise.none", of=part)
    else:
        yield Sentence(claimed.NOT_PUBLIC, "stop", "ecap/confidential", part)
        yield from warn("noise", part, record.noise.warnings)
        reasons = {reason.column: reason for reason in record.reasons}
        for column in record.noise.columns:
            yield from _column(part, column, reasons.get(column.column))
            yield from _status(contents, part, column.column)
        yield from number_sentences("noise", part, noised.not_needed_sentences(record.noise))
        rows = noised.rows_without_ends(record.noise)
        yield table("Before and after", noised.WITHOUT_ENDS, rows)
    yield Sentence(
        "Only this statement may be published, word for word:", key="noise.public", of=part
    )
    said = [line.removeprefix("- ") for line in record.statement.splitlines() if line]
    yield Items(tuple(map(lines, said)))


def _column(part: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[Block]:
    of = f"{part}|{column.column}"
    yield Heading(truncate(column.column), 4)
    yield from _amount(of, column, reason)
    yield from _claim(of, column, reason)
    for key, text in noised.column_sentences(column):
        if key != "moved" or column.n_changed:
            yield Sentence(text, key=f"noise/{key}", of=of)


def _amount(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[Block]:
    """How much was added."""
    called = truncate(column.column)
    if not column.sigma:
        yield Sentence(f"{called}: no noise.", key="noise.zero", of=of)
        if reason is not None and reason.choice is not None and reason.choice.sigma == 0:
            text = f"None is needed: no ECAP exceeds the threshold of {reason.choice.threshold:g}."
            yield Sentence(text, key="noise.unneeded", of=of)
        return
    kind = claimed.NOISES.get(column.noise, truncate(column.noise))
    text = f"{called}: {kind} noise, standard deviation {claimed.figure(column.sigma)}."
    yield Sentence(text, key="noise.added", of=of)
    if column.n_values and not column.n_changed:
        text = (
            f"No value of {called} changed: rounding or clipping has undone the noise, so it"
            " protects no one. ECAP below holds before rounding, not for what is released."
        )
        yield Sentence(text, "look", "noise.undone", of)


def _status(contents: ReportContents, part: str, column: str) -> Iterator[Block]:
    """The worst value against the custodian's limit."""
    for one in figures_of_part(contents, part, ["ECAP"]):
        if one.subject == column and one.limit is not None:
            text = (
                f"ECAP of {truncate(column)}, worst value: {format_status(one.status)} (limit"
                f" {limit_text('ECAP', one.limit)})."
            )
            yield Sentence(text, key="noise.status", of=f"{part}|{column}")


def _claim(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[Block]:
    """The probability that a claim is correct, with the curve where there is one."""
    if reason is None or reason.ecap is None:
        text = f"ECAP of {truncate(column.column)} is not measured: no population was stated."
        yield Sentence(text, "look", "noise.no population", of)
        return
    said = {
        key: Sentence(text, key=f"ecap/{key}", of=of)
        for key, text in claimed.ecap_sentences(reason.ecap)
    }
    chart = noise_curve(reason)
    if chart is None or reason.choice is None:
        yield said["claim"]
    else:
        caption = CAPTION + (UPRIGHT if has_amounts(reason.choice) else "") + SQUARE
        curve = table("", claimed.CURVE_HEADS, claimed.curve_rows(reason.choice))
        yield Figure(said["claim"], chart, caption, curve)
    if n := reason.ecap.n_above:
        text = f"{n:,} of its values have an ECAP above the threshold of {reason.ecap.threshold:g}."
        yield Sentence(text, "look", "noise.above", of)
    yield said["limit"]
    yield said["values"]
    if reason.choice is not None:
        rows = [claimed.sensitivity_cells(row) for row in reason.choice.sensitivity]
        others = table("", claimed.SENSITIVITY_HEADS, rows)
        yield from fold("Noise needed under other populations", [others] if rows else [])
