"""Several targets learnt together as one: which levels do they have, and which of them agree?

Taub et al. (2018), equation 1: T is a vector of targets. Its values are numbered over the original
and all copies, exact targets first, so that values which agree within a tolerance stand together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.count.codes import Column
from unveil.count.packing import Integers, Whole, number, pack
from unveil.count.profile import Mask
from unveil.measure.attribution.tolerance import Near, exact, near


@dataclass(frozen=True)
class Joint:
    """The joint target: codes over all sides, and what each of its levels is made of.

    `places` has, for each target, the place (see `Near`) that every joint level has in it.
    """

    column: Column
    parts: tuple[Column, ...]  # the targets, exact ones first
    near: tuple[Near, ...]  # one for each of them
    places: tuple[Whole, ...]
    n_exact: int

    @property
    def n_levels(self) -> int:
        """Joint values that occur on any side."""
        return self.column.n_levels

    @property
    def is_exact(self) -> bool:
        """Whether values agree only where they are the same."""
        return self.n_exact == len(self.parts)

    def window(self) -> tuple[Whole, Whole]:
        """For each level the first of those that may agree with it, and one past the last.

        They agree in the exact targets and in the first that has a tolerance; with more of these,
        `agrees` has to be asked of each.
        """
        if self.is_exact:
            levels = np.arange(self.n_levels)
            return levels, levels + 1
        exacts = [(self.places[i], len(self.near[i].place)) for i in range(self.n_exact)]
        group, _ = number(*pack(exacts, self.n_levels))
        first = self.near[self.n_exact]
        base = group.astype(np.int64) * len(first.place)
        place = self.places[self.n_exact]
        head = base + place
        return (
            np.searchsorted(head, base + first.low[place]),
            np.searchsorted(head, base + first.past[place]),
        )

    def agrees(self, level: Whole, other: Whole) -> Mask:
        """Whether two joint levels agree in the targets that `window` does not see to."""
        found = np.ones(len(level), bool)
        for i in range(self.n_exact + 1, len(self.parts)):
            near_to, mine, its = self.near[i], self.places[i][level], self.places[i][other]
            found &= (near_to.low[mine] <= its) & (its < near_to.past[mine])
        return found


def joined(
    targets: Sequence[Column],
    radii: Mapping[str, float],
    special_codes: Mapping[str, Sequence[float]],
) -> Joint:
    """One column of joint codes; a single target without special codes keeps its own."""
    parts = tuple(sorted(targets, key=lambda column: column.name in radii))
    nears = tuple(
        near(
            column,
            radii[column.name],
            (*special_codes.get(column.name, ()), *column.special_codes),
        )
        if column.name in radii
        else exact(column)
        for column in parts
    )
    n_exact = sum(column.name not in radii for column in parts)
    if len(parts) == 1 and _is_in_order(nears[0]):
        return Joint(parts[0], parts, nears, (nears[0].place,), n_exact)
    sides = parts[0].sides
    digits: list[tuple[Integers, int]] = [
        (column.codes if _is_in_order(of) else of.place[column.codes], column.n_levels)
        for column, of in zip(parts, nears, strict=True)
    ]
    codes, n_levels = number(*pack(digits, sides.n_rows))
    example = np.empty(n_levels, np.int64)
    example[codes] = np.arange(len(codes))
    name = ", ".join(column.name for column in targets)
    # Its levels are numbers only: what they stand for is in the parts.
    levels = pl.Series(np.arange(n_levels))
    column = Column(name, sides, codes.astype(np.uint32), levels)
    places = tuple(digit[example].astype(np.int64) for digit, _ in digits)
    return Joint(column, parts, nears, places, n_exact)


def _is_in_order(of: Near) -> bool:
    return bool((of.place == np.arange(len(of.place))).all())
