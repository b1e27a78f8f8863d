"""Rules and formulas of a user, found in the original and tried on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.read.files import read_table
from unveil.read.table import Table
from unveil.synthesis import derived as formulas
from unveil.synthesis import rules as written
from unveil.synthesis.column import Part
from unveil.synthesis.lettered import with_letters
from unveil.synthesis.rule_kinds import Derived, Rule
from unveil.synthesis.scope import Scope
from unveil.synthesis.settings import codes_by_column
from unveil.synthesis.splitting import split


@dataclass(frozen=True)
class Ruling:
    """What follows from other columns, and what is to be said of it: counts, no values."""

    rules: tuple[Rule, ...] = ()
    derived: tuple[Derived, ...] = ()
    notes: tuple[str, ...] = ()


def ruled(
    original: Any,
    *,
    rules: Any = None,
    derived: Any = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
) -> Ruling:
    """The rules and formulas, read against an original: a file, or a frame of any library."""
    if not rules and not derived:
        return Ruling()
    missing = [missing_values] if isinstance(missing_values, str) else missing_values
    table = with_letters(read_table(original, side="original", missing_values=missing))
    book = table.codebook
    parts = {
        name: split(table.frame[name], variable=None if book is None else book.variable(name))
        for name in table.frame.columns
    }
    return ruling_of(table, parts, rules, derived, special_codes)


def ruling_of(
    table: Table,
    parts: Mapping[str, Part],
    rules: Any,
    derived: Any,
    special_codes: Mapping[str, Any] | None,
) -> Ruling:
    """The same, of an original that is read and taken apart."""
    found, columns = found_in(table, parts, rules, derived, special_codes)
    return Ruling(found, columns, told(table, found, columns))


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
    scope = Scope.of(table, parts, apart)
    columns = formulas.derived_of(derived, scope)
    return written.rules_of(rules, scope, parts, [one.column for one in columns]), columns


def told(table: Table, rules: Sequence[Rule], derived: Sequence[Derived]) -> tuple[str, ...]:
    """What is to be said of them; rules that contradict each other, or say nothing, are refused."""
    return (*written.told(rules, table.frame), *formulas.told(derived, table.frame))
