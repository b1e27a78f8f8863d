"""Which cells does a table have, how are they named, and which cells does a margin add up?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, RolesError, SettingsError, listed, nearest
from unveil.read.given import is_list, shown
from unveil.read.roles import names

MOST_CELLS = 100_000
MOST_IN_FACTS = 5_000_000
"""Cells named in the facts of a release, all together."""
MOST_DIMS = 16
LONGEST = 30
ONLY_DIM = "cell"
TABLE, TOTAL = "table", "total"

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """The cells of a table: named dimensions with named levels, in C order."""

    dims: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    of_people: bool = False
    """Whether the levels stand in people's records: then messages name cells by number."""

    def __post_init__(self) -> None:
        refuse_many_cells(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels of each dimension."""
        return tuple(len(levels) for levels in self.levels)

    @property
    def n_cells(self) -> int:
        """Cells of the table."""
        return prod(self.shape)

    def part(self, dims: Sequence[str]) -> str:
        """How a margin by these dimensions is called: "table", "total", "sex" or "sex,age"."""
        kept = [dim for dim in self.dims if dim in dims]
        return {0: TOTAL, len(self.dims): TABLE}.get(len(kept), ",".join(kept))

    def dims_of(self, part: str) -> tuple[str, ...]:
        """The dimensions of the part of that name."""
        if part in (TABLE, TOTAL):
            return self.dims if part == TABLE else ()
        return tuple(part.split(","))  # no name of a dimension has a comma

    def shape_of(self, part: str) -> tuple[int, ...]:
        """The shape of a part; the total has none."""
        kept = self.dims_of(part)
        pairs = zip(self.dims, self.shape, strict=True)
        return tuple(size for dim, size in pairs if dim in kept)

    def summed(self, counts: Counts, part: str) -> Counts:
        """The counts of a part, flat, from those of the table."""
        kept = self.dims_of(part)
        axes = tuple(i for i, dim in enumerate(self.dims) if dim not in kept)
        made: Counts = counts.reshape(self.shape).sum(axis=axes, dtype=np.int64).reshape(-1)
        return made

    def members(self, part: str) -> Counts:
        """The cells of each entry of a part: one row per entry, ascending."""
        kept = self.dims_of(part)
        first = [i for i, dim in enumerate(self.dims) if dim in kept]
        rest = [i for i in range(len(self.dims)) if i not in first]
        cells = np.arange(self.n_cells, dtype=np.int64).reshape(self.shape)
        return cells.transpose(*first, *rest).reshape(prod(self.shape_of(part)), -1)

    def labels(self, part: str) -> list[tuple[str, ...]]:
        """The levels of each entry of a part, in the order of its dimensions."""
        kept = self.dims_of(part)
        chosen = [lv for dim, lv in zip(self.dims, self.levels, strict=True) if dim in kept]
        return list(product(*chosen))

    def whats(self, part: str) -> list[str]:
        """How a sentence names each entry of a part."""
        if part == TOTAL:
            return ["the total"]
        dims = self.dims_of(part)
        if self.of_people:
            word = "cell" if part == TABLE else f"the margin by {listed(dims)}, value"
            return [f"{word} {place:,}" for place in range(prod(self.shape_of(part)))]
        if dims == (ONLY_DIM,):
            return [f"cell {listed(label)}" for label in self.labels(part)]
        word = "the cell" if part == TABLE else "the total of"
        return [f"{word} {pairs(dims, label)}" for label in self.labels(part)]

    def what(self, cell: int) -> str:
        """How a sentence names one cell."""
        if self.of_people:
            return f"cell {cell:,}"
        places = np.unravel_index(cell, self.shape)
        label = [lv[i] for lv, i in zip(self.levels, places, strict=True)]
        return (
            f"cell {listed(label)}"
            if self.dims == (ONLY_DIM,)
            else (f"the cell {pairs(self.dims, label)}")
        )

    def margins(self, given: Any) -> tuple[tuple[str, ...], ...]:
        """The margins a user asked for, each by its dimensions; neither the table nor the total."""
        if given is None:
            return ()
        if isinstance(given, str) and given == "all":
            sizes = range(1, len(self.dims))
            return tuple(m for size in sizes for m in combinations(self.dims, size))
        if not is_list(given):
            raise SettingsError(
                "margins must be 'all' or a list of margins, such as [['sex'], ['sex', 'age']];"
                f" given is {shown(given)}."
            )
        return tuple(dict.fromkeys(self.margin(one) for one in given))

    def margin(self, given: Any) -> tuple[str, ...]:
        """One margin: names of dimensions as a list, or joined by commas."""
        if isinstance(given, str):
            given = (given,) if given in self.dims else [one.strip() for one in given.split(",")]
        asked = names(given, "Margins")
        for name in asked:
            if name not in self.dims:
                raise RolesError(
                    f"A margin names {name!r}, which is no dimension of the table."
                    f"{nearest(name, self.dims)} Its dimensions are: {listed(self.dims)}."
                )
        if not 0 < len(asked) < len(self.dims):
            raise SettingsError(
                f"A margin names {'no dimension' if not asked else 'all dimensions'} of the table:"
                f" that is the {'table' if asked else 'total'}, which is asked for by its own name."
            )
        return tuple(dim for dim in self.dims if dim in asked)

    def cell(self, given: Any, where: str) -> int:
        """The flat index of a cell, given by it, by its place or by its levels."""
        if is_list(given):
            return self._cell_at(tuple(given), where)
        if len(self.dims) == 1 and isinstance(given, str):
            return self._cell_at((given,), where)
        found = whole(given)
        if found is None:
            raise SettingsError(
                f"{where} names a cell that is {shown(given)}. Give its number from 0 to"
                f" {self.n_cells - 1:,}, or its levels."
            )
        if not 0 <= found < self.n_cells:
            raise SettingsError(
                f"{where} names cell {found:,}, but the cells are numbered from 0 to"
                f" {self.n_cells - 1:,}."
            )
        return found

    def _cell_at(self, given: tuple[Any, ...], where: str) -> int:
        if len(given) != len(self.dims):
            raise SettingsError(
                f"{where} names a cell by {len(given):,} levels, but the table has"
                f" {len(self.dims):,} dimensions: {listed(self.dims)}."
            )
        places = [self._place(i, one, where) for i, one in enumerate(given)]
        return int(np.ravel_multi_index(places, self.shape))

    def _place(self, dim: int, given: Any, where: str) -> int:
        levels = self.levels[dim]
        if isinstance(given, str):
            return self.level(dim, given, where)
        found = whole(given)
        if found is None or not 0 <= found < len(levels):
            raise SettingsError(
                f"{where} names place {shown(given)} of dimension {self.dims[dim]!r}, whose levels"
                f" are numbered from 0 to {len(levels) - 1:,}."
            )
        return found

    def level(self, dim: int, given: str, where: str) -> int:
        """The place of a level; one that is not there is refused."""
        levels = self.levels[dim]
        if given in levels:
            return levels.index(given)
        hint = f"{nearest(given, levels)} Its levels are: {listed(levels)}."
        if self.of_people:
            hint = " Write it as it stands in the data."
        raise SettingsError(
            f"{where} names a level that dimension {self.dims[dim]!r} does not have.{hint}"
        )


def pairs(dims: Iterable[str], label: Iterable[str]) -> str:
    """Levels in a sentence: "sex=m, age=2"."""
    return listed(f"{dim}={level}" for dim, level in zip(dims, label, strict=True))


def whole(given: Any) -> int | None:
    """A whole number, of whatever library; None where it is none."""
    if isinstance(given, bool | np.bool_):
        return None
    if isinstance(given, int | np.integer):
        return int(given)
    if isinstance(given, float | np.floating) and float(given).is_integer():
        return int(given)
    # The decimal numbers of databases; none so long that it takes long to write out.
    if isinstance(given, Decimal) and given.is_finite() and abs(given.adjusted()) < LONGEST:
        return int(given) if given == given.to_integral_value() else None
    return None


def is_missing(given: Any) -> bool:
    """Whether something stands for no value, in whatever library; nothing foreign is compared."""
    if given is None or type(given).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(given, Decimal):
        return given.is_nan()
    return isinstance(given, float | np.floating) and bool(np.isnan(given))


def flag(given: Any, name: str) -> bool:
    """True or False, or a sentence on what else was given."""
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise SettingsError(f"{name} is {shown(given)}. It must be True or False.")


def refuse_many_cells(shape: Sequence[int]) -> None:
    """Refuse a table of no cells, or of more than can be worked on."""
    n_cells = prod(shape)
    if not n_cells or not shape:
        raise InputError("The table has no cells. Give at least one count.")
    if len(shape) > MOST_DIMS:
        raise InputError(
            f"The table has {len(shape):,} dimensions; at most {MOST_DIMS} are worked on at once."
            " Take fewer."
        )
    if n_cells > MOST_CELLS:
        sizes = " x ".join(f"{size:,}" for size in shape)
        raise InputError(
            f"The table would have {n_cells:,} cells ({sizes}), more than the {MOST_CELLS:,} that"
            " are worked on at once. Take fewer dimensions, or put levels together."
        )
