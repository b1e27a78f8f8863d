"""Key classes and the targets in them, counted once: what every measure of this room looks at.

The original comes first, then the copies of one or several methods. A cell holds the records of one
key combination q with one joint target value t. What an intruder sees of a person depends on the
person's cell alone, so scores are computed for the cells that the original has, not for people.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import parse_number_within, quote_value
from unveil.arrays import Floats, Ints, Mask
from unveil.count.cells import Cells, Keys, cells_of_rows, count_cells, count_keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import CHUNK, Integers, number, pack
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.study.scenario import CountedScenario

# Which values of a numeric target are as good as the truth?
#
# Elliot (2014) has a variant of CAP for continuous targets that Taub et al. (2018) leave aside
# (footnote 4). Ours: two numbers agree where they differ by at most a radius r. A missing value
# and a special code have no distance to any number; they agree with themselves alone. Whole
# numbers are compared as such, however large they are.


# 0.1 and 0.3 differ by no more than 0.2, whatever becomes of the last binary digit.
SLACK = 1e-9


@dataclass(frozen=True)
class OrderedLevels:
    """The levels of one target in an order in which those that agree stand side by side.

    Numbers from low to high, then special codes, then missing. `place` has the place of each code;
    levels at places low[p] to past[p] - 1 agree with the one at place p.
    """

    place: Ints
    low: Ints
    past: Ints

    @classmethod
    def of(cls, is_number: Mask, runs: tuple[Ints, Ints]) -> "OrderedLevels":
        """Levels in their order, given the runs of those that are numbers; the rest stand alone."""
        order = np.argsort(~is_number, kind="stable")  # sorted already, with missing at their end
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        low, past = np.arange(len(order)), np.arange(1, len(order) + 1)
        low[: len(runs[0])], past[: len(runs[0])] = runs
        return cls(place, low, past)


WORDS = {
    "target": ("{'income': 50}", "not the target", "The target is"),
    "targets": ("{'income': 50}", "not a target", "The targets are"),
    "key": ("{'age': 2}", "not a key", "The keys are"),
}


def parse_tolerance(given: Any, columns: Sequence[str], role: str = "target") -> dict[str, float]:
    """The radius of each target (or key) that has one, or a refusal."""
    example, is_none, they_are = WORDS[role]
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"tolerance is {quote_value(given)}. Give a radius for each numeric"
            f" {role.removesuffix('s')}, as in {example}."
        )
    radii = {}
    for name, radius in given.items():
        if name not in columns:
            raise RolesError(
                f"A tolerance is given for {name!r}, which is {is_none}."
                f"{hint_at(str(name), columns)} {they_are}: {list_names(columns)}."
            )
        radii[name] = parse_number_within(f"The tolerance of {name!r}", radius, "[0, inf)")
    return radii


def exact(column: CodedColumn) -> OrderedLevels:
    """Each level agrees with itself alone."""
    places = np.arange(column.n_levels)
    return OrderedLevels(places, places, places + 1)


def near(column: CodedColumn, radius: float, special_codes: Sequence[float] = ()) -> OrderedLevels:
    """Numbers agree within the radius; special codes and missing with themselves alone."""
    _check_other_than_numbers(column)
    is_number = column.is_number(special_codes)
    if column.levels.dtype.is_integer():
        runs = _runs_of_whole(column.levels.filter(pl.Series(is_number)).to_numpy(), radius)
    else:
        runs = runs_within(column.numbers[is_number], radius * (1 + SLACK))
    return OrderedLevels.of(is_number, runs)


def levels_near(
    column: CodedColumn,
    radii: Mapping[str, float],
    special_codes: Mapping[str, Sequence[float]],
) -> OrderedLevels:
    """Which levels of a column agree: within its radius, or each with itself where it has none."""
    if column.name not in radii:
        return exact(column)
    return near(column, radii[column.name], special_codes.get(column.name, ()))


def runs_within(numbers: Floats, reach: Floats | float) -> tuple[Ints, Ints]:
    """The run of numbers that agree with each number: the first, and one past the last."""
    return (
        np.searchsorted(numbers, numbers - reach, side="left"),
        np.searchsorted(numbers, numbers + reach, side="right"),
    )


def _runs_of_whole(numbers: Integers, radius: float) -> tuple[Ints, Ints]:
    """The same for whole numbers, without loss: a float tells them apart only up to 2^53.

    Each is taken as its distance from the lowest, which an unsigned number of 64 bits always holds:
    the conversion and the difference both wrap around.
    """
    unsigned = numbers.astype(np.uint64)
    distance = unsigned - unsigned[:1]
    most = np.iinfo(np.uint64).max
    reach = np.uint64(min(math.floor(radius + SLACK), int(most)))
    lowest = distance - np.minimum(distance, reach)
    highest = distance + np.minimum(most - distance, reach)
    return (
        np.searchsorted(distance, lowest, side="left"),
        np.searchsorted(distance, highest, side="right"),
    )


def _check_other_than_numbers(column: CodedColumn) -> None:
    if not column.levels.dtype.is_numeric():
        kind = "is cut into bands" if isinstance(column.levels.dtype, pl.Enum) else "has none"
        raise SettingsError(
            f"A tolerance needs numbers, and {column.name!r} {kind}. Omit its tolerance"
            f"{', or its bands' if kind != 'has none' else ''}."
        )


# Several targets disclosed together as one: which levels do they have, and which of them agree?
#
# Taub et al. (2018), equation 1: T is a vector of targets. Its values are numbered over the
# original and all copies, exact targets first, so that values which agree within a tolerance
# stand together.


@dataclass(frozen=True)
class Joint:
    """The joint target: codes over all sides, and what each of its levels is made of.

    `places` has, for each target, the place (see `OrderedLevels`) that every joint level has in it.
    """

    column: CodedColumn
    parts: tuple[CodedColumn, ...]  # the targets, exact ones first
    near: tuple[OrderedLevels, ...]  # one for each of them
    places: tuple[Ints, ...]
    n_exact: int

    @property
    def n_levels(self) -> int:
        """Joint values that occur on any side."""
        return self.column.n_levels

    @property
    def is_exact(self) -> bool:
        """Whether values agree only where they are the same."""
        return self.n_exact == len(self.parts)

    def window(self) -> tuple[Ints, Ints]:
        """For each level the first of those that may agree with it, and one past the last.

        They agree in the exact targets and in the first that has a tolerance; with more of these,
        `agrees` has to be asked of each.
        """
        if self.is_exact:
            levels = np.arange(self.n_levels)
            return levels, levels + 1
        exacts = [(self.places[i], len(self.near[i].place)) for i in range(self.n_exact)]
        group, _ = number(*pack(exacts, self.n_levels))
        first = self.near[self.n_exact]
        base = group.astype(np.int64) * len(first.place)
        place = self.places[self.n_exact]
        head = base + place
        return (
            np.searchsorted(head, base + first.low[place]),
            np.searchsorted(head, base + first.past[place]),
        )

    def agrees(self, level: Ints, other: Ints) -> Mask:
        """Whether two joint levels agree in the targets that `window` does not see to."""
        found = np.ones(len(level), bool)
        for i in range(self.n_exact + 1, len(self.parts)):
            near_to, mine, its = self.near[i], self.places[i][level], self.places[i][other]
            found &= (near_to.low[mine] <= its) & (its < near_to.past[mine])
        return found


def join_targets(
    targets: Sequence[CodedColumn],
    radii: Mapping[str, float],
    special_codes: Mapping[str, Sequence[float]],
) -> Joint:
    """One column of joint codes; a single target without special codes keeps its own."""
    parts = tuple(sorted(targets, key=lambda column: column.name in radii))
    nears = tuple(levels_near(column, radii, special_codes) for column in parts)
    n_exact = sum(column.name not in radii for column in parts)
    if len(parts) == 1 and _is_in_order(nears[0]):
        return Joint(parts[0], parts, nears, (nears[0].place,), n_exact)
    sides = parts[0].sides
    digits: list[tuple[Integers, int]] = [
        (column.codes if _is_in_order(of) else of.place[column.codes], column.n_levels)
        for column, of in zip(parts, nears, strict=True)
    ]
    codes, n_levels = number(*pack(digits, sides.n_rows))
    example = np.empty(n_levels, np.int64)
    example[codes] = np.arange(len(codes))
    name = ", ".join(column.name for column in targets)
    # Its levels are numbers only: what they stand for is in the parts.
    levels = pl.Series(np.arange(n_levels))
    column = CodedColumn(name, sides, codes.astype(np.uint32), levels)
    places = tuple(digit[example].astype(np.int64) for digit, _ in digits)
    return Joint(column, parts, nears, places, n_exact)


def _is_in_order(of: OrderedLevels) -> bool:
    return bool((of.place == np.arange(len(of.place))).all())


@dataclass(frozen=True)
class Pool:
    """What copies 1 to m, pooled, say about the people of each cell of the original."""

    m: int
    agreeing: Ints  # records with the keys, and a target that agrees
    matching: Ints  # records with the keys
    settled: Mask  # whether all of these agree with each other
    seen: Mask  # of all cells, those that the copies have

    @property
    def right(self) -> Mask:
        """Whether the matching records agree with each other and each with the truth."""
        is_right: Mask = self.settled & (self.agreeing == self.matching)
        return is_right


@dataclass(frozen=True)
class KeyClasses:
    """The counts of one key set and one joint target on every side."""

    key_columns: tuple[CodedColumn, ...]
    keys: Keys
    joint: Joint
    cells: Cells

    @property
    def key_names(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return tuple(column.name for column in self.key_columns)

    @property
    def n_original(self) -> int:
        """Records of the original."""
        return self.keys.sides.rows[0]

    @cached_property
    def own(self) -> Ints:
        """The cells that the original has."""
        return np.flatnonzero(self.cells.counts[0])

    @cached_property
    def q(self) -> Ints:
        """The key combination of each of them."""
        return self.cells.q_of(self.own)

    @cached_property
    def t(self) -> Ints:
        """The joint target level of each of them."""
        return self.cells.t[self.own].astype(np.int64)

    @cached_property
    def d_tq(self) -> Ints:
        """The people in each of them."""
        people: Ints = self.cells.counts[0, self.own].astype(np.int64)
        return people

    @cached_property
    def d_q(self) -> Ints:
        """The people who share the keys of each of them."""
        people: Ints = self.keys.counts[0, self.q].astype(np.int64)
        return people

    @cached_property
    def target_shares(self) -> Floats:
        """For each joint target level its share among all people: equation 5 of Taub et al."""
        d_t = np.bincount(self.t, self.d_tq, self.joint.n_levels)
        shares: Floats = d_t / max(self.n_original, 1)
        return shares

    @cached_property
    def codes_of_keys(self) -> tuple[Codes, ...]:
        """For each key, the code of every key combination."""
        rows = self.keys.example_rows()
        return tuple(column.codes[rows] for column in self.key_columns)

    @cached_property
    def own_of_row(self) -> Ints:
        """The cell of each original record, as a place in `own`."""
        originals = self.keys.sides.slices[0]
        cells = cells_of_rows(self.keys, self.cells, self.joint.column, originals)
        return np.searchsorted(self.own, cells)

    @cached_property
    def agreeing(self) -> Integers:
        """Sides x cells of the original: records with the same keys whose target agrees."""
        if self.joint.is_exact:
            return self.cells.counts[:, self.own]
        n_levels = self.joint.n_levels
        low, past = self.joint.window()
        packed = self.cells.q * n_levels + self.cells.t
        base = self.q * n_levels
        first = np.searchsorted(packed, base + low[self.t])
        last = np.searchsorted(packed, base + past[self.t])
        return _count_agreeing(self.joint, self.cells.counts, self.cells.t, self.t, (first, last))

    def pools(self, copies: Sequence[int]) -> Iterator[Pool]:
        """Copies 1 to m pooled, for every m: sums that grow, never a new count.

        Taub et al. (2018), equation 6 and footnote 6: the m are nested. Erratum: equation 6
        conditions on K_s; what is looked up is the key of the original record, K_o.
        """
        agreeing = np.zeros(len(self.own), np.int64)
        matching = np.zeros(len(self.own), np.int64)
        seen = np.zeros(self.cells.counts.shape[1], bool)
        for m, copy in enumerate(copies, start=1):
            agreeing = agreeing + self.agreeing[copy]
            matching = matching + self.keys.counts[copy, self.q]
            seen = seen | (self.cells.counts[copy] > 0)
            is_settled = self._find_settled(seen)[self.q] & (matching > 0)
            yield Pool(m, agreeing, matching, is_settled, seen)

    def _find_settled(self, seen: Mask) -> Mask:
        """The key combinations whose cells seen agree with each other in every target."""
        settled = np.ones(self.cells.n_q, bool)
        for part, near in enumerate(self.joint.near):
            lowest, highest = self.ends(seen, part)
            settled &= highest < near.past[lowest]
        return settled

    def ends(self, seen: Mask, part: int = 0) -> tuple[Ints, Ints]:
        """The lowest and the highest place of one target in the cells seen, by combination."""
        starts = self.cells.starts[:-1].astype(np.int64)
        place = self.joint.places[part][self.cells.t]
        last = len(self.joint.near[part].place) - 1
        lowest: Ints = np.minimum.reduceat(np.where(seen, place, last), starts)
        highest: Ints = np.maximum.reduceat(np.where(seen, place, 0), starts)
        return lowest, highest


def sum_agreeing_levels(joint: Joint, of_level: Ints) -> Ints:
    """For each joint level, the sum over all that agree with it."""
    levels = np.arange(joint.n_levels)
    sums: Ints = _count_agreeing(joint, of_level[np.newaxis], levels, levels, joint.window())[0]
    return sums


def _count_agreeing(
    joint: Joint, counts: Integers, t: Integers, wanted: Ints, window: tuple[Ints, Ints]
) -> Ints:
    """For each level wanted, counts within its window whose level t agrees with it, by side."""
    if len(joint.parts) == joint.n_exact + 1:
        return _sums_between(counts, *window)
    first, past = window
    sums = np.zeros((len(counts), len(wanted)), np.int64)
    for rows in pieces(past - first, CHUNK):
        sizes = (past - first)[rows]
        mine = np.repeat(np.arange(len(sizes)), sizes)
        its = np.arange(len(mine)) + np.repeat(first[rows] - np.cumsum(sizes) + sizes, sizes)
        agrees = joint.agrees(wanted[rows][mine], t[its].astype(np.int64))
        for side, of_cells in enumerate(counts):
            sums[side, rows] = np.bincount(mine, of_cells[its] * agrees, minlength=len(sizes))
    return sums


def pieces(sizes: Ints, most: int) -> Iterator[slice]:
    """Rows in runs of about as many pairs each, at least one row, so that what is made is small."""
    ends = np.cumsum(sizes)
    start = done = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(ends, done + most, side="right")), start + 1)
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


def _sums_between(counts: Integers, first: Ints, past: Ints) -> Ints:
    """The sum of counts[:, first] to counts[:, past - 1], on every side."""
    sums = np.empty((len(counts), len(first)), np.int64)
    for side, of_cells in enumerate(counts):
        up_to = np.concatenate(([0], np.cumsum(of_cells, dtype=np.int64)))
        sums[side] = up_to[past] - up_to[first]
    return sums


def classes_of(scenario: CountedScenario, key_names: Sequence[str], joint: Joint) -> KeyClasses:
    """The counts of some of a scenario's keys; its own counts where they are all of them."""
    by_name = {column.name: column for column in scenario.key_columns}
    chosen = tuple(by_name[name] for name in key_names)
    keys = scenario.keys
    if len(chosen) < len(scenario.key_columns):
        keys = count_keys(chosen, scenario.sides)
    places = [i for i, one in enumerate(scenario.target_columns) if one is joint.column]
    is_counted = keys is scenario.keys and bool(places)
    cells = scenario.cells(places[0]) if is_counted else count_cells(keys, joint.column)
    return KeyClasses(chosen, keys, joint, cells)
