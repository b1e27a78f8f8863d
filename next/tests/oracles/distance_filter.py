"""The distance filter from its definition, pair by pair: Chapelle and Falissard 2023, Algorithm 1.

Rows are lists of numbers, None where missing; P is the inverse covariance as a list of lists. The
shortest distance over a box tries every face of it; the longest every corner. A missing category
takes each of its levels in turn.
"""

from itertools import product
from math import inf, sqrt

TOLERANCE = 1e-9


def quadratic(d, P):
    return sum(d[i] * P[i][j] * d[j] for i in range(len(d)) for j in range(len(d)))


def ends(a, b, span):
    """From where to where a - b may go."""
    low, high = span
    return (
        (low if a is None else a) - (high if b is None else b),
        (high if a is None else a) - (low if b is None else b),
    )


def longest(a, b, P, ranges):
    boxes = [ends(x, y, span) for x, y, span in zip(a, b, ranges, strict=True)]
    return sqrt(max(quadratic(corner, P) for corner in product(*boxes)))


def solve(A, b):
    """The solution of a small linear system, by elimination."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def shortest(a, b, P, ranges, simple=False):
    boxes = [ends(x, y, span) for x, y, span in zip(a, b, ranges, strict=True)]
    free = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x is None or y is None]
    known = [0.0 if i in free else box[0] for i, box in enumerate(boxes)]
    if simple or not free:
        return sqrt(quadratic(known, P))
    best = inf
    for face in product(("low", "high", "inside"), repeat=len(free)):
        d = list(known)
        inside = [i for i, where in zip(free, face, strict=True) if where == "inside"]
        for i, where in zip(free, face, strict=True):
            if where != "inside":
                d[i] = boxes[i][where == "high"]
        if inside:
            for i in inside:
                d[i] = 0.0
            pull = [-sum(P[i][j] * d[j] for j in range(len(d))) for i in inside]
            found = solve([[P[i][j] for j in inside] for i in inside], pull)
            if any(
                not boxes[i][0] - 1e-9 <= x <= boxes[i][1] + 1e-9
                for i, x in zip(inside, found, strict=True)
            ):
                continue
            for i, x in zip(inside, found, strict=True):
                d[i] = x
        best = min(best, max(quadratic(d, P), 0.0))
    return sqrt(best)


def spelled(row, widths, levels=True):
    """The row in dimensions, one for each level of a category but the first; all that it may be.

    `widths` are the numbers of levels, 0 for a number. Without `levels` a missing category misses
    each of its dimensions.
    """
    ways = []
    for x, width in zip(row, widths, strict=True):
        if not width:
            ways.append([[x]])
        elif x is None and not levels:
            ways.append([[None] * (width - 1)])
        else:
            tried = range(width) if x is None else (x,)
            ways.append([[float(level == k) for k in range(1, width)] for level in tried])
    return [[x for part in way for x in part] for way in product(*ways)]


def longest_spelled(a, b, P, ranges, widths):
    return max(longest(x, y, P, ranges) for x in spelled(a, widths) for y in spelled(b, widths))


def shortest_spelled(a, b, P, ranges, widths, *, simple=False):
    return min(
        shortest(x, y, P, ranges, simple)
        for x in spelled(a, widths, not simple)
        for y in spelled(b, widths, not simple)
    )


def filtered(original, synthetic, near, far, *, rule, ties):
    """Keep, nearest, distance to it and its own distance, for each synthetic row."""
    n = len(original)
    own = [
        min((far(original[i], original[j]) for j in range(n) if j != i), default=inf)
        for i in range(n)
    ]
    found = []
    for s in synthetic:
        d = [near(s, o) for o in original]
        tied = [i for i in range(n) if d[i] <= min(d) * (1 + TOLERANCE) + 1e-13]
        asked = {"any": tied, "first": tied[:1]}[ties] if rule == "paper" else range(n)
        closest = {i: min(d) if rule == "paper" else d[i] for i in asked}
        keep = not any(closest[i] < own[i] * (1 - TOLERANCE) for i in asked)
        found.append((keep, tied[0], min(d), own[tied[0]]))
    return found


def jaccard(a, b, pick):
    """Jaccard's distance; missing values are tried both ways, and one is picked."""
    ways = [[(x,) if x is not None else (0, 1) for x in row] for row in (a, b)]
    found = []
    for left in product(*ways[0]):
        for right in product(*ways[1]):
            both = sum(x and y for x, y in zip(left, right, strict=True))
            either = sum(x or y for x, y in zip(left, right, strict=True))
            found.append(1 - both / either if either else 0.0)
    return pick(found)


def gower(a, b, kinds, ranges, pick):
    """Gower's distance; of a missing number both ends and the other's value are tried."""
    total = 0.0
    for x, y, kind, (low, high) in zip(a, b, kinds, ranges, strict=True):
        if kind == "category":
            unknown = x is None or y is None
            total += pick((0.0, 1.0)) if unknown else float(x != y)
        else:
            lefts = (x,) if x is not None else (low, high, y)
            rights = (y,) if y is not None else (low, high, x)
            tried = [
                (left, right)
                for left in lefts
                for right in rights
                if left is not None and right is not None
            ]
            total += pick(abs(left - right) / (high - low) for left, right in tried)
    return total / len(a)


def filtered_by_pattern(original, synthetic, distance, *, rule):
    """Keep each synthetic row, by the columns it shares with each original.

    `distance(a, b, B)` is that on the columns B alone. For each B: the nearest of all originals
    that have B (or every one, strict) is asked, if B is all that it shares with the row; its
    others are all originals that have B.
    """

    def has(row):
        return frozenset(i for i, x in enumerate(row) if x is not None)

    found = []
    for s in synthetic:
        keep = True
        for B in {has(s) & has(o) for o in original} - {frozenset()}:
            there = [i for i, o in enumerate(original) if has(o) >= B]
            d = {i: distance(s, original[i], B) for i in there}
            tied = [i for i in there if d[i] <= min(d.values()) * (1 + TOLERANCE) + 1e-13]
            for i in tied if rule == "paper" else there:
                own = min(
                    (distance(original[i], original[j], B) for j in there if j != i), default=inf
                )
                at = min(d.values()) if rule == "paper" else d[i]
                if has(s) & has(original[i]) == B and at < own * (1 - TOLERANCE):
                    keep = False
        found.append(keep)
    return found


def mahalanobis_on(a, b, B, covariance):
    """The distance on some columns, by their part of the covariance."""
    places = sorted(B)
    d = [a[i] - b[i] for i in places]
    turned = solve([[covariance[i][j] for j in places] for i in places], d)
    return sqrt(max(sum(x * y for x, y in zip(d, turned, strict=True)), 0.0))


def gower_on(a, b, B, ranges):
    """The mean over some columns of numbers of |a - b| / range."""
    return sum(abs(a[i] - b[i]) / (ranges[i][1] - ranges[i][0]) for i in B) / len(B)
