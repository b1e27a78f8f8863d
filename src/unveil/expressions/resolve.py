"""Do the words of a rule or formula fit the columns: which are columns, which levels, which types?

What comes out names columns by their kind and levels by their codes, and can be computed anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Never

import polars as pl

from unveil.arguments import FEW_LEVELS, MOST_COMPARED, REAL_FILE, absent_sentence
from unveil.errors import RolesError, SettingsError, hint_at, quote_text
from unveil.expressions.evaluate import read_stamp
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
    Span,
    Stamp,
    Text,
    Truth,
    Value,
)
from unveil.io.code_meanings import kind_of
from unveil.io.numbers import TAGS
from unveil.io.table import Table
from unveil.records.codebook import Variable

# What do rules know of the columns they name: their types, levels, labels and special codes?


_FEWEST = 5
"""People who must share a level before a sentence may quote it."""


@dataclass(frozen=True)
class ScopeColumn:
    """A column of the original, as rules see it."""

    series: pl.Series
    variable: Variable | None
    apart: tuple[float, ...]  # special codes that the user named
    is_coded: bool  # whether its values are levels, whatever their type

    @property
    def kind(self) -> Kind:
        """What it holds."""
        kind = kind_of(self.series.dtype)
        # A span of time is no time of day, and cannot be written in a rule.
        return "empty" if kind == "unknown" or self.series.dtype == pl.Duration else kind

    def node(self) -> ColumnRef:
        """The column in an expression."""
        dtype = self.series.dtype
        return ColumnRef(
            self.series.name,
            self.kind,
            self._spans(),
            is_ordered=isinstance(dtype, pl.Enum),
            is_zoned=isinstance(dtype, pl.Datetime) and dtype.time_zone is not None,
        )

    def has(self, value: Any) -> bool:
        """Whether a person has the value."""
        return bool((self.texts == value).any())

    @cached_property
    def texts(self) -> pl.Series:
        """Its values, categories as text."""
        return self.series.cast(pl.String) if self.kind == "text" else self.series

    @property
    def has_labels(self) -> bool:
        """Whether its values are levels, or some of them have labels."""
        return self.is_coded or bool(self.variable is not None and self.variable.levels)

    def codes_of(self, label: str) -> list[Any]:
        """The codes that the codebook gives a label to, of those that a person has."""
        if self.variable is None or self.kind not in ("number", "text"):
            return []
        codes = [TAGS.get(str(x.code), x.code) for x in self.variable.levels if x.label == label]
        wanted = str if self.kind == "text" else (int, float)
        return [code for code in codes if isinstance(code, wanted) and self.has(code)]

    def hint(self, level: str) -> str:
        """The level or label next to what the user typed; never one that few people have."""
        labels = [] if self.variable is None else [known.label for known in self.variable.levels]
        others = [text for text in (*self._shared_levels(), *labels) if text != level]
        return hint_at(level, others)

    def _shared_levels(self) -> list[str]:
        n_levels = self.series.n_unique()
        is_telling = self.kind != "text" or n_levels > max(FEW_LEVELS, len(self.series) // 10)
        if is_telling or n_levels > MOST_COMPARED:
            return []
        least = _FEWEST if len(self.series) >= REAL_FILE else 1
        counts = self.texts.alias("level").drop_nulls().value_counts(sort=True)
        return counts.filter(pl.col("count") >= least)["level"].to_list()

    def _spans(self) -> tuple[Span, ...]:
        """Numbers that are no amounts: named by the user, or declared in the codebook."""
        if self.kind != "number":
            return ()
        codes: list[Any] = list(self.apart)
        spans = []
        if self.variable is not None:
            codes += [TAGS.get(str(code), code) for code in self.variable.missing]
            spans = [Span(span.lo, span.hi) for span in self.variable.missing_ranges]
        numbers = dict.fromkeys(float(code) for code in codes if not isinstance(code, str))
        return (*(Span(number, number) for number in numbers), *spans)


@dataclass(frozen=True)
class Scope:
    """All columns that a rule may name, and what a sentence calls the table."""

    place: str
    columns: Mapping[str, ScopeColumn]

    @classmethod
    def of(
        cls, table: Table, is_coded: Mapping[str, bool], apart: Mapping[str, Sequence[float]]
    ) -> "Scope":
        """The columns of an original, and whether the values of each are levels."""
        book = table.codebook
        return cls(
            table.place,
            {
                name: ScopeColumn(
                    table.frame[name],
                    None if book is None else book.variable(name),
                    tuple(apart.get(name, ())),
                    coded,
                )
                for name, coded in is_coded.items()
            },
        )

    def with_column(self, series: pl.Series) -> "Scope":
        """The same with one column more, which was derived."""
        return Scope(
            self.place, {**self.columns, series.name: ScopeColumn(series, None, (), False)}
        )


# What is said of a value that does not fit its column, and what is wanted instead?


HOLDS: dict[Kind, str] = {
    "number": "numbers",
    "text": "text",
    "truth": "truth values",
    "date": "dates",
    "moment": "moments",
    "time": "times",
    "empty": "no values that can be compared",
}
_WANTED: dict[Kind, str] = {
    "number": "Write a number.",
    "text": "Write a level as in the data.",
    "truth": "Write true or false.",
    "date": "Write a date such as 2001-12-31.",
    "moment": "Write a moment such as 2001-12-31T23:59.",
    "time": "Write a time such as 23:59.",
    "empty": "Only is missing can be asked of it.",
}


def check_value(
    what: str, known: ScopeColumn, given: Value, *, verb: str, columns: Sequence[str]
) -> Never:
    """Refuse a value of another kind than its column; a bare word may be meant for a column."""
    kind = "the number" if isinstance(given, Number) else "the text"
    if isinstance(given, Stamp):
        kind = "the " + given.kind
    hint = ""
    if isinstance(given, Text) and given.is_bare:
        hint = hint_at(given.value, columns)
    join = "with" if verb == "compares" else "the value"
    raise SettingsError(
        f"{what} {verb} {known.series.name!r}, which holds {HOLDS[known.kind]}, {join} {kind}"
        f" {_format_constant(given)}.{hint} {_WANTED[known.kind]}"
    )


def unknown_level_error(what: str, known: ScopeColumn, level: str) -> SettingsError:
    """A level that the original does not have."""
    return SettingsError(
        f"{what.rstrip(',')}: no one has {known.series.name!r} ="
        f" {quote_text(level)}.{known.hint(level)} Write the level as in the data."
    )


def format_node(given: Value) -> str:
    """A value as it was written."""
    match given:
        case Text():
            return given.value
        case Stamp() | Number():
            return given.text
    return ""


def _format_constant(given: Value) -> str:
    return quote_text(given.value) if isinstance(given, Text) else format_node(given)


def describe_node(piece: Expression, kind: Kind) -> str:
    """A piece of an expression in a sentence: a column by name, or what it holds."""
    return f"{piece.name!r} ({HOLDS[kind]})" if isinstance(piece, ColumnRef) else HOLDS[kind]


@dataclass(frozen=True)
class Resolver:
    """Finds the columns and levels of one text; `what` is what a sentence calls it."""

    what: str
    scope: Scope

    def condition(self, given: Expression) -> Expression:
        """A condition, checked."""
        made, kind = self.resolve(given)
        if kind != "truth":
            self._fail("has a value where a condition is wanted, such as age < 16")
        return made

    def resolve(self, given: Expression) -> tuple[Expression, Kind]:
        """An expression with its columns found, and what it holds."""
        match given:
            case Number():
                return given, "number"
            case Stamp():
                return given, self._stamp(given)
            case Text(is_bare=False):
                return given, "text"
            case Text() | ColumnRef():
                made = self.column(given.value if isinstance(given, Text) else given.name)
                return made, made.kind
            case Missing():
                return given, "empty"
        return self._resolve_logic(given)

    def column(self, name: str) -> ColumnRef:
        """A column by its name, or a refusal that names its neighbour."""
        return self.find_column(name).node()

    def find_column(self, name: str) -> ScopeColumn:
        """What is known of a column."""
        if name not in self.scope.columns:
            fault = absent_sentence(self.scope.place, name, tuple(self.scope.columns))
            raise RolesError(f"{self.what.rstrip(',')}: {fault}")
        return self.scope.columns[name]

    def value(self, column: str, given: Value, *, verb: str = "compares") -> tuple[Value, ...]:
        """A value as the column writes it: a level, or the codes of a label."""
        known = self.find_column(column)
        if isinstance(given, Missing):
            return (given,)
        return self._fitting(known, given, verb)

    def _resolve_logic(self, given: Expression) -> tuple[Expression, Kind]:
        match given:
            case Both() | Either():
                return type(given)(tuple(map(self.condition, given.parts))), "truth"
            case Not():
                return Not(self.condition(given.operand)), "truth"
            case Absent():
                return Absent(self.resolve(given.operand)[0]), "truth"
            case Compare():
                return self._resolve_comparison(given), "truth"
            case Among():
                return self._among(given), "truth"
        return self._resolve_computation(given)

    def _resolve_computation(self, given: Expression) -> tuple[Expression, Kind]:
        match given:
            case Negative():
                return Negative(self._number(given.operand)), "number"
            case Arithmetic():
                return self._arithmetic(given)
            case Call(function="if"):
                return self._choice(given)
            case Call(function="round", arguments=(_, digits)):
                is_fit = isinstance(digits, Number) and digits.value in range(-9, 16)
                if not is_fit:
                    self._fail("has round with digits that are not a whole number from -9 to 15")
                return Call("round", (self._number(given.arguments[0]), digits)), "number"
            case Call():
                return Call(given.function, tuple(map(self._number, given.arguments))), "number"
        self._fail("has a true or false where a value is wanted")

    def _resolve_comparison(self, given: Compare) -> Expression:
        left, kind = self.resolve(given.left)
        right = given.right
        if isinstance(right, Text) and right.is_bare and right.value in self.scope.columns:
            right = ColumnRef(right.value)
        if isinstance(left, ColumnRef) and isinstance(right, Number | Text | Stamp):
            return self._with_value(given, left, right)
        made, other = self.resolve(right)
        if isinstance(made, ColumnRef) and isinstance(left, Number | Text | Stamp):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(given.sign, given.sign)
            return self._with_value(Compare(turned, made, left), made, left)  # type: ignore[arg-type]
        self._check_alike(left, kind, made, other)
        self._check_order(given, kind, is_ordered=False)
        return Compare(given.sign, left, made)

    def _with_value(
        self, given: Compare, left: ColumnRef, right: Number | Text | Stamp
    ) -> Expression:
        self._check_order(given, left.kind, is_ordered=left.is_ordered)
        is_equal = given.sign in ("=", "!=")
        known = self.find_column(left.name)
        if not is_equal and left.kind == "text" and isinstance(right, Text):
            if right.value not in known.series.dtype.categories:  # type: ignore[attr-defined]
                raise unknown_level_error(self.what, known, right.value)
            return Compare(given.sign, left, right)
        values = self._fitting(known, right, "compares")
        if len(values) == 1:
            return Compare(given.sign, left, values[0])
        if not is_equal:
            self._fail(f"orders {left.name!r} by a label that several codes have. Write the code")
        return Among(left, values) if given.sign == "=" else Not(Among(left, values))

    def _among(self, given: Among) -> Expression:
        left, kind = self.resolve(given.operand)
        if not isinstance(left, ColumnRef):
            values = [self.resolve(member) for member in given.members]
            if any(other != kind for _, other in values):
                self._fail(f"looks for {HOLDS[kind]} in a list of something else")
            return Among(left, tuple(value for value, _ in values))
        found: list[Expression] = []
        for member in given.members:
            found += self.value(left.name, member)  # type: ignore[arg-type]
        plain = tuple(value for value in found if not isinstance(value, Missing))
        among = Among(left, plain)
        return among if len(plain) == len(found) else Either((among, Absent(left)))

    def _arithmetic(self, given: Arithmetic) -> tuple[Expression, Kind]:
        left, kind = self.resolve(given.left)
        right, other = self.resolve(given.right)
        made = Arithmetic(given.sign, left, right)
        if kind == other == "number":
            return made, "number"
        if given.sign == "-" and kind == other == "date":
            return made, "number"
        if given.sign in "+-" and (kind, other) == ("date", "number"):
            return made, "date"
        for piece, its in ((left, kind), (right, other)):
            if its != "number":
                self._fail(f"computes with {describe_node(piece, its)}, which is not a number")
        raise AssertionError  # one of the two is no number

    def _number(self, given: Expression) -> Expression:
        made, kind = self.resolve(given)
        if kind != "number":
            self._fail(f"computes with {describe_node(made, kind)}, which is not a number")
        return made

    def _choice(self, given: Call) -> tuple[Expression, Kind]:
        condition = self.condition(given.arguments[0])
        one, kind = self.resolve(given.arguments[1])
        two, other = self.resolve(given.arguments[2])
        if kind != other and "empty" not in (kind, other):
            self._fail(f"has an if that gives {HOLDS[kind]} or {HOLDS[other]}; it must give one")
        return Call("if", (condition, one, two)), other if kind == "empty" else kind

    def _fitting(self, known: ScopeColumn, given: Value, verb: str) -> tuple[Value, ...]:
        """The value in the type of a column, where it can be one."""
        text = format_node(given)
        if known.kind == "text" and known.has(text):
            return (Text(text),)
        if isinstance(given, Text) and (codes := known.codes_of(given.value)):
            return tuple(Text(c) if isinstance(c, str) else Number(c) for c in codes)
        if known.kind == "number" and isinstance(given, Number):
            if known.is_coded and not known.has(given.value):
                raise unknown_level_error(self.what, known, text)
            return (given,)
        if known.kind == "truth" and text.lower() in ("true", "false"):
            return (Truth(text.lower() == "true"),)
        if known.kind in ("date", "moment", "time"):
            stamp = read_stamp(text, known.kind)
            if stamp is not None:
                return (stamp,)
        if isinstance(given, Text) and (known.kind == "text" or known.has_labels):
            raise unknown_level_error(self.what, known, given.value)
        check_value(self.what, known, given, verb=verb, columns=list(self.scope.columns))

    def _check_alike(self, left: Any, kind: Kind, right: Any, other: Kind) -> None:
        if kind != other or kind == "empty":
            self._fail(f"compares {describe_node(left, kind)} with {describe_node(right, other)}")

    def _check_order(self, given: Compare, kind: Kind, *, is_ordered: bool) -> None:
        if given.sign not in ("=", "!=") and kind in ("text", "truth") and not is_ordered:
            self._fail(f"asks for an order ({given.sign}) among {HOLDS[kind]}, which has none")

    def _stamp(self, given: Stamp) -> Kind:
        if read_stamp(given.text, given.kind) is None:
            self._fail(f"has {quote_text(given.text)}, which no calendar has")
        return given.kind

    def _fail(self, why: str) -> Never:
        raise SettingsError(f"{self.what} {why}.")
