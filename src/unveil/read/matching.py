"""Are the codes of labelled files to be compared as codes, or by what they stand for?

An original from SPSS has the code 1 and says that it means "Male"; its copy in a text file may hold
1 or Male. Codes are compared as codes wherever they mean the same. Text that holds labels is turned
into the codes they stand for, and so are codes that have the same label in another place; where
that leaves values without a place, codes are turned into their labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from unveil.read.level_text import level_text
from unveil.read.meanings import (
    Meaning,
    Value,
    as_held,
    folded,
    folded_all,
    has_letters,
    letters_as_numbers,
    meanings_of,
    numbers_in,
    texts_of,
    value_labels,
)
from unveil.read.recoding import How, Labels, Recoding, is_of_numbers, recoded, recoding
from unveil.read.table import Table


@dataclass(frozen=True)
class Matched:
    """Sides of a column in which the same value means the same.

    `ways` says for each side how it was brought together with the others. `n_shared` is the number
    of codes that lost a difference, because one label stands for several.
    """

    sides: list[pl.Series]
    meanings: dict[str, Meaning] = field(default_factory=dict)
    ways: tuple[Recoding, ...] = ()
    n_shared: int = 0

    def how(self, side: int) -> How | None:
        """By what a side was compared; None where there was nothing to decide."""
        return self.ways[side].how if self.ways else None


def matched(name: str, sides: Sequence[pl.Series], tables: Sequence[Table]) -> Matched:
    """The sides of one column, codes and labels brought together where the files differ in them."""
    labels = [value_labels(name, side, table) for side, table in zip(sides, tables, strict=True)]
    made = _in_codes(sides, labels) if any(labels) else Matched(list(sides))
    if made is None:
        return _in_labels(sides, labels)
    if not has_letters(name, tables):
        return made
    numbers = [letters_as_numbers(side) if side.dtype == pl.String else side for side in made.sides]
    return Matched(numbers, made.meanings, made.ways)


def _in_codes(sides: Sequence[pl.Series], labels: Sequence[Labels]) -> Matched | None:
    """All sides in the codes of the first that has labels; None where one of them cannot be."""
    reference = next(known for known in labels if known)
    made: list[pl.Series] = []
    ways: list[Recoding] = []
    for side, known in zip(sides, labels, strict=True):
        way = Recoding() if known is reference else recoding(side, known, reference)
        if way is None:
            return None
        made.append(recoded(side, way.told, reference))
        ways.append(way)
    return Matched(made, meanings_of(_placed(labels, ways)), tuple(ways))


def _placed(labels: Sequence[Labels], ways: Sequence[Recoding]) -> list[dict[Value, str]]:
    """What codes stand for, each at the place that it was given."""
    return [
        {way.told.get(code, code): label for code, label in known.items()}
        for known, way in zip(labels, ways, strict=True)
    ]


def _in_labels(sides: Sequence[pl.Series], labels: Sequence[Labels]) -> Matched:
    """Every side as text: labels in the place of codes, each in the spelling of the first side."""
    spelling: dict[str, Meaning] = {}
    for known in labels:
        for code, label in known.items():
            spelling.setdefault(folded(label), Meaning(label, level_text(code) or ""))
    has_numbers = any(is_of_numbers(known) for known in labels)
    made = [
        _as_labels(side, known, spelling, has_numbers=has_numbers)
        for side, known in zip(sides, labels, strict=True)
    ]
    lost = [
        side.n_unique() - text.n_unique()
        for side, text, known in zip(sides, made, labels, strict=True)
        if known
    ]
    meanings = {meaning.label: meaning for meaning in spelling.values()}
    ways = tuple(Recoding(how="label") for _ in sides)
    return Matched(made, meanings, ways, max(lost))


def _as_labels(
    side: pl.Series, known: Labels, spelling: Mapping[str, Meaning], *, has_numbers: bool
) -> pl.Series:
    labels = {fold: meaning.label for fold, meaning in spelling.items()}
    if known:
        as_spelt = {code: labels[folded(label)] for code, label in known.items()}
        told = as_held(side).replace_strict(as_spelt, default=None, return_dtype=pl.String())
    else:
        told = folded_all(texts_of(side)).replace_strict(
            labels, default=None, return_dtype=pl.String()
        )
    rest = texts_of(side)
    if has_numbers and side.dtype == pl.String:  # 1200.0 in a text file is the number 1200
        numbers = texts_of(numbers_in(side))
        rest = numbers.zip_with(numbers.is_not_null(), side)
    return told.zip_with(told.is_not_null(), rest)
