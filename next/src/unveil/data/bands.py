"""Numbers compared in bands, levels in groups: the same ones in every file.

Breaks are found over all files together, missing values and special codes aside, which stay levels
of their own. A band holds its lower limit and not its upper one; the outer bands are open, for the
lowest and the highest value belong to single people.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.data.columns import Coded, write_level
from unveil.errors import InputError

Floats = NDArray[np.float64]
MOST = 1_000
FEWEST = 3  # with fewer bands of equally many records, bands of equal width are tried


def band(
    column: Coded,
    bands: int | str | Sequence[float] | Mapping[str, Sequence[str]],
    special: Sequence[float] = (),
) -> Coded:
    """The column with bands, or named groups, in the place of its levels."""
    if isinstance(bands, Mapping):
        return _group(column, bands)
    if column.kind != "number":
        raise InputError(f"Column {column.name!r} holds no numbers to cut into bands.")
    n_known = column.n_levels - column.has_missing
    levels = column.numbers[:n_known]
    is_code = np.isin(levels, special)
    is_amount = ~is_code & np.isfinite(levels)
    counts = column.counts.sum(axis=0)[:n_known]
    numbers = np.repeat(levels[is_amount], counts[is_amount])
    if not len(numbers):
        return column
    breaks = _breaks(column.name, bands, numbers)
    codes = np.unique(levels[is_code])
    texts = [*_names(breaks, is_whole=bool((numbers % 1 == 0).all())), *map(_name, codes)]
    slots = np.searchsorted(breaks, levels, side="right")
    slots[is_code] = len(breaks) + 1 + np.searchsorted(codes, levels[is_code])
    if column.has_missing:
        slots = np.append(slots, len(texts))
    slots_used, code_of_level = np.unique(slots, return_inverse=True)
    return _recode(column, [[*texts, None][slot] for slot in slots_used], code_of_level)


def _recode(column: Coded, texts: Sequence[str | None], code_of_level: NDArray[np.int64]) -> Coded:
    levels = pl.Series(texts, dtype=pl.String)
    codes = code_of_level.astype(np.int32)[column.codes]
    return Coded(column.name, "text", levels, codes, column.rows, column.n)


def _group(column: Coded, groups: Mapping[str, Sequence[str]]) -> Coded:
    """Named groups of levels; other levels stay."""
    names, grouped = dict(enumerate(column.texts)), set[int]()
    for name, levels in groups.items():
        for level in levels:
            if (code := column.code(level)) is None:
                raise InputError(f"A level in the group {name!r} of {column.name!r} is in no file.")
            if code in grouped:
                raise InputError(f"A level of {column.name!r} is in two groups, {name!r} the last.")
            grouped.add(code)
            names[code] = name
    texts = sorted({name for name in names.values() if name is not None})
    place = {name: code for code, name in enumerate(texts)}
    codes = np.array([len(texts) if name is None else place[name] for name in names.values()])
    return _recode(column, [*texts, None] if column.has_missing else texts, codes)


def _breaks(name: str, bands: int | str | Sequence[float], numbers: Floats) -> list[float]:
    """Where one band ends and the next begins."""
    style, n, breaks = _parse(name, bands)
    if style == "quantile":
        breaks = _quantiles(numbers, n)
        if len(breaks) + 1 < min(n, FEWEST):
            return _equal(numbers, n) or breaks
    return _equal(numbers, n) if style == "equal" else breaks


def _parse(name: str, bands: int | str | Sequence[float]) -> tuple[str, int, list[float]]:
    """The style of the bands, how many, and breaks that were named."""
    number = re.fullmatch(r"(?:(equal|quantile):)?(\d{1,9})", str(bands))
    if number and 1 < int(number[2]) <= MOST:
        return number[1] or "quantile", int(number[2]), []
    breaks = [] if isinstance(bands, int | str) else [float(value) for value in bands]
    if not breaks or breaks != sorted(set(breaks)) or not np.isfinite(breaks).all():
        raise InputError(
            f"The bands of {name!r} are {bands!r}. Write how many (5, at most {MOST:,}), equal:5,"
            " or rising breaks (18,65)."
        )
    return "breaks", 0, breaks


def _quantiles(numbers: Floats, n: int) -> list[float]:
    """R's quantiles of type 7, each at its exact place."""
    breaks = []
    for step in range(1, n):
        place, share = divmod(Fraction(step * (len(numbers) - 1), n), 1)
        above = numbers[min(place + 1, len(numbers) - 1)]
        breaks.append(_between(numbers[place], above, share))
    return _inner(breaks, numbers)


def _equal(numbers: Floats, n: int) -> list[float]:
    ends = numbers[0], numbers[-1]
    return _inner([_between(*ends, Fraction(step, n)) for step in range(1, n)], numbers)


def _between(low: float, high: float, share: Fraction) -> float:
    """So far on the way from low to high; exact for decimals as people write them."""
    start, end = Fraction(repr(float(low))), Fraction(repr(float(high)))
    return float(start + (end - start) * share)


def _inner(breaks: Sequence[float], numbers: Floats) -> list[float]:
    return sorted({value for value in breaks if numbers[0] < value < numbers[-1]})


def _names(breaks: Sequence[float], *, is_whole: bool) -> list[str]:
    """under 18, 18 to 64, 65 or more; of decimals: under 0.5, 0.5 to under 1.2, 1.2 or more."""
    if not breaks:
        return ["all values"]
    limits = [float(np.ceil(value)) for value in breaks] if is_whole else list(breaks)
    between = [
        (_name(low) if high - low == 1 else f"{_name(low)} to {_name(high - 1)}")
        if is_whole
        else f"{_name(low)} to under {_name(high)}"
        for low, high in pairwise(limits)
    ]
    return [f"under {_name(limits[0])}", *between, f"{_name(limits[-1])} or more"]


def _name(number: float) -> str:
    return write_level(float(number)) if number == int(number) else f"{number:.8g}"  # type: ignore[return-value]
