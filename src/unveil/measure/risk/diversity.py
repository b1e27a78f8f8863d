"""Among those who match a record's keys, how varied is what an intruder would learn?

l-diversity: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007); entropy l-diversity and
recursive (c, l)-diversity as defined there.
"""

from dataclasses import dataclass

import numpy as np

from unveil.count.cells import Cells
from unveil.count.packing import Whole, number, run_starts
from unveil.measure.risk.frequencies import Floats
from unveil.measure.risk.matching import MOST_PAIRS, Combinations, ranges


@dataclass(frozen=True)
class Diversities:
    """Of each key combination: the l of three readings of l-diversity."""

    distinct: Floats
    entropy: Floats
    recursive: Floats


def diversities(owner: Whole, n: Floats, n_owners: int, c: float) -> Diversities:
    """The three readings, from how often each owner has each of its values (each n above 0).

    Notes
    -----
    distinct: the number of values. entropy: exp of the entropy of their shares, in nats. recursive
    (c, l): the largest l such that the most frequent value occurs less than c times as often as
    the values from rank l on together, ties in any order; 0 where there is none. Missing is a
    value.
    """
    order = np.lexsort((-n, owner))
    owner, n = owner[order], n[order]
    starts = run_starts(owner)[:-1]
    total = np.bincount(owner, weights=n, minlength=n_owners)
    share = n / total[owner]
    entropy = np.bincount(owner, weights=-share * np.log(share), minlength=n_owners)
    before = np.cumsum(n) - n
    most, first = np.zeros(n_owners), np.zeros(n_owners)
    most[owner[starts]], first[owner[starts]] = n[starts], before[starts]
    rest = total[owner] - (before - first[owner])
    return Diversities(
        np.bincount(owner, minlength=n_owners).astype(np.float64),
        np.exp(entropy),
        np.bincount(owner[most[owner] < c * rest], minlength=n_owners).astype(np.float64),
    )


def exact_diversities(cells: Cells, c: float) -> Diversities:
    """Diversity among the records with the same keys, missing being a level like any other."""
    return diversities(cells.q.astype(np.int64), cells.counts[0].astype(np.float64), cells.n_q, c)


def wildcard_diversities(combos: Combinations, cells: Cells, c: float) -> Diversities:
    """Diversity among the records that match where a missing key may be anything.

    Notes
    -----
    Every record that matches counts 1, whatever alpha is: an intruder who cannot tell two people
    apart learns one of the values of both.
    """
    made = Diversities(*np.zeros((3, combos.n_q)))
    starts, n_levels = cells.starts.astype(np.int64), int(cells.t.max()) + 1
    most = max(MOST_PAIRS * combos.n_q // len(cells.t), 1)
    for one, other in combos.matches(most):
        places, length = ranges(starts, other)
        owner, n_owners = number(one, combos.n_q)
        packed = np.repeat(owner.astype(np.int64), length) * n_levels + cells.t[places]
        ids, n_ids = number(packed, n_owners * n_levels)
        of_value = np.empty(n_ids, np.int64)
        of_value[ids] = packed // n_levels
        n: Floats = np.bincount(ids, cells.counts[0][places], n_ids).astype(np.float64)
        part = diversities(of_value, n, n_owners, c)
        q = np.empty(n_owners, np.int64)
        q[owner] = one
        made.distinct[q], made.entropy[q] = part.distinct, part.entropy
        made.recursive[q] = part.recursive
    return made
