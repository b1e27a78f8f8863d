"""Which files does a project name, what is in them, and who reads them? Each is read once."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from unveil.errors import InputError, ReadError
from unveil.read.files import hold, read_table
from unveil.read.held import Held
from unveil.read.table import Table
from unveil.records.protection import ConfidentialProtection, Protection
from unveil.records.run import FileRole, InputFile
from unveil.release.hashing import file_sha256
from unveil.release.model import ProjectFile
from unveil.release.recode_original import (
    Recipe,
    RecodedFiles,
    declared_recipe,
    one_recipe,
    recode_files,
)

_CONFIDENTIAL = Path("confidential")
_PROTECTION = "protection.json"


@dataclass(frozen=True)
class Named:
    """One file that the project names."""

    role: FileRole
    path: str  # as it is written there
    copy: int | None = None


def named_files(project: ProjectFile) -> tuple[Named, ...]:
    """Every file of the project, once each."""
    return tuple(dict.fromkeys(_named(project)))


def _named(project: ProjectFile) -> Iterator[Named]:
    data = project.data
    yield Named("original", data.original)
    for number, path in enumerate(data.synthetic, start=1):
        yield Named("synthetic", path, number)
    if data.control is not None:
        yield Named("control", data.control)
    if data.labels is not None:
        yield Named("labels", data.labels)
    for entry in project.published:
        yield Named("published", entry.table)
    for table in project.tables:
        if "file" in table:
            yield Named("table", str(table["file"]))
    for path in _protections(project):
        yield Named("protection", path)


def _protections(project: ProjectFile) -> list[str]:
    """Where a record of how the copies were protected may lie: in the project, or below them.

    Below them is where earlier versions wrote it.
    """
    folders = [Path(path).parent for path in project.data.synthetic]
    places = dict.fromkeys(place for folder in folders for place in _protection_places(folder))
    return [place.as_posix() for place in places if (project.folder / place).is_file()]


def _protection_places(folder: Path) -> tuple[Path, ...]:
    places = (folder / _CONFIDENTIAL, _CONFIDENTIAL / folder.name, _CONFIDENTIAL)
    return tuple(place / _PROTECTION for place in places)


def hashed(project: ProjectFile) -> tuple[InputFile, ...]:
    """Every file by its content; all that cannot be read are told together."""
    found, faults = [], []
    for one in named_files(project):
        try:
            n_bytes, digest = file_sha256(on_disk(project.folder, one.path))
        except InputError as fault:
            faults.append(str(fault))
            continue
        found.append(
            InputFile(role=one.role, copy=one.copy, path=one.path, n_bytes=n_bytes, sha256=digest)
        )
    if faults:
        raise ReadError("\n".join(dict.fromkeys(faults)))
    return tuple(found)


def on_disk(folder: Path, path: str) -> Path:
    """Where a file is; a sheet named behind a workbook is no part of its name there."""
    place = folder / path
    head, mark, _ = place.name.partition("#")
    is_sheet = mark and head.lower().endswith((".xlsx", ".xlsm")) and not place.exists()
    return place.with_name(head) if is_sheet else place


@dataclass(frozen=True, eq=False)
class Inputs:
    """The files of a run: by content, and as tables that are read when first asked for."""

    project: ProjectFile
    files: tuple[InputFile, ...]

    @cached_property
    def collected(self) -> Held:
        """The confidential file as it was collected."""
        return self._held(self.project.data.original, "original")

    @property
    def original(self) -> Held:
        """The confidential file, recoded as the synthetic data were, to be compared with them."""
        return self._recoded[0]

    @property
    def recoded(self) -> RecodedFiles:
        """What was recoded to compare like with like."""
        return self._recoded[2]

    @cached_property
    def synthetic(self) -> tuple[Held, ...]:
        """The copies, in their order."""
        paths = self.project.data.synthetic
        sides = [f"synthetic {i}" if len(paths) > 1 else "synthetic" for i in _numbers(paths)]
        return tuple(self._held(path, side) for path, side in zip(paths, sides, strict=True))

    @property
    def control(self) -> Held | None:
        """People who were not used, recoded likewise; None where the project has none."""
        return self._recoded[1]

    @cached_property
    def _recoded(self) -> tuple[Held, Held | None, RecodedFiles]:
        path = self.project.data.control
        control = None if path is None else self._held(path, "control")
        recipe = one_recipe([self._recipe(number) for number in range(len(self.synthetic))])
        tables = [None if one is None else self._table(one) for one in (self.collected, control)]
        assert tables[0] is not None
        made = recode_files(tables[0], tables[1], [*map(self._table, self.synthetic)], recipe)
        if not made.steps:
            return self.collected, control, made
        given = None if control is None or made.control is None else control.holding(made.control)
        return self.collected.holding(made.original), given, made

    def _table(self, held: Held) -> Table:
        missing = self.project.data.missing_values
        return read_table(held, side=held.whole.side, missing_values=missing)

    def _recipe(self, number: int) -> Recipe:
        """How one synthetic file was recoded: as protect kept it, else as the project declares."""
        folder = Path(self.project.data.synthetic[number]).parent
        n_rows = self.synthetic[number].whole.frame.height
        for place in _protection_places(folder):
            made = self._protection(place.as_posix())
            if made is not None and made.protection.n_s3 == n_rows:
                done = made.protection.recoding
                written = () if done is None else tuple(row.step for row in done.rows)
                return Recipe(written, made.recipe)
        return declared_recipe(self.project)

    def _held(self, path: str, side: str) -> Held:
        data = self.project.data
        labels = None if data.labels is None else self.project.folder / data.labels
        return hold(
            self.project.folder / path,
            side=side,
            missing_values=data.missing_values,
            dictionary=labels,
            types=data.types,
        )

    @property
    def copies(self) -> Any:
        """The copies as measures take them."""
        return list(self.synthetic)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the original."""
        return tuple(self.collected.whole.frame.columns)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The columns of the original that every copy has."""
        others = [set(held.whole.frame.columns) for held in self.synthetic]
        return tuple(name for name in self.columns if all(name in other for other in others))

    def by_side(self) -> dict[str, Held]:
        """Every file of people by its side: original, synthetic, control."""
        several = len(self.synthetic) > 1
        numbered = enumerate(self.synthetic, start=1)
        found = {f"synthetic {n}" if several else "synthetic": one for n, one in numbered}
        control = {} if self.control is None else {"control": self.control}
        return {"original": self.original, **found, **control}

    def by_place(self) -> dict[str, tuple[str, ...]]:
        """The columns of every file of people, by what a sentence calls it."""
        every = self.by_side().values()
        return {held.whole.place: tuple(held.whole.frame.columns) for held in every}

    @property
    def n_original(self) -> int:
        """Records of the original."""
        return self.collected.whole.frame.height

    @property
    def n_synthetic(self) -> tuple[int, ...]:
        """Records of each copy."""
        return tuple(held.whole.frame.height for held in self.synthetic)

    def of_roles(self, *roles: FileRole, copy: int | None = None) -> tuple[InputFile, ...]:
        """The files of some roles, of one copy where it is named."""
        return tuple(
            file
            for file in self.files
            if file.role in roles and (copy is None or file.copy in (None, copy))
        )

    def columns_of(self, path: str) -> tuple[str, ...]:
        """The columns of a small table beside the data; none where it cannot be read."""
        try:
            table = read_table(self.project.folder / path, side="baseline")
        except InputError:
            return ()
        return tuple(table.frame.columns)

    def protection(self, path: str) -> Protection | None:
        """The record of how a copy was made; None where it is none of ours."""
        made = self._protection(path)
        return None if made is None else made.protection

    def _protection(self, path: str) -> ConfidentialProtection | None:
        try:
            content = (self.project.folder / path).read_bytes()
            return ConfidentialProtection.from_json(content)
        except (OSError, ReadError):
            return None


def _numbers(paths: tuple[str, ...]) -> range:
    return range(1, len(paths) + 1)
