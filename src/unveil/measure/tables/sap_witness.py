"""A certified upper bound of SAP where the search ends early: one witness for each cell.

A witness of a cell is a table that fits the release and has more in it. While no cell has more
known people than its witness holds there, the cell is not recovered. So SAP is at most the
probability that a cell without a witness is full, plus, for each other cell, that it is full and
that some cell has more known people than its witness. All of them are hypergeometric.

"The exact table, zeros masked" is such a bound for networks only, where a step moves one person.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from time import monotonic

import numpy as np

from unveil.measure.tables.flow import Network
from unveil.measure.tables.integer_programme import Table
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap_events import AnyOracle
from unveil.measure.tables.sap_exact import Integers, safe_counts, signed_sums

MOST_N = 2_000
"""Known people up to which the bound is worked out: its numbers grow with them."""
SECONDS = 30.0
"""For witnesses near the true table where time is not limited: any witness gives a bound."""


def bound_by_witnesses(
    system: System,
    oracle: AnyOracle,
    last: int,
    *,
    events: Sequence[Sequence[int]] | None = None,
    chance: Sequence[int] | None = None,
    until: float | None = None,
) -> tuple[Fraction, ...]:
    """U(0..last), never below SAP; empty where the numbers would grow too large.

    Notes
    -----
    U(n) = P(some cell of E full) + sum over other cells i of min(P(s_i = c_i), sum over j with
    w_j < c_j of P(s_i = c_i and s_j > w_j)), w being the witness of i and E the cells without one,
    looked at or not. An empty cell of E makes it 1. A network needs no witnesses: a zero that it
    does not give away by itself is recovered only where some cell of somebody is full.
    """
    if last > MOST_N:
        return ()
    people = system.counts if chance is None else tuple(chance)
    possible = [cell for cell in range(len(people)) if cell not in system.structural]
    asked = [(cell,) for cell in possible] if events is None else [tuple(one) for one in events]
    full = [one for one in asked if all(people[cell] == system.counts[cell] for cell in one)]
    if isinstance(oracle, Network):
        ways = _by_fullness(system, oracle, full, people, last)
    else:
        cells = sorted({c for one in full if sum(people[c] for c in one) <= last for c in one})
        end = monotonic() + SECONDS if until is None else until
        found = dict(oracle.witnesses(cells, end))
        ways = _by_witnesses(full, found, people, last)
    N = sum(people)
    shares = [Fraction(int(way), comb(N, n)) for n, way in enumerate(ways)]
    capped = [min(Fraction(1), one) for one in shares]
    # More known people are no less of a risk, so that a bound holds for all smaller n too.
    return tuple(min(capped[n:]) for n in range(len(capped)))


def _by_fullness(
    system: System,
    oracle: Network,
    events: Sequence[Sequence[int]],
    people: Sequence[int],
    last: int,
) -> Integers:
    """How many samples hold everybody of some cell that has anybody."""
    empty = [one for one in events if not any(people[cell] for cell in one)]
    if any(all(oracle.is_exposed(cell) for cell in one) for one in empty):
        return _risky([0], sum(people), last)
    sizes = zip(people, system.counts, strict=True)
    return _risky([n for n, count in sizes if n and n == count], sum(people), last)


def _risky(totals: Sequence[int], N: int, last: int) -> Integers:
    """How many samples of 0..last people hold all of at least one of some groups apart."""
    safe = safe_counts(signed_sums(totals, last), N, last)
    return np.array([comb(N, n) - ways for n, ways in enumerate(safe)], dtype=object)


def _by_witnesses(
    events: Sequence[Sequence[int]],
    witnesses: Mapping[int, Table],
    people: Sequence[int],
    last: int,
) -> Integers:
    N = sum(people)

    @cache
    def ways(total: int, of: int, least: int) -> Integers:
        """Samples with all of `total` people and at least so many `of` some others, by size."""
        rest, made = N - total - of, np.zeros(last + 1, dtype=object)
        for n in range(total + least, last + 1):
            several = range(least, min(of, n - total) + 1)
            made[n] = sum(comb(of, x) * comb(rest, n - total - x) for x in several)
        return made

    alone = [sum(people[c] for c in one) for one in events if not any(c in witnesses for c in one)]
    singles = all(len(one) == 1 for one in events)
    found: Integers = _risky(alone, N, last) if singles else _sum_of(alone, ways, last)
    for event in events:
        total = sum(people[cell] for cell in event)
        blocked = [witnesses[cell] for cell in event if cell in witnesses]
        if not blocked or total > last:
            continue
        all_full = ways(total, 0, 0)
        bounds = [all_full]
        for table in blocked:
            lower = [c for c, n in enumerate(people) if table[c] < n]
            bounds.append(
                all_full
                if any(cell in event for cell in lower)
                else sum((ways(total, people[c], table[c] + 1) for c in lower), all_full * 0)
            )
        found = found + np.minimum.reduce(bounds)
    return found


def _sum_of(
    totals: Sequence[int], ways: Callable[[int, int, int], Integers], last: int
) -> Integers:
    made: Integers = np.zeros(last + 1, dtype=object)
    for total, times in Counter(totals).items():
        if total <= last:
            made = made + times * ways(total, 0, 0)
    return made
