"""A result that is one table: its record, the rows of it, and those as a frame."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import polars as pl

from unveil.records.base import Record
from unveil.view.show import Result

Table = TypeVar("Table", bound=Record)


@dataclass(frozen=True, repr=False)
class RowsResult(Result, Generic[Table]):
    """A record of rows; printing it never shows a record of the data."""

    rows_in: ClassVar[str] = "rows"  # the field of the record that is the table
    record: Table

    @property
    def rows(self) -> tuple[Any, ...]:
        """The rows of the table."""
        rows: tuple[Any, ...] = getattr(self.record, self.rows_in)
        return rows

    def frame(self) -> pl.DataFrame:
        """The rows as a frame, unrounded."""
        return rows_frame(self.rows)


def rows_frame(rows: Iterable[Record], schema: Any = None) -> pl.DataFrame:
    """Records as the rows of a frame, unrounded; a copy is named by text, for some are pooled."""
    made = [row.flat() for row in rows]
    if made and "copy" in made[0]:
        made = [{**row, "copy": str(row["copy"])} for row in made]
    return pl.DataFrame(made, schema=schema, infer_schema_length=None)


Row = TypeVar("Row", bound=Record)


def mean_row(rows: Sequence[Row], **given: Any) -> Row:
    """The mean over copies of every figure that is not given; None where a copy has none."""
    means = {}
    for name in type(rows[0]).__struct_fields__:
        figures = [getattr(row, name) for row in rows] if name not in given else []
        means[name] = None if None in figures else sum(figures) / max(len(figures), 1)
    return type(rows[0])(**means | given)
