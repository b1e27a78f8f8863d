"""Which combinations of categories cannot be, so that no synthetic record may have them?

Structural zeros of a joint table: a set of levels for some of its columns, none of which may meet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingsError
from unveil.synthesis.methods import Target

Bools = NDArray[np.bool_]


def codes_of(target: Target) -> NDArray[np.int32]:
    """The codes of a category."""
    return target.values.astype(np.int32, copy=False)


@dataclass(frozen=True)
class Impossible:
    """Cells in which every column named has one of the codes given for it.

    "No one under 16 is married": the codes of the ages below 16, and all marital codes but SINGLE.
    """

    codes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Zeros:
    """All impossible cells of a table: for each set of them, which levels of each column it has."""

    sets: tuple[tuple[Bools, ...], ...] = ()

    @classmethod
    def of(cls, impossible: Iterable[Impossible], targets: Sequence[Target]) -> Self:
        """The sets that the columns of a table can meet; a column not named may have any level."""
        return cls(tuple(_levels(cells, targets) for cells in impossible))

    def met(self, codes: Sequence[NDArray[np.integer]]) -> Bools:
        """Which rows lie in an impossible cell."""
        found = np.zeros(len(codes[0]), np.bool_)
        for cells in self.sets:
            inside = np.ones(len(found), np.bool_)
            for has, code in zip(cells, codes, strict=True):
                inside &= has[code]
            found |= inside
        return found

    def table(self, shape: tuple[int, ...]) -> Bools:
        """Which cells of a table are impossible."""
        found = np.zeros(shape, np.bool_)
        for cells in self.sets:
            found[np.ix_(*cells)] = True
        return found

    def refuse_seen(self, targets: Sequence[Target]) -> None:
        """The original must not have what is declared impossible."""
        n = int(self.met([codes_of(target) for target in targets]).sum())
        if n:
            records = "1 record has" if n == 1 else f"{n:,} records have"
            raise SettingsError(
                f"In the original {records} a combination that is declared impossible."
                " Change the rule, or mend the data."
            )

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {
            f"{place}.{column}": has
            for place, cells in enumerate(self.sets)
            for column, has in enumerate(cells)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The sets that `to_arrays` wrote."""
        sets: dict[int, dict[int, Bools]] = {}
        for key, has in arrays.items():
            place, column = map(int, key.split("."))
            sets.setdefault(place, {})[column] = has
        return cls(tuple(tuple(sets[p][c] for c in sorted(sets[p])) for p in sorted(sets)))


def _levels(cells: Impossible, targets: Sequence[Target]) -> tuple[Bools, ...]:
    found = []
    for target in targets:
        has = np.full(target.n_levels, target.name not in cells.codes)
        has[list(cells.codes.get(target.name, ()))] = True
        found.append(has)
    return tuple(found)
