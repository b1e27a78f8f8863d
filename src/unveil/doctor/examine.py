"""`unveil doctor`: is all there that unveil needs, and what must somebody know who is to help?"""

import gzip
import os
import platform
import re
import shutil
import socket
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import polars as pl

from unveil.errors import UnveilError
from unveil.io.memory import free_memory, memory_total
from unveil.io.sources import read_table
from unveil.io.write_file import write_file
from unveil.records.doctor import Examination, Folder, Package, ReaderCheck

# What is this machine like: folders, terminal? Its names are never asked for.


def examine_folders() -> tuple[Folder, ...]:
    """The folder unveil was started in, and the one for temporary files."""
    return _folder("current", os.curdir), _folder("temporary", _temporary())


def terminal_width() -> int:
    """How many characters a line has."""
    return shutil.get_terminal_size().columns


def _temporary() -> str | None:
    try:
        return tempfile.gettempdir()
    except OSError:  # none that could be written to
        return None


def _folder(which: Literal["current", "temporary"], path: str | None) -> Folder:
    if path is None:
        return Folder(which=which, writable=False, free=None)
    return Folder(which=which, writable=_can_write(path), free=_free(path))


def _can_write(path: str) -> bool:
    """Whether a file can really be made there; permissions alone do not say."""
    try:
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"unveil")
    except OSError:
        return False
    return True


def _free(path: str) -> int | None:
    try:
        return shutil.disk_usage(Path(path)).free
    except OSError:
        return None


# Which packages are there, in which version, and are they new enough?


_WANTED = re.compile(r"(?P<name>[\w.\-]+)(?:\[[^\]]*\])?\s*\(?(?:>=\s*(?P<lowest>[\w.]+))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w\-]+)["']""")


def examine_packages() -> tuple[Package, ...]:
    """Everything that unveil names among its dependencies; empty where it is not installed."""
    try:
        wanted = metadata.requires("unveil") or []
    except metadata.PackageNotFoundError:
        return ()
    return tuple(_package(line) for line in wanted)


def _package(line: str) -> Package:
    found, extra = _WANTED.match(line), _EXTRA.search(line)
    name = found["name"] if found else line
    lowest = found["lowest"] if found else None
    version = installed_version(name)
    return Package(
        name=name,
        version=version,
        wants=lowest,
        extra=extra[1] if extra else None,
        is_enough=version is not None and _numbers(version) >= _numbers(lowest or "0"),
    )


def installed_version(name: str) -> str | None:
    """The version of a package; None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


# Which files can really be read here? A tiny one of each kind is made and read back.


_NUMBERS, _TEXTS = [1, 2], ["x", "y"]
_LINES = b"a,b\n1,x\n2,y\n"


def examine_readers() -> tuple[ReaderCheck, ...]:
    """Every ending that unveil reads, and whether reading works."""
    try:
        with TemporaryDirectory() as folder:
            tried = [_try_reader(ending, make, Path(folder)) for ending, make in _MAKERS.items()]
    except OSError:
        why = "there is no folder for temporary files to try it in"
        tried = [ReaderCheck(ending=one, status="not tried", why=why) for one in _MAKERS]
    return (*tried, *_check_unwritable())


def _check_unwritable() -> tuple[ReaderCheck, ...]:
    """Endings that nothing here can write; what reads them is there, or is not."""
    return (
        _there("sas7bdat", ["pyreadstat"], "unveil"),
        _there("rds", ["pyreadr", "pandas"], '"unveil[rds]"'),
    )


def _there(ending: str, packages: Sequence[str], install: str) -> ReaderCheck:
    lacking = [package for package in packages if find_spec(package) is None]
    if lacking:
        why = f"needs {lacking[0]}: pip install {install}"
        return ReaderCheck(ending=ending, status="not installed", why=why)
    why = "no writer makes a file to try it with"
    return ReaderCheck(ending=ending, status="not tried", why=why)


def _try_reader(ending: str, make: Callable[[Path], None], folder: Path) -> ReaderCheck:
    path = folder / f"try.{ending}"
    try:
        make(path)
        frame = read_table(path, side="data").frame
        # Some programs keep names in capitals and all numbers as floats.
        numbers, texts = (frame.to_series(place).to_list() for place in (0, 1))
    except ImportError:
        return ReaderCheck(ending=ending, status="not installed", why="its package is missing")
    except UnveilError as fault:
        return ReaderCheck(ending=ending, status="fails", why=type(fault).__name__)
    except (Exception, pl.exceptions.PanicException) as fault:
        return ReaderCheck(ending=ending, status="fails", why=type(fault).__name__)
    if numbers != _NUMBERS or texts != _TEXTS:
        return ReaderCheck(ending=ending, status="fails", why="what was read is not what was made")
    return ReaderCheck(ending=ending, status="works")


def _frame() -> pl.DataFrame:
    return pl.DataFrame({"a": _NUMBERS, "b": _TEXTS})


def _text(path: Path) -> None:
    path.write_bytes(_LINES)


def _tabs(path: Path) -> None:
    path.write_bytes(_LINES.replace(b",", b"\t"))


def _gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(_LINES))


def _ours(path: Path) -> None:
    write_file(_frame(), path, fake=False)


def _portable(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_por(_frame(), path)


def _transport(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(_frame(), path)


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TEXT_CELL = '<c t="inlineStr"><is><t>{}</t></is></c>'
_ROWS = "".join(
    f"<row>{cells}</row>"
    for cells in (
        _TEXT_CELL.format("a") + _TEXT_CELL.format("b"),
        *(
            f"<c><v>{n}</v></c>{_TEXT_CELL.format(t)}"
            for n, t in zip(_NUMBERS, _TEXTS, strict=True)
        ),
    )
)
_WORKBOOK = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/sheet1.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
    f' Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>'
    '<sheet name="try" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_RELATED}/worksheet" Target="sheet1.xml"/></Relationships>',
    "xl/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{_ROWS}</sheetData></worksheet>',
}
"""The smallest workbook there is: Excel's names of types, never followed."""


def _workbook(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _WORKBOOK.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


_MAKERS: dict[str, Callable[[Path], None]] = {
    "csv": _text,
    "tsv": _tabs,
    "txt": _text,
    "csv.gz": _gzip,
    "parquet": _ours,
    "sav": _ours,
    "zsav": _ours,
    "por": _portable,
    "dta": _ours,
    "xpt": _transport,
    "xlsx": _workbook,
}


NETWORK = "No network is used: everything is computed on this machine, and nothing is sent."
_LITTLE_MEMORY, _LITTLE_DISK = 500_000_000, 500_000_000


def examine() -> Examination:
    """Versions, memory, folders and readers, each looked at or tried."""
    wanted, places, tried, free = (
        examine_packages(),
        examine_folders(),
        examine_readers(),
        free_memory(),
    )
    return Examination(
        python=platform.python_version(),
        system=platform.system(),
        machine=platform.machine(),
        n_cores=os.cpu_count(),
        memory_free=free,
        memory_total=memory_total(),
        terminal_width=terminal_width(),
        encoding=getattr(sys.stdout, "encoding", None),
        network=NETWORK,
        folders=places,
        packages=wanted,
        readers=tried,
        faults=tuple(_faults(wanted, places, tried)),
        remarks=tuple(_remarks(wanted, places, free)),
    )


def _faults(
    wanted: Sequence[Package], places: Sequence[Folder], tried: Sequence[ReaderCheck]
) -> Iterator[str]:
    """What is needed and missing."""
    for one in wanted:
        if one.extra is None and not one.is_enough:
            yield _package_fault(one)
    for place in places:
        if place.which == "temporary" and not place.writable:
            yield (
                "The folder for temporary files cannot be written to. Free some of its disk, or"
                " name another folder in the environment variable TMPDIR."
            )
    for reader in tried:
        if reader.status == "fails":
            yield (
                f"A tiny .{reader.ending} file could not be read back ({reader.why}). Install"
                " unveil again, and if that does not help, report it with unveil doctor --bundle"
                " help.json."
            )
        if reader.status == "not installed" and reader.ending != "rds":
            yield f"Files that end in .{reader.ending} cannot be read: {reader.why}."


def _package_fault(one: Package) -> str:
    if one.version is None:
        return f"The package {one.name} is not installed. Run: pip install --upgrade unveil."
    return (
        f"The package {one.name} is too old: {one.version}, and unveil needs {one.wants} or later."
        " Run: pip install --upgrade unveil."
    )


def _remarks(
    wanted: Sequence[Package], places: Sequence[Folder], free: int | None
) -> Iterator[str]:
    """What is good to know and stops nothing."""
    if not wanted:
        yield "unveil is not installed as a package, so that its dependencies could not be listed."
    for place in places:
        if place.which == "current" and not place.writable:
            yield "This folder cannot be written to: give output files a path in another one."
        if place.free is not None and place.free < _LITTLE_DISK:
            yield f"Less than 500 MB are free on the disk of the {place.which} folder."
    if free is not None and free < _LITTLE_MEMORY:
        yield "Less than 500 MB of memory are free: large files will be refused."
    if is_offline():
        yield "This machine has no network interface: unveil works as it is, offline."


def is_offline() -> bool:
    """Whether there is no interface but the loopback."""
    try:
        return all(name.startswith("lo") for _, name in socket.if_nameindex())
    except (AttributeError, OSError):  # not every system tells
        return False
