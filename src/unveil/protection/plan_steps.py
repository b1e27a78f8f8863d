"""Which settings has each step after the recodings, and what may they say?

All that can be refused before any data is read is refused here, in the words of the step itself.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from unveil.measure.membership.given import amount, size, sizes, threshold_given
from unveil.measure.membership.populations import population_of
from unveil.protection.distance.settings import parse_settings
from unveil.protection.noise_asked import wanted
from unveil.protection.plan_synthesis import Faults, Said, faults_of, unknown
from unveil.read.banding import parse_bands
from unveil.read.given import is_list, number_in, shown
from unveil.read.roles import names
from unveil.synthesis.settings import whole

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


def step_faults(do: str, said: Said) -> Faults:
    """What is wrong with the settings of one step."""
    told = list(unknown(said, SETTINGS[do], none=_NONE))
    yield from told
    known = {name: given for name, given in said.items() if name in SETTINGS[do]}
    for name, sentence in _CHECKS[do](known) if do in _CHECKS else ():
        if name is not None or not told:  # what seems left out may be what is misspelt
            yield name, sentence


_NONE = "The settings of the synthesis stand in [synthesis], or in synthesis={...}."


def _filter(said: Said) -> Faults:
    for name in said:
        if name == "max_rounds":
            yield from faults_of(name, lambda: whole("max_rounds", said["max_rounds"], least=1))
        else:
            one: dict[str, Any] = {**FILTER, name: said[name], "missing_values": ()}
            check = partial(parse_settings, **one, inverse_covariance=None, ranges=None)
            yield from faults_of(name, check)


def _removal(said: Said) -> Faults:
    if "keys" in said:
        yield from faults_of("keys", lambda: names(said["keys"], "Keys"))
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
        yield from faults_of("columns", lambda: names(said["columns"], "Columns to smooth"))
    yield from faults_of("special_codes", lambda: parse_bands(None, said.get("special_codes")))


def _noise(said: Said) -> Faults:
    if not isinstance(said.get("column"), str) or not said["column"]:
        yield None, 'column is not given. Name a column of numbers: column = "age".'
        said = {**said, "column": "column"}
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
        yield from faults_of("sigma", lambda: amount(said["sigma"]))
    for name in ("noise", "round", "clip", "special_codes"):
        if name in said:
            asked = {said["column"]: {"sigma": 0, name: said[name]}}
            swapped = [*_swapped(said[name])] if name == "clip" else []
            yield from swapped or faults_of(name, partial(wanted, asked, None))


def _swapped(clip: Any) -> Faults:
    ends = [number_in(end) for end in clip] if is_list(clip) else []
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        yield (
            "clip",
            f"clip goes from {ends[0]:.15g} to {ends[1]:.15g}. Give the lowest value first:"
            f" [{ends[1]:.15g}, {ends[0]:.15g}].",
        )


def _of_whom(said: Said) -> Faults:
    if "population" in said:
        some = np.array([0.0, 1.0])
        yield from faults_of("population", lambda: population_of(said["population"], some))
    told = [
        fault
        for name in ("N", "n")
        if name in said
        for fault in faults_of(name, partial(size, name, said[name]))
    ]
    if not told and "N" in said and "n" in said:
        told = [*faults_of("N", lambda: sizes(said["N"], said["n"]))]
    yield from told
    if "threshold" in said:
        yield from faults_of("threshold", lambda: threshold_given(said["threshold"]))
    if not isinstance(said.get("discrete", False), bool):
        yield "discrete", f"discrete is {shown(said['discrete'])}. It must be true or false."


_CHECKS: dict[str, Callable[[Said], Faults]] = {
    "distance_filter": _filter,
    "remove_replicated_uniques": _removal,
    "smooth": _smoothing,
    "add_noise": _noise,
}
