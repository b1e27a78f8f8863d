"""How does a measure take a study in the place of its files?

What the study holds goes to the parameters of the same name: files, missing values, and what was
said of columns when it was opened. What is said in the call itself goes first.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from unveil.errors import SettingsError
from unveil.study.study import Study

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

_ORIGINAL = ("original", "data", "train")
_FILES = (*_ORIGINAL, "synthetic", "methods", "control")
_BY_COLUMN = ("bands", "special_codes", "categories", "categorical")
_COMPARED = (("columns",), ("secrets", "keys"), ("targets", "keys"), ("target", "keys"), ("keys",))
"""Settings that say which columns a measure compares; all columns where one is left open."""


class TakesStudy(Protocol[P, R_co]):
    """A measure of files, or of a study."""

    @overload
    def __call__(self, study: Study, /, **settings: Any) -> R_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


def takes_study(measure: Callable[P, R_co]) -> TakesStudy[P, R_co]:
    """The measure, which takes a `Study` where it takes its first file."""
    known = signature(measure).parameters
    more = [
        name
        for name, one in known.items()
        if one.kind is one.POSITIONAL_OR_KEYWORD and name not in _FILES
    ]

    @wraps(measure)
    def call(*args: Any, **settings: Any) -> R_co:
        if not args or not isinstance(args[0], Study):
            return measure(*args, **settings)
        study, *others = args
        if len(others) > len(more) or any(name in settings for name in _FILES):
            raise SettingsError("A study holds all files. Give nothing but settings beside it.")
        settings |= dict(zip(more, others, strict=False))
        files = {name: one for name, one in _files(study).items() if name in known}
        for name, one in known.items():
            if name in _FILES and one.default is one.empty and name not in files:
                raise SettingsError(f"The study has no {name} file. Give it to Study.open.")
        return measure(**files, **_columns(study, tuple(known), settings))  # type: ignore[call-arg]

    return call


def _files(study: Study) -> dict[str, Any]:
    copies: Any = study.synthetic
    return {
        **dict.fromkeys(_ORIGINAL, study.original),
        "synthetic": copies[0] if len(copies) == 1 else copies,
        "methods": {"synthetic": copies},
        **({} if study.control is None else {"control": study.control}),
    }


def _columns(study: Study, known: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """What is said of columns: in the call, else when the study was opened."""
    opened = {**study.columns, "missing_values": study.missing_values}
    held = {name: one for name, one in opened.items() if name in known and one is not None}
    said = {**held, **given}
    compared = _list_compared(known, said)
    if compared is None:
        return said
    for name in [one for one in _BY_COLUMN if one in held and one not in given]:
        kept = [column for column in held[name] if column in compared]
        is_mapping = isinstance(held[name], Mapping)
        said[name] = {column: held[name][column] for column in kept} if is_mapping else kept
    return said


def _list_compared(known: tuple[str, ...], said: Mapping[str, Any]) -> set[str] | None:
    """The columns that a measure compares; None: all."""
    group = next((names for names in _COMPARED if names[0] in known), ())
    named = [said.get(name) for name in group]
    return None if not named or None in named else set(_flat(named))


def _flat(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    else:
        for one in given:
            yield from _flat(one)
