"""Where do the copy, its public statement and the confidential record go? All of them, or none."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import polars as pl

from unveil.errors import WriteError, listed, quoted
from unveil.protection.record_result import ProtectResult
from unveil.release.copy_files import Filed, ending_of
from unveil.write.copies import Asked, target_of, write_all
from unveil.writing import write_new

CONFIDENTIAL = "confidential"
STATEMENT = "noise_statement.txt"
RECORD = "protection.json"
OWNER_ONLY = 0o700


@dataclass(frozen=True)
class Targets:
    """Files that are not there yet: what may be released in a folder, the rest in one below."""

    folder: Path
    copy: Path
    stages: tuple[tuple[str, Path], ...]

    @classmethod
    def of(cls, original: Path, folder: Path, ending: str | None, *, keep: bool) -> "Targets":
        """Refuse, before anything is computed, what could not be written in the end."""
        end = ending or ending_of(str(original))
        stem = original.name.split(".", maxsplit=1)[0]
        names = {"s1": "S1_synthesis_only", "s2": "S2_before_noise"} if keep else {}
        made = cls(
            folder,
            target_of(folder / f"{stem}.{end}", fake=True),
            tuple(
                (stage, target_of(folder / CONFIDENTIAL / f"{stem}_{words}.{end}", fake=True))
                for stage, words in names.items()
            ),
        )
        made._refuse_present()
        made._try_out()
        return made

    @property
    def confidential(self) -> Path:
        """The folder that must not be released."""
        return self.folder / CONFIDENTIAL

    def _refuse_present(self) -> None:
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise WriteError(f"{quoted(str(self.folder))} is a file, not a folder. Name a folder.")
        paths = (self.copy, self.folder / STATEMENT, self.confidential / RECORD)
        given = [*paths, *(path for _, path in self.stages)]
        present = [str(path.relative_to(self.folder)) for path in given if os.path.lexists(path)]
        if present:
            raise WriteError(
                f"The folder {quoted(str(self.folder))} already holds {listed(present)}. Nothing"
                " was written. Name another folder, or move the old files away first."
            )

    def _try_out(self) -> None:
        """Make the folders and a file in each, and take all of it away again."""
        new = _missing(self.confidential)
        try:
            _private(self.confidential)
            for folder in (self.folder, self.confidential):
                _hold_a_file(folder)
        finally:
            _undone((), new)


def written(targets: Targets, made: ProtectResult) -> Filed:
    """Write everything, and say what; where one file cannot be written, none is left."""
    frames: dict[str, pl.DataFrame] = {"s1": made.s1, "s2": made.s2}
    jobs = [(made.s3, targets.copy), *((frames[stage], path) for stage, path in targets.stages)]
    partly = any(column.role == "kept" for column in made.record.synthesis.columns)
    new = _missing(targets.confidential)
    paths: list[Path] = []
    try:
        _private(targets.confidential)
        done = write_all(jobs, Asked(made.codebook, partly=partly))
        paths += [Path(path) for one in done for path in (one.path, *one.beside)]
        paths += write_new(targets.folder, {STATEMENT: made.statement.encode()})
        document = made.confidential.to_json().encode()
        paths += write_new(targets.confidential, {RECORD: document}, mode=0o600)
    except BaseException:
        _undone(paths, new)
        raise
    notes = [*(note for one in done for note in one.notes), *_open_to_others(targets.confidential)]
    return Filed(tuple(paths), tuple(dict.fromkeys(notes)))


def _missing(folder: Path) -> list[Path]:
    """The folders that are still to be made, from the outermost on."""
    every = [folder, *folder.parents]
    return [one for one in reversed(every) if not os.path.lexists(one)]


def _hold_a_file(folder: Path) -> None:
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise WriteError(
            f"No file can be made in the folder {quoted(str(folder))}: {fault.strerror}. Name a"
            " folder in which you may create files."
        ) from None


def _open_to_others(folder: Path) -> Iterator[str]:
    """A folder that was there already keeps its permissions, which are not ours to change."""
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        yield (
            f"Others than its owner may look into the folder {folder}, though not read the files"
            f" written there. Close it: chmod 700 {folder}"
        )


def _private(folder: Path) -> None:
    """A folder for its owner alone."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=OWNER_ONLY, exist_ok=True)
    except OSError as fault:
        raise WriteError(
            f"The folder {quoted(str(folder))} cannot be made: {fault.strerror}. Name a folder in"
            " which you may create files."
        ) from None


def _undone(paths: Sequence[Path], folders: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in reversed(folders):
        if os.path.isdir(folder) and not any(folder.iterdir()):  # no name is too long for it
            folder.rmdir()
