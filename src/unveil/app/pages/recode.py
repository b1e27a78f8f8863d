"""`/risk/recode`."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.render_app import draw_page


async def show(request: Request) -> Response:
    """The page."""
    return draw_page(request, title="Recode")


ROUTES = (Route("/risk/recode", show),)
