"""Rounding by the definition: every value a scheme may publish of a count."""


def outcomes(count, kind, size):
    """All values that may be published of one count; None is suppressed."""
    below = count - count % size if size else count
    above = below if below == count else below + size
    near = range(count - size, count + size + 1)
    return {
        "exact": {count},
        "conventional": {below if 2 * (count - below) < size else above},
        "random": {below, above},
        "controlled": {below, above},
        "up": {above},
        "down": {below},
        "noise": {max(0, noisy) for noisy in near},
        "noise:zeros": {max(1, noisy) for noisy in near} if count else {0},
        "suppress": {None if 0 < count < size else count},
    }[kind]


def possible_counts(published, kind, size, most):
    """All counts up to `most` that may be published as this value."""
    return [c for c in range(most + 1) if published in outcomes(c, kind, size)]


def controlled_roundings(rows, base):
    """All zero-restricted additive roundings of a two-way table, with rows, columns and total."""
    shape = len(rows), len(rows[0])
    flat = [c for row in rows for c in row]
    found = []
    stack = [[]]
    while stack:
        so_far = stack.pop()
        if len(so_far) < len(flat):
            stack += [[*so_far, x] for x in outcomes(flat[len(so_far)], "random", base)]
        elif _adds_up(so_far, flat, shape, base):
            found.append(so_far)
    return found


def _adds_up(rounded, flat, shape, base):
    n, m = shape
    groups = [[i * m + j for j in range(m)] for i in range(n)]
    groups += [[i * m + j for i in range(n)] for j in range(m)]
    groups.append(list(range(n * m)))
    return all(
        sum(rounded[c] for c in g) in outcomes(sum(flat[c] for c in g), "random", base)
        for g in groups
    )
