"""Which keys would be proposed? From the rule as it is written down, record by record.

A file is a list of tuples, one entry a column; None is missing. Every column has a grade, or None.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Row = tuple
GRADES = ("visible", "often", "sometimes")
ENOUGH, LEAST, MOST = 5, 1, 8


def combinations(rows: Sequence[Row], keys: Sequence[int]) -> Counter:
    return Counter(tuple(row[key] for key in keys) for row in rows)


def n_unique(rows: Sequence[Row], keys: Sequence[int]) -> int:
    return sum(n == 1 for n in combinations(rows, keys).values()) if keys else 0


def is_function(rows: Sequence[Row], of: int, column: int) -> bool:
    """Whether each value of one column stands with one value of the other, where both are there."""
    both = [(row[of], row[column]) for row in rows if None not in (row[of], row[column])]
    n_with = Counter(known for known, _ in both)
    n_tried = sum(n for n in n_with.values() if n > 1)
    return (
        len({row[column] for row in rows} - {None}) > 1
        and len(set(both)) == len(n_with)
        and n_tried >= 20
        and 2 * n_tried >= len(both)
    )


def keys(rows: Sequence[Row], grades: Sequence[str | None]) -> tuple[list[int], str, int | None]:
    """The keys in the order in which they are added, why no more are, and at which it stopped."""
    chosen: list[int] = []
    columns = [c for c in range(len(grades)) if len({row[c] for row in rows}) > 1]
    if not any(grades[column] in GRADES for column in columns):
        return chosen, "no_candidate", None

    def share(columns: Sequence[int]) -> Fraction:
        return Fraction(100 * n_unique(rows, columns), len(rows))

    for grade in GRADES:
        left = [column for column in columns if grades[column] == grade]
        if left and chosen and share(chosen) >= ENOUGH:
            return chosen, "enough", None
        while True:
            left = [c for c in left if not any(is_function(rows, key, c) for key in chosen)]
            n_now = len(combinations(rows, chosen))
            left = [c for c in left if len(combinations(rows, [*chosen, c])) > n_now]
            if not left:
                break
            worth = {
                c: (n_unique(rows, [*chosen, c]), len(combinations(rows, [*chosen, c])))
                for c in left
            }
            best = max(left, key=lambda c: (worth[c], -c))
            has_enough = bool(chosen) and share(chosen) >= ENOUGH
            if has_enough and share([*chosen, best]) - share(chosen) < LEAST:
                return chosen, "small_gain", best
            if len(chosen) == MOST:
                return chosen, "most_keys", best
            chosen.append(best)
            left.remove(best)
    return chosen, "no_more", None
