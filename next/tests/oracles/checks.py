"""Which disclosures could be what everybody knows anyway? Raab (2024), section 4, person by person.

One way: most of the people rightly told by the copy have one and the same level of the target. Two
ways: nearly everybody with some level of one key has that level of the target, in the original.
A flag counts people of the original only. With segments, each is looked at as if its people were
all there are, except that who is told what, and who is excluded, is decided on the whole file.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

from oracles.exclusions import Rule, Seen, passed, watch
from oracles.raab import File

Limits = tuple[int, int]  # more records than this, and more percent than this


def rightly_told(people: Iterable[Seen]) -> list[Seen]:
    return [person for person in passed(people) if person.counts["DiSCO"]]


def one_way(people: list[Seen], limits: Limits) -> list[dict]:
    """The flag that may be raised: none, one or, where levels tie for the most, one of several."""
    kept, told = passed(people), rightly_told(people)
    having = {
        level: sum(person.target == level for person in told)
        for level in {person.target for person in told}
    }
    most = max(having.values(), default=0)
    if not most > limits[0] or not Fraction(100 * most, len(told)) > limits[1]:
        return []
    flags = []
    for level, n in having.items():
        if n == most:
            n_level = sum(person.target == level for person in kept)
            flags.append(
                {
                    "level": level,
                    "n": n,
                    "percent": Fraction(100 * n, len(told)),
                    "n_disclosive": len(told),
                    "n_level": n_level,
                    "n_all": len(kept),
                    "percent_all": Fraction(100 * n_level, len(kept)),
                }
            )
    return flags


def two_way(people: list[Seen], limits: Limits) -> list[dict]:
    """All pairs of a target level and a level of one key; `key` is the position of that key."""
    told = rightly_told(people)
    crowded = []  # people with enough like them here: same keys, same target
    for person in told:
        like = [one for one in people if (one.key, one.target) == (person.key, person.target)]
        if len(like) > limits[0]:
            crowded.append(person)
    flags = []
    for position in range(len(people[0].key) if people else 0):
        for level, key_level in {(person.target, person.key[position]) for person in crowded}:
            n = sum(
                person.target == level and person.key[position] == key_level for person in crowded
            )
            with_key = [person for person in people if person.key[position] == key_level]
            with_both = [person for person in with_key if person.target == level]
            percent = Fraction(100 * len(with_both), len(with_key))
            if percent > limits[1]:
                flags.append(
                    {
                        "key": position,
                        "key_level": key_level,
                        "level": level,
                        "n": n,
                        "percent": percent,
                        "n_disclosive": len(told),
                        "n_level": len(with_both),
                        "n_all": len(with_key),
                        "percent_all": None,
                    }
                )
    return flags


def flags(
    original: File,
    synthetic: File,
    rules: Iterable[Rule],
    target: str,
    *,
    limits: tuple[Limits, Limits],
    segments: Sequence[Hashable] | None = None,
) -> dict[Hashable, tuple[list[dict], list[dict]]]:
    """By segment (None alone where there are none): the one-way choices and the two-way flags.

    `segments` has the segment of each original record, as a 1-tuple so that missing is one too.
    """
    people, _ = watch(original, synthetic, rules, target)
    if segments is None:
        return {None: (one_way(people, limits[0]), two_way(people, limits[1]))}
    found = {}
    for segment in dict.fromkeys(segments):
        inside = [person for person, its in zip(people, segments, strict=True) if its == segment]
        found[segment] = (one_way(inside, limits[0]), two_way(inside, limits[1]))
    return found
