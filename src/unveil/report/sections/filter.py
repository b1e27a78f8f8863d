"""Which generated people stood too close to a real one, and what did taking them out move?"""

from collections.abc import Iterator

from unveil.records.distance_filter import Refill
from unveil.records.dossier import Dossier, Parts
from unveil.records.protection import Protection
from unveil.report import distance_filter as filtered
from unveil.report import projection as projected
from unveil.report.catalogue import said
from unveil.report.charts.projected_groups import projected_groups
from unveil.report.charts.refill_rounds import refill_rounds
from unveil.report.page import figures, folded
from unveil.report.sections.pictured import numbered, pictured, warned
from unveil.report.sections.section import Said, Section
from unveil.report.words import name

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


def section(dossier: Dossier, parts: Parts) -> Section | None:
    """The filter's rounds; None where nothing was protected here."""
    body = [part for name_, record in parts.of("protection") for part in _filter(name_, record)]
    if not body:
        return None
    return Section("filter", "Generated people too close to real ones", "".join(body))


def _filter(part: str, record: Protection) -> Iterator[str]:
    refill = record.refill
    if refill is None:
        yield said("filter.no filter", part).html()
        return
    yield pictured(
        removed(part, refill),
        refill_rounds(refill),
        caption=CAPTIONS["rounds"],
        heads=ROUND_HEADS,
        rows=_rounds(refill),
    )
    yield from _surplus(part, refill)
    yield from _axes(part, record)
    keyed = [one for one in filtered.refill_keyed(refill) if one[0] != "warning"]
    yield from (one.html() for one in numbered("distance filter", part, keyed))
    yield from warned("filter", part, refill.warnings)
    yield from _shifts(part, refill)


def _axes(part: str, record: Protection) -> Iterator[str]:
    """Where retained and filtered people lie on the original's axes: groups, no single one."""
    axes = record.projection
    if axes is None:
        return
    keyed = [one for one in projected.projection_sentences(axes) if one[0] in _SAID_OF_AXES]
    told = {one.key: one for one in numbered("projection", part, keyed)}
    if "projection/marks" not in told:
        return
    yield pictured(
        told["projection/marks"],
        projected_groups(axes),
        caption=CAPTIONS["axes"],
        heads=projected.GROUP_HEADS,
        rows=[projected.group_cells(row) for row in axes.rows],
    )
    yield told["projection/explained"].html()


def removed(part: str, refill: Refill) -> Said:
    """How many were refused, over all rounds, and whether others took their place."""
    drawn = sum(one.drawn for one in refill.rounds)
    n = drawn - sum(one.kept for one in refill.rounds)
    if not refill.is_finished:
        wanting = refill.rows_wanted - refill.n_rows
        wanted = f"{refill.rows_wanted:,}"
        return said("filter.wanting", part, n=f"{n:,}", k=f"{wanting:,}", rows=wanted)
    if not n:
        return said("filter.none", part, drawn=f"{drawn:,}")
    if n == 1:
        return said("filter.replaced one", part, drawn=f"{drawn:,}")
    return said("filter.replaced", part, n=f"{n:,}", drawn=f"{drawn:,}")


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
        yield said(
            "filter.surplus",
            part,
            passed=f"{passed:,}",
            k=f"{passed - refill.n_rows:,}",
            rows=f"{refill.rows_wanted:,}",
        ).html()


def _shifts(part: str, refill: Refill) -> Iterator[str]:
    rows = filtered.by_size(refill.shifts)[:MOST_SHIFTS]
    if not rows:
        return
    if rows[0].difference:
        moved = f"{rows[0].difference:+.2f}"
        yield said("filter.shift", part, column=name(rows[0].column), d=moved).html()
    cells = [filtered.shift_cells(row) for row in rows]
    yield folded(CAPTIONS["shifts"], figures("", filtered.SHIFT_HEADS, cells))
