"""How sure would a claim of membership be, with the noise that was added? Custodian copy only.

ECAP values must not be published (Chapelle and Falissard 2023). Places of single values stay out
of the report too.
"""

from collections.abc import Iterator
from html import escape

from unveil.records.dossier import Dossier, Parts
from unveil.records.noise import Noise, NoisedColumn
from unveil.records.protection import NoiseReason, Protection
from unveil.report import ecap as claimed
from unveil.report import noise as noised
from unveil.report.catalogue import said
from unveil.report.charts.ecap import has_amounts
from unveil.report.charts.noise_curve import noise_curve
from unveil.report.judged import limit_text
from unveil.report.page import figures, folded
from unveil.report.sections.by_scenario import judged_in
from unveil.report.sections.pictured import (
    heading,
    numbered,
    pictured,
    standing,
    unmeasured,
    warned,
)
from unveil.report.sections.section import Said, Section
from unveil.report.status import in_words
from unveil.report.words import lines, name

CAPTION = "Highest ECAP over the released values. Dashed red: the threshold."
UPRIGHT = " Upright lines: the least noise that is enough, and the amount to use."
SQUARE = " Square: the noise of the copy and the worst value it leaves. Not for publication."


def section(dossier: Dossier, parts: Parts) -> Section | None:
    """Every column that got noise, and what may be said of it in public."""
    found = parts.of("protection")
    body = [
        *(part for name_, record in found for part in _noise(dossier, name_, record)),
        *(one.html() for one in unmeasured(dossier, "noise", ["protection"])),
    ]
    if not body:
        return None
    note = standing(dossier, [name_ for name_, _ in found])
    return Section("noise", "Noise against claims of membership", "".join(body), note)


def _noise(dossier: Dossier, part: str, record: Protection) -> Iterator[str]:
    if record.noise is None:
        yield said("noise.none", part).html()
    else:
        yield Said("ecap/confidential", part, claimed.TEMPLATES["confidential"]).html("stop")
        yield from warned("noise", part, record.noise.warnings)
        reasons = {reason.column: reason for reason in record.reasons}
        for column in record.noise.columns:
            yield from _column(part, column, reasons.get(column.column))
            yield from _status(dossier, part, column.column)
        yield from _spared(part, record.noise)
    yield from _public(part, record.statement)


def _column(part: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    of = f"{part}|{column.column}"
    yield heading(column.column)
    yield from _amount(of, column, reason)
    yield from _claim(of, column, reason)
    for key, text in noised.of_column(column):
        if key != "moved" or column.n_changed:
            yield Said(f"noise/{key}", of, text).html()


def _amount(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    """How much was added; nothing is not undone by anything."""
    called = name(column.column)
    if not column.sigma:
        yield said("noise.zero", of, column=called).html()
        if reason is not None and reason.choice is not None and reason.choice.sigma == 0:
            yield said("noise.unneeded", of, t=f"{reason.choice.threshold:g}").html()
        return
    kind = claimed.NOISES.get(column.noise, name(column.noise))
    sigma = claimed.figure(column.sigma)
    yield said("noise.added", of, column=called, noise=kind, sigma=sigma).html()
    if column.n_values and not column.n_changed:
        yield said("noise.undone", of, column=called).html("look")


def _status(dossier: Dossier, part: str, column: str) -> Iterator[str]:
    """How the worst value stands against the custodian's own limit."""
    for one in judged_in(dossier, part, ["ECAP"]):
        if one.subject == column and one.limit is not None:
            limit, status = limit_text("ECAP", one.limit), in_words(one.status)
            of = f"{part}|{column}"
            yield said("noise.status", of, limit=limit, column=name(column), status=status).html()


def _claim(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    """How sure a claim would be, under the curve where there is one."""
    if reason is None or reason.ecap is None:
        yield said("noise.no population", of, column=name(column.column)).html()
        return
    told = {key: Said(f"ecap/{key}", of, text) for key, text in claimed.ecap_sentences(reason.ecap)}
    chart = noise_curve(reason)
    if chart is None or reason.choice is None:
        yield told["claim"].html()
    else:
        yield pictured(
            told["claim"],
            chart,
            caption=CAPTION + (UPRIGHT if has_amounts(reason.choice) else "") + SQUARE,
            heads=claimed.CURVE_HEADS,
            rows=claimed.curve_rows(reason.choice),
        )
    if reason.ecap.n_above:
        t = f"{reason.ecap.threshold:g}"
        yield said("noise.above", of, n=f"{reason.ecap.n_above:,}", t=t).html()
    yield told["limit"].html()
    yield told["values"].html()
    if reason.choice is not None:
        rows = [claimed.sensitivity_cells(row) for row in reason.choice.sensitivity]
        others = figures("", claimed.SENSITIVITY_HEADS, rows)
        yield folded("What other populations would need", others)


def _spared(part: str, record: Noise) -> Iterator[str]:
    yield from (one.html() for one in numbered("noise", part, noised.spared(record)))
    rows = noised.rows_without_ends(record)
    yield figures("Before and after", noised.WITHOUT_ENDS, rows)


def _public(part: str, statement: str) -> Iterator[str]:
    """The statement that may be published, beside what may not."""
    yield said("noise.public", part).html()
    told = "".join(f"<p>{escape(lines(line))}</p>" for line in statement.splitlines() if line)
    yield f"<blockquote>{told}</blockquote>"
