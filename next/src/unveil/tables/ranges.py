"""The tightest bounds of figures: what a reader works out from all that is published."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.tables.programme import Programme
from unveil.tables.system import TOLERANCE, System, Truths, components, propagate

SWEEPS = 20
ALIKE = 1e-6


@dataclass(frozen=True, eq=False)
class Ranges:
    """Proven bounds of the asked figures, and the least and most that figures that fit have."""

    figures: Ints
    lower: Floats
    upper: Floats
    low: Floats
    high: Floats

    @property
    def is_tight(self) -> Truths:
        """Where both bounds are attained."""
        return same(self.low, self.lower) & same(self.high, self.upper)

    @property
    def is_known(self) -> Truths:
        return same(self.lower, self.upper)


def same(a: Floats, b: Floats) -> Truths:
    finite = np.where(np.isinf(b), 0.0, b)
    near = np.abs(np.where(np.isinf(a), 0.0, a) - finite) <= ALIKE * (1 + np.abs(finite))
    return np.asarray(near & (np.isinf(a) == np.isinf(b)))


def tighten(
    system: System,
    figures: Ints | None = None,
    *,
    need_low: Floats | float = -np.inf,
    need_high: Floats | float = np.inf,
    seconds: float = np.inf,
) -> Ranges:
    """Bounds of the figures (by default the cells), from one equation at a time and then by HiGHS.

    All figures of each solution can have the value there, so that few are asked one by one. One
    that can be as low and as high as it needs to be is not asked further.
    """
    figures = np.arange(system.n_cells) if figures is None else figures
    search = _Search(propagate(system), figures, need_low, need_high, time.monotonic() + seconds)
    label = components(search.system)
    is_asked = np.zeros(system.size, bool)
    is_asked[figures] = True
    for number in np.unique(label[is_asked & (label >= 0)]):
        search.settle(label == number, np.flatnonzero(is_asked & (label == number)))
    lower, upper, low, high = (
        bound[figures] + 0.0 for bound in (search.lower, search.upper, search.low, search.high)
    )
    return Ranges(figures, lower, upper, low, high)


class _Search:
    """Bounds of a system that get tighter with each answer."""

    def __init__(
        self, system: System, figures: Ints, need_low: Floats | float, need_high: Floats | float,
        until: float,
    ) -> None:  # fmt: skip
        self.system, self.until = system, until
        self.lower, self.upper = system.lower.copy(), system.upper.copy()
        truth = np.full(system.size, np.nan) if system.truth is None else system.truth
        self.low = np.where(np.isnan(truth), np.inf, truth)
        self.high = np.where(np.isnan(truth), -np.inf, truth)
        known = ~system.is_open
        self.low[known] = self.high[known] = self.lower[known]
        self.need_low, self.need_high = np.full((2, system.size), [[-np.inf], [np.inf]])
        self.need_low[figures], self.need_high[figures] = need_low, need_high

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.until

    def settle(self, chosen: Truths, asked: Ints) -> None:
        programme = Programme(self.system, chosen)
        programme.until = self.until
        for sign in (1, -1):
            self._sweep(programme, asked, sign)
            for figure in asked:
                if self.is_late:
                    return
                if self._is_asked(figure, sign):
                    self._ask(programme, int(figure), sign)

    def _is_asked(self, figures: Ints, sign: int) -> Truths:
        if sign > 0:
            most = np.minimum(self.upper[figures], self.need_high[figures])
            return np.asarray(self.high[figures] < most - TOLERANCE)
        least = np.maximum(self.lower[figures], self.need_low[figures])
        return np.asarray(self.low[figures] > least + TOLERANCE)

    def _sweep(self, programme: Programme, asked: Ints, sign: int) -> None:
        """Push all figures at once, no further than is needed, as long as that settles many."""
        index = programme.index
        lower = np.minimum(np.maximum(programme.lower, self.need_low[index]), self.low[index])
        upper = np.maximum(np.minimum(programme.upper, self.need_high[index]), self.high[index])
        for _ in range(SWEEPS):
            still = asked[self._is_asked(asked, sign)]
            places = programme.place[still]
            if len(still) < 4 or self.is_late or (sign > 0 and np.isinf(upper[places]).any()):
                return
            cost = np.zeros(len(index))
            cost[places] = sign
            self._learn(
                programme, programme.most(cost, lower=lower, upper=upper, whole=False).figures
            )
            if self._is_asked(still, sign).mean() > 0.9:
                return

    def _ask(self, programme: Programme, figure: int, sign: int) -> None:
        extreme = programme.most(programme.unit(figure, sign))
        if sign > 0:
            self.upper[figure] = min(self.upper[figure], extreme.bound)
        else:
            self.lower[figure] = max(self.lower[figure], -extreme.bound)
        if np.isinf(extreme.bound):
            self.high[figure] = np.inf
        self._learn(programme, extreme.figures)

    def _learn(self, programme: Programme, figures: Floats | None) -> None:
        """Figures that fit: each can have its value there."""
        if figures is None:
            return
        if self.system.is_whole:
            rounded = np.round(figures)
            if np.abs(figures - rounded).max(initial=0) > TOLERANCE:
                return
            if np.abs(programme.matrix @ rounded - programme.right).max(initial=0) > 0.5:
                return
            figures = rounded
        index = programme.index
        self.low[index] = np.minimum(self.low[index], figures)
        self.high[index] = np.maximum(self.high[index], figures)


def known_nearby(
    system: System, figures: Ints, *, most: int = 400, seconds: float = np.inf
) -> tuple[dict[int, float], int]:
    """Figures with one value only, by the equations around them, and how many were asked.

    For systems too large to be asked as a whole: what is found is proven, what is not may be known.
    """
    until, known, n_asked = time.monotonic() + seconds, dict[int, float](), 0
    for asked, chosen, rows in _neighbourhoods(system, figures, most):
        if time.monotonic() > until:
            break
        n_asked += len(asked)
        around = Programme(system, chosen, rows)
        cost = np.zeros(len(around.index))
        cost[around.place[asked]] = 1.0
        one, other = (around.most(sign * cost, whole=False).figures for sign in (1, -1))
        moves = np.zeros(len(around.index), bool)
        if one is not None and other is not None:  # where two whole numbers lie between
            high, low = np.maximum(one, other), np.minimum(one, other)
            moves = np.floor(high + TOLERANCE) > np.ceil(low - TOLERANCE)
        for figure in asked[~moves[around.place[asked]]].tolist():
            highest = np.floor(around.most(around.unit(figure), whole=False).bound + TOLERANCE)
            least = -around.most(around.unit(figure, -1.0), whole=False).bound
            if highest <= np.ceil(least - TOLERANCE):
                known[figure] = float(highest)
    return known, n_asked


def _neighbourhoods(
    system: System, figures: Ints, most: int
) -> Iterator[tuple[Ints, Truths, Ints]]:
    """The asked figures, those around them, and the equations between; some are asked together."""
    by_row, by_figure = system.matrix.tocsr(), system.matrix.tocsc()
    left = dict.fromkeys(figures.tolist())
    while left:
        start = next(iter(left))
        inside, rows, edge = {start}, set[int](), [start]
        while edge and len(inside) < most:
            figure = edge.pop(0)
            ends = by_figure.indptr[figure : figure + 2]
            for row in by_figure.indices[slice(*ends)].tolist():
                if row not in rows:
                    rows.add(row)
                    members = by_row.indices[slice(*by_row.indptr[row : row + 2])]
                    new = [f for f in members[system.is_open[members]].tolist() if f not in inside]
                    inside.update(new)
                    edge += new
        whole = inside - set(edge)  # all their equations are used
        asked = [figure for figure in left if figure in whole or figure == start]
        chosen = np.zeros(system.size, bool)
        chosen[list(inside)] = True
        yield np.array(asked), chosen, np.array(sorted(rows), np.int64)
        for figure in asked:
            del left[figure]
