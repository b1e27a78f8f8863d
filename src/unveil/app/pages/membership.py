"""`/membership`: is anyone disclosed because their own record was used? Attacks, recognition."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import text_of, whole_of
from unveil.app.render_app import desk_of, draw_page, perform
from unveil.errors import SettingsError
from unveil.measure.attacks.worlds import FEWEST_WORLDS
from unveil.project.actions import SetSettings
from unveil.view.sections import leakage

PEOPLE, WORLDS = 100, 400


async def show(request: Request) -> Response:
    """The report's own section, and how the membership of single people is tested."""
    desk = desk_of(request)
    if desk.file is None:
        return draw_page(request, "empty.html", title="Membership", command="unveil init")
    result = desk.result
    blocks = [] if result is None else [*leakage.blocks(desk.contents, result.parts)]
    declared = desk.file.recognition
    asked = {"people": PEOPLE, "worlds": WORLDS, **(declared or {})}
    return draw_page(
        request,
        "membership.html",
        title="Membership",
        blocks=blocks,
        asked=asked,
        is_declared=declared is not None,
        has_control=desk.file.data.control is not None,
        command="unveil run" if declared else _declare(PEOPLE, WORLDS, "Name, role"),
    )


async def declare(request: Request) -> Response:
    """Have the next run test single people."""
    form = await request.form()

    def action() -> SetSettings:
        people = whole_of(form, "people", "The number of people")
        worlds = whole_of(form, "worlds", "The number of worlds")
        if not people or not worlds or worlds < FEWEST_WORLDS:
            raise SettingsError(f"Test at least one person in at least {FEWEST_WORLDS} worlds.")
        return _declare(people, worlds, text_of(form, "by"))

    done = "Recorded. The next run tests single people: it makes a release of every world."
    return await perform(request, form, action, done=done, back="/membership")


def _declare(people: int, worlds: int, by: str) -> SetSettings:
    return SetSettings(
        settings=(f"recognition.people={people}", f"recognition.worlds={worlds}"), by=by
    )


ROUTES = (Route("/membership", show), Route("/membership/declare", declare, methods=["POST"]))
