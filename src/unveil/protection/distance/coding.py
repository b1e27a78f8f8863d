"""Which numbers stand for the values of each column, on both sides?

Numbers, dates, times and truth values count as numbers; the levels of an ordered category (a polars
Enum) as 0, 1, 2 in their order; those of any other text as codes, the most frequent of the original
first. Missing values are NaN, and so are special codes: "refused" is no amount of anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from unveil.errors import AlignError, RolesError, SettingsError
from unveil.protection.distance.settings import Floats, Settings
from unveil.read.align import Aligned, align
from unveil.read.roles import absent
from unveil.read.table import Table
from unveil.records.disclosure import Coercion

Kind = Literal["number", "ordinal", "category"]


@dataclass(frozen=True)
class Column:
    """One column of both sides as numbers; of a category, as codes from 0."""

    name: str
    kind: Kind
    original: Floats
    synthetic: Floats
    n_levels: int = 0  # of a category: the levels of the original

    @property
    def is_category(self) -> bool:
        """Whether its numbers are names of levels."""
        return self.kind == "category"

    @property
    def both(self) -> Floats:
        """The values of both sides."""
        return np.concatenate((self.original, self.synthetic))


def coded(
    tables: Sequence[Table], settings: Settings
) -> tuple[tuple[Column, ...], tuple[Coercion, ...]]:
    """The columns asked for, or all that both sides have, and what was noticed on the way."""
    wanted = _wanted(tables, settings)
    aligned = align(tables, wanted)
    notes = list(aligned.coercions)
    columns = []
    for name in wanted:
        column, more = _coded(name, aligned, tables, settings.special_codes)
        columns.append(column)
        notes += more
    return tuple(columns), tuple(notes)


def _wanted(tables: Sequence[Table], settings: Settings) -> tuple[str, ...]:
    original, synthetic = (table.frame.columns for table in tables)
    common = [name for name in original if name in set(synthetic)]
    if not common:
        raise RolesError(
            f"{tables[0].place} and the synthetic copy have no column in common, so there is no"
            " distance between their rows. Give the columns the same names in both."
        )
    for table in tables:
        for name in settings.columns or ():
            if name not in table.frame.columns:
                raise RolesError(absent(table.place, name, table.frame.columns))
    wanted = settings.columns or tuple(common)
    for name in (*settings.protected, *settings.special_codes):
        if name not in wanted:
            raise RolesError(absent("The list of columns compared", name, wanted))
    return wanted


def _coded(
    name: str, aligned: Aligned, tables: Sequence[Table], special: Mapping[str, tuple[float, ...]]
) -> tuple[Column, list[Coercion]]:
    original, synthetic = aligned.columns[name]
    codes = (*special.get(name, ()), *aligned.special_codes.get(name, ()))
    is_empty = original.null_count() + synthetic.null_count() == len(original) + len(synthetic)
    if original.dtype == pl.String and not is_empty:
        if special.get(name):
            raise SettingsError(
                f"Column {name!r} holds text, so it has no special codes. Leave them out, or name"
                " such entries with missing_values."
            )
        return _category(name, original, synthetic, tables)
    sides, notes = [], []
    for series, side in ((original, "original"), (synthetic, "synthetic")):
        values, n_special = _numbers(name, series, codes)
        sides.append(values)
        if n_special:
            notes.append(_note(side, name, "special_codes", _SPECIAL.format(name, n_special)))
    return Column(name, "number", sides[0], sides[1]), notes


_SPECIAL = "Column {0!r}: {1:,} special codes count as missing where distances are taken."


def _numbers(name: str, series: pl.Series, codes: Sequence[float]) -> tuple[Floats, int]:
    physical = series.to_physical() if series.dtype.is_temporal() else series
    values = physical.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().copy()
    if np.isinf(values).any():
        raise AlignError(
            f"Column {name!r} holds infinite numbers, from which nothing is a finite distance"
            " away. Make them missing, or leave the column out."
        )
    is_special = np.isin(values, codes)
    values[is_special] = np.nan
    return values, int(is_special.sum())


def _category(
    name: str, original: pl.Series, synthetic: pl.Series, tables: Sequence[Table]
) -> tuple[Column, list[Coercion]]:
    """Text as codes: in the order of an Enum, else by frequency in the original."""
    order = _declared_order(name, tables)
    if order is not None:
        sides = [_places(series, order) for series in (original, synthetic)]
        return Column(name, "ordinal", sides[0], sides[1]), []
    counts = original.drop_nulls().alias("level").value_counts(sort=False)
    levels = counts.sort(["count", "level"], descending=[True, False])["level"]
    known = _places(original, levels)
    copied = _places(synthetic, levels)
    # A level that no original row has gets the code after the last.
    copied[np.isnan(copied) & synthetic.is_not_null().to_numpy()] = len(levels)
    return Column(name, "category", known, copied, len(levels)), []


def _declared_order(name: str, tables: Sequence[Table]) -> pl.Series | None:
    """The categories of an Enum, where every side has the same."""
    types = [table.frame.schema[name] for table in tables]
    if all(isinstance(dtype, pl.Enum) for dtype in types) and types[0] == types[1]:
        return types[0].categories  # type: ignore[attr-defined,no-any-return]
    return None


def _places(series: pl.Series, levels: pl.Series) -> Floats:
    """The place of each value among the levels; NaN where it is missing or not among them."""
    if not len(levels):
        return np.full(len(series), np.nan)
    places = series.replace_strict(
        levels, pl.Series(range(len(levels)), dtype=pl.Float64), default=None
    )
    return places.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()


def _note(side: str, column: str, kind: str, sentence: str) -> Coercion:
    return Coercion(side=side, column=column, kind=kind, sentence=sentence)
