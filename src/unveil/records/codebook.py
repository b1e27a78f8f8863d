"""What the columns of a file mean: labels, codes, what counts as missing, and how it is written.

A codebook describes a file, never the people in it: it holds what a person declared (in SPSS, Stata
or SAS, in a dictionary beside a text file), and no value that only the records would tell.
"""

from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion

# What `unveil.compare_structure` found: how a synthetic file is built otherwise than its original.


DifferenceKind = Literal[
    "only original",
    "only synthetic",
    "name",
    "kind",
    "written as",
    "recoded",
    "contradiction",
    "category",
    "missing",
    "range",
    "order",
    "label",
    "category label",
    "measure",
    "format",
    "undeclared",
]
"""The worst first: what would keep the files from being used for each other."""


class Difference(Record, frozen=True, kw_only=True):
    """One way in which the synthetic file is built otherwise."""

    kind: DifferenceKind
    variable: str | None  # by its name in the original, where it is there; None: the whole file
    original: str | None  # what the original has, in a few words
    synthetic: str | None
    sentence: str
    remedy: str  # what to do about it


class CodebookDifferences(VersionedRecord, frozen=True, kw_only=True):
    """How the structure of a synthetic file differs from its original's."""

    files: tuple[str, ...]  # the original's first
    n_variables_original: int
    n_variables_synthetic: int
    n_alike: int  # columns of the original that nothing is said about
    rows: tuple[Difference, ...]  # the worst first, then in the order of the file
    coercions: tuple[Coercion, ...]


Code = int | float | str
Kind = Literal["number", "text", "date", "moment", "time", "truth", "unknown"]
Format = Literal["spss", "stata", "sas", "excel", "csv", "parquet", "r", "frame"]


class Level(Record, frozen=True, kw_only=True):
    """One code and what it stands for.

    Stata's and SAS's letters of missing values are codes of numbers too: ".a" to ".z", and "._".
    """

    code: Code
    label: str


class MissingRange(Record, frozen=True, kw_only=True):
    """Numbers that stand for missing values: from the lowest to the highest, both included."""

    lo: float | None  # None: no lower end
    hi: float | None  # None: no upper end


class Variable(Record, frozen=True, kw_only=True):
    """One column: what it is called, what its codes mean, and which of them mean missing."""

    name: str
    label: str | None = None
    kind: Kind = "unknown"
    measure: Literal["nominal", "ordinal", "scale"] | None = None
    format: str | None = None  # as its program writes it: F8.2, %td, DATE9
    width: int | None = None  # of the column on screen, where the file says so
    levels: tuple[Level, ...] = ()  # in the order of the file
    missing: tuple[Code, ...] = ()  # codes that stand for missing values
    missing_ranges: tuple[MissingRange, ...] = ()

    def label_of(self, code: Code) -> str | None:
        """What a code stands for; None where no one said."""
        return next((level.label for level in self.levels if level.code == code), None)


class Codebook(VersionedRecord, frozen=True, kw_only=True):
    """What is declared about the columns of one file, in the order of the file."""

    source: str  # the file's name
    format: Format
    file_label: str | None = None
    notes: tuple[str, ...] = ()
    encoding: str | None = None
    variables: tuple[Variable, ...] = ()

    def variable(self, name: str) -> Variable | None:
        """The column of that name; None where the codebook has none."""
        return next((known for known in self.variables if known.name == name), None)


# What `unveil.codebook` tells of a file: what is declared, and what is really there.
#
# Nothing here is one person's: categories that no one declared are told where at least five
# people have them, numbers and dates by a range that at least five people lie at or beyond on
# either side, and what is missing as a whole percentage.


FEWEST_PEOPLE = 5
"""A category that fewer people have is counted, never told."""

FEWEST_VALUES = 50
"""A range of fewer values is not told at all."""

MOST_LISTED = 100
"""Categories of one column that are told, where no one declared them."""

Held = Literal["codes", "labels"]


class ColumnContents(Record, frozen=True, kw_only=True):
    """What the records of one column have, as far as it can be told without telling of one."""

    name: str
    kind: Kind  # of what the file holds, which may not be what is declared
    holds: Held | None  # whether entries are codes or their labels; None without declared codes
    missing_percent: int  # empty or a missing code; 1 is 1 or less, 99 is 99 or more
    missing_code_percent: int  # those of them that have a missing code
    n_distinct: int | None  # values, missing ones not counted; None for lists and the like
    occurring: tuple[Code, ...]  # categories no one declared that at least five people have
    n_rare: int  # such categories that fewer people have
    n_unlisted: int  # such categories beyond the first hundred
    n_outside: int | None  # records outside the declared codes; None where none are declared
    unused: tuple[Code, ...]  # declared codes that no one has
    low: Code | None  # range without its ends; None where it is not told
    high: Code | None
    likely_missing: tuple[Code, ...] = ()  # look like missing codes: at least five have each


class DescribedFile(VersionedRecord, frozen=True, kw_only=True):
    """The codebook of one file, and beside it what its records have."""

    codebook: Codebook  # what is declared, without what the records have
    n_records: int
    declared_only: bool
    found: tuple[ColumnContents, ...]  # empty where only what is declared was asked for
    not_in_file: tuple[str, ...]  # columns that a dictionary declares and the file lacks
    coercions: tuple[Coercion, ...]
