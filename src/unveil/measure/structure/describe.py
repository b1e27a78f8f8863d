"""What is in this file: which columns, what their codes mean, and what is really there?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.count.no_answers import find_likely_codes
from unveil.io.code_meanings import (
    codebook_of,
    find_code_number,
    fold_label,
    fold_labels,
    kind_of,
    variable_of,
)
from unveil.io.dictionary import parse_dictionary
from unveil.io.numbers import TAGS, as_code, level_text
from unveil.io.table import Table
from unveil.records.codebook import (
    FEWEST_PEOPLE,
    FEWEST_VALUES,
    MOST_LISTED,
    Code,
    Codebook,
    ColumnContents,
    DescribedFile,
    Held,
    Level,
    Variable,
)
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import open_files
from unveil.study.take_study import takes_study
from unveil.view.show import Result

# What is declared about the columns of a table, by its file or by a dictionary beside it?


@dataclass(frozen=True)
class DeclaredCodebook:
    """The codebook of a table, column by column, and what a dictionary says beyond it."""

    codebook: Codebook
    not_in_file: tuple[str, ...]


def declare_columns(table: Table, dictionary: Codebook | None) -> DeclaredCodebook:
    """What is known of each column; a dictionary given by the user goes before the file's own."""
    own = codebook_of(table)
    known = {variable.name: variable for variable in own.variables}
    known |= {variable.name: variable for variable in (dictionary.variables if dictionary else ())}
    columns = table.frame.get_columns()
    variables = tuple(_variable(column, known.get(column.name)) for column in columns)
    names = set(table.frame.columns)
    return DeclaredCodebook(
        Codebook(
            source=table.source,
            format=own.format,
            file_label=own.file_label,
            notes=own.notes,
            encoding=own.encoding,
            variables=variables,
        ),
        tuple(name for name in known if name not in names),
    )


def _variable(column: pl.Series, known: Variable | None) -> Variable:
    if known is None:
        return variable_of(column)
    if known.kind != "unknown":
        return known
    return msgspec.structs.replace(known, kind=kind_of(column.dtype))


# Between what do the values of a column lie, without telling where they begin and end?
#
# The lowest and the highest value belong to single people. Told instead are the 1st and the 99th
# percentile, moved inwards until at least five people lie at or beyond them, and rounded outwards.


Range = tuple[Code | None, Code | None]

_NOT_TOLD: Range = (None, None)
_EXACT = 2**63  # whole numbers beyond are no numbers of JSON to everyone
_TEN_YEARS = 3653  # days


def find_range(counts: pl.DataFrame) -> Range:
    """The range of numbers, dates or times; nothing where there are fewer than fifty.

    Parameters
    ----------
    counts
        Each `value` and how many people have it (`n`).

    Notes
    -----
    Of n ordered values the one in place max(5, ceil(n / 100)) from either end is taken: from 500
    values on, these are the 1st and the 99th percentile (inverse of the distribution function).
    Numbers are rounded outwards to two digits of the distance between the two, so that years of
    birth from 1931 to 2004 do not become 1900 to 2100. Dates become whole months, or whole years
    where they lie ten years apart; times become whole hours.
    """
    if int(counts["n"].sum()) < FEWEST_VALUES:
        return _NOT_TOLD
    if counts["value"].dtype.is_float():
        counts = counts.filter(pl.col("value").is_finite())
    n = int(counts["n"].sum())
    if n < FEWEST_VALUES:
        return _NOT_TOLD
    place = max(FEWEST_PEOPLE, math.ceil(n / 100))
    ordered = counts.sort("value")
    low, high = (_at(ordered, rank) for rank in (place, n - place + 1))
    if counts["value"].dtype.is_numeric():
        return _numbers(Decimal(str(low)), Decimal(str(high)))
    if isinstance(low, date) and isinstance(high, date):
        length = 4 if (high - low).days >= _TEN_YEARS else 7
        return low.isoformat()[:length], high.isoformat()[:length]
    if isinstance(low, time) and isinstance(high, time):
        is_whole = (high.minute, high.second, high.microsecond) == (0, 0, 0)
        return f"{low.hour:02}:00", f"{high.hour + (not is_whole):02}:00"
    return _NOT_TOLD


def _at(ordered: pl.DataFrame, place: int) -> Any:
    """The value of the person in this place, counted from the lowest."""
    return ordered["value"][int(ordered["n"].cum_sum().search_sorted(place))]


def _numbers(low: Decimal, high: Decimal) -> Range:
    distance = high - low
    if not distance:
        return _plain(low), _plain(high)
    step = Decimal(1).scaleb(distance.adjusted() - 1)
    return (
        _plain((low / step).to_integral_value(ROUND_FLOOR) * step),
        _plain((high / step).to_integral_value(ROUND_CEILING) * step),
    )


def _plain(number: Decimal) -> int | float:
    is_whole = abs(number) < _EXACT and number == number.to_integral_value()
    return int(number) if is_whole else float(number)


# What do the records of one column have, beside what is declared about it?
#
# Everything is counted column by column; a value is told only where it is declared, or where at
# least five people have it.


PARTLY_LABELLED = 10
"""Numbers with more values than this without a label, and more than with one, are measurements."""

_UNTOLD: Range = (None, None)
_LOWEST_LETTER = min(TAGS.values())


@dataclass(frozen=True)
class Entries:
    """A column as it is counted: what is there, what is missing, and what each code is in it."""

    n: int  # records
    n_empty: int
    n_coded: int  # entries with a missing code
    present: pl.DataFrame  # each value that is neither empty nor a missing code, and its n
    unused: tuple[Code, ...]  # declared codes that no one has
    undeclared: pl.DataFrame  # of those present, the ones that are not declared
    holds: Held | None


def describe_contents(
    column: pl.Series, variable: Variable, entries: Entries | None = None
) -> ColumnContents:
    """What a column has, seen through what is declared about it; counted, unless it was before."""
    if not is_countable(column.dtype):
        return _describe_uncounted(column, variable)
    entries = entries_of(column, variable) if entries is None else entries
    rest = entries.undeclared
    is_coded = has_categories(variable, column.dtype, rest.height)
    told = _some(rest, rest["n"] >= FEWEST_PEOPLE) if is_coded else rest.clear()
    told = told.sort("value") if told.height > 1 else told
    has_levels = bool(valid_levels(variable))
    is_likely = _is_likely_code(entries, variable, is_coded=is_coded)
    low, high = _UNTOLD if is_coded else find_range(_some(entries.present, ~is_likely))
    likely = _some(entries.present, is_likely & (entries.present["n"] >= FEWEST_PEOPLE))
    return ColumnContents(
        name=variable.name,
        kind=kind_of(column.dtype),
        holds=entries.holds,
        missing_percent=whole_percent(entries.n_empty + entries.n_coded, entries.n),
        missing_code_percent=whole_percent(entries.n_coded, entries.n),
        n_distinct=entries.present.height,
        occurring=tuple(_code(value) for value in told["value"].head(MOST_LISTED)),
        n_rare=rest.height - told.height if is_coded else 0,
        n_unlisted=max(told.height - MOST_LISTED, 0),
        n_outside=int(rest["n"].sum()) if is_coded and has_levels else None,
        unused=entries.unused,
        low=low,
        high=high,
        likely_missing=tuple(_code(value) for value in likely["value"].sort()),
    )


def _is_likely_code(entries: Entries, variable: Variable, *, is_coded: bool) -> pl.Series:
    """Which values look like codes for missing values, where no one declared any."""
    values, n = entries.present["value"], entries.present["n"].to_numpy()
    if is_coded or variable.missing or not values.dtype.is_numeric():
        return pl.Series([False]).new_from_index(0, len(values))
    numbers = values.cast(pl.Float64).to_numpy()
    is_finite = np.isfinite(numbers)
    codes = find_likely_codes(numbers[is_finite], n[is_finite])
    return pl.Series(np.isin(numbers, codes), dtype=pl.Boolean)


def entries_of(column: pl.Series, variable: Variable) -> Entries:
    """The column counted, missing entries apart."""
    values = _comparable(column, variable)
    counts = values.value_counts(name="n")
    is_empty = _is_empty(counts["value"])
    filled = _some(counts, ~is_empty)
    holds = _holds(filled["value"], variable)
    as_held = _convert_codes(values.dtype, variable, holds)
    keys = _key(filled["value"], holds)
    is_missing = _is_missing(keys, variable, as_held)
    present = _some(filled, ~is_missing)
    is_known = _is_one_of(keys, list(as_held.values())).filter(~is_missing)
    used = set(keys.to_list()) if as_held else set()
    return Entries(
        n=len(column),
        n_empty=int(counts["n"].filter(is_empty).sum()),
        n_coded=int(filled["n"].filter(is_missing).sum()),
        present=present,
        unused=tuple(code for code, held in as_held.items() if held not in used),
        undeclared=_some(present, ~is_known),
        holds=holds,
    )


def valid_levels(variable: Variable) -> tuple[Level, ...]:
    """The declared codes that are answers."""
    missing = set(variable.missing)
    return tuple(
        level
        for level in variable.levels
        if level.code not in missing and level.code not in TAGS and not _in_a_range(level, variable)
    )


def has_categories(variable: Variable, dtype: pl.DataType, n_undeclared: int) -> bool:
    """Whether a column is told by its categories, and not by a range."""
    n_levels = len(valid_levels(variable))
    if dtype.is_numeric():
        if not n_levels:
            return variable.measure in ("nominal", "ordinal")
        return variable.measure != "scale" and n_undeclared <= max(PARTLY_LABELLED, n_levels)
    return kind_of(dtype) in ("text", "truth")


def whole_percent(n: int, total: int) -> int:
    """A whole percentage that is 0 of none only and 100 of all only."""
    if n in (0, total):
        return 100 if n else 0
    return min(max(round(100 * n / total), 1), 99)


def is_countable(dtype: pl.DataType) -> bool:
    """Whether the values of a column can be told apart; lists and bytes are left alone."""
    return kind_of(dtype) != "unknown" or dtype == pl.Null


def _describe_uncounted(column: pl.Series, variable: Variable) -> ColumnContents:
    """A column of lists, bytes or the like: only what is missing is told."""
    return ColumnContents(
        name=variable.name,
        kind="unknown",
        holds=None,
        missing_percent=whole_percent(column.null_count(), len(column)),
        missing_code_percent=0,
        n_distinct=None,
        occurring=(),
        n_rare=0,
        n_unlisted=0,
        n_outside=None,
        unused=(),
        low=None,
        high=None,
    )


def _comparable(column: pl.Series, variable: Variable) -> pl.Series:
    """The column under a name of ours; categories as text, truth values as their codes."""
    values = column.alias("value")
    if isinstance(column.dtype, pl.Categorical | pl.Enum | pl.Null):
        return values.cast(pl.String)
    if column.dtype != pl.Boolean:
        return values
    has_numbers = any(not isinstance(level.code, str) for level in variable.levels)
    return values.cast(pl.Int8 if has_numbers else pl.String)


def _holds(distinct: pl.Series, variable: Variable) -> Held | None:
    """Whether entries are codes or labels: text that has more labels than codes holds labels."""
    if not variable.levels:
        return None
    if distinct.dtype != pl.String:
        return "codes"
    codes = [_text(level.code) for level in variable.levels]
    labels = [fold_label(level.label) for level in variable.levels]
    n_labels = fold_labels(distinct).is_in(labels).sum()
    return "labels" if n_labels > distinct.is_in(codes).sum() else "codes"


def _convert_codes(
    dtype: pl.DataType, variable: Variable, holds: Held | None
) -> dict[Code, float | str]:
    """Every declared code, missing ones too, as the column would write it."""
    codes: dict[Code, str] = {level.code: level.label for level in variable.levels}
    for code in variable.missing:
        codes.setdefault(code, _text(code))
    if holds == "labels":
        return {code: fold_label(label) for code, label in codes.items()}
    if dtype == pl.String:
        return {code: _text(code) for code in codes}
    if not dtype.is_numeric():
        return {}
    numbers = {code: find_code_number(code) for code in codes}
    return {code: number for code, number in numbers.items() if number is not None}


def _is_missing(keys: pl.Series, variable: Variable, as_held: dict[Code, float | str]) -> pl.Series:
    """Which entries have a code that stands for a missing value."""
    codes = [as_held[code] for code in variable.missing if code in as_held]
    is_number = keys.dtype.is_numeric()
    highest = keys.max() if is_number else None
    if isinstance(highest, float) and highest >= _LOWEST_LETTER:
        codes += TAGS.values()
    hit = _is_one_of(keys, codes)
    for gap in variable.missing_ranges if is_number else ():
        low = -math.inf if gap.lo is None else gap.lo
        hit |= keys.is_between(low, math.inf if gap.hi is None else gap.hi)
    return hit


def _is_one_of(keys: pl.Series, some: list[float | str]) -> pl.Series:
    return keys.is_in(some) if some else _nowhere(keys)


def _is_empty(values: pl.Series) -> pl.Series:
    is_empty = values.is_null() if values.null_count() else _nowhere(values)
    # The sum of numbers is one, unless one of them is not; it costs less than asking each.
    if values.dtype.is_float() and math.isnan(values.sum()):
        is_empty |= values.is_nan().fill_null(value=False)
    if values.dtype == pl.String and (values == "").any():
        is_empty |= (values == "").fill_null(value=False)
    return is_empty


# A file may have tens of thousands of columns. What polars makes a query of takes ten times as
# long as what it does to a series at once, so that queries are left for where there is something
# to be found.


def _nowhere(values: pl.Series) -> pl.Series:
    return pl.Series([False]).new_from_index(0, len(values))


def _some(counts: pl.DataFrame, chosen: pl.Series) -> pl.DataFrame:
    """The rows that are chosen."""
    if chosen.all():
        return counts
    return pl.DataFrame([column.filter(chosen) for column in counts.get_columns()])


def _key(values: pl.Series, holds: Held | None) -> pl.Series:
    """Values as codes are compared: numbers as floats, labels without capitals and blanks."""
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    return fold_labels(values) if holds == "labels" else values


def _in_a_range(level: Level, variable: Variable) -> bool:
    number = find_code_number(level.code)
    return number is not None and any(
        (gap.lo is None or number >= gap.lo) and (gap.hi is None or number <= gap.hi)
        for gap in variable.missing_ranges
    )


def _text(code: Code) -> str:
    return level_text(code) or ""


def _code(value: object) -> Code:
    """A value as a code: whole numbers as such."""
    return value if isinstance(value, str | int) else as_code(float(str(value)))


@dataclass(frozen=True, repr=False)
class CodebookResult(Result):
    """The codebook of a file; it never holds what only one person has."""

    record: DescribedFile

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns, in the order of the file."""
        return self.record.codebook.variables

    def frame(self) -> pl.DataFrame:
        """One row per column; codes, labels and ranges as text."""
        found = {one.name: one for one in self.found}
        rows = [_row(variable, found.get(variable.name)) for variable in self.variables]
        return pl.DataFrame(rows, infer_schema_length=None)


@takes_study
def codebook(
    data: Any,
    *,
    dictionary: Any = None,
    missing_values: str | Sequence[str] = (),
    declared_only: bool = False,
    progress: Progress | None = None,
) -> CodebookResult:
    """What is declared about the columns of a file or frame, and what its records have.

    Parameters
    ----------
    data
        A path or a frame.
    dictionary
        What the columns mean, where the file does not say so itself: the path of a dictionary, or
        a codebook. It goes before what the file says.
    missing_values
        Entries that mean missing, as in every other call.
    declared_only
        Omit the data: nothing but what was declared is told.
    progress
        Called with what is being done, how many steps are done, and how many there are.

    Notes
    -----
    A value that no one declared is told only where at least five people have it; others are
    counted. Ranges exclude their ends, and are not told of fewer than fifty values. Percentages
    of missing entries are whole.
    """
    progress = progress or no_progress
    known = None if dictionary is None else parse_dictionary(dictionary)
    (table,) = open_files({"data": data}, None, missing_values, progress)
    return CodebookResult(
        describe_table(table, known, declared_only=declared_only, progress=progress)
    )


def describe_table(
    table: Table, dictionary: Codebook | None, *, declared_only: bool = False, progress: Progress
) -> DescribedFile:
    """The record of one table."""
    said = declare_columns(table, dictionary)
    found = []
    for done, variable in enumerate(said.codebook.variables):
        if not declared_only:
            progress(f"looking at {variable.name}", done, len(said.codebook.variables))
            found.append(describe_contents(table.frame[variable.name], variable))
    return DescribedFile(
        codebook=said.codebook,
        n_records=table.frame.height,
        declared_only=declared_only,
        found=tuple(found),
        not_in_file=said.not_in_file,
        coercions=table.notes,
    )


def _row(variable: Variable, found: ColumnContents | None) -> dict[str, Any]:
    levels = [f"{level.code} {level.label}".strip() for level in variable.levels]
    row: dict[str, Any] = {
        "name": variable.name,
        "label": variable.label,
        "kind": variable.kind,
        "measure": variable.measure,
        "format": variable.format,
        "codes": levels,
        "missing_codes": [str(code) for code in variable.missing],
    }
    if found is None:
        return row
    return {
        **row,
        "missing_percent": found.missing_percent,
        "n_distinct": found.n_distinct,
        "n_outside": found.n_outside,
        "occurring": [str(code) for code in found.occurring],
        "n_rare": found.n_rare,
        "unused": [str(code) for code in found.unused],
        "low": None if found.low is None else str(found.low),
        "high": None if found.high is None else str(found.high),
    }
