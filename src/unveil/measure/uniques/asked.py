"""Which uniques are searched for, and how are they weighed? What a user asks, or a refusal."""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.uniques.lattice import n_sets
from unveil.read.given import choice, number_in, shown
from unveil.records.suda import MissingRule, ScoreKind

MOST_SETS = 2**16 - 1
"""Sets of keys that are searched: all those of 16 keys."""
MOST_KEYS = 100
LEAST_FRACTION = 1e-12
"""No population is so large that less of it could be in the data."""


@dataclass(frozen=True)
class SudaAsked:
    """The settings of `unveil.suda`, all of them sound."""

    max_size: int  # keys in the largest set that is searched for
    is_limited: bool  # whether a largest size was given
    dis_fraction: float
    scores: ScoreKind
    missing: MissingRule


def suda_asked(
    n_keys: int, *, max_msu: Any, dis_fraction: Any, scores: Any, missing: Any
) -> SudaAsked:
    """The settings for so many keys, or a sentence on what is wrong with them."""
    fraction = number_in(dis_fraction)
    if fraction is None or not LEAST_FRACTION <= fraction <= 1:
        raise SettingsError(
            f"dis_fraction is {shown(dis_fraction)}. It must be the share of the population that is"
            " in the data, above 0 and at most 1, such as 0.01."
        )
    score_kind = choice("scores", scores, get_args(ScoreKind))
    rule = choice("missing", missing, get_args(MissingRule))
    size = max_size(max_msu, n_keys)
    return SudaAsked(size, max_msu is not None, fraction, score_kind, rule)


def max_size(max_msu: Any, n_keys: int) -> int:
    """How many keys a set may have, where the search would end."""
    if n_keys > MOST_KEYS:
        raise SettingsError(
            f"{n_keys} keys are given; uniques are searched among at most {MOST_KEYS}. Name the"
            " columns an intruder would know."
        )
    if max_msu is not None and (not _is_whole(max_msu) or max_msu < 1):
        raise SettingsError(
            f"max_msu is {shown(max_msu)}. It must be a whole number of keys, 1 or more."
        )
    size = n_keys if max_msu is None else min(int(max_msu), n_keys)
    if n_sets(n_keys, size) > MOST_SETS:
        largest = max(most for most in range(1, size) if n_sets(n_keys, most) <= MOST_SETS)
        wanted = "" if max_msu is None else f" of at most {size}"
        raise SettingsError(
            f"{n_keys} keys make {n_sets(n_keys, size):,} sets{wanted}, and no more than"
            f" {MOST_SETS:,} are searched. Give max_msu (--max-msu on the command line), at most"
            f" {largest}, or fewer keys."
        )
    return size


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
