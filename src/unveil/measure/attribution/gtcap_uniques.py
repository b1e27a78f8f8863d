"""Who is a statistical unique? Four readings of a rule that Chapelle and Falissard do not print.

`getUniqueRows` is called in Algorithm 2, line 62, with keys, targets and radii, and not shown. All
four readings ask of each original record whether any OTHER original record is like it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.measure.attribution.buckets import Buckets, Columns
from unveil.measure.attribution.gtcap_problem import Problem
from unveil.measure.attribution.kernel import sum_near
from unveil.measure.attribution.kernel_pairs import Sweep, sweep_all
from unveil.measure.attribution.windows import Axis
from unveil.records.gtcap import Coefficient, UniqueRule

PLACES, STRIDE = 64, 8
"""How many places of all windows are looked at side by side, and after how many to tidy up."""


def uniques(problem: Problem, rule: UniqueRule, coefficient: Coefficient) -> Mask:
    """Whether each original record is a statistical unique."""
    rules: dict[UniqueRule, Callable[[], Mask]] = {
        "all_keys": lambda: _all_near(problem, problem.keys),
        "key": lambda: _any_weight(problem, coefficient),
        "joint": lambda: _all_near(problem, problem.keys.and_also(problem.targets)),
        "equal": lambda: _equal(problem),
    }
    return rules[rule]()


def _equal(problem: Problem) -> Mask:
    """No other record has the same key values, radii aside."""
    axes = [(axis.codes, axis.n_levels) for axis in problem.keys.axes]
    return _alone_in(problem.keys.buckets.split(axes), problem.original)


def _any_weight(problem: Problem, coefficient: Coefficient) -> Mask:
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


def _all_near(problem: Problem, columns: Columns) -> Mask:
    """No other record is near in every column: the radius version of an equal one."""
    folded = columns.folded()
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


def _has_company(swept: Sweep, axes: Sequence[Axis], n_rows: int) -> Mask:
    """Whether some other record of the window is near on the other axes too.

    Most records find company soon or have a short window, so all windows are looked through side by
    side, one place at a time; then what is left of the long ones, in growing pieces.
    """
    found = np.zeros(n_rows, bool)
    by_width = sorted(axes, key=lambda axis: axis.width)
    todo, look = _place_by_place(swept, by_width, found), PLACES
    while len(todo.asked):
        piece = replace(todo, past=np.minimum(todo.past, todo.first + look))
        _find_company(piece, by_width, found)
        todo = _left(replace(todo, first=piece.past), found)
        look *= 4
    return found


def _left(todo: Sweep, found: Mask) -> Sweep:
    """The windows that are not at their end, of records still alone."""
    left = ~found[todo.asked] & (todo.first < todo.past)
    return replace(todo, asked=todo.asked[left], first=todo.first[left], past=todo.past[left])


def _place_by_place(todo: Sweep, axes: Sequence[Axis], found: Mask) -> Sweep:
    """Look at the first places of every window; and what is left to look at then."""
    data = [axis.values[axis.codes[todo.data]] for axis in axes]
    for _ in range(PLACES // STRIDE):
        todo = _left(todo, found)
        asked = [axis.values[axis.codes[todo.asked]] for axis in axes]
        last = todo.past - 1
        for step in range(STRIDE):
            # A window that has ended looks at its last place again.
            places = np.minimum(todo.first + step, last)
            near = np.flatnonzero(np.abs(data[0][places] - asked[0]) < axes[0].limit)
            places = places[near]
            for axis, theirs, own in zip(axes[1:], data[1:], asked[1:], strict=True):
                is_near = np.abs(theirs[places] - own[near]) < axis.limit
                near, places = near[is_near], places[is_near]
            _mark(found, todo.data[places], todo.asked[near])
        todo = replace(todo, first=np.minimum(todo.first + STRIDE, todo.past))
    return _left(todo, found)


def _find_company(piece: Sweep, axes: Sequence[Axis], found: Mask) -> None:
    """Look at all pairs of these windows."""
    on_axes = [piece.on(axis) for axis in axes]
    for block in piece.blocks():
        near = np.ones(len(block.data), bool)
        for on in on_axes:
            near &= on.is_near(block)
        own = np.repeat(piece.asked[block.asked], block.lengths)
        _mark(found, piece.data[block.data[near]], own[near])


def _mark(found: Mask, theirs: Whole, own: Whole) -> None:
    """Mark both of each pair, unless they are the same record: nearness is mutual."""
    is_other = theirs != own
    found[theirs[is_other]] = True
    found[own[is_other]] = True
