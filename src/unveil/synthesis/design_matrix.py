"""How do models see the columns before a target: as one number each, or as dummies?

Trees get one column of 32-bit numbers for each predictor: numbers by their place among the distinct
values, with missing and special codes below them all; categories by the place of their level in an
order that follows the target, so that one cut can part any number of levels. Regressions get
standardised numbers, a dummy for each level but the first, and one for each state of a number.
Rare levels are seen in pools by both (`pooling`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.synthesis.arrays import under
from unveil.synthesis.column import Part, Values
from unveil.synthesis.pooling import Levels, pool_levels, pool_part

Whole = NDArray[np.int64]

_LARGEST_TABLE = 4_000_000
_POWER_STEPS = 50


@dataclass(frozen=True)
class Predictors:
    """The columns before a target, original or synthetic, and which of their rows take part."""

    parts: tuple[Part, ...]
    n_all: int
    rows: Whole | None = None  # None: all of them

    @property
    def n_rows(self) -> int:
        """Rows that take part."""
        return self.n_all if self.rows is None else len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(part.column.name for part in self.parts)

    def among(self, rows: Whole) -> "Predictors":
        """The same columns in some of the rows that take part, by place."""
        return Predictors(self.parts, self.n_all, rows if self.rows is None else self.rows[rows])

    def taken(self, of_all: NDArray[Any]) -> NDArray[Any]:
        """Those of an array with an entry for every row that take part."""
        return of_all if self.rows is None else of_all[self.rows]


@dataclass(frozen=True)
class TreeCoding:
    """How categories are turned into numbers for the tree of one target, fitted to the original.

    `orders` has an array for each predictor: the place of every level in the order of the target,
    or nothing for a number.
    """

    orders: tuple[NDArray[np.float32] | None, ...]

    @classmethod
    def fitted(cls, predictors: Predictors, values: Values, n_levels: int = 0) -> Self:
        """Levels in the order of a target: of numbers, or of codes where it has levels.

        Notes
        -----
        For numbers, and for the second of two classes, levels are ordered by the target's mean,
        which holds the best cut (Breiman and others 1984, theorem 4.5). For more classes the order
        is that of the first principal component of the levels' class profiles, weighted by their
        size (Coppersmith and others 1999). Levels of one pool share a place; a pool without any
        record is placed as the mean of all.
        """
        kept = [_order(part, predictors, values, n_levels) for part in predictors.parts]
        return cls(tuple(kept))

    def matrix(self, predictors: Predictors) -> NDArray[np.float32]:
        """One column for each predictor, in the order of columns of memory."""
        made = np.empty((predictors.n_rows, len(predictors.parts)), dtype=np.float32, order="F")
        for place, (part, order) in enumerate(zip(predictors.parts, self.orders, strict=True)):
            if order is None:
                made[:, place] = predictors.taken(part.ranks)
            else:
                np.take(order, predictors.taken(part.values), out=made[:, place])
        return made

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {str(place): order for place, order in enumerate(self.orders)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The coding that `to_arrays` wrote."""
        return cls(tuple(arrays[str(place)] for place in range(len(arrays))))


def _order(
    part: Part, predictors: Predictors, values: Values, n_classes: int
) -> NDArray[np.float32] | None:
    if not part.column.is_category:
        return None
    pools = _pools(part, predictors)
    codes, n_levels = pools[predictors.taken(part.values)], int(pools.max(initial=-1)) + 1
    sizes = np.bincount(codes, minlength=n_levels).astype(float)
    if n_classes > 2:
        scores = _first_component(_counts(codes, n_levels, values, n_classes), sizes)
    else:
        sums = np.bincount(codes, values - float(values.mean()) if len(values) else None, n_levels)
        scores = sums / np.maximum(sizes, 1)
    return _places(scores)[pools]


def _pools(part: Part, predictors: Predictors) -> Levels:
    """The pool of each level, by the records that take part."""
    codes = predictors.taken(part.values)
    return pool_levels(np.bincount(codes, minlength=part.column.n_levels))


def _places(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """The place of every level; levels of one score follow one another as in the column.

    No two share a place here: alike in all, they may differ in a part of the rows. Scores are
    compared to nine digits, lest the last bits of a sum decide.
    """
    largest = float(np.abs(scores).max(initial=0))
    rounded = np.round(scores / largest, 9) if largest > 0 else scores
    places = np.empty(len(scores), dtype=np.float32)
    places[np.argsort(rounded, kind="stable")] = np.arange(len(scores))
    return places


def _counts(
    codes: NDArray[np.int32], n_levels: int, classes: Values, n_classes: int
) -> NDArray[np.float64]:
    """Levels by classes; where that is too large, the frequent classes and one for all others."""
    n_kept = max(2, min(n_classes, _LARGEST_TABLE // max(n_levels, 1)))
    if n_kept < n_classes:
        frequent = np.argsort(-np.bincount(classes, minlength=n_classes), kind="stable")
        new = np.full(n_classes, n_kept - 1)
        new[frequent[: n_kept - 1]] = np.arange(n_kept - 1)
        classes = new[classes]
    cells = codes.astype(np.int64) * n_kept + classes
    return np.bincount(cells, minlength=n_levels * n_kept).reshape(n_levels, n_kept).astype(float)


def _first_component(
    counts: NDArray[np.float64], sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each level's score on the first principal component of the class profiles, by size."""
    centred = counts / np.maximum(sizes, 1)[:, None] - counts.sum(axis=0) / max(sizes.sum(), 1)
    centred[sizes == 0] = 0
    direction = centred[np.argmax(sizes * (centred**2).sum(axis=1))].copy()
    for _ in range(_POWER_STEPS):
        along = sizes * np.einsum("lk,k->l", centred, direction)  # not BLAS: threads of its own
        direction = np.einsum("lk,l->k", centred, along)
        length = float(np.linalg.norm(direction))
        if length == 0:
            return np.zeros(len(sizes))
        direction /= length
    scores: NDArray[np.float64] = np.einsum("lk,k->l", centred, direction)
    return scores


@dataclass(frozen=True)
class DummyCoding:
    """How predictors are turned into the columns of a regression, fitted to the original.

    No column of ones: a model adds its own. `centres` and `scales` have an entry for each predictor
    (0 and 1 for a category). `pools` has the pool of each level for categories of which some are
    rare, by their place. Nothing is dropped here for being collinear: a model decides.
    """

    centres: NDArray[np.float64]
    scales: NDArray[np.float64]
    pools: Mapping[int, Levels]

    @classmethod
    def fitted(cls, predictors: Predictors) -> Self:
        """Centre and scale of the plain values of each number, and the pools of categories."""
        both = np.array([_centre_scale(part, predictors) for part in predictors.parts])
        both = both.reshape(-1, 2)
        pools = {
            place: _pools(part, predictors)
            for place, part in enumerate(predictors.parts)
            if part.column.is_category
        }
        joined = {place: of for place, of in pools.items() if of.max(initial=-1) + 1 < len(of)}
        return cls(both[:, 0], both[:, 1], joined)

    def pooled(self, predictors: Predictors) -> Predictors:
        """The same predictors with the pools of their levels in place of these."""
        parts = [
            pool_part(part, self.pools[place]) if place in self.pools else part
            for place, part in enumerate(predictors.parts)
        ]
        return replace(predictors, parts=tuple(parts))

    def labels(self, predictors: Predictors) -> tuple[str, ...]:
        """What each column of the matrix stands for, without a value: income, income state 1."""
        return tuple(label for part in self.pooled(predictors).parts for label in _labels(part))

    def matrix(self, predictors: Predictors) -> NDArray[np.float64]:
        """Rows by dummies; a number without a plain value is 0 and has a dummy for its state."""
        predictors = self.pooled(predictors)
        places = np.cumsum([0, *(part.column.n_dummies for part in predictors.parts)])
        made = np.zeros((predictors.n_rows, int(places[-1])), order="F")
        for place, part in enumerate(predictors.parts):
            block = made[:, places[place] : places[place + 1]]
            self._fill(block, part, predictors, place)
        return made

    def _fill(
        self, block: NDArray[np.float64], part: Part, predictors: Predictors, place: int
    ) -> None:
        everyone = np.arange(predictors.n_rows)
        values = predictors.taken(part.values)
        if part.column.is_category:
            later = values > 0
            block[everyone[later], values[later] - 1] = 1
        elif part.column.kind == "number":
            block[:, 0] = (values - self.centres[place]) / self.scales[place]
            if part.state is not None:
                state = predictors.taken(part.state)
                elsewhere = state > 0
                block[elsewhere, 0] = 0
                block[everyone[elsewhere], state[elsewhere]] = 1

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        pools = {f"pools.{place}": of for place, of in self.pools.items()}
        return {"centres": self.centres, "scales": self.scales, **pools}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The coding that `to_arrays` wrote."""
        pools = {int(place): of for place, of in under("pools", arrays).items()}
        return cls(arrays["centres"], arrays["scales"], pools)


def _labels(part: Part) -> list[str]:
    name = part.column.name
    if part.column.is_category:
        return [f"{name} level {place}" for place in range(2, part.column.n_levels + 1)]
    states = [f"{name} state {state}" for state in range(1, part.column.n_states)]
    return [name, *states] if part.column.kind == "number" else []


def _centre_scale(part: Part, predictors: Predictors) -> tuple[float, float]:
    if part.column.kind != "number":
        return 0.0, 1.0
    values = predictors.taken(part.values)
    if part.state is not None:
        values = values[predictors.taken(part.state) == 0]
    if not len(values):
        return 0.0, 1.0
    scale = float(values.std())
    return float(values.mean()), scale if scale > 0 and np.isfinite(scale) else 1.0
