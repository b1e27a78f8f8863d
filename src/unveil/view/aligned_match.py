"""Rows matched to rows in sentences a custodian can repeat, and as blocks.

Who draws these draws the matches of one file too: both come from `unveil.match_risk`.
"""

from collections.abc import Callable, Iterator

from unveil.records.uniques import AlignedMatch, AlignedMatchRow
from unveil.view.blocks import Block, Heading, list_rows, notes, say
from unveil.view.format import agree, and_list, format_share, people, percent, truncate
from unveil.view.show import as_blocks, as_text

COLUMNS: dict[str, Callable[[AlignedMatchRow], str]] = {
    "copy": lambda row: str(row.copy),
    "matched": lambda row: f"{row.n_matched:,}",
    "perceived": lambda row: format_share(row.perceived_match_rate),
    "true": lambda row: format_share(row.true_match_rate),
    "false": lambda row: format_share(row.false_match_rate),
    "expected": lambda row: format_share(row.expected_match_rate),
}


def aligned_sentences(record: AlignedMatch) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    row = record.headline
    n, has = row.n_unique, "the synthetic data"
    if record.n_copies > 1:
        has = f"all {record.n_copies} copies"
    yield (
        "perceived",
        f"{n:,} of {record.n_records:,} people ({percent(100 * row.perceived_match_rate)})"
        f" {agree(n, 'has', 'have')} a single most likely row, for an intruder who knows"
        f" {and_list(record.keys)} and has {has}.",
    )
    yield "true", _true(row)
    yield (
        "expected",
        f"A random choice among the most likely rows would be correct for about"
        f" {row.expected_match_risk:,.1f} of {people(record.n_records)}"
        f" ({percent(100 * row.expected_match_rate)}).",
    )
    for off in record.tolerances:
        yield "tolerance", f"{truncate(off.key)} may differ by {off.tolerance:g}."


def _true(row: AlignedMatchRow) -> str:
    if row.false_match_rate is None:
        return "No one has a single most likely row."
    return (
        f"For {people(row.n_true)} ({percent(100 * row.true_match_rate)} of all) it is their own"
        f" row; {percent(100 * row.false_match_rate)} of these matches are wrong."
    )


@as_text.register
def _(record: AlignedMatch) -> str:
    row = record.headline
    return (
        f"Rows matched by {and_list(record.keys)}: about {row.expected_match_risk:,.1f} of"
        f" {record.n_records:,} expected to match correctly"
        f" ({percent(100 * row.expected_match_rate)})"
    )


@as_blocks.register
def _(record: AlignedMatch) -> Iterator[Block]:
    yield Heading("Rows of the synthetic data matched to people")
    yield from say(aligned_sentences(record))
    yield list_rows("Match rates", COLUMNS, record.rows, spare=("matched",))
    yield from notes(record.coercions)
