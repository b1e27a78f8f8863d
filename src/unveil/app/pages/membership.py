"""`/membership`: is anyone disclosed because their own record was used? Attacks, recognition."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_text, parse_typed_integer
from unveil.app.render_app import draw_page, perform, workspace_of
from unveil.errors import SettingsError
from unveil.measure.attacks.worlds import FEWEST_WORLDS
from unveil.project.actions import SetSettings
from unveil.view.sections import leakage

PEOPLE, WORLDS = 100, 400


async def show(request: Request) -> Response:
    """The report's own section, and how the membership of single people is tested."""
    workspace = workspace_of(request)
    if workspace.file is None:
        return draw_page(request, "empty.html", title="Membership", command="unveil init")
    result = workspace.result
    blocks = [] if result is None else [*leakage.blocks(workspace.contents, result.parts)]
    declared = workspace.file.recognition
    asked = {"people": PEOPLE, "worlds": WORLDS, **(declared or {})}
    return draw_page(
        request,
        "membership.html",
        title="Membership",
        blocks=blocks,
        asked=asked,
        is_declared=declared is not None,
        has_control=workspace.file.data.control is not None,
        command="unveil run" if declared else _declare(PEOPLE, WORLDS, "Name, role"),
    )


async def declare(request: Request) -> Response:
    """Have the next run test single people."""
    form = await request.form()

    def action() -> SetSettings:
        people = parse_typed_integer(form, "people", "The number of people")
        worlds = parse_typed_integer(form, "worlds", "The number of worlds")
        if not people or not worlds or worlds < FEWEST_WORLDS:
            raise SettingsError(f"Test at least one person in at least {FEWEST_WORLDS} worlds.")
        return _declare(people, worlds, parse_text(form, "by"))

    done = "Recorded. The next run tests single people: it makes a release of every world."
    return await perform(request, form, action, done=done, back="/membership")


def _declare(people: int, worlds: int, by: str) -> SetSettings:
    return SetSettings(
        settings=(f"recognition.people={people}", f"recognition.worlds={worlds}"), by=by
    )


ROUTES = (Route("/membership", show), Route("/membership/declare", declare, methods=["POST"]))
