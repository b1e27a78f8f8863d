"""What would people who know some of the others learn from published tables? SAP, by table."""

from collections.abc import Iterator, Sequence

from unveil.records.count_tables import Sap
from unveil.records.report import Parts, ReportContents
from unveil.view import sap as subtracted
from unveil.view.charts.lines import MOST_LINES, StepLine, sap_curve
from unveil.view.format import lines, truncate
from unveil.view.format_probability import probability_figure
from unveil.view.html_page import figures, render_details
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import (
    number_sentences,
    render_figure,
    render_heading,
    unmeasured_sentences,
)

CAPTION = (
    "Chance of being certain of an empty combination, by the number of people already known. A dot"
    " marks where a line leaves zero; shaded where only bounds are known. Drawn from true counts."
)
HEADS = ("table", "leaves zero at", "SAP there", "people looked at", "SAP there", "members")


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """All tables in one picture, then each in words; None where there is no table."""
    found: list[tuple[str, Sap]] = parts.of("sap")
    threshold = _threshold(contents)
    body = [
        *_all(found, threshold),
        *(part for name_, record in found for part in _table(name_, record, threshold)),
        *(one.html() for one in unmeasured_sentences(contents, "tables", ["sap"])),
    ]
    if not body:
        return None
    note = _standing(contents)
    return Section("tables", "What published tables give away", "".join(body), note)


def _standing(contents: ReportContents) -> str:
    """A word for the table of contents: tables, not their figures, against the limit."""
    for status, word in (("above", "above limit"), ("review", "to review")):
        judged = contents.judgement.figures
        tables = {one.part for one in judged if (one.measure, one.status) == ("SAP", status)}
        if tables:
            return f"{len(tables):,} {word}"
    return ""


def _threshold(contents: ReportContents) -> float:
    """The custodian's own limit of SAP where there is one."""
    limits = [one.limit for one in contents.judgement.limits if one.measure == "SAP"]
    return limits[0] if limits else subtracted.THRESHOLD


def table_name(part: str) -> str:
    """A table by its own name."""
    return part.removeprefix("sap ") or part


def _all(found: Sequence[tuple[str, Sap]], threshold: float) -> Iterator[str]:
    for start in range(0, len(found), MOST_LINES):
        some = found[start : start + MOST_LINES]
        yield render_figure(
            _first(some),
            sap_curve(
                [StepLine(table_name(part), one.lower, one.upper) for part, one in some],
                threshold=threshold,
            ),
            caption=CAPTION,
            heads=HEADS,
            rows=[_cells(part, record) for part, record in some],
        )


def _first(found: Sequence[tuple[str, Sap]]) -> Phrase:
    """Which of some tables gives something away with the fewest known."""
    risky = [(record.first_risk, part) for part, record in found if record.first_risk is not None]
    if not risky:
        looked = max(found, key=lambda one: one[1].n[-1])
        return fill_sentence("tables.no risk", looked[0], n=f"{looked[1].n[-1]:,}")
    n, part = min(risky, key=lambda one: one[0])
    table = truncate(table_name(part))
    if not n:
        return fill_sentence("tables.by itself", part, table=table)
    if len(found) == 1:
        return fill_sentence("tables.one", part, table=table, n=f"{n:,}")
    of = "|".join([part, *(other for other, _ in found if other != part)])
    return fill_sentence("tables.first", of, table=table, n=f"{n:,}", k=str(len(found)))


def _cells(part: str, record: Sap) -> tuple[str, ...]:
    """One table under HEADS."""
    first, last = record.first_risk, record.n[-1]
    return (
        truncate(table_name(part)),
        "not so far" if first is None else f"{first:,}",
        "-" if first is None else probability_figure(*subtracted.bounds_at(record, first)),
        f"{last:,}",
        probability_figure(*subtracted.bounds_at(record, last)),
        f"{record.N:,}",
    )


def _table(part: str, record: Sap, threshold: float) -> Iterator[str]:
    yield render_heading(table_name(part))
    what = subtracted.published_phrase(record.schemes)
    yield fill_sentence("tables.published", part, what=what).html()
    told = subtracted.sap_sentences(record, threshold=threshold)
    yield from (one.html() for one in number_sentences("sap", part, told))
    heads, rows = subtracted.curve_rows(record, threshold)
    yield render_details("SAP by the number of known people", figures("", heads, rows))
    for place, note in enumerate(record.notes):
        yield fill_sentence("tables.note", f"{part}|{place}", note=lines(note)).html()
