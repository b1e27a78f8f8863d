"""HiGHS on the open figures of a system: the most that one of them, or a sum of them, can be."""

import math
import time
from typing import Any, NamedTuple

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.tables.system import TOLERANCE, System, Truths, refuse_contradiction

OPTIMAL, INFEASIBLE, UNBOUNDED = 0, 2, 3  # what scipy says


class Extreme(NamedTuple):
    """A bound of all that fits, figures that fit, and the weights of equations that prove it."""

    bound: float
    figures: Floats | None
    weights: Floats


class Programme:
    """The chosen figures and equations; with fewer equations bounds are wider, never wrong."""

    until = math.inf  # when integer programmes must have ended, by the monotonic clock

    def __init__(
        self, system: System, chosen: Truths | None = None, rows: Ints | None = None
    ) -> None:
        is_chosen = system.is_open if chosen is None else chosen
        self.is_whole, self.index = system.is_whole, np.flatnonzero(is_chosen)
        self.place = np.full(system.size, -1)
        self.place[self.index] = np.arange(len(self.index))
        self.lower, self.upper = system.lower[self.index], system.upper[self.index]
        parts = system.matrix if rows is None else system.matrix[rows]
        known = np.where(is_chosen, 0.0, system.lower)
        right, parts = -(parts @ known), parts[:, self.index]
        holds = np.diff(parts.indptr) > 0
        self.matrix, self.right = parts[holds], right[holds]
        self.transposed = self.matrix.T.tocsr()

    def most(
        self,
        cost: Floats,
        *,
        lower: Floats | None = None,
        upper: Floats | None = None,
        whole: bool | None = None,
    ) -> Extreme:
        """The most that a weighted sum of the chosen figures can be."""
        lower = self.lower if lower is None else lower
        upper = self.upper if upper is None else upper
        extreme = self._relaxed(cost, lower, upper)
        whole = self.is_whole if whole is None else whole
        if not whole or not math.isfinite(extreme.bound) or extreme.figures is None:
            return extreme
        bound, figures = math.floor(extreme.bound + TOLERANCE), np.round(extreme.figures)
        is_whole = np.abs(extreme.figures - figures).max(initial=0.0) < TOLERANCE
        if is_whole and cost @ figures >= bound - TOLERANCE:
            return Extreme(bound, figures, extreme.weights)
        return self._whole(cost, lower, upper, bound, extreme.weights)

    def unit(self, figure: int, sign: float = 1.0) -> Floats:
        """The cost that asks for one figure alone."""
        cost = np.zeros(len(self.index))
        cost[self.place[figure]] = sign
        return cost

    def _relaxed(self, cost: Floats, lower: Floats, upper: Floats) -> Extreme:
        from scipy.optimize import linprog

        if not self.matrix.shape[0]:
            figures = np.where(cost > 0, upper, lower)
            bound = float((cost * np.where(cost != 0, figures, 0.0)).sum())
            return Extreme(bound, figures if math.isfinite(bound) else None, np.zeros(0))
        result: Any = linprog(
            -cost, A_eq=self.matrix, b_eq=self.right, bounds=np.column_stack([lower, upper]),
            method="highs-ds",
        )  # fmt: skip
        if result.status == UNBOUNDED:
            return Extreme(math.inf, None, np.zeros(len(self.right)))
        if result.status == INFEASIBLE:
            refuse_contradiction()
        is_solved = result.status == OPTIMAL
        weights = -result.eqlin.marginals if is_solved else np.zeros(len(self.right))
        bound = self._proven(cost, lower, upper, weights)
        return Extreme(bound, result.x if is_solved else None, weights)

    def _proven(self, cost: Floats, lower: Floats, upper: Floats, weights: Floats) -> float:
        """Weak duality: any weights of the equations give a bound, whatever the solver says."""
        weights = np.round(weights, 9)
        reduced = np.round(cost - self.transposed @ weights, 9)
        best = np.where(reduced > 0, upper, np.where(reduced < 0, lower, 0.0))
        if not np.isfinite(best).all():
            return math.inf
        return float(weights @ self.right + reduced @ best)

    def _whole(
        self, cost: Floats, lower: Floats, upper: Floats, bound: float, weights: Floats
    ) -> Extreme:
        from scipy.optimize import Bounds, LinearConstraint, milp

        result: Any = milp(
            -cost, constraints=LinearConstraint(self.matrix, self.right, self.right),
            bounds=Bounds(lower, upper), integrality=np.ones(len(cost)),
            options={"time_limit": max(min(self.until - time.monotonic(), 1e6), 0.1)},
        )  # fmt: skip
        if result.status == INFEASIBLE:
            return Extreme(-math.inf, None, weights)
        if result.mip_dual_bound is not None and math.isfinite(result.mip_dual_bound):
            bound = min(bound, math.floor(-result.mip_dual_bound + TOLERANCE))
        return Extreme(bound, None if result.x is None else np.round(result.x), weights)
