"""Rows matched to rows in sentences a custodian can repeat, and as shown in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere. Who draws
these draws the matches of one file too: both come from `unveil.match_risk`.
"""

from collections.abc import Iterator

from unveil.records.uniques import AlignedMatch, AlignedMatchRow
from unveil.view.format import and_list, people, percent, percent_or_dash, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "perceived": (
        "An intruder who knows {keys} and {looks} would find one likeliest row for {p} of your"
        " people ({n} of {N})."
    ),
    "one copy": "looks a person up in the copy",
    "copies": "looks a person up in all {m} copies",
    "true": "For {n} ({p} of all) it is the person's own row; {q} of these rows are another's.",
    "none": "Nobody is left with one row alone.",
    "expected": (
        "Taking one of the likeliest at random, they would be right for about {e} of {N} ({p})."
    ),
    "tolerance": "{key} may be off by {tolerance}.",
}
HEADS = ("copy", "matched", "perceived", "true", "false", "expected")


def aligned_sentences(record: AlignedMatch) -> Iterator[tuple[str, str]]:
    """What each figure says, by the name of the figure."""
    row = record.headline
    looks = "one copy" if record.n_copies == 1 else "copies"
    yield (
        "perceived",
        TEMPLATES["perceived"].format(
            keys=and_list(record.keys),
            looks=TEMPLATES[looks].format(m=record.n_copies),
            p=percent(100 * row.perceived_match_rate),
            n=f"{row.n_unique:,}",
            N=f"{record.n_records:,}",
        ),
    )
    yield "true", _true(row)
    yield (
        "expected",
        TEMPLATES["expected"].format(
            e=f"{row.expected_match_risk:,.1f}",
            N=people(record.n_records),
            p=percent(100 * row.expected_match_rate),
        ),
    )
    for off in record.tolerances:
        told = TEMPLATES["tolerance"].format(key=truncate(off.key), tolerance=f"{off.tolerance:g}")
        yield "tolerance", told


def _true(row: AlignedMatchRow) -> str:
    if row.false_match_rate is None:
        return TEMPLATES["none"]
    return TEMPLATES["true"].format(
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
        f" {record.n_records:,} expected to be found ({percent(100 * row.expected_match_rate)})"
    )


@as_html.register
def _(record: AlignedMatch) -> str:
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for _, sentence in aligned_sentences(record)),
        grid("Rows of the copies matched to people", HEADS, aligned_rows(record)),
        notes(record.coercions),
    )
