"""Expressions of SQL about one record: ``age >= 18 or marital = 'never married'``.

Their text may come from a project file of somebody else. polars reads files while it parses
(``exists(select * from read_csv('x'))``), so a text is taken apart before polars sees it: only
columns, numbers, texts in quotes, operators and the words listed here may stand in it.
"""

import re
from collections.abc import Iterator

import polars as pl

from unveil.errors import InputError, list_names, printable

LONGEST = 1_000  # letters; what is nested deeper than a machine's stack ends the process

WORDS = (
    r"and|or|not|in|is|null|between|like|ilike|case|when|then|else|end|true|false|as|cast|date|time"
    r"|timestamp|interval|integer|int|bigint|double|float|varchar|text|boolean"
)
FUNCTIONS = (
    r"round|abs|ln|log10|exp|sqrt|power|greatest|least|coalesce|nullif|floor|ceil|mod|sign|if|upper"
    r"|lower|length|starts_with|ends_with|cast"
)
BEFORE_BRACKETS = r"and|or|not|in|when|then|else|between|like|case"
RESERVED = (
    r"select|from|exists|with|values|table|union|intersect|except|over|window|unnest|any|all|some"
    r"|array|map|struct|lateral|qualify|having|group|order|limit|filter|distinct"
)
TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?!\w))
    | (?P<word>[^\W\d]\w*(?!['"`\w]))
    | (?P<text>'(?:[^'\\]|'')*'(?!['"`\w]))
    | (?P<name>"[^"\\]+"(?!['"`\w])|`[^`\\]+`(?!['"`\w]))
    | (?P<operator><=|>=|<>|!=|\|\||-(?!-)|/(?!\*)|[+*%=<>(),])
    )""",
    re.VERBOSE,
)


def expression(text: str, frame: pl.DataFrame) -> pl.Expr:
    """What a text means, tried on the frame; no fault quotes a value of the data."""
    about = f"The expression {printable(text[:80])!r}"
    if fault := next(_faults(text, frame), ""):
        raise InputError(f"{about} {fault}")
    try:
        parsed = pl.sql_expr(text)
        names = parsed.meta.root_names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError(f"{about} is no expression of SQL.") from None
    if not names or "*" in names:
        raise InputError(f"{about} names no column.")
    if unknown := [name for name in names if name not in frame.columns]:
        raise InputError(f"{about} names {list_names(unknown)}, which is no column.")
    try:
        result = frame.select(parsed)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError):
        kinds = ", ".join(f"{name!r} ({frame.schema[name]})" for name in dict.fromkeys(names))
        raise InputError(f"{about} cannot be computed from {printable(kinds)}.") from None
    if result.shape != (len(frame), 1):
        raise InputError(f"{about} is not about one record.")
    return parsed


def evaluate(text: str, frame: pl.DataFrame) -> pl.Series:
    """Its value of each record, whole numbers taken as decimals; 1 / 0 is missing."""
    decimals = frame.with_columns(pl.selectors.integer().cast(pl.Float64))
    values = decimals.select(expression(text, decimals)).to_series()
    if not values.dtype.is_numeric():
        return values
    values = values.cast(pl.Float64)
    return values.set(~values.is_finite().fill_null(True), None)


def _faults(text: str, frame: pl.DataFrame) -> Iterator[str]:
    """Why a text is refused before polars sees it."""
    if len(text) > LONGEST:
        yield f"has more than {LONGEST:,} letters."
    place, kind, before, length = 0, "", "", len(text.rstrip())
    while place < length:
        token = TOKEN.match(text, place)
        if token is None:
            yield f"cannot be read from letter {place + 1} on."
            return
        previous, place = kind, token.end()
        kind = token.lastgroup or ""
        part = token[kind]
        word = part.lower() if kind == "word" else ""
        is_column = part in frame.columns and not re.fullmatch(RESERVED, word)
        if word and not re.fullmatch(f"{WORDS}|{FUNCTIONS}", word) and not is_column:
            yield f"has the word {part!r}, which is no column and no known function."
        is_called = part == "(" and previous in ("word", "name")
        if is_called and not re.fullmatch(f"{FUNCTIONS}|{BEFORE_BRACKETS}", before):
            yield "calls what is no known function."
        follows_nothing = previous in ("", "operator") or re.fullmatch(WORDS, before)
        if part == "*" and follows_nothing and before != ")":
            yield "is not about one record."
        before = word or part
