"""How did a project come to where it is? One line for each run: risk, utility, what had changed."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from unveil.assessment.assess_run import status_of
from unveil.assessment.limits import limits_of
from unveil.errors import InputError, SettingsError, TamperedError, list_names
from unveil.project.decide import load_decisions
from unveil.project.model import ProjectFile
from unveil.project.rulings_in_force import TWO_WAY
from unveil.project.store import list_runs, load_run
from unveil.records.judgement import Decision, FigureRow, Limit
from unveil.records.limits import MEASURES
from unveil.records.report import HistoryRow
from unveil.records.run import FigureChange, Run, RunComparison, SettingChange
from unveil.view.format import format_rule, truncate

# `unveil compare`: what changed between runs in settings, in risk and in utility?


WORDS = {
    "exclude": "exclusions",
    "exclude_pairs_of": "targets whose pairs are excluded",
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
    _check(numbers)
    return _compare(project, [load_run(project.folder, number) for number in numbers])


def _compare(project: ProjectFile, runs: Sequence[Run]) -> RunComparison:
    accepted = project.limits.accepted_by is not None
    limits = limits_of(project.limits.values) if accepted else ()
    figures = list(_figures(runs, {limit.measure: limit for limit in limits}))
    return RunComparison(
        runs=tuple(run.number for run in runs),
        started=tuple(run.started for run in runs),
        settings=(*_file_changes(runs), *_run_changes(runs), *_part_changes(runs)),
        risk=tuple(row for row in figures if MEASURES[row.measure].about == "risk"),
        utility=tuple(row for row in figures if MEASURES[row.measure].about == "utility"),
    )


def _check(numbers: Sequence[int]) -> None:
    if len(set(numbers)) < 2:
        raise SettingsError("Give at least two run numbers, such as unveil compare 1 2.")
    twice = [str(n) for n in dict.fromkeys(numbers) if numbers.count(n) > 1]
    if twice:
        raise SettingsError(f"Run {list_names(twice)} is named twice. Name each run once.")


def _file_changes(runs: Sequence[Run]) -> Iterator[SettingChange]:
    hashes = [
        {(file.role, file.path): file.sha256[:_SHOWN_OF_HASH] for file in run.files} for run in runs
    ]
    for role, path in _all_names(hashes):
        found = tuple(of_run.get((role, path)) for of_run in hashes)
        if len(set(found)) > 1:
            yield SettingChange(part=None, setting=f"{role} file {path}", values=found)


def _run_changes(runs: Sequence[Run]) -> Iterator[SettingChange]:
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


def _part_changes(runs: Sequence[Run]) -> Iterator[SettingChange]:
    """Settings of parts; what a scenario's parts share is told once, of the first of them."""
    told: set[Key] = set()
    by_name = [{part.name: part for part in run.parts} for run in runs]
    for name in _all_names(by_name):
        parts = [of_run.get(name) for of_run in by_name]
        known = next(part for part in parts if part is not None)
        if known.target is not None and None in parts:
            continue  # the targets of its scenario tell of it
        settings = [None if part is None else json.loads(part.settings) for part in parts]
        for setting, values in _differing_settings(settings):
            if known.kind == "gate" and setting == "scenarios":
                continue  # the parts of each scenario tell of it
            key = (name if setting == _MEASURED else known.scenario, setting, values)
            if key not in told:
                told.add(key)
                yield SettingChange(part=name, setting=WORDS.get(setting, setting), values=values)


def _differing_settings(settings: Sequence[dict[str, Any] | None]) -> Iterator[tuple[str, Key]]:
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


_EXCLUSIONS = (WORDS["exclude"], WORDS["exclude_pairs_of"])
"""Settings that are told as what is left out, not as they are written."""
_HASH = re.compile(r"[0-9a-f]{12}")


def build_history(project: ProjectFile) -> tuple[HistoryRow, ...]:
    """Every run of a project, from the first on; of one that was changed nothing is believed."""
    decided = read_last_decisions(project.folder)
    rows: list[HistoryRow] = []
    before: Run | str | None = None  # the run before, or what is wrong with it
    for number in list_runs(project.folder):
        try:
            run = load_run(project.folder, number)
        except (InputError, TamperedError) as fault:
            before = str(fault)
            rows.append(_make_unknown_row(number, before, decided.get(number)))
            continue
        rows.append(_row(project, run, before, decided.get(number)))
        before = run
    return tuple(rows)


def _make_unknown_row(number: int, why: str, decision: Decision | None) -> HistoryRow:
    return HistoryRow(
        run=number,
        started="",
        repU=None,
        DiSCO=None,
        worst_target=None,
        S_pMSE=None,
        pMSE=None,
        changed=(why,),
        decision=None if decision is None else _decision_phrase(decision),
    )


def read_last_decisions(folder: Path) -> dict[int, Decision]:
    """The decision that rules about each run: the last."""
    return {decision.run: decision for decision in load_decisions(folder)}


def _row(
    project: ProjectFile, run: Run, before: Run | str | None, decision: Decision | None
) -> HistoryRow:
    worst = _worst(run.figures, "DiSCO")
    more: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()
    changed: tuple[str, ...] = (before,) if isinstance(before, str) else ()
    if isinstance(before, Run):
        more, fewer = _new(before, run), _new(run, before)
        changed = changes(_compare(project, (before, run)))
    told = [f"now excluded: {_rules(more)}"] if more else []
    told += [f"no longer excluded: {_rules(fewer)}"] if fewer else []
    return HistoryRow(
        run=run.number,
        started=run.started,
        repU=_value(_worst(run.figures, "repU")),
        DiSCO=_value(worst),
        worst_target=None if worst is None else worst.target,
        S_pMSE=_value(_worst((row for row in run.figures if row.subject), "S_pMSE")),
        pMSE=_value(_worst(run.figures, "pMSE")),
        changed=(*told, *changed),
        decision=None if decision is None else _decision_phrase(decision),
        left_out=more,
        counted_again=fewer,
        same_files=isinstance(before, Run) and _contents(before) == _contents(run),
    )


def exclusions_in_force(run: Run) -> dict[str, tuple[str, ...]]:
    """By scenario the exclusions that a run was asked to measure with, in their text form."""
    found = {}
    for part in run.parts:
        if part.kind == "disclosure":
            asked = json.loads(part.settings)
            pairs = map(two_way_name, asked.get("exclude_pairs_of", ()))
            found[part.scenario or ""] = (*asked.get("exclude", ()), *pairs)
    return found


def two_way_name(target: str) -> str:
    """What stands for all flagged pairs of a target, as rulings name them."""
    return f"{target}{TWO_WAY}"


def _new(before: Run, run: Run) -> tuple[str, ...]:
    """What a run leaves out and the other does not, in scenarios that both have."""
    was, now = exclusions_in_force(before), exclusions_in_force(run)
    found = [
        (scenario, rule)
        for scenario, rules in now.items()
        for rule in rules
        if scenario in was and rule not in was[scenario]
    ]
    return tuple(rule if len(now) == 1 else f"{rule} ({scenario})" for scenario, rule in found)


def _rules(rules: tuple[str, ...]) -> str:
    return "; ".join(truncate(format_rule(rule)) for rule in rules)


def _contents(run: Run) -> list[tuple[str, str]]:
    """What was read, whatever the files are called."""
    return sorted((file.role, file.sha256) for file in run.files)


def _worst(figures: Iterable[FigureRow], measure: str) -> FigureRow | None:
    """The highest figure of a measure that is not a mean over copies."""
    found = [
        row
        for row in figures
        if row.measure == measure and row.value is not None and row.copy != "mean"
    ]
    return max(found, key=lambda row: row.value or 0.0, default=None)


def _value(row: FigureRow | None) -> float | None:
    return None if row is None else row.value


def _decision_phrase(decision: Decision) -> str:
    return f"{'released' if decision.release else 'refused'} by {decision.by}"


def changes(compared: RunComparison, most: int = 8) -> tuple[str, ...]:
    """The settings that two runs do not share, in words; the rest counted where there are many."""
    shown = [one for one in compared.settings if one.setting not in _EXCLUSIONS]
    found = list(dict.fromkeys(_words(change) for change in shown))
    more = len(found) - most
    return (*found[:most], f"and {more:,} more") if more > 0 else tuple(found)


def _words(change: SettingChange) -> str:
    was, now = change.values[0], change.values[-1]
    is_whole = change.part is None
    of = change.setting if is_whole else f"{change.part}: {change.setting}"
    if change.setting == "measured":
        of, is_whole = f"{change.part}", True
    if was is None:
        return f"{of} is new" if is_whole else f"{of} {_short(now)} is new"
    if now is None:
        return f"{of} is gone" if is_whole else f"{of} {_short(was)} is gone"
    if _is_hash(was) and _is_hash(now):  # of a file, or of the seed
        return f"{of} is another"
    return f"{of} was {_short(was)}, now {_short(now)}"


def _short(text: str | None) -> str:
    return truncate(text or "")


def _is_hash(text: str) -> bool:
    return _HASH.fullmatch(text) is not None
