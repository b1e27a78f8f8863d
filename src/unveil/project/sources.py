"""Which files does a project name, what is in them, and who reads them? Each is read once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from unveil.arguments import absent_sentence, is_list
from unveil.errors import AlignError, InputError, ReadError, RolesError
from unveil.io.read_toml import parse_document, read_text
from unveil.io.sources import CachedFile, read_table
from unveil.measure.tables.plan.plan_file import parse_plan
from unveil.measure.utility.replicate_settings import parse_results
from unveil.project.fields import FieldPath
from unveil.project.fingerprint import canonical, file_sha256
from unveil.project.model import Context, LimitsEntry, ProjectFile, ScenarioEntry
from unveil.project.recode_original import (
    Recipe,
    RecodedFiles,
    check_one_recipe,
    files_to_recode,
    read_declared_recipe,
    recode_files,
)
from unveil.project.rulings_in_force import parse_flag_name
from unveil.project.toml import key_text
from unveil.protection.plan import FileError
from unveil.records.exclusions import Exclusion
from unveil.records.protection import ConfidentialProtection
from unveil.records.run import FileRole, InputFile
from unveil.study.choose_engine import choose_engine
from unveil.study.engine import EngineName, EngineSettings, use_settings
from unveil.study.open_scenario import open_in_engine
from unveil.study.people import NONE
from unveil.study.study import Study, sides_of

# Do the files have the columns that a project file names? All that they lack is told at once.


Columns = Mapping[str, Sequence[str]]
"""The columns of each file, by what a sentence calls it; the original is the first."""


def check_data_faults(project: ProjectFile, columns: Columns) -> None:
    """Refuse a project whose files lack columns that it names.

    Parameters
    ----------
    columns
        By the name that a sentence has for a file (`Table.place`), its columns. The first is the
        original. Keys and named targets must be in every file; all else in the original.
    """
    found = [*_faults(project, columns)]
    if found:
        raise RolesError(project.locate(found))


def _faults(project: ProjectFile, columns: Columns) -> Iterator[FileError]:
    place, known = next(iter(columns.items()))
    original = {place: known}
    for path, names in _names_in_data(project):
        yield from _absent(path, names, original)
    others = {name for theirs in columns.values() for name in theirs}
    for role in ("identifier", "ignore"):  # may be said of what the synthetic data alone have
        named = [one for one in getattr(project.roles, role) if one != project.roles.person]
        absent_ones = [one for one in named if one not in others]
        yield from _absent(("roles", role), absent_ones, original)
    for number, scenario in enumerate(project.scenarios):
        yield from _scenario_faults(("scenario", number), scenario, columns, original)
    for path, exclusion in _exclusions(project):
        names = [*([exclusion.target] if exclusion.target else []), *exclusion.keys]
        yield from _absent(path, names, original)
    for path, names in _names_in_results(project):
        yield from _absent(path, names, original)


def _names_in_data(project: ProjectFile) -> Iterator[tuple[FieldPath, Iterable[str]]]:
    for name in ("special_codes", "types"):
        for column in getattr(project.data, name):
            yield ("data", name, column), [column]
    for role in ("key", "target"):
        yield ("roles", role), getattr(project.roles, role)
    for column in project.roles.sensitive:
        yield ("roles", "sensitive", column), [column]
    for role in ("weight", "person"):
        name = getattr(project.roles, role)
        if name is not None and (role, name) != ("person", NONE):
            yield ("roles", role), [name]


def _scenario_faults(
    path: FieldPath, scenario: ScenarioEntry, columns: Columns, original: Columns
) -> Iterator[FileError]:
    yield from _absent((*path, "keys"), scenario.keys, columns)
    yield from _absent((*path, "targets"), scenario.targets or (), columns)
    named = {*scenario.keys, *(scenario.targets or ())}
    for setting in ("bands", "radii", "tolerance"):
        for column in getattr(scenario, setting) or ():
            if column not in named:  # what is named is told already
                yield from _absent((*path, setting, column), [column], original)


def _exclusions(project: ProjectFile) -> Iterator[tuple[FieldPath, Exclusion]]:
    for number, entry in enumerate(project.excludes):
        yield ("exclude", number), entry.exclusion
    for number, ruling in enumerate(project.rulings):
        found = parse_flag_name(ruling.finding)
        whole = Exclusion(rule="level", target=found.target, level="")
        yield ("ruling", number, "finding"), found.exclusion or whole


def _names_in_results(project: ProjectFile) -> Iterator[tuple[FieldPath, Iterable[str]]]:
    for number, asked in enumerate(parse_results(project.findings) if project.findings else ()):
        formula = asked.formula
        outcome = None if formula is None else formula.outcome
        yield (
            ("finding", number),
            [
                *asked.columns,
                *([outcome] if isinstance(outcome, str) else []),
                *(() if formula is None else formula.names),
            ],
        )
    for number, table in enumerate(project.tables):
        dims = table.get("dims")
        if "file" not in table and is_list(dims):
            yield ("table", number, "dims"), dims or ()


def _absent(path: FieldPath, names: Iterable[str], columns: Columns) -> Iterator[FileError]:
    for name in names:
        for place, known in columns.items():
            if name not in known:
                yield FileError(path, absent_sentence(place, name, known), RolesError)


# What would a project have to say so that files can be compared? The line to add to it.


def add_typing_advice(fault: InputError) -> str:
    """A refusal as a run tells it: with the setting that mends it, where there is one."""
    if not isinstance(fault, AlignError) or not fault.types:
        return str(fault)
    lines = ", ".join(f'{key_text(name)} = "{kind}"' for name, kind in fault.types.items())
    return f"{fault} Or declare the type of the column in project.toml: [data.types] {lines}"


_CONFIDENTIAL = Path("confidential")
_PROTECTION = "protection.json"


@dataclass(frozen=True)
class SourceFile:
    """One file that the project names."""

    role: FileRole
    path: str  # as it is written there
    copy: int | None = None


def list_files(project: ProjectFile) -> tuple[SourceFile, ...]:
    """Every file of the project, once each."""
    return tuple(dict.fromkeys(_list_protections(project)))


def _list_protections(project: ProjectFile) -> Iterator[SourceFile]:
    data = project.data
    yield SourceFile("original", data.original)
    for number, path in enumerate(data.synthetic, start=1):
        yield SourceFile("synthetic", path, number)
    if data.control is not None:
        yield SourceFile("control", data.control)
    if data.labels is not None:
        yield SourceFile("labels", data.labels)
    for entry in project.published:
        yield SourceFile("published", entry.table)
    for table in project.tables:
        if "file" in table:
            yield SourceFile("table", str(table["file"]))
    yield from list_plan_files(project)
    for path in _protections(project):
        yield SourceFile("protection", path)


def list_plan_files(project: ProjectFile) -> Iterator[SourceFile]:
    """The publication plan and all that it names; the plan alone where it cannot be read."""
    if project.publication is None:
        return
    path = Path(str(project.publication["plan"]))
    yield SourceFile("table", path.as_posix())
    try:
        text = read_text(project.folder / path, "a plan file")
        plan = parse_plan(parse_document(path.name, text), path.parent)
    except InputError:  # said where the plan is measured
        return
    for file in (plan.data, *(table.file for table in plan.tables)):
        if isinstance(file, str):
            yield SourceFile("table", Path(file.partition("#")[0]).as_posix())


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


def hash_files(project: ProjectFile) -> tuple[InputFile, ...]:
    """Every file by its content; all that cannot be read are told together."""
    found, faults = [], []
    for one in list_files(project):
        try:
            n_bytes, digest = file_sha256(resolve_path(project.folder, one.path))
        except InputError as fault:
            faults.append(str(fault))
            continue
        found.append(
            InputFile(role=one.role, copy=one.copy, path=one.path, n_bytes=n_bytes, sha256=digest)
        )
    if faults:
        raise ReadError("\n".join(dict.fromkeys(faults)))
    return tuple(found)


def resolve_path(folder: Path, path: str) -> Path:
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
    in_memory: bool = False  # whether records are needed, whatever engine is declared

    @cached_property
    def _settings(self) -> EngineSettings:
        """What is asked of an engine, as it was when this was first looked at."""
        return self.project.engine_settings()

    @cached_property
    def engine(self) -> EngineName:
        """Who counts: as asked for, as declared, or by the size of the files."""
        if self.in_memory:
            return "memory"
        data, folder = self.project.data, self.project.folder
        paths = [folder / path for path in (data.original, *data.synthetic)]
        return choose_engine(paths, self._settings, by_counts=True)

    @property
    def state(self) -> tuple[Any, ...]:
        """All that may change what is counted: where it is the same, so are all counts.

        Rulings, exclusions, limits and answers are held against counts, and change none.
        """
        folders = dict.fromkeys(Path(one).parent for one in self.project.data.synthetic)
        places = [self.project.folder / one for at in folders for one in _protection_places(at)]
        written = tuple(place.read_bytes() for place in places if place.is_file())
        plain = replace(
            self.project,
            text="",
            plan=None,  # of the steps, which are compared themselves
            excludes=(),
            rulings=(),
            exceptions=(),
            limits=LimitsEntry(),
            context=Context(),
        )
        read = self.project.path, canonical(plain), self.engine
        return *read, hash_files(self.project), written

    @cached_property
    def _read(self) -> Study:
        """Every file of people, as it is."""
        data, folder = self.project.data, self.project.folder
        original, copies = folder / data.original, [folder / path for path in data.synthetic]
        labels = None if data.labels is None else folder / data.labels
        if self.engine != "memory":  # where a control sample, which needs records, is not opened
            sides = sides_of(copies, original=original) if copies else {"original": original}
            reading = {"types": data.types, "dictionary": labels}
            with use_settings(self._settings):
                files = open_in_engine(self.engine, sides, None, data.missing_values, (), **reading)
            return files.study
        return Study.open(
            original,
            copies,
            None if data.control is None else folder / data.control,
            missing_values=data.missing_values,
            dictionary=labels,
            types=data.types,
        )

    @cached_property
    def _recoded_study(self) -> tuple[Study, RecodedFiles]:
        tables = self._read.tables
        copies = range(1, len(self.project.data.synthetic) + 1)
        recipe = check_one_recipe([self._recipe(number) for number in copies])
        files = files_to_recode(self._read, recipe)
        made = recode_files(files.original, files.control, files.synthetic, recipe)
        if not made.steps:
            return self._read, made
        recoded = {0: made.original}
        if made.control is not None:
            recoded[len(tables) - 1] = made.control
        return self._read.with_tables(recoded), made

    @property
    def study(self) -> Study:
        """All files, the original and the control sample recoded as the synthetic data were."""
        return self._recoded_study[0]

    @property
    def collected_file(self) -> CachedFile:
        """The confidential file as it was collected."""
        return self._read.original

    @property
    def collected_copies(self) -> tuple[CachedFile, ...]:
        """The synthetic files as they are."""
        return tuple(self._read.synthetic)

    @property
    def collected_control(self) -> CachedFile | None:
        """The control sample as it was collected."""
        return self._read.control

    @property
    def original(self) -> CachedFile:
        """The confidential file, recoded as the synthetic data were, to be compared with them."""
        return self.study.original

    @property
    def recoded_files(self) -> RecodedFiles:
        """What was recoded to compare like with like."""
        return self._recoded_study[1]

    @property
    def synthetic(self) -> tuple[CachedFile, ...]:
        """The copies, in their order."""
        return tuple(self.study.synthetic)

    @property
    def control(self) -> CachedFile | None:
        """People who were not used, recoded likewise; None where the project has none."""
        return self.study.control

    def _recipe(self, number: int) -> Recipe:
        """How one synthetic file was recoded: as protect kept it, else as the project declares."""
        folder = Path(self.project.data.synthetic[number - 1]).parent
        copy = self.copy_marks[number - 1]
        for place in _protection_places(folder):
            made = self.protection(place.as_posix())
            if made is not None and made.is_of(*copy):
                done = made.protection.recoding
                written = () if done is None else tuple(row.step for row in done.rows)
                noisy = tuple(one.column for one in made.protection.reasons)
                return Recipe(written, made.recipe, noisy)
        return read_declared_recipe(self.project)

    @property
    def copies(self) -> Any:
        """The copies as measures take them."""
        return list(self.synthetic)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the original."""
        return tuple(self._read.tables[0].frame.columns)

    @cached_property
    def shared_columns(self) -> tuple[str, ...]:
        """The columns of the original that every copy has."""
        tables = self._read.tables[1 : len(self.project.data.synthetic) + 1]
        others = [set(table.frame.columns) for table in tables]
        return tuple(name for name in self.columns if all(name in other for other in others))

    def by_place(self) -> dict[str, tuple[str, ...]]:
        """The columns of every file of people, by what a sentence calls it."""
        return {table.place: tuple(table.frame.columns) for table in self.study.tables}

    @property
    def n_original(self) -> int:
        """Records of the original."""
        return self._read.tables[0].n_records

    @property
    def n_synthetic(self) -> tuple[int, ...]:
        """Records of each copy."""
        tables = self._read.tables[1 : len(self.project.data.synthetic) + 1]
        return tuple(table.n_records for table in tables)

    @property
    def copy_marks(self) -> list[tuple[int, str]]:
        """By what the record of a copy knows it: records, and hash."""
        hashes = [file.sha256 for file in self.select_files("synthetic")]
        if not hashes:  # files were not hashed, for nothing is to be stored
            paths = [resolve_path(self.project.folder, one) for one in self.project.data.synthetic]
            hashes = [file_sha256(path)[1] for path in paths]
        return list(zip(self.n_synthetic, hashes, strict=True))

    def select_files(self, *roles: FileRole, copy: int | None = None) -> tuple[InputFile, ...]:
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

    def protection(self, path: str) -> ConfidentialProtection | None:
        """The record of how a copy was made; None where it is none of ours."""
        try:
            content = (self.project.folder / path).read_bytes()
            return ConfidentialProtection.from_json(content)
        except (OSError, ReadError):
            return None
