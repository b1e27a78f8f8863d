"""How does a copy get into a project? Made as its file says, written, entered there, logged."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.count.scenario import Progress, silent
from unveil.errors import InputError, ReadError, RolesError, listed
from unveil.protection.plan_file import project_of
from unveil.protection.plan_synthesis import identifier_faults, without_identifiers
from unveil.protection.protect import of_project
from unveil.protection.record_result import ProtectResult
from unveil.read.files import hold
from unveil.read.held import Held
from unveil.records.protection import Protection
from unveil.records.synthesis import ConfidentialSynthesis, Synthesis
from unveil.records.view import as_html, as_text
from unveil.release.copy_files import ending_of, targets_of, write_copies
from unveil.release.editing import with_synthetic, write_project
from unveil.release.hashing import project_sha256
from unveil.release.healing import heal_log
from unveil.release.log import append
from unveil.release.model import ProjectFile
from unveil.release.project_file import read_project
from unveil.release.protected_files import Targets, written
from unveil.release.seeds import CONFIDENTIAL, confidential_folder
from unveil.report import protection as _protection  # noqa: F401  (teach records to show
from unveil.report import synthesis as _synthesis  # noqa: F401  themselves)
from unveil.synthesis.model_file import refuse_path, save
from unveil.synthesis.settings import entries
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser
from unveil.writing import all_or_none, write_new

PROJECT_FILE = "project.toml"
COPIES, PROTECTED = "copies", "protected"


@dataclass(frozen=True, repr=False, eq=False)
class Copies:
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be known before they are used."""
        return self.record.warnings

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def is_in_project() -> bool:
    """Whether the working folder is that of a project."""
    return os.path.lexists(PROJECT_FILE)


def synthesised(
    project: ProjectFile,
    *,
    out: str | os.PathLike[str] | None = None,
    ending: str | None = None,
    model: Path | None = None,
    progress: Progress = silent,
    **given: Any,
) -> Copies:
    """Make copies as `[synthesis]` says; what is given besides wins, None is not given.

    They go into copies/0001, the next one into copies/0002, and their seed into the folder
    confidential. Columns with the role identifier are in no copy, unless they are renumbered, or
    a reason is stated to repeat their real values.
    """
    settings = settings_of(project, given)
    _refuse_identifiers(project, settings)
    number = _next(project.folder)
    folder = project.folder / COPIES / number if out is None else Path(os.fsdecode(out))
    original = project.folder / project.data.original
    end = ending or ending_of(str(original))
    targets = targets_of(str(original), folder, settings.get("copies", 1), end)
    if model is not None:
        refuse_path(model)
    held = _read(project, original, settings)
    known = held.whole.frame.columns
    identifiers = [name for name in project.roles.identifier if name in known]
    made = synthesise(held, **without_identifiers(identifiers, settings), progress=progress)
    with all_or_none() as paths:
        kept = None if model is None else save(made, model)
        paths.extend([] if kept is None else [kept])
        filed = write_copies(made.copies, targets, made.codebook, made.record)
        paths.extend(filed.paths)
        record = ConfidentialSynthesis(
            seed=made.seed, copies=_named(project, targets), synthesis=made.record
        )
        document = {f"synthesis_{number}.json": record.to_json().encode()}
        paths.extend(write_new(confidential_folder(project.folder), document, mode=0o600))
    entered = _entered(project, targets, "synthesise")
    shown = tuple(path for path in paths if path != kept)
    return Copies(made, targets, shown, filed.notes, entered, kept)


def protected(
    project: ProjectFile,
    *,
    out: str | os.PathLike[str] | None = None,
    ending: str | None = None,
    keep_stages: bool = False,
    rows: int | None = None,
    sweep: Any = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Copies:
    """Make a copy as `[[protect.step]]` says; what is given besides wins.

    The copy and its public statement go into the folder protected, and all that is confidential
    into confidential/protected: releasing the first discloses no seed.
    """
    plan = project_of(project.path)
    folder = project.folder / PROTECTED if out is None else Path(os.fsdecode(out))
    targets = Targets.of(plan.original, folder, ending, project=project.folder, keep=keep_stages)
    asked = {"rows": rows, "sweep": sweep, "seed": seed}
    made = of_project(plan, asked, progress)
    filed = written(targets, made)
    entered = _entered(project, [targets.copy], "protect")
    return Copies(made, (targets.copy,), filed.paths, filed.notes, entered)


def settings_of(project: ProjectFile, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the synthesis of a project is asked for."""
    said = dict(project.synthesis or {})
    said |= {name: value for name, value in given.items() if value is not None}
    codes = {**project.data.special_codes, **(said.get("special_codes") or {})}
    if codes:
        said["special_codes"] = codes
    said.setdefault("missing_values", project.data.missing_values)
    return said


def _read(project: ProjectFile, original: Path, settings: Mapping[str, Any]) -> Held:
    labels = project.data.labels
    return hold(
        original,
        side="original",
        missing_values=entries(settings["missing_values"]),
        dictionary=None if labels is None else project.folder / labels,
    )


def _refuse_identifiers(project: ProjectFile, settings: Mapping[str, Any]) -> None:
    faults = [told for _, told in identifier_faults(project.roles.identifier, settings)]
    if faults:
        raise RolesError("\n".join(faults))


def _next(folder: Path) -> str:
    """The number of the next copies: 0001, or one more than any that is there."""
    names = [
        *(path.name for path in (folder / COPIES).glob("[0-9]*")),
        *(path.stem.rpartition("_")[2] for path in (folder / CONFIDENTIAL).glob("synthesis_*")),
    ]
    return f"{max((int(name) for name in names if name.isdecimal()), default=0) + 1:04d}"


def _entered(project: ProjectFile, targets: Sequence[Path], event: str) -> ProjectFile:
    """The project with these copies as its synthetic data; what it says else is as it is now."""
    names = _named(project, targets)
    try:
        now = read_project(project.path, needs_files=False)
        entered = write_project(now, with_synthetic(now.text, names))
    except (InputError, OSError) as fault:
        raise ReadError(
            f"The copies are written, but could not be entered in {project.path.name}. Enter them"
            f" yourself, under [data]: synthetic = [{listed(repr(name) for name in names)}]."
            f"\n{fault}"
        ) from None
    heal_log(entered.folder)
    append(
        entered.folder,
        event=event,
        by=entered.context.analyst,
        project_sha256=project_sha256(entered),
        project_before=project_sha256(now),
    )
    return entered


def _named(project: ProjectFile, targets: Sequence[Path]) -> tuple[str, ...]:
    """Paths as the project file names them: from its folder on, where there is a way."""
    return tuple(_from(project.folder, path) for path in targets)


def _from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.absolute().as_posix()
