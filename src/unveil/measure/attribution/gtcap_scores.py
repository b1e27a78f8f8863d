"""GTCAP of each record asked about: how often do the records near it have its target?

Paper 004, Algorithm 2: `computeGTCAP` (lines 31 to 41) and `univariatePrediction` (42 to 59). The
coefficient of a pair on some columns is 0 where a categorical one differs, 1 where there is no
numeric one, and else the mean of the proximities. A mean is a sum over columns, so sums of it over
records need no pairs; neither does any coefficient of a single numeric column.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.measure.attribution.buckets import Columns
from unveil.measure.attribution.gtcap_problem import Problem
from unveil.measure.attribution.kernel import Near, count_near, sum_near
from unveil.measure.attribution.kernel_pairs import Block, Sweep, is_long, sweep, sweep_all
from unveil.measure.attribution.windows import Axis, Floats
from unveil.records.gtcap import Coefficient

Files = Sequence[slice]
"""The stacked records of each file."""


@dataclass(frozen=True)
class Weights:
    """For each record asked about, over one file: the sums of kc * tc and of kc.

    kc and tc are the coefficients on keys and on targets; `is_found` says where some kc exceeds 0.
    """

    right: Floats
    all: Floats
    is_found: Mask

    def __add__(self, other: "Weights") -> "Weights":
        is_found = self.is_found | other.is_found
        return Weights(self.right + other.right, self.all + other.all, is_found)

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

    problem: Problem
    coefficient: Coefficient
    asked: Whole

    @cached_property
    def keys(self) -> Columns:
        """What the intruder knows."""
        keys = self.problem.keys
        return keys if self.coefficient == "mean" else keys.folded()

    @cached_property
    def targets(self) -> Columns:
        """What they might learn."""
        targets = self.problem.targets
        return targets if self.coefficient == "mean" else targets.folded()

    @cached_property
    def cells(self) -> Columns:
        """Keys and targets together."""
        return self.keys.and_also(self.targets)

    def weights(self, files: Files) -> list[Weights]:
        """The sums over each file."""
        if not self._adds_up(self.keys):
            return [self._from_pairs(data) for data in files]
        found = self._near(self.keys, files)
        right = self._right(files)
        return [
            Weights(weight, near.weight, near.n > 0)
            for weight, near in zip(right, found, strict=True)
        ]

    def baseline(self, data: slice) -> Floats:
        """What frequencies alone give away: the mean of tc over the data (lines 42 to 59)."""
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
        return [_sum_pairs(swept, self._combined(swept, columns.axes)) for swept in sweeps]

    def _near(self, columns: Columns, files: Files) -> list[Near]:
        """The same where it is a sum over axes, with the number near on all axes together."""
        if not columns.axes:
            return list(count_near(columns.buckets, files, self.asked))
        by_axis = [sum_near(axis, columns.buckets, files, self.asked) for axis in columns.axes]
        p = len(columns.axes)
        return [
            Near(sum(near.n for near in nears), sum(near.weight for near in nears) / p)
            for nears in zip(*by_axis, strict=True)
        ]

    def _right_of_means(self, data: slice) -> Floats:
        """The sum of kc * tc where both are means, and so sums of single proximities.

        Where windows are short, all pairs of the windows of each target, or of each key, whichever
        are fewer; where they are long, for each key and target the pairs near on both.
        """
        keys, targets = self.keys.axes, self.targets.axes

        def cost(plan: tuple[Sequence[Axis], Sequence[Axis]]) -> int:
            leads, others = plan
            return sum(axis.n_near(self.asked, data) for axis in leads) * (1 + len(others))

        leads, others = min(((targets, keys), (keys, targets)), key=cost)
        n_pairs = sum(axis.n_near(self.asked, data) for axis in leads) // self.cells.buckets.n
        if is_long(n_pairs, len(leads) * len(self.asked)):
            sums = [self._near_on_both(key, target, data) for key in keys for target in targets]
        else:
            sums = [self._led(lead, others, data) for lead in leads]
        return reduce(np.add, sums) / len(sums)

    def _near_on_both(self, key: Axis, target: Axis, data: slice) -> Floats:
        """The sum of the products of two proximities."""
        swept = sweep_all((key, target), self.cells.buckets, data, self.asked)
        on_key, on_target = swept.on(key), swept.on(target)
        return _sum_pairs(swept, lambda block: on_key.proximity(block) * on_target.proximity(block))

    def _led(self, lead: Axis, others: Sequence[Axis], data: slice) -> Floats:
        """The sum over windows of the leading proximity times the coefficient on the others."""
        swept = sweep(lead, self.cells.buckets, data, self.asked)
        leading, rest = swept.on(lead), self._combined(swept, others)
        return _sum_pairs(swept, lambda block: leading.proximity(block) * rest(block))

    def _products(self, data: slice) -> Floats:
        """The sum of kc * tc where neither is a mean: from the pairs near on every axis."""
        swept = sweep_all(self.cells.axes, self.cells.buckets, data, self.asked)
        kc, tc = self._combined(swept, self.keys.axes), self._combined(swept, self.targets.axes)
        return _sum_pairs(swept, lambda block: kc(block) * tc(block))

    def _from_pairs(self, data: slice) -> Weights:
        """Both sums where kc is no sum over axes: from the pairs near on every key."""
        swept = sweep_all(self.keys.axes, self.keys.buckets, data, self.asked)
        kc, tc = self._combined(swept, self.keys.axes), self._combined(swept, self.targets.axes)
        right, of_keys, n_near = (np.zeros(len(swept.asked)) for _ in range(3))
        for block in swept.blocks():
            weight = kc(block)
            of_keys[block.asked] += block.sums(weight)
            n_near[block.asked] += block.sums((weight > 0).astype(np.float64))
            weight *= tc(block)
            weight *= swept.is_alike(self.targets.buckets.ids, block)
            right[block.asked] += block.sums(weight)
        right, of_keys, n_near = map(swept.of_records, (right, of_keys, n_near))
        return Weights(right, of_keys, n_near > 0)

    def _combined(self, swept: Sweep, axes: Sequence[Axis]) -> Callable[[Block], Floats]:
        """The coefficient of pairs on these axes, alike in the categorical columns as they are."""
        on_axes = [swept.on(axis) for axis in axes]

        def of_pairs(block: Block) -> Floats:
            proximities = [on.proximity(block) for on in on_axes]
            if not proximities:
                return np.ones(len(block.data))
            if self.coefficient == "mean":
                return reduce(np.add, proximities) / len(proximities)
            return reduce(np.multiply if self.coefficient == "product" else np.minimum, proximities)

        return of_pairs


def _sum_pairs(swept: Sweep, weigh: Callable[[Block], Floats]) -> Floats:
    total = np.zeros(len(swept.asked))
    for block in swept.blocks():
        total[block.asked] += block.sums(weigh(block))
    return swept.of_records(total)
