"""What does a run of a project hand back? Its figures against the limits; never a record."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from unveil.errors import ReadError, RolesError, listed, nearest
from unveil.measure.result import DisclosureResult
from unveil.records.alerts import Alert, NotTested
from unveil.records.copies import Copy
from unveil.records.dossier import Parts
from unveil.records.explanation import Explanation
from unveil.records.judgement import Judged, Judgement
from unveil.records.run import FileRole, Run
from unveil.records.whatif import WhatIf
from unveil.release.explaining import explained
from unveil.release.inputs import disclosure_of, inputs_of
from unveil.release.judging import judgement_of
from unveil.release.model import ProjectFile
from unveil.release.run_plots import RunPlots
from unveil.release.store import load_parts, load_run
from unveil.release.whatif import whatif
from unveil.report.run_view import run_html, run_text
from unveil.report.status import worst

_COUNTED: tuple[FileRole, ...] = ("original", "synthetic", "labels")


@dataclass(frozen=True, repr=False)
class RunResult:
    """One run: what was measured, and what it means; printing it never shows a record.

    `record` is the run, `judgement` what it means against the limits of the project as it was when
    this result was made.
    """

    record: Run
    judgement: Judgement
    _parts: Parts = field(repr=False, compare=False)
    _project: ProjectFile = field(repr=False, compare=False)

    @classmethod
    def of(cls, project: ProjectFile, run: Run) -> "RunResult":
        """A finished run, judged by the project as it is now."""
        parts = load_parts(project.folder, run)
        return cls(run, judgement_of(project, run, parts), parts, project)

    @classmethod
    def load(cls, project: ProjectFile, number: int | None = None) -> "RunResult":
        """A run that is kept; the last where none is named."""
        return cls.of(project, load_run(project.folder, number))

    @property
    def number(self) -> int:
        """The number of the run."""
        return self.record.number

    @property
    def parts(self) -> Parts:
        """The record of every part, by its name: ``parts["disclosure neighbour"]``."""
        return self._parts

    @property
    def plot(self) -> RunPlots:
        """The charts of this run: ``plot.lollipop()``, or those of a part by its name."""
        return RunPlots(self._parts, self.judgement)

    @property
    def exit_code(self) -> int:
        """0 no open alert, 3 an alert stands against a release, 4 a person has to decide first."""
        return self.judgement.exit_code

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """What stands against the release, the gravest first; what was accepted is marked so."""
        return self.judgement.alerts

    @property
    def not_tested(self) -> tuple[NotTested, ...]:
        """What no figure of this run covers."""
        return self.judgement.not_tested

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed while it was measured."""
        return self.record.warnings

    @cached_property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios that were measured."""
        return tuple(
            dict.fromkeys(part.scenario or "" for part in self.record.of_kind("disclosure"))
        )

    def frame(self) -> pl.DataFrame:
        """One row for each scenario, target and copy: its figures, and the worst status of them.

        Percentages are 0 to 100 and unrounded, under the names of `unveil.disclosure`; the identity
        figures of the copy stand beside, and GTCAP where it was measured. A mean over copies is not
        judged: its status is null.
        """
        rows = [row for scenario in self.scenarios for row in self._rows(scenario)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _rows(self, scenario: str) -> Iterator[dict[str, Any]]:
        for _, record in self._parts.of("disclosure", scenario):
            for row in record.attribute:
                judged = self._judged(scenario, row.target, row.copy)
                gtcap = next((one.value for one in judged if one.measure == "GTCAP"), None)
                identity = record.identity_of(row.copy).to_dict()
                yield {
                    "scenario": scenario,
                    **row.to_dict(),
                    **identity,
                    "copy": str(row.copy),
                    "GTCAP": gtcap,
                    "status": worst(one.status for one in judged) if judged else None,
                }

    def _judged(self, scenario: str, target: str, copy: Copy) -> list[Judged]:
        return [
            one
            for one in self.judgement.figures
            if (one.scenario, one.target, one.copy) == (scenario, target, copy)
        ]

    def explain(self, target: str, *, scenario: str | None = None) -> Explanation:
        """Why a target stands where it stands, and what can be done about it."""
        return explained(
            self._project, self.record, self._parts, self.judgement, target, scenario=scenario
        )

    def whatif(self, exclude: str | Iterable[Any], *, scenario: str | None = None) -> WhatIf:
        """The figures without something that may be common knowledge; nothing is kept."""
        return whatif(self._project, exclude, scenario=scenario)

    def disclosure(self, scenario: str | None = None) -> DisclosureResult:
        """One scenario counted again from the files of the run, with the exclusions in force."""
        name, inputs = self._scenario(scenario), inputs_of(self._project)
        if inputs.of_roles(*_COUNTED) != tuple(
            file for file in self.record.files if file.role in _COUNTED
        ):
            raise ReadError(
                f"The files are not those that run {self.number} measured. Measure again: unveil"
                " run."
            )
        return disclosure_of(self._project, name, inputs)

    def records_at_risk(
        self,
        target: str,
        *,
        scenario: str | None = None,
        copy: Copy | None = None,
        measure: str = "DiSCO",
        as_text: bool = False,
    ) -> pl.DataFrame:
        """The original records that a measure counts: confidential, never part of a view."""
        return self.disclosure(scenario).records_at_risk(
            target, copy=copy, measure=measure, as_text=as_text
        )

    def _scenario(self, given: str | None) -> str:
        if given is None and len(self.scenarios) == 1:
            return self.scenarios[0]
        if given is None:
            raise RolesError(
                f"This run has {len(self.scenarios)} scenarios. Name one: {listed(self.scenarios)}."
            )
        if given not in self.scenarios:
            raise RolesError(
                f"There is no scenario {given!r}.{nearest(given, self.scenarios)} The scenarios"
                f" are: {listed(self.scenarios)}."
            )
        return given

    def to_dict(self) -> dict[str, Any]:
        """Run and judgement as dictionaries and lists, as `unveil run --json` prints them."""
        return {"run": self.record.to_dict(), "judgement": self.judgement.to_dict()}

    def to_json(self, *, indent: int = 2) -> str:
        """The same as one JSON document."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=True, allow_nan=False)

    def __repr__(self) -> str:
        return run_text(self.record, self.judgement)

    def _repr_html_(self) -> str:
        return run_html(self.record, self._parts, self.judgement)
