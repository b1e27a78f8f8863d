"""What the columns of a file mean: labels, codes, what counts as missing, and how it is written.

A codebook describes a file, never the people in it: it holds what somebody declared (in SPSS, Stata
or SAS, in a dictionary beside a text file), and no value that only the records would tell.
"""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__

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
    """Numbers that stand for no answer: from the lowest to the highest, both included."""

    lo: float | None  # None: no lower end
    hi: float | None  # None: no upper end


class Variable(Record, frozen=True, kw_only=True):
    """One column: what it is called, what its codes mean, and which of them mean no answer."""

    name: str
    label: str | None = None
    kind: Kind = "unknown"
    measure: Literal["nominal", "ordinal", "scale"] | None = None
    format: str | None = None  # as its program writes it: F8.2, %td, DATE9
    width: int | None = None  # of the column on screen, where the file says so
    levels: tuple[Level, ...] = ()  # in the order of the file
    missing: tuple[Code, ...] = ()  # codes that stand for no answer
    missing_ranges: tuple[MissingRange, ...] = ()

    def label_of(self, code: Code) -> str | None:
        """What a code stands for; None where nobody said."""
        return next((level.label for level in self.levels if level.code == code), None)


class Codebook(Record, frozen=True, kw_only=True):
    """What is declared about the columns of one file, in the order of the file."""

    schema: int = SCHEMA
    version: str = __version__
    source: str  # the file's name
    format: Format
    file_label: str | None = None
    notes: tuple[str, ...] = ()
    encoding: str | None = None
    variables: tuple[Variable, ...] = ()

    def variable(self, name: str) -> Variable | None:
        """The column of that name; None where the codebook has none."""
        return next((known for known in self.variables if known.name == name), None)
