"""Files as an engine opens them: whole rows stay there, columns are known by their entries."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from unveil.errors import EngineError, ReadError
from unveil.io.batches import BatchedFile, open_batches
from unveil.io.csv_dialect import Dialect
from unveil.io.dictionary import apply_dictionary, apply_dictionary_beside, parse_dictionary
from unveil.io.read_csv import type_columns
from unveil.io.read_parquet import codebook_in, notes_beside
from unveil.io.sources import TEXT, note_missing, read_table, with_missing
from unveil.io.table import Table, choose, place_of
from unveil.io.text_types import apply_types
from unveil.records.disclosure import Coercion
from unveil.study.backends import Backend, Lazy
from unveil.study.choose_engine import holder
from unveil.study.engine_study import EngineSide, EngineStudy, EntryTable, count_values
from unveil.study.scenario import CountedScenario
from unveil.study.study import OpenFiles


def open_engine_files(
    backend: Backend,
    sides: Mapping[str, Any],
    columns: Sequence[str] | None,
    missing_values: Sequence[str],
    *,
    aside: Sequence[str],
    scenario_of: Callable[..., CountedScenario],
    types: Mapping[str, str] | None = None,
    dictionary: Any = None,
) -> OpenFiles:
    """The files as an engine keeps them; only `columns`, of the first side those of `aside` too.

    `types` and `dictionary` as in `Study.open`.
    """
    opened = []
    for place, (side, source) in enumerate(sides.items()):
        wanted = columns
        if columns is not None and place == 0:
            wanted = tuple(dict.fromkeys((*columns, *aside)))
        with backend.asking("a file was opened"):
            made = open_side(backend, side, source, wanted, missing_values)
            said: dict[str, Any] = {"types": types or {}, "dictionary": dictionary}
            opened.append(_declare(backend, made, source, missing_values, **said))
    backend.n_rows = sum(one.table.n_rows for one in opened)
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
    return made


def _declare(
    backend: Backend,
    side: EngineSide,
    source: Any,
    missing_values: Sequence[str],
    *,
    types: Mapping[str, str],
    dictionary: Any,
) -> EngineSide:
    """The side with what is said of its columns: their types, what they mean, what is missing."""
    read_as, table, frame = dict(side.read_as), side.table, side.table.frame
    for name in (name for name in types if name in side.places):
        found = read_as[name][0] if name in read_as else count_values(backend, side, name)
        values = pl.DataFrame({name: read_as[name][1] if name in read_as else found["v"]})
        known = with_missing(replace(table, frame=values), missing_values)
        typed = apply_types(known, {name: types[name]})
        if typed.notes != table.notes:
            read_as[name] = found, typed.frame[name]
            frame = frame.with_columns(typed.frame[name].clear())
            table = replace(table, notes=typed.notes)
    table = replace(table, frame=frame)
    book = None if dictionary is None else parse_dictionary(dictionary)
    told: Table = table
    if table.codebook is None and book and any(one.name in frame for one in book.variables):
        told = apply_dictionary(table, book)
    elif table.codebook is None and isinstance(source, str | os.PathLike):
        told = apply_dictionary_beside(table, Path(os.fsdecode(source)))
    notes = note_missing(told, missing_values).notes
    return replace(side, table=replace(table, notes=notes, codebook=told.codebook), read_as=read_as)


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
        read_as={name: (one, made[name].head(one.height)) for name, one in found.items()},
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
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    notes = dict.fromkeys(note for file in files for note in notes_beside(file, side))
    table = Table(side, place, frame, path.name, tuple(notes), book)
    return table, backend.scan(path)
