"""Can any row meet a condition, with the values that the columns of the original have?"""

from collections.abc import Iterator
from math import prod

import polars as pl

from unveil.count.expressions.nodes import Absent, Among, Column, Compare, Expression
from unveil.count.expressions.values import computed, met, needs_of, parts_of

_MOST_COMBINATIONS = 200_000


def can_be_met(condition: Expression, frame: pl.DataFrame) -> bool:
    """Whether some combination of values, each of which somebody has, meets a condition.

    A copy may combine values as no person of the original does, so each column is looked at alone:
    values for which every comparison turns out the same are one case, and all cases are combined.
    Where a comparison is between columns, or cases are too many, it is taken that it can be met.
    """
    asked = tuple(dict.fromkeys(_comparisons(condition)))
    if any(len(needs_of(one)) > 1 for one in asked):
        return True
    cases = [_cases(frame[name], asked) for name in needs_of(condition)]
    if prod(len(case) for case in cases) > _MOST_COMBINATIONS:
        return True
    together = cases[0].to_frame()
    for case in cases[1:]:
        together = together.join(case.to_frame(), how="cross")
    return bool(together.select(met(condition)).to_series().any())


def _comparisons(given: Expression) -> Iterator[Expression]:
    if isinstance(given, Compare | Among | Absent | Column):
        yield given
        return
    for part in parts_of(given):
        yield from _comparisons(part)


def _cases(series: pl.Series, asked: tuple[Expression, ...]) -> pl.Series:
    """One value for each way in which the comparisons about a column turn out."""
    own = [one for one in asked if needs_of(one) == (series.name,)]
    values = series.alias("").unique(maintain_order=True).alias(series.name).to_frame()
    answers = values.select(computed(one).alias(str(n)) for n, one in enumerate(own))
    first = answers.with_row_index("row").unique(answers.columns, keep="first")["row"]
    return values[first.sort()].to_series()
