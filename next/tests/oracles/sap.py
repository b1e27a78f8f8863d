"""How likely do known people give a zero away? From the definition, sample by sample.

A table is a list of counts; a fact is (cells, lo, hi), hi None for no upper bound. Everything is
found by going through all tables of whole numbers that fit, and through all samples.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

Fact = tuple[tuple[int, ...], int, int | None]
Cells = tuple[int, ...]


def fits(table: Sequence[int], facts: Iterable[Fact]) -> bool:
    for cells, lo, hi in facts:
        people = sum(table[cell] for cell in cells)
        if people < lo or (hi is not None and people > hi):
            return False
    return True


def feasible(
    counts: Sequence[int], facts: Sequence[Fact], structural: Iterable[int] = ()
) -> list[tuple[int, ...]]:
    """All tables that fit; a count without an upper bound goes up to everybody and one more."""
    most = sum(counts) + 1
    ranges = []
    for cell in range(len(counts)):
        own = [hi for cells, _, hi in facts if cell in cells and hi is not None]
        limit = 0 if cell in set(structural) else min([most, *own])
        ranges.append(range(limit + 1))
    return [table for table in product(*ranges) if fits(table, facts)]


def samples(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    yield from product(*(range(count + 1) for count in counts))


def raised(counts: Sequence[int], tables: Iterable[Sequence[int]]) -> list[set[tuple[int, ...]]]:
    """For each cell what the tables with more people in it hold of the true ones."""
    found: list[set[tuple[int, ...]]] = [set() for _ in counts]
    for table in tables:
        held = tuple(min(t, c) for t, c in zip(table, counts, strict=True))
        for cell, count in enumerate(counts):
            if table[cell] > count:
                found[cell].add(held)
    return found


def recovered(
    counts: Sequence[int],
    raising: Sequence[set[tuple[int, ...]]],
    sample: Sequence[int],
    structural: Iterable[int] = (),
) -> set[int]:
    """Cells of which nobody is left, and of which the intruder can say so.

    No table that holds the sample has more people in the cell than there are.
    """
    return {
        cell
        for cell, count in enumerate(counts)
        if cell not in set(structural)
        and sample[cell] == count
        and not any(
            all(h >= s for h, s in zip(held, sample, strict=True)) for held in raising[cell]
        )
    }


def sap(
    counts: Sequence[int],
    facts: Sequence[Fact],
    *,
    structural: Iterable[int] = (),
    events: Sequence[Cells] | None = None,
    chance: Sequence[int] | None = None,
) -> list[Fraction]:
    """SAP(n) for n from 0 to everybody who can become known."""
    structural = set(structural)
    if events is None:
        events = [(cell,) for cell in range(len(counts)) if cell not in structural]
    pool = list(counts if chance is None else chance)
    raising = raised(counts, feasible(counts, facts, structural))
    risky = [0] * (sum(pool) + 1)
    for sample in samples(pool):
        zeros = recovered(counts, raising, sample, structural)
        if any(zeros >= set(event) for event in events):
            ways = prod(comb(p, s) for p, s in zip(pool, sample, strict=True))
            risky[sum(sample)] += ways
    return [Fraction(ways, comb(sum(pool), n)) for n, ways in enumerate(risky)]


def places(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """The levels of each cell, in the order of the cells."""
    return list(product(*(range(size) for size in shape)))


def margin_cells(
    shape: Sequence[int],
    depth: int,
    *,
    given: dict[int, int] | None = None,
    structural: Iterable[int] = (),
) -> list[Cells]:
    """The base cells under each cell of every margin of at most `depth` variables."""
    given = given or {}
    inside = [
        (cell, place)
        for cell, place in enumerate(places(shape))
        if all(place[dim] == level for dim, level in given.items())
    ]
    free = [dim for dim in range(len(shape)) if dim not in given]
    found = []
    for size in range(1, depth + 1):
        for dims in combinations(free, size):
            for levels in product(*(range(shape[dim]) for dim in dims)):
                cells = tuple(
                    cell
                    for cell, place in inside
                    if [place[dim] for dim in dims] == list(levels) and cell not in set(structural)
                )
                if cells:
                    found.append(cells)
    return found


def kinds(shape: Sequence[int], zeros: Iterable[int], structural: Iterable[int] = ()) -> dict:
    """What each recovered zero teaches, by looking along every variable through it."""
    zeros, structural = set(zeros), set(structural)
    everywhere = places(shape)
    found = {"settles": 0, "rules_out_level": 0, "combination_only": 0}
    for zero in zeros:
        left = []
        for dim in range(len(shape)):
            line = [
                cell
                for cell, place in enumerate(everywhere)
                if all(place[d] == everywhere[zero][d] for d in range(len(shape)) if d != dim)
            ]
            left.append(len([cell for cell in line if cell not in zeros | structural]))
        if 1 in left:
            found["settles"] += 1
        elif any(left):
            found["rules_out_level"] += 1
        else:
            found["combination_only"] += 1
    return found
