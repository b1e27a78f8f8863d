"""How synthetic data were made, in sentences and blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unveil.records.synthesis import Synthesis, SynthesisColumn
from unveil.view.blocks import Block, Heading, Items, Sentence, notes, sentences, table
from unveil.view.format import and_list, format_count, truncate
from unveil.view.show import as_blocks, as_text


@dataclass(frozen=True)
class SynthesisFiles:
    """What is on the disk in the end."""

    copies: tuple[Path, ...]
    model: Path | None = None
    is_again: bool = False  # drawn from a model that was there before
    project: Path | None = None  # the project file that names the copies now


TEMPLATES = {
    "title": "Synthetic data",
    "made": "{made} of {rows} {were} made from {original} of {file}.",
    "order": "Order of synthesis: {order}.",
    "strata": "Synthesised separately in {n}: each {what} of {names}.",
    "rules": "{n} in every synthetic row.",
    "derived": "Computed from other columns: {formulas}.",
    "seed given": "The seed is yours and confidential: with it and the original anyone can make"
    " the same data.",
    "seed in model": "The seed was drawn by the system and is stored only in the model file.",
    "seed gone": "The seed was drawn by the system and not kept: these data cannot be drawn again.",
    "seed of model": "The seed is that of the model, which draws the same data in the same order"
    " each time. --seed draws others.",
    "next": "Synthetic data can still disclose. Next: unveil disclosure.",
    "entered": "Entered in {project}, under [data] synthetic. The seed is stored only in the"
    " confidential file.",
    "next in project": "Synthetic data can still disclose. Next: unveil run.",
    "model": "CONFIDENTIAL: the model is in {path}. It holds values of the original: keep them"
    " together.",
}
HEADS = ("column", "role", "method", "predictors")


def copies_sentence(record: Synthesis) -> str:
    """How many copies of what size, of what."""
    original = f"the {format_count(record.n_file or record.n_original, 'row')}"
    return TEMPLATES["made"].format(
        made=format_count(record.n_copies, "copy", "copies"),
        rows=format_count(record.n_rows, "row"),
        were="was" if record.n_copies == 1 else "were",
        original=original if record.n_file is None else f"{record.n_original:,} of {original}",
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


def synthesis_blocks(record: Synthesis, written: SynthesisFiles | None = None) -> Iterator[Block]:
    """How the data were made and what to note; on the command line, where the files are."""
    yield Heading(TEMPLATES["title"])
    yield Sentence(copies_sentence(record), "lead")
    yield from sentences(method_sentences(record), "lead")
    yield from sentences(record.warnings if written is None else (), "look")
    columns = map(cells, record.columns)
    yield table("Columns", HEADS, columns, text=HEADS[:3], spare=("predictors",))
    if said := synthesis_sentences(record):
        yield Heading("Notes", 4)
        yield Items(tuple(said))
    yield from notes(record.coercions)
    if written is not None:
        yield from sentences(_files(record, written), "lead")


def _files(record: Synthesis, written: SynthesisFiles) -> Iterator[str]:
    yield from (f"Written: {path}" for path in written.copies)
    has_model = written.model is not None
    if has_model:
        yield TEMPLATES["model"].format(path=written.model)
    if written.project is None:
        yield seed_sentence(record, has_model=has_model, is_again=written.is_again)
        yield TEMPLATES["next"]
    else:
        yield TEMPLATES["entered"].format(project=written.project.name)
        yield TEMPLATES["next in project"]


@as_blocks.register
def _(record: Synthesis) -> Iterator[Block]:
    yield from synthesis_blocks(record)
