"""An archive that has the same bytes for the same members, on every machine.

Members are stored, not compressed: what compression makes of a file depends on the version of its
library. No time, owner, comment or extra field is written, so that an archive tells nothing but
its members, and a changed byte anywhere is found by writing the archive again.
"""

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from unveil.errors import ReadError, quote_text
from unveil.view.format import format_count

_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the first moment that the format knows
_UNIX, _REGULAR_FILE = 3, 0o100644 << 16
_BAD = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError)


def write_archive(place: Path, members: Mapping[str, Path | bytes]) -> None:
    """Write members in the order of their names."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            content = members[name]
            entry = zipfile.ZipInfo(name, _BEGINNING)
            entry.create_system, entry.external_attr = _UNIX, _REGULAR_FILE
            if isinstance(content, bytes):
                archive.writestr(entry, content)
                continue
            entry.file_size = content.stat().st_size
            with content.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def extract_archive(place: Path, folder: Path) -> dict[str, Path]:
    """Every member as a file below a folder, by its name.

    Raises
    ------
    ReadError
        If it is no archive, is damaged, or has a name that would leave the folder.
    """
    try:
        with zipfile.ZipFile(place) as archive:
            entries = archive.infolist()
            for entry in entries:
                _check_name(place, entry)
            # Nothing of ours is compressed: an archive cannot unpack to more than its size.
            if sum(entry.file_size for entry in entries) > place.stat().st_size:
                raise ReadError(
                    f"{quote_text(place.name)} is not a release pack: it is compressed."
                    " Name the file as it was released."
                )
            return {entry.filename: Path(archive.extract(entry, folder)) for entry in entries}
    except _BAD:
        raise ReadError(
            f"{quote_text(place.name)} cannot be read as a release pack: it is damaged, or no zip"
            " archive. Ask for it again."
        ) from None


def _check_name(place: Path, entry: zipfile.ZipInfo) -> None:
    name = PurePosixPath(entry.filename)
    if name.is_absolute() or ".." in name.parts or "\\" in entry.filename or entry.is_dir():
        raise ReadError(
            f"{quote_text(place.name)} is not a release pack: it has a member with a name that a"
            " pack never has. Do not unpack it."
        )


def archive_faults(place: Path, members: Mapping[str, Path]) -> Iterator[str]:
    """How an archive differs from one that is written anew from its members, in sentences."""
    with zipfile.ZipFile(place) as archive:
        entries = archive.infolist()
        if archive.comment:
            yield "The archive carries a comment."
    for what, found in {
        "a comment": [entry for entry in entries if entry.comment],
        "an extra field": [entry for entry in entries if entry.extra],
        "a time": [entry for entry in entries if entry.date_time != _BEGINNING],
    }.items():
        if found:
            yield f"{format_count(len(found), 'member')} of the archive carries {what}."
    if len(members) != len(entries):
        yield "Two members of the archive have the same name."
    with TemporaryDirectory() as folder:
        again = Path(folder) / "again.zip"
        write_archive(again, members)
        if not _is_same(place, again):
            yield "The archive is not as it was written: bytes outside its members differ."


def _is_same(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while piece := first.read(1 << 20):
            if piece != second.read(1 << 20):
                return False
    return True
