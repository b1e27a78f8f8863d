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
    single, points = scenario.single_cells(place, copies)
    d_q, d_tq, n = scenario.keys.counts[0], cells.counts[0], column.n_levels
    t, q = cells.t[single], cells.q_of(single)
    correct = np.bincount(t, d_tq[single], n)
    wrong = np.bincount(t, d_q[q] - d_tq[single], n)
    is_told = np.repeat(points, np.diff(cells.starts))
    other = np.bincount(cells.t[is_told], d_tq[is_told], n) - correct
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
