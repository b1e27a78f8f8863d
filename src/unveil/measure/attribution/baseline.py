"""What does the intruder know about the target already, without any copy?

Taub et al. (2018), equation 5: by default the shares of the target's levels in the original. "In
principle, the baseline could be set to any level": a number, a published marginal, or a table of
what is known given some of the keys.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.count.packing import Whole
from unveil.errors import RolesError, SettingsError, listed
from unveil.measure.attribution.classes import Classes, agreeing_levels
from unveil.measure.attribution.known import Known, known_from_mapping, known_from_table
from unveil.measure.attribution.tolerance import Floats
from unveil.read.given import number_in, shown
from unveil.records.disclosure import Coercion

MARGINAL = "marginal"


@dataclass(frozen=True)
class Baseline:
    """What is known already: the marginal of the original, a number, or a table."""

    number: float | None = None
    known: Known | None = None

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        if self.number is not None:
            return f"{self.number:.15g}"
        if self.known is None:
            return MARGINAL
        keys = self.known.keys
        return f"table by {', '.join(keys)}" if keys else "published marginal"

    def of_cells(self, classes: Classes) -> Floats:
        """CAP_b of the people in each cell of the original."""
        if self.number is not None:
            return np.full(len(classes.own), self.number)
        if self.known is not None:
            return self.known.of_cells(classes)
        return _marginal(classes) / classes.n_original

    def refuse_unknown_keys(self, key_names: Sequence[str]) -> None:
        """Refuse a table by keys that this intruder does not know."""
        others = [name for name in self.known.keys if name not in key_names] if self.known else []
        if others:
            raise RolesError(
                f"The baseline is a table by {listed(others)}, which an intruder with the keys"
                f" {listed(key_names)} does not know. Take it out of the table."
            )

    def notes(self, classes: Classes) -> tuple[Coercion, ...]:
        """How many people a table says nothing about."""
        if self.known is None:
            return ()
        n = int(classes.d_tq[self.known.of_cells(classes) == 0].sum())
        sentence = (
            f"The table has no count above 0 for {n:,} of {classes.n_original:,} original records:"
            " their baseline is 0."
        )
        note = Coercion(side="baseline", column=None, kind="baseline", sentence=sentence)
        return (note,) if n else ()


def _marginal(classes: Classes) -> Whole:
    """For each cell, the original records of whatever keys whose target agrees (equation 5)."""
    joint = classes.joint
    d_t = np.bincount(classes.t, classes.d_tq, minlength=joint.n_levels).astype(np.int64)
    return d_t[classes.t] if joint.is_exact else agreeing_levels(joint, d_t)[classes.t]


def parse_baseline(
    given: Any,
    *,
    keys: Sequence[str],
    targets: Sequence[str],
    has_tolerance: bool = False,
    missing_values: Sequence[str] = (),
) -> Baseline:
    """A baseline as people give it: nothing, "marginal", a number, shares by value, or a table."""
    if given is None or (isinstance(given, str) and given == MARGINAL):
        return Baseline()
    value = number_in(given) if not isinstance(given, str) else _number_in_text(given)
    if value is not None:
        if not 0 <= value <= 1:
            raise SettingsError(f"The baseline is {value:.15g}. Give a share from 0 to 1.")
        return Baseline(number=value)
    if has_tolerance:
        raise SettingsError(
            "A table as a baseline knows no tolerance. Give the baseline as a number, or leave it"
            " out."
        )
    if isinstance(given, Mapping):
        return Baseline(known=known_from_mapping(given, targets))
    if isinstance(given, str | os.PathLike) or hasattr(given, "columns"):
        known = known_from_table(given, keys=keys, targets=targets, missing_values=missing_values)
        return Baseline(known=known)
    raise SettingsError(
        f"The baseline is {shown(given)}. Give a share from 0 to 1, {{value: share}}, or a table"
        " with the target and a column of counts or shares."
    )


def _number_in_text(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
