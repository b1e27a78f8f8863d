"""Rules between columns: what must hold in every synthetic row, and does the original keep to it?

"if age < 16 then marital = SINGLE": rows that meet the condition get the value, and are excluded
when the column is fitted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from unveil.arguments import quote_value
from unveil.arrays import Mask
from unveil.errors import RolesError, SettingsError, quote_text
from unveil.expressions.evaluate import (
    evaluate,
    evaluate_condition,
    needs_of,
    parts_of,
    plain,
)
from unveil.expressions.nodes import (
    Absent,
    Among,
    ColumnRef,
    Compare,
    Expression,
    Missing,
    Number,
    Value,
)
from unveil.expressions.parse import parse_rule
from unveil.expressions.resolve import Resolver, Scope
from unveil.models.design import ColumnValues, ModelColumn
from unveil.synthesis.split_columns import to_numbers


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


def parse_rules(
    given: Any, scope: Scope, parts: Mapping[str, ColumnValues], derived: Sequence[str] = ()
) -> tuple[WrittenRule, ...]:
    """The rules a user gave, found in the original."""
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return link_rivals(_resolve_rule(rule, scope, parts, derived) for rule in given)


def link_rivals(rules: Iterable[WrittenRule]) -> tuple[WrittenRule, ...]:
    """The rules, each knowing those that contradict it where both are met."""
    alone = [replace(rule, rivals=()) for rule in rules]
    return tuple(
        replace(rule, rivals=tuple(other for other in alone if _are_rivals(rule, other)))
        for rule in alone
    )


def rule_notes(rules: Sequence[WrittenRule], frame: pl.DataFrame) -> tuple[str, ...]:
    """What is to be said of the rules; those that no row can meet, or contradict, are refused."""
    rows = [rule.find_met(frame).to_numpy() for rule in rules]
    for (one, met_one), (two, met_two) in combinations(zip(rules, rows, strict=True), 2):
        if _are_rivals(one, two):
            check_both(one, two, int((met_one & met_two).sum()), "the original")
    said = [_sentence(rule, met_by, frame) for rule, met_by in zip(rules, rows, strict=True)]
    return tuple(sentence for sentence in said if sentence)


def check_both(one: WrittenRule, two: WrittenRule, n_rows: int, where: str) -> None:
    """Refuse two rules that give some rows different values."""
    if n_rows:
        raise SettingsError(
            f"Two rules give {one.column!r} different values in {_rows(n_rows)} of {where}:"
            f" {quote_text(one.text)} and {quote_text(two.text)}. Change one, so that no row "
            "meets both."
        )


def _are_rivals(one: WrittenRule, two: WrittenRule) -> bool:
    return one.column == two.column and one.value != two.value


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


def _sentence(rule: WrittenRule, rows: Mask, frame: pl.DataFrame) -> str | None:
    n_met = int(rows.sum())
    if not n_met:
        if not can_be_met(rule.condition, without_nan(frame)):
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


def _holds(rule: WrittenRule, column: pl.Series) -> Mask:
    if rule.value is None:
        return without_nan(column.to_frame()).to_series().is_null().to_numpy()
    is_level = isinstance(rule.value, str)
    held: pl.Series = (column.cast(pl.String) if is_level else column) == rule.value
    rows: Mask = held.fill_null(value=False).to_numpy()
    return rows


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


# Can any row meet a condition, with the values that the columns of the original have?


_MOST_COMBINATIONS = 200_000


def can_be_met(condition: Expression, frame: pl.DataFrame) -> bool:
    """Whether some combination of values, each of which a person has, meets a condition.

    Synthetic data may combine values as no person of the original does, so each column is looked at
    alone: values for which every comparison turns out the same are one case, and all cases are
    combined. Where it compares columns, or cases are too many, it is taken that it can be met.
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
    return bool(together.select(evaluate_condition(condition)).to_series().any())


def _comparisons(given: Expression) -> Iterator[Expression]:
    if isinstance(given, Compare | Among | Absent | ColumnRef):
        yield given
        return
    for part in parts_of(given):
        yield from _comparisons(part)


def _cases(series: pl.Series, asked: tuple[Expression, ...]) -> pl.Series:
    """One value for each way in which the comparisons about a column turn out."""
    own = [one for one in asked if needs_of(one) == (series.name,)]
    values = series.alias("").unique(maintain_order=True).alias(series.name).to_frame()
    answers = values.select(evaluate(one).alias(str(n)) for n, one in enumerate(own))
    first = answers.with_row_index("row").unique(answers.columns, keep="first")["row"]
    return values[first.sort()].to_series()


# The value of a rule, as its column holds it.


def apply_rule(part: ColumnValues, rows: NDArray[np.bool_], rule: WrittenRule) -> ColumnValues:
    """The part with the value of a rule in some rows."""
    if not rows.any():
        return part
    if part.column.is_fixed:
        _check_other_than_fixed(part.column, rule)
        return part
    values = part.values.copy()
    if part.column.is_category:
        values[rows] = code_of(part.column, rule)
        return ColumnValues(part.column, values)
    at, number = state_of(part.column, rule)
    state = np.zeros(len(values), dtype=np.int16) if part.state is None else part.state.copy()
    state[rows] = at
    values[rows] = number
    return ColumnValues(part.column, values, state if state.any() else None)


def code_of(column: ModelColumn, rule: WrittenRule) -> int:
    """The code of a rule's value among the levels of a category."""
    if rule.value is None and column.has_missing:
        return column.n_levels - 1
    if rule.value is None:
        raise SettingsError(_unknown_value_sentence(rule))
    is_text = isinstance(rule.value, str)
    levels = column.levels.cast(pl.String) if is_text else column.levels
    if not is_text and levels.dtype in (pl.String, pl.Categorical, pl.Enum):
        raise SettingsError(_unknown_value_sentence(rule))
    places = (levels == rule.value).arg_true()
    if not len(places):
        raise SettingsError(_unknown_value_sentence(rule))
    return int(places[0])


def _check_other_than_fixed(column: ModelColumn, rule: WrittenRule) -> None:
    """A column with one value, or none, can be given no other."""
    if column.kind == "constant":
        code_of(column, rule)
    elif rule.value is not None:
        raise SettingsError(_unknown_value_sentence(rule))


def state_of(column: ModelColumn, rule: WrittenRule) -> tuple[int, float | int]:
    """The state and the number of a rule's value."""
    if rule.value is None:
        if not column.has_missing:
            raise SettingsError(_unknown_value_sentence(rule))
        return 1, 0
    given = _cast_value(rule, column.dtype)
    if given.null_count():
        raise SettingsError(_unknown_value_sentence(rule))
    special = column.special.to_list()
    if given[0] in special:
        return 2 + special.index(given[0]), 0
    return 0, to_numbers(given)[0]


def _cast_value(rule: WrittenRule, dtype: pl.DataType) -> pl.Series:
    """The value of a rule in the type of its column; nothing where it has no place there."""
    try:
        return pl.Series([rule.value]).cast(dtype, strict=False)
    except ValueError:
        raise SettingsError(
            f"The rule {rule.text!r} gives {rule.column!r} a moment that its time zone does not"
            " have: clocks were put forward. Write another."
        ) from None


def _unknown_value_sentence(rule: WrittenRule) -> str:
    return (
        f"The rule {rule.text!r} gives {rule.column!r} a value that the original does not have in "
        "that column. Check its spelling."
    )
