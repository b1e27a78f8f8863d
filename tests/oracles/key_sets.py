"""Every set of keys, person by person, from the definitions: slow and plain.

A file is a list of rows ``(key, targets)``, both tuples. Nothing here comes from unveil.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, log

Row = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]
File = Sequence[Row]


def count(
    original: File, synthetic: File, n_keys: int, n_targets: int, at_most: int | None = None
) -> dict:
    """By set of keys: matched, replicated, determined, correct; and what all sets say together."""
    found: dict = {"sets": {}, "ever_correct": set(), "ever_wrong": set(), "claims": {}}
    said: dict = {}
    for size in range(1, (at_most or n_keys) + 1):
        for keys in combinations(range(n_keys), size):
            figures: Counter = Counter()
            part = [tuple(key[i] for i in keys) for key, _ in original]
            there = [tuple(key[i] for i in keys) for key, _ in synthetic]
            for person, mine in enumerate(part):
                match = [row for row, other in enumerate(there) if other == mine]
                figures["matched"] += bool(match)
                figures["replicated"] += len(match) == 1 and part.count(mine) == 1
                for target in range(n_targets):
                    values = {synthetic[row][1][target] for row in match}
                    if len(values) != 1:
                        continue
                    (value,) = values
                    is_correct = value == original[person][1][target]
                    figures["determined", target] += 1
                    figures["correct", target] += is_correct
                    found["ever_correct" if is_correct else "ever_wrong"].add((person, target))
                    said.setdefault((person, target), []).append((len(match), value))
            found["sets"][keys] = figures
    for about, claims in said.items():
        most = max(n for n, _ in claims)
        values = {value for n, value in claims if n == most}
        found["claims"][about] = values.pop() if len(values) == 1 else None
    return found


def expected_replicated(keys: Sequence[Hashable], n_records: int) -> tuple[int, float]:
    """People unique on their keys, and how many of them another sample of the people would show.

    The people are put into two halves in every way: sums over all 2^c ways to place the c holders
    of one combination. Of those unique in the first half, a share is absent from the second and a
    share unique there too.
    """
    counts = Counter(keys)
    first = absent = once = Fraction(0)
    for c in counts.values():
        for here, there in ((n, c - n) for n in range(c + 1)):
            share = Fraction(comb(c, here), 2**c)
            first += share * (here == 1)
            absent += share * (here == 1 and there == 0)
            once += share * (here == 1 and there == 1)
    n_unique = sum(c == 1 for c in counts.values())
    if not absent or not once:
        return n_unique, 0.0
    a, b = float(absent / first), float(once / first)
    even = min(b / (-a * log(a)), 1.0)  # less than 1 where combinations are not alike
    at_size = a ** (2 * n_records / len(keys))
    return n_unique, n_unique * even * -at_size * log(at_size)
