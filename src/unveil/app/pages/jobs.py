"""`/jobs`: what long work is under way, how far is it, and how did the last one end?

Each job shows its whole command; to resume one is to start that command again.
"""

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.jobs import Job
from unveil.app.render_app import check_mark, draw_page, draw_part, is_part, start_job, workspace_of
from unveil.errors import SettingsError
from unveil.project.actions import Action, RunMeasures, load_action
from unveil.project.store import load_unfinished
from unveil.view.blocks import Block, Folded, Sentence
from unveil.view.format import format_count, visible
from unveil.view.show import as_blocks

TITLE = "Jobs"
NEXT = {
    "init": ("/roles", "Check the roles"),
    "run": ("/", "Open the summary"),
    "synthesise": ("/synthesise", "Look at the synthetic data"),
    "protect": ("/synthesise", "Look at the synthetic data"),
    "explore": ("/synthesise", "Look at the map"),
    "keysets": ("/roles/keysets", "Look at the key sets"),
    "pack": ("/release", "Take the pack"),
}
"""What a finished job leads to, by its command."""
NO_STATUS = (
    "Figures stand here as they are measured, without status: only a finished run is held against"
    " limits."
)


async def show(request: Request) -> Response:
    """All jobs, the newest first."""
    jobs = workspace_of(request).jobs.list()
    command = jobs[0].command if jobs else RunMeasures()
    step = _next_step(jobs)
    return draw_page(request, "jobs.html", title=TITLE, jobs=jobs, next_step=step, command=command)


def _next_step(jobs: Sequence[Job]) -> tuple[str, str] | None:
    """Where to go on after the last job: address and words."""
    return NEXT.get(jobs[0].command.split()[1]) if jobs and jobs[0].state == "done" else None


async def state(request: Request) -> Response:
    """The jobs as they are now, asked again while one is under way."""
    jobs = workspace_of(request).jobs.list()
    say = f"{jobs[0].state}: {jobs[0].what}" if jobs else ""
    answer = draw_part(request, "job_rows.html", jobs=jobs, say=say, next_step=_next_step(jobs))
    if not any(one.is_under_way for one in jobs):  # alerts and steps beside it are others now
        answer.headers["hx-refresh"] = "true"
    return answer


async def parts(request: Request) -> Response:
    """What a run that is not finished has measured so far, part by part."""
    found = await asyncio.to_thread(load_unfinished, workspace_of(request).folder)
    said = format_count(len(found), "part is finished", "parts are finished")
    blocks: list[Block] = [Sentence(f"{said}. {NO_STATUS}", "look")]
    blocks += [Folded(visible(part.name), tuple(as_blocks(record))) for part, record in found]
    command = RunMeasures()
    return draw_page(request, title="The run so far", blocks=blocks, command=command)


async def run(request: Request) -> Response:
    """Start a run."""
    form = await request.form()

    def action() -> Action:
        return RunMeasures(
            by=str(form.get("by", "")).strip() or None,
            again=form.get("again") == "yes",
            only=tuple(str(one) for one in form.getlist("only") if one),
        )

    return await start_job(request, form, action)


async def resume(request: Request) -> Response:
    """Start what a job did once more, with the same options."""
    form, job = await request.form(), _job(request)
    return await start_job(request, form, lambda: load_action(bytes(job.action)))


async def cancel(request: Request) -> Response:
    """End a job; what it has finished is kept."""
    workspace, form = workspace_of(request), await request.form()
    check_mark(workspace, str(form.get("mark", "")))
    workspace.jobs.cancel(_job(request).number)
    return await (state(request) if is_part(request) else show(request))


def _job(request: Request) -> Job:
    number = request.path_params["number"]
    found = [one for one in workspace_of(request).jobs.list() if str(one.number) == number]
    if not found:
        raise SettingsError("There is no such job.")
    return found[0]


ROUTES = (
    Route("/jobs", show),
    Route("/jobs/state", state),
    Route("/jobs/parts", parts),
    Route("/jobs/run", run, methods=["POST"]),
    Route("/jobs/{number}/resume", resume, methods=["POST"]),
    Route("/jobs/{number}/cancel", cancel, methods=["POST"]),
)
