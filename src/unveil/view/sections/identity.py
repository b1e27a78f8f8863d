"""Who could be found by the keys alone? UiO, UiOiS, repU and UiS, scenario by scenario."""

from collections.abc import Iterator, Sequence

from unveil.records.disclosure import Disclosure, IdentityRow
from unveil.records.judgement import LimitCheck
from unveil.records.report import Parts, ReportContents
from unveil.view import disclosure
from unveil.view.charts.bars import identity_chart, records_of
from unveil.view.format import and_list, n_of, percent, percent_or_dash
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import (
    copy_name,
    figures_of_part,
    note_of,
    render_by_scenario,
    scenarios_of,
    status_of,
)
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure
from unveil.view.status import GLYPHS, WORDS

MEASURES = ("UiO", "UiOiS", "repU", "UiS")
HEADS = (
    "copy",
    *("UiO", "people", "UiOiS", "people", "repU", "people"),
    *("UiS", "synthetic records"),
)
CAPTION = (
    "Grey and blue bars are shares of the people in your data. The hollow bar is a share of the"
    " synthetic records, and so of another number."
)
CAPTION_SEVERAL = f"{CAPTION} Bars are means over the copies."


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """The funnel of each scenario; None where nobody asked for it."""
    if not scenarios_of(contents, ["disclosure"]):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("disclosure", scenario):
            yield from _scenario(contents, part, record)

    statuses = [
        status_of([one])
        for part, _ in parts.of("disclosure")
        for one in worst_judged(figures_of_part(contents, part, MEASURES))
    ]
    return Section(
        "identity",
        "Who could be found",
        render_by_scenario(contents, "identity", ["disclosure"], render_scenario, parts=parts),
        note_of(statuses),
    )


def _scenario(contents: ReportContents, part: str, record: Disclosure) -> Iterator[str]:
    copy = record.headline_copy
    row = record.identity_of(copy)
    several = len(record.n_synthetic) > 1
    yield render_figure(
        lead(part, record, row),
        identity_chart(record),
        caption=CAPTION_SEVERAL if several else CAPTION,
        heads=HEADS,
        rows=[cells(record, one) for one in record.identity],
    )
    for one in worst_judged(figures_of_part(contents, part, MEASURES)):
        yield _status(part, one).html()
    for symbol, text in disclosure.identity(record, row).items():
        yield Phrase(f"disclosure/{symbol}", f"{part}||{copy}", text).html()
    if several:
        yield from _several(part, record)
    yield from _recurring(part, record)


def lead(part: str, record: Disclosure, row: IdentityRow) -> Phrase:
    """The funnel in a sentence."""
    keys = and_list(record.keys)
    if row.UiO is None or row.UiOiS is None or row.repU is None:
        why = [one.reason for one in record.not_measured if one.target is None]
        return fill_sentence(
            "identity.undefined", part, reason=why[0] if why else "there are no people"
        )
    if not row.UiO:
        return fill_sentence("identity.nobody", part, keys=keys)
    n = enough(row.UiO, row.UiOiS, row.repU)
    figures = {
        "n": f"{n:,}",
        **{key: people_of(value, n) for key, value in zip("abc", _steps(row), strict=True)},
    }
    if row.copy == "mean":
        m = f"{len(record.n_synthetic)}"
        return fill_sentence("identity.funnel several", part, keys=keys, m=m, **figures)
    return fill_sentence("identity.funnel", part, keys=keys, **figures)


def _steps(row: IdentityRow) -> tuple[float, float, float]:
    return row.UiO or 0.0, row.UiOiS or 0.0, row.repU or 0.0


def enough(*values: float) -> int:
    """A hundred people, or so many more that each share of them that is not 0 is somebody."""
    least = min((value for value in values if value), default=100.0)
    return next((n for n in (100, 1_000, 10_000) if round(least * n / 100)), 10_000)


def people_of(value: float, n: int) -> str:
    """A percentage as people out of so many, with their verb."""
    if not value:
        return "none is"
    whole = round(value * n / 100)
    if not whole:
        return "fewer than 1 is"
    return "1 is" if whole == 1 else f"{whole:,} are"


def worst_judged(judged: Sequence[LimitCheck]) -> list[LimitCheck]:
    """Of each measure that has a limit, the highest figure held against it."""
    found: dict[str, LimitCheck] = {}
    for one in judged:
        if one.limit is None or one.value is None:
            continue
        if one.measure not in found or one.value > (found[one.measure].value or 0.0):
            found[one.measure] = one
    return list(found.values())


def _status(part: str, one: LimitCheck) -> Phrase:
    return fill_sentence(
        "identity.status",
        f"{part}|{one.measure}|{one.copy}",
        glyph=GLYPHS[one.status],
        word=WORDS[one.status],
        measure=one.measure,
        p=percent(one.value or 0.0),
        review=f"{one.review:g} %",
        limit=f"{one.limit:g} %",
    )


def _several(part: str, record: Disclosure) -> Iterator[str]:
    text = disclosure.spread_sentence(record, None, "repU")
    if text is not None:
        yield Phrase("disclosure/mean", f"{part}||repU", text).html()
    row = record.identity_of("pooled")
    if row.UiOiS is not None and row.repU is not None:
        n_people = record.n_original
        yield fill_sentence(
            "identity.pooled",
            part,
            m=f"{len(record.n_synthetic)}",
            b=percent(row.UiOiS),
            k=n_of(row.UiOiS, n_people),
            N=f"{n_people:,}",
            c=percent(row.repU),
            n=n_of(row.repU, n_people),
        ).html()


def _recurring(part: str, record: Disclosure) -> Iterator[str]:
    text = disclosure.recurrence_sentence(record)
    if text is not None:
        yield Phrase("disclosure/some", part, text).html()


def cells(record: Disclosure, row: IdentityRow) -> tuple[str, ...]:
    """One copy under HEADS."""
    of_people = (
        cell
        for value in (row.UiO, row.UiOiS, row.repU)
        for cell in (
            percent_or_dash(value),
            "-" if value is None else f"{n_of(value, record.n_original)} of {record.n_original:,}",
        )
    )
    total = records_of(record, row.copy)
    known = row.UiS is not None and total is not None
    records = f"{n_of(row.UiS or 0.0, total or 0)} of {total:,}" if known else "-"
    return copy_name(row.copy), *of_people, percent_or_dash(row.UiS), records
