"""How do two columns of numbers lie together? Hexagons with counts, or some of the points."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from unveil.count.profile import Mask
from unveil.count.streams import stream
from unveil.errors import RolesError
from unveil.measure.utility.coding import Floats, Variable, Whole
from unveil.measure.utility.distributions import bin_edges
from unveil.records.comparison import Cloud, PairCounts

ACROSS = 20
MOST_POINTS = 2_000
_CHUNK = 2**18

_HEIGHT = math.sqrt(3)  # of two rows of hexagons that are 1 wide


def pair_counts(a: Variable, b: Variable) -> PairCounts:
    """Two numbers in hexagons on every side, without the outermost half percent of either.

    Notes
    -----
    Hexagons stand on a corner, 20 across; a point belongs to the nearest centre of two rectangular
    lattices, one shifted by half a hexagon (Carr and others 1987).
    """
    _refuse_other(a, b)
    ranges = _range(a), _range(b)
    n_rows = 2 * (math.ceil(ACROSS / _HEIGHT) + 2)
    n_sides = len(a.column.sides.rows)
    table = np.zeros((n_sides, n_rows * (ACROSS + 2)), np.int64)
    n_outside = np.zeros(n_sides, np.int64)
    for side in range(n_sides):
        for u, v in _points(a, b, side, ranges):
            inside = (u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)
            n_outside[side] += int((~inside).sum())
            table[side] += np.bincount(_hexagon(u[inside], v[inside]), minlength=table.shape[1])
    cells = np.flatnonzero(table.any(axis=0))
    x, y = _centre(cells)
    return PairCounts(
        a=a.name,
        b=b.name,
        kind_a=a.kind,
        kind_b=b.kind,
        range_a=ranges[0],
        range_b=ranges[1],
        n_across=ACROSS,
        x=tuple(_unscaled(x, ranges[0]).tolist()),
        y=tuple(_unscaled(y, ranges[1]).tolist()),
        n_original=tuple(table[0, cells].tolist()),
        n_synthetic=tuple(table[1:, cells].sum(axis=0).tolist()),
        n_outside_original=int(n_outside[0]),
        n_outside_synthetic=int(n_outside[1:].sum()),
    )


def cloud(a: Variable, b: Variable) -> Cloud:
    """Points of both, records of each side by chance: at most 2,000, half of them original."""
    _refuse_other(a, b)
    n_sides = len(a.column.sides.rows)
    kept = [np.flatnonzero(_both(a, b, side)) for side in range(n_sides)]
    n_synthetic = sum(len(rows) for rows in kept[1:])
    original = _values(a, b, 0, drawn_rows(kept[0], MOST_POINTS // 2))
    copies = [
        _values(a, b, side, drawn_rows(rows, MOST_POINTS * len(rows) // (2 * max(n_synthetic, 1))))
        for side, rows in enumerate(kept[1:], start=1)
    ]
    points = np.concatenate([original, *copies])
    is_original = np.arange(len(points)) < len(original)
    return Cloud(
        a=a.name,
        b=b.name,
        side=tuple("original" if one else "synthetic" for one in is_original),
        x=tuple(points[:, 0].tolist()),
        y=tuple(points[:, 1].tolist()),
        n_original=len(kept[0]),
        n_synthetic=n_synthetic,
    )


def _refuse_other(a: Variable, b: Variable) -> None:
    for one in (a, b):
        if not one.is_number or not one.is_ordinary.any():
            raise RolesError(f"Column {one.name!r} holds no numbers. Choose two columns that do.")
    if a.name == b.name:
        raise RolesError(f"Column {a.name!r} is given twice. Choose two columns.")


def _range(variable: Variable) -> tuple[float, float]:
    counts = sum(variable.ordinary_counts(side) for side in range(len(variable.column.sides.rows)))
    occurs = np.asarray(counts) > 0
    edges, _ = bin_edges(variable.values[occurs], np.asarray(counts)[occurs])
    return float(edges[0]), float(edges[-1])


def _points(
    a: Variable, b: Variable, side: int, ranges: Sequence[tuple[float, float]]
) -> Iterator[tuple[Floats, Floats]]:
    """Both numbers of a side on a scale from 0 to 1, a chunk of records at a time."""
    for start in range(0, a.column.sides.rows[side], _CHUNK):
        rows = slice(start, start + _CHUNK)
        kept = _both(a, b, side, rows)
        u, v = (
            _scaled(one.values[one.codes(side)[rows][kept]], limits)
            for one, limits in zip((a, b), ranges, strict=True)
        )
        yield u, v


def _both(a: Variable, b: Variable, side: int, rows: slice = slice(None)) -> Mask:
    kept: Mask = a.is_ordinary[a.codes(side)[rows]] & b.is_ordinary[b.codes(side)[rows]]
    return kept


def _scaled(values: Floats, limits: tuple[float, float]) -> Floats:
    made: Floats = (values / 2 - limits[0] / 2) / (limits[1] / 2 - limits[0] / 2)
    return made


def _unscaled(places: Floats, limits: tuple[float, float]) -> Floats:
    made: Floats = limits[0] / 2 + places * (limits[1] / 2 - limits[0] / 2)
    return np.clip(made, -8e307, 8e307) * 2


def _hexagon(u: Floats, v: Floats) -> Whole:
    """The number of the hexagon that each point is in."""
    x, y = u * ACROSS, v * ACROSS / _HEIGHT
    even = np.rint(x), np.rint(y)
    odd = np.floor(x), np.floor(y)
    to_even = (x - even[0]) ** 2 + 3 * (y - even[1]) ** 2
    to_odd = (x - odd[0] - 0.5) ** 2 + 3 * (y - odd[1] - 0.5) ** 2
    is_odd = to_odd < to_even
    column = np.where(is_odd, odd[0], even[0]).astype(np.int64)
    row = np.where(is_odd, 2 * odd[1] + 1, 2 * even[1]).astype(np.int64)
    return row * (ACROSS + 2) + column


def _centre(cells: Whole) -> tuple[Floats, Floats]:
    row, column = np.divmod(cells, ACROSS + 2)
    return (column + 0.5 * (row % 2)) / ACROSS, row / 2 * _HEIGHT / ACROSS


def drawn_rows(rows: Whole, most: int) -> Whole:
    """So many of the rows, always the same ones, in their order.

    By chance and not evenly spaced: every fifth of rows in a pattern of five shows one of five.
    """
    if len(rows) <= most:
        return rows
    return np.sort(stream(0, "points").choice(rows, most, replace=False))


def _values(a: Variable, b: Variable, side: int, rows: Whole) -> Floats:
    return np.stack([one.values[one.codes(side)[rows]] for one in (a, b)], axis=1)
