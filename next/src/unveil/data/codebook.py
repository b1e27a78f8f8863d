"""What a file says of its columns: labels of columns and of codes, missing codes, formats.

One form on disk, a CSV with the columns ``column``, ``code`` and ``label``; a row without a code
has the label of the column, and ``missing`` may say that a code stands for a missing answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
import polars as pl


class Variable(msgspec.Struct, frozen=True):
    """One column of a file, as the file itself describes it."""

    label: str = ""
    labels: dict[str, str] = {}  # what a code means; codes as levels are written: 1, -8, X
    missing: tuple[tuple[float | str, float | str], ...] = ()  # ranges of codes: (9, 9), (-9, -1)
    format: str = ""  # of SPSS, Stata or SAS: F8.2, %9.0g, DATE9.
    measure: str = ""  # nominal, ordinal, scale


Codebook = Mapping[str, Variable]


@dataclass(frozen=True, eq=False)
class Data:
    """A file's records with its codebook; `notes` say how it was read."""

    frame: pl.DataFrame
    codebook: Codebook = field(default_factory=dict)
    notes: tuple[str, ...] = ()
