"""Fitted models as a model file has them; a model that could not be drawn from is refused."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from unveil.synthesis.column import Column
from unveil.synthesis.fitting import FittedStep
from unveil.synthesis.methods import JOINT, SINGLE, restored
from unveil.synthesis.model_archive import Shelf, Unpacked, refuse
from unveil.synthesis.model_columns import Doc, within
from unveil.synthesis.plan import Step

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


def step_doc(fitted: FittedStep, shelf: Shelf) -> StepDoc:
    """A fitted step as it is written."""
    return StepDoc(
        state=_model_doc(fitted.state, shelf),
        value=_model_doc(fitted.value, shelf),
        joint=_model_doc(fitted.joint, shelf),
    )


def step_of(doc: StepDoc, step: Step, columns: Mapping[str, Column], file: Unpacked) -> FittedStep:
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


def _model_doc(model: Any, shelf: Shelf) -> ModelDoc | None:
    if model is None:
        return None
    arrays: dict[str, int] = {}
    scalars: dict[str, Scalar] = {}
    for name, value in model.to_arrays().items():
        held = value.item() if isinstance(value, np.generic) else value
        if isinstance(held, np.ndarray):
            arrays[name] = shelf.put(held)
        elif isinstance(held, float) and not isfinite(held):
            arrays[name] = shelf.put(np.array(held))  # JSON has no infinity
        else:
            scalars[name] = held
    method = type(model).__module__.rsplit(".", maxsplit=1)[-1]
    return ModelDoc(method=method, arrays=arrays, scalars=scalars)


def _model(
    doc: ModelDoc | None,
    methods: tuple[str, ...],
    file: Unpacked,
    *,
    n_codes: int = 0,
    n_columns: int = 0,
) -> Any:
    if doc is None:
        return None
    if doc.method not in methods:
        refuse(file.place)
    arrays: dict[str, Any] = dict(doc.scalars)
    for name, number in doc.arrays.items():
        array = file.array(number)
        arrays[name] = array.item() if array.ndim == 0 else array
    if doc.method == "cart" and not _is_tree(arrays, n_columns):
        refuse(file.place)
    drawn = arrays.get({"cart": "donors.values", "sample": "values"}.get(doc.method, "classes"))
    if n_codes and drawn is not None and not within(drawn, n_codes):
        refuse(file.place)
    return restored(doc.method, arrays)


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
    has_columns = within(feature[inner], n_columns) and len(arrays["cuts.threshold"]) == n
    ends = start.astype(np.int64) + size
    is_inside = bool((start >= 0).all() and (size >= 0).all())
    is_inside = is_inside and int(ends.max()) <= len(arrays["donors.values"])
    reached = np.union1d([0], np.concatenate([left[inner], right[inner]])).astype(np.int64)
    has_donors = bool((size[reached][is_leaf[reached]] > 0).all()) if goes_on else False
    return bool(goes_on and has_columns and is_inside and has_donors)
