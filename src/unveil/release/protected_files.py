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
from unveil.release.seeds import CONFIDENTIAL
from unveil.write.copies import Asked, target_of, write_all
from unveil.writing import write_new

STATEMENT = "noise_statement.txt"
RECORD = "protection.json"
OWNER_ONLY = 0o700


@dataclass(frozen=True)
class Targets:
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
    ) -> "Targets":
        """Refuse, before anything is computed, what could not be written in the end."""
        apart = project / CONFIDENTIAL / folder.resolve().name
        _refuse_within(apart, folder)
        end = ending or ending_of(str(original))
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
        made._refuse_present()
        made._try_out()
        return made

    def _refuse_present(self) -> None:
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise WriteError(f"{quoted(str(self.folder))} is a file, not a folder. Name a folder.")
        stages = [path for _, path in self.stages]
        for paths in (
            (self.copy, self.folder / STATEMENT),
            (self.confidential / RECORD, *stages),
        ):
            present = [path.name for path in paths if os.path.lexists(path)]
            if present:
                raise WriteError(
                    f"The folder {quoted(str(paths[0].parent))} already holds {listed(present)}."
                    " Nothing was written. Name another folder, or move the old files away first."
                )

    def _try_out(self) -> None:
        """Make the folders and a file in each, and take all of it away again."""
        new = self.missing()
        try:
            self.make_folders()
            for folder in (self.folder, self.confidential):
                _hold_a_file(folder)
        finally:
            _undone((), new)

    def missing(self) -> list[Path]:
        """The folders that are still to be made, each after those it is in."""
        every = [one for to in (self.folder, self.confidential) for one in (to, *to.parents)]
        return sorted({one for one in every if not os.path.lexists(one)})

    def make_folders(self) -> None:
        """The folder for release, and the confidential ones for their owner alone."""
        _made(self.folder, 0o777)
        for folder in (self.confidential.parent, self.confidential):
            _made(folder, OWNER_ONLY)


def written(targets: Targets, made: ProtectResult) -> Filed:
    """Write everything, and say what; where one file cannot be written, none is left."""
    frames: dict[str, pl.DataFrame] = {"s1": made.s1, "s2": made.s2}
    jobs = [(made.s3, targets.copy), *((frames[stage], path) for stage, path in targets.stages)]
    partly = any(column.role == "kept" for column in made.record.synthesis.columns)
    new = targets.missing()
    paths: list[Path] = []
    try:
        targets.make_folders()
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


def _refuse_within(confidential: Path, folder: Path) -> None:
    if confidential.resolve().is_relative_to(folder.resolve()):
        raise WriteError(
            f"The folder {quoted(str(folder))} holds the confidential folder of the project, and"
            " what is made for release needs a folder of its own. Name another: --out protected"
        )


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


def _made(folder: Path, mode: int) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=mode, exist_ok=True)
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
