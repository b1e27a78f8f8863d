"""Would a person be found in a synthetic file whose rows stand for the rows of the original?

Partially synthetic copies keep the rows and replace some of the values. An intruder who knows a
person's keys looks for the rows that match; whether one of them is the person's own row is known,
for it stands at the same place. Reiter and Mitra (2009), as Taub et al. (2018), section 2, put them
beside CAP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import check_faults
from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn
from unveil.count.overlap import check_disjoint
from unveil.count.packing import number, pack
from unveil.errors import AlignError
from unveil.io.table import Table, mid_sentence
from unveil.measure.cap.classes import OrderedLevels, levels_near, parse_tolerance, pieces
from unveil.measure.result import RowsResult
from unveil.records.uniques import AlignedMatch, AlignedMatchRow, KeyTolerance
from unveil.study.band_spec import Bands, parse_bands
from unveil.study.open_scenario import check_other_columns
from unveil.study.roles import Roles, parse_roles
from unveil.study.scenario import Progress
from unveil.study.study import open_files, sides_of

# Which rows of a synthetic file would an intruder take for a person whose keys they know?
#
# Distinct key combinations of the original are looked up among the rows of synthetic data, sorted
# by the keys that must be equal and by one of those that may be off. Where more than one key may be
# off, the rows found are compared by the others, in pieces.


Short = NDArray[np.int32]

MOST_PAIRS = 2**18
"""Pairs of a key combination and a row that are made at a time, so that memory stays bounded."""
# Probabilities that differ by less are the same: 1/3 + 1/6 is not quite 1/2.
EQUAL = 1e-12


@dataclass(frozen=True)
class Matches:
    """For each original record: how many candidates it has, and whether its own row is one."""

    n: Ints
    is_among: Mask


@dataclass(frozen=True)
class Lookup:
    """Keys of the original and of row-aligned copies, and how near each must be."""

    columns: tuple[CodedColumn, ...]
    nears: tuple[OrderedLevels, ...]  # by key

    @property
    def n_records(self) -> int:
        """Records of the original, and of each copy."""
        return self.columns[0].sides.rows[0]

    @property
    def n_copies(self) -> int:
        """How many copies there are."""
        return len(self.columns[0].sides.rows) - 1

    @cached_property
    def _loose(self) -> list[int]:
        """Keys of which levels agree with others, the one with the narrowest windows first."""
        widths = {key: float((near.past - near.low).mean()) for key, near in enumerate(self.nears)}
        loose = [key for key, width in widths.items() if width > 1]
        return sorted(loose, key=lambda key: widths[key] / self.columns[key].n_levels)

    @cached_property
    def _equal(self) -> tuple[Ints, int]:
        """Of each stacked row the number of what must be equal; and how many numbers there are."""
        strict = [key for key in range(len(self.columns)) if key not in self._loose]
        digits = [(self.columns[key].codes, self.columns[key].n_levels) for key in strict]
        ids, n = number(*pack(digits, self.columns[0].sides.n_rows))
        return ids.astype(np.int64), n

    @cached_property
    def targets(self) -> tuple[Ints, Ints]:
        """One original record for each distinct key combination; the combination of each record."""
        digits = [(column.codes[: self.n_records], column.n_levels) for column in self.columns]
        q, n_q = number(*pack(digits, self.n_records))
        examples = np.empty(n_q, np.int64)
        examples[q] = np.arange(self.n_records)
        return examples, q.astype(np.int64)

    def places(self, key: int, rows: Ints | slice) -> Ints:
        """Places of these stacked rows among the levels of a key."""
        return self.nears[key].place[self.columns[key].codes[rows]]

    def agree(self, key: int, originals: Ints | slice, rows: Ints | slice) -> Mask:
        """Whether pairs of an original record and a stacked row match by one key."""
        own, other, near = self.places(key, originals), self.places(key, rows), self.nears[key]
        return (near.low[own] <= other) & (other < near.past[own])

    def own_rows(self, copy: int) -> Mask:
        """Whether the row of each original record matches it."""
        rows = self.columns[0].sides.slices[copy]
        found = np.ones(self.n_records, bool)
        for key in range(len(self.columns)):
            found &= self.agree(key, slice(0, self.n_records), rows)
        return found

    def sorted_copy(self, copy: int) -> "SortedCopy":
        """A synthetic file in the order in which it is searched, and where each target's run is."""
        rows = self.columns[0].sides.slices[copy]
        equal, _ = self._equal
        examples = self.targets[0]
        low = past = np.zeros(len(examples), np.int64)
        place, n_levels = np.zeros(self.n_records, np.int64), 1
        past = past + 1
        if self._loose:
            key = self._loose[0]
            n_levels, place = self.columns[key].n_levels, self.places(key, rows)
            own = self.places(key, examples)
            low, past = self.nears[key].low[own], self.nears[key].past[own]
        packed = equal[rows] * n_levels + place
        order = np.argsort(packed, kind="stable")
        base = equal[examples] * n_levels
        starts = np.searchsorted(packed[order], base + low, side="left")
        stops = np.searchsorted(packed[order], base + past, side="left")
        return SortedCopy(order, rows.start, starts, stops)

    def counts(self, copy: int) -> Ints:
        """How many rows of a synthetic file match each target."""
        if copy not in self._counts:
            self._counts[copy] = self._count_matches(self.sorted_copy(copy))
        return self._counts[copy]

    @cached_property
    def _counts(self) -> dict[int, Ints]:
        return {}

    def _count_matches(self, found: "SortedCopy") -> Ints:
        if len(self._loose) < 2:
            return found.stops - found.starts
        n = np.zeros(len(found.starts), np.int64)
        for chosen in pieces(found.stops - found.starts, MOST_PAIRS):
            target, _ = self.pairs(found, chosen)
            n[chosen] = np.bincount(target - chosen.start, minlength=chosen.stop - chosen.start)
        return n

    @cached_property
    def _windows(self) -> list[tuple[Short, Short, Short]]:
        """By key beyond the first that may be off: places of rows, low and past end of targets."""
        made = []
        for key in self._loose[1:]:
            own, near = self.places(key, self.targets[0]), self.nears[key]
            places = self.places(key, slice(None)).astype(np.int32)
            low, past = near.low[own].astype(np.int32), near.past[own].astype(np.int32)
            made.append((places, low, past))
        return made

    def pairs(self, found: "SortedCopy", chosen: slice) -> tuple[Ints, Ints]:
        """The targets chosen, each with every row that matches it: a pair for each."""
        length = found.stops[chosen] - found.starts[chosen]
        target = np.repeat(np.arange(chosen.start, chosen.stop), length)
        shift = found.starts[chosen] - (np.cumsum(length) - length)
        row = found.order[np.arange(length.sum()) + np.repeat(shift, length)]
        for places, low, past in self._windows:
            its = places[row + found.offset]
            kept = np.flatnonzero((low[target] <= its) & (its < past[target]))
            target, row = target[kept], row[kept]
        return target, row


@dataclass(frozen=True)
class SortedCopy:
    """Synthetic records in an order in which what matches a target by the first keys is a run."""

    order: Ints
    offset: int  # where its rows start among the stacked ones
    starts: Ints  # for each target
    stops: Ints


def match_copy(lookup: Lookup, copy: int) -> Matches:
    """The candidates of each record in one copy: every row that matches is as likely."""
    _, q = lookup.targets
    return Matches(lookup.counts(copy)[q], lookup.own_rows(copy))


def match_all_copies(lookup: Lookup) -> Matches:
    """The candidates of each record where the intruder has all copies.

    Notes
    -----
    A row's probability is the mean over the copies of 1 / (rows that match) where it matches and 0
    where it does not; the candidates are the rows with the highest (Reiter and Mitra 2009, section
    2; the mean over the copies is their Monte Carlo average).
    """
    examples, q = lookup.targets
    copies = [lookup.sorted_copy(copy) for copy in range(1, lookup.n_copies + 1)]
    counts = [lookup.counts(copy) for copy in range(1, lookup.n_copies + 1)]
    n = np.zeros(len(examples), np.int64)
    is_among = np.zeros(lookup.n_records, bool)
    by_target = np.argsort(q, kind="stable")
    starts = np.searchsorted(q[by_target], np.arange(len(examples) + 1))
    lengths = np.sum([found.stops - found.starts for found in copies], axis=0)
    for chosen in pieces(lengths, MOST_PAIRS):
        best, n[chosen] = _best(lookup, copies, counts, chosen)
        mine = by_target[starts[chosen.start] : starts[chosen.stop]]
        is_among[mine] = np.isin((q[mine] - chosen.start) * lookup.n_records + mine, best)
    return Matches(n[q], is_among)


def _best(
    lookup: Lookup, copies: Sequence[SortedCopy], counts: Sequence[Ints], chosen: slice
) -> tuple[Ints, Ints]:
    """The likeliest rows of the targets chosen, as target * records + row; and how many each."""
    n_targets = chosen.stop - chosen.start
    packed, weights = [np.empty(0, np.int64)], [np.empty(0)]
    for found, n in zip(copies, counts, strict=True):
        target, row = lookup.pairs(found, chosen)
        packed.append((target - chosen.start) * lookup.n_records + row)
        weights.append(1 / n[target])
    distinct, place = np.unique(np.concatenate(packed), return_inverse=True)
    probability = np.bincount(place, np.concatenate(weights), minlength=len(distinct))
    target = distinct // lookup.n_records
    highest = np.zeros(n_targets)
    np.maximum.at(highest, target, probability)
    is_best = probability >= highest[target] * (1 - EQUAL)
    return distinct[is_best], np.bincount(target[is_best], minlength=n_targets)


CopyName = int | Literal["pooled"]


@dataclass(frozen=True, repr=False)
class AlignedMatchResult(RowsResult[AlignedMatch]):
    """The match rates of each copy; printing it never shows a record of the data."""

    _found: Mapping[CopyName, Matches] = field(repr=False, compare=False)

    def matches(self) -> pl.DataFrame:
        """Of each record and copy the number of candidates, and if it is among them: confidential.

        Columns: copy, row (from 0, in the order of the original), n_candidates, is_among.
        """
        return pl.concat(
            pl.DataFrame(
                {
                    "copy": [str(copy)] * len(found.n),
                    "row": np.arange(len(found.n)),
                    "n_candidates": found.n,
                    "is_among": found.is_among,
                }
            )
            for copy, found in self._found.items()
        )


def aligned_match_risk(
    original: Any,
    synthetic: Any,
    *,
    keys: tuple[str, ...],
    tolerance: Mapping[str, Any] | None,
    bands: Mapping[str, Any] | None,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> AlignedMatchResult:
    """Look every original record up in every copy by its keys; see `unveil.match_risk`."""
    parse_roles(keys, ())
    radii = parse_tolerance(tolerance, keys, "key")
    cut = parse_bands(bands, special_codes)
    check_other_columns(cut, Roles(keys, ()))
    sides = sides_of(synthetic, original=original)
    tables = open_files(sides, keys, missing_values, progress)
    _check_other_lengths(tables)
    encoded = tables.encode(keys, _without(cut, radii), progress)
    columns = encoded.columns
    check_disjoint([column for column in columns if not radii.get(column.name)], tables)
    nears = [levels_near(column, radii, cut.special_codes) for column in columns]
    lookup = Lookup(columns, tuple(nears))
    found = _look_up_copies(lookup, progress)
    record = AlignedMatch(
        files=tuple(table.source for table in tables),
        keys=keys,
        tolerances=tuple(
            KeyTolerance(key=key, tolerance=radii[key]) for key in keys if key in radii
        ),
        n_records=lookup.n_records,
        n_copies=lookup.n_copies,
        rows=tuple(match_row(copy, matches) for copy, matches in found.items()),
        bands=encoded.bands,
        coercions=encoded.coercions,
    )
    return AlignedMatchResult(record, found)


def _without(cut: Bands, radii: Mapping[str, float]) -> Bands:
    """The bands, but for special codes of keys that may be off: these are put to use there."""
    banded = {banding.column for banding in cut.bandings}
    codes = cut.special_codes.items()
    kept = {key: of_key for key, of_key in codes if key in banded or key not in radii}
    return Bands(cut.bandings, kept)


def _check_other_lengths(tables: Sequence[Table]) -> None:
    """Rows that stand for each other are as many on every side."""
    n = tables[0].frame.height
    faults = [
        f"{table.place} has {table.frame.height:,} records and {mid_sentence(tables[0].place)}"
        f" {n:,}. Rows can be matched to rows only in synthetic data that have the rows of the"
        " original, in their order; for other copies see unveil.disclosure."
        for table in tables[1:]
        if table.frame.height != n
    ]
    check_faults(faults, AlignError)


def _look_up_copies(lookup: Lookup, progress: Progress) -> dict[CopyName, Matches]:
    found: dict[CopyName, Matches] = {}
    for copy in range(1, lookup.n_copies + 1):
        progress(f"matching people to copy {copy}", copy - 1, lookup.n_copies)
        found[copy] = match_copy(lookup, copy)
    if lookup.n_copies > 1:
        found["pooled"] = match_all_copies(lookup)
    return found


def match_row(copy: CopyName, found: Matches) -> AlignedMatchRow:
    """The rates of one copy.

    Notes
    -----
    With c_i candidates for record i and I_i = 1 where its own row is among them: expected match
    risk sum(I_i / c_i); true matches are those with c_i I_i = 1, false matches those with
    c_i (1 - I_i) = 1. The true match rate is over all records; the false match rate over the
    records with one candidate, and undefined where there are none. A record without candidates
    counts as not found.

    References
    ----------
    Reiter and Mitra (2009), section 2.2. The perceived match rate is the share of records with one
    candidate: what the intruder, who cannot see which matches are true, believes to have found.
    """
    n = len(found.n)
    is_unique = found.n == 1
    n_unique, n_true = int(is_unique.sum()), int((is_unique & found.is_among).sum())
    expected = float((found.is_among / np.maximum(found.n, 1)).sum())
    return AlignedMatchRow(
        copy=copy,
        n_matched=int((found.n > 0).sum()),
        n_unique=n_unique,
        n_true=n_true,
        n_false=n_unique - n_true,
        expected_match_risk=expected,
        expected_match_rate=expected / n,
        perceived_match_rate=n_unique / n,
        true_match_rate=n_true / n,
        false_match_rate=(n_unique - n_true) / n_unique if n_unique else None,
    )
