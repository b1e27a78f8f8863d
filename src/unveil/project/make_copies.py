"""How does a copy get into a project? Made as its file says, written, entered there, logged."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import polars as pl
from msgspec.structs import replace

from unveil.arguments import check_faults, parse_whole_number
from unveil.atomic import write_all_or_none, write_new
from unveil.errors import InputError, ReadError, RolesError, WriteError, list_names, quote_text
from unveil.io.sources import CachedFile, hold
from unveil.io.write_file import ENDINGS, WriteSettings, target_of, write_files
from unveil.project.edit_project import change
from unveil.project.fingerprint import file_sha256
from unveil.project.model import ProjectFile
from unveil.project.protect import plan_protection, protect_project
from unveil.project.read_project import NAME as PROJECT_NAME
from unveil.project.read_project import read_project
from unveil.project.seeds import CONFIDENTIAL, confidential_folder
from unveil.project.stages import add_stages
from unveil.project.toml import set_settings
from unveil.protection.plan_synthesis import drop_identifiers, identifier_faults
from unveil.protection.result import ProtectResult
from unveil.records.codebook import Codebook
from unveil.records.protection import Protection
from unveil.records.synthesis import ConfidentialSynthesis, Synthesis
from unveil.study.scenario import Progress, no_progress
from unveil.synthesis.settings import MOST_COPIES, parse_missing_entries
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser, check_path, save
from unveil.view.show import Result

# How do copies get into a folder? All of them or none, over nothing, and marked as fake.


_OF_ORIGINAL = {"pq": "parquet"}


@dataclass(frozen=True)
class WrittenFiles:
    """What was written, and what the format had no room for: each sentence once."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def choose_ending(original: str) -> str:
    """The format of copies where none is asked for: that of the original, or CSV."""
    ending = Path(original).suffix.lower().removeprefix(".")
    ending = _OF_ORIGINAL.get(ending, ending)
    return ending if ending in ENDINGS else "csv"


def copy_paths(original: str, folder: Path, copies: int, ending: str) -> tuple[Path, ...]:
    """Where each copy goes; refused, before anything is fitted, where something is there."""
    parse_whole_number("copies", copies, most=MOST_COPIES)  # before as many names are made
    stem = Path(original).name.split(".", maxsplit=1)[0]
    numbers = [""] if copies == 1 else [f"_{number}" for number in range(1, copies + 1)]
    paths = tuple(target_of(folder / f"{stem}{number}.{ending}", fake=True) for number in numbers)
    _check_free(paths)
    return paths


def _check_free(paths: Sequence[Path]) -> None:
    """Refuse a folder that is none, or that holds a file which is to be written."""
    folder = paths[0].parent
    if os.path.lexists(folder) and not folder.is_dir():
        raise WriteError(f"{quote_text(str(folder))} is a file, not a folder. Name a folder.")
    present = [path.name for path in paths if os.path.lexists(path)]
    if present:
        raise WriteError(
            f"The folder {quote_text(str(folder))} already holds {list_names(present)}. Nothing was"
            " written. Name another folder, or move the old files away first."
        )


def write_copies(
    copies: Sequence[pl.DataFrame],
    targets: Sequence[Path],
    codebook: Codebook | None,
    record: Synthesis,
) -> WrittenFiles:
    """Write every copy to its place, declared like the original, or none of them."""
    partly = any(column.role == "kept" for column in record.columns)
    asked = WriteSettings(codebook, partly=partly)
    made = write_files(list(zip(copies, targets, strict=True)), asked)
    return WrittenFiles(
        tuple(Path(path) for one in made for path in (one.path, *one.beside)),
        tuple(dict.fromkeys(note for one in made for note in one.notes)),
    )


# Where do the copy, its public statement and the confidential record go? All of them, or none.


STATEMENT = "noise_statement.txt"
RECORD = "protection.json"
OWNER_ONLY = 0o700


@dataclass(frozen=True)
class OutputPaths:
    """Files that are not there yet: what may be released in one folder, the rest in another.

    The folder that is released holds nothing confidential at any depth, for folders are copied and
    packed whole.
    """

    folder: Path
    confidential: Path  # with the project, under the name of the folder that is released
    copy: Path
    stages: tuple[tuple[str, Path], ...]

    @classmethod
    def of(
        cls, original: Path, folder: Path, ending: str | None, *, project: Path, keep: bool
    ) -> "OutputPaths":
        """Refuse, before anything is computed, what could not be written in the end."""
        apart = project / CONFIDENTIAL / folder.resolve().name
        _check_within(apart, folder)
        end = ending or choose_ending(str(original))
        stem = original.name.split(".", maxsplit=1)[0]
        names = {"s1": "S1_synthesis_only", "s2": "S2_before_noise"} if keep else {}
        made = cls(
            folder,
            apart,
            target_of(folder / f"{stem}.{end}", fake=True),
            tuple(
                (stage, target_of(apart / f"{stem}_{words}.{end}", fake=True))
                for stage, words in names.items()
            ),
        )
        _check_free((made.copy, folder / STATEMENT))
        _check_free((apart / RECORD, *(path for _, path in made.stages)))
        made._try_out()
        return made

    def _try_out(self) -> None:
        """Make the folders and a file in each, and take all of it away again."""
        new = self.missing()
        try:
            self.make_folders()
            for folder in (self.folder, self.confidential):
                _hold_a_file(folder)
        finally:
            _remove_written((), new)

    def missing(self) -> list[Path]:
        """The folders that are still to be made, each after those it is in."""
        every = [one for to in (self.folder, self.confidential) for one in (to, *to.parents)]
        return sorted({one for one in every if not os.path.lexists(one)})

    def make_folders(self) -> None:
        """The folder for release, and the confidential ones for their owner alone."""
        _make_folder(self.folder, 0o777)
        for folder in (self.confidential.parent, self.confidential):
            _make_folder(folder, OWNER_ONLY)


def write_outputs(targets: OutputPaths, made: ProtectResult) -> WrittenFiles:
    """Write everything, and say what; where one file cannot be written, none is left."""
    frames: dict[str, pl.DataFrame] = {"s1": made.s1, "s2": made.s2}
    jobs = [(made.s3, targets.copy), *((frames[stage], path) for stage, path in targets.stages)]
    partly = any(column.role == "kept" for column in made.record.synthesis.columns)
    new = targets.missing()
    paths: list[Path] = []
    try:
        targets.make_folders()
        done = write_files(jobs, WriteSettings(made.codebook, partly=partly))
        paths += [Path(path) for one in done for path in (one.path, *one.beside)]
        paths += write_new(targets.folder, {STATEMENT: made.statement.encode()})
        kept = replace(made.confidential, copy_sha256=file_sha256(targets.copy)[1])
        document = kept.to_json().encode()
        paths += write_new(targets.confidential, {RECORD: document}, mode=0o600)
    except BaseException:
        _remove_written(paths, new)
        raise
    notes = [*(note for one in done for note in one.notes), *_open_to_others(targets.confidential)]
    return WrittenFiles(tuple(paths), tuple(dict.fromkeys(notes)))


def _check_within(confidential: Path, folder: Path) -> None:
    if confidential.resolve().is_relative_to(folder.resolve()):
        raise WriteError(
            f"The folder {quote_text(str(folder))} holds the confidential folder of the project,"
            " and what is made for release needs a folder of its own. Name another: --out protected"
        )


def _hold_a_file(folder: Path) -> None:
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise WriteError(
            f"No file can be made in the folder {quote_text(str(folder))}: {fault.strerror}. Name a"
            " folder in which you may create files."
        ) from None


def _open_to_others(folder: Path) -> Iterator[str]:
    """A folder that was there already keeps its permissions, which are not ours to change."""
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        yield (
            f"Others than its owner may look into the folder {folder}, though not read the files"
            f" written there. Close it: chmod 700 {folder}"
        )


def _make_folder(folder: Path, mode: int) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=mode, exist_ok=True)
    except OSError as fault:
        raise WriteError(
            f"The folder {quote_text(str(folder))} cannot be made: {fault.strerror}. Name a folder"
            " in which you may create files."
        ) from None


def _remove_written(paths: Sequence[Path], folders: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in reversed(folders):
        if os.path.isdir(folder) and not any(folder.iterdir()):  # no name is too long for it
            folder.rmdir()


COPIES, PROTECTED = "copies", "protected"


@dataclass(frozen=True, repr=False, eq=False)
class Copies(Result):
    """Copies that a project now names: how they were made and where they are; shows no row."""

    result: Synthesiser | ProtectResult
    copies: tuple[Path, ...]
    paths: tuple[Path, ...]  # all that was written: codebooks and confidential records too
    notes: tuple[str, ...]  # what the format had no room for
    project: ProjectFile
    model: Path | None = None

    @property
    def record(self) -> Synthesis | Protection:
        """How they were made."""
        return self.result.record


def is_in_project() -> bool:
    """Whether the working folder is that of a project."""
    return os.path.lexists(PROJECT_NAME)


def synthesise_project(
    project: ProjectFile,
    *,
    out: str | os.PathLike[str] | None = None,
    ending: str | None = None,
    model: Path | None = None,
    progress: Progress = no_progress,
    **given: Any,
) -> Copies:
    """Make copies as `[synthesis]` says; what is given besides wins, None is not given.

    They go into copies/0001, the next one into copies/0002, and their seed into the folder
    confidential. Columns with the role identifier are in no copy, unless they are renumbered, or
    a reason is stated to repeat their real values.
    """
    settings = synthesis_settings(project, given)
    _check_identifiers(project, settings)
    number = _next(project.folder)
    folder = project.folder / COPIES / number if out is None else Path(os.fsdecode(out))
    original = project.folder / project.data.original
    end = ending or choose_ending(str(original))
    targets = copy_paths(str(original), folder, settings.get("copies", 1), end)
    if model is not None:
        check_path(model)
    held = _read(project, original, settings)
    known = held.whole.frame.columns
    identifiers = [name for name in project.roles.identifier if name in known]
    made = synthesise(held, **drop_identifiers(identifiers, settings), progress=progress)
    with write_all_or_none() as paths:
        kept = None if model is None else save(made, model)
        paths.extend([] if kept is None else [kept])
        filed = write_copies(made.copies, targets, made.codebook, made.record)
        paths.extend(filed.paths)
        record = ConfidentialSynthesis(
            seed=made.seed, copies=_project_paths(project, targets), synthesis=made.record
        )
        document = {f"synthesis_{number}.json": record.to_json().encode()}
        paths.extend(write_new(confidential_folder(project.folder), document, mode=0o600))
    entered = _enter_copies(project, targets, "synthesise")
    shown = tuple(path for path in paths if path != kept)
    return Copies(made, targets, shown, filed.notes, entered, kept)


def protect_copy(
    project: ProjectFile,
    *,
    out: str | os.PathLike[str] | None = None,
    ending: str | None = None,
    keep_stages: bool = False,
    measure_stages: bool = False,
    rows: int | None = None,
    sweep: Any = None,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> Copies:
    """Make a copy as `[[protect.step]]` says; what is given besides wins.

    The copy and its public statement go into the folder protected, and all that is confidential
    into confidential/protected: releasing the first discloses no seed.
    """
    plan_protection(project)  # refused before a folder is tried
    folder = project.folder / PROTECTED if out is None else Path(os.fsdecode(out))
    targets = OutputPaths.of(
        project.folder / project.data.original,
        folder,
        ending,
        project=project.folder,
        keep=keep_stages,
    )
    asked = {"rows": rows, "sweep": sweep, "seed": seed}
    made = protect_project(project, asked, progress)
    made = add_stages(made, project, progress) if measure_stages else made
    filed = write_outputs(targets, made)
    entered = _enter_copies(project, [targets.copy], "protect")
    return Copies(made, (targets.copy,), filed.paths, filed.notes, entered)


def synthesis_settings(project: ProjectFile, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the synthesis of a project is asked for."""
    said = dict(project.synthesis or {})
    said |= {name: value for name, value in given.items() if value is not None}
    codes = {**project.data.special_codes, **(said.get("special_codes") or {})}
    if codes:
        said["special_codes"] = codes
    said.setdefault("missing_values", project.data.missing_values)
    said.setdefault("person", project.roles.person)
    said.setdefault("time", project.roles.time)
    return said


def _read(project: ProjectFile, original: Path, settings: Mapping[str, Any]) -> CachedFile:
    labels = project.data.labels
    return hold(
        original,
        side="original",
        missing_values=parse_missing_entries(settings["missing_values"]),
        dictionary=None if labels is None else project.folder / labels,
    )


def _check_identifiers(project: ProjectFile, settings: Mapping[str, Any]) -> None:
    faults = identifier_faults(project.roles.identifier, settings)
    check_faults((told for _, told in faults), RolesError)


def _next(folder: Path) -> str:
    """The number of the next copies: 0001, or one more than any that is there."""
    names = [
        *(path.name for path in (folder / COPIES).glob("[0-9]*")),
        *(path.stem.rpartition("_")[2] for path in (folder / CONFIDENTIAL).glob("synthesis_*")),
    ]
    return f"{max((int(name) for name in names if name.isdecimal()), default=0) + 1:04d}"


def _enter_copies(project: ProjectFile, targets: Sequence[Path], event: str) -> ProjectFile:
    """The project with these copies as its synthetic data; what it says else is as it is now."""
    names = _project_paths(project, targets)
    try:
        now = read_project(project.path, needs_files=False)
        text = set_settings(now.text, ("data",), {"synthetic": list(names)})
        return change(now, text, event=event, by=now.context.analyst)
    except (InputError, OSError) as fault:
        raise ReadError(
            f"The synthetic files are written, but could not be entered in {project.path.name}."
            " Enter them yourself, under [data]: synthetic ="
            f" [{list_names(repr(name) for name in names)}].\n{fault}"
        ) from None


def _project_paths(project: ProjectFile, targets: Sequence[Path]) -> tuple[str, ...]:
    """Paths as the project file names them: from its folder on, where there is a way."""
    return tuple(_from(project.folder, path) for path in targets)


def _from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.absolute().as_posix()
