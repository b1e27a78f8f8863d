"""Does a SAS file have its catalogue of labels (.sas7bcat) beside it?"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.read.wire import Question

ENDING = ".sas7bcat"
_MAGIC = bytes(12) + bytes.fromhex("c2ea8163b31411cfbd92080009c7318c181f1011")


@dataclass(frozen=True)
class Catalogue:
    """The labels of codes by the name of their format."""

    name: str
    sets: dict[str, dict[Any, str]]


def catalogue_beside(question: Question) -> Catalogue | None:
    """The catalogue of the same name, if there is one and it can be read."""
    import pyreadstat

    path = Path(os.fsdecode(question.path)).with_suffix(ENDING)
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
        _, found = pyreadstat.read_sas7bcat(os.fsencode(path), output_format="dict")
    except (OSError, UnicodeDecodeError, pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        return None
    return Catalogue(path.name, dict(found.value_labels or {}))
