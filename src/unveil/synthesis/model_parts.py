"""What a model file holds: columns, rules and fitted models, read back and checked."""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any, TypeVar

import msgspec
import numpy as np
import polars as pl

from unveil.models.design import ColumnValues, ModelColumn
from unveil.synthesis.fit import FittedStep
from unveil.synthesis.methods import JOINT, SINGLE, method_of, restore_model
from unveil.synthesis.model_archive import ArrayStore, ModelArchive, check
from unveil.synthesis.plan import Step
from unveil.synthesis.split_columns import from_numbers, to_numbers

# Columns, and what they hold, as a model file has them.


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


def series_doc(series: pl.Series, store: ArrayStore) -> SeriesDoc:
    """Values as they are written; none of them is missing."""
    dtype = type_doc(series.dtype)
    if series.dtype.is_temporal():
        return SeriesDoc(dtype=dtype, array=store.put(to_numbers(series)))
    if series.dtype in (pl.Float32, pl.Float64):
        return SeriesDoc(dtype=dtype, array=store.put(series.to_numpy()))
    values = [str(one) if isinstance(one, Decimal) else one for one in series.to_list()]
    return SeriesDoc(dtype=dtype, values=tuple(values))


def series_of(doc: SeriesDoc, file: ModelArchive) -> pl.Series:
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
        check(file.place)
    return made


def encode_document(document: Doc, store: ArrayStore) -> bytes:
    """A document as JSON; arrays go onto the store, types and values become parts of it."""

    def encode(value: Any) -> Any:
        match value:
            case np.ndarray():
                return store.put(value)
            case pl.Series():
                return series_doc(value, store)
            case pl.DataType():
                return type_doc(value)
        raise NotImplementedError

    return msgspec.json.encode(document, enc_hook=encode)


Kept = TypeVar("Kept", bound=Doc)


def decode_document(text: bytes, kind: type[Kept], file: ModelArchive) -> Kept:
    """The document that `encode_document` wrote, with the arrays of its file."""

    def decode(kind: Any, value: Any) -> Any:
        if kind is pl.DataType:
            return type_of(msgspec.convert(value, TypeDoc))
        if kind is pl.Series:
            return series_of(msgspec.convert(value, SeriesDoc), file)
        return file.array(value)

    return msgspec.json.decode(text, type=kind, dec_hook=decode)


def part_doc(part: ColumnValues, store: ArrayStore) -> PartDoc:
    """What a column holds, as it is written."""
    state = None if part.state is None else store.put(part.state)
    return PartDoc(column=part.column.name, values=store.put(part.values), state=state)


def part_of(doc: PartDoc, columns: Mapping[str, ModelColumn], file: ModelArchive) -> ColumnValues:
    """What a column holds, as it was written; codes and states must be among the column's."""
    column, values = columns[doc.column], file.array(doc.values)
    state = None if doc.state is None else file.array(doc.state)
    is_fit = values.ndim == 1 and values.dtype == column.storage
    if column.is_category:
        is_fit = is_fit and are_within(values, column.n_levels)
    if state is not None:
        is_fit = is_fit and state.dtype == np.int16 and state.shape == values.shape
        is_fit = is_fit and are_within(state, 2 + len(column.special))
    if not is_fit:
        check(file.place)
    return ColumnValues(column, values, state)


def are_within(codes: Any, n: int) -> bool:
    """Whether all codes are from 0 to n - 1."""
    return not codes.size or (int(codes.min()) >= 0 and int(codes.max()) < n)


# Fitted models as a model file has them; a model that could not be drawn from is refused.


Scalar = bool | int | float | str | None


class ModelDoc(Doc, frozen=True, kw_only=True):
    """A model by its method; `arrays` are numbers of arrays, `scalars` are values themselves."""

    method: str
    arrays: dict[str, int]
    scalars: dict[str, Scalar]


class StepDoc(Doc, frozen=True, kw_only=True):
    """The models of one step of the plan in one stratum."""

    state: ModelDoc | None = None
    value: ModelDoc | None = None
    joint: ModelDoc | None = None


def step_doc(fitted: FittedStep, store: ArrayStore) -> StepDoc:
    """A fitted step as it is written."""
    return StepDoc(
        state=_model_doc(fitted.state, store),
        value=_model_doc(fitted.value, store),
        joint=_model_doc(fitted.joint, store),
    )


def step_of(
    doc: StepDoc, step: Step, columns: Mapping[str, ModelColumn], file: ModelArchive
) -> FittedStep:
    """The step that was written."""
    own = tuple(columns[name] for name in step.columns)
    n_levels = own[0].n_levels
    return FittedStep(
        step,
        own,
        _model(doc.state, SINGLE, file, n_codes=own[0].n_states, n_columns=len(step.predictors)),
        _model(doc.value, SINGLE, file, n_codes=n_levels, n_columns=len(step.predictors)),
        _model(doc.joint, JOINT, file),
    )


def _model_doc(model: Any, store: ArrayStore) -> ModelDoc | None:
    if model is None:
        return None
    arrays: dict[str, int] = {}
    scalars: dict[str, Scalar] = {}
    for name, value in model.to_arrays().items():
        held = value.item() if isinstance(value, np.generic) else value
        if isinstance(held, np.ndarray):
            arrays[name] = store.put(held)
        elif isinstance(held, float) and not isfinite(held):
            arrays[name] = store.put(np.array(held))  # JSON has no infinity
        else:
            scalars[name] = held
    return ModelDoc(method=method_of(model), arrays=arrays, scalars=scalars)


def _model(
    doc: ModelDoc | None,
    methods: tuple[str, ...],
    file: ModelArchive,
    *,
    n_codes: int = 0,
    n_columns: int = 0,
) -> Any:
    if doc is None:
        return None
    if doc.method not in methods:
        check(file.place)
    arrays: dict[str, Any] = dict(doc.scalars)
    for name, number in doc.arrays.items():
        array = file.array(number)
        arrays[name] = array.item() if array.ndim == 0 else array
    if doc.method == "cart" and not _is_tree(arrays, n_columns):
        check(file.place)
    drawn = arrays.get({"cart": "donors.values", "sample": "values"}.get(doc.method, "classes"))
    if n_codes and drawn is not None and not are_within(drawn, n_codes):
        check(file.place)
    return restore_model(doc.method, arrays)


def _is_tree(arrays: Mapping[str, Any], n_columns: int) -> bool:
    """Whether every row ends in a leaf that has donors: children stand after their parents."""
    left, right, feature = (arrays[f"cuts.{name}"] for name in ("left", "right", "feature"))
    start, size = arrays["donors.start"], arrays["donors.size"]
    n = len(left)
    if not n or any(len(one) != n for one in (right, feature, start, size)):
        return False
    is_leaf = left == -1
    inner = np.flatnonzero(~is_leaf)
    goes_on = all(((kids[inner] > inner) & (kids[inner] < n)).all() for kids in (left, right))
    has_columns = are_within(feature[inner], n_columns) and len(arrays["cuts.threshold"]) == n
    ends = start.astype(np.int64) + size
    is_inside = bool((start >= 0).all() and (size >= 0).all())
    is_inside = is_inside and int(ends.max()) <= len(arrays["donors.values"])
    if not goes_on:
        return False
    reached = np.zeros(1, np.int64)  # nodes below a cut that was given up are out of reach
    has_donors = True
    while len(reached):
        has_donors = has_donors and bool((size[reached][is_leaf[reached]] > 0).all())
        cut = reached[~is_leaf[reached]]
        reached = np.unique(np.concatenate([left[cut], right[cut]])).astype(np.int64)
    return bool(has_columns and is_inside and has_donors)
