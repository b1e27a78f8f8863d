"""Systems small enough to write down every table and every sample, for the tests of this room."""

from hypothesis import strategies as st

from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.sap_events import ProgrammeOracle

Facts = list[tuple[tuple[int, ...], int, int | None]]


def system(counts, facts, structural=(), shape=None):
    named = tuple(Fact(tuple(cells), lo, hi, f"sum {i}") for i, (cells, lo, hi) in enumerate(facts))
    return System(tuple(counts), named, frozenset(structural), shape or (len(counts),))


def is_recovered(oracle, counts, known, cell):
    """Whether somebody who knows so many of each cell knows that they are all of one."""
    if isinstance(oracle, ProgrammeOracle):
        return oracle.can_recover_all(known, (cell,))
    pairs = enumerate(zip(counts, known, strict=True))
    full = sum(1 << place for place, (count, own) in pairs if own >= count)
    return bool(oracle.find_recovered(full, (cell,)))


def two_way_sets(rows, columns):
    cells = range(rows * columns)
    return [
        *((cell,) for cell in cells),
        *(tuple(range(row * columns, (row + 1) * columns)) for row in range(rows)),
        *(tuple(range(column, rows * columns, columns)) for column in range(columns)),
        tuple(cells),
    ]


def three_way_sets():
    """All two-way margins of a table of 2 x 2 x 2."""
    return [(i, i + step) for step in (1, 2, 4) for i in range(8) if not i & step]


@st.composite
def said(draw, counts, sets) -> Facts:
    """Something true about some of the sets: exact, an interval, or no upper limit."""
    facts = []
    for cells in sets:
        total = sum(counts[cell] for cell in cells)
        kind = draw(st.sampled_from(("nothing", "exact", "interval", "interval", "least")))
        if kind == "nothing":
            continue
        below = 0 if kind == "exact" else draw(st.integers(0, 2))
        above = 0 if kind == "exact" else draw(st.integers(0, 2))
        facts.append((cells, max(0, total - below), None if kind == "least" else total + above))
    return facts


@st.composite
def networks(draw):
    """A one- or two-way table with its cells, rows, columns and total, each known in some way."""
    rows, columns = draw(st.sampled_from([(1, 3), (1, 4), (2, 2), (2, 3)]))
    counts = draw(st.lists(st.integers(0, 2), min_size=rows * columns, max_size=rows * columns))
    facts = draw(said(counts, two_way_sets(rows, columns)))
    return counts, facts, _impossible(draw, counts)


@st.composite
def others(draw):
    """Sums that cross each other in threes, so that no network holds them."""
    size = draw(st.integers(3, 5))
    counts = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    more = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=3))
    crossing = [(0, 1), (0, 2), tuple(range(1, size))]
    alone = [(cell,) for cell in range(size)]
    exact = [(cells, *2 * [sum(counts[cell] for cell in cells)]) for cells in crossing]
    facts = [*exact, *draw(said(counts, [*alone, *(tuple(sorted(cells)) for cells in more)]))]
    return counts, facts, _impossible(draw, counts)


def _impossible(draw, counts):
    empty = [cell for cell, count in enumerate(counts) if count == 0]
    return draw(st.sets(st.sampled_from(empty), max_size=1)) if empty else set()


PAPER = [1, 3, 0, 4, 0, 0, 3, 2, 0]
"""Figure 1 of Smith and Elliot 2008: three rows of three cells."""


def rounded(total, base=3):
    half = (base - 1) // 2
    near = (total + half) // base * base
    return max(0, near - half), near + half


def paper_facts(*, margins=True):
    sets = two_way_sets(3, 3)
    wanted = sets if margins else sets[:9]
    return [(cells, *rounded(sum(PAPER[cell] for cell in cells))) for cells in wanted]
