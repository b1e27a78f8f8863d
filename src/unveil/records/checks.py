"""Findings that may be common knowledge: what the one-way and two-way checks raised.

Raab (2024), end of section 3.4 and section 4, with synthpop's rules.
"""

from typing import Literal

from unveil.records.base import Record
from unveil.records.copies import Copy


class Checks(Record, frozen=True, kw_only=True):
    """When a check raises a flag: more than so many records, and more than so many percent."""

    one_way: tuple[float, float] = (50, 90)
    two_way: tuple[float, float] = (4, 80)
    by: str | None = None  # run within each level of this column


class Flag(Record, frozen=True, kw_only=True):
    """One level of a target, alone or with a level of a key, that may be common knowledge."""

    target: str
    copy: Copy
    kind: Literal["one_way", "two_way"]
    level: str | None  # of the target; None is the missing level
    key: str | None  # None in a one-way check
    key_level: str | None  # None is the missing level
    level_label: str | None = None  # as people read it, "Male (1)", where the file has labels
    key_level_label: str | None = None
    n: int  # findings (DiSCO records) that it accounts for
    n_disclosive: int  # all findings about the target
    n_level: int  # original records with the target level, among n_all
    n_all: int  # one-way: original records left by exclusions; two-way: those with the key level
    percent: float  # one-way: n of n_disclosive; two-way: n_level of n_all
    percent_all: float | None  # one-way: n_level of n_all
    by: str | None  # the column whose segments were checked apart
    segment: str | None  # this segment; None is the missing level
    segment_label: str | None = None
    exclusion: str  # ready-made: what to exclude if this is common knowledge
    sentence: str = ""  # the same in words
