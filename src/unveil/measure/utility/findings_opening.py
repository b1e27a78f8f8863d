"""The columns that findings are about, on every side: read, aligned, and found by their names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.count.codes import Codes, Column
from unveil.count.expressions.nodes import Column as Named
from unveil.count.expressions.nodes import Expression, Text
from unveil.count.expressions.resolving import Resolver
from unveil.count.expressions.scope import Known, Scope
from unveil.count.expressions.values import computed, met, parts_of
from unveil.count.likelihoods import Floats
from unveil.count.scenario import Progress, aligned_column
from unveil.errors import RolesError, SettingsError, listed, nearest
from unveil.measure.opening import read_all, sides_of
from unveil.measure.utility.findings_asked import Asked
from unveil.read.align import Aligned, align
from unveil.read.given import finite_numbers
from unveil.read.roles import absent
from unveil.read.table import Table

Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Opened:
    """Original and copies as findings see them; sides are numbered, 0 is the original."""

    tables: Sequence[Table]
    aligned: Aligned
    frames: Sequence[pl.DataFrame]
    scope: Scope
    _columns: dict[str, Column] = field(default_factory=dict, repr=False, compare=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Records of the original, then of each copy."""
        return self.aligned.rows

    def dtype(self, name: str) -> pl.DataType:
        """The type of a column, the same on every side."""
        return self.frames[0].schema[name]

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return self.dtype(name).is_numeric()

    def column(self, name: str) -> Column:
        """A column as codes over the levels of all sides."""
        if name not in self._columns:
            self._columns[name] = aligned_column(self.aligned, name)
        return self._columns[name]

    def codes(self, name: str, side: int) -> Codes:
        """The codes of one side."""
        column = self.column(name)
        return column.codes[column.sides.slices[side]]

    def is_missing(self, name: str, side: int) -> Rows:
        """Which records of a side have no value, or a code that stands for none."""
        made = self.frames[side].select(computed(self.scope.columns[name].node()).is_null())
        return made.to_series().to_numpy()

    def numbers(self, name: str, side: int) -> Floats:
        """The numbers of one side; NaN where there is none, or a code that stands for none."""
        number = computed(self.scope.columns[name].node()).cast(pl.Float64)
        made: Floats = self.frames[side].select(number).to_series().to_numpy()
        return np.where(np.isfinite(made), made, np.nan)

    def resolved(self, what: str, given: Expression) -> Expression:
        """A condition with its columns and levels found."""
        return Resolver(what, self.scope).condition(given)

    def rows(self, condition: Expression | None, side: int) -> Rows:
        """Which records of a side meet a condition; all where there is none."""
        if condition is None:
            return np.ones(self.sizes[side], bool)
        return self.frames[side].select(met(condition)).to_series().to_numpy()

    def truth(self, condition: Expression, side: int) -> tuple[Rows, Rows]:
        """Which records meet a condition, and for which that can be told."""
        made = self.frames[side].select(computed(condition)).to_series()
        return made.fill_null(value=False).to_numpy(), made.is_not_null().to_numpy()


def opened_for(
    asked: Sequence[Asked],
    original: Any,
    synthetic: Any,
    *,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> Opened:
    """Read every side and align the columns that the findings name."""
    sides = sides_of(synthetic, original=original)
    tables = read_all(sides, None, missing_values, None, progress)
    for table in tables:
        if not table.frame.height:
            raise SettingsError(f"{table.place} has no records.")
    names = _names(asked, tables)
    apart = _apart(special_codes, tables[0])
    aligned = align(tables, names)
    frames = [
        pl.DataFrame({name: sides[place] for name, sides in aligned.columns.items()})
        for place in range(len(tables))
    ]
    return Opened(tables, aligned, frames, _scope(tables[0], frames[0], apart))


def _scope(table: Table, frame: pl.DataFrame, apart: Mapping[str, tuple[float, ...]]) -> Scope:
    """All columns of the original; those that findings name in the type they are compared in."""
    known = {
        name: Known(
            frame[name] if name in frame.columns else table.frame[name],
            table.variables.get(name),
            apart.get(name, ()),
            is_coded=False,
        )
        for name in table.frame.columns
    }
    return Scope(table.place, known)


def _apart(given: Mapping[str, Any] | None, original: Table) -> dict[str, tuple[float, ...]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError('special_codes must be a mapping, such as {"income": [-8, -9]}.')
    columns = original.frame.columns
    for name in given:
        if name not in columns:
            raise RolesError(
                f"Special codes are given for {name!r}.{nearest(str(name), columns)} The columns"
                f" of the original are: {listed(columns)}."
            )
    return {
        name: finite_numbers(_listed(codes), what=f"special code of {name!r}", example="-8")
        for name, codes in given.items()
    }


def _listed(codes: Any) -> Any:
    """Codes with commas between them, as a command line has them, as a list of numbers."""
    if not isinstance(codes, str):
        return codes
    parts = [part.strip() for part in codes.split(",")]
    return [float(p) if p.lstrip("+-").replace(".", "", 1).isdigit() else p for p in parts]


def _names(asked: Sequence[Asked], tables: Sequence[Table]) -> list[str]:
    """Every column that a finding names; those that a file lacks are all told."""
    known = [*tables[0].frame.columns]
    faults: dict[str, None] = {}
    names: dict[str, None] = {}
    for one in asked:
        for name in _named_by(one, known):
            lacking = [table for table in tables if name not in table.frame.columns]
            names[name] = None
            for table in lacking[:1]:
                fault = absent(table.place, name, table.frame.columns)
                faults[f"{one.called}: {fault}"] = None
    if faults:
        raise RolesError("\n".join(faults))
    return list(names)


def _named_by(one: Asked, known: Iterable[str]) -> list[str]:
    names = [*one.columns, *(name for name, _ in one.orders)]
    conditions = [one.condition] if one.condition is not None else []
    if one.formula is not None:
        names += one.formula.names
        if isinstance(one.formula.outcome, str):
            names.append(one.formula.outcome)
        else:
            conditions.append(one.formula.outcome)
    # A bare word is a column, or a level; which of them is told when it is resolved.
    words = {word for condition in conditions for word in _words(condition)}
    return list(dict.fromkeys([*names, *(name for name in known if name in words)]))


def _words(given: Expression) -> list[str]:
    if isinstance(given, Named):
        return [given.name]
    if isinstance(given, Text):
        return [given.value]
    return [word for part in parts_of(given) for word in _words(part)]
