"""Which samples of known people are a risk, and how likely is such a sample?

Of N people n are known, drawn at random: s_i of the c_i in cell i. Cell i is a recovered zero where
s_i = c_i and no table that fits what is published and holds the sample has more there (Smith and
Elliot 2008, section 2.3). Erratum: the general formula takes the bounds of the published table; as
their section 2.3.2 needs, those here are of published table and sample.

Probabilities are polynomials in y: y^k is the chance C(N-k, n-k) / C(N, n) that k given people are
all known. (Erratum: printed with denominator C(N, x).) A full cell is y^c, one that is not is
1 - y^c, one of which nothing is asked is 1, and people apart multiply: the inclusion and exclusion
of section 2.3.1 without its 2^k terms. (Erratum: its outer sum ends at the number of cells, not n.)
"""

import heapq
import itertools
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.counts.cells import Floats, Ints
from unveil.tables.programme import Extreme, Programme
from unveil.tables.system import System, Truths, components, has_whole_vertices, propagate

Polynomial = NDArray[Any]
"""Whole numbers of any length, by the power of y."""

Event = tuple[int, ...]
"""Cells that are a risk when all of them are recovered."""

MOST_BOXES = 20_000


class Curve(NamedTuple):
    """Certified bounds of SAP(0), SAP(1), ...; equal where the search was complete."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper


class Risk:
    """What makes samples of a table a risk: its system, its true counts and its events."""

    def __init__(
        self, system: System, events: Sequence[Event], chance: Ints | None = None, last: int = 0
    ) -> None:
        """`chance`: how many people of each cell may become known, by default all."""
        assert system.truth is not None
        self.system = propagate(system)
        self.counts = np.round(system.truth[: system.n_cells]).astype(np.int64)
        self.chance = self.counts if chance is None else chance
        self.people = int(self.chance.sum())
        self.last = min(last, self.people)
        self.has_unit_steps = has_whole_vertices(system)
        self.questions = [
            Question(self, own, figures) for own, figures in self._apart(self._in_reach(events))
        ]

    def _in_reach(self, events: Sequence[Event]) -> list[Event]:
        """Events of which all people can become known."""
        is_whole = self.chance == self.counts
        return [
            event for event in events
            if is_whole[[*event]].all() and self.chance[[*event]].sum() <= self.last
        ]  # fmt: skip

    def _apart(self, events: Sequence[Event]) -> Iterator[tuple[list[Event], Truths]]:
        """Events and open figures in groups that share nothing: their polynomials multiply."""
        label = components(self.system)
        names = np.unique(label[label >= 0], return_inverse=True)[0]
        parent = {int(name): int(name) for name in names}
        first = max(parent, default=-1) + 1
        parent |= {number: number for number in range(first, first + len(events))}

        def root(node: int) -> int:
            while parent[node] != node:
                parent[node] = node = parent[parent[node]]
            return node

        by_cell: dict[int, int] = {}
        for number, event in enumerate(events, first):
            for cell in event:
                is_open = label[cell] >= 0
                other = int(label[cell]) if is_open else by_cell.setdefault(cell, number)
                parent[root(other)] = root(number)
        groups: dict[int, list[Event]] = {}
        for number, event in enumerate(events, first):
            groups.setdefault(root(number), []).append(event)
        members: dict[int, list[int]] = {}
        for name in names.tolist():
            members.setdefault(root(name), []).append(name)
        for group, own in groups.items():
            yield own, np.isin(label, members.get(group, []))

    def curve(self, *, until: float = np.inf, boxes: int = MOST_BOXES) -> Curve:
        """SAP(0) to SAP(last); after so many boxes, or so late, with bounds."""
        least = most = one(self.last)
        for question in self.questions:
            safe, safe_or_open, used = question.split(boxes, until)
            least, most, boxes = multiply(least, safe), multiply(most, safe_or_open), boxes - used
        return Curve(self._chances(most), self._chances(least))

    def _chances(self, safe: Polynomial) -> tuple[Fraction, ...]:
        """1 - P(safe) for n from 0: the sum over k of g_k C(N-k, n-k) / C(N, n)."""
        N, last, place = self.people, self.last, np.arange(self.last + 1).astype(object)
        risks, ways = [], np.zeros(last + 1, object)
        for n in range(last + 1):
            if n:
                ways[:n] = ways[:n] * (N - n + 1) // (n - place[:n])
            ways[n] = 1
            risks.append(1 - Fraction(int((safe[: n + 1] * ways[: n + 1]).sum()), comb(N, n)))
        return tuple(risks)

    def draw(self, draws: int, rng: np.random.Generator, until: float) -> tuple[float, ...]:
        """SAP by chance: people become known one by one, and each order has a first risky n.

        Nothing, where there is no time for any order.
        """
        owners, firsts = np.repeat(np.arange(len(self.chance)), self.chance), list[int]()
        for question in self.questions:
            question.until = until
        for _ in range(draws):
            order = rng.permutation(owners)
            try:
                firsts.append(self._first_risky(order))
            except TimeoutError:
                break
        return tuple(float(np.mean(np.array(firsts) <= n)) for n in range(self.last + 1) if firsts)

    def _first_risky(self, order: Ints) -> int:
        """How many of an order must be known, by halving."""
        low, high = 0, self.last + 1
        while low < high:
            n = (low + high) // 2
            known = np.bincount(order[:n], minlength=len(self.chance))
            if any(question.is_risky(known) for question in self.questions):
                high = n
            else:
                low = n + 1
        return low


class Question:
    """Which samples are a risk, among cells that hang together.

    Risky samples stay risky when people are added, so boxes low <= s <= high are split: all of a
    box is a risk where low is one, none of it where high is none. Where tables differ by moves of
    one (`has_whole_vertices`) it only matters which cells are full, and a cell has two levels, not
    full (0) and full (1).
    """

    def __init__(self, risk: Risk, events: Sequence[Event], figures: Truths) -> None:
        system, self.events, self.last = risk.system, events, risk.last
        self.system, self.figures, self.has_unit_steps = system, figures, risk.has_unit_steps
        is_open = np.flatnonzero(figures[: system.n_cells])
        own = {cell for event in events for cell in event}
        self.cells = np.array(sorted(own | {int(i) for i in is_open if risk.chance[i]}), np.int64)
        self.place = {int(cell): place for place, cell in enumerate(self.cells)}
        self.c, self.chance = risk.counts[self.cells], risk.chance[self.cells]
        can_be_full = (self.chance == self.c) & (self.chance > 0)
        self.top = can_be_full.astype(np.int64) if self.has_unit_steps else self.chance
        is_tied = np.isin(self.cells, system.sums.figure[figures[system.sums.figure]])
        self.is_alone = ~is_tied  # no open sum holds these
        self.can_rise = system.upper[self.cells] > self.c
        self.rises_by_itself = self.can_rise & ~self._held()
        self.tables: dict[int, Ints] = {}  # that have more in a cell
        self.until = np.inf

    def _held(self) -> Truths:
        """Cells that nobody can be added to without a change elsewhere: a sum of them is full."""
        system, sums = self.system, self.system.sums
        assert system.truth is not None
        is_part = sums.sign > 0
        whole = np.zeros(sums.n_rows, np.int64)
        whole[sums.row[~is_part]] = sums.figure[~is_part]
        is_full = ~(system.truth[whole] < system.upper[whole])
        held = np.zeros(system.size, bool)
        held[sums.figure[is_part & is_full[sums.row]]] = True
        held[sums.figure[~is_part]] = True
        return held[self.cells]

    @cached_property
    def programme(self) -> Programme:
        return Programme(self.system, self.figures)

    def full(self, levels: Ints) -> Truths:
        return np.asarray((self.c == 0) | (levels == (1 if self.has_unit_steps else self.c)))

    def _solve(self, cost: Floats, lower: Floats) -> Extreme:
        """Refused when it is late, or when no table is known that attains the bound."""
        if time.monotonic() > self.until:
            raise TimeoutError
        self.programme.until = self.until
        extreme = self.programme.most(cost, lower=lower, whole=not self.has_unit_steps)
        if extreme.figures is None and np.isfinite(extreme.bound):
            raise TimeoutError
        return extreme

    def is_risky(self, known: Ints) -> bool:
        """Of people known by cell."""
        own = known[self.cells]
        levels = ((own == self.c) & (self.top > 0)).astype(np.int64) if self.has_unit_steps else own
        return self._core(levels, shrink=False) is not None

    def _recovers(self, levels: Ints, cell: int) -> Ints | None:
        """Levels that suffice to recover the cell, if these do."""
        place = self.place[cell]
        alone = np.zeros_like(levels)
        alone[place] = levels[place]
        if self.rises_by_itself[place]:
            return None
        if self.is_alone[place] or not self.can_rise[place]:
            return None if self.can_rise[place] else alone
        full = self.full(levels)
        floors = np.where(full, self.c, self.c - 1) if self.has_unit_steps else levels
        seen = self.tables.get(cell)
        if seen is not None and (seen >= floors).all(axis=1).any():
            return None
        programme = self.programme
        inside = programme.place[self.cells]
        here = inside >= 0
        lower = programme.lower.copy()
        lower[inside[here]] = np.maximum(lower[inside[here]], floors[here])
        cost = programme.unit(cell)
        extreme = self._solve(cost, lower)
        if extreme.bound > self.c[place] + 0.5:
            if extreme.figures is not None:
                table = self.c.copy()
                table[here] = np.minimum(self.c, np.round(_at(extreme.figures, inside, here)))[here]
                self.tables[cell] = table[None] if seen is None else np.vstack([seen, table])
            return None
        if not self.has_unit_steps:
            return levels.copy()
        # The proof uses the floors that have a reduced cost, and no others.
        reduced = cost - programme.transposed @ extreme.weights
        is_used = np.zeros(len(levels), bool)
        is_used[here] = reduced[inside[here]] < -1e-9
        return np.where(is_used, levels, alone)

    def _core(self, levels: Ints, shrink: bool = True) -> Ints | None:
        """Least levels, within these, that are a risk already; None where these are none."""
        is_full = self.full(levels)
        for event in self.events:
            if all(is_full[self.place[cell]] for cell in event):
                core = self._of_event(levels, event)
                if core is not None:
                    return self._shrink(core, event) if shrink else core
        return None

    def _of_event(self, levels: Ints, event: Event) -> Ints | None:
        joined = np.zeros_like(levels)
        for cell in event:
            core = self._recovers(levels, cell)
            if core is None:
                return None
            joined = np.maximum(joined, core)
        return joined

    def _shrink(self, levels: Ints, event: Event) -> Ints:
        own = {self.place[cell] for cell in event}
        for place in sorted(np.flatnonzero(levels), key=lambda p: -self.c[p]):
            low, high = 0, levels[place] if place not in own else 0
            while low < high:
                trial = levels.copy()
                trial[place] = (low + high) // 2
                smaller = self._of_event(trial, event)
                if smaller is None:
                    low = trial[place] + 1
                else:
                    high, levels = trial[place], np.minimum(smaller, trial)
                    low = min(low, levels[place])
        return levels

    def _polynomial(self, low: Ints, high: Ints) -> Polynomial:
        """The samples of a box."""
        box = one(self.last)
        for c, a, b, top in zip(
            self.chance.tolist(), low.tolist(), high.tolist(), self.top.tolist(), strict=True
        ):
            if a == 0 and b == top:
                continue
            if self.has_unit_steps or (a, b) in ((c, c), (0, c - 1)):
                shifted = np.zeros_like(box)
                shifted[c:] = box[: max(len(box) - c, 0)]
                box = shifted if a else box - shifted
            else:
                box = multiply(box, _between(c, a, b, self.last))
        return box

    def _own_cores(self) -> tuple[list[Ints], Ints]:
        """Events recovered as soon as all their own people are known; the highest levels else."""
        high, cores = self.top.copy(), list[Ints]()
        for event in self.events:
            own, places = np.zeros_like(high), [self.place[cell] for cell in event]
            own[places] = self.top[places]
            if self._of_event(own, event) is not None:
                if not own.any():
                    return [own], high
                cores.append(own)
                if len(event) == 1:
                    high[places] -= 1
        return cores, high

    def split(self, boxes: int, until: float) -> tuple[Polynomial, Polynomial, int]:
        """Samples that are safe for certain, those that may be, and the boxes looked at."""
        self.until = until
        try:
            cores, high = self._own_cores()
        except TimeoutError:
            return one(self.last) * 0, one(self.last), 0
        if cores and not cores[0].any():
            return one(self.last) * 0, one(self.last) * 0, 1
        low = np.zeros_like(self.top)
        safe, used, order = one(self.last) * 0, 0, itertools.count()
        weight = self._polynomial(low, high)
        is_open, queue = weight.copy(), [(0, next(order), low, high, weight)]
        while queue and used < boxes and time.monotonic() < until:
            _, _, low, high, weight = heapq.heappop(queue)
            used, is_open = used + 1, is_open - weight
            within = [core for core in cores if (core <= high).all()]
            if within:
                core = min(within, key=lambda core: int((core > low).sum()))
            else:
                try:
                    found = self._core(high)
                except TimeoutError:
                    is_open = is_open + weight
                    break
                if found is None:
                    safe = safe + weight
                    continue
                core = found
                cores.append(core)
            low = low.copy()
            for place in sorted(np.flatnonzero(core > low), key=lambda p: self.c[p]):
                below = high.copy()
                below[place] = core[place] - 1
                part = self._polynomial(low, below)
                if part.any():
                    is_open = is_open + part
                    lowest = int(np.flatnonzero(part)[0])  # boxes of few known people first
                    heapq.heappush(queue, (lowest, next(order), low.copy(), below, part))
                low[place] = core[place]
        return safe, safe + is_open, used


def _at(values: Any, places: Ints, here: Truths) -> Any:
    return np.where(here, values[np.where(here, places, 0)], 0)


def one(last: int) -> Polynomial:
    polynomial = np.zeros(last + 1, object)
    polynomial[0] = 1
    return polynomial


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    product = a * 0
    for power in np.flatnonzero(b):
        product[power:] += b[power] * a[: len(a) - power]
    return product


def _between(c: int, a: int, b: int, last: int) -> Polynomial:
    """From a to b of the c people of a cell are known."""
    polynomial = one(last) * 0
    for j in range(a, min(c, last) + 1):
        signs = sum((-1) ** (j - k) * comb(j, k) for k in range(a, min(b, j) + 1))
        polynomial[j] = comb(c, j) * signs
    return polynomial
