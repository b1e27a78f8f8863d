"""Does a copy's column hold what the original's does, and if it is coded otherwise, how to recode?

Labels become the codes they stand for, numbers that the original keeps as text become text, and a
date with a time becomes a date where the time says nothing. What cannot be told is refused: a value
is never guessed, and never shown.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import polars as pl

from unveil.errors import WriteError
from unveil.read.numbers import EXACT_IN_FLOAT
from unveil.read.stamps import from_clock_text
from unveil.read.tags import TAGS
from unveil.read.undeclared import NOUNS
from unveil.records.codebook import Code, Variable
from unveil.write.labels import number_of
from unveil.write.outgoing import TEXTS, kind_held

_TYPES: dict[str, pl.DataType] = {
    "text": pl.String(),
    "date": pl.Date(),
    "moment": pl.Datetime("us"),
    "time": pl.Time(),
    "truth": pl.Boolean(),
}


def fitted(column: pl.Series, variable: Variable) -> pl.Series:
    """The column as the original codes it; it comes without its name.

    Raises
    ------
    WriteError
        If the column holds something else than the original does.
    """
    held = kind_held(column.dtype)
    if column.dtype == pl.Null or (held != variable.kind and column.null_count() == len(column)):
        return _nothing(column, variable)
    if "unknown" in (held, variable.kind):
        return column  # whether the format can hold it is the format's affair
    if held == variable.kind:
        return _same_kind(column, variable)
    return _CHANGES.get((held, variable.kind), _refused)(column, variable)


def _nothing(column: pl.Series, variable: Variable) -> pl.Series:
    """As many missing entries as the column has, in the type of the original."""
    dtype = _TYPES.get(variable.kind, pl.Float64())
    return pl.Series([None], dtype=dtype).new_from_index(0, len(column))


def _same_kind(column: pl.Series, variable: Variable) -> pl.Series:
    if variable.kind == "text":
        return _text_codes(column, variable)
    return _number_labels(column, variable) if variable.kind == "number" else column


def _refused(column: pl.Series, variable: Variable) -> pl.Series:
    wanted, held = NOUNS[variable.kind], NOUNS[kind_held(column.dtype)]
    raise WriteError(
        f"Column {variable.name!r} holds {wanted} in the original but {held} in the copy. Give it"
        " the original's type first."
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
    _refuse_ambiguous(others, variable)
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
            f"Column {variable.name!r} holds numbers in the original but text in the copy, and"
            f" {unknown:,} of its {text.drop_nulls().n_unique():,} different texts are neither"
            " numbers nor labels of the original. Give it the original's codes or labels first."
        )
    _refuse_ambiguous(text, variable)
    return whole(made) if is_whole(made) else made


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
    return (whole(column) if is_whole(column) else column).cast(pl.String)


def _text_from_numbers(column: pl.Series, variable: Variable) -> pl.Series:
    """Numbers as the text codes they were before a reader took them for numbers."""
    if column.dtype.is_float() and not is_whole(column):
        return column.fill_nan(None).cast(pl.String)
    text = whole(column).cast(pl.String)
    # A reader of text files has taken "01" for 1 where all entries look like numbers.
    spelt = {code.lstrip("0") or "0": code for code in (str(one.code) for one in variable.levels)}
    return text.replace(list(spelt), list(spelt.values())) if spelt else text


def _text_from_date(column: pl.Series, variable: Variable) -> pl.Series:
    # A reader of text files takes 2024-02-29 for a date, whatever the original took it for.
    return column.dt.strftime("%Y-%m-%d")


def _text_from_moment(column: pl.Series, variable: Variable) -> pl.Series:
    return column.dt.strftime("%Y-%m-%d %H:%M:%S%.f")


def _text_from_truth(column: pl.Series, variable: Variable) -> pl.Series:
    text = column.cast(pl.String)
    spelt = {str(level.code).lower(): str(level.code) for level in variable.levels}
    return text.replace(list(spelt), list(spelt.values())) if spelt else text


def _date_from_moment(column: pl.Series, variable: Variable) -> pl.Series:
    days = column.dt.date()
    if not (column.dt.time().to_physical().fill_null(0) == 0).all():
        return _refused(column, variable)
    return days


def _moment_from_date(column: pl.Series, variable: Variable) -> pl.Series:
    return column.cast(pl.Datetime("us"))


def _time_from_text(column: pl.Series, variable: Variable) -> pl.Series:
    text = column.cast(pl.String)
    found = from_clock_text(text.set((text == "").fill_null(value=False), None))
    return _refused(column, variable) if found is None else found


def _number_from_truth(column: pl.Series, variable: Variable) -> pl.Series:
    return column.cast(pl.Int64)


def _truth_from_number(column: pl.Series, variable: Variable) -> pl.Series:
    if not column.drop_nulls().cast(pl.Float64).is_in([0.0, 1.0]).all():
        return _refused(column, variable)
    return column.cast(pl.Boolean)


_CHANGES: dict[tuple[str, str], Callable[[pl.Series, Variable], pl.Series]] = {
    ("text", "number"): _numbers_from_text,
    ("number", "text"): _text_from_numbers,
    ("date", "text"): _text_from_date,
    ("moment", "text"): _text_from_moment,
    ("truth", "text"): _text_from_truth,
    ("moment", "date"): _date_from_moment,
    ("date", "moment"): _moment_from_date,
    ("text", "time"): _time_from_text,
    ("truth", "number"): _number_from_truth,
    ("number", "truth"): _truth_from_number,
}


def _labels(variable: Variable) -> Iterator[tuple[str, Code]]:
    return ((level.label, level.code) for level in variable.levels)


def _refuse_ambiguous(held: pl.Series, variable: Variable) -> None:
    twice = [label for label, n in Counter(one.label for one in variable.levels).items() if n > 1]
    if held.is_in(twice).any():
        raise WriteError(
            f"Column {variable.name!r} holds labels in the copy, and the original has the same"
            " label for two codes. Give the copy the original's codes first."
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


def whole(column: pl.Series) -> pl.Series:
    """Whole numbers as such."""
    return (column.fill_nan(None) if column.dtype.is_float() else column).cast(pl.Int64)
