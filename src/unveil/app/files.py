"""Which files may be chosen? Those below the folder of the project and the folders that were named.

A path is resolved before it is compared, so that a link that leads out is not followed.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from unveil.app.workspace import Workspace
from unveil.project.seeds import CONFIDENTIAL

DATA = (
    *(".csv", ".tsv", ".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".parquet", ".xlsx"),
    *(".csv.gz", ".tsv.gz", ".rds"),
)
MOST_LISTED, DEEPEST = 200, 3
_OURS = (CONFIDENTIAL, "runs", "decisions")


def list_files(workspace: Workspace, endings: Sequence[str] = DATA) -> list[str]:
    """Paths as a project file would name them: from its folder on, or whole."""
    found = [
        _name(workspace, one)
        for root in (workspace.folder, *workspace.roots)
        for one in _walk(root, endings)
    ]
    return list(dict.fromkeys(found))[:MOST_LISTED]


def _walk(root: Path, endings: Sequence[str]) -> Iterator[Path]:
    top = root.resolve()
    for place, folders, names in os.walk(top):
        depth = len(Path(place).relative_to(top).parts)
        hidden = [one for one in folders if one.startswith(".") or (not depth and one in _OURS)]
        folders[:] = sorted(set(folders) - set(hidden)) if depth < DEEPEST else []
        for name in sorted(names):
            path = Path(place) / name
            is_inside = path.resolve().is_relative_to(top) and _is_text(path)
            if name.lower().endswith(tuple(endings)) and is_inside and path.is_file():
                yield path


def _is_text(path: Path) -> bool:
    """Whether a page and a project file can name it."""
    return str(path).encode("utf-8", "ignore") == os.fsencode(path)


def _name(workspace: Workspace, path: Path) -> str:
    home = workspace.folder.resolve()
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else path.as_posix()
