"""`unveil run`: measure what a project declares, keep what is finished, number what is whole."""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from msgspec.structs import replace

from unveil.errors import (
    EngineError,
    InputError,
    ReadError,
    SettingsError,
    WriteError,
    unknown_name,
)
from unveil.project import log
from unveil.project.assess_stored_run import assess_stored_run, summarise
from unveil.project.figures import list_figures
from unveil.project.fingerprint import (
    canonical,
    fingerprint,
    list_packages,
    project_sha256,
    python_version,
    settings_sha256,
)
from unveil.project.lock import lock_project
from unveil.project.log_repair import complete_log, log_run
from unveil.project.measure_parts import Measuring
from unveil.project.model import ProjectFile
from unveil.project.people import check_name
from unveil.project.plan_run import PlannedPart, Planner, check_sensitive_faults, plan_parts
from unveil.project.records_at_risk import write_records
from unveil.project.seeds import FILE as SEED_FILE
from unveil.project.seeds import ProjectSeed, project_seed
from unveil.project.sources import Inputs, add_typing_advice, check_data_faults, hash_files
from unveil.project.store import (
    StoredPart,
    Unfinished,
    find_damaged_parts,
    list_runs,
    load_measured,
    load_run,
    load_runs,
    next_number,
)
from unveil.records.base import Record
from unveil.records.judgement import FigureRow
from unveil.records.recoding import as_mapping
from unveil.records.report import RECORDS, Parts
from unveil.records.run import Kind, Run, RunPart
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.engine import EngineSettings, use_settings
from unveil.study.scenario import Progress, no_progress
from unveil.version import __version__

# How far is a run? Parts weigh what they took the last time, or what their like usually take.


SECONDS: dict[Kind, float] = {
    "gate": 1.0,
    "disclosure": 0.2,
    "exclusion_table": 0.2,
    "singling_out": 1.0,
    "linkability": 0.5,
    "inference": 1.0,
    "membership": 1.0,
    "recognition": 200.0,
    "utility": 2.0,
    "compare": 0.2,
    "sap": 0.5,
    "plan": 5.0,
}
_OTHERS = 0.05


@dataclass
class Pace:
    """What every part weighs, in thousandths of a second, and how much of it is done."""

    weights: dict[str, int]
    report: Progress
    finished: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, plan: Sequence[PlannedPart], known: Sequence[Run], report: Progress) -> "Pace":
        """By the seconds that the last run needed; by kind where it did not have the part."""
        took = {part.name: part.seconds for run in known for part in run.parts if part.seconds}
        weights = {
            one.name: max(round(1000 * took.get(one.name, SECONDS.get(one.kind, _OTHERS))), 1)
            for one in plan
        }
        return cls(weights, report)

    @property
    def _total(self) -> int:
        return sum(self.weights.values())

    @property
    def _so_far(self) -> int:
        return sum(self.weights[name] for name in self.finished)

    def within(self, part: str) -> Progress:
        """What the measure of a part reports, as a step of the whole run."""

        def progress(what: str, done: int, total: int) -> None:
            self.report(f"{part}: {what}", self._so_far, self._total)

        self.report(part, self._so_far, self._total)
        return progress

    def finish_part(self, part: str) -> None:
        """Count a part as done."""
        self.finished.add(part)
        self.report(part, self._so_far, self._total)


DOING = "unveil run"
KINDS: tuple[Kind, ...] = get_args(Kind)
NOT_ASKED = "The run was asked for other parts only."


def run_project(
    project: ProjectFile,
    *,
    by: str | None = None,
    seed: int | None = None,
    records: bool = False,
    again: bool = False,
    only: Collection[str] = (),
    progress: Progress | None = None,
) -> Run:
    """Measure all that a project declares, and keep it as a run of its own.

    What an earlier run measured from the same files with the same settings is taken over; where
    nothing at all has changed, the last run is given back and no new one is made.

    Parameters
    ----------
    by
        Who runs it; the analyst of the project where None.
    seed
        The seed of the project from now on; the one it has, or one drawn by the system, where None.
    records
        Whether to write who is at risk to the confidential folder.
    again
        Whether to measure everything anew, whatever is known. A run that was to do so and was
        killed goes on, whether it is said again or not.
    only
        Kinds of parts, such as "disclosure": others are taken over where they are known, and
        otherwise not measured. Such a run lets nothing pass.
    progress
        Called with what is being done, how much is done, and how much there is, in thousandths
        of a second of the time it may take.

    Raises
    ------
    LockedError
        If somebody else is at work in the project.
    TamperedError
        If the results of the last run are not those that were logged; `again` measures all anew.
    """
    who = project.context.analyst if by is None else check_name(by)
    kinds = tuple(dict.fromkeys(_parse_kind(one) for one in only))
    with _on_disk(), lock_project(project.folder, DOING):
        complete_log(project.folder)
        files = hash_files(project)
        own_seed = project_seed(project.folder, seed)
        left = Unfinished(project.folder)
        left.sweep()
        again = again or left.is_again
        if list_runs(project.folder) and not again:
            load_run(project.folder)  # refused where it was changed
        known = load_runs(project.folder)
        inputs = Inputs(project, files)
        if inputs.engine != "memory" and records:
            raise EngineError(NEEDS_ROWS)
        is_whole = known and not again and not left.lacks_number
        if is_whole and _is_same(inputs, known[-1], own_seed, kinds):
            run = known[-1]
            left.drop()
        else:
            under_way = _RunInProgress(
                project, inputs, own_seed, left, known, again=again, only=kinds
            )
            # Files that are open know their engine; small ones beside them are read here.
            with use_settings(EngineSettings()):
                run = under_way.run(who, progress or no_progress)
            log_run(project.folder, run)
        if records:
            write_records(inputs, run)
        return run


def _parse_kind(given: str) -> Kind:
    if given not in KINDS:
        raise SettingsError(
            unknown_name("There is nothing to measure called", given, KINDS, "Kinds")
        )
    return given


@contextmanager
def _on_disk() -> Iterator[None]:
    """A disk that is full, or gone, is no fault of ours."""
    try:
        yield
    except BrokenPipeError:  # the reader of the progress has seen enough
        raise
    except OSError as fault:
        raise WriteError(
            f"The run cannot be kept: {fault.strerror or type(fault).__name__}. Earlier results"
            " are kept. Free disk space or allow writing to the folder, then repeat unveil run."
        ) from None


def _is_same(inputs: Inputs, last: Run, seed: ProjectSeed, only: tuple[Kind, ...]) -> bool:
    """Whether a run would measure what the last one did, and that is all still there."""
    project = inputs.project
    return (
        last.settings_sha256 == settings_sha256(project)
        and last.only in ((), only)
        and last.files == inputs.files
        and last.engine == inputs.engine
        and last.seed_sha256 == seed.sha256
        and last.version == __version__
        and last.packages == list_packages()
        and not find_damaged_parts(project.folder, last)
    )


@dataclass
class _RunInProgress:
    """One run under way."""

    project: ProjectFile
    inputs: Inputs
    seed: ProjectSeed
    left: Unfinished
    known: list[Run]
    again: bool
    only: tuple[Kind, ...] = ()
    n_resumed: int = 0
    figures: list[FigureRow] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    before: dict[str, StoredPart] = field(default_factory=dict)
    done: dict[str, RunPart] = field(default_factory=dict)

    def run(self, by: str | None, progress: Progress) -> Run:
        """Measure every part, and give the run its number."""
        started, clock = log.now(), time.perf_counter()
        head = log.log_head(self.project.folder)
        progress("reading the files", 0, 1)
        check_data_faults(self.project, self.inputs.by_place())
        check_sensitive_faults(Planner(self.project, self.inputs))
        plan, warnings = plan_parts(self.project, self.inputs)
        self.left.open(again=self.again)
        self.done = self.left.load_parts()
        self.before = {} if self.again else load_measured(self.project.folder, self.known)
        parts = self._parts(plan, Pace.of(plan, self.known, progress))
        notes = [f"{part.name}: {note}" for part in parts for note in part.notes]
        made = Run(
            number=next_number(self.project.folder),
            title=self.project.title,
            by=by,
            started=started,
            finished=log.now(),
            seconds=time.perf_counter() - clock,
            n_resumed=self.n_resumed,
            project_sha256=project_sha256(self.project),
            settings_sha256=settings_sha256(self.project),
            log_head=head,
            seed_file=SEED_FILE,
            seed_sha256=self.seed.sha256,
            python=python_version(),
            packages=list_packages(),
            files=self.inputs.files,
            n_original=self.inputs.n_original,
            n_synthetic=self.inputs.n_synthetic,
            parts=tuple(parts),
            figures=tuple(self.figures),
            engine=self.inputs.engine,
            warnings=(
                *_counted_by(self.inputs),
                *_damage(self.project.folder, self.known),
                *warnings,
                *self.inputs.recoded_files.notes,
                *notes,
            ),
            only=self.only if any(part.reason == NOT_ASKED for part in parts) else (),
        )
        parts_of = Parts(made, self.records)
        known = assess_stored_run(self.project, made, parts_of, is_new=True)
        made = replace(
            made,
            alerts=known.alerts,
            not_tested=known.not_tested,
            summary=summarise(self.project, made, parts_of, known),
        )
        self.left.finish(made)
        return made

    def _parts(self, plan: Sequence[PlannedPart], pace: Pace) -> list[RunPart]:
        measuring = Measuring(self.inputs)
        made = []
        for one in plan:
            measuring.progress = pace.within(one.name)
            made.append(self._part(one, measuring))
            pace.finish_part(one.name)
        return made

    def _part(self, one: PlannedPart, measuring: Measuring) -> RunPart:
        seed = self.seed.of(one.name) if one.has_chance else None
        types = self.project.data.types
        settings = {**one.settings, **({"types": types} if types else {}), **self._recoding(one)}
        if self.inputs.engine != "memory":
            settings["engine"] = self.inputs.engine
        part = RunPart(
            name=one.name,
            kind=one.kind,
            scenario=one.scenario,
            target=one.target,
            settings=canonical(settings),
            fingerprint=fingerprint(one.kind, settings, one.files, seed),
            state="measured",
        )
        kept = self._reuse_part(part, one)
        if kept is not None:
            return kept
        if self.only and one.kind not in self.only:
            return replace(part, state="not measured", reason=NOT_ASKED)
        clock = time.perf_counter()
        try:
            outcome = measuring.outcome(one, seed)
        except InputError as fault:
            return replace(part, state="not measured", reason=add_typing_advice(fault))
        seconds = time.perf_counter() - clock
        measured = replace(part, seconds=seconds, notes=outcome.notes)
        self._figures(measured, outcome.record, one)
        return self.left.put(measured, outcome.record)

    def _recoding(self, one: PlannedPart) -> dict[str, Any]:
        """How the original was recoded for a part that compares it with the synthetic data."""
        made = self.inputs.recoded_files
        if one.kind in ("sap", "plan", "protection"):
            return {}
        asked = [row.column for row in made.unfollowed] if one.kind == "gate" else []
        return {
            **({"recoding": [as_mapping(step) for step in made.steps]} if made.steps else {}),
            **({"unfollowed": asked} if asked else {}),
        }

    def _reuse_part(self, part: RunPart, one: PlannedPart) -> RunPart | None:
        """A part that a killed run finished, or that a finished run measured."""
        mine = self.done.get(part.fingerprint)
        if mine is not None and mine.name == part.name:
            self.n_resumed += 1
            self._figures(mine, self.left.record(mine), one)
            return mine
        there = self.before.get(part.fingerprint)
        content = None if there is None else there.content()
        if there is None or content is None:
            return None
        reused = replace(
            part,
            state="reused",
            reused_from=there.run,
            seconds=there.part.seconds,
            notes=there.part.notes,
        )
        try:
            record = RECORDS[part.kind].from_json(content)
        except ReadError:  # of a version that wrote it otherwise
            return None
        self._figures(reused, record, one)
        return self.left.put_again(reused, content)

    def _figures(self, part: RunPart, record: Record, one: PlannedPart) -> None:
        self.figures += list_figures(part, record, one.copy)
        self.records[part.name] = record


def _counted_by(inputs: Inputs) -> Iterator[str]:
    """Who counted, where it was an engine."""
    if inputs.engine != "memory":
        told = (note.sentence for note in inputs.study.tables[0].notes if note.kind == "engine")
        yield f"Engine: {inputs.engine}. {next(told)} Parts that need the records are not measured."


def _damage(folder: Path, known: Sequence[Run]) -> Iterator[str]:
    """What of the runs before could not be taken over, because it is not as it was written."""
    if known:
        for part in find_damaged_parts(folder, known[-1]):
            yield (
                f"The record of {part.name!r} in run {known[-1].number} ({part.file}) was changed"
                " or is missing. It was measured again."
            )
    for number in sorted(set(list_runs(folder)) - {run.number for run in known}):
        yield (
            f"Run {number} differs from the log, so nothing was reused from it. See unveil log"
            " --verify."
        )
