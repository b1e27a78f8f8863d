"""What must a rule and a derived column be able to do, for columns to be made by them?"""

from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.errors import SettingsError
from unveil.models.design import ColumnValues, ModelColumn
from unveil.synthesis.split_columns import to_numbers


class Written(Protocol):
    """What settles a column by others."""

    @property
    def text(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def column(self) -> str:
        """The column that it settles."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it looks at."""
        ...


class Rule(Written, Protocol):
    """Rows that meet a condition have one value in a column: no child under 16 is married."""

    @property
    def value(self) -> Any:
        """The value in rows that meet it; None is missing."""
        ...

    def rows(self, frame: pl.DataFrame) -> pl.Series:
        """Which rows meet the condition: truth values, none of them missing."""
        ...


class Derived(Written, Protocol):
    """A column that follows from others: weight / (height / 100) ** 2."""

    def values(self, frame: pl.DataFrame) -> pl.Series:
        """The column, for every row of the frame."""
        ...


def apply_rule(part: ColumnValues, rows: NDArray[np.bool_], rule: Rule) -> ColumnValues:
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


def code_of(column: ModelColumn, rule: Rule) -> int:
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


def _check_other_than_fixed(column: ModelColumn, rule: Rule) -> None:
    """A column with one value, or none, can be given no other."""
    if column.kind == "constant":
        code_of(column, rule)
    elif rule.value is not None:
        raise SettingsError(_unknown_value_sentence(rule))


def state_of(column: ModelColumn, rule: Rule) -> tuple[int, float | int]:
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


def _cast_value(rule: Rule, dtype: pl.DataType) -> pl.Series:
    """The value of a rule in the type of its column; nothing where it has no place there."""
    try:
        return pl.Series([rule.value]).cast(dtype, strict=False)
    except ValueError:
        raise SettingsError(
            f"The rule {rule.text!r} gives {rule.column!r} a moment that its time zone does not"
            " have: clocks were put forward. Write another."
        ) from None


def _unknown_value_sentence(rule: Rule) -> str:
    return (
        f"The rule {rule.text!r} gives {rule.column!r} a value that the original does not have in "
        "that column. Check its spelling."
    )
