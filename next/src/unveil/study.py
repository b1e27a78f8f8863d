"""The files of one comparison: each read once, each column encoded once, each table counted once.

A measure asks for columns and counts; what another call has asked for is there already. So a
what-if is the same call again, with other exclusions, on the same study.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from secrets import randbits
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import (
    File,
    Keys,
    Missing,
    SecretSeed,
    Seed,
    Synthetic,
    Targets,
    as_names,
    bind,
    checked,
    hints_of,
)
from unveil.counts.cells import NO_TARGET, Cells, Floats, Ints, Pair, count_cells, count_keys, pack
from unveil.counts.cells import Keys as KeyCounts
from unveil.counts.engines import (
    DRAWN,
    EngineFile,
    EngineRecords,
    ends_of,
    engine_of,
    read_but_records,
    refuse,
)
from unveil.counts.profile import CellProfile, Rule
from unveil.data.bands import band
from unveil.data.codebook import Data, Variable
from unveil.data.columns import (
    Coded,
    Column,
    Columns,
    as_columns,
    as_reading,
    encode,
    join,
    plain,
    stack,
    with_one_missing,
)
from unveil.data.read import How, OpenFile, merge_codebooks, open_codebook, open_file
from unveil.errors import InputError, check_name, list_names
from unveil.progress import say
from unveil.results import Copy, FileUsed, Note, Result

T = TypeVar("T")
Call = TypeVar("Call", bound=Callable[..., Any])
ORIGINAL = 0  # its number among the files
SEED = 1  # of measures, where none is given: the same files have the same figures every night
UNKNOWN = 50  # percent of records with values that nobody has, above which it is said
KEPT = 5  # synthetic files whose cells are kept for what-ifs; of more, they are counted again


class Side(NamedTuple):
    """Synthetic data that people are compared with: one copy of a version, or all pooled."""

    version: str
    copy: Copy
    files: range  # their numbers


class Crossed(NamedTuple):
    """The records of the original by the codes of some columns; or, of an engine, its cells."""

    codes: dict[str, Ints]
    person: Ints
    n: Ints | None  # records of each cell; None: each is one


ALONE = Side("", "", range(0))
"""In the place of synthetic data, for what is true of the original alone."""


class Study:
    """The files of one comparison, opened, aligned and encoded once.

    Files have numbers: the original 0, synthetic ones from 1 on, the control sample the last.

    Parameters
    ----------
    original
        The confidential data: a path or a data frame.
    synthetic
        The data to be released: a file, several (copies), or a mapping of versions to either.
    control
        People of the same kind whose records were not used.
    keys
        What an intruder knows of a person: sex,age,region.
    targets
        What they might learn; by default every column without another role. income+health is one.
    columns
        What is true of one column: income:special=-8, age:bands=5, pid=person.
    missing
        A text that stands for a missing value, such as NA.
    codebook
        What codes mean: a table of column, code and label.
    published
        Shares that are public: a table of column, level and share.
    fraction
        The share of the population in the original; 1 is the whole population.
    unit
        What a person is called: people, patients, firms.
    engine
        Where records are counted: memory, duckdb, duckdb:2GB or spark://host:port.
    """

    @checked
    def __init__(
        self,
        original: File,
        synthetic: Synthetic = None,
        *,
        control: File | None = None,
        keys: Keys = (),
        targets: Targets = (),
        columns: Columns = {},  # noqa: B006
        missing: Missing = (),
        codebook: File | None = None,
        published: File | None = None,
        fraction: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None,
        unit: str = "people",
        engine: str = "memory",
    ) -> None:
        self.missing, self.unit, self.fraction, self.engine = missing, unit, fraction, engine
        self.columns: dict[str, Column] = as_columns(columns)
        how = How(tuple(missing), as_reading(columns))
        self.files, self.versions = _open_files(original, synthetic, control, how, engine)
        codebook = how.reading.codebook or None if codebook is None else codebook
        given = {} if codebook is None else open_codebook(codebook)
        self.codebook = merge_codebooks(self.files, given)
        self.published = None if published is None else open_file(published, "published")
        for file in self.files:
            if not file.size:
                raise InputError(f"{file.label.capitalize()} has no records.")
        self._memory: dict[Any, Any] = {}
        for name in self.columns:
            self.check_column(name)
        self.keys = as_names(keys) or self._with_role("key")
        self.joint, self.targets = self._name_targets(targets)
        self._settings: dict[str, Any] = {
            "keys": keys, "targets": targets, "columns": columns, "missing": missing,
            "codebook": codebook, "published": self.published, "fraction": fraction,
            "unit": unit, "engine": engine,
        }  # fmt: skip

    def __repr__(self) -> str:
        files = ", ".join(f"{file.label} ({file.size:,} records)" for file in self.files)
        return (
            f"Study of {files}. Keys: {', '.join(self.keys)}. Targets: {', '.join(self.targets)}."
        )

    def replace(self, **settings: Any) -> "Study":
        """The same study with other settings; what is counted stays where files are the same."""
        files = {
            "original": self.files[ORIGINAL],
            "synthetic": {
                version: [self.files[number] for number in numbers]
                for version, numbers in self.versions.items()
            }
            or None,
            "control": self.files[-1] if self.has_control else None,
        }
        for name in settings:
            check_name(name, files | self._settings, "A study has no setting")
        study = Study(**files | self._settings | settings)
        if settings.keys() <= {"keys", "targets", "unit", "fraction"}:
            study._memory = self._memory
        return study

    @property
    def original(self) -> pl.DataFrame:
        return self.files[ORIGINAL].frame

    @property
    def synthetic(self) -> dict[tuple[str, int], pl.DataFrame]:
        """The synthetic files by version and copy."""
        return {(f.version, f.copy): f.frame for f in self.files if f.role == "synthetic"}

    @property
    def control(self) -> pl.DataFrame | None:
        return self.files[-1].frame if self.has_control else None

    @property
    def in_memory(self) -> bool:
        """Whether the records are in memory, and not in an engine."""
        return not isinstance(self.files[ORIGINAL], EngineFile)

    def need_memory(self) -> None:
        """Refuse a study whose records stay in an engine."""
        if isinstance(file := self.files[ORIGINAL], EngineFile):
            refuse(file.engine)

    @property
    def rows(self) -> list[slice]:
        """Where the records of each file stand among those of all files."""
        self.need_memory()
        return list(ends_of([file.frame for file in self.files]))

    @property
    def has_control(self) -> bool:
        return self.files[-1].role == "control"

    @property
    def has_people(self) -> bool:
        """Whether a column says whose a record is."""
        return bool(self._with_role("person"))

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked of it, without its files."""
        return {
            "keys": self.keys,
            "targets": [self.joint.get(name, name) for name in self.targets],
            "columns": self.columns,
            "missing": self.missing,
            "fraction": self.fraction,
            "unit": self.unit,
        }

    @property
    def control_number(self) -> int:
        """The number of the control sample."""
        if not self.has_control:
            raise InputError("There is no control sample. Name one with control (--control).")
        return len(self.files) - 1

    def require(self, needs: "Needs") -> None:
        """Refuse a study that lacks what a call needs."""
        if not needs.there:
            self.need_memory()
        if needs.synthetic and not self.versions:
            raise InputError("There are no synthetic data. Give a file, or several (synthetic).")
        if needs.keys and not self.keys:
            raise InputError("There are no keys. Name what an intruder would know (--keys).")
        if needs.numbers == "unlike":
            return
        if needs.synthetic and not self.targets:
            raise InputError("There are no targets. Name what might be learned (--targets).")
        for name in (*self.keys, *self.targets) if needs.synthetic else ():
            for part in self.joint.get(name, [name]):
                if needs.numbers != "near" or self.distances(part) is None:
                    self.once(Study._check_overlap, part, needs.numbers != "any")

    def notes(self) -> Iterator[Note]:
        """How files were read, and what may make the risk look smaller than it is."""
        for file in self.files:
            for sentence in file.data.notes:
                yield Note(about=file.label, sentence=f"{file.name}: {sentence}")
        if isinstance(file := self.files[ORIGINAL], EngineFile):
            yield Note(
                about="files",
                sentence=f"The records stay in {file.engine.name}, where all are counted."
                f" What models learn is learnt from {min(file.n, DRAWN):,} of {file.n:,}"
                f" {self.unit}, drawn at random.",
            )
        names = dict.fromkeys(name for file in self.files for name in file.columns)
        lacking = [n for n in names if any(n not in file.columns for file in self.files)]
        if lacking := [name for name in lacking if name not in self.columns]:
            yield Note(
                about="files",
                sentence=f"Not compared, for not every file has them: {list_names(lacking)}.",
            )
        if nowhere := [name for name in self.codebook if name not in names]:
            yield Note(
                about="files",
                sentence=f"The codebook has columns that no file has: {list_names(nowhere)}.",
            )
        by_content: dict[str, str] = {}
        for file in self.files:
            if file.sha256 and by_content.setdefault(file.sha256, file.label) != file.label:
                same = f"{by_content[file.sha256]} and {file.label}"
                yield Note(
                    about="files", sentence=f"{same[0].upper()}{same[1:]} are the same file."
                )
        for name in self.keys:
            counts = self.column(name).counts
            for file, records in zip(self.files, counts, strict=True):
                share = 100 * records[counts[ORIGINAL] == 0].sum() / records.sum()
                if share > UNKNOWN:
                    yield Note(
                        about="files",
                        sentence=f"{share:.0f} % of {file.label} have a value of {name} that nobody"
                        " in the original has.",
                    )

    def files_used(self) -> tuple[FileUsed, ...]:
        return tuple(
            FileUsed(
                role=file.role, version=file.version, copy=file.copy, name=file.name,
                rows=file.size, people=self.count_people(number), sha256=file.sha256,
            )
            for number, file in enumerate(self.files)
        )  # fmt: skip

    def people(self, number: int = ORIGINAL) -> tuple[Ints, int]:
        """The person behind each record of a file, and how many there are.

        Without a person column each record is a person; so is a record without a value in it.
        """
        return self.once(Study._people, number)

    def count_people(self, number: int = ORIGINAL) -> int:
        """How many people the records of a file are of."""
        return self.people(number)[1] if self.has_people else self.files[number].size

    def _people(self, number: int) -> tuple[Ints, int]:
        frame, names = self.files[number].frame, self._with_role("person")
        if not names or names[0] not in frame.columns:
            return np.arange(len(frame)), len(frame)
        values = with_one_missing(frame[names[0]], self.missing)
        codes = values.rank("dense").fill_null(0).to_numpy().astype(np.int64)
        is_missing = codes == 0
        codes[is_missing] = codes.max(initial=0) + np.arange(1, is_missing.sum() + 1)
        _, person = np.unique(codes, return_inverse=True)
        return person, int(person.max(initial=-1)) + 1

    @property
    def weights(self) -> Floats | None:
        """How many people each record of the original stands for, where a column says so."""
        if not (names := self._with_role("weight")):
            return None
        values = plain(self.original[names[0]])
        weights = values.cast(pl.Float64, strict=False).to_numpy()
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise InputError(
                f"The weights in {names[0]!r} are not all numbers from 0 on. A weight says how many"
                " people a record stands for."
            )
        return weights

    def owners(self, side: Side) -> Ints:
        """Whose each synthetic record is; people of different files are different people."""
        owners, n = [], 0
        for number in side.files:
            person, people = self.people(number)
            owners.append(person + n)
            n += people
        return np.concatenate([np.zeros(0, np.int64), *owners])

    def check_column(self, name: str) -> None:
        """Refuse a column that a file lacks; who is meant need only the original say."""
        is_of_original = self.columns.get(name, Column()).role in ("person", "weight")
        self._check_files(name, self.files[:1] if is_of_original else self.files)

    def _check_files(self, name: str, files: Sequence[OpenFile]) -> None:
        for file in files:
            check_name(name, file.columns, f"{file.label.capitalize()} has no column")

    def _with_role(self, role: str) -> tuple[str, ...]:
        return tuple(name for name, column in self.columns.items() if column.role == role)

    def _name_targets(
        self, targets: str | Sequence[str | Sequence[str]]
    ) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
        """The parts of joint targets, and the names of all targets."""
        roles: dict[str, str] = {
            name: column.role
            for name, column in self.columns.items()
            if column.role not in (None, "target")
        }
        for name in self.keys:
            if roles.setdefault(name, "key") != "key":
                raise InputError(f"{name!r} is a key, with the role {roles[name]}. Choose one.")
        if len(persons := self._with_role("person")) > 1:
            raise InputError(f"{list_names(persons)} say whose a record is. Choose one.")
        if len(weights := self._with_role("weight")) > 1:
            raise InputError(f"{list_names(weights)} are weights. Choose one.")
        if not targets:
            common = set.intersection(*(set(file.columns) for file in self.files))
            free = [n for n in self.files[ORIGINAL].columns if n in common and n not in roles]
            targets = self._with_role("target") or free
        targets = [targets] if isinstance(targets, str) else targets
        joint = {"+".join(parts): tuple(parts) for parts in targets if not isinstance(parts, str)}
        if any(len(set(parts)) < max(len(parts), 1) for parts in joint.values()):
            raise InputError("A joint target ('targets') has each of its columns once.")
        for name in joint.keys() & set(self.files[ORIGINAL].columns):
            raise InputError(f"{name!r} is a column, and the name of a joint target. Rename it.")
        if persons and not self.in_memory:
            raise InputError(
                f"{persons[0]!r} says whose a record is, and an engine takes each record as a"
                " person. Leave it out where nobody has several, or take a sample (study.sample)."
            )
        names = as_names(part if isinstance(part, str) else "+".join(part) for part in targets)
        parts = [part for name in names for part in joint.get(name, [name])]
        for name in (*self.keys, *parts):
            self.check_column(name)
        for name in (*names, *parts):
            if name in roles:
                raise InputError(f"{name!r} is a target, with the role {roles[name]}. Choose one.")
        return joint, names

    def once(self, make: Callable[..., T], *about: Any) -> T:
        """What is made of these, made when it is first asked for."""
        key = make.__name__, *about
        if key not in self._memory:
            self._memory[key] = make(self, *about)
        made: T = self._memory[key]
        return made

    def column(self, name: str) -> Coded:
        """One column of all files, in bands where they are declared; a joint target as one."""
        return self.once(Study._column, name)

    def unbanded(self, name: str) -> Coded:
        """One column of all files as it stands in them, in no bands."""
        return self.once(Study._unbanded, name)

    def _unbanded(self, name: str) -> Coded:
        self._check_files(name, self.files)
        about = self.columns.get(name, Column())
        tables = None if self.in_memory else self.records.distinct(name)
        columns = (
            [f.frame[name] for f in self.files]
            if tables is None
            else [table["value"].alias(name) for table in tables]
        )
        parts = {file.label: values for file, values in zip(self.files, columns, strict=True)}
        labels = self.codebook.get(name, Variable()).labels
        values = stack(name, parts, about.kind, self.missing, labels)
        n = None if tables is None else pl.concat(table["n"] for table in tables).to_numpy()
        rows = ends_of(columns)
        return encode(name, values, rows, n, missing=self.missing, labels=labels)

    def _column(self, name: str) -> Coded:
        if name in self.joint:
            parts = [self.column(part) for part in self.joint[name]]
            return join(name, parts if self.in_memory else self.records.combined(name, parts))
        column, about = self.unbanded(name), self.columns.get(name, Column())
        if about.bands is not None:
            column = band(column, about.bands, self.special(name, column))
        for level in about.sensitive:
            if column.code(level) is None:
                raise InputError(
                    f"{name!r}: no one has the sensitive value {level!r}. Write the level as it"
                    " stands in the data, or in its bands."
                )
        return column

    def special(self, name: str, column: Coded) -> tuple[float, ...]:
        """Numbers that are codes, not amounts: declared, or for missing answers by the codebook."""
        about, variable = self.columns.get(name, Column()), self.codebook.get(name, Variable())
        if not variable.missing or column.kind != "number":
            return about.special
        coded = (number for number in column.numbers if variable.is_missing(number))
        return (*about.special, *coded)

    def distances(self, name: str) -> Floats | None:
        """Each level of a number with a tolerance; what is no number is far from all others."""
        column, about = self.column(name), self.columns.get(name, Column())
        if about.tolerance is None or column.kind != "number" or about.kind == "category":
            return None
        numbers = column.numbers.copy()
        is_far = ~np.isfinite(numbers) | np.isin(numbers, self.special(name, column))
        highest = np.nanmax(np.where(is_far, np.nan, numbers), initial=0)
        numbers[is_far] = highest + 4 * (about.tolerance + 1) * np.arange(1, is_far.sum() + 1)
        return numbers

    @property
    def near_targets(self) -> list[str]:
        """The targets of which a key or a part is a number with a tolerance."""

        def is_near(name: str) -> bool:
            return self.distances(name) is not None

        if any(map(is_near, self.keys)):
            return list(self.targets)
        return [name for name in self.targets if any(map(is_near, self.joint.get(name, [name])))]

    def shares(self, target: str, published: OpenFile | None = None) -> Floats | None:
        """The public share of each level of a target: as published, or else as in the original."""
        column, published = self.column(target), published or self.published
        if published is None:
            counts = column.counts[ORIGINAL]
            return counts / max(counts.sum(), 1)
        table = published.frame
        for name in ("column", "level", "share"):
            check_name(name, table.columns, "The published table has no column")
        rows = table.filter(pl.col("column").cast(pl.String) == target)
        shares = np.zeros(column.n_levels)
        levels = rows["level"].cast(pl.String).fill_null("")
        for level, share in zip(levels, rows["share"].cast(pl.Float64, strict=False), strict=True):
            if share is None or not 0 <= share <= 1:
                raise InputError(f"The published shares of {target!r} are no numbers from 0 to 1.")
            if (code := column.code(level)) is not None:
                shares[code] = share
        return shares if len(rows) else None

    def crossed(self, names: Sequence[str]) -> Crossed:
        """The original by some of its columns."""
        for name in names:
            self.check_column(name)
        columns = [self.column(name) for name in names]
        if not self.in_memory:
            codes, n = self.records.cross(ORIGINAL, columns)
            return Crossed(dict(zip(names, codes, strict=True)), np.arange(len(n)), n)
        rows = self.rows[ORIGINAL]
        codes = [column.codes[rows] for column in columns]
        return Crossed(dict(zip(names, codes, strict=True)), self.people()[0], None)

    @checked
    def sample(
        self, people: Annotated[int, msgspec.Meta(ge=1)] = DRAWN, *,
        records: Annotated[int, msgspec.Meta(ge=1)] | None = None, seed: Seed = None,
    ) -> "Study":  # fmt: skip
        """The same study in memory, of people drawn at random from files that stay in an engine.

        Parameters
        ----------
        people
            How many are drawn from the original, and from the control sample.
        records
            How many are drawn from each synthetic file; by default as many.
        seed
            The start of the random numbers.
        """
        if self.in_memory:
            raise InputError("The records are in memory: measure them all, or draw from a frame.")
        drawn = {file.role: people for file in self.files} | {"synthetic": records or people}
        frames = [
            self._drawn_from(number, drawn[file.role], SEED if seed is None else seed)
            for number, file in enumerate(self.files)
        ]
        versions = {version: [frames[n] for n in numbers]
                    for version, numbers in self.versions.items()}  # fmt: skip
        about = self._settings | {"engine": "memory"}
        if self.fraction is not None:
            about["fraction"] = self.fraction * len(frames[ORIGINAL].frame) / self.files[0].size
        control = frames[-1] if self.has_control else None
        return Study(frames[ORIGINAL], versions or None, control=control, **about)

    def _drawn_from(self, number: int, n: int, seed: int) -> Data:
        file, frame = self.files[number], self.once(Study._sample, number, n, seed)
        sentence = f"{len(frame):,} of {file.size:,} records, drawn at random (seed {seed})."
        return Data(frame, file.data.codebook, (*file.data.notes, sentence))

    def sides(self) -> Iterator[Side]:
        """Each copy of each version and, where there are several copies, all of them pooled."""
        for version, numbers in self.versions.items():
            for copy, number in enumerate(numbers, start=1):
                yield Side(version, copy, range(number, number + 1))
            if len(numbers) > 1:
                yield Side(version, "pooled", numbers)

    def profile(
        self, target: str | None, side: Side, rules: Sequence[Rule] = (), people: int = ORIGINAL
    ) -> CellProfile:
        """The cells of keys and target in two files, without those that rules exclude.

        In the place of d stands the file of the people at risk: the original, or the control
        sample. Without a target, the keys alone are compared.
        """
        levels_of = tuple(sorted({name for rule in rules for name in rule.keys_of(self.keys)}))
        about = (self.keys, target, people, side, levels_of)
        is_kept = len(self.files) - self.has_control - 1 <= KEPT
        whole = self.once(Study._profile, *about) if is_kept else self._profile(*about)
        return whole.without(rules)

    def _profile(
        self, keys: tuple[str, ...], target: str | None, people: int, side: Side,
        levels_of: tuple[str, ...],
    ) -> CellProfile:  # fmt: skip
        column = NO_TARGET if target is None else self.column(target)
        if not self.in_memory:
            return CellProfile.of(self._count_there(keys, column, people, side, levels_of), people)
        counts = self.once(Study._count_keys, keys, people, side)
        return CellProfile.of(count_cells(counts, column, levels_of), people)

    def _count_there(
        self, keys: tuple[str, ...], target: Coded, people: int, side: Side,
        levels_of: tuple[str, ...],
    ) -> Cells:  # fmt: skip
        """The cells as an engine counts them, with those of people drawn at random."""
        columns = {name: self.column(name) for name in (*self.keys, *self.targets, *keys)}
        self.once(Study._say_memory, people, side)
        for number in (people, *side.files):
            self.records.coded(number, [*columns.values()])
        of_keys, about = [columns[name] for name in keys], [columns[name] for name in keys]
        if target is not NO_TARGET:
            about.append(target)
        drawn = {column.name: self.drawn(column.name, people) for column in about}
        return self.records.cells(of_keys, target, people, side.files, levels_of, drawn)

    def _say_memory(self, people: int, side: Side) -> None:
        """What is to be known before the records are counted."""
        keys, targets = ([self.column(name) for name in names]
                         for names in (self.keys, self.targets))  # fmt: skip
        needed = self.records.memory_needed([people, *side.files], keys, targets)
        n = sum(file.size for file in self.files)
        say(f"{n:,} records are counted in {self.records.engine.name}; besides what it takes,"
            f" at most {needed / 2**20:,.0f} MB of memory are needed.")  # fmt: skip

    @property
    def records(self) -> EngineRecords:
        """The records that stay in an engine."""
        return self.once(Study._records)

    def _records(self) -> EngineRecords:
        return EngineRecords([file for file in self.files if isinstance(file, EngineFile)])

    def drawn(self, name: str, people: int = ORIGINAL) -> Ints:
        """The codes of people whom an engine drew at random from the original."""
        return self.once(Study._drawn, name, people)

    def _drawn(self, name: str, people: int) -> Ints:
        if people != ORIGINAL:
            return np.zeros(0, np.int32)
        records = self.once(Study._sample, ORIGINAL, DRAWN, SEED)
        return self.records.codes_in(records, self.column(name), ORIGINAL)

    def _sample(self, number: int, n: int, seed: int) -> pl.DataFrame:
        return self.records.sample(number, n, seed)

    def _count_keys(self, keys: tuple[str, ...], people: int, side: Side) -> KeyCounts:
        columns, packed, space = self.once(Study._pack, keys)
        d, ends = self.rows[people], [self.rows[number] for number in side.files]
        s = slice(ends[0].start, ends[-1].stop) if ends else slice(d.stop, d.stop)
        return count_keys(columns, packed, space, Pair(d, s))

    def _pack(self, keys: tuple[str, ...]) -> tuple[list[Coded], Ints, int]:
        columns = [self.column(name) for name in keys]
        return columns, *pack(columns)

    def _check_overlap(self, name: str, need_common: bool) -> bool:
        """Without a value in common a column is coded differently, and its risk looks like zero."""
        column, about = self.column(name), self.columns.get(name, Column())
        is_number = column.kind == "number"
        is_near = about.tolerance is not None and name not in self.keys
        if is_number and (is_near or not need_common):
            return True  # what is near is counted, or numbers are compared as amounts
        known = column.counts[:, : column.n_levels - column.has_missing]
        for file, counts in zip(self.files, known, strict=True):
            if known[ORIGINAL].any() and not (known[ORIGINAL] * counts).any():
                bands = f", or compare it in bands (-c {name}:bands=5)" if is_number else ""
                raise InputError(
                    f"{name!r} has no value in common with {file.label}, and its risk would look"
                    f" like zero. Give it the same coding in every file{bands}."
                )
        return True


def _open_files(
    original: Any, synthetic: Any, control: Any, how: How, engine: str
) -> tuple[list[OpenFile], dict[str, range]]:
    """All files in their order, and the numbers of the copies of each version."""
    named = synthetic if isinstance(synthetic, Mapping) else {"": synthetic}
    there = engine_of(engine, [original, control, *_flat(named.values())])
    reader = None if there is None else read_but_records
    files, versions = [open_file(original, "original", how=how, reader=reader)], {}
    for version, sources in named.items():
        copies = sources if isinstance(sources, list | tuple) else [sources]
        if synthetic is None:
            continue
        if not copies or str(version) in versions:
            raise InputError(f"'synthetic' has no file, or two entries, for {str(version)!r}.")
        versions[str(version)] = range(len(files), len(files) + len(copies))
        for copy, source in enumerate(copies, start=1):
            files.append(open_file(source, "synthetic", str(version), copy, how, reader))
    if control is not None:
        files.append(open_file(control, "control", how=how, reader=reader))
    return files if there is None else [EngineFile.of(file, there) for file in files], versions


def _flat(sources: Iterable[Any]) -> Iterator[Any]:
    """Each source, those of several copies one by one."""
    for source in sources:
        yield from source if isinstance(source, list | tuple) else [source]


class Needs(NamedTuple):
    """What a call needs of a study; its command takes files accordingly."""

    synthetic: bool | None = True  # None: with or without
    keys: bool = True
    numbers: Literal["common", "near", "any", "unlike"] = "common"  # which must occur in all files
    there: bool = False  # whether it takes counts from an engine; else records in memory

    @classmethod
    def of(cls, call: Callable[..., Any]) -> "Needs":
        """As the type of its study says."""
        extras = get_args(hints_of(call)["study"])[1:]
        return next((extra for extra in extras if isinstance(extra, cls)), cls())


OneFile = Annotated[Study, Needs(synthetic=False)]
"""A study of which the original alone is measured."""

Counted = Annotated[Study, Needs(there=True)]
"""A study whose records are counted wherever they are."""

OneCounted = Annotated[Study, Needs(synthetic=False, there=True)]
"""A study of which the original alone is counted, wherever it is."""

NearStudy = Annotated[Study, Needs(numbers="near")]
"""A study of which numbers with a tolerance are compared by how near they are."""

Alike = Annotated[Study, Needs(keys=False, numbers="any")]
"""A study whose files are compared as a whole: without keys, and numbers may have had noise."""

Records = Annotated[Study, Needs(synthetic=False, keys=False)]
"""A study of the original alone, whatever is known of people."""

Unlike = Annotated[Study, Needs(keys=False, numbers="unlike")]
"""A study whose files may differ in any way: that they do is what is measured."""

AnyStudy = Annotated[Study, Needs(synthetic=None, keys=False)]
"""A study of which nothing is required, synthetic data or keys."""


def measure(call: Call) -> Call:
    """A public call on a study: the result knows what was asked, of which files, and keeps it."""

    @wraps(call)
    def measured(*arguments: Any, **settings: Any) -> Result:
        asked = bind(call, arguments, settings)
        study = asked["study"]
        study.require(Needs.of(call))
        if "seed" in asked and asked["seed"] is None:
            is_secret = hints_of(call)["seed"] == SecretSeed
            asked["seed"] = randbits(31) if is_secret else SEED
        result: Result = call(**asked)
        del asked["study"]
        document = msgspec.json.encode(study.settings | asked, enc_hook=_name_of)
        plain = msgspec.json.decode(document)
        notes = (*study.notes(), *result.notes, *_undefined(result))
        return result.beside(study, settings=plain, files=study.files_used(), notes=notes)

    return measured  # type: ignore[return-value]


def _name_of(setting: object) -> str:
    """A file, a frame or a function among the settings, as a result records it."""
    if isinstance(setting, Path):
        return str(setting)
    return str(getattr(setting, "__name__", "a data frame"))


def _undefined(result: Result) -> Iterator[Note]:
    """Why figures are missing."""
    for table in result.all_tables():
        for name, unit in table.units.items():
            if unit.undefined and any(row[name] is None for row in table.rows):
                sentence = f"{unit.title} is not measured where there is {unit.undefined}."
                yield Note(about=f"{table.name}.{name}", sentence=sentence)
