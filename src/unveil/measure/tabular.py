"""A result that is one table: its record, and the ways to look at it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import polars as pl

from unveil.records.base import Record
from unveil.records.view import Plotted, as_html, as_text

Table = TypeVar("Table", bound=Record)


@dataclass(frozen=True)
class RowsResult(Plotted, Generic[Table]):
    """A record of rows; printing it never shows a record of the data."""

    record: Table

    @property
    def rows(self) -> tuple[Any, ...]:
        """The rows of the table."""
        rows: tuple[Any, ...] = self.record.rows  # type: ignore[attr-defined]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """Everything as one JSON document."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """The rows as a frame, unrounded."""
        rows = [row.to_dict() for row in self.rows]
        if rows and "copy" in rows[0]:
            rows = [{**row, "copy": str(row["copy"])} for row in rows]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)
