"""When do two measurements ask for the same figures? When all that decides them is the same."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from unveil.errors import ReadError
from unveil.project.model import ProjectFile
from unveil.project.rulings_in_force import list_kept_pairs
from unveil.records.recoding import KINDS
from unveil.records.run import InputFile, PackageVersion
from unveil.version import __version__

PACKAGES = ("numpy", "polars", "scikit-learn", "scipy")
_AT_A_TIME = 1 << 20
_SETTLED = 2_000_000_000  # nanoseconds: the coarsest clock of a file system counts 2 seconds


def hash_bytes(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    return sha256(content).hexdigest()


_HASHES: dict[str, tuple[tuple[int, ...], tuple[int, str]]] = {}


def file_sha256(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file; not counted again while the file is the same to the system.

    That is: place, size, times and inode. A file that was changed a moment ago is never taken for
    known, because the next change may have the same time.
    """
    place = os.path.abspath(path)
    try:
        before = _identity(place)
        mark, known = _HASHES.get(place, (None, None))
        if known is not None and mark == before:
            return known
        with open(path, "rb") as file:
            made = size_and_sha256(file)
        is_settled = time.time_ns() - before[1] > _SETTLED and before == _identity(place)
    except OSError as fault:
        raise ReadError(
            f"The file {path.name!r} cannot be read: {fault.strerror}. Check the path in the"
            " project file, and that you may read it."
        ) from None
    if is_settled:
        _HASHES[place] = before, made
    return made


def forget_hashes() -> None:
    """Hash every file afresh from here on: what a person signs rests on the bytes of now."""
    _HASHES.clear()


def size_and_sha256(file: BinaryIO) -> tuple[int, str]:
    """Size and SHA-256 of an open file, a piece at a time."""
    made, n_bytes = sha256(), 0
    while piece := file.read(_AT_A_TIME):
        made.update(piece)
        n_bytes += len(piece)
    return n_bytes, made.hexdigest()


def _identity(place: str) -> tuple[int, ...]:
    found = os.stat(place)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def canonical(value: Any) -> str:
    """A value as JSON with its names in order, so that equal values are equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=_plain)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


@cache
def list_packages() -> tuple[PackageVersion, ...]:
    """The libraries that figures may depend on."""
    return tuple(PackageVersion(package=name, version=version(name)) for name in PACKAGES)


def python_version() -> str:
    """The version of Python that measures."""
    return platform.python_version()


def fingerprint(
    kind: str, settings: Mapping[str, Any], files: Sequence[InputFile], seed: int | None
) -> str:
    """The same for the same kind, settings, versions, contents of files (in order) and seed."""
    asked = {
        "kind": kind,
        "settings": settings,
        "unveil": __version__,
        "packages": [one.to_dict() for one in list_packages()],
        # The name too: it stands in records.
        "files": [(file.role, file.copy, Path(file.path).name, file.sha256) for file in files],
        "seed": seed,
    }
    return hash_bytes(canonical(asked).encode())


def settings_sha256(project: ProjectFile) -> str:
    """Of all in a project file that decides figures; not of reasons, names, limits or answers."""
    decides = {
        "data": _as_before(project.data),
        "roles": _as_before(project.roles),
        "scenarios": [_as_before(one) for one in project.scenarios],
        "excludes": [(one.scenario, one.exclusion.text) for one in project.excludes],
        "rulings": [one.finding for one in project.rulings if one.accept],
        **({"kept_pairs": kept} if any(kept := _kept_pairs(project)) else {}),
        "published": project.published,
        "findings": project.findings,
        **({"recodings": recodings} if (recodings := _recodings(project)) else {}),
        "tables": project.tables,
        **({"publication": project.publication} if project.publication else {}),
        **({} if project.recognition is None else {"recognition": _release_settings(project)}),
    }
    return hash_bytes(canonical(decides).encode())


_NEW = ("person", "time", "tolerance", "utility_sample")


def _as_before(settings: Any) -> dict[str, Any]:
    """The settings; what is new among them and not declared is left out, as if unknown."""
    known = _plain(settings)
    return {name: one for name, one in known.items() if name not in _NEW or one is not None}


def _release_settings(project: ProjectFile) -> list[Any]:
    """How membership is tested, which includes how the release is made."""
    return [project.recognition, project.synthesis, project.steps, project.context.audience]


def _kept_pairs(project: ProjectFile) -> list[list[str]]:
    return [list_kept_pairs(project, scenario.name) for scenario in project.scenarios]


def _recodings(project: ProjectFile) -> list[Mapping[str, Any]]:
    return [step for step in project.steps if step.get("do") in KINDS]


def project_sha256(project: ProjectFile) -> str:
    """Of the project file as it was read, to the byte."""
    return hash_bytes(project.text.encode())
