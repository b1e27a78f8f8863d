"""How likely is the guess of each secret right, for each person?

The guess is the secret of the nearest synthetic record, one of them at random where several are as
near; what is computed is the share of these that are right, which is its exact expectation. With
keys that are all categories this is GCAP: key combinations are counted, and only those that the
copy does not have are searched for.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unveil.count.cells import count_cells, count_keys
from unveil.count.codes import Column
from unveil.count.packing import Whole
from unveil.count.scenario import Progress
from unveil.count.sides import Sides
from unveil.measure.attacks.distances import Axis, Floats
from unveil.measure.attacks.inference_secrets import Secret
from unveil.measure.attacks.nearest import Found, find, in_pieces, representatives
from unveil.measure.attribution.classes import Classes
from unveil.measure.attribution.joint import joined
from unveil.measure.attribution.nearest import nearest

SEARCHING = "searching the nearest records"
MOST_GROUPED = 8
"""With more keys than this, searching takes less time than counting all choices of them."""


def searched_together(
    axes: Sequence[Axis],
    secrets: Sequence[Secret],
    persons: Whole,
    copy: slice,
    progress: Progress,
) -> Floats:
    """Secrets x persons: each secret is one of the axes, and guessed from all the others.

    All searches share the distances along all axes.
    """
    names = [axis.name for axis in axes]
    without = [names.index(secret.name) for secret in secrets]
    digits = [(axis.codes, axis.n_levels) for axis in axes]
    examples, of_person = representatives(digits, persons)

    def task(piece: Whole) -> Floats:
        found = find(axes, piece, copy, without=without)
        return np.stack(
            [
                _share_right(secret, pairs, piece, copy)
                for secret, pairs in zip(secrets, found, strict=True)
            ]
        )

    n_rows = copy.stop - copy.start
    return in_pieces(examples, n_rows, task, what=SEARCHING, progress=progress)[:, of_person]


def _share_right(secret: Secret, pairs: Found, persons: Whole, copy: slice) -> Floats:
    right = secret.is_right(persons[pairs.person], copy.start + pairs.row)
    return pairs.per_person(right) / pairs.per_person(pairs.is_tied)


def searched_by_keys(
    axes: Sequence[Axis],
    secrets: Sequence[Secret],
    persons: Whole,
    copy: slice,
    progress: Progress,
) -> Floats:
    """Secrets x persons: no secret is one of the axes, so one search serves them all.

    Each combination of keys is searched once, for all who have it; their secrets are looked up
    among those of the nearest records.
    """
    examples, of_person = representatives([(axis.codes, axis.n_levels) for axis in axes], persons)
    order = np.argsort(of_person, kind="stable")
    ends = np.searchsorted(of_person[order], np.arange(len(examples) + 1))

    def task(piece: Whole) -> Floats:
        (found,) = find(axes, examples[piece], copy)
        mine = order[ends[piece[0]] : ends[piece[-1] + 1]]
        whose = of_person[mine] - piece[0]
        n_tied = found.per_person(found.is_tied)[whose]
        nearest_rows = (found.person, copy.start + found.row)
        return np.stack(
            [secret.n_right((whose, persons[mine]), nearest_rows) / n_tied for secret in secrets]
        )

    in_order = in_pieces(
        np.arange(len(examples)), copy.stop - copy.start, task, what=SEARCHING, progress=progress
    )
    shares = np.empty_like(in_order)
    shares[:, order] = in_order
    return shares


def can_be_grouped(axes: Sequence[Axis], secret: Secret) -> bool:
    """Whether keys are few and all categories, and the secret must be met exactly."""
    return (
        secret.is_exact and len(axes) <= MOST_GROUPED and not any(axis.is_number for axis in axes)
    )


def grouped(keys: Sequence[Column], secret: Secret, persons: Whole, copy: slice) -> Floats:
    """The share of right guesses of each person, by counting key combinations: GCAP."""
    sides = Sides((len(persons), copy.stop - copy.start))
    rows = np.r_[persons, copy]
    chosen = [replace(c, sides=sides, codes=c.codes[rows]) for c in (*keys, secret.column)]
    counted = count_keys(chosen[:-1], sides)
    cells = count_cells(counted, chosen[-1])
    classes = Classes(tuple(chosen[:-1]), counted, joined(chosen[-1:], {}, {}), cells)
    found = nearest(classes, cells.counts[1].astype(np.int64))
    shares: Floats = (found.agreeing / found.nearest)[classes.own_of_row]
    return shares
