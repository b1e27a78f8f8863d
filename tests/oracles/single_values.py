"""Who is shown with a single value, correctly or wrongly? Person by person, with dictionaries.

A file is a list of rows; a row is a person (None: a person of its own), a tuple of keys, and a
dictionary of targets. Exclusions are pairs of a target and a value.
"""

from collections import Counter


def whose(rows):
    return [("row", n) if row[0] is None else ("person", row[0]) for n, row in enumerate(rows)]


def shown(synthetic, keys, target):
    """The single value that records with these keys have, in a list; empty: none or several."""
    values = {row[2][target] for row in synthetic if row[1] == keys}
    return list(values) if len(values) == 1 else []


def most_common(original, target, order):
    """The value that most people have, the first in the order of levels among equals; how many."""
    holders = Counter(
        {(who, row[2][target]) for who, row in zip(whose(original), original, strict=True)}
    )
    counts = Counter(value for _, value in holders)
    top = max(counts.values())
    return next(value for value in order if counts[value] == top), top, counts


def count_target(original, synthetic, target, order, excluded=()):
    """The people of each kind, as sets."""
    mode, top, counts = most_common(original, target, order)
    correct, wrong, other = set(), set(), set()
    for who, row in zip(whose(original), original, strict=True):
        own = row[2][target]
        if (target, own) in excluded:
            continue
        for value in shown(synthetic, row[1], target):
            (correct if value == own else wrong).add(who)
            if value == own != mode:
                other.add(who)
    tied = sum(n == top for n in counts.values()) > 1
    return correct, wrong, other, mode, top, tied


def any_correct(original, synthetic, targets, orders, excluded=()):
    """Everyone for whom some target is disclosed correctly."""
    found = set()
    for target in targets:
        found |= count_target(original, synthetic, target, orders[target], excluded)[0]
    return found


def by_value(original, synthetic, target):
    """For each value: who has it, who is shown with it correctly, and who wrongly (rows)."""
    people, correct, wrong = Counter(), Counter(), Counter()
    for row in original:
        own = row[2][target]
        people[own] += 1
        for value in shown(synthetic, row[1], target):
            (correct if value == own else wrong)[value] += 1
    return people, correct, wrong


def sensitive_by_person(original, synthetic, target, value):
    """How many people have a value, are shown with it, and are shown with it without having it."""
    have, correct, shown_with = set(), set(), set()
    for who, row in zip(whose(original), original, strict=True):
        is_shown = shown(synthetic, row[1], target) == [value]
        if row[2][target] == value:
            have.add(who)
        if row[2][target] == value and is_shown:
            correct.add(who)
        if is_shown:
            shown_with.add(who)
    return len(have), len(correct), len(shown_with - have)
