"""How sure would a claim of membership be, with the noise that was added? Custodian copy only.

ECAP values must not be published (Chapelle and Falissard 2023). Places of single values stay out
of the report too.
"""

from collections.abc import Iterator
from html import escape

from unveil.records.noise import Noise, NoisedColumn
from unveil.records.protection import NoiseReason, Protection
from unveil.records.report import Parts, ReportContents
from unveil.view import ecap as claimed
from unveil.view import noise as noised
from unveil.view.charts.lines import has_amounts, noise_curve
from unveil.view.format import lines, truncate
from unveil.view.html_page import figures, render_details
from unveil.view.limits import limit_text
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import figures_of_part
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import (
    contents_status,
    number_sentences,
    render_figure,
    render_heading,
    render_warnings,
    unmeasured_sentences,
)
from unveil.view.status import format_status

CAPTION = "Highest ECAP over the released values. Dashed red: the threshold."
UPRIGHT = " Upright lines: the least noise that is enough, and the amount to use."
SQUARE = " Square: the noise of the copy and the worst value it leaves. Not for publication."


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Every column that got noise, and what may be said of it in public."""
    found = parts.of("protection")
    body = [
        *(part for name_, record in found for part in _noise(contents, name_, record)),
        *(one.html() for one in unmeasured_sentences(contents, "noise", ["protection"])),
    ]
    if not body:
        return None
    note = contents_status(contents, [name_ for name_, _ in found])
    return Section("noise", "Noise against claims of membership", "".join(body), note)


def _noise(contents: ReportContents, part: str, record: Protection) -> Iterator[str]:
    if record.noise is None:
        yield fill_sentence("noise.none", part).html()
    else:
        yield Phrase("ecap/confidential", part, claimed.TEMPLATES["confidential"]).html("stop")
        yield from render_warnings("noise", part, record.noise.warnings)
        reasons = {reason.column: reason for reason in record.reasons}
        for column in record.noise.columns:
            yield from _column(part, column, reasons.get(column.column))
            yield from _status(contents, part, column.column)
        yield from _spared(part, record.noise)
    yield from _public(part, record.statement)


def _column(part: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    of = f"{part}|{column.column}"
    yield render_heading(column.column)
    yield from _amount(of, column, reason)
    yield from _claim(of, column, reason)
    for key, text in noised.column_sentences(column):
        if key != "moved" or column.n_changed:
            yield Phrase(f"noise/{key}", of, text).html()


def _amount(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    """How much was added; nothing is not undone by anything."""
    called = truncate(column.column)
    if not column.sigma:
        yield fill_sentence("noise.zero", of, column=called).html()
        if reason is not None and reason.choice is not None and reason.choice.sigma == 0:
            yield fill_sentence("noise.unneeded", of, t=f"{reason.choice.threshold:g}").html()
        return
    kind = claimed.NOISES.get(column.noise, truncate(column.noise))
    sigma = claimed.figure(column.sigma)
    yield fill_sentence("noise.added", of, column=called, noise=kind, sigma=sigma).html()
    if column.n_values and not column.n_changed:
        yield fill_sentence("noise.undone", of, column=called).html("look")


def _status(contents: ReportContents, part: str, column: str) -> Iterator[str]:
    """How the worst value stands against the custodian's own limit."""
    for one in figures_of_part(contents, part, ["ECAP"]):
        if one.subject == column and one.limit is not None:
            limit, status = limit_text("ECAP", one.limit), format_status(one.status)
            of = f"{part}|{column}"
            yield fill_sentence(
                "noise.status", of, limit=limit, column=truncate(column), status=status
            ).html()


def _claim(of: str, column: NoisedColumn, reason: NoiseReason | None) -> Iterator[str]:
    """How sure a claim would be, under the curve where there is one."""
    if reason is None or reason.ecap is None:
        yield fill_sentence("noise.no population", of, column=truncate(column.column)).html()
        return
    told = {
        key: Phrase(f"ecap/{key}", of, text) for key, text in claimed.ecap_sentences(reason.ecap)
    }
    chart = noise_curve(reason)
    if chart is None or reason.choice is None:
        yield told["claim"].html()
    else:
        yield render_figure(
            told["claim"],
            chart,
            caption=CAPTION + (UPRIGHT if has_amounts(reason.choice) else "") + SQUARE,
            heads=claimed.CURVE_HEADS,
            rows=claimed.curve_rows(reason.choice),
        )
    if reason.ecap.n_above:
        t = f"{reason.ecap.threshold:g}"
        yield fill_sentence("noise.above", of, n=f"{reason.ecap.n_above:,}", t=t).html()
    yield told["limit"].html()
    yield told["values"].html()
    if reason.choice is not None:
        rows = [claimed.sensitivity_cells(row) for row in reason.choice.sensitivity]
        others = figures("", claimed.SENSITIVITY_HEADS, rows)
        yield render_details("What other populations would need", others)


def _spared(part: str, record: Noise) -> Iterator[str]:
    yield from (
        one.html() for one in number_sentences("noise", part, noised.not_needed_sentences(record))
    )
    rows = noised.rows_without_ends(record)
    yield figures("Before and after", noised.WITHOUT_ENDS, rows)


def _public(part: str, statement: str) -> Iterator[str]:
    """The statement that may be published, beside what may not."""
    yield fill_sentence("noise.public", part).html()
    told = "".join(f"<p>{escape(lines(line))}</p>" for line in statement.splitlines() if line)
    yield f"<blockquote>{told}</blockquote>"
