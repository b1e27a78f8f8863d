"""What does a synthetic file hold beside the table that was compared?

Other sheets and comments of a workbook, metadata of a Parquet file, notes, labels of values that do
not occur, and new names of columns travel with a file, and no figure covers them. What they say is
compared with the original's records; only their number is told.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from unveil.io.numbers import TAGS
from unveil.io.outgoing import LABEL, NOTE, PARTLY_LABEL, PARTLY_NOTE
from unveil.io.table import BESIDE, Table
from unveil.measure.gate.disclosive_texts import Texts, count_disclosed
from unveil.records.alerts import BesideTable
from unveil.records.codebook import Level, Variable

FEW_LABELS = 20
"""So many labels of a column may stand for values that do not occur: rare answers, scales."""
MANY_LABELS = 500
"""So many may be those of a classification, if they are words."""
LONGEST_LABEL = 120
"""Letters of a label; longer ones are shown for review."""
LONGEST_TEXT = 1000
"""Letters of the longest question; longer texts have room for what is said of people."""
FEW_NOTES = 3
_LONGEST_WORD, _SHORT = 30, 6
_LETTERS = 0.6  # so much of a text is letters and blanks, if it is words


Values = Callable[[int, str], set[object]]
"""The different values of a column of the file at a place."""


@dataclass(frozen=True)
class _JudgedTexts:
    """Texts of one kind: what to say if they tell of people, and if there are many of them."""

    texts: Texts
    what: str  # with "{n}" for how many tell of one person
    detail: str | None = None
    is_much: bool = False


def find_beside(tables: Sequence[Table], copy: int, values: Values) -> Iterator[BesideTable]:
    """What a synthetic file holds that no check compares with the original."""
    synthetic = tables[copy]
    for note in synthetic.notes:
        if note.kind == BESIDE:
            yield BesideTable(copy=copy, detail=note.sentence, is_much=True)
    held = list(_list_texts(tables[0], synthetic, copy, values))
    told = count_disclosed(tables[0], [one.texts for one in held])
    # Where the rows are kept elsewhere, nothing is compared with them.
    is_blind = not tables[0].frame.height
    for one, n_told in zip(held, told, strict=True):
        if one.detail is not None:
            yield BesideTable(copy=copy, detail=one.detail, is_much=one.is_much or is_blind)
        if n_told:
            record = "a record" if n_told == 1 else f"{n_told:,} records"
            detail = f"{one.what} as one person of the original has them together ({record})."
            yield BesideTable(copy=copy, detail=detail, is_much=True)


def _list_texts(
    original: Table, synthetic: Table, copy: int, values: Values
) -> Iterator[_JudgedTexts]:
    """All texts beside the table that the original does not declare itself."""

    def find_unused(name: str, spellings: Iterable[tuple[object, ...]]) -> list[str]:
        """Which of these things, each in all its spellings, occur in neither file."""
        held = {
            one
            for place, table in ((0, original), (copy, synthetic))
            if name in table.frame.columns and not table.frame.schema[name].is_nested()
            for one in values(place, name)
            if one is not None
        }
        return [str(one[0]) for one in spellings if held.isdisjoint(one)]

    yield from _notes(synthetic)
    questions = []
    for name, variable in synthetic.variables.items():
        levels, question = _new_labels(variable, original.variables.get(name))
        questions += question
        unused = find_unused(name, map(_spell, levels)) if levels else []
        yield _judge(f"Column {name!r} has", "label", unused, [one.label for one in levels])
        if question and len(question[0]) > LONGEST_LABEL:
            yield _judge(f"Column {name!r} has", "label", [], question)
    yield _JudgedTexts(Texts(questions), "Labels of columns say values")
    for name, dtype in synthetic.frame.schema.items():
        if isinstance(dtype, pl.Enum):
            unused = find_unused(name, ((one,) for one in dtype.categories))
            yield _judge(f"Column {name!r} lists", "categor", unused, unused)
    for one in synthetic.beside:
        if one.column is None:
            yield _JudgedTexts(Texts(one.texts), f"Its {one.what} say values")
        else:
            unused = find_unused(one.column, ((text,) for text in one.texts))
            yield _judge(f"Column {one.column!r} lists", "categor", unused, unused)
    names = [name for name in synthetic.frame.columns if name not in original.frame.columns]
    yield _JudgedTexts(Texts(names, in_order=True), "Names of columns say values")


def _notes(synthetic: Table) -> Iterator[_JudgedTexts]:
    """Notes of a file and its label, but for those that say that it is fake."""
    book = synthetic.codebook
    if book is None:
        return
    ours = (NOTE, PARTLY_NOTE, LABEL, PARTLY_LABEL)
    lines = [one for one in book.notes if one.strip() and one not in ours]
    label = [] if book.file_label in (None, *ours) else [str(book.file_label)]
    many = "line" if len(lines) == 1 else "lines"
    detail = f"It has {len(lines):,} {many} of notes." if lines else None
    texts = Texts([*lines, *label], in_order=True)
    yield _JudgedTexts(texts, "Its notes say values", detail, is_much=len(lines) > FEW_NOTES)


def _judge(start: str, noun: str, unused: Sequence[str], texts: Sequence[str]) -> _JudgedTexts:
    """Labels or categories of a column: how many stand for nothing, and how long they are."""
    one, many = ("category", "categories") if noun == "categor" else (noun, f"{noun}s")
    said = []
    if len(unused) > FEW_LABELS:
        of = " of values" if noun == "label" else ""
        said.append(f"{start} {len(unused):,} {many}{of} that no record has.")
    if n_long := sum(len(text) > LONGEST_LABEL for text in texts):
        what = one if n_long == 1 else many
        said.append(f"{start} {n_long:,} {what} of more than {LONGEST_LABEL} letters.")
    n_odd = sum(not _are_words(text) for text in texts)
    return _JudgedTexts(
        Texts(texts, in_order=True),
        f"{start} {many} that say values",
        " ".join(said) or None,
        is_much=len(unused) > MANY_LABELS
        or (len(unused) > FEW_LABELS and n_odd > FEW_LABELS)
        or any(len(text) > LONGEST_TEXT for text in texts),
    )


def _are_words(text: str) -> bool:
    """Whether a text is a short code or words of some language, not many digits or encoded."""
    n_letters = sum(one.isalpha() or one.isspace() for one in text)
    longest = max(map(len, text.split()), default=0)
    is_language = n_letters >= _LETTERS * len(text) and longest <= _LONGEST_WORD
    return is_language or len(text) <= _SHORT


def _new_labels(variable: Variable, declared: Variable | None) -> tuple[list[Level], list[str]]:
    """Codes with their labels, and the label of the column, that the original does not declare."""
    theirs = {(one.code, one.label) for one in declared.levels} if declared else set()
    levels = [one for one in variable.levels if (one.code, one.label) not in theirs]
    is_new = variable.label and (declared is None or declared.label != variable.label)
    return levels, [variable.label or ""] if is_new else []


def _spell(level: Level) -> tuple[object, ...]:
    """A code as records may have it: as number, text, label, or letter of a missing value."""
    return level.code, str(level.code), level.label, TAGS.get(str(level.code))
