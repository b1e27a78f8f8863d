"""Which table of counts stands in a file?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import absent_sentence, is_list, parse_choice
from unveil.errors import InputError, ReadError, RolesError, SettingsError, list_names
from unveil.io.read_cells import has_cells, read_cells, read_place
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.measure.tables.crosstab import Crosstab, parse_crosstab
from unveil.measure.tables.from_records import texts
from unveil.measure.tables.grid import (
    TABLE,
    Counts,
    Grid,
    PartRows,
    check_counts,
    check_names,
)
from unveil.study.roles import names
from unveil.study.study import Study

# Is a file of counts long or wide, and which of its columns are levels and which are counts?


COUNT_NAMES = ("count", "counts", "n", "freq", "frequency", "number", "people", "persons")
LAYOUTS = ("long", "wide", "crosstab")
BLANKS = ("zero", "hidden")
ROWS, COLUMNS, COUNT = "rows", "columns", "count"


@dataclass(frozen=True)
class LongTable:
    """A long table: the columns of its levels, and the column of its counts."""

    table: Table
    dims: tuple[str, ...]
    count: str
    is_wide: bool = False


def read_layout(
    table: Table,
    *,
    dims: tuple[str, ...] | None,
    count: Any,
    layout: Any,
    published: str | None,
) -> LongTable:
    """The file as a long table, whichever it is."""
    if layout is not None:
        parse_choice("layout", layout, LAYOUTS)
    if count is not None and not isinstance(count, str):
        raise RolesError(f"count must be the name of a column; given is {type(count).__name__}.")
    rest = [name for name in table.frame.columns if name != published]
    if layout is None:
        # A column of published values stands beside counts, in a long file.
        layout = "long" if published is not None else _layout(table, rest, dims, count)
    if layout == "wide":
        return _from_wide(table, dims, count, published)
    counts = _count_column(table, rest, dims) if count is None else count
    chosen = tuple(name for name in rest if name != counts) if dims is None else dims
    table.check_columns((*chosen, counts, *([published] if published else [])))
    if counts in chosen or not chosen:
        raise RolesError(
            f"Column {counts!r} cannot be counts and a dimension at once. Name at least one column"
            " of levels with dims, and the column of counts with count."
        )
    return LongTable(table, chosen, counts)


def _layout(table: Table, rest: Sequence[str], dims: Sequence[str] | None, count: Any) -> str:
    named = _find_count_column(rest) if count is None else count
    if count is None and dims is None and named is not None and _may_be_wide(table, rest):
        levels = [name for name in rest[1:] if name != named]
        sums = table.frame.select(pl.sum_horizontal(levels)).to_series()
        if (sums == table.frame[named]).all():
            return "wide"
        if all(table.frame[name].n_unique() < table.frame.height for name in levels):
            return "long"
        raise ReadError(
            f"{table.place} can be read in two ways: long, with counts in {named!r}, or wide, where"
            f" {named!r} is one of the levels {list_names(rest[1:])}. State which: layout='long' or"
            " layout='wide' (--layout)."
        )
    if named is not None:
        return "long"
    if dims is not None and set(dims) < set(rest):
        return "long"
    n_numeric = sum(_is_numeric(table, name) for name in rest[1:])
    if len(rest) > 1 and n_numeric == len(rest) - 1:
        return "long" if len(rest) == 2 else "wide"
    raise ReadError(_unclear(table))


def _may_be_wide(table: Table, rest: Sequence[str]) -> bool:
    """Whether each row has a label of its own, and every other column is numbers."""
    return (
        len(rest) > 2
        and table.frame[rest[0]].n_unique() == table.frame.height
        and all(_is_numeric(table, name) for name in rest[1:])
    )


def _unclear(table: Table) -> str:
    return (
        f"In {table.place[0].lower()}{table.place[1:]} it is not clear which column holds the"
        " counts. Name it with count, or set layout='wide'. Its columns are:"
        f" {list_names(table.frame.columns)}."
    )


def _find_count_column(columns: Sequence[str]) -> str | None:
    found = [name for name in columns if name.strip().casefold() in COUNT_NAMES]
    return found[0] if len(found) == 1 else None


def _is_numeric(table: Table, name: str) -> bool:
    return table.frame[name].dtype.is_numeric()


def _count_column(table: Table, rest: Sequence[str], dims: Sequence[str] | None) -> str:
    """The counts: the column called so, the only one that is left, or the only one of numbers."""
    left = [name for name in rest if dims is None or name not in dims]
    named = _find_count_column(left)
    if named is not None:
        return named
    numeric = [name for name in left if _is_numeric(table, name)]
    for found in (left, numeric):
        if len(found) == 1:
            return found[0]
    if dims is None and len(rest) == 2 and _is_numeric(table, rest[1]):
        return rest[1]
    raise ReadError(_unclear(table))


def _from_wide(
    table: Table, dims: tuple[str, ...] | None, count: Any, published: str | None
) -> LongTable:
    """Every number with the label of its row and the header of its column."""
    if count is not None or published is not None:
        raise SettingsError(
            "A wide file has a column of counts for each level: count and published name columns"
            " of long files only."
        )
    first, *others = table.frame.columns
    if dims is not None and len(dims) != 2:
        raise RolesError(
            f"A wide file has two dimensions, its rows and its columns; given are {len(dims):,}"
            " names."
        )
    if not others:
        raise ReadError(f"{table.place} has one column. A wide file has levels beside it.")
    not_numbers = [name for name in others if not _is_numeric(table, name)]
    if not_numbers:
        raise ReadError(
            f"{table.place} is read as a wide file, but these columns are not numbers:"
            f" {list_names(not_numbers)}. The table must hold the true counts, as whole numbers."
        )
    rows = ROWS if first.startswith("unnamed_") else first
    chosen = dims or (rows, COLUMNS if rows != COLUMNS else "header")
    n_rows = table.frame.height
    long = pl.DataFrame(
        {
            "0": pl.concat([table.frame[first]] * len(others)),
            "1": [name for name in others for _ in range(n_rows)],
            "2": pl.concat([_as_float_or_whole(table.frame[name]) for name in others]),
        }
    )
    names = COUNT if COUNT not in chosen else "counts"
    long.columns = [*chosen, names]
    return LongTable(replace(table, frame=long), tuple(chosen), names, is_wide=True)


def _as_float_or_whole(column: pl.Series) -> pl.Series:
    """Columns of one type, so that they can stand below each other; counts are below 2^53."""
    return column.cast(pl.Float64).alias("")


# Which table of counts stands in a file: long or wide, with or without its margins?


ROLE = "data"


@dataclass(frozen=True)
class FileTable:
    """The cells of a file, their counts, what was noticed, and published values by part."""

    grid: Grid
    counts: Counts
    notes: tuple[str, ...]
    published: dict[str, list[Any]] | None
    crosstab: Crosstab | None = None


def table_in(
    source: Any,
    *,
    dims: str | Iterable[str] | None,
    count: str | None,
    layout: str | None,
    total_label: str | Sequence[str],
    published: Any,
    blank: str | None = None,
) -> FileTable:
    """The table of counts in a file or a frame; margins in it must add up, and are left aside."""
    labels = _labels(total_label)
    column = published if isinstance(published, str) else None
    asked = None if dims is None else names(dims, "Dimensions")
    plain = dict(dims=asked, count=count, layout=layout, published=column)
    long, crosstab = _read_any_layout(source, labels, blank, plain)
    table = long.table
    if column is not None and column not in long.table.frame.columns:
        raise RolesError(absent_sentence(table.place, column, table.frame.columns))
    check_names(long.dims)
    if crosstab is not None or long.is_wide:
        long, crosstab, told = _name_totals(long, crosstab, labels)
    else:
        told = []
    rows, notes = _rows(long.table, long.dims, labels)
    notes += told
    counts, more = _counts(rows, _numbers(long.table, long.count))
    _check_margins(rows, counts, long.table.frame[long.count].to_list(), labels)
    drawn = None if column is None else _published_parts(rows, long.table.frame[column].to_list())
    if crosstab is not None and not long.is_wide:
        how = crosstab.sentence
    elif long.is_wide:
        sizes = " by ".join(
            f"{n:,} {what}" for n, what in zip(rows.grid.shape, _SIDES, strict=True)
        )
        how = f"Read as wide: {sizes}, {int(counts.sum()):,} people."
    else:
        how = f"Read as long: counts in {long.count!r}, by {list_names(long.dims)}."
    notes = [how, *notes]
    return FileTable(rows.grid, counts, (*notes, *more), drawn, crosstab)


_SIDES = ("rows", "columns")


def _read_any_layout(
    source: Any, labels: frozenset[str], blank: str | None, plain: dict[str, Any]
) -> tuple[LongTable, Crosstab | None]:
    """A plain table, or a cross-table as an office lays it out."""
    if blank is not None:
        parse_choice("blank", blank, BLANKS)
    if plain["layout"] != "crosstab":
        try:
            found = read_layout(read_table(source, side=ROLE), **plain)
            if found.is_wide and has_cells(source):
                # Its layout, to publish it likewise; labels may look like counts: 1, 2, C.
                with suppress(ReadError):
                    return found, parse_crosstab(read_cells(source, side=ROLE), labels)
            return found, None
        except ReadError as fault:
            is_open = plain["layout"] is None and plain["count"] is None and has_cells(source)
            if not is_open or str(fault).find("two ways") >= 0:
                raise
            try:
                table = parse_crosstab(read_cells(source, side=ROLE), labels)
            except ReadError as other:
                # A sheet must be named before anything else can be said.
                raise (other if "sheets" in str(other) else fault) from None
    elif not has_cells(source):
        raise SettingsError("A cross-table is read from a workbook or a text file only.")
    else:
        table = parse_crosstab(read_cells(source, side=ROLE), labels)
    return _from_crosstab(table, source, blank, plain), table


def _from_crosstab(
    table: Crosstab, source: Any, blank: str | None, plain: Mapping[str, Any]
) -> LongTable:
    place = read_place(source, ROLE)
    dims = plain["dims"] or table.names
    if len(dims) != len(table.names) or plain["published"] is not None:
        raise RolesError(
            f"{place} is a cross-table by {list_names(table.names)}: {len(table.names):,}"
            f" dimensions; given are {len(dims):,} names, and no column can hold published values."
        )
    n_blank = sum(table.blank)
    n_hidden = sum(not isinstance(one, int) for one in table.values) - n_blank
    if n_hidden:
        raise ReadError(
            f"{place} has hidden values ({n_hidden:,}). The table must hold the true counts; a"
            " table that is published already belongs into a plan (unveil plan)."
        )
    if n_blank and blank != "zero":
        raise ReadError(
            f"{place} has empty cells among its numbers ({n_blank:,}), which may be 0 or hidden."
            " State that they are 0: blank='zero' (--blank zero)."
        )
    frame = pl.DataFrame(
        {name: [one[k] for one in table.labels] for k, name in enumerate(dims)}
        | {_COUNTS: [one if isinstance(one, int) else 0 for one in table.values]}
    )
    return LongTable(Table(side=ROLE, place=place, frame=frame, source=""), tuple(dims), _COUNTS)


_COUNTS, _LEVEL, _OTHERS = "\x00counts", "\x00level", "\x00others"  # no column is called so


def _name_totals(
    long: LongTable, crosstab: Crosstab | None, labels: frozenset[str]
) -> tuple[LongTable, Crosstab | None, list[str]]:
    """Levels that are the sums of the others, whatever they are called, named as totals.

    Of a table with one row (or column) it may be chance: then it is refused.
    """
    frame, notes = long.table.frame, list[str]()
    total = min(labels, default="total")
    for k, dim in enumerate(long.dims):
        levels = frame[dim].unique(maintain_order=True).to_list()
        named = [one for one in levels if fold(str(one)) not in labels]
        if len(named) < 3 or len(named) < len(levels):
            continue
        others = [one for one in long.dims if one != dim]
        for level in (named[0], named[-1]):
            is_level = pl.col(dim) == level
            summed = frame.group_by(others or pl.lit(0)).agg(
                pl.col(long.count).filter(is_level).sum().alias(_LEVEL),
                pl.col(long.count).filter(~is_level).sum().alias(_OTHERS),
            )
            if not (summed[_LEVEL] == summed[_OTHERS]).all() or not summed[_LEVEL].sum():
                continue
            if summed.height < 2:
                raise ReadError(
                    f"{long.table.place} can be read in two ways: the last level of {dim!r} is the"
                    " sum of the others, or a level that happens to be so large. State which with"
                    " the total label (--total-label)."
                )
            renamed = pl.when(is_level).then(pl.lit(total)).otherwise(pl.col(dim).cast(pl.String))
            frame = frame.with_columns(renamed.alias(dim))
            if crosstab is not None:
                crosstab = crosstab.rename_level(k, str(level), total)
            notes.append(f"A level of {dim!r} is the sum of the others and is read as the total.")
            break
    return replace(long, table=replace(long.table, frame=frame)), crosstab, notes


def _labels(given: Any) -> frozenset[str]:
    asked = [given] if isinstance(given, str) else given
    if not is_list(asked) or not all(isinstance(one, str) for one in asked):
        raise SettingsError(
            "total_label must be the text that marks a sum, such as 'Total', or a list of them."
        )
    return frozenset(fold(one) for one in asked)


def fold(text: str) -> str:
    """A label without regard to capitals and blanks around it."""
    return text.strip().casefold()


def _rows(table: Table, dims: Sequence[str], labels: frozenset[str]) -> tuple[PartRows, list[str]]:
    """The rows as codes of levels, in the order in which the file names them first."""
    encoded = Study([table]).files.encode(dims)
    codes, levels = [], []
    for dim, column in zip(dims, encoded.columns, strict=True):
        found, first = np.unique(column.codes, return_index=True)
        named = texts(column)
        ordered = [int(code) for code in found[np.argsort(first)]]
        kept = [code for code in ordered if fold(named[code]) not in labels]
        if not kept:
            raise InputError(
                f"Dimension {dim!r} of the table has no level but {list_names(named)}, which marks"
                " a sum. State with the total label how sums are marked."
            )
        renumbered = np.full(column.n_levels, -1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        codes.append(renumbered[column.codes])
        levels.append(tuple(named[code] for code in kept))
    grid = Grid(tuple(dims), tuple(levels))
    notes = [note.sentence for note in encoded.coercions]
    return PartRows(grid, np.column_stack(codes), table.place), notes


def _numbers(table: Table, count: str) -> list[Any]:
    """The column of counts; a column that is not numbers is refused without quoting it."""
    column = table.frame[count]
    if not column.dtype.is_numeric():
        n_bad = len(column)
        if column.dtype == pl.String:
            n_bad = int(column.cast(pl.Float64, strict=False).is_null().sum())
        raise ReadError(
            f"The counts in column {count!r} of {table.place[0].lower()}{table.place[1:]} are not"
            f" numbers in {n_bad:,} of {len(column):,} rows. The table must hold the true counts,"
            " as whole numbers; name their column with count."
        )
    return column.to_list()


def _counts(rows: PartRows, numbers: Sequence[Any]) -> tuple[Counts, list[str]]:
    found, cells = rows.of(TABLE)
    if not len(found):
        raise InputError(f"{rows.place} has only rows of sums. The table has no cells.")
    _check_twins(rows, TABLE, cells)
    flat: list[Any] = [0] * rows.grid.n_cells
    for row, cell in zip(found.tolist(), cells.tolist(), strict=True):
        flat[cell] = numbers[row]
    n_absent = rows.grid.n_cells - len(cells)
    note = (
        f"{n_absent:,} of {rows.grid.n_cells:,} cells are not in the file and taken to have no one"
        " in them."
    )
    return check_counts(flat, rows.grid), [note] if n_absent else []


def _check_twins(rows: PartRows, part: str, entries: NDArray[np.int64]) -> None:
    found, n_times = np.unique(entries, return_counts=True)
    if (n_times > 1).any():
        what = rows.grid.whats(part)[int(found[n_times > 1][0])]
        raise InputError(
            f"{rows.place} has more than one row for {what}. Name all columns that make the table"
            " with dims, or put these rows together."
        )


def _check_margins(
    rows: PartRows, counts: Counts, numbers: Sequence[Any], labels: frozenset[str]
) -> None:
    """Sums in the file must be those of its cells, or one of the two is wrong."""
    for part in rows.coarser:
        found, entries = rows.of(part)
        _check_twins(rows, part, entries)
        sums = rows.grid.sum_part(counts, part)
        for row, entry in zip(found.tolist(), entries.tolist(), strict=True):
            if numbers[row] != sums[entry]:
                raise InputError(
                    f"{rows.place} gives another number for {rows.grid.whats(part)[entry]} than"
                    " its cells add up to. Correct it; or, where a level is only called like a sum"
                    f" ({list_names(sorted(labels))}), state with the total label how sums are"
                    " marked."
                )


def _published_parts(rows: PartRows, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Published values by part, of those parts that the column has whole."""
    made: dict[str, list[Any]] = {}
    for part in (TABLE, *rows.coarser):
        found, entries = rows.of(part)
        if part == TABLE or len(found) == len(rows.grid.labels(part)):
            flat: list[Any] = [0] * len(rows.grid.labels(part))
            for row, entry in zip(found.tolist(), entries.tolist(), strict=True):
                flat[entry] = values[row]
            made[part] = flat if part != "total" else flat[0]
    return made
