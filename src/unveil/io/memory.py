"""How much memory is free, so that a file too large for it is refused and not half read?"""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl

from unveil.errors import ReadError, list_names

# Can the file be opened at all, and if not, what should its owner do?
#
# Messages of the operating system are never passed on: they differ from system to system.


@contextmanager
def open_file(path: Path, place: str) -> Iterator[BinaryIO]:
    """The file's bytes; any error of the disk, then or later, is a `ReadError`."""
    try:
        _check_what_is_no_file(path, place)
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise ReadError(_missing_file_sentence(path, place)) from None
    except PermissionError:
        raise ReadError(
            f"{place} may not be read by this user. Ask its owner for permission, or use your own"
            " copy of the file."
        ) from None
    except OSError:
        raise ReadError(
            f"{place} could not be read from the disk. Check that the disk or network folder is "
            "still there, and try again."
        ) from None


def _check_what_is_no_file(path: Path, place: str) -> None:
    if "\0" in str(path) or not path.exists():
        raise ReadError(_missing_file_sentence(path, place))
    if path.is_dir():
        raise ReadError(f"{place} is a folder, not a file. Give the path of one file in it.")
    if not path.is_file():
        raise ReadError(
            f"{place} is a device or a pipe. Save the data to a file and give its path."
        )
    if path.stat().st_size == 0:
        raise ReadError(f"{place} is empty: it has no bytes. Check that its export was finished.")


def _missing_file_sentence(path: Path, place: str) -> str:
    return f"{place} was not found: there is no file {str(path)!r}. Check the name and the folder."


# Is there enough memory for all files together? Asked of their sizes, before any of them is read.


CELL = 32  # bytes that an entry takes at most while its file is read and counted
# Of addresses, which polars and its threads reserve generously.
_CELL_RESERVED, _START_RESERVED = 64, 3 << 29
_SAMPLED = 1 << 20
_DELIMITERS = (b",", b";", b"\t", b"|")


def check_memory(paths: Iterable[Path], n_columns: int | None = None) -> None:
    """Refuse text files that need more memory than is free, with what would be enough."""
    known = list(paths)
    check_cells(sum(_n_cells(path, n_columns) for path in known), [path.name for path in known])
    _check_addresses(known)


def _check_addresses(paths: Sequence[Path]) -> None:
    """Refuse any file where so few addresses are left that even its header ends the process."""
    limit = _address_limit()
    if paths and limit is not None and limit < _START_RESERVED:
        raise ReadError(
            f"{list_names([path.name for path in paths])} cannot be read:"
            f" {size_text(_START_RESERVED)} of memory would be enough for small files;"
            f" {size_text(limit)} can be used. Raise the limit of memory, or use a machine with"
            " more memory."
        )


def check_cells(n_cells: int, names: Sequence[str], free: int | None = None) -> None:
    """Refuse so many entries where memory is too small for them: what is free, now by default."""
    needed, free = n_cells * CELL, free_memory() if free is None else free
    limit = _address_limit()
    if n_cells and limit is not None and _START_RESERVED + n_cells * _CELL_RESERVED > limit:
        needed, free = _START_RESERVED + n_cells * _CELL_RESERVED, limit
    if free is not None and needed > free:
        raise ReadError(
            f"{list_names(names)} {'have' if len(names) > 1 else 'has'} about {n_cells:,} entries,"
            f" for which {size_text(needed)} of memory would be enough; {size_text(free)} can be"
            " used. Close other programs, raise the limit of memory, read fewer columns, or use a"
            " machine with more memory."
        )


def _n_cells(path: Path, n_columns: int | None) -> int:
    """About how many entries a text file has; 0: not known, or told by its reader."""
    if path.suffix.lower() not in _TEXTS:
        return 0
    rows, columns = file_size(path, n_columns)
    return rows * columns


_TEXTS = (".csv", ".tsv", ".txt")


def file_size(path: Path, n_columns: int | None = None) -> tuple[int, int]:
    """Rows and columns to be read: a text file's by its size and first lines; 0, 0: not known."""
    if path.suffix.lower() not in _TEXTS:
        return _parquet_size(path, n_columns)
    try:
        n_bytes = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_SAMPLED)
    except (OSError, ValueError):  # told when it is read
        return 0, 0
    n_lines = max(start.count(b"\n"), 1)
    first = start.partition(b"\n")[0]
    width = 1 + max(first.count(mark) for mark in _DELIMITERS)
    n_rows = n_bytes * n_lines // max(len(start), 1)
    return n_rows, min(width, n_columns or width)


def _parquet_size(path: Path, n_columns: int | None) -> tuple[int, int]:
    """Of a Parquet file, or a folder of them: by their headers."""
    _check_addresses([path])
    try:
        pattern = path / "*.parquet" if path.is_dir() else path
        lazy = pl.scan_parquet(pattern, glob=path.is_dir(), hive_partitioning=False)
        width = len(lazy.collect_schema())
        return int(lazy.select(pl.len()).collect().item()), min(width, n_columns or width)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return 0, 0  # no such file, or told when it is read


def _address_limit() -> int | None:
    """How many addresses this process may have; None where no one limits them."""
    try:
        import resource
    except ImportError:  # not a Unix
        return None
    # The one that cannot be raised: the process that reads files lowers the other for itself.
    _, limit = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes that can still be used, by what the system and its container say; None if neither."""
    known = [n for n in (_system_memory(), _group_memory(), _data_left()) if n is not None]
    return min(known) if known else None


def _data_left() -> int | None:
    """What a limit on the data of this process (`ulimit -d`) leaves; None where there is none."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
        if limit == resource.RLIM_INFINITY:
            return None
        status = Path("/proc/self/status").read_text(encoding="ascii")
        used = next(line for line in status.splitlines() if line.startswith("VmData:"))
        return max(limit - int(used.split()[1]) * 1024, 0)
    except (ImportError, OSError, ValueError, StopIteration):
        return None


def size_text(n_bytes: float, *, up: bool = False) -> str:
    """A size as people say it: 10.0 GB, 250 MB, 3 KB; rounded `up` where it has to be enough."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if n_bytes >= unit:
            amount = n_bytes / unit
            if up:
                amount = math.ceil(amount * 10) / 10 if amount < 100 else math.ceil(amount)
            return f"{amount:.1f} {name}" if amount < 100 else f"{amount:,.0f} {name}"
    return f"{n_bytes:.0f} bytes"


def _system_memory() -> int | None:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return memory_total()  # the best guess, where no one says how much of it is free


def memory_total() -> int | None:
    """All bytes of memory there are; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such question on Windows
        return None


def _group_memory() -> int | None:
    try:
        limit = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        lines = (_GROUP / "memory.stat").read_text(encoding="ascii").splitlines()
        # Files that the system keeps at hand, and drops as soon as a person needs the room.
        spare = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    except (OSError, ValueError, IndexError):  # "max": no limit
        return None
    return max(limit - used + spare, 0)
