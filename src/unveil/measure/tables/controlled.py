"""Controlled rounding: every value goes to a neighbouring multiple, and all of them still add up.

Zero-restricted and additive: Cox and Ernst 1982; Causey, Cox and Ernst 1985.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, InternalError
from unveil.measure.tables.grid import Counts
from unveil.measure.tables.unbiased import unbiased

LIMIT_SECONDS = 300.0


def controlled(
    counts: Counts, base: int, draws: np.random.Generator, sums: Sequence[Counts]
) -> Counts:
    """Round counts so that every sum of rounded counts is a neighbouring multiple of its sum.

    Notes
    -----
    A count c = base (w + f), 0 <= f < 1, becomes base (w + y) with y = 0 or 1, and 0 where f = 0.
    `sums` are the margins, each with a row of cells per entry: the rounded cells of a row must add
    up to the multiple at, next below or next above the row's own true sum.

    - No margin: y = 1 with probability f, each by itself. This is random rounding.
    - One or two margins: every value has its count for its mean over draws; see `unbiased`. The
      total is controlled too, whether it is asked for or not.
    - More: an integer programme. Among all such roundings the one with the least sum of (u - f) y
      is taken, u uniform. Without margins that would be y = 1 where u < f, random rounding; margins
      bend it as little as they can, but the mean over draws is then not exactly the count. Three
      and more dimensions may have no controlled rounding at all, and then the table is refused.

    References
    ----------
    Cox and Ernst 1982, Controlled rounding; Causey, Cox and Ernst 1985, Applications of
    transportation theory to statistical problems, which has a three-way table without any.
    """
    margins = [cells for cells in sums if len(cells) > 1]
    made = (
        unbiased(counts, base, draws, margins)
        if sums and len(margins) <= 2
        else _programmed(counts, base, draws, sums)
    )
    _check(made, counts, base, sums)
    return made


def _programmed(
    counts: Counts, base: int, draws: np.random.Generator, sums: Sequence[Counts]
) -> Counts:
    whole, rest = np.divmod(counts, base)
    thresholds = draws.random(len(counts))
    free = np.flatnonzero(rest)
    up = np.zeros(len(counts), np.int64)
    if free.size:
        f = rest[free] / base
        up[free] = _chosen(thresholds[free] - f, _rows(counts, whole, free, base=base, sums=sums))
    made: Counts = (whole + up) * base
    return made


Rows = tuple[Counts, Counts, Counts, Counts]


def _rows(
    counts: Counts, whole: Counts, free: Counts, *, base: int, sums: Sequence[Counts]
) -> Rows | None:
    """Each margin as: how many of its free cells may go up, at least and at most."""
    place = np.full(len(counts), -1, np.int64)
    place[free] = np.arange(free.size)
    rows: list[Counts] = []
    columns: list[Counts] = []
    least: list[Counts] = []
    most: list[Counts] = []
    for cells in sums:
        true = counts[cells].sum(axis=1)
        below = true // base - whole[cells].sum(axis=1)
        entry, member = np.nonzero(place[cells] >= 0)
        rows.append(entry + sum(len(one) for one in least))
        columns.append(place[cells][entry, member])
        least.append(below)
        most.append(below + (true % base > 0))
    if not rows:
        return None
    return (
        np.concatenate(rows),
        np.concatenate(columns),
        np.concatenate(least),
        np.concatenate(most),
    )


def _chosen(cost: NDArray[np.float64], rows: Rows | None) -> NDArray[np.int64]:
    """Which free cells go up, at the least cost."""
    if rows is None:
        return (cost < 0).astype(np.int64)
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    row, column, least, most = rows
    matrix = csr_array((np.ones(len(row)), (row, column)), shape=(len(least), len(cost)))
    found = milp(
        cost,
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, least, most),
        options={"time_limit": LIMIT_SECONDS, "mip_rel_gap": 0},
    )
    if found.status == 0:
        chosen: NDArray[np.int64] = np.rint(found.x).astype(np.int64)
        return chosen
    if found.status == 2:
        raise InputError(
            "No controlled rounding adds up to all the margins asked for: tables of three and more"
            " dimensions may have none. Ask for fewer margins, or round with 'random'."
        )
    raise InputError(
        f"No controlled rounding was found within {LIMIT_SECONDS:,.0f} seconds. Ask for fewer"
        " margins, or round with 'random'."
    )


def _check(made: Counts, counts: Counts, base: int, sums: Sequence[Counts]) -> None:
    """A solver works in floats: that its answer is a controlled rounding is checked in integers."""
    for true, rounded in (
        (counts, made),
        *((counts[cells].sum(axis=1), made[cells].sum(axis=1)) for cells in sums),
    ):
        if (rounded % base).any() or (abs(rounded - true) >= base).any():
            raise InternalError("A controlled rounding does not add up.")
