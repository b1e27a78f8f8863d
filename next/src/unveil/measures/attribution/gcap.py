"""GCAP: where nobody in the synthetic data has a person's keys, draw from those who come nearest.

After Hittmeir, Mayer and Ekelhart (2020), as public implementations have it; the paper was not at
hand, so this is our definition. The nearest records differ in the fewest keys; all that tie count.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Annotated, NamedTuple

import numpy as np

from unveil.counts.cells import Ints, number, pack
from unveil.measures.attribution.people import mean_of_people
from unveil.measures.attribution.pools import all_copies
from unveil.results import Figure, Number, Row, Share
from unveil.study import ORIGINAL, Study

COUNTING = 40  # what counting one combination costs, in comparisons of one key (measured)
MOST_PAIRS = 2**22  # compared at once


class GcapRow(Row, frozen=True):
    """A draw among the synthetic records with the nearest keys, copies 1 to m pooled."""

    version: str
    keys: tuple[str, ...]
    target: str
    m: int
    distance: Annotated[Figure, Number("keys in which the nearest records differ, on average")]
    gcap: Annotated[Figure, Share("a draw among the nearest is right", "Hittmeir 2020; ours")]


class Alike(NamedTuple):
    """People's combinations of keys, synthetic ones, and a group in which both are for a draw."""

    people: Ints
    group: Ints  # of each of these
    synthetic: Ints
    group_of_synthetic: Ints
    distance: Ints  # of each of the people's combinations


def gcap_rows(study: Study, version: str) -> Iterator[GcapRow]:
    """GCAP of every target for m = 1 to M."""
    columns = [study.column(name) for name in study.keys]
    q, n_q = number(*pack(columns))
    example = np.empty(n_q, np.int64)
    example[q] = np.arange(len(q))
    codes = [column.codes[example] for column in columns]
    files = all_copies(study, version).files
    d, person = study.rows[ORIGINAL], study.people()[0]
    for m, number_of_last in enumerate(files, start=1):
        s = slice(study.rows[files.start].start, study.rows[number_of_last].stop)
        links = list(_nearest(codes, np.unique(q[d]), np.unique(q[s])))
        distance = np.zeros(n_q)
        for alike in links:
            distance[alike.people] = alike.distance
        for target in study.targets:
            t, n_t = study.column(target).codes, study.column(target).n_levels
            drawn = _draw(links, q[d] * n_t + t[d], q[s] * n_t + t[s], n_t, n_q)
            yield GcapRow(
                version=version, keys=study.keys, target=target, m=m,
                distance=mean_of_people(distance[q[d]], person),
                gcap=mean_of_people(drawn, person),
            )  # fmt: skip


def _draw(links: Sequence[Alike], people: Ints, synthetic: Ints, n_t: int, n_q: int) -> Ints:
    """For each person, the part of their nearest records that have their target."""
    cells, place = np.unique(people, return_inverse=True)
    q, t = np.divmod(cells, n_t)
    of_synthetic, s_tq = np.unique(synthetic, return_counts=True)
    q_of_synthetic, t_of_synthetic = np.divmod(of_synthetic, n_t)
    agreeing, nearest = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
    for alike in links:
        group = np.full(n_q, -1)
        group[alike.people] = alike.group
        mine = np.flatnonzero(group[q] >= 0)
        start = np.searchsorted(q_of_synthetic, alike.synthetic)
        n = np.searchsorted(q_of_synthetic, alike.synthetic, side="right") - start
        cell = np.repeat(start - np.cumsum(n) + n, n) + np.arange(n.sum())
        where = np.repeat(alike.group_of_synthetic, n)
        nearest[mine] += _sums(where, s_tq[cell], group[q[mine]])
        agreeing[mine] += _sums(
            where * n_t + t_of_synthetic[cell], s_tq[cell], group[q[mine]] * n_t + t[mine]
        )
    shares: Ints = (agreeing / nearest)[place]
    return shares


def _sums(groups: Ints, amounts: Ints, wanted: Ints) -> Ints:
    """The sum of the amounts of each group wanted."""
    known, place = np.unique(groups, return_inverse=True)
    sums = np.append(np.bincount(place, amounts).astype(np.int64), 0)
    at = np.searchsorted(known, wanted)
    is_known = np.append(known, -1)[at] == wanted
    return np.where(is_known, sums[at], 0)


def _nearest(codes: Sequence[Ints], people: Ints, synthetic: Ints) -> Iterator[Alike]:
    """Those who differ in no key, then in one, and so on until everyone has somebody.

    Who differs in d keys agrees in the others: each choice of these is counted once. Where there
    would be too many choices, pairs are compared.
    """
    n_keys = len(codes)
    for distance in range(n_keys + 1):
        if not len(people):
            return
        choices = comb(n_keys, distance) * (len(people) + len(synthetic)) * COUNTING
        if choices > len(people) * len(synthetic) * n_keys:
            yield from _compare(codes, people, synthetic)
            return
        found = np.zeros(len(people), bool)
        both = np.concatenate([people, synthetic])
        for kept in combinations(codes, n_keys - distance):
            alike, space = np.zeros(len(both), np.int64), 1
            for key in kept:
                n = int(key.max()) + 1
                alike, space = number(alike * n + key[both], space * n)
            group, of_synthetic = alike[: len(people)], alike[len(people) :]
            has = np.isin(group, of_synthetic)
            found |= has
            at = np.full(int(has.sum()), distance)
            yield Alike(people[has], group[has], synthetic, of_synthetic, at)
        people = people[~found]


def _compare(codes: Sequence[Ints], people: Ints, synthetic: Ints) -> Iterator[Alike]:
    """The same by comparing all pairs, some people at a time."""
    step = max(MOST_PAIRS // len(synthetic), 1)
    for start in range(0, len(people), step):
        some = people[start : start + step]
        distance = np.zeros((len(some), len(synthetic)), np.int16)
        for key in codes:
            distance += key[some][:, np.newaxis] != key[synthetic]
        fewest = distance.min(axis=1)
        group, place = np.nonzero(distance == fewest[:, np.newaxis])
        yield Alike(some, np.arange(len(some)), synthetic[place], group, fewest)
