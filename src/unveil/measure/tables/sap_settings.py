"""Which settings of a SAP curve mean something, and what is said of those that do not?"""

import math
import secrets
from typing import Any

from unveil.errors import InputError, SettingsError
from unveil.measure.confidentiality.settings import seed_asked
from unveil.measure.tables.grid import whole
from unveil.measure.tables.release import Release
from unveil.read.given import number_in, shown

N_MAX = 100  # without n_max, where the table has more people
LARGEST_N = 100_000


def last_asked(n_max: Any, N: int, *, is_given: bool) -> int:
    """The largest n, or a sentence on what is wrong with it."""
    found = min(N, N_MAX) if n_max is None else whole(n_max)
    if found is None or not 0 <= found <= LARGEST_N:
        raise SettingsError(
            f"n_max is {shown(n_max)}. It must be a whole number from 0 to {LARGEST_N:,}: how many"
            " people an intruder may know."
        )
    if N == 0 and n_max != 0:
        who = "with the given levels is left in the table" if is_given else "is left in the table"
        raise InputError(f"Nobody {who}, so that nobody can become known. Ask for n_max=0 alone.")
    return found


def effort_asked(nodes: Any, seconds: Any) -> tuple[int, float | None]:
    """What box splitting may spend, or a sentence on what is wrong with it."""
    found, limit = whole(nodes), None if seconds is None else number_in(seconds)
    if found is None or found < 1:
        raise SettingsError(f"nodes is {shown(nodes)}. It must be a whole number from 1.")
    if seconds is not None and (limit is None or not 0 < limit < math.inf):
        raise SettingsError(f"seconds is {shown(seconds)}. It must be a number above 0.")
    return found, limit


def seed_of(seed: Any, release: Release) -> int:
    """The seed of Monte Carlo: that given, that of the release, or a new one."""
    if seed is not None:
        return int(seed_asked(seed))
    return secrets.randbits(53) if release.seed is None else release.seed


def checked_threshold(threshold: Any) -> float:
    """A probability, or a sentence on what is wrong with it."""
    number = number_in(threshold)
    if number is None or not 0 <= number <= 1:
        raise SettingsError(
            f"The threshold is {shown(threshold)}. It must be a probability from 0 to 1, such as"
            " 0.05."
        )
    return number
