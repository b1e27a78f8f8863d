"""Singling out from its definition: every predicate is tried on every record, one by one.

A record is a tuple; a missing value is None. `ordered` says which columns are numbers. A condition
is (column, operator, value), a predicate a tuple of conditions.
"""

from fractions import Fraction
from itertools import combinations
from statistics import median

OPERATORS = {
    "==": lambda mine, value: mine == value,
    "!=": lambda mine, value: mine != value,
    ">=": lambda mine, value: mine >= value,
    "<=": lambda mine, value: mine <= value,
    ">": lambda mine, value: mine > value,
    "<": lambda mine, value: mine < value,
}


def distinct(records):
    return list(dict.fromkeys(records))


def is_number(value, special=()):
    return value is not None and value not in special


def holds(condition, record, special=()):
    """Missing and special codes are equal or not; they are neither above nor below anything."""
    column, operator, value = condition
    if operator in ("==", "!="):
        return OPERATORS[operator](record[column], value)
    return is_number(record[column], special) and OPERATORS[operator](record[column], value)


def n_satisfying(predicate, records, special=()):
    return sum(
        all(holds(condition, record, special) for condition in predicate) for record in records
    )


def univariate(copy, ordered):
    """All predicates of one column that single out in the copy."""
    copy = distinct(copy)
    found = []
    for column, is_ordered in enumerate(ordered):
        values = [record[column] for record in copy]
        numbers = [value for value in values if value is not None]
        candidates = [("==", value) for value in dict.fromkeys(values)]
        if is_ordered and numbers:
            candidates += [("<=", min(numbers)), (">=", max(numbers))]
        for operator, value in candidates:
            predicate = ((column, operator, value),)
            if n_satisfying(predicate, copy) == 1:
                found.append(predicate)
    return found


def multivariate(copy, ordered, n_columns):
    """All predicates of so many columns that single out in the copy, made from its records."""
    copy = distinct(copy)
    found = set()
    for record in copy:
        for columns in combinations(range(len(ordered)), n_columns):
            predicate = tuple(
                (column, _operator(copy, column, record[column], ordered[column]), record[column])
                for column in columns
            )
            if n_satisfying(predicate, copy) == 1:
                found.add(predicate)
    return found


def _operator(copy, column, value, is_ordered):
    if value is None or not is_ordered:
        return "=="
    middle = median(Fraction(record[column]) for record in copy if record[column] is not None)
    return ">=" if value > middle else "<="


def successes(predicates, records, m):
    """How many predicates single out among m of the records: the mean over all choices of m.

    Each choice is of records as they stand, and is then reduced to the distinct ones.
    """
    chosen = [distinct(some) for some in combinations(records, m)]
    n = sum(n_satisfying(predicate, some) == 1 for predicate in predicates for some in chosen)
    return Fraction(n, len(chosen))


def n_people_satisfying(predicate, records, people, special=()):
    """How many people have a record that satisfies a predicate, by the person of each record."""
    pairs = zip(records, people, strict=True)
    return len({who for record, who in pairs if n_satisfying(predicate, [record], special)})


def successes_by_person(predicates, records, people, m):
    """How many predicates single out one of m people: the mean over all choices of m of them."""
    everyone = sorted(set(people))
    chosen = [set(some) for some in combinations(everyone, m)]
    n = 0
    for some in chosen:
        rows = [(record, who) for record, who in zip(records, people, strict=True) if who in some]
        theirs, whose = [record for record, _ in rows], [who for _, who in rows]
        n += sum(n_people_satisfying(each, theirs, whose) == 1 for each in predicates)
    return Fraction(n, len(chosen))


def naive(copy, records, ordered, m, people=None):
    """The chance that a random predicate of one column singles out among m records, or people."""
    total = Fraction(0)
    for column, is_ordered in enumerate(ordered):
        values = list(dict.fromkeys(record[column] for record in copy))
        for value in values:
            operators = list(OPERATORS) if is_ordered and value is not None else ["==", "!="]
            for operator in operators:
                weight = Fraction(1, len(ordered) * len(values) * len(operators))
                made = [((column, operator, value),)]
                if people is None:
                    total += weight * successes(made, records, m)
                else:
                    total += weight * successes_by_person(made, records, people, m)
    return total
