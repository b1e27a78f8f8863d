"""What would change if something were common knowledge? Counted again from the files, not stored.

It starts from the exclusions that are in force. Only where it is kept, with a reason and a name,
is it written into the project file; the next run then measures with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from unveil.count.scenario import Progress, silent
from unveil.errors import InputError, RolesError, SettingsError, listed, nearest, quoted
from unveil.judge.judging import status_of
from unveil.judge.measures import ATTRIBUTE, IDENTITY
from unveil.judge.rulings import finding_id
from unveil.measure.attribute.excess import excess_ratio
from unveil.measure.result import DisclosureResult
from unveil.read.exclusions import parse_exclusions
from unveil.records.copies import Copy
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import Limit, Status
from unveil.records.whatif import WhatIf, WhatIfRow, WhatIfScenario
from unveil.release.changing import change, today
from unveil.release.editing import with_exclusion
from unveil.release.judging import said_in
from unveil.release.measuring import Measuring
from unveil.release.model import ExcludeEntry, ProjectFile
from unveil.release.people import named, reason_given
from unveil.release.planned import Planned
from unveil.release.planning import planned
from unveil.release.rulings_in_force import contradicted
from unveil.release.sources import Inputs
from unveil.report.desk import whatif_sentences


@dataclass(frozen=True)
class _Tried:
    """One scenario with the exclusions in force, and with those asked about too."""

    scenario: str
    added: tuple[Exclusion, ...]
    before: Disclosure
    after: Disclosure


def whatif(
    project: ProjectFile,
    exclude: Any,
    *,
    scenario: str | None = None,
    keep: bool = False,
    reason: str | None = None,
    by: str | None = None,
    progress: Progress = silent,
) -> WhatIf:
    """Figures with the exclusions in force, and with some more.

    Parameters
    ----------
    exclude
        What may be common knowledge: texts such as ``workab=NO``, tables, or records.
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
    if not asked:
        raise SettingsError("Say what to leave out: unveil whatif --exclude workab=NO.")
    if not keep and (reason is not None or by is not None):
        raise SettingsError("A reason and a name are for what is kept: add --keep.")
    who, why = (named(by), reason_given(reason)) if keep else (None, "")
    if keep:
        _refuse_kept(project, asked, scenario)
    tried = _tried(project, asked, scenario, progress)
    made = _record(project, asked, tried)
    if who is None:
        return made
    _keep(project, _entries(tried, asked, scenario, why, who), who)
    return replace(made, kept=True, by=who)


def _tried(
    project: ProjectFile, asked: Sequence[Exclusion], wanted: str | None, progress: Progress
) -> list[_Tried]:
    inputs = Inputs(project, ())
    parts = [part for part in planned(project, inputs)[0] if part.kind == "disclosure"]
    measuring = Measuring(inputs, progress)
    found, faults = [], []
    for part in _scenarios(parts, wanted):
        try:
            found.append(_try(measuring, part, asked))
        except InputError as fault:
            faults.append(fault)
    if faults and not found:
        raise faults[0]
    return found


def _scenarios(parts: Sequence[Planned], wanted: str | None) -> list[Planned]:
    names = [part.scenario or "" for part in parts]
    if not parts:
        raise RolesError(
            "No scenario of the project measures disclosure. Declare one: [[scenario]] with name"
            " and keys in project.toml."
        )
    if wanted is not None and wanted not in names:
        raise RolesError(
            f"There is no scenario {quoted(wanted)}.{nearest(wanted, names)} The scenarios are:"
            f" {listed(names)}."
        )
    return [part for part in parts if wanted in (None, part.scenario)]


def _try(measuring: Measuring, part: Planned, asked: Sequence[Exclusion]) -> _Tried:
    counted = measuring.counted(part.settings)
    in_force = measuring.fitting(counted, part.settings)
    before = DisclosureResult.of(counted, in_force)
    added = tuple(one for one in asked if one not in in_force)
    if not added:
        raise SettingsError(
            f"{listed(one.text for one in asked)} is left out already in scenario"
            f" {quoted(part.scenario or '')}. unveil run measures with it."
        )
    after = before.whatif([*in_force, *added])
    return _Tried(part.scenario or "", added, before.record, after.record)


def _record(project: ProjectFile, asked: Sequence[Exclusion], tried: Sequence[_Tried]) -> WhatIf:
    said = said_in(project)
    limits = {one.measure: one for one in said.limits} if said.accepted_by else {}
    rows = {one.scenario: tuple(_rows(one, limits)) for one in tried}
    return WhatIf(
        exclude=tuple(one.text for one in asked),
        scenarios=tuple(_scenario(one, rows[one.scenario]) for one in tried),
        rows=tuple(row for one in tried for row in rows[one.scenario]),
    )


def _scenario(tried: _Tried, rows: Sequence[WhatIfRow]) -> WhatIfScenario:
    was, now = _findings(tried, tried.before), _findings(tried, tried.after)
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
    return replace(made, sentences=whatif_sentences(made, rows, tried.before.n_original))


def _findings(tried: _Tried, record: Disclosure) -> list[str]:
    ids = (finding_id(tried.scenario, flag.exclusion) for flag in record.flags)
    return list(dict.fromkeys(ids))


def _rows(tried: _Tried, limits: dict[str, Limit]) -> Iterator[WhatIfRow]:
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


def _refuse_kept(project: ProjectFile, asked: Sequence[Exclusion], scenario: str | None) -> None:
    """Refuse to leave out for good what somebody ruled to be kept."""
    for one in asked:
        for place in contradicted(one, scenario, project.rulings):
            ruling = project.rulings[place]
            raise SettingsError(
                f"{quoted(ruling.finding)} was ruled to be kept, by {ruling.by}. To leave it out,"
                " replace that ruling: unveil rule with --common-knowledge and --instead."
            )


def _entries(
    tried: Sequence[_Tried], asked: Sequence[Exclusion], scenario: str | None, why: str, by: str
) -> Iterator[ExcludeEntry]:
    """What is to be written: nothing that is in force already, by a ruling or an exclusion."""
    for one in asked:
        lacking = [case.scenario for case in tried if one in case.added]
        places = [scenario] if len(lacking) == len(tried) else lacking
        for place in places:
            yield ExcludeEntry(one, reason=why, by=by, on=today(), scenario=place)


def _keep(project: ProjectFile, entries: Iterator[ExcludeEntry], by: str) -> None:
    text, words = project.text, dict[str, None]()
    for entry in entries:
        text = with_exclusion(text, entry)
        place, one = entry.scenario, entry.exclusion
        words |= dict.fromkeys([*([place] if place else []), one.target or one.rule])
    change(project, text, event="exclude", by=by, subject=" ".join(words))
