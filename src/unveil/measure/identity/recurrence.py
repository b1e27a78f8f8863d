"""Do people of the original stand in the copy, whole: the same value in every compared column?

The idea is that of "replicated uniques" (Raab 2024, section 3.2) over all columns. A row that many
people share recurs by chance, and with few columns so does a unique one: whether records are real
ones is for `unveil.assess` to say. Only a file in which all records reappear, most of them unique,
is called the original here.
"""

from typing import Literal

import numpy as np

from unveil.count.scenario import Scenario
from unveil.records.disclosure import Recurrence

Kind = Literal["none", "some", "all", "equal"]

UNIQUE = 0.5
"""All records reappear not by chance if so many of the people are unique in what is compared."""


def recurrences(scenario: Scenario) -> list[Recurrence]:
    """For each copy, how many original records stand in it whole."""
    n, n_alone_recurring = np.zeros((2, scenario.n_copies), np.int64)
    n_alone = 0
    is_equal = np.ones(scenario.n_copies, bool)
    for counts in scenario.whole_rows():
        d, s = counts[0], counts[1:]
        n += np.where(s > 0, d, 0).sum(axis=1)
        n_alone += int((d == 1).sum())
        n_alone_recurring += ((d == 1) & (s > 0)).sum(axis=1)
        is_equal &= (s == d).all(axis=1)
    n_original = scenario.sides.rows[0]
    return [
        Recurrence(
            copy=copy,
            n=recurring,
            percent=100 * recurring / max(n_original, 1),
            n_columns=len(scenario.key_columns) + len(scenario.target_columns),
            n_alone=n_alone,
            n_alone_recurring=alone,
            kind="equal" if same and recurring else _kind(recurring, n_original, n_alone),
        )
        for copy, recurring, alone, same in zip(
            scenario.all_copies,
            n.tolist(),
            n_alone_recurring.tolist(),
            is_equal.tolist(),
            strict=True,
        )
    ]


def _kind(n: int, n_original: int, n_alone: int) -> Kind:
    if n == 0:
        return "none"
    return "all" if n == n_original and n_alone > UNIQUE * n_original else "some"
