"""What `unveil.ecap` and `unveil.choose_noise` found: how sure a claim of membership would be.

ECAP values must not be published (Chapelle and Falissard): an attacker could turn Equation 1 round.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__


class Ecap(Record, frozen=True, kw_only=True):
    """ECAP of released values under one amount of noise: Chapelle and Falissard, Equation 1."""

    schema: int = SCHEMA
    version: str = __version__
    population: str
    N: int
    n: int
    noise: str
    sigma: float
    discrete: bool
    limit: float  # what no noise can go below
    n_values: int
    n_missing: int
    n_distinct: int
    n_undefined: int  # values where nothing could be claimed: p = b = 0
    worst: float | None  # the highest ECAP; None where all are undefined
    worst_place: int | None  # the first of them, from 0
    threshold: float | None
    n_above: int | None  # values above the threshold
    top_code: float | None  # the highest value within the threshold, where some are beyond
    bottom_code: float | None
    warnings: tuple[str, ...]


class CurveRow(Record, frozen=True, kw_only=True):
    """The highest ECAP at one amount of noise."""

    sigma: float
    ecap: float
    quotient: float | None  # (ecap - the one before) / (sigma - the one before)


class SensitivityRow(Record, frozen=True, kw_only=True):
    """How much noise another population would need: Chapelle and Falissard, Figures 6 and 7."""

    what: Literal["N", "spread"]
    factor: float
    N: int
    population: str
    sigma: float | None  # None: see reason
    reason: str | None
    curve: tuple[CurveRow, ...]  # at every second amount of the choice's own curve


class NoiseChoice(Record, frozen=True, kw_only=True):
    """The least noise with which no released value has an ECAP above the threshold."""

    schema: int = SCHEMA
    version: str = __version__
    population: str
    N: int
    n: int
    noise: str
    discrete: bool
    threshold: float
    limit: float
    n_values: int
    n_missing: int
    n_distinct: int
    sigma: float | None  # None where no noise is enough
    sigma_to_use: float | None  # the next of 1, 2, 5, 10, ...: the exact one would tell too much
    worst: float | None  # the highest ECAP at sigma
    worst_place: int | None
    sigma_without_tail: float | None  # what all but the tail values need, where they need far less
    n_tail: int
    tail_places: tuple[int, ...]  # the first of them, from 0
    top_code: float | None  # with values cut off here sigma_without_tail is enough for all
    bottom_code: float | None
    curve: tuple[CurveRow, ...]
    sensitivity: tuple[SensitivityRow, ...]
    warnings: tuple[str, ...]


class LevelEcap(Record, frozen=True, kw_only=True):
    """ECAP of one whole number."""

    level: int
    p: float
    b: float
    ecap: float | None


class DiscreteEcap(Record, frozen=True, kw_only=True):
    """ECAP of whole numbers under integer noise."""

    schema: int = SCHEMA
    version: str = __version__
    N: int
    n: int
    limit: float
    worst: float | None
    levels: tuple[LevelEcap, ...]
