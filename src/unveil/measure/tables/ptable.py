"""`unveil.ptable`: by how much is a count changed, given the key of its cell?

Cell keys (Fraser and Wooton 2005; Marley and Leaver 2011): every person has a secret record key in
[0, 1); the key of a cell is the fractional part of the sum of the keys of its people; the published
value is c + v, with v read off the row of c in a table of probabilities. The same people have the
same value in every table. Sources from memory, not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from unveil.arguments import parse_number_within, parse_whole_number, quote_value
from unveil.arrays import Floats, Ints
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.io.sources import read_table
from unveil.measure.one_table import OneTable
from unveil.seeding import stream

KEY_BITS = 53
KEYS = 1 << KEY_BITS
"""Keys are whole numbers below it, so that sums in any order have the same fractional part."""
LARGEST_SHIFT = 100
_ALMOST = 1e-9
_ROUNDS = 200


@dataclass(frozen=True)
class PtableRow:
    """What happens to one count: the shifts v, ascending, and their probabilities."""

    shifts: tuple[int, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Ptable:
    """Probabilities of each shift of each count; the last row is that of all larger counts."""

    rows: tuple[PtableRow, ...]

    @property
    def last(self) -> int:
        """The count from which on all rows are equal."""
        return len(self.rows) - 1

    @property
    def largest_shift(self) -> int:
        """D, the most by which a count is changed."""
        return max(abs(v) for row in self.rows for v in row.shifts)

    def publish(self, counts: Ints, keys: Floats) -> Ints:
        """Counts with the shift that the key of each cell reads off its row."""
        row = np.minimum(counts, self.last)
        made = counts.copy()
        for i in np.unique(row).tolist():
            here = np.flatnonzero(row == i)
            steps = np.cumsum(self.rows[i].probabilities)[:-1]
            place = np.searchsorted(steps, keys[here], side="right")
            made[here] += np.array(self.rows[i].shifts, np.int64)[place]
        return made

    def possible_counts(self, published: int) -> tuple[int, ...]:
        """The counts that may be published so, by a reader who knows the table."""
        D = self.largest_shift
        nearby = range(max(0, published - D), published + D + 1)
        return tuple(i for i in nearby if self._probability(i, published) > 0)

    def posterior(self, published: int, prior: Sequence[float]) -> tuple[float, ...]:
        """P(i | x), proportional to prior(i) p_i(x - i), for counts 0, 1, ... of the prior.

        It depends on the prior and proves nothing: quote it beside bounds, not instead of them.
        """
        joint = [p * self._probability(i, published) for i, p in enumerate(prior)]
        total = sum(joint)
        if not total > 0:
            raise SettingsError(
                f"No count of the prior may be published as {quote_value(published)}."
            )
        return tuple(one / total for one in joint)

    def _probability(self, count: int, published: int) -> float:
        row = self.rows[min(count, self.last)]
        found = dict(zip(row.shifts, row.probabilities, strict=True))
        return found.get(published - count, 0.0)

    def frame(self) -> pl.DataFrame:
        """One row per count and shift: i, v, what is published (j = i + v), and p."""
        return pl.DataFrame(
            [
                {"i": i, "v": v, "j": i + v, "p": p}
                for i, row in enumerate(self.rows)
                for v, p in zip(row.shifts, row.probabilities, strict=True)
            ]
        )

    def check(self) -> pl.DataFrame:
        """Of each count: the sum of its probabilities, and mean and variance of the shift."""
        made = []
        for i, row in enumerate(self.rows):
            v, p = np.array(row.shifts, float), np.array(row.probabilities)
            mean = float(p @ v)
            made.append(
                {"i": i, "sum": float(p.sum()), "mean": mean, "variance": float(p @ v**2) - mean**2}
            )
        return pl.DataFrame(made)


def ptable(D: int, V: float, js: int = 0) -> Ptable:
    """The table of probabilities of largest entropy.

    Parameters
    ----------
    D
        The most by which a count is changed.
    V
        The variance of the change. A row that cannot have it takes the nearest it can:
        `.check()` says which.
    js
        Published values from 1 to js do not occur.

    Notes
    -----
    Row i has shifts v from -D to D with i + v = 0 or i + v > js, mean 0 and variance V, and the
    largest entropy: p(v) proportional to exp(b v + g v^2). Row 0 stays 0: no one is made up. Rows
    from D + js + 1 on are equal. With js = 2 row 1 has only 0 and 3, and the variance 2.

    References
    ----------
    Giessing (2016), from memory, not checked; compared with no other program.
    """
    largest = parse_whole_number("D", D, least=1, most=LARGEST_SHIFT)
    variance = parse_number_within("V", V, "(0, inf)")
    if variance > largest**2:
        raise SettingsError(f"V is {variance:g}: shifts up to {largest} have at most {largest**2}.")
    barred = parse_whole_number("js", js, least=0, most=largest)
    rows = [PtableRow((0,), (1.0,))]
    for i in range(1, largest + barred + 2):
        shifts = [v for v in range(-largest, largest + 1) if i + v == 0 or i + v > barred]
        rows.append(_widest_row(np.array(shifts, np.int64), variance))
    return Ptable(tuple(rows))


def _widest_row(v: Ints, variance: float) -> PtableRow:
    """Mean 0, this variance or the nearest there is, and the largest entropy."""
    below, above = v[v < 0], v[v > 0]
    least = 0.0 if 0 in v else float(-below.max() * above.min())
    if variance <= least + _ALMOST:
        return _two_points(int(below.max()), int(above.min()))
    if variance >= -below.min() * above.max() - _ALMOST:
        return _two_points(int(below.min()), int(above.max()))
    p = _largest_entropy(v.astype(float), variance)
    return PtableRow(tuple(v.tolist()), tuple(p.tolist()))


def _two_points(a: int, b: int) -> PtableRow:
    return PtableRow((a, b), (b / (b - a), -a / (b - a)))


def _largest_entropy(v: Floats, variance: float) -> Floats:
    """Newton's method on the convex dual, log sum exp(b v + g v^2) - g V, halving its steps."""
    x = np.column_stack([v, v**2])
    goal = np.array([0.0, variance])
    t = np.zeros(2)

    def dual(t: Floats) -> tuple[float, Floats]:
        e = x @ t
        w = np.exp(e - e.max())
        return float(e.max() + np.log(w.sum()) - t @ goal), w / w.sum()

    value, p = dual(t)
    for _ in range(_ROUNDS):
        slope = p @ x - goal
        if np.abs(slope).max() < 1e-14 * max(1.0, variance):
            break
        centred = x - p @ x
        step = np.linalg.inv((centred * p[:, None]).T @ centred) @ slope
        size = 1.0
        while size > 1e-12 and dual(t - size * step)[0] > value:
            size /= 2
        if size <= 1e-12:
            break
        t = t - size * step
        value, p = dual(t)
    return p


def read_ptable(path: str) -> Ptable:
    """An office's own table: a file with columns i, v (or j = i + v) and p."""
    return _read_ptable(path, Path(path).stat().st_mtime_ns if Path(path).is_file() else 0)


@lru_cache(maxsize=8)
def _read_ptable(path: str, changed: int) -> Ptable:  # read again where it changed
    table = read_table(path, side="data")
    has_shift = "v" in table.frame.columns
    table.check_columns(("i", "v" if has_shift else "j", "p"))
    try:
        i = table.frame["i"].cast(pl.Int64).to_numpy()
        v = table.frame["v" if has_shift else "j"].cast(pl.Int64).to_numpy()
        p = table.frame["p"].cast(pl.Float64).to_numpy()
    except pl.exceptions.PolarsError:
        raise ReadError(f"{table.place} has columns i, v, p that are not all numbers.") from None
    shift = v if has_shift else v - i
    made = []
    for count in range(int(i.max(initial=-1)) + 1):
        here = np.flatnonzero((i == count) & (p > 0))
        here = here[np.argsort(shift[here])]
        shifts = tuple(shift[here].tolist())
        is_whole = len(set(shifts)) == len(shifts) and abs(float(p[here].sum()) - 1) < 1e-6
        if not is_whole or (p[i == count] < 0).any() or any(count + one < 0 for one in shifts):
            raise ReadError(
                f"{table.place} is no table of probabilities: for i = {count} they must add up to"
                " 1, each shift once, and no value below 0 be published."
            )
        made.append(PtableRow(shifts, tuple((p[here] / p[here].sum()).tolist())))
    if len(made) < 2 or made[0].shifts != (0,):
        raise ReadError(
            f"{table.place} needs rows for i = 0, which stays 0, and for i = 1 at least."
        )
    return Ptable(tuple(made))


# Record keys, and the keys of cells.


NEEDS_KEYS = (
    "Cell keys are sums of the secret keys of people, and counts have none: give people's records"
    " (--microdata), or choose noise:D:zeros, which draws for each value."
)


@dataclass(frozen=True)
class RecordKeys:
    """Whose key is in which cell; without a column of keys, they are drawn by the seed."""

    cell: Ints
    n_cells: int
    keys: Ints | None

    def sums(self, seed: int | None) -> Ints:
        """The sum of the keys in each cell of the table, up to multiples of `KEYS`."""
        made = np.zeros(self.n_cells, np.int64)
        keys = draw_keys(len(self.cell), seed) if self.keys is None else self.keys
        np.add.at(made, self.cell, keys)  # sums beyond 64 bits keep their last 53
        return made


def as_fractions(sums: Ints) -> Floats:
    """The keys of cells, in [0, 1)."""
    made: Floats = (sums & (KEYS - 1)) / KEYS
    return made


def draw_keys(n_people: int, seed: int | None) -> Ints:
    """A key for each person, in the order of the records; the seed undoes them all."""
    return stream(seed or 0, "record keys").integers(0, KEYS, n_people, dtype=np.int64)


def keys_in(people: OneTable, name: str) -> Ints:
    """The keys in a column of the records: numbers from 0 to below 1."""
    given = people.others[name]
    values = given.cast(pl.Float64, strict=False).to_numpy() if given.dtype.is_numeric() else None
    if values is None or given.null_count() or not ((values >= 0) & (values < 1)).all():
        raise RolesError(
            f"The record keys in column {name!r} must be numbers from 0 to below 1, one for every"
            " record."
        )
    return (values * KEYS).astype(np.int64)
