"""One column as a step meets it, and what the step makes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from unveil.errors import RolesError, SettingsError
from unveil.protection.recoding.apart import Apart, occurring
from unveil.read.band_labels import counted
from unveil.read.bands import LARGEST_EXACT
from unveil.read.meanings import texts_of
from unveil.read.undeclared import NOUNS, kind_of
from unveil.records.codebook import Kind, Variable
from unveil.records.recoding import Step

Chance = Callable[[int], np.random.Generator]
"""The random numbers of a step, for the data (0) and for its copy (1)."""
SIDES = ("", " in the copy")


@dataclass(frozen=True)
class Column:
    """A column of the data and, where there is one, of its copy; and what is declared about it."""

    name: str
    sides: tuple[pl.Series, ...]
    variable: Variable | None  # by the data, and by its copy where the data says nothing
    apart: Apart
    chance: Chance

    @cached_property
    def special_codes(self) -> tuple[float, ...]:
        """The numbers that stand for no answer and occur, in the data or in its copy."""
        return occurring(self.sides, self.apart)


def unchanged(variable: Variable) -> Variable:
    """What is declared of a column stays as it is."""
    return variable


@dataclass(frozen=True)
class Change:
    """What a step makes of a column: other values, or which records stay; and how it is told."""

    told: Callable[[int], str]  # of how many records it changed
    sides: tuple[pl.Series, ...] | None = None  # None: the values stay as they are
    kept: tuple[pl.Series, ...] | None = None  # None: all records stay
    declared: Callable[[Variable], Variable] = unchanged  # of what is declared on one side
    is_dropped: bool = False
    fixed: tuple[Step, ...] | None = None  # with the numbers found in its place; None: the step


def refuse_unless(column: Column, kinds: Sequence[Kind], what: str, instead: str) -> None:
    """Refuse a column that holds something else; one that is empty holds anything."""
    for side, where in zip(column.sides, SIDES, strict=False):
        kind = kind_of(side.dtype)
        if kind not in kinds and side.null_count() < len(side):
            raise SettingsError(
                f"column {column.name!r} holds {NOUNS[kind]}{where}, not {what}. {instead}"
            )


def refuse_names(column: Column) -> None:
    """Refuse to reckon with codes that stand for names."""
    if column.variable is not None and column.variable.measure == "nominal":
        raise RolesError(
            f"column {column.name!r} is declared nominal: its numbers stand for names. Merge its"
            " levels instead."
        )


def refuse_large(name: str, sides: Sequence[pl.Series]) -> None:
    """Refuse whole numbers that are too large to be reckoned with exactly."""
    for side in sides:
        ends = [end for end in (side.min(), side.max()) if isinstance(end, int)]
        if side.dtype.is_integer() and any(abs(end) > LARGEST_EXACT for end in ends):
            raise SettingsError(
                f"column {name!r} holds whole numbers beyond 9,007,199,254,740,992, too"
                " large to be reckoned with exactly. Drop it, if it is an identifier."
            )


def n_changed(before: pl.Series, after: pl.Series) -> int:
    """How many records have another value now."""
    before, after = before.alias(""), after.alias("")
    if before.dtype == after.dtype and not isinstance(before.dtype, pl.Enum | pl.Categorical):
        return int(before.ne_missing(after).sum())
    return int(written(before).ne_missing(written(after)).sum())


def written(values: pl.Series) -> pl.Series:
    """Values as their levels are written; missing stays missing."""
    if values.dtype.is_decimal():  # 5.1, as people write it, and not 5.10
        whole_or_not = values.cast(pl.String).str.replace(r"(\.\d*?)0+$", "$1")
        return whole_or_not.str.strip_suffix(".")
    if values.dtype.is_float():
        values = values.fill_nan(None)
    is_plain = values.dtype.is_numeric() or values.dtype in (pl.String, pl.Boolean)
    return texts_of(values) if is_plain else values.cast(pl.String)


def records(n: int) -> str:
    """1 record, 5 records; no record."""
    return counted(n, "record") if n else "no record"


def were(n: int) -> str:
    """Was or were, after so many."""
    return "was" if n < 2 else "were"
