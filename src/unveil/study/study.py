"""The files of a comparison: each read once, each column aligned and encoded once, then kept.

A `Study` holds the files. A measure asks for some of them and some of their columns (`OpenFiles`),
as codes over the same levels; what another measure has asked for is there already. Files of a
study can be given wherever a path or a frame is taken.

`OpenFiles` is the engine in memory: `unveil.study.engine` says what others must answer.
"""

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, overload

import msgspec
import polars as pl

from unveil.arguments import is_list, quote_value
from unveil.count.cells import KeyCounts
from unveil.count.codes import CodedColumn, add_declarations, encode
from unveil.count.kinds import Kind
from unveil.errors import AlignError, InputError, ReadError, RolesError, SettingsError
from unveil.io.memory import check_cells, check_memory, free_memory
from unveil.io.sources import CachedFile, hold, read_table
from unveil.io.table import Table
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.study.align import AlignedColumn, align_beside, align_column
from unveil.study.band_spec import NO_BANDS, Banding, Bands, parse_bands
from unveil.study.bands import band, cut_column
from unveil.study.choose_engine import choose_engine
from unveil.study.engine import current_engine
from unveil.study.match_codes import matching_notes
from unveil.study.roles import names
from unveil.study.scenario import CountedScenario, Progress, no_progress


@dataclass(frozen=True, eq=False)
class StudyFile(CachedFile):
    """One file of a study, to be given wherever a path or a frame is taken."""

    study: "Study | None" = None
    number: int = 0


class Study:
    """Files that are compared with each other, and what has been found out about their columns."""

    has_rows: ClassVar[bool] = True  # whether records are here, and not with an engine

    def __init__(
        self,
        tables: Sequence[Table],
        missing_values: Sequence[str] = (),
        paths: Sequence[Path | None] = (),
        columns: Mapping[str, Any] | None = None,
        sources: Sequence[Any] = (),
    ) -> None:
        """The tables; `sources` are what they were read from, among them files of a study."""
        self.columns = dict(columns or {})  # what is said of columns, by the name of the setting
        self.tables = tuple(tables)
        self.paths = tuple(paths) or (None,) * len(self.tables)  # None: a frame
        self.missing_values = tuple(missing_values)
        self._names = [frozenset(table.frame.columns) for table in self.tables]
        self._aligned: dict[str, AlignedColumn | None] = {}  # None: all together cannot be
        self._encoded: dict[tuple[str, tuple[int, ...]], CodedColumn] = {}
        self._banded: dict[tuple[int, Banding, tuple[float, ...]], Any] = {}
        self._counts: dict[tuple[int, ...], KeyCounts] = {}
        self._scenarios: dict[tuple[tuple[int, ...], tuple[int, ...]], CountedScenario] = {}
        self._files: dict[int, StudyFile] = {}
        self._kept: list[Any] = []  # what is known by its id must not be freed
        files = [one for one in sources if isinstance(one, StudyFile) and type(one.study) is Study]
        self._base = files[0].study if files else None  # a study that knows some files already
        self._numbers = {
            place: one.number
            for place, one in enumerate(sources)
            if isinstance(one, StudyFile) and one.study is self._base
        }
        self._beside: set[str] = set()  # columns that were aligned with what it knows

    @classmethod
    def open(
        cls,
        original: Any,
        synthetic: Any = (),
        control: Any = None,
        *,
        missing_values: str | Sequence[str] = (),
        types: Mapping[str, str] | None = None,
        dictionary: Any = None,
        keys: str | Iterable[str] | None = None,
        targets: str | Iterable[str] | None = None,
        person: str | None = None,
        bands: Mapping[str, Any] | None = None,
        special_codes: Mapping[str, Any] | None = None,
        categories: str | Iterable[str] = (),
        progress: Progress = no_progress,
    ) -> "Study":
        """Read the files of a release, each once and in full.

        Parameters
        ----------
        original, synthetic, control
            Paths or frames; several synthetic files as a list.
        missing_values, types, dictionary
            Entries that stand for missing, what columns are to be read as (integer, number, text
            or date), and what columns and codes mean where the files do not say so.
        keys, targets, person, bands, special_codes, categories
            What is said of columns; a measure of the study takes it where it is told nothing else.
        """
        has_none = isinstance(synthetic, list | tuple) and not synthetic
        sides = {"original": original, **({} if has_none else sides_of(synthetic))}
        if control is not None:
            sides["control"] = control
        missing = parse_missing(missing_values)

        def read(place: int, side: str, source: Any) -> Table:
            if isinstance(source, str | os.PathLike):
                path = Path(os.fsdecode(source))
                source = hold(
                    path, side=side, missing_values=missing, dictionary=dictionary, types=types
                )
            return read_table(source, side=side, missing_values=missing)

        said: dict[str, Any] = {
            "keys": keys,
            "targets": targets,
            "person": person,
            "bands": bands,
            "special_codes": special_codes,
            "categories": names(categories, "Categories") or None,
            "categorical": names(categories, "Categories") or None,
        }
        check_memory(_unread(sides))
        tables = _read_sides(sides, read, progress)
        for name, given in said.items():
            if given is not None and (name, given) != ("person", "none"):
                tables[0].check_columns(names([given] if name == "person" else given, name))
        return cls(tables, missing, [*map(_path, sides.values())], said, [*sides.values()])

    def kinds(self) -> dict[str, Kind]:
        """What each column of the original holds: number, date, ordered, category, text ..."""
        files = self.files
        called = self.columns.get("categories") or ()
        codes = parse_bands(None, self.columns.get("special_codes")).special_codes
        found: dict[str, Kind] = {}
        for name in self.tables[0].frame.columns:
            places = self._holding(name)
            column = files.select(*places).column_or_text(name)
            found[name] = add_declarations(
                column, codes.get(name, ()), is_category=name in called
            ).kind
        return found

    def with_tables(
        self, tables: Mapping[int, Table], changed: Container[str] | None = None
    ) -> "Study":
        """The study with other tables in the place of some, such as recoded ones.

        Where only the columns `changed` differ, what is known about all others is kept.
        """
        kept = [tables.get(number, table) for number, table in enumerate(self.tables)]
        made = Study(kept, self.missing_values, self.paths, self.columns)
        if changed is not None:
            made._aligned = {n: one for n, one in self._aligned.items() if n not in changed}
            made._encoded = {n: one for n, one in self._encoded.items() if n[0] not in changed}
        return made

    def expand(self, names: Sequence[str]) -> "Study":
        """A study with these columns, at least, in memory."""
        return self

    @property
    def original(self) -> StudyFile:
        """The original, as measures take it."""
        return self.file(0)

    @property
    def synthetic(self) -> list[StudyFile]:
        """The synthetic files, as measures take them."""
        return [self.file(place) for place, side in self._sides() if side.startswith("synthetic")]

    @property
    def control(self) -> StudyFile | None:
        """People whose records were not used; None where there is no such file."""
        found = [self.file(place) for place, side in self._sides() if side == "control"]
        return found[0] if found else None

    @property
    def files(self) -> "OpenFiles":
        """All files, by all of their columns."""
        return OpenFiles(self, tuple(range(len(self.tables))), self.tables)

    def file(self, number: int) -> StudyFile:
        """One file, as measures take it."""
        if number not in self._files:
            self._files[number] = self._file(number)
        return self._files[number]

    def _file(self, number: int) -> StudyFile:
        table = self.tables[number]
        return StudyFile(
            self.paths[number] or Path(),
            table,
            self.missing_values,
            is_changed=True,
            study=self,
            number=number,
        )

    def _sides(self) -> Iterator[tuple[int, str]]:
        return ((place, table.side) for place, table in enumerate(self.tables))

    def align(self, name: str, files: "OpenFiles") -> AlignedColumn:
        """A column in one type over these files, and over all others where that is possible."""
        held, found = self._holding(name), self._align_all(name)
        if found is None:  # one file among all is to blame: perhaps none of these
            return align_column(name, self.column_tables(name, files.places, files))
        made = found.select([held.index(place) for place in files.places])
        called: dict[str, list[str]] = {table.side: [] for table in self.tables}
        for place, table in zip(files.places, files, strict=True):
            called[self.tables[place].side].append(table.side)
        notes = [
            replace_side(note, side)
            for note in found.notes
            for side in called.get(note.side, [note.side])
        ]
        return replace(made, notes=tuple(notes))

    def _align_all(self, name: str) -> AlignedColumn | None:
        """A column in one type over all files that have it; None where that cannot be."""
        if name not in self._aligned:
            held = self._holding(name)
            try:
                self._aligned[name] = self._align_beside(name, held) or align_column(
                    name, self.column_tables(name, held, [self.tables[p] for p in held])
                )
            except AlignError:
                self._aligned[name] = None
        return self._aligned[name]

    def _split_known(self, held: Sequence[int]) -> tuple["OpenFiles", list[int], list[int]] | None:
        """The files that another study knows, those that are new, and where each stands then."""
        if self._base is None or not held or held[0] not in self._numbers:
            return None
        known = [place for place in held if place in self._numbers]
        added = [place for place in held if place not in self._numbers]
        files = OpenFiles(
            self._base,
            tuple(self._numbers[place] for place in known),
            tuple(self.tables[place] for place in known),
        )
        return files, added, [[*known, *added].index(place) for place in held]

    def _align_beside(self, name: str, held: Sequence[int]) -> AlignedColumn | None:
        """The column with what another study knows of some files; None where all is new."""
        parts = self._split_known(held)
        if parts is None:
            return None
        files, added, order = parts
        known = files.align_one(name)
        made = known
        if added:
            found = align_beside(known, files, [self.tables[place] for place in added])
            if found is None:
                return None
            made = found
        self._beside.add(name)
        return made.select(order)

    def _encode_whole(self, name: str, held: tuple[int, ...], whole: AlignedColumn) -> CodedColumn:
        """A column as codes over the levels of all files that have it."""
        parts = self._split_known(held)
        if parts is None or name not in self._beside:
            return encode_aligned(whole, self.tables[held[0]])
        files, added, order = parts
        column = files.column(name)
        if added:
            column = column.add_sides([whole.sides[held.index(place)] for place in added])
        return column.select_sides(order)

    def column_tables(
        self, name: str, places: Sequence[int], tables: Sequence[Table]
    ) -> Sequence[Table]:
        """In which tables the values of a column stand, of the files at these places."""
        return tables

    def encode(self, name: str, files: "OpenFiles") -> CodedColumn:
        """A column as codes over the levels of these files."""
        known, held = (name, files.places), self._holding(name)
        if known not in self._encoded:
            whole = self._align_all(name)
            if whole is None:
                self._encoded[known] = encode_aligned(self.align(name, files), files[0])
                return self._encoded[known]
            if (name, held) not in self._encoded:
                self._encoded[name, held] = self._encode_whole(name, held, whole)
            chosen = [held.index(place) for place in files.places]
            self._encoded[known] = self._encoded[name, held].select(chosen)
        return self._encoded[known]

    def encode_text(self, name: str, files: "OpenFiles") -> CodedColumn:
        """A column whose types cannot meet in these files as codes of texts."""
        return encode(name, [to_text(table.frame[name]) for table in files])

    def cut_bands(
        self, column: CodedColumn, banding: Banding, codes: tuple[float, ...]
    ) -> tuple[CodedColumn, BandedColumn] | None:
        """A column in bands, cut once."""
        known = (id(column), banding, codes)
        if known not in self._banded:
            self._kept.append(column)
            self._banded[known] = cut_column(column, banding, codes)
        return self._banded[known]  # type: ignore[no-any-return]

    def count(
        self,
        key_columns: Sequence[CodedColumn],
        target_columns: Sequence[CodedColumn],
        progress: Progress = no_progress,
        segment: CodedColumn | None = None,
    ) -> CountedScenario:
        """A scenario: key combinations once, then the cells of every target, once each.

        Of several copies it is for the measure to say which of them it counts together. A segment
        is counted here by engines alone: in memory its codes are at hand.
        """
        asked = tuple(map(id, key_columns)), tuple(map(id, target_columns))
        if asked in self._scenarios:
            return self._scenarios[asked]
        self._kept += (*key_columns, *target_columns)
        keys, sides = tuple(key_columns), key_columns[0].sides
        counts = self._counts.setdefault(asked[0], KeyCounts(keys))
        scenario = CountedScenario(sides, keys, tuple(target_columns), counts)
        if scenario.n_copies == 1:
            for done, target in enumerate(target_columns):
                progress(f"counting {target.name}", done, len(target_columns))
                counts.cells(target)
        self._scenarios[asked] = scenario
        return scenario

    def _holding(self, name: str) -> tuple[int, ...]:
        """The files that have a column."""
        return tuple(i for i, names in enumerate(self._names) if name in names)


def _path(source: Any) -> Path | None:
    if isinstance(source, CachedFile):
        return source.path
    return Path(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else None


def _unread(sides: Mapping[str, Any]) -> list[Path]:
    """The files that are yet to be read."""
    given = (one for one in sides.values() if isinstance(one, str | os.PathLike))
    return [Path(os.fsdecode(one)) for one in given]


def replace_side(note: Coercion, side: str) -> Coercion:
    """A note by the name that a file has in another comparison."""
    return note if note.side == side else msgspec.structs.replace(note, side=side)


def encode_aligned(aligned: AlignedColumn, original: Table) -> CodedColumn:
    """An aligned column as codes, with what the original declares about it."""
    name, meanings = aligned.name, aligned.matched.meanings
    variable = original.variables.get(name)
    measure = None if variable is None else variable.measure
    if isinstance(original.frame.get_column(name).dtype, pl.Enum):
        measure = "ordinal"
    return encode(name, aligned.sides, meanings, aligned.special_codes, measure)


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """Columns as codes, in bands where these were asked for, and what was noticed and changed."""

    columns: tuple[CodedColumn, ...]
    coercions: tuple[Coercion, ...]
    bands: tuple[BandedColumn, ...] = ()


@dataclass(frozen=True, eq=False)
class OpenFiles(Sequence[Table]):
    """Some files of a study, by some of their columns: what one measure looks at."""

    study: Study
    places: tuple[int, ...]  # which files of the study
    tables: tuple[Table, ...]

    def __len__(self) -> int:
        return len(self.tables)

    @overload
    def __getitem__(self, place: int) -> Table: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Table]: ...
    def __getitem__(self, place: int | slice) -> Table | Sequence[Table]:
        return self.tables[place]

    def select(self, *chosen: int) -> "OpenFiles":
        """Some of these files, by their place among them."""
        places, tables = zip(*((self.places[i], self.tables[i]) for i in chosen), strict=True)
        return OpenFiles(self.study, places, tables)

    def without_column(self, name: str) -> "OpenFiles":
        """The files without one of their columns, where they have it."""
        return replace(self, tables=tuple(_without_column(table, name) for table in self.tables))

    def align_one(self, name: str) -> AlignedColumn:
        """A column in one type over these files, or a refusal."""
        return self.study.align(name, self)

    def column(self, name: str) -> CodedColumn:
        """A column as codes over the levels of these files."""
        return self.study.encode(name, self)

    @property
    def rows(self) -> tuple[int, ...]:
        """Records of each file, the original first."""
        return tuple(table.n_records for table in self.tables)

    def column_or_text(self, name: str) -> CodedColumn:
        """A column as codes, missing where a file lacks it; as text where types cannot meet."""
        places = [i for i, table in enumerate(self) if name in table.frame.columns]
        here = self.select(*places)
        try:
            return here.column(name).spread_sides(places, self.rows)
        except AlignError:
            return self.study.encode_text(name, here).spread_sides(places, self.rows)

    def align(self, names: Sequence[str]) -> dict[str, AlignedColumn]:
        """Each of the columns in one type over these files, or a refusal with every fault found."""
        found, faults = {}, []
        for name in names:
            try:
                found[name] = self.align_one(name)
            except AlignError as fault:
                faults.append(fault)
        if faults:
            types = {name: kind for fault in faults for name, kind in fault.types.items()}
            raise AlignError("\n".join(map(str, faults)), types)
        return found

    def notes(self, aligned: Mapping[str, AlignedColumn]) -> tuple[Coercion, ...]:
        """What was noticed of the files, and of these columns."""
        return (
            *(note for table in self.tables for note in table.notes),
            *(note for column in aligned.values() for note in column.notes),
            *matching_notes({n: one.matched for n, one in aligned.items()}, self.tables),
        )

    def encode(
        self,
        names: Sequence[str],
        bands: Bands = NO_BANDS,
        progress: Progress = no_progress,
        *,
        also: Sequence[str] = (),
    ) -> EncodedColumns:
        """The columns as codes over the levels of these files, in bands where these are given.

        Those of `also` are looked at and noted, but not encoded.
        """
        aligned = self.align((*names, *also))
        columns = []
        for done, name in enumerate(names):
            progress(f"reading the levels of {name}", done, len(names))
            columns.append(self.column(name))
        made, banded, notes = band(columns, bands, self.study.cut_bands)
        return EncodedColumns(made, (*self.notes(aligned), *notes), banded)


def open_files(
    sides: Mapping[str, Any],
    columns: Sequence[str] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress = no_progress,
    *,
    aside: Sequence[str] = (),
) -> OpenFiles:
    """Read every side, or take it from the study it is of; all faults are told together.

    Only `columns` are read where they are given; of the first side those of `aside` as well.
    """
    missing = parse_missing(missing_values)
    choose_engine(sides.values(), current_engine(), by_counts=False)  # or a refusal

    def read(place: int, side: str, source: Any) -> Table:
        wanted = columns
        if columns is not None and place == 0:
            wanted = tuple(dict.fromkeys((*columns, *aside)))
        return read_table(source, side=side, columns=wanted, missing_values=missing)

    check_memory(_unread(sides), None if columns is None else len(columns))
    tables = _read_sides(sides, read, progress)
    given = [one for one in sides.values() if isinstance(one, StudyFile)]
    study = given[0].study if len(given) == len(sides) else None
    if study is None or any(one.study is not study for one in given):
        return Study(tables, missing, sources=[*sides.values()]).files
    if missing and missing != study.missing_values:
        raise SettingsError(
            "missing_values differ from those that the study was opened with. Give them to"
            " Study.open."
        )
    return OpenFiles(study, tuple(one.number for one in given), tuple(tables))


def sides_of(synthetic: Any, **originals: Any) -> dict[str, Any]:
    """What the user gave, by the name of its side: the original (or its parts), then the copies."""
    copies = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    if not copies:
        raise ReadError("No synthetic data are given. Name at least one file or frame.")
    numbered = {f"synthetic {number}": copy for number, copy in enumerate(copies, start=1)}
    named = numbered if len(copies) > 1 else {"synthetic": copies[0]}
    return {**originals, **named}


def to_text(column: pl.Series) -> pl.Series:
    """Values as texts, without the name of the column; what is no plain value is missing."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        return pl.Series([None] * len(column), dtype=pl.String)
    return column.cast(pl.String).alias("")


def _without_column(table: Table, name: str) -> Table:
    kept = [column for column in table.frame.get_columns() if column.name != name]
    return replace(table, frame=pl.DataFrame(kept))


def parse_missing(given: str | Sequence[str]) -> tuple[str, ...]:
    """The entries that stand for missing, as texts."""
    missing = (given,) if isinstance(given, str) else given
    if not is_list(missing) or not all(isinstance(entry, str) for entry in missing):
        raise SettingsError('missing_values must be texts, such as ["NA", "-9"].')
    return tuple(missing)


def _read_sides(
    sides: Mapping[str, Any], read: Callable[[int, str, Any], Table], progress: Progress
) -> list[Table]:
    """What is read of each side; the faults of all of them together.

    Text files were looked at before; how much others hold together is known as they are read.
    """
    if not callable(progress):
        raise SettingsError(
            f"progress is {quote_value(progress)}, which cannot be called. Give a function of "
            "what is"
            " being done, how many steps are done, and how many there are."
        )
    found: list[Table] = []
    faults: list[InputError] = []
    free, n_cells = free_memory(), 0
    for done, (side, source) in enumerate(sides.items()):
        progress(f"reading the {side} data", done, len(sides))
        try:
            found.append(read(done, side, source))
        except InputError as fault:
            faults.append(fault)
            continue
        if isinstance(source, str | os.PathLike):
            n_cells += found[-1].frame.height * found[-1].frame.width
            check_cells(n_cells, [table.source for table in found], free)
    if faults:
        raise type(faults[0])("\n".join(_fault_sentences(faults, list(sides))))
    return found


def _fault_sentences(faults: Sequence[InputError], sides: Sequence[str]) -> list[str]:
    """What to say of several files; once where all of them lack the same columns."""
    said = [str(fault) for fault in faults]
    lacking = {re.sub(r"(?m)^.*? has no column", "has no column", text) for text in said}
    if len(said) == len(sides) > 1 and len(lacking) == 1 and isinstance(faults[0], RolesError):
        return [said[0], "The same is true of every other file."]
    return said
