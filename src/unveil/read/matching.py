"""Are the codes of labelled files to be compared as codes, or by what they stand for?

An original from SPSS has the code 1 and says that it means "Male"; its copy in a text file may hold
1 or Male. Codes are compared as codes wherever they mean the same. Text that holds labels is turned
into the codes they stand for; where it holds more than that, codes are turned into their labels.
Where two files give one code different meanings, the labels decide, if they are the same ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

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
from unveil.read.numbers import as_whole
from unveil.read.table import Table

How = Literal["code", "label"]


@dataclass(frozen=True)
class Matched:
    """Sides of a column in which the same value means the same.

    `how` says for each side by what it was brought together with the others, None where there was
    nothing to decide. `differing` are the codes of each side that have another label elsewhere;
    `shared` is the number of codes that lost a difference, because one label stands for several.
    """

    sides: list[pl.Series]
    meanings: dict[str, Meaning] = field(default_factory=dict)
    how: tuple[How | None, ...] = ()
    differing: tuple[int, ...] = ()
    n_shared: int = 0


def matched(name: str, sides: Sequence[pl.Series], tables: Sequence[Table]) -> Matched:
    """The sides of one column, codes and labels brought together where the files differ in them."""
    labels = [value_labels(name, side, table) for side, table in zip(sides, tables, strict=True)]
    made = _in_codes(sides, labels) if any(labels) else Matched(list(sides))
    if made is None:
        return _in_labels(sides, labels)
    if not has_letters(name, tables):
        return made
    numbers = [letters_as_numbers(side) if side.dtype == pl.String else side for side in made.sides]
    return Matched(numbers, made.meanings, made.how, made.differing)


def _in_codes(sides: Sequence[pl.Series], labels: Sequence[Mapping[Value, str]]) -> Matched | None:
    """All sides in the codes of the first that has labels; None where one of them cannot be."""
    reference = next(known for known in labels if known)
    made: list[pl.Series] = []
    how: list[How | None] = []
    differing: list[int] = []
    for side, known in zip(sides, labels, strict=True):
        found = (side, None) if known is reference else _coded(side, known, reference)
        if found is None:
            return None
        made.append(found[0])
        how.append(found[1])
        differing.append(0 if found[1] == "label" else _n_contradicting(known, reference))
    return Matched(made, meanings_of(labels), tuple(how), tuple(differing))


def _coded(
    side: pl.Series, known: Mapping[Value, str], reference: Mapping[Value, str]
) -> tuple[pl.Series, How | None] | None:
    """One side in the codes of the reference, and how they were found; None where it cannot be."""
    if not known:
        return _without_labels(side, reference)
    if not _are_alike(known, reference):
        return None
    if not _n_contradicting(known, reference):
        return side, None
    if not _share_labels(known, reference):
        return side, "code"
    codes = _code_by_label(reference)
    if codes is None or not all(folded(label) in codes for label in known.values()):
        return None
    told = {code: codes[folded(label)] for code, label in known.items()}
    is_told = as_held(side).unique().drop_nulls().is_in(list(told)).all()
    return (_replaced(side, told, reference), "label") if is_told else None


def _without_labels(
    side: pl.Series, reference: Mapping[Value, str]
) -> tuple[pl.Series, How | None] | None:
    """A side that says nothing of labels: its values are codes, unless labels fit better."""
    entries = side.unique().drop_nulls()
    if side.dtype != pl.String or not len(entries):
        return side, "code"
    is_label = folded_all(entries).is_in([folded(label) for label in reference.values()])
    is_code = (
        numbers_in(entries).is_not_null()
        if _is_of_numbers(reference)
        else entries.is_in([*reference])
    )
    if not is_label.any() or is_code.all() or _are_rather_codes(is_code, is_label, reference):
        return side, "code"
    codes = _code_by_label(reference)
    if codes is None or not (is_code | is_label).all():
        return None
    labels = entries.filter(is_label)
    told = dict(zip(labels, (codes[text] for text in folded_all(labels)), strict=True))
    return _replaced(side, told, reference), "label"


def _are_rather_codes(
    is_code: pl.Series, is_label: pl.Series, reference: Mapping[Value, str]
) -> bool:
    """Whether more entries are codes that are text than are labels of such codes."""
    return not _is_of_numbers(reference) and is_label.sum() <= is_code.sum()


def _replaced(
    side: pl.Series, told: Mapping[Value, Value], reference: Mapping[Value, str]
) -> pl.Series:
    """The side with these values in the place of those, all others as they are."""
    if not _is_of_numbers(reference):
        return side.replace(dict(told))
    kept = numbers_in(side) if side.dtype == pl.String else as_held(side)
    made = as_held(side).replace_strict(dict(told), default=None, return_dtype=pl.Float64())
    found = made.zip_with(made.is_not_null(), kept)
    whole = as_whole(found)
    return found if whole is None else whole


def _in_labels(sides: Sequence[pl.Series], labels: Sequence[Mapping[Value, str]]) -> Matched:
    """Every side as text: labels in the place of codes."""
    made = [_as_labels(side, known) for side, known in zip(sides, labels, strict=True)]
    meanings: dict[str, Meaning] = {}
    for known in labels:
        for code, label in known.items():
            meanings.setdefault(label, Meaning(label, level_text(code) or ""))
    n_shared = max(len(known) - len(set(known.values())) for known in labels)
    how: tuple[How | None, ...] = tuple("label" for _ in sides)
    return Matched(made, meanings, how, (0,) * len(sides), n_shared)


def _as_labels(side: pl.Series, known: Mapping[Value, str]) -> pl.Series:
    told = as_held(side).replace_strict(dict(known), default=None, return_dtype=pl.String())
    return told.zip_with(told.is_not_null(), texts_of(side))


def _is_of_numbers(known: Mapping[Value, str]) -> bool:
    return any(not isinstance(code, str) for code in known)


def _are_alike(known: Mapping[Value, str], reference: Mapping[Value, str]) -> bool:
    """Whether the codes of both are numbers, or the codes of both are text."""
    return _is_of_numbers(known) == _is_of_numbers(reference)


def _n_contradicting(known: Mapping[Value, str], reference: Mapping[Value, str]) -> int:
    """How many codes mean something else, capitals and blanks aside."""
    return sum(
        folded(label) != folded(reference[code])
        for code, label in known.items()
        if code in reference
    )


def _share_labels(known: Mapping[Value, str], reference: Mapping[Value, str]) -> bool:
    """Whether at least half of the labels of one are labels of the other: not a translation."""
    theirs = {folded(label) for label in reference.values()}
    return 2 * sum(folded(label) in theirs for label in known.values()) >= len(known)


def _code_by_label(known: Mapping[Value, str]) -> dict[str, Value] | None:
    """The code of each label; None where one label stands for several codes."""
    codes = {folded(label): code for code, label in known.items()}
    return codes if len(codes) == len(known) else None
