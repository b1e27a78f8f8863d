"""Which parts of a table are published, each by which scheme, and with which values?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import is_list, parse_true_or_false, quote_value
from unveil.arrays import Floats
from unveil.errors import InputError, SettingsError, hint_at, list_names
from unveil.measure.tables.controlled_rounding import round_controlled
from unveil.measure.tables.grid import (
    LARGEST_COUNT,
    MOST_IN_FACTS,
    TABLE,
    TOTAL,
    Counts,
    Grid,
    as_count,
    as_reusable,
    is_missing,
)
from unveil.measure.tables.ptable import NEEDS_KEYS, as_fractions
from unveil.measure.tables.schemes import NOT_PUBLISHED, Published, Scheme, parse_scheme
from unveil.seeding import choose_seed, parse_seed

# What is known about a table of counts: facts on sums of cells, and the system they make.


@dataclass(frozen=True)
class Fact:
    """What is known of a sum of base cells: lo <= sum of the cells <= hi."""

    cells: tuple[int, ...]
    """Flat indices of base cells in C order, ascending, each once."""
    lo: int
    hi: int | None
    """None: no upper bound."""
    what: str
    """How a sentence names it: "the cell sex=m, age=2", "the total of sex=m", "the total"."""


@dataclass(frozen=True)
class System:
    """A base table of true counts and everything that is known about it, without names or files.

    Every cell is at least 0 by definition, and a structural cell is 0 and known to be. A system
    that its own true counts violate is refused here, so no measure has to ask whether it does.
    """

    counts: tuple[int, ...]
    """True counts, flat, C order."""
    facts: tuple[Fact, ...]
    structural: frozenset[int]
    """Flat indices of impossible cells."""
    shape: tuple[int, ...]
    """Its product is the number of cells; (number of cells,) where there is no shape."""

    def __post_init__(self) -> None:
        if not self.counts:
            raise InputError("The table has no cells. Give at least one count.")
        if prod(self.shape) != len(self.counts):
            raise ValueError("the shape does not fit the number of cells")
        for cell, count in enumerate(self.counts):
            _check_count(cell, count, structural=cell in self.structural)
        for fact in self.facts:
            _check_fact(fact, self.counts)

    @property
    def N(self) -> int:
        """People in the table."""
        return sum(self.counts)


def _check_count(cell: int, count: int, *, structural: bool) -> None:
    if count < 0:
        raise InputError(
            f"Cell {cell} has a negative count. A table of counts holds whole numbers from 0."
        )
    if structural and count:
        raise InputError(
            f"Cell {cell} is declared impossible (structural), but people are counted in it."
            " Remove it from the structural cells or correct its count."
        )


def _check_fact(fact: Fact, counts: tuple[int, ...]) -> None:
    true = sum(counts[cell] for cell in fact.cells)
    if true < fact.lo or (fact.hi is not None and true > fact.hi):
        raise InputError(
            f"What is said of {fact.what} does not hold in the true table: its count is not "
            f"{_fact_interval(fact)}. Correct the bounds, the published value or the counts."
        )


def _fact_interval(fact: Fact) -> str:
    if fact.hi is None:
        return f"at least {fact.lo:,}"
    if fact.hi == fact.lo:
        return f"{fact.lo:,}"
    return f"from {fact.lo:,} to {fact.hi:,}"


# What a system says, once and no more: limits of every cell, and of every larger sum.
#
# Facts may repeat each other, name impossible cells, or say nothing. Here each set of cells stands
# once, with the tightest of what is said of it, so that the solvers need not look twice.


@dataclass(frozen=True)
class Sum:
    """Limits of the sum over two cells or more."""

    cells: tuple[int, ...]
    lo: int
    hi: int | None


@dataclass(frozen=True)
class Sums:
    """Limits of every cell by what is said of it alone, and of every sum of several."""

    lo: tuple[int, ...]
    hi: tuple[int | None, ...]
    sums: tuple[Sum, ...]


def sums_of(system: System) -> Sums:
    """What a system says, each set of cells once."""
    return sums_of_facts(system.facts, len(system.counts), system.structural)


def sums_of_facts(
    facts: Iterable[Fact], size: int, structural: frozenset[int] = frozenset()
) -> Sums:
    """Each set of possible cells once, with the largest lower and the smallest upper limit."""
    limits: dict[tuple[int, ...], tuple[int, int | None]] = {
        (cell,): (0, None) for cell in range(size)
    }
    for fact in (*_impossible(structural), *facts):
        cells = tuple(cell for cell in fact.cells if cell not in structural) or fact.cells[:1]
        lo, hi = limits.get(cells, (0, None))
        limits[cells] = max(lo, fact.lo), _smaller(hi, fact.hi)
    alone = [limits[(cell,)] for cell in range(size)]
    several = tuple(
        Sum(cells, lo, hi)
        for cells, (lo, hi) in limits.items()
        if len(cells) > 1 and (lo > 0 or hi is not None)
    )
    return Sums(tuple(lo for lo, _ in alone), tuple(hi for _, hi in alone), several)


def _impossible(cells: Iterable[int]) -> Iterable[Fact]:
    return (Fact((cell,), 0, 0, "an impossible cell") for cell in cells)


def _smaller(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


MARGINS = "margins"
EXACT = Scheme("exact")

Plan = dict[str, Scheme]
"""The scheme of each published part: the table first, then margins, then the total."""


def plan(grid: Grid, rounding: Any, *, table: bool, total: bool, margins: Any) -> Plan:
    """What is published and how, or a sentence on what is wrong with what was asked."""
    asked = [grid.part(margin) for margin in grid.margins(margins)]
    flagged = [*asked, *([TOTAL] if parse_true_or_false(TOTAL, total) else [])]
    is_shown = parse_true_or_false(TABLE, table)
    if isinstance(rounding, Mapping):
        found = _from_mapping(grid, rounding, flagged)
    else:
        scheme = _scheme(EXACT if rounding is None else rounding)
        parts = [*([TABLE] if is_shown else []), *flagged]
        found = {part: scheme for part in parts if scheme is not None}
    _check_too_much(grid, found)
    return {part: found[part] for part in sorted(found, key=lambda part: _order(grid, part))}


def _from_mapping(grid: Grid, given: Mapping[Any, Any], flagged: Sequence[str]) -> Plan:
    """A scheme by part; margins and total that are asked for besides are exact."""
    schemes: dict[str, Scheme | None] = {}
    default = _scheme(given.get(MARGINS, EXACT))
    for part in flagged:
        schemes[part] = EXACT if part == TOTAL else default
    named: set[str] = set()
    for key, text in given.items():
        if key == MARGINS:
            continue
        part = parse_part(grid, key)
        if part in named:
            raise SettingsError(f"The rounding of the part {part!r} is given twice. Give it once.")
        named.add(part)
        schemes[part] = _scheme(text)
    return {part: scheme for part, scheme in schemes.items() if scheme is not None}


def _scheme(given: Any) -> Scheme | None:
    if isinstance(given, str) and given.strip().lower() == NOT_PUBLISHED:
        return None
    return parse_scheme(given)


def parse_part(grid: Grid, given: Any) -> str:
    """The part of the release that a user names: table, total, or dimensions of a margin."""
    if not isinstance(given, str):
        raise SettingsError(
            f"A part of the release is named by {quote_value(given)}. Write table, total, "
            "margins, or"
            " the dimensions of a margin, joined by commas."
        )
    if given in (TABLE, TOTAL):
        return given
    wanted = [given] if given in grid.dims else [one.strip() for one in given.split(",")]
    for name in wanted:
        if name not in grid.dims:
            known = (TABLE, TOTAL, MARGINS, *grid.dims)
            raise SettingsError(
                f"The release has no part {quote_value(given)}.{hint_at(name, known)} Its parts "
                "are:"
                f" table, total, margins, and any of the dimensions {list_names(grid.dims)}, "
                "joined by"
                " commas."
            )
    return grid.part(wanted)


def _order(grid: Grid, part: str) -> tuple[int, list[int]]:
    dims = grid.dims_of(part)
    return -len(dims), [grid.dims.index(dim) for dim in dims]


def _check_too_much(grid: Grid, found: Plan) -> None:
    """Every entry of a part names all its cells: 16 dimensions have too many margins for that."""
    n_named = grid.n_cells * len(found)
    if n_named > MOST_IN_FACTS:
        raise SettingsError(
            f"{len(found):,} parts of {grid.n_cells:,} cells each are asked for, {n_named:,} cells"
            f" in all; at most {MOST_IN_FACTS:,} are worked on at once. Ask for fewer margins."
        )


def parse_published(grid: Grid, given: Any, asked: Plan) -> dict[str, tuple[Published, ...]]:
    """The published values a user gave, flat, by part; the others are to be drawn."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = {TABLE: given}
    found = {}
    for key, values in given.items():
        part = parse_part(grid, key)
        if part not in asked:
            raise SettingsError(
                f"Published values are given for the part {part!r}, which is not published. Ask"
                f" for it, or omit them. Published are: {list_names(asked) or 'none'}."
            )
        found[part] = _values(grid, part, values)
    return found


def _values(grid: Grid, part: str, given: Any) -> tuple[Published, ...]:
    shape, given = grid.shape_of(part), as_reusable(given)
    if not shape:
        return (_value(given, part),)
    flat = given if _is_flat(given, prod(shape)) else _flat(given, shape, part)
    return tuple(_value(one, part) for one in flat)


def _is_flat(given: Any, n: int) -> bool:
    return is_list(given) and len(given) == n and n != 1


def _flat(given: Any, shape: Sequence[int], part: str) -> list[Any]:
    """Nested lists, as deep as the part has dimensions: what is deeper is an interval."""
    found = [given]
    for size in shape:
        for one in found:
            if not is_list(one) or len(one) != size:
                sizes = " x ".join(f"{size:,}" for size in shape)
                raise SettingsError(
                    f"The published values of the part {part!r} do not have its shape, {sizes}."
                )
        found = [inner for one in found for inner in one]
    return found


def _value(given: Any, part: str) -> Published:
    """A whole number, a pair of a lowest and a highest count, or None for suppressed."""
    if is_list(given):
        pair = list(given)
        if len(pair) == 2:
            lo, hi = as_count(pair[0]), None if pair[1] is None else as_count(pair[1])
            if lo is not None and lo >= 0 and (pair[1] is None or (hi is not None and hi >= lo)):
                return _interval(lo, hi, part)
        raise SettingsError(
            f"A published interval of the part {part!r} is no pair of whole numbers from 0, the"
            " lowest count and then the highest, or None for no highest."
        )
    if is_missing(given):
        return None
    found = as_count(given)
    if found is None:
        raise SettingsError(
            f"A published value of the part {part!r} is {quote_value(given)}. It must be a "
            "whole number,"
            " a pair for an interval, or None where it is suppressed."
        )
    return found


def _interval(lo: int, hi: int | None, part: str) -> tuple[int, int | None]:
    if max(lo, hi or 0) > LARGEST_COUNT:
        raise SettingsError(
            f"A published interval of the part {part!r} goes beyond {LARGEST_COUNT:,}. Give None"
            " for no highest."
        )
    return lo, hi


# What does a table producer publish: the values of each part under its scheme, by seeded draws?


Values = dict[str, tuple[Published, ...]]


def choose_draw_seed(asked: Plan, given: Mapping[str, Any], seed: Any) -> int | None:
    """The seed of the draws; None where nothing is drawn."""
    found = None if seed is None else parse_seed(seed)
    if not any(scheme.draws for part, scheme in asked.items() if part not in given):
        return None
    return choose_seed(found)


def publish(
    grid: Grid,
    counts: Counts,
    asked: Plan,
    given: Values,
    *,
    seed: int | None,
    impossible: frozenset[int] = frozenset(),
    keys: Counts | None = None,
) -> Values:
    """The values of each part: those given, and the others by their scheme.

    `keys` are the sums of the record keys in each cell, which cell keys need.

    Notes
    -----
    Every part has a stream of its own, keyed by the seed and its name, so that asking for one more
    margin changes no other value. Margins are rounded from their own true sums, not added up from
    rounded cells; only controlled rounding ties parts together: those of one base add up.
    Impossible cells are published as 0 under every scheme: noise in them would betray itself.
    """
    made: Values = dict(given)
    bases = {s.size for part, s in asked.items() if s.kind == "controlled" and part not in given}
    for base in sorted(bases):
        tied = [part for part, scheme in asked.items() if scheme == Scheme("controlled", base)]
        made |= _round_together(grid, counts, base, [p for p in tied if p not in given], seed)
    for part, scheme in asked.items():
        if part not in made:
            if scheme.kind == "cellkey" and keys is None:
                raise SettingsError(NEEDS_KEYS)
            own = None if keys is None else as_fractions(grid.sum_part(keys, part))
            values = publish_counts(grid.sum_part(counts, part), scheme, stream(seed, part), own)
            empty = impossible if part == TABLE else ()
            made[part] = tuple(0 if i in empty else v for i, v in enumerate(values))
    return {part: made[part] for part in asked}


def _round_together(
    grid: Grid, counts: Counts, base: int, parts: Sequence[str], seed: int | None
) -> Values:
    """Parts that are rounded together, so that they add up: all of them from the finest."""
    finest = max(parts, key=lambda part: len(grid.dims_of(part)))
    dims = set(grid.dims_of(finest))
    if not all(dims.issuperset(grid.dims_of(part)) for part in parts):
        raise SettingsError(
            "Controlled rounding of margins that share no table needs the table itself, or a"
            " margin by all their dimensions, rounded with the same base. Add it, or round with"
            " 'random'."
        )
    fine = Grid(grid.dims_of(finest), _levels_of(grid, finest)) if dims else grid
    within = counts if finest == TABLE else grid.sum_part(counts, finest)
    coarser = [part for part in parts if part != finest]
    inner = {part: fine.members(fine.part(grid.dims_of(part))) for part in coarser}
    if not dims:
        inner = {}
    rounded = round_controlled(within, base, stream(seed, finest), [*inner.values()])
    made: Values = {finest: _plain(rounded)}
    for part, cells in inner.items():
        made[part] = _plain(rounded[cells].sum(axis=1))
    return made


def _levels_of(grid: Grid, part: str) -> tuple[tuple[str, ...], ...]:
    kept = grid.dims_of(part)
    return tuple(lv for dim, lv in zip(grid.dims, grid.levels, strict=True) if dim in kept)


def stream(seed: int | None, part: str) -> np.random.Generator:
    """The stream of one part: the same whatever else is published."""
    return np.random.default_rng([seed or 0, *part.encode()])


def publish_counts(
    counts: Counts,
    scheme: Scheme,
    draws: np.random.Generator,
    keys: Floats | None = None,
) -> tuple[Published, ...]:
    """Counts as a scheme publishes them; keys of cells that are not given are drawn.

    Notes
    -----
    Conventional: to the nearest multiple, a half going up. Random: up with the probability of what
    is left over, (c mod b) / b, so that the mean over draws is the count; multiples stay. Up and
    down: to the next multiple. Noise: a whole number from -D to D is added, each as likely; below 0
    is 0; with zeros, 0 stays 0 and no other count becomes 0. Cell key: the shift that the key of
    the cell reads off the table of probabilities. Suppress: counts from 1 to k - 1 are not
    published.
    """
    if scheme.kind == "interval":
        raise SettingsError("The scheme 'interval' needs its intervals: give them in published.")
    if scheme.kind == "suppress":
        least = 0 if scheme.zeros else 1
        return tuple(None if least <= c < scheme.size else c for c in counts.tolist())
    if scheme.kind == "cellkey":
        own = draws.random(len(counts)) if keys is None else keys
        return _plain(scheme.ptable.publish(counts, own))
    return _plain(_perturb(counts, scheme, draws))


def _perturb(counts: Counts, scheme: Scheme, draws: np.random.Generator) -> Counts:
    b = D = scheme.size
    if scheme.kind == "noise":
        noisy = counts + draws.integers(-D, D, size=len(counts), endpoint=True)
        if scheme.zeros:
            noisy = np.where(counts > 0, np.maximum(noisy, 1), 0)
        cut: Counts = np.maximum(noisy, 0)
        return cut
    added: dict[str, int | NDArray[np.int64]] = {"conventional": b // 2, "up": b - 1, "down": 0}
    if scheme.kind == "random":
        goes_up = draws.random(len(counts)) < (counts % b) / b
        added["random"] = goes_up * (b - 1)
    if scheme.kind not in added:
        return counts
    made: Counts = (counts + added[scheme.kind]) // b * b
    return made


def _plain(counts: Counts) -> tuple[Published, ...]:
    return tuple(counts.tolist())
