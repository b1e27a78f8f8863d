"""`unveil compare`: what changed between runs in settings, in risk and in utility?"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from unveil.errors import SettingsError, listed
from unveil.judge.judging import status_of
from unveil.judge.measures import MEASURES
from unveil.judge.presets import limits_of
from unveil.records.judgement import Limit
from unveil.records.run import FigureChange, FigureRow, Run, RunComparison, SettingChange
from unveil.release.model import ProjectFile
from unveil.release.store import load_run

WORDS = {
    "exclude": "exclusions",
    "exclude_pairs_of": "targets whose pairs are left out",
    "keep_pairs": "pairs of them that are kept",
    "missing_values": "missing values",
    "special_codes": "special codes",
    "n": "people attacked",
}
"""Settings under names that people read."""
_SHOWN_OF_HASH = 12
_MEASURED = "measured"
"""Whether a run has a part at all."""

Key = tuple[Any, ...]


def compare_runs(project: ProjectFile, numbers: Sequence[int]) -> RunComparison:
    """Runs side by side, in the order given; statuses are against the limits now in force."""
    _refuse(numbers)
    runs = [load_run(project.folder, number) for number in numbers]
    accepted = project.limits.accepted_by is not None
    limits = limits_of(project.limits.values) if accepted else ()
    figures = list(_figures(runs, {limit.measure: limit for limit in limits}))
    return RunComparison(
        runs=tuple(numbers),
        started=tuple(run.started for run in runs),
        settings=(*_of_files(runs), *_of_runs(runs), *_of_parts(runs)),
        risk=tuple(row for row in figures if MEASURES[row.measure].about == "risk"),
        utility=tuple(row for row in figures if MEASURES[row.measure].about == "utility"),
    )


def _refuse(numbers: Sequence[int]) -> None:
    if len(set(numbers)) < 2:
        raise SettingsError("Name two runs or more, such as 1 2. One run alone is no comparison.")
    twice = [str(n) for n in dict.fromkeys(numbers) if numbers.count(n) > 1]
    if twice:
        raise SettingsError(f"Run {listed(twice)} is named twice. Name each run once.")


def _of_files(runs: Sequence[Run]) -> Iterator[SettingChange]:
    hashes = [
        {(file.role, file.path): file.sha256[:_SHOWN_OF_HASH] for file in run.files} for run in runs
    ]
    for role, path in _all_names(hashes):
        found = tuple(of_run.get((role, path)) for of_run in hashes)
        if len(set(found)) > 1:
            yield SettingChange(part=None, setting=f"{role} file {path}", values=found)


def _of_runs(runs: Sequence[Run]) -> Iterator[SettingChange]:
    facts = [
        {
            "seed": run.seed_sha256 and run.seed_sha256[:_SHOWN_OF_HASH],
            "unveil": run.version,
            "python": run.python,
            **{one.package: one.version for one in run.packages},
        }
        for run in runs
    ]
    for name in _all_names(facts):
        found = tuple(of_run.get(name) for of_run in facts)
        if len(set(found)) > 1:
            yield SettingChange(part=None, setting=name, values=found)


def _of_parts(runs: Sequence[Run]) -> Iterator[SettingChange]:
    """Settings of parts; what a scenario's parts share is told once, of the first of them."""
    told: set[Key] = set()
    by_name = [{part.name: part for part in run.parts} for run in runs]
    for name in _all_names(by_name):
        parts = [of_run.get(name) for of_run in by_name]
        known = next(part for part in parts if part is not None)
        if known.target is not None and None in parts:
            continue  # the targets of its scenario tell of it
        settings = [None if part is None else json.loads(part.settings) for part in parts]
        for setting, values in _differing(settings):
            key = (name if setting == _MEASURED else known.scenario, setting, values)
            if key not in told:
                told.add(key)
                yield SettingChange(part=name, setting=WORDS.get(setting, setting), values=values)


def _differing(settings: Sequence[dict[str, Any] | None]) -> Iterator[tuple[str, Key]]:
    if None in settings:
        yield _MEASURED, tuple(None if one is None else "yes" for one in settings)
        return
    given = [one for one in settings if one is not None]
    for name in _all_names(given):
        values = tuple(_text(one.get(name)) for one in given)
        if len(set(values)) > 1:
            yield name, values


def _text(value: Any) -> str:
    """A setting in a few words; nothing is "none"."""
    if value in (None, [], {}):
        return "none"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _figures(runs: Sequence[Run], limits: dict[str, Limit]) -> Iterator[FigureChange]:
    rows = [{_key(row): row.value for row in run.figures} for run in runs]
    for key in _all_names(rows):
        measure, scenario, target, subject, copy = key
        values = tuple(of_run.get(key) for of_run in rows)
        known = [value for value in values if value is not None]
        yield FigureChange(
            measure=measure,
            scenario=scenario,
            target=target,
            subject=subject,
            copy=copy,
            values=values,
            change=known[-1] - known[0] if len(known) > 1 else None,
            statuses=tuple(status_of(value, limits.get(measure)) for value in values),
        )


def _key(row: FigureRow) -> Key:
    # No scenario tells which table a figure is of, but its part does.
    subject = (
        row.subject if row.measure != "SAP" else f"{row.part.removeprefix('sap ')}, {row.subject}"
    )
    return (row.measure, row.scenario, row.target, subject, row.copy)


def _all_names(found: Iterable[dict[Any, Any]]) -> list[Any]:
    return list(dict.fromkeys(name for one in found for name in one))
