"""`unveil.stages`: what does each step of `unveil.protect` add? S1, S2 and S3 in one table.

Chapelle and Falissard (2023) assess the synthesis alone (S1), what the filter left and drew anew
(S2) and the release with noise (S3) each by itself. Here risk, simulated attacks, utility and
published results of every stage are measured alike, against the recoded original. Where a step left
fewer rows, a random part of S1 as long as S2 stands beside it: fewer rows disclose less whatever
was done to them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import polars as pl

from unveil.arguments import quote_value
from unveil.errors import InputError, SettingsError
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.rates import AttacksResult
from unveil.measure.attacks.singling_out import singling_out
from unveil.measure.result import RowsResult
from unveil.measure.utility.replicate import replicate
from unveil.project.explore.candidates import CandidateCopies, ScenarioSpec, mean, row_of
from unveil.project.explore.settings import ForeignFiles
from unveil.project.model import ProjectFile
from unveil.protection.distance_filter import filter_again
from unveil.protection.recoding.recode import Data, recode, restore_form
from unveil.protection.result import ProtectResult
from unveil.records.protection import Refill, StageAttack, StageRow, StageTable
from unveil.records.recoding import as_mapping
from unveil.seeding import choose_seed, stream
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study, StudyFile, open_files

AS_LONG = "S1, as long as S2"
N_ATTACKS = 500


def stages(
    made: ProtectResult,
    *,
    keys: str | Iterable[str] | None = None,
    targets: str | Iterable[str] | None = None,
    control: Any = None,
    findings: Any = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    seed: int | None = None,
    progress: Progress | None = None,
) -> RowsResult[StageTable]:
    """Measure S1, S2 and S3 of a protected data set, each by itself.

    Parameters
    ----------
    made
        The result of `unveil.protect`.
    keys, targets
        As in `unveil.disclosure`; those of `made` where None, and all other columns as targets.
    control
        People whose records were not used: for R, and the excess of attacks. They are recoded as
        the original was.
    findings
        Published results as in `unveil.replicate`: the overlap of intervals at every stage.
    bands, special_codes, missing_values
        As in `unveil.disclosure` and `unveil.utility`; missing values of the control.
    seed
        Of attacks and of the part of S1 that is as long as S2.

    Where `made` knows whose row each row of the original is, people are counted and attacked;
    people made with their rows in order are filtered as a whole.

    Returns
    -------
    RowsResult
        `.rows`, one for each stage; `.record` with the picture of retained and filtered people
        (`projection`). A stage that a step left as it was has the figures of the one before.

    References
    ----------
    Chapelle and Falissard (2023), sections 2 and 3 of the results.
    """
    if not isinstance(made, ProtectResult):
        raise SettingsError(
            f"made is {quote_value(type(made).__name__)}; it must be the result of unveil.protect."
        )
    known = _roles(made, keys, targets)
    used = None if control is None else _recode_control(made, control, missing_values)
    base = Study.open(made.original, control=used)
    measured = _Stages(
        base.original,
        base.control,
        ScenarioSpec(*known, bands, special_codes or {}, choose_seed(seed), None, made.person),
        findings,
        made.record.refill,
    )
    told = progress or no_progress
    frames = list(_frames(made, measured.scenario.seed))
    rows: list[StageRow] = []
    for done, (name, frame) in enumerate(frames):
        told(f"measuring {name}", done, len(frames))
        same = next((n for n, (_, other) in enumerate(frames[:done]) if other is frame), None)
        before = None if same is None else rows[same]
        row = measured.row(name, frame) if before is None else before
        rows.append(msgspec.structs.replace(row, stage=name))
    told("measured all stages", len(frames), len(frames))
    return RowsResult(
        StageTable(
            files=made.record.files,
            keys=known[0],
            targets=known[1],
            n_original=base.files.rows[0],
            n_control=None if used is None else base.files.rows[1],
            rows=tuple(rows),
            projection=made.record.projection,
        )
    )


def _roles(made: ProtectResult, keys: Any, targets: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    columns = [name for name in made.s3.columns if name != made.person]
    known = names(made.record.keys if keys is None else keys, "Keys")
    if not known:
        raise SettingsError("No keys are given. Name what an intruder would know: keys=[...].")
    asked = made.record.targets if targets is None else names(targets, "Targets")
    return (
        tuple(key for key in known if key in columns),
        tuple(one for one in asked or columns if one in columns and one not in known),
    )


def _recode_control(made: ProtectResult, control: Any, missing_values: str | Sequence[str]) -> Data:
    """The control as the original was recoded, on the columns of the synthetic data."""
    (table,) = open_files({"control": control}, None, missing_values)
    if made.recipe:
        steps = [as_mapping(step) for step in made.recipe]
        (table,) = recode(restore_form(table), steps).study.tables
    known = [name for name in made.original.whole.frame.columns if name in table.frame.columns]
    return restore_form(replace(table, frame=table.frame.select(known)))


def _frames(made: ProtectResult, seed: int) -> Iterator[tuple[str, pl.DataFrame]]:
    yield "S1", made.s1
    refill, draw = made.record.refill, stream(seed, "stages", "as long")
    if refill is not None and refill.time is not None and refill.person is not None:
        whose = made.s1[refill.person.column]
        people, n = whose.unique(maintain_order=True), made.s2[refill.person.column].n_unique()
        if n < len(people):  # whole people
            some = people[draw.permutation(len(people))[:n]]
            yield AS_LONG, made.s1.filter(whose.is_in(some.implode()))
    elif made.s2.height < made.s1.height:
        yield AS_LONG, made.s1[draw.permutation(made.s1.height)[: made.s2.height]]
    yield "S2", made.s2
    yield "S3", made.s3


@dataclass(frozen=True)
class _Stages:
    """The recoded original, people who were not used, and what is asked of every stage."""

    original: StudyFile
    control: StudyFile | None
    scenario: ScenarioSpec
    findings: Any
    refill: Refill | None

    def row(self, name: str, frame: pl.DataFrame) -> StageRow:
        """All figures of one stage."""
        whole, person = frame, self.scenario.person
        frame = frame.drop(person or (), strict=False)
        study = Study.open(self.original, frame, self.control)
        (made,) = study.synthetic
        close = None
        if self.refill is not None:
            close = self._too_close(self.refill, made if frame.width == whole.width else whole)
        copies = CandidateCopies([made], ())
        parts = None if self.control is None else (study.original, study.control, copies)
        found = row_of(ForeignFiles(name, (frame,)), self.scenario, (study.original, copies), parts)
        shared = set(StageRow.__struct_fields__) & set(type(found).__struct_fields__) - {"control"}
        figures = {field: getattr(found, field) for field in shared}
        overlaps = [*self._overlaps(study)]
        return StageRow(
            stage=name,
            **{**figures, "n_rows": frame.height},
            too_close=close,
            attacks=tuple(self._attacks(study)),
            overlap=mean(overlaps),
            n_results=sum(one is not None for one in overlaps),
        )

    def _too_close(self, used: Refill, frame: Any) -> float:
        """The share of rows, or people, that the filter refuses: a later step may undo it."""
        codes = self.scenario.special_codes
        found = filter_again(self.original, frame, used, codes)
        return (len(found.keep) - found.n_kept) / max(len(found.keep), 1)

    def _attacks(self, study: Study) -> Iterator[StageAttack]:
        keys, targets = self.scenario.keys, self.scenario.targets
        seed, person = self.scenario.seed, self.scenario.person
        asked: dict[str, Any] = {"seed": seed, "person": person}
        codes: dict[str, Any] = dict(self.scenario.special_codes)
        compared = {name: codes[name] for name in (*keys, *targets) if name in codes}
        calls: dict[str, Callable[[], AttacksResult]] = {
            "singling out": lambda: singling_out(study, n=N_ATTACKS, special_codes=codes, **asked),
            "linkability": lambda: linkability(
                study, columns=(keys, targets), special_codes=compared, **asked
            ),
            "inference": lambda: inference(study, secrets=targets, keys=keys, **asked),
        }
        for name, call in calls.items():
            try:
                rows = call().rows
            except InputError as fault:
                yield StageAttack(attack=name, reason=str(fault))
                continue
            yield StageAttack(
                attack=name,
                n=len(rows),
                success=mean(row.main for row in rows),
                on_control=mean(row.control for row in rows),
                R=mean(row.R for row in rows),
            )

    def _overlaps(self, study: Study) -> Iterator[float | None]:
        """The mean overlap of each published result."""
        if self.findings is None:
            return
        codes = self.scenario.special_codes or None
        found = replicate(study, findings=self.findings, special_codes=codes).record
        yield from (one.copies[0].mean_overlap for one in found.findings)


def add_stages(made: ProtectResult, project: ProjectFile, progress: Progress) -> ProtectResult:
    """The same with its stages measured as a project declares: scenario, control and results."""
    data = project.data
    table = stages(
        made,
        control=None if data.control is None else project.folder / data.control,
        findings=project.findings or None,
        bands=next((one.bands for one in project.scenarios if one.bands), None),
        special_codes={n: c for n, c in data.special_codes.items() if n in made.s3.columns},
        missing_values=data.missing_values,
        seed=made.seeds.sweep,
        progress=progress,
    ).record
    return replace(made, record=msgspec.structs.replace(made.record, stages=table))
