"""Which ways of making copies are to be tried? What a user wrote, checked before anything is done.

A setting is a mapping: `method`, the options of `unveil.synthesise`, and what is done to the copy
afterwards: `filter` (as `unveil.refill` takes it, or True) and `add_noise` (as `unveil.add_noise`).
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, parse_choice, parse_whole_number, quote_value
from unveil.errors import SettingsError, quote_text, unknown_name
from unveil.synthesis.methods import Options

METHODS = ("cart", "parametric", "sample", "catall", "ipf")
OPTIONS = (
    "min_leaf",
    "min_split",
    "complexity",
    "min_spread",
    "smoothing",
    "prior",
    "noise",
    "margins",
    "order",
    "predictors",
    "strata",
    "rules",
    "derived",
    "spikes",
)
"""What of `unveil.synthesise` a setting may say; the rest is the same for all."""
FIELDS = ("name", "method", *OPTIONS, "rows", "files", "filter", "add_noise")
FILTERS = ("columns", "metric", "rule", "ties", "missing", "protect_columns", "drop", "max_rounds")
MOST_SETTINGS = 1_000
MIN_LEAF = (1, 5, 20, 50)
DEFAULT_LEAF = Options.min_leaf


@dataclass(frozen=True)
class CandidateSetting:
    """One way of making copies; what cannot be a setting is refused."""

    method: str | Mapping[str, str] = "cart"
    options: Mapping[str, Any] = field(default_factory=dict)
    filter: Mapping[str, Any] | None = None
    add_noise: Mapping[str, Any] | None = None
    name: str = ""  # what tells it from others, where none is given
    rows: int | None = None  # of each file; None: as many as it was made from
    files: int | None = None  # in one release, for recognition; None: one

    @classmethod
    def of(cls, given: Any) -> "CandidateSetting":
        """A setting as a user wrote it."""
        example = '{"method": "cart", "min_leaf": 5}'
        said = _fields("A setting", given, FIELDS, f"Write it as a mapping, such as {example}.")
        filter_, noise, name = said.get("filter"), said.get("add_noise"), said.get("name")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise SettingsError(f"The name of a setting is {quote_value(name)}; it must be text.")
        return cls(
            method=said.get("method", "cart"),
            options={name: said[name] for name in OPTIONS if said.get(name) is not None},
            filter={True: {}, False: None}[filter_] if isinstance(filter_, bool) else filter_,
            add_noise=None if noise == {} else noise,
            name=name or "",
            rows=None if said.get("rows") is None else parse_whole_number("rows", said["rows"]),
            files=None if said.get("files") is None else parse_whole_number("files", said["files"]),
        )

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        if not isinstance(self.method, Mapping):
            put("method", parse_choice("The method of a setting", self.method, METHODS))
        if self.method not in ("parametric", "sample"):
            put("options", {**self.options, "min_leaf": self.options.get("min_leaf", DEFAULT_LEAF)})
        if self.filter is not None:
            how = 'Write True, or how to filter: {"metric": "gower"}.'
            put("filter", _fields("filter", self.filter, FILTERS, how))
        if self.add_noise is not None:
            how = 'Write how much noise by column: {"income": 100}.'
            put("add_noise", _fields("add_noise", self.add_noise, None, how))
        try:
            self.text  # noqa: B018  (what cannot be written down cannot be resumed)
        except (TypeError, ValueError):
            raise SettingsError(
                "A setting contains something other than text, finite numbers and lists. Use only"
                " these, so that it can be kept in a folder."
            ) from None
        put("name", self.name or self._describe())

    def _describe(self) -> str:
        """What tells a setting from others."""
        options = {**self.options}
        if self.method in ("catall", "ipf") and options.get("min_leaf") == DEFAULT_LEAF:
            del options["min_leaf"]
        options |= {name: one for name, one in self._size.items() if one is not None}
        words = [self.method_name, *(f"{name} {_short(value)}" for name, value in options.items())]
        if self.filter is not None:
            how = [_short(value) for name, value in self.filter.items() if name != "columns"]
            words.append(" ".join(["filtered", *how]))
        if self.add_noise is not None:
            words.append(" ".join(["noise", *self.add_noise]))
        return ", ".join(words)

    @property
    def _size(self) -> dict[str, int | None]:
        return {"rows": self.rows, "files": self.files}

    @property
    def text(self) -> str:
        """All of it but the name, in one spelling."""
        after = {"filter": self.filter, "add_noise": self.add_noise, **self._size}
        given = {name: one for name, one in after.items() if one is not None}
        return _format_settings({"method": self.method, **self.options, **given})

    @property
    def mark(self) -> str:
        """A short name that is the same whenever the setting is."""
        return _hash(self.text)

    @property
    def model_mark(self) -> str:
        """The same for settings that differ in filter and noise alone: they share their draws."""
        return _hash(_format_settings({"method": self.method, **self.options}))

    @property
    def method_name(self) -> str:
        """The method in a word."""
        return self.method if isinstance(self.method, str) else "by column"

    @property
    def min_leaf(self) -> int | None:
        """The fewest rows in a leaf; None where every column is modelled by a regression."""
        return None if self.method in ("parametric", "sample") else self.options["min_leaf"]


MADE_ELSEWHERE = "file"
NO_METHOD = "none"


@dataclass(frozen=True)
class ForeignFiles:
    """Files made by any other method: named, and measured like our own."""

    name: str
    files: tuple[Any, ...]
    method_name: str = MADE_ELSEWHERE
    min_leaf: int | None = None
    filter: None = None
    add_noise: None = None

    @property
    def text(self) -> str:
        """The names of the files, as a record has them."""
        kinds = (
            one if isinstance(one, str | os.PathLike) else "a data frame" for one in self.files
        )
        return _format_settings({"files": [Path(os.fsdecode(one)).name for one in kinds]})


def parse_files(given: Any, taken: Iterable[str]) -> tuple[ForeignFiles, ...]:
    """Files by the name of what made them; a list of files, each by its own name."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        listed = _list("files", given)
        if not all(isinstance(one, str | os.PathLike) for one in listed):
            raise SettingsError('Name what made the files: files={"synthpop": [...]}.')
        given = {Path(os.fsdecode(one)).stem: one for one in listed}
        if len(given) < len(listed):
            raise SettingsError('Two files have one name. Name them: files={"synthpop": [...]}.')
    made = []
    for name, files in given.items():
        if not isinstance(name, str) or not name.strip() or name in taken:
            raise SettingsError(f"{quote_value(name)} is no name of its own for files. Give one.")
        several = list(files) if isinstance(files, list | tuple) else [files]
        made.append(ForeignFiles(name, tuple(_list("files", several))))
    return tuple(made)


def _format_settings(said: Mapping[str, Any]) -> str:
    return json.dumps(said, sort_keys=True, ensure_ascii=True, allow_nan=False)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def parse_settings(
    settings: Any, *, methods: Any, min_leaf: Any, filter_: Any, add_noise: Any
) -> tuple[CandidateSetting, ...]:
    """The settings given, or those of the grid; none of them twice."""
    if settings is None and methods in (NO_METHOD, (NO_METHOD,), [NO_METHOD]):
        return ()
    if settings is None:
        leaves = _list("min_leaf", min_leaf)
        given: list[Any] = [*grid(_list("methods", methods), leaves, filter_, add_noise)]
    elif filter_ or add_noise:
        raise SettingsError(
            "filter and add_noise are parts of each setting where settings are given. Write them"
            " there."
        )
    else:
        given = [settings] if isinstance(settings, Mapping) else _list("settings", settings)
    if not 0 < len(given) <= MOST_SETTINGS:
        raise SettingsError(f"{len(given):,} settings are given; try 1 to {MOST_SETTINGS:,}.")
    made = [CandidateSetting.of(one) for one in given]
    names, marks = [one.name for one in made], [one.mark for one in made]
    for name, mark in zip(names, marks, strict=True):
        if names.count(name) > 1 or marks.count(mark) > 1:
            raise SettingsError(f"The setting {quote_text(name)} is given twice. Give it once.")
    return tuple(made)


def grid(
    methods: Iterable[Any], min_leaf: Iterable[Any], filter_: Any, add_noise: Any = None
) -> Iterator[dict[str, Any]]:
    """Trees by min_leaf, other methods once; each without and, if asked for, with filter, noise."""
    leaves = list(min_leaf)
    for method in methods:
        trees = [{"method": method, "min_leaf": fewest} for fewest in leaves]
        for one in trees if method == "cart" else [{"method": method}]:
            for plain in [one, {**one, "filter": filter_}] if filter_ else [one]:
                yield plain
                if add_noise:
                    yield {**plain, "add_noise": add_noise}


def _list(what: str, given: Any) -> list[Any]:
    found = list(given) if is_list(given) else [given]
    if not found:
        raise SettingsError(f"{what} is empty. Name at least one, or omit it.")
    return found


def _fields(what: str, given: Any, known: Sequence[str] | None, how: str) -> dict[str, Any]:
    """A mapping that a user wrote, with fields that are known alone where they are."""
    if not isinstance(given, Mapping):
        raise SettingsError(f"{what} is {quote_value(given)}. {how}")
    for name in given:
        if known is not None and name not in known:
            raise SettingsError(
                unknown_name(f"{what} has no field", name, known, "Its fields are", most=99)
            )
    return dict(given)


def _short(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else "given"
