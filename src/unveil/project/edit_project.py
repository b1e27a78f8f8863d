"""How does what a person says get into the project file? All of it at once, and logged in a line.

What a person rules, answers, accepts and limits is gathered in a `ProjectEdit`, checked, and
written whole or not at all: one check, one write, one line of the log.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from unveil.assessment.assess_release import check_acceptances
from unveil.assessment.context import FACTORS, can_rule_together, parse_factor
from unveil.assessment.flag_rulings import TWO_WAY, flag_id, together_id
from unveil.assessment.limits import preset as preset_of
from unveil.assessment.outstanding import shell_word
from unveil.assessment.ruling_groups import group_rulings
from unveil.atomic import replace_file
from unveil.errors import (
    InputError,
    ReadError,
    SettingsError,
    TamperedError,
    WriteError,
    hint_at,
    list_names,
    quote_text,
)
from unveil.io.read_toml import read_text
from unveil.project.assess_stored_run import assess_stored_run, list_excluded, summarise
from unveil.project.fingerprint import project_sha256
from unveil.project.log import append_to, now, open_log
from unveil.project.log_repair import complete_log
from unveil.project.model import (
    Answer,
    ExceptionEntry,
    ExcludeEntry,
    ProjectFile,
    RulingEntry,
    check_scenario,
    limits_mark,
)
from unveil.project.people import check_name, parse_reason
from unveil.project.read_project import project_from
from unveil.project.rulings_in_force import FlagName, parse_flag_name
from unveil.project.store import list_runs, load_parts, load_run
from unveil.project.toml import add_entries, parse_dotted, set_settings, whole_number
from unveil.protection.leaf_sizes import parse_audience
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import Audience, FlagRuling, Judgement
from unveil.records.limits import limits_fault
from unveil.records.summary import RulingGroup
from unveil.study.exclusion_rules import parse_exclusions

Limits = Mapping[str, tuple[float, float] | None]
EVENTS = ("exclude", "ruling", "exception", "limits", "context", "settings")
"""What a line of the log may call an edit, the first that fits: it bars a person from deciding."""


class ProjectEdit:
    """Changes of one project file by one person, written together when the block ends.

    ``with ProjectEdit(project, by="A. Jones, analyst") as change:`` followed by any of `rule`,
    `answer`, `limits`, `accept` and `exclude`. Each refuses what cannot be said; after a refusal,
    or any other error in the block, nothing is written. `project` is the file as it is then.
    """

    def __init__(self, project: ProjectFile, by: str | None) -> None:
        self.by = check_name(by)
        self.project = self._before = project
        self._entries: dict[str, list[dict[str, Any]]] = {}
        self._settings: dict[tuple[str | int, ...], dict[str, Any]] = {}
        self._subjects: dict[str, dict[str, None]] = {}
        self._ruled: list[FlagName] = []

    def __enter__(self) -> "ProjectEdit":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._subjects:
            self._write()

    def rule(
        self, finding: str, *, accept: bool, reason: str | None, instead: bool = False
    ) -> None:
        """Rule on one flag of the last run, on all pairs of one target, or on a group of them.

        Parameters
        ----------
        finding
            Its id, "neighbour/workab=NO"; "neighbour/marital=SINGLE@age" for all levels of age
            that explain it, or "neighbour/marital two-way", where the audience allows it.
        accept
            It is common knowledge, and from the next run on excluded; otherwise it is kept as a
            risk.
        reason
            Why.
        instead
            Replace an earlier ruling on the same flag.

        Raises
        ------
        SettingsError
            If there is no such flag, or it was ruled on before.
        """
        why = parse_reason(reason)
        if (group := self._find_group(finding)) is not None:
            self._rule_group(group, accept=accept, reason=why, instead=instead)
            return
        id_ = _resolve_id(self.project, finding, self._judgement.findings)
        name = parse_flag_name(id_)
        rulings = self.project.rulings
        ruled = [n for n, one in enumerate(rulings) if parse_flag_name(one.finding) == name]
        if name in self._ruled:
            raise SettingsError(f"{quote_text(id_)} is ruled on twice here. Keep one of the two.")
        self._ruled.append(name)
        if ruled and not instead:
            raise SettingsError(
                f"{quote_text(id_)} was ruled on already, by {rulings[ruled[0]].by}. To replace"
                " that ruling, add --instead."
            )
        if not accept:
            _check_excluded(self.project, id_)
        as_written = rulings[ruled[0]].finding if ruled else id_
        entry = RulingEntry(as_written, accept=accept, reason=why, by=self.by, on=today())
        if ruled:
            self._settings["ruling", ruled[0]] = vars(entry)
            rulings = (*rulings[: ruled[0]], entry, *rulings[ruled[0] + 1 :])
        else:
            self._entries.setdefault("ruling", []).append(vars(entry))
            rulings = (*rulings, entry)
        self.project = replace(self.project, rulings=rulings)
        self._note("ruling", name.scenario, name.target)

    def rule_target(
        self,
        target: str,
        *,
        accept: bool,
        reason: str | None,
        value: str | None = None,
        instead: bool = False,
    ) -> tuple[str, ...]:
        """Rule on all flags of a target, or of one of its values; the ids that were ruled on.

        The pairs of a target are ruled on at once where the audience allows it. For an open release
        each pair that its value does not cover needs a ruling of its own, and is refused here.

        Raises
        ------
        SettingsError
            If no such flag is outstanding, or the audience asks for rulings one by one.
        """
        flags = [one for one in self._judgement.findings if one.target == target]
        named = [(one, _level_of(one)) for one in flags if instead or one.state == "open"]
        chosen = [one for one, level in named if value is None or level == value]
        if not chosen:
            known = list(dict.fromkeys(one.target for one in self._judgement.findings))
            of = quote_text(target) if value is None else f"{quote_text(target)} = {value}"
            there = f"Flagged are: {list_names(known)}." if known else "There are no flags."
            raise SettingsError(f"No flag on {of} is outstanding.{hint_at(target, known)} {there}")
        ids = [one.id for one in chosen if one.kind == "one_way"]
        settled = {_level_of(one) for one in chosen if one.kind == "one_way"} if accept else set()
        pairs = [one for one in chosen if one.kind == "two_way" and _level_of(one) not in settled]
        if pairs and not can_rule_together(self.project.context.audience):
            raise SettingsError(
                f"{len(pairs):,} two-way flags on {quote_text(target)} need a ruling each: the"
                f" audience is {self.project.context.audience or 'open'}. List them: unveil rule."
            )
        if value is None:
            pair_ids = [together_id(one.scenario, target) for one in pairs]
        else:
            pair_ids = [one.id for one in pairs]
        ids += list(dict.fromkeys(pair_ids))
        for id_ in ids:
            self.rule(id_, accept=accept, reason=reason, instead=instead)
        return tuple(ids)

    def _find_group(self, given: str) -> RulingGroup | None:
        """The group that is meant; a name that is a flag too is the flag."""
        if any(given == one.id for one in self._judgement.findings):
            return None
        return next((one for one in self._groups if one.id == given), None)

    def _rule_group(self, group: RulingGroup, *, accept: bool, reason: str, instead: bool) -> None:
        """Exclude what explains disclosures, level by level; or keep the flags on them."""
        before = list_excluded(self._before)
        texts = [one for one in (group.exclusions if accept else group.flags) if one not in before]
        if not texts:
            raise SettingsError(
                f"{quote_text(group.id)} holds no flag: it is counted unless it is excluded."
            )
        if len(texts) > 1:
            _check_together(self.project.context.audience, group.id)
        flagged = {one.id for one in self._judgement.findings}
        for text in texts:
            id_ = flag_id(group.scenario or "", text)
            if id_ in flagged:
                self.rule(id_, accept=accept, reason=reason, instead=instead)
            else:
                (exclusion,) = parse_exclusions([text])
                self.exclude(exclusion, reason=reason, scenario=group.scenario)

    def exclude(self, exclusion: Exclusion, *, reason: str | None, scenario: str | None) -> None:
        """Leave something out from the next run on, in one scenario or (None) in all of them."""
        why = parse_reason(reason)
        entry = ExcludeEntry(exclusion, reason=why, by=self.by, on=today(), scenario=scenario)
        self._entries.setdefault("exclude", []).append(exclusion_table(entry))
        self._note("exclude", *([scenario] if scenario else []), exclusion.target or exclusion.rule)

    def accept(self, alert: str, *, reason: str | None) -> None:
        """Accept one alert of the last run, for its files alone.

        Raises
        ------
        SettingsError
            If there is no such alert, it was accepted before, no one may accept it for this
            audience, or files or settings changed since the run.
        """
        why, judgement = parse_reason(reason), self._judgement
        if judgement.stale:
            raise SettingsError(f"{judgement.stale[0]} Measure again before an alert is accepted.")
        check_acceptances([alert], judgement.alerts, self.project.context.audience)
        before = {one.id: one.accepted.by for one in judgement.alerts if one.accepted is not None}
        before |= {one["alert"]: self.by for one in self._entries.get("exceptions", ())}
        if alert in before:
            raise SettingsError(f"{alert} was accepted already, by {before[alert]}.")
        files = judgement.files_sha256 or ""
        entry = ExceptionEntry(alert=alert, reason=why, by=self.by, on=today(), files=files)
        self._entries.setdefault("exceptions", []).append(vars(entry))
        self._note("exception", alert.partition("=")[0])  # a level is in no line of the log

    def limits(self, *, preset: str | None = None, changes: Limits | None = None) -> None:
        """Accept limits: those of the project, or of a preset, with some of them changed.

        Parameters
        ----------
        preset
            Start from the limits of this audience instead of those in the project file.
        changes
            Review and limit by measure; None takes a limit off.
        """
        values = propose_limits(self.project, preset=preset, changes=changes)
        off = {name: None for name in self.project.limits.values if name not in values}
        self._settings["limits",] = limits_table({**values, **off}, self.by, today())
        self.project = replace(self.project, limits=replace(self.project.limits, values=values))
        self._note("limits", *values)

    def answer(self, factor: str, answer: str | None) -> None:
        """Answer one of the five questions about the context."""
        name = parse_factor(factor)
        text = parse_reason(answer, "unveil answer " + name, "Write the answer")
        self._settings["context", name] = vars(Answer(text, self.by, today()))
        self._note("context", name)

    def set(self, name: str, value: Any) -> None:
        """Change one setting by its name, "roles.key" or "scenario.neighbour.keys".

        None takes it out; `"protect.step+"` adds an entry. What people say by name is refused: it
        has a call of its own.
        """
        path = self._find_path(name.removesuffix("+"))
        if name.endswith("+"):
            self._entries.setdefault(".".join(map(str, path)), []).append(value)
        else:
            self._settings.setdefault(path[:-1], {})[str(path[-1])] = value
        self._note("settings", name.removesuffix("+"))

    def _find_path(self, name: str) -> tuple[str | int, ...]:
        """Where a setting stands; a scenario is called by its own name."""
        path: list[str | int] = parse_dotted(name)
        said = {"limits": "limits", "ruling": "rule", "exclude": "whatif", "exceptions": "run"}
        command = said.get(str(path[0]))
        if path[0] == "context" and path[-1] in FACTORS:
            command = "answer"
        if command is not None:
            raise SettingsError(
                f"{quote_text(name)} is said by a named person: unveil {command} --help."
            )
        if path[0] == "scenario" and len(path) > 1:
            known = [one.name for one in self.project.scenarios]
            path[1] = known.index(check_scenario(str(path[1]), known))
        return tuple(path)

    @cached_property
    def _judgement(self) -> Judgement:
        """What the last run means by the project as it was before the edit."""
        return _last_judgement(self._before)

    @cached_property
    def _groups(self) -> tuple[RulingGroup, ...]:
        """What one ruling covers, in every scenario of the last run."""
        return list_groups_now(self._before, self._judgement.findings)

    def _note(self, event: str, *subject: str) -> None:
        """Names of columns, scenarios and measures: no level and no reason."""
        self._subjects.setdefault(event, {}).update(dict.fromkeys(subject))

    def _write(self) -> None:
        text = self.project.text
        for section, entries in self._entries.items():
            text = add_entries(text, section, entries)
        for path, settings in self._settings.items():
            text = set_settings(text, path, settings)
        event, *others = [one for one in EVENTS if one in self._subjects]
        words = [" ".join(self._subjects[event])]
        words += [f"{one}: {' '.join(self._subjects[one])}" for one in others]
        subject = "; ".join(words)
        self.project = change(self.project, text, event=event, by=self.by, subject=subject)


def exclusion_table(entry: ExcludeEntry) -> dict[str, Any]:
    """The settings of one `[[exclude]]`."""
    signed = {"reason": entry.reason, "by": entry.by, "on": entry.on}
    return {"scenario": entry.scenario, **_rule_settings(entry.exclusion), **signed}


def _rule_settings(exclusion: Exclusion) -> dict[str, Any]:
    """The settings by which `[[exclude]]` says a rule."""
    keys, levels = list(exclusion.keys), list(exclusion.key_levels)
    if exclusion.rule not in ("level", "pair"):
        if exclusion.rule == "missing-keys" and keys:
            return {"rule": exclusion.rule, "keys": keys}
        return {"rule": exclusion.text}
    said: dict[str, Any] = {"target": exclusion.target, "level": exclusion.level or ""}
    if len(keys) == 1:
        return {**said, "key": keys[0], "key_level": levels[0]}
    return {**said, "keys": keys, "key_levels": levels} if keys else said


def limits_table(values: Limits, by: str, on: str) -> dict[str, Any]:
    """The settings of `[limits]` that a person accepts; None takes a limit off."""
    said = {name: pair and [whole_number(one) for one in pair] for name, pair in values.items()}
    mark = limits_mark({name: pair for name, pair in values.items() if pair is not None}, by)
    return {**said, "accepted_by": by, "on": on, "accepted": mark}


def today() -> str:
    """The day on which a person says something."""
    return now()[:10]


def write_project(project: ProjectFile, new_text: str) -> ProjectFile:
    """Put a new text in the place of a project file that is still as it was read.

    Raises
    ------
    WriteError
        If the file was changed since, by an editor or by another command; nothing is written then.
    """
    made = project_from(project.path, new_text, needs_files=False)
    _check_unchanged(project)
    place = Path(os.path.realpath(project.path))
    try:
        replace_file(place, new_text.encode("utf-8"), mode=place.stat().st_mode & 0o777)
    except OSError as fault:
        raise WriteError(
            f"The file {quote_text(str(project.path))} cannot be written: {fault.strerror}. "
            "Nothing was changed."
        ) from None
    return made


def _check_unchanged(project: ProjectFile) -> None:
    try:
        is_same = read_text(project.path) == project.text
    except ReadError:
        is_same = False
    if not is_same:
        raise WriteError(
            f"The file {quote_text(project.path.name)} was changed since it was read. Nothing was"
            " written. Repeat the command: it starts from the file as it is now."
        )


def change(
    project: ProjectFile, text: str, *, event: str, by: str | None, subject: str | None = None
) -> ProjectFile:
    """Put a changed project file in place and log it; the project as it is then.

    Two commands that change the file at once take turns, and the second is refused: it started
    from another file.
    """
    complete_log(project.folder)
    with open_log(project.folder) as file:
        changed = write_project(project, text)
        append_to(
            file,
            project.folder,
            before=project_sha256(project),
            event=event,
            by=by,
            subject=subject,
            project_sha256=project_sha256(changed),
            file_sha256=None,
        )
    return changed


# What does a person say: a flag is common knowledge, these are the limits, this is the context?


def propose_limits(
    project: ProjectFile, *, preset: str | None = None, changes: Limits | None = None
) -> dict[str, tuple[float, float]]:
    """The limits that would be accepted; values that mean nothing are refused, all together."""
    values = dict(project.limits.values)
    if preset is not None:
        limits = preset_of(parse_audience(preset), declared=list_declared(project))
        values = {limit.measure: (limit.review, limit.limit) for limit in limits}
    given = changes or {}
    faults = [limits_fault(name, *(pair or (0, 0))) for name, pair in given.items()]
    if told := [fault for fault in faults if fault is not None]:
        raise SettingsError("\n".join(told))
    every = {**values, **given}
    values = {name: pair for name, pair in every.items() if pair is not None}
    if not values:
        audience = project.context.audience or "open"
        raise SettingsError(
            f"There are no limits to accept. Start from a preset: unveil limits --preset {audience}"
            ' --accept --by "Name, role".'
        )
    return values


def list_declared(project: ProjectFile) -> tuple[str, ...]:
    """What a project has beyond original and copies, as far as limits need it."""
    parts = load_run(project.folder).parts if list_runs(project.folder) else ()
    kinds = {part.kind for part in parts if part.file is not None}
    found = {
        "control": project.data.control is not None,
        "table": bool(project.tables),
        "recognition": project.recognition is not None,
        "plan": project.publication is not None,
        "radii": any(scenario.radii for scenario in project.scenarios),
        "protection": "protection" in kinds,
    }
    return tuple(name for name, is_there in found.items() if is_there)


def list_flags_now(project: ProjectFile) -> tuple[FlagRuling, ...]:
    """The flags of the last run, as they are ruled now."""
    return _last_judgement(project).findings


def list_groups_now(
    project: ProjectFile, findings: Sequence[FlagRuling]
) -> tuple[RulingGroup, ...]:
    """What one ruling covers in the last run, as it is ruled now."""
    run = load_run(project.folder)
    parts, excluded = load_parts(project.folder, run), list_excluded(project)
    return tuple(
        group
        for part in run.list_parts("disclosure")
        for group in group_rulings(part.scenario or "", parts[part.name], findings, excluded)
    )


def next_step(project: ProjectFile) -> str:
    """What to type next, as the project stands now."""
    if not list_runs(project.folder):
        return "unveil run"
    try:
        run = load_run(project.folder)
    except (ReadError, TamperedError):  # what is wrong with it is told where it is read
        return "unveil log --verify"
    parts = load_parts(project.folder, run)
    found = summarise(project, run, parts, assess_stored_run(project, run, parts))
    return found.next_command or ""


def _last_judgement(project: ProjectFile) -> Judgement:
    run = load_run(project.folder)
    return assess_stored_run(project, run, load_parts(project.folder, run))


def _check_excluded(project: ProjectFile, id_: str) -> None:
    """Refuse to keep what `[[exclude]]` excludes: one of the two would have no effect."""
    name = parse_flag_name(id_)
    for entry in project.excludes:
        if entry.scenario in (None, name.scenario) and entry.exclusion == name.exclusion:
            raise SettingsError(
                f"{quote_text(id_)} cannot be kept: [[exclude]] in project.toml excludes it,"
                f" recorded by {entry.by}. Remove that table first."
            )


def _resolve_id(project: ProjectFile, given: str, findings: tuple[FlagRuling, ...]) -> str:
    """The id that was meant; an unknown one is refused with its nearest."""
    ids = [finding.id for finding in findings]
    ruled = [one.finding for one in project.rulings]
    together = list(
        dict.fromkeys(
            together_id(finding.scenario, finding.target)
            for finding in findings
            if finding.kind == "two_way"
        )
    )
    meant = next((one for one in (given, _normalise_id(given)) if one in (*ids, *ruled)), None)
    if meant is not None:
        return meant
    if given in together:
        _check_together(project.context.audience, given)
        return given
    if given in {finding.target for finding in findings}:
        raise SettingsError(
            f"{quote_text(given)} is a variable, not a flag. To rule on all its flags:"
            f" unveil rule --target {shell_word(given)}."
        )
    still = [finding.id for finding in findings if finding.state == "open"]
    known = f"Open are: {list_names(still)}." if still else "No flag is open."
    raise SettingsError(
        f"There is no flag {quote_text(given)}.{hint_at(given, [*ids, *together])} {known}"
    )


def _level_of(flag: FlagRuling) -> str | None:
    """The value of the target that a flag is about; empty: missing."""
    exclusion = parse_flag_name(flag.id).exclusion
    return None if exclusion is None else exclusion.level


def _check_together(audience: Audience | None, given: str) -> None:
    if not can_rule_together(audience):
        raise SettingsError(
            f"{quote_text(given)} would rule on all pairs of a target at once. For the audience"
            f" {audience or 'open'} each pair needs a ruling of its own: unveil rule lists them."
        )


def _normalise_id(given: str) -> str | None:
    """The same flag as we would write it, where it is quoted in another way."""
    scenario, slash, text = given.partition("/")
    if not slash or text.endswith(TWO_WAY):
        return None
    try:
        (exclusion,) = parse_exclusions([text])
    except (InputError, ValueError):
        return None
    return f"{scenario}/{exclusion.text}"
