"""A scenario larger than memory: its records as codes on a disk, in parts that are counted in turn.

Records with equal keys are in the same part. So key combinations, cells and whole records are never
divided, every count is the sum over the parts, and each part is counted as small files are. Memory
is bounded by the largest part and by the batch in which files are read.
"""

import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Ints
from unveil.count.cells import Cells, KeyCounts
from unveil.count.codes import CodedColumn
from unveil.count.exclude_cells import add_renormalised, exclude_cells
from unveil.count.packing import Integers, Sides
from unveil.count.profile import Profile, distinct
from unveil.errors import EngineError
from unveil.io.batches import BATCH
from unveil.io.memory import size_text
from unveil.records.exclusions import Exclusion
from unveil.study.choose_engine import COUNTING, RESTING, count_parts, memory_limit
from unveil.study.disclosed_records import MOST_PAIRS, DisclosedRecords, RecordSums
from unveil.study.engine_exclusions import EngineExclusions
from unveil.study.engine_scenario import EngineScenario, check_few
from unveil.study.engine_study import EngineStudy, EntryColumn, plain_values
from unveil.study.excluded import Exclusions
from unveil.study.scenario import CountedScenario, Progress

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class RecordParts:
    """Coded records on a disk: in each part those of the original, then those of each copy."""

    folder: Path
    dtype: np.dtype[Any]  # a field for each column
    rows: Ints  # parts x files

    def read(self, part: int, sides: Sequence[int], fields: Sequence[str]) -> dict[str, Codes]:
        """The codes of some columns in some files, one file after the other."""
        stops = np.cumsum(self.rows[part])
        records = np.fromfile(_path(self.folder, part), self.dtype)
        chosen = [records[stops[side] - self.rows[part, side] : stops[side]] for side in sides]
        return {name: np.concatenate([some[name] for some in chosen]) for name in fields}


def _path(folder: Path, part: int) -> Path:
    return folder / f"part{part}"


def write_parts(
    study: EngineStudy, columns: Mapping[str, EntryColumn], n_keys: int, progress: Progress
) -> RecordParts:
    """Read every file in batches, and write the codes of its records to the parts of their keys."""
    names = list(columns)
    dtype = np.dtype([(name, _narrowest(one.n_levels)) for name, one in columns.items()])
    n_rows = [side.table.n_rows for side in study.sides]
    n_parts = count_parts(sum(n_rows), dtype.itemsize, memory_limit(study.backend.settings))
    folder = study.backend.free_path("")
    rows = np.zeros((n_parts, len(n_rows)), np.int64)
    with study.backend.asking("coding the columns"), ExitStack() as stack:
        folder.mkdir()
        files = [stack.enter_context(open(_path(folder, i), "ab")) for i in range(n_parts)]
        for place, side in enumerate(study.sides):
            coders = {n: _coder(study, one, place) for n, one in columns.items()}
            lazy = _raw(study, columns, place)
            for start in range(0, n_rows[place], BATCH):
                progress(f"coding the {side.table.side} data", start, n_rows[place])
                frame = lazy.slice(start, BATCH).collect()
                records = np.empty(frame.height, dtype)
                for name in names:
                    records[name] = coders[name](frame, name)
                part = _part_of([records[name] for name in names[:n_keys]], n_parts)
                records = records[np.argsort(part, kind="stable")]
                counts = np.bincount(part, minlength=n_parts)
                rows[:, place] += counts
                for file, some in zip(
                    files, np.split(records, np.cumsum(counts)[:-1]), strict=True
                ):
                    file.write(some.tobytes())  # tofile does not say why it fails
    made = RecordParts(folder, dtype, rows)
    weakref.finalize(made, shutil.rmtree, folder, ignore_errors=True)  # the disk is for others
    _check_room(made, memory_limit(study.backend.settings))
    return made


def _check_room(parts: RecordParts, limit: int | None) -> None:
    """Refuse a part that memory does not hold: so many records share one key combination."""
    largest = int(parts.rows.sum(axis=1).max()) * (2 * parts.dtype.itemsize + COUNTING)
    if limit is not None and RESTING + largest > limit:
        enough = RESTING + 2 * largest  # with more memory there are fewer and larger parts
        raise EngineError(
            f"{size_text(limit)} of memory are too little to count in chunks; with"
            f" {size_text(enough, up=True)} the records of the largest part would fit. Give that"
            " much with memory (--memory), add a key, or count with DuckDB (--engine duckdb)."
        )


def _narrowest(n_levels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_levels <= 2**8 else np.uint16 if n_levels <= 2**16 else np.uint32


def _part_of(keys: Sequence[Integers], n_parts: int) -> NDArray[np.uint16]:
    """The part of each record, by its keys."""
    mixed = np.zeros(len(keys[0]), np.uint64)
    for codes in keys:
        mixed += codes.astype(np.uint64)
        mixed += np.uint64(1)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(31)
    return ((mixed >> np.uint64(17)) % np.uint64(n_parts)).astype(np.uint16)


def _raw(study: EngineStudy, columns: Mapping[str, EntryColumn], place: int) -> pl.LazyFrame:
    """The entries of one file, by the names of the fields; those that it has."""
    side = study.sides[place]
    wanted = [
        plain_values(nw.col(side.places[one.name]), study.entries(one.name, place)[0].dtype).alias(
            name
        )
        for name, one in columns.items()
        if place < len(one.sides.rows)
    ]
    made: pl.LazyFrame = side.rows.select(*wanted).to_native()
    return made


def _coder(study: EngineStudy, column: EntryColumn, place: int) -> Callable[..., Any]:
    """How the entries of a column in one file become codes."""
    if place >= len(column.sides.rows):  # a segment, which only the original has
        return lambda frame, name: 0
    values, _ = study.entries(column.name, place)
    codes = column.entries[place][0]
    levels = pl.DataFrame({"v": values, "code": codes.astype(np.uint32)})

    def encode(frame: pl.DataFrame, name: str) -> NDArray[np.uint32]:
        raw = pl.DataFrame({"v": frame[name]})
        found = raw.join(levels, on="v", how="left", nulls_equal=True, maintain_order="left")
        if found["code"].null_count() or found.height != frame.height:
            raise EngineError(
                f"The values of column {column.name!r} could not be found again. Count in memory"
                " (--engine memory)."
            )
        return found["code"].to_numpy()

    return encode


@dataclass(frozen=True)
class PartFacts:
    """What is asked of every pair of files, found in one walk over the parts."""

    keys: Profile
    targets: tuple[Profile, ...]
    values: tuple[tuple[Ints, Ints, Ints], ...]
    n_any_correct: int


@dataclass(frozen=True)
class PartedScenario(EngineScenario):
    """Keys and targets as levels with counts; records are in parts on a disk."""

    _parts: list[RecordParts] = field(default_factory=list, repr=False, compare=False)
    _facts: dict[Any, PartFacts] = field(default_factory=dict, repr=False, compare=False)
    _found: dict[Any, list[dict[Any, RecordSums]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def parts(self) -> RecordParts:
        """The codes of all records on the disk; written when first asked for."""
        if not self._parts:
            named, n_keys = self.named_columns, len(self.key_columns)
            self._parts.append(write_parts(self._study, named, n_keys, self.progress))
        return self._parts[0]

    def walk(self, what: str, *, pooled: bool = True) -> Iterator[tuple[CountedScenario, Any]]:
        """Each part as a scenario in memory, and its segment; all copies as one, if pooled."""
        sides, fields = [0, *self.copies], list(self.named_columns)
        n_keys, segment = len(self.key_columns), self.whole[-1]
        for part, rows in enumerate(self.parts.rows[:, sides]):
            self.progress(what, part, len(self.parts.rows))
            if not rows.sum():
                continue
            codes = self.parts.read(part, sides, fields)
            here = Sides((int(rows[0]), int(rows[1:].sum())) if pooled else tuple(rows.tolist()))
            made = [
                _in_memory(column, here, codes[name])
                for name, column in zip(fields, self._columns, strict=False)
            ]
            keys = tuple(made[:n_keys])
            scenario = CountedScenario(here, keys, tuple(made[n_keys:]), KeyCounts(keys))
            yield scenario, None if segment is None else _in_memory(segment, here, codes["g"])

    @cached_property
    def _combinations(self) -> pl.DataFrame:
        """Every key combination: its levels, and its records on each side."""
        return self._gather(lambda here: (slice(None), {}, here.keys.counts), ())

    def cells(self, target: int) -> Cells:
        """The cells of one target, on every side."""
        if target not in self._cells:

            def of_part(here: CountedScenario) -> tuple[Any, dict[str, Any], Integers]:
                cells = here.cells(target)
                return cells.q, {"t": cells.t}, cells.counts

            found = self._gather(of_part, ("t",))
            n_of_q = found.group_by(self._key_fields, maintain_order=True).len()["len"].to_numpy()
            starts = np.concatenate([[0], np.cumsum(n_of_q, dtype=np.int64)])
            t = found["t"].to_numpy().astype(np.uint32)
            self._cells[target] = Cells(starts, t, self._counts(found))
        return self._cells[target]

    @property
    def _key_fields(self) -> list[str]:
        return [f"k{place}" for place in range(len(self.key_columns))]

    def _gather(
        self,
        of_part: Callable[[CountedScenario], tuple[Any, dict[str, Any], Integers]],
        more: Sequence[str],
    ) -> pl.DataFrame:
        """Combinations of all parts, in the order of their levels; refused where they are many."""
        frames: list[pl.DataFrame] = []
        for here, _ in self.walk("counting combinations", pooled=len(self.sides.rows) == 2):
            q, named, counts = of_part(here)
            keys = {f"k{place}": here.key_codes(place, q) for place in range(len(self.key_columns))}
            frames.append(
                pl.DataFrame({**keys, **named, **{f"n{i}": n for i, n in enumerate(counts)}})
            )
            check_few(sum(map(len, frames)))
        whole = pl.concat(frames, how="vertical_relaxed")
        return whole.sort(*self._key_fields, *more)

    def joint_counts(self, target: int, key: int) -> Ints:
        """Original records by target level and key level."""
        if (target, key) not in self._joint:
            shape = self.target_columns[target].n_levels, self.key_columns[key].n_levels
            made = np.zeros(shape[0] * shape[1], np.int64)
            for part in range(len(self.parts.rows)):
                t, k = self.parts.read(part, [0], [f"t{target}", f"k{key}"]).values()
                made += np.bincount(t.astype(np.int64) * shape[1] + k, minlength=len(made))
            self._joint[target, key] = made.reshape(shape)
        return self._joint[target, key]

    def most_common(self, target: int, key: int) -> Ints:
        """For each level of a key, the original records with its most common target level."""
        return CountedScenario.most_common(self, target, key)

    def count_recurring(self) -> tuple[int, list[tuple[int, int, bool]]]:
        """Which original records stand in the copies, equal in all columns?"""
        n_alone, found = 0, [(0, 0, True) for _ in self.copies]
        for here, _ in self.walk("comparing whole records", pooled=False):
            alone, copies = here.count_recurring()
            n_alone += alone
            empty = [not here.sides.rows[0] and not n for n in here.sides.rows[1:]]
            found = [
                (n + more, one + two, is_same and (same or nobody))
                for (n, one, is_same), (more, two, same), nobody in zip(
                    found, copies, empty, strict=True
                )
            ]
        return n_alone, [(n, one, n > 0 and is_same) for n, one, is_same in found]

    def facts(self, rules: tuple[Exclusion, ...]) -> PartFacts:
        """All that is asked of these files under some rules, of all targets at once."""
        if rules not in self._facts:
            self._facts[rules] = self._find_facts(rules)
        return self._facts[rules]

    def _find_facts(self, rules: tuple[Exclusion, ...]) -> PartFacts:
        keys: list[Profile] = []
        targets: list[list[Profile]] = [[] for _ in self.target_columns]
        values = [[np.zeros(c.n_levels, np.int64)] * 3 for c in self.target_columns]
        n_correct = 0
        for here, _ in self.walk("counting keys and targets"):
            known = Exclusions(here, rules)
            keys.append(known.key_profile())
            for place in self.target_places:
                looks = here.looks(place)
                profile = looks.profile
                if known.concerning(place):
                    profile = exclude_cells(looks, here.cells(place), known.find_exclusions(place))
                targets[place].append(profile)
                more = known.count_values(place)
                values[place] = [one + two for one, two in zip(values[place], more, strict=True)]
            n_correct += known.count_any_correct()
        n_original = np.array([self.sides.rows[0]])
        return PartFacts(
            _together(keys, n_original),
            tuple(
                _together(some, column.counts[0])
                for some, column in zip(targets, self.target_columns, strict=True)
            ),
            tuple((one[0], one[1], one[2]) for one in values),
            n_correct,
        )

    def found(
        self, rules: tuple[Exclusion, ...], several: float, *, is_parted: bool
    ) -> list[dict[Any, RecordSums]]:
        """Of each target whom it discloses, by what is asked."""
        known = rules, several, is_parted
        if known not in self._found:
            made: list[dict[Any, list[RecordSums]]] = [{} for _ in self.target_columns]
            for here, segment in self.walk("counting what is disclosed"):
                exclusions = Exclusions(here, rules)
                for place, asked in enumerate(made):
                    found = exclusions.found(place, several, segment if is_parted else None)
                    asked.setdefault("kept", []).append(found.kept_sums())
                    for key in (None, *range(len(self.key_columns))):
                        for shared in (False, True):
                            sums = found.sums(key, shared=shared)
                            asked.setdefault((key, shared), []).append(sums)
            self._found[known] = [
                {what: _add_sums(some) for what, some in asked.items()} for asked in made
            ]
        return self._found[known]


def _in_memory(column: CodedColumn, sides: Sides, codes: Codes) -> CodedColumn:
    """A column of the records of one part, by the levels of all."""
    known = ("levels", "meanings", "special_codes", "measure", "is_category")
    return CodedColumn(column.name, sides, codes, **{name: getattr(column, name) for name in known})


def _together(profiles: Sequence[Profile], d_t: Integers) -> Profile:
    """Profiles of parts as one."""
    names = ("d_tq", "s_tq", "d_q", "s_q", "T_d", "T_s", "x_d", "x_s")
    letters = []
    for name in names:
        of_parts = [getattr(p, name) for p in profiles]
        zeros = [
            np.zeros_like(p.w) if one is None else one
            for p, one in zip(profiles, of_parts, strict=True)
        ]
        letters.append(np.concatenate(zeros).astype(np.int64))
    found, _, w = distinct(letters, np.concatenate([p.w for p in profiles]))
    struck = [p.struck for p in profiles if p.struck is not None]
    d_tq, s_tq, d_q, s_q, T_d, T_s, x_d, x_s = found
    made = Profile(d_tq, s_tq, d_q, s_q, T_d, T_s, w, d_t)
    if profiles[0].x_d is None:
        return made
    return replace(
        made,
        x_d=x_d,
        x_s=x_s,
        struck=reduce(add_renormalised, struck) if struck else None,
    )


def _add_sums(parts: Sequence[RecordSums]) -> RecordSums:
    """Numbers of records of parts, added up."""
    letters = ("segment", "t", "k", "n")
    frame = pl.DataFrame(
        {name: np.concatenate([getattr(one, name) for one in parts]) for name in letters}
    ).cast(pl.Int64)
    summed = frame.group_by("segment", "t", "k").agg(pl.col("n").sum()).sort("segment", "t", "k")
    return RecordSums(*(summed[name].to_numpy() for name in letters))


@dataclass(frozen=True)
class PartedExclusions(Exclusions):
    """Rules that act on every part."""

    @property
    def _parted(self) -> PartedScenario:
        assert isinstance(self.scenario, PartedScenario)
        return self.scenario

    def act_on(self, target: int) -> bool:
        """Whether some rule may hit a cell of this target."""
        return bool(self.concerning(target))

    def key_profile(self) -> Profile:
        """The profile of the key combinations under the rules."""
        return self._parted.facts(self.rules).keys

    def _profile(self, target: int) -> Profile:
        return self._parted.facts(self.rules).targets[target]

    def count_values(self, target: int) -> tuple[Ints, Ints, Ints]:
        """By level, before any exclusion: shown correctly, shown to others, shown another level."""
        return self._parted.facts(self.rules).values[target]

    def count_any_correct(self) -> int:
        """Original records of which some target is disclosed correctly and not excluded."""
        return self._parted.facts(self.rules).n_any_correct

    def _search(self, target: int, several: float, segment: CodedColumn | None) -> DisclosedRecords:
        return PartedDisclosed(self, target, several, is_parted=segment is not None)

    def frame_at_risk(
        self, target: int, counted: Callable[[Any], Any], *, of_keys: bool
    ) -> Any | None:
        """The records that a measure counts, as a lazy frame of polars."""
        rules = EngineExclusions(self._parted, self.rules)
        return rules.frame_at_risk(target, counted, of_keys=of_keys)


PartedScenario.excluded_by = PartedExclusions


@dataclass(frozen=True)
class PartedDisclosed:
    """What is found of one target in all parts."""

    exclusions: PartedExclusions
    target: int
    several: float
    is_parted: bool

    @property
    def _sums(self) -> dict[Any, RecordSums]:
        scenario, rules = self.exclusions._parted, self.exclusions.rules
        known = [
            (r, n, by)
            for r, n, by in scenario._found
            if (r, by) == (rules, self.is_parted) and self.several in (0, n)
        ]
        several = known[0][1] if known else self.several
        return scenario.found(rules, several, is_parted=self.is_parted)[self.target]

    def sums(self, key: int | None = None, *, shared: bool = False) -> RecordSums:
        """The disclosed records by segment and target level, and by the level of one key."""
        return self._sums[key, shared]

    def kept_sums(self) -> RecordSums:
        """The original records that exclusions leave."""
        return self._sums["kept"]

    def people(self, key: int, pairs: RecordSums) -> tuple[Ints, Ints]:
        """All original records with each key level, and those with the target level too."""
        scenario = self.exclusions._parted
        column = scenario.key_columns[key]
        n_pairs = column.n_levels * scenario.target_columns[self.target].n_levels
        if not self.is_parted and n_pairs <= MOST_PAIRS:
            n_level = scenario.joint_counts(self.target, key)[pairs.t, pairs.k]
            return column.counts[0][pairs.k].astype(np.int64), n_level
        of_key, of_pair = np.zeros(len(pairs.n), np.int64), np.zeros(len(pairs.n), np.int64)
        for here, segment in scenario.walk("counting pairs of levels"):
            known = Exclusions(here, ()).found(self.target, 0, segment if self.is_parted else None)
            some = known.people(key, pairs)
            of_key, of_pair = of_key + some[0], of_pair + some[1]
        return of_key, of_pair
