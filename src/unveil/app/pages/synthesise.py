"""`/synthesise`: how are synthetic data made and protected, and which way is best?"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import (
    parse_text,
    parse_ticked,
    parse_typed_integer,
    parse_typed_number,
    place_of,
)
from unveil.app.render_app import (
    draw_fault,
    draw_page,
    draw_part,
    is_part,
    perform,
    start_job,
    wait_patiently,
    workspace_of,
)
from unveil.app.workspace import Workspace
from unveil.arguments import numbers_in, parse_finite_numbers
from unveil.errors import SettingsError, UnveilError
from unveil.io.sources import read_table
from unveil.measure.ecap.choose_noise import choose_for_values, round_up
from unveil.measure.ecap.ecap import prepare_values
from unveil.measure.ecap.noise_settings import column_values
from unveil.project.actions import (
    ExploreSettings,
    ProtectCopies,
    SetSettings,
    SynthesiseCopies,
)
from unveil.project.explore.settings import METHODS
from unveil.project.model import ProjectFile
from unveil.project.seeds import CONFIDENTIAL
from unveil.project.toml import value_text, whole_number
from unveil.protection.noise import add_noise
from unveil.protection.plan import AFTER, FILTER, NOISE, REMOVE, SYNTHESISE
from unveil.records.noise import NoiseChoice
from unveil.records.synthesis import ConfidentialSynthesis
from unveil.view.blocks import Block, Figure, Folded, Heading, Items, Sentence
from unveil.view.charts.distributions import before_and_after
from unveil.view.charts.lines import ecap_curve
from unveil.view.ecap import (
    NOT_PUBLIC,
    choice_sentences,
    choice_tables,
    claim_sentence,
    noise_sentence,
)
from unveil.view.exploration import exploration_blocks, risk_utility
from unveil.view.format import visible
from unveil.view.show import as_blocks

TITLE = "Synthesise"
USUAL = {"method": "cart", "copies": 1, "min_leaf": "", "rules": ()}
NOISE_FIELDS = ("file", "column", "population", "N", "n", "threshold", "discrete")
NUMBERS = {"copies": "The number of files", "min_leaf": "The fewest records in a leaf"}
MORE_STEPS = {
    "band": ("breaks", "put into bands, at"),
    "top_code": ("at", "set to a limit what is above"),
    "merge_rare": ("below", "merge values of fewer records than"),
    FILTER: (None, "draw again synthetic records that are too near to real ones"),
    REMOVE: (None, "remove replicated uniques"),
}
"""Steps that the page can add: the setting that each needs beside its column, and what it does."""
RANK = {do: place for place, do in enumerate((SYNTHESISE, *AFTER), start=1)}
DRAW = "One draw of this amount of noise, for this page alone. Not for publication."
CURVE = "Highest ECAP over the values, by the standard deviation of the noise. Not for publication."
MAP = "Each setting by risk and utility: left and down is better. Dashed: independent columns."


async def show(request: Request) -> Response:
    """How the files were made, how to make others, the noise wizard, and the map."""
    workspace = workspace_of(request)
    file = workspace.file
    if file is None:
        return draw_page(request, "empty.html", title=TITLE, command="unveil init")
    found = ExploreSettings.find(file)
    return draw_page(
        request,
        "synthesise.html",
        title=TITLE,
        methods=METHODS,
        asked={**USUAL, **(file.synthesis or {})},
        steps=[*_steps(file)],
        more_steps=[words for _, words in MORE_STEPS.values()],
        columns=_columns(file),
        numbers=_numbers(workspace, file),
        form=_noise_defaults(workspace),
        blocks=[*_made(file)],
        exploration=() if found is None else [*_map_blocks(found)],
        command=SynthesiseCopies(method="cart"),
    )


async def make(request: Request) -> Response:
    """Synthesise, in a process of its own."""
    form = await request.form()

    def action() -> SynthesiseCopies:
        (method,) = parse_ticked(form, "method", METHODS)[:1] or METHODS[:1]
        given = {name: parse_typed_integer(form, name, what) for name, what in NUMBERS.items()}
        return SynthesiseCopies(method=method, **given)

    return await start_job(request, form, action)


async def protect(request: Request) -> Response:
    """Recode, synthesise, filter and add noise as the project declares."""
    names = ["protected", *(f"protected_{n}" for n in range(2, 1000))]
    folder = workspace_of(request).folder
    free = next(one for one in names if not (folder / one).exists())
    return await start_job(request, await request.form(), lambda: ProtectCopies(out=free))


async def change_steps(request: Request) -> Response:
    """Add a step of protection where it belongs, or take out those that were ticked."""
    form, file = await request.form(), workspace_of(request).file

    def action() -> SetSettings:
        if file is None:
            raise SettingsError("There is no project yet.")
        gone = parse_ticked(form, "gone", range(len(file.steps)))
        kept = [dict(one) for place, one in enumerate(file.steps) if place not in gone]
        new = [*_new_step(form, file)]
        if not gone and not new:
            raise SettingsError("Nothing was changed. Choose a step, or tick one to take out.")
        return _with_steps(kept, new, parse_text(form, "by"), is_shorter=bool(gone))

    done = "Recorded. Make the protected data next."
    return await perform(request, form, action, done=done, back="/synthesise")


def _new_step(form: FormData, file: ProjectFile) -> Iterator[dict[str, Any]]:
    for do in parse_ticked(form, "do", [*MORE_STEPS])[:1]:
        setting, words = MORE_STEPS[do]
        if setting is None:
            yield {"do": do}
            return
        (column,) = parse_ticked(form, "column", _columns(file))[:1] or [""]
        text = parse_text(form, "value").replace(" ", ",").replace(",,", ",")
        given = parse_finite_numbers(numbers_in(text), what="number", example="20,40,65")
        values = [whole_number(one) for one in given]
        if not values or (do != "band" and len(values) > 1):
            raise SettingsError(f"State a number: {words} which?")
        into = {"into": "other"} if do == "merge_rare" else {}
        yield {"do": do, "column": column, setting: values if do == "band" else values[0]} | into


def _with_steps(
    steps: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
    by: str,
    *,
    is_shorter: bool = False,
) -> SetSettings:
    """Steps with new ones, each where it belongs: added at the end, so comments stay, if it can."""
    wanted = sorted((*steps, *new), key=lambda one: RANK.get(one["do"], 0))
    if is_shorter or wanted != [*steps, *new]:
        settings = [f"protect.step={value_text(wanted) if wanted else ''}"]
    else:
        settings = [f"protect.step+={value_text(one)}" for one in new]
    return SetSettings(settings=tuple(settings), by=by)


async def explore(request: Request) -> Response:
    """Try several settings and measure each."""
    form, workspace = await request.form(), workspace_of(request)

    def action() -> ExploreSettings:
        if workspace.file is None or not workspace.file.scenarios:
            raise SettingsError("Declare a scenario first: its keys are needed.")
        methods = parse_ticked(form, "methods", METHODS)
        leaves = [parse_typed_integer(form, f"leaf-{n}", "A leaf") for n in range(3)]
        (scenario,) = (
            parse_ticked(form, "s", workspace.file.scenarios)[:1] or workspace.file.scenarios[:1]
        )
        return ExploreSettings.of(
            workspace.file,
            scenario,
            methods=tuple(methods) or ("cart", "sample"),
            min_leaf=tuple(one for one in leaves if one is not None) or (5,),
        )

    return await start_job(request, form, action)


async def noise(request: Request) -> Response:
    """How much noise one column needs; confidential, and nothing is written."""
    form, workspace = await request.form(), workspace_of(request)
    try:
        said = tuple(str(form.get(name, "")) for name in NOISE_FIELDS)
        asked, choice = await wait_patiently(
            (workspace.now.mark, *said),
            lambda: _choose(workspace, form),
            "The noise is being computed",
        )
        at = place_of(form.get("at"), len(choice.curve))
        at = _usual_place(choice) if at is None else at
        drawn = await asyncio.to_thread(lambda: [*_before_and_after(asked, choice, at)])
    except UnveilError as fault:
        return draw_fault(request, str(fault))
    values: dict[str, Any] = {
        "blocks": [*_noise_blocks(choice)],
        "curve": choice.curve,
        "at": at,
        "asked": asked,
        "form": form,
        "amount": _amount(choice, at),
    }
    values["position"] = [*_position(choice, at), *drawn]
    command = (
        *("unveil", "noise", asked["file"], "--column", asked["column"]),
        *("--population", asked["population"], "--N", str(asked["N"]), "--n", str(asked["n"])),
        *("--threshold", f"{asked['threshold']:g}"),
        *(("--discrete",) if asked["discrete"] else ()),
    )
    if is_part(request):
        return draw_part(request, "noise.html", command=command, **values)
    return draw_page(request, "noise_page.html", title="Noise", command=command, **values)


async def use_noise(request: Request) -> Response:
    """Add the noise as the last step of the protection."""
    form, file = await request.form(), workspace_of(request).file

    def action() -> SetSettings:
        steps = () if file is None else file.steps
        (column,) = parse_ticked(form, "column", [] if file is None else _columns(file))[:1] or [""]
        sigma = parse_typed_number(form, "sigma", "The amount of noise")
        step = {"do": NOISE, "column": column, "sigma": sigma}
        step |= {"round": 0} if form.get("discrete") else {}
        needed = [] if any(one["do"] == SYNTHESISE for one in steps) else [{"do": SYNTHESISE}]
        return _with_steps(steps, [*needed, step], parse_text(form, "by"))

    done = "Recorded as a step. Make the protected data next."
    return await perform(request, form, action, done=done, back="/synthesise")


def _columns(file: ProjectFile) -> list[str]:
    return list(dict.fromkeys((*file.roles.key, *file.roles.target)))


def _numbers(workspace: Workspace, file: ProjectFile) -> list[tuple[int, str]]:
    """Columns that a run found to hold numbers, with their places; all where nothing is known."""
    found = [] if workspace.result is None else workspace.result.parts.of("compare")
    kinds = {row.column: row.kind for _, record in found for row in record.distributions}
    places = enumerate(_columns(file))
    return [(n, name) for n, name in places if kinds.get(name, "number") == "number"]


def _steps(file: ProjectFile) -> Iterator[str]:
    for step in file.steps:
        said = ", ".join(f"{name} {value}" for name, value in step.items() if name != "do")
        yield visible(f"{step['do']}{f': {said}' if said else ''}")


def _made(file: ProjectFile) -> Iterator[Block]:
    """How the last files were made; the seed is in the same file, and is not taken out of it."""
    kept = sorted((file.folder / CONFIDENTIAL).glob("synthesis_*.json"))
    if not file.data.synthetic:
        yield Sentence("No synthetic file is named yet.", "look")
        return
    yield Items(tuple(visible(one) for one in file.data.synthetic))
    for place in kept[-1:]:
        record = ConfidentialSynthesis.from_json(place.read_bytes())
        if set(record.copies) & set(file.data.synthetic):
            yield Folded("How they were made", tuple(as_blocks(record.synthesis)))
            return
    yield Sentence("They were made elsewhere, or by unveil protect.", "dim")


def _map_blocks(record: Any) -> Iterator[Block]:
    yield Figure(Sentence(""), risk_utility(record), MAP)
    yield from exploration_blocks(record)


def _noise_defaults(workspace: Workspace) -> dict[str, str]:
    n = 0 if workspace.result is None else workspace.result.record.n_original
    return {"N": "", "n": str(n or ""), "population": "empirical", "threshold": "0.1"}


def _choose(workspace: Workspace, form: FormData) -> tuple[dict[str, Any], NoiseChoice]:
    file = workspace.file
    if file is None or not file.data.synthetic:
        raise SettingsError("There is no synthetic file yet. Synthesise first.")
    (column,) = parse_ticked(form, "column", _columns(file))[:1] or [""]
    (name,) = parse_ticked(form, "file", file.data.synthetic)[:1] or file.data.synthetic[:1]
    size = parse_typed_integer(form, "N", "The size of the population (N)")
    sample = parse_typed_integer(form, "n", "The size of the sample (n)")
    if size is None or sample is None:
        raise SettingsError("State the size of the population (N) and of the sample (n).")
    asked = {
        "file": name,
        "column": column,
        "population": parse_text(form, "population") or "empirical",
        "N": size,
        "n": sample,
        "threshold": parse_typed_number(form, "threshold", "The highest tolerated ECAP"),
        "discrete": bool(form.get("discrete")),
    }
    place = file.folder / name
    look = place.stat() if place.is_file() else None
    state = None if look is None else (look.st_mtime_ns, look.st_size)
    codes = tuple(map(float, file.data.special_codes.get(column, ())))
    asked["values"] = _values(place, column, codes, state)
    how = (asked["population"], size, sample, asked["threshold"], asked["discrete"])
    return asked, _measure(place, column, codes, state, how)


@lru_cache(maxsize=4)
def _values(place: Path, column: str, codes: tuple[float, ...], state: Any) -> Any:
    """The numbers of the column; `state` is that of its file."""
    return column_values(read_table(place, side="data"), column, codes)


@lru_cache(maxsize=16)
def _measure(
    place: Path, column: str, codes: tuple[float, ...], state: Any, how: Any
) -> NoiseChoice:
    """Every position of the slider at once; asked again, it is remembered."""
    population, size, sample, threshold, discrete = how
    values = _values(place, column, codes, state)
    people = prepare_values(values, population, size, sample, "normal", discrete=discrete)
    return choose_for_values(people, threshold)


def _before_and_after(asked: Mapping[str, Any], choice: NoiseChoice, at: int) -> Iterator[Block]:
    """The column beside itself with noise of this amount: one draw, which no release will have."""
    if choice.curve and choice.curve[at].sigma > 0:
        column = asked["column"]
        frame = asked["values"].to_frame(column)
        how = {"sigma": choice.curve[at].sigma, "round": 0 if asked["discrete"] else None}
        made = add_noise(frame, columns={column: how}).record.columns[0]
        yield Figure(Sentence(""), before_and_after(made), DRAW)


def _usual_place(choice: NoiseChoice) -> int:
    wanted = choice.sigma_to_use or 0.0
    return min(
        range(len(choice.curve)), key=lambda n: abs(choice.curve[n].sigma - wanted), default=0
    )


def _amount(choice: NoiseChoice, at: int) -> float | None:
    """What a position of the slider would add: rounded, for an exact amount can disclose."""
    if not choice.curve or at == _usual_place(choice):
        return choice.sigma_to_use
    return round_up(choice.curve[at].sigma)


def _position(choice: NoiseChoice, at: int) -> Iterator[Block]:
    if not choice.curve:
        return
    row = choice.curve[at]
    given = noise_sentence("normal", row.sigma)
    status = "within" if row.ecap <= choice.threshold else "above"
    words = {"within": "at or below the threshold", "above": "above the threshold"}[status]
    text = f"{given} {claim_sentence(row.ecap)} This is {words}."
    yield Sentence(text, "lead" if status == "within" else "look")


def _noise_blocks(choice: NoiseChoice) -> Iterator[Block]:
    yield Heading("How much noise is enough", 2)
    yield from (Sentence(text) for key, text in choice_sentences(choice) if key != "tail")
    yield from (Sentence(one, "look") for one in choice.warnings)
    yield Figure(Sentence(""), ecap_curve(choice), CURVE)
    yield Folded("The same figures as tables", tuple(choice_tables(choice)))
    yield Sentence(NOT_PUBLIC, "stop")


ROUTES = (
    Route("/synthesise", show),
    Route("/synthesise/make", make, methods=["POST"]),
    Route("/synthesise/protect", protect, methods=["POST"]),
    Route("/synthesise/steps", change_steps, methods=["POST"]),
    Route("/synthesise/explore", explore, methods=["POST"]),
    Route("/synthesise/noise", noise, methods=["POST"]),
    Route("/synthesise/noise/use", use_noise, methods=["POST"]),
)
