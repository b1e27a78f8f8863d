"""What would change if something were common knowledge, or a key in bands? Counted, not stored.

It starts from the exclusions that are in force. Only where it is kept, with a reason and a name,
is it written into the project file; the next run then measures with it. A scenario that is kept
open (`ScenarioStudy`) is counted once and answers from memory.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from msgspec.structs import replace

from unveil.arrays import Ints
from unveil.assessment.assess_run import status_of
from unveil.assessment.flag_rulings import flag_id
from unveil.errors import (
    InputError,
    RolesError,
    SettingsError,
    list_names,
    quote_text,
    unknown_name,
)
from unveil.measure.disclosure.attribute import excess_ratio
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.utility.table_statistics import measures
from unveil.project.assess_stored_run import read_statements
from unveil.project.edit_project import ProjectEdit
from unveil.project.measure_parts import Measuring
from unveil.project.model import ProjectFile, check_scenario
from unveil.project.people import check_name, parse_reason
from unveil.project.plan_run import PlannedPart, plan_parts
from unveil.project.rulings_in_force import contradicted_rulings
from unveil.project.sources import Inputs
from unveil.records.base import Copy
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import (
    BandsLikeness,
    Limit,
    Status,
    WhatIf,
    WhatIfRow,
    WhatIfScenario,
)
from unveil.records.limits import ATTRIBUTE, IDENTITY
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.view.project import whatif_sentences


@dataclass(frozen=True)
class _WhatIfScenario:
    """One scenario with the exclusions in force, and with those asked about too."""

    scenario: str
    added: tuple[Exclusion, ...]
    before: Disclosure
    after: Disclosure
    likeness: tuple[BandsLikeness, ...] = ()


def whatif(
    project: ProjectFile,
    exclude: Any = (),
    *,
    bands: Mapping[str, Any] | None = None,
    scenario: str | None = None,
    keep: bool = False,
    reason: str | None = None,
    by: str | None = None,
    progress: Progress = no_progress,
) -> WhatIf:
    """Figures with the exclusions in force, and with some more.

    Parameters
    ----------
    exclude
        What may be common knowledge: texts such as ``workab=NO``, tables, or records.
    bands
        Numbers to put into bands in all files, by column: a width, or breaks.
    scenario
        One scenario alone; every one that it fits otherwise.
    keep, reason, by
        Write it into the project file, with why and who.

    Raises
    ------
    SettingsError
        If nothing is asked about, or it is in force already.
    RolesError
        If no scenario has such a column.
    """
    asked = parse_exclusions(exclude)
    if not asked and not bands:
        raise SettingsError("Name what to exclude: unveil whatif --exclude workab=NO.")
    if bands and keep:
        raise SettingsError(
            "Bands cannot be kept by --keep. Write them below the scenario in project.toml."
        )
    if not keep and (reason is not None or by is not None):
        raise SettingsError("--reason and --by record an exclusion. Add --keep.")
    who, why = (check_name(by), parse_reason(reason)) if keep else (None, "")
    if keep:
        _check_kept(project, asked, scenario)
    tried = _try_exclusions(project, asked, scenario, progress, bands or {})
    made = _record(project, asked, tried, bands or {})
    if who is None:
        return made
    with ProjectEdit(project, who) as edit:
        _keep(edit, tried, asked, scenario, why)
    return replace(made, kept=True, by=who)


def _try_exclusions(
    project: ProjectFile,
    asked: Sequence[Exclusion],
    wanted: str | None,
    progress: Progress,
    bands: Mapping[str, Any],
) -> list[_WhatIfScenario]:
    measuring = _measuring(project, progress)
    found, faults = [], []
    for part in _scenarios(project, measuring, wanted):
        try:
            found.append(_try(measuring, part, asked, bands))
        except InputError as fault:
            faults.append(fault)
    if faults and not found:
        raise faults[0]
    return found


_KEPT: dict[tuple[Any, ...], Measuring] = {}
"""The files of the what-if before, and what was counted of them: the next asks the same files."""


def _measuring(project: ProjectFile, progress: Progress) -> Measuring:
    """The files of a project, counted already where nothing has changed since the what-if before.

    By content, and by all in the project file that decides counts: a ruling is not counted again.
    """
    inputs = Inputs(project, ())
    state = inputs.state
    if state not in _KEPT:
        _KEPT.clear()
        _KEPT[state] = Measuring(inputs)
    return dataclasses.replace(_KEPT[state], progress=progress, notes=[])


def _scenarios(project: ProjectFile, measuring: Measuring, wanted: str | None) -> list[PlannedPart]:
    planned, *_ = plan_parts(project, measuring.inputs)
    parts = [part for part in planned if part.kind == "disclosure"]
    names = [part.scenario or "" for part in parts]
    if not parts:
        raise RolesError(
            "No scenario of the project measures disclosure. Declare one: [[scenario]] with name"
            " and keys in project.toml."
        )
    if wanted is not None:
        check_scenario(wanted, names)
    return [part for part in parts if wanted in (None, part.scenario)]


def _try(
    measuring: Measuring,
    part: PlannedPart,
    asked: Sequence[Exclusion],
    bands: Mapping[str, Any],
) -> _WhatIfScenario:
    counted = measuring.count_scenario(part.settings)
    in_force = measuring.fitting(counted, part.settings)
    before = DisclosureResult.of(counted, in_force)
    added = tuple(one for one in asked if one not in in_force)
    if bands:
        coarse = _in_bands(part, bands)
        try:
            merged = measuring.count_scenario(coarse)
            still = measuring.fitting(merged, coarse)
            after = DisclosureResult.of(merged, parse_exclusions([*still, *added]))
            scenarios = (counted.opening.scenario, merged.opening.scenario)
            alike = tuple(_likeness(part.scenario or "", *scenarios, bands))
        finally:
            measuring.forget_count(coarse)
        return _WhatIfScenario(part.scenario or "", added, before.record, after.record, alike)
    if not added:
        raise SettingsError(
            f"{list_names(one.text for one in asked)} is excluded already in scenario"
            f" {quote_text(part.scenario or '')}. unveil run measures with it."
        )
    after = before.whatif([*in_force, *added])
    return _WhatIfScenario(part.scenario or "", added, before.record, after.record)


def _in_bands(part: PlannedPart, bands: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a scenario with some of its columns in bands, or in other bands."""
    columns = [*part.settings["keys"], *part.settings["targets"]]
    for name in bands:
        if name not in columns:
            raise RolesError(unknown_name("The scenario has no column", name, columns, "It has"))
    return {**part.settings, "bands": {**part.settings["bands"], **bands}}


def _likeness(
    name: str, exact: CountedScenario, coarse: CountedScenario, bands: Mapping[str, Any]
) -> Iterator[BandsLikeness]:
    """S_pMSE of each key in bands by each target, at the coding before and at that in bands.

    Chance is divided out of it, so that codings of different detail may be compared. Detail kept is
    H(bands) / H(exact), H the entropy of the key in the original.
    """
    for key in (place for place, one in enumerate(exact.key_names) if one in bands):
        entropies = [_entropy(one.key_columns[key].counts[0]) for one in (coarse, exact)]
        detail = 100 * entropies[0] / entropies[1] if entropies[1] else 100.0
        for target, of in enumerate(exact.target_names):
            for copy in exact.all_copies:
                yield BandsLikeness(
                    scenario=name,
                    key=exact.key_names[key],
                    target=of,
                    copy=copy,
                    S_pMSE_before=_pair_likeness(exact, key, target, copy),
                    S_pMSE_after=_pair_likeness(coarse, key, target, copy),
                    detail=detail,
                )


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _pair_likeness(scenario: CountedScenario, key: int, target: int, copy: int) -> float | None:
    column, other = scenario.target_columns[target], scenario.key_columns[key]
    n_cells = column.n_levels * other.n_levels
    td, ts = (
        np.bincount(
            column.codes[side].astype(np.int64) * other.n_levels + other.codes[side],
            minlength=n_cells,
        )
        for side in (scenario.sides.slices[0], scenario.sides.slices[copy])
    )
    found = float(measures(td, ts, np.array([0, n_cells])).S_pMSE[0])
    return found if math.isfinite(found) else None


@dataclass(frozen=True)
class ScenarioStudy:
    """One scenario of a project, counted once and kept open."""

    project: ProjectFile
    scenario: str
    _measuring: Measuring
    _part: PlannedPart

    @classmethod
    def open(
        cls, project: ProjectFile, scenario: str | None = None, progress: Progress = no_progress
    ) -> "ScenarioStudy":
        """The scenario of this name, or the first; counted already where nothing has changed."""
        measuring = _measuring(project, progress)
        part, *_ = _scenarios(project, measuring, scenario)
        measuring.count_scenario(part.settings)
        return cls(project, part.scenario or "", measuring, part)

    @property
    def is_current(self) -> bool:
        """Whether the files are still those that were counted."""
        return Inputs(self.project, ()).state in _KEPT

    @cached_property
    def in_force(self) -> tuple[Exclusion, ...]:
        """What is excluded by the project as it is."""
        counted = self._measuring.count_scenario(self._part.settings)
        return self._measuring.fitting(counted, self._part.settings)

    @cached_property
    def result(self) -> DisclosureResult:
        """The scenario with the exclusions in force; `records_at_risk` is of it."""
        return DisclosureResult.of(
            self._measuring.count_scenario(self._part.settings), self.in_force
        )

    def live(self, exclude: Any = ()) -> dict[str, dict[str, float | None]]:
        """Dorig, DiS, DiSCO and DiSDiO of every target with these excluded too, at once."""
        figures = self._measuring.live_figures(self._part.settings)
        return figures.figures([*self.in_force, *parse_exclusions(exclude)])

    def whatif(self, exclude: Any = (), *, bands: Mapping[str, Any] | None = None) -> WhatIf:
        """Every figure before and after, and the flags that close or open."""
        return whatif(self.project, exclude, bands=bands, scenario=self.scenario)


def _record(
    project: ProjectFile,
    asked: Sequence[Exclusion],
    tried: Sequence[_WhatIfScenario],
    bands: Mapping[str, Any],
) -> WhatIf:
    said = read_statements(project)
    limits = {one.measure: one for one in said.limits} if said.accepted_by else {}
    rows = {one.scenario: tuple(_rows(one, limits)) for one in tried}
    if bands:  # what bands do is explained by nothing that is excluded
        rows = {name: tuple(replace(one, R=None) for one in of) for name, of in rows.items()}
    told = tuple(_bands_text(*one) for one in bands.items())
    return WhatIf(
        exclude=tuple(one.text for one in asked),
        bands=told,
        scenarios=tuple(_scenario(one, rows[one.scenario], told) for one in tried),
        rows=tuple(row for one in tried for row in rows[one.scenario]),
        likeness=tuple(row for one in tried for row in one.likeness),
    )


def _bands_text(column: str, bands: Any) -> str:
    if isinstance(bands, str):
        return f"{column}={bands}"
    numbers = [bands] if isinstance(bands, int | float) else [*bands]
    return f"{column}={','.join(f'{one:g}' for one in numbers)}"


def _scenario(
    tried: _WhatIfScenario, rows: Sequence[WhatIfRow], bands: tuple[str, ...]
) -> WhatIfScenario:
    was, now = _list_flags(tried, tried.before), _list_flags(tried, tried.after)
    made = WhatIfScenario(
        scenario=tried.scenario,
        in_force=tried.before.exclude,
        added=tuple(one.text for one in tried.added),
        n_targets=len(tried.before.targets),
        headline_copy=tried.before.headline_copy,
        closes=tuple(one for one in was if one not in now),
        opens=tuple(one for one in now if one not in was),
        sentences=(),
    )
    return replace(made, sentences=whatif_sentences(made, rows, tried.before.n_original, bands))


def _list_flags(tried: _WhatIfScenario, record: Disclosure) -> list[str]:
    ids = (flag_id(tried.scenario, flag.exclusion) for flag in record.flags)
    return list(dict.fromkeys(ids))


def _rows(tried: _WhatIfScenario, limits: dict[str, Limit]) -> Iterator[WhatIfRow]:
    """Every figure that changes; identity first, then target by target."""
    copies = [row.copy for row in tried.before.identity]
    for copy in copies:
        found = (tried.before.identity_of(copy), tried.after.identity_of(copy))
        yield from _changes(found, tried.scenario, None, limits)
    for target in tried.before.targets:
        for copy in copies:
            both = (
                tried.before.attribute_of(target, copy),
                tried.after.attribute_of(target, copy),
            )
            yield from _changes(both, tried.scenario, target, limits)


def _changes(
    pair: tuple[IdentityRow, IdentityRow] | tuple[AttributeRow, AttributeRow],
    scenario: str,
    target: str | None,
    limits: dict[str, Limit],
) -> Iterator[WhatIfRow]:
    copy = pair[0].copy
    for measure in IDENTITY if target is None else ATTRIBUTE:
        before, after = (getattr(row, measure) for row in pair)
        if before != after:
            yield WhatIfRow(
                scenario=scenario,
                target=target,
                measure=measure,
                copy=copy,
                before=before,
                after=after,
                R=excess_ratio(before, after),
                status_before=_status(copy, before, limits.get(measure)),
                status_after=_status(copy, after, limits.get(measure)),
            )


def _status(copy: Copy, value: float | None, limit: Limit | None) -> Status | None:
    return None if copy == "mean" else status_of(value, limit)


def _check_kept(project: ProjectFile, asked: Sequence[Exclusion], scenario: str | None) -> None:
    """Refuse to leave out for good what somebody ruled to be kept."""
    for one in asked:
        for place in contradicted_rulings(one, scenario, project.rulings):
            ruling = project.rulings[place]
            raise SettingsError(
                f"{quote_text(ruling.finding)} was ruled a residual risk by {ruling.by}. To"
                " exclude it, replace that ruling: unveil rule with --common-knowledge and"
                " --instead."
            )


def _keep(
    edit: ProjectEdit,
    tried: Sequence[_WhatIfScenario],
    asked: Sequence[Exclusion],
    scenario: str | None,
    why: str,
) -> None:
    """Write nothing that is in force already, by a ruling or an exclusion."""
    for one in asked:
        lacking = [case.scenario for case in tried if one in case.added]
        for place in [scenario] if len(lacking) == len(tried) else lacking:
            edit.exclude(one, reason=why, scenario=place)
