"""Which regressions would take hours, or all the memory there is, and what is done instead?"""

from collections.abc import Mapping
from dataclasses import replace

from unveil.errors import listed
from unveil.synthesis.column import Column
from unveil.synthesis.methods import REGRESSIONS
from unveil.synthesis.plan import Plan, Step

MOST_DUMMIES, MOST_CLASSES, MOST_COEFFICIENTS = 1_000, 1_000, 100_000
"""Columns of a regression, its classes, and the product of both."""


def within_bounds(plan: Plan, columns: Mapping[str, Column]) -> Plan:
    """The plan with trees in the place of regressions that are too large, and a note of them."""
    steps = tuple(_bounded(step, columns) for step in plan.steps)
    names = [new.columns[0] for old, new in zip(plan.steps, steps, strict=True) if old != new]
    if not names:
        return plan
    note = (
        f"Too many levels for a regression, so trees were grown in its place: {listed(names)}. A"
        f" regression has at most {MOST_DUMMIES:,} columns, {MOST_CLASSES:,} classes and"
        f" {MOST_COEFFICIENTS:,} coefficients."
    )
    return replace(plan, steps=steps, notes=(*plan.notes, note))


def _bounded(step: Step, columns: Mapping[str, Column]) -> Step:
    column = columns[step.columns[0]]
    width = sum(columns[name].n_dummies for name in step.predictors)
    if _is_too_large(step.method, width, max(column.n_levels, 1)):
        return replace(step, method="cart", state_method=step.state_method and "cart")
    if step.state_method and _is_too_large(step.state_method, width, column.n_states):
        return replace(step, state_method="cart")
    return step


def _is_too_large(method: str, width: int, n_classes: int) -> bool:
    is_over = width > MOST_DUMMIES or n_classes > MOST_CLASSES
    return method in REGRESSIONS and (is_over or width * n_classes > MOST_COEFFICIENTS)
