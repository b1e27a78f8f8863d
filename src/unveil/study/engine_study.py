"""Files whose rows an engine keeps: what is known of their columns, and codes beside their rows.

Of each column the engine is asked for its distinct values, counted. These are aligned, matched and
cut into bands in memory, as those of other files are, and joined back as small numbers.
"""

import math
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, encode
from unveil.count.packing import PACKED, Sides
from unveil.errors import EngineError
from unveil.io.sources import with_missing
from unveil.io.table import Table
from unveil.study.backends import Backend, Lazy, reports_faults
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.engine import EngineName
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.study.study import OpenFiles, Study, StudyFile, encode_aligned, to_text

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
    read_as: Mapping[str, tuple[pl.DataFrame, pl.Series]] = field(default_factory=dict)
    """Of texts, and of columns of another type or coding: distinct entries, counted, and values."""

    def in_memory(self, frame: pl.DataFrame) -> Table:
        """Some of its records as a table."""
        known = {one.name: getattr(self.table, one.name) for one in dataclass_fields(Table)}
        return Table(**{**known, "frame": frame})

    def read(self, name: str, raw: pl.Series) -> pl.Series:
        """Entries of a column as they are read: of a text file in the type of all its texts."""
        if name not in self.read_as:
            return raw
        found, made = self.read_as[name]
        known = pl.DataFrame({"v": found["v"], "read": made})
        whole = pl.DataFrame({"v": raw}).join(
            known, on="v", how="left", nulls_equal=True, maintain_order="left"
        )
        return whole["read"]


@dataclass(frozen=True, eq=False)
class EngineFile(StudyFile):
    """A file of a study that an engine keeps, wherever a path is taken.

    Whoever asks for its table needs rows, and is refused.
    """

    @property
    def engine(self) -> EngineName:  # type: ignore[override]
        """Who keeps its rows."""
        return self.kept_by.backend.name

    @property
    def kept_by(self) -> "EngineStudy":
        """The study that it is of."""
        assert isinstance(self.study, EngineStudy)
        return self.study

    def table(self, *, side: str, columns: Sequence[str] | None) -> NoReturn:
        """Refused."""
        raise EngineError(NEEDS_ROWS)

    def without_rows(self, side: str, columns: Sequence[str] | None) -> Table:
        """These columns as a side of a comparison: what is known of them but for their values."""
        return super().table(side=side, columns=columns)


def select_files(
    sides: Mapping[str, Any], columns: Sequence[str] | None, aside: Sequence[str]
) -> OpenFiles:
    """Files of a study that an engine keeps; of the first side those of `aside` too."""
    files = [one for one in sides.values() if isinstance(one, EngineFile)]
    if len(files) < len(sides) or len({id(one.study) for one in files}) > 1:
        raise EngineError(NEEDS_ROWS)
    study = files[0].kept_by.select(tuple(one.number for one in files))
    tables = []
    for place, (side, file) in enumerate(zip(sides, files, strict=True)):
        more = aside if place == 0 and columns is not None else ()
        wanted = None if columns is None else tuple(dict.fromkeys((*columns, *more)))
        tables.append(file.without_rows(side, wanted))
    return OpenFiles(study, tuple(range(len(files))), tuple(tables))


class EngineStudy(Study):
    """Files whose rows an engine keeps."""

    has_rows = False

    def __init__(
        self,
        backend: Backend,
        sides: Sequence[EngineSide],
        missing_values: Sequence[str],
        scenario_of: Callable[..., CountedScenario],
    ) -> None:
        super().__init__([side.table for side in sides], missing_values)
        self.backend, self.sides, self._scenario_of = backend, tuple(sides), scenario_of
        self._entries: dict[tuple[str, EngineSide], tuple[pl.Series, EntryTable]] = {}
        self._selected: dict[tuple[int, ...], EngineStudy] = {}
        # The columns of the last scenario, and the scenario while somebody has it: kept here, its
        # files would stay on the disk until a search for garbage.
        self._last: tuple[Sequence[Any], Callable[[], CountedScenario | None]] = (), lambda: None

    def select(self, places: tuple[int, ...]) -> "EngineStudy":
        """Some of the files; what is known of their columns is not asked for again."""
        if places not in self._selected:
            sides = [self.sides[place] for place in places]
            made = EngineStudy(self.backend, sides, self.missing_values, self._scenario_of)
            made._entries = self._entries
            self._selected[places] = made
        return self._selected[places]

    @reports_faults
    def expand(self, names: Sequence[str]) -> Study:
        """These columns of all files in memory, records with equal values one behind the other."""
        tables = []
        for place, side in enumerate(self.sides):
            made = {}
            for name in (name for name in names if name in side.places):
                _, entries = self.entries(name, place)
                at = np.repeat(np.arange(len(entries.counts)), entries.counts)
                made[name] = entries.frame[name].gather(at)
            tables.append(side.in_memory(pl.DataFrame(made)))
        return Study(tables, self.missing_values)

    @reports_faults
    def with_tables(
        self, tables: Mapping[int, Table], changed: Container[str] | None = None
    ) -> "EngineStudy":
        """The study with other values in the place of those that `expand` gave, by file."""
        sides = list(self.sides)
        for place, table in tables.items():
            side, read_as = sides[place], dict(sides[place].read_as)
            frame = side.table.frame
            for name in table.frame.columns:
                values, entries = self.entries(name, place)
                first = np.cumsum(entries.counts) - entries.counts
                found = pl.DataFrame({"v": values, "n": entries.counts})
                read_as[name] = found, table.frame[name].gather(first)
                frame = frame.with_columns(table.frame[name].clear())
            notes = (*side.table.notes, *(one for one in table.notes if one.kind == "recoded"))
            read = replace(side.table, frame=frame, notes=notes)
            sides[place] = replace(side, table=read, read_as=read_as)
        return EngineStudy(self.backend, sides, self.missing_values, self._scenario_of)

    def _file(self, number: int) -> StudyFile:
        return EngineFile(
            Path(), self.tables[number], self.missing_values, study=self, number=number
        )

    def entries(self, name: str, place: int) -> tuple[pl.Series, EntryTable]:
        """The distinct values of a column as the engine has them, and as they are read."""
        side = self.sides[place]
        if (name, side) not in self._entries:
            if name in side.read_as:
                found, read = side.read_as[name]
            else:
                found = count_values(self.backend, side, name)
                read = found["v"]
            values = replace(side.table, frame=pl.DataFrame({name: read}))
            table = replace(
                side.table,
                frame=with_missing(values, self.missing_values).frame,
                counts=found["n"].to_numpy().astype(np.int64),
            )
            self._entries[name, side] = found["v"], table
        return self._entries[name, side]

    def column_tables(
        self, name: str, places: Sequence[int], tables: Sequence[Table]
    ) -> Sequence[Table]:
        """The distinct values of a column in the files at these places."""
        return [self.entries(name, place)[1] for place in places]

    @reports_faults
    def encode(self, name: str, files: OpenFiles) -> CodedColumn:
        """A column as codes over the levels of these files."""
        known = (name, files.places)
        if known not in self._encoded:
            coded = encode_aligned(self.align(name, files), files[0])
            self._encoded[known] = self._of_entries(coded, files)
        return self._encoded[known]

    @reports_faults
    def encode_text(self, name: str, files: OpenFiles) -> CodedColumn:
        """A column whose types cannot meet in these files as codes of texts."""
        values = [self.entries(name, place)[1].frame[name] for place in files.places]
        return self._of_entries(encode(name, [*map(to_text, values)]), files)

    def _of_entries(self, coded: CodedColumn, files: OpenFiles) -> EntryColumn:
        """The codes of distinct values with the records that have them."""
        counts = [self.entries(coded.name, place)[1].counts for place in files.places]
        entries = tuple(
            (coded.codes[at].astype(np.int64), n)
            for at, n in zip(coded.sides.slices, counts, strict=True)
        )
        return EntryColumn(
            coded.name,
            Sides(files.rows),
            NO_ROWS,
            coded.levels,
            coded.meanings,
            coded.special_codes,
            coded.measure,
            entries=entries,
        )

    @reports_faults
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
            tables.append(with_missing(side.in_memory(frame), self.missing_values))
        return Study(tables, self.missing_values)

    def count(
        self,
        key_columns: Sequence[CodedColumn],
        target_columns: Sequence[CodedColumn],
        progress: Progress = no_progress,
        segment: CodedColumn | None = None,
    ) -> CountedScenario:
        """A scenario whose questions the engine answers; the last one is kept."""
        asked = (*key_columns, None, *target_columns, None, segment)
        columns, last = self._last
        made = last()
        if made is None or [*map(id, columns)] != [*map(id, asked)]:
            keys, targets = tuple(key_columns), tuple(target_columns)
            made = self._scenario_of(self, keys, targets, segment, progress)
            self._last = asked, weakref.ref(made)
        return made

    @reports_faults
    def code_rows(self, columns: Mapping[str, CodedColumn], progress: Progress) -> Lazy:
        """The records of all files: the number of the file, and each column as codes.

        A column of fewer files than there are is 0 in the others.
        """
        sides = []
        for place in range(len(self.sides)):
            progress(f"coding the {self.sides[place].table.side} data", place, len(self.sides))
            sides.append(self._code(place, columns))  # type: ignore[arg-type]
        made = self.backend.keep(nw.concat(sides), "coding the columns")
        self._check_codes(made, columns)
        return made

    def _code(self, place: int, columns: Mapping[str, EntryColumn]) -> Lazy:
        """The records of one file as codes, by a join with the distinct values of each column.

        All entries are taken at once, and all codes: an engine looks at each step anew.
        """
        side, codes = self.sides[place], {"side": nw.lit(place, nw.Int32)}
        raw: dict[str, nw.Expr] = {}
        known: list[pl.DataFrame] = []
        for called, column in columns.items():
            codes[called] = nw.lit(0, nw.Int32)
            if place >= len(column.sides.rows):
                continue
            values, _ = self.entries(column.name, place)
            raw[f"v_{called}"] = plain_values(nw.col(side.places[column.name]), values.dtype)
            of_value = column.entries[place][0].astype(np.int32)
            levels = pl.DataFrame({f"v_{called}": values, called: of_value})
            missing = levels.filter(values.is_null())[called].to_list()
            if len(missing) < levels.height:
                known.append(levels.filter(values.is_not_null()))
                codes[called] = nw.col(called)
                if missing:
                    codes[called] = nw.col(called).fill_null(missing[0])
            elif missing:
                codes[called] = nw.lit(missing[0], nw.Int32)
        return self.backend.join_levels(side.rows.select(**raw), known).select(**codes)

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
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):  # known as text, or kept as codes
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
