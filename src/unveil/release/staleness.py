"""Is a run still of the files and settings of its project? What is not is told in sentences."""

from unveil.errors import InputError
from unveil.records.run import Run
from unveil.release.hashing import settings_sha256
from unveil.release.model import ProjectFile
from unveil.release.sources import hashed


def stale(project: ProjectFile, run: Run) -> tuple[str, ...]:
    """What is no longer as it was when a run was made, in sentences; nothing where all is."""
    said = []
    if run.settings_sha256 != settings_sha256(project):
        said.append("Settings of the project that decide figures were changed since the run.")
    try:
        now = {(one.role, one.copy, one.path): one.sha256 for one in hashed(project)}
    except InputError as fault:
        return (*said, *str(fault).split("\n"))
    for file in run.files:
        there = now.get((file.role, file.copy, file.path))
        if there is not None and there != file.sha256:
            said.append(f"The file {file.path!r} was changed since the run.")
    return tuple(said)
