"""One scenario, counted once: what the intruder knows, what they might learn, on every side.

The counts are kept beside the result. Every measure, every copy and every later question about the
same keys and targets is answered from them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from unveil.count.cells import Cells, Keys, count_cells, count_keys, count_whole_rows
from unveil.count.codes import Column, encode
from unveil.count.packing import Counts
from unveil.count.profile import Profile, key_profile, target_profile
from unveil.count.sides import Sides
from unveil.read.align import Aligned

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many steps are done, and how many there are."""


def silent(what: str, done: int, total: int) -> None:
    """Say nothing of the progress."""


@dataclass(frozen=True)
class Scenario:
    """Keys and targets as codes, and their counts on every side."""

    sides: Sides
    key_columns: tuple[Column, ...]
    target_columns: tuple[Column, ...]
    keys: Keys
    cells: tuple[Cells, ...]  # one for each target

    @property
    def n_copies(self) -> int:
        """How many copies stand beside the original."""
        return len(self.sides.rows) - 1

    @property
    def all_copies(self) -> range:
        """The numbers of the copies: 1 to m."""
        return range(1, self.n_copies + 1)

    def key_profile(self, copies: Sequence[int]) -> Profile:
        """Key combinations alone, in the original and in these copies pooled."""
        return key_profile(self.keys, copies)

    def target_profiles(self, copies: Sequence[int]) -> Iterator[Profile]:
        """The cells of each target in turn, in the original and in these copies pooled."""
        for column, cells in zip(self.target_columns, self.cells, strict=True):
            yield target_profile(self.keys, cells, column.counts[0], copies)

    def whole_rows(self) -> Iterator[Counts]:
        """Distinct records over all compared columns, counted on every side, in pieces."""
        return count_whole_rows(self.keys, self.target_columns)


def encode_all(
    aligned: Aligned, names: Sequence[str], progress: Progress = silent
) -> tuple[Column, ...]:
    """Encode the named columns, all sides at once."""
    columns = []
    for done, name in enumerate(names):
        progress(f"reading the levels of {name}", done, len(names))
        columns.append(encode(name, aligned.columns[name]))
    return tuple(columns)


def count(
    key_columns: Sequence[Column],
    target_columns: Sequence[Column],
    progress: Progress = silent,
) -> Scenario:
    """Count the key combinations once, then the cells of every target."""
    sides = key_columns[0].sides
    keys = count_keys(key_columns, sides)
    cells = []
    for done, target in enumerate(target_columns):
        progress(f"counting {target.name}", done, len(target_columns))
        cells.append(count_cells(keys, target))
    return Scenario(sides, tuple(key_columns), tuple(target_columns), keys, tuple(cells))
