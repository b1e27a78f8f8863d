"""What `unveil.codebook` tells of a file: what is declared, and what is really there.

Nothing here is one person's: categories that nobody declared are told where at least five people
have them, numbers and dates by a range that at least five people lie at or beyond on either side,
and what is missing as a whole percentage.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.codebook import Code, Codebook, Kind
from unveil.records.disclosure import Coercion
from unveil.version import __version__

FEWEST_PEOPLE = 5
"""A category that fewer people have is counted, never told."""

FEWEST_VALUES = 50
"""A range of fewer values is not told at all."""

MOST_LISTED = 100
"""Categories of one column that are told, where nobody declared them."""

Held = Literal["codes", "labels"]


class Found(Record, frozen=True, kw_only=True):
    """What the records of one column have, as far as it can be told without telling of one."""

    name: str
    kind: Kind  # of what the file holds, which may not be what is declared
    holds: Held | None  # whether entries are codes or their labels; None without declared codes
    missing_percent: int  # empty or a missing code; 1 is 1 or less, 99 is 99 or more
    missing_code_percent: int  # those of them that have a missing code
    n_distinct: int | None  # values, missing ones not counted; None for lists and the like
    occurring: tuple[Code, ...]  # categories nobody declared that at least five people have
    n_rare: int  # such categories that fewer people have
    n_unlisted: int  # such categories beyond the first hundred
    n_outside: int | None  # records outside the declared codes; None where none are declared
    unused: tuple[Code, ...]  # declared codes that nobody has
    low: Code | None  # range without its ends; None where it is not told
    high: Code | None
    likely_missing: tuple[Code, ...] = ()  # look like codes for no answer: at least five have each


class Described(Record, frozen=True, kw_only=True):
    """The codebook of one file, and beside it what its records have."""

    schema: int = SCHEMA
    version: str = __version__
    codebook: Codebook
    n_records: int
    declared_only: bool
    found: tuple[Found, ...]  # empty where only what is declared was asked for
    not_in_file: tuple[str, ...]  # columns that a dictionary declares and the file lacks
    coercions: tuple[Coercion, ...]

    def found_of(self, name: str) -> Found | None:
        """What the column of that name has; None where the data were left out."""
        return next((one for one in self.found if one.name == name), None)
