"""Where do statistical uniques stand between guessing and the original? GTCAP, target by target."""

from collections.abc import Iterator, Sequence

from unveil.records.cap import Gtcap
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view import gtcap as told_of
from unveil.view.charts.bars import gtcap_chart
from unveil.view.format import and_list
from unveil.view.html_page import figures
from unveil.view.sections.by_scenario import (
    OPEN_TARGETS,
    note_of,
    render_by_scenario,
    render_subheading,
    scenarios_of,
)
from unveil.view.sections.section import Phrase, Section
from unveil.view.sections.shared import render_figure

KINDS: tuple[Kind, ...] = ("gtcap",)
CAPTION = (
    "How many statistical uniques have which score, with the mean of all. The first and the last"
    " bar have no end."
)
TABLE = "GTCAP of every target, the highest first"
BAR_HEADS = ("score", "statistical uniques")


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """A histogram for each target; None where nobody asked for it."""
    if not scenarios_of(contents, KINDS):
        return None

    def render_scenario(scenario: str | None) -> Iterator[str]:
        found = sorted(parts.about("gtcap", scenario), key=lambda pair: -_or_least(pair[1].mean))
        for part, record in found[:OPEN_TARGETS]:
            yield render_subheading(contents, KINDS, and_list(record.target))
            yield from _target(part, record)
        yield all_targets([record for _, record in found])

    statuses = [one.status for one in contents.judgement.figures if one.measure == "GTCAP"]
    return Section(
        "gtcap",
        "On a scale from guessing to the original",
        render_by_scenario(contents, "gtcap", KINDS, render_scenario, parts=parts),
        note_of(statuses),
    )


def _or_least(mean: float | None) -> float:
    return -1e9 if mean is None else mean


def _target(part: str, record: Gtcap) -> Iterator[str]:
    told = dict(told_of.keyed_sentences(record))
    lead = next(key for key in ("scale", "no scale", "none") if key in told)
    sentence = Phrase(f"gtcap/{lead}", part, told.pop(lead))
    if record.n_unique and record.mean is not None:
        yield render_figure(
            sentence,
            gtcap_chart(record),
            caption=CAPTION,
            heads=BAR_HEADS,
            rows=bar_rows(record),
        )
    else:
        yield sentence.html("lead")
    yield Phrase("gtcap/sizes", part, told_of.sizes(record)).html()
    for key, text in told.items():
        yield Phrase(f"gtcap/{key}", part, text).html()


def all_targets(records: Sequence[Gtcap]) -> str:
    """Every target in one table, the highest first; without a column of copies where one is."""
    several = any(len(record.copies) > 1 for record in records)
    first = 0 if several else 1
    rows = [
        (and_list(record.target), f"{record.n_unique:,}", *told_of.cells(row)[first:])
        for record in records
        if record.n_unique
        for row in record.copies
    ]
    return figures(TABLE, ("target", "statistical uniques", *told_of.HEADS[first:]), rows)


def bar_rows(record: Gtcap) -> list[tuple[str, str]]:
    """The histogram as a table."""
    return [(told_of.ends(row), f"{row.n:,}") for row in record.histogram]
