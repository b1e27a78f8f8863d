"""CAP: guessing among the records that match, how often would the intruder be right?

Taub, Elliot, Pampaka and Smith (2018), equations 3 to 6. The score of a person is that of their
cell, so a mean over people is a sum over cells, each with the number of its people in the scenario.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from unveil.arguments import is_list, quote_value
from unveil.arrays import Floats, Ints, Mask
from unveil.count.packing import Shares
from unveil.errors import SettingsError, hint_at, list_names
from unveil.measure.cap.classes import KeyClasses, Pool
from unveil.measure.uniques.suda import special_uniques as uniques_of_keys
from unveil.records.cap import KeySet
from unveil.records.disclosure import Number

PeopleOfCells = Ints | Floats
"""How many people of each cell are scored, or the sum of their weights."""

NOBODY = "no original record is in this scenario"
NO_MATCH = "no original record of this scenario has keys that the synthetic files have"


def cap_original(classes: KeyClasses, w: PeopleOfCells) -> float | None:
    """Mean CAP_o of so many people `w` of each cell.

    Notes
    -----
    Equation 3: the share of T_j among the original records with the keys K_j, the person's own
    record included. 1 for everyone alone with their keys.
    """
    return mean(Shares.of(w * classes.agreeing[0], classes.d_q), w.sum().item())


def cap_baseline(of_cells: Floats, w: PeopleOfCells) -> float | None:
    """Mean CAP_b of so many people `w` of each cell.

    Notes
    -----
    Equation 5: the share of T_j among all original records, whatever part of them is scored; or
    what was given in its place.
    """
    n = w.sum().item()
    return math.fsum(of_cells * w) / n if n else None


def cap_synthetic(pool: Pool, w: PeopleOfCells, of: Number) -> float | None:
    """Mean CAP_s of so many people `w` of each cell, those without a match counted as 0.

    Notes
    -----
    Equation 4: the share of T_j among the copies' records with the keys K_j; each side has its own
    number of records (erratum: the printed sums run to n on both). Out of all people of the
    scenario it is the CAP with non-matches as zero, out of those matched the one with non-matches
    as undefined.
    """
    return mean(Shares.of(w * pool.agreeing, pool.matching), of)


def mean(shares: Shares, of: Number) -> float | None:
    """The sum of the shares divided by `of`; None of no one."""
    return total(shares) / of if of else None


def total(shares: Shares) -> float:
    """The sum of the shares."""
    return math.fsum(shares.sums / shares.divisors)


def figures_by_m(
    classes: KeyClasses,
    copies: Sequence[int],
    baseline: Floats,
    scenarios: Mapping[str, PeopleOfCells],
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """For every m and scenario its figures, as in `CapRow`, in one pass over the copies."""
    fixed = {
        name: (cap_original(classes, w), cap_baseline(baseline, w)) for name, w in scenarios.items()
    }
    for pool in classes.pools(copies):
        found, right = pool.matching > 0, pool.right
        for name, w in scenarios.items():
            matched = np.where(found, w, 0)
            n, n_match = w.sum().item(), matched.sum().item()
            original, base = fixed[name]
            figures = {
                "n": n,
                "n_match": n_match,
                "match_rate": n_match / n if n else None,
                "cap_original": original,
                "cap_baseline": base,
                "cap_synthetic_zero": cap_synthetic(pool, w, n),
                "cap_synthetic_undefined": cap_synthetic(pool, w, n_match),
                "cap_original_matched": cap_original(classes, matched),
                "cap_baseline_matched": cap_baseline(baseline, matched),
                "n_settled": w[pool.settled].sum().item(),
                "n_right": w[right].sum().item(),
            }
            yield pool.m, name, figures


def uniques(classes: KeyClasses) -> Ints:
    """The people of each cell who are alone with their keys in the original (footnote 3)."""
    return np.where(classes.d_q == 1, classes.d_tq, 0)


# Whose attribution is scored: everyone, those alone with their keys, or those marked?
#
# Taub et al. (2018), section 3.3. Statistical uniques are alone with their keys in the original,
# by keys only. Special uniques are those in the top decile of SUDA scores, or come as a mask,
# unless the mask has a scenario of its own.


Scenario = Literal["full", "uniques", "special", "mask"]
SCENARIOS: tuple[str, ...] = get_args(Scenario)
MASKED = ("special", "mask")
MOST_SUDA_KEYS = 16
"""Up to so many keys SUDA searches all sets of them."""


def parse_scenarios(given: Any, mask: Any) -> tuple[str, ...]:
    """The scenarios asked for; a mask has to have one that uses it."""
    chosen = tuple(given) if is_list(given) else (given,)
    for name in chosen:
        if not isinstance(name, str) or name not in SCENARIOS:
            hint = hint_at(name, SCENARIOS) if isinstance(name, str) else ""
            raise SettingsError(
                f"There is no scenario {quote_value(name)}.{hint} The scenarios are: "
                f"{list_names(SCENARIOS)}."
            )
        if name == "mask" and mask is None:
            raise SettingsError(
                "Scenario 'mask' needs a mask. Give one truth value for each original record."
            )
    if not chosen:
        raise SettingsError(f"No scenario is given. The scenarios are: {list_names(SCENARIOS)}.")
    if mask is not None and not set(chosen) & set(MASKED):
        raise SettingsError(
            f"A mask is given, but scenario {chosen[0]!r} does not use one. Add the scenario"
            " 'special' or 'mask'."
        )
    return tuple(dict.fromkeys(chosen))


def people_of(
    classes: KeyClasses, key_set: KeySet, scenarios: Sequence[str], mask: Any
) -> dict[str, Ints]:
    """By scenario, how many people of each cell of the original belong to it."""
    people = {"full": classes.d_tq, "uniques": uniques(classes)}
    for name in set(scenarios) & set(MASKED):
        marked = _select_people(classes, key_set, None if _is_suda(name, scenarios) else mask)
        people[name] = np.bincount(classes.own_of_row[marked], minlength=len(classes.own))
    return {name: people[name] for name in scenarios}


def weights_of_cells(
    classes: KeyClasses, key_set: KeySet, scenarios: Sequence[str], mask: Any, weights: Floats
) -> dict[str, Floats]:
    """By scenario, the weights of the people of each cell of the original who belong to it."""
    found = {}
    for name in scenarios:
        rows = rows_of(classes, key_set, name, None if _is_suda(name, scenarios) else mask)
        at = classes.own_of_row[rows]
        found[name] = np.bincount(at, weights[rows], len(classes.own)).astype(np.float64)
    return found


def _is_suda(scenario: str, scenarios: Sequence[str]) -> bool:
    """Whether it has no use for a mask: beside the scenario "mask", "special" is SUDA's."""
    return scenario == "special" and "mask" in scenarios


def rows_of(classes: KeyClasses, key_set: KeySet, scenario: str, mask: Any) -> Ints:
    """The original records that belong to a scenario, by row."""
    if scenario in MASKED:
        return np.flatnonzero(_select_people(classes, key_set, mask))
    chosen = uniques(classes) > 0 if scenario == "uniques" else np.ones(len(classes.own), bool)
    return np.flatnonzero(chosen[classes.own_of_row])


def _select_people(classes: KeyClasses, key_set: KeySet, mask: Any) -> Mask:
    """Who is in the mask given, or special without one."""
    if mask is None:
        return special_uniques(classes)
    return parse_mask(_mask_of(mask, key_set), classes.n_original)


def special_uniques(classes: KeyClasses) -> Mask:
    """The top decile of SUDA scores, ties included, by the keys as they are compared.

    Levels are those of the counts, bands and missing among them, so that all special uniques are
    statistical uniques too.
    """
    if len(classes.key_columns) > MOST_SUDA_KEYS:
        raise SettingsError(
            f"Special uniques are not searched for by more than {MOST_SUDA_KEYS} keys. Give them"
            " as a mask, such as unveil.suda(original, keys=..., max_msu=3).special()."
        )
    return uniques_of_keys(classes.key_columns)


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


def parse_mask(given: Any, n_original: int) -> Mask:
    """One truth value for each original record, or a refusal."""
    try:
        mask = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
    except (ValueError, TypeError):
        mask = np.empty(0, object)
    if mask.dtype != bool or mask.ndim != 1:
        raise SettingsError(
            "The mask does not hold only truth values. Give true or false for each original"
            " record, in the order of the original."
        )
    if len(mask) != n_original:
        entries = "1 entry" if len(mask) == 1 else f"{len(mask):,} entries"
        raise SettingsError(
            f"The mask has {entries} but the original {n_original:,}. Give one truth value for each"
            " original record, in the order of the original."
        )
    return mask
