"""Which ways of making copies are to be tried? What a user wrote, checked before anything is done.

A setting is a mapping: `method`, the options of `unveil.synthesise`, and what is done to the copy
afterwards: `filter` (as `unveil.refill` takes it, or True) and `add_noise` (as `unveil.add_noise`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from unveil.arguments import choice, is_list, quote_value
from unveil.errors import SettingsError, list_names, nearest, quote_text

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
FIELDS = ("name", "method", *OPTIONS, "filter", "add_noise")
FILTERS = ("columns", "metric", "rule", "ties", "missing", "protect_columns", "drop", "max_rounds")
MOST_SETTINGS = 1_000
MIN_LEAF = (1, 5, 20, 50)
DEFAULT_LEAF = 5


@dataclass(frozen=True)
class CandidateSetting:
    """One way of making copies."""

    name: str
    method: str | Mapping[str, str]
    options: Mapping[str, Any]
    filter: Mapping[str, Any] | None
    add_noise: Mapping[str, Any] | None

    @property
    def text(self) -> str:
        """All of it but the name, in one spelling."""
        said: dict[str, Any] = {"method": self.method, **self.options}
        said |= {} if self.filter is None else {"filter": self.filter}
        said |= {} if self.add_noise is None else {"add_noise": self.add_noise}
        return _spelt(said)

    @property
    def mark(self) -> str:
        """A short name that is the same whenever the setting is."""
        return _hash(self.text)

    @property
    def model_mark(self) -> str:
        """The same for settings that differ in filter and noise alone: they share their draws."""
        return _hash(_spelt({"method": self.method, **self.options}))

    @property
    def method_name(self) -> str:
        """The method in a word."""
        return self.method if isinstance(self.method, str) else "by column"

    @property
    def min_leaf(self) -> int | None:
        """The fewest rows in a leaf; None where every column is modelled by a regression."""
        return None if self.method in ("parametric", "sample") else self.options["min_leaf"]


def _spelt(said: Mapping[str, Any]) -> str:
    return json.dumps(said, sort_keys=True, ensure_ascii=True, allow_nan=False)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def parse_settings(
    settings: Any, *, methods: Any, min_leaf: Any, filter_: Any, add_noise: Any
) -> tuple[CandidateSetting, ...]:
    """The settings given, or those of the grid; none of them twice."""
    if settings is None:
        given: list[Any] = list(
            grid(_list("methods", methods), _list("min_leaf", min_leaf), filter_)
        )
        given = list(_add_noise_variants(given, add_noise))
    elif filter_ or add_noise:
        raise SettingsError(
            "filter and add_noise are parts of each setting where settings are given. Write them"
            " there."
        )
    else:
        given = [settings] if isinstance(settings, Mapping) else _list("settings", settings)
    if not 0 < len(given) <= MOST_SETTINGS:
        raise SettingsError(f"{len(given):,} settings are given; try 1 to {MOST_SETTINGS:,}.")
    made = [_setting(one) for one in given]
    names, marks = [one.name for one in made], [one.mark for one in made]
    for name, mark in zip(names, marks, strict=True):
        if names.count(name) > 1 or marks.count(mark) > 1:
            raise SettingsError(f"The setting {quote_text(name)} is given twice. Give it once.")
    return tuple(made)


def grid(methods: Iterable[Any], min_leaf: Iterable[Any], filter_: Any) -> Iterator[dict[str, Any]]:
    """Trees by min_leaf, other methods once; each without and, if asked for, with a filter."""
    leaves = list(min_leaf)
    for method in methods:
        several: list[dict[str, Any]] = [{"method": method}]
        if method == "cart":
            several = [{"method": method, "min_leaf": fewest} for fewest in leaves]
        for one in several:
            yield one
            if filter_:
                yield {**one, "filter": filter_}


def _add_noise_variants(
    given: Iterable[dict[str, Any]], add_noise: Any
) -> Iterator[dict[str, Any]]:
    for one in given:
        yield one
        if add_noise:
            yield {**one, "add_noise": add_noise}


def _list(what: str, given: Any) -> list[Any]:
    found = list(given) if is_list(given) else [given]
    if not found:
        raise SettingsError(f"{what} is empty. Name at least one, or leave it out.")
    return found


def _setting(given: Any) -> CandidateSetting:
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"A setting is {quote_value(given)}. Write it as a mapping, such as"
            ' {"method": "cart", "min_leaf": 5}.'
        )
    for field in given:
        if field not in FIELDS:
            raise SettingsError(
                f"A setting has no field {quote_value(field)}.{nearest(str(field), FIELDS)} Its "
                "fields"
                f" are: {list_names(FIELDS, len(FIELDS))}."
            )
    method = given.get("method", "cart")
    if not isinstance(method, Mapping):
        method = choice("The method of a setting", method, METHODS)
    options = {name: given[name] for name in OPTIONS if given.get(name) is not None}
    if method not in ("parametric", "sample"):
        options.setdefault("min_leaf", DEFAULT_LEAF)
    made = CandidateSetting(
        "", method, options, _filter(given.get("filter")), _as_mapping(given.get("add_noise"))
    )
    return CandidateSetting(
        _name(given.get("name"), made), method, options, made.filter, made.add_noise
    )


def _filter(given: Any) -> Mapping[str, Any] | None:
    if given is None or given is False:
        return None
    if given is True:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(
            f'filter is {quote_value(given)}. Write True, or how to filter: {{"metric": "gower"}}.'
        )
    for field in given:
        if field not in FILTERS:
            raise SettingsError(
                f"filter has no field {quote_value(field)}.{nearest(str(field), FILTERS)} Its "
                "fields"
                f" are: {list_names(FILTERS)}."
            )
    return dict(given)


def _as_mapping(given: Any) -> Mapping[str, Any] | None:
    if given is None or (isinstance(given, Mapping) and not given):
        return None
    if not isinstance(given, Mapping):
        raise SettingsError(
            f'add_noise is {quote_value(given)}. Write how much noise by column: {{"income": 100}}.'
        )
    return dict(given)


def _name(given: Any, made: CandidateSetting) -> str:
    """The name given, or what tells a setting from others."""
    try:
        made.text  # noqa: B018  (what cannot be written down cannot be resumed)
    except (TypeError, ValueError):
        raise SettingsError(
            "A setting holds something that is no text, finite number or list. Write it in these"
            " alone, so that it can be kept in a folder."
        ) from None
    if given is not None:
        if not isinstance(given, str) or not given.strip():
            raise SettingsError(f"The name of a setting is {quote_value(given)}; it must be text.")
        return given
    options = {**made.options}
    if made.method in ("catall", "ipf") and options.get("min_leaf") == DEFAULT_LEAF:
        del options["min_leaf"]
    words = [made.method_name, *(f"{name} {_short(value)}" for name, value in options.items())]
    words += [] if made.filter is None else [" ".join(["filtered", *_filter_fields(made.filter)])]
    words += [] if made.add_noise is None else [" ".join(["noise", *made.add_noise])]
    return ", ".join(words)


def _filter_fields(filter_: Mapping[str, Any]) -> list[str]:
    return [_short(value) for name, value in filter_.items() if name != "columns"]


def _short(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else "given"
