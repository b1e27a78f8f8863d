"""The result of `unveil.suggest`, and the ways to look at it."""

import polars as pl

from unveil.measure.roles.toml import roles_toml
from unveil.measure.tabular import RowsResult
from unveil.records.suggestion import Role, Suggestion

_COUNTS = ("n_distinct", "n_alone", "n_gained")
_TEXTS = ("column", "role", "grade", "topic", "source", "reason")


class SuggestResult(RowsResult[Suggestion]):
    """Proposed roles, none of them applied; printing it shows no value of the data."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The proposed keys, in the order in which they were added."""
        return self.record.keys

    @property
    def targets(self) -> tuple[str, ...]:
        """The proposed targets, sensitive ones first."""
        return self.record.targets

    @property
    def roles(self) -> dict[str, Role]:
        """The proposed role of each column."""
        return {row.column: row.role for row in self.record.rows}

    def to_toml(self) -> str:
        """The tables `[roles]` and `[[scenario]]` of a project file, with the reasons beside."""
        return roles_toml(self.record)

    def frame(self) -> pl.DataFrame:
        """One row a column."""
        schema: dict[str, pl.DataType] = {
            **{name: pl.String() for name in _TEXTS},
            **{name: pl.Int64() for name in _COUNTS},
            "function_of": pl.List(pl.String()),
        }
        return pl.DataFrame([row.to_dict() for row in self.record.rows], schema=schema)
