"""Files whose rows an engine keeps: what is known of their columns, and codes beside their rows.

Of each column the engine is asked for its distinct values, counted. These are aligned, matched and
cut into bands in memory, as those of other files are, and joined back as small numbers.
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn
from unveil.count.packing import PACKED, Sides
from unveil.errors import EngineError, ReadError
from unveil.io.batches import BatchedFile, open_batches
from unveil.io.csv_dialect import Dialect
from unveil.io.dictionary import apply_dictionary_beside
from unveil.io.read_csv import type_columns
from unveil.io.read_parquet import codebook_in
from unveil.io.sources import TEXT, note_missing, read_table, with_missing
from unveil.io.table import Table, choose, place_of
from unveil.records.disclosure import Coercion
from unveil.study.backends import Backend, Lazy, told
from unveil.study.choose_engine import NEEDS_ROWS, holder
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.study.study import OpenFiles, Study, encode_aligned

MOST_VALUES = 5 * 10**6
"""Distinct values of a column that are looked at in memory: about as many as one GB holds."""


class _NoRows:
    """In the place of the codes of records: whoever asks for them needs rows."""

    def _refuse(self, *_: object) -> NoReturn:
        raise EngineError(NEEDS_ROWS)

    __getattr__ = __getitem__ = __len__ = __iter__ = __array__ = __eq__ = _refuse
    __hash__ = None  # type: ignore[assignment]


NO_ROWS: Any = _NoRows()


@dataclass(frozen=True)
class EntryTable(Table):
    """The distinct values of one column of a file, and how many records have each."""

    counts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    n_rows: int = 0

    @property
    def n_records(self) -> int:
        """How many records the file has."""
        return self.n_rows

    def count_missing(self, column: pl.Series) -> int:
        """How many records miss a value of the column."""
        return int(self.counts[column.is_null().to_numpy()].sum())


@dataclass(frozen=True)
class EntryColumn(CodedColumn):
    """A column as codes of its distinct values, not of its records.

    `entries` has for each side the code of each of its distinct values, and its records.
    """

    entries: tuple[tuple[Ints, Ints], ...] = ()

    @cached_property
    def counts(self) -> Any:
        """Records per side and level."""
        sums = [np.bincount(codes, n, self.n_levels) for codes, n in self.entries]
        return np.stack(sums).astype(np.int64)

    def replace_levels(self, level_of: Ints, levels: pl.Series) -> "EntryColumn":
        """The column with other levels, by which of them each of its own becomes."""
        entries = tuple((level_of[codes], n) for codes, n in self.entries)
        return replace(self, entries=entries, levels=levels)

    def recode(self, level_of: Ints) -> Any:
        """Nothing: records are not here."""
        return NO_ROWS

    def select_sides(self, places: Sequence[int], *, pooled: bool = False) -> "EntryColumn":
        """The column on some of its sides, with all of its levels; all but the first as one."""
        rows, counts = [self.sides.rows[place] for place in places], self.counts[list(places)]
        if pooled:
            rows = [rows[0], sum(rows[1:])]
            counts = np.stack([counts[0], counts[1:].sum(axis=0)])
        made = replace(self, sides=Sides(tuple(rows)))
        vars(made)["counts"] = counts  # known, so that nobody counts them again
        return made


@dataclass(frozen=True, eq=False)
class EngineSide:
    """A file that an engine keeps: its table without rows, and its rows, by names of ours."""

    table: EntryTable
    rows: Lazy
    places: Mapping[str, str]  # the name of ours for each column
    texts: Mapping[str, tuple[pl.DataFrame, pl.Series]] = field(default_factory=dict)
    """Of a text file: the distinct texts of each column, counted, and what they were read as."""

    def read(self, name: str, raw: pl.Series) -> pl.Series:
        """Entries of a column as they are read: of a text file in the type of all its texts."""
        if name not in self.texts:
            return raw
        found, made = self.texts[name]
        known = pl.DataFrame({"v": found["v"], "read": made})
        whole = pl.DataFrame({"v": raw}).join(
            known, on="v", how="left", nulls_equal=True, maintain_order="left"
        )
        return whole["read"]


class EngineStudy(Study):
    """Files whose rows an engine keeps."""

    def __init__(
        self,
        backend: Backend,
        sides: Sequence[EngineSide],
        missing_values: Sequence[str],
        scenario_of: Callable[..., CountedScenario],
    ) -> None:
        super().__init__([side.table for side in sides], missing_values)
        self.backend, self.sides, self._scenario_of = backend, tuple(sides), scenario_of
        self._entries: dict[tuple[str, int], tuple[pl.Series, EntryTable]] = {}

    def entries(self, name: str, place: int) -> tuple[pl.Series, EntryTable]:
        """The distinct values of a column as the engine has them, and as they are read."""
        if (name, place) not in self._entries:
            side = self.sides[place]
            if name in side.texts:
                found, read = side.texts[name]
            else:
                found = count_values(self.backend, side, name)
                read = found["v"]
            values = replace(side.table, frame=pl.DataFrame({name: read}))
            table = replace(
                side.table,
                frame=with_missing(values, self.missing_values).frame,
                counts=found["n"].to_numpy().astype(np.int64),
            )
            self._entries[name, place] = found["v"], table
        return self._entries[name, place]

    def column_tables(
        self, name: str, places: Sequence[int], tables: Sequence[Table]
    ) -> Sequence[Table]:
        """The distinct values of a column in the files at these places."""
        return [self.entries(name, place)[1] for place in places]

    @told
    def encode(self, name: str, files: OpenFiles) -> CodedColumn:
        """A column as codes over the levels of these files."""
        known = (name, files.places)
        if known not in self._encoded:
            coded = encode_aligned(self.align(name, files), files[0])
            counts = [self.entries(name, place)[1].counts for place in files.places]
            entries = tuple(
                (coded.codes[at].astype(np.int64), n)
                for at, n in zip(coded.sides.slices, counts, strict=True)
            )
            self._encoded[known] = EntryColumn(
                name,
                Sides(files.rows),
                NO_ROWS,
                coded.levels,
                coded.meanings,
                coded.special_codes,
                coded.measure,
                entries=entries,
            )
        return self._encoded[known]

    @told
    def bring(self, by: str | None = None, kept: Sequence[pl.Series] = ()) -> Study:
        """Records in memory, in all columns: all, or in each file those with some values of one."""
        if not self.backend.is_here:
            raise EngineError(f"Records are not brought here from {self.backend.called}.")
        tables = []
        for place, side in enumerate(self.sides):
            rows = side.rows
            if by is not None:
                here = kept[place].drop_nulls()
                raw = plain_values(nw.col(side.places[by]), here.dtype)
                put = self.backend.put(pl.DataFrame({"v": here}))
                rows = rows.with_columns(v=raw).join(put, on="v", how="inner")
            asked = rows.select(*map(nw.col, side.places.values()))
            found = self.backend.fetch(asked, f"bringing records of the {side.table.side} data")
            frame = pl.DataFrame(
                {name: side.read(name, found[called]) for name, called in side.places.items()}
            )
            if by is not None or not self.backend.is_ordered:  # the same in every run
                frame = frame.sort(one.name for one in frame if not one.dtype.is_nested())
            table = replace(side.table, frame=frame)
            fields = {one.name: getattr(table, one.name) for one in dataclass_fields(Table)}
            tables.append(with_missing(Table(**fields), self.missing_values))
        return Study(tables, self.missing_values)

    def count(
        self,
        key_columns: Sequence[CodedColumn],
        target_columns: Sequence[CodedColumn],
        progress: Progress = no_progress,
        segment: CodedColumn | None = None,
    ) -> CountedScenario:
        """A scenario whose questions the engine answers."""
        return self._scenario_of(self, tuple(key_columns), tuple(target_columns), segment, progress)

    @told
    def code_rows(self, columns: Mapping[str, CodedColumn], progress: Progress) -> Lazy:
        """The records of all files: the number of the file, and each column as codes.

        A column of fewer files than there are is 0 in the others.
        """
        sides = []
        for place, side in enumerate(self.sides):
            rows = side.rows.with_columns(side=nw.lit(place, nw.Int32))
            for done, (called, column) in enumerate(columns.items()):
                progress(f"coding {column.name}", done, len(columns))
                if place >= len(column.sides.rows):
                    rows = rows.with_columns(nw.lit(0, nw.Int32).alias(called))
                    continue
                rows = self._code(rows, place, called, column)  # type: ignore[arg-type]
            sides.append(rows.select("side", *columns))
        made = self.backend.keep(nw.concat(sides), "coding the columns")
        self._check_codes(made, columns)
        return made

    def _code(self, rows: Lazy, place: int, called: str, column: EntryColumn) -> Lazy:
        """One column of one file as codes, by a join with its distinct values."""
        values, _ = self.entries(column.name, place)
        codes = column.entries[place][0]
        levels = pl.DataFrame({"v": values, called: codes.astype(np.int32)})
        missing = levels.filter(pl.col("v").is_null())
        raw = plain_values(nw.col(self.sides[place].places[column.name]), values.dtype)
        rows = rows.with_columns(raw.alias("v"))
        known = levels.drop_nulls("v")
        if known.height:
            joined = rows.join(self.backend.put(known), on="v", how="left")
        else:
            joined = rows.with_columns(nw.lit(None, nw.Int32).alias(called))
        if missing.height:
            joined = joined.with_columns(nw.col(called).fill_null(int(missing[called][0])))
        return joined.drop("v")

    def _check_codes(self, rows: Lazy, columns: Mapping[str, CodedColumn]) -> None:
        """Codes must add up as counted: a value that the join lost would be lost in silence."""
        sums = {name: nw.col(name).cast(nw.Int64).sum() for name in columns}
        asked = rows.group_by("side").agg(n=nw.len(), **sums)
        found = self.backend.fetch(asked, "checking the codes").sort("side")
        for name, column in columns.items():
            places = len(column.sides.rows)
            expected = column.counts @ np.arange(column.n_levels)
            n_rows = found["n"].to_list()[:places]
            if found[name].to_list()[:places] != expected.tolist() or n_rows != [
                *column.sides.rows
            ]:
                raise EngineError(
                    f"The values of column {column.name!r} could not be found again by"
                    f" {self.backend.called}. Store it as whole numbers, decimals or text, or count"
                    " in memory (--engine memory)."
                )


def count_values(backend: Backend, side: EngineSide, name: str) -> pl.DataFrame:
    """The distinct values of a column, `v`, and the records that have them, `n`."""
    column = plain_values(nw.col(side.places[name]), side.table.frame[name].dtype)
    asked = side.rows.select(column.alias("v")).group_by("v").agg(n=nw.len())
    found = backend.fetch(asked.head(MOST_VALUES + 1), f"counting values of {name!r}")
    if found.height > MOST_VALUES:
        raise EngineError(
            f"Column {name!r} of {side.table.place} has more than {MOST_VALUES:,} different"
            " values. Round it to fewer, or exclude it from the comparison."
        )
    return found


def plain_values(column: nw.Expr, dtype: pl.DataType) -> nw.Expr:
    """A column as it can be grouped and joined: no negative zero, no categories."""
    if dtype.is_float():
        return column + 0.0
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return column.cast(nw.String)
    return column


def pack_columns(columns: Mapping[str, int]) -> list[list[tuple[str, int]]]:
    """Columns with their numbers of levels, in groups that fit into one whole number each."""
    groups: list[list[tuple[str, int]]] = [[]]
    for name, n_levels in columns.items():
        if math.prod(n for _, n in groups[-1]) * max(n_levels, 1) > PACKED:
            groups.append([])
        groups[-1].append((name, max(n_levels, 1)))
    return groups


def packed(group: Sequence[tuple[str, int]]) -> nw.Expr:
    """One whole number for each combination of these columns."""
    made = nw.lit(0, nw.Int64)
    for name, n_levels in group:
        made = made * n_levels + nw.col(name).cast(nw.Int64)
    return made


def open_engine_files(
    backend: Backend,
    sides: Mapping[str, Any],
    columns: Sequence[str] | None,
    missing_values: Sequence[str],
    *,
    aside: Sequence[str],
    scenario_of: Callable[..., CountedScenario],
) -> OpenFiles:
    """The files as an engine keeps them; only `columns`, of the first side those of `aside` too."""
    opened = []
    for place, (side, source) in enumerate(sides.items()):
        wanted = columns
        if columns is not None and place == 0:
            wanted = tuple(dict.fromkeys((*columns, *aside)))
        with backend.asking("a file was opened"):
            opened.append(open_side(backend, side, source, wanted, missing_values))
    n_cells = sum(one.table.n_rows * len(one.table.frame.columns) for one in opened)
    backend.enough = 10**9 + 64 * n_cells
    note = Coercion(side="all files", column=None, kind="engine", sentence=backend.describe())
    first = replace(opened[0].table, notes=(*opened[0].table.notes, note))
    opened[0] = replace(opened[0], table=first)
    return EngineStudy(backend, opened, missing_values, scenario_of).files


def open_side(
    backend: Backend,
    side: str,
    source: Any,
    columns: Sequence[str] | None,
    missing_values: Sequence[str],
) -> EngineSide:
    """One file as an engine keeps it; only `columns`, all where None."""
    path = Path(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else None
    place = place_of(side, None if path is None else path.name)
    text = None
    if path is not None and path.suffix.lower() in TEXT:
        text = open_batches(path, side)
        table, rows = _open_text(backend, text, columns)
    elif path is not None:
        table, rows = _open_path(backend, path, side, columns, place)
    elif holder(source) is None:
        table = read_table(source, side=side, columns=columns)
        rows = backend.put(table.frame)
    else:
        table, rows = _open_held(backend, source, side, columns, place)
    _check_capitals(table)
    places = {name: f"c{number}" for number, name in enumerate(table.frame.columns)}
    rows = rows.select(*(nw.col(name).alias(called) for name, called in places.items()))
    n_rows = int(backend.fetch(rows.select(n=nw.len()), "counting records")["n"][0])
    if not n_rows:
        raise ReadError(f"{place} has columns but no rows. Check that its export was finished.")
    fields = {name: getattr(table, name) for name in ("side", "place", "source", "notes")}
    made = EngineSide(
        EntryTable(frame=table.frame.clear(), codebook=table.codebook, n_rows=n_rows, **fields),
        rows,
        places,
    )
    if text is not None and path is not None and text.dialect is not None:
        made = _read_texts(backend, made, text.dialect, missing_values)
        beside = apply_dictionary_beside(made.table, path)
        made = replace(
            made, table=replace(made.table, notes=beside.notes, codebook=beside.codebook)
        )
    told = note_missing(made.table, missing_values)
    return replace(made, table=replace(made.table, notes=told.notes))


def _open_held(
    backend: Backend, source: Any, side: str, columns: Sequence[str] | None, place: str
) -> tuple[Table, Lazy]:
    """A frame or table that the engine holds."""
    rows = backend.scan(source)
    with backend.asking("a table was opened"):
        names = rows.collect_schema().names()
    wanted = choose(names, columns, place)
    head = backend.fetch(rows.select(*map(nw.col, wanted)).head(0), "a table was opened")
    return Table(side=side, place=place, frame=head), rows


def _open_text(
    backend: Backend, text: BatchedFile, columns: Sequence[str] | None
) -> tuple[Table, Lazy]:
    """A text file as a folder of Parquet files, all of whose columns are texts."""
    wanted = choose(text.columns, columns, text.place)
    folder = backend.new_folder()
    with backend.asking("a text file was copied"):
        for number, frame in enumerate(text.read(wanted)):
            frame.write_parquet(folder / f"{number}.parquet", compression="lz4")
    notes = [note for note in text.notes if note.column is None or note.column in wanted]
    frame = pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
    table = Table(text.side, text.place, frame, text.path.name, tuple(notes))
    return table, backend.scan(folder)


def _read_texts(
    backend: Backend, side: EngineSide, dialect: Dialect, missing_values: Sequence[str]
) -> EngineSide:
    """The same with its columns in the types that all their texts have, as when read whole."""
    found = {name: count_values(backend, side, name) for name in side.places}
    longest = max(one.height for one in found.values())
    # Filled up with missing entries, which say nothing of a type.
    texts = pl.DataFrame(
        {name: one["v"].extend_constant(None, longest - one.height) for name, one in found.items()}
    )
    made, notes = type_columns(texts, dialect, side.table.side, missing_values)
    kept = [
        note
        for note in notes
        if note.kind != "almost_numbers"
        or _is_mostly_numbers(found[str(note.column)], missing_values, dialect)
    ]
    return replace(
        side,
        table=replace(side.table, frame=made.clear(), notes=(*side.table.notes, *kept)),
        texts={name: (one, made[name].head(one.height)) for name, one in found.items()},
    )


def _is_mostly_numbers(
    found: pl.DataFrame, missing_values: Sequence[str], dialect: Dialect
) -> bool:
    """Whether at least half of the records with an entry have a number."""
    held = found.drop_nulls("v").filter(~pl.col("v").is_in(["", *missing_values]))
    text = pl.col("v")
    if dialect.separator != ",":
        text = text.str.replace(",", ".", literal=True)
    is_number = held.select(text.cast(pl.Float64, strict=False).is_not_null()).to_series()
    return 2 * int(held["n"].filter(is_number).sum()) >= int(held["n"].sum())


def _check_capitals(table: Table) -> None:
    """Engines take Age and age for one column."""
    names = table.frame.columns
    twins = [name for name in names if [one.lower() for one in names].count(name.lower()) > 1]
    if twins:
        raise EngineError(
            f"{table.place} has columns whose names differ in nothing but capitals, such as"
            f" {twins[0]!r}. Rename one of them, or count in memory (--engine memory)."
        )


def _open_path(
    backend: Backend, path: Path, side: str, columns: Sequence[str] | None, place: str
) -> tuple[Table, Lazy]:
    """A Parquet file, or a folder of such files."""
    pattern = path / "*.parquet" if path.is_dir() else path
    with backend.asking("a file was opened"):
        lazy = pl.scan_parquet(pattern, glob=path.is_dir(), hive_partitioning=False)
        names = lazy.collect_schema().names()
    wanted = choose(names, columns, place)
    frame = lazy.head(0).collect()[wanted]
    book = None if path.is_dir() else codebook_in(path, wanted)
    table = Table(side=side, place=place, frame=frame, source=path.name, codebook=book)
    if book is None:
        table = apply_dictionary_beside(table, path)
    return table, backend.scan(path)
