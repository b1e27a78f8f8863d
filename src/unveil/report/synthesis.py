"""How copies were made, in sentences that a custodian can repeat."""

from collections.abc import Iterator
from html import escape

from unveil.records.synthesis import Synthesis, SynthesisColumn
from unveil.records.view import as_html, as_text
from unveil.report.html import grid, notes, paragraph, view
from unveil.report.words import and_list, counted, lines, name

TEMPLATES = {
    "title": "Synthetic copies",
    "made": "{made} of {rows} {were} made of the {original} of {file}.",
    "order": "Synthesised in this order: {order}.",
    "strata": "Synthesised apart in {n}: each combination of {names}.",
    "several": (
        "{m} copies give away more than one: a guess that uses all of them is right more often (CAP"
        " by m). Measure them together before you release them: unveil cap, unveil disclosure."
    ),
    "seed given": "The seed is the one you gave. It is confidential: with it and the original"
    " anyone can make the same copies.",
    "seed in model": "The seed was drawn by the system and is in the model file only.",
    "seed gone": "The seed was drawn by the system and is not kept: these copies cannot be drawn"
    " again.",
    "model": "CONFIDENTIAL: the model is in {path}. It holds values of the original: keep it where"
    " the original is kept.",
}
HEADS = ("column", "role", "method", "predictors")


def made(record: Synthesis) -> str:
    """How many copies of what size, of what."""
    return TEMPLATES["made"].format(
        made=counted(record.n_copies, "copy", "copies"),
        rows=counted(record.n_rows, "row"),
        were="was" if record.n_copies == 1 else "were",
        original=counted(record.n_original, "row"),
        file=and_list(record.files),
    )


def how(record: Synthesis) -> Iterator[str]:
    """In which order, and in which strata."""
    yield TEMPLATES["order"].format(order=and_list(record.order))
    if record.strata:
        yield TEMPLATES["strata"].format(
            n=counted(record.n_strata, "stratum", "strata"), names=and_list(record.strata)
        )


def several(n_copies: int) -> tuple[str, ...]:
    """What to say of more than one copy."""
    return (TEMPLATES["several"].format(m=n_copies),) if n_copies > 1 else ()


def seed(record: Synthesis, *, has_model: bool) -> str:
    """Where the seed is; never the seed itself."""
    if record.is_seeded:
        return TEMPLATES["seed given"]
    return TEMPLATES["seed in model" if has_model else "seed gone"]


def cells(column: SynthesisColumn) -> tuple[str, ...]:
    """One column of the original, for a table."""
    methods = [column.method, column.state_method if column.state_method != column.method else None]
    return (
        name(column.name),
        column.role,
        " and ".join(method for method in methods if method) or "-",
        str(len(column.predictors)) if column.method else "-",
    )


def said(record: Synthesis) -> list[str]:
    """What should be known of the copies: of all columns, then of each."""
    return [*record.notes, *(note for column in record.columns for note in column.notes)]


@as_text.register
def _(record: Synthesis) -> str:
    copies = counted(record.n_copies, "copy", "copies")
    return (
        f"Synthesiser of {counted(len(record.order), 'column')} and"
        f" {counted(record.n_original, 'row')}: {copies} of {counted(record.n_rows, 'row')}"
    )


@as_html.register
def _(record: Synthesis) -> str:
    items = "".join(f"<li>{escape(lines(one))}</li>" for one in said(record))
    parts = [
        f"<h3>{escape(as_text(record))}</h3>",
        paragraph(made(record)),
        *(paragraph(sentence) for sentence in how(record)),
        *(paragraph(lines(warning)) for warning in record.warnings),
        grid("How each column was made", HEADS, [cells(column) for column in record.columns]),
        f"<p>What should be known of them:</p><ul>{items}</ul>" if items else "",
        notes(record.coercions),
    ]
    return view(parts)
