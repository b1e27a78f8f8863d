"""Which generated people stood too close to a real one, and what did taking them out move?"""

from collections.abc import Iterator

from unveil.records.protection import Protection, Refill
from unveil.records.report import Parts, ReportContents
from unveil.view import distance_filter as filtered
from unveil.view import projection as projected
from unveil.view.charts.bars import refill_rounds
from unveil.view.charts.scatter import projected_groups
from unveil.view.format import truncate
from unveil.view.html_page import figures, render_details
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import number_sentences, render_figure, render_warnings

CAPTIONS = {
    "rounds": (
        "Filled: generated people who passed. Hollow: those that stood too close to a real one and"
        " were drawn again."
    ),
    "axes": (
        "The first people drawn, on the two main axes of the original: the centre of each group,"
        " and one standard deviation to each side. No single person is shown."
    ),
    "shifts": "What was drawn, before and after the filter, the most moved first",
}
ROUND_HEADS = ("round", "drawn", "removed", "passed", "passed of drawn")
MOST_SHIFTS = 12
_SAID_OF_AXES = ("explained", "marks")


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """The filter's rounds; None where nothing was protected here."""
    body = [part for name_, record in parts.of("protection") for part in _filter(name_, record)]
    if not body:
        return None
    return Section("filter", "Generated people too close to real ones", "".join(body))


def _filter(part: str, record: Protection) -> Iterator[str]:
    refill = record.refill
    if refill is None:
        yield fill_sentence("filter.no filter", part).html()
        return
    yield render_figure(
        removal_sentence(part, refill),
        refill_rounds(refill),
        caption=CAPTIONS["rounds"],
        heads=ROUND_HEADS,
        rows=_rounds(refill),
    )
    yield from _surplus(part, refill)
    yield from _axes(part, record)
    keyed = [one for one in filtered.refill_keyed(refill) if one[0] != "warning"]
    yield from (one.html() for one in number_sentences("distance filter", part, keyed))
    yield from render_warnings("filter", part, refill.warnings)
    yield from _shifts(part, refill)


def _axes(part: str, record: Protection) -> Iterator[str]:
    """Where retained and filtered people lie on the original's axes: groups, no single one."""
    axes = record.projection
    if axes is None:
        return
    keyed = [one for one in projected.projection_sentences(axes) if one[0] in _SAID_OF_AXES]
    told = {one.key: one for one in number_sentences("projection", part, keyed)}
    if "projection/marks" not in told:
        return
    yield render_figure(
        told["projection/marks"],
        projected_groups(axes),
        caption=CAPTIONS["axes"],
        heads=projected.GROUP_HEADS,
        rows=[projected.group_cells(row) for row in axes.rows],
    )
    yield told["projection/explained"].html()


def removal_sentence(part: str, refill: Refill) -> Phrase:
    """How many were refused, over all rounds, and whether others took their place."""
    drawn = sum(one.drawn for one in refill.rounds)
    n = drawn - sum(one.kept for one in refill.rounds)
    if not refill.is_finished:
        wanting = refill.rows_wanted - refill.n_rows
        wanted = f"{refill.rows_wanted:,}"
        return fill_sentence("filter.wanting", part, n=f"{n:,}", k=f"{wanting:,}", rows=wanted)
    if not n:
        return fill_sentence("filter.none", part, drawn=f"{drawn:,}")
    if n == 1:
        return fill_sentence("filter.replaced one", part, drawn=f"{drawn:,}")
    return fill_sentence("filter.replaced", part, n=f"{n:,}", drawn=f"{drawn:,}")


def _rounds(refill: Refill) -> list[tuple[str, ...]]:
    """The rounds under ROUND_HEADS."""
    return [
        (number, drawn, f"{one.drawn - one.kept:,}", kept, share)
        for one, (number, drawn, kept, share) in zip(
            refill.rounds, filtered.round_rows(refill), strict=True
        )
    ]


def _surplus(part: str, refill: Refill) -> Iterator[str]:
    """Those of the last round who passed and were not needed."""
    passed = sum(one.kept for one in refill.rounds)
    if passed > refill.n_rows:
        yield fill_sentence(
            "filter.surplus",
            part,
            passed=f"{passed:,}",
            k=f"{passed - refill.n_rows:,}",
            rows=f"{refill.rows_wanted:,}",
        ).html()


def _shifts(part: str, refill: Refill) -> Iterator[str]:
    rows = filtered.sort_by_shift(refill.shifts)[:MOST_SHIFTS]
    if not rows:
        return
    if rows[0].difference:
        moved = f"{rows[0].difference:+.2f}"
        yield fill_sentence("filter.shift", part, column=truncate(rows[0].column), d=moved).html()
    cells = [filtered.shift_cells(row) for row in rows]
    yield render_details(CAPTIONS["shifts"], figures("", filtered.SHIFT_HEADS, cells))
