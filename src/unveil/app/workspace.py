"""What do the pages see of a project? A snapshot of its folder, taken anew where it changed."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from starlette.requests import Request

from unveil.app.counting_process import CountingProcess
from unveil.app.form_fields import parse_place
from unveil.app.jobs import Jobs
from unveil.errors import InputError, UnveilError
from unveil.project.decide import load_decisions
from unveil.project.fingerprint import project_sha256
from unveil.project.model import ProjectFile
from unveil.project.read_project import NAME, read_project
from unveil.project.run_result import RunResult
from unveil.project.store import list_runs
from unveil.project.write_report import gather_report
from unveil.records.alerts import Alert
from unveil.records.judgement import Decision
from unveil.records.report import ReportContents
from unveil.view.format import format_count, visible

State = Literal["done", "open", "todo"]
STEPS = (
    ("data", "Data"),
    ("roles", "Roles"),
    ("synthesise", "Synthesise"),
    ("risk", "Risk"),
    ("utility", "Utility"),
    ("decide", "Sign-off"),
    ("release", "Release pack"),
)


@dataclass(frozen=True)
class ProcessStep:
    """One of the seven steps: done, a person is needed, or not begun; and why, in a word or two."""

    number: int
    id: str
    name: str
    state: State = "todo"
    words: str = ""


@dataclass(frozen=True)
class Snapshot:
    """The folder as it was at one moment; without a project file all of it is empty."""

    file: ProjectFile | None = None
    result: RunResult | None = None  # the last run, judged by the file
    decisions: tuple[Decision, ...] = ()
    fault: str = ""  # why file or run cannot be read, in sentences

    @cached_property
    def mark(self) -> str:
        """Of project file, run and decisions: a form that carries another one is refused."""
        number = 0 if self.result is None else self.result.number
        seen = f"-{number}-{len(self.decisions)}"
        return "" if self.file is None else f"{file_mark(self.file)}{seen}"

    @cached_property
    def contents(self) -> ReportContents:
        """What the sections of the report are drawn from; only where there is a run."""
        assert self.file is not None
        assert self.result is not None
        return gather_report(self.file, self.result.number)[0]

    @cached_property
    def alerts(self) -> tuple[Alert, ...]:
        """What stands against a release, as far as nobody accepted it."""
        found = () if self.result is None else self.result.alerts
        return tuple(one for one in found if one.accepted is None)

    def name_alert(self, alert: Alert) -> str:
        """An alert in a few words; its scenario only where there are several."""
        name = alert.id.removeprefix("limit:").replace(":", ": ")
        only = self.result.scenarios if self.result is not None else ()
        return visible(name.removesuffix(f"@{only[0]}") if len(only) == 1 else name)

    @cached_property
    def not_tested(self) -> tuple[str, ...]:
        """What no figure covers, and what could not be measured, in sentences."""
        if self.result is None:
            return ("Nothing was measured yet.",)
        rows = [one for one in self.result.coverage if one.state != "measured"]
        told = [one.reason or "" for one in rows if one.state == "not tested"]
        other = [one for one in rows if one.state != "not tested"]
        return (  # a reason that was told already is not told again for each of its parts
            *told,
            *(f"{one.what}: {one.reason}" for one in other if not _is_told(one.reason, told)),
        )

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Names that the project file has, so that nobody types one twice."""
        file = self.file
        if file is None:
            return ()
        answers = (one.by for one in file.context.factors.values())
        ruled = [one.by for one in file.rulings] + [one.by for one in file.excludes]
        named = (file.context.analyst, file.limits.written_by, *ruled, *answers)
        return tuple(dict.fromkeys(one for one in named if one))

    @cached_property
    def steps(self) -> tuple[ProcessStep, ...]:
        """The seven steps, each with its state."""
        said = dict(self._states())
        return tuple(
            ProcessStep(number, id_, name, *said.get(id_, ("todo", "")))
            for number, (id_, name) in enumerate(STEPS, start=1)
        )

    def _states(self) -> Iterator[tuple[str, tuple[State, str]]]:
        file, result = self.file, self.result
        if file is None:
            return
        n_files = len(file.data.synthetic)
        yield "data", ("done" if n_files else "open", format_count(n_files, "synthetic file"))
        n_scenarios = len(file.scenarios)
        yield "roles", ("done" if n_scenarios else "open", format_count(n_scenarios, "scenario"))
        yield "synthesise", ("done", "") if n_files else ("open", "")
        if result is None:
            yield "risk", ("open", "not measured")
            return
        n_decisions = sum(bool(one.n_flags) for one in result.summary.decisions)
        todo = f"flags on {format_count(n_decisions, 'variable')}"
        yield "risk", ("open", todo) if n_decisions else ("done", "all ruled")
        yield (
            "utility",
            ("done", "measured") if result.record.list_parts("utility") else ("todo", ""),
        )
        decided = [one for one in self.decisions if one.run == result.number]
        if decided:
            last = decided[-1]
            yield "decide", ("done", "released" if last.release else "refused")
            is_built = (file.folder / pack_name(last.number)).is_file()
            built: tuple[State, str] = ("done", "built") if is_built else ("open", "not built")
            yield "release", built if last.release else ("todo", "")
        else:
            n = len(result.summary.outstanding)
            yield "decide", ("open", f"{n} outstanding" if n else "ready")


@dataclass
class Workspace:
    """One folder in a browser: its snapshot, its counted scenarios, its jobs."""

    folder: Path
    roots: tuple[Path, ...] = ()  # files may be chosen below these and the folder
    now: Snapshot = field(default_factory=Snapshot)
    acting: asyncio.Lock = field(default_factory=asyncio.Lock)  # one change after the other
    _disk: object = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.counting = CountingProcess(self.folder)
        self.jobs = Jobs(self.folder)

    @property
    def file(self) -> ProjectFile | None:
        """The project file; None in a folder without one."""
        return self.now.file

    @property
    def result(self) -> RunResult | None:
        """The last run, judged by the project as it is; None before the first."""
        return self.now.result

    @property
    def contents(self) -> ReportContents:
        """What the sections of the report are drawn from."""
        return self.now.contents

    async def refresh(self) -> None:
        """Take a new snapshot where anything on the disk is another; pages wait for it."""
        async with self._turn:
            disk = self._look()
            if disk != self._disk:
                self.now = await asyncio.to_thread(self._load)
                self.counting.forget()
                self._disk = self._look()

    def scenario_of(self, request: Request) -> str:
        """The scenario that a page asks for by its place, `?s=1`; the first otherwise."""
        names = () if self.result is None else self.result.scenarios
        return names[parse_place(request, "s", names)] if names else ""

    def _look(self) -> object:
        """What changes when a file that a page depends on does: sizes and times, no content."""
        file = self.now.file
        named: Sequence[str] = ()
        if file is not None:
            others = (file.data.original, file.data.control)
            named = [one for one in (*others, *file.data.synthetic) if one]
        places = [self.folder / one for one in (NAME, "runs", "decisions", "", *named)]
        return [_stat(one) for one in places]

    def _load(self) -> Snapshot:
        if not (self.folder / NAME).exists():
            return Snapshot()
        try:
            file = read_project(self.folder, needs_files=False)
        except InputError as fault:
            return Snapshot(fault=str(fault))
        try:
            result = RunResult.load(file) if list_runs(file.folder) else None
            return Snapshot(file, result, load_decisions(file.folder))
        except UnveilError as fault:
            return Snapshot(file, fault=str(fault))


def pack_name(decision: int) -> str:
    """The file of the public pack that a decision releases."""
    return f"release_{decision:04d}.zip"


def _is_told(reason: str | None, told: Sequence[str]) -> bool:
    return any((reason or "").rstrip(".") in one for one in told)


def file_mark(file: ProjectFile) -> str:
    """Of the project file, to the byte."""
    return project_sha256(file)[:16]


def _stat(place: Path) -> tuple[int, ...] | None:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)
