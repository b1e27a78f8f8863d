"""Publication plans by the definition: every whole table of a few people, and what fits.

All tables are listed once. A set of them is one whole number, a bit for each table, so that what
fits several published values is the bits they have in common.
"""

from itertools import combinations, pairwise, product


def every_table(n_people, n_cells):
    """Every way to put so many people into so many cells."""
    for bars in combinations(range(n_people + n_cells - 1), n_cells - 1):
        ends = (-1, *bars, n_people + n_cells - 1)
        yield tuple(b - a - 1 for a, b in pairwise(ends))


def cells_in(shape, box):
    """The cells of a box: in each column the places from the first to before the last."""
    cells = []
    for places in product(*(range(a, b) for a, b in box)):
        cell = 0
        for place, size in zip(places, shape, strict=True):
            cell = cell * size + place
        cells.append(cell)
    return cells


class EveryTable:
    """All tables of some shape and number of people, and which have how many people in a box."""

    def __init__(self, n_people, shape):
        n_cells = 1
        for size in shape:
            n_cells *= size
        self.n_people, self.shape = n_people, shape
        self.tables = list(every_table(n_people, n_cells))
        self.by_count = {}

    def with_count(self, box, without=None):
        """For each number of people the tables that have so many in the box, as bits.

        People of a second box, `without`, are not counted.
        """
        key = box, without
        if key not in self.by_count:
            cells = set(cells_in(self.shape, box))
            cells -= set(() if without is None else cells_in(self.shape, without))
            signs = [["0"] * len(self.tables) for _ in range(self.n_people + 1)]
            for i, table in enumerate(self.tables):
                signs[sum(table[c] for c in cells)][i] = "1"
            self.by_count[key] = [int("".join(one), 2) for one in signs]
        return self.by_count[key]

    def fitting(self, facts):
        """The tables that fit all facts: a box, the fewest and the most people (None: no limit)."""
        left = (1 << len(self.tables)) - 1
        for box, low, high in facts:
            allowed = 0
            for n, tables in enumerate(self.with_count(box)):
                if low <= n and (high is None or n <= high):
                    allowed |= tables
            left &= allowed
        return left

    def bounds(self, fitting, box, without=None):
        """The fewest and the most people in a box over some tables."""
        found = [n for n, tables in enumerate(self.with_count(box, without)) if tables & fitting]
        return found[0], found[-1]
