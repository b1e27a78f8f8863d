"""`unveil.Project`: a folder with one readable file; what command line and app call."""

import dataclasses
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import tomlkit

import unveil
from unveil.arguments import (
    File,
    Form,
    Keys,
    Missing,
    Names,
    SecretSeed,
    Seed,
    Synthetic,
    Targets,
    Texts,
    as_names,
    checked,
    last_text,
    split_names,
)
from unveil.data.columns import Columns
from unveil.data.files import replace_file
from unveil.data.read import place_of
from unveil.errors import BlockedError, InputError, check_name
from unveil.project.parts import (
    MEASURES,
    Part,
    hash_files,
    in_scenario,
    measure_parts,
    measures_of_figures,
    open_study,
    plan_parts,
)
from unveil.project.protecting import (
    CONFIDENTIAL,
    as_compared,
    read_try,
    save_tries,
    steps_of,
    write_recoded,
    write_synthetic,
)
from unveil.project.rows import Decision, Explanation, History, Pack, Run
from unveil.project.settings import Audience, Settings, Signed, Statement, read_settings
from unveil.project.standing import RunRecord, Standing, limits_of
from unveil.project.stating import (
    check_name_given,
    check_nothing_is_missing,
    needs_of,
    person,
    put,
    put_data,
    put_steps,
    rulings,
    seal,
    state,
    take_decision,
)
from unveil.project.store import DIGITS, Log, only_one, sha256
from unveil.project.view import run_of, view_of_standing
from unveil.results import OF_PEOPLE
from unveil.results.words import join_names
from unveil.study import Study

SECONDS = 10  # that a change waits for another
FILE = "project.toml"


def _parse_answers(texts: Sequence[str]) -> dict[str, str]:
    """ABOUT=ANSWER; the last = parts them."""
    answers: dict[str, str] = {}
    for text in texts:
        about, mark, answer = text.rpartition("=")
        if not mark or about in answers:
            raise InputError(
                f"{text!r} is no ABOUT=ANSWER, or is said twice. Write limits=accepted."
            )
        answers[about] = answer
    return answers


Answers = Annotated[
    Mapping[str, str],
    Form("a mapping of what is stated to the answer", "ABOUT=ANSWER", _parse_answers),
]


Where = Annotated[Any, Form("a path", "PATH", last_text)]
Tries = Annotated[
    str | Sequence[str], Form("a column or several", "COLUMN", split_names, ("--try",))
]


class Project:
    """A folder with `project.toml`; results, runs, decisions and the log stand beside it.

    Parameters
    ----------
    folder
        Where it is.
    """

    def __init__(self, folder: str | Path = ".") -> None:
        self.folder = Path(folder)
        self.file = self.folder / FILE
        self._log = Log(self.folder)
        if not self.file.is_file():
            raise InputError(
                f"There is no project in {str(folder)!r}. Begin one: unveil init ORIGINAL"
                ' SYNTHETIC --by "NAME, ROLE".'
            )

    def __repr__(self) -> str:
        return f"Project {self.settings.title!r} in {str(self.folder)!r}."

    @classmethod
    @checked
    def create(
        cls,
        original: File,
        synthetic: Synthetic = None,
        *,
        control: File | None = None,
        keys: Keys = (),
        targets: Targets = (),
        columns: Columns = {},  # noqa: B006
        missing: Missing = (),
        audience: Audience = "open",
        by: str = "",
        folder: Where = ".",
    ) -> "Project":
        """Propose a project for an original and its synthetic data.

        Parameters
        ----------
        original
            The confidential data: a path.
        synthetic
            The data to be released, if they are made already: paths.
        control
            People of the same kind whose records were not used.
        keys
            What an intruder knows of a person; proposed if omitted.
        targets
            What they might learn; proposed if omitted.
        columns
            What is true of one column: income:special=-8, pid=person.
        missing
            A text that stands for a missing value, such as NA.
        audience
            Who will hold the data: closed, registered or open.
        by
            Your name and role.
        folder
            Where the project is made.
        """
        from unveil.project.proposal import propose

        path = Path(folder) / FILE
        if path.exists():
            raise InputError(f"There is a project in {str(folder)!r} already. Edit {str(path)!r}.")
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {str(folder)!r}. Make it first.")
        study = Study(original, synthetic, control=control, keys=keys, targets=targets,
                      columns=columns, missing=missing)  # fmt: skip
        if any(file.path is None for file in study.files):
            raise InputError("A project needs files, not data frames. Write them first.")
        description = unveil.describe(study)
        data = _paths_from(path.parent, original, synthetic, control)
        data |= {"missing": list(missing)} if missing else {}
        text = propose(study, description, data, audience, Path(original).stem)
        _read(text)
        replace_file(path, text.encode())
        project = cls(folder)
        with project._editing():
            project._log.add("init", by)
        return project

    # The file

    @property
    def settings(self) -> Settings:
        try:
            return _read(self.file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{str(self.file)!r} cannot be read as text.") from None

    @property
    def compared(self) -> Settings:
        """The settings with the files that runs read: recoded ones where steps recode."""
        return as_compared(self.settings, self.folder)

    @contextmanager
    def _editing(self) -> Iterator[None]:
        with only_one(self.folder / ".edit.lock", "Another change", SECONDS):
            yield

    def _edit(self, change: Callable[[tomlkit.TOMLDocument], Any]) -> None:
        """Change the file, its comments kept; nothing is written that cannot be read."""
        document = tomlkit.parse(self.file.read_text("utf-8"))
        change(document)
        text = tomlkit.dumps(document)
        _read(text)
        replace_file(self.file, text.encode())

    def study(self, scenario: str = "") -> Study:
        """The files as one intruder sees them; by default the first."""
        settings = self.compared
        scenario = scenario or next(iter(settings.scenarios))
        check_name(scenario, settings.scenarios, "There is no scenario")
        return in_scenario(
            open_study(settings, self.folder), settings, settings.scenarios[scenario]
        )

    # Runs

    @checked
    def run(self, *, only: Names = (), again: bool = False, by: str = "", seed: Seed = None) -> Run:
        """Measure what has changed, and say where the project stands.

        Parameters
        ----------
        only
            The measures that are made: assess, disclosure; what is stored of others is used.
        again
            Measure anew what is stored.
        by
            Your name and role.
        seed
            The start of the random numbers.
        """
        for name in as_names(only):
            check_name(name, MEASURES, "There is no measure (--only)")
        with only_one(self.folder / ".run.lock", "Another run"):
            settings = self.compared
            records = self._records()
            if seed is None and records:
                seed = records[-1].seed
            parts = self._plan(settings, seed)
            base: list[Study] = []

            def study(scenario: str) -> Study:
                if not base:
                    base.append(open_study(settings, self.folder))
                    if self._plan(settings, seed) != parts:
                        raise BlockedError("A file changed while it was read. Next: unveil run")
                if not scenario:
                    return base[0]
                return in_scenario(base[0], settings, settings.scenarios[scenario])

            folder = self._parts(unveil.__version__)
            stored = tuple(measure_parts(parts, study, self.folder, folder, again, as_names(only)))
            with self._editing():
                self._record(settings, stored, parts[0].files, by, seed)
        made = [(part, part.load(folder)) for part in stored]
        return run_of(dataclasses.replace(self.standing(), parts=made))

    def _record(
        self, settings: Settings, stored: Any, files: dict[str, str], by: str, seed: int | None
    ) -> None:
        """The run in a file and in the log, unless it is the last one again."""
        records = self._records()
        number = len(records) + 1
        names = {role: Path(name).name for role, name in settings.data.files().items()}
        record = RunRecord(
            number=number, on=_now(), by=by, version=unveil.__version__, seed=seed, files=files,
            names=names, limits=limits_of(settings), parts=stored,
        )  # fmt: skip
        if records and all(part.state == "reused" for part in stored):
            last = records[-1]
            if [p.sha256 for p in last.parts] == [p.sha256 for p in stored] and (
                last.plan,
                last.version,
                last.limits,
            ) == (record.plan, record.version, record.limits):
                return
        standing = self._standing_of(record, settings)
        record = msgspec.structs.replace(
            record, headline=standing.headline, status=standing.status, exit_code=standing.exit_code
        )
        content = msgspec.json.encode(record)
        self._log.add("run", by, f"runs/{number:04}.json", content, about=f"run {number}",
                      answer=standing.status)  # fmt: skip

    def _plan(self, settings: Settings, seed: int | None) -> list[Part]:
        files = hash_files(settings, self.folder)
        if not any(role.startswith("synthetic") for role in files):
            raise InputError(
                f"{FILE} names no synthetic data. Make them (unveil synthesise --project"
                f" {shlex.quote(str(self.folder))}), or name them in [data]."
            )
        return list(plan_parts(settings, self._signed(settings), files, seed))

    def _parts(self, version: str) -> Path:
        return self.folder / "parts" / version

    def _records(self) -> list[RunRecord]:
        return [self._decode(path, RunRecord) for path in self._files("runs")]

    def _files(self, what: str) -> list[Path]:
        self._log.settle()
        return sorted((self.folder / what).glob("[0-9]*.json"))

    def _decode(self, path: Path, kind: Any) -> Any:
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, msgspec.MsgspecError):
            raise BlockedError(
                f"{path.parent.name}/{path.name} is not as it was written. Next: unveil log"
            ) from None

    def _signed(self, settings: Settings) -> tuple[Signed, ...]:
        """The statements that the log knows: others were written by hand, or changed."""
        known = {act.get("holds") for act in self._log.acts() if act["act"] == "sign"}
        return tuple(said for said in settings.statement if seal(said) in known)

    def standing(self, number: int | None = None) -> Standing:
        """Where the project is, or where it was after one of its runs."""
        records = self._records()
        if not records:
            raise InputError("Nothing has been measured yet. Next: unveil run")
        if number is None:
            return self._standing_of(records[-1], self.compared)
        if not 1 <= number <= len(records):
            raise InputError(f"There is no run {number}; the last is {len(records)}.")
        return self._standing_of(records[number - 1], self.compared)

    def _standing_of(self, record: RunRecord, settings: Settings) -> Standing:
        decisions = self._files("decisions")
        folder = self._parts(record.version)
        return Standing(
            settings=settings,
            record=record,
            parts=[(part, part.load(folder)) for part in record.parts],
            statements=self._signed(settings),
            decided=Decision.load(decisions[-1]) if decisions else None,  # type: ignore[arg-type]
            changed=self._changed(record, settings),
            log=self._log.head,
        )

    def _changed(self, record: RunRecord, settings: Settings) -> str:
        """What is not as the run found it; empty if all is."""
        if fault := self._log.fault():
            return f"Changed by hand: {fault}"
        parts = self._plan(settings, record.seed)
        files = parts[0].files
        if files != record.files:
            roles = [r for r in {**files, **record.files} if files.get(r) != record.files.get(r)]
            names = (record.names.get(role, role) for role in roles)
            return f"Out of date: {join_names(names)} changed since run {record.number}"
        if [part.hash for part in parts] != [part.hash for part in record.parts]:
            return f"Out of date: settings changed since run {record.number}"
        return ""

    def runs(self) -> tuple[Run, ...]:
        """All runs, the last one last, each as it ended."""
        settings = self.compared
        runs = []
        for record in self._records():
            past = msgspec.structs.replace(settings, limits=record.limits)
            run = run_of(self._standing_of(record, past))
            ended = {n: getattr(record, n) for n in ("headline", "status", "exit_code")}
            runs.append(msgspec.structs.replace(run, settings=run.settings | ended, outstanding=()))
        return tuple(runs)

    @checked
    def synthesise(self, *, seed: SecretSeed = None) -> Any:
        """Make the synthetic data as [synthesis] says, and name them in the project.

        Parameters
        ----------
        seed
            The start of the random numbers; confidential.
        """
        settings = self.settings
        alone = msgspec.structs.replace(settings.data, synthetic=None, control=None)
        study = open_study(msgspec.structs.replace(settings, data=alone), self.folder)
        asked = settings.synthesis | ({} if seed is None else {"seed": seed})
        result = unveil.synthesise(study, **asked)
        self._keep(result, "synthesis", settings, {"recoded": None})
        return result

    @checked
    def protect(
        self, *, tries: Tries = (), use: Annotated[int, msgspec.Meta(ge=1)] | None = None,
        rows: Annotated[int, msgspec.Meta(ge=1)] | None = None, seed: SecretSeed = None,
    ) -> Any:  # fmt: skip
        """Protect and make the synthetic data as [[protect]] says, or try coarser settings first.

        Parameters
        ----------
        tries
            Columns that are tried coarser, risk and utility side by side; nothing is written.
        use
            The number of a try: its steps are written into the project and taken.
        rows
            Synthetic records to be kept; by default as many as are made.
        seed
            The start of the random numbers; confidential.
        """
        settings = self.settings
        steps = steps_of(settings) if use is None else read_try(use, self.folder)
        is_made = any(step.get("do") == "synthesise" for step in steps)
        data = settings.data
        named = msgspec.structs.replace(data, synthetic=None if is_made else data.synthetic)
        plain = msgspec.structs.replace(settings, data=named)
        first = next(iter(settings.scenarios.values()))
        study = in_scenario(open_study(plain, self.folder), settings, first)
        result = unveil.protect(study, steps, tries=tries, rows=rows, seed=seed)
        if tries:
            (self.folder / CONFIDENTIAL).mkdir(exist_ok=True)
            save_tries(result, self.folder)
            return result
        if use is not None:
            with self._editing():
                self._edit(lambda document: put_steps(document, steps))
        (self.folder / CONFIDENTIAL).mkdir(exist_ok=True)
        recoded = write_recoded(study, result.study, settings, self.folder)
        self._keep(result, "protection", settings, {"recoded": recoded})
        return result

    def _keep(self, result: Any, name: str, settings: Settings, data: dict[str, Any]) -> None:
        """Synthetic data in the folder and in the file, and a record of how they were made."""
        path, _ = place_of(self.folder / settings.data.original)
        with only_one(self.folder / ".run.lock", "A run"), self._editing():
            names = write_synthetic(result.study, self.folder, path)
            (self.folder / CONFIDENTIAL).mkdir(exist_ok=True)
            result.save(self.folder / CONFIDENTIAL / f"{name}.json")
            named: Any = names[0] if len(names) == 1 else names
            self._edit(lambda document: put_data(document, data | {"synthetic": named}))
            self._log.add(name, "", about=", ".join(names))

    # What people state

    @checked
    def explain(self, target: str, *, scenario: str = "", exclude: Texts = ()) -> Explanation:
        """Explain one target: its values, its flags, and what an exclusion would do.

        Parameters
        ----------
        target
            The variable that might be learned.
        scenario
            The intruder; by default the first.
        exclude
            What would not be counted, before it is signed: condition=no condition.
        """
        from unveil.project.explain import explain

        study = self.study(scenario)
        settings = self.settings
        scenario = scenario or next(iter(settings.scenarios))

        def told() -> None:
            with self._editing():
                self._log.add("records", "", about=f"{scenario}/{target}")

        return explain(self.standing(), study, scenario, target, as_names(exclude), told)

    @checked
    def sign(self, answers: Answers, *, reason: str = "", by: str) -> tuple[Statement, ...]:
        """State something by name: accept limits, answer a question, rule on a flag.

        Parameters
        ----------
        answers
            What is stated, and the answer: limits=accepted.
        reason
            Why; needed for figures, alerts and flags.
        by
            Your name and role.
        """
        check_name_given(by)
        with self._editing():
            standing = self.standing()
            if standing.changed:
                raise BlockedError(f"{standing.changed}. Next: unveil run")
            needed = {need.about: need for need in standing.needs} | rulings(standing)
            if not answers:
                raise InputError(
                    "Nothing is stated. Name one of"
                    f" {join_names(n.about for n in standing.missing)}."
                )
            signed = tuple(
                state(about, answer, reason, by, need, len(answers) > 1)
                for about, answer in answers.items()
                for need in needs_of(about, needed)
            )
            self._edit(lambda document: put(document, signed))
            for said in signed:
                self._log.add("sign", by, about=said.about, answer=said.answer, holds=seal(said))
        return tuple(said.plain for said in signed)

    @checked
    def decide(
        self, answer: Literal["release", "refuse"], *, reason: str = "", by: str
    ) -> Decision:
        """Decide on the release of the synthetic data.

        Parameters
        ----------
        answer
            release or refuse.
        reason
            Why; needed to refuse.
        by
            Your name and role.
        """
        check_name_given(by)
        with self._editing():
            standing = self.standing()
            if standing.changed:
                raise BlockedError(f"{standing.changed}. Next: unveil run")
            if answer == "refuse" and not reason.strip():
                raise InputError(
                    "A reason is missing: say why the data are not released (--reason)."
                )
            if answer == "release":
                check_nothing_is_missing(standing)
            signers = {person(said.by) for said in standing.stated.values()}
            if standing.settings.context.four_eyes and person(by) in signers:
                raise InputError(f"Four eyes: {by} signed statements. Another person decides.")
            decision = take_decision(standing, answer, reason, by)
            number = len(self._files("decisions")) + 1
            content = msgspec.json.encode(decision.document())
            self._log.add("decide", by, f"decisions/{number:04}.json", content,
                          about=f"run {standing.record.number}", answer=answer)  # fmt: skip
        return decision

    @checked
    def report(self, path: Where | None = None, *, run: int | None = None) -> Path:
        """Write the page to sign, with all figures: confidential.

        Parameters
        ----------
        path
            Where; by default confidential/report_0001.html.
        run
            The number of a run; by default the last.
        """
        from unveil.show.report import report

        standing = self.standing(run)
        if path is None:
            folder = self.folder / "confidential"
            folder.mkdir(exist_ok=True)
            path = folder / f"report_{standing.record.number:04}.html"
        if Path(path).suffix.lower() != ".html" or not Path(path).parent.is_dir():
            raise InputError(
                f"{str(path)!r} ends not with .html, or is in no folder that is there. A browser"
                " prints it on paper or as PDF."
            )
        replace_file(Path(path), report(view_of_standing(standing)).encode())
        return Path(path)

    @checked
    def pack(self, path: Where) -> Pack:
        """Build the release pack: only what may leave, searched before it is written.

        Parameters
        ----------
        path
            The file: release.zip.
        """
        from unveil.project.pack import build

        standing = self.standing()
        if standing.state != "released":
            raise BlockedError(
                f"Only what is released can be packed. {standing.headline}. Next:"
                " unveil decide release"
            )
        if Path(path).suffix != ".zip" or not Path(path).parent.is_dir():
            raise InputError(f"{str(path)!r} ends not with .zip, or is in no folder that is there.")
        pack = build(standing, self.folder, Path(path))
        with self._editing():
            decision = standing.decision
            by = decision.settings["by"] if decision else ""
            self._log.add("pack", by, about=Path(path).name, answer=sha256(Path(path))[:DIGITS])
        return pack

    def log(self) -> History:
        """What was measured and done, by whom, and whether all of it is as it was written."""
        from unveil.project.history import history

        return history(self._log, self._records(), self._parts)


def _read(text: str) -> Settings:
    return read_settings(text, {*measures_of_figures(), *OF_PEOPLE}, MEASURES)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _paths_from(folder: Path, original: Any, synthetic: Any, control: Any) -> dict[str, Any]:
    """Files as they are named in a project: from its folder, so that both may move together."""

    def named(file: Any) -> Any:
        if isinstance(file, Mapping):
            return {version: named(copies) for version, copies in file.items()}
        if isinstance(file, list | tuple):
            return [named(copy) for copy in file]
        path, sheet = place_of(file)
        text = Path(os.path.relpath(path, folder)).as_posix()
        return f"{text}#{sheet}" if sheet else text

    files = {"original": original, "synthetic": synthetic or None, "control": control}
    return {role: named(file) for role, file in files.items() if file is not None}
