"""Membership and closest records from their definitions, every pair of records compared.

A record is a tuple; a missing value is None. `ordered` says which columns are numbers.
"""

from fractions import Fraction


def ranges(records, ordered):
    """The range of each column of numbers over all records; 0 where there is none."""
    found = []
    for column, is_ordered in enumerate(ordered):
        numbers = [r[column] for r in records if is_ordered and r[column] is not None]
        found.append(max(numbers) - min(numbers) if numbers else 0)
    return found


def distance(one, other, ordered, spans):
    total = Fraction(0)
    for mine, its, is_ordered, span in zip(one, other, ordered, spans, strict=True):
        if mine == its:
            continue
        if is_ordered and mine is not None and its is not None:
            total += Fraction(abs(mine - its), span)
        else:
            total += 1
    return total


def two_closest(record, reference, ordered, spans):
    return sorted(distance(record, other, ordered, spans) for other in reference)[:2]


def scores(members, others, threshold, prevalence):
    """Recall, false positive rate, precision and F1 by counting a weighted attack data set."""
    called_members = sum(apart <= threshold for apart in members)
    called_others = sum(apart <= threshold for apart in others)
    true = prevalence * Fraction(called_members, len(members))
    false = (1 - prevalence) * Fraction(called_others, len(others))
    missed = prevalence - true
    precision = true / (true + false) if true + false else None
    return {
        "recall": Fraction(called_members, len(members)),
        "false_positive_rate": Fraction(called_others, len(others)),
        "precision": precision,
        "F1": 2 * true / (2 * true + false + missed),
    }


def ratio(two):
    """The closest over the second closest; 1 where both are at distance 0."""
    return two[0] / two[1] if two[1] else Fraction(1)
