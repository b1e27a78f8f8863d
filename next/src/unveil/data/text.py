"""Text files."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from unveil.data.codebook import Data
from unveil.data.reading import Reading


def read_text(path: Path, reading: Reading, missing: Sequence[str]) -> Data:
    frame = pl.read_csv(path, infer_schema=False, null_values=list(missing) or None)
    return Data(frame.with_columns(_typed(column) for column in frame))


def _typed(texts: pl.Series) -> pl.Series:
    known = texts.drop_nulls()
    if known.is_empty() or known.str.contains(r"^[+-]?0\d").any():
        return texts
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts
