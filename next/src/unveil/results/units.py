"""What a column of a result means: unit, meaning and source, declared once as part of its type.

::

    DiSCO: Annotated[Figure, Percent("shown a single value, and it is theirs", "Raab 2024 (11)")]

Terminal, page, JSON schema, glossary and limits read the unit; none of them knows a measure.
"""

from typing import Annotated, Any, ClassVar

import msgspec

Figure = float | None
"""A figure; None where it could not be measured, and a note says why."""

NOT_MEASURED = "-"


class Unit(msgspec.Struct, frozen=True):
    """The meaning of a column, and how its values are written for people."""

    meaning: str = ""
    source: str = ""
    title: str = ""  # by default the name of the field
    undefined: str = ""  # where a value is missing
    limited: bool = False  # whether a limit can be set on it

    is_figure: ClassVar[bool] = True  # a number: over several copies it has a mean
    highest: ClassVar[float] = float("inf")

    def text(self, value: Any) -> str:
        """One value as people read it."""
        return NOT_MEASURED if value is None else self.write(value)

    def write(self, value: Any) -> str:
        return f"{value:z,.2f}"


class Number(Unit, frozen=True):
    """Any number."""


class Share(Unit, frozen=True):
    """0 to 1; below 0 where it is scaled to a yardstick that it does not reach."""

    highest: ClassVar[float] = 1

    def write(self, value: float) -> str:
        return "< 0.01" if 0 < value < 0.005 else f"{value:z,.2f}"


class Percent(Unit, frozen=True):
    """0 to 100."""

    highest: ClassVar[float] = 100

    def write(self, value: float) -> str:
        return "< 0.1 %" if 0 < value < 0.05 else f"{value:z.1f} %"


class Count(Unit, frozen=True):
    """How many; the mean of counts is no whole number."""

    def write(self, value: float) -> str:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}".removesuffix(".0")


class People(Unit, frozen=True):
    """How many people are expected: no count, but written as one."""

    def write(self, value: float) -> str:
        return f"{value:z,.0f}"


class Text(Unit, frozen=True):
    """A name or a sentence, or several."""

    is_figure: ClassVar[bool] = False

    def write(self, value: Any) -> str:
        return ", ".join(value) if isinstance(value, tuple | list) else str(value)


class Truth(Text, frozen=True):
    """Whether something holds."""

    def write(self, value: Any) -> str:
        return "yes" if value else "no"


class LevelText(Text, frozen=True):
    """A level of a column."""

    def text(self, value: str | None) -> str:
        return "(missing)" if value is None else value


Level = Annotated[str | None, LevelText()]
"""A level as text; None is the missing level."""
