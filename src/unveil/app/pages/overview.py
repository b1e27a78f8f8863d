"""`/`: where does the release stand? The page to sign first, then the runs so far."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.render_app import desk_of, draw_page
from unveil.view.summary import page_title, summary_blocks


async def show(request: Request) -> Response:
    """The page."""
    desk = desk_of(request)
    if desk.result is None:
        return draw_page(request, "empty.html", title="Overview", command="unveil run")
    summary = desk.result.summary
    return draw_page(
        request,
        "overview.html",
        title="Overview",
        page_heading=page_title(summary),
        blocks=summary_blocks(summary),
        command=summary.next_command or "unveil report",
    )


ROUTES = (Route("/", show),)
