"""Published tables: attribution by subtraction (SAP), table by table."""

from collections.abc import Iterator, Sequence

from unveil.records.count_tables import Sap
from unveil.records.report import Parts, ReportContents
from unveil.view import sap as subtracted
from unveil.view.blocks import Block, Figure, Heading, Sentence, table
from unveil.view.charts.lines import MOST_LINES, StepLine, sap_curve
from unveil.view.format import lines, probability_figure, truncate
from unveil.view.publication_plan import plan_blocks
from unveil.view.sections.shared import fold, number_sentences, unmeasured

CAPTION = (
    "Probability of being certain that a combination is empty, by the number of people known. A dot"
    " marks where a line leaves zero; shaded: only bounds are known. Computed from true counts."
)
HEADS = ("table", "leaves zero at", "SAP there", "people considered", "SAP at the end", "members")


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """All tables in one chart, then each in words."""
    found: list[tuple[str, Sap]] = parts.of("sap")
    threshold = _threshold(contents)
    yield from _all(found, threshold)
    for part, record in found:
        yield from _table(part, record, threshold)
    for _, plan in parts.of("plan"):
        yield from plan_blocks(plan)
    yield from unmeasured(contents, ["sap", "plan"])


def _threshold(contents: ReportContents) -> float:
    """The custodian's own limit of SAP where there is one."""
    limits = [one.limit for one in contents.judgement.limits if one.measure == "SAP"]
    return limits[0] if limits else subtracted.THRESHOLD


def table_name(part: str) -> str:
    """A table by its own name."""
    return part.removeprefix("sap ") or part


def _all(found: Sequence[tuple[str, Sap]], threshold: float) -> Iterator[Block]:
    for start in range(0, len(found), MOST_LINES):
        some = found[start : start + MOST_LINES]
        curves = [StepLine(table_name(part), one.lower, one.upper) for part, one in some]
        rows = [_cells(part, record) for part, record in some]
        chart = sap_curve(curves, threshold=threshold)
        yield Figure(_first(some), chart, CAPTION, table("", HEADS, rows))


def _first(found: Sequence[tuple[str, Sap]]) -> Sentence:
    """Which of some tables is disclosive with the fewest known."""
    risky = [(record.first_risk, part) for part, record in found if record.first_risk is not None]
    if not risky:
        looked = max(found, key=lambda one: one[1].n[-1])
        text = f"No attribution by subtraction with up to {looked[1].n[-1]:,} known people."
        return Sentence(text, "lead", "tables.no risk", looked[0])
    n, part = min(risky, key=lambda one: one[0])
    name = truncate(table_name(part))
    if not n:
        text = f"Table {name} allows attribution before anyone is known."
        return Sentence(text, "lead", "tables.by itself", part)
    first = f"Of {len(found)} tables {name} is disclosive first: an" if len(found) > 1 else "An"
    text = (
        f"{first} intruder who knows {n:,} of the members of table {name} can be certain that some"
        " combination applies to none of the others."
    )
    of = "|".join([part, *(other for other, _ in found if other != part)])
    return Sentence(text, "lead", "tables.first", of)


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


def _table(part: str, record: Sap, threshold: float) -> Iterator[Block]:
    yield Heading(truncate(table_name(part)), 3)
    what = subtracted.published_phrase(record.schemes)
    yield Sentence(f"Published: {what}.", key="tables.published", of=part)
    said = list(
        number_sentences("sap", part, subtracted.sap_sentences(record, threshold=threshold))
    )
    curve = [one for one in said if one.key == "sap/sap"]  # what the chart shows, in words
    yield from (one for one in said if one not in curve)
    heads, rows = subtracted.curve_rows(record, threshold)
    yield from fold("SAP by the number of known people", [*curve, table("", heads, rows)])
    for place, note in enumerate(record.notes):
        yield Sentence(lines(note), key="tables.note", of=f"{part}|{place}")
