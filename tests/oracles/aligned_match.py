"""Matching rows to rows from its definition (Reiter and Mitra 2009): every pair is compared.

A record is a tuple of keys; a missing key is None and a level. `tolerance` has for each key by how
much it may be off, None where it must be equal.
"""

from fractions import Fraction


def matches(target, row, tolerance):
    return all(
        mine == its
        or (off is not None and mine is not None and its is not None and abs(mine - its) <= off)
        for mine, its, off in zip(target, row, tolerance, strict=True)
    )


def candidates(target, copies, tolerance):
    """The rows with the highest mean probability over the copies; none where none matches."""
    probability = [Fraction(0)] * len(copies[0])
    for copy in copies:
        found = [place for place, row in enumerate(copy) if matches(target, row, tolerance)]
        for place in found:
            probability[place] += Fraction(1, len(found) * len(copies))
    highest = max(probability)
    if not highest:
        return set()
    return {place for place, value in enumerate(probability) if value == highest}


def rates(original, copies, tolerance):
    c, among = [], []
    for place, target in enumerate(original):
        found = candidates(target, copies, tolerance)
        c.append(len(found))
        among.append(place in found)
    pairs = list(zip(c, among, strict=True))
    n_unique = c.count(1)
    n_true = sum(n == 1 and own for n, own in pairs)
    return {
        "n_matched": sum(n > 0 for n in c),
        "n_unique": n_unique,
        "n_true": n_true,
        "n_false": n_unique - n_true,
        "expected_match_risk": sum((Fraction(1, n) for n, own in pairs if own), Fraction(0)),
        "perceived_match_rate": Fraction(n_unique, len(c)),
        "true_match_rate": Fraction(n_true, len(c)),
        "false_match_rate": Fraction(n_unique - n_true, n_unique) if n_unique else None,
    }
