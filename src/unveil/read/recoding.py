"""Which codes of one file stand for which codes of another, by what both say that they mean?

The codes of the first file that has labels are the reference. A code keeps its place unless its
label stands at another place there; so do codes with a label that the reference does not have, and
values without a label, unless somebody else's label has taken the place.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from unveil.read.meanings import Value, as_held, folded, folded_all, numbers_in, texts_of
from unveil.read.numbers import as_whole

How = Literal["code", "label"]
Labels = Mapping[Value, str]

_YES, _NO = ("yes", "true", "y", "ja", "oui", "si", "sí"), ("no", "false", "n", "nein", "non")


@dataclass(frozen=True)
class Recoding:
    """How the values of one side become codes of the reference; all others stay as they are.

    `n_differing` codes have another label in the reference and keep their place; `is_doubtful`
    where values can be codes as well as labels.
    """

    told: Mapping[Value, Value] = field(default_factory=dict)
    how: How | None = None
    n_differing: int = 0
    is_doubtful: bool = False


def recoding(side: pl.Series, known: Labels, reference: Labels) -> Recoding | None:
    """How one side is put into the codes of the reference; None where it cannot be."""
    if not known:
        return _unlabelled(side, reference)
    entries = as_held(side).unique().drop_nulls()
    told = dict(_moved(known, reference))
    if is_of_numbers(known) != is_of_numbers(reference):
        return Recoding(told, "label") if told and entries.is_in([*told]).all() else None
    if _is_taken(told, known, reference, entries):
        return None
    n_differing = sum(
        code in reference and not _agree(code, known, reference) for code in known.keys() - told
    )
    how: How | None = "label" if told else "code" if n_differing else None
    return Recoding(told, how, n_differing)


def recoded(side: pl.Series, told: Mapping[Value, Value], reference: Labels) -> pl.Series:
    """The side with these values in the place of those, all others as they are."""
    if not told:
        return side
    held = _comparable(side, told)
    if not is_of_numbers(reference):
        return held.replace_strict(dict(told), default=held, return_dtype=pl.String())
    kept = numbers_in(held) if held.dtype == pl.String else held
    made = held.replace_strict(dict(told), default=None, return_dtype=pl.Float64())
    found = made.zip_with(made.is_not_null(), kept)
    whole = as_whole(found)
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


def _moved(known: Labels, reference: Labels) -> list[tuple[Value, Value]]:
    """Codes whose label stands at another code of the reference, and at that one alone."""
    places = _place_of_label(reference)
    return [
        (code, places[folded(label)])
        for code, label in known.items()
        if folded(label) in places and not _agree(code, known, reference)
    ]


def _agree(code: Value, known: Labels, reference: Labels) -> bool:
    """Whether a code means the same on both sides, capitals and blanks aside."""
    if code not in known or code not in reference:
        return False
    return folded(known[code]) == folded(reference[code])


def _place_of_label(known: Labels) -> dict[str, Value]:
    """The code of each label that stands for one code alone."""
    times = Counter(folded(label) for label in known.values())
    return {folded(label): code for code, label in known.items() if times[folded(label)] == 1}


def _unlabelled(side: pl.Series, reference: Labels) -> Recoding | None:
    """A side that says nothing of labels: its values are codes, unless only labels fit."""
    if side.dtype == pl.Boolean:
        return _truths(reference)
    if not (side.dtype == pl.String or side.dtype.is_numeric()) or not side.count():
        return Recoding(how="code")
    entries = _comparable(side.unique().drop_nulls(), reference)
    numbers = numbers_in(entries) if entries.dtype == pl.String else entries
    has_numbers = is_of_numbers(reference)
    as_text = folded_all(texts_of(entries))
    is_label = as_text.is_in([folded(label) for label in reference.values()])
    is_code = (numbers if has_numbers else entries).is_in([*reference]).fill_null(value=False)
    may_stay = numbers.is_not_null() if has_numbers else is_code
    if is_code.all() or not is_label.any() or (may_stay.all() and not is_label.all()):
        return Recoding(how="code", is_doubtful=bool(is_code.all() and is_label.all()))
    places = _place_of_label(reference)
    is_told = is_label & as_text.is_in([*places])
    if not is_label.all():  # among numbers, a number is no label of another
        is_told &= ~may_stay
    if not (is_told | may_stay).all():
        return None
    labels = zip(entries.filter(is_told), as_text.filter(is_told), strict=True)
    return Recoding({entry: places[text] for entry, text in labels}, "label")


def _truths(reference: Labels) -> Recoding | None:
    """True and false are 1 and 0 where these are codes, or else the codes of yes and no."""
    if {0.0, 1.0} <= set(reference):
        return Recoding(how="code")
    places = _place_of_label(reference)
    yes, no = ([places[word] for word in words if word in places] for words in (_YES, _NO))
    if not yes or not no:
        return None
    one, zero = (1.0, 0.0) if is_of_numbers(reference) else ("1", "0")
    return Recoding({one: yes[0], zero: no[0]}, "label")
