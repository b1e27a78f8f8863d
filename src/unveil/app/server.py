"""`unveil app`: one server for one folder, on this machine only; which page answers which address?

Those of the modules of `pages` do, and the files beside them.
"""

import asyncio
import logging
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import unveil.view
from unveil.app.counting_process import Counting
from unveil.app.render_app import HERE, draw_counting, draw_fault, entered_page, opener_page
from unveil.app.security import MOST_BYTES, Guard
from unveil.app.workspace import Workspace
from unveil.errors import SettingsError, UnveilError
from unveil.project.lock import lock_app

PAGES = (
    *("overview", "data", "roles", "synthesise", "risk", "values", "recode", "records"),
    *("utility", "decide", "release", "table", "membership", "jobs"),
)
"""One module each, with its `ROUTES`."""
PAGE_STYLE = Path(unveil.view.__file__).parent / "templates" / "page.css"
Endpoint = Callable[[Request], Awaitable[Response]]
LOG = logging.getLogger("unveil.app")


def make_app(workspace: Workspace) -> Starlette:
    """The app of one folder; it trusts nobody only inside of `security.Guard`."""
    routes: list[Route | Mount] = [
        Route(one.path, _fresh(one.endpoint), methods=one.methods)
        for name in PAGES
        for one in import_module(f"unveil.app.pages.{name}").ROUTES
    ]
    routes.append(Route("/static/page.css", _page_style))
    routes.append(Mount("/static", StaticFiles(directory=HERE / "static")))
    app = Starlette(
        routes=routes,
        exception_handlers={
            404: _missing,
            405: _missing,
            HTTPException: _unreadable,
            UnveilError: _refused,
            Counting: _counting,
            Exception: _broken,
        },
    )
    app.state.workspace = workspace
    MultiPartParser.spool_max_size = MOST_BYTES  # a table of counts reaches no disk
    return app


def _fresh(endpoint: Endpoint) -> Endpoint:
    """A page that shows the folder as it is now."""

    async def answer(request: Request) -> Response:
        try:
            await request.app.state.workspace.refresh()
            return await endpoint(request)
        except (UnveilError, Counting, HTTPException):
            raise
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it
        except Exception as fault:
            return await _broken(request, fault)
        finally:
            await request.close()  # and with it what was dropped

    return answer


async def _page_style(request: Request) -> Response:
    return FileResponse(PAGE_STYLE, media_type="text/css")


async def _missing(request: Request, fault: Exception) -> Response:
    return draw_fault(request, "There is no such page.", status=404)


async def _unreadable(request: Request, fault: Exception) -> Response:
    """A form that is too long or broken: the message of the parser is not repeated."""
    return draw_fault(request, "The form cannot be read. Nothing was written.", status=400)


async def _refused(request: Request, fault: Exception) -> Response:
    return draw_fault(request, str(fault))


async def _counting(request: Request, state: Exception) -> Response:
    assert isinstance(state, Counting)
    return draw_counting(request, state)


async def _broken(request: Request, fault: Exception) -> Response:
    """A fault of ours, by its type and its place alone: the message may quote data."""
    trace, at = fault.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if "unveil" in code.co_filename:
            at = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    LOG.error("Internal error %s at %s", type(fault).__name__, at)
    said = f"Internal error ({type(fault).__name__}). The error is in unveil, not in your data."
    return draw_fault(request, said, status=500)


LOOPBACK = "127.0.0.1"


def serve(
    folder: Path,
    *,
    port: int = 0,
    roots: tuple[Path, ...] = (),
    is_opened: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a folder until it is interrupted; refused where another app has it open already.

    Parameters
    ----------
    port
        0: one that the system chooses.
    roots
        Folders below which files may be chosen, beside the project's own.
    say
        Told the address, which works once.
    """
    with _listen(port) as listening:
        own = listening.getsockname()[1]
        with lock_app(folder, f"http://{LOOPBACK}:{own}/"):
            workspace = Workspace(folder, tuple(one.resolve() for one in roots))
            guard = Guard(make_app(workspace), port=own, entered=entered_page())
            address = f"http://{LOOPBACK}:{own}/enter?token={guard.token}"
            say(address)
            opener = _open(address) if is_opened else None
            config = uvicorn.Config(
                guard,
                access_log=False,
                log_level="warning",
                server_header=False,
                proxy_headers=False,  # nobody stands between the browser and us
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=2,
            )
            # A signal to end it ends it as Ctrl-C does: the lock and the counting process go too.
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            try:
                asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
            finally:
                workspace.counting.stop()
                if opener is not None:
                    opener.unlink(missing_ok=True)


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(128)  # from here on a browser that comes early waits
    except OSError as fault:
        listening.close()
        raise SettingsError(
            f"The port {port} cannot be had: {fault.strerror}. Leave --port out: one is chosen."
        ) from None
    return listening


def _open(address: str) -> Path:
    """Open the address from a file of its owner's: what a program is called with is public."""
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(opener_page(address))
    place = Path(file.name)
    webbrowser.open(place.as_uri())
    return place
