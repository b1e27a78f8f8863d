"""Which people does the intruder know by name already, and what is left of the table without them?

Smith and Elliot (2008), section 2.1: coalitions, and people who are known in part. Those known in
full are subtracted from their cell; those known in part are at least so many in the margins they
are known in.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from unveil.errors import InputError, SettingsError
from unveil.measure.tables.depth import Given, key_levels, under
from unveil.measure.tables.facts import Fact, System
from unveil.measure.tables.grid import Grid, pairs, whole
from unveil.read.given import is_list, shown


@dataclass(frozen=True)
class Known:
    """So many people of whom these levels are known."""

    levels: Given
    n: int


def known_people(given: Any, grid: Grid) -> tuple[Known, ...]:
    """Stated people, each a mapping or text such as "sex=m,age=2", with a number in a pair.

    A cell of the table can also be named by its number. Whoever is named by all dimensions is known
    in full.
    """
    if given is None:
        return ()
    if isinstance(given, str | Mapping) or not is_list(given):
        raise SettingsError(
            'known must be a list of people, such as [{"sex": "m", "age": "2"}] or'
            f' [("sex=m", 3)] for three of them; given is {shown(given)}.'
        )
    numbers: dict[Given, int] = {}
    for place, one in enumerate(given, 1):
        levels, n = _stated(one, grid, f"Known person {place:,}")
        numbers[levels] = numbers.get(levels, 0) + n
    return tuple(Known(levels, n) for levels, n in numbers.items() if n)


def _stated(given: Any, grid: Grid, where: str) -> tuple[Given, int]:
    who, n = given if isinstance(given, tuple) and len(given) == 2 else (given, 1)
    number = whole(n)
    if number is None or number < 0:
        raise SettingsError(
            f"{where} comes with the number {shown(n)}. It must be a whole number from 0."
        )
    if whole(who) is not None:
        places = np.unravel_index(grid.cell(who, where), grid.shape)
        return tuple((dim, int(place)) for dim, place in enumerate(places)), number
    return key_levels(who, grid, where=where), number


def without_known(system: System, people: Iterable[Known], grid: Grid) -> System:
    """The table and what is known of it once the known people are taken out.

    Notes
    -----
    People known in full lower their cell and every sum it is in. Of people known in part a margin
    holds at least as many as are known to be in it, those known in more detail included; they stay
    among the people who may become known, so that their number and a sample are not added up.
    """
    people = tuple(people)
    full = [one for one in people if len(one.levels) == len(grid.dims)]
    part = [one for one in people if len(one.levels) < len(grid.dims)]
    taken = np.zeros(len(system.counts), np.int64)
    for one in full:
        taken[int(under(system.shape, one.levels))] += one.n
    left = np.asarray(system.counts, np.int64) - taken
    for one in full:
        if left[int(under(system.shape, one.levels))] < 0:
            raise _does_not_fit(one, grid)
    facts = [_lowered(fact, taken) for fact in system.facts] if full else list(system.facts)
    after = replace(system, counts=tuple(left.tolist()), facts=tuple(facts))
    if not part:
        return after
    _refuse_crowd(after, part, grid)
    return replace(after, facts=(*facts, *_at_least(after, part, grid)))


def _lowered(fact: Fact, taken: "np.ndarray[Any, np.dtype[np.int64]]") -> Fact:
    known = int(taken[list(fact.cells)].sum())
    hi = None if fact.hi is None else fact.hi - known
    return replace(fact, lo=max(0, fact.lo - known), hi=hi)


def _at_least(system: System, part: Iterable[Known], grid: Grid) -> Iterable[Fact]:
    """Lower bounds of the margins in which people are known, but for those that follow."""
    part = tuple(part)
    margins = {
        levels
        for one in part
        for size in range(len(one.levels) + 1)
        for levels in combinations(one.levels, size)
    }
    stated: dict[Given, int] = {}
    for levels in sorted(margins, key=lambda one: (-len(one), one)):
        n = sum(one.n for one in part if set(levels) <= set(one.levels))
        if any(n <= more and set(levels) <= set(finer) for finer, more in stated.items()):
            continue
        stated[levels] = n
        cells = tuple(sorted(under(system.shape, levels).reshape(-1).tolist()))
        yield Fact(cells, n, None, f"the people known in {_named(levels, grid)}")


def _named(levels: Given, grid: Grid) -> str:
    if not levels:
        return "the table"
    dims = [grid.dims[dim] for dim, _ in levels]
    return pairs(dims, [grid.levels[dim][place] for dim, place in levels])


def _does_not_fit(one: Known, grid: Grid) -> InputError:
    people = "1 person is" if one.n == 1 else f"{one.n:,} people are"
    return InputError(
        f"{people} said to be known in {_named(one.levels, grid)}, more than the table counts"
        " there. Correct the known people or the counts."
    )


def _refuse_crowd(system: System, part: Iterable[Known], grid: Grid) -> None:
    """Refuse people known in part who do not all find a place: a flow from them to the cells."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    people = list(part)
    cells = [under(system.shape, one.levels).reshape(-1) for one in people]
    for one, within in zip(people, cells, strict=True):
        if one.n > sum(system.counts[cell] for cell in within):
            raise _does_not_fit(one, grid)
    first, sink = 1 + len(people), 1 + len(people) + len(system.counts)
    size = sink + 1
    source_to = [(0, 1 + i, one.n) for i, one in enumerate(people)]
    to_cells = [
        (1 + i, first + int(cell), one.n)
        for i, (one, within) in enumerate(zip(people, cells, strict=True))
        for cell in within
    ]
    to_sink = [(first + cell, sink, min(n, 2**30)) for cell, n in enumerate(system.counts)]
    rows, columns, capacity = zip(*source_to, *to_cells, *to_sink, strict=True)
    graph = csr_array((np.array(capacity, np.int32), (rows, columns)), shape=(size, size))
    if maximum_flow(graph, 0, sink).flow_value < sum(one.n for one in people):
        raise InputError(
            "The people known in part do not all fit into the table: there are fewer people with"
            " the levels they share. Correct the known people or the counts."
        )
