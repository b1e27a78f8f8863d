"""What a missing value may be: any number in the range of its column, or one of its levels.

Dimensions of a category stand and fall together: a row is at one level, whose vector is a unit
vector, or zero for the level that is left out. So a missing category has as many values as levels,
and the difference of two missing ones is that of two levels.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from unveil.count.profile import Mask
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import Geometry

MOST_CHOICES = 4096
"""Combinations of values that are tried for one pair of rows; beyond, a bound is taken."""


def levels(geometry: Geometry, dimensions: Sequence[int]) -> Floats:
    """The vectors of a category's levels, one in each row, zero in all other dimensions."""
    found = np.zeros((len(dimensions) + 1, len(geometry.low)))
    found[np.arange(1, len(found)), list(dimensions)] = 1.0
    return found


def level_moves(
    geometry: Geometry, dimensions: Sequence[int], *, is_mine: bool, is_theirs: bool
) -> Floats:
    """By how much a missing category may move the difference of two rows, from zero vectors."""
    own = levels(geometry, dimensions)
    if not is_theirs:
        return own
    if not is_mine:
        return -own
    pairs = (own[:, np.newaxis] - own).reshape(-1, own.shape[1])
    differs = ~np.eye(len(own), dtype=bool).reshape(-1)
    return np.vstack((pairs[:1], pairs[differs]))


def end_moves(geometry: Geometry, dimension: int, *, n_missing: int) -> Floats:
    """Both ends of a missing number, from the middle of its range; twice as far if both miss it."""
    found = np.zeros((2, len(geometry.low)))
    found[:, dimension] = np.array([-0.5, 0.5]) * n_missing * geometry.span[dimension]
    return found


def far_moves(geometry: Geometry, mine: Mask, theirs: Mask) -> Iterator[Floats]:
    """For each column that one of two rows misses, the moves of which one is the farthest.

    They are taken from the filled value of `Geometry.fill`, and add up to zero.
    """
    for dimensions in geometry.categories:
        is_mine, is_theirs = bool(mine[dimensions[0]]), bool(theirs[dimensions[0]])
        if is_mine or is_theirs:
            moves = level_moves(geometry, dimensions, is_mine=is_mine, is_theirs=is_theirs)
            # The same level twice is never the farthest.
            yield moves[1:] if is_mine and is_theirs else moves - moves.mean(axis=0)
    for dimension in geometry.numbers:
        n_missing = int(mine[dimension]) + int(theirs[dimension])
        if n_missing:
            yield end_moves(geometry, dimension, n_missing=n_missing)


def tried(columns: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
    """The columns whose values are tried in all combinations, and those there is no room for."""
    inside: list[Floats] = []
    outside: list[Floats] = []
    n_choices = 1
    for moves in sorted(columns, key=len):
        if n_choices * len(moves) <= MOST_CHOICES:
            n_choices *= len(moves)
            inside.append(moves)
        else:
            outside.append(moves)
    return inside, outside


def combined(columns: Sequence[Floats], n_dimensions: int) -> Floats:
    """Every combination of one move of each column."""

    def added(left: Floats, right: Floats) -> Floats:
        both: Floats = (left[:, np.newaxis] + right).reshape(-1, n_dimensions)
        return both

    return reduce(added, columns, np.zeros((1, n_dimensions)))
