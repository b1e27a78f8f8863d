"""`/roles`: what is each column, and what is an intruder assumed to know?"""

from collections.abc import Iterator, Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_place, parse_text, parse_ticked, parse_typed_integer
from unveil.app.render_app import draw_page, perform, start_job, workspace_of
from unveil.errors import SettingsError
from unveil.project.actions import MeasureKeySets, SetSettings
from unveil.project.model import ProjectFile, ScenarioEntry
from unveil.project.toml import comments_beside, key_text, value_text
from unveil.records.key_sets import KeySets
from unveil.view.blocks import Block, Figure, Folded, Sentence
from unveil.view.charts.chart_names import sets
from unveil.view.key_sets import grid_tables
from unveil.view.show import as_blocks
from unveil.view.suggestion_toml import toml_string

TITLE = "Roles"
CAPTION = "The worst sets of the keys beside what other people's records would give."
ROLES = {
    "key": "may be known",
    "target": "may be disclosed",
    "identifier": "identifies people: dropped",
    "ignore": "not used",
}


async def show(request: Request) -> Response:
    """Each column with its role and why; the scenarios."""
    workspace = workspace_of(request)
    if workspace.file is None:
        return draw_page(request, "empty.html", title=TITLE, command="unveil init")
    columns, reasons = _columns(workspace.file), comments_beside(workspace.file.text)
    return draw_page(
        request,
        "roles.html",
        title=TITLE,
        tab="roles",
        columns=[(name, role, reasons.get(name, "")) for name, role in columns.items()],
        names=[*columns],
        roles=ROLES,
        single=[*_single(workspace.file)],
        command=SetSettings(
            settings=(f"roles.key={value_text([*workspace.file.roles.key])}",), by="Name, role"
        ),
    )


async def save(request: Request) -> Response:
    """Record roles and keys as they were chosen: what changed, in one edit."""
    form, file = await request.form(), workspace_of(request).file

    def action() -> SetSettings:
        if file is None:
            raise SettingsError("There is no project yet.")
        settings = [*_changed_roles(form, file), *_changed_scenarios(form, file)]
        if not settings:
            raise SettingsError("Nothing was changed.")
        return SetSettings(settings=tuple(settings), by=parse_text(form, "by"))

    done = "Recorded. Figures change with the next run."
    return await perform(request, form, action, done=done, back="/roles")


async def key_sets(request: Request) -> Response:
    """What an intruder would learn who uses some of the keys, or others."""
    workspace = workspace_of(request)
    if workspace.file is None or not workspace.file.scenarios:
        return draw_page(request, "empty.html", title=TITLE, command="unveil init")
    at = parse_place(request, "s", workspace.file.scenarios)
    scenario = workspace.file.scenarios[at]
    record = MeasureKeySets.find(workspace.file, scenario.name)
    names = [*_columns(workspace.file)]
    return draw_page(
        request,
        "keysets.html",
        title="Key sets",
        tab="keysets",
        scenarios=[one.name for one in workspace.file.scenarios],
        at=at,
        names=names,
        ticked=record.keys if record is not None else scenario.keys,
        blocks=() if record is None else _key_set_blocks(record),
        command=MeasureKeySets.of(workspace.file, scenario),
    )


async def explore(request: Request) -> Response:
    """Count every set of the keys that were ticked, in a process of its own."""
    form, workspace = await request.form(), workspace_of(request)

    def action() -> MeasureKeySets:
        if workspace.file is None:
            raise SettingsError("There is no project yet.")
        (scenario,) = (
            parse_ticked(form, "s", workspace.file.scenarios)[:1] or workspace.file.scenarios[:1]
        )
        keys = parse_ticked(form, "key", [*_columns(workspace.file)])
        if not keys:
            raise SettingsError("Tick at least one key.")
        most = parse_typed_integer(form, "at_most", "The most keys in a set")
        return MeasureKeySets.of(workspace.file, scenario, keys=keys, at_most=most)

    return await start_job(request, form, action)


def _columns(file: ProjectFile) -> dict[str, str]:
    """Every column that the project names, with its role."""
    found = {name: role for role in ROLES for name in getattr(file.roles, role)}
    keys = [name for one in file.scenarios for name in (*one.keys, *(one.targets or ()))]
    return found | {name: "target" for name in keys if name not in found}


def _single(file: ProjectFile) -> Iterator[tuple[str, str]]:
    roles = (
        ("weight", "people a record represents"),
        ("person", "whose row it is"),
        ("time", "by which the rows of a person follow"),
    )
    for role, what in roles:
        if (name := getattr(file.roles, role)) is not None:
            yield f"{role}: {what}", name
    for target, levels in file.roles.sensitive.items():
        yield f"sensitive values of {target}", ", ".join(levels)


def _changed_roles(form: FormData, file: ProjectFile) -> Iterator[str]:
    columns = _columns(file)
    now = {
        name: role if (role := parse_text(form, f"role-{n}")) in ROLES else columns[name]
        for n, name in enumerate(columns)
    }
    for role in ROLES:
        before = getattr(file.roles, role)
        kept = [name for name in before if now[name] == role]
        after = [*kept, *(name for name, one in now.items() if one == role and name not in kept)]
        if list(before) != after:
            yield f"roles.{role}={value_text(after)}"


def _changed_scenarios(form: FormData, file: ProjectFile) -> Iterator[str]:
    names = [*_columns(file)]
    for n, one in enumerate(file.scenarios):
        keys = _in_order(parse_ticked(form, f"keys-{n}", names), one)
        if keys and keys != list(one.keys):
            yield f"scenario.{key_text(one.name)}.keys={value_text(keys)}"
    if name := parse_text(form, "new-name"):
        keys = parse_ticked(form, "keys-new", names)
        if not keys:
            raise SettingsError("Tick the keys of the new scenario.")
        yield f"scenario+={{name = {toml_string(name)}, keys = {value_text(keys)}}}"


def _in_order(keys: Sequence[str], scenario: ScenarioEntry) -> list[str]:
    kept = [name for name in scenario.keys if name in keys]
    return [*kept, *(name for name in keys if name not in kept)]


def _key_set_blocks(record: KeySets) -> Iterator[Block]:
    blocks = [*as_blocks(record)]
    yield from blocks[1:3]
    yield Figure(Sentence(""), sets(record), CAPTION)
    yield from grid_tables(record)
    yield Folded("Every figure beside what is expected", tuple(blocks[3:]))


ROUTES = (
    Route("/roles", show),
    Route("/roles/save", save, methods=["POST"]),
    Route("/roles/keysets", key_sets),
    Route("/roles/keysets/explore", explore, methods=["POST"]),
)
