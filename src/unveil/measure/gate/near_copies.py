"""Does a synthetic record lie far nearer to a person than any other person does?

Numbers as ranks of the original, so that units and tails do not matter. For each person the
distance to the nearest record is set beside that to the nearest other person. The yardstick is
the same between two random parts of the original, whose sizes are to each other as people and
records are: an honest other sample.

Where the records' numbers lie elsewhere than the original's (other units, all ages a year on), the
ranks of each file by itself are compared, too: they are the same in any unit.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from unveil.arrays import Floats
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.records.alerts import NearCopies
from unveil.records.base import Copy
from unveil.seeding import stream

RATIOS = (0.03, 0.1, 0.3)
MANY_LEVELS = 20
MOST_NUMBERS = 4
"""The finest numbers take part: a record near in all is near in these, and more cost too much."""
MOVED = 0.005
"""The typical change of rank from which numbers lie elsewhere. Chance moves those of a small file
as far, which costs one more search."""
YARDSTICK = 20_000
"""People from whom the yardstick alone is estimated."""


def choose_numbers(columns: Sequence[LinkColumn]) -> list[LinkColumn]:
    """The numbers that take part together; fewer than two say nothing of records."""
    fine = _fine_numbers(columns)
    return fine[:MOST_NUMBERS] if len(fine) > 1 else []


def choose_alone(columns: Sequence[LinkColumn]) -> list[LinkColumn]:
    """The only number of a file: each of its values may be a person's with a hair of noise."""
    fine = _fine_numbers(columns)
    return fine if len(fine) == 1 else []


def _fine_numbers(columns: Sequence[LinkColumn]) -> list[LinkColumn]:
    fine = [
        column for column in columns if column.is_number and column.n_original_levels > MANY_LEVELS
    ]
    return sorted(fine, key=lambda column: (-column.n_original_levels, column.name))


def find_near_copies(
    numbers: Sequence[LinkColumn], sides: Sequence[int], copy: Copy
) -> Iterator[NearCopies]:
    """People with a record nearer than a small share of the way to the nearest other person."""
    people = _points(numbers, [ORIGINAL])
    if len(people) < 4:
        return
    records = _points(numbers, sides)
    found = _shares(people, records, len(people))
    if len(numbers) == 1:
        honest = _expected_alone(people[:, 0], len(records))
        yield from _rows(numbers, copy, found, honest)
        return
    order = stream(0, "near copies").permutation(len(people))
    # The more records, the nearer the nearest: the parts are as unequal as the files.
    cut = int(np.clip(len(people) ** 2 / (len(people) + len(records)), 2, len(people) - 1))
    honest = _shares(people[order[:cut]], people[order[cut:]], YARDSTICK)
    yield from _rows(numbers, copy, found, honest)
    within = _points(numbers, sides, within=True)
    if (np.median(np.abs(within - records), axis=0) > MOVED).any():
        found = _shares(people, within, len(people))
        yield from _rows(numbers, copy, found, honest, within=True)


def _expected_alone(ranks: Floats, n_records: int) -> list[float]:
    """The same of m records drawn anew, of one number: the mean of 1 - 1 / (1 + r m d)^2.

    d is the way to the nearest other person, by ranks, and r d the reach on either side. How likely
    a record falls into a gap between two people varies as the gaps do, exponentially with the mean
    d, so that a reach is missed by all m with the chance 1 / (1 + r m d). Parts of the original
    would say nothing here: by ranks, no two people are nearer than their neighbours.
    """
    gaps = np.diff(np.sort(ranks))
    nearest = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
    return [float(np.mean(1 - 1 / (1 + r * n_records * nearest) ** 2)) for r in RATIOS]


def _rows(
    numbers: Sequence[LinkColumn],
    copy: Copy,
    found: Sequence[float],
    honest: Sequence[float],
    *,
    within: bool = False,
) -> Iterator[NearCopies]:
    for ratio, share, expected in zip(RATIOS, found, honest, strict=True):
        yield NearCopies(
            copy=copy,
            columns=tuple(column.name for column in numbers),
            ratio=ratio,
            share=share,
            expected=expected,
            within_files=within,
        )


def _points(numbers: Sequence[LinkColumn], sides: Sequence[int], *, within: bool = False) -> Floats:
    """Records as ranks among the original's numbers, or `within` among those of their own file."""

    def ranks(column: LinkColumn, side: int) -> Floats:
        among = column.ranks_among(side) if within else column.ranks
        return among[column.select_side(side)]

    return np.column_stack([np.concatenate([ranks(one, s) for s in sides]) for one in numbers])


def _shares(people: Floats, records: Floats, most: int) -> list[float]:
    """For each ratio, the share of people with a record nearer than that times their neighbour.

    Of one number, equal values do not count: any donor gives them back (`single_holder`).
    """
    from unveil.models.neighbours.search import find_nearest_distances  # only a gate looks for them

    to_person, to_record = find_nearest_distances(people, records, most)
    counts = to_record > 0 if people.shape[1] == 1 else np.ones(len(to_record), bool)
    return [float(np.mean(counts & (to_record < ratio * to_person))) for ratio in RATIOS]
