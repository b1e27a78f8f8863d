"""What could be learnt about each target, beside what the original would give away?"""

from collections.abc import Iterator, Sequence

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import LimitCheck, Status
from unveil.records.report import Parts, ReportContents
from unveil.view import disclosure
from unveil.view.charts.dots import limits_of, lollipop_chart
from unveil.view.charts.marks import MOST_ROWS
from unveil.view.flags import short_flags, visible_flags
from unveil.view.format import format_count, n_of, percent, percent_or_dash, removed_text, truncate
from unveil.view.html_page import figure
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.by_scenario import (
    figures_of_part,
    note_of,
    render_by_scenario,
    scenarios_of,
    status_of,
)
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure
from unveil.view.status import format_status

HEADS = ("target", "original (Dorig)", "copy (DiSCO)", "people", "removed", "status", "checks")
HEADS_SEVERAL = (
    *("target", "original (Dorig)", "mean of copies (DiSCO)", "people", "lowest to highest"),
    *("pooled", "removed", "status", "checks"),
)
GUESS_HEADS = ("target", "by frequency (baseCAPd)", "copy (DCAP)", "original (CAPd)")
CAPTION = (
    "Blue square: what the copy gives away. Grey ring: what the original would. Ordered by the"
    " copy; all figures are percentages of the people in your data."
)
CAPTION_SEVERAL = (
    " The square is the mean of the copies, the band behind it goes from the lowest to the highest,"
    " the diamond is all copies pooled. Limits are held against each copy and against the pool."
)
GUESS_CAPTION = (
    "Blue square: a guess from the copy. Grey ring: from the original. Light stroke: by frequencies"
    " alone, without any data."
)
GUESS_EXCLUDED = (
    "Copy and original are without what is left out; frequencies alone count everybody."
)
MOST_GUESSED = 25


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """All targets of each scenario; None where nobody asked for it."""
    if not scenarios_of(contents, ["disclosure"]):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        for part, record in parts.about("disclosure", scenario):
            yield from _scenario(contents, part, record)

    statuses = [
        status
        for part, record in parts.of("disclosure")
        for status in statuses_of(record, figures_of_part(contents, part, ["DiSCO"])).values()
    ]
    return Section(
        "attribute",
        "What could be learnt",
        render_by_scenario(contents, "attribute", ["disclosure"], render_scenario, parts=parts),
        note_of(statuses),
    )


def statuses_of(record: Disclosure, judged: Sequence[LimitCheck]) -> dict[str, Status]:
    """The worst status of each target over copies and pool."""
    return {
        target: status_of(one for one in judged if one.target == target)
        for target in record.targets
    }


def _scenario(contents: ReportContents, part: str, record: Disclosure) -> Iterator[str]:
    if not record.targets:
        yield fill_sentence("attribute.no targets", part).html()
        return
    judged = figures_of_part(contents, part, ["DiSCO"])
    yield _standing(part, record, judged).html()
    if means := disclosure.means(record):
        yield Phrase("disclosure/means", part, means).html()
    if by_person := disclosure.people_sentence(record):
        yield Phrase("disclosure/by person", part, by_person).html()
    yield from _learnt(part, record, judged)
    yield from _guessed(part, record)


def _standing(part: str, record: Disclosure, judged: Sequence[LimitCheck]) -> Phrase:
    """How many targets stand where, against the limits."""
    n, limits = format_count(len(record.targets), "target"), limits_of(judged)
    if limits is None:
        return fill_sentence("attribute.no limit", part, n=n)
    statuses = list(statuses_of(record, judged).values())
    review, limit = limits
    return fill_sentence(
        "attribute.status",
        part,
        n=n,
        above=_are(statuses.count("above")),
        review=_are(statuses.count("review")),
        within=_are(statuses.count("within")),
        from_=f"{review:g} %",
        limit=f"{limit:g} %",
    )


def _are(n: int) -> str:
    return {0: "none is", 1: "1 is"}.get(n, f"{n:,} are")


def _learnt(part: str, record: Disclosure, judged: Sequence[LimitCheck]) -> Iterator[str]:
    copy, several = record.headline_copy, len(record.n_synthetic) > 1
    order = _ordered(record, "DiSCO")
    worst = record.attribute_of(order[0], copy)
    text = disclosure.attribute(record, worst).get("DiSCO")
    if text is None:
        yield fill_sentence("attribute.nothing measured", part).html()
        return
    caption = CAPTION + (CAPTION_SEVERAL if several else "")
    lead = Phrase("disclosure/DiSCO", f"{part}|{worst.target}|{copy}", text)
    for place in range(0, len(order), MOST_ROWS):
        some = order[place : place + MOST_ROWS]
        chart = lollipop_chart(record, judged=judged, targets=some)
        rows = [cells(record, target, judged) for target in some]
        heads = HEADS_SEVERAL if several else HEADS
        if place:
            yield figure("", chart.svg(), caption=caption, heads=heads, rows=rows)
        else:
            yield render_figure(lead, chart, caption=caption, heads=heads, rows=rows)


def _ordered(record: Disclosure, measure: str) -> list[str]:
    """The targets by one measure, the riskiest first."""
    rows = [record.attribute_of(target, record.headline_copy) for target in record.targets]
    rows.sort(key=lambda row: -(-1.0 if (value := getattr(row, measure)) is None else value))
    return [row.target for row in rows]


def cells(record: Disclosure, target: str, judged: Sequence[LimitCheck]) -> tuple[str, ...]:
    """One target under HEADS, or under HEADS_SEVERAL."""
    row = record.attribute_of(target, record.headline_copy)
    own = [one for one in judged if one.target == target]
    flags = short_flags([flag for flag in visible_flags(record) if flag.target == target])
    found = "-" if row.DiSCO is None else f"{n_of(row.DiSCO, record.n_original)}"
    spread: tuple[str, ...] = ()
    if len(record.n_synthetic) > 1:
        pooled = record.attribute_of(target, "pooled")
        spread = (_range(record, target), percent_or_dash(pooled.DiSCO))
    return (
        truncate(target),
        percent_or_dash(row.Dorig),
        percent_or_dash(row.DiSCO),
        found,
        *spread,
        removed_text(row.removed),
        format_status(status_of(own)),
        flags or "-",
    )


def _range(record: Disclosure, target: str) -> str:
    for one in record.spread:
        if (one.target, one.measure) == (target, "DiSCO"):
            return f"{percent(one.lowest)} to {percent(one.highest)}"
    return "-"


def _guessed(part: str, record: Disclosure) -> Iterator[str]:
    """DCAP beside its baseline and CAPd; of very many targets the picture shows the highest."""
    order = _ordered(record, "DCAP")
    rows = [record.attribute_of(target, record.headline_copy) for target in order]
    if not any(_is_guessed(row) for row in rows):
        return
    yield render_figure(
        _guess(part, rows),
        lollipop_chart(record, measure="DCAP", targets=order[:MOST_GUESSED]),
        caption=f"{GUESS_CAPTION} {GUESS_EXCLUDED}" if record.exclude else GUESS_CAPTION,
        heads=GUESS_HEADS,
        rows=[guess_cells(row) for row in rows],
    )
    if record.exclude:
        yield fill_sentence("attribute.baseline", part).html()


def guess_cells(row: AttributeRow) -> tuple[str, ...]:
    """One target under GUESS_HEADS."""
    return truncate(row.target), *map(percent_or_dash, (row.baseCAPd, row.DCAP, row.CAPd))


def _is_guessed(row: AttributeRow) -> bool:
    return row.DCAP is not None and row.baseCAPd is not None and row.CAPd is not None


def _guess(part: str, rows: Sequence[AttributeRow]) -> Phrase:
    known = [row for row in rows if _is_guessed(row)]
    n = format_count(len(known), "target")
    gains = [(row.DCAP or 0.0) - (row.baseCAPd or 0.0) for row in known]
    if max(gains) <= 0:
        return fill_sentence("attribute.guess none", part, n=n)
    most = known[gains.index(max(gains))]
    return fill_sentence(
        "attribute.guess",
        f"{part}|{most.target}",
        k=f"{sum(gain > 0 for gain in gains):,}",
        n=n,
        target=truncate(most.target),
        p=percent(most.DCAP or 0.0),
        b=percent(most.baseCAPd or 0.0),
        q=percent(most.CAPd or 0.0),
    )
