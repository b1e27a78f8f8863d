"""Into which groups are the levels of a column put before tables are counted?

Categories stay what they are. Numbers and dates are cut at quantiles of the original and all copies
together, as synthpop's utility.tab does it; missing values and special codes are groups of their
own.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from unveil.count.sides import Sides
from unveil.measure.utility.coding import Variable
from unveil.read.band_labels import names_open
from unveil.records.pair_tables import Grouping

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEWEST = 3  # with fewer groups by quantiles, synthpop turns to equal widths


@dataclass(frozen=True, eq=False)
class Grouped:
    """One column as codes of its groups, all sides stacked, and what the groups are called."""

    name: str
    sides: Sides
    codes: NDArray[np.unsignedinteger]
    levels: tuple[str | None, ...]
    breaks: tuple[float, ...] | None = None  # None: not cut

    @property
    def n_levels(self) -> int:
        """How many groups there are."""
        return len(self.levels)

    @property
    def record(self) -> Grouping:
        """How it was cut."""
        return Grouping(variable=self.name, breaks=self.breaks or (), levels=self.levels)


def grouped(variable: Variable, n: int) -> Grouped:
    """The groups of a column: its levels, or `n` bands of its numbers beside the other levels."""
    column = variable.column
    if not variable.is_number or not variable.is_ordinary.any():
        levels = tuple(variable.level_names())
        return Grouped(variable.name, column.sides, column.codes, levels)
    is_ordinary = variable.is_ordinary
    values, counts = variable.values[is_ordinary], _pooled(variable)[is_ordinary]
    breaks = breaks_of(values, counts, n)
    group = np.empty(column.n_levels, np.int64)
    group[is_ordinary] = np.searchsorted(breaks, values, side="right")
    others = np.flatnonzero(~is_ordinary)
    group[others] = len(breaks) + 1 + np.arange(len(others))
    found, place = np.unique(group, return_inverse=True)
    names = names_open(breaks.tolist(), is_whole=bool((values == np.rint(values)).all()))
    told = variable.level_names() if len(others) else []
    levels = tuple([*names, *(told[level] for level in others)][slot] for slot in found)
    smallest = np.min_scalar_type(len(found))
    codes = place.astype(smallest)[column.codes]
    return Grouped(variable.name, column.sides, codes, levels, tuple(breaks.tolist()))


def _pooled(variable: Variable) -> Whole:
    """Records of all sides at each level."""
    n_sides = len(variable.column.sides.rows)
    total: Whole = np.sum([variable.counts(side) for side in range(n_sides)], axis=0)
    return total


def breaks_of(values: Floats, counts: Whole, n: int) -> Floats:
    """Where the groups begin, the lowest one aside: R's quantiles of type 7, duplicates dropped.

    Notes
    -----
    A group holds its lower limit; the last one holds both. Where fewer than three groups would be
    left, the range is cut in `n` of equal width instead. R rounds the shares 1/n, 2/n, ... before
    it looks for their place; each is taken at its exact place here.

    References
    ----------
    synthpop 1.9-3, group_num: classInt's style "quantile", then "equal".
    """
    ends = np.cumsum(counts)
    places = [divmod(step * (int(ends[-1]) - 1), n) for step in range(1, n)]
    quantiles = np.array([_between(values, ends, place, rest, n) for place, rest in places])
    inner = _inside(quantiles, values)
    if len(inner) + 1 >= min(n, _FEWEST):
        return inner
    low, high = Fraction(repr(float(values[0]))), Fraction(repr(float(values[-1])))
    steps = [float(low + (high - low) * Fraction(step, n)) for step in range(1, n)]
    equal = _inside(np.array(steps), values)
    return equal if len(equal) else inner


def _inside(breaks: Floats, values: Floats) -> Floats:
    return np.unique(breaks[(breaks > values[0]) & (breaks < values[-1])])


def _between(values: Floats, ends: Whole, place: int, rest: int, n: int) -> float:
    """The number that stands at a place, counted from 0, and the n-th part of a step further."""
    places = (place, min(place + 1, int(ends[-1]) - 1))
    low, high = (values[np.searchsorted(ends, at, side="right")] for at in places)
    if not rest or low == high:
        return float(low)
    start, end = Fraction(repr(float(low))), Fraction(repr(float(high)))
    return float(start + (end - start) * Fraction(rest, n))
