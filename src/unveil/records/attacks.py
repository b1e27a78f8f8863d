"""What simulated attacks found: one row for each attack, the same fields for all of them.

Rates and risks are shares, 0 to 1. ``None`` means not measurable; the row's warnings say why.
Successes are expectations where ties are broken at random, so they need not be whole numbers.
"""

from typing import Any, Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.person import PersonColumn
from unveil.version import __version__

AttackName = Literal[
    "singling_out_univariate", "singling_out_multivariate", "linkability", "inference"
]
Interval = tuple[float, float]

_INTERVALS = ("main_interval", "naive_interval", "control_interval", "interval", "interval_delta")


class AttackRow(Record, frozen=True, kw_only=True):
    """One attack: against the original (main), uninformed (naive), and against others (control)."""

    attack: AttackName
    target: str | None = None  # the secret that is guessed; None where there is none
    group: str | None = None  # the value of the secret, where the row is of those who have it
    keys: tuple[str, ...] = ()  # what the intruder knows; for linkability, in the first file
    other_keys: tuple[str, ...] = ()  # for linkability, what they know in the second file
    n_requested: int | None  # None: as many as there are
    n_found: int  # attacks made: records attacked, or predicates found
    n_control: int | None  # attacks on the control; None without one
    main_successes: float
    naive_successes: float
    control_successes: float | None
    main: float | None  # Wilson centres; None where nothing was attacked
    naive: float | None
    control: float | None
    main_interval: Interval | None  # Wilson
    naive_interval: Interval | None
    control_interval: Interval | None
    R: float | None  # (main - control) / (1 - control), below 0 where it falls there
    interval: Interval | None  # of R by bootstrap over what is attacked; without control, of main
    interval_delta: Interval | None  # of R by the delta method; without control, Wilson's of main
    level: float
    method: str  # how the successes were found, in a word or two
    warnings: tuple[str, ...] = ()

    @property
    def risk(self) -> float | None:
        """R where there is a control, else the rate of the main attack."""
        return self.main if self.control is None else self.R

    def flat(self) -> dict[str, Any]:
        """The row as single figures, each interval as its two ends."""
        row = self.to_dict()
        for name in _INTERVALS:
            low, high = row.pop(name) or (None, None)
            row |= {f"{name}_low": low, f"{name}_high": high}
        return {**row, **{name: ", ".join(row[name]) for name in ("keys", "other_keys")}}


class Attacks(Record, frozen=True, kw_only=True):
    """Simulated attacks on one copy, after Giomi et al. (2023)."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # the original's, the copy's, the control's
    seed: int
    level: float
    person: PersonColumn | None = None  # whose attack each is; None: rows are attacked
    n_original: int
    n_synthetic: int
    n_control: int | None
    n_shared_with_control: int | None  # control records that stand in the original, all columns
    k: int | None = None  # neighbours looked at; None where none are
    n_bootstrap: int
    rows: tuple[AttackRow, ...]
    warnings: tuple[str, ...] = ()  # of the data as a whole
    coercions: tuple[Coercion, ...] = ()
