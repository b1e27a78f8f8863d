"""Do people of the original stand in the copy, whole: the same value in every compared column?

A copy that holds the original's own rows is measured like any other, and shouted about: whatever
its other figures say, it gives those people away entirely. The idea is that of "replicated uniques"
(Raab 2024, section 3.2) over all columns, without asking that the rows be unique.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from unveil.count.scenario import Scenario
from unveil.records.disclosure import Recurrence


def recurrences(scenario: Scenario) -> Iterator[Recurrence]:
    """For each copy, how many original records stand in it whole."""
    d, *copies = scenario.whole_rows
    n_columns = len(scenario.key_columns) + len(scenario.target_columns)
    for number, s in enumerate(copies, start=1):
        n = int(d[s > 0].sum())
        yield Recurrence(
            copy=number,
            n=n,
            percent=100 * n / max(int(d.sum()), 1),
            n_columns=n_columns,
            kind=_kind(d, s),
        )


def _kind(d: np.ndarray, s: np.ndarray) -> Literal["none", "some", "all", "equal"]:
    if np.array_equal(d, s):
        return "equal"
    if (s >= d).all():
        return "all"
    return "some" if ((d > 0) & (s > 0)).any() else "none"
