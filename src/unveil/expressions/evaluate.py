"""Expressions as polars computes them, and values as Python holds them."""

import datetime as dt
import re
from functools import reduce
from operator import add, mul, sub, truediv
from typing import Any

import polars as pl

from unveil.errors import InternalError
from unveil.expressions.nodes import (
    Absent,
    Among,
    Arithmetic,
    Both,
    Call,
    ColumnRef,
    Compare,
    Either,
    Expression,
    Kind,
    Missing,
    Negative,
    Not,
    Number,
    Stamp,
    Text,
    Truth,
    Value,
)

_SIGNS: dict[str, Any] = {
    "=": pl.Expr.eq,
    "!=": pl.Expr.ne,
    "<": pl.Expr.lt,
    "<=": pl.Expr.le,
    ">": pl.Expr.gt,
    ">=": pl.Expr.ge,
}
_ARITHMETIC: dict[str, Any] = {"+": add, "-": sub, "*": mul, "/": truediv, "^": pl.Expr.pow}


def read_stamp(text: str, kind: Kind) -> Stamp | None:
    """A date, moment or time of that kind; None where the text is none."""
    try:
        if kind == "moment":
            return Stamp(dt.datetime.fromisoformat(text).replace(tzinfo=None).isoformat(), kind)
        if kind == "date":
            return Stamp(dt.date.fromisoformat(text).isoformat(), kind)
        if kind == "time":
            return Stamp(dt.time.fromisoformat(text).replace(tzinfo=None).isoformat(), kind)
    except ValueError:
        return None
    return None


def plain(value: Value) -> Any:
    """A value as Python holds it."""
    match value:
        case Stamp(kind="moment"):
            return dt.datetime.fromisoformat(value.text)
        case Stamp(kind="time"):
            return dt.time.fromisoformat(value.text)
        case Stamp():
            return dt.date.fromisoformat(value.text)
        case Missing():
            return None
    return value.value


def needs_of(given: Expression) -> tuple[str, ...]:
    """The columns that an expression names, each once."""
    if isinstance(given, ColumnRef):
        return (given.name,)
    return tuple(dict.fromkeys(name for part in parts_of(given) for name in needs_of(part)))


def parts_of(given: Expression) -> tuple[Expression, ...]:
    """What an expression is made of."""
    match given:
        case Both() | Either():
            return given.parts
        case Not() | Absent() | Negative():
            return (given.operand,)
        case Compare() | Arithmetic():
            return (given.left, given.right)
        case Among():
            return (given.operand, *given.members)
        case Call():
            return given.arguments
    return ()


def evaluate_condition(given: Expression) -> pl.Expr:
    """Which rows meet a condition; one that cannot be told for a missing value is not met."""
    return evaluate(given).fill_null(value=False)


def evaluate(given: Expression) -> pl.Expr:
    """An expression as polars computes it, in every row; null where a value is missing."""
    match given:
        case Both() | Either():
            together = pl.all_horizontal if isinstance(given, Both) else pl.any_horizontal
            return together([evaluate(part) for part in given.parts])
        case Not():
            return ~evaluate(given.operand)
        case Absent():
            return _raw(given.operand).is_null()
        case Compare():
            return _evaluate_comparison(given)
        case Among():
            hits = [_raw(given.operand) == _raw(member) for member in given.members]
            return pl.any_horizontal(hits) if hits else pl.lit(value=False)
    return _amount(given)


def _evaluate_comparison(given: Compare) -> pl.Expr:
    """Equality takes special codes as they are; an order has no place for them."""
    side = _raw if given.sign in ("=", "!=") else evaluate
    made: pl.Expr = _SIGNS[given.sign](side(given.left), side(given.right))
    return made


def _raw(given: Expression) -> pl.Expr:
    """A column with its special codes as they are; anything else as computed."""
    if not isinstance(given, ColumnRef):
        return evaluate(given)
    column = pl.col(_exact(given.name))
    if given.kind == "text" and not given.is_ordered:
        return column.cast(pl.String)
    return column.dt.replace_time_zone(None) if given.is_zoned else column


def _exact(name: str) -> str:
    """The name of a column, which polars must not take for a pattern of names."""
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"^{re.escape(name)}$" if is_pattern else name


def _amount(given: Expression) -> pl.Expr:
    match given:
        case ColumnRef():
            return _without_codes(_raw(given), given)
        case Number() | Text() | Stamp() | Truth():
            return pl.lit(plain(given))
        case Missing():
            return pl.lit(None)
        case Negative():
            return -_float(given.operand)
        case Arithmetic():
            return _arithmetic(given)
        case Call():
            return _evaluate_function(given)
    raise InternalError(f"An expression holds a {type(given).__name__}.")


def _without_codes(column: pl.Expr, node: ColumnRef) -> pl.Expr:
    """The column with nothing where a number is no amount: -8 is not below 16."""
    for span in node.apart:
        low = pl.lit(value=True) if span.lo is None else column >= span.lo
        high = pl.lit(value=True) if span.hi is None else column <= span.hi
        column = pl.when(~(low & high)).then(column)
    return column


def _float(given: Expression) -> pl.Expr:
    return evaluate(given).cast(pl.Float64)


def _arithmetic(given: Arithmetic) -> pl.Expr:
    kinds = [_is_date(side) for side in (given.left, given.right)]
    if all(kinds):
        days = (evaluate(given.left) - evaluate(given.right)).dt.total_days()
        return days.cast(pl.Float64)
    if kinds[0]:
        days = _float(given.right).round().cast(pl.Int64)
        shift = pl.duration(days=days if given.sign == "+" else -days)
        return (evaluate(given.left) + shift).cast(pl.Date)
    made: pl.Expr = _ARITHMETIC[given.sign](_float(given.left), _float(given.right))
    return _finite(made)


def _is_date(given: Expression) -> bool:
    match given:
        case ColumnRef(kind="date") | Stamp(kind="date"):
            return True
        case Arithmetic():
            return _is_date(given.left) and not _is_date(given.right)
        case Call(function="if"):
            return any(_is_date(part) for part in given.arguments[1:])
    return False


def _finite(number: pl.Expr) -> pl.Expr:
    """A number, or missing where there is none: divided by 0, or the logarithm of -1."""
    return pl.when(number.is_finite()).then(number)


def _evaluate_function(given: Call) -> pl.Expr:
    if given.function == "if":
        condition, one, two = map(evaluate, given.arguments)
        is_known = condition.is_not_null()
        return pl.when(is_known & condition).then(one).when(is_known).then(two)
    arguments = [_float(part) for part in given.arguments]
    match given.function:
        case "round":
            return _round_half_away(arguments[0], given.arguments[1:])
        case "abs":
            return arguments[0].abs()
        case "log":
            return _finite(arguments[0].log())
        case "exp":
            return _finite(arguments[0].exp())
    chosen = pl.min_horizontal if given.function == "min" else pl.max_horizontal
    is_whole = reduce(lambda a, b: a & b, [part.is_not_null() for part in arguments])
    return pl.when(is_whole).then(chosen(arguments))


def _round_half_away(number: pl.Expr, digits: tuple[Expression, ...]) -> pl.Expr:
    """Rounded, halves away from 0; negative digits round to tens and hundreds."""
    places = int(digits[0].value) if digits and isinstance(digits[0], Number) else 0
    if places >= 0:
        return number.round(places, mode="half_away_from_zero")
    scale = 10.0**-places
    return (number / scale).round(0, mode="half_away_from_zero") * scale
