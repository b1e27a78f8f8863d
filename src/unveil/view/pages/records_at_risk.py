"""The people at risk as a page of their own: confidential, with a reason for each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.view.blocks import Block, Heading, Sentence, table
from unveil.view.format import format_count, truncate
from unveil.view.render_page import render_page

WARNING = (
    "This page shows who could be re-identified and what would be disclosed about them. Keep it"
    " where the original is kept; it must not leave with the report."
)
ORDER = (
    "Row 0 is the first record of the original. People who share their keys with the fewest others"
    " come first."
)


@dataclass(frozen=True)
class RecordsAtRisk:
    """The people at risk of one scenario and target."""

    scenario: str
    target: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]  # the first of them
    n_all: int


def records_page(title: str, run: int, found: Sequence[RecordsAtRisk]) -> str:
    """The whole page; those who share their keys with the fewest come first."""
    return render_page(
        f"Records at risk: {truncate(title)}",
        records_blocks(found),
        heading=f"Records at risk: {truncate(title)}, run {run:,}",
    )


def records_blocks(found: Sequence[RecordsAtRisk]) -> Iterator[Block]:
    """What must be known first, then the people of each target."""
    yield Sentence(WARNING, "stop")
    yield Sentence(ORDER)
    if not found:
        yield Sentence("No target was measured, so no one is listed.")
    for one in found:
        yield Heading(f"{truncate(one.target)} ({truncate(one.scenario)})", 2)
        if not one.n_all:
            yield Sentence("No value would be disclosed correctly.")
            continue
        rest = "" if len(one.rows) == one.n_all else f" The first {len(one.rows):,} are shown"
        more = f"{rest}; all are in the CSV file in the folder confidential." if rest else ""
        yield Sentence(f"{format_count(one.n_all, 'record')}.{more}")
        heads = [truncate(head) for head in one.heads]
        yield table("", heads, one.rows, text=heads)
