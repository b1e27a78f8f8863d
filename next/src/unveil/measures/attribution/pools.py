"""Copies pooled one after the other: the first alone, the first two, and so on up to all.

The cells of the original and of all copies are counted once; a pool of fewer copies is the same
cells with fewer synthetic records in them.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unveil.counts.cells import Cells, Ints
from unveil.counts.profile import CellProfile
from unveil.study import ORIGINAL, Side, Study


def all_copies(study: Study, version: str) -> Side:
    """The only copy of a version, or all of them pooled."""
    *_, side = (side for side in study.sides() if side.version == version)
    return side


def pools(
    study: Study, target: str, version: str, people: int = ORIGINAL
) -> Iterator[tuple[int, CellProfile]]:
    """For m = 1 to M, the profile of a target beside the first m copies of a version."""
    side = all_copies(study, version)
    if not study.in_memory:
        for m in range(1, len(side.files) + 1):
            yield m, study.profile(target, side._replace(files=side.files[:m]), people=people)
        return
    whole = study.profile(target, side, people=people)
    if len(side.files) == 1:
        yield 1, whole
        return
    cells = whole.cells
    cell_of, is_single = cells_of_copies(cells), (cells.d_tq == 0) & (cells.q >= cells.keys.n_q)
    records, stop = np.zeros(len(cells.t), np.int64), 0
    for m, number in enumerate(side.files, start=1):
        start, stop = stop, stop + study.files[number].size
        records = records + np.bincount(cell_of[start:stop], minlength=len(records))
        pool = replace(
            cells,
            s_tq=np.where(is_single, 1, records),
            w=np.where(is_single, records, cells.w),
        )
        yield m, replace(CellProfile.of(pool, people), N_s=stop)


def cells_of_copies(cells: Cells) -> Ints:
    """The cell of each record of the copies."""
    keys, target = cells.keys, cells.target
    q = keys.q[keys.pair.n_d :].astype(np.int64)
    t = keys.pair.of(target.codes)[keys.pair.n_d :]
    cell = np.searchsorted(cells.packed, q * target.n_levels + t)
    of_single = np.flatnonzero((cells.d_tq == 0) & (cells.q >= keys.n_q))
    place = np.searchsorted(cells.t[of_single], t[q < 0])
    cell[q < 0] = of_single[place]
    return cell
