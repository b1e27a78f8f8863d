"""What do other people's records teach about a person's value? Counts e_tq, expected beside d_tq.

The pattern P(t | q) is the distribution of maximum entropy in which every table of one key by the
target holds, and the joint counts of the keys: a multinomial model of main effects, fitted by
raking (Deming and Stephan 1940). People are put into folds at random, and each fold is predicted
from the others, so that no one's own record speaks for them.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any, Self

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Integers, blocks, number, pack
from unveil.count.threads import limit_to_one_thread
from unveil.seeding import stream

FOLDS = 5
AT_LEAST = 10
"""A value of fewer people is taught by no one: it is expected of no one."""
ROUNDS = 30
CLOSE = 1e-4
"""Raking ends when its tables differ from those wanted by less than this share of the people."""
ROOM = 2**24
"""Most numbers in a table of combinations by values; rarer values beyond it share one column."""

DENSE, ALWAYS_DENSE = 64, 2**16
"""Keys are split where pairs of rows are at most so many times the combinations, for a row takes
as long as 300 pairs; a matrix of at most so many numbers is a dense one."""
TINY = np.finfo(float).tiny
CHUNK = 2**21
"""Numbers at a time where combinations are gone through."""
IN_CACHE = 2**15
"""Numbers at a time where a product is taken: what is made on the way is not waited for."""

Margin = tuple[int, ...]


@dataclass(frozen=True)
class KeyedCells:
    """People by key combination q and value t, cell by cell, and the keys of each combination."""

    key_codes: tuple[Integers, ...]  # one array a key, one code a combination
    q: Ints
    t: Integers
    d_tq: Ints
    n_levels: int

    @property
    def n_q(self) -> int:
        """How many key combinations there are."""
        return len(self.key_codes[0])

    @cached_property
    def d_t(self) -> Ints:
        """People with each value."""
        return np.bincount(self.t, self.d_tq, self.n_levels).astype(np.int64)

    @cached_property
    def d_q(self) -> Ints:
        """People with each key combination."""
        return np.bincount(self.q, self.d_tq, self.n_q).astype(np.int64)

    def groups(self, keys: Sequence[int]) -> tuple[Ints, int]:
        """Key combinations numbered by some of their keys, and how many groups there are."""
        digits = [(self.key_codes[key], int(self.key_codes[key].max()) + 1) for key in keys]
        g, n_g = number(*pack(digits, self.n_q))
        return g.astype(np.int64), n_g


def _sums(group: Ints, n_g: int) -> Any:
    """A matrix that sums up rows by their group; dense if small, for speed."""
    ones, place = np.ones(len(group)), np.arange(len(group))
    if n_g * len(group) <= ALWAYS_DENSE:
        return (group == np.arange(n_g)[:, None]).astype(float)
    from scipy import sparse  # here, for it takes longer to import than many files to count

    return sparse.csr_matrix((ones, (group, place)), (n_g, len(group)))


def _weighted(sums: Any, weights: Floats) -> Any:
    """The same, of weighted rows."""
    if isinstance(sums, np.ndarray):
        return sums * weights
    made = copy(sums)  # of the same rows and groups, which need not be checked again
    made.data = weights.take(sums.indices)
    return made


@dataclass(frozen=True)
class _Table:
    """A table of some keys by t that is to hold, and its factor of P; groups x values."""

    wanted: Floats
    factor: Floats
    is_seen: Mask  # groups that a person is in


@dataclass(frozen=True)
class _Part:
    """The combinations of some of the keys, and the tables that are of these keys alone."""

    row: Ints  # of each combination of all keys
    n_rows: int
    group: tuple[Ints, ...]  # of each row, table by table
    place: tuple[Ints, ...]  # in the table, of each cell of the people
    sums: tuple[Any, ...]  # a matrix a table: from rows to its groups

    @classmethod
    def of(cls, people: KeyedCells, margins: Sequence[Margin]) -> Self:
        row, n_rows = people.groups(sorted({*chain(*margins)}))
        group, place, sums = [], [], []
        for margin in margins:
            g, n_g = people.groups(margin)
            of_row = np.zeros(n_rows, np.int64)
            of_row[row] = g
            group.append(of_row)
            place.append(g[people.q] * people.n_levels + people.t)
            sums.append(_sums(of_row, n_g))
        return cls(row, n_rows, tuple(group), tuple(place), tuple(sums))

    def tables(self, people: KeyedCells) -> list[_Table]:
        """The tables that are to hold, with factors of 1."""
        n_t, found = people.n_levels, []
        for place, sums in zip(self.place, self.sums, strict=True):
            counts = np.bincount(place, people.d_tq, sums.shape[0] * n_t)
            wanted = counts.reshape(-1, n_t).astype(float)
            found.append(_Table(wanted, np.ones_like(wanted), wanted.sum(axis=1) > 0))
        return found

    def product(self, tables: Sequence[_Table], t: slice) -> Floats:
        """The factors of each row, multiplied over the tables."""
        factors = [np.ascontiguousarray(table.factor[:, t]) for table in tables]
        if not factors:
            return np.ones((self.n_rows, t.stop - t.start))
        found = np.empty((self.n_rows, t.stop - t.start))
        for rows in blocks(found.shape[0], found.shape[1], IN_CACHE):
            found[rows] = factors[0].take(self.group[0][rows], axis=0)
            for g, factor in zip(self.group[1:], factors[1:], strict=True):
                found[rows] *= factor.take(g[rows], axis=0)
        return found


@dataclass(frozen=True)
class _Split:
    """Keys in two parts, none of which a table shares.

    A sum over combinations is a product of matrices then: from the rows of one part to those of
    the other, which takes a fraction of the time of going through the combinations. Where most
    pairs of rows do not occur, the last part is empty: it has one row and no table.
    """

    first: _Part
    last: _Part

    @classmethod
    def of(cls, people: KeyedCells, margins: Sequence[Margin]) -> Self:
        """Cut the tables, which keep their order, where the parts have fewest combinations."""

        def most_rows(some: Sequence[Margin]) -> int:
            levels = (int(people.key_codes[k].max(initial=0)) + 1 for k in {*chain(*some)})
            return min(prod(levels), people.n_q)

        def is_fit(cut: int) -> bool:
            n_pairs = most_rows(margins[:cut]) * most_rows(margins[cut:])
            is_shared = bool({*chain(*margins[:cut])} & {*chain(*margins[cut:])})
            return n_pairs <= min(DENSE * people.n_q, ROOM // 2) and not is_shared

        cut = min(
            (cut for cut in range(1, len(margins)) if is_fit(cut)),
            key=lambda cut: most_rows(margins[:cut]) + most_rows(margins[cut:]),
            default=len(margins),
        )
        return cls(_Part.of(people, margins[:cut]), _Part.of(people, margins[cut:]))

    @property
    def parts(self) -> tuple[_Part, _Part]:
        return self.first, self.last

    def matrix(self, weights: Floats) -> Floats:
        """Weights of combinations, from the rows of the first part to those of the last."""
        shape = self.first.n_rows, self.last.n_rows
        pairs = self.first.row * shape[1] + self.last.row
        return np.bincount(pairs, weights, prod(shape)).reshape(shape).astype(float)

    def totals(self, A: Floats, B: Floats) -> Floats:
        """Of each combination, the sum over t of A(a, t) B(b, t)."""
        if not self.last.group:
            return np.asarray(A.sum(axis=1)[self.first.row])
        return np.asarray((A @ B.T)[self.first.row, self.last.row])


@dataclass(frozen=True)
class Raked:
    """P(t | q), the product of a factor from each table, divided by its sum over t."""

    split: _Split
    tables: tuple[list[_Table], ...]  # of each part
    totals: Floats
    shares: Floats  # of all people: for a combination to which no value is left

    def share(self, q: Integers, t: Integers) -> Floats:
        """P(t | q) of these cells."""
        found = np.ones(1)
        for part, tables in zip(self.split.parts, self.tables, strict=True):
            row = part.row[q]
            for g, table in zip(part.group, tables, strict=True):
                found = found * table.factor.ravel()[g[row] * len(self.shares) + t]
        total = self.totals[q]
        found = found / np.maximum(total, TINY)
        return found if self.totals.all() else np.where(total > 0, found, self.shares[t])


def rake(people: KeyedCells, margins: Sequence[Margin], split: _Split | None = None) -> Raked:
    """P(t | q) of maximum entropy: the table of each margin by t holds, and the counts d_q hold.

    A group of which there is no one teaches nothing: its factor is 1. A combination to which no
    value is left has the shares of all people.
    """
    split = split or _Split.of(people, margins)
    n_q, n_t = people.n_q, people.n_levels
    tables = tuple(part.tables(people) for part in split.parts)
    pieces = list(blocks(n_t, split.first.n_rows + split.last.n_rows, CHUNK))
    A, B = (np.ones((part.n_rows, pieces[0].stop)) for part in split.parts)
    N, total = int(people.d_tq.sum()), np.full(n_q, float(n_t))
    for _ in range(ROUNDS):
        weights = np.divide(people.d_q, total, out=np.zeros(n_q), where=total > 0)
        of_people, total = split.matrix(weights), np.zeros(n_q)
        off = [np.zeros(len(of_part)) for of_part in tables]
        for t in pieces:
            if len(pieces) > 1:
                A, B = (one.product(of, t) for one, of in zip(split.parts, tables, strict=True))
            off[0] += _fit(split.first, tables[0], t, A, of_people @ B if tables[1] else of_people)
            off[1] += _fit(split.last, tables[1], t, B, of_people.T @ A if tables[1] else B)
            total += split.totals(A, B)
        if max(chain(*off), default=0.0) < CLOSE * N:
            break
    return Raked(split, tables, total, tables[0][0].wanted.sum(axis=0) / max(N, 1))


def _fit(
    part: _Part, tables: Sequence[_Table], t: slice, product: Floats, others: Floats
) -> Floats:
    """Change factors of some values, and their product, so that each table of the part held.

    Others are the weighted sums of the other part, rows x values, or rows x 1. Returns by how many
    people each table differed before.
    """
    is_same = others.shape[1] < product.shape[1]
    off = np.zeros(len(tables))
    for place, (g, sums, table) in enumerate(zip(part.group, part.sums, tables, strict=True)):
        have = _weighted(sums, others[:, 0]) @ product if is_same else sums @ (product * others)
        wanted = table.wanted[:, t]
        off[place] = np.abs(have - wanted).sum()
        step = np.divide(wanted, have, out=np.zeros_like(have), where=have > 0)
        step[~table.is_seen] = 1
        table.factor[:, t] *= step
        for rows in blocks(product.shape[0], product.shape[1], IN_CACHE):
            product[rows] *= step.take(g[rows], axis=0)  # which is twice as fast as an index
    return off


@dataclass(frozen=True)
class KeyPattern:
    """P(t | q) of key combinations, and the counts e_tq = d_q P(t | q) expected of their people.

    Values of many people have a column each; others share the last, by how many people have them.
    """

    raked: tuple[Raked, ...]
    weights: tuple[Floats, ...]  # of each of them, combination by combination
    d_q: Ints  # people of each combination
    row_of: Ints  # of each combination; -1: nothing is known of it
    column_of: Ints  # of each value
    share_of: Floats  # of each value in its column; 0 for a value of too few people

    def share(self, q: Integers, t: Integers) -> Floats:
        """P(t | q) of these cells, which need not occur."""
        row, column = self.row_of[q], self.column_of[t]
        each = zip(self.weights, self.raked, strict=True)
        found = sum(weight[row] * one.share(row, column) for weight, one in each)
        return np.asarray(found * self.share_of[t] * (row >= 0))

    def expected(self, q: Integers, t: Integers) -> Floats:
        """e_tq: how many of the people with keys q are expected to have t."""
        return self.d_q[q] * self.share(q, t)


@limit_to_one_thread(has_scipy=False)
def cross_fit(
    people: KeyedCells,
    *,
    is_wanted: Mask | None = None,
    at_least: int = AT_LEAST,
    folds: int = FOLDS,
    seed: int = 1,
    name: str = "",
) -> KeyPattern:
    """Maximum entropy on the tables of one key, each fold of people told by those of the others.

    Parameters
    ----------
    people
        Who is counted.
    is_wanted
        Combinations to be told of, those that people have by default. One that no one has is told
        by the mean of the folds.
    at_least
        A value of fewer people is expected of no one.
    folds, seed, name
        How many folds, and from which stream they are drawn.

    Notes
    -----
    e_tq = sum over folds f of n_qf P_-f(t | q), with n_qf the people of fold f with keys q and P_-f
    raked to the tables of the people outside f. Nothing is smoothed.
    """
    table = _Columns.of(people, is_wanted, at_least)
    rng = stream(seed, "folds", name)
    # Drawn cell by cell, so that the order of rows does not matter.
    in_fold = rng.multinomial(table.people.d_tq, np.full(folds, 1 / folds))
    one_key = [(key,) for key in range(len(people.key_codes))]
    split, n_q = _Split.of(table.people, one_key), table.people.d_q
    raked, weights = [], []
    for fold in range(folds):
        others = replace(table.people, d_tq=table.people.d_tq - in_fold[:, fold])
        n_qf = np.bincount(others.q, in_fold[:, fold], others.n_q)
        vars(others)["d_q"] = n_q - n_qf.astype(np.int64)  # known, so that no one counts it again
        weights.append(np.divide(n_qf, n_q, out=np.full(len(n_q), 1 / folds), where=n_q > 0))
        raked.append(rake(others, one_key, split))
    return table.pattern(raked, weights)


@limit_to_one_thread(has_scipy=False)
def publish(
    people: KeyedCells, margins: Sequence[Margin], is_wanted: Mask | None = None
) -> KeyPattern:
    """Maximum entropy on tables that are out already: own records are in them."""
    table = _Columns.of(people, is_wanted, at_least=1)
    return table.pattern([rake(table.people, margins)], [np.ones(table.people.n_q)])


@dataclass(frozen=True)
class _Columns:
    """The people of some combinations, with rare values as one: what a dense table has room for."""

    people: KeyedCells
    d_q: Ints
    row_of: Ints
    column_of: Ints
    share_of: Floats

    @classmethod
    def of(cls, people: KeyedCells, is_wanted: Mask | None, at_least: int) -> Self:
        is_wanted = people.d_q > 0 if is_wanted is None else is_wanted | (people.d_q > 0)
        held = np.flatnonzero(is_wanted)
        row_of = np.full(people.n_q, -1)
        row_of[held] = np.arange(len(held))
        d_t = people.d_t
        most = max(ROOM // max(len(held), 1) - 1, 1)
        alone = np.argsort(-d_t, kind="stable")[:most]
        alone = alone[d_t[alone] >= at_least]
        column_of = np.full(len(d_t), len(alone))
        column_of[alone] = np.arange(len(alone))
        n_others = int(d_t[column_of == len(alone)].sum())
        share_of = np.where(column_of < len(alone), 1.0, d_t / max(n_others, 1))
        share_of[d_t < at_least] = 0
        is_held = people.d_tq > 0
        of_columns = KeyedCells(
            tuple(codes[held] for codes in people.key_codes),
            row_of[people.q[is_held]],
            column_of[people.t[is_held]],
            people.d_tq[is_held],
            len(alone) + 1,
        )
        return cls(of_columns, people.d_q, row_of, column_of, share_of)

    def pattern(self, raked: Sequence[Raked], weights: Sequence[Floats]) -> KeyPattern:
        return KeyPattern(
            tuple(raked), tuple(weights), self.d_q, self.row_of, self.column_of, self.share_of
        )
