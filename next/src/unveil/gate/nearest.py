"""The nearest person of each record, and how much nearer they are than the next.

Nearness is measured in bits. On one column, a person who is as near to the record as a share u of
all people agrees with it in -log2(u) bits: equal on a rare value is worth much, on a common one
little. The bits of all columns are added (Fellegi and Sunter 1969, weights from the people).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.gate.columns import MISSING, Compared
from unveil.study import ORIGINAL

BINS = 128  # a number is known to 1 in 128 of the people: no value is worth more than 7 bits
PEOPLE, RECORDS = 4096, 128  # compared at a time
ALMOST = 0.95  # of its bits that a value near enough to be one's own is worth


def bits_of_levels(counts: Ints) -> Floats:
    """Equal levels: -log2 of the share of people; different ones, and a level of nobody: 0."""
    share = np.clip(counts / max(counts.sum(), 1), 1 / BINS, 1)
    return np.diag(-np.log2(share) * (counts > 0)).astype(np.float32)


def bits_of_bins(counts: Ints) -> Floats:
    """Bins in order: -log2 of the share of people who are at least as near, in ranks, to a bin."""
    share = counts / max(counts.sum(), 1)
    middle = np.cumsum(share) - share / 2
    order = np.argsort(np.abs(middle[:, None] - middle), axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")
    as_near = np.take_along_axis(np.cumsum(share[order], axis=1), place, axis=1)
    return -np.log2(np.clip(as_near, 1 / BINS, 1)).astype(np.float32)


def binned(column: Compared) -> tuple[tuple[Ints, ...], Floats]:
    """Small codes for each file, and the bits of each pair of them."""
    counts = column.counts(ORIGINAL)
    if column.numbers is None:
        common = np.argsort(-counts, kind="stable")[: 4 * BINS]  # rarer ones agree with nothing
        small = np.full(len(counts), len(common))
        small[common] = np.arange(len(common))
        table = bits_of_levels(np.append(counts[common], 0))
        return tuple(small[codes] for codes in column.codes), table
    of_people = counts.copy()
    of_people[MISSING] = 0
    rank = (np.cumsum(of_people) - of_people / 2) / max(of_people.sum(), 1)
    _, bins = np.unique(np.minimum((rank * BINS).astype(int), BINS - 1)[1:], return_inverse=True)
    code = np.append(0, bins + 1)
    size = int(code.max()) + 1
    table = np.zeros((size, size), np.float32)
    table[1:, 1:] = bits_of_bins(np.bincount(bins, of_people[1:], minlength=size - 1))
    table[0, 0] = -np.log2(max(counts[MISSING], 1) / counts.sum())
    return tuple(code[codes] for codes in column.codes), table


class Nearest(NamedTuple):
    """For each record: the rows of the nearest person and of the next, and their bits."""

    first: Ints
    second: Ints
    bits_first: Floats
    bits_second: Floats


@dataclass(frozen=True, eq=False)
class Space:
    """The people, column by column, as small codes; bits by the code of a record and of a person.

    Rows of the same person never compete.
    """

    codes: Sequence[Ints]
    bits: Sequence[Floats]
    person: Ints

    def shows_own(self, column: int, record: Ints, row: Ints) -> Mask:
        """Whether a row has the record's value, or a number as near as 1 in 100 people are."""
        table = self.bits[column]
        full = table[record, record]
        return (full > 0) & (table[record, self.codes[column][row]] >= ALMOST * full)

    def worth(self, records: Sequence[Ints]) -> Floats:
        """The bits by which each record agrees with itself."""
        return sum(
            (table[codes, codes] for table, codes in zip(self.bits, records, strict=True)),
            np.zeros(len(records[0]), np.float32),
        )

    def nearest(
        self, records: Sequence[Ints], askers: Ints | None = None, *, leave_out: bool = False
    ) -> list[Nearest]:
        """By all columns; with `leave_out` by all but each, one after the other.

        `askers` says whose the records are where they are people's own: others are looked at.
        """
        columns = range(len(records))
        n_asked = len(columns) if leave_out else 1
        parts: list[list[Nearest]] = [[] for _ in range(n_asked)]
        for start in range(0, len(records[0]), RECORDS):
            part = slice(start, start + RECORDS)
            tables = [self.bits[c][records[c][part]] for c in columns]
            best: list[Nearest | None] = [None] * n_asked
            for at in range(0, len(self.person), PEOPLE):
                block = slice(at, at + PEOPLE)
                bits = [np.take(tables[c], self.codes[c][block], axis=1) for c in columns]
                score: Ints = np.sum(bits, axis=0)
                if askers is not None:
                    score[askers[part, None] == self.person[block]] = -np.inf
                for place in range(n_asked):
                    left = score - bits[place] if leave_out else score
                    best[place] = self._among(best[place], left, at)
            for place, nearest in enumerate(best):
                parts[place] += [nearest] if nearest is not None else []
        return [Nearest(*map(np.concatenate, zip(*some, strict=True))) for some in parts]

    def _among(self, best: Nearest | None, score: Floats, at: int) -> Nearest:
        """The nearest so far and those of a block of people (score: records x people)."""
        record, here = np.arange(len(score)), self.person[at : at + score.shape[1]]
        first = score.argmax(axis=1)
        bits_first = score[record, first]
        others = np.where(here == here[first][:, None], -np.inf, score)
        second = others.argmax(axis=1)
        found = Nearest(first + at, second + at, bits_first, others[record, second])
        if best is None:
            return found
        rows = np.stack([best.first, best.second, found.first, found.second])
        bits = np.stack([best.bits_first, best.bits_second, found.bits_first, found.bits_second])
        place = bits.argmax(axis=0)
        nearest = rows[place, record]
        rest = np.where(self.person[rows] == self.person[nearest], -np.inf, bits)
        after = rest.argmax(axis=0)
        return Nearest(nearest, rows[after, record], bits[place, record], rest[after, record])
