"""`/data`: which files are compared, and do they say the same? Labels and codes, never rows."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import get_args

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.files import list_files
from unveil.app.form_fields import parse_text, parse_ticked, place_of
from unveil.app.render_app import draw_fault, draw_page, perform, start_job, workspace_of
from unveil.app.workspace import Workspace
from unveil.errors import SettingsError
from unveil.measure.structure.describe import codebook
from unveil.project.actions import AcceptAlert, InitProject, SetSettings
from unveil.project.model import ProjectFile
from unveil.project.proposals import TEMPLATES
from unveil.project.sources import SourceFile
from unveil.project.sources import list_files as list_sources
from unveil.project.toml import key_text, value_text
from unveil.records.alerts import Alert
from unveil.records.codebook import CodebookDifferences, DescribedFile
from unveil.records.judgement import Audience
from unveil.view.blocks import Block, Heading, Items, Sentence, TableBlock, table
from unveil.view.codebook import codebook_blocks, headline
from unveil.view.format import visible
from unveil.view.show import as_blocks

TITLE = "Data"
ROLES = ("not used", "original", "synthetic", "control")
READ_AS = {"numbers": "number", "text": "text", "dates": "date"}
"""What `[data.types]` calls what a column holds."""
DESCRIBED = ("original", "synthetic", "control")


async def show(request: Request) -> Response:
    """The files of the project; those one could start with where there is none."""
    workspace = workspace_of(request)
    file = workspace.file
    if file is None:
        return draw_page(
            request,
            "start.html",
            title="Start a project",
            files=list_files(workspace),
            roles=ROLES,
            audiences=get_args(Audience),
            templates=[(name, TEMPLATES[name].sentence) for name in _usual_templates()],
            command=InitProject(data="survey.csv"),
        )
    fixes = [*_fixes(workspace)]
    return draw_page(
        request,
        "data.html",
        title=TITLE,
        blocks=[_file_table(workspace, file), *_stale(workspace)],
        differences=[*_differences(workspace)],
        fixes=[words for words, _ in fixes],
        codings=_codings(workspace),
        sources=[one.path for one in _described(file)],
        command=("unveil", "codebook", file.data.original, *file.data.synthetic[:1]),
    )


async def start(request: Request) -> Response:
    """Propose a project for the files that were chosen."""
    form, workspace = await request.form(), workspace_of(request)
    files = list_files(workspace)

    def action() -> InitProject:
        shown = enumerate(map(str, form.getlist("file")))  # a file may have come since
        roles = {one: form.get(f"role-{n}") for n, one in shown if one in files}
        by_role = {role: [name for name, one in roles.items() if one == role] for role in ROLES}
        if len(by_role["original"]) != 1 or len(by_role["control"]) > 1:
            raise SettingsError("Choose one file as the original, and at most one control sample.")
        return InitProject(
            data=by_role["original"][0],
            synthetic=tuple(by_role["synthetic"]),
            control=next(iter(by_role["control"]), None),
            audience=parse_text(form, "audience") or "registered",
            templates=tuple(parse_ticked(form, "template", _usual_templates())) or ("neighbour",),
            title=parse_text(form, "title") or None,
            by=parse_text(form, "by") or None,
        )

    return await start_job(request, form, action)


async def describe(request: Request) -> Response:
    """Labels, codes and missing values of one file."""
    workspace = workspace_of(request)
    file = workspace.file
    sources = [] if file is None else _described(file)
    at = place_of(request.path_params["number"], len(sources))
    if file is None or at is None:
        return draw_fault(request, "There is no such file.", status=404)
    record = await asyncio.to_thread(_codebook, file, sources[at])
    likely = [*_likely_codes(record)]
    return draw_page(
        request,
        "codebook.html",
        title=headline(record),
        blocks=codebook_blocks(record),
        likely=[f"{visible(name)}: {codes}" for name, codes in likely],
        number=at,
        command=("unveil", "codebook", sources[at].path),
    )


async def fix(request: Request) -> Response:
    """Read columns alike in every file, as it was ticked."""
    form, workspace = await request.form(), workspace_of(request)

    def action() -> SetSettings:
        settings = parse_ticked(form, "fix", [setting for _, setting in _fixes(workspace)])
        return _settings(form, settings)

    done = "Recorded. The next run reads the files so."
    return await perform(request, form, action, done=done, back="/data")


async def declare(request: Request) -> Response:
    """Declare codes of missing values, as they were ticked."""
    form, file = await request.form(), workspace_of(request).file
    sources = [] if file is None else _described(file)
    at = place_of(request.path_params["number"], len(sources))
    if file is None or at is None:
        return draw_fault(request, "There is no such file.", status=404)
    record = await asyncio.to_thread(_codebook, file, sources[at])
    settings = [
        f"data.special_codes.{key_text(name)}=[{codes}]" for name, codes in _likely_codes(record)
    ]
    done = "Recorded. Each code is a level of its own from the next run on."
    action = _settings(form, parse_ticked(form, "code", settings))
    return await perform(request, form, lambda: action, done=done, back=f"/data/file/{at}")


async def confirm(request: Request) -> Response:
    """Accept how codes were matched, with a reason."""
    form, alerts = await request.form(), _codings(workspace_of(request))

    def action() -> AcceptAlert:
        ticked = parse_ticked(form, "alert", alerts)
        if not ticked:
            raise SettingsError("Tick what you confirm.")
        reasons = dict.fromkeys((one.id for one in ticked), parse_text(form, "reason"))
        return AcceptAlert(reasons=reasons, by=parse_text(form, "by"))

    return await perform(request, form, action, done="Confirmed, for these files.", back="/data")


def _settings(form: FormData, settings: Sequence[str]) -> SetSettings:
    if not settings:
        raise SettingsError("Tick what is to be changed.")
    return SetSettings(settings=tuple(settings), by=parse_text(form, "by"))


def _usual_templates() -> list[str]:
    return [name for name in TEMPLATES if name != "co-owner"]  # which needs its columns


def _described(file: ProjectFile) -> list[SourceFile]:
    return [one for one in list_sources(file) if one.role in DESCRIBED]


def _file_table(workspace: Workspace, file: ProjectFile) -> TableBlock:
    rows = []
    for one in list_sources(file):
        place = workspace.folder / one.path
        size = f"{place.stat().st_size:,} bytes" if place.is_file() else "not there"
        role = one.role if one.copy is None else f"{one.role} {one.copy}"
        rows.append((role, visible(one.path), size))
    return table("", ("role", "file", "size"), rows, text=("file",))


def _stale(workspace: Workspace) -> Iterator[Block]:
    if workspace.result is not None:
        yield from (Sentence(one, "look") for one in workspace.result.judgement.stale)


def _differences(workspace: Workspace) -> Iterator[Block]:
    """How each synthetic file is built otherwise, as the last run found it."""
    for _, record in [] if workspace.result is None else workspace.result.parts.of("structure"):
        yield from (one for one in as_blocks(record) if not isinstance(one, Heading))
        if record.coercions:
            yield Items(tuple(visible(one.sentence) for one in record.coercions))


def _fixes(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """What can be mended by how files are read, in words and as a setting."""
    found: dict[str, str] = {}
    for _, record in [] if workspace.result is None else workspace.result.parts.of("structure"):
        kinds: CodebookDifferences = record
        for row in kinds.rows:
            if row.kind == "kind" and row.original in READ_AS and row.variable is not None:
                setting = f"data.types.{key_text(row.variable)}={READ_AS[row.original]}"
                found[setting] = f"Read {visible(row.variable)} as {row.original} in every file"
    yield from ((words, setting) for setting, words in found.items())


def _codings(workspace: Workspace) -> list[Alert]:
    """Alerts on how codes of the files were matched, which a person has to confirm."""
    found = () if workspace.result is None else workspace.result.alerts
    return [one for one in found if one.kind == "coding" and one.accepted is None]


def _codebook(file: ProjectFile, source: SourceFile) -> DescribedFile:
    place = file.folder / source.path
    look = place.stat() if place.is_file() else None
    state = None if look is None else (look.st_mtime_ns, look.st_size, look.st_ino)
    labels = None if file.data.labels is None else file.folder / file.data.labels
    return _read_codebook(
        place, labels if source.role == "original" else None, file.data.missing_values, state
    )


@lru_cache(maxsize=8)
def _read_codebook(
    place: Path, labels: Path | None, missing: tuple[str, ...], state: object
) -> DescribedFile:
    del state  # what tells a changed file from the same one
    return codebook(place, dictionary=labels, missing_values=missing).record


def _likely_codes(record: DescribedFile) -> Iterator[tuple[str, str]]:
    for one in record.found:
        codes = [value_text(code) for code in one.likely_missing]
        if codes:
            yield one.name, ", ".join(codes)


ROUTES = (
    Route("/data", show),
    Route("/data/start", start, methods=["POST"]),
    Route("/data/fix", fix, methods=["POST"]),
    Route("/data/confirm", confirm, methods=["POST"]),
    Route("/data/file/{number}", describe),
    Route("/data/file/{number}/codes", declare, methods=["POST"]),
)
