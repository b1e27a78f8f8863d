"""Rows matched to rows in sentences a custodian can repeat, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere. Who draws
these draws the matches of one file too: both come from `unveil.match_risk`.
"""

from collections.abc import Iterator

from unveil.records.uniques import AlignedMatch, AlignedMatchRow
from unveil.view.blocks import Block, Heading, notes, sentences, table
from unveil.view.format import and_list, fill, people, percent, percent_or_dash, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "perceived": (
        "{n} of {N} people ({p}) {n:has|have} a single most likely row, for an intruder who"
        " knows {keys} and has {looks}."
    ),
    "one copy": "the synthetic data",
    "copies": "all {m} copies",
    "true": "For {n} ({p} of all) it is their own row; {q} of these matches are wrong.",
    "none": "No one has a single most likely row.",
    "expected": (
        "A random choice among the most likely rows would be correct for about {e} of {N} ({p})."
    ),
    "tolerance": "{key} may differ by {tolerance}.",
}
HEADS = ("copy", "matched", "perceived", "true", "false", "expected")


def aligned_sentences(record: AlignedMatch) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    row = record.headline
    looks = "one copy" if record.n_copies == 1 else "copies"
    yield (
        "perceived",
        fill(
            TEMPLATES["perceived"],
            keys=and_list(record.keys),
            looks=fill(TEMPLATES[looks], m=record.n_copies),
            p=percent(100 * row.perceived_match_rate),
            n=f"{row.n_unique:,}",
            N=f"{record.n_records:,}",
        ),
    )
    yield "true", _true(row)
    yield (
        "expected",
        fill(
            TEMPLATES["expected"],
            e=f"{row.expected_match_risk:,.1f}",
            N=people(record.n_records),
            p=percent(100 * row.expected_match_rate),
        ),
    )
    for off in record.tolerances:
        told = fill(TEMPLATES["tolerance"], key=truncate(off.key), tolerance=f"{off.tolerance:g}")
        yield "tolerance", told


def _true(row: AlignedMatchRow) -> str:
    if row.false_match_rate is None:
        return TEMPLATES["none"]
    return fill(
        TEMPLATES["true"],
        n=people(row.n_true),
        p=percent(100 * row.true_match_rate),
        q=percent(100 * row.false_match_rate),
    )


def aligned_rows(record: AlignedMatch) -> list[tuple[str, ...]]:
    """The match rates under HEADS."""
    return [
        (
            str(row.copy),
            f"{row.n_matched:,}",
            percent(100 * row.perceived_match_rate),
            percent(100 * row.true_match_rate),
            percent_or_dash(None if row.false_match_rate is None else 100 * row.false_match_rate),
            percent(100 * row.expected_match_rate),
        )
        for row in record.rows
    ]


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
    yield from sentences(text for _, text in aligned_sentences(record))
    yield table("Match rates", HEADS, aligned_rows(record), spare=HEADS[1:2])
    yield from notes(record.coercions)
