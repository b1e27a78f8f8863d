"""One scenario, counted once: what the intruder knows, what they might learn, on every side.

The counts are kept beside the result. Every measure, every copy and every later question about the
same keys and targets is answered from them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.cells import Cells, Keys, cells_of_rows, count_whole_rows
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Counts, Sides
from unveil.count.profile import Profile, ProfileCells, key_profile, target_looks

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many steps are done, and how many there are."""


def no_progress(what: str, done: int, total: int) -> None:
    """Say nothing of the progress."""


# Looks of cells are remembered up to so many bytes for each record, and found again beyond that.
REMEMBERED = 16


@dataclass(frozen=True)
class CountedScenario:
    """Keys and targets as codes, and their counts on every side."""

    sides: Sides
    key_columns: tuple[CodedColumn, ...]
    target_columns: tuple[CodedColumn, ...]
    keys: Keys
    cells: tuple[Cells, ...]  # one for each target
    _looks: dict[tuple[int, tuple[int, ...]], ProfileCells] = field(
        default_factory=dict, repr=False, compare=False
    )

    _single: dict[tuple[int, tuple[int, ...]], tuple[Ints, Mask]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _joint: dict[tuple[int, int], Ints] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_copies(self) -> int:
        """How many copies stand beside the original."""
        return len(self.sides.rows) - 1

    @property
    def all_copies(self) -> range:
        """The numbers of the copies: 1 to m."""
        return range(1, self.n_copies + 1)

    @property
    def key_names(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return tuple(column.name for column in self.key_columns)

    @property
    def target_names(self) -> tuple[str, ...]:
        """What they might learn."""
        return tuple(column.name for column in self.target_columns)

    @cached_property
    def codes_of_keys(self) -> tuple[Codes, ...]:
        """For each key, the code of every key combination."""
        rows = self.keys.example_rows()
        return tuple(column.codes[rows] for column in self.key_columns)

    def key_profile(
        self, copies: Sequence[int], excluded: Mapping[int, Mask] | None = None
    ) -> Profile:
        """Key combinations alone, in the original and in these copies pooled."""
        return key_profile(self.keys, copies, excluded)

    def looks(self, target: int, copies: Sequence[int]) -> ProfileCells:
        """How the cells of one target look, in the original and in these copies pooled."""
        wanted = (target, tuple(copies))
        if wanted in self._looks:
            return self._looks[wanted]
        d_t = self.target_columns[target].counts[0]
        looks = target_looks(self.keys, self.cells[target], d_t, copies)
        n_bytes = sum(known.of_cell.nbytes for known in self._looks.values())
        if n_bytes + looks.of_cell.nbytes <= REMEMBERED * self.sides.n_rows:
            self._looks[wanted] = looks
        return looks

    def single_cells(self, target: int, copies: Sequence[int]) -> tuple[Ints, Mask]:
        """Cells whose keys point to their value alone in these copies pooled, and which keys do."""
        wanted = (target, tuple(copies))
        if wanted not in self._single:
            cells = self.cells[target]
            is_there = cells.counts[list(copies)].any(axis=0)
            points = np.add.reduceat(is_there, cells.starts[:-1], dtype=np.int32) == 1
            single = np.flatnonzero(is_there & np.repeat(points, np.diff(cells.starts)))
            self._single[wanted] = single, points
        return self._single[wanted]

    def of_sides(self, chosen: Sequence[int]) -> "CountedScenario":
        """The same counts for some of the sides only, the first of them in the original's place."""
        sides = Sides(tuple(self.sides.rows[side] for side in chosen))
        rows = np.concatenate([np.r_[self.sides.slices[side]] for side in chosen])
        columns = {
            column.name: replace(column, sides=sides, codes=column.codes[rows])
            for column in (*self.key_columns, *self.target_columns)
        }
        return CountedScenario(
            sides,
            tuple(columns[name] for name in self.key_names),
            tuple(columns[name] for name in self.target_names),
            Keys(sides, self.keys.q[rows], self.keys.counts[chosen]),
            tuple(replace(cells, counts=cells.counts[chosen]) for cells in self.cells),
        )

    def joint_counts(self, target: int, key: int) -> Ints:
        """Original records by target level and key level; kept, for every what-if asks for it."""
        if (target, key) not in self._joint:
            cells, n_k = self.cells[target], self.key_columns[key].n_levels
            packed = cells.t.astype(np.int64) * n_k + self.codes_of_keys[key][cells.q]
            n_t = self.target_columns[target].n_levels
            counts = np.bincount(packed, weights=cells.counts[0], minlength=n_t * n_k)
            self._joint[target, key] = counts.astype(np.int64).reshape(n_t, n_k)
        return self._joint[target, key]

    def cells_of_originals(self, target: int) -> Ints:
        """The cell of one target that each original record is counted in."""
        originals = self.sides.slices[0]
        return cells_of_rows(self.keys, self.cells[target], self.target_columns[target], originals)

    def whole_rows(self) -> Iterator[Counts]:
        """Distinct records over all compared columns, counted on every side, in pieces."""
        return count_whole_rows(self.keys, self.target_columns)
