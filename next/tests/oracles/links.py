"""What a set of columns tells of another, and what is expected of it, with plain loops."""

from collections import Counter, defaultdict


def single(values):
    """The one value that all have, or None."""
    return next(iter(values)) if len(values) == 1 else None


def told_by(rows, by, target):
    """The single value of the target that rows show for each combination."""
    shown = defaultdict(set)
    for row in rows:
        shown[tuple(row[c] for c in by)].add(row[target])
    return {keys: single(values) for keys, values in shown.items()}


def link(people, records, by, target):
    """Correct claims, and the three yardsticks with their margins; as many records as people.

    Neighbours stand in the order of the columns, that of most levels last; equal people in the
    order of all their values, the last column first.
    """
    told = told_by(records, by, target)
    levels = {c: len({row[c] for row in [*people, *records]}) for c in by}
    order = sorted(by, key=lambda c: levels[c])
    people = sorted(people, key=lambda row: tuple(reversed(row)))
    people = sorted(people, key=lambda row: [row[c] for c in order])
    keys = [tuple(row[c] for c in by) for row in people]
    said = [told.get(k) for k in keys]
    own = [row[target] for row in people]
    n = len(people)
    before = [own[1], *own[:-1]]
    after = [*own[1:], own[n - 2]]
    pairs = [(own[i], own[i + 1]) for i in range(n - 1) if keys[i] == keys[i + 1]]
    if n > 1 and keys[n - 1] == keys[n - 2]:
        pairs.append((own[n - 1], own[n - 2]))
    agree = sum(a == b for a, b in pairs) / len(pairs) if len(pairs) >= 20 else 0
    among, holders = told_by(people, by, target), Counter(keys)
    chances = [
        [((s == b) + (s == a)) / 2 for s, b, a in zip(said, before, after, strict=True)],
        [agree * (s is not None) for s in said],
        [float(holders[k] > 1 and among[k] == o) for k, o in zip(keys, own, strict=True)],
    ]
    right = [s == o for s, o in zip(said, own, strict=True)]
    yardsticks = []
    for chance in chances:
        gaps = defaultdict(float)
        for k, r, c in zip(keys, right, chance, strict=True):
            gaps[k] += r - c
        yardsticks.append((sum(chance), 1.96 * sum(gap**2 for gap in gaps.values()) ** 0.5))
    return sum(right), *max(yardsticks, key=lambda pair: pair[0] + 2.5 * pair[1])
