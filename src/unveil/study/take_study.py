"""How does a measure take a study in the place of its files?

What the study holds goes to the parameters of the same name: files, missing values, and what was
said of columns when it was opened. What is said in the call itself goes first.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from unveil.study.study import Study

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

_ORIGINAL = ("original", "data", "train")


class TakesStudy(Protocol[P, R_co]):
    """A measure of files, or of a study."""

    @overload
    def __call__(self, study: Study, /, **settings: Any) -> R_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


def takes_study(measure: Callable[P, R_co]) -> TakesStudy[P, R_co]:
    """The measure, which takes a `Study` where it takes its first file."""
    known = tuple(signature(measure).parameters)

    @wraps(measure)
    def call(*args: Any, **settings: Any) -> R_co:
        if args and isinstance(args[0], Study):
            settings = {**_arguments(args[0], known), **settings}
            return measure(*args[1:], **settings)
        return measure(*args, **settings)

    return call


def _arguments(study: Study, known: tuple[str, ...]) -> dict[str, Any]:
    copies: Any = study.synthetic
    copies = copies[0] if len(copies) == 1 else copies
    held: dict[str, Any] = {
        **dict.fromkeys(_ORIGINAL, study.original),
        "synthetic": copies,
        "methods": {"synthetic": study.synthetic},
        "control": study.control,
        "missing_values": study.missing_values,
        **study.columns,
    }
    if study.control is None and "train" in known:
        del held["control"]  # without which the measure has to be told of one
    return {name: value for name, value in held.items() if name in known and value is not None}
