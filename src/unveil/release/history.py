"""How did a project come to where it is? One line for each run: risk, utility, what had changed."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from unveil.errors import InputError, TamperedError
from unveil.records.dossier import HistoryRow
from unveil.records.judgement import Decision
from unveil.records.run import FigureRow, Run, RunComparison, SettingChange
from unveil.release.comparing import WORDS, compare_runs
from unveil.release.deciding import decisions_of
from unveil.release.finding_names import TWO_WAY
from unveil.release.model import ProjectFile
from unveil.release.store import load_run, runs_of
from unveil.report.words import name, shown_rule

_EXCLUSIONS = (WORDS["exclude"], WORDS["exclude_pairs_of"])
"""Settings that are told as what is left out, not as they are written."""
_HASH = re.compile(r"[0-9a-f]{12}")


def history_of(project: ProjectFile) -> tuple[HistoryRow, ...]:
    """Every run of a project, from the first on."""
    numbers = runs_of(project.folder)
    decided = last_decisions(project.folder)
    before: dict[int, int] = dict(zip(numbers[1:], numbers, strict=False))
    return tuple(
        _of_run(project, number, before.get(number), decided.get(number)) for number in numbers
    )


def _of_run(
    project: ProjectFile, number: int, before: int | None, decision: Decision | None
) -> HistoryRow:
    """One run; of one that was changed nothing is believed, and its row says so."""
    try:
        run = load_run(project.folder, number)
    except (InputError, TamperedError) as fault:
        return _unknown(number, str(fault), decision)
    earlier = None if before is None else _loaded(project, before)
    return _row(run, earlier, _changed(project, before, number), decision)


def _loaded(project: ProjectFile, number: int) -> Run | None:
    try:
        return load_run(project.folder, number)
    except (InputError, TamperedError):
        return None


def _unknown(number: int, why: str, decision: Decision | None) -> HistoryRow:
    return HistoryRow(
        run=number,
        started="",
        repU=None,
        DiSCO=None,
        worst_target=None,
        S_pMSE=None,
        pMSE=None,
        changed=(why,),
        decision=None if decision is None else _decided(decision),
    )


def last_decisions(folder: Path) -> dict[int, Decision]:
    """The decision that rules about each run: the last."""
    return {decision.run: decision for decision in decisions_of(folder)}


def _row(
    run: Run, before: Run | None, changed: tuple[str, ...], decision: Decision | None
) -> HistoryRow:
    worst = _worst(run.figures, "DiSCO")
    more, fewer = ((), ()) if before is None else (_new(before, run), _new(run, before))
    told = [f"now left out: {_rules(more)}"] if more else []
    told += [f"no longer left out: {_rules(fewer)}"] if fewer else []
    return HistoryRow(
        run=run.number,
        started=run.started,
        repU=_value(_worst(run.figures, "repU")),
        DiSCO=_value(worst),
        worst_target=None if worst is None else worst.target,
        S_pMSE=_value(_worst((row for row in run.figures if row.subject), "S_pMSE")),
        pMSE=_value(_worst(run.figures, "pMSE")),
        changed=(*told, *changed),
        decision=None if decision is None else _decided(decision),
        left_out=more,
        counted_again=fewer,
        same_files=before is not None and _contents(before) == _contents(run),
    )


def left_out(run: Run) -> dict[str, tuple[str, ...]]:
    """By scenario the exclusions that a run was asked to measure with, in their text form."""
    found = {}
    for part in run.parts:
        if part.kind == "disclosure":
            asked = json.loads(part.settings)
            pairs = map(two_way, asked.get("exclude_pairs_of", ()))
            found[part.scenario or ""] = (*asked.get("exclude", ()), *pairs)
    return found


def two_way(target: str) -> str:
    """What stands for all flagged pairs of a target, as rulings name them."""
    return f"{target}{TWO_WAY}"


def _new(before: Run, run: Run) -> tuple[str, ...]:
    """What a run leaves out and the other does not, in scenarios that both have."""
    was, now = left_out(before), left_out(run)
    found = [
        (scenario, rule)
        for scenario, rules in now.items()
        for rule in rules
        if scenario in was and rule not in was[scenario]
    ]
    return tuple(rule if len(now) == 1 else f"{rule} ({scenario})" for scenario, rule in found)


def _rules(rules: tuple[str, ...]) -> str:
    return "; ".join(name(shown_rule(rule)) for rule in rules)


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


def _decided(decision: Decision) -> str:
    return f"{'released' if decision.release else 'refused'} by {decision.by}"


def _changed(project: ProjectFile, before: int | None, number: int) -> tuple[str, ...]:
    """What had changed since the run before, in words."""
    if before is None:
        return ()
    try:
        compared = compare_runs(project, (before, number))
    except (InputError, TamperedError) as fault:  # a run folder that somebody changed
        return (str(fault),)
    return changes(compared)


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
    return name(text or "")


def _is_hash(text: str) -> bool:
    return _HASH.fullmatch(text) is not None
