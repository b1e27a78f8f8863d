"""What must hold between columns in every row: age_1 >= age_0, discharged >= admitted.

Rows that break a constraint are drawn again. Where a later step breaks it, the column that the step
changed is set to the bound, and a row that still breaks one is taken out.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Mask
from unveil.errors import RolesError, SettingsError, quote_text
from unveil.expressions.evaluate import evaluate_condition, needs_of
from unveil.expressions.nodes import ColumnRef, Compare, Expression, Not, Text, Value
from unveil.expressions.parse import parse_condition
from unveil.expressions.resolve import Resolver, Scope
from unveil.synthesis.rules import without_nan

_ORDERS = ("<=", ">=")


@dataclass(frozen=True)
class Constraint:
    """A condition that every row meets; one that a missing value leaves open is met."""

    text: str
    condition: Expression

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns it names."""
        return needs_of(self.condition)

    def find_broken(self, frame: pl.DataFrame) -> Mask:
        """The rows that break it."""
        own = without_nan(frame[list(self.needs)])
        broken = own.select(evaluate_condition(Not(self.condition))).to_series()
        rows: Mask = broken.to_numpy()
        return rows

    def repair(self, frame: pl.DataFrame, changed: Collection[str]) -> pl.DataFrame:
        """Rows that break an order of two columns, with the one that was changed at the other."""
        given = self.condition
        rows = self.find_broken(frame)
        if not rows.any() or not isinstance(given, Compare) or given.sign not in _ORDERS:
            return frame
        if not isinstance(given.left, ColumnRef) or not isinstance(given.right, ColumnRef):
            return frame
        moved, bound = given.left.name, given.right.name
        if moved not in changed and bound in changed:
            moved, bound = bound, moved
        fits = frame[bound].cast(frame.schema[moved], strict=False).alias(moved)
        values = frame[moved].zip_with(pl.Series(~rows), fits)
        return frame.with_columns(values.alias(moved))


def is_constraint(rule: Any) -> bool:
    """Whether a rule is a condition for every row, and not "if ... then"."""
    return isinstance(rule, str) and not rule.lstrip().lower().startswith("if ")


def split_rules(given: Any) -> tuple[list[Any], list[str]]:
    """Rules "if ... then" and objects on one side, conditions for every row on the other."""
    if given is None:
        return [], []
    rules = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    return (
        [rule for rule in rules if not is_constraint(rule)],
        [rule for rule in rules if is_constraint(rule)],
    )


def read_constraint(text: str) -> Expression:
    """What a constraint says, or why it cannot be read."""
    return parse_condition(text, f"The rule {quote_text(text)}")


def derived_by_rule(texts: Sequence[str]) -> dict[str, str]:
    """Rules that say how a column is computed: los = discharged - admitted."""
    found = {}
    for text in texts:
        said = read_constraint(text)
        if isinstance(said, Compare) and said.sign == "=" and not isinstance(said.right, Value):
            left = said.left
            if isinstance(left, ColumnRef) or (isinstance(left, Text) and left.is_bare):
                name = left.name if isinstance(left, ColumnRef) else left.value
                found[name] = text.split("=", 1)[1].lstrip("= ").strip()
    return found


def resolve_constraints(texts: Sequence[str], scope: Scope) -> tuple[Constraint, ...]:
    """Constraints whose columns the original has, or a refusal."""
    made = []
    for text in texts:
        what = f"The rule {quote_text(text)}"
        condition = Resolver(what, scope).condition(read_constraint(text))
        if not needs_of(condition):
            raise RolesError(f"{what} names no column. Name those that it compares.")
        made.append(Constraint(text, condition))
    return tuple(made)


def constraint_notes(constraints: Sequence[Constraint], frame: pl.DataFrame) -> tuple[str, ...]:
    """Where the original itself breaks a constraint; one that no row keeps is refused."""
    said = []
    for one in constraints:
        if not {*one.needs} <= {*frame.columns}:
            continue
        n_broken = int(one.find_broken(frame).sum())
        if frame.height and n_broken == frame.height:
            raise SettingsError(
                f"No row of the original keeps the rule {quote_text(one.text)}. Change it, or omit"
                " it."
            )
        if n_broken:
            said.append(
                f"The rule {quote_text(one.text)} is broken by {n_broken:,} of {frame.height:,}"
                " rows of the original; no synthetic row breaks it."
            )
    return tuple(said)


def find_any_broken(constraints: Sequence[Constraint], frame: pl.DataFrame) -> Mask:
    """The rows that break one of the constraints."""
    broken = np.zeros(frame.height, np.bool_)
    for one in constraints:
        broken |= one.find_broken(frame)
    return broken
