"""Who keeps the rows, and how is each of them asked? DuckDB, Spark, Ibis, or polars in chunks.

Questions are lazy frames of narwhals, written once for all of them (`engine_scenario.py`). Here is
what differs: how a file is opened, a small table put beside it, what is computed once and kept
there, and an answer brought back. Messages of engines may quote values of the data: none is passed
on. What engines write goes to a folder that is removed with them.
"""

import errno
import glob
import math
import os
import re
import shutil
import sys
import tempfile
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import narwhals.stable.v2 as nw
import polars as pl

from unveil.errors import EngineError, UnveilError
from unveil.io.memory import free_memory, size_text
from unveil.study.engine import EngineName, EngineSettings

Lazy = nw.LazyFrame[Any]
P = ParamSpec("P")
T = TypeVar("T")

_NO_ROOM = re.compile(r"no space left|file too large|disk quota|max_temp_directory|disk full", re.I)
_LAST_WORDS = 1.0
"""Seconds in which other tasks of a failed question still write why they failed."""
_RESTING, _ROW = 250 * 10**6, 10
"""Bytes of memory with which an engine can count that writes out what does not fit."""
_NO_MEMORY = re.compile(r"out of memory|outofmemory|java heap space|could not allocate", re.I)


@dataclass(frozen=True)
class QueryStep:
    """One question: what was asked, how long it took, and how many rows the answer has."""

    what: str
    seconds: float
    n_rows: int


class Backend(ABC):
    """A place that keeps rows and counts them."""

    name: EngineName
    called = ""
    is_ordered = False  # whether records come in the order of the file
    is_here = False  # whether its records are on this machine, and may be looked at in memory

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self.steps: list[QueryStep] = []
        self.n_rows = 0  # of all files; known once they are open
        self.folder = _scratch_folder(settings.spill)
        self._close: weakref.finalize[..., Any] = weakref.finalize(self, _remove, self.folder)
        self._n_kept = 0

    def describe(self) -> str:
        """Who counts, in a sentence."""
        return f"Counted by {self.called}{'' if self.is_here else '; the rows stayed there'}."

    @abstractmethod
    def scan(self, source: Any) -> Lazy:
        """The rows of a path, or of something that the engine holds."""

    @abstractmethod
    def put(self, frame: pl.DataFrame) -> Lazy:
        """A small table beside the rows."""

    @abstractmethod
    def keep(self, frame: Lazy, what: str) -> Lazy:
        """What is asked more than once, computed once and kept by the engine."""

    def join_levels(self, rows: Lazy, levels: Sequence[pl.DataFrame]) -> Lazy:
        """The rows and what small tables say of them, each by its first column; or null."""
        for one in levels:
            rows = rows.join(self.put(one), on=one.columns[0], how="left")
        return rows

    def count_parts(self, n_groups: int) -> int:
        """In how many parts, one after the other, so many groups are counted."""
        return 1

    def fetch(self, frame: Lazy, what: str) -> pl.DataFrame:
        """A small answer."""
        start = time.perf_counter()
        with self.asking(what):
            found = self._collect(frame)
        self.steps.append(QueryStep(what, time.perf_counter() - start, found.height))
        return found

    def _collect(self, frame: Lazy) -> pl.DataFrame:
        found: pl.DataFrame = frame.collect("polars").to_native()
        return found

    def close(self) -> None:
        """Remove what was written."""
        self._close()

    def free_path(self, ending: str) -> Path:
        """A place in the folder where nothing is yet."""
        self._n_kept += 1
        return self.folder / f"kept{self._n_kept}{ending}"

    def new_folder(self) -> Path:
        """A folder for files that are written for the engine."""
        made = self.free_path("")
        made.mkdir()
        return made

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """Any fault of the engine as a sentence of ours; its own message may quote values."""
        try:
            yield
        except UnveilError:
            raise
        except (Exception, pl.exceptions.PanicException) as fault:
            kind = _kind_of_fault(fault)
        else:
            return
        try:
            self._refuse(kind, what)
        except EngineError as refusal:  # what is not shown is not kept beside it, either
            refusal.__context__ = None
            raise

    def _refuse(self, kind: str, what: str) -> NoReturn:
        """What to say of a fault; nothing of its own message is shown, nor in a traceback."""
        if kind == "disk":
            where = "the spill folder" if self.settings.spill else "the system's temporary folder"
            raise EngineError(
                f"{self.called} has no room left in {where} (while {what}). Name a folder on a"
                " larger disk with spill (--spill), or give more memory. What was written there is"
                " removed."
            ) from None
        if kind == "memory":
            given = self.settings.memory or 0
            enough = max(_RESTING + _ROW * self.n_rows, 2 * given)
            raise EngineError(
                f"{self.called} ran out of memory (while {what}). With"
                f" {size_text(enough, up=True)} it should count files of this size; give that much"
                " with memory (--memory)."
            ) from None
        raise EngineError(
            f"{self.called} could not answer (while {what}). Its message is not shown, for it may"
            " quote values of the data. Check that the files are whole and that the engine runs, or"
            " save the files as Parquet and give the paths."
        ) from None


def reports_faults(method: Callable[P, T]) -> Callable[P, T]:
    """A method of something with a backend, whose faults are told as those of an answer.

    To put a question together may be to ask the engine, too: Spark Connect looks up columns then.
    """

    @wraps(method)
    def call(*args: P.args, **settings: P.kwargs) -> T:
        asked: Any = args[0]
        with asked.backend.asking("a question was put to it"):
            return method(*args, **settings)

    return call


def _kind_of_fault(fault: BaseException) -> str:
    """Whether the disk or the memory is too small, or else."""
    message = f"{type(fault).__name__} {fault}"
    if _NO_ROOM.search(message) or getattr(fault, "errno", None) == errno.ENOSPC:
        return "disk"
    return "memory" if isinstance(fault, MemoryError) or _NO_MEMORY.search(message) else "other"


def _scratch_folder(spill: Path | None) -> Path:
    """A folder of our own; those of processes that were killed are removed."""
    parent = Path(tempfile.gettempdir()) if spill is None else spill
    for left in parent.glob("unveil-engine-*"):
        number = left.name.split("-")[2]
        if number.isdecimal() and not _is_alive(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        return Path(tempfile.mkdtemp(prefix=f"unveil-engine-{os.getpid()}-", dir=parent))
    except OSError:
        raise EngineError(
            f"The spill folder {str(parent)!r} cannot be written to. Name another one."
        ) from None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # there the question would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _lazy(native: Any) -> Lazy:
    known: Lazy = nw.from_native(native)
    return known


def _library(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise EngineError(
            f"The engine needs {name}, which is not installed. Install unveil with the extra"
            f" {extra}: pip install 'unveil[{extra}]'."
        ) from None


def _parquet_files(path: Path) -> str:
    """A file by its very name, or all Parquet files of a folder; as a pattern."""
    exact = glob.escape(str(path))
    return os.path.join(exact, "*.parquet") if path.is_dir() else exact


class Chunks(Backend):
    """Polars, in chunks: what is computed once is written to the folder."""

    name = "chunks"
    is_ordered = True
    is_here = True

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        self.called = f"polars {pl.__version__}, in chunks"

    def scan(self, source: Any) -> Lazy:
        """The rows of a path."""
        path = Path(source)
        pattern = path / "*.parquet" if path.is_dir() else path
        return _lazy(pl.scan_parquet(pattern, glob=path.is_dir(), hive_partitioning=False))

    def put(self, frame: pl.DataFrame) -> Lazy:
        """A small table beside the rows."""
        return _lazy(frame.lazy())

    def keep(self, frame: Lazy, what: str) -> Lazy:
        """A file in the folder."""
        path = self.free_path(".parquet")
        with self.asking(what):
            frame.to_native().sink_parquet(path, compression="lz4")
        return self.scan(path)

    def _collect(self, frame: Lazy) -> pl.DataFrame:
        found: pl.DataFrame = frame.to_native().collect(engine="streaming")
        return found


_THREAD = 125 * 10**6
"""Bytes that DuckDB wants for each of its threads."""
_OWN = 0.7
"""Of the memory for it, what DuckDB is told: what it reads and answers with comes on top."""
_GROUP = 200
"""Bytes that it takes to count a cell: its threads may each hold it."""


class DuckDB(Backend):
    """DuckDB, in a database of its own; relations of others are copied to it, not to memory."""

    name = "duckdb"
    is_here = True

    def __init__(self, settings: EngineSettings) -> None:
        duckdb = _library("duckdb", "large")
        # The allocator of Arrow reserves a GB with the first answer, which `ulimit -d` counts.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        _library("pyarrow", "large")
        super().__init__(settings)
        self.memory = settings.memory or (free_memory() or 4 * 10**9) // 2
        self.called = f"DuckDB {duckdb.__version__} with at most {size_text(self.memory)} of memory"
        config = {
            "memory_limit": f"{int(_OWN * self.memory)}B",
            "temp_directory": str(self.folder / "spill"),
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with self.asking("it was started"):
            self.connection = duckdb.connect(str(self.folder / "rows.duckdb"), config=config)
            # Its own bar, of questions that take seconds, would stand amid what is printed.
            self.connection.execute("SET enable_progress_bar = false")
            known = self.connection.execute("SELECT current_setting('threads')").fetchone()
            self._use_threads(max(min(known[0], self.memory // _THREAD), 1))
        self._close = weakref.finalize(self, _close_database, self.connection, self.folder)

    def _use_threads(self, n: int) -> None:
        self.connection.execute(f"SET threads = {n}")
        self.n_threads = n

    def _ask(self, question: Callable[[], T]) -> T:
        """An answer; by one thread where memory does not do for several, which each take some."""
        try:
            return question()
        except Exception as fault:
            if self.n_threads == 1 or _kind_of_fault(fault) != "memory":
                raise
        self._use_threads(1)
        return question()

    def scan(self, source: Any) -> Lazy:
        """The rows of a path or of a relation."""
        if not isinstance(source, str | os.PathLike):
            path = self.free_path(".parquet")
            with self.asking("a relation was copied"):
                source.write_parquet(str(path))
            source = path
        with self.asking("a file was opened"):
            return _lazy(self.connection.read_parquet(_parquet_files(Path(source))))

    def join_levels(self, rows: Lazy, levels: Sequence[pl.DataFrame]) -> Lazy:
        """As of any engine, in one question: each of many joins is looked at anew with the next."""
        said, joins = ["entries.*"], ["entries"]
        for one in levels:
            key, code = one.columns
            name = self._put(one)
            said.append(f"{name}.{code}")
            joins.append(f"LEFT JOIN {name} ON entries.{key} = {name}.{key}")
        asked = f"SELECT {', '.join(said)} FROM {' '.join(joins)}"
        return _lazy(rows.to_native().query("entries", asked))

    def count_parts(self, n_groups: int) -> int:
        """As many as half of the memory holds each: to write groups out may take more than all."""
        return max(math.ceil(2 * n_groups * _GROUP / self.memory), 1)

    def put(self, frame: pl.DataFrame) -> Lazy:
        """A table of the database."""
        return _lazy(self.connection.table(self._put(frame)))

    def _put(self, frame: pl.DataFrame) -> str:
        with self.asking("levels were put into it"):
            return self._table(self.connection.from_arrow(frame.to_arrow()))

    def keep(self, frame: Lazy, what: str) -> Lazy:
        """A table of the database."""
        with self.asking(what):
            return _lazy(self.connection.table(self._table(frame.to_native())))

    def _table(self, relation: Any) -> str:
        name = self.free_path("").name
        self._ask(lambda: relation.create(name))
        return name

    def _collect(self, frame: Lazy) -> pl.DataFrame:
        return self._ask(lambda: super(DuckDB, self)._collect(frame))


def _close_database(connection: Any, folder: Path) -> None:
    connection.close()
    _remove(folder)


class Spark(Backend):
    """A Spark session, on this machine or on a cluster, or one reached by Spark Connect."""

    name = "spark"

    def __init__(self, settings: EngineSettings, held: Any = None) -> None:
        self._sql = _library("pyspark.sql", "spark")
        super().__init__(settings)
        self.called = "Spark"
        with self.asking("its session was opened"):
            self.session = held.sparkSession if held is not None else self._open(settings.address)
            self.called = f"Spark {self.session.version}"
        self._kept: list[Any] = []
        self._close = weakref.finalize(self, _forget, self.folder, self._kept)

    def _open(self, address: Any) -> Any:
        if address is not None and not isinstance(address, str):
            return address
        builder = self._sql.SparkSession.builder.appName("unveil")
        if address is None:
            return self._sql.SparkSession.getActiveSession() or builder.getOrCreate()
        if address.startswith("sc://"):
            return builder.remote(address).getOrCreate()
        if address.startswith("local"):  # one machine needs no 200 parts, and no page in a browser
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = builder.config("spark.ui.enabled", "false")
            builder = builder.config("spark.sql.shuffle.partitions", "4")
        return builder.master(address).getOrCreate()

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """As of any engine; nor does Spark write its own messages to the terminal meanwhile."""
        with super().asking(what), _silent(getattr(self, "session", None)):
            yield

    def scan(self, source: Any) -> Lazy:
        """The rows of a path, of a table by its name, or of a frame."""
        if not isinstance(source, str | os.PathLike):
            return _lazy(source)
        path = Path(source)
        with self.asking("a file was opened"):
            if path.suffix or path.exists():
                exact = re.sub(r"([*?\[\]{}\\])", r"\\\1", str(path.absolute()))
                return _lazy(self.session.read.parquet(exact))
            return _lazy(self.session.table(str(source)))

    def put(self, frame: pl.DataFrame) -> Lazy:
        """A small frame of the session."""
        with self.asking("levels were put into it"):
            return _lazy(self.session.createDataFrame(frame.to_arrow()))

    def keep(self, frame: Lazy, what: str) -> Lazy:
        """Kept by the workers, and computed again by others where one is lost."""
        with self.asking(what):
            made = frame.to_native().persist()
            self._kept.append(made)
        return _lazy(made)

    def _collect(self, frame: Lazy) -> pl.DataFrame:
        made = pl.from_arrow(frame.to_native().toArrow())
        assert isinstance(made, pl.DataFrame)  # for types: a table is never a series
        return made


@contextmanager
def _silent(session: Any) -> Iterator[None]:
    """No log of a session, for messages of failed tasks quote values; as before afterwards."""
    logger = import_module("pyspark.logger").PySparkLogger
    writers = [logger.getLogger(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]
    before = [one.disabled for one in writers]
    context = None if session is None else getattr(session, "_sc", None)  # none with Spark Connect
    log: Any = None
    silence: Any = None
    if context is not None:
        log4j = context._jvm.org.apache.logging.log4j
        log = log4j.LogManager.getContext(False).getConfiguration()
        kinds = log4j.core.Filter.Result
        threshold = log4j.core.filter.ThresholdFilter
        silence = threshold.createFilter(log4j.Level.OFF, kinds.NEUTRAL, kinds.DENY)
        log.addFilter(silence)
    for one in writers:
        one.disabled = True
    try:
        yield
    except Exception:
        time.sleep(_LAST_WORDS if log is not None else 0)
        raise
    finally:
        for one, was in zip(writers, before, strict=True):
            one.disabled = was
        if log is not None:
            log.removeFilter(silence)


def _forget(folder: Path, kept: list[Any]) -> None:
    _remove(folder)
    for frame in kept:
        try:
            frame.unpersist()
        except Exception:  # the session is gone, and what it kept with it
            continue


class Ibis(Backend):
    """Tables of whatever stands behind Ibis; what is kept is a temporary table there."""

    name = "ibis"

    def __init__(self, settings: EngineSettings) -> None:
        self._ibis = _library("ibis", "large")
        super().__init__(settings)
        self.called = f"Ibis {self._ibis.__version__}"
        self._kept: list[Any] = []

    def scan(self, source: Any) -> Lazy:
        """The rows of a table."""
        return _lazy(source)

    def put(self, frame: pl.DataFrame) -> Lazy:
        """A table beside the others."""
        return _lazy(self._ibis.memtable(frame.to_arrow()))

    def keep(self, frame: Lazy, what: str) -> Lazy:
        """A temporary table."""
        with self.asking(what):
            self._kept.append(frame.to_native().cache())
        return _lazy(self._kept[-1])


def open_backend(name: EngineName, settings: EngineSettings, held: Any = None) -> Backend:
    """The engine of this name; `held` is one of the frames that it holds already."""
    if name == "spark":
        return Spark(settings, held)
    return next(one for one in (Chunks, DuckDB, Ibis) if one.name == name)(settings)
