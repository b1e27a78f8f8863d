"""How likely does a predicate single out in a sample of a data set, averaged over all samples?"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unveil.measure.attacks.predicates import Whole

Floats = NDArray[np.float64]

NOTHING = 745.0
"""e to the power of -745 is the smallest float above 0."""


def expected_singles(by_repeats: Iterable[tuple[int, Whole]], n: int, m: int) -> Floats:
    """The probability that m of n rows, drawn without replacement, hold one distinct record of it.

    Parameters
    ----------
    by_repeats
        For each number of times that records are there, how many distinct records of that kind
        satisfy each predicate.

    Notes
    -----
    With C satisfying rows that are distinct records of c_g rows each, exactly one record is left
    where some of its rows are drawn and none of the others:

        P = sum over g of [C(n - C + c_g, m) - C(n - C, m)] / C(n, m)

    Without repeated rows this is C * C(n - C, m - 1) / C(n, m), the hypergeometric probability of
    1; with m = n it is 1 for one distinct record and 0 else. So two data sets of different size are
    compared at the number of rows of the smaller without drawing from the larger: the expectation
    over all draws is exact. Samples are of rows, for records that repeat are met again in a larger
    file, and distinct records are no sample of anything.
    """
    kinds = list(by_repeats)
    satisfying = np.sum([times * n_records for times, n_records in kinds], axis=0)
    logs = _logs_of_none(n, m)
    total = np.zeros(len(satisfying))
    for times, n_records in kinds:
        mine = np.flatnonzero(n_records)
        without_others = logs[np.minimum(satisfying[mine] - times, len(logs) - 1)]
        without_any = logs[np.minimum(satisfying[mine], len(logs) - 1)]
        is_possible = np.isfinite(without_others)
        mine, before = mine[is_possible], without_others[is_possible]
        some = -np.expm1(without_any[is_possible] - before)
        total[mine] += n_records[mine] * np.exp(before) * some
    return total


def _logs_of_none(n: int, m: int) -> Floats:
    """For j from 0: the log of C(n - j, m) / C(n, m), that none of j rows is among m; then -inf."""
    longest = min(n - m, int(NOTHING * n / m) + 1)
    i = np.arange(longest, dtype=np.float64)
    return np.concatenate(([0.0], np.cumsum(np.log1p(-m / (n - i))), [-np.inf]))
