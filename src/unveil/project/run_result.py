"""What does a run of a project hand back? Its figures against the limits; never a record."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from unveil.errors import ReadError, RolesError, list_names, unknown_name
from unveil.measure.disclosure.result import DisclosureResult
from unveil.project.assess_stored_run import assess_stored_run, summarise
from unveil.project.explain import explain_target
from unveil.project.measure_parts import disclosure_of, inputs_of
from unveil.project.model import ProjectFile, check_scenario
from unveil.project.store import load_parts, load_run, results_sha256
from unveil.project.whatif import whatif
from unveil.records.alerts import Alert, NotTested
from unveil.records.base import Copy
from unveil.records.judgement import Explanation, Judgement, LimitCheck, WhatIf
from unveil.records.report import Parts
from unveil.records.run import CoverageRow, FileRole, Run
from unveil.records.summary import Summary
from unveil.view.charts.chart import Chart
from unveil.view.charts.dots import Measure, lollipop_chart
from unveil.view.render_html import render_notebook
from unveil.view.run import run_blocks, run_text
from unveil.view.show import Plots, charts
from unveil.view.status import worst
from unveil.view.summary import gap_sentences

# Which charts has a run? Those of its parts, and the one of all targets against their limits.


class RunPlots:
    """Charts of one run: `run.plot.lollipop()`, `run.plot["gtcap neighbour income"].histogram()`.

    They show aggregates only, as the report does.
    """

    def __init__(self, parts: Parts, judgement: Judgement) -> None:
        self._parts = parts
        self._judgement = judgement

    def __getitem__(self, part: str) -> Plots:
        """The charts of one part, by its name."""
        known = self._names()
        if part not in known:
            raise RolesError(
                unknown_name(
                    f"Run {self._judgement.run} has no charts of", part, known, "Parts with charts"
                )
            )
        return Plots(self._parts[part])

    def lollipop(self, scenario: str | None = None, *, measure: Measure = "DiSCO") -> Chart:
        """All targets of a scenario, from the copy to the original, with the limits in force."""
        found = self._parts.of("disclosure")
        known = [part.scenario or "" for part in self._parts.run.list_parts("disclosure")]
        if not found:
            raise RolesError("This run has no figures of disclosure to draw.")
        chosen = check_scenario(known[0] if scenario is None else scenario, known)
        _, record = found[known.index(chosen)]
        judged = [one for one in self._judgement.figures if one.scenario == chosen]
        return lollipop_chart(record, measure=measure, judged=judged)

    def _names(self) -> list[str]:
        run = self._parts.run
        measured = [part.name for part in run.parts if part.file is not None]
        return [name for name in measured if charts(self._parts[name])]

    def __repr__(self) -> str:
        return f"Charts of run {self._judgement.run}: lollipop, and of {list_names(self._names())}"


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
        return cls(run, assess_stored_run(project, run, parts), parts, project)

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
    def coverage(self) -> tuple[CoverageRow, ...]:
        """Every part of the run, measured or not, and what no figure covers."""
        parts = (
            CoverageRow(
                what=one.name,
                state="measured" if one.file is not None else "not measured",
                reason=one.reason,
            )
            for one in self.record.parts
        )
        gaps = self.summary.not_tested
        untested = (
            CoverageRow(what=one.what, state="not tested", reason=sentence)
            for one, sentence in zip(gaps, gap_sentences(gaps), strict=True)
        )
        return (*parts, *untested)

    @cached_property
    def summary(self) -> Summary:
        """The page to sign: verdict, people at risk, what was not tested, what is to be decided."""
        return summarise(
            self._project,
            self.record,
            self._parts,
            self.judgement,
            run_hash=results_sha256(self._project.folder, self.number),
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed while it was measured."""
        return self.record.warnings

    @cached_property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios that were measured."""
        return tuple(
            dict.fromkeys(part.scenario or "" for part in self.record.list_parts("disclosure"))
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
                judged = self._list_checks(scenario, row.target, row.copy)
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

    def _list_checks(self, scenario: str, target: str, copy: Copy) -> list[LimitCheck]:
        return [
            one
            for one in self.judgement.figures
            if (one.scenario, one.target, one.copy) == (scenario, target, copy)
        ]

    def explain(self, target: str, *, scenario: str | None = None) -> Explanation:
        """Why a target stands where it stands, and what can be done about it."""
        return explain_target(self.record, self._parts, self.judgement, target, scenario=scenario)

    def whatif(self, exclude: str | Iterable[Any], *, scenario: str | None = None) -> WhatIf:
        """The figures without something that may be common knowledge; nothing is kept."""
        return whatif(self._project, exclude, scenario=scenario)

    def disclosure(self, scenario: str | None = None) -> DisclosureResult:
        """One scenario counted again from the files of the run, with the exclusions in force."""
        name, inputs = self._scenario(scenario), inputs_of(self._project)
        if inputs.select_files(*_COUNTED) != tuple(
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
        found: pl.DataFrame = self.disclosure(scenario).records_at_risk(
            target, copy=copy, measure=measure, as_text=as_text
        )
        return found

    def _scenario(self, given: str | None) -> str:
        if given is None and len(self.scenarios) == 1:
            return self.scenarios[0]
        if given is None:
            raise RolesError(
                f"This run has {len(self.scenarios)} scenarios. Name one: "
                f"{list_names(self.scenarios)}."
            )
        return check_scenario(given, self.scenarios)

    def to_dict(self) -> dict[str, Any]:
        """Summary, run and judgement as dictionaries and lists, as `unveil run --json` has them."""
        return {
            "summary": self.summary.to_dict(),
            "run": self.record.to_dict(),
            "judgement": self.judgement.to_dict(),
        }

    def to_json(self, *, indent: int = 2) -> str:
        """The same as one JSON document."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=True, allow_nan=False)

    def __repr__(self) -> str:
        return run_text(self.record, self.judgement)

    def _repr_html_(self) -> str:
        return render_notebook(run_blocks(self.record, self._parts, self.judgement))
