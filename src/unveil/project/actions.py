"""One action, one command: what a person can have done to a project, from a shell or from a page.

A command parses its options into an action, a page fills one from a form; both then do the same.
`command` is what would be typed for it. An action that takes long is kept as JSON, so that another
process does it, and does it again with the same options where it was stopped.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from unveil.assessment.outstanding import shell_word
from unveil.atomic import replace_file
from unveil.errors import InputError, InternalError
from unveil.measure.disclosure.key_sets import key_sets
from unveil.project.decide import decide
from unveil.project.edit_project import ProjectEdit
from unveil.project.fingerprint import hash_bytes
from unveil.project.make_copies import protect_copy, synthesise_project
from unveil.project.model import ProjectFile, ScenarioEntry
from unveil.project.propose import write_project as propose_project
from unveil.project.read_project import read_project
from unveil.project.records_at_risk import open_records
from unveil.project.run import run_project
from unveil.project.seeds import CONFIDENTIAL, confidential_folder
from unveil.project.toml import parse_setting
from unveil.records.base import VersionedRecord
from unveil.records.exploration import Exploration
from unveil.records.judgement import Decision
from unveil.records.key_sets import KeySets
from unveil.records.pack import Pack, PackForm
from unveil.study.scenario import Progress, no_progress

Changes = dict[str, tuple[float, float] | None]


class Action(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Something that changes a project, with all its options."""

    name: ClassVar[str] = ""  # of the command
    needs_files: ClassVar[bool] = True  # that the project names

    def options(self) -> tuple[str, ...]:
        """What follows the name of the command."""
        raise InternalError(f"{type(self).__name__} does not say its options.")

    def command(self) -> tuple[str, ...]:
        """What would be typed in the folder of the project, word by word."""
        return ("unveil", self.name, *self.options())

    def check(self, project: ProjectFile) -> None:
        """Refuse what would be refused, and write nothing."""

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Do it."""
        raise InternalError(f"{type(self).__name__} does not say what it does.")

    def do_in(self, folder: Path, progress: Progress = no_progress) -> Any:
        """Do it to the project of a folder, as it is then."""
        return self.do(read_project(folder, needs_files=self.needs_files), progress)


def format_command(words: tuple[str, ...]) -> str:
    """The words as one line of a shell."""
    return " ".join(map(shell_word, words))


def load_action(content: bytes) -> Action:
    """An action that was kept as JSON."""
    found: Action = msgspec.json.decode(content, type=_every())
    return found


def _every() -> Any:
    kinds = [one for one in _kinds(Action) if one.name]
    made = kinds[0]
    for one in kinds[1:]:
        made = made | one  # type: ignore[assignment]
    return made


def _kinds(of: type[Action]) -> list[type[Action]]:
    return [kind for one in of.__subclasses__() for kind in (one, *_kinds(one))]


def _option(name: str, value: str | int | None) -> tuple[str, ...]:
    """An option with its value; nothing where it is not given.

    A value that begins like an option is tied to its name, so that it is taken for the value.
    """
    if value is None:
        return ()
    text = str(value)
    return (f"{name}={text}",) if text.startswith("-") else (name, text)


def _names(names: Sequence[str]) -> str:
    """Names with commas between them; one that could be read otherwise stands in quotes."""
    return ",".join(
        f'"{quoted}"' if one != one.strip() or set(one) & set('",') else one
        for one, quoted in ((one, one.replace('"', '""')) for one in names)
    )


def _flag(name: str, is_set: bool) -> tuple[str, ...]:
    return (name,) if is_set else ()


class EditAction(Action, frozen=True, kw_only=True):
    """An action that is one edit of the project file: one write, one line of the log."""

    by: str

    def fill(self, edit: ProjectEdit) -> None:
        """Say it to the edit, which refuses what cannot be said."""
        raise InternalError(f"{type(self).__name__} edits nothing.")

    def check(self, project: ProjectFile) -> None:
        """Refuse what would be refused, and write nothing."""
        self.fill(ProjectEdit(project, self.by))

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> ProjectFile:
        """Make the edit; the project as it is then."""
        with ProjectEdit(project, self.by) as edit:
            self.fill(edit)
        return edit.project


class RuleOnFlags(EditAction, frozen=True, kw_only=True):
    """Rule on flags: common knowledge (`accept`), or a residual risk."""

    name: ClassVar[str] = "rule"
    findings: tuple[str, ...]
    accept: bool
    reason: str
    instead: bool = False

    def options(self) -> tuple[str, ...]:
        """The flags, the ruling, why and by whom."""
        said = "--common-knowledge" if self.accept else "--keep"
        signed = (*_option("--reason", self.reason), *_option("--by", self.by))
        return (said, *_flag("--instead", self.instead), *signed, "--", *self.findings)

    def fill(self, edit: ProjectEdit) -> None:
        """Rule on each, with one reason."""
        for one in self.findings:
            edit.rule(one, accept=self.accept, reason=self.reason, instead=self.instead)


class Sign(EditAction, frozen=True, kw_only=True):
    """Accept limits and answer questions about the context, together."""

    name: ClassVar[str] = "sign"
    is_accepting: bool = False  # of limits
    preset: str | None = None
    changes: Changes = {}
    answers: dict[str, str] = {}

    def options(self) -> tuple[str, ...]:
        """The limits as they are changed, the answers, and by whom."""
        return (
            *self._limits(),
            *(word for one in self.answers.items() for word in _option("--answer", "=".join(one))),
            *_option("--by", self.by),
        )

    def _limits(self) -> tuple[str, ...]:
        changed = [_limit_text(*one) for one in self.changes.items()]
        return (
            *_option("--preset", self.preset),
            *(word for one in changed for word in _option("--set", one)),
            *_flag("--accept", self.is_accepting),
        )

    def fill(self, edit: ProjectEdit) -> None:
        """Accept the limits, then answer."""
        if self.is_accepting:
            edit.limits(preset=self.preset, changes=self.changes)
        for factor, answer in self.answers.items():
            edit.answer(factor, answer)


def _limit_text(measure: str, pair: tuple[float, float] | None) -> str:
    return f"{measure}=off" if pair is None else f"{measure}={pair[0]!r},{pair[1]!r}"


class AcceptLimits(Sign, frozen=True, kw_only=True):
    """Accept the limits of the project, or of a preset, with some of them changed."""

    name: ClassVar[str] = "limits"
    is_accepting: bool = True

    def options(self) -> tuple[str, ...]:
        """The limits as they are changed, and by whom."""
        return (*self._limits(), *_option("--by", self.by))


class AnswerQuestion(EditAction, frozen=True, kw_only=True):
    """Answer one of the five questions about the context."""

    name: ClassVar[str] = "answer"
    factor: str
    answer: str

    def options(self) -> tuple[str, ...]:
        """The question, the answer, and by whom."""
        return (*_option("--by", self.by), "--", self.factor, self.answer)

    def fill(self, edit: ProjectEdit) -> None:
        """Answer it."""
        edit.answer(self.factor, self.answer)


class AcceptAlert(EditAction, frozen=True, kw_only=True):
    """Accept alerts of the last run, each for a reason, for its files alone."""

    name: ClassVar[str] = "run"
    reasons: dict[str, str]

    def options(self) -> tuple[str, ...]:
        """Each alert with its reason, and by whom."""
        pairs = (
            (*_option("--accept", one), *_option("--reason", why))
            for one, why in self.reasons.items()
        )
        return (*(word for pair in pairs for word in pair), *_option("--by", self.by))

    def fill(self, edit: ProjectEdit) -> None:
        """Accept each."""
        for alert, reason in self.reasons.items():
            edit.accept(alert, reason=reason)


class Decide(Action, frozen=True, kw_only=True):
    """Release, or refuse to, about the last run."""

    name: ClassVar[str] = "decide"
    release: bool
    by: str
    note: str
    despite: dict[str, str] | tuple[str, ...] = ()  # by alert, or as "ALERT=REASON"

    def options(self) -> tuple[str, ...]:
        """The decision, why, and by whom."""
        given = self.despite
        texts = ["=".join(one) for one in given.items()] if isinstance(given, dict) else given
        return (
            "--release" if self.release else "--refuse",
            *(word for one in texts for word in _option("--despite", one)),
            *_option("--note", self.note),
            *_option("--by", self.by),
        )

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Decision:
        """Decide; the decision as it is kept."""
        return decide(project, **msgspec.structs.asdict(self))


class BuildPack(Action, frozen=True, kw_only=True):
    """Build the release pack of the last decision, or archive what stays."""

    name: ClassVar[str] = "pack"
    out: str
    form: PackForm = "public"
    sign: str | None = None

    def options(self) -> tuple[str, ...]:
        """Which pack, and where."""
        return (*_option(f"--{self.form}", self.out), *_option("--sign", self.sign))

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Pack:
        """Build and check it; a name is one in the folder of the project."""
        from unveil.project.pack import pack_confidential, pack_public

        build = pack_public if self.form == "public" else pack_confidential
        return build(project, project.folder / Path(self.out), sign=self.sign)


class RunMeasures(Action, frozen=True, kw_only=True):
    """Measure what the project declares."""

    name: ClassVar[str] = "run"
    by: str | None = None
    again: bool = False
    records: bool = False
    seed: int | None = None
    only: tuple[str, ...] = ()

    def options(self) -> tuple[str, ...]:
        """As they were given."""
        return (
            *_flag("--again", self.again),
            *_flag("--records", self.records),
            *_option("--by", self.by),
            *_option("--seed", self.seed),
            *_option("--only", ",".join(self.only) or None),
        )

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Run; the run as it is kept."""
        return run_project(project, **msgspec.structs.asdict(self), progress=progress)


class SetSettings(EditAction, frozen=True, kw_only=True):
    """Change settings of the project file, in one edit."""

    name: ClassVar[str] = "set"
    settings: tuple[str, ...]  # as they are typed: roles.key=["sex"]

    def options(self) -> tuple[str, ...]:
        """By whom, and each name with its value."""
        return (*_option("--by", self.by), "--", *self.settings)

    def fill(self, edit: ProjectEdit) -> None:
        """Set each."""
        for one in self.settings:
            edit.set(*parse_setting(one))


class OpenRecords(Action, frozen=True, kw_only=True):
    """List who is at risk, for a named person: who looked is in the log."""

    name: ClassVar[str] = "report"
    by: str

    def options(self) -> tuple[str, ...]:
        """The records alone, and for whom."""
        return ("--only-records", *_option("--by", self.by))

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Path:
        """Write them into the folder confidential; where they are."""
        return open_records(project, by=self.by)


class InitProject(Action, frozen=True, kw_only=True):
    """Propose a project for the files of a folder."""

    name: ClassVar[str] = "init"
    data: str
    synthetic: tuple[str, ...] = ()
    control: str | None = None
    audience: str = "registered"
    templates: tuple[str, ...] = ("neighbour",)
    title: str | None = None
    by: str | None = None

    def options(self) -> tuple[str, ...]:
        """As they were given."""
        return (
            *(word for one in self.synthetic for word in _option("--synthetic", one)),
            *_option("--control", self.control),
            *_option("--audience", self.audience),
            *_option("--template", ",".join(self.templates)),
            *_option("--title", self.title),
            *_option("--by", self.by),
            "--",
            self.data,
        )

    def do_in(self, folder: Path, progress: Progress = no_progress) -> Path:
        """Write the project file of a folder that has none; paths start there."""
        asked = msgspec.structs.asdict(self)
        asked |= {"synthetic": [folder / one for one in self.synthetic]}
        asked |= {"control": None if self.control is None else folder / self.control}
        made, _ = propose_project(folder / asked.pop("data"), folder, **asked, progress=progress)
        return made


class SynthesiseCopies(Action, frozen=True, kw_only=True):
    """Make synthetic files as the project says, but for what is said here."""

    name: ClassVar[str] = "synthesise"
    needs_files: ClassVar[bool] = False
    method: str | None = None
    copies: int | None = None
    min_leaf: int | None = None

    def options(self) -> tuple[str, ...]:
        """As they were given."""
        return (
            *_option("--copies", self.copies),
            *_option("--method", self.method),
            *_option("--min-leaf", self.min_leaf),
        )

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Make them, and enter them in the project."""
        return synthesise_project(project, **msgspec.structs.asdict(self), progress=progress)


class ProtectCopies(Action, frozen=True, kw_only=True):
    """Make protected synthetic data by the steps that the project declares."""

    name: ClassVar[str] = "protect"
    needs_files: ClassVar[bool] = False
    out: str = "protected"

    def options(self) -> tuple[str, ...]:
        """Where to."""
        return _option("--out", self.out)

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Make them, and enter them in the project."""
        return protect_copy(project, out=project.folder / self.out, progress=progress)


# What is measured for a page alone: kept beside the jobs, where the next page finds it.


Answer = TypeVar("Answer", bound=VersionedRecord)


def _keep_answer(project: ProjectFile, name: str, record: VersionedRecord) -> None:
    home = confidential_folder(project.folder) / "app"
    home.mkdir(exist_ok=True, mode=0o700)
    replace_file(home / name, record.to_json().encode(), mode=0o600)


def _find_answer(project: ProjectFile, name: str, kind: type[Answer]) -> Answer | None:
    try:
        return kind.from_json((project.folder / CONFIDENTIAL / "app" / name).read_bytes())
    except (OSError, InputError):
        return None


class MeasureFiles(Action, frozen=True, kw_only=True):
    """An action about files and not their project, which are read as it says."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    original: str
    special_codes: dict[str, tuple[float, ...]] = {}
    missing_values: tuple[str, ...] = ()

    @classmethod
    def of(cls, project: ProjectFile, about: ScenarioEntry, **given: Any) -> Self:
        """About the files of a project, and the targets of a scenario that are no keys."""
        keys = given.pop("keys", about.keys)
        every = about.targets or project.roles.target
        return cls(
            keys=tuple(keys),
            targets=tuple(one for one in every if one not in keys),
            original=project.data.original,
            special_codes={name: tuple(of) for name, of in project.data.special_codes.items()},
            missing_values=project.data.missing_values,
            **given,
        )

    def _reading(self) -> tuple[str, ...]:
        codes = (f"{name}={','.join(map(repr, of))}" for name, of in self.special_codes.items())
        return (
            *_option("--keys", _names(self.keys)),
            *_option("--targets", _names(self.targets)),
            *(word for one in codes for word in _option("--special-codes", one)),
            *(word for one in self.missing_values for word in _option("--missing", one)),
        )


class MeasureKeySets(MeasureFiles, frozen=True, kw_only=True):
    """Disclosure by every set of some keys, in the place of those of a scenario."""

    name: ClassVar[str] = "keysets"
    scenario: str
    synthetic: tuple[str, ...]
    at_most: int | None = None

    @classmethod
    def of(cls, project: ProjectFile, about: ScenarioEntry, **given: Any) -> Self:
        """About the files of a project, and the targets of a scenario that are no keys."""
        named = {"scenario": about.name, "synthetic": project.data.synthetic}
        return super().of(project, about, **named, **given)

    def options(self) -> tuple[str, ...]:
        """The files, the keys and the targets."""
        return (
            *self._reading(),
            *_option("--at-most", self.at_most),
            "--",
            self.original,
            *self.synthetic,
        )

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Count them, and keep what was found."""
        found = key_sets(
            project.folder / self.original,
            [project.folder / one for one in self.synthetic],
            keys=self.keys,
            targets=self.targets,
            at_most=self.at_most,
            special_codes=self.special_codes,
            missing_values=self.missing_values,
            progress=progress,
        )
        _keep_answer(project, self._file(self.scenario), found.record)
        return found

    @classmethod
    def find(cls, project: ProjectFile, scenario: str) -> KeySets | None:
        """What was found last; None where nothing was."""
        return _find_answer(project, cls._file(scenario), KeySets)

    @staticmethod
    def _file(scenario: str) -> str:
        return f"keysets_{hash_bytes(scenario.encode())[:12]}.json"


class ExploreSettings(MeasureFiles, frozen=True, kw_only=True):
    """Try several ways of making synthetic data, and measure each; none is written."""

    name: ClassVar[str] = "explore"
    FILE: ClassVar[str] = "exploration.json"
    FOLDER: ClassVar[str] = f"{CONFIDENTIAL}/explore"
    folder: str = FOLDER  # where it is continued
    methods: tuple[str, ...] = ("cart", "sample")
    min_leaf: tuple[int, ...] = (5, 20, 50)
    copies: int = 2

    @classmethod
    def of(cls, project: ProjectFile, about: ScenarioEntry, **given: Any) -> Self:
        """About a scenario; other keys, codes or data are tried in a folder of their own."""
        made = super().of(project, about, **given)
        look = (project.folder / made.original).stat()
        asked = (made.keys, made.targets, made.copies, made.special_codes, made.missing_values)
        mark = hash_bytes(repr((*asked, look.st_size, look.st_mtime_ns)).encode())[:8]
        return msgspec.structs.replace(made, folder=f"{cls.FOLDER}_{mark}")

    def options(self) -> tuple[str, ...]:
        """What is tried, about whom, and where it is continued."""
        return (
            *self._reading(),
            *_option("--methods", ",".join(self.methods)),
            *_option("--min-leaf", ",".join(map(str, self.min_leaf))),
            *_option("--copies", self.copies),
            *_option("--control", "0"),
            *_option("--folder", self.folder),
            "--",
            self.original,
        )

    def do(self, project: ProjectFile, progress: Progress = no_progress) -> Any:
        """Try them, and keep what was found."""
        from unveil.project.explore.explore import explore

        confidential_folder(project.folder)
        found = explore(
            project.folder / self.original,
            keys=self.keys,
            targets=self.targets,
            methods=self.methods,
            min_leaf=self.min_leaf,
            copies=self.copies,
            control=0,
            special_codes=self.special_codes,
            missing_values=self.missing_values,
            folder=project.folder / self.folder,
            progress=progress,
        )
        _keep_answer(project, self.FILE, found.record)
        return found

    @classmethod
    def find(cls, project: ProjectFile) -> Exploration | None:
        """What was found last; None where nothing was."""
        return _find_answer(project, cls.FILE, Exploration)
