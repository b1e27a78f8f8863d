"""What is told of how labelled columns were compared, and which of their codes are no answers?"""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from unveil.errors import listed
from unveil.read.matching import Matched
from unveil.read.meanings import special_codes
from unveil.read.table import Table
from unveil.records.disclosure import Coercion


def codes_of_no_answer(
    name: str, sides: Sequence[pl.Series], found: Matched, tables: Sequence[Table]
) -> tuple[float, ...]:
    """The numbers that stand for no answer, by what the files declare, at the places they got."""
    codes: set[float] = set()
    for place, (side, table) in enumerate(zip(sides, tables, strict=True)):
        told = found.ways[place].told if found.ways else {}
        placed = (told.get(code, code) for code in special_codes(name, side, table))
        codes |= {code for code in placed if not isinstance(code, str)}
    return tuple(sorted(codes))


def matching_notes(labelled: Mapping[str, Matched], tables: Sequence[Table]) -> Iterator[Coercion]:
    """By what labelled columns were compared: one note for each side, and for what is doubtful."""
    for place, table in enumerate(tables):
        for how in ("code", "label"):
            names = [name for name, found in labelled.items() if found.how(place) == how]
            if names:
                sentence = f"Compared by {how}: {listed(names)}."
                yield Coercion(side=table.side, column=None, kind="matched_by", sentence=sentence)
        for name, found in labelled.items():
            if found.ways:
                yield from _doubts(name, found, place, table)
    for name, found in labelled.items():
        if found.n_shared:
            sentence = (
                f"Column {name!r}: some codes have the same label; compared by label, they are one"
                " level."
            )
            yield Coercion(side="all files", column=name, kind="labels_shared", sentence=sentence)


def _doubts(name: str, found: Matched, place: int, table: Table) -> Iterator[Coercion]:
    way = found.ways[place]
    if way.n_differing:
        sentence = (
            f"Column {name!r}: codes with another label here than in the other files:"
            f" {way.n_differing:,}. Do they mean the same?"
        )
        yield Coercion(side=table.side, column=name, kind="labels_differ", sentence=sentence)
    if way.is_doubtful:
        sentence = (
            f"Column {name!r}: its values can be codes as well as labels of the other file; they"
            " were taken for codes. Are they?"
        )
        yield Coercion(side=table.side, column=name, kind="codes_or_labels", sentence=sentence)
