"""How is a request answered? With a page, a part of one, or the outcome of an action; as HTML.

Blocks of the views are drawn by the product's own renderer, so that nothing is worded twice.
"""

import asyncio
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from unveil.app.counting_process import Counting
from unveil.app.workspace import Workspace, file_mark
from unveil.errors import InputError, SettingsError, UnveilError
from unveil.project.actions import Action, format_command
from unveil.project.read_project import read_project
from unveil.view.blocks import Block, Heading
from unveil.view.format import percent, percent_or_dash
from unveil.view.render_html import environment, render_html
from unveil.view.status import GLYPHS, WORDS

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
Answer = TypeVar("Answer")
Command = Action | tuple[str, ...] | str
STALE = (
    "The project was changed since this page was drawn, here or elsewhere. Nothing was written."
    " Open the page again, and repeat it."
)
REFUSED = 422
LEVELS: dict[int, Literal[2, 3, 4]] = {2: 2, 3: 3, 4: 4}


@cache
def templates() -> "Environment":
    """The templates of the app, above those of the pages; every text is escaped."""
    from jinja2 import ChoiceLoader, FileSystemLoader
    from markupsafe import Markup, escape

    pages = environment(is_page=True)
    own = FileSystemLoader(HERE / "templates")
    # A command to copy and a text to change are written as they are: no blank is made unbreakable.
    made = pages.overlay(
        loader=ChoiceLoader([own, pages.loader] if pages.loader else [own]),
        finalize=environment(is_page=False).finalize,
    )
    made.filters = {
        **pages.filters,
        "draw": draw_blocks,
        "typed": lambda text: Markup(escape(text)),  # tabs and line breaks as they were
        "percent": percent,
        "percent_or_dash": percent_or_dash,
        "n": "{:,}".format,
    }
    made.globals = {**pages.globals, "GLYPHS": GLYPHS, "WORDS": WORDS}
    return made


def draw_blocks(blocks: Iterable[Block], top: int | None = None) -> str:
    """Blocks by the product's renderer; with `top` the first heading is of that level."""
    found = [*blocks]
    first = next((one.level for one in found if isinstance(one, Heading)), top)
    shift = 0 if top is None or first is None else first - top
    raised: list[Any] = [
        Heading(one.text, LEVELS[max(one.level - shift, 2)]) if isinstance(one, Heading) else one
        for one in found
    ]
    return render_html(raised, is_page=True)


def entered_page() -> bytes:
    """What the one-time address shows: a page that goes on to the first one."""
    return templates().get_template("entered.html").render().encode()


def opener_page(address: str) -> str:
    """A file that leads the browser to the one-time address."""
    return templates().get_template("opener.html").render(address=address)


def workspace_of(request: Request) -> Workspace:
    """The folder that the app shows."""
    workspace: Workspace = request.app.state.workspace
    return workspace


def is_part(request: Request) -> bool:
    """Whether a script asks for a part of a page."""
    return "hx-request" in request.headers


def command_text(command: Command | None) -> str:
    """What would be typed, as one line."""
    if command is None or isinstance(command, str):
        return command or ""
    return format_command(command.command() if isinstance(command, Action) else command)


def draw_page(
    request: Request,
    template: str = "page.html",
    *,
    title: str,
    command: Command | None = None,
    blocks: Iterable[Block] = (),
    status: int = 200,
    **values: Any,
) -> Response:
    """A whole page: steps, alerts and what was not tested on the left, the command below."""
    workspace = workspace_of(request)
    shared = {
        "workspace": workspace,
        "now": workspace.now,
        "heading": title,
        "here": request.url.path,
        "running": workspace.jobs.running,
        "command": command_text(command),
        "blocks": list(blocks),
    }
    text = templates().get_template(template).render(shared | values)
    return HTMLResponse(text, status_code=status)


def draw_part(
    request: Request,
    template: str,
    *,
    command: Command | None = None,
    say: str = "",
    blocks: Iterable[Block] = (),
    status: int = 200,
    **values: Any,
) -> Response:
    """A part of a page, with the command and what is read out beside it, where they change."""
    workspace = workspace_of(request)
    shared = {
        "workspace": workspace,
        "now": workspace.now,
        "here": request.url.path,
        "blocks": list(blocks),
    }
    beside = {"part": template, "say": say, "command": command_text(command)}
    text = templates().get_template("part.html").render(shared | beside | values)
    return HTMLResponse(text, status_code=status)


def draw_fault(request: Request, fault: str, *, status: int = REFUSED) -> Response:
    """A refusal in words: in the place of the answer, or as a page."""
    if is_part(request):
        return draw_part(request, "fault.html", fault=fault, say=fault, status=status)
    return draw_page(request, "fault_page.html", title="Refused", fault=fault, status=status)


def draw_counting(request: Request, state: Counting) -> Response:
    """Something is being computed: how far, in a page or a part that asks again by itself."""
    method = request.method.lower()
    if is_part(request):
        return draw_part(request, "counting.html", state=state, say=state.what, method=method)
    is_again = method == "get"  # a form without script has to be sent again
    return draw_page(
        request, "counting_page.html", title="Counting", state=state, is_again=is_again
    )


WAIT = 2.0
"""Seconds for which a page waits before it says that something is under way."""
_UNDER_WAY: dict[Hashable, "asyncio.Task[Any]"] = {}


async def wait_patiently(question: Hashable, work: Callable[[], Answer], about: str) -> Answer:
    """The answer of work that may take long; a browser that waits is told so, and asks again.

    Raises
    ------
    Counting
        If it goes on: the same question finds it under way.
    """
    task = _UNDER_WAY.get(question)
    if task is None:
        _UNDER_WAY[question] = task = asyncio.create_task(asyncio.to_thread(work))
    await asyncio.wait([task], timeout=WAIT)
    if not task.done():
        raise Counting("this may take some minutes", 0, 0, about)
    _UNDER_WAY.pop(question, None)
    answer: Answer = task.result()
    return answer


async def perform(
    request: Request, form: FormData, action: Callable[[], Action], *, done: str, back: str
) -> Response:
    """Do what a form asks for, and say so; refuse it where the project is another by now.

    Parameters
    ----------
    action
        Makes the action out of the form, and may refuse it.
    done
        What was done, as a sentence.
    back
        The page to go on with.
    """
    workspace = workspace_of(request)
    try:
        made = action()
        async with (
            workspace.acting
        ):  # a button that was pressed twice finds what the first press did
            await workspace.refresh()
            await asyncio.to_thread(_perform, workspace, made, str(form.get("mark", "")))
            await workspace.refresh()
    except UnveilError as fault:
        return draw_fault(request, str(fault))
    said: dict[str, Any] = {"said": done, "back": back, "did": command_text(made)}
    if is_part(request):
        return draw_part(request, "done.html", command=made, say=done, **said)
    return draw_page(request, "done_page.html", title="Done", command=made, **said)


def _perform(workspace: Workspace, action: Action, mark: str) -> None:
    check_mark(workspace, mark)
    file = read_project(workspace.folder, needs_files=False)
    if file_mark(file) != mark.partition("-")[0]:  # it was changed a moment ago
        raise SettingsError(STALE)
    action.check(file)
    action.do(file)


def check_mark(workspace: Workspace, mark: str) -> None:
    """Refuse a form of a page that shows another project file than there is now."""
    if workspace.now.mark != mark:
        raise SettingsError(STALE)


async def start_job(request: Request, form: FormData, action: Callable[[], Action]) -> Response:
    """Have an action done by a process of its own, and show the jobs."""
    workspace = workspace_of(request)
    try:
        check_mark(workspace, str(form.get("mark", "")))
        made = action()
        if workspace.file is not None:
            await asyncio.to_thread(made.check, workspace.file)
        workspace.jobs.start(made)
    except InputError as fault:
        return draw_fault(request, str(fault))
    if is_part(request):
        return Response(status_code=204, headers={"hx-redirect": "/jobs"})
    return RedirectResponse("/jobs", status_code=303)
