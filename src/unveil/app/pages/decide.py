"""`/decide`: limits, context and names on one page; then a named person decides."""

from collections.abc import Iterator, Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_text, parse_typed_number
from unveil.app.render_app import draw_page, perform, workspace_of
from unveil.app.workspace import Workspace
from unveil.assessment.context import QUESTIONS
from unveil.assessment.limits import limits_of, preset
from unveil.errors import SettingsError
from unveil.project.actions import Decide, SetSettings, Sign
from unveil.project.log import read_log
from unveil.project.model import ProjectFile
from unveil.project.people import list_answers
from unveil.project.toml import value_text
from unveil.records.alerts import Alert
from unveil.records.judgement import Limit
from unveil.records.limits import MEASURES
from unveil.view.alerts import is_open
from unveil.view.blocks import Block, Sentence
from unveil.view.format import and_list, visible
from unveil.view.project import decision_blocks

TITLE = "Sign-off"


async def show(request: Request) -> Response:
    """The sheet as it stands, what is outstanding, and the decision."""
    workspace = workspace_of(request)
    file = workspace.file
    if file is None:
        return draw_page(request, "empty.html", title=TITLE, command="unveil init")
    limits = _limits(file)
    return draw_page(
        request,
        "decide.html",
        title=TITLE,
        people_by_role=[*_people(workspace, file)],
        limits=[(one, MEASURES[one.measure].what) for one in limits],
        answers=[(one, QUESTIONS[one.name]) for one in list_answers(file)],
        outstanding=_outstanding(workspace),
        alerts=_alerts(workspace),
        blocks=_last_decision(workspace, file),
        command=Sign(by="Name, role", is_accepting=True),
    )


async def sign(request: Request) -> Response:
    """Accept limits and answer questions, all at once or not at all."""
    form, file = await request.form(), workspace_of(request).file

    def action() -> Sign:
        if file is None:
            raise SettingsError("There is no project yet.")
        changes = _changed_limits(form, _limits(file))
        is_accepting = bool(form.get("accept")) or bool(changes)
        answers = _changed_answers(form, file)
        if not is_accepting and not answers:
            raise SettingsError("Nothing was changed. Accept the limits, or answer a question.")
        by = parse_text(form, "by")
        return Sign(by=by, is_accepting=is_accepting, changes=changes, answers=answers)

    return await perform(
        request, form, action, done="Signed: one entry in the log.", back="/decide"
    )


async def people(request: Request) -> Response:
    """For whom the release is, who measures, and whether a second person must decide."""
    form = await request.form()

    def action() -> SetSettings:
        said = [f"context.four_eyes={'true' if form.get('four_eyes') else 'false'}"]
        if audience := parse_text(form, "audience"):
            said.append(f"context.audience={audience}")
        if analyst := parse_text(form, "analyst"):
            said.append(f"context.analyst={value_text(analyst)}")
        return SetSettings(settings=tuple(said), by=parse_text(form, "by"))

    return await perform(request, form, action, done="Recorded.", back="/decide")


async def decide(request: Request) -> Response:
    """Release, or refuse to."""
    form = await request.form()
    alerts = _alerts(workspace_of(request))

    def action() -> Decide:
        if parse_text(form, "decision") not in ("release", "refuse"):
            raise SettingsError("State the decision: release or refuse.")
        is_release = parse_text(form, "decision") == "release"
        said = {one.id: parse_text(form, f"despite-{n}") for n, one in enumerate(alerts)}
        despite = {alert: why for alert, why in said.items() if why} if is_release else {}
        by, note = parse_text(form, "by"), parse_text(form, "note")
        return Decide(release=is_release, by=by, note=note, despite=despite)

    done = "Decided. The decision is kept with all that it rests on."
    return await perform(request, form, action, done=done, back="/decide")


def _limits(file: ProjectFile) -> Sequence[Limit]:
    """Those of the project; what its audience would start from where it has none."""
    audience = file.context.audience or "open"
    return limits_of(file.limits.values) or preset(audience, declared=None)


def _changed_limits(
    form: FormData, limits: Sequence[Limit]
) -> dict[str, tuple[float, float] | None]:
    found: dict[str, tuple[float, float] | None] = {}
    for n, one in enumerate(limits):
        if form.get(f"limit-{n}") is None:
            continue
        pair = tuple(
            parse_typed_number(form, f"{name}-{n}", f"{one.measure}: {what}")
            for name, what in (("review", "review above"), ("limit", "limit"))
        )
        if pair != (one.review, one.limit):
            found[one.measure] = (pair[0], pair[1])
    return found


def _changed_answers(form: FormData, file: ProjectFile) -> dict[str, str]:
    given = {one.name: parse_text(form, f"answer-{one.name}") for one in list_answers(file)}
    before = {one.name: one.answer or "" for one in list_answers(file)}
    return {name: text for name, text in given.items() if text and text != before[name]}


def _alerts(workspace: Workspace) -> list[Alert]:
    return (
        [] if workspace.result is None else [one for one in workspace.result.alerts if is_open(one)]
    )


def _outstanding(workspace: Workspace) -> list[str]:
    """What has to be decided or said before a release, once for all that belongs together."""
    if workspace.result is None:
        return ["Nothing was measured yet: unveil run."]
    return [visible(one.sentence) for one in workspace.result.summary.outstanding]


def _people(workspace: Workspace, file: ProjectFile) -> Iterator[tuple[str, str]]:
    """Who did what so far, by role."""
    lines = read_log(file.folder)

    def named(*events: str) -> str:
        found = dict.fromkeys(one.by for one in lines if one.event in events and one.by)
        return and_list(map(visible, found)) if found else "no one yet"

    yield "Analyst: measured", named("run")
    yield "Reviewer: ruled on flags and exclusions", named("ruling", "exclude", "exception")
    yield "Custodian: accepted limits", visible(file.limits.accepted_by or "no one yet")
    answered = dict.fromkeys(visible(one.by) for one in list_answers(file) if one.by)
    yield "Answered questions", and_list(answered) if answered else "no one yet"
    yield "Decided", named("decision")


def _last_decision(workspace: Workspace, file: ProjectFile) -> Iterator[Block]:
    if not workspace.now.decisions:
        return
    yield from decision_blocks(workspace.now.decisions[-1], list_answers(file))
    if len(workspace.now.decisions) > 1:
        yield Sentence(
            f"{len(workspace.now.decisions):,} decisions are kept; the last one rules.", "dim"
        )


ROUTES = (
    Route("/decide", show),
    Route("/decide/sign", sign, methods=["POST"]),
    Route("/decide/people", people, methods=["POST"]),
    Route("/decide/decide", decide, methods=["POST"]),
)
