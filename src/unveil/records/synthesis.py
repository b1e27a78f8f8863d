"""How a synthetic file was made: settings, columns, methods and order; no value of the data."""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion
from unveil.records.person import PersonColumn

# What was written: the file, its size, and what its format could not hold.


Ending = Literal["sav", "zsav", "dta", "parquet", "csv"]


class WrittenFile(VersionedRecord, frozen=True, kw_only=True):
    """One table on a disk; `notes` tell what is not in the file as it was in the original."""

    path: str
    beside: tuple[str, ...] = ()  # files that belong to it: the codebook of a text file
    format: Ending
    n_rows: int
    n_columns: int
    fake: bool
    notes: tuple[str, ...] = ()


Role = Literal[
    "synthesised", "kept", "renumbered", "stratum", "derived", "predictor only", "left out"
]


class SynthesisColumn(Record, frozen=True, kw_only=True):
    """What was done with one column of the original."""

    name: str
    kind: Literal["number", "category", "ordered", "constant", "empty"]
    role: Role
    method: str | None  # None where nothing is modelled
    state_method: str | None  # of missing and special values of a number; None where it has none
    predictors: tuple[str, ...]
    n_states: int  # 1: every value is a plain one
    notes: tuple[str, ...] = ()


class Synthesis(VersionedRecord, frozen=True, kw_only=True):
    """How copies are made of one original: Nowok, Raab and Dibben 2016; Reiter 2005."""

    files: tuple[str, ...]
    n_original: int  # rows that the models are fitted to
    n_file: int | None = None  # rows of the file, where they are fitted to a sample of it
    n_rows: int  # of each copy
    n_copies: int
    method: str  # for columns that have no method of their own
    order: tuple[str, ...]  # columns that are synthesised, in turn
    columns: tuple[SynthesisColumn, ...]  # in the order of the original
    strata: tuple[str, ...]
    n_strata: int  # 1 without strata
    min_leaf: int
    min_split: int
    complexity: float
    min_spread: float | None
    smoothing: Literal["density"] | None
    smooth: tuple[str, ...] = ()
    prior: float | None  # of joint tables; None: 1 record
    noise: float | None  # epsilon; None: without noise
    margins: tuple[tuple[str, ...], ...] | None  # of ipf; None: all pairs
    protect_margins: str | None = None
    rules: tuple[str, ...]
    derived: tuple[str, ...]
    person: PersonColumn | None = None  # whose leaves and rare levels were counted; None: rows
    time: str | None = None  # by which the rows of a person follow; None: rows are made one by one
    is_seeded: bool  # whether the user gave a seed; the seed itself stays with the model
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    coercions: tuple[Coercion, ...]


class ConfidentialSynthesis(VersionedRecord, frozen=True, kw_only=True):
    """How the copies of a project were made, the seed among it."""

    note: str = "CONFIDENTIAL: keep this where the original is kept. It must not be released."
    seed: int  # with it, the settings and the original the copies can be made again
    copies: tuple[str, ...]  # as the project file names them
    synthesis: Synthesis
