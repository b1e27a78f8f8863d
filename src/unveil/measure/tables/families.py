"""Which sets of cells give a zero away when all their people are known, where that can be listed.

Smith and Elliot (2008), sections 2.3.1 and 2.3.2, and one step further: cells with bounds, and
totals over groups of cells that do not overlap (one margin, or the grand total). Other releases
have no such list, and `boxes` splits the samples instead.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unveil.measure.tables.facts import System
from unveil.measure.tables.sums import Sum, Sums, sums_of

Family = tuple[frozenset[int], ...]
"""A sample is risky where it holds everybody of all the cells of at least one of these sets."""


@dataclass(frozen=True)
class Group:
    """Cells whose sum has an upper bound that the true counts reach."""

    movable: frozenset[int]  # cells above their lower bound: U in the definition


@dataclass(frozen=True)
class Separate:
    """A release whose facts are on single cells and on groups that do not overlap."""

    lo: tuple[int, ...]
    hi: tuple[int | None, ...]
    group_of: dict[int, Group]  # only groups at their upper bound; others allow everything


def separate(system: System) -> Separate | None:
    """The release as bounds on cells and on groups apart, or None where groups overlap."""
    known = sums_of(system)
    groups = [one for one in known.sums if not _implied(one, known)]
    if sum(len(one.cells) for one in groups) != len({c for one in groups for c in one.cells}):
        return None
    group_of: dict[int, Group] = {}
    for one in groups:
        if one.hi == sum(system.counts[cell] for cell in one.cells):
            above = (cell for cell in one.cells if system.counts[cell] > known.lo[cell])
            group_of |= dict.fromkeys(one.cells, Group(frozenset(above)))
    return Separate(known.lo, known.hi, group_of)


def _implied(one: Sum, known: Sums) -> bool:
    """Whether the bounds of the cells say as much already."""
    if one.lo > sum(known.lo[cell] for cell in one.cells):
        return False
    most = [known.hi[cell] for cell in one.cells]
    return one.hi is None or (None not in most and one.hi >= sum(hi or 0 for hi in most))


def family(
    system: System,
    parts: Separate,
    *,
    events: Iterable[Sequence[int]] | None = None,
    chance: Sequence[int] | None = None,
) -> Family:
    """The smallest sets of cells whose people, all known, give an event away.

    Parameters
    ----------
    events
        Sets of cells, each recovered when all its cells are; every possible cell by itself if None.
    chance
        How many people of each cell can become known; all of them if None. A cell with fewer than
        its count is never full.

    Notes
    -----
    A full cell j is recovered where its upper bound is its count, or where its group is at its
    upper bound and every other cell of the group is full or at its lower bound (nobody can be
    moved out of it). So j needs itself, and in the second case U, the cells of the group above
    their lower bounds. Lemma 1 of the paper is the case where a cell of U has its bound reached.
    Errata (section 2.3.2): with U empty every cell is determined, and the release is an exact
    table, not SAP = 1 for all n; where U and the cells at their bounds have nothing in common
    (counts left unperturbed), U is one more set, which Lemma 1 overlooks.
    """
    everywhere = range(len(system.counts))
    if events is None:
        events = ((cell,) for cell in everywhere if cell not in system.structural)
    full_never = (
        frozenset[int]()
        if chance is None
        else frozenset(cell for cell in everywhere if chance[cell] < system.counts[cell])
    )
    empty = frozenset(cell for cell in everywhere if system.counts[cell] == 0)
    found: set[frozenset[int]] = set()
    for event in events:
        all_full = needed(system, parts, event)
        if all_full is not None and not all_full & full_never:
            found.add(all_full - empty)
    return smallest(found)


def needed(system: System, parts: Separate, event: Sequence[int]) -> frozenset[int] | None:
    """All cells that must be full for an event; None where no sample does it."""
    needed = frozenset(event)
    for cell in event:
        if parts.hi[cell] != system.counts[cell]:
            if cell not in parts.group_of:
                return None
            needed |= parts.group_of[cell].movable
    return needed


def smallest(sets: Iterable[frozenset[int]]) -> Family:
    """Those sets that hold no other; in an order of their own."""
    ordered = sorted(sets, key=lambda cells: (len(cells), sorted(cells)))
    singles = {cell for cells in ordered if len(cells) == 1 for cell in cells}
    kept = [cells for cells in ordered if len(cells) < 2]
    larger: list[frozenset[int]] = []
    for cells in ordered[len(kept) :]:
        if not cells & singles and not any(less <= cells for less in larger):
            larger.append(cells)
    return (frozenset(),) if kept and not kept[0] else (*kept, *larger)
