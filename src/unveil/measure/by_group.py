"""Is one group disclosed while the average looks low? DiSCO within every level of every key."""

from collections.abc import Iterator, Sequence

import numpy as np

from unveil.count.exclusions import Exclusions
from unveil.count.levels import label
from unveil.count.packing import Whole
from unveil.measure.figures import groups
from unveil.records.copies import Copy
from unveil.records.disclosure import GroupRow

LEAST_PEOPLE = 20
LEAST_DISCLOSED = 10
SIGNIFICANT = 0.001


def rows_by_group(exclusions: Exclusions) -> Iterator[GroupRow]:
    """Levels of keys in which more people are disclosed correctly than all others predict.

    Notes
    -----
    Expected is the larger of DiSCO among all other people and of the share of the group with its
    commonest value, which needs no data to be guessed. A row is given where at least ten of at
    least twenty people are disclosed correctly, and the binomial tail is below 0.001 / levels
    tested.

    References
    ----------
    Raab (2024), equation 11, within the levels of a key.
    """
    scenario = exclusions.scenario
    for place in range(len(scenario.target_columns)):
        for copy, copies in groups(scenario).items():
            correct = _correct_by_keys(exclusions, place, copies)
            found = [
                row
                for key in range(len(scenario.key_columns))
                for row in _rows(exclusions, place, key, copy, correct)
            ]
            yield from (row for row in found if row.p < SIGNIFICANT / max(row.n_tested, 1))


def _correct_by_keys(exclusions: Exclusions, place: int, copies: Sequence[int]) -> Whole:
    """People of each key combination who are disclosed correctly."""
    scenario = exclusions.scenario
    cells = scenario.cells[place]
    s_q = scenario.keys.counts[list(copies)].sum(axis=0)
    s_tq = cells.counts[list(copies)].sum(axis=0)
    is_kept = (s_tq == s_q[cells.q]) & (s_tq > 0) & ~exclusions.gone(place, copies)
    counted = np.bincount(cells.q[is_kept], cells.counts[0][is_kept], len(s_q))
    return counted.astype(np.int64)


def _rows(
    exclusions: Exclusions, place: int, key: int, copy: Copy, correct: Whole
) -> Iterator[GroupRow]:
    from scipy.special import bdtrc

    scenario = exclusions.scenario
    column, target = scenario.key_columns[key], scenario.target_columns[place]
    codes = scenario.codes_of_keys[key]
    people = np.bincount(codes, scenario.keys.counts[0], column.n_levels).astype(np.int64)
    disclosed = np.bincount(codes, correct, column.n_levels).astype(np.int64)
    is_tested = people >= LEAST_PEOPLE
    commonest = scenario.joint_counts(place, key).max(axis=0) / np.maximum(people, 1)
    rest = (disclosed.sum() - disclosed) / np.maximum(people.sum() - people, 1)
    expected = np.maximum(rest, commonest)
    for code in np.flatnonzero(is_tested & (disclosed >= LEAST_DISCLOSED)):
        p0 = float(min(expected[code], 1.0))
        p = 1.0 if p0 >= 1 else float(bdtrc(int(disclosed[code]) - 1, int(people[code]), p0))
        yield GroupRow(
            target=target.name,
            copy=copy,
            key=column.name,
            level=label(column, int(code)),
            n_people=int(people[code]),
            n_correct=int(disclosed[code]),
            percent=100 * int(disclosed[code]) / int(people[code]),
            expected=100 * p0,
            p=p,
            n_tested=int(is_tested.sum()),
        )
