"""Claims about people and what other people teach, told person by person: slow and plain.

A file is a list of rows ``(key, target)``; the key is a tuple of key values. Nothing here comes
from unveil. Raking is done on dictionaries, table by table.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt

Row = tuple[tuple[Hashable, ...], Hashable]
File = Sequence[Row]
Claim = dict[Hashable, Fraction]  # values stated, each with the chance that it is


def matching(file: File, key: Hashable) -> Counter:
    return Counter(target for other, target in file if other == key)


def near(found: Counter, tau: Fraction) -> Claim:
    """The value that at least tau of the matching records have, if it is the only such."""
    if not found:
        return {}
    top = max(found.values())
    tops = [value for value, n in found.items() if n == top]
    return {tops[0]: Fraction(1)} if len(tops) == 1 and top >= tau * found.total() else {}


def modal(found: Counter) -> Claim:
    if not found:
        return {}
    top = max(found.values())
    tops = [value for value, n in found.items() if n == top]
    return {value: Fraction(1, len(tops)) for value in tops}


def agreed(files: Sequence[File], key: Hashable, at_least: int = 1) -> Claim:
    found = [one for file in files if (one := near(matching(file, key), Fraction(1)))]
    values = {value for one in found for value in one}
    return {values.pop(): Fraction(1)} if len(values) == 1 and len(found) >= at_least else {}


def some_file(files: Sequence[File], key: Hashable) -> Claim:
    found = [near(matching(file, key), Fraction(1)) for file in files]
    return {value: Fraction(1) for one in found for value in one}


def mean_of_sets(files: Sequence[File], m: int, key: Hashable, tau: Fraction) -> Claim:
    """Near-certain claims of every set of m files, each as likely."""
    sets = list(combinations(files, m))
    found: Counter = Counter()
    for chosen in sets:
        for value, chance in near(matching([row for f in chosen for row in f], key), tau).items():
            found[value] += chance / len(sets)
    return dict(found)


def best_of_copies(people: File, files: Sequence[File], tau: Fraction) -> Callable:
    def rule(m: int) -> Callable:
        pooled = [row for file in files[:m] for row in file]
        return lambda key: near(matching(pooled, key), tau)

    return max(map(rule, range(1, len(files) + 1)), key=lambda one: correct(people, one))


def correct(people: File, rule: Callable) -> Fraction:
    return sum((rule(key).get(target, Fraction(0)) for key, target in people), Fraction(0))


def rake(
    combinations_: Sequence[tuple], people: File, margins: Sequence[tuple[int, ...]], rounds: int
) -> dict:
    """P(value | key) in which the table of each margin by the value holds, after so many rounds."""
    values = sorted({target for _, target in people}, key=repr)
    n_key = Counter(key for key, _ in people)
    P = {key: dict.fromkeys(values, 1 / len(values)) for key in combinations_}
    shares = Counter(target for _, target in people)
    for _ in range(rounds):
        for margin in margins:

            def group(key: tuple, margin: tuple[int, ...] = margin) -> tuple:
                return tuple(key[i] for i in margin)

            wanted = Counter((group(key), target) for key, target in people)
            seen = {group(key) for key, _ in people}
            have: Counter = Counter()
            for key, row in P.items():
                for value, p in row.items():
                    have[group(key), value] += n_key[key] * p
            for key, row in P.items():
                g = group(key)
                for value in row:
                    if g in seen:
                        h = have[g, value]
                        row[value] *= wanted[g, value] / h if h > 0 else 0.0
        for row in P.values():
            total = sum(row.values())
            for value in row:
                row[value] = row[value] / total if total else shares[value] / len(people)
    return P


def expected_of(people: File, fold: Sequence[int], rounds: int, at_least: int) -> list[dict]:
    """Of each person: P(value) by the people of the other folds."""
    n = Counter(target for _, target in people)
    rare = [value for value in n if n[value] < at_least]
    lumped = [(key, "other" if target in rare else target) for key, target in people]
    keys = sorted({key for key, _ in people}, key=repr)
    margins = [(i,) for i in range(len(keys[0]))]
    found = {}
    for f in set(fold):
        found[f] = rake(
            keys, [r for r, g in zip(lumped, fold, strict=True) if g != f], margins, rounds
        )
    return [
        {value: p for value, p in found[f][key].items() if value != "other"}
        for (key, _), f in zip(people, fold, strict=True)
    ]


def score(people: File, rule: Callable, expected: Sequence[dict]) -> dict[str, float]:
    """The figures of one rule, person by person."""
    n = Counter(target for _, target in people)
    sums: Counter = Counter()
    by_key: Counter = Counter()
    for (key, target), P in zip(people, expected, strict=True):
        sums["claimed"] += min(sum(rule(key).values(), Fraction(0)), Fraction(1))
        for value, chance in rule(key).items():
            sums["correct"] += chance * (value == target)
            sums["at_random"] += chance * Fraction(n[value], len(people))
            sums["expected"] += float(chance) * P.get(value, 0.0)
            by_key[key] += float(chance) * ((value == target) - P.get(value, 0.0))
    half = 1.959964 * sqrt(sum(x * x for x in by_key.values()))
    adds = float(sums["correct"]) - sums["expected"]
    names = ("claimed", "correct", "at_random", "expected")
    return {name: float(sums[name]) for name in names} | {
        "adds": adds,
        "low": adds - half,
        "high": adds + half,
    }


def explain(
    people: File, key: tuple, value: Hashable, tau: float, at_least: int
) -> tuple[str, tuple[int, ...]]:
    """The first table that would have taught the value: marginal, one key or two; else nothing."""
    for size, part in enumerate(("marginal", "one_key", "two_keys")):
        best, by = -1.0, ()
        for keys in combinations(range(len(key)), size):
            alike = [target for other, target in people if all(other[i] == key[i] for i in keys)]
            if len(alike) - 1 >= at_least:
                share = (alike.count(value) - 1) / (len(alike) - 1)
                if share > best:
                    best, by = share, keys
        if best >= tau - 1e-9:
            return part, by
    return "", ()


def taught_by_pattern(people: File, expected: Sequence[dict], key: tuple, value: Hashable) -> float:
    """The chance of a value by the other folds, on average over the people with these keys."""
    alike = [
        P.get(value, 0.0) for (other, _), P in zip(people, expected, strict=True) if other == key
    ]
    return sum(alike) / len(alike)
