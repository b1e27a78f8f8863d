"""`/release`: what leaves, what stays here, and is it built and searched for leaks?"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from unveil.app.form_fields import parse_text, place_of
from unveil.app.render_app import draw_fault, draw_page, perform, start_job, workspace_of
from unveil.app.workspace import Workspace, pack_name
from unveil.errors import UnveilError
from unveil.project.actions import BuildPack, SetSettings
from unveil.project.model import ProjectFile
from unveil.project.toml import value_text
from unveil.project.verify_pack import verify_pack
from unveil.records.pack import LeakKind
from unveil.view.blocks import Block, Heading
from unveil.view.pack import WHAT_LEAVES, WHAT_STAYS
from unveil.view.show import as_blocks

SETTINGS = ("title", "description", "licence", "contact", "publisher", "method", "noise")
"""What the public is told, as `[pack]` has it."""
HINTS = {
    "licence": "needed: CC BY 4.0",
    "contact": "needed: who answers questions",
    "method": "needed unless unveil made the data: the class of method, in a sentence",
    "noise": "needed unless unveil made the data: its kind and amount, or that there is none",
    "title": "default: that of the project",
}


async def show(request: Request) -> Response:
    """Both sides, and the packs that were built."""
    workspace = workspace_of(request)
    if workspace.file is None:
        return draw_page(request, "empty.html", title="Release pack", command="unveil init")
    packs = list_packs(workspace)
    checked = await asyncio.to_thread(lambda: [*_check_packs(packs)])
    return draw_page(
        request,
        "release.html",
        title="Release pack",
        leaves=[*_names(workspace.file), *WHAT_LEAVES],
        stays=WHAT_STAYS,
        n_leaks=len(get_args(LeakKind)),
        hints=HINTS,
        why=_obstacle(workspace),
        said={name: getattr(workspace.file.pack, name) or "" for name in SETTINGS},
        packs=[one.name for one in packs],
        blocks=checked,
        command=_build(workspace),
    )


async def build(request: Request) -> Response:
    """Build it in a process of its own; refused where something leaks."""
    form = await request.form()
    return await start_job(request, form, lambda: _build(workspace_of(request)))


async def describe(request: Request) -> Response:
    """Say what the public is told."""
    form = await request.form()
    given = {name: parse_text(form, name) for name in SETTINGS}

    def action() -> SetSettings:
        made = (f"pack.{name}={value_text(text) if text else ''}" for name, text in given.items())
        return SetSettings(settings=tuple(made), by=parse_text(form, "by"))

    return await perform(request, form, action, done="Recorded.", back="/release")


async def take(request: Request) -> Response:
    """A pack that was built, by its place in the list; only what leaves can be taken."""
    packs = list_packs(workspace_of(request))
    at = place_of(request.path_params["number"], len(packs))
    if at is None:
        return draw_fault(request, "There is no such pack.", status=404)
    return FileResponse(packs[at], filename=packs[at].name, media_type="application/zip")


def list_packs(workspace: Workspace) -> list[Path]:
    """The public packs in the folder of the project, the newest first; a link is no pack."""
    found = workspace.folder.glob("release_[0-9][0-9][0-9][0-9].zip")
    return sorted((one for one in found if not one.is_symlink()), reverse=True)


def _build(workspace: Workspace) -> BuildPack:
    decisions = workspace.now.decisions
    number = decisions[-1].number if decisions else 1
    return BuildPack(out=pack_name(number))


def _obstacle(workspace: Workspace) -> str:
    """Why nothing can be built now; nothing where a release was decided."""
    decisions = workspace.now.decisions
    if not decisions:
        return "No decision releases these files."
    if not decisions[-1].release:
        return f"The last decision refuses the release (decision {decisions[-1].number})."
    return ""


def _names(file: ProjectFile) -> Iterator[tuple[str, str]]:
    for path in file.data.synthetic:
        name = Path(path).name
        shown = name if name.startswith("FAKE_") else f"FAKE_{name}"
        yield shown, "the synthetic data: name, label and, if asked for, a column say FAKE"


def _check_packs(packs: list[Path]) -> Iterator[Block]:
    for one in packs:
        yield Heading(one.name, 3)
        try:
            yield from as_blocks(verify_pack(one))
        except UnveilError as fault:
            yield Heading(str(fault), 4)


ROUTES = (
    Route("/release", show),
    Route("/release/build", build, methods=["POST"]),
    Route("/release/describe", describe, methods=["POST"]),
    Route("/release/pack/{number}", take),
)
