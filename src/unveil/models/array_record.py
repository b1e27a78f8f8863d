"""Records that a model file holds: arrays and numbers by name, records within them under theirs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np

Arrays = dict[str, Any]
"""What a model file holds of a model: numpy arrays, text, numbers, truth values and None."""


@dataclass(frozen=True)
class ArrayRecord:
    """A record that becomes arrays and back, field by field: "cuts.left" is `left` of `cuts`.

    The fields of records named in `FLAT` stand beside the others, without a prefix. Notes are not
    stored: they belong to the fit. A field that is absent has its default.
    """

    FLAT: ClassVar[tuple[str, ...]] = ()

    def to_arrays(self) -> Arrays:
        """For a model file."""
        made: Arrays = {}
        for name, kind in _stored_fields(type(self)).items():
            value = getattr(self, name)
            if _record_in(kind) is None:
                made[name] = np.array(value) if isinstance(value, tuple) else value
            elif value is not None:
                inner = value.to_arrays()
                made |= inner if name in self.FLAT else add_prefix(name, inner)
        return made

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The record that `to_arrays` wrote."""
        made: dict[str, Any] = {}
        for name, kind in _stored_fields(cls).items():
            record = _record_in(kind)
            if record is not None:
                inner = arrays if name in cls.FLAT else strip_prefix(name, arrays)
                if inner or type(None) not in get_args(kind):
                    made[name] = record.from_arrays(inner)
            elif name in arrays:
                is_tuple = get_origin(kind) is tuple
                made[name] = tuple(arrays[name].tolist()) if is_tuple else arrays[name]
        return cls(**made)


def _stored_fields(kind: type[ArrayRecord]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind) if field.name != "notes"}


def _record_in(kind: Any) -> type[ArrayRecord] | None:
    """The record that a field may hold; None where it holds an array or a number."""
    kinds = (kind, *get_args(kind))
    return next(
        (one for one in kinds if isinstance(one, type) and issubclass(one, ArrayRecord)), None
    )


def add_prefix(name: str, arrays: Mapping[str, Any]) -> Arrays:
    """Arrays under a name: "cuts.left"."""
    return {f"{name}.{key}": value for key, value in arrays.items()}


def strip_prefix(name: str, arrays: Mapping[str, Any]) -> Arrays:
    """The arrays that stand under a name, without it."""
    start = f"{name}."
    return {key.removeprefix(start): v for key, v in arrays.items() if key.startswith(start)}
