"""Parts: each a measure in a scenario, with its result stored under the hash of all it depends on.

A part that is stored is not measured again: a run that was killed goes on where it was, and a run
after a change measures what the change touches. Nothing else remembers a state.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import unveil
from unveil.data.columns import Column, as_columns
from unveil.data.files import replace_file
from unveil.data.read import place_of
from unveil.errors import BlockedError, InputError
from unveil.progress import steps
from unveil.project.settings import Scenario, Settings, Signed
from unveil.project.store import sha256, short_hash
from unveil.results import Result, to_json
from unveil.study import Study

Where = Callable[[Settings, Scenario], bool]


def always(settings: Settings, scenario: Scenario) -> bool:
    return True


def when_asked(settings: Settings, scenario: Scenario) -> bool:
    return False


def with_control(settings: Settings, scenario: Scenario) -> bool:
    return settings.data.control is not None


def with_tolerance(settings: Settings, scenario: Scenario) -> bool:
    """Whether numbers among the targets count as correct when they are near."""
    columns = columns_of(settings, scenario)
    return any("tolerance" in columns.get(str(name), {}) for name in scenario.targets)


class Measure(NamedTuple):
    """Of a public call: whether it is made in each scenario, and where nobody asks for it."""

    in_scenarios: bool
    where: Where


MEASURES = {
    "assess": Measure(True, always),
    "disclosure": Measure(True, always),
    "excess": Measure(True, with_control),
    "key_sets": Measure(True, when_asked),
    "suda": Measure(True, always),
    "match_risk": Measure(True, when_asked),
    "cap": Measure(True, when_asked),
    "gtcap": Measure(True, with_tolerance),
    "differential_confidentiality": Measure(True, when_asked),
    "attack": Measure(True, when_asked),
    "utility": Measure(False, always),
    "compare": Measure(False, always),
    "replicate": Measure(False, when_asked),
    "plan": Measure(False, when_asked),
}


@cache
def kind_of(measure: str) -> type[Result]:
    """What a call returns."""
    kind: type[Result] = inspect.signature(getattr(unveil, measure)).return_annotation
    return kind


@cache
def measures_of_figures() -> dict[str, str]:
    """For each figure that may have a limit, the call that measures it."""
    return {
        figure: measure for measure in reversed(MEASURES) for figure in kind_of(measure).limited()
    }


class Part(msgspec.Struct, frozen=True):
    """A measure in a scenario, with all that its result depends on."""

    measure: str
    scenario: str
    settings: dict[str, Any]
    files: dict[str, str]

    @property
    def hash(self) -> str:
        return short_hash(self)


class StoredPart(msgspec.Struct, frozen=True):
    """A part of a run: where its result is, or why there is none."""

    measure: str
    scenario: str
    target: str
    hash: str
    state: str  # measured, reused, not measured, left out
    reason: str = ""
    seconds: float = 0
    sha256: str = ""  # of the stored result

    def load(self, folder: Path) -> Result | None:
        """Its result, if it is as it was stored."""
        if not self.sha256:
            return None
        path = folder / f"{self.hash}.json"
        if not path.is_file() or sha256(path) != self.sha256:
            raise BlockedError(
                f"The stored result {path.name} ({self.measure}) is not as it was measured. Next:"
                " unveil run --again"
            )
        return kind_of(self.measure).load(path)


def hash_files(settings: Settings, folder: Path) -> dict[str, str]:
    """The content of each file that the project names."""
    files = settings.data.files() | {
        f"table {table.name}": table.file for table in settings.table if table.file
    }
    return {role: sha256(place_of(folder / name)[0]) for role, name in files.items()}


def open_study(settings: Settings, folder: Path) -> Study:
    """The files as the project says, without keys and targets."""
    data = settings.data

    def within(path: Any) -> Any:
        if isinstance(path, Mapping):
            return {version: within(copies) for version, copies in path.items()}
        return [within(copy) for copy in path] if isinstance(path, list) else path and folder / path

    named = {name: within(getattr(data, name))
             for name in ("original", "synthetic", "control", "published", "codebook")}  # fmt: skip
    about = {name: getattr(data, name) for name in ("missing", "fraction", "unit", "engine")}
    neutral = {n: _without_role(column) for n, column in as_columns(settings.columns).items()}
    return Study(**named, **about, columns={**neutral, "": data.reading})


def _without_role(column: Column) -> Column:
    """What is true of it whoever asks: not whether it is a key or target."""
    is_of_scenario = column.role in ("key", "target")
    return msgspec.structs.replace(column, role=None) if is_of_scenario else column


def columns_of(settings: Settings, scenario: Scenario) -> dict[str, dict[str, Any]]:
    """What is true of each column in a scenario."""
    columns = {name: _without_role(column) for name, column in as_columns(settings.columns).items()}
    plain: dict[str, dict[str, Any]] = msgspec.to_builtins(columns)
    for name, column in as_columns(scenario.columns).items():
        plain[name] |= msgspec.to_builtins(column)
    return plain


def in_scenario(study: Study, settings: Settings, scenario: Scenario) -> Study:
    """The study as one intruder sees it."""
    if not scenario.keys:
        raise InputError("No column has the role key. Say in [columns] what an intruder knows.")
    roles: dict[str, Any] = {"keys": scenario.keys, "targets": scenario.targets or _free(settings)}
    if scenario.columns:
        roles["columns"] = {**columns_of(settings, scenario), "": settings.data.reading}
    return study.replace(**roles)


def _free(settings: Settings) -> tuple[str, ...]:
    """The columns without a role, where none is a target."""
    columns = as_columns(settings.columns)
    return tuple(name for name, column in columns.items() if column.role is None)


def plan_parts(
    settings: Settings, statements: Iterable[Signed], files: Mapping[str, str], seed: int | None
) -> Iterator[Part]:
    """All parts of the project as it is now."""
    data = {name: getattr(settings.data, name)
            for name in ("missing", "fraction", "unit", "engine", "reading")}  # fmt: skip
    about = msgspec.to_builtins(data) | ({} if seed is None else {"seed": seed})
    needed = {measures_of_figures()[address.partition("@")[0]] for address in settings.limits}
    files = dict(files)
    for name, scenario in settings.scenarios.items():
        asked = needed | {*scenario.measures}
        roles = {"keys": scenario.keys, "targets": scenario.targets or _free(settings),
                 "columns": columns_of(settings, scenario)}  # fmt: skip
        rules = exclusions(name, statements)
        of_scenario = about | roles | ({"exclude": rules} if rules else {})
        for measure, (in_scenarios, where) in MEASURES.items():
            if in_scenarios and (measure in asked or where(settings, scenario)):
                yield Part(measure, name, of_scenario, files)
    whole = about | {"columns": columns_of(settings, Scenario())}
    lists = {"replicate": settings.result, "plan": settings.table}
    for measure, (in_scenarios, where) in MEASURES.items():
        if not in_scenarios and (lists.get(measure) or where is always):
            more = msgspec.to_builtins(lists.get(measure, ()))
            yield Part(measure, "", whole | ({measure: more} if more else {}), files)


def exclusions(scenario: str, statements: Iterable[Signed]) -> list[str]:
    """What persons have declared common knowledge to this intruder."""
    return [
        statement.about.removeprefix(f"{scenario}/")
        for statement in statements
        if statement.about.startswith(f"{scenario}/") and statement.answer == "common knowledge"
    ]


def measure(part: Part, study: Study, project: Path) -> Result:
    """The plain call of a part."""
    call = getattr(unveil, part.measure)
    known = inspect.signature(call).parameters
    settings = {name: part.settings[name] for name in ("exclude", "seed") if name in part.settings}
    settings = {name: value for name, value in settings.items() if name in known}
    if part.measure == "plan":
        return unveil.plan(project / "project.toml")
    if part.measure == "replicate":
        return unveil.replicate(study, part.settings["replicate"])
    result: Result = call(study, **settings)
    return result


def measure_parts(
    parts: Sequence[Part], study: Callable[[str], Study], project: Path, folder: Path,
    again: bool, only: Sequence[str],
) -> Iterator[StoredPart]:  # fmt: skip
    """Each part: as it is stored, or measured now and stored at once."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {part.hash: folder / f"{part.hash}.json" for part in parts}
    is_due = {
        part.hash: (again or not paths[part.hash].is_file()) and (not only or part.measure in only)
        for part in parts
    }
    due = iter(steps("run", [part for part in parts if is_due[part.hash]]))
    for part in parts:
        path, start, state, reason = paths[part.hash], time.perf_counter(), "reused", ""
        if is_due[part.hash]:
            next(due)
            try:
                result = measure(part, study(part.scenario), project)
                replace_file(path, to_json([result]).encode())
                state = "measured"
            except InputError as fault:
                state, reason = "not measured", str(fault)
        elif not path.is_file():
            state, reason = "left out", "not among the measures that were asked for (--only)"
        targets = ", ".join(map(str, part.settings.get("targets", ())))
        yield StoredPart(
            measure=part.measure, scenario=part.scenario, target=targets, hash=part.hash,
            state=state, reason=reason,
            sha256=sha256(path) if path.is_file() and not reason else "",
            seconds=round(time.perf_counter() - start, 3) if state == "measured" else 0,
        )  # fmt: skip
    for _ in due:
        pass  # the last step is told as done
