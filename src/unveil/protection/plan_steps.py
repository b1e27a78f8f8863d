"""Which settings has each step after the recodings, and what may they say?

All that can be refused before any data is read is refused here, in the words of the step itself.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from unveil.errors import InputError, SettingsError, listed, nearest
from unveil.measure.membership.given import amount, size, sizes, threshold_given
from unveil.measure.membership.populations import population_of
from unveil.protection.distance.settings import parse_settings
from unveil.protection.noise_asked import wanted
from unveil.read.banding import parse_bands
from unveil.read.given import shown
from unveil.read.roles import names
from unveil.synthesis.settings import options_of, whole
from unveil.synthesis.synthesise import synthesise

FILTER = {
    "columns": None,
    "metric": "mahalanobis",
    "rule": "paper",
    "ties": "any",
    "missing": "exact",
    "protect_columns": (),
    "drop": "auto",
    "special_codes": None,
}
NOISE = ("sigma", "noise", "round", "clip", "special_codes")
PEOPLE = ("population", "N", "n", "threshold", "discrete")
SETTINGS: dict[str, tuple[str, ...]] = {
    "synthesise": (),
    "distance_filter": (*FILTER, "max_rounds"),
    "remove_replicated_uniques": ("keys", "uniques_of_original"),
    "smooth": ("columns", "special_codes"),
    "add_noise": ("column", *PEOPLE, *NOISE, "not_needed"),
}
"""The steps that are no recoding, by the word a plan has for them."""

_OF_ALL = inspect.signature(synthesise).parameters
SYNTHESIS = tuple(name for name in _OF_ALL if name not in ("original", "progress"))
"""Settings of the synthesis: the arguments of `unveil.synthesise`."""
_LEAVES = (
    *("min_leaf", "min_split", "complexity", "min_spread"),
    *("smoothing", "prior", "noise", "margins"),
)

Said = Mapping[str, Any]
Faults = Iterator[tuple[str | None, str]]
"""What is wrong: the setting, where it is about one, and a sentence."""


def unknown(said: Said, known: tuple[str, ...], *, none: str = "It has none.") -> Faults:
    """Settings that there are not."""
    rest = f"Its settings are: {listed(known, most=40)}." if known else none
    for name in said:
        if name not in known:
            yield (
                str(name),
                f"there is no setting {shown(name)}.{nearest(str(name), known)} {rest}",
            )


def synthesis_faults(said: Said) -> Faults:
    """What is wrong with the settings of the synthesis."""
    yield from unknown(said, SYNTHESIS)
    usual = {name: _OF_ALL[name].default for name in _LEAVES}
    for name in _LEAVES:
        if name in said:
            one = {**usual, name: said[name]}
            yield from _refused(name, partial(options_of, **one))
    if "copies" in said and said["copies"] != 1:
        yield (
            "copies",
            f"copies is {shown(said['copies'])}. One copy is protected and released: several of"
            " the same original give away more. Leave it out.",
        )
    if "rows" in said:
        yield from _refused("rows", lambda: whole("rows", said["rows"], least=1))


def step_faults(do: str, said: Said) -> Faults:
    """What is wrong with the settings of one step."""
    told = list(unknown(said, SETTINGS[do], none=_NONE))
    yield from told
    if do in _CHECKS and not told:
        yield from _CHECKS[do](said)


_NONE = "The settings of the synthesis stand in [synthesis], or in synthesis={...}."


def _refused(name: str | None, check: Callable[[], Any]) -> Faults:
    try:
        check()
    except InputError as fault:
        yield name, str(fault)


def _filter(said: Said) -> Faults:
    for name in said:
        if name == "max_rounds":
            yield from _refused(name, lambda: whole("max_rounds", said["max_rounds"], least=1))
        else:
            one: dict[str, Any] = {**FILTER, name: said[name], "missing_values": ()}
            check = partial(parse_settings, **one, inverse_covariance=None, ranges=None)
            yield from _refused(name, check)


def _removal(said: Said) -> Faults:
    if "keys" in said:
        yield from _refused("keys", lambda: names(said["keys"], "Keys"))
    wide = said.get("uniques_of_original", False)
    if not isinstance(wide, bool):
        yield (
            "uniques_of_original",
            f"uniques_of_original is {shown(wide)}. It must be true or false.",
        )


def _smoothing(said: Said) -> Faults:
    if not said.get("columns"):
        yield None, 'columns is not given. Name columns of numbers, such as ["income"].'
    else:
        yield from _refused("columns", lambda: names(said["columns"], "Columns to smooth"))
    yield from _refused("special_codes", lambda: parse_bands(None, said.get("special_codes")))


def _noise(said: Said) -> Faults:
    if not isinstance(said.get("column"), str) or not said["column"]:
        yield None, 'column is not given. Name a column of numbers: column = "age".'
        return
    if "not_needed" in said:
        yield from _not_needed(said)
        return
    if "sigma" not in said and ("population" not in said or "N" not in said):
        yield (
            None,
            "it does not say how much noise. Give sigma, or population and N, from which the"
            " least noise that is enough is found.",
        )
    lonely = [name for name in PEOPLE if name in said and "population" not in said]
    if "sigma" in said and lonely:
        yield lonely[0], f"{lonely[0]} is given without a population. Give one, or leave it out."
    yield from _how_much(said)
    yield from _of_whom(said)


def _not_needed(said: Said) -> Faults:
    reason, rest = said["not_needed"], [one for one in said if one not in ("column", "not_needed")]
    if not isinstance(reason, str) or not reason.strip():
        yield "not_needed", "not_needed must say why the column needs no noise."
    if rest:
        yield rest[0], f"{rest[0]} is given, but the column is declared to need no noise."


def _how_much(said: Said) -> Faults:
    if "sigma" in said:
        yield from _refused("sigma", lambda: amount(said["sigma"]))
    for name in ("noise", "round", "clip", "special_codes"):
        if name in said:
            asked = {said["column"]: {"sigma": 0, name: said[name]}}
            yield from _refused(name, partial(wanted, asked, None))


def _of_whom(said: Said) -> Faults:
    if "population" in said:
        some = np.array([0.0, 1.0])
        yield from _refused("population", lambda: population_of(said["population"], some))
    told = [
        fault
        for name in ("N", "n")
        if name in said
        for fault in _refused(name, partial(size, name, said[name]))
    ]
    if not told and "N" in said and "n" in said:
        told = [*_refused("N", lambda: sizes(said["N"], said["n"]))]
    yield from told
    if "threshold" in said:
        yield from _refused("threshold", lambda: threshold_given(said["threshold"]))
    if not isinstance(said.get("discrete", False), bool):
        yield "discrete", f"discrete is {shown(said['discrete'])}. It must be true or false."


_CHECKS: dict[str, Callable[[Said], Faults]] = {
    "distance_filter": _filter,
    "remove_replicated_uniques": _removal,
    "smooth": _smoothing,
    "add_noise": _noise,
}


def settings_given(given: Any, what: str, example: str) -> dict[str, Any]:
    """A mapping of settings; nothing where none was given."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(f"{what} is {shown(given)}. It must be a mapping, such as {example}.")
    return dict(given)
