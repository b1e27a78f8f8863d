"""Rules inside a joint table: which of its cells can no row have?

"If age < 16 then marital = SINGLE", with both columns in the table: cells of children who are
anything else cannot be, and neither prior nor noise nor margins may fill them.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.errors import quoted
from unveil.synthesis.column import Column, Part
from unveil.synthesis.impossible import Impossible
from unveil.synthesis.plan import Plan, Step
from unveil.synthesis.rule_kinds import Rule, code_of
from unveil.synthesis.splitting import joined

_MOST_SETS = 1_000


def impossible_in(step: Step, rules: Sequence[Rule], parts: Mapping[str, Part]) -> list[Impossible]:
    """The cells that rules leave empty in the table of a joint step.

    Only of rules that can be a matter of the table: their columns are all in it, and the original
    keeps to them. Every other rule is applied to what was drawn.
    """
    columns = {name: parts[name].column for name in step.columns}
    found = [_cells(rule, columns) for rule in rules if _is_inside(rule, step, columns, parts)]
    return [cells for some in found for cells in some]


def told_of_tables(plan: Plan, rules: Sequence[Rule], parts: Mapping[str, Part]) -> tuple[str, ...]:
    """A sentence for each rule that a joint table does not know of."""
    said = []
    for step in plan.steps:
        columns = {name: parts[name].column for name in step.columns}
        for rule in rules if step.is_joint else ():
            if rule.column in columns and not _is_inside(rule, step, columns, parts):
                said.append(
                    f"The rule {quoted(rule.text)} is applied after the columns of {step.method!r}"
                    " are drawn: their table does not know of it."
                )
    return tuple(said)


def _is_inside(
    rule: Rule, step: Step, columns: Mapping[str, Column], parts: Mapping[str, Part]
) -> bool:
    needs = _needs(rule)
    if rule.column not in columns or not all(name in columns for name in needs):
        return False
    if prod(columns[name].n_levels for name in needs) > _MOST_SETS:
        return False
    frame = pl.DataFrame({name: joined(parts[name]) for name in needs})
    broken = _met(rule, frame) & (parts[rule.column].values != code_of(columns[rule.column], rule))
    return not broken.any()


def _cells(rule: Rule, columns: Mapping[str, Column]) -> list[Impossible]:
    """For each combination of levels that meets the condition, every other level than the rule's.

    A set takes all levels of the last column that meet the condition with the same levels of the
    columns before it.
    """
    needs, target = _needs(rule), columns[rule.column]
    places = list(product(*(range(columns[name].n_levels) for name in needs)))
    codes = np.array(places, dtype=np.int32)
    frame = pl.DataFrame([joined(Part(columns[name], codes[:, n])) for n, name in enumerate(needs)])
    met = _met(rule, frame)
    sets: dict[tuple[int, ...], list[int]] = {}
    for place in (places[row] for row in np.flatnonzero(met)):
        sets.setdefault(place[:-1], []).append(place[-1])
    wanted = code_of(target, rule)
    others = tuple(code for code in range(target.n_levels) if code != wanted)
    return [
        Impossible({
            **{name: (code,) for name, code in zip(needs[:-1], before, strict=True)},
            needs[-1]: tuple(last),
            rule.column: others,
        })
        for before, last in sets.items()
    ]  # fmt: skip


def _needs(rule: Rule) -> tuple[str, ...]:
    """The columns of its own condition, without those of its rivals."""
    condition: tuple[str, ...] = getattr(rule, "own_needs", rule.needs)
    return condition


def _met(rule: Rule, frame: pl.DataFrame) -> NDArray[np.bool_]:
    # A rival of the rule may be met by a combination that no row has.
    rows: pl.Series = getattr(rule, "met", rule.rows)(frame)
    met: NDArray[np.bool_] = rows.to_numpy()
    return met
