"""Which units of a copy did a filter retain? Truth values as a user gives them, checked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.count.profile import Mask
from unveil.errors import SettingsError
from unveil.read.given import is_list


def marks_asked(kept: Any, n_rows: Sequence[int]) -> tuple[Mask | None, ...]:
    """For every copy a truth value per record, or None where nothing is marked."""
    if kept is None:
        return (None,) * len(n_rows)
    given = [kept] if len(n_rows) == 1 and not _is_nested(kept) else kept
    if not is_list(given) or len(given) != len(n_rows):
        raise SettingsError(
            f"kept must be a list of truth values for each of the {len(n_rows)} copies, None for a"
            " copy without."
        )
    return tuple(
        _mark(one, n, copy)
        for copy, (one, n) in enumerate(zip(given, n_rows, strict=True), start=1)
    )


def _is_nested(kept: Any) -> bool:
    return (
        isinstance(kept, list | tuple) and len(kept) == 1 and (kept[0] is None or is_list(kept[0]))
    )


def _mark(given: Any, n_rows: int, copy: int) -> Mask | None:
    if given is None:
        return None
    values = np.asarray(given) if is_list(given) else np.array([])
    if values.dtype != np.bool_ or values.ndim != 1:
        raise SettingsError(
            f"kept of copy {copy} must be a list of truth values, one for each of its records."
        )
    if len(values) != n_rows:
        raise SettingsError(
            f"kept of copy {copy} has {len(values):,} truth values, but the copy has {n_rows:,}"
            " records. Give one for each."
        )
    return values
