"""Which columns can be compared, and which of them are numbers, dates or categories?

Every side is read, aligned and encoded once. A column of numbers whose values all have labels, or
that the user calls a category, is one. Missing values and special codes are never numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.arguments import absent_sentence, looks_like_data
from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, Codes, labels_or_none, level_labels
from unveil.count.packing import Sides
from unveil.errors import RolesError, list_names, nearest
from unveil.io.numbers import TAG_OF
from unveil.io.table import Table
from unveil.records.disclosure import Coercion
from unveil.study.align import AlignedColumns, align
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names
from unveil.study.scenario import Progress, encode_all
from unveil.study.study import read_all

Kind = Literal["number", "date", "category"]

EXACT = 2**53
"""Up to here every whole number is a decimal of its own."""

_PER_DAY = {"ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}


@dataclass(frozen=True, eq=False)
class ComparedVariable:
    """One column on every side: its codes, and what kind of values its levels are.

    `is_ordinary` is true for the levels that are numbers: not missing, infinite or a special code.
    """

    column: CodedColumn
    kind: Kind
    is_ordinary: Mask

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether its levels are compared by how far they are apart; dates are."""
        return self.kind != "category"

    @cached_property
    def values(self) -> Floats:
        """The number of every level, dates in days from 1970; what is not ordinary is 0."""
        held = _numbers(self.column.levels)
        return held if self.is_ordinary.all() else np.where(self.is_ordinary, held, 0.0)

    def counts(self, side: int) -> Ints:
        """Records of one side at every level."""
        counts: Ints = self.column.counts[side].astype(np.int64)
        return counts

    def ordinary_counts(self, side: int) -> Ints:
        """Records of one side at every level that is a number; 0 at others."""
        return np.where(self.is_ordinary, self.counts(side), 0)

    def codes(self, side: int) -> Codes:
        """The codes of one side."""
        return self.column.codes[self.column.sides.slices[side]]

    def level_names(self) -> list[str | None]:
        """Every level as people read it; None is the missing one."""
        return level_labels(self.column)


@dataclass(frozen=True, eq=False)
class UtilityData:
    """The columns that all sides have, the original first, and what was noticed on the way."""

    variables: tuple[ComparedVariable, ...]
    sides: Sides
    files: tuple[str, ...]
    places: tuple[str, ...]
    notes: tuple[Coercion, ...]

    @property
    def n_copies(self) -> int:
        """How many sides stand beside the original."""
        return len(self.sides.rows) - 1

    @property
    def numbers(self) -> tuple[ComparedVariable, ...]:
        """The columns compared as numbers, dates among them."""
        return tuple(one for one in self.variables if one.is_number)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the original."""
        return tuple(one.name for one in self.variables)

    def of(self, name: Any) -> ComparedVariable:
        """The column of that name, or a refusal."""
        for one in self.variables:
            if one.name == name:
                return one
        raise RolesError(
            f"{name!r} is not among the compared columns.{nearest(str(name), self.names)}"
            f" They are: {list_names(self.names)}."
        )


def open_columns(
    sides: Mapping[str, Any],
    *,
    columns: str | Iterable[str] | None,
    categories: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress,
) -> UtilityData:
    """Read, align and encode the columns asked for, or all that every side has."""
    wanted = None if columns is None else names(columns, "Columns")
    if wanted is not None and not wanted:
        raise RolesError("No columns are given. Name some, or leave columns out for all of them.")
    called = names(categories, "Categories")
    codes = parse_bands(None, special_codes).special_codes
    tables = read_all(sides, wanted, missing_values, None, progress)
    chosen, left_aside = _common(tables, wanted)
    _check_unknown({"categories": called, "special_codes": tuple(codes)}, chosen)
    aligned = align(tables, chosen)
    encoded = encode_all(aligned, chosen, progress)
    return UtilityData(
        tuple(_variable(one, aligned, called, codes.get(one.name, ())) for one in encoded),
        encoded[0].sides,
        tuple(table.source for table in tables),
        tuple(table.place for table in tables),
        (*left_aside, *aligned.coercions),
    )


def _common(
    tables: Sequence[Table], wanted: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[Coercion, ...]]:
    if wanted is not None:
        faults = [
            absent_sentence(table.place, name, table.frame.columns)
            for table in tables
            for name in wanted
            if name not in table.frame.columns
        ]
        if faults:
            raise RolesError("\n".join(faults))
        return tuple(wanted), ()
    shared = set.intersection(*(set(table.frame.columns) for table in tables))
    chosen = tuple(name for name in tables[0].frame.columns if name in shared)
    if not chosen:
        raise RolesError(_no_common_column(tables))
    return chosen, tuple(_not_compared_notes(tables, shared))


def _no_common_column(tables: Sequence[Table]) -> str:
    said = "The files have no column in common, so nothing can be compared."
    if any(looks_like_data(table.frame.columns) for table in tables):
        return f"{said} A first line looks like a record: put a line with the names above it."
    return f"{said} Columns of the original: {list_names(tables[0].frame.columns)}."


def _not_compared_notes(tables: Sequence[Table], shared: set[str]) -> list[Coercion]:
    return [
        Coercion(
            side=table.side,
            column=name,
            kind="not_compared",
            sentence=f"Column {name!r} is not in every file and was left out.",
        )
        for table in tables
        for name in table.frame.columns
        if name not in shared
    ]


def _check_unknown(given: Mapping[str, Sequence[str]], chosen: Sequence[str]) -> None:
    faults = [
        f"{what} names {name!r}, which is not compared.{nearest(name, chosen)} Compared columns"
        f" are: {list_names(chosen)}."
        for what, named in given.items()
        for name in named
        if name not in chosen
    ]
    if faults:
        raise RolesError("\n".join(faults))


def _variable(
    column: CodedColumn, aligned: AlignedColumns, categories: Sequence[str], codes: Sequence[float]
) -> ComparedVariable:
    kind = _kind(column.levels.dtype)
    if kind == "number" and column.name not in categories:
        _check_unheld(column)
    special = (*codes, *aligned.special_codes.get(column.name, ()))
    is_ordinary = _ordinary(column, special) if kind != "category" else _none(column)
    if kind == "number" and (column.name in categories or _is_labelled(column, is_ordinary)):
        return ComparedVariable(column, "category", _none(column))
    return ComparedVariable(column, "category" if column.name in categories else kind, is_ordinary)


def _check_unheld(column: CodedColumn) -> None:
    """Refuse whole numbers so large that different ones are the same decimal."""
    levels = column.levels.drop_nulls()
    if not levels.dtype.is_integer() or levels.is_empty():
        return
    is_held = bool(levels.is_between(-EXACT, EXACT).all())
    if not is_held and levels.cast(pl.Float64).n_unique() < levels.n_unique():
        raise RolesError(
            f"Column {column.name!r} holds whole numbers beyond {EXACT:,} that differ by less than"
            " decimals can hold. Name it in categories, leave it out, or subtract what all of them"
            " have in common."
        )


def _none(column: CodedColumn) -> Mask:
    return np.zeros(column.n_levels, bool)


def _kind(dtype: pl.DataType) -> Kind:
    if dtype.is_numeric():
        return "number"
    return "date" if dtype.base_type() in (pl.Date, pl.Datetime) else "category"


def _ordinary(column: CodedColumn, special: Sequence[float]) -> Mask:
    """Levels that are finite numbers and stand for an answer."""
    values = _numbers(column.levels)
    codes = np.array([*special, *TAG_OF], np.float64)
    is_code = np.isin(values, codes)
    if column.is_single:
        with np.errstate(over="ignore"):
            is_code |= np.isin(values.astype(np.float32), codes.astype(np.float32))
    is_ordinary: Mask = np.isfinite(values) & ~is_code
    return is_ordinary


def _is_labelled(column: CodedColumn, is_ordinary: Mask) -> bool:
    """Whether every value that occurs, special codes aside, has a label: a category in numbers."""
    if not column.meanings or not is_ordinary.any():
        return False
    if int(is_ordinary.sum()) > len(column.meanings):
        return False
    told = labels_or_none(column)
    return all(told[place] in column.meanings for place in np.flatnonzero(is_ordinary))


def _numbers(levels: pl.Series) -> Floats:
    """Levels as decimals, dates in days from 1970, missing as NaN."""
    days = 1.0
    if isinstance(levels.dtype, pl.Datetime):
        days = _PER_DAY[levels.dtype.time_unit]
    numbers = levels.to_physical().cast(pl.Float64).to_numpy()
    return numbers if days == 1.0 else numbers / days
