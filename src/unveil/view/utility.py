"""How well a model separates synthetic data from the original: the propensity score."""

from collections.abc import Iterator, Sequence
from typing import Any

from unveil.records.utility import Utility, UtilityRow
from unveil.view.blocks import Block, Heading, Sentence, TableBlock, notes, say, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import bars_panel, figure_row
from unveil.view.charts.marks import DOTTED, INK, Spec, describe_rows, number, pixel, rule, write
from unveil.view.format import format_count, percent
from unveil.view.show import as_blocks, as_text

SEPARATED = {
    "separated": (
        "The logistic model separates some records with certainty, because a value occurs in one"
        " file only. The figures hold, but no coefficient does; the tables of one variable show"
        " where."
    ),
    "separated by a tree": "The tree separates all records: each leaf holds one file only.",
}
SIZES_DIFFER = (
    "The files differ in size. S_pMSE of a tree has the scale of 1 only for files of equal size;"
    " here it can be far lower for the same synthetic data. Compare data of the original's size, or"
    " use the logistic model."
)
MANY = 1_000
"""From so many pairs of records on, no half is shown."""
CAPTION = "Propensity score of the model"
THUMB = "Rule of thumb for S_pMSE: synthpop's vignette on utility."
HEADS = ("copy", "pMSE", "S_pMSE", "error", "by pairs", "SPECKS", "PO50", "U", "size of model")

GOOD, POOR = 3.0, 10.0
"""Limits of S_pMSE in the vignette on utility of synthpop."""
SPARE = ("U", "size of model", "by pairs", "SPECKS", "Wasserstein", "measure", "kind")
"""Columns that give way first where room is short."""
NOTICED = 0.1
"""Files whose sizes differ by a smaller share count as of one size."""


def verdict(value: float) -> str:
    """What an S_pMSE says."""
    if value < GOOD:
        return "hardly better than chance" if value >= 1 else "no better than chance"
    return "clearly better than chance" if value <= POOR else "far better than chance"


def sizes(record: Utility) -> str:
    """How much was compared."""
    m = len(record.n_synthetic)
    copies = f"{format_count(record.n_synthetic[0], 'record')} in the synthetic data"
    original = f"{format_count(record.n_original, 'record')} in the original"
    columns = f"{format_count(len(record.columns), 'column')} compared"
    return f"{original} and {copies if m == 1 else f'{m} copies'}; {columns}."


def against_chance(record: Utility) -> Iterator[tuple[str, str]]:
    """How well a model does beside chance, each sentence with its name."""
    row = worst_copy(record)
    if row.S_pMSE is None:
        reasons = [one.reason for one in record.not_measured if one.copy == row.copy]
        yield "not measured", f"S_pMSE of all columns cannot be computed: {reasons[0]}."
    else:
        x = figure(row.S_pMSE)
        yield "times", f"S_pMSE {x} (1 = no more than chance; below 3 good, above 10 poor)."
    if len(record.rows) > 1:
        yield "several", f"This is the worst of {len(record.rows)} copies."


def utility_sentences(record: Utility, row: UtilityRow) -> Iterator[tuple[str, str]]:
    """What the figures of one copy say, the most important first, each sentence by its name."""
    n_synthetic = record.n_synthetic[row.copy - 1]
    if record.sample is not None:
        yield "sample", _sample(record.sample, row)
    yield _model(row)
    if row.S_pMSE is None:
        (why,) = (one.reason for one in record.not_measured if one.copy == row.copy)
        yield "no S", f"S_pMSE cannot be computed: {why}."
    else:
        text = (
            f"S_pMSE {figure(row.S_pMSE)}: the model separates the files {verdict(row.S_pMSE)}"
            " (expected 1 if the synthesis model is correct; below 3 good, above 10 poor)."
        )
        if row.S_pMSE_error:
            n, error = row.n_permutations or 0, figure(row.S_pMSE_error)
            text += f" Its standard error over {n:,} permutations is {error}."
        yield "S", text
        # 1 is not the scale of a tree where the files differ in size.
        if row.model == "cart" and abs(n_synthetic / record.n_original - 1) > NOTICED:
            yield "sizes differ", SIZES_DIFFER
    if row.S_pMSE_pairs is not None:
        pairs = figure(row.S_pMSE_pairs)
        yield "pairs", f"Relative to the differences between copies, S_pMSE is {pairs}."
    if record.n_original == n_synthetic:
        share = percent(50 + row.PO50)
        yield "PO50", f"The model classifies {share} of records correctly (50 % by chance)."
    if row.is_separated:
        kind = "separated" if row.model == "logit" else "separated by a tree"
        yield kind, SEPARATED[kind]


def _sample(n: int, row: UtilityRow) -> str:
    return (
        f"The model compared {format_count(n, 'record')} of the largest file, drawn at random, and"
        " the same share of the others; all figures are for files of that size. pMSE is"
        f" {row.pMSE:.6f} and varies by {row.pMSE_error or 0.0:.6f} from one such sample to"
        ' another. --sample all compares all records (in a project: utility_sample = "all" under'
        " [data])."
    )


def _model(row: UtilityRow) -> tuple[str, str]:
    if row.model == "logit":
        parameters = format_count(row.df or 0, "parameter")
        return "logit", f"Model: a logistic regression with {parameters}."
    if row.n_leaves == 1:
        return "no tree", "Model: a classification tree; it found no split between the files."
    leaves = format_count(row.n_leaves or 0, "leaf", "leaves")
    return "tree", f"Model: a classification tree with {leaves}."


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
    kept = [place for place in range(len(heads)) if not place or any(r[place] != "-" for r in rows)]
    return tuple(heads[place] for place in kept), [tuple(row[p] for p in kept) for row in rows]


def filled_table(
    caption: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]], **settings: Any
) -> TableBlock:
    """The columns that have figures; where room is short, those at the right give way."""
    heads, rows = without_empty(heads, rows)
    first = [head for head in SPARE if head in heads[1:]]
    spare = first + [head for head in reversed(heads[2:]) if head not in first]
    return table(caption, heads, rows, spare=spare, **settings)


def first_rows(rows: Sequence[tuple[str, ...]], most: int, what: str) -> dict[str, Any]:
    """The first rows of a long table, and how many more there are."""
    more = len(rows) - most
    return {"rows": rows[:most], "footnote": f"... and {more:,} more {what}" if more > 0 else ""}


def _many(row: UtilityRow) -> str:
    return "parameters" if row.model == "logit" else "leaves"


def worst_copy(record: Utility) -> UtilityRow:
    """The copy that the model separates best from the original."""
    return max(record.rows, key=lambda row: (row.S_pMSE or 0.0, row.pMSE))


def model_table(record: Utility) -> TableBlock:
    """All measures of the model, copy by copy."""
    footnote = THUMB if any(row.S_pMSE is not None for row in record.rows) else ""
    return filled_table(CAPTION, HEADS, [*map(cells, record.rows)], footnote=footnote)


def utility_chart(record: Utility) -> Chart:
    """S_pMSE of every copy; pMSE where one cannot be standardised."""
    is_standard = all(row.S_pMSE is not None for row in record.rows)
    values = [(row.S_pMSE if is_standard else row.pMSE) or 0.0 for row in record.rows]
    rows = [
        figure_row(f"copy {row.copy}", value, figure(value) if is_standard else f"{value:.6f}")
        for row, value in zip(record.rows, values, strict=True)
    ]
    measure = "S_pMSE" if is_standard else "pMSE"
    reach = max([*values, POOR * 1.2 if is_standard else 0.0])
    x = number("value", measure, scale={"domain": [0, reach or 1]})
    return Chart(
        bars_panel(rows, x, more=_thumb(x) if is_standard else ()),
        title="How well a model tells each copy from the original",
        description=f"{measure}. {describe_rows(rows)}",
    )


def _thumb(x: Spec) -> list[Spec]:
    """What chance gives, and the limits of the rule of thumb."""
    lines = [{"value": value, "text": f"{value:g}"} for value in (1.0, GOOD, POOR)]
    return [
        rule(lines, INK, DOTTED, x=x),
        write("text", x, pixel(-9), "center", rows=lines),
    ]


@as_text.register
def _(record: Utility) -> str:
    worst = worst_copy(record)
    of = "" if len(record.rows) == 1 else f" (the highest of {len(record.rows)} copies)"
    return f"Utility by {record.model}: pMSE {worst.pMSE:.5f}, S_pMSE {figure(worst.S_pMSE)}{of}"


@as_blocks.register
def _(record: Utility) -> Iterator[Block]:
    yield Heading("Utility: can a model separate the files?")
    yield Sentence(sizes(record), "lead")
    yield from say(utility_sentences(record, worst_copy(record)))
    yield model_table(record)
    yield from notes(record.coercions)
