"""Synthetic data made in a project, and the original as it is recoded with them.

Like is compared with like: where steps recode, the original and the control sample that runs read
are those that the steps recoded likewise, in `confidential/`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

import unveil
from unveil.data.columns import Column
from unveil.data.files import replace_file
from unveil.data.read import place_of
from unveil.data.write import WRITERS
from unveil.errors import BlockedError, InputError
from unveil.project.settings import Settings
from unveil.project.store import DIGITS, sha256
from unveil.study import ORIGINAL, Study

CONFIDENTIAL = "confidential"
RECODED, TRIES = f"{CONFIDENTIAL}/recoded.json", f"{CONFIDENTIAL}/tries.json"
Step = Mapping[str, Any]


class Recoded(msgspec.Struct, frozen=True):
    """The files that steps recoded, what is true of their columns, and the hash of the original."""

    of: str
    names: list[str]  # of the files before
    original: str
    control: str | None
    columns: dict[str, Column]


def steps_of(settings: Settings) -> list[Step]:
    """The steps that are written, or synthesis alone; with the settings of synthesis."""
    steps = settings.protect or ({"do": "synthesise"},)
    return [{**settings.synthesis, **s} if s.get("do") == "synthesise" else s for s in steps]


def write_synthetic(study: Study, folder: Path, original: Path) -> list[str]:
    """Each synthetic file in the folder of the project; their names."""
    ending = original.suffix.lower() if original.suffix.lower() in WRITERS else ".csv"
    files = [file for file in study.files if file.role == "synthetic"]
    return [
        unveil.write(file.data, folder / f"{original.stem}{number}{ending}").name
        for file in files
        for number in [f"_{file.copy}" if len(files) > 1 else ""]
    ]


def write_recoded(before: Study, after: Study, settings: Settings, folder: Path) -> str | None:
    """The original and the control sample as they are compared, unless nothing was recoded."""
    is_same = after.original.equals(before.original) and after.columns == before.columns
    if is_same:
        return None
    paths = {}
    for role, number in ("original", ORIGINAL), ("control", len(after.files) - 1):
        if role == "original" or after.has_control:
            name = f"{CONFIDENTIAL}/{role}.parquet"
            unveil.write(after.files[number].data, folder / name, fake=False)
            paths[role] = name
    data = settings.data
    names = [Path(name).name for name in (data.original, data.control) if name]
    recoded = Recoded(
        of=_hash_of(settings, folder), names=names, original=paths["original"],
        control=paths.get("control"),
        columns={name: after.columns.get(name, Column()) for name in after.original.columns},
    )  # fmt: skip
    replace_file(folder / RECODED, msgspec.json.encode(recoded))
    return RECODED


def read_recoded(settings: Settings, folder: Path) -> Recoded | None:
    """What steps recoded, as far as the project names it."""
    if settings.data.recoded is None:
        return None
    try:
        content = (folder / settings.data.recoded).read_bytes()
        return msgspec.json.decode(content, type=Recoded)
    except (OSError, msgspec.MsgspecError):
        raise InputError(
            f"{settings.data.recoded} (recoded, in [data]) cannot be read. Next: unveil protect"
        ) from None


def as_compared(settings: Settings, folder: Path) -> Settings:
    """The settings with the files that runs read."""
    recoded = read_recoded(settings, folder)
    if recoded is None:
        return settings
    if recoded.of != _hash_of(settings, folder):
        raise BlockedError("The original changed since it was recoded. Next: unveil protect")
    data = msgspec.structs.replace(
        settings.data, original=recoded.original, control=recoded.control
    )
    columns = {
        name: msgspec.structs.replace(column, role=settings.columns.get(name, Column()).role)
        for name, column in recoded.columns.items()
        if name in settings.columns
    }
    return msgspec.structs.replace(settings, data=data, columns=columns)


def _hash_of(settings: Settings, folder: Path) -> str:
    return sha256(place_of(folder / settings.data.original)[0])[:DIGITS]


def save_tries(result: Any, folder: Path) -> None:
    """The steps of each try, so that one can be used."""
    steps = [result.steps_of(number) for number in range(1, len(result.tried))]
    replace_file(folder / TRIES, msgspec.json.encode(steps))


def read_try(number: int, folder: Path) -> list[Step]:
    try:
        tries = msgspec.json.decode((folder / TRIES).read_bytes(), type=list[list[dict[str, Any]]])
        return [*tries[number - 1]]
    except (OSError, IndexError, msgspec.MsgspecError):
        raise InputError(
            f"There is no try {number}. Try what causes the risk first: unveil protect --try COLUMN"
        ) from None
