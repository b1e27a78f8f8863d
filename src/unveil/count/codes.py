"""Each column once as small integers over the united levels of original and copies.

Sides are stacked, original first: the same level has the same code on every side, which is what
makes the tables d and s of Raab (2024), Appendix 1, line up by construction.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.packing import Counts, count_dense
from unveil.count.sides import Sides
from unveil.read.meanings import Meaning

Codes = NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Column:
    """One column as codes 0 to n_levels - 1, in the order of the levels; missing is the last.

    `meanings` says what levels stand for, by their text, and `special_codes` which numbers stand
    for no answer, where the files say so.
    """

    name: str
    sides: Sides
    codes: Codes
    levels: pl.Series
    meanings: Mapping[str, Meaning] = field(default_factory=dict, repr=False)
    special_codes: tuple[float, ...] = ()

    @property
    def n_levels(self) -> int:
        """Levels over all sides, the missing one included."""
        return len(self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether some side has a missing value."""
        return self.levels.null_count() > 0

    @cached_property
    def is_single(self) -> bool:
        """Whether its decimals were kept in single precision: 0.1 is then 0.10000000149."""
        if not self.levels.dtype.is_float():
            return False
        values = self.levels.drop_nulls().cast(pl.Float64)
        single = values.cast(pl.Float32)
        as_written = single.cast(pl.String).cast(pl.Float64)
        return bool((single.cast(pl.Float64) == values).all() and (as_written != values).any())

    @cached_property
    def level_of_label(self) -> dict[str, str]:
        """The text of the level that a label stands for, alone or with its code beside it."""
        found = {meaning.shown: text for text, meaning in self.meanings.items()}
        by_label = [(meaning.label, text) for text, meaning in self.meanings.items()]
        n_levels = Counter(label for label, _ in by_label)
        return {label: text for label, text in by_label if n_levels[label] == 1} | found

    @cached_property
    def counts(self) -> Counts:
        """Records per side and level."""
        return count_dense(lambda rows: self.codes[rows], self.n_levels, self.sides)


def encode(
    name: str,
    sides: Sequence[pl.Series],
    meanings: Mapping[str, Meaning] | None = None,
    special_codes: tuple[float, ...] = (),
) -> Column:
    """Encode one aligned column, all its sides at once."""
    rows = Sides(tuple(len(side) for side in sides))
    stacked = pl.concat(sides, rechunk=False)
    codes, levels = _codes_and_levels(stacked)
    missing = len(levels)
    if stacked.null_count():
        levels = levels.extend_constant(None, 1)
    codes = codes.cast(_smallest(len(levels))).fill_null(missing)
    return Column(name, rows, codes.to_numpy(), levels, meanings or {}, special_codes)


def _smallest(n_levels: int) -> type[pl.DataType]:
    """The smallest type that holds so many codes: they are kept for as long as the result is."""
    if n_levels <= 2**8:
        return pl.UInt8
    return pl.UInt16 if n_levels <= 2**16 else pl.UInt32


def _codes_and_levels(stacked: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Codes (null where missing) into the sorted levels that occur."""
    if stacked.dtype == pl.String:
        return _by_hash(stacked)
    physical = stacked.cast(pl.UInt8) if stacked.dtype == pl.Boolean else stacked.to_physical()
    span = _narrow_range(physical)
    codes, distinct = _by_sorting(physical) if span is None else _by_offset(physical, span)
    if isinstance(stacked.dtype, pl.Enum):  # bands, in their order
        return codes, stacked.dtype.categories.gather(distinct).cast(stacked.dtype)
    return codes, distinct.cast(physical.dtype).cast(stacked.dtype)


def _narrow_range(values: pl.Series) -> range | None:
    """The range of whole numbers, if an array over it takes no more room than they do."""
    lowest, highest = values.min(), values.max()
    if not isinstance(lowest, int) or not isinstance(highest, int):  # decimals, or nothing at all
        return None
    span = range(lowest, highest + 1)
    return span if highest - lowest < max(2**16, len(values)) else None


def _by_hash(text: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Text: the place of each among the sorted distinct texts."""
    levels = text.unique().drop_nulls().sort()
    return text.cast(pl.Enum(levels)).to_physical(), levels


def _by_offset(whole: pl.Series, span: range) -> tuple[pl.Series, pl.Series]:
    """Whole numbers of a narrow range: an array over the range says which occur."""
    offset = whole.cast(pl.Int64) - span.start
    occurs = np.zeros(len(span), bool)
    occurs[offset.drop_nulls().to_numpy()] = True
    place = pl.Series(np.cumsum(occurs, dtype=np.uint32) - np.uint32(1))
    return place.gather(offset), pl.Series(np.flatnonzero(occurs) + span.start)


def _by_sorting(values: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Decimals and wide ranges: sort once; the place among the distinct values is the code."""
    distinct, place = np.unique(values.drop_nulls().to_numpy(), return_inverse=True)
    if not values.null_count():
        return pl.Series(place.astype(np.uint32)), pl.Series(distinct)
    codes = np.zeros(len(values), np.uint32)
    codes[values.is_not_null().to_numpy()] = place
    masked = pl.Series(codes).zip_with(values.is_not_null(), pl.Series([None], dtype=pl.UInt32))
    return masked, pl.Series(distinct)
