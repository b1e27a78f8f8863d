"""`unveil.recognition`: can an intruder tell that a person was in the data?

An intruder who can rerun the synthesiser makes worlds with and without a person, learns what the
release looks like in each, and looks at the one that was made. Carlini et al. (2022); Stadler,
Oprisanu and Troncoso (2022); Annamalai et al. (2024) on auditing a claimed epsilon.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import parse_choice, parse_number_within, parse_whole_number
from unveil.count.codes import CodedColumn
from unveil.errors import AlignError, RolesError, SettingsError
from unveil.io.sources import CachedFile, read_table
from unveil.io.table import Table
from unveil.measure.attacks.agreement import Agreement, ComparedColumn
from unveil.measure.attacks.prepare import check_other_columns, with_special_codes
from unveil.measure.attacks.recognition_result import (
    RecognitionResult,
    TestedPeople,
    make_result,
)
from unveil.measure.attacks.recognition_scores import WorldScores
from unveil.measure.attacks.samples import check_level
from unveil.measure.attacks.worlds import (
    ABSENCES,
    FEWEST_WORLDS,
    INTRUDERS,
    MOST_WORLDS,
    RecordExposure,
    WorldPool,
    check_enough,
    choose_exposed,
)
from unveil.measure.roles.person import choose_people
from unveil.project.fingerprint import canonical, list_packages
from unveil.project.make_worlds import WorldMaker, WorldStore, make_worlds
from unveil.project.release_procedure import (
    CandidateProcedure,
    CommandProcedure,
    LiveProcedure,
    Procedure,
    ProtectProcedure,
    ReleaseFiles,
    describe,
    keeps_rows,
    mark,
    parse_procedure,
    release_quietly,
)
from unveil.project.seeds import confidential_folder
from unveil.project.sources import Inputs
from unveil.protection.recoding.recode import recode, restore_form
from unveil.protection.recoding.steps import parse_steps
from unveil.records.recoding import KINDS
from unveil.seeding import choose_seed, stream
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import OpenFiles, open_files, parse_missing
from unveil.synthesis.methods import MOST_ROWS
from unveil.synthesis.settings import check_progress, parse_workers
from unveil.version import __version__

MOST_FILES = 1_000
FOLDER = "recognition"
"""Of a project, in its confidential folder: the worlds that are made."""


@dataclass(frozen=True)
class RecognitionSettings:
    """What is asked for, checked before any data is read."""

    procedure: Procedure
    people: int
    worlds: int
    intruder: Any
    out: Any
    level: float
    claimed: float | None
    seed: int
    workers: int

    @classmethod
    def of(cls, synthesiser: Any, given: Mapping[str, Any]) -> "RecognitionSettings":
        """What is given, or a refusal of what means nothing."""
        procedure = parse_procedure(synthesiser)
        has_reference = given["reference"] is not None
        out = given["out"] or ("replace" if has_reference else "remove")
        out = parse_choice("out", out, ABSENCES)
        if out == "remove" and not keeps_rows(procedure):
            raise SettingsError(
                "The command cannot be told how many rows to write, so the length of its file would"
                ' show who was out. Add {rows} to it, or test with out="replace" and a reference.'
            )
        claimed = given["claimed_epsilon"]
        check_level("level", given["level"])
        return cls(
            procedure,
            parse_whole_number("people", given["people"]),
            parse_whole_number("worlds", given["worlds"], least=FEWEST_WORLDS, most=MOST_WORLDS),
            parse_choice("intruder", given["intruder"], INTRUDERS),
            out,
            float(given["level"]),
            None
            if claimed is None
            else parse_number_within("claimed_epsilon", claimed, "[0, inf)"),
            choose_seed(given["seed"]),
            parse_workers(given["workers"]),
        )


def recognition(
    original: Any,
    synthesiser: Any,
    *,
    reference: Any = None,
    released: Any = None,
    people: int = 100,
    worlds: int = 400,
    intruder: str = "others",
    out: str | None = None,
    files: int | None = None,
    rows: int | None = None,
    columns: str | Iterable[str] | None = None,
    without: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    person: str | None = None,
    missing_values: str | Sequence[str] = (),
    claimed_epsilon: float | None = None,
    level: float = 0.95,
    seed: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RecognitionResult:
    """Test whether single people can be recognised as members, by rerunning the release.

    Parameters
    ----------
    original
        The file or frame that the release was made from.
    synthesiser
        How it was made, with every protection inside: settings of `unveil.synthesise`, or of
        `unveil.protect` (with "steps"); a function of data (a polars frame), seed and rows that
        gives a frame, or a list of frames where several are released; or a command with places to
        fill in, "mysynth {data} {out} --seed {seed}", also {rows}. A function that another process
        cannot import runs in this one.
    reference
        People of the same kind whose records were not used. Without it `out` is "remove", and some
        people of the original are kept out of all worlds.
    released
        The synthetic file, or files, to be released: how many people are recognised in it.
    people, worlds
        How many people are tested, half of them the most exposed by their records, half drawn at
        random; and in how many worlds.
    intruder
        "others" knows everyone but the tested people; "population" only people of the same kind.
    out
        Who is out of a world has a person of the reference in the place ("replace"), or no one
        ("remove"): the epsilon is that of replacing or of removing one record.
    files, rows
        Synthetic files in one release and rows of each: those of `released`, else one file with as
        many rows as the original.
    columns, without
        What the intruder knows of a person: these columns, or all but some.
    categorical, special_codes, person, missing_values
        As in `unveil.membership`; people must have one row each.
    claimed_epsilon
        What the release is claimed to have: the record says whether that is refuted.
    level
        Of all intervals, of what is shown for people together, and of the bound on epsilon.
    seed
        Same seed, same figures, on any number of workers; drawn where None.
    folder
        CONFIDENTIAL: where each finished world is kept. Asked the same again after it was stopped,
        or with more worlds, only what is not there is made.
    workers
        Processes; as many as there are cores where None.

    Returns
    -------
    RecognitionResult
        `.record` with the figures of all tested people, and `.people()`, CONFIDENTIAL, of each.

    Notes
    -----
    AUC is of two releases, one with the person and one without, the chance that the right one is
    picked. Definitions: docs/measures/recognition.md.

    References
    ----------
    Carlini et al. (2022); Meeus et al. (2023); Westfall and Young (1993); Clopper and Pearson
    (1934); DeLong et al. (1988).
    """
    return _recognise(original, synthesiser, {**locals()}, is_own=False)


def recognise_project(
    inputs: Inputs, given: Mapping[str, Any], progress: Progress
) -> RecognitionResult:
    """Membership of single people in the files of a project, as it asks for it.

    The files are those collected: recodings are done in every world, as in the release.
    """
    project = inputs.project
    gone = project.roles.identifier

    def read(file: CachedFile | None) -> Any:
        if file is None:
            return None
        left = file.whole.frame.drop(gone, strict=False)
        return restore_form(replace(file.whole, frame=left))

    asked = {
        **_defaults(),
        **given,
        "reference": read(inputs.collected_control),
        "released": [read(one) for one in inputs.collected_copies] or None,
        "folder": confidential_folder(project.folder) / FOLDER,
        "progress": progress,
    }
    return _recognise(read(inputs.collected_file), asked.pop("procedure"), asked, is_own=True)


def recognise_candidate(
    original: Any,
    reference: Any,
    *,
    setting: dict[str, Any],
    common: Mapping[str, Any],
    given: Mapping[str, Any],
) -> RecognitionResult:
    """Membership of single people in releases made as a setting of `unveil.explore` says."""
    files, rows = setting.pop("files", None) or 1, setting.get("rows")
    procedure = CandidateProcedure(setting, dict(common))
    asked = {**_defaults(), **given, "reference": reference, "files": files, "rows": rows}
    asked["special_codes"] = common["special_codes"] or None
    asked["released"] = _release_candidate(original, procedure, asked, files)
    return _recognise(original, procedure, asked, is_own=False)


def _release_candidate(
    original: Any, procedure: CandidateProcedure, asked: Mapping[str, Any], files: int
) -> list[pl.DataFrame]:
    """The release that would be made of the original, to recognise people in."""
    table = read_table(original, side="original")
    rows, seed = asked["rows"] or table.frame.height, choose_seed(asked["seed"])
    return release_quietly(procedure, table, seed, rows, files).copies


def _defaults() -> dict[str, Any]:
    known = signature(recognition).parameters
    return {name: one.default for name, one in known.items() if one.default is not one.empty}


def _recognise(
    original: Any, synthesiser: Any, given: Mapping[str, Any], *, is_own: bool
) -> RecognitionResult:
    asked = RecognitionSettings.of(synthesiser, given)
    say = check_progress(given["progress"] or no_progress)
    released, files, rows = (given[name] for name in ("released", "files", "rows"))
    folder, missing = given["folder"], parse_missing(given["missing_values"])
    made = list(released) if isinstance(released, list | tuple) else [released]
    made = [one for one in made if one is not None]
    n_files = parse_whole_number("files", files or len(made) or 1, most=MOST_FILES)
    if made and len(made) != n_files:
        raise SettingsError(f"files is {n_files}, but {len(made)} released files are given.")
    if folder is not None and isinstance(asked.procedure, LiveProcedure):
        raise SettingsError(
            "A function that only this process has cannot be continued in a folder. Put it in a"
            " module, or omit folder."
        )
    tables = _open(original, given["reference"], missing, given["person"], say)
    copies = [read_table(one, side="synthetic", missing_values=missing) for one in made]
    chosen = _columns(tables, given)
    n, n_reference = tables.rows[0], tables.rows[1] if len(tables) > 1 else None
    n_rows = copies[0].frame.height if copies and rows is None else n if rows is None else rows
    check_enough(n, n_reference, asked.people, asked.intruder, asked.out)
    pool, tested = _choose(chosen, n, n_reference, asked)
    agreement = Agreement(tuple(ComparedColumn.of(column) for column in chosen))
    table = replace(tables[0], frame=_stack(tables))
    n_rows = parse_whole_number("rows", n_rows, most=MOST_ROWS)
    maker = WorldMaker(asked.procedure, pool, agreement, table, n_rows, n_files)
    fields = {
        "files": tuple(one.source for one in (*tables, *copies)),
        "columns": tuple(column.name for column in agreement.columns),
        "procedure": describe(asked.procedure),
        "intruder": asked.intruder,
        "out": asked.out,
        "n_original": n,
        "n_reference": n_reference,
        "n_rows": maker.rows,
        "n_files": n_files,
        "n_people": tested.k,
        "n_exposed": int(tested.is_exposed.sum()),
        "n_doubles": int(tested.has_double.sum()),
        "n_worlds": asked.worlds,
        "warnings": (
            *_warnings(asked, n_reference, [one.frame.height for one in copies]),
            *_warn_of_doubles(maker),
        ),
    }
    with _store_in(folder, maker) as store:
        store.open(_head(maker), is_own=is_own)
        numbers = make_worlds(maker, store, asked.worlds, asked.workers, say)
        coins = np.stack([pool.coins(int(world)) for world in numbers])
        seen = WorldScores(lambda some: store.load(numbers, some), coins, numbers)
        return make_result(
            {**fields, "n_failed": asked.worlds - len(numbers)},
            seen,
            tested,
            released=maker.look_at(_as_released(maker, copies)) if copies else None,
            level=asked.level,
            claimed=asked.claimed,
            seed=asked.seed,
        )


# The files: what is compared, in one type, and one record for each person.


def _open(
    original: Any, reference: Any, missing_values: Any, person: str | None, say: Progress
) -> OpenFiles:
    given = {"original": original} | ({} if reference is None else {"control": reference})
    tables = open_files(given, None, missing_values, say)
    people = choose_people(tables, person)
    if people is not None and people.record.n_people < people.record.n_rows:
        raise RolesError(
            f"In the original {people.record.counts}. Recognition is tested for people who have one"
            " row each: give one row of each person."
        )
    if person is not None and person in tables[0].frame.columns:
        tables = tables.without_column(person)
    for table in tables[1:]:
        table.check_columns(tables[0].frame.columns)
    return tables


def _columns(tables: OpenFiles, given: Mapping[str, Any]) -> list[CodedColumn]:
    """The columns that the intruder knows, coded over both files."""
    columns = given["columns"]
    wanted = tables[0].frame.columns if columns is None else list(names(columns, "Columns"))
    left_out = names(given["without"], "Columns to omit")
    tables[0].check_columns([*wanted, *left_out])
    wanted = [name for name in wanted if name not in left_out]
    if not wanted:
        raise RolesError("Every column is excluded, so there is nothing to compare. Keep some.")
    codes = names(given["categorical"], "Categorical columns")
    check_other_columns("categorical", codes, wanted)
    coded = with_special_codes(tables.encode(wanted).columns, given["special_codes"])
    return [replace(one, is_category=True) if one.name in codes else one for one in coded]


def _stack(tables: OpenFiles) -> pl.DataFrame:
    """The original with the reference below it, in the types of the original."""
    frame = tables[0].frame
    if len(tables) < 2:
        return frame
    other = tables[1].frame.select(frame.columns)
    columns = []
    for mine, its in zip(frame.iter_columns(), other.iter_columns(), strict=True):
        dtype: Any = mine.dtype
        if its.dtype != dtype and its.dtype.is_numeric() and dtype.is_integer():
            dtype = pl.Float64 if its.dtype.is_float() else pl.Int64
        try:
            columns.append(pl.concat([mine.cast(dtype), its.cast(dtype)]))
        except pl.exceptions.PolarsError:
            raise AlignError(
                f"Column {mine.name!r} is of another type in the reference than in the original."
                " Give it the same coding in both files."
            ) from None
    return pl.DataFrame(columns)


def _choose(
    columns: Sequence[CodedColumn], n: int, n_reference: int | None, asked: RecognitionSettings
) -> tuple[WorldPool, TestedPeople]:
    """The people who are tested, and as many like them who are in no world."""
    exposure = RecordExposure.of(columns, slice(0, n))
    rng, k = stream(asked.seed, "recognition", "people"), asked.people
    if n_reference is None:  # from one file, turn by turn, so that both are alike
        both = choose_exposed(exposure, 2 * k, rng)
        turns = np.arange(2 * k) % 2 == 0
        targets, phantoms = both.rows[turns], both.rows[~turns]
        is_exposed = (np.arange(2 * k) < both.n_exposed)[turns]
    else:
        chosen = choose_exposed(exposure, k, rng)
        others = RecordExposure.of(columns, slice(n, n + n_reference))
        targets, phantoms = chosen.rows, n + choose_exposed(others, k, rng).rows
        is_exposed = np.arange(k) < chosen.n_exposed
    pool = WorldPool(
        seed=asked.seed,
        n_original=n,
        n_reference=n_reference or 0,
        targets=tuple(targets.tolist()),
        phantoms=tuple(phantoms.tolist()),
        intruder=asked.intruder,
        out=asked.out,
    )
    return pool, TestedPeople(targets, is_exposed, exposure, exposure.has_double[targets])


def _warnings(
    asked: RecognitionSettings, n_reference: int | None, heights: Sequence[int]
) -> Iterator[str]:
    procedure = asked.procedure
    if isinstance(procedure, CommandProcedure) and "{seed}" not in " ".join(procedure.words):
        yield "The command is given no {seed}: the same figures cannot be had again."
    if n_reference is None:
        yield (
            f"No reference is given: {asked.people:,} people of the original are in no world, and"
            " worlds have fewer people than the original."
        )
    if len(set(heights)) > 1:
        yield "The released files differ in length; every world's files are as long as the first."


def _warn_of_doubles(maker: WorldMaker) -> Iterator[str]:
    """Who is out of a world may be in it by the reference: the self-test cannot notice it."""
    pool, columns = maker.pool, [one.name for one in maker.agreement.columns]
    frame = maker.table.frame.select(columns)
    tested, reference = frame[list(pool.targets)], frame[pool.n_original :]
    n = tested.join(reference, on=columns, how="semi", nulls_equal=True).height
    if n:
        yield (
            f"{n:,} of the {pool.k:,} people tested have an equal record in the reference. If they"
            " are the same people, the figures are too low: remove them from it."
        )


def _as_released(maker: WorldMaker, copies: Sequence[Table]) -> ReleaseFiles:
    """The released files; people's records are recoded as the original was for them."""
    frames = [one.frame for one in copies]
    if not isinstance(maker.procedure, ProtectProcedure):
        return ReleaseFiles(frames)
    steps = [one for one in maker.procedure.settings["steps"] if one.get("do") in KINDS]
    if not steps:
        return ReleaseFiles(frames)
    original = replace(maker.table, frame=maker.table.frame[: maker.pool.n_original])
    fixed = recode(restore_form(original), parse_steps(steps)).fixed_steps()
    return ReleaseFiles(frames, (fixed,) * len(frames))


# The folder of worlds: the one given, or one that is gone afterwards.


@contextmanager
def _store_in(folder: Any, maker: WorldMaker) -> Iterator[WorldStore]:
    shape = (len(maker.pool.people), maker.agreement.n_features)
    if folder is not None:
        yield WorldStore(Path(folder), shape)
        return
    with tempfile.TemporaryDirectory(prefix="unveil_worlds_") as place:
        yield WorldStore(Path(place), shape)


def _head(maker: WorldMaker) -> dict[str, Any]:
    """All that decides what a world looks like; never the number of worlds."""
    return {
        "version": __version__,
        "packages": [one.to_dict() for one in list_packages()],
        "data": _hash_frame(maker.table.frame),
        "procedure": mark(maker.procedure),
        "seed": maker.pool.seed,
        "people": sha256(maker.pool.people.tobytes()).hexdigest(),
        "columns": sha256(
            canonical([repr(one) for one in maker.agreement.columns]).encode()
        ).hexdigest(),
        "intruder": maker.pool.intruder,
        "out": maker.pool.out,
        "rows": maker.rows,
        "files": maker.files,
    }


def _hash_frame(frame: pl.DataFrame) -> str:
    made = sha256(repr([(name, str(kind)) for name, kind in frame.schema.items()]).encode())
    made.update(frame.hash_rows(seed=0).to_numpy().tobytes())
    return made.hexdigest()
