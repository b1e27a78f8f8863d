"""Which samples are a risk, asked of levels of knowledge instead of single people.

A level is a count of known people at which something may change: with a network only "all of the
cell" matters, elsewhere every count does. What is known is written as bits, one for each level of
each cell that is reached, so that "at least as much is known" is "has these bits too".
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from unveil.errors import InternalError
from unveil.measure.tables.facts import System
from unveil.measure.tables.oracle import AnyOracle, ProgrammeOracle, oracle_of
from unveil.measure.tables.programme import OutOfTime
from unveil.measure.tables.weights import Factor

Event = tuple[int, ...]


@dataclass(frozen=True)
class Knob:
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

    def reached(self, sampled: int) -> int:
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
        at_least: Sequence[int] | None = None,
        chance: Sequence[int] | None = None,
        oracle: AnyOracle | None = None,
        n_max: int | None = None,
    ) -> None:
        self.system = system
        self.oracle = oracle_of(system) if oracle is None else oracle
        self.events = _events(system, events)
        self.known = tuple(at_least) if at_least is not None else (0,) * len(system.counts)
        self.chance = _chance(system.counts, self.known, chance)
        self.people = sum(self.chance)
        self.knobs = _knobs(self, self.people if n_max is None else n_max)
        self.top = _union(knob.all_bits for knob in self.knobs)
        self._offsets = [knob.offset for knob in self.knobs]
        self._knob_of = {knob.cell: knob for knob in self.knobs}
        pairs = enumerate(zip(system.counts, self.known, strict=True))
        self._full = _union(1 << cell for cell, (count, own) in pairs if own == count)
        self._cells = tuple(sorted({cell for event in self.events for cell in event}))

    def is_risky(self, bits: int) -> bool:
        """Whether some event is recovered by whoever is known at these levels."""
        return self._happening(bits) is not None

    def bits_of(self, sample: Mapping[int, int]) -> int:
        """The levels that a sample reaches: the people drawn of each cell that has any."""
        found = 0
        for cell, sampled in sample.items():
            knob = self._knob_of.get(cell)
            if knob is not None:
                found |= knob.bits(knob.reached(sampled))
        return found

    def core(self, bits: int) -> int | None:
        """A small part of a risky set of levels that is still risky; None where none is.

        It is a smallest one for some event: without any of its levels that event is not recovered.
        """
        event = self._happening(bits)
        if event is None:
            return None
        kept = self._blocking(event, bits) & bits
        for knob in sorted(self.turned(kept), key=lambda knob: (-knob.people, knob.cell)):
            level = knob.level(kept)
            others = kept & ~knob.bits(level)
            kept = others | knob.bits(self._least_level(event, knob, others, level))
        return kept

    def alone(self) -> list[int]:
        """Cores of one cell that a network shows at a glance: cells at their own upper limit."""
        if isinstance(self.oracle, ProgrammeOracle):
            return []
        arcs, single = (
            self.oracle.network.cells,
            {event[0] for event in self.events if len(event) == 1},
        )
        return [k.all_bits for k in self.knobs if k.cell in single and not arcs[k.cell].rises]

    def factors(self, low: int, high: int) -> list[Factor]:
        """What the weight of all samples between two sets of levels is a product of."""
        turned = list(self.turned(low | self.top & ~high))
        free = self.people - sum(knob.people for knob in turned)
        made = [knob.factor(knob.level(low), knob.level(high)) for knob in turned]
        return [*made, (free, 0, free)]

    def turned(self, bits: int) -> Iterator[Knob]:
        """The cells that have one of these bits."""
        while bits:
            knob = self.knobs[bisect_right(self._offsets, bits.bit_length() - 1) - 1]
            bits &= ~knob.all_bits
            yield knob

    def _at_least(self, bits: int) -> list[int]:
        """The people known in each cell when these levels are just reached."""
        known = [*self.known]
        for knob in self.turned(bits):
            known[knob.cell] += knob.fewest(knob.level(bits))
        return known

    def _least_level(self, event: Event, knob: Knob, others: int, level: int) -> int:
        """The lowest level of one cell that is risky beside what else is known, by halving."""
        low, high = 0, level
        while low < high:
            middle = (low + high) // 2
            if self._happens(event, others | knob.bits(middle)):
                high = middle
            else:
                low = middle + 1
        return low

    def _happening(self, bits: int) -> Event | None:
        """An event all of whose cells are recovered; None where there is none."""
        if isinstance(self.oracle, ProgrammeOracle):
            return next((event for event in self.events if self._happens(event, bits)), None)
        self._check_time()
        found = self.oracle.network.recovered(bits | self._full, self._cells)
        if not found:
            return None
        return next((e for e in self.events if all(found >> cell & 1 for cell in e)), None)

    def _happens(self, event: Event, bits: int) -> bool:
        """Whether every cell of one event is recovered."""
        self._check_time()
        if isinstance(self.oracle, ProgrammeOracle):
            return self.oracle.recovers_all(self._at_least(bits), event)
        found = self.oracle.network.recovered(bits | self._full, event)
        return all(found >> cell & 1 for cell in event)

    def _check_time(self) -> None:
        if self.until is not None and time.monotonic() >= self.until:
            raise OutOfTime

    def _blocking(self, event: Event, bits: int) -> int:
        """Levels that are enough for an event: the cells that block every way to raise its own."""
        if isinstance(self.oracle, ProgrammeOracle):
            return self.top
        full = bits | self._full
        return _union(self.oracle.network.blocking(cell, full) for cell in event)


def _union(bits: Iterable[int]) -> int:
    return reduce(or_, bits, 0)


def _events(system: System, given: Sequence[Sequence[int]] | None) -> tuple[Event, ...]:
    """The events that are a disclosure: not those of impossible cells alone."""
    if given is None:
        given = [(cell,) for cell in range(len(system.counts))]
    return tuple(tuple(event) for event in given if not system.structural.issuperset(event))


def _chance(
    counts: Sequence[int], known: Sequence[int], given: Sequence[int] | None
) -> tuple[int, ...]:
    left = tuple(count - own for count, own in zip(counts, known, strict=True))
    chance = left if given is None else tuple(given)
    if any(own < 0 for own in (*left, *chance)) or any(map(int.__gt__, chance, left)):
        raise InternalError("More people are known or sampled than a cell has.")
    return chance


def _knobs(risk: Risk, n_max: int) -> tuple[Knob, ...]:
    made, offset = [], 0
    rows = zip(risk.system.counts, risk.known, risk.chance, strict=True)
    for cell, (count, known, people) in enumerate(rows):
        if not people or (risk.oracle.by_fullness and known + people < count):
            continue  # nobody to sample, or too few to ever matter
        every = range(1, min(people, n_max) + 1)
        steps: Sequence[int] = (people,) if risk.oracle.by_fullness else every
        if not steps:
            continue
        made.append(Knob(cell, people, steps, cell if risk.oracle.by_fullness else offset))
        offset += len(steps)
    return tuple(made)
