"""Are the codes of labelled files to be compared as codes, or by what they stand for?

An original from SPSS has the code 1 and says that it means "Male"; its copy in a text file may hold
1 or Male. Codes are compared as codes wherever they mean the same. Text that holds labels is turned
into the codes they stand for, and so are codes that have the same label in another place; where
that leaves values without a place, codes are turned into their labels.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import polars as pl

from unveil.errors import list_names
from unveil.io.code_meanings import (
    Meaning,
    Value,
    fold_label,
    fold_labels,
    has_letters,
    letters_as_numbers,
    meanings_of,
    normalise_codes,
    numbers_in,
    special_codes,
    texts_of,
    value_labels,
)
from unveil.io.numbers import cast_to_int, level_text
from unveil.io.table import Table
from unveil.records.disclosure import Coercion

# Which codes of one file stand for which codes of another, by what both say that they mean?
#
# The codes of the first file that has labels are the reference. A code keeps its place unless its
# label stands at another place there; so do codes with a label that the reference does not have,
# and values without a label, unless somebody else's label has taken the place.


How = Literal["code", "label"]
Labels = Mapping[Value, str]

_YES, _NO = ("yes", "true", "y", "ja", "oui", "si", "sí"), ("no", "false", "n", "nein", "non")


@dataclass(frozen=True)
class CodeMapping:
    """How the values of one side become codes of the reference; all others stay as they are.

    `n_differing` codes have another label in the reference and keep their place; `is_doubtful`
    where values can be codes as well as labels.
    """

    told: Mapping[Value, Value] = field(default_factory=dict)
    how: How | None = None
    n_differing: int = 0
    is_doubtful: bool = False


def map_codes(side: pl.Series, known: Labels, reference: Labels) -> CodeMapping | None:
    """How one side is put into the codes of the reference; None where it cannot be."""
    if not known:
        return _map_unlabelled(side, reference)
    entries = normalise_codes(side).unique().drop_nulls()
    told = dict(_moved_codes(known, reference))
    if is_of_numbers(known) != is_of_numbers(reference):
        return CodeMapping(told, "label") if told and entries.is_in([*told]).all() else None
    if _is_taken(told, known, reference, entries):
        return None
    n_differing = sum(
        code in reference and not _agree(code, known, reference) for code in known.keys() - told
    )
    how: How | None = "label" if told else "code" if n_differing else None
    return CodeMapping(told, how, n_differing)


def apply_code_mapping(
    side: pl.Series, told: Mapping[Value, Value], reference: Labels
) -> pl.Series:
    """The side with these values in the place of those, all others as they are."""
    if not told:
        return side
    held = _comparable(side, told)
    if not is_of_numbers(reference):
        return held.replace_strict(dict(told), default=held, return_dtype=pl.String())
    kept = numbers_in(held) if held.dtype == pl.String else held
    made = held.replace_strict(dict(told), default=None, return_dtype=pl.Float64())
    found = made.zip_with(made.is_not_null(), kept)
    whole = cast_to_int(found)
    return found if whole is None else whole


def _comparable(side: pl.Series, codes: Collection[Value]) -> pl.Series:
    """Values that can be looked up among codes: text among text, numbers among numbers."""
    if side.dtype == pl.String:
        return side
    numbers = side.cast(pl.Float64)
    return numbers if is_of_numbers(codes) else texts_of(numbers)


def is_of_numbers(known: Collection[Value]) -> bool:
    """Whether codes are numbers, not text."""
    return any(not isinstance(code, str) for code in known)


def _is_taken(
    told: Mapping[Value, Value], known: Labels, reference: Labels, entries: pl.Series
) -> bool:
    """Whether a code is told to go where something else stays that does not mean the same."""
    places = [*told.values()]
    if not places:
        return False
    staying = {*known, *entries.filter(entries.is_in(places))} - told.keys()
    return any(place in places and not _agree(place, known, reference) for place in staying)


def _moved_codes(known: Labels, reference: Labels) -> list[tuple[Value, Value]]:
    """Codes whose label stands at another code of the reference, and at that one alone."""
    places = _place_of_label(reference)
    return [
        (code, places[fold_label(label)])
        for code, label in known.items()
        if fold_label(label) in places and not _agree(code, known, reference)
    ]


def _agree(code: Value, known: Labels, reference: Labels) -> bool:
    """Whether a code means the same on both sides, capitals and blanks aside."""
    if code not in known or code not in reference:
        return False
    return fold_label(known[code]) == fold_label(reference[code])


def _place_of_label(known: Labels) -> dict[str, Value]:
    """The code of each label that stands for one code alone."""
    times = Counter(fold_label(label) for label in known.values())
    return {
        fold_label(label): code for code, label in known.items() if times[fold_label(label)] == 1
    }


def _map_unlabelled(side: pl.Series, reference: Labels) -> CodeMapping | None:
    """A side that says nothing of labels: its values are codes, unless only labels fit."""
    if side.dtype == pl.Boolean:
        return _truths(reference)
    if not (side.dtype == pl.String or side.dtype.is_numeric()) or not side.count():
        return CodeMapping(how="code")
    entries = _comparable(side.unique().drop_nulls(), reference)
    numbers = numbers_in(entries) if entries.dtype == pl.String else entries
    has_numbers = is_of_numbers(reference)
    as_text = fold_labels(texts_of(entries))
    is_label = as_text.is_in([fold_label(label) for label in reference.values()])
    is_code = (numbers if has_numbers else entries).is_in([*reference]).fill_null(value=False)
    may_stay = numbers.is_not_null() if has_numbers else is_code
    if is_code.all() or not is_label.any() or (may_stay.all() and not is_label.all()):
        return CodeMapping(how="code", is_doubtful=bool(is_code.all() and is_label.all()))
    places = _place_of_label(reference)
    is_told = is_label & as_text.is_in([*places])
    if not is_label.all():  # among numbers, a number is no label of another
        is_told &= ~may_stay
    if not (is_told | may_stay).all():
        return None
    labels = zip(entries.filter(is_told), as_text.filter(is_told), strict=True)
    return CodeMapping({entry: places[text] for entry, text in labels}, "label")


def _truths(reference: Labels) -> CodeMapping | None:
    """True and false are 1 and 0 where these are codes, or else the codes of yes and no."""
    if {0.0, 1.0} <= set(reference):
        return CodeMapping(how="code")
    places = _place_of_label(reference)
    yes, no = ([places[word] for word in words if word in places] for words in (_YES, _NO))
    if not yes or not no:
        return None
    one, zero = (1.0, 0.0) if is_of_numbers(reference) else ("1", "0")
    return CodeMapping({one: yes[0], zero: no[0]}, "label")


@dataclass(frozen=True)
class MatchedColumn:
    """Sides of a column in which the same value means the same.

    `ways` says for each side how it was brought together with the others. `n_shared` is the number
    of codes that lost a difference, because one label stands for several.
    """

    sides: list[pl.Series]
    meanings: dict[str, Meaning] = field(default_factory=dict)
    ways: tuple[CodeMapping, ...] = ()
    n_shared: int = 0

    def select(self, places: Sequence[int]) -> "MatchedColumn":
        """What was decided of some of the sides."""
        return replace(self, ways=tuple(self.ways[place] for place in places) if self.ways else ())

    def how(self, side: int) -> How | None:
        """By what a side was compared; None where there was nothing to decide."""
        return self.ways[side].how if self.ways else None


def match_column(name: str, sides: Sequence[pl.Series], tables: Sequence[Table]) -> MatchedColumn:
    """The sides of one column, codes and labels brought together where the files differ in them."""
    labels = [value_labels(name, side, table) for side, table in zip(sides, tables, strict=True)]
    made = _in_codes(sides, labels) if any(labels) else MatchedColumn(list(sides))
    if made is None:
        return _in_labels(sides, labels)
    if not has_letters(name, tables):
        return made
    numbers = [letters_as_numbers(side) if side.dtype == pl.String else side for side in made.sides]
    return MatchedColumn(numbers, made.meanings, made.ways)


def _in_codes(sides: Sequence[pl.Series], labels: Sequence[Labels]) -> MatchedColumn | None:
    """All sides in the codes of the first that has labels; None where one of them cannot be."""
    reference = next(known for known in labels if known)
    made: list[pl.Series] = []
    ways: list[CodeMapping] = []
    for side, known in zip(sides, labels, strict=True):
        way = CodeMapping() if known is reference else map_codes(side, known, reference)
        if way is None:
            return None
        made.append(apply_code_mapping(side, way.told, reference))
        ways.append(way)
    return MatchedColumn(made, meanings_of(_place_meanings(labels, ways)), tuple(ways))


def _place_meanings(
    labels: Sequence[Labels], ways: Sequence[CodeMapping]
) -> list[dict[Value, str]]:
    """What codes stand for, each at the place that it was given."""
    return [
        {way.told.get(code, code): label for code, label in known.items()}
        for known, way in zip(labels, ways, strict=True)
    ]


def _in_labels(sides: Sequence[pl.Series], labels: Sequence[Labels]) -> MatchedColumn:
    """Every side as text: labels in the place of codes, each in the spelling of the first side."""
    spelling: dict[str, Meaning] = {}
    for known in labels:
        for code, label in known.items():
            spelling.setdefault(fold_label(label), Meaning(label, level_text(code) or ""))
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
    ways = tuple(CodeMapping(how="label") for _ in sides)
    return MatchedColumn(made, meanings, ways, max(lost))


def _as_labels(
    side: pl.Series, known: Labels, spelling: Mapping[str, Meaning], *, has_numbers: bool
) -> pl.Series:
    labels = {fold: meaning.label for fold, meaning in spelling.items()}
    if known:
        as_spelt = {code: labels[fold_label(label)] for code, label in known.items()}
        told = normalise_codes(side).replace_strict(
            as_spelt, default=None, return_dtype=pl.String()
        )
    else:
        told = fold_labels(texts_of(side)).replace_strict(
            labels, default=None, return_dtype=pl.String()
        )
    rest = texts_of(side)
    if has_numbers and side.dtype == pl.String:  # 1200.0 in a text file is the number 1200
        numbers = texts_of(numbers_in(side))
        rest = numbers.zip_with(numbers.is_not_null(), side)
    return told.zip_with(told.is_not_null(), rest)


# What is told of how labelled columns were compared, and which of their codes are no answers?


def codes_of_no_answer(
    name: str, sides: Sequence[pl.Series], found: MatchedColumn, tables: Sequence[Table]
) -> tuple[float, ...]:
    """The numbers that stand for no answer, by what the files declare, at the places they got."""
    codes: set[float] = set()
    for place, (side, table) in enumerate(zip(sides, tables, strict=True)):
        told = found.ways[place].told if found.ways else {}
        placed = (told.get(code, code) for code in special_codes(name, side, table))
        codes |= {code for code in placed if not isinstance(code, str)}
    return tuple(sorted(codes))


def matching_notes(
    labelled: Mapping[str, MatchedColumn], tables: Sequence[Table]
) -> Iterator[Coercion]:
    """By what labelled columns were compared: one note for each side, and for what is doubtful."""
    for place, table in enumerate(tables):
        for how in ("code", "label"):
            names = [name for name, found in labelled.items() if found.how(place) == how]
            if names:
                sentence = f"Compared by {how}: {list_names(names)}."
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


def _doubts(name: str, found: MatchedColumn, place: int, table: Table) -> Iterator[Coercion]:
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
