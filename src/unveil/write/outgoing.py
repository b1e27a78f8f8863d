"""What is about to be written: a frame, what its columns mean, and what sentences call it."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from unveil.read.undeclared import kind_of, variable_of
from unveil.records.codebook import Codebook, Kind, Variable

TEXTS = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class Outgoing:
    """A table on its way to a file; every column has its variable, declared or not."""

    place: str
    frame: pl.DataFrame
    codebook: Codebook
    fake: bool = False

    def columns(self) -> Iterator[tuple[pl.Series, Variable]]:
        """Each column with its variable, in the order of the frame."""
        known = {variable.name: variable for variable in self.codebook.variables}
        for column in self.frame.get_columns():
            yield column, known.get(column.name) or variable_of(column)


def kind_held(dtype: pl.DataType) -> Kind:
    """What a column of this type holds to those who write it: they know no exact decimals."""
    return "unknown" if dtype.is_decimal() else kind_of(dtype)
