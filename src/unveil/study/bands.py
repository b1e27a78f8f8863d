"""How is a column of numbers cut into bands, the same ones in every file?

Limits are found over the original and all copies together, each record counting once; missing
values and special codes are left out of them and stay levels of their own. Every band holds its
lower limit and not its upper one, whoever chose the limits. Nobody is lost: outer bands are open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import check_faults
from unveil.arrays import Floats, Ints
from unveil.count.codes import CodedColumn
from unveil.errors import AlignError
from unveil.io.text_types import DATE, MOMENT, SPAN, TEXT, TIME, TRUTH
from unveil.records.disclosure import BandedColumn, Coercion, Style
from unveil.study.band_spec import (
    Banding,
    Bands,
    can_be_written_out,
    code_text,
    format_n,
    names_between,
    names_beyond,
    names_open,
)

Slots = NDArray[np.uint32]
"""The place of each value: one of the bands, from low to high, a special code, or missing."""

# Whole numbers up to here are exact as floats, in which bands are cut.
LARGEST_EXACT = 2**53
_FEWEST_QUANTILE_BANDS = 3  # with fewer, synthpop turns to equal widths
_KINDS: dict[type[pl.DataType], str] = {
    pl.Boolean: TRUTH,
    pl.Date: DATE,
    pl.Datetime: MOMENT,
    pl.Time: TIME,
    pl.Duration: SPAN,
}


Cut = Callable[[CodedColumn, Banding, tuple[float, ...]], tuple[CodedColumn, BandedColumn] | None]
"""What cuts one column."""


def band(
    columns: Sequence[CodedColumn], bands: Bands, cut_one: Cut | None = None
) -> tuple[tuple[CodedColumn, ...], tuple[BandedColumn, ...], tuple[Coercion, ...]]:
    """Put bands in the place of numbers, in every column that is to be cut; and what to note."""
    known = {column.name: column for column in columns}
    _check_other_than_numbers([known[banding.column] for banding in bands.bandings])
    records: list[BandedColumn] = []
    notes: list[Coercion] = []
    for banding in bands.bandings:
        name = banding.column
        own = known[name].special_codes
        codes = tuple(dict.fromkeys((*bands.special_codes.get(name, ()), *own)))
        cut = (cut_one or cut_column)(known[name], banding, codes)
        if cut is None:
            sentence = "not cut into bands, because it holds no numbers besides special codes."
            notes.append(_note(name, sentence))
            continue
        known[name], record = cut
        records.append(record)
        notes += _notes(banding, codes, record)
    banded = {banding.column for banding in bands.bandings}
    notes += [
        _note(name, "no bands are asked for, so its special codes change nothing.")
        for name in bands.special_codes
        if name not in banded
    ]
    return tuple(known[column.name] for column in columns), tuple(records), tuple(notes)


def _check_other_than_numbers(columns: Sequence[CodedColumn]) -> None:
    faults = []
    for column in columns:
        answers, dtype = column.levels.drop_nulls(), column.levels.dtype
        if not dtype.is_numeric() and len(answers):
            faults.append(
                f"Column {column.name!r} holds {_KINDS.get(dtype.base_type(), TEXT)}, not numbers,"
                " and cannot be cut into bands. Remove it from the bands."
            )
        elif dtype.is_integer() and _largest(answers) > LARGEST_EXACT:
            faults.append(
                f"Column {column.name!r} holds whole numbers beyond 9,007,199,254,740,992, too"
                " large to be cut exactly. Remove it from the bands, or divide it first."
            )
    check_faults(faults, AlignError)


def _largest(levels: pl.Series) -> int:
    values = [value for value in (levels.min(), levels.max()) if isinstance(value, int)]
    return max((abs(value) for value in values), default=0)


def cut_column(
    column: CodedColumn, banding: Banding, special_codes: tuple[float, ...]
) -> tuple[CodedColumn, BandedColumn] | None:
    """The column in bands and how it was cut; None where there is no finite number to cut."""
    values, is_number = column.numbers, column.is_number(special_codes)
    # 0.7 in single precision is less than 0.7 in double.
    precision = np.float32 if column.is_single else np.float64
    if not is_number.any():
        return None
    numbers = RankedValues(values[is_number], column.counts.sum(axis=0)[is_number])
    style, breaks = _breaks(banding, numbers)
    names = _names(banding, breaks, numbers.values) + [code_text(code) for code in special_codes]
    limits = _store_numbers(precision, breaks) if style == "breaks" else np.array(breaks)
    slots = _slots(values, limits, _store_numbers(precision, special_codes))
    found = np.unique(slots[slots < len(names)])
    levels = [names[slot] for slot in found]
    n_codes = int((found > len(breaks)).sum())
    record = BandedColumn(
        column=banding.column,
        style=style,
        n=banding.n,
        breaks=tuple(breaks),
        levels=tuple(levels[: len(levels) - n_codes]),
        special_codes=tuple(levels[len(levels) - n_codes :]),
    )
    made = pl.Series([*levels, None] if column.has_missing else levels, dtype=pl.Enum(levels))
    return column.replace_levels(np.searchsorted(found, slots), made), record


@dataclass(frozen=True, eq=False)
class RankedValues:
    """Numbers in ascending order, each with how many records have it."""

    values: Floats
    counts: Ints

    @cached_property
    def _ends(self) -> Ints:
        return np.cumsum(self.counts)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, place: int) -> np.floating:
        found: np.floating = self.values[np.searchsorted(self._ends, place, side="right")]
        return found

    def quantile(self, share: Fraction) -> float:
        """R's quantile of type 7, at its exact place and between numbers as people write them."""
        low, rest = divmod(share * (len(self) - 1), 1)
        return _between(self[low], self[low + 1], rest) if rest else float(self[low])


def _store_numbers(precision: type[np.floating], numbers: Sequence[float]) -> Floats:
    with np.errstate(over="ignore"):
        return np.array(numbers, np.float64).astype(precision).astype(np.float64)


def _breaks(banding: Banding, numbers: RankedValues) -> tuple[Style, list[float]]:
    """The style used, and the breaks, each once."""
    n = banding.n
    if n is None:
        return "breaks", list(banding.breaks)
    if banding.style == "equal":
        return "equal", _equal_breaks(numbers, n)
    return quantile_breaks(numbers, n)


def quantile_breaks(numbers: RankedValues, n: int) -> tuple[Style, list[float]]:
    """Where n bands of as many records begin; of one width where so many cannot be had.

    Each quantile is taken at its exact place. R rounds the shares: its seq(0, 1, 1/5)[4] lies above
    0.6, and the break of 1:11 there above 7, which puts the 7 into the band below.
    """
    shares = [Fraction(step, n) for step in range(n + 1)]
    found = _inner(np.array([numbers.quantile(share) for share in shares]), numbers)
    equal = _equal_breaks(numbers, n)
    has_enough = len(found) + 1 >= min(n, _FEWEST_QUANTILE_BANDS)
    return ("quantile", found) if has_enough or not equal else ("equal", equal)


def _equal_breaks(numbers: RankedValues, n: int) -> list[float]:
    """Where n bands of one width, from the lowest number to the highest, meet."""
    low, high = numbers.values[0], numbers.values[-1]
    ends = [_between(low, high, Fraction(step, n)) for step in range(1, n)]
    return _inner(np.array(ends), numbers)


def _inner(breaks: Floats, numbers: RankedValues) -> list[float]:
    """The breaks that part the numbers: the lowest and highest belong to single people."""
    parts = (numbers.values[0] < breaks) & (breaks < numbers.values[-1])
    return list(np.unique(breaks[parts]).tolist())


def _between(low: np.floating, high: np.floating, share: Fraction) -> float:
    """The number so far on the way from low to high, exact for numbers as people write them."""
    # In floats a break of -0.3, ..., 0.5 lies at 5.6e-17 instead of 0, and that is what it says.
    start, end = Fraction(repr(float(low))), Fraction(repr(float(high)))
    return float(start + (end - start) * share)


def _names(banding: Banding, breaks: Sequence[float], numbers: Floats) -> list[str]:
    """What the bands are called, from low to high."""
    is_whole = np.array_equal(numbers, np.rint(numbers)) and can_be_written_out(abs(numbers).max())
    if banding.n is not None:
        return names_open(breaks, is_whole=is_whole)
    under, above = names_beyond(breaks)
    between = banding.labels or names_between(breaks, is_whole=is_whole)
    return [under, *between, above]


def _slots(values: Floats, limits: Floats, codes: Floats) -> Slots:
    slots = np.searchsorted(limits, values, side="right").astype(np.uint32)
    for i, code in enumerate(codes):
        slots[values == code] = len(limits) + 1 + i
    slots[np.isnan(values)] = len(limits) + 1 + len(codes)
    return slots


def _notes(banding: Banding, codes: Sequence[float], record: BandedColumn) -> list[Coercion]:
    sentences = [_describe_cut(banding, record)]
    for code in map(code_text, codes):
        if code not in record.special_codes:
            sentences.append(f"the special code {code} occurs in none of the files.")
    return [_note(banding.column, sentence) for sentence in sentences]


def _describe_cut(banding: Banding, record: BandedColumn) -> str:
    n_bands, n_asked = len(record.levels), banding.n
    bands = format_n(n_bands, "band")
    if record.style != banding.style:
        return (
            f"compared in {bands} of equal width, because too many values are equal for"
            f" {n_asked:,} bands of equally many records."
        )
    if n_asked is None or n_bands >= n_asked:
        return f"compared in {bands}."
    if not record.breaks:
        reason = "all values are equal"
    elif len(record.breaks) + 1 < n_asked:
        reason = "many values are equal"
    else:
        reason = "no value lies in the others"
    return f"compared in {bands} instead of {n_asked:,}, because {reason}."


def _note(column: str, what: str) -> Coercion:
    sentence = f"Column {column!r}: {what}"
    return Coercion(side="all files", column=column, kind="bands", sentence=sentence)
