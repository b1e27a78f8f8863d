"""A small language for rules and derived columns: what does a text of it say?

It knows numbers, text, dates, columns, comparisons, and, or, not, arithmetic and a few functions,
and nothing else: no text of a user is ever run as a program.
"""

from dataclasses import dataclass
from typing import Literal

from unveil.count.expressions.cursor import CONDITION, DEEPEST, FORMULA, RULE, Cursor, Part
from unveil.count.expressions.nodes import (
    Absent,
    Among,
    Arithmetic,
    Both,
    Call,
    Column,
    Compare,
    Either,
    Expression,
    Missing,
    Negative,
    Not,
    Number,
    Stamp,
    Text,
    Value,
)
from unveil.count.expressions.tokens import Token
from unveil.errors import quoted

FUNCTIONS = {"round": (1, 2), "min": (2, 40), "max": (2, 40), "abs": (1, 1), "log": (1, 1)}
FUNCTIONS |= {"exp": (1, 1), "if": (3, 3)}
"""Each function, and the fewest and most arguments it takes."""


@dataclass(frozen=True)
class Consequence:
    """A rule as written: the condition, the column it settles, and the value."""

    condition: Expression
    column: str
    value: Value


def parse_rule(text: str) -> Consequence:
    """What a rule says: "if age < 16 then marital = SINGLE"."""
    return _Reader(text, f"The rule {quoted(text)}", RULE).rule()


def parse_formula(text: str, what: str) -> Expression:
    """What a formula says: "weight / (height / 100) ^ 2"."""
    return _Reader(text, what, FORMULA).formula()


def parse_condition(text: str, what: str) -> Expression:
    """What a condition says: "age >= 18 and sex = F"; whether it is one is seen when resolved."""
    return _Reader(text, what, CONDITION).formula()


def stamp(text: str) -> Stamp:
    """A date, moment or time as written."""
    kind: Literal["date", "moment", "time"] = "moment" if len(text) > 10 else "date"
    return Stamp(text, "time" if text[2:3] == ":" else kind)


def _between(fewest: int, most: int) -> str:
    if fewest == most:
        return f"{most} argument{'s' if most > 1 else ''}"
    return f"{fewest} to {most} arguments"


class _Reader(Cursor):
    """What the tokens of one text say, read from left to right, once."""

    def rule(self) -> Consequence:
        if not self._takes("if"):
            self._fail("if is wanted here")
        condition = self._either()
        if not self._takes("then"):
            self._fail("then is wanted here")
        column = self._next()
        if column.kind not in ("word", "column", "text"):
            self._fail("the column that the rule settles is wanted here", column)
        if not self._takes("="):
            self._fail("= and the value are wanted here")
        value = self._value()
        self._end()
        return Consequence(condition, column.text, value)

    def formula(self) -> Expression:
        made = self._either()
        self._end()
        return made

    def _either(self) -> Expression:
        parts = [self._both()]
        while self._takes("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Expression:
        parts = [self._condition()]
        while self._takes("and"):
            parts.append(self._condition())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _condition(self) -> Expression:
        if self._takes("not"):
            return Not(self._inside(self._condition))
        left = self._sum()
        if self._takes("is"):
            is_not = self._takes("not")
            if not self._takes("missing"):
                self._fail("missing is wanted here")
            return Not(Absent(left)) if is_not else Absent(left)
        if self._takes("not"):
            if not self._takes("in"):
                self._fail("in is wanted here")
            return Not(Among(left, self._members()))
        if self._takes("in"):
            return Among(left, self._members())
        return self._compared(left)

    def _compared(self, left: Expression) -> Expression:
        sign = self._taken("=", "!=", "<", "<=", ">", ">=")
        if sign is None:
            return left
        right = Missing() if self._takes("missing") else self._sum()
        if self._taken("=", "!=", "<", "<=", ">", ">=") is not None:
            self._place -= 1
            self._fail("one comparison at a time: write 16 <= age and age < 65")
        if not isinstance(right, Missing):
            return Compare(sign, left, right)  # type: ignore[arg-type]
        if sign not in ("=", "!="):
            self._fail("missing has no order: write is missing")
        return Absent(left) if sign == "=" else Not(Absent(left))

    def _members(self) -> tuple[Expression, ...]:
        if not self._takes("("):
            self._fail("a list in brackets is wanted here, such as (1, 2)")
        members: list[Expression] = [self._value()]
        while self._takes(","):
            members.append(self._value())
        if not self._takes(")"):
            self._fail("a comma or the end of the list is wanted here")
        return tuple(members)

    def _value(self) -> Value:
        """One value: never a column."""
        if self._takes("missing"):
            return Missing()
        is_negative = self._takes("-")
        token = self._next()
        if token.kind == "number":
            number = self._number(token)
            return Number(-number.value, f"-{number.text}") if is_negative else number
        if is_negative or token.kind not in ("text", "word", "stamp"):
            self._fail("a value is wanted here; put text in quotes", token)
        if token.kind == "stamp":
            return stamp(token.text)
        return Text(token.text, is_bare=token.kind == "word")

    def _sum(self) -> Expression:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Expression:
        return self._chain(("*", "/"), self._signed)

    def _chain(self, signs: tuple[str, ...], part: Part) -> Expression:
        made, length = part(), 0
        while (sign := self._taken(*signs)) is not None:
            length += 1
            if length > DEEPEST:
                self._fail(f"more than {DEEPEST} terms in a row")
            made = Arithmetic(sign, made, part())  # type: ignore[arg-type]
        return made

    def _signed(self) -> Expression:
        if self._takes("-"):
            operand = self._inside(self._signed)
            if isinstance(operand, Number):
                return Number(-operand.value, f"-{operand.text}")
            return Negative(operand)
        return self._inside(self._signed) if self._takes("+") else self._power()

    def _power(self) -> Expression:
        base = self._atom()
        return Arithmetic("^", base, self._inside(self._signed)) if self._takes("^") else base

    def _atom(self) -> Expression:
        token = self._next()
        if token.kind in ("number", "text", "stamp", "column"):
            return self._plain(token)
        if token.kind == "sign" and token.text == "(":
            made = self._inside(self._either)
            if not self._takes(")"):
                self._fail("a closing bracket is wanted here")
            return made
        is_call = self._peek().text == "(" and self._peek().kind == "sign"
        if is_call and token.text.lower() in FUNCTIONS:
            return self._call(token)
        if token.kind != "word":
            self._fail("a column, a number or text is wanted here", token)
        if is_call:
            self._fail(f"there is no such function; there are {', '.join(FUNCTIONS)}", token)
        return Text(token.text, is_bare=True)

    def _plain(self, token: Token) -> Expression:
        if token.kind == "number":
            return self._number(token)
        if token.kind == "stamp":
            return stamp(token.text)
        return Column(token.text) if token.kind == "column" else Text(token.text)

    def _call(self, token: Token) -> Expression:
        self._next()
        arguments = [self._inside(self._either)]
        while self._takes(","):
            arguments.append(self._inside(self._either))
        if not self._takes(")"):
            self._fail("a comma or a closing bracket is wanted here")
        fewest, most = FUNCTIONS[token.text.lower()]
        if not fewest <= len(arguments) <= most:
            self._fail(f"{token.text} takes {_between(fewest, most)}", token)
        return Call(token.text.lower(), tuple(arguments))

    def _number(self, token: Token) -> Number:
        is_whole = token.text.isdigit() and len(token.text) <= 18
        value = int(token.text) if is_whole else float(token.text)
        if value == float("inf"):
            self._fail("a number is too large", token)
        return Number(value, token.text)
