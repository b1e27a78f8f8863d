"""Rules and formulas of a user, found in the original and tried on it."""

from collections.abc import Mapping, Sequence
from typing import Any

from unveil.count.expressions.scope import Scope
from unveil.read.table import Table
from unveil.synthesis import derived as formulas
from unveil.synthesis import rules as written
from unveil.synthesis.column import Part
from unveil.synthesis.rule_kinds import Derived, Rule
from unveil.synthesis.settings import codes_by_column


def found_in(
    table: Table,
    parts: Mapping[str, Part],
    rules: Any,
    derived: Any,
    special_codes: Mapping[str, Any] | None,
) -> tuple[tuple[Rule, ...], tuple[Derived, ...]]:
    """Rules and formulas whose columns and levels the original has, or a refusal."""
    known = list(table.frame.columns)
    apart = codes_by_column(special_codes, "Special codes", known, table.place)
    is_coded = {name: part.column.is_category for name, part in parts.items()}
    scope = Scope.of(table, is_coded, apart)
    columns = formulas.derived_of(derived, scope)
    return written.rules_of(rules, scope, parts, [one.column for one in columns]), columns


def told(table: Table, rules: Sequence[Rule], derived: Sequence[Derived]) -> tuple[str, ...]:
    """What is to be said of them; rules that contradict each other, or say nothing, are refused."""
    return (*written.told(rules, table.frame), *formulas.told(derived, table.frame))
