"""Can distances be trusted, or do some columns all but repeat others?

Near-singularity is measured on the correlation matrix, whose condition number does not change with
the units of the columns; the determinant that paper 004 looked at does. Which column is to blame is
said by its variance inflation, 1 / (1 - R^2) of its regression on all others; of a category, which
has several dimensions, the largest over all of their combinations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.errors import SettingsError, listed
from unveil.protection.distance.matrix import Matrix
from unveil.protection.distance.settings import Floats
from unveil.records.distance_filter import DroppedColumn

MOST_CONDITION = 1e6
MOST_INFLATION = 100.0
"""Beyond these a column is all but a combination of others: R^2 above 0.99."""

INFINITE = 1e10
"""Inflation and condition beyond this are those of an exact combination."""

_RIDGE = 1e-12
_ALIKE = 1.01


@dataclass(frozen=True)
class Health:
    """The condition number, and the inflation of each column with those it leans on."""

    condition: float
    inflation: Floats
    correlation: Floats  # between dimensions, each column made regular by itself
    owner: Whole

    @property
    def is_poor(self) -> bool:
        """Whether some column has to go."""
        return bool(self.condition > MOST_CONDITION or self.inflation.max() > MOST_INFLATION)

    def partners(self, place: int) -> list[int]:
        """The columns that predict one best, the strongest first."""
        inverse = np.linalg.inv(self.correlation + _RIDGE * np.eye(len(self.owner)))
        strength = np.abs(inverse[self.owner == place])
        by_column = np.array(
            [strength[:, self.owner == p].max() for p in range(self.owner[-1] + 1)]
        )
        by_column[place] = 0
        order = np.argsort(-by_column, kind="stable")[:3]
        return [int(p) for p in order if by_column[p] > 0.1 * by_column.max()]


def health(matrix: Matrix) -> Health:
    """How close the covariance of the complete original rows is to singular."""
    scale = _made_regular(matrix)
    inverse = np.linalg.inv(scale + _RIDGE * np.eye(len(scale)))
    values = np.linalg.eigvalsh(scale)
    inflation = [
        np.linalg.eigvalsh(inverse[np.ix_(own, own)])[-1]
        for own in (matrix.owner == place for place in range(len(matrix.columns)))
    ]
    condition = values[-1] / max(values[0], _RIDGE)
    return Health(float(condition), np.array(inflation), scale, matrix.owner)


def _made_regular(matrix: Matrix) -> Floats:
    """The correlation matrix; within a category, dimensions are turned so that they correlate 0."""
    rows = matrix.complete
    centred = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    for place in range(len(matrix.columns)):
        own = matrix.owner == place
        if own.sum() > 1:
            values, vectors = np.linalg.eigh(np.corrcoef(centred[:, own], rowvar=False))
            centred[:, own] = centred[:, own] @ vectors / np.sqrt(np.maximum(values, _RIDGE))
    found: Floats = centred.T @ centred / (len(rows) - 1)
    return found


def screened(
    matrix: Matrix, protected: Sequence[str]
) -> tuple[Matrix, Health, list[DroppedColumn]]:
    """The matrix without the columns that repeat others, one at a time, the worst first."""
    dropped: list[DroppedColumn] = []
    while True:
        found = health(matrix)
        if not found.is_poor or len(matrix.columns) == 1:
            return matrix, found, dropped
        worst = _worst(matrix, found, protected)
        dropped.append(_told(matrix, found, worst))
        matrix = matrix.without([worst])


def _worst(matrix: Matrix, found: Health, protected: Sequence[str]) -> int:
    """The most inflated column that may go; of those alike, the last."""
    free = [p for p, column in enumerate(matrix.columns) if column.name not in protected]
    guilty = [p for p in free if found.inflation[p] > _ALIKE]
    if not guilty:
        names = [matrix.columns[p].name for p in np.argsort(-found.inflation)[:3]]
        raise SettingsError(
            f"The protected columns alone are nearly singular: {listed(sorted(names))} all but"
            " repeat each other. Protect fewer columns."
        )
    most = max(found.inflation[p] for p in guilty)
    return [p for p in guilty if found.inflation[p] * _ALIKE >= most][-1]


def _told(matrix: Matrix, found: Health, place: int) -> DroppedColumn:
    column, inflation = matrix.columns[place].name, float(found.inflation[place])
    partners = [matrix.columns[p].name for p in found.partners(place)]
    if inflation > INFINITE:
        how = "is an exact combination of others"
    else:
        how = f"is explained to {100 * (1 - 1 / inflation):.2f} % by the others"
    return DroppedColumn(
        column=column,
        fault="explained by others",
        inflation=None if inflation > INFINITE else inflation,
        condition=None if found.condition > INFINITE else found.condition,
        partners=tuple(partners),
        sentence=f"Column {column!r} {how}, above all by {listed(partners)}.",
    )
