"""Can a format hold the synthetic data, and do these hold what the original does?"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date

import polars as pl

from unveil.errors import WriteError, list_names
from unveil.io.code_meanings import NOUNS
from unveil.io.numbers import EXACT_IN_FLOAT, TAGS, is_letter, letters_in
from unveil.io.outgoing import TEXTS, find_kind
from unveil.io.stat_dates import parse_clock_text
from unveil.io.write_labels import number_of
from unveil.records.codebook import Code, Variable

# Does a synthetic column hold what the original's does, and if coded otherwise, how to recode?
#
# Labels become the codes they stand for, numbers that the original keeps as text become text, and
# a date with a time becomes a date where the time says nothing. What cannot be told is refused: a
# value is never guessed, and never shown.


_TYPES: dict[str, pl.DataType] = {
    "text": pl.String(),
    "date": pl.Date(),
    "moment": pl.Datetime("us"),
    "time": pl.Time(),
    "truth": pl.Boolean(),
}


def fit_column(column: pl.Series, variable: Variable) -> pl.Series:
    """The column as the original codes it; it comes without its name.

    Raises
    ------
    WriteError
        If the column holds something else than the original does.
    """
    held = find_kind(column.dtype)
    if column.dtype == pl.Null or (held != variable.kind and column.null_count() == len(column)):
        return _all_missing(column, variable)
    if "unknown" in (held, variable.kind):
        return column  # whether the format can hold it is the format's affair
    if held == variable.kind:
        return _same_kind(column, variable)
    return _CHANGES.get((held, variable.kind), _refuse_column)(column, variable)


def _all_missing(column: pl.Series, variable: Variable) -> pl.Series:
    """As many missing entries as the column has, in the type of the original."""
    dtype = _TYPES.get(variable.kind, pl.Float64())
    return pl.Series([None], dtype=dtype).new_from_index(0, len(column))


def _same_kind(column: pl.Series, variable: Variable) -> pl.Series:
    if variable.kind == "text":
        return _text_codes(column, variable)
    return _number_labels(column, variable) if variable.kind == "number" else column


def _refuse_column(column: pl.Series, variable: Variable) -> pl.Series:
    wanted, held = NOUNS[variable.kind], NOUNS[find_kind(column.dtype)]
    raise WriteError(
        f"Column {variable.name!r} holds {wanted} in the original but {held} in the synthetic"
        " data. Give it the original's type first."
    )


def _text_codes(column: pl.Series, variable: Variable) -> pl.Series:
    """Labels of text codes turned back, where nothing in the column is anything else."""
    codes = [str(level.code) for level in variable.levels]
    text = column.cast(pl.String)
    is_known = text.is_in([*codes, ""]).fill_null(value=True)
    by_label = dict(_labels(variable))
    others = text.filter(~is_known)
    if not codes or others.is_empty() or not others.is_in(list(by_label)).all():
        return column
    _check_ambiguous(others, variable)
    new = {label: str(code) for label, code in by_label.items() if label not in codes}
    return text.replace(list(new), list(new.values()))


def _numbers_from_text(column: pl.Series, variable: Variable) -> pl.Series:
    """Labels, tags and numbers written as text turned into numbers; a label before a number."""
    text = column.cast(pl.String)
    text = text.set((text == "").fill_null(value=False), None)
    known = TAGS | _numbers_by_label(variable)
    named = text.replace_strict(
        list(known), list(known.values()), default=None, return_dtype=pl.Float64
    )
    numbers = text.cast(pl.Float64, strict=False)
    made = named.fill_null(numbers.set(~numbers.is_finite(), None))
    unknown = text.filter(made.is_null() & text.is_not_null()).n_unique()
    if unknown:
        raise WriteError(
            f"Column {variable.name!r} holds numbers in the original but text in the synthetic"
            f" data, and {unknown:,} of its {text.drop_nulls().n_unique():,} different texts are"
            " neither numbers nor labels of the original. Give it the original's codes or labels"
            " first."
        )
    _check_ambiguous(text, variable)
    return as_integers(made) if is_whole(made) else made


def _number_labels(column: pl.Series, variable: Variable) -> pl.Series:
    """Numbers that are labels, such as years, turned back where none of them is a code."""
    known = _numbers_by_label(variable)
    as_numbers = pl.Series(list(known), dtype=pl.String).cast(pl.Float64, strict=False)
    codes = list(known.values())
    if not codes or as_numbers.null_count():
        return column
    held = column.cast(pl.Float64).fill_nan(None).drop_nulls()
    if held.is_in(codes).any() or not held.is_in(as_numbers.to_list()).all():
        return column
    return _numbers_from_text(_digits(column), variable)


def _digits(column: pl.Series) -> pl.Series:
    return (as_integers(column) if is_whole(column) else column).cast(pl.String)


def _text_from_numbers(column: pl.Series, variable: Variable) -> pl.Series:
    """Numbers as the text codes they were before a reader took them for numbers."""
    if column.dtype.is_float() and not is_whole(column):
        return column.fill_nan(None).cast(pl.String)
    text = as_integers(column).cast(pl.String)
    # A reader of text files has taken "01" for 1 where all entries look like numbers.
    spelt = {code.lstrip("0") or "0": code for code in (str(one.code) for one in variable.levels)}
    return text.replace(list(spelt), list(spelt.values())) if spelt else text


def _text_from_truth(column: pl.Series, variable: Variable) -> pl.Series:
    text = column.cast(pl.String)
    spelt = {str(level.code).lower(): str(level.code) for level in variable.levels}
    return text.replace(list(spelt), list(spelt.values())) if spelt else text


def _date_from_moment(column: pl.Series, variable: Variable) -> pl.Series:
    days = column.dt.date()
    if not (column.dt.time().to_physical().fill_null(0) == 0).all():
        return _refuse_column(column, variable)
    return days


def _time_from_text(column: pl.Series, variable: Variable) -> pl.Series:
    text = column.cast(pl.String)
    found = parse_clock_text(text.set((text == "").fill_null(value=False), None))
    return _refuse_column(column, variable) if found is None else found


def _truth_from_number(column: pl.Series, variable: Variable) -> pl.Series:
    if not column.drop_nulls().cast(pl.Float64).is_in([0.0, 1.0]).all():
        return _refuse_column(column, variable)
    return column.cast(pl.Boolean)


_CHANGES: dict[tuple[str, str], Callable[[pl.Series, Variable], pl.Series]] = {
    ("text", "number"): _numbers_from_text,
    ("number", "text"): _text_from_numbers,
    # A reader of text files takes 2024-02-29 for a date, whatever the original took it for.
    ("date", "text"): lambda column, _: column.dt.strftime("%Y-%m-%d"),
    ("moment", "text"): lambda column, _: column.dt.strftime("%Y-%m-%d %H:%M:%S%.f"),
    ("truth", "text"): _text_from_truth,
    ("moment", "date"): _date_from_moment,
    ("date", "moment"): lambda column, _: column.cast(pl.Datetime("us")),
    ("text", "time"): _time_from_text,
    ("truth", "number"): lambda column, _: column.cast(pl.Int64),
    ("number", "truth"): _truth_from_number,
}


def _labels(variable: Variable) -> Iterator[tuple[str, Code]]:
    return ((level.label, level.code) for level in variable.levels)


def _check_ambiguous(held: pl.Series, variable: Variable) -> None:
    twice = [label for label, n in Counter(one.label for one in variable.levels).items() if n > 1]
    if held.is_in(twice).any():
        raise WriteError(
            f"Column {variable.name!r} holds labels in the synthetic data, and the original has"
            " the same label for two codes. Give the synthetic data the original's codes first."
        )


def _numbers_by_label(variable: Variable) -> dict[str, float]:
    """The number that each label stands for, letters of missing values among them."""
    coded = ((label, TAGS.get(str(code), number_of(code))) for label, code in _labels(variable))
    return {label: number for label, number in coded if number is not None}


def is_text(column: pl.Series) -> bool:
    """Whether a column holds text, in one of the ways that frames have for it."""
    return column.dtype.base_type() in TEXTS


def is_whole(column: pl.Series) -> bool:
    """Whether all numbers of a column are whole, and small enough to be sure of it."""
    if column.dtype.is_integer():
        return True
    numbers = column.fill_nan(None).drop_nulls()
    return bool(((numbers == numbers.floor()) & (numbers.abs() <= EXACT_IN_FLOAT)).all())


def as_integers(column: pl.Series) -> pl.Series:
    """Whole numbers as such."""
    return (column.fill_nan(None) if column.dtype.is_float() else column).cast(pl.Int64)


# Which values can a format not hold? All are found together, and none is shown.


Check = tuple[Callable[[pl.Series], bool], str]

_STATA_LARGEST = 8.9884656743115785e307
_SPSS_LARGEST = 1.797693134862315e308
_SPSS_TEXT = 32_767
_STATA_TEXT = 2_000_000_000


def without_letters(column: pl.Series) -> pl.Series:
    """A column of numbers in which letters are missing like any other missing value."""
    letters = is_letter(column)
    return column.set(letters, None) if letters.any() else column


def value_faults(columns: Sequence[pl.Series], program: str) -> Iterator[str]:
    """What the files of a program cannot hold, a sentence each."""
    left = list(columns)
    for is_hit, sentence in _LIMITS[program]:
        hit = {column.name for column in left if is_hit(column.alias(""))}
        if hit:
            names = list_names(repr(column.name) for column in left if column.name in hit)
            some = f"Column {names}" if len(hit) == 1 else f"Columns {names}"
            yield sentence.format(some=some, s="s" if len(hit) == 1 else "")
        left = [column for column in left if column.name not in hit]


def _is_nested(column: pl.Series) -> bool:
    return column.dtype.is_nested() or column.dtype.base_type() in (pl.Object, pl.Binary)


def _is_other(column: pl.Series) -> bool:
    return find_kind(column.dtype) == "unknown" and column.dtype != pl.Null


def _has_zone(column: pl.Series) -> bool:
    return getattr(column.dtype, "time_zone", None) is not None


def _is_inexact(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() == len(column):
        return False
    return not -EXACT_IN_FLOAT <= int(column.min()) <= int(column.max()) <= EXACT_IN_FLOAT  # type: ignore[arg-type]


def _beyond(largest: float) -> Callable[[pl.Series], bool]:
    def is_beyond(column: pl.Series) -> bool:
        if not column.dtype.is_float():
            return False
        numbers = without_letters(column.cast(pl.Float64)).fill_nan(None)
        return bool((numbers.abs() > largest).any())

    return is_beyond


def _longer_than(most: int) -> Callable[[pl.Series], bool]:
    return lambda column: is_text(column) and longest_bytes(column) > most


def longest_bytes(column: pl.Series) -> int:
    """How many bytes the longest text of a column has."""
    return int(column.cast(pl.String).str.len_bytes().max() or 0)  # type: ignore[arg-type]


def _holds_zero_byte(column: pl.Series) -> bool:
    return is_text(column) and bool(column.cast(pl.String).str.contains("\0", literal=True).any())


def _outside(first: date, last: date) -> Callable[[pl.Series], bool]:
    def is_outside(column: pl.Series) -> bool:
        if column.dtype.base_type() not in (pl.Date, pl.Datetime) or _has_zone(column):
            return False
        days = column.dt.date()
        return bool(((days < first) | (days > last)).any())

    return is_outside


_TYPE = (
    "{some} hold{s} lists, objects or exact decimals, which no such file can hold. Turn the column"
    " into text or numbers first."
)
_ZONE = "{some} hold{s} times with a time zone, which {who} does not have. Remove the zone first."
_INEXACT = (
    "{some} hold{s} whole numbers beyond 2^53 (9,007,199,254,740,992), which {who} cannot hold"
    " exactly. Turn identifiers into text first."
)
_INFINITE = "{some} hold{s} numbers too large for {who}, or infinite ones. Make them missing first."
_LONG = (
    "{some} hold{s} texts of more than {most:,} bytes, the most {who} holds. Shorten them first."
)
_ZERO = "{some} hold{s} texts with a zero byte, at which {who} would end them. Remove it first."
_DATES = (
    "{some} hold{s} dates outside {first} to {last}, which {who} cannot hold. Correct them first."
)
_LETTERS = (
    "{some} hold{s} letters of missing values (.a to .z), which SPSS does not have. Turn them into"
    " numbers that mean missing first."
)
_UNDERSCORE = (
    "{some} hold{s} SAS's missing value ._, which Stata does not have. Turn it into a letter first."
)


def _format_columns(who: str, sentence: str, **more: object) -> str:
    for word, value in {"who": who, **more}.items():
        form = f"{value:,}" if isinstance(value, int) else str(value)
        sentence = sentence.replace(f"{{{word}:,}}", form).replace(f"{{{word}}}", form)
    return sentence


def _checks(who: str, largest: float, most: int, first: date) -> list[Check]:
    last = date(9999, 12, 31)
    days = {"first": f"{first.day} {first:%B} {first.year}", "last": "the year 9999"}
    return [
        (_is_other, _TYPE),
        (_has_zone, _format_columns(who, _ZONE)),
        (_is_inexact, _format_columns(who, _INEXACT)),
        (_beyond(largest), _format_columns(who, _INFINITE)),
        (_longer_than(most), _format_columns(who, _LONG, most=most)),
        (_holds_zero_byte, _format_columns(who, _ZERO)),
        (_outside(first, last), _format_columns(who, _DATES, **days)),
    ]


_LIMITS: dict[str, list[Check]] = {
    "SPSS": [
        (lambda column: bool(letters_in(column)), _LETTERS),
        *_checks("SPSS", _SPSS_LARGEST, _SPSS_TEXT, date(1582, 10, 15)),
    ],
    "Stata": [
        (lambda column: "._" in letters_in(column), _UNDERSCORE),
        *_checks("Stata", _STATA_LARGEST, _STATA_TEXT, date(100, 1, 1)),
    ],
    "Parquet": [(lambda column: column.dtype == pl.Object, _TYPE)],
    "CSV": [(_is_nested, _TYPE)],
}
