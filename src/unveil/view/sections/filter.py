"""Distance filter: synthetic records too close to an original one, and their replacement."""

from collections.abc import Callable, Iterator

from unveil.records.protection import Protection, Refill, RefillRound, StageTable
from unveil.records.report import Parts, ReportContents
from unveil.view import distance_filter as filtered
from unveil.view import projection as projected
from unveil.view.blocks import Block, Figure, Heading, Sentence, list_rows, table
from unveil.view.format import format_count, truncate
from unveil.view.protection import stage_rows, stage_sentences
from unveil.view.sections.shared import fold, number_sentences, warn

CAPTIONS = {
    "rounds": "Filled: records retained. Hollow: records too close to an original, drawn again.",
    "axes": (
        "Records of the first round on the principal components of the original: centre of each"
        " group and one standard deviation. No single record is drawn."
    ),
}
ROUNDS: dict[str, Callable[[RefillRound], str]] = {
    "round": filtered.ROUNDS["round"],
    "drawn": filtered.ROUNDS["drawn"],
    "removed": lambda one: f"{one.drawn - one.kept:,}",
    "retained": filtered.ROUNDS["retained"],
    "retained of drawn": filtered.ROUNDS["acceptance"],
}
MOST_SHIFTS = 12
_SAID = ("refill", "warning")  # by the first sentence, and by notes of their own
_OF_AXES = ("explained", "marks")


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """The rounds of the filter, and what it changed."""
    for part, record in parts.of("protection"):
        yield Heading("Distance filter", 3)
        yield from _filter(part, record)


def _filter(part: str, record: Protection) -> Iterator[Block]:
    refill = record.refill
    if refill is None:
        yield Sentence("No distance filter was used.", key="filter.no filter", of=part)
        return
    chart, rows = filtered.refill_rounds(refill), list_rows("", ROUNDS, refill.rounds)
    yield removal_sentence(part, refill)
    drawn = Figure(Sentence(""), chart, CAPTIONS["rounds"], rows)
    yield from fold("Round by round", [drawn])
    keyed = [one for one in filtered.filter_sentences(refill) if one[0] not in _SAID]
    yield from number_sentences("distance filter", part, keyed)
    yield from warn("filter", part, refill.warnings)
    yield from _shifts(part, refill)
    yield from fold("On the original's principal components", _axes(part, record))
    if record.stages is not None:
        yield from fold("After each step: S1, S2 and S3", _stages(part, record.stages))


def _stages(part: str, record: StageTable) -> Iterator[Block]:
    """Risk, attacks, utility and published results of every stage."""
    yield table("", *stage_rows(record))
    yield from number_sentences("stages", part, list(stage_sentences(record)))


def _axes(part: str, record: Protection) -> Iterator[Block]:
    """Where retained and filtered records lie on the original's axes: groups, no single one."""
    axes = record.projection
    if axes is None:
        return
    keyed = [one for one in projected.projection_sentences(axes) if one[0] in _OF_AXES]
    said = {one.key: one for one in number_sentences("projection", part, keyed)}
    if "projection/marks" not in said:
        return
    rows = [projected.group_cells(row) for row in axes.rows]
    shown = table("", projected.GROUP_HEADS, rows)
    yield Figure(
        said["projection/marks"], projected.projected_groups(axes), CAPTIONS["axes"], shown
    )
    yield said["projection/explained"]


def removal_sentence(part: str, refill: Refill) -> Sentence:
    """How many were removed, over all rounds, and whether others took their place."""
    drawn = sum(one.drawn for one in refill.rounds)
    n = drawn - (passed := sum(one.kept for one in refill.rounds))
    words = filtered.unit_words(refill)
    one = "record" if refill.time is None else "person"
    what = format_count(n, f"synthetic {one}", "synthetic people" if refill.time else None)
    text = f"{what} of {drawn:,} drawn {'was' if n == 1 else 'were'}"
    if not refill.is_finished:
        text += (
            f" too close to an original {one} and removed; {refill.rows_wanted - refill.n_rows:,}"
            f" of the {refill.rows_wanted:,} {words['unit']} wanted are missing."
        )
        return Sentence(text, "lead", "filter.wanting", part)
    text += f" too close to an original {one} and replaced."
    if passed > refill.n_rows:
        text += f" {passed:,} were retained, {passed - refill.n_rows:,} more than needed."
    return Sentence(text, "lead", "filter.replaced", part)


def _shifts(part: str, refill: Refill) -> Iterator[Block]:
    rows = filtered.sort_by_shift(refill.shifts)[:MOST_SHIFTS]
    if not rows:
        return
    if rows[0].difference:
        text = (
            f"The filter moved {truncate(rows[0].column)} most: by {rows[0].difference:+.2f}"
            " standard deviations."
        )
        yield Sentence(text, key="filter.shift", of=part)
    shown = list_rows("", filtered.SHIFTS, rows)
    yield from fold("Before and after the filter, the most moved first", [shown])
