"""Which cells does a table have, how are they named, and which cells does a margin add up?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, compress, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import is_list, quote_value
from unveil.errors import (
    InputError,
    RolesError,
    SettingsError,
    hint_at,
    list_names,
    quote_text,
)
from unveil.study.roles import names

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
        check_many_cells(self.shape)

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

    def sum_part(self, counts: Counts, part: str) -> Counts:
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
            word = "cell" if part == TABLE else f"the margin by {list_names(dims)}, value"
            return [f"{word} {place:,}" for place in range(prod(self.shape_of(part)))]
        if dims == (ONLY_DIM,):
            return [f"cell {list_names(label)}" for label in self.labels(part)]
        word = "the cell" if part == TABLE else "the total of"
        return [f"{word} {pairs(dims, label)}" for label in self.labels(part)]

    def what(self, cell: int) -> str:
        """How a sentence names one cell."""
        if self.of_people:
            return f"cell {cell:,}"
        places = np.unravel_index(cell, self.shape)
        label = [lv[i] for lv, i in zip(self.levels, places, strict=True)]
        return (
            f"cell {list_names(label)}"
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
                f" given is {quote_value(given)}."
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
                    f"A margin names {name!r}, which is not a dimension of the"
                    f" table.{hint_at(name, self.dims)} Its dimensions are:"
                    f" {list_names(self.dims)}."
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
        found = as_count(given)
        if found is None:
            raise SettingsError(
                f"{where} names a cell that is {quote_value(given)}. Give its number from 0 to"
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
                f" {len(self.dims):,} dimensions: {list_names(self.dims)}."
            )
        places = [self._place(i, one, where) for i, one in enumerate(given)]
        return int(np.ravel_multi_index(places, self.shape))

    def _place(self, dim: int, given: Any, where: str) -> int:
        levels = self.levels[dim]
        if isinstance(given, str):
            return self.level(dim, given, where)
        found = as_count(given)
        if found is None or not 0 <= found < len(levels):
            raise SettingsError(
                f"{where} names place {quote_value(given)} of dimension {self.dims[dim]!r}, "
                "whose levels"
                f" are numbered from 0 to {len(levels) - 1:,}."
            )
        return found

    def level(self, dim: int, given: str, where: str) -> int:
        """The place of a level; one that is not there is refused."""
        levels = self.levels[dim]
        if given in levels:
            return levels.index(given)
        hint = f"{hint_at(given, levels)} Its levels are: {list_names(levels)}."
        if self.of_people:
            hint = " Write it as in the data."
        raise SettingsError(
            f"{where} names a level that dimension {self.dims[dim]!r} does not have.{hint}"
        )


@dataclass(frozen=True)
class PartRows:
    """Each row of a long table: the code of its level in every dimension, -1 for a sum."""

    grid: Grid
    codes: NDArray[np.int64]
    place: str
    """What a sentence calls the table."""

    def of(self, part: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of a part, and the entry of the part that each is about."""
        kept = np.array([dim in self.grid.dims_of(part) for dim in self.grid.dims])
        rows = np.flatnonzero(((self.codes >= 0) == kept).all(axis=1))
        entry = np.zeros(len(rows), np.int64)
        for dim in np.flatnonzero(kept):
            entry = entry * self.grid.shape[dim] + self.codes[rows, dim]
        return rows, entry

    @property
    def parts(self) -> list[str]:
        """The parts some row is about."""
        found, dims = np.unique(self.codes >= 0, axis=0), self.grid.dims
        return [self.grid.part([*compress(dims, kept)]) for kept in found]

    @property
    def coarser(self) -> list[str]:
        """The same, but for the table."""
        return [part for part in self.parts if part != TABLE]


def pairs(dims: Iterable[str], label: Iterable[str]) -> str:
    """Levels in a sentence: "sex=m, age=2"."""
    return list_names(f"{dim}={level}" for dim, level in zip(dims, label, strict=True))


def as_count(given: Any) -> int | None:
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


def check_many_cells(shape: Sequence[int]) -> None:
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


# Which table of counts did a user write down: its cells, its dimensions and its true counts?


LARGEST_COUNT = 2**53
DEEPEST = 64
NOT_COUNTS = (
    "The counts must be whole numbers in a list, in lists of equal length, in an array, or in a"
    " mapping from cells to counts"
)


def parse_table(counts: Any, dims: Any, levels: Any) -> tuple[Grid, Counts]:
    """The cells and the counts a user gave, as lists, an array or a mapping."""
    if isinstance(counts, Mapping):
        return _from_mapping(counts, dims, levels)
    values = as_object_array(counts)
    grid = Grid(_dims(dims, values.ndim), _levels(levels, dims, values.shape))
    return grid, check_counts(values.reshape(-1), grid)


def as_object_array(given: Any) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Lists of lists, or an array, as an array of objects; a refusal where lengths differ."""
    given = as_reusable(given)
    if not is_list(given):
        raise SettingsError(f"{NOT_COUNTS}; given is {quote_value(given)}.")
    shape = _shape(given)
    check_many_cells(shape)
    flat = list(_flatten(given, shape))
    made = np.empty(len(flat), dtype=object)
    for place, one in enumerate(flat):  # one by one: numpy would look into foreign objects
        made[place] = one
    return made.reshape(shape)


def as_reusable(given: Any) -> Any:
    """The same; a frame as an array, and what can be gone through only once as a list."""
    if hasattr(given, "to_numpy"):
        return given.to_numpy()
    return list(given) if isinstance(given, Iterator) else given


def _shape(given: Any) -> tuple[int, ...]:
    """The shape by the first entry of each level."""
    sizes: list[int] = []
    while is_list(given):
        if len(sizes) == DEEPEST:  # a list may even hold itself
            raise SettingsError(f"{NOT_COUNTS}; more than {DEEPEST} lists are nested.")
        sizes.append(len(given))
        if not len(given):
            break
        given = next(iter(given))
    return tuple(sizes)


def _flatten(given: Any, shape: Sequence[int]) -> Any:
    if not shape:
        if is_list(given):
            raise SettingsError(f"{NOT_COUNTS}; one list is deeper than another.")
        yield given
        return
    if not is_list(given) or len(given) != shape[0]:
        raise SettingsError(f"{NOT_COUNTS}; not all lists have the same length.")
    for one in given:
        yield from _flatten(one, shape[1:])


def check_counts(flat: Any, grid: Grid) -> Counts:
    """Counts as 64-bit numbers; the first that is no count is named by its cell."""
    found = np.zeros(len(flat), np.int64)
    for cell, given in enumerate(flat):
        found[cell] = _count(given, grid, cell)
    if int(found.sum(dtype=object)) > LARGEST_COUNT:
        raise InputError(f"The counts add up to more than {LARGEST_COUNT:,}.")
    return found


def _count(given: Any, grid: Grid, cell: int) -> int:
    count = as_count(given)
    if count is not None and 0 <= count <= LARGEST_COUNT:
        return count
    what = "is not a whole number"
    if is_missing(given):
        what = "is missing"
    elif count is not None:
        what = "is negative" if count < 0 else f"is above {LARGEST_COUNT:,}"
    raise InputError(
        f"The count of {grid.what(cell)} {what}. A table of counts holds whole numbers from 0."
    )


def _dims(given: Any, n_dims: int) -> tuple[str, ...]:
    if given is None:
        many = tuple(f"dim{i}" for i in range(1, n_dims + 1))
        return (ONLY_DIM,) if n_dims == 1 else many
    found = names(given, "Dimensions")
    if len(found) != n_dims:
        raise RolesError(
            f"The counts have {n_dims:,} dimensions, but {len(found):,} names are given:"
            f" {list_names(found)}."
        )
    check_names(found)
    return found


def check_names(dims: Sequence[str]) -> None:
    """No dimension may be called as a part of the release is, nor have a comma in its name."""
    for dim in dims:
        if dim in ("table", "total", "margins") or "," in dim or not dim.strip():
            raise RolesError(
                f"A dimension cannot be called {dim!r}: table, total, margins, nothing and names"
                " with a comma mean something else. Give it another name."
            )


def find_spellings(levels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Levels of one column that differ in their spelling only: a reader takes them for one."""
    for name, own in levels.items():
        alike: dict[str, list[str]] = defaultdict(list)
        for level in own:
            alike[" ".join(level.casefold().split())].append(level)
        for same in alike.values():
            if len(same) > 1:
                yield (
                    f"Levels of column {name!r} differ in their spelling only:"
                    f" {list_names(map(quote_text, same), 4)}. Write them alike in all files: a"
                    " reader takes them for one."
                )


def _levels(given: Any, dims: Any, shape: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    if given is None:
        return tuple(tuple(str(i) for i in range(size)) for size in shape)
    found = parse_levels(given, _dims(dims, len(shape)))
    for dim, one, size in zip(_dims(dims, len(shape)), found, shape, strict=True):
        if len(one) != size:
            raise SettingsError(
                f"Dimension {dim!r} has {size:,} levels in the counts, but {len(one):,} are named."
            )
    return found


def parse_levels(given: Any, dims: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Levels of each dimension, given by its name or in the order of the dimensions."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in dims:
                raise RolesError(
                    f"Levels are given for {name!r}, which is not a dimension of the"
                    f" table.{hint_at(str(name), dims)} Its dimensions are: {list_names(dims)}."
                )
        given = [given.get(dim) for dim in dims]
    given = as_reusable(given)
    if is_list(given) and len(dims) == 1 and not any(is_list(one) for one in given):
        given = [given]
    if not is_list(given) or len(given) != len(dims) or not all(is_list(one) for one in given):
        raise SettingsError(
            "levels must be one list of names per dimension, such as [['m', 'f'], ['young',"
            f" 'old']]. The dimensions are: {list_names(dims)}."
        )
    return tuple(_texts(dim, one) for dim, one in zip(dims, given, strict=True))


def _texts(dim: str, given: Sequence[Any]) -> tuple[str, ...]:
    texts = tuple(str(one) for one in given)
    if len(set(texts)) < len(texts):
        raise SettingsError(f"A level of dimension {dim!r} is given twice. Name each once.")
    return texts


def _from_mapping(given: Mapping[Any, Any], dims: Any, levels: Any) -> tuple[Grid, Counts]:
    """A count by cell; a combination that is not there has nobody in it."""
    if not given:
        raise InputError("The table has no cells. Give at least one count.")
    cells = [key if isinstance(key, tuple) else (key,) for key in given]
    if len({len(cell) for cell in cells}) > 1:
        raise SettingsError("Not all cells of the counts have the same number of levels.")
    texts = [tuple(str(one) for one in cell) for cell in cells]
    if len(set(texts)) < len(texts):
        raise SettingsError("A cell of the counts is given twice, once as text. Give it once.")
    found_dims = _dims(dims, len(cells[0]))
    found = (
        tuple(tuple(dict.fromkeys(column)) for column in zip(*texts, strict=True))
        if levels is None
        else parse_levels(levels, found_dims)
    )
    grid = Grid(found_dims, found)
    flat: list[Any] = [0] * grid.n_cells
    for cell, count in zip(texts, given.values(), strict=True):
        flat[grid.cell(cell, "The counts")] = count
    return grid, check_counts(flat, grid)


# Which levels of which dimensions did a user name, as a mapping or as text such as "sex=m"?


GivenLevels = tuple[tuple[int, int], ...]
"""Key levels: pairs of a dimension and the place of its level."""


def parse_given_levels(given: Any, grid: Grid, *, where: str = "given") -> GivenLevels:
    """Levels of some dimensions, written as a mapping or as text such as "sex=m,age=2"."""
    pairs = _pairs_in(given, where) if isinstance(given, str) else given
    if not isinstance(pairs, Mapping):
        raise SettingsError(
            f'{where} is {quote_value(given)}. Write levels as {{"sex": "m"}} or as text, '
            '"sex=m,age=2".'
        )
    return tuple(sorted(_place(name, level, grid, where) for name, level in pairs.items()))


def _pairs_in(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, level = part.partition("=")
        if not equals or not name.strip() or name.strip() in found:
            raise SettingsError(
                f'{where} is {quote_text(text)}. Write each dimension once, as in "sex=m,age=2";'
                " levels with a comma in them are written as a mapping."
            )
        found[name.strip()] = level.strip()
    return found


def _place(name: Any, level: Any, grid: Grid, where: str) -> tuple[int, int]:
    if name not in grid.dims:
        raise RolesError(
            f"{where} names {quote_value(name)}, which is not a dimension of the"
            f" table.{hint_at(str(name), grid.dims)} Its dimensions are: {list_names(grid.dims)}."
        )
    if is_list(level) or isinstance(level, Mapping | Set):
        raise SettingsError(
            f"{where} names a level of dimension {name!r} that is {quote_value(level)}. Write "
            "one level,"
            " as text."
        )
    dim = grid.dims.index(name)
    return dim, grid.level(dim, str(level), where)
