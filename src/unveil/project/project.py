"""`unveil.Project`: a project from Python, with the words and the refusals of the command line."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from unveil.arguments import parse_choice
from unveil.project.decide import decide
from unveil.project.edit_project import Limits, ProjectEdit
from unveil.project.history import compare_runs
from unveil.project.log import read_log
from unveil.project.make_copies import Copies, protect_copy, synthesise_project
from unveil.project.model import ProjectFile
from unveil.project.pack import pack_confidential, pack_public
from unveil.project.propose import write_project
from unveil.project.read_project import find_project, read_project
from unveil.project.run import run_project
from unveil.project.run_result import RunResult
from unveil.project.store import list_runs, load_unfinished
from unveil.project.verify import verify_project
from unveil.project.whatif import ScenarioStudy, whatif
from unveil.project.write_report import ReportFiles, write_report
from unveil.records.base import Record
from unveil.records.judgement import (
    Decision,
    Explanation,
    FactorName,
    Judgement,
    LogCheck,
    LogLine,
    WhatIf,
)
from unveil.records.pack import Pack, PackForm
from unveil.records.run import CoverageRow, RunComparison, RunPart
from unveil.study.scenario import Progress, no_progress


class Project:
    """A folder with a project.toml: what is measured, who said what, what was decided.

    Every call reads the file as it is, so that Python, the command line and an editor can take
    turns; what has not changed since is not parsed or hashed again.
    """

    def __init__(self, given: str | os.PathLike[str] | None = None) -> None:
        self._path = find_project(given).absolute()

    @classmethod
    def open(cls, given: str | os.PathLike[str] | None = None) -> "Project":
        """The project of a file, of a folder, or of the working folder."""
        made = cls(given)
        read_project(made.path, needs_files=False)
        return made

    @classmethod
    def create(
        cls,
        data: str | os.PathLike[str],
        *,
        folder: str | os.PathLike[str] | None = None,
        keys: str | Iterable[str] | None = None,
        synthetic: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
        control: str | os.PathLike[str] | None = None,
        audience: str = "registered",
        templates: str | Iterable[str] = ("neighbour",),
        owner: str | Iterable[str] = (),
        title: str | None = None,
        by: str | None = None,
        special_codes: Mapping[str, Any] | None = None,
        missing_values: str | Iterable[str] = (),
        preset: str | None = None,
        progress: Progress | None = None,
    ) -> "Project":
        """Propose a project for a file, as `unveil init` does, and write its project.toml."""
        asked = {name: one for name, one in locals().items() if name not in ("cls", "data")}
        path, _ = write_project(data, **asked)
        return cls(path)

    @property
    def path(self) -> Path:
        """The project file."""
        return self._path

    @property
    def folder(self) -> Path:
        """The folder of the project."""
        return self._path.parent

    @property
    def file(self) -> ProjectFile:
        """What the project file says now; refused with all its faults where it has any.

        The files that it names need not be there: to rule, to decide or to make another copy they
        are not read.
        """
        return read_project(self._path, needs_files=False)

    def synthesise(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        format: str | None = None,
        progress: Progress | None = None,
        **settings: Any,
    ) -> Copies:
        """Make copies as `[synthesis]` says, and enter them; arguments of `unveil.synthesise` win.

        They go into copies/0001, the next ones into copies/0002; `format` is an ending such as
        "sav", that of the original if omitted.
        """
        return synthesise_project(
            self.file, out=out, ending=format, progress=progress or no_progress, **settings
        )

    def protect(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        format: str | None = None,
        keep_stages: bool = False,
        rows: int | None = None,
        sweep: Iterable[int] | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> Copies:
        """Make a copy as `[[protect.step]]` says, and enter it as the synthetic data."""
        return protect_copy(
            self.file,
            out=out,
            ending=format,
            keep_stages=keep_stages,
            rows=rows,
            sweep=sweep,
            seed=seed,
            progress=progress or no_progress,
        )

    def run(
        self,
        *,
        by: str | None = None,
        seed: int | None = None,
        records: bool = False,
        again: bool = False,
        only: str | Iterable[str] = (),
        progress: Progress | None = None,
    ) -> RunResult:
        """Measure all that the project declares; what has not changed is not measured again.

        Parameters
        ----------
        by
            Who runs it: "Name, role". Left out: the analyst of `[context]`.
        seed
            Of all that chance takes part in; kept in the folder confidential.
        records
            Write the records at risk into the folder confidential too.
        again
            Measure all anew.
        only
            Kinds of parts, such as "disclosure"; such a run lets nothing pass.
        """
        project = read_project(self._path)
        made = run_project(
            project,
            by=by,
            seed=seed,
            records=records,
            again=again,
            only=[only] if isinstance(only, str) else [*only],
            progress=progress,
        )
        return RunResult.of(project, made)

    def unfinished(self) -> tuple[tuple[RunPart, Record], ...]:
        """The parts that a run under way, or a killed one, has finished; nothing otherwise."""
        return load_unfinished(self.folder)

    def runs(self) -> tuple[int, ...]:
        """The numbers of the runs that are kept."""
        return list_runs(self.folder)

    def result(self, number: int | None = None) -> RunResult:
        """A run that is kept, the last where none is named, judged by the project as it is now."""
        return RunResult.load(self.file, number)

    def coverage(self, number: int | None = None) -> tuple[CoverageRow, ...]:
        """What a run measured, what it could not measure and why, and what it did not test."""
        return self.result(number).coverage

    def judgement(self, number: int | None = None) -> Judgement:
        """What a run means against the limits, rulings and answers as they are now."""
        return self.result(number).judgement

    def explain(self, target: str, *, scenario: str | None = None) -> Explanation:
        """Why a target stands where it stands in the last run."""
        return self.result().explain(target, scenario=scenario)

    def study(
        self, scenario: str | None = None, *, progress: Progress | None = None
    ) -> ScenarioStudy:
        """A scenario (the first where none is named), counted once and kept open for questions."""
        return ScenarioStudy.open(read_project(self._path), scenario, progress or no_progress)

    def whatif(
        self,
        exclude: str | Iterable[Any] = (),
        *,
        bands: Mapping[str, Any] | None = None,
        scenario: str | None = None,
        keep: bool = False,
        reason: str | None = None,
        by: str | None = None,
    ) -> WhatIf:
        """The figures without something that may be common knowledge, before and after.

        Only with `keep`, a reason and a name is it written into the project file.
        """
        return whatif(
            read_project(self._path),
            exclude,
            bands=bands,
            scenario=scenario,
            keep=keep,
            reason=reason,
            by=by,
        )

    def edit(self, *, by: str) -> ProjectEdit:
        """Several changes by one person, written and logged together when the block ends.

        ``with project.edit(by="A. Jones, analyst") as change:`` and in it any of `change.rule`,
        `change.answer`, `change.limits`, `change.accept`. After a refusal nothing is written.
        """
        return ProjectEdit(self.file, by)

    def rule(
        self, finding: str, *, accept: bool, reason: str, by: str, instead: bool = False
    ) -> None:
        """Say of a finding that it is common knowledge (`accept`), or that it stays a risk."""
        with self.edit(by=by) as edit:
            edit.rule(finding, accept=accept, reason=reason, instead=instead)

    def rule_target(
        self, target: str, *, accept: bool, reason: str, by: str, value: str | None = None
    ) -> None:
        """Rule on all flags of a target, or of one of its values, at once."""
        with self.edit(by=by) as edit:
            edit.rule_target(target, accept=accept, reason=reason, value=value)

    def accept_limits(
        self, *, by: str, preset: str | None = None, changes: Limits | None = None
    ) -> None:
        """Accept limits by name: those in the file, a preset, or others by measure."""
        with self.edit(by=by) as edit:
            edit.limits(preset=preset, changes=changes)

    def answer(self, factor: FactorName, answered: str, *, by: str) -> None:
        """Answer one of the five questions about the context."""
        with self.edit(by=by) as edit:
            edit.answer(factor, answered)

    def accept(self, alert: str, *, reason: str, by: str) -> None:
        """Accept one alert of the last run, for its files alone, as `unveil run --accept` does."""
        with self.edit(by=by) as edit:
            edit.accept(alert, reason=reason)

    def decide(
        self, *, release: bool, by: str, note: str, despite: Mapping[str, str] | None = None
    ) -> Decision:
        """Release, or refuse to: about the last run, by a named person, kept for good.

        `despite` has, for each alert that stands against the release, why it is released.
        """
        return decide(self.file, release=release, by=by, note=note, despite=despite or {})

    def compare(self, *numbers: int) -> RunComparison:
        """Runs side by side; all of them where none is named."""
        return compare_runs(self.file, numbers or self.runs())

    def report(
        self,
        number: int | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        records: bool = False,
    ) -> ReportFiles:
        """Write a run (the last where none is named) as one sealed page; it is confidential."""
        return write_report(self.file, number, out=out, records=records)

    def pack(
        self,
        out: str | os.PathLike[str],
        *,
        form: PackForm = "public",
        sign: str | os.PathLike[str] | None = None,
    ) -> Pack:
        """Build the release pack of the last decision, or archive what stays ("confidential").

        `sign` is a private key of OpenSSH; the signature is then written beside it.
        """
        build = (
            pack_public
            if parse_choice("form", form, get_args(PackForm)) == "public"
            else pack_confidential
        )
        return build(read_project(self._path), out, sign=sign)

    def log(self) -> tuple[LogLine, ...]:
        """Every change, from the first on."""
        return read_log(self.folder)

    def verify(self) -> LogCheck:
        """Whether log, runs and decisions are as they were written."""
        return verify_project(self.folder)

    def __repr__(self) -> str:
        return f"Project({str(self._path)!r})"
