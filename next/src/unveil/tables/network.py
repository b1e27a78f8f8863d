"""Many tables of the same people as one system.

A class is one way to count people: for each column a partition of its atoms, the finest
distinctions that any table makes. A table is the cells of a class, of which those that pass its
filter are published; so are its margins. A cell of a coarse class is the sum of the cells of each
class that refines it. To the classes of the tables come all their margins and, where classes differ
in one column only, their joint refinement, whose cells are the pieces that differencing finds: age
16 to 17, where one table has 16 and over and another 18 and over. The same people in two classes
are one figure. The system is of a size linear in the published values. Its bounds hold in any case;
tables that agree wherever two of them can be compared need not come from one whole table, so what
it leaves open is not proven to be protected.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.tables.published import Part, PublishedTable
from unveil.tables.system import Sums, System, Truths

MOST_CELLS = 50_000  # of a joint refinement
Key = tuple[int, ...]
"""A class: for each column the number of a partition; 0 has all atoms in one block."""


@dataclass(frozen=True, eq=False)
class Dimension:
    """A column of the people: its atoms and, where there are records, the atom of each person."""

    name: str
    atoms: tuple[str, ...]
    edges: tuple[float, ...] = ()  # of a number in bands: where atoms begin; further atoms are text
    codes: Ints | None = None

    def label(self, atoms: Ints) -> str:
        """sex = m, age = 16 to 17."""
        numbers, texts = atoms[atoms < len(self.edges)], atoms[atoms >= len(self.edges)]
        runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(numbers) else []
        ends = (*self.edges[1:], np.inf)
        names = [range_name(self.edges[run[0]], ends[run[-1]]) for run in runs]
        return " or ".join([*names, *(self.atoms[atom] for atom in texts)])


def range_name(start: float, end: float) -> str:
    """Of whole numbers: 16 to 17, 65 or more."""
    if np.isinf(start):
        return f"below {end:g}"
    return f"{start:g} or more" if np.isinf(end) else f"{start:g} to {end - 1:g}"


@dataclass(frozen=True, eq=False)
class Planned:
    """A table of a plan: for each column the block of each atom (-1: filtered out), and values."""

    name: str
    blocks: Mapping[str, Ints]
    table: PublishedTable

    def blocks_of(self, column: str, part: Part) -> Ints | None:
        """The blocks of a column in a part of the table; None where the column does not matter."""
        blocks = self.blocks.get(column)
        if blocks is None or column in part:
            return blocks
        return np.where(blocks >= 0, 0, -1)


class Network:
    """The classes of some tables, and the system of their cells."""

    def __init__(
        self, columns: Sequence[Dimension], tables: Sequence[Planned], weights: Floats | None = None
    ) -> None:
        self.columns, self.tables, self.weights = columns, tables, weights
        self.study: Any = None  # whose records are counted
        self.partitions = [Partitions(len(column.atoms)) for column in columns]
        classes: dict[Key, None] = {}
        self.places = list[tuple[int, Part, Key]]()
        for number, planned in enumerate(tables):
            for part in planned.table.all_parts:
                key = tuple(
                    partitions.number(planned.blocks_of(column.name, part))
                    for partitions, column in zip(self.partitions, columns, strict=True)
                )
                self.places.append((number, part, key))
                used = [axis for axis, partition in enumerate(key) if partition]
                for size in range(len(used) + 1):  # sums over filters too: two halves make a whole
                    for dropped in combinations(used, size):
                        classes.setdefault(
                            tuple(0 if axis in dropped else n for axis, n in enumerate(key))
                        )
        for axis, partitions in enumerate(self.partitions):
            for key in _joints(list(classes), axis, partitions):
                if self._size(key) <= MOST_CELLS:
                    classes.setdefault(key)
        self.classes = list(classes)
        self.figures = dict(zip(self.classes, self._number_figures(), strict=True))
        self._state()

    def shape(self, key: Key) -> tuple[int, ...]:
        return tuple(p.sizes[n] for p, n in zip(self.partitions, key, strict=True))

    def _size(self, key: Key) -> int:
        return int(np.prod(self.shape(key)))

    def _number_figures(self) -> list[Ints]:
        """For each class the figures of its cells: the same people in two classes are one."""
        sizes = [self._size(key) for key in self.classes]
        self.owner = np.repeat(np.arange(len(self.classes)), sizes)
        self.offset = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        box = np.zeros(len(self.owner), np.int64)
        for axis, partitions in enumerate(self.partitions):
            sets = partitions.block_sets()
            ids = np.concatenate([
                sets[key[axis]][np.unravel_index(np.arange(size), self.shape(key))[axis]]
                for key, size in zip(self.classes, sizes, strict=True)
            ])  # fmt: skip
            box = np.unique(box * (ids.max() + 1) + ids, return_inverse=True)[1]
        self.first = np.unique(box, return_index=True)[1]  # a cell that stands for the figure
        return np.split(box, self.offset[1:])

    def _state(self) -> None:
        """What the tables say, as bounds of figures."""
        size = len(self.first)
        lower, upper = np.zeros(size), np.full(size, np.inf)
        self.is_published, self.is_exact, self.is_hidden = np.zeros((3, size), bool)
        self.shown = np.full(size, np.nan)
        self.lower, self.upper = lower.copy(), upper.copy()  # by values that are never hidden
        self.statements = list[tuple[Ints, int, Floats, Floats]]()
        for number, part, key in self.places:
            values = self.tables[number].table.parts.get(part)
            if values is None:
                continue
            at = self._figures_of(number, part, key)
            lower[at] = np.maximum(lower[at], values.lower)
            upper[at] = np.minimum(upper[at], values.upper)
            self.statements.append((at, number, values.lower, values.upper))
            if not values.scheme.may_be_hidden:
                self.lower[at] = np.maximum(self.lower[at], values.lower)
                self.upper[at] = np.minimum(self.upper[at], values.upper)
            self.is_published[at] = True
            self.is_exact[at] |= values.lower == values.upper
            self.is_hidden[at] |= np.isnan(values.shown)
            self.shown[at] = np.where(np.isnan(values.shown), self.shown[at], values.shown)
        self.is_hidden &= ~self.is_exact
        truth = None
        if all(column.codes is not None for column in self.columns):
            truth = np.zeros(size)
            for key in self.classes:
                truth[self.figures[key]] = np.bincount(
                    self._cell(key), self.weights, self._size(key)
                )
            if ((truth < lower) | (truth > upper)).any():
                raise InputError(
                    "A table of the plan is not of these records: a value that it publishes is not"
                    " what they count. Check its filter (where), bands and file."
                )
        self.system = System(lower, upper, self._sums(), size, self.weights is None, truth)

    def figures_of(self, number: int, part: Part) -> Ints:
        """The figures of the values of a part of a table."""
        key = next(key for n, own, key in self.places if (n, own) == (number, part))
        return self._figures_of(number, part, key)

    def _figures_of(self, number: int, part: Part, key: Key) -> Ints:
        return self.figures[key][self._cells(number, part, key)]

    def _cells(self, number: int, part: Part, key: Key) -> Ints:
        """Where the values of a part stand among the cells of its class."""
        places = {}
        for column, partitions, partition in zip(self.columns, self.partitions, key, strict=True):
            blocks = self.tables[number].blocks_of(column.name, part)
            label = partitions.labels[partition]
            n = 0 if blocks is None else int(blocks.max()) + 1
            firsts = [0] if blocks is None else [np.flatnonzero(blocks == b)[0] for b in range(n)]
            places[column.name] = label[firsts]
        names = [column.name for column in self.columns]
        order = [name for name in names if name not in part] + list(part)
        grids = dict(
            zip(order, np.meshgrid(*[places[name] for name in order], indexing="ij"), strict=True)
        )
        return np.ravel_multi_index([grids[name].reshape(-1) for name in names], self.shape(key))

    def members(self) -> Iterator[tuple[Ints, Ints]]:
        """Records and the figures they are in, each figure by one class alone."""
        for key, offset in zip(self.classes, self.offset, strict=True):
            cell = self._cell(key)
            figure = self.figures[key][cell]
            record = np.flatnonzero(self.first[figure] == offset + cell)
            yield record, figure[record]

    def _cell(self, key: Key) -> Ints:
        """The cell of each person in a class."""
        codes = [
            partitions.labels[number][column.codes]
            for partitions, number, column in zip(self.partitions, key, self.columns, strict=True)
        ]
        return np.ravel_multi_index(codes, self.shape(key))

    def _sums(self) -> Sums:
        """A coarse cell is the sum of the cells of each next finer class."""
        keys = np.array(self.classes)
        finer = np.ones((len(keys), len(keys)), bool)  # [i, j]: j refines i
        for axis, partitions in enumerate(self.partitions):
            finer &= partitions.refines()[np.ix_(keys[:, axis], keys[:, axis])]
        np.fill_diagonal(finer, False)
        between = finer.astype(np.float32) @ finer.astype(np.float32) > 0
        rows, figures, signs, n_rows = [], [], [], 0
        for i, j in np.argwhere(finer & ~between).tolist():
            coarse, fine = self.classes[i], self.classes[j]
            maps = [p.map(a, b) for p, a, b in zip(self.partitions, coarse, fine, strict=True)]
            grids = np.meshgrid(*maps, indexing="ij")
            label = np.ravel_multi_index([grid.reshape(-1) for grid in grids], self.shape(coarse))
            is_sum = np.bincount(label) > 1  # the only part of a sum is the sum
            number, is_part = np.cumsum(is_sum) - 1, is_sum[label]
            rows += [n_rows + number[label[is_part]], n_rows + np.arange(is_sum.sum())]
            figures += [self.figures[fine][is_part], self.figures[coarse][is_sum]]
            signs += [np.ones(is_part.sum()), -np.ones(is_sum.sum())]
            n_rows += int(is_sum.sum())
        if not rows:
            return Sums.of([], len(self.first))
        return Sums.sorted(
            np.concatenate(rows), np.concatenate(figures), np.concatenate(signs), n_rows
        )

    def stated(self, closed: System) -> Ints:
        """Bounds of the closed system that a table states by itself, with the table."""
        pairs = [np.zeros((0, 2), np.int64)]
        for at, number, low, high in self.statements:
            for side, said, bound in ((0, low, closed.lower), (1, high, closed.upper)):
                own = 2 * at[said == bound[at]] + side
                pairs.append(np.stack([own, np.full(len(own), number)], axis=1))
        return np.concatenate(pairs)

    def targets(self, below: int, known: Floats) -> Ints:
        """What must not be worked out: hidden or rounded values, and small unpublished counts."""
        count = known if self.system.truth is None else self.system.truth
        is_rounded = self.is_published & ~self.is_exact & (count < below)
        is_piece = ~self.is_published & (count >= 1) & (count < below)
        is_told = self.system.lower == self.system.upper
        return np.flatnonzero(self.is_hidden | ((is_rounded | is_piece) & ~is_told))

    def tables_showing(self, figures: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The tables that show each figure, or hide it."""
        names: dict[int, list[str]] = {figure: [] for figure in figures}
        for at, number, _, _ in self.statements:
            for figure in set(at.tolist()) & names.keys():
                names[figure].append(self.tables[number].name)
        return {figure: tuple(dict.fromkeys(own)) for figure, own in names.items()}

    def label(self, figure: int) -> tuple[str, ...]:
        """The levels of the people whom a figure counts."""
        owner = int(self.owner[self.first[figure]])
        key, cell = self.classes[owner], self.first[figure] - self.offset[owner]
        place = np.unravel_index(cell, self.shape(key))
        return tuple(
            f"{column.name} = {column.label(np.flatnonzero(partitions.labels[number] == block))}"
            for column, partitions, number, block in zip(
                self.columns, self.partitions, key, place, strict=True
            )
            if number
        )


class Partitions:
    """The partitions of one column that classes use, each with a number."""

    def __init__(self, n_atoms: int) -> None:
        self.labels, self.sizes = list[Ints](), list[int]()
        self._numbers: dict[bytes, int] = {}
        self.number(np.zeros(n_atoms, np.int64))

    def number(self, blocks: Ints | None) -> int:
        if blocks is None:
            return 0
        _, first, label = np.unique(blocks, return_index=True, return_inverse=True)
        label = np.argsort(np.argsort(first))[label]  # blocks in the order of their first atoms
        key = label.astype(np.int64).tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self.labels)
            self.labels.append(label)
            self.sizes.append(int(label.max()) + 1)
        return self._numbers[key]

    def block_sets(self) -> list[Ints]:
        """For each partition the numbers of its blocks as sets of atoms."""
        numbers: dict[bytes, int] = {}
        return [
            np.array([
                numbers.setdefault((label == block).tobytes(), len(numbers))
                for block in range(size)
            ])
            for label, size in zip(self.labels, self.sizes, strict=True)
        ]  # fmt: skip

    def joint(self, numbers: Iterable[int]) -> int:
        labels = np.array([self.labels[number] for number in numbers])
        return self.number(np.unique(labels, axis=1, return_inverse=True)[1].reshape(-1))

    def map(self, coarse: int, fine: int) -> Ints:
        """For each block of a finer partition the block of the coarse one that holds it."""
        blocks = np.zeros(self.sizes[fine], np.int64)
        blocks[self.labels[fine]] = self.labels[coarse]
        return blocks

    def refines(self) -> Truths:
        """Whether partition j refines partition i."""
        n = range(len(self.labels))
        return np.array([
            [(self.map(i, j)[self.labels[j]] == self.labels[i]).all() for j in n] for i in n
        ])  # fmt: skip


def _joints(keys: Sequence[Key], axis: int, partitions: Partitions) -> Iterator[Key]:
    """Classes that differ in one column only, refined jointly: each two of them, and all."""
    groups: dict[Key, set[int]] = {}
    for key in keys:
        groups.setdefault(key[:axis] + key[axis + 1 :], set()).add(key[axis])
    for rest, numbers in groups.items():
        own = sorted(numbers - {0})
        for chosen in dict.fromkeys([*combinations(own, 2), tuple(own)]):
            if len(chosen) > 1:
                yield (*rest[:axis], partitions.joint(chosen), *rest[axis:])
