"""Whose attribution is scored: everyone, those alone with their keys, or those marked?

Taub et al. (2018), section 3.3. Statistical uniques are alone with their keys in the original, by
keys only. Special uniques are those in the top decile of SUDA scores, or come as a mask, unless the
mask has a scenario of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from unveil.count.packing import Whole
from unveil.count.profile import Mask
from unveil.errors import SettingsError, listed, nearest
from unveil.measure.attribution.classes import Classes
from unveil.measure.attribution.scores import uniques
from unveil.measure.uniques.suda import special_uniques as uniques_of_keys
from unveil.read.given import is_list, shown
from unveil.records.cap import KeySet

Scenario = Literal["full", "uniques", "special", "mask"]
SCENARIOS: tuple[str, ...] = get_args(Scenario)
MASKED = ("special", "mask")
MOST_KEYS = 16
"""Up to so many keys SUDA searches all sets of them."""


def parse_scenarios(given: Any, mask: Any) -> tuple[str, ...]:
    """The scenarios asked for; a mask has to have one that uses it."""
    chosen = tuple(given) if is_list(given) else (given,)
    for name in chosen:
        if not isinstance(name, str) or name not in SCENARIOS:
            hint = nearest(name, SCENARIOS) if isinstance(name, str) else ""
            raise SettingsError(
                f"There is no scenario {shown(name)}.{hint} The scenarios are: {listed(SCENARIOS)}."
            )
        if name == "mask" and mask is None:
            raise SettingsError(
                "Scenario 'mask' needs a mask. Give one truth value for each original record."
            )
    if not chosen:
        raise SettingsError(f"No scenario is given. The scenarios are: {listed(SCENARIOS)}.")
    if mask is not None and not set(chosen) & set(MASKED):
        raise SettingsError(
            f"A mask is given, but scenario {chosen[0]!r} does not use one. Add the scenario"
            " 'special' or 'mask'."
        )
    return tuple(dict.fromkeys(chosen))


def people_of(
    classes: Classes, key_set: KeySet, scenarios: Sequence[str], mask: Any
) -> dict[str, Whole]:
    """By scenario, how many people of each cell of the original belong to it."""
    people = {"full": classes.d_tq, "uniques": uniques(classes)}
    for name in set(scenarios) & set(MASKED):
        marked = _marked(classes, key_set, None if _is_suda(name, scenarios) else mask)
        people[name] = np.bincount(classes.own_of_row[marked], minlength=len(classes.own))
    return {name: people[name] for name in scenarios}


def _is_suda(scenario: str, scenarios: Sequence[str]) -> bool:
    """Whether it has no use for a mask: beside the scenario "mask", "special" is SUDA's."""
    return scenario == "special" and "mask" in scenarios


def rows_of(classes: Classes, key_set: KeySet, scenario: str, mask: Any) -> Whole:
    """The original records that belong to a scenario, by row."""
    if scenario in MASKED:
        return np.flatnonzero(_marked(classes, key_set, mask))
    chosen = uniques(classes) > 0 if scenario == "uniques" else np.ones(len(classes.own), bool)
    return np.flatnonzero(chosen[classes.own_of_row])


def _marked(classes: Classes, key_set: KeySet, mask: Any) -> Mask:
    """Who is in the mask given, or special without one."""
    if mask is None:
        return special_uniques(classes)
    return truth_values(_mask_of(mask, key_set), classes.n_original)


def special_uniques(classes: Classes) -> Mask:
    """The top decile of SUDA scores, ties included, by the keys as they are compared.

    Levels are those of the counts, bands and missing among them, so that all special uniques are
    statistical uniques too.
    """
    if len(classes.key_columns) > MOST_KEYS:
        raise SettingsError(
            f"Special uniques are not searched for by more than {MOST_KEYS} keys. Give them as a"
            " mask, such as unveil.suda(original, keys=..., max_msu=3).special()."
        )
    return uniques_of_keys(classes.key_columns).is_special


def _mask_of(mask: Any, key_set: KeySet) -> Any:
    """The mask of one key set: special uniques are others for other keys."""
    if isinstance(mask, Mapping):
        if key_set.name not in mask:
            raise SettingsError(
                f"There is no mask for the keys {key_set.name!r}. Give one for each key set:"
                f" {{{key_set.name!r}: ...}}."
            )
        return mask[key_set.name]
    return mask(key_set.keys) if callable(mask) else mask


def truth_values(given: Any, n_original: int) -> Mask:
    """One truth value for each original record, or a refusal."""
    try:
        mask = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
    except (ValueError, TypeError):
        mask = np.empty(0, object)
    if mask.dtype != bool or mask.ndim != 1:
        raise SettingsError(
            "The mask does not hold truth values alone. Give true or false for each original"
            " record, in the order of the original."
        )
    if len(mask) != n_original:
        entries = "1 entry" if len(mask) == 1 else f"{len(mask):,} entries"
        raise SettingsError(
            f"The mask has {entries} but the original {n_original:,}. Give one truth value for each"
            " original record, in the order of the original."
        )
    return mask
