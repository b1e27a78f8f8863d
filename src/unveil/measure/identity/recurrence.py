"""Do people of the original stand in the copy, whole: the same value in every compared column?

A copy that holds the original's own rows is measured like any other, and shouted about: whatever
its other figures say, it gives those people away entirely. The idea is that of "replicated uniques"
(Raab 2024, section 3.2) over all columns, without asking that the rows be unique.
"""

from typing import Literal

import numpy as np

from unveil.count.scenario import Scenario
from unveil.records.disclosure import Recurrence


def recurrences(scenario: Scenario) -> list[Recurrence]:
    """For each copy, how many original records stand in it whole."""
    n = np.zeros(scenario.n_copies, np.int64)
    is_contained = np.ones(scenario.n_copies, bool)
    is_equal = np.ones(scenario.n_copies, bool)
    for counts in scenario.whole_rows():
        d, s = counts[0], counts[1:]
        n += np.where(s > 0, d, 0).sum(axis=1)
        is_contained &= (s >= d).all(axis=1)
        is_equal &= (s == d).all(axis=1)
    n_original = scenario.sides.rows[0]
    return [
        Recurrence(
            copy=copy,
            n=n[copy - 1],
            percent=100 * n[copy - 1] / max(n_original, 1),
            n_columns=len(scenario.key_columns) + len(scenario.target_columns),
            kind=_kind(int(n[copy - 1]), is_contained[copy - 1], is_equal[copy - 1]),
        )
        for copy in scenario.all_copies
    ]


def _kind(
    n: int, is_contained: np.bool_, is_equal: np.bool_
) -> Literal["none", "some", "all", "equal"]:
    if n == 0:
        return "none"
    if is_equal:
        return "equal"
    return "all" if is_contained else "some"
