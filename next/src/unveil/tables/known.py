"""The system of a table once people are known: taken out in full, or given a place in part."""

from collections.abc import Sequence

import numpy as np

from unveil.counts.cells import Ints
from unveil.errors import InputError
from unveil.tables.published import PublishedTable
from unveil.tables.system import System


def without_people(table: PublishedTable, known: Sequence[str]) -> System:
    """The system without known people.

    Those known in full lower their cell and every sum it is in. Those known in part must find a
    place: further figures, for where they are, add up to their number and fit the cells.
    """
    system, counts = table.system, table.true_counts()
    taken, partly = np.zeros(table.size), []
    for text in known:
        number, levels = table.parse_levels(text, "known")
        cells = table.under(levels)
        if number > (counts - taken)[cells].sum():
            raise InputError(
                f"More {table.unit} are known than there are ({text!r}). Name fewer (known)."
            )
        if len(cells) == 1:
            taken[cells] += number
        else:
            partly.append((cells, number))
    is_part = system.sums.sign > 0
    parts = taken[system.sums.figure[is_part]]
    wholes = np.bincount(system.sums.row[is_part], parts, system.sums.n_rows)
    of_sums = np.bincount(
        system.sums.row[is_part], counts[system.sums.figure[is_part]], system.sums.n_rows
    )
    taken, truth = np.append(taken, wholes), np.append(counts, of_sums).astype(np.float64)
    lower, upper = np.maximum(system.lower - taken, 0), system.upper - taken
    system = System(lower, upper, system.sums, table.size, truth=truth - taken)
    return _place(system, partly) if partly else system


def _place(system: System, kinds: Sequence[tuple[Ints, int]]) -> System:
    """Figures for how many of each kind are in each cell, and equations that leave them room."""
    assert system.truth is not None
    row, figure, sign = list[int](), list[int](), list[float]()
    lower, upper, by_cell = [*system.lower], [*system.upper], dict[int, list[int]]()

    def add(low: float, high: float) -> int:
        lower.append(low)
        upper.append(high)
        return len(lower) - 1

    def equate(parts: Sequence[int], whole: int) -> None:
        number = row[-1] + 1 if row else 0
        row.extend([number] * (len(parts) + 1))
        figure.extend([*parts, whole])
        sign.extend([1.0] * len(parts) + [-1.0])

    for cells, number in kinds:
        where = {cell: add(0.0, float(number)) for cell in cells.tolist()}
        for cell, place in where.items():
            by_cell.setdefault(cell, []).append(place)
        equate([*where.values()], add(float(number), float(number)))
    for cell, places in by_cell.items():  # the known there and all others are the count
        equate([*places, add(0.0, np.inf)], cell)
    truth = np.append(system.truth, np.full(len(lower) - system.size, np.nan))
    sums = system.sums.beside(np.array(row), np.array(figure), np.array(sign))
    return System(np.array(lower), np.array(upper), sums, system.n_cells, truth=truth)
