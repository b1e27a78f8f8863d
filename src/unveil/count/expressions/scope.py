"""What do rules know of the columns they name: their types, levels, labels and special codes?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from unveil.count.exclusions import FEW_LEVELS, MOST_COMPARED, REAL_FILE
from unveil.count.expressions.nodes import Column, Kind, Span
from unveil.errors import nearest
from unveil.read.table import Table
from unveil.read.tags import TAGS
from unveil.read.undeclared import kind_of
from unveil.records.codebook import Variable

_FEWEST = 5
"""People who must share a level before a sentence may quote it."""


@dataclass(frozen=True)
class Known:
    """A column of the original, as rules see it."""

    series: pl.Series
    variable: Variable | None
    apart: tuple[float, ...]  # special codes that the user named
    is_coded: bool  # whether its values are levels, whatever their type

    @property
    def kind(self) -> Kind:
        """What it holds."""
        kind = kind_of(self.series.dtype)
        # A span of time is no time of day, and cannot be written in a rule.
        return "empty" if kind == "unknown" or self.series.dtype == pl.Duration else kind

    def node(self) -> Column:
        """The column in an expression."""
        dtype = self.series.dtype
        return Column(
            self.series.name,
            self.kind,
            self._spans(),
            is_ordered=isinstance(dtype, pl.Enum),
            is_zoned=isinstance(dtype, pl.Datetime) and dtype.time_zone is not None,
        )

    def has(self, value: Any) -> bool:
        """Whether somebody has the value."""
        return bool((self.texts == value).any())

    @cached_property
    def texts(self) -> pl.Series:
        """Its values, categories as text."""
        return self.series.cast(pl.String) if self.kind == "text" else self.series

    @property
    def has_labels(self) -> bool:
        """Whether its values are levels, or some of them have labels."""
        return self.is_coded or bool(self.variable is not None and self.variable.levels)

    def codes_of(self, label: str) -> list[Any]:
        """The codes that the codebook gives a label to, of those that somebody has."""
        if self.variable is None or self.kind not in ("number", "text"):
            return []
        codes = [TAGS.get(str(x.code), x.code) for x in self.variable.levels if x.label == label]
        wanted = str if self.kind == "text" else (int, float)
        return [code for code in codes if isinstance(code, wanted) and self.has(code)]

    def hint(self, level: str) -> str:
        """The level or label next to what the user typed; never one that few people have."""
        labels = [] if self.variable is None else [known.label for known in self.variable.levels]
        others = [text for text in (*self._shared_levels(), *labels) if text != level]
        return nearest(level, others)

    def _shared_levels(self) -> list[str]:
        n_levels = self.series.n_unique()
        is_telling = self.kind != "text" or n_levels > max(FEW_LEVELS, len(self.series) // 10)
        if is_telling or n_levels > MOST_COMPARED:
            return []
        least = _FEWEST if len(self.series) >= REAL_FILE else 1
        counts = self.texts.alias("level").drop_nulls().value_counts(sort=True)
        return counts.filter(pl.col("count") >= least)["level"].to_list()

    def _spans(self) -> tuple[Span, ...]:
        """Numbers that are no amounts: named by the user, or declared in the codebook."""
        if self.kind != "number":
            return ()
        codes: list[Any] = list(self.apart)
        spans = []
        if self.variable is not None:
            codes += [TAGS.get(str(code), code) for code in self.variable.missing]
            spans = [Span(span.lo, span.hi) for span in self.variable.missing_ranges]
        numbers = dict.fromkeys(float(code) for code in codes if not isinstance(code, str))
        return (*(Span(number, number) for number in numbers), *spans)


@dataclass(frozen=True)
class Scope:
    """All columns that a rule may name, and what a sentence calls the table."""

    place: str
    columns: Mapping[str, Known]

    @classmethod
    def of(
        cls, table: Table, is_coded: Mapping[str, bool], apart: Mapping[str, Sequence[float]]
    ) -> "Scope":
        """The columns of an original, and whether the values of each are levels."""
        book = table.codebook
        return cls(
            table.place,
            {
                name: Known(
                    table.frame[name],
                    None if book is None else book.variable(name),
                    tuple(apart.get(name, ())),
                    coded,
                )
                for name, coded in is_coded.items()
            },
        )

    def with_column(self, series: pl.Series) -> "Scope":
        """The same with one column more, which was derived."""
        return Scope(self.place, {**self.columns, series.name: Known(series, None, (), False)})
