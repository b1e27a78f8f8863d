"""Files that memory does not hold: records stay where they are, and are counted there.

The seam, for DuckDB, Spark, a user's own Ibis table, or a polars LazyFrame, by narwhals:
1. `EngineFile`   a file of a study: its columns, how many records; a frame of it is refused.
2. `distinct`     the values of a column in each file, and records of each. Memory encodes these by
                  the same code as whole files: kinds, labels, missing values, codes, bands.
3. `coded`        the records as codes of their levels: small tables of codes are joined there.
4. `counted`      cells of some columns with their records in one file; a wider table that is there
                  already is summed instead of the records.
5. `cells`        Raab's cells of two files. Combinations of one cell in one file alone show nobody
                  anything and come back as rows with a weight; all others come back as they are.
6. `sample`       records drawn at random: whom learners learn from, and attacks are tried on.
Rules, tolerance, flags and formulas then see the profile that they see of files in memory.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from itertools import accumulate, chain, count, pairwise
from logging import getLogger
from math import prod
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn
from weakref import finalize

import narwhals as nw
import numpy as np
import polars as pl

from unveil.counts.cells import NO_TARGET, Cells, Ints, Keys, Pair, number, pack
from unveil.counts.profile import CellProfile
from unveil.data.codebook import Data
from unveil.data.columns import Coded
from unveil.data.read import How, OpenFile, from_path, read_data, read_parquet_codebook
from unveil.errors import InputError, UnveilError

Lazy = nw.LazyFrame[Any]
MOST_LEVELS = 5_000_000  # different values of a column that memory encodes
DRAWN = 20_000  # people that learners learn from
SPARE = 6  # standard errors by which a draw is larger than asked for, and then cut
LIBRARIES, BYTES = 300 * 2**20, 80  # memory: of Python and its libraries; of a cell, of a level
LIMIT = "1GB"  # of memory that DuckDB takes before it writes to the disk


class Engine:
    """What each kind of engine does in its own way; here frames that polars has not collected."""

    name = "polars"

    def read(self, path: Path) -> Lazy:
        """The records of a Parquet file."""
        return nw.from_native(pl.scan_parquet(path, glob=False))

    def send(self, table: pl.DataFrame) -> Lazy:
        """A small table where the records are."""
        return nw.from_native(table.lazy())

    def keep(self, frame: Lazy) -> Lazy:
        """What is asked for again; an engine that can store it does, as long as it is used."""
        return frame

    def draw(self, frame: Lazy, share: float, seed: int) -> pl.DataFrame:
        """Each record at this chance."""
        luck = pl.int_range(pl.len()).hash(seed) / float(2**64)
        drawn: pl.DataFrame = frame.to_native().filter(luck < share).collect()
        return drawn

    @contextmanager
    def unquoted(self, doing: str) -> Iterator[None]:
        """Messages of engines may hold values of people."""
        try:
            yield
        except (UnveilError, MemoryError):
            raise
        except Exception as fault:  # of any library, and of its server
            raise InputError(
                f"{self.name} stopped while {doing} ({type(fault).__name__}). Its message may quote"
                " values and is not shown: look at the file, or at what makes the frame, by itself."
            ) from None

    def fetch(self, frame: Lazy, doing: str) -> pl.DataFrame:
        with self.unquoted(doing):
            table: pl.DataFrame = frame.collect("polars").to_native()
        return table

    def numbers(self, frame: Lazy) -> dict[str, Ints]:
        """Whole numbers: of DuckDB sums are Decimal, of polars counts are UInt32."""
        table = self.fetch(frame.select(nw.all().cast(nw.Int32)), "counting")
        return {name: table[name].to_numpy() for name in table.columns}


class DuckDB(Engine):
    """Relations of one connection: a user's, or one of ours, in a folder that goes with it."""

    name = "DuckDB"

    def __init__(self, relation: Any = None, limit: str = LIMIT) -> None:
        self.relation = self._connect(limit) if relation is None else relation
        self._numbers, stored = count(1), list[str]()
        self._stored = stored
        finalize(self, _drop, self.relation, stored)

    def _connect(self, limit: str) -> Any:
        if not re.fullmatch(r"\d+(\.\d+)?[KMGT]i?B", limit):
            raise InputError(f"'engine' takes duckdb with a size, duckdb:{LIMIT}, not {limit!r}.")
        duckdb = library("duckdb", "large")
        folder = TemporaryDirectory(prefix="unveil-")
        finalize(self, folder.cleanup)
        connection = duckdb.connect(f"{folder.name}/counts.db")
        finalize(self, connection.close)  # what is registered last is called first
        connection.execute(f"SET memory_limit = '{limit}'")
        connection.execute(f"SET temp_directory = '{folder.name}'")
        connection.execute("SET preserve_insertion_order = false")
        return connection.sql("SELECT 1")

    def read(self, path: Path) -> Lazy:
        quoted = str(path).replace("'", "''")
        with self.unquoted("reading a file"):
            return nw.from_native(self._ask(f"SELECT * FROM read_parquet('{quoted}')"))

    def send(self, table: pl.DataFrame) -> Lazy:
        sent = table.to_arrow()  # noqa: F841, DuckDB finds it by its name
        return self._store(self.relation.query("this", "SELECT * FROM sent"))

    def keep(self, frame: Lazy) -> Lazy:
        with self.unquoted("counting"):
            return self._store(frame.to_native())

    def _store(self, relation: Any) -> Lazy:
        name = f"unveil_{id(self)}_{next(self._numbers)}"
        relation.query("this", f"CREATE TEMP TABLE {name} AS SELECT * FROM this")
        self._stored.append(name)
        return nw.from_native(self._ask(f"FROM {name}"))

    def _ask(self, query: str) -> Any:
        return self.relation.query("nothing", query)

    def draw(self, frame: Lazy, share: float, seed: int) -> pl.DataFrame:
        [[threads]] = self._ask("SELECT current_setting('threads')").fetchall()
        self._ask("SET threads = 1")  # with several, a seed draws other records every time
        sample = f"SELECT * FROM this USING SAMPLE {100 * share} PERCENT (bernoulli, {seed})"
        try:
            return pl.DataFrame(frame.to_native().query("this", sample).to_arrow_table())
        finally:
            self._ask(f"SET threads = {threads}")


def _drop(relation: Any, tables: Sequence[str]) -> None:
    with suppress(Exception):  # the connection may be closed
        for name in tables:
            relation.query("nothing", f"DROP TABLE IF EXISTS {name}")


class Spark(Engine):
    """Frames of one Spark session, of Spark Connect too."""

    name = "Spark"

    def __init__(self, session: Any) -> None:
        self.session = session
        self._kept = kept = list[Any]()
        finalize(self, _unpersist, kept)

    @classmethod
    def at(cls, address: str) -> "Spark":
        sql = library("pyspark.sql", "spark")
        builder = sql.SparkSession.builder.appName("unveil").master(address)
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        with Engine.unquoted(cls, "starting"):  # type: ignore[arg-type]
            session = builder.getOrCreate()
            session.sparkContext.setLogLevel("OFF")  # its log quotes values
        return cls(session)

    @contextmanager
    def unquoted(self, doing: str) -> Iterator[None]:
        log = getLogger("SQLQueryContextLogger")  # pyspark prints what fails, with its value
        before, log.disabled = log.disabled, True
        try:
            with super().unquoted(doing):
                yield
        finally:
            log.disabled = before

    def read(self, path: Path) -> Lazy:
        with self.unquoted("reading a file"):
            return nw.from_native(self.session.read.parquet(str(path.absolute())))

    def send(self, table: pl.DataFrame) -> Lazy:
        return nw.from_native(self.session.createDataFrame(table.to_arrow()))

    def keep(self, frame: Lazy) -> Lazy:
        self._kept.append(frame.to_native().persist())
        return nw.from_native(self._kept[-1])

    def draw(self, frame: Lazy, share: float, seed: int) -> pl.DataFrame:
        drawn = nw.from_native(frame.to_native().sample(fraction=share, seed=seed))
        return self.fetch(drawn, "drawing a sample")


def _unpersist(frames: Sequence[Any]) -> None:
    with suppress(Exception):  # the session may be stopped
        for frame in frames:
            frame.unpersist()


class Ibis(Engine):
    """Tables of a warehouse, through the user's own Ibis; draws there know no seed."""

    name = "the engine behind Ibis"

    def __init__(self, table: Any) -> None:
        self.backend, self._stored = table.get_backend(), list[str]()
        finalize(self, _drop_tables, self.backend, self._stored)

    def send(self, table: pl.DataFrame) -> Lazy:
        return self._store(table.to_arrow())

    def keep(self, frame: Lazy) -> Lazy:
        with self.unquoted("counting"):
            return self._store(frame.to_native())

    def _store(self, table: Any) -> Lazy:
        self._stored.append(f"unveil_{id(self)}_{len(self._stored)}")
        return nw.from_native(self.backend.create_table(self._stored[-1], table, temp=True))

    def draw(self, frame: Lazy, share: float, seed: int) -> pl.DataFrame:
        is_drawn = library("ibis", "").random() < share
        return self.fetch(nw.from_native(frame.to_native().filter(is_drawn)), "drawing a sample")


def _drop_tables(backend: Any, tables: Sequence[str]) -> None:
    with suppress(Exception):  # they go with the connection too
        for name in tables:
            backend.drop_table(name, force=True)


def library(name: str, extra: str) -> Any:
    """A library that is there only where it was asked for."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"'engine' needs {name.partition('.')[0]}, which is not installed:"
            f" pip install 'unveil[{extra}]'."
        ) from None


def engine_of(engine: str, sources: Iterable[Any]) -> Engine | None:
    """What is named, or where the frames are; None: in memory."""
    kind, _, setting = engine.partition(":")
    sources = list(sources)
    for source in sources:
        if isinstance(source, EngineFile):
            return source.engine
    lazy = [frame for source in sources if (frame := _lazy(source)) is not None]
    if kind == "duckdb" and not lazy:
        return DuckDB(limit=setting or LIMIT)
    if kind == "spark" and setting and not lazy:
        return Spark.at(engine)
    if engine != "memory":
        if lazy:
            raise InputError("Frames in an engine are counted there: leave out 'engine'.")
        raise InputError(
            f"'engine' takes memory, duckdb, duckdb:2GB or spark://host:port, not {engine!r}."
        )
    if not lazy:
        return None
    native, kind = lazy[0].to_native(), lazy[0].implementation.name
    if any(frame.implementation.name != kind for frame in lazy):
        raise InputError("The frames live in several engines. Give all files in one of them.")
    match kind:
        case "DUCKDB":
            return DuckDB(native)
        case "PYSPARK" | "PYSPARK_CONNECT":
            return Spark(native.sparkSession)
        case "IBIS":
            return Ibis(native)
        case "POLARS":
            return Engine()
    raise InputError(f"Frames of {kind.lower()} that are not collected cannot be counted.")


def _lazy(source: Any) -> Lazy | None:
    if isinstance(source, EngineFile):
        return source.records
    frame = nw.from_native(source, pass_through=True)
    return frame if isinstance(frame, nw.LazyFrame) else None


@dataclass(frozen=True, eq=False)
class EngineFile(OpenFile):
    """A file of a study whose records stay where they are."""

    engine: Engine
    records: Lazy
    names: tuple[str, ...]
    n: int

    @classmethod
    def of(cls, file: OpenFile, engine: Engine) -> "EngineFile":
        """A file by its path, its relation, or a frame of memory that is sent there."""
        if isinstance(file, EngineFile):
            return file
        records = _lazy(file.source)
        if records is None and file.path is not None:
            records = engine.read(file.path)
        elif records is None:
            records = engine.send(file.frame)
        with engine.unquoted("looking at a file"):
            names = tuple(records.collect_schema().names())
            n = int(engine.numbers(records.select(n=nw.len()))["n"][0])
        return cls(**vars(file), engine=engine, records=records, names=names, n=n)

    @property
    def frame(self) -> NoReturn:
        refuse(self.engine)

    @property
    def columns(self) -> Sequence[str]:
        return self.names

    @property
    def size(self) -> int:
        return self.n


def read_but_records(source: Any, role: str, how: How) -> Data:
    """A file without its records; a frame of memory with them."""
    if isinstance(source, str | Path):
        return from_path(source, how, {".parquet": read_parquet_codebook})
    return read_data(source, role, how) if _lazy(source) is None else Data(pl.DataFrame())


def refuse(engine: Engine) -> NoReturn:
    raise InputError(
        f"This needs the records in memory, and they stay in {engine.name}. Take people at random:"
        " study.sample(20_000)."
    )


@dataclass(frozen=True, eq=False)
class EngineKeys(Keys):
    """Key combinations of which the engine told the levels; `q` is of the people drawn."""

    levels: Mapping[str, Ints]

    def codes(self, key: Coded) -> Ints:
        return self.levels[key.name]


@dataclass(frozen=True, eq=False)
class EngineCells(Cells):
    """Cells that the engine counted; single people are those drawn."""

    own: Ints
    count_pairs: Callable[[Coded], tuple[Ints, Ints, Ints]]

    @property
    def t_of_people(self) -> Ints:
        return self.own

    def people(self, key: Coded, levels: Ints) -> tuple[Ints, Ints, Ints]:
        k, t, n = self.count_pairs(key)
        is_asked = np.isin(t, levels)
        return k[is_asked], t[is_asked], n[is_asked]


class Claims(NamedTuple):
    """The value of a target that some key combinations show."""

    keys: Sequence[Coded]
    target: Coded
    levels: Sequence[Ints]  # of each key
    claimed: Ints

    @classmethod
    def of(cls, p: CellProfile) -> "Claims":
        first = p.cells.starts
        at = first[(p.claimed[first] >= 0) & (p.d_q[first] > 0)]
        q = p.cells.q[at]  # in both files: not among those that look alike
        levels = [p.cells.keys.codes(key)[q] for key in p.keys]
        return cls(p.keys, p.target, levels, p.claimed[at])


class EngineRecords:
    """The records of a study's files, where they are; what was counted of them is kept there."""

    def __init__(self, files: Sequence[EngineFile]) -> None:
        self.files, self.engine = files, files[0].engine
        self._values: dict[str, list[pl.DataFrame]] = {}
        self._parts: dict[str, Sequence[Coded]] = {}
        self._kept: dict[tuple[str, Any], dict[frozenset[str], Lazy]] = {}
        self._short: dict[str, str] = {}  # columns by names that nothing else has

    def distinct(self, name: str) -> list[pl.DataFrame]:
        """The values of a column in each file, and records of each."""
        if name not in self._values:
            self._values[name] = [self._distinct(file, name) for file in self.files]
        return self._values[name]

    def _distinct(self, file: EngineFile, name: str) -> pl.DataFrame:
        values = file.records.select(value=nw.col(name)).group_by("value").agg(n=nw.len())
        doing = f"listing the values of {name!r} in {file.label}"
        table = self.engine.fetch(values.head(MOST_LEVELS + 1), doing)
        if len(table) > MOST_LEVELS:
            raise InputError(
                f"{name!r} has more than {MOST_LEVELS:,} different values in {file.label}. Round or"
                " group them in the frame that you give."
            )
        return table.sort("value")

    def combined(self, name: str, parts: Sequence[Coded]) -> list[Coded]:
        """Each part of a joint target in every combination of them that occurs."""
        short = [self._name(part.name) for part in parts]
        tables = [
            pl.DataFrame(self.engine.numbers(self.counted(number, parts)))
            for number in range(len(self.files))
        ]
        self._values[name] = [table.select(*short, "n") for table in tables]
        self._parts[name] = parts
        n = np.concatenate([table["n"].to_numpy() for table in tables])
        return [
            replace(part, rows=ends_of(tables), n=n,
                    codes=pl.concat(table[at] for table in tables).to_numpy().astype(np.int32))
            for part, at in zip(parts, short, strict=True)
        ]  # fmt: skip

    def _name(self, column: str) -> str:
        return self._short.setdefault(column, f"c{len(self._short)}")

    def _smallest(self, about: tuple[str, Any], names: frozenset[str]) -> Lazy | None:
        """What is kept with these columns, and the fewest others."""
        fits = [kept for kept in self._kept.get(about, {}) if names <= kept]
        return self._kept[about][min(fits, key=len)] if fits else None

    def _keep(self, about: tuple[str, Any], names: frozenset[str], frame: Lazy) -> Lazy:
        kept = self.engine.keep(frame)
        self._kept.setdefault(about, {})[names] = kept
        return kept

    def coded(self, number: int, columns: Sequence[Coded]) -> Lazy:
        """The records of a file as codes."""
        whole = [part for column in columns for part in (*self._parts.get(column.name, ()), column)]
        names = frozenset(column.name for column in whole)
        if (kept := self._smallest(("records", number), names)) is not None:
            return kept
        plain = {c.name: c for c in whole if c.name not in self._parts}.values()
        short = {column.name: self._name(column.name) for column in whole}
        frame = self.files[number].records.select(
            **{f"value_{short[column.name]}": nw.col(column.name) for column in plain}
        )
        for column in plain:
            at, code = f"value_{short[column.name]}", short[column.name]
            table = self._codes_of(column, number).rename({"value": at, "code": code})
            frame = frame.join(self.engine.send(table.drop_nulls()), on=at, how="left")
        frame = frame.select(
            *(nw.col(short[c.name]).fill_null(c.n_levels - 1).cast(nw.Int32) for c in plain)
        )
        for name, parts in self._parts.items():
            if name in names:
                table = self._codes_of(self._joint(columns, name), number)
                table = table.rename({"code": short[name]})
                frame = frame.join(
                    self.engine.send(table), on=[short[part.name] for part in parts], how="left"
                )
        return self._keep(("records", number), names, frame)

    def _joint(self, columns: Sequence[Coded], name: str) -> Coded:
        return next(column for column in columns if column.name == name)

    def _codes_of(self, column: Coded, number: int) -> pl.DataFrame:
        codes = pl.Series("code", column.codes[column.rows[number]], pl.Int32)
        return self.distinct(column.name)[number].drop("n").with_columns(codes)

    def counted(self, number: int, columns: Sequence[Coded]) -> Lazy:
        """Records of one file by the codes of some columns."""
        about, names = ("counts", number), frozenset(column.name for column in columns)
        short = [self._name(column.name) for column in columns]
        if names in self._kept.get(about, {}):
            return self._kept[about][names]
        if (wider := self._smallest(about, names)) is None:
            counts = self.coded(number, columns).group_by(*short).agg(n=nw.len())
        else:
            counts = wider.group_by(*short).agg(n=nw.col("n").sum())
        return self._keep(about, names, counts.with_columns(nw.col("n").cast(nw.Int64)))

    def cross(self, number: int, columns: Sequence[Coded]) -> tuple[list[Ints], Ints]:
        """Codes and records of every cell of one file."""
        counts = self.engine.numbers(self.counted(number, columns))
        return [counts[self._name(column.name)] for column in columns], counts["n"]

    def memory_needed(
        self, numbers: Sequence[int], keys: Sequence[Coded], targets: Sequence[Coded]
    ) -> int:
        """Bytes, if every combination of levels occurred, or each record had one of its own."""
        records = sum(self.files[number].n for number in numbers)
        space = prod(key.n_levels for key in keys)
        cells = sum(min(records, space * target.n_levels) for target in targets)
        values = sum(map(len, chain.from_iterable(self._values.values())))
        return LIBRARIES + BYTES * (cells + values)

    def cells(
        self, keys: Sequence[Coded], target: Coded, people: int, files: Sequence[int],
        levels_of: Sequence[str], drawn: Mapping[str, Ints],
    ) -> EngineCells:  # fmt: skip
        """Raab's cells of two files; `drawn` has the codes of people drawn from the first."""
        columns = [*keys] if target is NO_TARGET else [*keys, target]
        q, short = [self._name(key.name) for key in keys], [self._name(c.name) for c in columns]
        zero, n = nw.lit(0, nw.Int64), nw.col("n")
        parts = [self.counted(people, columns).select(*short, d=n, s=zero)]
        parts += [self.counted(number, columns).select(*short, d=zero, s=n) for number in files]
        cells = nw.concat(parts).group_by(*short).agg(nw.col("d", "s").sum()) if files else parts[0]
        cells = cells.with_columns(nw.col("d", "s").cast(nw.Int64), one=nw.lit(1, nw.Int64))
        some = pl.DataFrame({self._name(key.name): drawn[key.name] for key in keys}).cast(pl.Int32)
        some = some.unique().with_columns(drawn=pl.lit(1, pl.Int32))
        cells = cells.join(self.engine.send(some), on=q, how="left")
        cells = cells.with_columns(n_cells=nw.col("one").sum().over(*q))
        is_in_one = (nw.col("d") == 0) | (nw.col("s") == 0)
        is_alike = is_in_one & (nw.col("n_cells") == 1) & nw.col("drawn").is_null()
        by = ["d", "s", *(name for name in short if name not in q),
              *(self._name(name) for name in levels_of)]  # fmt: skip
        alike = self.engine.numbers(cells.filter(is_alike).group_by(*by).agg(w=nw.len()))
        several = self.engine.numbers(cells.filter(~is_alike).select(*short, "d", "s"))
        return self._cells(keys, target, people, files, levels_of, drawn, alike, several)

    def _cells(
        self, keys: Sequence[Coded], target: Coded, people: int, files: Sequence[int],
        levels_of: Sequence[str], drawn: Mapping[str, Ints],
        alike: Mapping[str, Ints], several: Mapping[str, Ints],
    ) -> EngineCells:  # fmt: skip
        """The cells in their order, rows that look alike last, as memory has them."""
        codes = {
            key.name: np.append(several[self._name(key.name)], drawn[key.name]) for key in keys
        }
        numbers, n_q = number(*pack([replace(key, codes=codes[key.name]) for key in keys]))
        n, t = len(several["d"]), self._name(target.name)
        none = np.zeros(n, np.int8)
        of_several = numbers[:n] * np.int64(max(target.n_levels, 1)) + several.get(t, 0)
        order = np.argsort(of_several)
        q, packed = numbers[:n][order], of_several[order]
        example = np.empty(n_q, np.int64)
        example[q] = order
        n_d, n_s = self.files[people].n, sum(self.files[number].n for number in files)
        of_keys = EngineKeys(
            tuple(keys), Pair(slice(0, n_d), slice(n_d, n_d + n_s)), numbers[n:], n_q,
            levels={name: of[example] for name, of in codes.items()},
        )  # fmt: skip

        def both(first: Ints, last: Ints) -> Ints:
            return np.append(first[order], last).astype(np.int32)

        rows = len(alike["w"])
        return EngineCells(
            of_keys,
            target,
            q=np.append(q, n_q + np.arange(rows)).astype(np.int32),
            t=both(several.get(t, none), alike.get(t, np.zeros(rows, np.int8))),
            d_tq=both(several["d"], alike["d"]),
            s_tq=both(several["s"], alike["s"]),
            w=both(none + 1, alike["w"]),
            levels={name: both(codes[name], alike[self._name(name)]) for name in levels_of},
            packed=packed,
            alike=order[:0],
            alike_of=order[:0],
            own=drawn.get(target.name, np.zeros(len(numbers) - n, np.int64)),
            count_pairs=lambda key: self.pairs(key, target, people),
        )

    def pairs(self, key: Coded, target: Coded, people: int) -> tuple[Ints, Ints, Ints]:
        """People by the level of a key and of the target."""
        codes, n = self.cross(people, [key, target])
        return codes[0], codes[1], n

    def count_right(self, claims: Sequence[Claims]) -> int:
        """People of the original of whom any claim is right."""
        keys = claims[0].keys
        q = [self._name(key.name) for key in keys]
        frame, is_right = self.coded(0, [*keys, *(claim.target for claim in claims)]), []
        for claim in claims:
            code = self._name(claim.target.name)
            told = dict(zip(q, claim.levels, strict=True)) | {f"claim_{code}": claim.claimed}
            table = self.engine.send(pl.DataFrame(told).cast(pl.Int32))
            frame = frame.join(table, on=q, how="left")
            is_right.append((nw.col(f"claim_{code}") == nw.col(code)).fill_null(value=False))
        right = frame.filter(reduce(or_, is_right)).select(n=nw.len())
        return int(self.engine.numbers(right)["n"][0])

    def sample(self, number: int, n: int, seed: int) -> pl.DataFrame:
        """Records of a file drawn at random, in an order of their own."""
        file = self.files[number]
        wanted = n + SPARE * n**0.5
        if wanted >= file.n:
            records = self.engine.fetch(file.records, f"reading {file.label}")
        else:
            with self.engine.unquoted(f"drawing from {file.label}"):
                records = self.engine.draw(file.records, wanted / file.n, seed)
        records = records.sort(pl.all())
        if len(records) <= n:
            return records
        return records[np.sort(np.random.default_rng(seed).choice(len(records), n, replace=False))]

    def codes_in(self, records: pl.DataFrame, column: Coded, number: int) -> Ints:
        """The codes of some records of a file."""
        parts = self._parts.get(column.name, ())
        on = [self._name(part.name) for part in parts] or ["value"]
        values = (
            pl.DataFrame([self.codes_in(records, part, number) for part in parts], schema=on)
            if parts
            else records.select(value=column.name)
        )
        table = self._codes_of(column, number).cast({at: values[at].dtype for at in on})
        found = values.join(table, on=on, how="left", nulls_equal=True, maintain_order="left")
        return found["code"].to_numpy()


def ends_of(tables: Sequence[pl.DataFrame | pl.Series]) -> tuple[slice, ...]:
    """Where the rows of each table stand among those of all."""
    return tuple(slice(*ends) for ends in pairwise(accumulate(map(len, tables), initial=0)))
