"""Every table that fits a release, and every sample of people: bounds and SAP from the definition.

Facts are triples (cells, lo, hi), hi None where there is no upper limit. Nothing is clever here:
all whole tables are written down, and all samples.
"""

from fractions import Fraction
from itertools import product
from math import comb, prod


def tables(counts, facts, structural=()):
    """All whole tables that fit.

    A cell that nothing limits from above goes up to its count, and to the largest lower limit of
    any sum it is in: more than that says nothing about the other cells.
    """
    n_cells = len(counts)

    def choices(cell):
        if cell in structural:
            return [0]
        own = [(lo, hi) for cells, lo, hi in facts if cell in cells]
        if unlimited(cell, facts):
            return sorted({*range(counts[cell] + 1), max((lo for lo, _ in own), default=0)})
        return range(min(hi for _, hi in own if hi is not None) + 1)

    found = []

    def extend(table):
        placed = len(table)
        for cells, _, hi in facts:
            if hi is not None and sum(table[cell] for cell in cells if cell < placed) > hi:
                return
        if placed == n_cells:
            if all(sum(table[cell] for cell in cells) >= lo for cells, lo, _ in facts):
                found.append(tuple(table))
            return
        for count in choices(placed):
            extend([*table, count])

    extend([])
    return found


def unlimited(cell, facts, structural=()):
    """Whether nothing says how many a cell can have at most."""
    return cell not in structural and all(hi is None for cells, _, hi in facts if cell in cells)


def bounds(counts, facts, structural=()):
    """The smallest and largest count of every cell over all tables; None if unlimited."""
    fitting = tables(counts, facts, structural)
    lower = [min(table[cell] for table in fitting) for cell in range(len(counts))]
    upper = [
        None if unlimited(cell, facts, structural) else max(table[cell] for table in fitting)
        for cell in range(len(counts))
    ]
    return lower, upper


def recovered(counts, known, fitting, unlimited_cells):
    """The cells all of whose people are known, and known to be all."""
    left = [
        table for table in fitting if all(one >= low for one, low in zip(table, known, strict=True))
    ]
    return {
        cell
        for cell, count in enumerate(counts)
        if known[cell] == count
        and cell not in unlimited_cells
        and max(table[cell] for table in left) == count
    }


def sap(counts, facts, structural=(), *, events=None, chance=None):
    """P(some event is recovered) for every number of people drawn, over all samples of people."""
    cells = range(len(counts))
    people = list(chance or counts)
    wanted = [(cell,) for cell in cells if cell not in structural] if events is None else events
    fitting = tables(counts, facts, structural)
    free = {cell for cell in cells if unlimited(cell, facts, structural)}
    risky = [0] * (sum(people) + 1)
    for sample in product(*(range(one + 1) for one in people)):
        zeros = recovered(counts, sample, fitting, free)
        if any(zeros.issuperset(event) for event in wanted):
            risky[sum(sample)] += prod(comb(people[cell], sample[cell]) for cell in cells)
    return [Fraction(count, comb(sum(people), n)) for n, count in enumerate(risky)]
