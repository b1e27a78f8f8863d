"""Annex D: statistical uniques on a scale from baseline to original (GTCAP), target by target."""

from collections.abc import Iterator

from unveil.records.cap import Gtcap, GtcapCopy
from unveil.records.report import Parts, ReportContents
from unveil.view.blocks import Block, table
from unveil.view.format import and_list
from unveil.view.gtcap import HEADS, cells, gtcap_detail
from unveil.view.sections.shared import MOST_GUESSED, by_scenario, fold, worst_first

TABLE = "GTCAP of every target, highest first"
TITLE = "Statistical uniques (GTCAP)"
NOTE = "GTCAP: 0 = baseline, a guess from the marginal distribution; 1 = original."


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """All targets in a table; the histogram of each unfolds, with words."""

    def draw(scenario: str | None) -> Iterator[Block]:
        found = parts.about("gtcap", scenario)
        found.sort(key=lambda pair: -1e9 if pair[1].mean is None else pair[1].mean, reverse=True)
        every = [
            _cells(one, row)
            for _, one in found
            if one.n_unique and len(one.copies) > 1
            for row in one.copies
        ]
        shown = table(TABLE, ("target", "statistical uniques", *HEADS), every)
        several = any(len(record.copies) > 1 for _, record in found)
        yield from fold("Every copy", [shown] if several else [])
        for part, record in found:
            yield from fold(f"{and_list(record.target)} in words", gtcap_detail(record, part))

    found = [(one.scenario, parts[one.name]) for one in contents.run.list_parts("gtcap")]
    rows = [
        (record.mean, scenario, _cells(record, record.find_copy(record.headline_copy), 1))
        for scenario, record in found
        if record.n_unique
    ]
    heads = ("target", "statistical uniques", *HEADS[1:])
    overview = worst_first(TABLE, heads, rows, NOTE, most=MOST_GUESSED)
    yield from by_scenario(contents, parts, TITLE, ["gtcap"], draw, overview=overview)


def _cells(record: Gtcap, row: GtcapCopy, first: int = 0) -> tuple[str, ...]:
    """A target with one of its copies, named or not."""
    return and_list(record.target), f"{record.n_unique:,}", *cells(row)[first:]
