"""Columns that follow from others: computed from the synthetic file, not synthesised.

"weight / (height / 100) ^ 2": a body mass index that belongs to the weight and height beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.arguments import quote_value
from unveil.errors import RolesError, SettingsError, quote_text
from unveil.expressions.evaluate import evaluate, needs_of
from unveil.expressions.nodes import Expression, Kind
from unveil.expressions.parse import parse_formula
from unveil.expressions.resolve import HOLDS, Resolver, Scope
from unveil.io.table import Table
from unveil.models.design import ColumnValues
from unveil.synthesis import rules as written
from unveil.synthesis.constraints import (
    Constraint,
    constraint_notes,
    derived_by_rule,
    resolve_constraints,
    split_rules,
)
from unveil.synthesis.rules import WrittenRule, without_nan
from unveil.synthesis.settings import parse_codes_by_column

_TYPES: dict[Kind, type[pl.DataType]] = {
    "number": pl.Float64,
    "text": pl.String,
    "truth": pl.Boolean,
    "date": pl.Date,
    "moment": pl.Datetime,
    "time": pl.Time,
}
_CLOSE = 1e-9


@dataclass(frozen=True)
class DerivedColumn:
    """A column and how it is computed, in the type that the original has it in."""

    column: str
    formula: str
    tree: Expression
    dtype: pl.DataType

    @property
    def text(self) -> str:
        """As it is told: bmi = weight / (height / 100) ^ 2."""
        return f"{self.column} = {self.formula}"

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns it is computed from."""
        return needs_of(self.tree)

    def values(self, frame: pl.DataFrame) -> pl.Series:
        """The column, for every row; missing where a column that it needs is, or a special code."""
        made = (
            without_nan(frame[list(self.needs)]).select(evaluate(self.tree).alias("")).to_series()
        )
        if self.dtype.is_integer() and made.dtype.is_float():
            made = made.round()
        return made.cast(self.dtype, strict=False).alias(self.column)


def parse_derived(given: Any, scope: Scope) -> tuple[DerivedColumn, ...]:
    """The derived columns a user gave; a formula may name a column that is derived before it."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"Derived columns are given as {type(given).__name__}. Write formulas by column, such"
            ' as {"bmi": "weight / (height / 100) ^ 2"}.'
        )
    made: list[DerivedColumn] = []
    for column, text in given.items():
        made.append(_formula(column, text, scope, tuple(given)))
        frame = pl.DataFrame([scope.columns[name].series for name in made[-1].needs])
        scope = scope.with_column(made[-1].values(frame))
    return tuple(made)


def derived_notes(derived: Sequence[DerivedColumn], frame: pl.DataFrame) -> tuple[str, ...]:
    """Where the original itself differs from what the formulas give."""
    said = []
    for column in derived:
        made = column.values(frame)
        n = _differ(made, frame[column.column]) if column.column in frame.columns else 0
        if n:
            said.append(
                f"The derived column {column.column!r} differs from its formula in {n:,} of"
                f" {len(frame):,} rows of the original; in the synthetic data it never does."
            )
        frame = frame.with_columns(made.alias(column.column))
    return tuple(said)


def _formula(column: Any, text: Any, scope: Scope, all_derived: tuple[str, ...]) -> DerivedColumn:
    if not isinstance(column, str) or not isinstance(text, str):
        raise SettingsError(
            f"The formula of {quote_value(column)} is {quote_value(text)}. Write both as text, "
            "such as"
            ' {"bmi": "weight / (height / 100) ^ 2"}.'
        )
    what = f"The formula of {column!r}, {quote_text(text)},"
    tree, kind = Resolver(what, scope).resolve(parse_formula(text, what))
    needs = needs_of(tree)
    if not needs:
        raise RolesError(f"{what} names no column. Name those that it is computed from.")
    later = all_derived[all_derived.index(column) :]
    late = [name for name in needs if name in later]
    if late:
        raise RolesError(
            f"{what} needs {late[0]!r}, which is derived "
            f"{'by it' if late[0] == column else 'after it'}. Name other columns."
        )
    return DerivedColumn(column, text, tree, _type(what, column, kind, scope))


def _type(what: str, column: str, kind: Kind, scope: Scope) -> pl.DataType:
    if kind == "empty":
        raise SettingsError(f"{what} gives no value.")
    if column not in scope.columns:
        return _TYPES[kind]()
    known = scope.columns[column]
    if known.kind not in (kind, "empty"):
        raise SettingsError(
            f"{what} gives {HOLDS[kind]}, but {column!r} holds {HOLDS[known.kind]} in the original."
            " Change the formula, or give the column another name."
        )
    return _TYPES[kind]() if known.kind == "empty" else known.series.dtype


def _differ(made: pl.Series, original: pl.Series) -> int:
    made, original = made.alias(""), original.alias("")
    if original.dtype.is_float():
        original = original.fill_nan(None)
    if not made.dtype.is_numeric():
        return int(made.ne_missing(original).sum())
    a, b = made.cast(pl.Float64), original.cast(pl.Float64)
    near = ((a - b).abs() <= _CLOSE * (1 + b.abs())).fill_null(value=False)
    return int((~(near | (a.is_null() & b.is_null()))).sum())


# Rules and formulas of a user, found in the original and tried on it.


def resolve_rules(
    table: Table,
    parts: Mapping[str, ColumnValues],
    rules: Any,
    derived: Any,
    special_codes: Mapping[str, Any] | None,
) -> tuple[tuple[WrittenRule, ...], tuple[Constraint, ...], tuple[DerivedColumn, ...]]:
    """Rules, constraints and formulas whose columns and levels the original has, or a refusal.

    A rule that says how a column is computed, los = discharged - admitted, is a formula.
    """
    known = list(table.frame.columns)
    apart = parse_codes_by_column(special_codes, "Special codes", known, table.place)
    is_coded = {name: part.column.is_category for name, part in parts.items()}
    scope = Scope.of(table, is_coded, apart)
    settled, between = split_rules(rules)
    computed = derived_by_rule(between)
    if computed:
        derived = {**(derived or {}), **computed}
        between = [text for text in between if not derived_by_rule([text])]
    columns = parse_derived(derived, scope)
    made = written.parse_rules(settled, scope, parts, [one.column for one in columns])
    for one in columns:  # a rule may name a column that only the formula makes
        if one.column not in scope.columns:
            needs = pl.DataFrame([scope.columns[name].series for name in one.needs])
            scope = scope.with_column(one.values(needs))
    return made, resolve_constraints(between, scope), columns


def rule_and_derived_notes(
    table: Table,
    rules: Sequence[WrittenRule],
    constraints: Sequence[Constraint],
    derived: Sequence[DerivedColumn],
) -> tuple[str, ...]:
    """What is to be said of them; rules that contradict each other, or say nothing, are refused."""
    return (
        *written.rule_notes(rules, table.frame),
        *constraint_notes(constraints, table.frame),
        *derived_notes(derived, table.frame),
    )
