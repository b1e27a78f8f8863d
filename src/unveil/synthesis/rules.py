"""Rules between columns: what must hold in every synthetic row, and does the original keep to it?

"if age < 16 then marital = SINGLE": rows that meet the condition get the value, and are excluded
when the column is fitted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import polars.selectors as cs

from unveil.arguments import quote_value
from unveil.arrays import Mask
from unveil.errors import RolesError, SettingsError, quote_text
from unveil.expressions.evaluate import evaluate_condition, needs_of, plain
from unveil.expressions.nodes import Expression, Missing, Number, Value
from unveil.expressions.parse import parse_rule
from unveil.expressions.resolve import Resolver, Scope
from unveil.models.design import ColumnValues, ModelColumn
from unveil.synthesis.impossible import can_be_met
from unveil.synthesis.rule_kinds import Rule


@dataclass(frozen=True)
class WrittenRule:
    """A rule that a user wrote, its columns and levels found in the original.

    `rivals` are rules that give the same column another value: no row may meet both.
    """

    text: str
    column: str
    given: Value
    condition: Expression
    zone: str | None = None  # of a moment, where the column has one
    rivals: tuple["WrittenRule", ...] = ()

    @property
    def value(self) -> Any:
        """The value in rows that meet it; None is missing, and truth is written as text."""
        value = plain(self.given)
        if isinstance(value, bool):
            return str(value).lower()
        return value if self.zone is None else value.replace(tzinfo=ZoneInfo(self.zone))

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of its condition, and of those of its rivals."""
        conditions = (self.condition, *(rival.condition for rival in self.rivals))
        return tuple(dict.fromkeys(name for one in conditions for name in needs_of(one)))

    @property
    def own_needs(self) -> tuple[str, ...]:
        """The columns of its condition alone."""
        return needs_of(self.condition)

    def find_met(self, frame: pl.DataFrame) -> pl.Series:
        """Which rows meet the condition; a comparison with a missing value is not met."""
        own = without_nan(frame[list(needs_of(self.condition))])
        return own.select(evaluate_condition(self.condition)).to_series()

    def rows(self, frame: pl.DataFrame) -> pl.Series:
        """Which synthetic records meet the condition; one that meets a rival's too is refused."""
        rows = self.find_met(frame)
        for rival in self.rivals:
            check_both(self, rival, int((rows & rival.find_met(frame)).sum()), "the synthetic data")
        return rows


def rules_of(
    given: Any, scope: Scope, parts: Mapping[str, ColumnValues], derived: Sequence[str] = ()
) -> tuple[Rule, ...]:
    """The rules a user gave, as text or as objects that can do what a rule must do."""
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return link_rivals(
        rule if hasattr(rule, "rows") else _resolve_rule(rule, scope, parts, derived)
        for rule in given
    )


def link_rivals(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, each knowing those that contradict it where both are met."""
    everyone = [replace(r, rivals=()) if isinstance(r, WrittenRule) else r for r in rules]
    written = [rule for rule in everyone if isinstance(rule, WrittenRule)]
    return tuple(
        replace(rule, rivals=tuple(other for other in written if _are_rivals(rule, other)))
        if isinstance(rule, WrittenRule)
        else rule
        for rule in everyone
    )


def rule_notes(rules: Sequence[Rule], frame: pl.DataFrame) -> tuple[str, ...]:
    """What is to be said of the rules; those that no row can meet, or contradict, are refused."""
    rows = [_find_rows(rule, frame) for rule in rules]
    for (one, met_one), (two, met_two) in combinations(zip(rules, rows, strict=True), 2):
        if _are_rivals(one, two):
            check_both(one, two, int((met_one & met_two).sum()), "the original")
    said = [_sentence(rule, met_by, frame) for rule, met_by in zip(rules, rows, strict=True)]
    return tuple(sentence for sentence in said if sentence)


def check_both(one: Rule, two: Rule, n_rows: int, where: str) -> None:
    """Refuse two rules that give some rows different values."""
    if n_rows:
        raise SettingsError(
            f"Two rules give {one.column!r} different values in {_rows(n_rows)} of {where}:"
            f" {quote_text(one.text)} and {quote_text(two.text)}. Change one, so that no row "
            "meets both."
        )


def _are_rivals(one: Rule, two: Rule) -> bool:
    return one.column == two.column and one.value != two.value


def _find_rows(rule: Rule, frame: pl.DataFrame) -> Mask:
    rows = rule.find_met(frame) if isinstance(rule, WrittenRule) else rule.rows(frame)
    return rows.to_numpy()


def without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers that are none are missing, as synthesis takes them."""
    return frame.with_columns(cs.float().fill_nan(None))


def _resolve_rule(
    text: Any, scope: Scope, parts: Mapping[str, ColumnValues], derived: Sequence[str]
) -> WrittenRule:
    if not isinstance(text, str):
        raise SettingsError(
            f"A rule is {quote_value(text)}. Write it as text: 'if age < 16 then marital = SINGLE'."
        )
    said = parse_rule(text)
    what = f"The rule {quote_text(text)}"
    resolver = Resolver(what, scope)
    known = resolver.find_column(said.column)
    condition = resolver.condition(said.condition)
    _check_columns(what, said.column, needs_of(condition), derived)
    values = resolver.value(said.column, said.value, verb="gives")
    if len(values) > 1:
        raise SettingsError(
            f"{what} gives {said.column!r} a label that several codes have. Write the code."
        )
    value = _convert_value(what, parts[said.column].column, values[0])
    zone = getattr(known.series.dtype, "time_zone", None)
    return WrittenRule(text, said.column, value, condition, zone)


def _check_columns(what: str, column: str, needs: Sequence[str], derived: Sequence[str]) -> None:
    if not needs:
        raise RolesError(f"{what} names no column in its condition. Name one, such as age < 16.")
    if column in needs:
        raise RolesError(
            f"{what} determines {column!r} by its own value. Name other columns in its condition."
        )
    late = [name for name in needs if name in derived]
    if late:
        raise RolesError(
            f"{what} needs {late[0]!r}, which is derived after all others. Write the columns that"
            " it is derived from."
        )


def _convert_value(what: str, column: ModelColumn, value: Value) -> Value:
    """The value as the column can hold it, or a refusal."""
    if isinstance(value, Missing):
        if not column.has_missing:
            raise SettingsError(
                f"{what} makes {column.name!r} missing, but the original has a value there in every"
                " row. Name a value."
            )
        return value
    if column.is_fixed and (column.kind == "empty" or column.levels[0] != plain(value)):
        has = "no value" if column.kind == "empty" else "one value only, and another"
        raise SettingsError(
            f"{what} gives {column.name!r} a value, but in the original it has {has}. Omit the"
            " rule."
        )
    if not isinstance(value, Number):
        return value
    held = pl.Series([value.value]).cast(column.dtype, strict=False)[0]
    if held is None or not (column.dtype.is_float() or float(held) == value.value):
        kind = "whole numbers" if column.dtype.is_integer() else "its type"
        raise SettingsError(
            f"{what} gives {column.name!r} the number {value.value:g}, which a column of {kind}"
            " cannot hold."
        )
    return Number(held if isinstance(held, int | float) else value.value, value.text)


def _sentence(rule: Rule, rows: Mask, frame: pl.DataFrame) -> str | None:
    n_met = int(rows.sum())
    if not n_met:
        if isinstance(rule, WrittenRule) and not can_be_met(rule.condition, without_nan(frame)):
            raise SettingsError(
                f"No row can meet the rule {quote_text(rule.text)}: with the values that the"
                " original has, its condition is never true. Change the condition, or omit the"
                " rule."
            )
        return (
            f"No row of the original meets the rule {quote_text(rule.text)}; a synthetic row that"
            " does gets its value."
        )
    n_broken = int((rows & ~_holds(rule, frame[rule.column].alias(""))).sum())
    if not n_broken:
        return None
    return (
        f"The rule {quote_text(rule.text)} is broken by {n_broken:,} of the {_rows(n_met)} of the"
        " original that meet it; no synthetic row breaks it."
    )


def _holds(rule: Rule, column: pl.Series) -> Mask:
    if rule.value is None:
        return without_nan(column.to_frame()).to_series().is_null().to_numpy()
    is_level = isinstance(rule.value, str)
    held: pl.Series = (column.cast(pl.String) if is_level else column) == rule.value
    rows: Mask = held.fill_null(value=False).to_numpy()
    return rows


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"
