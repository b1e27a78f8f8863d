"""Sums of what units give: when is one unsafe, and who could estimate what another gave?

x1 >= x2 >= ... are the contributions of units to a sum X. Rules and protection levels are those of
the Handbook on Statistical Disclosure Control (ESSNet SDC), chapter 4.2. It calls its levels
necessary, not sufficient: two conditions more are of unions of cells and of insiders.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.tables.network import Network
from unveil.tables.programme import Programme
from unveil.tables.suppression import Needs, Suppression
from unveil.tables.system import TOLERANCE, System, Truths

NEARLY = 1e-5  # of the largest sum: how far what must only not be known exactly is left open

UNBOUNDED = 1e9  # more than any sum, as they are scaled


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a sum is unsafe: by any of these."""

    least: Annotated[int, Meta(ge=1)] = 3  # fewer units give to it
    p: Annotated[float, Meta(gt=0)] | None = None  # X - x1 - x2 is below p percent of x1
    n: Annotated[int, Meta(ge=1)] | None = None  # x1 + ... + xn is above k percent of X
    k: Annotated[float, Meta(gt=0, lt=100)] | None = None

    def __post_init__(self) -> None:
        if (self.n is None) != (self.k is None):
            raise ValueError("n and k belong together")


class Judgement(NamedTuple):
    """Sums by the rule: units that give to each, and how far above it readers must be left."""

    units: Ints
    is_unsafe: Truths
    protection: Floats


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each unit gives to each sum: by sums, the largest first; nothing is no contribution."""

    sum: Ints
    unit: Ints
    value: Floats
    n_sums: int

    @classmethod
    def of(cls, sums: Ints, units: Ints, values: Floats, n_sums: int) -> "Contributions":
        """What a unit gives to a sum in several records is one contribution."""
        gives = values > 0
        pairs, place = np.unique(np.stack([sums, units])[:, gives], axis=1, return_inverse=True)
        value = _add_up(place.reshape(-1), values[gives], pairs.shape[1])
        order = np.lexsort((pairs[1], -value, pairs[0]))
        return cls(pairs[0][order], pairs[1][order], value[order], n_sums)

    @classmethod
    def to(cls, network: Network, units: Ints, amounts: Floats) -> "Contributions":
        """To every figure of a system."""
        records, figures = map(np.concatenate, zip(*network.members(), strict=True))
        return cls.of(figures, units[records], amounts[records], network.system.size)

    @cached_property
    def start(self) -> Ints:
        """Where the contributions to each sum begin; the last entry is where all end."""
        return np.searchsorted(self.sum, np.arange(self.n_sums + 1))

    @cached_property
    def rank(self) -> Ints:
        """0 is the largest contribution to its sum."""
        return np.arange(len(self.sum)) - self.start[self.sum]

    def largest(self, n: int) -> Floats:
        """For each sum what the n largest give together."""
        is_large = self.rank < n
        return _add_up(self.sum[is_large], self.value[is_large], self.n_sums)

    def together(self, unions: Sequence[Ints]) -> "Contributions":
        """To unions of sums that have nobody's record in common."""
        parts = [slice(*self.start[s : s + 2]) for own in unions for s in own.tolist()]
        number = np.repeat(np.arange(len(unions)), [len(own) for own in unions])
        sizes = [part.stop - part.start for part in parts]
        units, values = (
            np.concatenate([array[:0], *(array[part] for part in parts)])
            for array in (self.unit, self.value)
        )
        return Contributions.of(np.repeat(number, sizes), units, values, len(unions))

    def judge(self, rule: Rule) -> Judgement:
        """Each sum by the rule (Handbook, 4.2.2; of several levels the highest)."""
        units, X, x1 = np.diff(self.start), self.largest(len(self.sum)), self.largest(1)
        is_unsafe, protection = units < rule.least, np.zeros(self.n_sums)
        if rule.p is not None:
            rest, asked = X - self.largest(2), rule.p / 100 * x1
            is_unsafe |= rest < asked
            protection = np.maximum(protection, asked - rest)
        if rule.n is not None and rule.k is not None:
            top = self.largest(rule.n)
            is_unsafe |= top > rule.k / 100 * X
            protection = np.maximum(protection, 100 / rule.k * top - X)
        is_unsafe &= X > 0
        return Judgement(units, is_unsafe, np.where(is_unsafe, protection, 0.0))


def _add_up(places: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(places, values, size).astype(np.float64)


class Insider(NamedTuple):
    """A unit that could estimate the largest other contribution to a sum too closely."""

    unit: int
    figure: int
    most: float  # that all others can have given, by what it knows
    needed: float  # what the sum must be able to be


class SumSuppression(Suppression):
    """Sums that are hidden until readers and units are left what the rule asks for."""

    def __init__(
        self, system: System, contributions: Contributions, rule: Rule, secret: Truths,
        may_hide: Truths,
    ) -> None:  # fmt: skip
        assert system.truth is not None
        self.contributions, self.rule = contributions, rule
        self.judgement = contributions.judge(rule)
        nearly = NEARLY * float(system.truth.max(initial=1))
        figures = np.flatnonzero(self.judgement.is_unsafe | secret)
        needed, truth = np.maximum(self.judgement.protection, nearly)[figures], system.truth
        needs = Needs(figures, np.maximum(truth[figures] - needed, 0), truth[figures] + needed)
        is_watched = self.judgement.is_unsafe[contributions.sum] & (contributions.rank < 2)
        self.watched = set(contributions.unit[is_watched].tolist())
        known = np.zeros(system.size), np.full(system.size, np.inf)
        super().__init__(system, *known, needs, np.maximum(truth, nearly), may_hide | secret)

    def faults(self, hidden: Truths) -> Iterator[set[Any]]:
        yield from super().faults(hidden)
        yield {number for number, _ in self.unsafe_unions(hidden)}
        insiders = self.insiders(hidden, self.watched)
        yield {(insider.unit, insider.figure) for insider in insiders}

    def further(self, hidden: Truths) -> Truths:
        """The cheapest value that opens each unsafe union, and what moves what an insider knows."""
        matrix, more = self.system.matrix, np.zeros_like(hidden)
        for row, _ in self.unsafe_unions(hidden):
            figures = matrix.indices[slice(*matrix.indptr[row : row + 2])]
            able = figures[self.may_hide[figures] & ~hidden[figures]]
            if len(able) and not more[figures].any():
                more[able[self.cost[able].argmin()]] = True
        for unit, figure, _, needed in self.insiders(hidden):
            self.watched.add(unit)
            gives = self._given(unit)
            is_alone = (gives == self.truth) & (gives > 0)
            system = self.system.within(
                np.maximum(self.system.lower, gives), np.maximum(self.system.upper, gives)
            )
            knows = gives, np.where(is_alone, gives, np.inf)
            inside = Suppression(system, *knows, self.needs, self.cost, self.may_hide)
            move = inside.move(figure, needed - self.truth[figure], hidden | more)
            more |= False if move is None else move
        return more

    def _given(self, unit: int) -> Floats:
        gives = np.zeros(self.system.size)
        is_own = self.contributions.unit == unit
        gives[self.contributions.sum[is_own]] = self.contributions.value[is_own]
        return gives

    def unsafe_unions(self, hidden: Truths) -> list[tuple[int, Ints]]:
        """Sums of hidden parts that are known and unsafe: a published whole less all other parts.

        Each as the number of the equation, and the parts.
        """
        matrix, is_open, unions = self.system.matrix, self.shown(hidden).is_open, []
        for row in np.flatnonzero((matrix > 0) @ is_open.astype(np.int64) > 1):
            entries = slice(*matrix.indptr[row : row + 2])
            figures, is_part = matrix.indices[entries], matrix.data[entries] > 0
            parts = figures[is_part & is_open[figures]].astype(np.int64)
            if not is_open[figures[~is_part]].any() and len(parts) < is_part.sum():
                unions.append((int(row), parts))
        judged = self.contributions.together([parts for _, parts in unions]).judge(self.rule)
        return [union for union, is_so in zip(unions, judged.is_unsafe, strict=True) if is_so]

    def insiders(self, hidden: Truths, asked: Collection[int] | None = None) -> list[Insider]:
        """Units that come within p percent of the largest other contribution to an unsafe sum.

        Without p, that know it exactly. A unit knows what it gave, so that every sum holds at least
        that, and knows a sum that it gives alone. Each by itself; by default all are asked.
        """
        system, insiders = self.shown(hidden), []
        programme = Programme(system)
        figures, units, gives, needed = self._near(programme, hidden)
        if asked is not None:
            is_asked = np.isin(units, [*asked])
            figures, units, gives, needed = (a[is_asked] for a in (figures, units, gives, needed))
        while len(figures):
            figure, unit = int(figures[0]), int(units[0])
            amounts = self._given(unit)
            is_alone = hidden & (amounts == self.truth) & (amounts > 0)
            lower = np.maximum(system.lower, amounts)
            upper = np.where(is_alone, amounts, np.maximum(system.upper, lower))
            most, fits = self._most(programme, figure, lower, upper)
            if most - gives[0] < (1 - TOLERANCE) * needed[0]:
                known = float(most - gives[0]), float(gives[0] + needed[0])
                insiders.append(Insider(unit, figure, *known))
            share = self._share(fits, hidden)[units]
            left = fits[figures] - share * (fits[figures] - self.truth[figures]) - gives
            is_near = left < needed
            is_near[0] = False  # has its answer
            figures, units, gives, needed = (a[is_near] for a in (figures, units, gives, needed))
        return sorted(insiders)

    def _near(self, programme: Programme, hidden: Truths) -> tuple[Ints, Ints, Floats, Floats]:
        """Unsafe sums and units who could be insiders, as far as readers' bounds tell.

        With what the unit gives, and what others must be able to give.
        """
        own, n_units = self.contributions, int(self.contributions.unit.max(initial=0)) + 1
        nearness = 1 + max((self.rule.p or 0) / 100, NEARLY)
        lower, upper = self.shown(hidden).lower, self.shown(hidden).upper
        parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))]
        for figure in np.flatnonzero(self.judgement.is_unsafe).tolist():
            fits = self._most(programme, figure, lower, upper)[1]
            entries = slice(*own.start[figure : figure + 2])
            gives, others = np.zeros(n_units), np.full(n_units, own.value[entries][0])
            others[own.unit[entries][0]] = own.value[entries][1:2].sum()
            gives[own.unit[entries]] = own.value[entries]
            room = (1 - self._share(fits, hidden)) * (fits[figure] - self.truth[figure])
            left = self.truth[figure] + room - gives
            units = np.flatnonzero((left < nearness * others) & (others > 0))
            parts.append(
                (np.full(len(units), figure), units, gives[units], nearness * others[units])
            )
        figures, units, gives, needed = map(np.concatenate, zip(*parts, strict=True))
        return figures, units, gives, needed

    def _most(
        self, programme: Programme, figure: int, lower: Floats, upper: Floats
    ) -> tuple[float, Floats]:
        """The most that a sum can be within bounds, and sums that fit and come as near to it."""
        fits = self.truth.copy()
        if programme.place[figure] < 0:
            return float(fits[figure]), fits
        index, upper = programme.index, upper.copy()
        upper[figure] = min(upper[figure], UNBOUNDED)
        extreme = programme.most(programme.unit(figure), lower=lower[index], upper=upper[index])
        if extreme.figures is not None:
            fits[index] = extreme.figures
        return extreme.bound, fits

    def _share(self, fits: Floats, hidden: Truths) -> Floats:
        """For each unit, how much of the truth makes other sums that fit hold what it gave.

        What fits, mixed with the truth as 1 - s to s, fits for who gives something too, if s is
        large enough: so most units are told not to be insiders without a programme of their own.
        """
        own, share = self.contributions, np.zeros(int(self.contributions.unit.max(initial=0)) + 1)
        value, fit, truth = own.value, fits[own.sum], self.truth[own.sum]
        is_alone = hidden[own.sum] & (value == truth) & (fit != truth)
        lacks = (fit < value) | is_alone
        needed = np.where(is_alone[lacks], 1.0, (value - fit)[lacks] / (truth - fit)[lacks])
        np.maximum.at(share, own.unit[lacks], needed)
        return share


def amounts_of(numbers: Floats, name: str) -> tuple[Floats, int]:
    """Amounts as whole numbers, so that they add up exactly, and their decimals."""
    if (numbers < 0).any():
        raise InputError(
            f"{name!r} has negative amounts, of which no share of a sum is defined. Name codes as"
            " special, or sum amounts from 0 on (of)."
        )
    digits = math.floor(-math.log10(max(numbers.sum() / 2.0**52, 1e-300)))  # that add up exactly
    digits = next((d for d in range(digits) if _are_whole(numbers * 10.0**d)), digits)
    return np.rint(numbers * 10.0**digits), digits


def _are_whole(numbers: Floats) -> bool:
    return bool((np.abs(numbers - np.rint(numbers)) <= 1e-9 * np.maximum(numbers, 1)).all())
