"""Saturated tables and margins of categories, told cell by cell: slow and plain on purpose.

A record is a tuple of codes; `impossible` is a function of such a tuple.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

Cell = tuple[int, ...]


def nothing(_: Cell) -> bool:
    """No cell is impossible."""
    return False


def saturated(
    records: Sequence[Cell],
    n_levels: Sequence[int],
    prior: Fraction,
    impossible: Callable[[Cell], bool] = nothing,
) -> dict[Cell, Fraction]:
    """P(cell) = (its records + prior / cells that can be) / (records + prior)."""
    seen = Counter(records)
    cells = [cell for cell in product(*map(range, n_levels)) if not impossible(cell)]
    return {cell: (seen[cell] + prior / len(cells)) / (len(records) + prior) for cell in cells}


def margin(weights: dict[Cell, float], axes: Sequence[int]) -> dict[Cell, float]:
    """The sums of a table over all columns but some."""
    found: dict[Cell, float] = {}
    for cell, weight in weights.items():
        some = tuple(cell[axis] for axis in axes)
        found[some] = found.get(some, 0.0) + weight
    return found


def proportional(
    records: Sequence[Cell],
    n_levels: Sequence[int],
    margins: Sequence[Sequence[int]],
    impossible: Callable[[Cell], bool] = nothing,
    rounds: int = 300,
) -> dict[Cell, float]:
    """Scale an even table to each margin of the records in turn, many times over."""
    seen = {cell: float(n) for cell, n in Counter(records).items()}
    table = {cell: 0.0 if impossible(cell) else 1.0 for cell in product(*map(range, n_levels))}
    for _ in range(rounds):
        for axes in margins:
            wanted, now = margin(seen, axes), margin(table, axes)
            for cell in table:
                some = tuple(cell[axis] for axis in axes)
                table[cell] *= wanted.get(some, 0.0) / now[some] if now[some] else 0.0
    return table
