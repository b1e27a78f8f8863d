"""Nearest records, with all that tie, by comparing every pair in blocks.

The distance of two records is a sum over columns: categories differ by 0 or 1, numbers by their
distance divided by their range. A missing value or a special code is 0 from itself and 1 from
anything else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask

TIE = 1e-9  # distances that differ by less are equal: they are sums of floats
CELLS = 2**18  # pairs compared at a time: what fits a processor's cache


@dataclass(frozen=True, eq=False)
class Axis:
    """One column of the records of all files."""

    states: Ints | None  # the category; of a number 0, or which special code it is
    numbers: Floats | None = None  # divided by their range; 0 where it is a special code
    allowed: Floats | None = None  # how far from it a guess may be; None: it must be equal

    def distance(self, ones: Ints, others: Ints) -> Floats | Mask:
        """From some records to others: 0 to 1."""
        differs = None if self.states is None else self.states[ones] != self.states[others]
        if self.numbers is None:
            return np.asarray(differs)
        gap = self.numbers[ones] - self.numbers[others]
        np.abs(gap, out=gap)
        if differs is not None:
            np.copyto(gap, 1, where=differs)
        return np.asarray(gap)

    def is_right(self, people: Ints, guesses: Ints) -> Mask:
        """Whether the values of some records are correct guesses of those of others."""
        gap = self.distance(people, guesses)
        if self.allowed is None:
            return np.asarray(gap == 0)
        is_right = gap <= self.allowed[people]
        if self.states is not None:  # a code is no near number
            is_right &= self.states[people] == self.states[guesses]
        return np.asarray(is_right)


def distances(axes: Sequence[Axis], rows: Ints, records: Ints) -> Floats:
    """From each of some records to each of others: the sum over columns."""
    n_differing = np.zeros((len(rows), len(records)), np.min_scalar_type(len(axes)))
    total = np.zeros(n_differing.shape)
    for axis in axes:
        part = total if axis.numbers is not None else n_differing
        part += axis.distance(rows[:, None], records)
    total += n_differing
    return total


def count(mask: Mask) -> Ints:
    """How many entries of each row are true, several times as fast as by a sum."""
    return np.asarray(np.bitwise_count(np.packbits(mask, axis=1)).sum(axis=1, dtype=np.int64))


def blocks(rows: Ints, n_records: int) -> Iterator[Ints]:
    """Some rows at a time, so many that their pairs with all records fit."""
    return iter(np.array_split(rows, max(1, -(-len(rows) * n_records // CELLS))))


def nearest_distance(axes: Sequence[Axis], rows: Ints, records: Ints) -> Floats:
    """How far the nearest record is."""
    parts = [
        distances(axes, some, records).min(axis=1, initial=np.inf)
        for some in blocks(rows, len(records))
    ]
    return np.concatenate(parts)


def chances_to_guess(
    axes: Sequence[Axis], secrets: Sequence[Sequence[Axis]], rows: Ints, records: Ints
) -> tuple[Floats, Floats]:
    """The chance that a nearest record is right, and that any record is: secrets x rows.

    Each secret, one column or several, is guessed from all other columns. One pass for all of them:
    their distance is the whole distance, less the part of the secret.
    """
    nearest, anyone = np.empty((2, len(secrets), len(rows)))
    done = 0
    for some in blocks(rows, len(records)):
        whole, at = distances(axes, some, records), slice(done, done + len(some))
        for place, secret in enumerate(secrets):
            rest = whole.copy()
            for axis in secret:
                rest -= axis.distance(some[:, None], records)
            is_nearest = rest <= rest.min(axis=1, keepdims=True) + TIE
            is_right = np.logical_and.reduce([a.is_right(some[:, None], records) for a in secret])
            anyone[place, at] = count(is_right) / len(records)
            nearest[place, at] = count(is_right & is_nearest) / count(is_nearest)
        done = at.stop
    return nearest, anyone


def chances_to_link(parts: Sequence[Sequence[Axis]], k: int, rows: Ints, records: Ints) -> Floats:
    """The chance that the k nearest records by some columns and by others have one in common."""
    return np.concatenate([
        _chances_to_meet([distances(axes, some, records) for axes in parts], k)
        for some in blocks(rows, len(records))
    ])  # fmt: skip


def _chances_to_meet(sides: Sequence[Floats], k: int) -> Floats:
    """Records that tie for the last places are drawn, on each side by itself.

    1 - sum_j C(w, j) C(t - x - w, a - j) / C(t, a) * C(u - y - j, b) / C(u, b): a of t tied records
    are drawn here and b of u there; w tie on both sides, x tie here and are certain there, y tie
    there and are certain here.
    """
    certain, tied = [], []
    for distance in sides:
        last = np.partition(distance, k - 1, axis=1)[:, [k - 1]]
        certain.append(distance < last - TIE)
        tied.append(np.abs(distance - last) <= TIE)
    a, b = (k - count(mask) for mask in certain)
    t, u = (count(mask) for mask in tied)
    pairs = (tied[0], tied[1]), (tied[0], certain[1]), (certain[0], tied[1])
    w, x, y = (count(here & there) for here, there in pairs)
    j = np.arange(k + 1)[:, None]
    apart = log_choose(w, j) + log_choose(t - x - w, a - j) - log_choose(t, a)
    apart = apart + log_choose(u - y - j, b) - log_choose(u, b)
    is_sure = (certain[0] & certain[1]).any(axis=1)
    return np.where(is_sure, 1.0, np.clip(1 - np.exp(apart).sum(axis=0), 0, 1))


def chance_to_link_blindly(n: int, k: int) -> float:
    """That two sets of k of n records, drawn blindly, have one in common."""
    return float(1 - np.exp(log_choose(np.array(n - k), k) - log_choose(np.array(n), k)))


def log_choose(n: Ints, k: Ints | int) -> Floats:
    """The logarithm of n over k; -inf where k cannot be chosen."""
    from scipy.special import gammaln

    n, k = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    is_possible = (k >= 0) & (k <= n)
    n, k = np.where(is_possible, n, 0), np.where(is_possible, k, 0)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.where(is_possible, logs, -np.inf)
