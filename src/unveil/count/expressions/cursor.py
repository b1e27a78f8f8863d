"""Where in a rule or formula are we, what comes next, and what is said when it does not fit?"""

from collections.abc import Callable
from typing import Never

from unveil.count.expressions.nodes import Expression
from unveil.count.expressions.tokens import Token, tokens
from unveil.errors import SettingsError, quoted

DEEPEST = 40
"""Brackets inside brackets, and terms in a row; beyond, it is no formula that somebody wrote."""

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

    def _taken(self, *said: str) -> str | None:
        """The next keyword or sign, taken, if it is one of these."""
        token = self._peek()
        if token.kind not in ("keyword", "sign") or token.text.lower() not in said:
            return None
        self._place += 1
        return token.text.lower()

    def _takes(self, said: str) -> bool:
        return self._taken(said) is not None

    def _end(self) -> None:
        if self._peek().kind != "end":
            self._fail("its end is wanted here; put text of several words in quotes")

    def _fail(self, why: str, token: Token | None = None) -> Never:
        rest = self._text[(token or self._peek()).at :].strip()
        where = f"At {quoted(rest)}" if rest else "At its end"
        raise SettingsError(f"{self._what} cannot be read. {where}: {why}. {self._example}")
