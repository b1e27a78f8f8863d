"""A small language for rules and derived columns: what does a text of it say?

It knows numbers, text, dates, columns, comparisons, and, or, not, arithmetic and a few functions,
and nothing else: no text of a user is ever run as a program.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Never

from unveil.errors import SettingsError, quote_text
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
    Missing,
    Negative,
    Not,
    Number,
    Stamp,
    Text,
    Value,
)

# Which words, numbers and signs does a rule or a formula consist of?


Kind = Literal["stamp", "number", "text", "column", "word", "keyword", "sign", "end"]

LONGEST = 10_000
"""Characters of a rule; what is longer is no rule that a person wrote."""

KEYWORDS = ("if", "then", "and", "or", "not", "in", "is", "missing")

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<stamp>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?(?![\w.])
             |\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?![\w.]))
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<text>"(?:[^"]|"")*"|'(?:[^']|'')*')
    |`(?P<column>[^`]+)`
    |(?P<word>[^\W\d][\w.$\#@]*)
    |(?P<sign>\*\*|<=|>=|!=|<>|==|[-+*/^=<>(),])
    )""",
    re.VERBOSE,
)
_SAME_SIGN = {"**": "^", "<>": "!=", "==": "="}


@dataclass(frozen=True)
class Token:
    """A piece of a rule: what it is, what it says, and where it stands."""

    kind: Kind
    text: str
    at: int


def tokens(text: str, what: str) -> tuple[Token, ...]:
    """The pieces of a rule or formula, the last of them its end."""
    if len(text) > LONGEST:
        raise SettingsError(f"{what} is longer than {LONGEST:,} characters. Write several.")
    return tuple(_pieces(text, what))


def _pieces(text: str, what: str) -> Iterator[Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise SettingsError(
                f"{what} cannot be read from {quote_text(text[at:].strip())} on. Put text in "
                "quotes,"
                " and a column whose name has blanks or signs in `backticks`."
            )
        yield _token(found)
        at = found.end()
    yield Token("end", "", end)


def _token(found: re.Match[str]) -> Token:
    kind, said, at = found.lastgroup, found[found.lastgroup or ""], found.start()
    if kind == "text":
        mark = said[0]
        return Token("text", said[1:-1].replace(mark * 2, mark), at)
    if kind == "word" and said.lower() in KEYWORDS:
        return Token("keyword", said, at)
    if kind == "sign":
        return Token("sign", _SAME_SIGN.get(said, said), at)
    return Token(kind, said, at)  # type: ignore[arg-type]


# Where in a rule or formula are we, what comes next, and what is said when it does not fit?


DEEPEST = 40
"""Brackets inside brackets, and terms in a row; beyond, it is no formula that a person wrote."""

Part = Callable[[], Expression]
"""Reads one part of a text."""

RULE = "Example: if age < 16 then marital = SINGLE."
FORMULA = "Example: weight / (height / 100) ^ 2."
CONDITION = "Example: age >= 18 and sex = F."


class Cursor:
    """Goes through the tokens of one text, from left to right, once."""

    def __init__(self, text: str, what: str, example: str) -> None:
        self._text, self._what, self._example = text, what, example
        self._tokens = tokens(text, what)
        self._place = self._depth = 0

    def _inside(self, part: Part) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"more than {DEEPEST} brackets and signs inside one another")
        made = part()
        self._depth -= 1
        return made

    def _peek(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._tokens[self._place]
        if token.kind != "end":
            self._place += 1
        return token

    def _take_token(self, *said: str) -> str | None:
        """The next keyword or sign, taken, if it is one of these."""
        token = self._peek()
        if token.kind not in ("keyword", "sign") or token.text.lower() not in said:
            return None
        self._place += 1
        return token.text.lower()

    def _takes(self, said: str) -> bool:
        return self._take_token(said) is not None

    def _end(self) -> None:
        if self._peek().kind != "end":
            self._fail("its end is wanted here; put text of several words in quotes")

    def _fail(self, why: str, token: Token | None = None) -> Never:
        rest = self._text[(token or self._peek()).at :].strip()
        where = f"At {quote_text(rest)}" if rest else "At its end"
        raise SettingsError(f"{self._what} cannot be read. {where}: {why}. {self._example}")


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
    return _TokenReader(text, f"The rule {quote_text(text)}", RULE).rule()


def parse_formula(text: str, what: str) -> Expression:
    """What a formula says: "weight / (height / 100) ^ 2"."""
    return _TokenReader(text, what, FORMULA).formula()


def parse_condition(text: str, what: str) -> Expression:
    """What a condition says: "age >= 18 and sex = F"; whether it is one is seen when resolved."""
    return _TokenReader(text, what, CONDITION).formula()


def stamp(text: str) -> Stamp:
    """A date, moment or time as written."""
    kind: Literal["date", "moment", "time"] = "moment" if len(text) > 10 else "date"
    return Stamp(text, "time" if text[2:3] == ":" else kind)


def _between(fewest: int, most: int) -> str:
    if fewest == most:
        return f"{most} argument{'s' if most > 1 else ''}"
    return f"{fewest} to {most} arguments"


class _TokenReader(Cursor):
    """What the tokens of one text say, read from left to right, once."""

    def rule(self) -> Consequence:
        if not self._takes("if"):
            self._fail("if is wanted here")
        condition = self._either()
        if not self._takes("then"):
            self._fail("then is wanted here")
        column = self._next()
        if column.kind not in ("word", "column", "text"):
            self._fail("the column that the rule determines is expected here", column)
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
        return self._parse_comparison(left)

    def _parse_comparison(self, left: Expression) -> Expression:
        sign = self._take_token("=", "!=", "<", "<=", ">", ">=")
        if sign is None:
            return left
        right = Missing() if self._takes("missing") else self._sum()
        if self._take_token("=", "!=", "<", "<=", ">", ">=") is not None:
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
        return self._chain(("*", "/"), self._parse_sign)

    def _chain(self, signs: tuple[str, ...], part: Part) -> Expression:
        made, length = part(), 0
        while (sign := self._take_token(*signs)) is not None:
            length += 1
            if length > DEEPEST:
                self._fail(f"more than {DEEPEST} terms in a row")
            made = Arithmetic(sign, made, part())  # type: ignore[arg-type]
        return made

    def _parse_sign(self) -> Expression:
        if self._takes("-"):
            operand = self._inside(self._parse_sign)
            if isinstance(operand, Number):
                return Number(-operand.value, f"-{operand.text}")
            return Negative(operand)
        return self._inside(self._parse_sign) if self._takes("+") else self._power()

    def _power(self) -> Expression:
        base = self._atom()
        return Arithmetic("^", base, self._inside(self._parse_sign)) if self._takes("^") else base

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
        return ColumnRef(token.text) if token.kind == "column" else Text(token.text)

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
