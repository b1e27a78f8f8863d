"""How does what somebody says get into the project file? Written whole, and logged, at once."""

from datetime import UTC, datetime

from unveil.release.editing import write_project
from unveil.release.hashing import project_sha256
from unveil.release.healing import heal_log
from unveil.release.log import append_to
from unveil.release.log_file import held
from unveil.release.model import ProjectFile


def change(project: ProjectFile, text: str, *, event: str, by: str, subject: str) -> ProjectFile:
    """Put a changed project file in place and log it; the project as it is then.

    `subject` is names of columns, scenarios and measures: no level and no reason. Two commands that
    change the file at once take turns, and the second is refused: it started from another file.
    """
    heal_log(project.folder)
    with held(project.folder) as file:
        changed = write_project(project, text)
        append_to(
            file,
            project.folder,
            before=project_sha256(project),
            event=event,
            by=by,
            subject=subject,
            project_sha256=project_sha256(changed),
            file_sha256=None,
        )
    return changed


def today() -> str:
    """The day on which somebody says something."""
    return datetime.now(UTC).strftime("%Y-%m-%d")
