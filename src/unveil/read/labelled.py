"""A table together with what is declared about its columns."""

from dataclasses import dataclass

import polars as pl

from unveil.errors import listed
from unveil.records.codebook import Codebook


@dataclass(frozen=True, repr=False, eq=False)
class Labelled:
    """A frame and its codebook; every measure takes one where it takes a path or a frame."""

    frame: pl.DataFrame
    codebook: Codebook

    def __repr__(self) -> str:
        n_labelled = sum(bool(known.levels) for known in self.codebook.variables)
        return (
            f"Labelled({self.frame.height:,} records, {self.frame.width:,} columns, "
            f"{n_labelled:,} of them with labelled codes: {listed(self.frame.columns)})"
        )
