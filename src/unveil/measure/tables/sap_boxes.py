"""SAP of any release: exact for every n, or between certified bounds when stopped.

Whoever knows more people is no less of a risk, so the risky samples are an up-set, and a box of
samples with a safe top is safe. A box with a risky top holds a smallest risky sample m that fits in
it; everything above m is risky, and what remains falls apart into boxes in each of which one cell
stays below m. What is settled is counted exactly; what is not settled, when the work is stopped,
lies between the lower and the upper bound. (The way to split is that of
Dotson and Gobien (1979) for the reliability of networks.)
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from unveil.measure.tables.flow import Network
from unveil.measure.tables.integer_programme import OutOfTime
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap_events import (
    AnyOracle,
    KnowledgePiece,
    ProgrammeOracle,
    Risk,
    SamplePolynomials,
)
from unveil.study.scenario import Progress, no_progress

MOST_BYTES = 1 << 29
"""Of open boxes: with more the work is stopped, as by nodes or time."""

Box = tuple[float, int, int, int, int]
"""Minus its share, its number, the levels at its bottom and its top, and its weight."""


@dataclass(frozen=True)
class SapBounds:
    """SAP for n = 0, 1, ...: between `lower` and `upper`, which are equal where it is complete."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    complete: bool
    n_nodes: int
    network: bool
    """Whether paths of a network answered; integer programmes did elsewhere."""


def split(
    system: System,
    n_max: int,
    *,
    nodes: int = 20_000,
    seconds: float | None = None,
    events: Sequence[Sequence[int]] | None = None,
    chance: Sequence[int] | None = None,
    oracle: AnyOracle | None = None,
    progress: Progress = no_progress,
) -> SapBounds:
    """SAP for n = 0..n_max people drawn at random, by splitting the samples into boxes.

    Parameters
    ----------
    nodes, seconds
        Stop after so many boxes, or after so long.
    events
        Sets of base cells: a sample is risky where every cell of some set is recovered. Each
        possible cell by itself without them.
    chance
        People of each cell who may be drawn; all without it.
    oracle
        That of the system, where there is one already.
    progress
        Called with what is being done, boxes looked at, and how many may be.

    Notes
    -----
    SAP(n) = sum of prod_i C(c_i, s_i) over risky s of size n, over C(N, n). Where more people are
    asked for than may be drawn, all of them are.
    """
    until = None if seconds is None else time.monotonic() + seconds
    risk = Risk(system, events=events, chance=chance, oracle=oracle, n_max=n_max)
    search = _BoxSearch(risk, SamplePolynomials(risk.people, n_max))
    risk.until = until
    if isinstance(risk.oracle, ProgrammeOracle):
        risk.oracle.until = until
    search.run(nodes, until, progress)
    lower, upper = search.bounds(n_max)
    network = isinstance(risk.oracle, Network)
    return SapBounds(lower, upper, not search.open, search.n_nodes, network)


@dataclass
class _BoxSearch:
    """Boxes still open, the heaviest first, and the weight of what is settled."""

    risk: Risk
    weights: SamplePolynomials
    risky: int = 0
    undecided: int = 0
    n_nodes: int = 0
    open: list[Box] = field(default_factory=list)
    minimal: list[int] = field(default_factory=list)
    _focus: int = 0
    _made: int = 0

    def run(self, nodes: int, until: float | None, progress: Progress) -> None:
        """Split the heaviest box until none is open, or it is time to stop."""
        self._focus = self.weights.n_max // 3
        self._push(0, self.risk.top)
        # A zero that the release itself gives away settles everything; else cores seen at a glance.
        self.minimal = self._find_initial_risk() or self.risk.alone()
        look, most = 1, MOST_BYTES // (self.weights.n_bytes + 1)
        while self.open and self.n_nodes < nodes and len(self.open) <= most:
            if until is not None and time.monotonic() >= until:
                return
            if self.n_nodes % 64 == 0 or self.n_nodes >= look:
                progress(f"splitting the samples{self._so_far()}", self.n_nodes, nodes)
            if self.n_nodes >= look:
                self._refocus()
                look = self.n_nodes + 1 + self.n_nodes // 5
            box = heapq.heappop(self.open)
            try:
                self._settle(box)
            except OutOfTime:
                heapq.heappush(self.open, box)
                return
            self.n_nodes += 1

    def _so_far(self) -> str:
        """The largest n, up to that at which most is undecided, of which something is certain."""
        most = self.risky + self.undecided
        for n in range(self._focus, 0, -1):
            if (share := self.weights.share(most, n)) < 1:
                said = Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(share)
                return f" | SAP({n}) at most {float(said):g} so far"
        return ""

    def _find_initial_risk(self) -> list[int]:
        try:
            return [0] if self.risk.is_risky(0) else []
        except OutOfTime:
            return []

    def bounds(self, n_max: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Certified bounds of SAP for every n; beyond all people they are those of all people."""
        every, totals = self.weights.coefficients, self.weights.totals
        found = [
            [Fraction(ways, all_ways) for ways, all_ways in zip(every(packed), totals, strict=True)]
            for packed in (self.risky, self.risky + self.undecided)
        ]
        lower, upper = (tuple(one + one[-1:] * (n_max + 1 - len(one))) for one in found)
        return lower, upper

    def _settle(self, box: Box) -> None:
        """Find a box safe, or split it around a smallest risky sample in it."""
        _, _, low, high, weight = box
        known = [core for core in self.minimal if not core & ~high]
        core = min(known, key=lambda core: self._size(core & ~low)) if known else None
        if core is None:
            core = self.risk.core(high)
            if core is not None:
                self.minimal.append(core)
        self.undecided -= weight
        if core is not None:
            self._split(low, high, core, known)

    def _split(self, low: int, high: int, core: int, known: Sequence[int]) -> None:
        """Boxes in which one cell stays below the core, and what is above it in all: risky."""
        for piece in self._in_order(core & ~low, known):
            level = piece.level(core)
            below = piece.all_bits & ~piece.bits(level - 1)
            self._push(low, high & ~below)
            low |= piece.bits(level)
        self.risky += self.weights.product(self.risk.factors(low, high))

    def _in_order(self, missing: int, known: Sequence[int]) -> list[KnowledgePiece]:
        """The cells a core has yet to reach: those of many cores first, then the largest."""
        pieces = list(self.risk.list_pieces(missing))
        shared = {
            piece.cell: sum(bool(core & piece.all_bits) for core in known) for piece in pieces
        }
        return sorted(pieces, key=lambda piece: (-shared[piece.cell], -piece.people, piece.cell))

    def _size(self, bits: int) -> int:
        """How many more people a set of levels asks for."""
        return sum(piece.fewest(piece.level(bits)) for piece in self.risk.list_pieces(bits))

    def _push(self, low: int, high: int) -> None:
        weight = self.weights.product(self.risk.factors(low, high))
        if weight:
            self._made += 1
            self.undecided += weight
            share = self.weights.share(weight, self._focus)
            heapq.heappush(self.open, (-share, self._made, low, high, weight))

    def _refocus(self) -> None:
        """Weigh the open boxes by the n at which most is undecided."""
        focus = self.weights.widest(self.undecided)
        if focus != self._focus:
            self._focus = focus
            share = self.weights.share
            self.open = [(-share(box[4], focus), *box[1:]) for box in self.open]
            heapq.heapify(self.open)
