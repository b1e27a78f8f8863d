"""Do the words of a rule or formula fit the columns: which are columns, which levels, which types?

What comes out names columns by their kind and levels by their codes, and can be computed anywhere.
"""

from dataclasses import dataclass
from typing import Any, Never

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
from unveil.count.expressions.scope import Known, Scope
from unveil.count.expressions.unfit import HOLDS, called, nobody, refuse_value, written
from unveil.count.expressions.values import read_stamp
from unveil.errors import RolesError, SettingsError, quoted
from unveil.read.roles import absent


@dataclass(frozen=True)
class Resolver:
    """Finds the columns and levels of one text; `what` is what a sentence calls it."""

    what: str
    scope: Scope

    def condition(self, given: Expression) -> Expression:
        """A condition, checked."""
        made, kind = self.typed(given)
        if kind != "truth":
            self._fail("has a value where a condition is wanted, such as age < 16")
        return made

    def typed(self, given: Expression) -> tuple[Expression, Kind]:
        """An expression with its columns found, and what it holds."""
        match given:
            case Number():
                return given, "number"
            case Stamp():
                return given, self._stamp(given)
            case Text(is_bare=False):
                return given, "text"
            case Text() | Column():
                made = self.column(given.value if isinstance(given, Text) else given.name)
                return made, made.kind
            case Missing():
                return given, "empty"
        return self._combined(given)

    def column(self, name: str) -> Column:
        """A column by its name, or a refusal that names its neighbour."""
        return self.known(name).node()

    def known(self, name: str) -> Known:
        """What is known of a column."""
        if name not in self.scope.columns:
            fault = absent(self.scope.place, name, tuple(self.scope.columns))
            raise RolesError(f"{self.what.rstrip(',')}: {fault}")
        return self.scope.columns[name]

    def value(self, column: str, given: Value, *, verb: str = "compares") -> tuple[Value, ...]:
        """A value as the column writes it: a level, or the codes of a label."""
        known = self.known(column)
        if isinstance(given, Missing):
            return (given,)
        return self._fitting(known, given, verb)

    def _combined(self, given: Expression) -> tuple[Expression, Kind]:
        match given:
            case Both() | Either():
                return type(given)(tuple(map(self.condition, given.parts))), "truth"
            case Not():
                return Not(self.condition(given.operand)), "truth"
            case Absent():
                return Absent(self.typed(given.operand)[0]), "truth"
            case Compare():
                return self._compared(given), "truth"
            case Among():
                return self._among(given), "truth"
        return self._computed(given)

    def _computed(self, given: Expression) -> tuple[Expression, Kind]:
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
                    self._fail("has round with digits that are no whole number from -9 to 15")
                return Call("round", (self._number(given.arguments[0]), digits)), "number"
            case Call():
                return Call(given.function, tuple(map(self._number, given.arguments))), "number"
        self._fail("has a true or false where a value is wanted")

    def _compared(self, given: Compare) -> Expression:
        left, kind = self.typed(given.left)
        right = given.right
        if isinstance(right, Text) and right.is_bare and right.value in self.scope.columns:
            right = Column(right.value)
        if isinstance(left, Column) and isinstance(right, Number | Text | Stamp):
            return self._with_value(given, left, right)
        made, other = self.typed(right)
        if isinstance(made, Column) and isinstance(left, Number | Text | Stamp):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(given.sign, given.sign)
            return self._with_value(Compare(turned, made, left), made, left)  # type: ignore[arg-type]
        self._refuse_unlike(left, kind, made, other)
        self._refuse_order(given, kind, is_ordered=False)
        return Compare(given.sign, left, made)

    def _with_value(self, given: Compare, left: Column, right: Number | Text | Stamp) -> Expression:
        self._refuse_order(given, left.kind, is_ordered=left.is_ordered)
        is_equal = given.sign in ("=", "!=")
        known = self.known(left.name)
        if not is_equal and left.kind == "text" and isinstance(right, Text):
            if right.value not in known.series.dtype.categories:  # type: ignore[attr-defined]
                raise nobody(self.what, known, right.value)
            return Compare(given.sign, left, right)
        values = self._fitting(known, right, "compares")
        if len(values) == 1:
            return Compare(given.sign, left, values[0])
        if not is_equal:
            self._fail(f"orders {left.name!r} by a label that several codes have. Write the code")
        return Among(left, values) if given.sign == "=" else Not(Among(left, values))

    def _among(self, given: Among) -> Expression:
        left, kind = self.typed(given.operand)
        if not isinstance(left, Column):
            values = [self.typed(member) for member in given.members]
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
        left, kind = self.typed(given.left)
        right, other = self.typed(given.right)
        made = Arithmetic(given.sign, left, right)
        if kind == other == "number":
            return made, "number"
        if given.sign == "-" and kind == other == "date":
            return made, "number"
        if given.sign in "+-" and (kind, other) == ("date", "number"):
            return made, "date"
        for piece, its in ((left, kind), (right, other)):
            if its != "number":
                self._fail(f"computes with {called(piece, its)}, which is no number")
        raise AssertionError  # one of the two is no number

    def _number(self, given: Expression) -> Expression:
        made, kind = self.typed(given)
        if kind != "number":
            self._fail(f"computes with {called(made, kind)}, which is no number")
        return made

    def _choice(self, given: Call) -> tuple[Expression, Kind]:
        condition = self.condition(given.arguments[0])
        one, kind = self.typed(given.arguments[1])
        two, other = self.typed(given.arguments[2])
        if kind != other and "empty" not in (kind, other):
            self._fail(f"has an if that gives {HOLDS[kind]} or {HOLDS[other]}; it must give one")
        return Call("if", (condition, one, two)), other if kind == "empty" else kind

    def _fitting(self, known: Known, given: Value, verb: str) -> tuple[Value, ...]:
        """The value in the type of a column, where it can be one."""
        text = written(given)
        if known.kind == "text" and known.has(text):
            return (Text(text),)
        if isinstance(given, Text) and (codes := known.codes_of(given.value)):
            return tuple(Text(c) if isinstance(c, str) else Number(c) for c in codes)
        if known.kind == "number" and isinstance(given, Number):
            if known.is_coded and not known.has(given.value):
                raise nobody(self.what, known, text)
            return (given,)
        if known.kind == "truth" and text.lower() in ("true", "false"):
            return (Truth(text.lower() == "true"),)
        if known.kind in ("date", "moment", "time"):
            stamp = read_stamp(text, known.kind)
            if stamp is not None:
                return (stamp,)
        if isinstance(given, Text) and (known.kind == "text" or known.has_labels):
            raise nobody(self.what, known, given.value)
        refuse_value(self.what, known, given, verb=verb, columns=list(self.scope.columns))

    def _refuse_unlike(self, left: Any, kind: Kind, right: Any, other: Kind) -> None:
        if kind != other or kind == "empty":
            self._fail(f"compares {called(left, kind)} with {called(right, other)}")

    def _refuse_order(self, given: Compare, kind: Kind, *, is_ordered: bool) -> None:
        if given.sign not in ("=", "!=") and kind in ("text", "truth") and not is_ordered:
            self._fail(f"asks for an order ({given.sign}) among {HOLDS[kind]}, which has none")

    def _stamp(self, given: Stamp) -> Kind:
        if read_stamp(given.text, given.kind) is None:
            self._fail(f"has {quoted(given.text)}, which no calendar has")
        return given.kind

    def _fail(self, why: str) -> Never:
        raise SettingsError(f"{self.what} {why}.")
