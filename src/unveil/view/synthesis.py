"""How copies were made, in sentences that a custodian can repeat."""

from collections.abc import Iterator
from html import escape

from unveil.records.synthesis import Synthesis, SynthesisColumn
from unveil.view.format import and_list, format_count, lines, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "title": "Synthetic copies",
    "made": "{made} of {rows} {were} made of the {original} of {file}.",
    "order": "Synthesised in this order: {order}.",
    "strata": "Synthesised apart in {n}: each {what} of {names}.",
    "rules": "{n} in every row of a copy.",
    "derived": "Computed from the others: {formulas}.",
    "seed given": "The seed is the one you gave. It is confidential: with it and the original"
    " anyone can make the same copies.",
    "seed in model": "The seed was drawn by the system and is in the model file only.",
    "seed gone": "The seed was drawn by the system and is not kept: these copies cannot be drawn"
    " again.",
    "seed of model": "The seed is that of the model, which draws the same copies in the same order"
    " whenever it is asked. --seed draws others.",
    "next": "A copy is not safe because it is synthetic. Measure what it gives away: unveil"
    " disclosure.",
    "entered": "Entered in {project}, under [data] synthetic. The seed is in the confidential file"
    " alone.",
    "next in project": "A copy is not safe because it is synthetic. Next, measure it: unveil run.",
    "model": "CONFIDENTIAL: the model is in {path}. It holds values of the original: keep it where"
    " the original is kept.",
}
HEADS = ("column", "role", "method", "predictors")


def copies_sentence(record: Synthesis) -> str:
    """How many copies of what size, of what."""
    return TEMPLATES["made"].format(
        made=format_count(record.n_copies, "copy", "copies"),
        rows=format_count(record.n_rows, "row"),
        were="was" if record.n_copies == 1 else "were",
        original=format_count(record.n_original, "row"),
        file=and_list(record.files),
    )


def method_sentences(record: Synthesis) -> Iterator[str]:
    """In which order and strata, and what follows from other columns."""
    yield TEMPLATES["order"].format(order=and_list(record.order))
    if record.strata:
        yield TEMPLATES["strata"].format(
            n=format_count(record.n_strata, "stratum", "strata"),
            what="value" if len(record.strata) == 1 else "combination",
            names=and_list(record.strata),
        )
    if record.rules:
        n = format_count(len(record.rules), "rule holds", "rules hold")
        yield TEMPLATES["rules"].format(n=n)
    if record.derived:
        yield TEMPLATES["derived"].format(formulas=and_list(record.derived))


def seed_sentence(record: Synthesis, *, has_model: bool, is_again: bool = False) -> str:
    """Where the seed is; never the seed itself."""
    if record.is_seeded:
        return TEMPLATES["seed given"]
    if is_again:
        return TEMPLATES["seed of model"]
    return TEMPLATES["seed in model" if has_model else "seed gone"]


def cells(column: SynthesisColumn) -> tuple[str, ...]:
    """One column of the original, for a table."""
    methods = [column.method, column.state_method if column.state_method != column.method else None]
    return (
        truncate(column.name),
        column.role,
        " and ".join(method for method in methods if method) or "-",
        str(len(column.predictors)) if column.method else "-",
    )


def synthesis_sentences(record: Synthesis) -> list[str]:
    """What should be known of the copies: of all columns, then of each."""
    return [*record.notes, *(note for column in record.columns for note in column.notes)]


@as_text.register
def _(record: Synthesis) -> str:
    copies = format_count(record.n_copies, "copy", "copies")
    return (
        f"Synthesiser of {format_count(len(record.order), 'column')} and"
        f" {format_count(record.n_original, 'row')}: {copies} of "
        f"{format_count(record.n_rows, 'row')}"
    )


@as_html.register
def _(record: Synthesis) -> str:
    items = "".join(f"<li>{escape(lines(one))}</li>" for one in synthesis_sentences(record))
    return titled_view(
        as_text(record),
        paragraph(copies_sentence(record)),
        *(paragraph(sentence) for sentence in method_sentences(record)),
        *(paragraph(lines(warning)) for warning in record.warnings),
        grid("How each column was made", HEADS, [cells(column) for column in record.columns]),
        f"<p>What should be known of them:</p><ul>{items}</ul>" if items else "",
        notes(record.coercions),
    )
