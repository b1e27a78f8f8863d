"""Numbers as a column holds them: its type stays, wherever it can hold what is put into it."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.read.bands import LARGEST_EXACT

Floats = NDArray[np.float64]


def floats_of(side: pl.Series) -> Floats:
    """The numbers of a column, missing ones as NaN."""
    return side.cast(pl.Float64).to_numpy()


def kept_in(dtype: pl.DataType, number: float) -> float:
    """A number as a column holds it: 0.7 in single precision is less than 0.7 in double."""
    if dtype != pl.Float32:
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def are_whole(numbers: Floats) -> bool:
    """Whether all finite numbers are whole."""
    held = numbers[np.isfinite(numbers)]
    return bool((held == np.rint(held)).all())


def replaced(side: pl.Series, chosen: NDArray[np.bool_], values: Floats | float) -> pl.Series:
    """The column with other numbers in some places, in its own type where that can hold them."""
    if not chosen.any():
        return side
    numbers = np.where(chosen, values, 0.0)
    new, where = pl.Series(numbers), pl.Series(chosen)
    for dtype in _types(side.dtype, numbers):
        cast = new.cast(dtype, strict=False)
        if cast.null_count() == 0 and (dtype == pl.Float64 or _same(cast, numbers)):
            return cast.zip_with(where, side.cast(dtype)).alias(side.name)
    return new.zip_with(where, side.cast(pl.Float64)).alias(side.name)


def _types(dtype: pl.DataType, numbers: Floats) -> list[pl.DataType]:
    """The types that might hold the numbers and the rest of the column, the own one first."""
    if not dtype.is_integer():
        return [dtype] if dtype.is_numeric() else []
    is_small = are_whole(numbers) and np.abs(numbers).max() <= LARGEST_EXACT
    return [dtype, pl.Int64()] if is_small else []


def _same(cast: pl.Series, numbers: Floats) -> bool:
    # Single precision holds what it can: its own numbers are as fine as that.
    return cast.dtype == pl.Float32 or np.array_equal(floats_of(cast), numbers)
