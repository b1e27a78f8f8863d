"""The types of arguments: what each takes, in words, and how a command line writes it.

A call is declared once, by its signature and docstring. `checked` holds what is given against the
declared types; `unveil.cli` derives a command from the same declaration. Bounds are data:
``people: Annotated[int, Meta(ge=1)]``.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from unveil.errors import InputError, check_name

Call = TypeVar("Call", bound=Callable[..., Any])


class Form(NamedTuple):
    """How an argument is written on a command line, and what it takes, in words."""

    takes: str
    metavar: str
    parse: Callable[[Sequence[str]], Any]  # of all the texts given for the option
    flags: tuple[str, ...] = ()  # by default the name of the argument


def last_text(texts: Sequence[str]) -> str:
    return texts[-1]


NAME = re.compile(r'"((?:[^"]|"")*)"|([^,+"]+|")|([,+])')


def split_names(texts: Sequence[str]) -> list[str]:
    """Names parted by commas; quotes protect: "Age, years",sex."""
    return ["+".join(parts) for parts in _split(texts)]


def split_targets(texts: Sequence[str]) -> list[str | list[str]]:
    """The same, where a plus sign outside quotes joins columns to one target."""
    return [parts if len(parts) > 1 else parts[0] for parts in _split(texts)]


def _split(texts: Sequence[str]) -> list[list[str]]:
    """Each name in its parts."""
    names: list[list[str]] = []
    for text in texts:
        names.append([""])
        for quoted, plain, mark in NAME.findall(text):
            if mark == ",":
                names.append([""])
            elif mark:
                names[-1].append("")
            else:
                names[-1][-1] += quoted.replace('""', '"') or plain.strip()
    return [parts for parts in names if any(parts)]


def quote_name(name: str) -> str:
    """A name as `split_names` reads it as one."""
    is_plain = name == name.strip() and not re.search('[,+":=]', name)
    return name if is_plain else '"' + name.replace('"', '""') + '"'


COLUMNS = "a column or several"

File = Annotated[Any, Form("a path or a data frame", "FILE", last_text)]
"""A path, or a frame of polars, pandas, pyarrow or another library that narwhals reads."""

Synthetic = Annotated[Any, Form("a file or several", "NAME=FILE,FILE", list)]
"""A file, several (copies), or a mapping of versions to either."""

Names = Annotated[str | Sequence[str], Form(COLUMNS, "NAMES", split_names)]
"""One name or several; sex,age on a command line."""

Keys = Annotated[str | Sequence[str], Form(COLUMNS, "NAMES", split_names, ("--keys", "-k"))]

Targets = Annotated[
    str | Sequence[str | Sequence[str]],
    Form(COLUMNS, "NAMES", split_targets, ("--targets", "-t")),
]
"""Columns; several that are one target are a sequence among them, income+health typed."""

Texts = Annotated[str | Sequence[str], Form("a text or several", "TEXT", list)]
"""One text or several; an option that may be repeated."""

Missing = Annotated[Sequence[str], Form("texts that stand for a missing value", "TEXT", list)]

AtLeastNone = Annotated[float, Meta(ge=0)]
PercentOf = Annotated[float, Meta(ge=0, le=100)]
Thresholds = Annotated[
    tuple[AtLeastNone, PercentOf, AtLeastNone, PercentOf],
    Form("four numbers: one-way above n and percent, two-way above n and percent",
         "N,PERCENT,N,PERCENT", split_names),
]  # fmt: skip

Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)] | None
"""The start of the random numbers; recorded, and always the same where none is given."""

SecretSeed = Annotated[int, Meta(ge=0, le=2**32 - 1), "drawn"] | None
"""The same where it is confidential; drawn and recorded where none is given."""

Part = Annotated[float, Meta(gt=0, le=1)]
"""A part of 1."""


def checked(call: Call) -> Call:
    """Hold what a public call is given against its signature; each fault is one sentence."""

    @wraps(call)
    def checked_call(*arguments: Any, **settings: Any) -> Any:
        return call(**bind(call, arguments, settings))

    return checked_call  # type: ignore[return-value]


def bind(
    call: Callable[..., Any], arguments: Sequence[Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name, each as the type that is declared; defaults too."""
    signature, hints = inspect.signature(call), hints_of(call)
    for name in settings:
        check_name(name, hints, f"{_title(call)} has no setting")
    try:
        bound = signature.bind(*arguments, **settings)
    except TypeError as fault:
        raise InputError(f"{_title(call)}: {fault}.") from None
    bound.arguments |= {
        name: convert(name, value, hints[name])
        for name, value in bound.arguments.items()
        if name in hints
    }
    bound.apply_defaults()
    return bound.arguments


def _title(call: Callable[..., Any]) -> str:
    return call.__qualname__.partition(".")[0]


@cache
def hints_of(call: Callable[..., Any]) -> dict[str, Any]:
    """The declared types of a call's arguments, with what stands beside them."""
    hints = get_type_hints(call, include_extras=True)
    return {name: hint for name, hint in hints.items() if name != "return"}


def convert(name: str, value: Any, hint: Any) -> Any:
    """A value as the type that is declared, or a refusal that says what the setting takes."""
    is_text_of_several = isinstance(value, str) and any(
        get_origin(part) is Sequence for part in (hint, *get_args(hint), *_parts(hint))
    )
    try:
        return msgspec.convert([value] if is_text_of_several else value, hint, strict=False)
    except (msgspec.ValidationError, TypeError, ValueError, OverflowError):
        raise InputError(f"{name!r} takes {takes(hint)}, not {_shown(value)}.") from None


def _parts(hint: Any) -> tuple[Any, ...]:
    """What a declared type is made of, its annotations aside."""
    if get_origin(hint) is Annotated:
        return _parts(get_args(hint)[0])
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def form_of(hint: Any) -> Form | None:
    """How an argument of this type is typed, where its type says so."""
    extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    forms = (extra for extra in extras if isinstance(extra, Form))
    parts = (form for part in _parts(hint) if part is not hint and (form := form_of(part)))
    return next(forms, None) or next(parts, None)


PLAIN = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    tuple: "a list",
    Sequence: "a list",
    Mapping: "a mapping of names",
    dict: "a mapping of names",
}


def takes(hint: Any) -> str:
    """What a declared type takes, in words."""
    if form := form_of(hint):
        return form.takes
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return takes(base) + "".join(_bounds(meta) for meta in extras if isinstance(meta, Meta))
    if get_origin(hint) is Literal:
        return " or ".join(repr(choice) for choice in get_args(hint))
    if len(parts := [part for part in _parts(hint) if part is not NoneType]) > 1:
        return " or ".join(dict.fromkeys(map(takes, parts)))
    plain = parts[0]
    if plain is not hint:
        return takes(plain)
    return PLAIN.get(get_origin(plain) or plain) or _kind(plain)


def _bounds(meta: Meta) -> str:
    """from 1 on, above 0 to 1."""
    low = "" if meta.ge is None else f" from {meta.ge:,}"
    low = low if meta.gt is None else f" above {meta.gt:,}"
    return low + (f" to {meta.le:,}" if meta.le is not None else " on" if "from" in low else "")


def _shown(value: Any) -> str:
    """What was given, as a message repeats it: short settings as they are, else their type."""
    is_plain = isinstance(value, str | int | float | list | tuple)
    return repr(value) if is_plain and len(repr(value)) <= 40 else f"{_kind(type(value))}"


def _kind(kind: type) -> str:
    """a list, an object."""
    name = kind.__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order."""
    return tuple(dict.fromkeys([names] if isinstance(names, str) else names))
