"""What R is made of, told person by person with fractions: slow and plain.

A file is a list of rows ``(key, target)``. Nothing here comes from unveil.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod, sqrt

Row = tuple[Hashable, Hashable]


def scores(person: Row, synthetic: Sequence[Row]) -> dict[str, Fraction]:
    """What is shown about one person."""
    key, target = person
    match = [value for other, value in synthetic if other == key]
    counts = Counter(value for _, value in synthetic)
    modes = [value for value, n in counts.items() if n == max(counts.values())]
    is_determined = len(set(match)) == 1
    return {
        "matched": Fraction(bool(match)),
        "determined": Fraction(is_determined),
        "DiSCO": Fraction(is_determined and match[0] == target),
        "DCAP": Fraction(match.count(target), len(match)) if match else Fraction(0),
        "anyway": Fraction(match.count(target), len(match))
        if match
        else Fraction(target in modes, len(modes)),
    }


def means(people: Sequence[Row], synthetic: Sequence[Row]) -> dict[str, Fraction]:
    found = [scores(person, synthetic) for person in people]
    return {name: sum(one[name] for one in found) / len(found) for name in found[0]}


def half_widths(
    train: Sequence[Row], control: Sequence[Row], synthetic: Sequence[Row], names: Sequence[str]
) -> list[float]:
    """Half of each 95 % interval of `split`: how far one person more moves the figures.

    The influence of a person is the slope of a figure as the mean is drawn a little towards their
    scores; the variance is the sum of its squares over n (n - 1), of both files (Hampel 1974).
    """
    little = Fraction(1, 10**12)
    sides = [[scores(person, synthetic) for person in file] for file in (train, control)]
    centre = [means(train, synthetic), means(control, synthetic)]
    at = split(*centre, names)
    variance = [Fraction(0)] * len(at)
    for place, side in enumerate(sides):
        for one in side:
            moved = [*centre]
            moved[place] = {n: m + little * (one[n] - m) for n, m in centre[place].items()}
            for i, (new, old) in enumerate(zip(split(*moved, names), at, strict=True)):
                slope = (new - old) / little
                variance[i] += slope**2 / (len(side) * max(len(side) - 1, 1))
    return [1.959964 * sqrt(one) for one in variance]


def chain(of: dict[str, Fraction], names: Sequence[str]) -> list[Fraction | None]:
    """Nested shares as factors."""
    made, wider = [], Fraction(1)
    for name in names:
        made.append(of[name] / wider if wider else None)
        wider = of[name]
    return made


def split(
    train: dict[str, Fraction], control: dict[str, Fraction], names: Sequence[str]
) -> list[Fraction]:
    """R, then each factor's part of it: the mean effect of its change over all orders."""
    one, zero = chain(train, names), chain(control, names)
    for i, (a, b) in enumerate(zip(one, zero, strict=True)):
        if a is None or b is None:
            one[i] = zero[i] = a if b is None else b
            if one[i] is None:
                one[i] = zero[i] = Fraction(0)
    orders = list(permutations(range(len(names))))
    parts = [Fraction(0)] * len(names)
    for order in orders:
        for rank, place in enumerate(order):
            earlier = order[:rank]
            with_, without = (
                prod(one[i] if i in changed else zero[i] for i in range(len(names)))
                for changed in ((*earlier, place), earlier)
            )
            parts[place] += (with_ - without) / len(orders)
    left = 1 - control[names[-1]]
    return [(train[names[-1]] - control[names[-1]]) / left, *(part / left for part in parts)]
