"""How synthetic data were made, in sentences and blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unveil.assessment.outstanding import shell_word
from unveil.records.synthesis import Synthesis, SynthesisColumn
from unveil.view.blocks import Block, Heading, Items, Sentence, list_rows, notes, sentences
from unveil.view.format import agree, and_list, format_count, truncate
from unveil.view.show import as_blocks, as_text


@dataclass(frozen=True)
class SynthesisFiles:
    """What is on the disk in the end."""

    copies: tuple[Path, ...]
    model: Path | None = None
    is_again: bool = False  # drawn from a model that was there before
    project: Path | None = None  # the project file that names the copies now
    original: str | None = None  # what they were made from, where no project and no model says so

    @property
    def next_command(self) -> str:
        """What measures them."""
        if self.project is not None:
            return "unveil run"
        if self.original is None:
            return f"unveil assess ORIGINAL {shell_word(str(self.copies[0]))} --keys NAMES"
        named = " ".join(f"--synthetic {shell_word(str(path))}" for path in self.copies)
        return f"unveil init {shell_word(self.original)} {named}"


def _methods(column: SynthesisColumn) -> str:
    methods = dict.fromkeys((column.method, column.state_method))
    return " and ".join(method for method in methods if method) or "-"


COLUMNS: dict[str, Callable[[SynthesisColumn], str]] = {
    "column": lambda column: truncate(column.name),
    "role": lambda column: column.role,
    "method": _methods,
    "predictors": lambda column: str(len(column.predictors)) if column.method else "-",
}


def copies_sentence(record: Synthesis) -> str:
    """How many copies of what size, of what."""
    original = f"the {format_count(record.n_file or record.n_original, 'row')}"
    if record.n_file is not None:
        original = f"{record.n_original:,} of {original}"
    made = format_count(record.n_copies, "copy", "copies")
    were = agree(record.n_copies, "was", "were")
    rows = format_count(record.n_rows, "row")
    return f"{made} of {rows} {were} made from {original} of {and_list(record.files)}."


def method_sentences(record: Synthesis) -> Iterator[str]:
    """In which order and strata, and what follows from other columns."""
    yield f"Order of synthesis: {and_list(record.order)}."
    if record.strata:
        n = format_count(record.n_strata, "stratum", "strata")
        what = agree(len(record.strata), "value", "combination")
        yield f"Synthesised separately in {n}: each {what} of {and_list(record.strata)}."
    if record.rules:
        n = format_count(len(record.rules), "rule holds", "rules hold")
        yield f"{n} in every synthetic row."
    if record.derived:
        yield f"Computed from other columns: {and_list(record.derived)}."


def seed_sentence(record: Synthesis, *, has_model: bool, is_again: bool = False) -> str:
    """Where the seed is; never the seed itself."""
    if record.is_seeded:
        return (
            "The seed is yours and confidential: with it and the original anyone can make the same"
            " data."
        )
    if is_again:
        return (
            "The seed is that of the model, which draws the same data in the same order each time."
            " --seed draws others."
        )
    if has_model:
        return "The seed was drawn by the system and is stored only in the model file."
    return "The seed was drawn by the system and not kept: these data cannot be drawn again."


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
    yield Heading("Synthetic data")
    yield Sentence(copies_sentence(record), "lead")
    yield from sentences(method_sentences(record), "lead")
    yield from sentences(record.warnings if written is None else (), "look")
    text = ("role", "method")
    yield list_rows("Columns", COLUMNS, record.columns, text=text, spare=("predictors",))
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
        yield (
            f"CONFIDENTIAL: the model is in {written.model}. It holds values of the original: keep"
            " them together."
        )
    if written.project is None:
        yield seed_sentence(record, has_model=has_model, is_again=written.is_again)
    else:
        yield (
            f"Entered in {written.project.name}, under [data] synthetic. The seed is stored only in"
            " the confidential file."
        )
    yield "Synthetic data can still disclose."
    yield f"Next: {written.next_command}"


@as_blocks.register
def _(record: Synthesis) -> Iterator[Block]:
    yield from synthesis_blocks(record)
