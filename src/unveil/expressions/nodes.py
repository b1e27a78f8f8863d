"""What can a rule or a formula say? The pieces of its tree, as plain records for a model file."""

from typing import Literal

import msgspec

Sign = Literal["+", "-", "*", "/", "^"]
Comparison = Literal["=", "!=", "<", "<=", ">", ">="]
Kind = Literal["number", "text", "truth", "date", "moment", "time", "empty"]
"""What a column or an expression holds."""


class Node(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A piece of an expression."""


class Number(Node, frozen=True):
    """A number, and how it was written."""

    value: int | float
    text: str = ""


class Text(Node, frozen=True):
    """Text; `is_bare` where it had no quotes, and so may be meant for a column."""

    value: str
    is_bare: bool = False


class Stamp(Node, frozen=True):
    """A date, moment or time in ISO form."""

    text: str
    kind: Literal["date", "moment", "time"] = "date"


class Truth(Node, frozen=True):
    """True or false."""

    value: bool


class Missing(Node, frozen=True):
    """No value."""


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers from the lowest to the highest, both included; None has no end."""

    lo: float | None
    hi: float | None


class ColumnRef(Node, frozen=True, tag="Column"):
    """A column; `apart` are numbers in it that are no amounts."""

    name: str
    kind: Kind = "empty"
    apart: tuple[Span, ...] = ()
    is_ordered: bool = False
    is_zoned: bool = False


class Negative(Node, frozen=True):
    """The number with the other sign."""

    operand: "Expression"


class Arithmetic(Node, frozen=True):
    """Two numbers made into one."""

    sign: Sign
    left: "Expression"
    right: "Expression"


class Compare(Node, frozen=True):
    """Whether two values stand in an order, or are equal."""

    sign: Comparison
    left: "Expression"
    right: "Expression"


class Among(Node, frozen=True):
    """Whether a value is one of some."""

    operand: "Expression"
    members: tuple["Expression", ...]


class Absent(Node, frozen=True):
    """Whether there is no value."""

    operand: "Expression"


class Not(Node, frozen=True):
    """Whether a condition is not met."""

    operand: "Expression"


class Both(Node, frozen=True):
    """Whether all of some conditions are met."""

    parts: tuple["Expression", ...]


class Either(Node, frozen=True):
    """Whether one of some conditions is met."""

    parts: tuple["Expression", ...]


class Call(Node, frozen=True):
    """A function of its arguments."""

    function: str
    arguments: tuple["Expression", ...]


Value = Number | Text | Stamp | Truth | Missing
"""What can be written for a value."""

Expression = (
    Number | Text | Stamp | Truth | Missing | ColumnRef | Negative | Arithmetic | Compare | Among
    | Absent | Not | Both | Either | Call
)  # fmt: skip
