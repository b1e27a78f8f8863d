"""What does a synthetic file hold beside the table that was compared?

Other sheets and comments of a workbook, metadata of a Parquet file, notes, and labels of values
that do not occur travel with a file, and no figure covers them. Only their number is told.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from unveil.io.numbers import TAGS
from unveil.io.outgoing import NOTE, PARTLY_NOTE
from unveil.io.table import BESIDE, Table
from unveil.records.alerts import BesideTable
from unveil.records.codebook import Level, Variable

FEW_LABELS = 20
"""So many labels of a column may stand for values that do not occur: rare answers, scales."""
LONGEST_LABEL = 120
"""Letters of a label; longer ones have room for what is said of people."""
FEW_NOTES = 3


Values = Callable[[int, str], set[object]]
"""The different values of a column of the file at a place."""


def find_beside(tables: Sequence[Table], copy: int, values: Values) -> Iterator[BesideTable]:
    """What a synthetic file holds that no check compares with the original."""
    original, synthetic = tables[0], tables[copy]

    def count_unused(name: str, spellings: Iterable[tuple[object, ...]]) -> int:
        """How many of these things, each in all its spellings, occur in neither file."""
        held = {
            one
            for place, table in ((0, original), (copy, synthetic))
            if name in table.frame.columns and not table.frame.schema[name].is_nested()
            for one in values(place, name)
            if one is not None
        }
        return sum(held.isdisjoint(one) for one in spellings)

    for note in synthetic.notes:
        if note.kind == BESIDE:
            yield BesideTable(copy=copy, detail=note.sentence, is_much=True)
    notes = () if synthetic.codebook is None else synthetic.codebook.notes
    n_notes = sum(bool(one.strip()) and one not in (NOTE, PARTLY_NOTE) for one in notes)
    if n_notes:
        detail = f"It has {n_notes:,} {'line' if n_notes == 1 else 'lines'} of notes."
        yield BesideTable(copy=copy, detail=detail, is_much=n_notes > FEW_NOTES)
    for name, variable in synthetic.variables.items():
        levels, labels = _new_labels(variable, original.variables.get(name))
        n_unused = 0
        if len(levels) > FEW_LABELS:
            n_unused = count_unused(name, map(_spell, levels))
        if n_unused > FEW_LABELS:
            detail = f"Column {name!r} has {n_unused:,} labels of values that no record has."
            yield BesideTable(copy=copy, detail=detail, is_much=True)
        if n_long := sum(len(one) > LONGEST_LABEL for one in labels):
            what = "label" if n_long == 1 else "labels"
            detail = f"Column {name!r} has {n_long:,} {what} of more than {LONGEST_LABEL} letters."
            yield BesideTable(copy=copy, detail=detail, is_much=True)
    for name, dtype in synthetic.frame.schema.items():
        if isinstance(dtype, pl.Enum) and len(dtype.categories) > FEW_LABELS:
            n_unused = count_unused(name, ((one,) for one in dtype.categories))
            if n_unused > FEW_LABELS:
                detail = f"Column {name!r} lists {n_unused:,} categories that no record has."
                yield BesideTable(copy=copy, detail=detail, is_much=True)


def _new_labels(variable: Variable, declared: Variable | None) -> tuple[list[Level], list[str]]:
    """Codes, and texts of labels, that the original does not declare."""
    theirs = {(one.code, one.label) for one in declared.levels} if declared else set()
    levels = [one for one in variable.levels if (one.code, one.label) not in theirs]
    is_new = variable.label and (declared is None or declared.label != variable.label)
    return levels, [*(one.label for one in levels), *([variable.label or ""] if is_new else [])]


def _spell(level: Level) -> tuple[object, ...]:
    """A code as records may have it: as number, text, label, or letter of a missing value."""
    return level.code, str(level.code), level.label, TAGS.get(str(level.code))
