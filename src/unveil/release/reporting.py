"""How does the report of a run get onto the disk, and the records at risk beside it?

The report is a view of records that never change and of the project as it is now, so a later one
of the same run takes the place of the earlier. Elsewhere than in the project nothing is replaced.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from unveil.errors import WriteError
from unveil.records.dossier import Dossier
from unveil.release.dossier import dossier_of
from unveil.release.hashing import project_sha256, sha256_of
from unveil.release.healing import heal_log
from unveil.release.log import append
from unveil.release.model import ProjectFile
from unveil.release.records_written import records_documents
from unveil.release.seeds import confidential_folder
from unveil.report.custodian_page import custodian_page
from unveil.writing import replace_file, write_private


@dataclass(frozen=True)
class Written:
    """Where a report is, and what was written with it."""

    report: Path
    run: int
    records: tuple[Path, ...] = ()


def write_report(
    project: ProjectFile,
    n: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    records: bool = False,
) -> Written:
    """Write the report of a run (the last where none is named), for its owner alone.

    Parameters
    ----------
    out
        A new file for it; otherwise confidential/report_0001.html in the project.
    records
        Write the records at risk too, as CSV and as a page, into the folder confidential.

    Raises
    ------
    WriteError
        If `out` is there already, or something cannot be written.
    """
    heal_log(project.folder)
    dossier, parts = dossier_of(project, n)
    number = dossier.run.number
    place = Path(out) if out is not None else _home(project, number)
    listed = _write_records(project, dossier) if records else ()
    shown = replace(dossier, records_file=_beside(project, dossier, listed, place))
    content = custodian_page(shown, parts, made=_now()).encode()
    if out is not None:
        write_private(place, content)
    else:
        _put(project, place, content)
    append(
        project.folder,
        event="report",
        subject=str(number),
        project_sha256=project_sha256(project),
        file_sha256=sha256_of(content),
    )
    return Written(place, number, listed)


def _home(project: ProjectFile, number: int) -> Path:
    return project.folder / "confidential" / f"report_{number:04d}.html"


def _write_records(project: ProjectFile, dossier: Dossier) -> tuple[Path, ...]:
    made = records_documents(project, dossier)
    home = project.folder / "confidential"
    for name, content in made.items():
        _put(project, home / name, content)
    return tuple(home / name for name in made)


def _put(project: ProjectFile, place: Path, content: bytes) -> None:
    confidential_folder(project.folder)
    try:
        replace_file(place, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"The file {place.name!r} cannot be written to the folder confidential:"
            f" {fault.strerror}. Let it be written to, or name a file with --out."
        ) from None


def _beside(
    project: ProjectFile, dossier: Dossier, listed: tuple[Path, ...], place: Path
) -> str | None:
    """The records at risk as the report names them: without a folder where they lie beside it."""
    known = listed[0] if listed else _known(project, dossier)
    if known is None:
        return None
    is_beside = known.parent.resolve() == place.parent.resolve()
    return known.name if is_beside else f"{known.parent.name}/{known.name}"


def _known(project: ProjectFile, dossier: Dossier) -> Path | None:
    """What an earlier command wrote: the page if it is there, else the file of the run."""
    if dossier.records_file is None:
        return None
    file = project.folder / dossier.records_file
    return shown if (shown := file.with_suffix(".html")).is_file() else file


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
