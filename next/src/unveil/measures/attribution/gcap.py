"""GCAP: where nobody in the synthetic data has a person's keys, draw from those who come nearest.

After Hittmeir, Mayer and Ekelhart (2020), as public implementations have it; the paper was not at
hand, so this is our definition. The nearest records differ in the fewest keys; all that tie count.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Annotated, NamedTuple

import numpy as np

from unveil.counts.cells import Floats, Ints, number, pack
from unveil.measures.attribution.nearness import MOST_PAIRS, pairs
from unveil.measures.attribution.pools import all_copies
from unveil.results import Figure, Number, Row, Share
from unveil.study import ORIGINAL, Study

COUNTING = 40  # what counting one combination costs, in comparisons of one key (measured)


class GcapRow(Row, frozen=True):
    """A draw among the synthetic records with the nearest keys, copies 1 to m pooled."""

    version: str
    keys: tuple[str, ...]
    target: str
    m: int
    distance: Annotated[Figure, Number("keys in which the nearest records differ, on average")]
    gcap: Annotated[Figure, Share("a draw among the nearest is right", "Hittmeir 2020; ours")]


class _Alike(NamedTuple):
    """People without a match and synthetic records, by a group in which both are for a draw."""

    people: Ints  # their combinations of keys
    group: Ints
    synthetic: Ints  # theirs
    group_of_synthetic: Ints
    distance: Ints


class Nearest:
    """Who comes nearest to people without a match, beside the first m copies of a version."""

    def __init__(self, study: Study, version: str, m: int) -> None:
        self.study = study
        columns = [study.column(name) for name in study.keys]
        q, n_q = number(*pack(columns))
        example = np.empty(n_q, np.int64)
        example[q] = np.arange(len(q))
        self.codes = [column.codes[example] for column in columns]
        files = all_copies(study, version).files[:m]
        self.rows = slice(study.rows[files[0]].start, study.rows[files[-1]].stop)
        self.q, self.q_of_synthetic = q[study.rows[ORIGINAL]], q[self.rows]
        has = np.zeros(n_q, bool)
        has[self.q_of_synthetic] = True
        self.is_left = ~has[self.q]
        self.alike = list(self._search(np.unique(self.q[self.is_left]), np.flatnonzero(has)))
        self.n_nearest = self._count(np.zeros(len(q), np.int64))
        distance = np.zeros(n_q)
        for alike in self.alike:
            distance[alike.people] = alike.distance
        self.distance: Floats = distance[self.q]

    def draw(self, target: str, matched: Floats) -> Floats:
        """For each person, the part of their nearest records that have their target."""
        scores = matched.copy()
        scores[self.is_left] = self._count(self.study.column(target).codes) / self.n_nearest
        return scores

    def _count(self, codes: Ints) -> Ints:
        """For each person without a match, how many of their nearest records have their code."""
        t, n_t = codes[self.study.rows[ORIGINAL]][self.is_left], np.int64(codes.max() + 1)
        people, of_record = np.unique(self.q[self.is_left] * n_t + t, return_inverse=True)
        q, t = np.divmod(people, n_t)
        cells, s_tq = np.unique(self.q_of_synthetic * n_t + codes[self.rows], return_counts=True)
        q_of_cell, t_of_cell = np.divmod(cells, n_t)
        n, group = np.zeros(len(people), np.int64), np.full(self.q.max() + 1, -1)
        for alike in self.alike:
            group[alike.people] = alike.group
            mine = np.flatnonzero(group[q] >= 0)
            start = np.searchsorted(q_of_cell, alike.synthetic)
            stop = np.searchsorted(q_of_cell, alike.synthetic, side="right")
            for place, cell in pairs(start, stop):
                groups = alike.group_of_synthetic[place] * n_t + t_of_cell[cell]
                n[mine] += _sums(groups, s_tq[cell], group[q[mine]] * n_t + t[mine])
            group[alike.people] = -1
        return n[of_record]

    def _search(self, people: Ints, synthetic: Ints) -> Iterator[_Alike]:
        """Those who differ in one key, then in two, and so on until everyone has somebody.

        Who differs in d keys agrees in the others: each choice of these is counted once. Where
        there would be too many choices, pairs are compared.
        """
        n_keys = len(self.codes)
        for distance in range(1, n_keys + 1):
            if not len(people):
                return
            choices = comb(n_keys, distance) * (len(people) + len(synthetic)) * COUNTING
            if choices > len(people) * len(synthetic) * n_keys:
                yield from self._compare(people, synthetic)
                return
            has_somebody = np.zeros(len(people), bool)
            both = np.concatenate([people, synthetic])
            for kept in combinations(self.codes, n_keys - distance):
                groups, space = np.zeros(len(both), np.int64), 1
                for key in kept:
                    n = int(key.max()) + 1
                    groups, space = number(groups * n + key[both], space * n)
                group, of_synthetic = groups[: len(people)], groups[len(people) :]
                has = np.isin(group, of_synthetic)
                has_somebody |= has
                yield _Alike(
                    people[has], group[has], synthetic, of_synthetic, np.full(has.sum(), distance)
                )
            people = people[~has_somebody]

    def _compare(self, people: Ints, synthetic: Ints) -> Iterator[_Alike]:
        """The same by comparing all pairs, some people at a time."""
        step = max(MOST_PAIRS // len(synthetic), 1)
        for start in range(0, len(people), step):
            some = people[start : start + step]
            distance = np.zeros((len(some), len(synthetic)), np.int16)
            for key in self.codes:
                distance += key[some][:, np.newaxis] != key[synthetic]
            fewest = distance.min(axis=1)
            group, place = np.nonzero(distance == fewest[:, np.newaxis])
            yield _Alike(some, np.arange(len(some)), synthetic[place], group, fewest)


def _sums(groups: Ints, amounts: Ints, wanted: Ints) -> Ints:
    """The sum of the amounts of each group wanted."""
    _, place = np.unique(np.append(groups, wanted), return_inverse=True)
    mine, asked = np.split(place, [len(groups)])
    return np.bincount(mine, amounts, len(place))[asked].astype(np.int64)
