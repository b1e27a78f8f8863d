"""Annex D: statistical uniques on a scale from baseline to original (GTCAP), target by target."""

from collections.abc import Iterator, Sequence

from unveil.records.cap import Gtcap
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view import gtcap as scored
from unveil.view.blocks import Block, Figure, Sentence, TableBlock, table
from unveil.view.charts.bars import gtcap_chart
from unveil.view.format import and_list
from unveil.view.sections.shared import by_scenario, fold

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
        yield all_targets([record for _, record in found])
        for place, (part, record) in enumerate(found):
            first, *rest = _target(part, record)
            yield from [] if place else [first]
            detail = [first, *rest] if place else rest
            yield from fold(f"{and_list(record.target)} in words", detail)

    yield from by_scenario(contents, parts, "Statistical uniques (GTCAP)", KINDS, draw)


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


def all_targets(records: Sequence[Gtcap]) -> TableBlock:
    """Every target in one table, the highest first; without a column of copies where one is."""
    several = any(len(record.copies) > 1 for record in records)
    first = 0 if several else 1
    rows = [
        (and_list(record.target), f"{record.n_unique:,}", *scored.cells(row)[first:])
        for record in records
        if record.n_unique
        for row in record.copies
    ]
    return table(TABLE, ("target", "statistical uniques", *scored.HEADS[first:]), rows)


def bar_rows(record: Gtcap) -> list[tuple[str, str]]:
    """The histogram as a table."""
    return [(scored.ends(row), f"{row.n:,}") for row in record.histogram]
