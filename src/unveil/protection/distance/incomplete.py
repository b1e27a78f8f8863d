"""Neighbours where values are missing: the worst case, as paper 004 asks for.

Between originals missing values make the distance as long as they can, between a synthetic row and
an original as short as they can (SPEC E). Rows are searched by pairs of missingness patterns.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from unveil.count.one_thread import one_thread
from unveil.count.profile import Mask
from unveil.protection.distance.leads import Leads, Originals
from unveil.protection.distance.near import Near
from unveil.protection.distance.patterns import Pattern
from unveil.protection.distance.settings import Floats
from unveil.protection.distance.whitening import Geometry

MOST_PAIRS = 2**21
"""Pairs held at once."""


def _pairs_of_patterns(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    *,
    is_exact: bool,
) -> Iterator[tuple[Pattern, list[Near]]]:
    """For each pattern of synthetic rows, the patterns of originals; not complete with complete."""
    for mine in synthetic[1]:
        found = [
            Near(geometry, synthetic[0], original[0], mine, theirs, is_exact)
            for theirs in original[1]
            if not (mine.is_complete and theirs.is_complete)
        ]
        if found:
            yield mine, found


def _size(found: Sequence[Near]) -> int:
    """How many synthetic rows are compared at once with the originals of a pattern."""
    return max(MOST_PAIRS // max(len(near.of_original.rows) for near in found), 1)


@one_thread()
def near_leads(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    originals: Originals,
    leads: Leads,
    *,
    is_exact: bool,
) -> bool:
    """Bring in all pairs of which one row misses a value; whether any distance was bounded."""
    is_bounded = False
    for mine, found in _pairs_of_patterns(geometry, synthetic, original, is_exact=is_exact):
        for rows in mine.pieces(_size(found)):
            best = leads.distance[rows].copy()
            pairs = [near.nearest(rows, best) for near in found]
            row, at, distance = (np.concatenate(part) for part in zip(*pairs, strict=True))
            leads.take(row, at, distance, originals)
        is_bounded |= any(near.is_bound for near in found)
    return is_bounded


@one_thread()
def near_within(
    geometry: Geometry,
    synthetic: tuple[Floats, Sequence[Pattern]],
    original: tuple[Floats, Sequence[Pattern]],
    own: Floats,
    *,
    is_exact: bool,
) -> Mask:
    """Which synthetic rows lie too close to any original, where one of the two misses a value."""
    refused = np.zeros(len(synthetic[0]), bool)
    for mine, found in _pairs_of_patterns(geometry, synthetic, original, is_exact=is_exact):
        for rows in mine.pieces(_size(found)):
            for near in found:
                left = rows[~refused[rows]]
                refused[left[near.within(left, own)]] = True
    return refused
