"""Annex D: statistical uniques on a scale from baseline to original (GTCAP), target by target."""

from collections.abc import Iterator, Sequence

from unveil.records.cap import Gtcap, GtcapCopy
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view import gtcap as scored
from unveil.view.blocks import Block, Figure, Sentence, TableBlock, table
from unveil.view.charts.bars import gtcap_chart
from unveil.view.format import and_list
from unveil.view.sections.shared import MOST_GUESSED, by_scenario, fold, worst_first

KINDS: tuple[Kind, ...] = ("gtcap",)
CAPTION = (
    "Statistical uniques by score, with the mean of all. The first and the last bar have no end."
)
TABLE = "GTCAP of every target, highest first"
BAR_HEADS = ("score", "statistical uniques")


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """All targets in a table; the histogram of the highest, and the others unfold."""

    def draw(scenario: str | None) -> Iterator[Block]:
        found = sorted(parts.about("gtcap", scenario), key=lambda pair: -_or_least(pair[1].mean))
        several = [record for _, record in found if len(record.copies) > 1]
        yield from fold("Every copy", [_every_copy(several)] if several else [])
        for place, (part, record) in enumerate(found):
            first, *rest = _target(part, record)
            yield from [] if place else [first]
            detail = [first, *rest] if place else rest
            yield from fold(f"{and_list(record.target)} in words", detail)

    title = "Statistical uniques (GTCAP)"
    yield from by_scenario(contents, parts, title, KINDS, draw, overview=_overview(contents, parts))


def _overview(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Every target of every scenario, the highest first: the mean where there are copies."""
    found = [(one.scenario, parts[one.name]) for one in contents.run.list_parts("gtcap")]
    rows = [
        (record.mean, scenario, _cells(record, record.find_copy(record.headline_copy), 1))
        for scenario, record in found
        if record.n_unique
    ]
    heads = ("target", "statistical uniques", *scored.HEADS[1:])
    yield from worst_first(TABLE, heads, rows, most=MOST_GUESSED)


def _cells(record: Gtcap, row: GtcapCopy, first: int = 0) -> tuple[str, ...]:
    """A target with one of its copies, named or not."""
    return and_list(record.target), f"{record.n_unique:,}", *scored.cells(row)[first:]


def _or_least(mean: float | None) -> float:
    return -1e9 if mean is None else mean


def _target(part: str, record: Gtcap) -> Iterator[Block]:
    said = dict(scored.keyed_sentences(record))
    lead = next(key for key in ("scale", "no scale", "none") if key in said)
    sentence = Sentence(said.pop(lead), "lead", f"gtcap/{lead}", part)
    if record.n_unique and record.mean is not None:
        yield Figure(sentence, gtcap_chart(record), CAPTION, table("", BAR_HEADS, bar_rows(record)))
    else:
        yield sentence
    yield Sentence(scored.sizes(record), key="gtcap/sizes", of=part)
    for key, text in said.items():
        yield Sentence(text, key=f"gtcap/{key}", of=part)


def _every_copy(records: Sequence[Gtcap]) -> TableBlock:
    """Every target and copy, the highest first."""
    rows = [_cells(one, row) for one in records if one.n_unique for row in one.copies]
    return table(TABLE, ("target", "statistical uniques", *scored.HEADS), rows)


def bar_rows(record: Gtcap) -> list[tuple[str, str]]:
    """The histogram as a table."""
    return [(scored.ends(row), f"{row.n:,}") for row in record.histogram]
