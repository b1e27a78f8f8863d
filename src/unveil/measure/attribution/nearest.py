"""Which records of the copies come nearest to a person's keys, and what do they say?

Two key combinations are as far apart as the number of keys in which they differ (Hamming). Only
distinct key combinations are searched, and of these only the ones that nobody in the copies has.

Distance d is searched by leaving out each choice of d keys and counting who agrees in the rest:
where nobody agrees in more keys, those who agree in exactly these are counted once, under one
choice, so that the counts add up over the choices. That takes no comparison of pairs. With so many
keys that the choices would take longer than comparing, pairs are compared, in pieces.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from unveil.count.packing import Integers, Whole, number, pack
from unveil.measure.attribution.classes import Classes

BLOCK = 2**21
"""How many pairs are held at once."""

# What counting one combination costs, in comparisons of one pair of keys (measured).
COUNTING = 40


@dataclass(frozen=True)
class Source:
    """The cells of the pooled copies that have records, and their key combinations."""

    q: Whole
    t: Whole
    s: Whole

    @classmethod
    def of(cls, classes: Classes, s_tq: Whole) -> "Source":
        """The cells with records among all counted."""
        cells = np.flatnonzero(s_tq)
        return cls(classes.cells.q_of(cells), classes.cells.t[cells].astype(np.int64), s_tq[cells])


@dataclass(frozen=True)
class Nearest:
    """For each cell of the original its nearest records: those that agree, all, and how far."""

    agreeing: Whole
    nearest: Whole
    distance: Whole


def nearest(classes: Classes, s_tq: Whole) -> Nearest:
    """Look up every cell of the original in the pooled copies."""
    source = Source.of(classes, s_tq)
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


def _is_dearer(classes: Classes, source: Source, left: Whole, n_choices: int) -> bool:
    """Whether counting for every choice of keys takes longer than comparing all pairs."""
    n_keys = len(classes.key_columns)
    n_pairs = len(np.unique(classes.q[left])) * len(source.q)
    return n_choices * (len(source.q) + len(left)) * COUNTING > n_pairs * n_keys


def _agree_but_for(
    classes: Classes, source: Source, left: Whole, found: Nearest, distance: int
) -> None:
    """Fill in the cells whose nearest records differ in exactly so many keys."""
    n_levels = classes.joint.n_levels
    q = np.concatenate((source.q, classes.q[left]))
    t = np.concatenate((source.t, classes.t[left]))
    for kept in combinations(range(len(classes.key_columns)), len(classes.key_columns) - distance):
        digits = [(classes.codes_of_keys[i][q], classes.key_columns[i].n_levels) for i in kept]
        alike, n_alike = number(*pack(digits, len(q)))
        found.nearest[left] += _looked_up(alike, n_alike, source.s)
        # Not more than 2^31 ids, each of them with not more than 2^31 levels.
        cell, n_cells = number(*pack([(alike, n_alike), (t, n_levels)], len(q)))
        found.agreeing[left] += _looked_up(cell, n_cells, source.s)
    found.distance[left[found.nearest[left] > 0]] = distance


def _looked_up(ids: Integers, n_ids: int, counts: Whole) -> Whole:
    """The sum of counts by id, for the ids that come after those counted."""
    sums = np.bincount(ids[: len(counts)], counts, minlength=n_ids).astype(np.int64)
    return sums[ids[len(counts) :]]


def _compare_pairs(classes: Classes, source: Source, left: Whole, found: Nearest) -> None:
    """Fill in all cells that are left, comparing their keys with those of every source cell."""
    n_levels = classes.joint.n_levels
    wanted, of_left = np.unique(classes.q[left], return_inverse=True)
    order = np.argsort(of_left, kind="stable")
    for rows in _pieces(len(wanted), len(source.q)):
        apart = _distances(classes, wanted[rows], source.q)
        fewest = apart.min(axis=1)
        row, at = np.nonzero(apart == fewest[:, np.newaxis])
        mine = order[slice(*np.searchsorted(of_left[order], (rows.start, rows.stop)))]
        own, its = left[mine], of_left[mine] - rows.start
        total = np.bincount(row, source.s[at], minlength=len(fewest)).astype(np.int64)
        keys = np.concatenate((row * n_levels + source.t[at], its * n_levels + classes.t[own]))
        ids, n_ids = number(keys, len(fewest) * n_levels)
        found.nearest[own], found.distance[own] = total[its], fewest[its]
        found.agreeing[own] = _looked_up(ids, n_ids, source.s[at])


def _pieces(n_rows: int, n_columns: int) -> Iterator[slice]:
    size = max(BLOCK // max(n_columns, 1), 1)
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def _distances(classes: Classes, q: Whole, others: Whole) -> Whole:
    """In how many keys each of these combinations differs from each of the others."""
    apart = np.zeros((len(q), len(others)), np.min_scalar_type(len(classes.key_columns)))
    for codes in classes.codes_of_keys:
        apart += codes[q][:, np.newaxis] != codes[others]
    return apart
