"""`/risk/records`: who is at risk? Closed until a named person opens it, which the log keeps."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_text, place_of
from unveil.app.render_app import check_mark, draw_fault, draw_page, workspace_of
from unveil.errors import UnveilError
from unveil.project.actions import OpenRecords
from unveil.project.read_project import read_project
from unveil.project.records_at_risk import read_records
from unveil.view.pages.records_at_risk import RecordsAtRisk, records_blocks

MOST_SHOWN = 200
TITLE = "Records at risk"


async def show(request: Request) -> Response:
    """Closed: what opening it means."""
    workspace = workspace_of(request)
    if workspace.result is None:
        return draw_page(request, "empty.html", title=TITLE, command="unveil run")
    return _draw(request, OpenRecords(by="Name, role"))


async def open_(request: Request) -> Response:
    """The people behind the figures of one target, in an answer that no address leads to."""
    form, workspace = await request.form(), workspace_of(request)
    choices = _choices(request)
    at = place_of(form.get("about"), len(choices)) or 0
    action = OpenRecords(by=parse_text(form, "by"))

    def look() -> RecordsAtRisk:
        check_mark(workspace, parse_text(form, "mark"))
        path = action.do(read_project(workspace.folder))
        return read_records(path, *choices[at], MOST_SHOWN)

    try:
        found = await asyncio.to_thread(look)
    except UnveilError as fault:
        return draw_fault(request, str(fault))
    return _draw(request, action, at=at, found=found)


def _choices(request: Request) -> list[tuple[str, str]]:
    result = workspace_of(request).result
    parts = (
        [] if result is None else zip(result.scenarios, result.parts.of("disclosure"), strict=True)
    )
    return [(scenario, target) for scenario, (_, record) in parts for target in record.targets]


def _draw(
    request: Request, action: OpenRecords, *, at: int = 0, found: RecordsAtRisk | None = None
) -> Response:
    choices = _choices(request)
    has_several = len({scenario for scenario, _ in choices}) > 1
    return draw_page(
        request,
        "records.html",
        title=TITLE,
        tab="records",
        choices=[f"{t} ({s})" if has_several else t for s, t in choices],
        at=at,
        by="" if found is None else action.by,
        is_open=found is not None,
        blocks=() if found is None else records_blocks([found]),
        command=action,
    )


ROUTES = (Route("/risk/records", show), Route("/risk/records/open", open_, methods=["POST"]))
