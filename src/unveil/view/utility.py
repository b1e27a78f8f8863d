"""How well a model tells a copy from the original, in sentences and in a notebook.

One catalogue of templates, filled from the record only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator, Sequence

from unveil.records.utility import Utility, UtilityRow
from unveil.view.format import format_count, percent
from unveil.view.group_notes import group_notes
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "sizes": "{original} of the original and {copies}, by {columns}.",
    "sample": (
        "Compared were {n} of the largest file, drawn at random, and as large a share of the"
        " others: all figures are those of files of that size. pMSE is {p}; from one such sample to"
        " another it varies by {e}. --sample all compares all records (in a project: utility_sample"
        ' = "all" under [data]).'
    ),
    "tree": "A tree of {leaves} was grown to tell them apart.",
    "no tree": "A tree found nothing to tell them apart by.",
    "logit": "A logistic model with {df} was fitted to tell them apart.",
    "S": (
        "S_pMSE is {S}: they are told apart {verdict}. 1 is what chance does to a copy drawn from"
        " the true distribution; below 3 is good, above 10 means that more work is needed."
    ),
    "error": " By chance of the {n} permutations it may be off by {e}.",
    "no S": "S_pMSE cannot be measured: {why}.",
    "PO50": "{p} of the records are assigned to the right file; half would be by coin.",
    "separated": (
        "The logistic model tells some records apart with certainty, because something occurs in"
        " one file only. Its figures stand, but no coefficient does; the tables of single variables"
        " show where."
    ),
    "separated by a tree": (
        "The tree tells every record apart: each leaf holds records of one file only."
    ),
    "sizes differ": (
        "The files differ in size. S_pMSE of a tree is on the scale of 1 for files of one size;"
        " here it can be far lower for the same copy. Compare copies of the original's size, or"
        " take the logistic model."
    ),
    "pairs": "Measured against how the copies differ from one another, S_pMSE is {S}.",
}
MANY = 1_000
"""Of so many pairs of records no half is told."""
HEADS = ("copy", "pMSE", "S_pMSE", "error", "by pairs", "SPECKS", "PO50", "U", "size of model")

GOOD, POOR = 3.0, 10.0
"""Limits of S_pMSE in the vignette on utility of synthpop."""
EMPTY = {"-"}
NOTICED = 0.1
"""Files whose sizes differ by a smaller share count as of one size."""


def verdict(value: float) -> str:
    """What an S_pMSE says."""
    if value < GOOD:
        return "hardly better than by chance" if value >= 1 else "no better than by chance"
    return "clearly better than by chance" if value <= POOR else "far better than by chance"


def sizes(record: Utility) -> str:
    """How much was compared."""
    m = len(record.n_synthetic)
    copies = f"{format_count(record.n_synthetic[0], 'record')} of the copy"
    return TEMPLATES["sizes"].format(
        original=format_count(record.n_original, "record"),
        copies=copies if m == 1 else f"{m} copies",
        columns=format_count(len(record.columns), "column"),
    )


def sentences(record: Utility, row: UtilityRow) -> Iterator[str]:
    """What the figures of one copy say, the most important first."""
    yield from (text for _, text in keyed_sentences(record, row))


def keyed_sentences(record: Utility, row: UtilityRow) -> Iterator[tuple[str, str]]:
    """The same, each with the name of its template."""
    if record.sample is not None:
        yield "sample", _sample(record.sample, row)
    yield _model(row)
    if row.S_pMSE is None:
        (why,) = (one.reason for one in record.not_measured if one.copy == row.copy)
        yield "no S", TEMPLATES["no S"].format(why=why)
    else:
        said = TEMPLATES["S"].format(S=figure(row.S_pMSE), verdict=verdict(row.S_pMSE))
        if row.S_pMSE_error:
            n = row.n_permutations or 0
            said += TEMPLATES["error"].format(n=f"{n:,}", e=figure(row.S_pMSE_error))
        yield "S", said
        yield from _of_other_size(record, row)
    if row.S_pMSE_pairs is not None:
        yield "pairs", TEMPLATES["pairs"].format(S=figure(row.S_pMSE_pairs))
    if record.n_original == record.n_synthetic[row.copy - 1]:
        yield "PO50", TEMPLATES["PO50"].format(p=percent(50 + row.PO50))
    if row.is_separated:
        kind = "separated" if row.model == "logit" else "separated by a tree"
        yield kind, TEMPLATES[kind]


def _of_other_size(record: Utility, row: UtilityRow) -> Iterator[tuple[str, str]]:
    """That 1 is not the scale of a tree where the files differ in size."""
    n_original, n_synthetic = record.n_original, record.n_synthetic[row.copy - 1]
    if row.model == "cart" and abs(n_synthetic / n_original - 1) > NOTICED:
        yield "sizes differ", TEMPLATES["sizes differ"]


def _sample(n: int, row: UtilityRow) -> str:
    return TEMPLATES["sample"].format(
        n=format_count(n, "record"), p=f"{row.pMSE:.6f}", e=f"{row.pMSE_error or 0.0:.6f}"
    )


def _model(row: UtilityRow) -> tuple[str, str]:
    if row.model == "logit":
        return "logit", TEMPLATES["logit"].format(df=format_count(row.df or 0, "parameter"))
    if row.n_leaves == 1:
        return "no tree", TEMPLATES["no tree"]
    leaves = format_count(row.n_leaves or 0, "leaf", "leaves")
    return "tree", TEMPLATES["tree"].format(leaves=leaves)


def figure(value: float | None) -> str:
    """A standardised measure with two decimals; a dash where there is none."""
    return "-" if value is None else f"{value:,.2f}"


def cells(row: UtilityRow) -> tuple[str, ...]:
    """One copy under HEADS."""
    size = row.df if row.model == "logit" else row.n_leaves
    return (
        f"copy {row.copy}",
        f"{row.pMSE:.6f}",
        figure(row.S_pMSE),
        figure(row.S_pMSE_error),
        figure(row.S_pMSE_pairs),
        f"{row.SPECKS:.4f}",
        f"{row.PO50:.2f}",
        f"{row.U:,.0f}" if row.U >= MANY else f"{row.U:,.1f}",
        format_count(size or 0, "parameter" if row.model == "logit" else "leaf", _many(row)),
    )


def without_empty(
    heads: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A table without the columns that have no figure in any row; the first always stays."""
    told = [
        place for place in range(len(heads)) if not place or {row[place] for row in rows} - EMPTY
    ]
    return tuple(heads[place] for place in told), [
        tuple(row[place] for place in told) for row in rows
    ]


def _many(row: UtilityRow) -> str:
    return "parameters" if row.model == "logit" else "leaves"


@as_text.register
def _(record: Utility) -> str:
    worst = max(record.rows, key=lambda row: row.pMSE)
    standard = figure(worst.S_pMSE)
    of = "" if len(record.rows) == 1 else f" (the highest of {len(record.rows)} copies)"
    return f"Utility by {record.model}: pMSE {worst.pMSE:.5f}, S_pMSE {standard}{of}"


@as_html.register
def _(record: Utility) -> str:
    worst = max(record.rows, key=lambda row: row.pMSE)
    return titled_view(
        as_text(record),
        paragraph(sizes(record)),
        *map(paragraph, sentences(record, worst)),
        grid("By copy", *without_empty(HEADS, [cells(row) for row in record.rows])),
        notes(group_notes(record.coercions)),
    )
