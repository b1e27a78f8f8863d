"""Which people does the intruder know by name already, and what is left of the table without them?

Smith and Elliot (2008), section 2.1: coalitions, and people who are known in part. Those known in
full are subtracted from their cell; those known in part are at least so many in the margins they
are known in, and in any of them together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unveil.arguments import is_list, quote_value
from unveil.errors import InputError, SettingsError
from unveil.measure.tables.grid import (
    MOST_IN_FACTS,
    GivenLevels,
    Grid,
    as_count,
    pairs,
    parse_given_levels,
)
from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.sap_depth import under

MOST_UNIONS = 2_000


@dataclass(frozen=True)
class KnownPeople:
    """So many people of whom these levels are known."""

    levels: GivenLevels
    n: int


def parse_known(given: Any, grid: Grid) -> tuple[KnownPeople, ...]:
    """Stated people, each a mapping or text such as "sex=m,age=2", with a number in a pair.

    A cell of the table can also be named by its number. Whoever is named by all dimensions is known
    in full.
    """
    if given is None:
        return ()
    if isinstance(given, str | Mapping) or not is_list(given):
        raise SettingsError(
            'known must be a list of people, such as [{"sex": "m", "age": "2"}] or'
            f' [("sex=m", 3)] for three of them; given is {quote_value(given)}.'
        )
    numbers: dict[GivenLevels, int] = {}
    for place, one in enumerate(given, 1):
        levels, n = _parse_statement(one, grid, f"Known person {place:,}")
        numbers[levels] = numbers.get(levels, 0) + n
    return tuple(KnownPeople(levels, n) for levels, n in numbers.items() if n)


def _parse_statement(given: Any, grid: Grid, where: str) -> tuple[GivenLevels, int]:
    who, n = given if isinstance(given, tuple) and len(given) == 2 else (given, 1)
    number = as_count(n)
    if number is None or number < 0:
        raise SettingsError(
            f"{where} comes with the number {quote_value(n)}. It must be a whole number from 0."
        )
    if as_count(who) is not None:
        places = np.unravel_index(grid.cell(who, where), grid.shape)
        return tuple((dim, int(place)) for dim, place in enumerate(places)), number
    return parse_given_levels(who, grid, where=where), number


def remove_known(system: System, people: Iterable[KnownPeople], grid: Grid) -> System:
    """The table and what is known of it once the known people are taken out.

    Notes
    -----
    People known in full lower their cell and every sum it is in. Those known in part must all find
    a place: every union of margins in which they are known holds at least as many as are known in
    one of them, those known in more detail included (Hall 1935). They stay among the people who may
    become known, so that their number and a sample are not added up.
    """
    people = tuple(people)
    for one in people:
        within = under(system.shape, one.levels).reshape(-1).tolist()
        if one.n > sum(system.counts[cell] for cell in within):
            raise _does_not_fit(one, grid)
    taken = np.zeros(len(system.counts), np.int64)
    for one in people:
        if len(one.levels) == len(grid.dims):
            taken[int(under(system.shape, one.levels))] = one.n
    left = np.asarray(system.counts, np.int64) - taken
    facts = [_lower_fact(fact, taken) for fact in system.facts] if taken.any() else system.facts
    after = replace(system, counts=tuple(left.tolist()), facts=tuple(facts))
    part = [one for one in people if len(one.levels) < len(grid.dims)]
    return replace(after, facts=(*facts, *_at_least(after, part, grid))) if part else after


def _lower_fact(fact: Fact, taken: "np.ndarray[Any, np.dtype[np.int64]]") -> Fact:
    known = int(taken[list(fact.cells)].sum())
    hi = None if fact.hi is None else fact.hi - known
    return replace(fact, lo=max(0, fact.lo - known), hi=hi)


def _at_least(system: System, part: Sequence[KnownPeople], grid: Grid) -> Iterator[Fact]:
    """That the people known in part find a place: Hall's condition, but for what follows."""
    sets = [_bits(under(system.shape, one.levels).reshape(-1)) for one in part]
    least = _least(system)
    stated: dict[int, int] = {}
    for union in sorted(_unions(sets, part), key=int.bit_count):
        inside = [i for i, one in enumerate(sets) if not one & ~union]
        n = sum(part[i].n for i in inside)
        if any(n <= more and not smaller & ~union for smaller, more in stated.items()):
            continue
        stated[union] = n
        cells = _cells(union)
        if n <= sum(least[cell] for cell in cells):
            continue
        if n > sum(system.counts[cell] for cell in cells):
            raise _no_place(part, inside, grid)
        where = " or ".join(_format_levels(part[i].levels, grid) for i in inside)
        yield Fact(cells, n, None, f"the people known in {where}")


def _least(system: System) -> list[int]:
    """What is known of each cell by itself to be in it."""
    made = [0] * len(system.counts)
    for fact in system.facts:
        if len(fact.cells) == 1:
            made[fact.cells[0]] = max(made[fact.cells[0]], fact.lo)
    return made


def _unions(sets: Sequence[int], part: Sequence[KnownPeople]) -> Iterable[int]:
    """The cells of each kind of people, and those of kinds that share cells, put together.

    Kinds that share no cell fit together where each does. More unions than can be stated are
    refused: without them SAP would be too low.
    """
    found = dict.fromkeys(sets)
    open_ends = list(found)
    n_named = sum(one.bit_count() for one in found)
    while open_ends:
        union = open_ends.pop()
        for one in sets:
            both = union | one
            if not union & one or both in found:
                continue
            found[both] = None
            open_ends.append(both)
            n_named += both.bit_count()
            if len(found) > MOST_UNIONS or n_named > MOST_IN_FACTS:
                raise SettingsError(
                    f"The {len(part):,} kinds of people known in part share cells in more ways than"
                    f" the {MOST_UNIONS:,} that are worked on at once. Name fewer kinds."
                )
    return found


def _bits(cells: "np.ndarray[Any, np.dtype[np.int64]]") -> int:
    """A set of cells as a whole number, one bit for each."""
    flags = np.zeros(int(cells.max()) + 1, np.uint8)
    flags[cells] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _cells(bits: int) -> tuple[int, ...]:
    held = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), np.uint8)
    return tuple(np.flatnonzero(np.unpackbits(held, bitorder="little")).tolist())


def _format_levels(levels: GivenLevels, grid: Grid) -> str:
    if not levels:
        return "the table"
    dims = [grid.dims[dim] for dim, _ in levels]
    return pairs(dims, [grid.levels[dim][place] for dim, place in levels])


def _does_not_fit(one: KnownPeople, grid: Grid) -> InputError:
    people = "1 person is" if one.n == 1 else f"{one.n:,} people are"
    return InputError(
        f"{people} said to be known in {_format_levels(one.levels, grid)}, more than the table "
        "counts"
        " there. Correct the known people or the counts."
    )


def _no_place(part: Sequence[KnownPeople], inside: Sequence[int], grid: Grid) -> InputError:
    if len(inside) == 1:  # fewer are left once those known in full are taken out
        return _does_not_fit(part[inside[0]], grid)
    return InputError(
        "The people known in part do not all fit into the table: there are fewer people with"
        " the levels they share. Correct the known people or the counts."
    )
