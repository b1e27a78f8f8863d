"""When do two measurements ask for the same figures? When all that decides them is the same."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from unveil.errors import ReadError
from unveil.project.model import ProjectFile
from unveil.project.rulings import pairs_kept
from unveil.records.recoding import KINDS
from unveil.records.run import InputFile, PackageVersion
from unveil.version import __version__

PACKAGES = ("numpy", "polars", "scikit-learn", "scipy")
_AT_A_TIME = 1 << 20


def sha256_of(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    return sha256(content).hexdigest()


def file_sha256(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file, a piece at a time."""
    made, n_bytes = sha256(), 0
    try:
        with open(path, "rb") as file:
            while piece := file.read(_AT_A_TIME):
                made.update(piece)
                n_bytes += len(piece)
    except OSError as fault:
        raise ReadError(
            f"The file {path.name!r} cannot be read: {fault.strerror}. Check the path in the"
            " project file, and that you may read it."
        ) from None
    return n_bytes, made.hexdigest()


def canonical(value: Any) -> str:
    """A value as JSON with its names in order, so that equal values are equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=_plain)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


def packages() -> tuple[PackageVersion, ...]:
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
        "packages": [one.to_dict() for one in packages()],
        # The name too: it stands in records.
        "files": [(file.role, file.copy, Path(file.path).name, file.sha256) for file in files],
        "seed": seed,
    }
    return sha256_of(canonical(asked).encode())


def settings_sha256(project: ProjectFile) -> str:
    """Of all in a project file that decides figures; not of reasons, names, limits or answers."""
    decides = {
        "data": project.data,
        "roles": _roles(project),
        "scenarios": project.scenarios,
        "excludes": [(one.scenario, one.exclusion.text) for one in project.excludes],
        "rulings": [one.finding for one in project.rulings if one.accept],
        **({"kept_pairs": kept} if any(kept := _kept_pairs(project)) else {}),
        "published": project.published,
        "findings": project.findings,
        **({"recodings": recodings} if (recodings := _recodings(project)) else {}),
        "tables": project.tables,
    }
    return sha256_of(canonical(decides).encode())


def _roles(project: ProjectFile) -> dict[str, Any]:
    """The roles; a person that is not declared is none, as before there was such a role."""
    roles = _plain(project.roles)
    return {name: one for name, one in roles.items() if (name, one) != ("person", None)}


def _kept_pairs(project: ProjectFile) -> list[list[str]]:
    return [pairs_kept(project, scenario.name) for scenario in project.scenarios]


def _recodings(project: ProjectFile) -> list[Mapping[str, Any]]:
    return [step for step in project.steps if step.get("do") in KINDS]


def project_sha256(project: ProjectFile) -> str:
    """Of the project file as it was read, to the byte."""
    return sha256_of(project.text.encode())
