"""What a published value says of its count, by trying every count: plain Python."""

from itertools import combinations, product


def outcomes(count, scheme):
    """All values that a scheme may publish of a count; None is hidden."""
    kind, *rest = scheme.split(":")
    if kind == "exact":
        return {count}
    size = int(rest[0])
    below, above = size * (count // size), size * -(-count // size)
    if kind == "conventional":
        return {above if count - below >= size / 2 and count % size else below}
    if kind in ("random", "controlled"):
        return {below, above}
    if kind in ("up", "down"):
        return {above if kind == "up" else below}
    if kind == "noise":
        values = {max(0, count + step) for step in range(-size, size + 1)}
        if rest[1:]:
            return {max(1, value) for value in values} if count else {0}
        return values
    return {None if (count > 0 or rest[1:]) and count < size else count}


def interval(value, scheme, most=40):
    """The least and the most count behind a value."""
    behind = [count for count in range(most) if value in outcomes(count, scheme)]
    return behind[0], behind[-1]


def parts_of(shape):
    """The axes of the table, of each margin, and of the total."""
    axes = range(len(shape))
    return [kept for size in range(len(shape), -1, -1) for kept in combinations(axes, size)]


def groups(shape, kept):
    """The numbers of the cells behind each value of a part."""
    places = list(product(*map(range, shape)))
    keys = product(*(range(shape[axis]) for axis in kept))
    return [
        tuple(i for i, place in enumerate(places) if tuple(place[a] for a in kept) == key)
        for key in keys
    ]
