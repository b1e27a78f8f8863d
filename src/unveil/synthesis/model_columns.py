"""Columns, and what they hold, as a model file has them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.synthesis.column import Column, Kind, Part
from unveil.synthesis.model_archive import Shelf, Unpacked, refuse
from unveil.synthesis.splitting import from_numbers, to_numbers

_PLAIN: dict[str, pl.DataType] = {
    str(dtype()): dtype()
    for dtype in (
        *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128),
        *(pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.UInt128),
        *(pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Date, pl.Time, pl.Null),
    )
}


class Doc(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the document of a model file."""


class TypeDoc(Doc, frozen=True, kw_only=True):
    """A type of polars by its name, with what the name does not say."""

    name: str
    categories: tuple[str, ...] = ()
    unit: str | None = None
    zone: str | None = None
    precision: int | None = None
    scale: int | None = None


class SeriesDoc(Doc, frozen=True, kw_only=True):
    """Some values: text, truth and large numbers in the document, other numbers as an array."""

    dtype: TypeDoc
    values: tuple[str | bool | int, ...] = ()
    array: int | None = None


class ColumnDoc(Doc, frozen=True, kw_only=True):
    """A column of the original, as synthesis sees it."""

    name: str
    kind: Kind
    dtype: TypeDoc
    levels: SeriesDoc
    special: SeriesDoc
    knots: int
    has_missing: bool


class PartDoc(Doc, frozen=True, kw_only=True):
    """What a column holds in some rows."""

    column: str
    values: int
    state: int | None


def type_doc(dtype: pl.DataType) -> TypeDoc:
    """A type as it is written."""
    match dtype:
        case pl.Enum():
            return TypeDoc(name="Enum", categories=tuple(dtype.categories))
        case pl.Categorical():
            return TypeDoc(name="Categorical")
        case pl.Datetime():
            return TypeDoc(name="Datetime", unit=dtype.time_unit, zone=dtype.time_zone)
        case pl.Duration():
            return TypeDoc(name="Duration", unit=dtype.time_unit)
        case pl.Decimal():
            return TypeDoc(name="Decimal", precision=dtype.precision, scale=dtype.scale)
    return TypeDoc(name=str(dtype))


def type_of(doc: TypeDoc) -> pl.DataType:
    """The type that was written; a name that is none of ours has no type (KeyError)."""
    unit: Any = doc.unit
    match doc.name:
        case "Enum":
            return pl.Enum(doc.categories)
        case "Categorical":
            return pl.Categorical()
        case "Datetime":
            return pl.Datetime(unit, doc.zone)
        case "Duration":
            return pl.Duration(unit)
        case "Decimal":
            return pl.Decimal(doc.precision or 38, doc.scale or 0)
    return _PLAIN[doc.name]


def series_doc(series: pl.Series, shelf: Shelf) -> SeriesDoc:
    """Values as they are written; none of them is missing."""
    dtype = type_doc(series.dtype)
    if series.dtype.is_temporal():
        return SeriesDoc(dtype=dtype, array=shelf.put(to_numbers(series)))
    if series.dtype in (pl.Float32, pl.Float64):
        return SeriesDoc(dtype=dtype, array=shelf.put(series.to_numpy()))
    values = [str(one) if isinstance(one, Decimal) else one for one in series.to_list()]
    return SeriesDoc(dtype=dtype, values=tuple(values))


def series_of(doc: SeriesDoc, file: Unpacked) -> pl.Series:
    """The values that were written."""
    dtype = type_of(doc.dtype)
    if doc.array is None:
        values = [Decimal(str(v)) for v in doc.values] if dtype.is_decimal() else [*doc.values]
        made = pl.Series(values, dtype=dtype)
    elif dtype.is_temporal():
        made = from_numbers(file.array(doc.array).astype(np.int64), dtype)
    else:
        made = pl.Series(file.array(doc.array)).cast(dtype)
    if made.null_count() and dtype != pl.Null:
        refuse(file.place)
    return made


def column_doc(column: Column, shelf: Shelf) -> ColumnDoc:
    """A column as it is written."""
    return ColumnDoc(
        name=column.name,
        kind=column.kind,
        dtype=type_doc(column.dtype),
        levels=series_doc(column.levels, shelf),
        special=series_doc(column.special, shelf),
        knots=shelf.put(column.knots),
        has_missing=column.has_missing,
    )


def column_of(doc: ColumnDoc, file: Unpacked) -> Column:
    """The column that was written."""
    return Column(
        doc.name,
        doc.kind,
        type_of(doc.dtype),
        series_of(doc.levels, file).alias(doc.name),
        series_of(doc.special, file),
        file.array(doc.knots),
        doc.has_missing,
    )


def part_doc(part: Part, shelf: Shelf) -> PartDoc:
    """What a column holds, as it is written."""
    state = None if part.state is None else shelf.put(part.state)
    return PartDoc(column=part.column.name, values=shelf.put(part.values), state=state)


def part_of(doc: PartDoc, columns: Mapping[str, Column], file: Unpacked) -> Part:
    """What a column holds, as it was written; codes and states must be among the column's."""
    column, values = columns[doc.column], file.array(doc.values)
    state = None if doc.state is None else file.array(doc.state)
    is_fit = values.ndim == 1 and values.dtype == column.storage
    if column.is_category:
        is_fit = is_fit and within(values, column.n_levels)
    if state is not None:
        is_fit = is_fit and state.dtype == np.int16 and state.shape == values.shape
        is_fit = is_fit and within(state, 2 + len(column.special))
    if not is_fit:
        refuse(file.place)
    return Part(column, values, state)


def within(codes: Any, n: int) -> bool:
    """Whether all codes are from 0 to n - 1."""
    return not codes.size or (int(codes.min()) >= 0 and int(codes.max()) < n)
