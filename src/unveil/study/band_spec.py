"""Into which bands is a column of numbers to be cut, and which codes stand apart?

What a user wrote is read here, before any data is: how many bands (``5``, ``"equal:5"``), breaks
(``[0, 18, 65]``, ``"0,18,65"``), or settings by name (``{"breaks": [...], "labels": [...]}``).
Whether the columns exist and hold numbers is seen when they are cut.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from unveil.arguments import (
    check_faults,
    is_list,
    number_in,
    numbers_in,
    parse_column_settings,
    parse_finite_numbers,
    quote_value,
)
from unveil.errors import SettingsError, hint_at, list_names
from unveil.io.numbers import TAG_OF
from unveil.records.disclosure import Style

# What is each band called, and each code that stands apart?
#
# Bands of whole numbers are called by the first and last they can hold ("16 to 27", or "16"),
# other bands by their limits ("0.5 to under 1.2"). The outer bands have open ends ("under 16",
# "64 or more"): the lowest and highest value of the data belong to single people and are not
# named. No two levels of a column have the same name.


_DIGITS = range(8, 18)  # R shows 8 significant digits in labels; 17 tell any two floats apart
_LONGEST_WHOLE = 1e19  # whole numbers of 64 bits are written out, larger ones are not


def number_texts(numbers: Sequence[float]) -> list[str]:
    """Numbers in as few digits as keep them apart, but no fewer than 8; whole ones in full."""
    texts: list[str] = []
    for digits in _DIGITS:
        texts = [_number_text(number, digits) for number in numbers]
        if len(set(texts)) == len(set(numbers)):
            break
    return texts


def code_text(code: float) -> str:
    """A special code as its level is called: ``-8``, or ``.a`` for a letter of missing values."""
    if code in TAG_OF:
        return TAG_OF[code]
    if can_be_written_out(code):
        return str(int(code))
    return repr(code)


def can_be_written_out(number: float) -> bool:
    """Whether a number is whole, and not too long to be written without an exponent."""
    return abs(number) < _LONGEST_WHOLE and number.is_integer()


def _number_text(number: float, digits: int) -> str:
    if can_be_written_out(number):
        return str(int(number))
    return repr(float(f"{number:.{digits}g}")).removesuffix(".0")


def names_open(breaks: Sequence[float], *, is_whole: bool) -> list[str]:
    """What bands are called that have no lowest and no highest value."""
    if not breaks:
        return ["all values"]
    limits = [float(math.ceil(limit)) for limit in breaks] if is_whole else breaks
    texts = number_texts(limits)
    within = _names_of_whole(limits) if is_whole else _names_of_decimals(texts)
    return [f"under {texts[0]}", *within, f"{texts[-1]} or more"]


def names_beyond(breaks: Sequence[float]) -> tuple[str, str]:
    """What values below the first break that was given, and from the last one on, are called."""
    texts = number_texts(breaks)
    return f"under {texts[0]}", f"{texts[-1]} or more"


def names_between(breaks: Sequence[float], *, is_whole: bool) -> list[str]:
    """What the bands between breaks that were given are called."""
    return _names_of_whole(breaks) if is_whole else _names_of_decimals(number_texts(breaks))


def _names_of_whole(limits: Sequence[float]) -> list[str]:
    """Bands by the first and last whole number in them; one that can hold none never occurs."""
    ends = [(math.ceil(low), math.ceil(high) - 1) for low, high in pairwise(limits)]
    return [str(first) if first == last else f"{first} to {last}" for first, last in ends]


def _names_of_decimals(texts: Sequence[str]) -> list[str]:
    return [f"{low} to under {high}" for low, high in pairwise(texts)]


def format_n(n: int, thing: str) -> str:
    """1 band, 5 bands."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


MOST_BANDS = 10_000
_STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True)
class Banding:
    """How one column is to be cut: into `n` bands of a style, or at `breaks`."""

    column: str
    style: Style
    n: int | None = None
    breaks: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bands:
    """The columns to be cut, and by column the codes that stand apart."""

    bandings: tuple[Banding, ...]
    special_codes: dict[str, tuple[float, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column named, once."""
        return tuple(dict.fromkeys([*(b.column for b in self.bandings), *self.special_codes]))


NO_BANDS = Bands((), {})


def parse_bands(bands: Mapping[str, Any] | None, special_codes: Mapping[str, Any] | None) -> Bands:
    """Bands and special codes as people write them, or a refusal with every fault found."""
    faults: list[str] = []
    bandings = parse_column_settings(
        "bands", bands, _make_banding, example="{'age': 5}", faults=faults
    )
    example = "{'income': [-8, -9]}"
    codes = parse_column_settings(
        "special_codes", special_codes, _codes, example=example, faults=faults
    )
    for column, banding in bandings.items():
        faults += _ambiguous_labels(banding, codes.get(column, ()))
    check_faults(faults)
    return Bands(tuple(bandings.values()), codes)


def _make_banding(column: str, given: Any) -> Banding:
    named = _by_name(given)
    faults = [
        f"Column {column!r} has no setting {quote_value(name)} for "
        f"bands.{hint_at(str(name), [*_READ])}"
        f" The settings are: {list_names(_READ)}."
        for name in named
        if name not in _READ
    ]
    named = {name: named[name] for name in _READ if named.get(name) is not None}
    parts: dict[str, Any] = {}
    for name, setting in named.items():
        try:
            parts[name] = _READ[name](column, setting)
        except SettingsError as fault:
            faults.append(str(fault))
    faults += [f"Column {column!r} has {fault}" for fault in _contradictions(named, parts)]
    check_faults(faults)
    return Banding(column, **{"style": "breaks" if "breaks" in parts else "quantile", **parts})


def _by_name(given: Any) -> Mapping[Any, Any]:
    """Any of the ways to write bands, as settings by name."""
    if isinstance(given, Mapping):
        return given
    if isinstance(given, str):
        style, colon, rest = given.rpartition(":")
        numbers = numbers_in(rest)
        is_breaks = len(numbers) > 1 or style.strip() == "breaks"
        cut = {"breaks": numbers} if is_breaks else {"n": numbers[0]}
        return {"style": style.strip(), **cut} if colon else cut
    return {"breaks" if is_list(given) else "n": given}


def _style(column: str, given: Any) -> Style:
    for style in _STYLES:
        if given == style:
            return style
    raise SettingsError(
        f"The style of the bands of column {column!r} is {quote_value(given)}, which is unknown."
        f"{hint_at(str(given), _STYLES)} The styles are: {list_names(_STYLES)}."
    )


def _how_many(column: str, given: Any) -> int:
    number = number_in(given)
    if number is None or not number.is_integer():
        problem = f"{quote_value(given)}, which is not a whole number"
    elif not 2 <= number <= MOST_BANDS:
        problem = f"{number:.15g}"
    else:
        return int(number)
    raise SettingsError(
        f"The number of bands of column {column!r} is {problem}. Write a whole number from 2 to"
        f" {MOST_BANDS:,}."
    )


def _breaks(column: str, given: Any) -> tuple[float, ...]:
    breaks = parse_finite_numbers(given, what=f"break of column {column!r}", example="0, 18, 65")
    if not breaks:
        raise SettingsError(f"The list of breaks of column {column!r} is empty. Give one or more.")
    texts = number_texts(breaks)
    _check_repeated(f"breaks of column {column!r}", texts)
    for i in range(1, len(breaks)):
        if breaks[i - 1] > breaks[i]:
            raise SettingsError(
                f"The breaks of column {column!r} do not increase: {texts[i]} comes after"
                f" {texts[i - 1]}. Give them from low to high."
            )
    return breaks


def _labels(column: str, given: Any) -> tuple[str, ...]:
    labels = tuple(given) if is_list(given) else (None,)
    if not all(isinstance(label, str) for label in labels):
        raise SettingsError(
            f"The labels of column {column!r} are not a list of texts. Write them as"
            " ['child', 'adult']."
        )
    if not all(label.strip() for label in labels):
        raise SettingsError(f"A label of column {column!r} is empty. Give each band a name.")
    _check_repeated(f"labels of column {column!r}", [repr(label) for label in labels])
    return labels


_READ: dict[str, Callable[[str, Any], Any]] = {
    "style": _style,
    "n": _how_many,
    "breaks": _breaks,
    "labels": _labels,
}


def _contradictions(named: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterable[str]:
    """What the settings of one column say against each other; `parts` are those read."""
    style = parts.get("style")
    if "n" in named and "breaks" in named:
        yield "both a number of bands and breaks. Give one of the two."
    elif style == "breaks" and "breaks" not in named:
        yield "the style 'breaks' but no breaks. List them, as in [0, 18, 65]."
    elif style in ("quantile", "equal") and "breaks" in named:
        yield (
            f"breaks, but the style {style!r} finds its own. Omit the style, or give the number of"
            " bands instead."
        )
    elif "n" not in named and "breaks" not in named:
        yield "neither a number of bands nor breaks. Give one of the two."
    if "labels" in named and "breaks" not in named:
        yield "labels but no breaks. Give the breaks, or omit the labels."
    if "labels" in parts and "breaks" in parts:
        n_labels, n_bands = len(parts["labels"]), len(parts["breaks"]) - 1
        if n_labels != n_bands:
            yield (
                f"{format_n(n_labels, 'label')} for {format_n(n_bands, 'band')} between "
                "its breaks."
                " Give each of these bands one label."
            )


def _ambiguous_labels(banding: Banding, codes: Sequence[float]) -> list[str]:
    """Labels that are also what a special code, or a band beyond the breaks, is called."""
    taken = {code_text(code) for code in codes}
    taken |= set(names_beyond(banding.breaks)) if banding.breaks else set()
    return [
        f"The label {quote_value(label)} of column {banding.column!r} is also what a special "
        "code or the"
        " values beyond the breaks are called. Choose another label."
        for label in banding.labels
        if label in taken
    ]


def _codes(column: str, given: Any) -> tuple[float, ...]:
    listed_codes = numbers_in(given) if isinstance(given, str) else given
    codes = parse_finite_numbers(
        listed_codes, what=f"special code of column {column!r}", example="-8, -9"
    )
    return tuple(dict.fromkeys(codes))


def _check_repeated(what: str, texts: Sequence[str]) -> None:
    for text, times in Counter(texts).items():
        if times > 1:
            raise SettingsError(
                f"The {what} hold {list_names([text])} more than once. Give each once."
            )
