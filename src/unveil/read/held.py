"""A file that was read once and is asked for again: by other columns, as another side.

What is given is what reading the file anew would give, notes and their order among it, so that a
measure finds the same whether it reads for itself or is handed the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from unveil.read.columns import choose
from unveil.read.table import Table, place_of
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

_AS_IN_THE_FILE = ("column_name", "unnamed_column")
"""Notes that stand in the order of the file; all others in the order of the columns asked for."""


@dataclass(frozen=True, eq=False)
class Held:
    """A whole file as it was read, before any dictionary was put beside it."""

    path: Path
    whole: Table
    missing_values: tuple[str, ...]
    dictionary: Codebook | None = None
    types: Mapping[str, str] = field(default_factory=dict)  # what columns are to be read as
    is_changed: bool = False  # whether the table is no longer what the file says

    def serves(self, columns: Sequence[str] | None, missing_values: Sequence[str]) -> bool:
        """Whether the whole tells what reading these columns alone would."""
        return self.is_changed or (
            tuple(missing_values) == self.missing_values
            and (columns is None or not any(map(self._is_of_all_columns, self.whole.notes)))
        )

    def holding(self, table: Table) -> "Held":
        """The same file with another table in its place, to which nothing is to be added."""
        return replace(self, whole=table, dictionary=None, is_changed=True)

    def table(self, *, side: str, columns: Sequence[str] | None) -> Table:
        """These columns, as a side of a comparison."""
        place = place_of(side, self.whole.source)
        wanted = choose(self.whole.frame.columns, columns, place)
        notes = [
            msgspec.structs.replace(note, side=side)
            for note in self.whole.notes
            if note.column is None or note.column in wanted
        ]
        return replace(
            self.whole,
            side=side,
            place=place,
            frame=self.whole.frame[wanted],
            notes=tuple(_ordered(notes, wanted)),
            codebook=_of_columns(self.whole.codebook, wanted),
        )

    def _is_of_all_columns(self, note: Coercion) -> bool:
        """Whether a note, or what it tells of, hangs on which columns are read together."""
        is_portable = self.path.suffix.lower() == ".por" and note.kind == "missing"
        return note.column is None and (note.kind == "decimal_comma" or is_portable)


def _of_columns(book: Codebook | None, wanted: list[str]) -> Codebook | None:
    if book is None:
        return None
    known = {variable.name: variable for variable in book.variables}
    kept = tuple(known[name] for name in wanted if name in known)
    return msgspec.structs.replace(book, variables=kept)


def _ordered(notes: list[Coercion], wanted: list[str]) -> list[Coercion]:
    place = {name: position for position, name in enumerate(wanted)}
    movable = [i for i, note in enumerate(notes) if _is_movable(note)]
    moved = sorted(movable, key=lambda i: place[str(notes[i].column)])
    made: dict[int, Any] = dict(enumerate(notes))
    for to, origin in zip(movable, moved, strict=True):
        made[to] = notes[origin]
    return [made[i] for i in range(len(notes))]


def _is_movable(note: Coercion) -> bool:
    return note.column is not None and note.kind not in _AS_IN_THE_FILE
