"""Columns drawn together from one table of counts: synthpop's ``catall`` and ``ipf``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.data.columns import Coded
from unveil.errors import InputError
from unveil.making.donors import Donors

MOST_CELLS = 10**7
ROUNDS = 1_000
ENOUGH = 1e-6  # records by which no margin is missed


@dataclass(frozen=True, eq=False)
class Joint:
    """Cells of all columns, each with its chance, and a record that has each level."""

    columns: Sequence[Coded]
    chances: Floats

    def draw(self, n_rows: int, rng: np.random.Generator) -> Donors:
        cells = rng.choice(self.chances.size, n_rows, p=self.chances.ravel())
        return {
            column.name: _record_of(column)[codes]
            for column, codes in zip(
                self.columns, np.unravel_index(cells, self.chances.shape), strict=True
            )
        }


def _record_of(column: Coded) -> Ints:
    """A record with each level."""
    records = np.zeros(column.n_levels, np.intp)
    records[column.codes] = np.arange(len(column.codes))
    return records


def fit_joint(columns: Sequence[Coded], margins: Sequence[Sequence[str]]) -> Joint:
    """The table of counts, or the one that has nothing but its margins."""
    shape = [column.n_levels for column in columns]
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise InputError(
            f"The table of all columns has more than {MOST_CELLS:,} cells. Give its columns fewer"
            " levels, or use the 'method' cart."
        )
    counts = np.zeros(shape)
    np.add.at(counts, tuple(column.codes for column in columns), 1)
    if margins:
        names = [column.name for column in columns]
        axes = [[names.index(name) for name in margin] for margin in margins]
        counts = fit_margins(counts, axes)
    return Joint(columns, counts / counts.sum())


def fit_margins(counts: Floats, margins: Sequence[Sequence[int]]) -> Floats:
    """The table nearest to an even one that has these margins (Deming and Stephan 1940)."""
    table = np.ones_like(counts)
    for _ in range(ROUNDS):
        before = table
        for margin in margins:
            others = tuple(axis for axis in range(counts.ndim) if axis not in margin)
            wanted, has = (part.sum(axis=others, keepdims=True) for part in (counts, table))
            table = table * np.divide(wanted, has, out=np.zeros_like(wanted), where=has > 0)
        if np.abs(table - before).max() < ENOUGH:
            break
    return table
