"""What is about to be written: a frame, what its columns mean, and what sentences call it."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from unveil.records.codebook import Codebook, Kind, Variable

_KINDS: dict[type[pl.DataType], Kind] = {
    pl.Boolean: "truth",
    pl.String: "text",
    pl.Categorical: "text",
    pl.Enum: "text",
    pl.Date: "date",
    pl.Datetime: "moment",
    pl.Time: "time",
    pl.Duration: "time",
}
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


def variable_of(column: pl.Series) -> Variable:
    """What is known of a column that nobody declared: its name and its kind."""
    return Variable(name=column.name, kind=kind_of(column.dtype))


def kind_of(dtype: pl.DataType) -> Kind:
    """What a column of this type holds."""
    if dtype.is_numeric() and not dtype.is_decimal():
        return "number"
    return _KINDS.get(dtype.base_type(), "unknown")
