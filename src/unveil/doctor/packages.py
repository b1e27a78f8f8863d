"""Which packages are there, in which version, and are they new enough?"""

import re
from importlib import metadata

from unveil.records.examination import Package

_WANTED = re.compile(r"(?P<name>[\w.\-]+)(?:\[[^\]]*\])?\s*\(?(?:>=\s*(?P<lowest>[\w.]+))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w\-]+)["']""")


def packages() -> tuple[Package, ...]:
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
    version = installed(name)
    return Package(
        name=name,
        version=version,
        wants=lowest,
        extra=extra[1] if extra else None,
        is_enough=version is not None and _numbers(version) >= _numbers(lowest or "0"),
    )


def installed(name: str) -> str | None:
    """The version of a package; None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
