"""`unveil.gcap`: when no one has a person's keys, guess from those who come nearest.

GCAP, the generalised CAP after Hittmeir, Mayer and Ekelhart (2020), as public implementations have
it. The paper itself was not at hand, so this is our definition: a person is scored against the
copies' records that differ from theirs in the fewest keys, all ties included.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.packing import Integers, Shares, blocks, number, pack
from unveil.measure.cap.classes import KeyClasses
from unveil.measure.cap.prepare import Attribution, open_copies
from unveil.measure.cap.scores import total
from unveil.measure.result import RowsResult
from unveil.models.neighbours.distances import GowerAxis
from unveil.models.neighbours.search import PAIRS, find
from unveil.records.cap import Gcap, GcapRow, KeySet
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# Which records of the copies come nearest to a person's keys, and what do they say?
#
# Two key combinations are as far apart as the number of keys in which they differ (Hamming). Only
# distinct key combinations are searched, and of these only the ones that no one in the copies has.
#
# Distance d is searched by excluding each choice of d keys and counting who agrees in the rest:
# where no one agrees in more keys, those who agree in exactly these are counted once, under one
# choice, so that the counts add up over the choices. That takes no comparison of pairs. With so
# many keys that the choices would take longer than comparing, pairs are compared, in pieces.


# What counting one combination costs, in comparisons of one pair of keys (measured).
COUNTING = 40


@dataclass(frozen=True)
class PooledCells:
    """The cells of the pooled copies that have records, and their key combinations."""

    q: Ints
    t: Ints
    s: Ints

    @classmethod
    def of(cls, classes: KeyClasses, s_tq: Ints) -> "PooledCells":
        """The cells with records among all counted."""
        cells = np.flatnonzero(s_tq)
        return cls(classes.cells.q_of(cells), classes.cells.t[cells].astype(np.int64), s_tq[cells])


@dataclass(frozen=True)
class Nearest:
    """For each cell of the original its nearest records: those that agree, all, and how far."""

    agreeing: Ints
    nearest: Ints
    distance: Ints


def find_nearest_cells(classes: KeyClasses, s_tq: Ints) -> Nearest:
    """Look up every cell of the original in the pooled copies."""
    source = PooledCells.of(classes, s_tq)
    agreeing = s_tq[classes.own]
    matching = np.bincount(source.q, source.s, minlength=classes.keys.n_q).astype(np.int64)
    found = Nearest(agreeing, matching[classes.q], np.zeros(len(classes.own), np.int64))
    n_keys = len(classes.key_columns)
    for distance in range(1, n_keys + 1):
        left = np.flatnonzero(found.nearest == 0)
        if not len(left):
            break
        if _is_dearer(classes, source, left, comb(n_keys, distance)):
            _compare_pairs(classes, source, left, found)
        else:
            _agree_but_for(classes, source, left, found, distance)
    return found


def _is_dearer(classes: KeyClasses, source: PooledCells, left: Ints, n_choices: int) -> bool:
    """Whether counting for every choice of keys takes longer than comparing all pairs."""
    n_keys = len(classes.key_columns)
    n_pairs = len(np.unique(classes.q[left])) * len(source.q)
    return n_choices * (len(source.q) + len(left)) * COUNTING > n_pairs * n_keys


def _agree_but_for(
    classes: KeyClasses, source: PooledCells, left: Ints, found: Nearest, distance: int
) -> None:
    """Fill in the cells whose nearest records differ in exactly so many keys."""
    n_levels = classes.joint.n_levels
    q = np.concatenate((source.q, classes.q[left]))
    t = np.concatenate((source.t, classes.t[left]))
    for kept in combinations(range(len(classes.key_columns)), len(classes.key_columns) - distance):
        digits = [(classes.codes_of_keys[i][q], classes.key_columns[i].n_levels) for i in kept]
        alike, n_alike = number(*pack(digits, len(q)))
        found.nearest[left] += _look_up_sums(alike, n_alike, source.s)
        # Not more than 2^31 ids, each of them with not more than 2^31 levels.
        cell, n_cells = number(*pack([(alike, n_alike), (t, n_levels)], len(q)))
        found.agreeing[left] += _look_up_sums(cell, n_cells, source.s)
    found.distance[left[found.nearest[left] > 0]] = distance


def _look_up_sums(ids: Integers, n_ids: int, counts: Ints) -> Ints:
    """The sum of counts by id, for the ids that come after those counted."""
    sums = np.bincount(ids[: len(counts)], counts, minlength=n_ids).astype(np.int64)
    return sums[ids[len(counts) :]]


def _compare_pairs(classes: KeyClasses, source: PooledCells, left: Ints, found: Nearest) -> None:
    """Fill in all cells that are left, comparing their keys with those of every source cell."""
    n_levels = classes.joint.n_levels
    wanted, of_left = np.unique(classes.q[left], return_inverse=True)
    order = np.argsort(of_left, kind="stable")
    stacked = np.concatenate((wanted, source.q))
    axes = [
        GowerAxis(column.name, codes[stacked], column.n_levels)
        for column, codes in zip(classes.key_columns, classes.codes_of_keys, strict=True)
    ]
    for rows in blocks(len(wanted), len(source.q), PAIRS):
        asked = np.arange(rows.start, rows.stop)
        (pairs,) = find(axes, asked, slice(len(wanted), len(stacked)))
        mine = order[slice(*np.searchsorted(of_left[order], (rows.start, rows.stop)))]
        own, its = left[mine], of_left[mine] - rows.start
        total = np.bincount(pairs.row, source.s[pairs.other], minlength=len(asked))
        at = pairs.row.astype(np.int64) * n_levels + source.t[pairs.other]
        ids, n_ids = number(
            np.concatenate((at, its * n_levels + classes.t[own])), len(asked) * n_levels
        )
        fewest = pairs.distance[np.searchsorted(pairs.row, np.arange(len(asked)))]
        found.nearest[own], found.distance[own] = total[its], fewest[its]
        found.agreeing[own] = _look_up_sums(ids, n_ids, source.s[pairs.other])


@dataclass(frozen=True, repr=False)
class GcapResult(RowsResult[Gcap]):
    """Correct attribution from the nearest keys; printing it shows no record of the data."""

    _classes: KeyClasses = field(repr=False, compare=False)
    _nearest: Nearest = field(repr=False, compare=False)

    def scores(self) -> pl.DataFrame:
        """The score of each original record, all copies pooled: confidential.

        Returns
        -------
        polars.DataFrame
            `row` in the original (from 0), `distance` (keys in which its nearest records differ),
            `nearest` (how many these are), `gcap`.
        """
        at, found = self._classes.own_of_row, self._nearest
        return pl.DataFrame(
            {
                "row": np.arange(len(at)),
                "distance": found.distance[at],
                "nearest": found.nearest[at],
                "gcap": (found.agreeing / found.nearest)[at],
            }
        )


@takes_study
def gcap(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> GcapResult:
    """Measure how often a guess among the records with the nearest keys would be correct.

    Parameters
    ----------
    original, synthetic, keys, target
        As in `unveil.cap`.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    GcapResult
        `gcap` of all copies pooled; `.rows` has it for m = 1 to M copies; `.scores()` record by
        record.

    Notes
    -----
    For each original record: the share of its target among the copies' records at the smallest
    number of differing keys, every such record counted once. Equal to CAP for a person who has a
    match; never undefined. Missing is a level: missing differs from any value by one key.
    """
    progress = progress or no_progress
    attribution = open_copies(
        original,
        synthetic,
        keys=keys,
        target=target,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    (key_set,), (method,) = attribution.key_sets, attribution.methods
    searched = list(gcap_rows(attribution, key_set, method.name, progress))
    rows = tuple(row for row, _ in searched)
    record = Gcap(
        files=attribution.opening.files,
        keys=key_set.keys,
        target=attribution.target,
        n_original=attribution.opening.scenario.sides.rows[0],
        n_synthetic=method.n_synthetic,
        n_match=rows[-1].n_match,
        mean_distance=rows[-1].mean_distance,
        gcap=rows[-1].gcap,
        rows=rows,
        bands=attribution.opening.bands,
        coercions=attribution.opening.notes,
    )
    return GcapResult(record, attribution.classes(key_set), searched[-1][1])


def gcap_rows(
    attribution: Attribution, key_set: KeySet, method: str, progress: Progress = no_progress
) -> Iterator[tuple[GcapRow, Nearest]]:
    """GCAP with copies 1 to m of a method pooled, for every m, and the search behind it."""
    classes, copies = attribution.classes(key_set), attribution.copies[method]
    s_tq = np.zeros(classes.cells.counts.shape[1], np.int64)
    for m, copy in enumerate(copies, start=1):
        progress(f"searching the nearest keys of {method}", m - 1, len(copies))
        s_tq = s_tq + classes.cells.counts[copy]
        found = find_nearest_cells(classes, s_tq)
        n, d_tq = classes.n_original, classes.d_tq  # n > 0: a file without records is refused
        row = GcapRow(
            method=method,
            keys=key_set.keys,
            target=attribution.target,
            m=m,
            n=n,
            n_match=int(d_tq[found.distance == 0].sum()),
            mean_distance=int((d_tq * found.distance).sum()) / n,
            gcap=total(Shares.of(d_tq * found.agreeing, found.nearest)) / n,
        )
        yield row, found
