"""Is one group disclosed while the average looks low? DiSCO within every level of every key."""

from collections.abc import Iterator

import numpy as np

from unveil.count.exclusions import Exclusions
from unveil.count.levels import label
from unveil.count.packing import Whole
from unveil.count.scenario import Scenario
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
    people = [
        np.bincount(codes, scenario.keys.counts[0], column.n_levels).astype(np.int64)
        for column, codes in zip(scenario.key_columns, scenario.codes_of_keys, strict=True)
    ]
    for place in range(len(scenario.target_columns)):
        for copy, copies in groups(scenario).items():
            single, _ = scenario.single_cells(place, copies)
            if exclusions.act_on(place):
                single = single[~exclusions.gone(place, copies)[single]]
            if int(scenario.cells[place].counts[0][single].sum()) < LEAST_DISCLOSED:
                continue
            for key in range(len(scenario.key_columns)):
                for row in _rows(
                    scenario, place, key, copy=copy, single=single, people=people[key]
                ):
                    if row.p < SIGNIFICANT / max(row.n_tested, 1):
                        yield row


def _rows(
    scenario: Scenario, place: int, key: int, *, copy: Copy, single: Whole, people: Whole
) -> Iterator[GroupRow]:
    """Levels of one key, each with what all others predict."""
    from scipy.special import bdtrc

    cells = scenario.cells[place]
    column, target = scenario.key_columns[key], scenario.target_columns[place]
    codes = scenario.codes_of_keys[key][cells.q_of(single)]
    disclosed = np.bincount(codes, cells.counts[0][single], column.n_levels).astype(np.int64)
    is_tested = people >= LEAST_PEOPLE
    rest = (disclosed.sum() - disclosed) / np.maximum(people.sum() - people, 1)
    stands_out = disclosed > np.maximum(rest * people, LEAST_DISCLOSED - 1)
    for code in np.flatnonzero(is_tested & stands_out):
        commonest = scenario.joint_counts(place, key)[:, code].max() / people[code]
        p0 = float(min(max(rest[code], commonest), 1.0))
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
