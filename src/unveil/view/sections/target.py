"""How is one target learnt, step by step, and how far is that from guessing and from the original?

One block for each target: the steps iS, DiS, DiSCO and DiSDiO, and the ladder; those with less risk
are folded.
"""

from collections.abc import Iterator

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.report import Parts, ReportContents
from unveil.view import disclosure
from unveil.view.charts.dots import target_chart
from unveil.view.flags import effect_sentence, effects
from unveil.view.format import n_of, percent, percent_or_dash, truncate
from unveil.view.html_page import SAME_FIGURES, render_details
from unveil.view.html_pieces import aside
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import (
    OPEN_TARGETS,
    copy_name,
    figures_of_part,
    render_by_scenario,
    render_subheading,
    scenarios_of,
    status_of,
)
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure, render_transposed
from unveil.view.status import format_status

HEADS = (
    *("figure", "iS", "DiS", "DiSCO", "DiSDiO", "people learnt rightly"),
    *("Dorig", "removed", "baseCAPd", "DCAP", "CAPd"),
    *("largest group", "mean group", "largest in copy", "mean in copy"),
)
CAPTION = (
    "Bars: from step to step, all of the people in your data. Square: the copy. Ring: the original."
    " Triangle: frequencies alone, for guesses only, as they settle nothing for certain."
)


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """A block for each target of each scenario; None where there is none."""
    if not scenarios_of(contents, ["disclosure"]):
        return None
    records = [record for _, record in parts.of("disclosure")]
    if not any(record.targets for record in records):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("disclosure", scenario):
            yield from _scenario(contents, part, record)

    # That a scenario was not measured is told in the sections before this one.
    body = render_by_scenario(
        contents, "target", ["disclosure"], render_scenario, parts=parts, with_missing=False
    )
    return Section("target", "One target after another", body)


def _scenario(contents: ReportContents, part: str, record: Disclosure) -> Iterator[str]:
    judged = figures_of_part(contents, part, ["DiSCO"])
    for place, target in enumerate(record.targets):
        status = format_status(status_of(one for one in judged if one.target == target))
        block = list(_target(part, record, target))
        if place < OPEN_TARGETS:
            yield f"{render_subheading(contents, ['disclosure'], truncate(target))}{''.join(block)}"
        else:
            row = record.attribute_of(target, record.headline_copy)
            summary = f"{truncate(target)}: DiSCO {percent_or_dash(row.DiSCO)}, {status}"
            yield aside(summary, "".join(block))


def _target(part: str, record: Disclosure, target: str) -> Iterator[str]:
    copy = record.headline_copy
    row = record.attribute_of(target, copy)
    of = f"{part}|{target}|{copy}"
    told = disclosure.attribute(record, row)
    if not told:
        yield from _undefined(part, record, row)
        return
    if not row.DiSCO:
        yield fill_sentence("target.nobody", of, target=truncate(target)).html()
    rows = [one for one in record.attribute if one.target == target]
    yield render_figure(
        Phrase("disclosure/iS, DiS", of, told["iS, DiS"]),
        target_chart(record, target),
        caption=CAPTION,
        heads=(),
        rows=(),
    )
    yield render_details(
        SAME_FIGURES, render_transposed(HEADS, [cells(record, one) for one in rows])
    )
    yield Phrase("disclosure/removed", of, told["removed"]).html()
    yield _groups(of, row)
    yield from _several(part, record, target)
    if "DCAP" in told:
        yield Phrase("disclosure/DCAP", of, told["DCAP"]).html()
        if record.exclude:
            yield fill_sentence("target.baseline", of).html()
    for effect in effects(record):
        if effect.target == target:
            yield Phrase("checks/effect", of, effect_sentence(record, effect)).html()


def _groups(of: str, row: AttributeRow) -> str:
    """How many people stand together behind DiSCO."""
    if row.mean_denom is None or not row.DiSCO:
        return ""
    if row.max_denom == 1:
        return fill_sentence("target.alone", of).html()
    whole = row.max_denom == int(row.max_denom)
    most = f"{row.max_denom:,.0f}" if whole else f"{row.max_denom:,.1f}"
    return fill_sentence("target.denominators", of, most=most, mean=f"{row.mean_denom:.1f}").html()


def _several(part: str, record: Disclosure, target: str) -> Iterator[str]:
    if len(record.n_synthetic) < 2:
        return
    if (text := disclosure.spread_sentence(record, target, "DiSCO")) is not None:
        yield Phrase("disclosure/mean", f"{part}|{target}|DiSCO", text).html()
    pooled = record.attribute_of(target, "pooled").DiSCO
    if pooled is not None:
        yield fill_sentence(
            "target.pooled",
            f"{part}|{target}",
            m=f"{len(record.n_synthetic)}",
            p=percent(pooled),
            k=n_of(pooled, record.n_original),
            N=f"{record.n_original:,}",
        ).html()


def _undefined(part: str, record: Disclosure, row: AttributeRow) -> Iterator[str]:
    for one in record.not_measured:
        if (one.target, one.copy) == (row.target, row.copy) and one.field in ("DiSCO", "Dorig"):
            yield fill_sentence(
                "target.undefined",
                f"{part}|{row.target}|{one.field}",
                field=one.field,
                target=truncate(row.target),
                reason=one.reason,
            ).html()


def cells(record: Disclosure, row: AttributeRow) -> tuple[str, ...]:
    """One copy beside HEADS."""
    found = "-"
    if row.DiSCO is not None:
        found = f"{n_of(row.DiSCO, record.n_original)} of {record.n_original:,}"
    rest = (row.Dorig, row.removed, row.baseCAPd, row.DCAP, row.CAPd)
    groups = (row.max_denom, row.mean_denom, row.max_denom_syn, row.mean_denom_syn)
    return (
        copy_name(row.copy),
        *map(percent_or_dash, (row.iS, row.DiS, row.DiSCO, row.DiSDiO)),
        found,
        *map(percent_or_dash, rest),
        *map(_group, groups),
    )


def _group(size: float | None) -> str:
    """A number of people in a group: whole, or with two decimals where it is a mean."""
    if size is None:
        return "-"
    return f"{size:,.0f}" if size == int(size) else f"{size:,.2f}"
