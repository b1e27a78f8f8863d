"""What is known of a column in two files, and what can be proposed about its coding?

A pair holds the levels as they are compared, with the records of either file, and what the levels
say whatever their spelling. A proposal says how they go together, and holds the levels anew, so
that both files can be compared again.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Column
from unveil.measure.gate.columns import ORIGINAL, Ints, LinkColumn, Mask, Reading, read_levels
from unveil.measure.gate.links import Links
from unveil.measure.gate.values import Floats, round_digits
from unveil.records.alerts import CodingKind

SYNTHETIC = 1
LEAST_RECORDS = 10
"""A mapping explains so many records or people; levels of fewer people are never named."""
LEAST_SHARE = 0.05
SIGMAS = 6.0
FEW_LEVELS = 50
FEW_NUMBERS = 20
"""Numbers of so few values are levels, too: codes, grades, scales."""


@dataclass(frozen=True, eq=False)
class CodingProposal:
    """How two files may say the same things in other words; the new levels are by level.

    `synthetic` and `original` are what the levels of that file become; None where they stay.
    """

    kind: CodingKind
    share: float  # of the synthetic records or, if joint, of the linked people, that it explains
    expected: float  # the same where nothing is coded differently
    evidence: str  # no level that fewer than ten people have
    is_joint: bool = False
    synthetic: pl.Series | None = None
    original: pl.Series | None = None

    @property
    def gain(self) -> float:
        """What it explains beyond its yardstick."""
        return self.share - self.expected


@dataclass(frozen=True, eq=False)
class Sample:
    """The distinct numbers of one file, sorted, and how many records hold each."""

    values: Floats
    counts: Ints

    @cached_property
    def total(self) -> int:
        """Records with a number."""
        return int(self.counts.sum())

    @property
    def shared(self) -> float:
        """The share of records whose number another one has, too."""
        return float(self.counts[self.counts > 1].sum()) / max(self.total, 1)

    def share(self, mask: Mask) -> float:
        """The share of records whose number is marked."""
        return float(self.counts[mask].sum()) / max(self.total, 1)

    def quantiles(self, at: Floats) -> Floats:
        """The numbers below which these shares of records lie."""
        place = np.searchsorted(np.cumsum(self.counts) / max(self.total, 1), at)
        found: Floats = self.values[place.clip(0, len(self.values) - 1)]
        return found


def sample_of(values: Floats, counts: Ints) -> Sample:
    """Distinct numbers to eleven digits, with the records of each."""
    known = np.isfinite(values) & (counts > 0)
    distinct, place = np.unique(round_digits(values[known]), return_inverse=True)
    totals = np.bincount(place, counts[known], len(distinct)).astype(np.int64)
    return Sample(distinct, totals)


@dataclass(frozen=True, eq=False)
class CodingPair:
    """One column of the original and of a synthetic file."""

    name: str
    levels: pl.Series  # as they are compared; null is missing
    counts: Ints  # records by file and level
    reading: Reading

    @cached_property
    def text(self) -> pl.Series:
        """The levels as text."""
        return self.levels.cast(pl.String)

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """By file and level: does it have the level? Missing is none."""
        mask: Mask = (self.counts > 0) & self.levels.is_not_null().to_numpy()
        return mask

    @cached_property
    def fresh(self) -> Mask:
        """Levels that only the synthetic file has, as they are compared."""
        mask: Mask = self.held[SYNTHETIC] & ~self.held[ORIGINAL]
        return mask

    @cached_property
    def is_met(self) -> Mask:
        """Levels that say what a level of the original says."""
        folded = self.reading.folded
        return np.isin(folded, folded[self.held[ORIGINAL]])

    @cached_property
    def is_back(self) -> Mask:
        """Levels that say what a level of the synthetic file says."""
        folded = self.reading.folded
        return np.isin(folded, folded[self.held[SYNTHETIC]])

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Records of either file that are not missing."""
        sums = (self.counts * self.held).sum(axis=1)
        return int(sums[0]), int(sums[1])

    @property
    def numbers(self) -> Floats | None:
        """The levels as numbers or days."""
        return self.reading.numbers

    def sample(self, side: int) -> Sample:
        """The numbers of one file."""
        assert self.reading.numbers is not None
        return sample_of(self.reading.numbers, self.counts[side])

    def numbers_of(self, side: int) -> Floats:
        """By level the numbers of one file; NaN where it does not have the level."""
        assert self.numbers is not None
        return np.where(self.held[side], self.numbers, np.nan)

    @cached_property
    def is_few(self) -> bool:
        """Whether both files have few levels, so that each is a word and not a name."""
        n_levels = [len(np.unique(self.reading.folded[self.held[side]])) for side in (0, 1)]
        if self.numbers is not None:
            return max(n_levels) <= FEW_NUMBERS
        return all(
            n <= max(FEW_LEVELS, 0.2 * total)
            for n, total in zip(n_levels, self.totals, strict=True)
        )

    def records(self, mask: Mask, side: int = SYNTHETIC) -> int:
        """Records of a file whose level is marked."""
        return int(self.counts[side][mask].sum())

    def share(self, mask: Mask, side: int = SYNTHETIC) -> float:
        """The same as a share of all that are not missing."""
        return self.records(mask, side) / max(self.totals[side], 1)

    def is_enough(self, mask: Mask) -> bool:
        """Whether the synthetic records with a marked level are worth a question."""
        return self.records(mask) >= max(LEAST_RECORDS, 0.002 * self.totals[SYNTHETIC])

    @cached_property
    def standing(self) -> Ints:
        """For each level the one of the original that says the same; itself where there is none."""
        folded, found = self.reading.folded, np.arange(len(self.levels))
        mine = np.flatnonzero(self.held[ORIGINAL])
        if not len(mine):
            return found
        mine = mine[np.argsort(-self.counts[ORIGINAL][mine], kind="stable")]
        known, first = np.unique(folded[mine], return_index=True)
        place = np.searchsorted(known, folded).clip(0, len(known) - 1)
        is_told = (known[place] == folded) & ~self.held[ORIGINAL]
        return np.where(is_told, mine[first[place]], found)

    def joined(self, to: Ints) -> "CodingPair":
        """The pair in which each level says what the level at its new place says."""
        return replace(self, reading=replace(self.reading, folded=self.reading.folded[to]))

    def moved(self, to: Ints) -> pl.Series:
        """The levels, each replaced by the level at its new place."""
        return self.levels.gather(to)

    def spell(self, numbers: Floats, like: int) -> pl.Series:
        """Numbers by level as levels, written as that file does; NaN leaves the level."""
        assert self.numbers is not None
        held = np.flatnonzero(self.held[like] & np.isfinite(self.numbers))
        known, first = np.unique(round_digits(self.numbers[held]), return_index=True)
        wanted = round_digits(numbers)
        place = np.searchsorted(known, wanted).clip(0, len(known) - 1)
        is_known = pl.Series(known[place] == wanted)
        own = self.levels.gather(held[first[place]])
        if own.dtype.is_numeric():
            written, own, levels = pl.Series(wanted), own.cast(pl.Float64), self.levels
            told = own.zip_with(is_known, written)
            return told.zip_with(pl.Series(np.isfinite(wanted)), levels.cast(pl.Float64))
        told = own.zip_with(is_known, self._written(wanted))
        return told.zip_with(pl.Series(np.isfinite(wanted)), self.levels)

    def _written(self, numbers: Floats) -> pl.Series:
        """Numbers that no level has, in the type of the levels."""
        shown = pl.Series(numbers).fill_nan(None)
        dtype = self.levels.dtype
        if self.reading.is_date:
            if dtype == pl.Datetime:
                return (shown * 86_400_000_000).cast(pl.Int64).cast(pl.Datetime("us")).cast(dtype)
            return shown.floor().cast(pl.Int32).cast(pl.Date).cast(dtype)
        if dtype.is_temporal():
            return shown.round().cast(pl.Int64).cast(dtype)
        return shown.cast(dtype)

    def example(self, old: Ints, new: Ints, side: int = SYNTHETIC) -> str:
        """The most common of these pairs of levels, if both are common enough to be named."""
        n_people = self.counts[ORIGINAL][old if side == ORIGINAL else new]
        n_records = self.counts[SYNTHETIC][new if side == ORIGINAL else old]
        n = np.minimum(n_people, n_records)
        if not len(n) or n.max() < LEAST_RECORDS:
            return ""
        top = int(n.argmax())
        here, there = str(self.text[int(old[top])]), str(self.text[int(new[top])])
        said = self.reading.folded[[old[top], new[top]]]
        if said[0] == said[1] and here.strip().casefold() != there.strip().casefold():
            return f", such as {here!a} for {there!a}"  # what looks the same, letter by letter
        if side == ORIGINAL:
            here, there = there, here
        return f", such as {here!r} for {there!r}"


def pair_of(column: LinkColumn, side: int) -> CodingPair:
    """A column of the original and of one synthetic file."""
    source: Column = column.source
    counts = np.asarray(source.counts, np.int64)[[ORIGINAL, side]]
    return CodingPair(column.name, source.levels, counts, read_levels(source, [ORIGINAL, side]))


@dataclass(frozen=True, eq=False)
class LinkedCodes:
    """What linked people and their records say of a column: levels, weights, and two halves.

    What is found in one half of the people is counted in the other, so that nothing is found by
    looking long enough. The halves are made by what links people, not by the order of records.
    """

    mine: Ints
    theirs: Ints
    weight: Floats
    is_first: Mask


def linked_codes(links: Links, column: LinkColumn, side: int) -> LinkedCodes:
    """The levels that linked people and their records have."""
    codes, slices = column.source.codes, column.sides.slices
    sums, _ = links.rows.sums(links.by)
    return LinkedCodes(
        codes[slices[ORIGINAL]][links.person].astype(np.int64),
        codes[slices[side]][links.record].astype(np.int64),
        links.weight,
        (sums[links.person] >> np.uint64(7)) % np.uint64(2) == 0,
    )
