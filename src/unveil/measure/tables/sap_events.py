"""Which samples of known people are a risk, and how many of each size are there?"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import comb, lgamma, log
from operator import or_
from typing import Any

from unveil.errors import SettingsError
from unveil.measure.tables.flow import Network, network_of
from unveil.measure.tables.integer_programme import OutOfTime, Programme, Table
from unveil.measure.tables.parts import System, sums_of

# Can a cell be raised, given what an intruder has counted? And is a sample a risk?
#
# A cell whose people are all known is a recovered zero when no table that fits the release, and
# holds the people known, has more in it (docs/measures/bounds.md). Two oracles answer: paths in a
# network where sums allow it, integer programmes elsewhere. Both remember what they have learnt.


# More witnesses than this are not looked through faster than a programme is solved.
WITNESSES = 512


class ProgrammeOracle:
    """By integer programmes, each table found being a witness for every smaller sample."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.until: float | None = None
        self._programme = Programme(system)
        sums = sums_of(system)
        limited = {cell for entry in sums.sums if entry.hi is not None for cell in entry.cells}
        limited |= {cell for cell, hi in enumerate(sums.hi) if hi is not None}
        self._limited = limited
        self._witnesses: list[list[Table]] = [[] for _ in system.counts]
        self._exposed: dict[int, bool] = {}

    def can_increase(self, cell: int, at_least: Sequence[int]) -> bool:
        """Whether a table of at least `at_least` fits the release with more in the cell."""
        if cell not in self._limited:
            return True
        for witness in self._witnesses[cell]:
            if all(low <= count for low, count in zip(at_least, witness, strict=True)):
                return True
        table = self._programme.above(cell, self.system.counts[cell], at_least, self.until)
        if table is None:
            return False
        self._remember(table)
        return True

    def can_recover_all(self, at_least: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether each of the cells is fully known and cannot be raised."""
        full = all(at_least[cell] >= self.system.counts[cell] for cell in cells)
        return full and not any(self.can_increase(cell, at_least) for cell in cells)

    def is_exposed(self, cell: int) -> bool:
        """Whether the cell is recovered once all its own people are known, and nobody else."""
        if cell not in self._exposed:
            alone = [0] * len(self.system.counts)
            alone[cell] = self.system.counts[cell]
            self._exposed[cell] = not self.can_increase(cell, alone)
        return self._exposed[cell]

    def raise_together(self, empty: Iterable[int]) -> None:
        """Find tables with people in empty cells, many at a time, before each is asked about."""
        left = [cell for cell in empty if cell in self._limited]
        try:
            while left := [cell for cell in left if not self._witnesses[cell]]:
                table = self._programme.above_together(left, self.until)
                if table is None:
                    self._exposed |= dict.fromkeys(left, True)
                    return
                self._remember(table)
        except OutOfTime:
            return  # each is asked about by itself, as far as time allows

    def witnesses(self, cells: Iterable[int], until: float | None) -> Iterator[tuple[int, Table]]:
        """A table with more in each cell that has one; near the true one while time lasts."""
        for cell in cells:
            near: Table | None = self.system.counts  # raised in a cell that nothing limits
            if self._exposed.get(cell, False):
                continue
            if cell in self._limited:
                try:
                    near = self._programme.nearest_above(cell, until)
                except OutOfTime:
                    near = min(self._witnesses[cell], key=self._n_taken, default=None)
                if near is not None:
                    self._remember(near)
            if near is not None:
                yield cell, near

    @property
    def n_unseen(self) -> int:
        """Possible cells of which no table with more is known, nor that there is none."""
        return sum(
            not (cell in self._exposed or self._witnesses[cell])
            for cell in self._limited - self.system.structural
        )

    def _n_taken(self, table: Table) -> int:
        pairs = zip(table, self.system.counts, strict=True)
        return sum(max(0, count - found) for found, count in pairs)

    def _remember(self, table: Table) -> None:
        for cell, (found, count) in enumerate(zip(table, self.system.counts, strict=True)):
            if found > count:
                self._witnesses[cell].insert(0, table)
                del self._witnesses[cell][WITNESSES:]


AnyOracle = Network | ProgrammeOracle
"""Of a network only which cells are fully known matters, not how many of the others are."""


def oracle_of(system: System) -> AnyOracle:
    """The network of a system whose sums are one; else integer programmes."""
    return network_of(system) or ProgrammeOracle(system)


# How many samples of each size lie in a box: exact polynomials, packed into whole numbers.
#
# The samples of n people with between a_i and b_i from each cell i number [x^n] prod_i sum_{k =
# a_i..b_i} C(c_i, k) x^k. A polynomial is kept as its value at a power of two that is larger than
# any coefficient, so that a product of polynomials is one product of whole numbers, and nothing
# is ever rounded.


MOST_BYTES = 1 << 26
"""Of products that are kept for another time."""
LARGEST = 1 << 20
"""Bytes of one polynomial: a product of two that long takes about half a second."""

Factor = tuple[int, int, int]
"""People in a cell, the fewest and the most of them that are sampled."""


class SamplePolynomials:
    """Polynomials up to x^n_max for samples from `people` people."""

    def __init__(self, people: int, n_max: int) -> None:
        self.n_max = min(n_max, people)
        check_long(people, self.n_max)
        self.totals = _binomials(people, 0, self.n_max)
        self._width = max(self.totals).bit_length() // 8 + 1  # bytes of a coefficient
        self._stride = 8 * self._width
        self._all = (1 << self._stride * (self.n_max + 1)) - 1
        self._coefficient = (1 << self._stride) - 1
        self.n_bytes = self._stride * (self.n_max + 1) // 8
        self._powers: dict[tuple[Factor, int], int] = {}
        self._free: dict[int, int] = {}

    def product(self, factors: Iterable[Factor]) -> int:
        """The packed polynomial of a box; 0 where all its samples are larger than n_max."""
        shift, free, others = 0, 0, Counter[Factor]()
        for people, low, high in factors:
            shift += low
            if low == 0 and high == people:
                free += people
            elif low < high or 0 < low < people:
                others[people, low, high] += 1
        if shift > self.n_max:
            return 0
        found = self._binomial(free)
        for factor, times in others.items():
            found = found * self._power(factor, times) & self._all
        return found << self._stride * shift & self._all

    def at(self, packed: int, n: int) -> int:
        """How many samples of n people a packed polynomial stands for."""
        return packed >> self._stride * n & self._coefficient

    def coefficients(self, packed: int) -> list[int]:
        """How many samples of 0, 1, ..., n_max people it stands for."""
        width = self._width
        held = packed.to_bytes(width * (self.n_max + 1), "little")
        return [
            int.from_bytes(held[place : place + width], "little")
            for place in range(0, len(held), width)
        ]

    def share(self, packed: int, n: int) -> float:
        """The same as a share of all samples of n people."""
        return self.at(packed, n) / self.totals[n]

    def widest(self, packed: int) -> int:
        """The size of sample at which the share is largest."""
        found = self.coefficients(packed)
        shares = [ways / total for ways, total in zip(found, self.totals, strict=True)]
        return shares.index(max(shares))

    def _binomial(self, people: int) -> int:
        if people not in self._free:
            self._make_room(self._free)
            self._free[people] = self._pack_factor((people, 0, people))
        return self._free[people]

    def _power(self, factor: Factor, times: int) -> int:
        """A factor to a power, without its lowest power of x, which `product` sees to."""
        key = factor, times
        if key not in self._powers:
            self._make_room(self._powers)
            if times == 1:
                self._powers[key] = self._pack_factor(factor)
            else:
                half = times // 2
                both = self._power(factor, half) * self._power(factor, times - half)
                self._powers[key] = both & self._all
        return self._powers[key]

    def _make_room(self, kept: dict[Any, int]) -> None:
        if len(kept) * self.n_bytes > MOST_BYTES:
            kept.clear()

    def _pack_factor(self, factor: Factor) -> int:
        people, low, high = factor
        ways = _binomials(people, low, min(high, self.n_max))
        return int.from_bytes(
            b"".join(one.to_bytes(self._width, "little") for one in ways), "little"
        )


def check_long(people: int, n_max: int) -> None:
    """Refuse samples so large that to count them would take minutes and gigabytes."""
    if _n_bytes(people, n_max) <= LARGEST:
        return
    low, high = 0, n_max
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _n_bytes(people, middle) <= LARGEST else (low, middle)
    raise SettingsError(
        f"Samples of up to {n_max:,} of so many people are too large to be split into boxes, which"
        f" this release needs. Ask for at most {_round_down(low):,} known people."
    )


def _round_down(number: int) -> int:
    """Two leading digits: the limit does not tell how many people there are."""
    step = int(10 ** max(0, len(f"{number}") - 2))
    return number // step * step


def _n_bytes(people: int, n_max: int) -> float:
    """About the bytes of a polynomial, by the length of its largest coefficient."""
    n = min(n_max, people // 2)
    if people > 1e6 * max(n, 1):  # log-gamma of so many people would lose all its digits
        bits = n * log(people, 2)
    else:
        bits = (lgamma(people + 1) - lgamma(n + 1) - lgamma(people - n + 1)) / log(2)
    return (bits / 8 + 1) * (n_max + 1)


def _binomials(people: int, first: int, last: int) -> list[int]:
    """C(people, k) for k = first..last, each from the one before."""
    start = comb(people, first)
    steps = range(first, last)
    found = accumulate(steps, lambda ways, k: ways * (people - k) // (k + 1), initial=start)
    return list(found)


# Which samples are a risk, asked of levels of knowledge instead of single people.
#
# A level is a count of known people at which something may change: with a network only "all of
# the cell" matters, elsewhere every count does. What is known is written as bits, one for each
# level of each cell that is reached, so that "at least as much is known" is "has these bits too".


Event = tuple[int, ...]


@dataclass(frozen=True)
class KnowledgePiece:
    """A cell of which more or less may be known, and where its levels stand among the bits."""

    cell: int
    people: int  # who may be sampled
    steps: Sequence[int]  # sampled people from which on each level above the lowest is reached
    offset: int

    def bits(self, level: int) -> int:
        """The bits of everything up to a level."""
        return (1 << level) - 1 << self.offset

    @property
    def n(self) -> int:
        """How many levels there are above the lowest."""
        return len(self.steps)

    @property
    def all_bits(self) -> int:
        """The bits of all levels."""
        return (1 << len(self.steps)) - 1 << self.offset

    def find_level(self, sampled: int) -> int:
        """The level that so many sampled people reach."""
        return bisect_right(self.steps, sampled)

    def level(self, bits: int) -> int:
        """The level that is reached."""
        return (bits >> self.offset & (1 << len(self.steps)) - 1).bit_length()

    def fewest(self, level: int) -> int:
        """The fewest sampled people that reach a level."""
        return self.steps[level - 1] if level else 0

    def factor(self, low: int, high: int) -> Factor:
        """What the weight of a box needs of this cell."""
        most = self.steps[high] - 1 if high < len(self.steps) else self.people
        return self.people, self.fewest(low), most


class Risk:
    """Whether known people recover every cell of some event, and which of them are enough to.

    Of samples of at most `n_max` people no cell has more, so that there are no levels beyond.
    With a network the bit of a cell is its own number, so that bits are the cells that are full.
    """

    until: float | None = None
    """When to stop: questions asked later raise `OutOfTime`."""

    def __init__(
        self,
        system: System,
        *,
        events: Sequence[Sequence[int]] | None = None,
        chance: Sequence[int] | None = None,
        oracle: AnyOracle | None = None,
        n_max: int | None = None,
    ) -> None:
        self.system = system
        self.oracle = oracle_of(system) if oracle is None else oracle
        self.events = _events(system, events)
        self.chance = system.counts if chance is None else tuple(chance)
        self.people = sum(self.chance)
        self.pieces = _make_pieces(self, self.people if n_max is None else n_max)
        self.top = _union(piece.all_bits for piece in self.pieces)
        self._offsets = [piece.offset for piece in self.pieces]
        self._piece_of = {piece.cell: piece for piece in self.pieces}
        self._full = _union(1 << cell for cell, count in enumerate(system.counts) if not count)
        self._cells = tuple(sorted({cell for event in self.events for cell in event}))

    def is_risky(self, bits: int) -> bool:
        """Whether some event is recovered by whoever is known at these levels."""
        return self._happening(bits) is not None

    def bits_of(self, sample: Mapping[int, int]) -> int:
        """The levels that a sample reaches: the people drawn of each cell that has any."""
        found = 0
        for cell, sampled in sample.items():
            piece = self._piece_of.get(cell)
            if piece is not None:
                found |= piece.bits(piece.find_level(sampled))
        return found

    def core(self, bits: int) -> int | None:
        """A small part of a risky set of levels that is still risky; None where none is.

        It is a smallest one for some event: without any of its levels that event is not recovered.
        """
        event = self._happening(bits)
        if event is None:
            return None
        kept = self._blocking(event, bits) & bits
        for piece in sorted(self.list_pieces(kept), key=lambda piece: (-piece.people, piece.cell)):
            level = piece.level(kept)
            others = kept & ~piece.bits(level)
            kept = others | piece.bits(self._least_level(event, piece, others, level))
        return kept

    def alone(self) -> list[int]:
        """Cores of one cell that a network shows at a glance: cells at their own upper limit."""
        if isinstance(self.oracle, ProgrammeOracle):
            return []
        arcs, single = self.oracle.cells, {event[0] for event in self.events if len(event) == 1}
        return [k.all_bits for k in self.pieces if k.cell in single and not arcs[k.cell].rises]

    def factors(self, low: int, high: int) -> list[Factor]:
        """What the weight of all samples between two sets of levels is a product of."""
        turned = list(self.list_pieces(low | self.top & ~high))
        free = self.people - sum(piece.people for piece in turned)
        made = [piece.factor(piece.level(low), piece.level(high)) for piece in turned]
        return [*made, (free, 0, free)]

    def list_pieces(self, bits: int) -> Iterator[KnowledgePiece]:
        """The cells that have one of these bits."""
        while bits:
            piece = self.pieces[bisect_right(self._offsets, bits.bit_length() - 1) - 1]
            bits &= ~piece.all_bits
            yield piece

    def _at_least(self, bits: int) -> list[int]:
        """The people known in each cell when these levels are just reached."""
        known = [0] * len(self.system.counts)
        for piece in self.list_pieces(bits):
            known[piece.cell] = piece.fewest(piece.level(bits))
        return known

    def _least_level(self, event: Event, piece: KnowledgePiece, others: int, level: int) -> int:
        """The lowest level of one cell that is risky beside what else is known, by halving."""
        low, high = 0, level
        while low < high:
            middle = (low + high) // 2
            if self._happens(event, others | piece.bits(middle)):
                high = middle
            else:
                low = middle + 1
        return low

    def _happening(self, bits: int) -> Event | None:
        """An event all of whose cells are recovered; None where there is none."""
        if isinstance(self.oracle, ProgrammeOracle):
            return next((event for event in self.events if self._happens(event, bits)), None)
        self._check_time()
        found = self.oracle.find_recovered(bits | self._full, self._cells)
        if not found:
            return None
        return next((e for e in self.events if all(found >> cell & 1 for cell in e)), None)

    def _happens(self, event: Event, bits: int) -> bool:
        """Whether every cell of one event is recovered."""
        self._check_time()
        if isinstance(self.oracle, ProgrammeOracle):
            return self.oracle.can_recover_all(self._at_least(bits), event)
        found = self.oracle.find_recovered(bits | self._full, event)
        return all(found >> cell & 1 for cell in event)

    def _check_time(self) -> None:
        if self.until is not None and time.monotonic() >= self.until:
            raise OutOfTime

    def _blocking(self, event: Event, bits: int) -> int:
        """Levels that are enough for an event: the cells that block every way to raise its own."""
        if isinstance(self.oracle, ProgrammeOracle):
            return self.top
        full = bits | self._full
        return _union(self.oracle.blocking(cell, full) for cell in event)


def _union(bits: Iterable[int]) -> int:
    return reduce(or_, bits, 0)


def _events(system: System, given: Sequence[Sequence[int]] | None) -> tuple[Event, ...]:
    """The events that are a disclosure: not those of impossible cells alone."""
    if given is None:
        given = [(cell,) for cell in range(len(system.counts))]
    return tuple(tuple(event) for event in given if not system.structural.issuperset(event))


def _make_pieces(risk: Risk, n_max: int) -> tuple[KnowledgePiece, ...]:
    made, offset = [], 0
    by_fullness = isinstance(risk.oracle, Network)
    rows = zip(risk.system.counts, risk.chance, strict=True)
    for cell, (count, people) in enumerate(rows):
        if not people or (by_fullness and people < count):
            continue  # nobody to sample, or too few to ever matter
        every = range(1, min(people, n_max) + 1)
        steps: Sequence[int] = (people,) if by_fullness else every
        if not steps:
            continue
        made.append(KnowledgePiece(cell, people, steps, cell if by_fullness else offset))
        offset += len(steps)
    return tuple(made)
