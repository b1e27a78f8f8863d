"""Which values of a target would be disclosed, of how many people correctly, of how many wrongly?

A wrong value is harm, too: somebody is taken for what they are not.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from unveil.count.levels import label
from unveil.count.packing import Whole
from unveil.count.scenario import Scenario
from unveil.measure.figures import groups
from unveil.records.copies import Copy
from unveil.records.disclosure import ValueRow

Kind = Literal["value", "missing", "rare"]

RARE = 10
"""A value of fewer people is not named, unless it was declared sensitive."""
MOST_LEVELS = 60
"""A target with more levels is told of by its sensitive ones alone."""


def rows_by_value(
    scenario: Scenario, sensitive: Mapping[str, Collection[str]]
) -> Iterator[ValueRow]:
    """Every value of every target, in each synthetic file and in all of them pooled.

    Values of fewer than ten people come together in one row without a name.

    Notes
    -----
    Over the cells with s_tq = s_q > 0, whose keys point to the single value t: correctly disclosed
    is the sum of d_tq, wrongly the sum of d_q - d_tq. Summed over all values they are DiSCO and
    DiS less DiSCO, of all people, before any exclusion.

    References
    ----------
    Raab (2024), equations 10 and 11, value by value.
    """
    for place, column in enumerate(scenario.target_columns):
        wanted = sensitive.get(column.name, ())
        if column.n_levels > MOST_LEVELS and not wanted:
            continue
        for copy, copies in groups(scenario).items():
            yield from _rows(scenario, place, copy, copies, wanted)


def _rows(
    scenario: Scenario, place: int, copy: Copy, copies: Sequence[int], wanted: Collection[str]
) -> Iterator[ValueRow]:
    cells, column = scenario.cells[place], scenario.target_columns[place]
    d_q, s_q = scenario.keys.counts[0], scenario.keys.counts[list(copies)].sum(axis=0)
    d_tq, s_tq = cells.counts[0], cells.counts[list(copies)].sum(axis=0)
    q, t, n = cells.q, cells.t, column.n_levels
    is_single = (s_tq == s_q[q]) & (s_tq > 0)
    correct = np.bincount(t[is_single], d_tq[is_single], n)
    wrong = np.bincount(t[is_single], (d_q[q] - d_tq)[is_single], n)
    points = np.zeros(len(s_q), bool)  # combinations that point to a single value
    points[q[is_single]] = True
    is_other = points[q] & ~is_single
    other = np.bincount(t[is_other], d_tq[is_other], n)
    people = column.counts[0]
    figures = np.stack([people, correct, wrong, other], axis=1).astype(np.int64)
    levels = [label(column, code) for code in range(n)]
    is_rare = [level not in (None, *wanted) and people[c] < RARE for c, level in enumerate(levels)]
    for code, level in enumerate(levels):
        if not is_rare[code] and (n <= MOST_LEVELS or level in wanted):
            kind: Kind = "missing" if level is None else "value"
            yield _row(column.name, copy, kind, level, figures[code])
    if n <= MOST_LEVELS and any(is_rare):
        yield _row(column.name, copy, "rare", None, figures[is_rare].sum(axis=0))


def _row(target: str, copy: Copy, kind: Kind, level: str | None, figures: Whole) -> ValueRow:
    people, correct, wrong, other = figures.tolist()
    return ValueRow(
        target=target,
        copy=copy,
        kind=kind,
        level=level,
        n_people=people,
        n_correct=correct,
        n_wrong=wrong,
        n_other=other,
    )
