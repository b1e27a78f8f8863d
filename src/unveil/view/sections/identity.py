"""Annex C, first part: who is unique on the keys, in the original and in the synthetic data."""

from collections.abc import Iterator, Sequence

from unveil.records.disclosure import Disclosure, IdentityRow
from unveil.records.judgement import LimitCheck
from unveil.records.report import Parts, ReportContents
from unveil.view import disclosure
from unveil.view.blocks import Block, Sentence, table
from unveil.view.charts.dots import records_of
from unveil.view.format import copy_name, n_of, percent, percent_or_dash, truncate
from unveil.view.sections.shared import by_scenario, figures_of_part, fold
from unveil.view.status import GLYPHS, WORDS

MEASURES = ("UiO", "UiOiS", "repU", "UiS")
HEADS = (
    *("copy", "unique in the original (UiO)", "people", "of these, matched (UiOiS)", "people"),
    *("replicated uniques (repU)", "people", "unique synthetic records (UiS)"),
)
POSSIBLE = "A replicated unique is a possible match, not proof of one."


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Uniques and replicated uniques of each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("disclosure", scenario):
            yield from _scenario(contents, part, record)

    title = "Uniques and replicated uniques"
    yield from by_scenario(
        contents,
        parts,
        title,
        ["disclosure"],
        draw,
        overview=_overview(contents, parts),
        has_reasons=False,
    )


def _overview(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """One row for each of several scenarios."""
    found = [(one.scenario, parts[one.name]) for one in contents.run.list_parts("disclosure")]
    rows = [
        (truncate(scenario or ""), *cells(record, record.identity_of(record.headline_copy))[1:])
        for scenario, record in found
    ]
    if len(rows) > 1:
        yield table("", ("scenario", *HEADS[1:]), rows, footnote=POSSIBLE)


def _scenario(contents: ReportContents, part: str, record: Disclosure) -> Iterator[Block]:
    copy = record.headline_copy
    row = record.identity_of(copy)
    if row.UiO is None:
        why = [one.reason for one in record.not_measured if one.target is None]
        text = f"Uniqueness could not be measured: {why[0] if why else 'there are no people'}."
        yield Sentence(text, "look", "identity.undefined", part)
    for one in worst_judged(figures_of_part(contents, part, MEASURES)):
        yield _status(part, one)
    said = {
        symbol: Sentence(text, key=f"disclosure/{symbol}", of=f"{part}||{copy}")
        for symbol, text in disclosure.identity(record, row).items()
    }
    yield from (said.pop(symbol) for symbol in ("UiO", "repU") if symbol in said)
    yield from _several(part, record)
    copies = table("", HEADS, [cells(record, one) for one in record.identity], footnote=POSSIBLE)
    several = len(contents.run.list_parts("disclosure")) > 1
    yield from fold("Every copy", [copies]) if several else [copies]
    if (text_ := disclosure.recurrence_sentence(record)) is not None:
        yield Sentence(text_, key="disclosure/some", of=part)
    yield from fold("Matched uniques and unique synthetic records", said.values())


def worst_judged(judged: Sequence[LimitCheck]) -> list[LimitCheck]:
    """Of each measure that has a limit, the highest figure compared with it."""
    found: dict[str, LimitCheck] = {}
    for one in judged:
        if one.limit is None or one.value is None:
            continue
        if one.measure not in found or one.value > (found[one.measure].value or 0.0):
            found[one.measure] = one
    return list(found.values())


def _status(part: str, one: LimitCheck) -> Sentence:
    return Sentence(
        f"{GLYPHS[one.status]} {one.measure} {percent(one.value or 0.0)}: {WORDS[one.status]}"
        f" (review above {one.review:g} %, limit {one.limit:g} %).",
        "lead",
        "identity.status",
        f"{part}|{one.measure}|{one.copy}",
    )


def _several(part: str, record: Disclosure) -> Iterator[Block]:
    if len(record.n_synthetic) < 2:
        return
    if (text := disclosure.spread_sentence(record, None, "repU")) is not None:
        yield Sentence(text, key="disclosure/mean", of=f"{part}||repU")
    row, n = record.identity_of("pooled"), record.n_original
    if row.UiOiS is not None and row.repU is not None:
        yield Sentence(
            f"With all {len(record.n_synthetic)} copies pooled, {n_of(row.UiOiS, n)} of {n:,}"
            f" people ({percent(row.UiOiS)}) are unique in the original and matched, and"
            f" {n_of(row.repU, n)} ({percent(row.repU)}) are unique in the pool too.",
            key="identity.pooled",
            of=part,
        )


def cells(record: Disclosure, row: IdentityRow) -> tuple[str, ...]:
    """One copy under HEADS."""
    of_people = (
        cell
        for value in (row.UiO, row.UiOiS, row.repU)
        for cell in (
            percent_or_dash(value),
            "-" if value is None else n_of(value, record.n_original),
        )
    )
    total = records_of(record, row.copy)
    known = row.UiS is not None and total is not None
    records = f" ({n_of(row.UiS or 0.0, total or 0)})" if known else ""
    return copy_name(row.copy), *of_people, f"{percent_or_dash(row.UiS)}{records}"
