"""`/utility`: how closely do analyses of the synthetic data agree with the original?"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.render_app import draw_page, workspace_of
from unveil.view.sections import replication, utility

LEAD = "Worst columns and pairs first. Low risk by itself does not make data useful."


async def show(request: Request) -> Response:
    """The report's own sections on utility and on published results."""
    workspace = workspace_of(request)
    if workspace.result is None:
        return draw_page(request, "empty.html", title="Utility", command="unveil run")
    about = (workspace.contents, workspace.result.parts)
    blocks = [*utility.blocks(*about), *replication.blocks(*about)]
    return draw_page(request, title="Utility", lead=LEAD, blocks=blocks, command="unveil report")


ROUTES = (Route("/utility", show),)
