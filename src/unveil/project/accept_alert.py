"""How is an alert accepted in a project? By name, with a reason, for the files of the last run.

Each is an `[[exceptions]]` of the project file, bound to the hash of the files: once they change it
is void, and is said to be.
"""

from collections.abc import Mapping

from unveil.assessment.assess import check_acceptances
from unveil.errors import SettingsError
from unveil.project.assess_run import judgement_of
from unveil.project.edit_project import add_exception, change, today
from unveil.project.model import ExceptionEntry, ProjectFile
from unveil.project.people import check_name, reason_given
from unveil.project.store import load_parts, load_run


def accept_alerts(
    project: ProjectFile, reasons: Mapping[str, str], *, by: str | None
) -> ProjectFile:
    """Accept alerts of the last run, each with its reason; the project as it is then.

    Raises
    ------
    SettingsError
        If there is no such alert, it was accepted before, nobody may accept it for this audience,
        or files or settings changed since the run.
    """
    who = check_name(by)
    said = {alert: reason_given(reason) for alert, reason in reasons.items()}
    run = load_run(project.folder)
    judgement = judgement_of(project, run, load_parts(project.folder, run))
    if judgement.stale:
        raise SettingsError(f"{judgement.stale[0]} Measure again before an alert is accepted.")
    check_acceptances(reasons, judgement.alerts, project.context.audience)
    accepted = {one.id: one.accepted for one in judgement.alerts if one.accepted is not None}
    for alert in reasons:
        if alert in accepted:
            raise SettingsError(f"{alert} was accepted already, by {accepted[alert].by}.")
    for alert, reason in said.items():
        entry = ExceptionEntry(
            alert=alert,
            reason=reason,
            by=who,
            files=judgement.files_sha256 or "",
            on=today(),
        )
        text = add_exception(project.text, entry)
        subject = alert.partition("=")[0]  # a level is in no line of the log
        project = change(project, text, event="exception", by=who, subject=subject)
    return project
