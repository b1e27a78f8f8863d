"""GTCAP of each record asked about: how often do the records near it have its target?

Paper 004, Algorithm 2: `computeGTCAP` (lines 31 to 41) and `univariatePrediction` (42 to 59). The
coefficient of a pair on some columns is 0 where a categorical one differs, 1 where there is no
numeric one, and else the mean of the proximities. A mean is a sum over columns, so sums of it over
records need no pairs; neither does any coefficient of a single numeric column.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.measure.cap.gtcap_prepare import GtcapProblem
from unveil.models.neighbours.radius import (
    Buckets,
    Columns,
    NeighbourWeights,
    PairBlock,
    RadiusAxis,
    Sweep,
    count_near,
    is_long,
    sum_near,
    sweep,
    sweep_all,
)
from unveil.records.cap import Coefficient, UniqueRule

# Who is a statistical unique? Four readings of a rule that Chapelle and Falissard do not print.
#
# `getUniqueRows` is called in Algorithm 2, line 62, with keys, targets and radii, and not shown.
# All four readings ask of each original record whether any OTHER original record is like it.


PLACES = 8
"""How many places of all windows are looked at first."""


def uniques(problem: GtcapProblem, rule: UniqueRule, coefficient: Coefficient) -> Mask:
    """Whether each original record is a statistical unique."""
    rules: dict[UniqueRule, Callable[[], Mask]] = {
        "all_keys": lambda: _all_near(problem, problem.keys),
        "key": lambda: _any_weight(problem, coefficient),
        "joint": lambda: _all_near(problem, problem.keys.and_also(problem.targets)),
        "equal": lambda: _equal(problem),
    }
    return rules[rule]()


def _equal(problem: GtcapProblem) -> Mask:
    """No other record has the same key values, radii aside."""
    axes = [(axis.codes, axis.n_levels) for axis in problem.keys.axes]
    return _alone_in(problem.keys.buckets.split(axes), problem.original)


def _any_weight(problem: GtcapProblem, coefficient: Coefficient) -> Mask:
    """No other record has a positive key coefficient.

    As printed the coefficient is a mean, so one close numeric key is enough to spoil uniqueness. A
    product or a minimum is positive only where every key is near.
    """
    if coefficient != "mean" or not problem.keys.axes:
        return _all_near(problem, problem.keys)
    alone = np.ones(len(problem.everyone), bool)
    for axis in problem.keys.axes:
        (near,) = sum_near(axis, problem.keys.buckets, [problem.original], problem.everyone)
        alone &= near.n == 1
    return alone


def _all_near(problem: GtcapProblem, columns: Columns) -> Mask:
    """No other record is near in every column: the radius version of an equal one."""
    folded = columns.fold()
    alone = _alone_in(folded.buckets, problem.original)
    if folded.axes:
        crowded = np.flatnonzero(~alone)
        swept = sweep_all(folded.axes, folded.buckets, problem.original, crowded)
        others = [axis for axis in folded.axes if axis is not swept.axis]
        if not others:
            alone[crowded] = swept.past - swept.first == 1
        else:
            alone = ~_has_company(swept, others, len(alone))
    return alone


def _alone_in(buckets: Buckets, originals: slice) -> Mask:
    """Whether each original record has its bucket for itself."""
    alone: Mask = buckets.counts(originals)[buckets.ids[originals]] == 1
    return alone


def _has_company(swept: Sweep, axes: Sequence[RadiusAxis], n_rows: int) -> Mask:
    """Whether some other record of the window is near on the other axes too.

    Most records find company soon or have a short window, so windows are looked through in pieces
    that grow.
    """
    found = np.zeros(n_rows, bool)
    by_width = sorted(axes, key=lambda axis: axis.width)
    todo, look = swept, PLACES
    while len(todo.asked):
        piece = replace(todo, past=np.minimum(todo.past, todo.first + look))
        _find_company(piece, by_width, found)
        todo = _open_windows(replace(todo, first=piece.past), found)
        look *= 4
    return found


def _open_windows(todo: Sweep, found: Mask) -> Sweep:
    """The windows that are not at their end, of records still alone."""
    left = ~found[todo.asked] & (todo.first < todo.past)
    return replace(todo, asked=todo.asked[left], first=todo.first[left], past=todo.past[left])


def _find_company(piece: Sweep, axes: Sequence[RadiusAxis], found: Mask) -> None:
    """Look at all pairs of these windows."""
    on_axes = [piece.on(axis) for axis in axes]
    for block in piece.blocks():
        near = np.ones(len(block.data), bool)
        for on in on_axes:
            near &= on.is_near(block)
        own = np.repeat(piece.asked[block.asked], block.lengths)
        _mark(found, piece.data[block.data[near]], own[near])


def _mark(found: Mask, theirs: Ints, own: Ints) -> None:
    """Mark both of each pair, unless they are the same record: nearness is mutual."""
    is_other = theirs != own
    found[theirs[is_other]] = True
    found[own[is_other]] = True


Files = Sequence[slice]
"""The stacked records of each file."""


@dataclass(frozen=True)
class GtcapSums:
    """For each record asked about, over one file: the sums of kc * tc and of kc.

    kc and tc are the coefficients on keys and on targets; `is_found` says where some kc exceeds 0.
    """

    right: Floats
    all: Floats
    is_found: Mask

    def __add__(self, other: "GtcapSums") -> "GtcapSums":
        is_found = self.is_found | other.is_found
        return GtcapSums(self.right + other.right, self.all + other.all, is_found)

    @property
    def score(self) -> Floats:
        """Sum of kc * tc over sum of kc, and 0 where nothing is near (lines 38 to 41)."""
        score = np.zeros(len(self.all))
        np.divide(self.right, self.all, out=score, where=self.is_found)
        return np.minimum(score, 1.0)


@dataclass(frozen=True)
class Scoring:
    """Whose scores are wanted, and with which coefficient.

    Anything but a mean is 0 where a single axis is not near, so that columns can be folded.
    """

    problem: GtcapProblem
    coefficient: Coefficient
    asked: Ints

    @cached_property
    def keys(self) -> Columns:
        """What the intruder knows."""
        keys = self.problem.keys
        return keys if self.coefficient == "mean" else keys.fold()

    @cached_property
    def targets(self) -> Columns:
        """What they might learn."""
        targets = self.problem.targets
        return targets if self.coefficient == "mean" else targets.fold()

    @cached_property
    def cells(self) -> Columns:
        """Keys and targets together."""
        return self.keys.and_also(self.targets)

    def weights(self, files: Files) -> list[GtcapSums]:
        """The sums over each file."""
        if not self._adds_up(self.keys):
            return [self._from_pairs(data) for data in files]
        found = self._near(self.keys, files)
        right = self._right(files)
        return [
            GtcapSums(weight, near.weight, near.n > 0)
            for weight, near in zip(right, found, strict=True)
        ]

    def baseline(self, data: slice) -> Floats:
        """What frequencies alone disclose: the mean of tc over the data (lines 42 to 59)."""
        (total,) = self._sums(self.targets, [data])
        total /= data.stop - data.start
        return total

    def _right(self, files: Files) -> list[Floats]:
        """The sums of kc * tc where kc adds up."""
        if not self.targets.axes or not self.keys.axes:
            return self._sums(self.cells, files)
        if self.coefficient == "mean":
            return [self._right_of_means(data) for data in files]
        return [self._products(data) for data in files]

    def _adds_up(self, columns: Columns) -> bool:
        return self.coefficient == "mean" or len(columns.axes) <= 1

    def _sums(self, columns: Columns, files: Files) -> list[Floats]:
        """The sums over each file of the coefficient on these columns."""
        if self._adds_up(columns):
            return [near.weight for near in self._near(columns, files)]
        sweeps = [sweep_all(columns.axes, columns.buckets, data, self.asked) for data in files]
        return [_sum_pairs(swept, self._combine_axes(swept, columns.axes)) for swept in sweeps]

    def _near(self, columns: Columns, files: Files) -> list[NeighbourWeights]:
        """The same where it is a sum over axes, with the number near on all axes together."""
        if not columns.axes:
            return list(count_near(columns.buckets, files, self.asked))
        by_axis = [sum_near(axis, columns.buckets, files, self.asked) for axis in columns.axes]
        p = len(columns.axes)
        return [
            NeighbourWeights(sum(near.n for near in nears), sum(near.weight for near in nears) / p)
            for nears in zip(*by_axis, strict=True)
        ]

    def _right_of_means(self, data: slice) -> Floats:
        """The sum of kc * tc where both are means, and so sums of single proximities.

        Where windows are short, all pairs of the windows of each target, or of each key, whichever
        are fewer; where they are long, for each key and target the pairs near on both.
        """
        keys, targets = self.keys.axes, self.targets.axes

        def cost(plan: tuple[Sequence[RadiusAxis], Sequence[RadiusAxis]]) -> int:
            leads, others = plan
            return sum(axis.n_near(self.asked, data) for axis in leads) * (1 + len(others))

        leads, others = min(((targets, keys), (keys, targets)), key=cost)
        n_pairs = sum(axis.n_near(self.asked, data) for axis in leads) // self.cells.buckets.n
        if is_long(n_pairs, len(leads) * len(self.asked)):
            sums = [self._near_on_both(key, target, data) for key in keys for target in targets]
        else:
            sums = [self._sum_windows(lead, others, data) for lead in leads]
        return reduce(np.add, sums) / len(sums)

    def _near_on_both(self, key: RadiusAxis, target: RadiusAxis, data: slice) -> Floats:
        """The sum of the products of two proximities."""
        swept = sweep_all((key, target), self.cells.buckets, data, self.asked)
        on_key, on_target = swept.on(key), swept.on(target)
        return _sum_pairs(swept, lambda block: on_key.proximity(block) * on_target.proximity(block))

    def _sum_windows(self, lead: RadiusAxis, others: Sequence[RadiusAxis], data: slice) -> Floats:
        """The sum over windows of the leading proximity times the coefficient on the others."""
        swept = sweep(lead, self.cells.buckets, data, self.asked)
        leading, rest = swept.on(lead), self._combine_axes(swept, others)
        return _sum_pairs(swept, lambda block: leading.proximity(block) * rest(block))

    def _products(self, data: slice) -> Floats:
        """The sum of kc * tc where neither is a mean: from the pairs near on every axis."""
        swept = sweep_all(self.cells.axes, self.cells.buckets, data, self.asked)
        kc, tc = (
            self._combine_axes(swept, self.keys.axes),
            self._combine_axes(swept, self.targets.axes),
        )
        return _sum_pairs(swept, lambda block: kc(block) * tc(block))

    def _from_pairs(self, data: slice) -> GtcapSums:
        """Both sums where kc is no sum over axes: from the pairs near on every key."""
        swept = sweep_all(self.keys.axes, self.keys.buckets, data, self.asked)
        kc, tc = (
            self._combine_axes(swept, self.keys.axes),
            self._combine_axes(swept, self.targets.axes),
        )
        right, of_keys, n_near = (np.zeros(len(swept.asked)) for _ in range(3))
        for block in swept.blocks():
            weight = kc(block)
            of_keys[block.asked] += block.sums(weight)
            n_near[block.asked] += block.sums((weight > 0).astype(np.float64))
            weight *= tc(block)
            weight *= swept.is_alike(self.targets.buckets.ids, block)
            right[block.asked] += block.sums(weight)
        right, of_keys, n_near = map(swept.sum_by_record, (right, of_keys, n_near))
        return GtcapSums(right, of_keys, n_near > 0)

    def _combine_axes(
        self, swept: Sweep, axes: Sequence[RadiusAxis]
    ) -> Callable[[PairBlock], Floats]:
        """The coefficient of pairs on these axes, alike in the categorical columns as they are."""
        on_axes = [swept.on(axis) for axis in axes]

        def combine_pairs(block: PairBlock) -> Floats:
            proximities = [on.proximity(block) for on in on_axes]
            if not proximities:
                return np.ones(len(block.data))
            if self.coefficient == "mean":
                return reduce(np.add, proximities) / len(proximities)
            return reduce(np.multiply if self.coefficient == "product" else np.minimum, proximities)

        return combine_pairs


def _sum_pairs(swept: Sweep, weigh: Callable[[PairBlock], Floats]) -> Floats:
    total = np.zeros(len(swept.asked))
    for block in swept.blocks():
        total[block.asked] += block.sums(weigh(block))
    return swept.sum_by_record(total)
