"""Neighbours of complete rows beyond 10 dimensions: every pair, in tiles, in double precision.

|a - b|^2 = |a|^2 + |b|^2 - 2 ab: one matrix product for each tile finds who may be near. Its
rounding is bounded, all pairs within the bound are kept, and their distances are computed again
from the rows themselves, so that winners and ties are exact.
"""

from collections.abc import Iterator

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import chunks
from unveil.models.neighbours.whitening import TOLERANCE, Points, is_closer

COLUMNS = 1024
MOST_ROWS = 512
MOST_PAIRS = 2**24


class Tiles:
    """Distinct complete rows of the original, compared with others tile by tile."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def own(self, rows: Ints) -> Floats:
        """How far the nearest other row is from each of these; infinite where there is no other."""
        found = np.full(len(rows), np.inf)
        for row, at in _screen_pairs(self._points.some(rows), self._points, own=rows):
            np.minimum.at(found, row, self._points.apart(self._points, rows[row], at))
        return found

    def nearest(self, synthetic: Points) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Pairs of each synthetic row and its nearest originals, ties and a little more."""
        for row, at in _screen_pairs(synthetic, self._points, own=None):
            yield row, at, synthetic.apart(self._points, row, at)


def _screen_pairs(
    points: Points, others: Points, *, own: Ints | None
) -> Iterator[tuple[Ints, Ints]]:
    """For blocks of rows, the pairs that may be nearest; `own` is where rows are others too."""
    right = np.column_stack((others.white, _norms(others)))
    most = right[:, -1].max(initial=0)
    for rows in _blocks(len(points), len(others)):
        white = points.white[rows]
        norms = np.einsum("ij,ij->i", white, white)
        left = np.column_stack((-2 * white, np.ones(len(white))))
        rounding = _rounding_error(white.shape[1]) * (norms + most)
        row, at = _near(left, right, norms, rounding, None if own is None else own[rows])
        yield row + rows.start, at


def _near(
    left: Floats, right: Floats, norms: Floats, rounding: Floats, own: Ints | None
) -> tuple[Ints, Ints]:
    best = np.full(len(left), np.inf)
    found = []
    for first in range(0, len(right), COLUMNS):
        tile = left @ right[first : first + COLUMNS].T
        if own is not None:
            here = np.flatnonzero((own >= first) & (own < first + COLUMNS))
            tile[here, own[here] - first] = np.inf  # no row is its own neighbour
        lowest = tile.min(axis=1)
        np.minimum(best, lowest, out=best)
        reach = _reach(best, norms, rounding)
        rows = np.flatnonzero((lowest <= reach) & np.isfinite(lowest))
        row, at = np.nonzero(tile[rows] <= reach[rows, np.newaxis])
        row = rows[row]
        found.append((row, at + first, tile[row, at]))
    row, at, value = (np.concatenate(part) for part in zip(*found, strict=True))
    stays = value <= _reach(best, norms, rounding)[row]
    return row[stays], at[stays]


def _reach(best: Floats, norms: Floats, rounding: Floats) -> Floats:
    """The largest screened value that may still be nearest, or tie with it."""
    reach: Floats = best + 2 * rounding + 4 * TOLERANCE * np.maximum(best + norms, 0)
    return reach


def within(originals: Points, own: Floats, synthetic: Points) -> Mask:
    """Which synthetic rows are closer to any original than its nearest other original is."""
    refused = np.zeros(len(synthetic), bool)
    finite = np.where(np.isfinite(own), own, 0)
    if not np.isfinite(own).all():
        refused[:] = True
        return refused
    right = np.column_stack((originals.white, _norms(originals) - finite**2))
    most = float((_norms(originals) + finite**2).max(initial=0))
    for rows in _blocks(len(synthetic), len(originals)):
        white = synthetic.white[rows]
        norms = np.einsum("ij,ij->i", white, white)
        left = np.column_stack((-2 * white, np.ones(len(white))))
        rounding = (_rounding_error(white.shape[1]) + 4 * TOLERANCE) * (norms + most)
        for first in range(0, len(right), COLUMNS):
            tile = left @ right[first : first + COLUMNS].T
            lowest = tile.min(axis=1)
            refused[rows] |= lowest < -norms - rounding
            doubt = np.flatnonzero((lowest <= rounding - norms) & ~refused[rows])
            row, at = np.nonzero(tile[doubt] <= (rounding - norms)[doubt, np.newaxis])
            row, at = doubt[row] + rows.start, at + first
            refused[row[is_closer(synthetic.apart(originals, row, at), own[at])]] = True
    return refused


def _norms(points: Points) -> Floats:
    norms: Floats = np.einsum("ij,ij->i", points.white, points.white)
    return norms


def _rounding_error(n_dimensions: int) -> float:
    return float(8 * (n_dimensions + 2) * np.finfo(float).eps)


def _blocks(n_rows: int, n_others: int) -> Iterator[slice]:
    size = min(max(MOST_PAIRS // max(n_others, 1), 16), MOST_ROWS)
    return chunks(slice(0, n_rows), size)
