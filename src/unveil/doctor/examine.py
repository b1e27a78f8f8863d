"""`unveil doctor`: is all there that unveil needs, and what must somebody know who is to help?"""

import os
import platform
import sys
from collections.abc import Iterator, Sequence

from unveil.doctor.machine import folders, terminal_width
from unveil.doctor.packages import packages
from unveil.doctor.readers import readers
from unveil.read.memory import free_memory, memory_total
from unveil.records.examination import Examination, Folder, Package, ReaderTried

NETWORK = "No network is used: everything is computed on this machine, and nothing is sent."
_LITTLE_MEMORY, _LITTLE_DISK = 500_000_000, 500_000_000


def examine() -> Examination:
    """Versions, memory, folders and readers, each looked at or tried."""
    wanted, places, tried, free = packages(), folders(), readers(), free_memory()
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
    wanted: Sequence[Package], places: Sequence[Folder], tried: Sequence[ReaderTried]
) -> Iterator[str]:
    """What is needed and missing."""
    for one in wanted:
        if one.extra is None and not one.is_enough:
            yield _lacking(one)
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


def _lacking(one: Package) -> str:
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
