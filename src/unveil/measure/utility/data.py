"""Which columns can be compared, on all sides? Read, aligned and encoded once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.arguments import absent_sentence, check_faults, is_like_data
from unveil.count.codes import CodedColumn, add_declarations
from unveil.count.packing import Sides
from unveil.errors import RolesError, hint_at, list_names
from unveil.io.table import Table
from unveil.records.disclosure import Coercion
from unveil.study.band_spec import parse_bands
from unveil.study.open_scenario import open_sides
from unveil.study.roles import names, not_compared_notes
from unveil.study.scenario import Progress
from unveil.study.study import Study

EXACT = 2**53
"""Up to here every whole number is a decimal of its own."""


@dataclass(frozen=True, eq=False)
class UtilityData:
    """The columns that all sides have, the original first, and what was noticed on the way."""

    variables: tuple[CodedColumn, ...]
    sides: Sides
    files: tuple[str, ...]
    places: tuple[str, ...]
    notes: tuple[Coercion, ...]
    study: Study

    @property
    def n_copies(self) -> int:
        """How many sides stand beside the original."""
        return len(self.sides.rows) - 1

    @property
    def numbers(self) -> tuple[CodedColumn, ...]:
        """The columns compared as numbers, dates among them."""
        return tuple(one for one in self.variables if one.is_scaled)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the original."""
        return tuple(one.name for one in self.variables)

    def of(self, name: Any) -> CodedColumn:
        """The column of that name, or a refusal."""
        for one in self.variables:
            if one.name == name:
                return one
        raise RolesError(
            f"{name!r} is not among the compared columns.{hint_at(str(name), self.names)}"
            f" They are: {list_names(self.names)}."
        )


def open_columns(
    sides: Mapping[str, Any],
    *,
    columns: str | Iterable[str] | None,
    categories: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress,
    by_counts: bool = False,
) -> UtilityData:
    """Read, align and encode the columns asked for, or all that every side has.

    What is asked `by_counts` alone may be asked of an engine that keeps the rows.
    """
    wanted = None if columns is None else names(columns, "Columns")
    if wanted is not None and not wanted:
        raise RolesError("No columns are given. Name some, or omit columns for all of them.")
    called = names(categories, "Categories")
    codes = parse_bands(None, special_codes).special_codes
    files = open_sides(sides, wanted, missing_values, progress, by_counts=by_counts)
    chosen, left_aside = _common(files, wanted)
    _check_unknown({"categories": called, "special_codes": tuple(codes)}, chosen)
    encoded = files.encode(chosen, progress=progress)
    made = tuple(
        add_declarations(one, codes.get(one.name, ()), is_category=one.name in called)
        for one in encoded.columns
    )
    for one in made:
        _check_unheld(one)
    return UtilityData(
        made,
        made[0].sides,
        tuple(table.source for table in files),
        tuple(table.place for table in files),
        (*left_aside, *encoded.coercions),
        files.study,
    )


def _common(
    tables: Sequence[Table], wanted: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[Coercion, ...]]:
    if wanted is not None:
        faults = (
            absent_sentence(table.place, name, table.frame.columns)
            for table in tables
            for name in wanted
            if name not in table.frame.columns
        )
        check_faults(faults, RolesError)
        return tuple(wanted), ()
    shared = set.intersection(*(set(table.frame.columns) for table in tables))
    chosen = tuple(name for name in tables[0].frame.columns if name in shared)
    if not chosen:
        raise RolesError(_no_common_column(tables))
    return chosen, not_compared_notes(tables, shared)


def _no_common_column(tables: Sequence[Table]) -> str:
    said = "The files have no column in common, so nothing can be compared."
    if any(is_like_data(table.frame.columns) for table in tables):
        return f"{said} A first line looks like a record: put a line with the names above it."
    return f"{said} Columns of the original: {list_names(tables[0].frame.columns)}."


def _check_unknown(given: Mapping[str, Sequence[str]], chosen: Sequence[str]) -> None:
    faults = (
        f"{what} names {name!r}, which is not compared.{hint_at(name, chosen)} Compared columns"
        f" are: {list_names(chosen)}."
        for what, named in given.items()
        for name in named
        if name not in chosen
    )
    check_faults(faults, RolesError)


def _check_unheld(column: CodedColumn) -> None:
    """Refuse whole numbers so large that different ones are the same decimal."""
    levels = column.levels.drop_nulls()
    if column.kind != "number" or not levels.dtype.is_integer() or levels.is_empty():
        return
    is_held = bool(levels.is_between(-EXACT, EXACT).all())
    if not is_held and levels.cast(pl.Float64).n_unique() < levels.n_unique():
        raise RolesError(
            f"Column {column.name!r} holds whole numbers beyond {EXACT:,} that differ by less than"
            " decimals can hold. Name it in categories, omit it, or subtract what all of them"
            " have in common."
        )
