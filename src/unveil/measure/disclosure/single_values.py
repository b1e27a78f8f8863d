"""How many people would be shown with a single value, correctly or wrongly, and is it the obvious?

Raab (2024), equations 10 and 11, in whole numbers of people: DiSCO is 100 n_correct / N, and DiS is
100 (n_correct + n_wrong) / N. With a column that says whose row it is, a person counts as soon as
one of their rows does, so that a person may be shown both correctly and wrongly.
"""

from collections.abc import Iterator

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn, label, label_beside
from unveil.count.packing import count_people
from unveil.measure.disclosure.figures import RARE, ValueKind
from unveil.records.base import Copy
from unveil.records.disclosure import AnyCorrect, SingleValueCounts, SingleValues
from unveil.study.excluded import Exclusions
from unveil.study.people import People
from unveil.study.scenario import CountedScenario


def count_single_values(exclusions: Exclusions, people: People | None) -> SingleValueCounts:
    """Every target in every copy and in all of them pooled; one pass over the people of each."""
    scenario = exclusions.scenario
    targets: list[SingleValues] = []
    any_correct = []
    for copy, pair in scenario.pairs():
        is_correct = np.zeros(scenario.sides.rows[0], bool)
        for row, correct in _count_targets(exclusions.on(pair), copy, people):
            targets.append(row)
            is_correct |= correct
        any_correct.append(AnyCorrect(copy=copy, n_people=_count(is_correct, people)))
    return SingleValueCounts(
        n_people=scenario.sides.rows[0] if people is None else people.record.n_people,
        targets=tuple(targets),
        any_correct=tuple(any_correct),
        exact=tuple(one.name for one in scenario.target_columns if one.is_scaled),
    )


def _count_targets(
    exclusions: Exclusions, copy: Copy, people: People | None
) -> Iterator[tuple[SingleValues, Mask]]:
    """The counts of each target, and the rows of the original that it discloses correctly."""
    pair = exclusions.scenario
    originals = pair.sides.slices[0]
    q = pair.keys.q[originals]
    for place, column in enumerate(pair.target_columns):
        own = column.codes[originals]
        shown = pair.shown_levels(place)[q]
        is_single = (shown >= 0) & _is_kept(exclusions, place)
        is_correct = is_single & (shown == own)
        with_level = _people_by_level(column, pair, people)
        most = int(with_level.argmax())  # the first of several that are as common
        level = label(column, most) if with_level[most] >= RARE else None
        row = SingleValues(
            target=column.name,
            copy=copy,
            n_correct=_count(is_correct, people),
            n_wrong=_count(is_single & ~is_correct, people),
            n_not_most_common=_count(is_correct & (own != most), people),
            n_level=int(with_level[most]),
            is_tied=int((with_level == with_level[most]).sum()) > 1,
            kind=_kind(column, most, int(with_level[most])),
            level=level,
            level_label=None if level is None else label_beside(column, most),
        )
        yield row, is_correct


def _is_kept(exclusions: Exclusions, place: int) -> Mask | np.bool:
    """Which rows of the original no exclusion takes out; all, where none acts."""
    if not exclusions.act_on(place):
        return np.True_
    kept: Mask = ~exclusions.mask_excluded(place)[exclusions.scenario.cells_of_originals(place)]
    return kept


def _people_by_level(column: CodedColumn, pair: CountedScenario, people: People | None) -> Ints:
    """How many people have each level of a target in the original."""
    if people is None:
        counts: Ints = column.counts[0].astype(np.int64)
        return counts
    return count_people(column.codes[pair.sides.slices[0]], people.of_row, column.n_levels)


def _count(rows: Mask, people: People | None) -> int:
    """How many people these rows of the original are of."""
    if people is None:
        return int(np.count_nonzero(rows))
    return int(np.count_nonzero(np.bincount(people.of_row[rows])))


def _kind(column: CodedColumn, code: int, n_people: int) -> ValueKind:
    """A level of fewer than ten people is not named."""
    if label(column, code) is None:
        return "missing"
    return "value" if n_people >= RARE else "rare"
