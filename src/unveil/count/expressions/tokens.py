"""Which words, numbers and signs does a rule or a formula consist of?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from unveil.errors import SettingsError, quoted

Kind = Literal["stamp", "number", "text", "column", "word", "keyword", "sign", "end"]

LONGEST = 10_000
"""Characters of a rule; what is longer is no rule that somebody wrote."""

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
                f"{what} cannot be read from {quoted(text[at:].strip())} on. Put text in quotes,"
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
