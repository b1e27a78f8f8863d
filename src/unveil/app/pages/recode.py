"""`/risk/recode`: what is won and lost if a key is published in bands, like for like?"""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_place, parse_text, place_of
from unveil.app.render_app import draw_page, draw_part, is_part, workspace_of
from unveil.arguments import numbers_in, parse_finite_numbers
from unveil.errors import SettingsError
from unveil.records.judgement import WhatIf
from unveil.view.show import as_blocks

TITLE = "Recode"
NUMBERS = (3, 5, 8, 12, 20)
Bands = int | tuple[float, ...]


async def show(request: Request) -> Response:
    """The keys of a scenario, and nothing asked yet."""
    workspace = workspace_of(request)
    if workspace.result is None or not workspace.result.scenarios:
        return draw_page(request, "empty.html", title=TITLE, command="unveil run")
    names = workspace.result.scenarios
    at = parse_place(request, "s", names)
    return _draw(request, at, command=("unveil", "whatif", "--bands", "age=20,40,65"))


async def try_out(request: Request) -> Response:
    """Every figure with a key in bands in all files; nothing is written."""
    form, workspace = await request.form(), workspace_of(request)
    if workspace.result is None:
        raise SettingsError("Nothing was measured yet: unveil run.")
    at = place_of(form.get("s"), len(workspace.result.scenarios)) or 0
    scenario = workspace.result.scenarios[at]
    keys = _keys(request, at)
    key = keys[place_of(form.get("key"), len(keys)) or 0]
    bands = _parse(form)
    told = await workspace.counting.ask("recode", scenario, ((key, bands),))
    found = WhatIf.from_json(told)
    said = str(bands) if isinstance(bands, int) else ",".join(f"{one:g}" for one in bands)
    command = ("unveil", "whatif", "--bands", f"{key}={said}", "--scenario", scenario)
    blocks = [*as_blocks(found)]
    if is_part(request):
        say = found.scenarios[0].sentences[0] if found.scenarios else ""
        return draw_part(request, "recoded.html", blocks=blocks, command=command, say=say)
    return _draw(request, at, command=command, blocks=blocks, form=form)


def _parse(form: FormData) -> Bands:
    """Breaks that were typed, or how many bands."""
    if text := parse_text(form, "breaks"):
        numbers = numbers_in(text.replace(" ", ",").replace(",,", ","))
        return tuple(parse_finite_numbers(numbers, what="break", example="20,40,65"))
    at = place_of(form.get("n"), len(NUMBERS))
    return NUMBERS[1 if at is None else at]


def _keys(request: Request, at: int) -> tuple[str, ...]:
    result = workspace_of(request).result
    if result is None:
        return ()
    (record,) = [one for _, one in result.parts.of("disclosure", result.scenarios[at])]
    found: tuple[str, ...] = record.keys
    return found


def _draw(
    request: Request,
    at: int,
    *,
    command: tuple[str, ...],
    blocks: object = (),
    form: FormData | None = None,
) -> Response:
    keys = _keys(request, at)
    asked = FormData() if form is None else form
    return draw_page(
        request,
        "recode.html",
        title=TITLE,
        tab="recode",
        s=at,
        keys=keys,
        numbers=[(str(place), f"{n} bands") for place, n in enumerate(NUMBERS)],
        key=place_of(asked.get("key", keys.index("age") if "age" in keys else 0), len(keys)) or 0,
        n=str(asked.get("n", "1")),
        breaks=str(asked.get("breaks", "")),
        found=blocks,
        command=command,
    )


ROUTES = (
    Route("/risk/recode", show),
    Route("/risk/recode/try", try_out, methods=["POST"]),
)
