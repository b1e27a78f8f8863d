"""What do other people's records teach about a person's value? Counts e_tq, expected beside d_tq.

The pattern P(t | q) is the distribution of maximum entropy in which every table of one key by the
target holds, and the joint counts of the keys: a multinomial model of main effects, fitted by
raking (Deming and Stephan 1940). People are put into folds at random, and each fold is predicted
from the others, so that nobody's own record speaks for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Integers, number, pack
from unveil.seeding import stream

FOLDS = 5
AT_LEAST = 10
"""A value of fewer people is taught by nobody: it is expected of no one."""
ROUNDS = 30
CLOSE = 1e-4
"""Raking ends when its tables differ from those wanted by less than this share of the people."""
ROOM = 2**24
"""Most numbers in a table of combinations by values; rarer values beyond it share one column."""

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

    @property
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


@dataclass(frozen=True)
class _Table:
    """One table of keys by values that is to hold: its group of each combination, its counts."""

    g: Ints
    wanted: Floats  # groups x values
    is_seen: Mask  # groups that somebody is in
    sum_up: Any  # a sparse matrix: from combinations to groups, each by its people


def rake(people: KeyedCells, margins: Iterable[Margin]) -> Floats:
    """P(t | q) of maximum entropy: the table of each margin by t holds, and the counts d_q hold.

    A group of which there is nobody teaches nothing: its factor is 1. A combination to which no
    value is left has the shares of all people.
    """
    from scipy import sparse  # here, for it takes longer to import than many files to count

    n_q, n_t = people.n_q, people.n_levels
    tables = []
    for margin in margins:
        g, n_g = people.groups(margin)
        wanted = np.bincount(g[people.q] * n_t + people.t, people.d_tq, n_g * n_t)
        in_group = sparse.csr_matrix((people.d_q.astype(float), (g, np.arange(n_q))), (n_g, n_q))
        by_group = wanted.reshape(n_g, n_t).astype(float)
        tables.append(_Table(g, by_group, by_group.sum(axis=1) > 0, in_group))
    N = int(people.d_tq.sum())
    shares = people.d_t / max(N, 1)
    P = np.full((n_q, n_t), 1 / n_t)
    for _ in range(ROUNDS):
        off = 0.0
        for table in tables:
            have = table.sum_up @ P
            off = max(off, float(np.abs(have - table.wanted).sum()))
            factor = np.divide(table.wanted, have, out=np.zeros_like(have), where=have > 0)
            factor[~table.is_seen] = 1
            P *= factor[table.g]
        total = P.sum(axis=1, keepdims=True)
        P = np.divide(P, total, out=np.broadcast_to(shares, P.shape).copy(), where=total > 0)
        if off < CLOSE * N:
            break
    return P


@dataclass(frozen=True)
class KeyPattern:
    """P(t | q) of key combinations, and the counts e_tq = d_q P(t | q) expected of their people.

    Values of many people have a column each; others share the last, by how many people have them.
    """

    shares: Floats  # combinations x columns
    d_q: Ints  # people of each combination
    row_of: Ints  # of each combination; -1: nothing is known of it
    column_of: Ints  # of each value
    share_of: Floats  # of each value in its column; 0 for a value of too few people

    def share(self, q: Integers, t: Integers) -> Floats:
        """P(t | q) of these cells, which need not occur."""
        row = self.row_of[q]
        found: Floats = self.shares[row, self.column_of[t]] * self.share_of[t] * (row >= 0)
        return found

    def expected(self, q: Integers, t: Integers) -> Floats:
        """e_tq: how many of the people with keys q are expected to have t."""
        return self.d_q[q] * self.share(q, t)


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
        Combinations to be told of, those that people have by default. One that nobody has is told
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
    n_q = table.people.d_q[:, None]
    shares = np.zeros((table.people.n_q, table.people.n_levels))
    for fold in range(folds):
        others = replace(table.people, d_tq=table.people.d_tq - in_fold[:, fold])
        n_qf = np.bincount(others.q, in_fold[:, fold], others.n_q)[:, None]
        weight = np.divide(n_qf, n_q, out=np.full(n_qf.shape, 1 / folds), where=n_q > 0)
        shares += weight * rake(others, one_key)
    return table.pattern(shares)


def publish(
    people: KeyedCells, margins: Sequence[Margin], is_wanted: Mask | None = None
) -> KeyPattern:
    """Maximum entropy on tables that are out already: own records are in them."""
    table = _Columns.of(people, is_wanted, at_least=1)
    return table.pattern(rake(table.people, margins))


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

    def pattern(self, shares: Floats) -> KeyPattern:
        return KeyPattern(shares, self.d_q, self.row_of, self.column_of, self.share_of)
