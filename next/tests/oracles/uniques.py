"""Who is unique, with how few keys, and who matches whom? From the definitions, pair by pair.

A record is a person and their keys, a tuple; a missing key is None. A record takes part in no set
with a key that it lacks: it is not unique there, and hides nobody else.
"""

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial, log

Record = tuple[Hashable, tuple]
Keys = tuple[int, ...]


def sets_of_keys(n_keys: int, largest: int) -> Iterator[Keys]:
    for size in range(1, largest + 1):
        yield from combinations(range(n_keys), size)


def is_unique(records: Sequence[Record], place: int, keys: Keys) -> bool:
    """Whether nobody else has a record with these values."""
    person, row = records[place]
    own = [row[key] for key in keys]
    if None in own:
        return False
    return all(other == person or [row[k] for k in keys] != own for other, row in records)


def minimal_sets(records: Sequence[Record], place: int, largest: int) -> list[Keys]:
    """The unique sets of a record without a smaller one in them."""
    found: list[Keys] = []
    for keys in sets_of_keys(len(records[0][1]), largest):
        has_part = any(set(part) < set(keys) for part in found)
        if not has_part and is_unique(records, place, keys):
            found.append(keys)
    return found


def score(msus: Sequence[Keys], n_keys: int) -> int:
    return sum(factorial(n_keys - len(keys)) for keys in msus)


def special_threshold(scores: Sequence[int]) -> Fraction | None:
    """Nine tenths of the positive scores lie below it, interpolated between two neighbours."""
    positive = sorted(score for score in scores if score)
    if not positive:
        return None
    place = (len(positive) - 1) * Fraction(9, 10)
    low = place.numerator // place.denominator
    high = min(low + 1, len(positive) - 1)
    return positive[low] + (positive[high] - positive[low]) * (place - low)


def holders(records: Sequence[Record]) -> dict[tuple, set]:
    """Who has each combination; missing is a level here."""
    people: dict[tuple, set] = {}
    for person, row in records:
        people.setdefault(row, set()).add(person)
    return people


def sharing(records: Sequence[Record], n: int) -> set:
    """The people who have a combination that n people have."""
    return set().union(*(people for people in holders(records).values() if len(people) == n))


def dis(records: Sequence[Record], f: Fraction) -> Fraction | None:
    """Elliot (2000), from people who are unique and people in pairs."""
    alone, paired = len(sharing(records, 1)), len(sharing(records, 2))
    if not alone:
        return Fraction(0) if paired else None
    return alone * f / (alone * f + paired * (1 - f))


def dis_of_records(scores: Sequence[int], records: Sequence[Record], f: float) -> list[float]:
    """As it is printed, with U / DIS - U; a combination counts once."""
    alone = len(sharing(records, 1))
    whole = dis(records, Fraction(f))
    power = 1 + (8 - len(records[0][1])) / 20
    of_combination = {row: s for (_, row), s in zip(records, scores, strict=True) if s}
    total = sum(float(s) ** -power for s in of_combination.values())
    return [
        1 / (1 + float(alone / whole - alone) / (float(s) ** power * total)) if s and whole else 0.0
        for s in scores
    ]


def matches(row: tuple, other: tuple, *, wildcard: bool) -> bool:
    pairs = zip(row, other, strict=True)
    return all(a == b or (wildcard and None in (a, b)) for a, b in pairs)


def group_of(records: Sequence[Record], row: tuple, *, wildcard: bool) -> list[int]:
    """The records that match some keys."""
    return [
        place for place, (_, other) in enumerate(records) if matches(row, other, wildcard=wildcard)
    ]


def individual_risk(f: int, F: float) -> float:
    """As sdcMicro prints it: f people match in the sample, about F in the population."""
    if f >= F:
        return 1 / f
    p = f / F
    odds = p / (1 - p)
    if f == 1:
        return odds * log(1 / p)
    if f == 2:
        return odds - odds**2 * log(1 / p)
    return p / (f - (1 - p))


def likeliest(row: tuple, copies: Sequence[Sequence[tuple]]) -> set[int]:
    """The rows with the highest mean chance over the copies (Reiter and Mitra 2009)."""
    chance = [Fraction(0)] * len(copies[0])
    for copy in copies:
        found = [place for place, other in enumerate(copy) if other == row]
        for place in found:
            chance[place] += Fraction(1, len(found) * len(copies))
    highest = max(chance)
    return {place for place, value in enumerate(chance) if value == highest > 0}


def match_rates(original: Sequence[tuple], copies: Sequence[Sequence[tuple]]) -> dict:
    """Every record looked up in every copy, and whether its own row is found."""
    found = [likeliest(row, copies) for row in original]
    single = [place for place, rows in enumerate(found) if len(rows) == 1]
    true = [place for place in single if place in found[place]]
    own = [place in rows for place, rows in enumerate(found)]
    pairs = [(row, other) for copy in copies for row in original for other in copy]
    n = len(original)
    return {
        "matched": sum(map(bool, found)),
        "expected_match_risk": sum(
            Fraction(1, len(rows)) for rows, is_own in zip(found, own, strict=True) if is_own
        ),
        "unchanged": len(set(original)),
        "perceived_match_rate": Fraction(len(single), n),
        "true_match_rate": Fraction(len(true), n),
        "false_match_rate": 1 - Fraction(len(true), len(single)) if single else None,
        "own": Fraction(
            sum(row == other for copy in copies for row, other in zip(original, copy, strict=True)),
            len(copies),
        ),
        "own_by_chance": Fraction(sum(a == b for a, b in pairs), n * len(copies)),
    }
