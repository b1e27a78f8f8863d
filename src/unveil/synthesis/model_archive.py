"""A model file as a container: one document and plain arrays in a zip, and nothing that can run.

Members are stored as they are, so that a file cannot unpack to more than its own size; arrays are
numbers and truth values alone, never objects. Each is checked before it is read.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from polars.exceptions import PanicException

from unveil.errors import ReadError, UnveilError

NOTICE = (
    "CONFIDENTIAL: this file holds values of the original and the seed of the synthetic data. Keep"
    " it where the original is kept; it is not part of a release."
)
DOCUMENT, MARK = "model.json", "CONFIDENTIAL.txt"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_OWNER_ONLY = 0o600 << 16
_ENCRYPTED = 0x1


@dataclass
class ArrayStore:
    """Arrays on their way into a file; each is named by its number."""

    arrays: list[NDArray[Any]] = field(default_factory=list)

    def put(self, array: NDArray[Any]) -> int:
        """Keep an array, and give its number."""
        self.arrays.append(array)
        return len(self.arrays) - 1


def pack_archive(document: bytes, arrays: Sequence[NDArray[Any]]) -> memoryview:
    """The bytes of a file; the same for the same contents."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = NOTICE.encode()
        _write_member(archive, MARK, NOTICE.encode())
        _write_member(archive, DOCUMENT, document)
        for place, array in enumerate(arrays):
            content = io.BytesIO()
            npy.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            _write_member(archive, _name(place), content.getbuffer())
    return made.getbuffer()


@contextmanager
def open_archive(path: Path) -> Iterator["ModelArchive"]:
    """A file opened to be read; whatever is wrong with it is one sentence."""
    place = f"The model file ({path.name})"
    try:
        with zipfile.ZipFile(path) as archive:
            yield ModelArchive(archive, _check_archive(archive, path, place), place)
    except UnveilError:
        raise
    except OSError as fault:
        raise ReadError(
            f"{place} cannot be read: {fault.strerror or 'the disk refused'}. Check the path."
        ) from None
    except (
        Exception,
        PanicException,
    ):  # of zip, numpy or a document that does not fit: their words may quote data
        check(place)


def check(place: str) -> NoReturn:
    """Refuse a file that is not as it was written."""
    raise ReadError(
        f"{place} is damaged, or is not a model file of unveil. Use a backup, or fit again."
    ) from None


@dataclass(frozen=True)
class ModelArchive:
    """A file whose members have been checked."""

    archive: zipfile.ZipFile
    n_arrays: int
    place: str

    def document(self) -> bytes:
        """The document."""
        return self.archive.read(DOCUMENT)

    def array(self, number: int) -> NDArray[Any]:
        """One array: numbers or truth values, exactly as many as its member holds."""
        if not 0 <= number < self.n_arrays:
            check(self.place)
        content = self.archive.read(_name(number))
        start = io.BytesIO(content)
        version = npy.read_magic(start)
        if version != (1, 0):
            check(self.place)
        shape, is_fortran, dtype = npy.read_array_header_1_0(start)
        rest = len(content) - start.tell()
        if dtype.kind not in "biuf" or is_fortran or prod(shape) * dtype.itemsize != rest:
            check(self.place)
        return np.frombuffer(content, dtype, offset=start.tell()).reshape(shape)


def _write_member(archive: zipfile.ZipFile, name: str, content: bytes | memoryview) -> None:
    member = zipfile.ZipInfo(name, _LONG_AGO)
    member.external_attr = _OWNER_ONLY
    archive.writestr(member, content)


def _name(place: int) -> str:
    return f"arrays/{place}.npy"


def _check_archive(archive: zipfile.ZipFile, path: Path, place: str) -> int:
    """The number of arrays, once every member is one of ours and stored as it is."""
    members = archive.infolist()
    n_arrays = len(members) - 2
    wanted = {MARK, DOCUMENT, *map(_name, range(n_arrays))}
    is_ours = {member.filename for member in members} == wanted and len(wanted) == len(members)
    is_plain = all(
        member.compress_type == zipfile.ZIP_STORED
        and member.file_size == member.compress_size
        and not member.flag_bits & _ENCRYPTED
        for member in members
    )
    n_bytes = sum(member.file_size for member in members)
    if not is_ours or not is_plain or n_bytes > path.stat().st_size:
        check(place)
    return n_arrays
