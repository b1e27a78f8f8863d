"""What does the formula of a regression say: an outcome, and terms that may be products?

"income ~ age + age^2 + sex + age:sex"; a*b stands for a + b + a:b, C(region) takes numbers as
levels, and the outcome may be a condition: "health = poor ~ age".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Never

from unveil.errors import SettingsError, quote_text
from unveil.expressions.nodes import ColumnRef, Expression, Text
from unveil.expressions.parse import parse_condition

EXAMPLE = "Example: income ~ age + sex + age:sex."
MOST_TERMS = 200
MOST_FACTORS = 4
LARGEST_POWER = 9

_PIECE = re.compile(
    r"""\s*(?:`(?P<column>[^`]+)`|(?P<word>[^\W\d][\w.$\#@]*)|(?P<number>\d+)(?![\w.])
    |(?P<sign>\*\*|[-+:*^()]))""",
    re.VERBOSE,
)
_OUTSIDE = re.compile(r"""`[^`]*`|"[^"]*"|'[^']*'|(?P<tilde>~)""")


@dataclass(frozen=True)
class TermFactor:
    """A column in a term: as it is, to a power, or as levels."""

    name: str
    power: int = 1
    is_levels: bool = False


Term = tuple[TermFactor, ...]


@dataclass(frozen=True)
class Formula:
    """An outcome (a column, or a condition) and the terms it is regressed on.

    Terms of few columns come first, as R has them: products stand behind what they are made of.
    """

    text: str
    outcome: str | Expression
    terms: tuple[Term, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the terms, each once."""
        return tuple(dict.fromkeys(factor.name for term in self.terms for factor in term))

    def is_compared(self, term: Term, factor: TermFactor) -> bool:
        """Whether levels of a factor are compared with the first in a term, as R codes them.

        They are where a term before this one, or the intercept, has all of its other factors; where
        none has, nothing else says what the first level does, and every level has a column.
        """
        others = {*term} - {factor}
        before = self.terms[: self.terms.index(term)]
        return not others or any(others <= {*earlier} for earlier in before)


def parse_regression(text: str, what: str) -> Formula:
    """What a formula says, or a refusal that tells where it cannot be read."""
    marks = [found.start() for found in _OUTSIDE.finditer(text) if found["tilde"]]
    if len(marks) != 1:
        why = "it has no ~" if not marks else "it has more than one ~"
        raise SettingsError(f"{what} cannot be read: {why}. {EXAMPLE}")
    left, right = text[: marks[0]], text[marks[0] + 1 :]
    outcome = parse_condition(left, what)
    if isinstance(outcome, Text) and outcome.is_bare:
        return Formula(text, outcome.value, _Terms(right, what).read())
    if isinstance(outcome, ColumnRef):
        return Formula(text, outcome.name, _Terms(right, what).read())
    return Formula(text, outcome, _Terms(right, what).read())


class _Terms:
    """Reads the right side of a formula, from left to right, once."""

    def __init__(self, text: str, what: str) -> None:
        self._text, self._what = text, what
        self._pieces = list(self._split())
        self._place = 0

    def read(self) -> tuple[Term, ...]:
        terms = [*self._sum()]
        while self._takes("+"):
            terms += self._sum()
        if self._place < len(self._pieces):
            self._fail("+, : or * is wanted here; there is always an intercept")
        if len(terms) > MOST_TERMS:
            raise SettingsError(f"{self._what} has more than {MOST_TERMS} terms.")
        first: dict[frozenset[TermFactor], Term] = {}
        for term in terms:
            first.setdefault(frozenset(term), term)
        return tuple(sorted(first.values(), key=len))

    def _split(self) -> Iterator[tuple[str, str, int]]:
        at, end = 0, len(self._text.rstrip())
        while at < end:
            found = _PIECE.match(self._text, at)
            if found is None or found.lastgroup is None:
                self._fail("a column, +, : or * is wanted here", at)
            said = found[found.lastgroup]
            yield found.lastgroup, "^" if said == "**" else said, found.start()
            at = found.end()

    def _sum(self) -> list[Term]:
        """One summand: 1, or columns with : or * between them."""
        if self._peek() == ("number", "1"):
            self._place += 1
            return []
        parts = [self._product()]
        while self._takes("*"):
            parts.append(self._product())
        if len({factor for part in parts for factor in part}) > MOST_FACTORS:
            self._fail(f"a product has at most {MOST_FACTORS} columns", self._at() - 1)
        sizes = range(1, len(parts) + 1)
        chosen = [some for size in sizes for some in combinations(parts, size)]
        return [tuple(dict.fromkeys(factor for part in some for factor in part)) for some in chosen]

    def _product(self) -> Term:
        factors = [self._factor()]
        while self._takes(":"):
            factors.append(self._factor())
        return tuple(dict.fromkeys(factors))

    def _factor(self) -> TermFactor:
        kind, said = self._peek()
        if kind not in ("column", "word"):
            self._fail("a column is wanted here")
        self._place += 1
        if kind == "word" and self._peek() == ("sign", "("):
            return self._levels(said)
        if not self._takes("^"):
            return TermFactor(said)
        kind, power = self._peek()
        if kind != "number" or not 1 <= int(power[:3]) <= LARGEST_POWER:
            self._fail(f"a power from 1 to {LARGEST_POWER} is wanted here")
        self._place += 1
        return TermFactor(said, int(power))

    def _levels(self, function: str) -> TermFactor:
        if function != "C":
            self._place -= 1
            self._fail(f"there is no function {function} in a regression; only C(column)")
        self._place += 1
        kind, name = self._peek()
        if kind not in ("column", "word"):
            self._fail("a column is wanted here")
        self._place += 1
        if not self._takes(")"):
            self._fail("a closing bracket is wanted here")
        return TermFactor(name, is_levels=True)

    def _peek(self) -> tuple[str, str]:
        if self._place >= len(self._pieces):
            return "end", ""
        return self._pieces[self._place][:2]

    def _takes(self, sign: str) -> bool:
        is_there = self._peek() == ("sign", sign)
        self._place += is_there
        return is_there

    def _at(self) -> int:
        return self._pieces[self._place][2] if self._place < len(self._pieces) else len(self._text)

    def _fail(self, why: str, at: int | None = None) -> Never:
        rest = self._text[self._at() if at is None else at :].strip()
        where = f"At {quote_text(rest)}" if rest else "At its end"
        raise SettingsError(f"{self._what} cannot be read. {where}: {why}. {EXAMPLE}")
