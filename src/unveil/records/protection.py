"""What `unveil.protect` did: every step with its own record, and what it left of the data.

All of it is confidential but for `statement`. Seeds stand in a record of their own, so that what a
custodian prints or keeps does not hold them by accident.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.records.distance_filter import Refill
from unveil.records.ecap import Ecap, NoiseChoice
from unveil.records.noise import Noise
from unveil.records.projection import Projection
from unveil.records.recoding import Recoding, Step
from unveil.records.removal import Removal, Smoothing
from unveil.records.synthesis import Synthesis
from unveil.version import __version__

Audience = Literal["closed", "registered", "open"]


class ProtectStep(Record, frozen=True, kw_only=True):
    """One step of the plan, and what it did in a sentence."""

    number: int
    do: str
    column: str | None  # None where the step is about more than one
    n_rows: int  # after it: of the original before the synthesis, of the copy from there on
    n_columns: int
    sentence: str


class NoiseReason(Record, frozen=True, kw_only=True):
    """Why one column got as much noise as it did."""

    column: str
    sigma: float
    choice: NoiseChoice | None  # None where the custodian gave the amount
    ecap: Ecap | None  # with the noise that was added; None where no population was given


class SweepRow(Record, frozen=True, kw_only=True):
    """What copies by leaves of one size give away, and how like the original they are."""

    min_leaf: int
    min_split: int
    is_used: bool  # whether the copy was made with these leaves
    repU: float | None  # None without keys
    DiSCO: float | None  # mean over the targets; None without keys
    worst_DiSCO: float | None
    worst_target: str | None
    S_pMSE: float | None  # median over all pairs of columns; None where there is no pair


class Protection(Record, frozen=True, kw_only=True):
    """The four steps of Chapelle and Falissard 2023: recoding, synthesis, filter, noise."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    audience: Audience | None
    preset: str | None  # which leaves were proposed and why; None where the custodian's own count
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_recoded: int
    rows_wanted: int
    n_s1: int  # synthesis alone
    n_s2: int  # after the distance filter, and what else was done before noise
    n_s3: int  # the copy
    steps: tuple[ProtectStep, ...]
    recoding: Recoding | None
    synthesis: Synthesis
    refill: Refill | None
    projection: Projection | None = None  # first rows drawn, retained and filtered; aggregates
    removal: Removal | None
    smoothing: tuple[Smoothing, ...]
    noise: Noise | None
    reasons: tuple[NoiseReason, ...]
    sweep: tuple[SweepRow, ...]
    is_seeded: bool  # whether the user gave a seed; seeds are in the confidential record alone
    statement: str  # public: class of method, kind and amount of noise; nothing else
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class ProtectionSeeds(Record, frozen=True, kw_only=True):
    """With these and the original the copy can be made again."""

    seed: int  # the others come from it, unless the synthesis was given its own
    recode: int
    synthesise: int
    distance_filter: int
    add_noise: int
    sweep: int


class ConfidentialProtection(Record, frozen=True, kw_only=True):
    """Everything about a protected copy, seeds and ECAP values among it."""

    schema: int = SCHEMA
    version: str = __version__
    note: str = "CONFIDENTIAL: keep this where the original is kept. It must not be released."
    seeds: ProtectionSeeds
    protection: Protection
    recipe: tuple[Step, ...] = ()  # the recodings with the limits and levels that were found
