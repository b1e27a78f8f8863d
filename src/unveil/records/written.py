"""What was written: the file, its size, and what its format could not hold."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__

Ending = Literal["sav", "zsav", "dta", "parquet", "csv"]


class Written(Record, frozen=True, kw_only=True):
    """One table on a disk; `notes` tell what is not in the file as it was in the original."""

    schema: int = SCHEMA
    version: str = __version__
    path: str
    beside: tuple[str, ...] = ()  # files that belong to it: the codebook of a text file
    format: Ending
    n_rows: int
    n_columns: int
    fake: bool
    notes: tuple[str, ...] = ()
