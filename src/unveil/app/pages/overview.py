"""`/`: where does the release stand? The page to sign first, then the runs so far."""

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.render_app import draw_page, workspace_of
from unveil.app.workspace import Snapshot
from unveil.project.actions import ExploreSettings
from unveil.view.blocks import Block, Figure, Sentence
from unveil.view.exploration import run_map
from unveil.view.sections.context import history_blocks
from unveil.view.summary import page_title, summary_blocks

MAP = (
    "Each run by its riskiest target and its worst pair of columns, joined in their order."
    " Dashed, where settings were tried: what independent columns disclose."
)


async def show(request: Request) -> Response:
    """The page."""
    workspace = workspace_of(request)
    if workspace.result is None:
        command = "unveil init" if workspace.file is None else "unveil run"
        return draw_page(request, "empty.html", title="Overview", command=command)
    summary = workspace.result.summary
    return draw_page(
        request,
        "overview.html",
        title="Overview",
        page_heading=page_title(summary),
        blocks=summary_blocks(summary),
        runs=[*_runs(workspace.now)],
        command=summary.next_command or "unveil report",
    )


def _runs(now: Snapshot) -> Iterator[Block]:
    """Every run in a line, and all of them on the risk-utility map."""
    history = now.contents.history
    yield from history_blocks(now.contents)
    known = [one for one in history if one.DiSCO is not None and one.S_pMSE is not None]
    tried = None if now.file is None else ExploreSettings.find(now.file)
    floor = None if tried is None or tried.floor is None else tried.floor.DiSCO_max
    if len(known) > 1 or (known and floor is not None):  # a point alone says nothing
        yield Figure(Sentence(""), run_map(history, floor), MAP)


ROUTES = (Route("/", show),)
