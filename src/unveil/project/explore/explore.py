"""`unveil.explore`: which way of making copies gives least away for the utility it keeps?

Raab (2024), section 7, asks whether over-fitting a synthesis model raises disclosure risk. Here
every setting is fitted, drawn, protected and measured alike, so that the answer is one picture.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
import polars as pl

from unveil.arguments import parse_choice, parse_number_within, parse_whole_number, quote_value
from unveil.atomic import replace_file
from unveil.errors import InputError, ReadError, RolesError, SettingsError, WriteError, list_names
from unveil.io.table import Table
from unveil.measure.cap.split import split
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.result import RowsResult
from unveil.project.explore.candidates import (
    CandidateCopies,
    CommonSettings,
    ScenarioSpec,
    draw_copies,
    make_copies,
    mean,
    refused_row,
    row_of,
    with_recognition,
)
from unveil.project.explore.settings import (
    MIN_LEAF,
    CandidateSetting,
    ForeignFiles,
    parse_files,
    parse_settings,
)
from unveil.project.recognition import recognise_candidate
from unveil.protection.recoding.recode import restore_form
from unveil.records.disclosure import Coercion
from unveil.records.exploration import Exploration, ExplorationRow, RiskAxis, UtilityAxis, frontier
from unveil.seeding import choose_seed
from unveil.study.band_spec import parse_bands
from unveil.study.people import NONE
from unveil.study.roles import roles
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study, StudyFile, open_files
from unveil.study.take_study import takes_study
from unveil.synthesis.identifiers import Instructions
from unveil.synthesis.settings import check_progress, parse_codes_by_column
from unveil.version import __version__

# A folder that remembers: each setting that is done has its file, and nothing else may mix in.
#
# `exploration.json` says of what data and with what questions; a setting has a file of its own,
# put in place in one step, so that work can be stopped at any moment and taken up again. All of
# it is confidential: the figures are the custodian's, and the seed would make the same copies
# again.


HEAD = "exploration.json"
WORDS = {
    "version": "another version of unveil",
    "data": "other data",
    "seed": "another seed",
    "keys": "other keys",
    "targets": "other targets",
    "copies": "another number of copies",
    "control": "another share of control",
    "bands": "other bands",
    "special_codes": "other special codes",
    "recognition": "another test of recognition",
    "missing_values": "other entries that mean missing",
}
_ROWS_AT_A_TIME = 50_000


def fingerprint(table: Table) -> str:
    """The same for the same names, types, values and labels, in the same order."""
    frame = table.frame
    made = sha256(repr([(name, str(kind)) for name, kind in frame.schema.items()]).encode())
    if table.codebook is not None:
        made.update(repr([one.to_dict() for one in table.codebook.variables]).encode())
    try:
        for start in range(0, frame.height, _ROWS_AT_A_TIME):
            # Text in quotes, so that what is empty is not what is missing.
            piece = frame.slice(start, _ROWS_AT_A_TIME)
            made.update(piece.write_csv(quote_style="non_numeric").encode())
    except pl.exceptions.PolarsError:
        raise ReadError(
            f"{table.place} has a column of lists or records, which cannot be synthesised. Omit it."
        ) from None
    return made.hexdigest()


@dataclass(frozen=True)
class Store:
    """The folder of one exploration, or none."""

    folder: Path | None

    def seed(self) -> int | None:
        """The seed of the exploration that is there already."""
        head = self._head()
        return None if head is None else head.get("seed")

    def open(self, asked: dict[str, Any]) -> None:
        """Begin, or go on with the same: what was asked otherwise is refused."""
        if self.folder is None:
            return
        wanted = json.loads(json.dumps({"version": __version__, **asked}))
        head = self._head()
        if head is None:
            self._refuse_strangers()
            self._put(HEAD, json.dumps(wanted, indent=2, ensure_ascii=True))
            return
        other = [words for field, words in WORDS.items() if head.get(field) != wanted.get(field)]
        if other:
            raise SettingsError(
                f"The folder {str(self.folder)!r} holds an exploration with {list_names(other)}."
                " Figures of the two would not compare. Name another folder, or ask the same again."
            )

    def row(self, setting: CandidateSetting) -> ExplorationRow | None:
        """What is known of a setting; None where it is not done yet."""
        if self.folder is None:
            return None
        place = self.folder / _name(setting)
        if not place.exists():
            return None
        damaged = ReadError(
            f"The file {str(place)!r} is damaged or of another setting. Remove it, and its setting"
            " is done again."
        )
        try:
            row = ExplorationRow.from_json(place.read_bytes())
        except (ReadError, OSError):
            raise damaged from None
        if row.settings != setting.text:
            raise damaged
        return row

    def keep(self, setting: CandidateSetting, row: ExplorationRow) -> None:
        """Put one row in place."""
        if self.folder is not None:
            self._put(_name(setting), row.to_json())

    def _head(self) -> dict[str, Any] | None:
        if self.folder is None or not (self.folder / HEAD).exists():
            return None
        try:
            found = json.loads((self.folder / HEAD).read_bytes())
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise ReadError(
                f"The file {str(self.folder / HEAD)!r} cannot be read, so it is not known what the"
                " folder holds. Name another folder."
            )
        return found

    def _refuse_strangers(self) -> None:
        """A folder with other files in it is not taken for a new one."""
        assert self.folder is not None
        if not os.path.lexists(self.folder):
            return
        if not self.folder.is_dir():
            raise WriteError(f"{str(self.folder)!r} is a file. Name a folder.")
        if any(not one.name.startswith(".") for one in self.folder.iterdir()):
            raise WriteError(
                f"The folder {str(self.folder)!r} holds other files and no exploration. Name an"
                " empty or a new one."
            )

    def _put(self, name: str, text: str) -> None:
        assert self.folder is not None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / name, text.encode(), mode=0o600)
        except OSError as fault:
            raise WriteError(
                f"The folder {str(self.folder)!r} cannot be written to: {fault.strerror}. Name one"
                " in which you may create files."
            ) from None


def _name(setting: CandidateSetting) -> str:
    return f"setting_{setting.mark}.json"


MOST_COPIES = 1_000
FLOOR = CandidateSetting("sample", name="independent columns")
"""Every column drawn by itself: no relation is left, and what is disclosed still is by chance."""


@dataclass(frozen=True, repr=False)
class ExplorationResult(RowsResult[Exploration]):
    """Risk and utility of every setting; the seed makes the same copies again: confidential."""

    seed: int

    @property
    def frontier(self) -> tuple[ExplorationRow, ...]:
        """The settings that no other betters, the least risk first."""
        return frontier(self.record.rows, self.record.risk, self.record.utility)

    def by(self, *, risk: str = "DiSCO", utility: str = "S_pMSE") -> "ExplorationResult":
        """The same figures with another frontier; nothing is computed again."""
        axes = _axes(risk, utility)
        best = tuple(row.name for row in frontier(self.record.rows, *axes))
        record = msgspec.structs.replace(self.record, risk=axes[0], utility=axes[1], frontier=best)
        return replace(self, record=record)

    def frame(self) -> pl.DataFrame:
        """One row for each setting, unrounded, and whether it is on the frontier."""
        rows = [flat(row, self.record) for row in self.rows]
        return pl.DataFrame(rows, infer_schema_length=None)


def flat(row: ExplorationRow, record: Exploration) -> dict[str, Any]:
    """A row without its copies, as one line of a table."""
    plain = row.to_dict()
    for nested in ("copies", "warnings", "worst_pair"):
        plain.pop(nested)
    return {**plain, "on_frontier": row.name in record.frontier}


@takes_study
def explore(
    original: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    settings: Any = None,
    methods: str | Iterable[str] = ("cart", "parametric"),
    min_leaf: int | Iterable[int] = MIN_LEAF,
    filter: bool | Mapping[str, Any] = False,
    add_noise: Mapping[str, Any] | None = None,
    files: Any = None,
    copies: int = 3,
    control: float | None = 0.2,
    recognition: Mapping[str, Any] | None = None,
    risk: str = "DiSCO",
    utility: str = "S_pMSE",
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    person: str | None = None,
    time: str | None = None,
    drop: str | Iterable[str] | None = None,
    real_values: Mapping[str, str] | None = None,
    seed: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ExplorationResult:
    """Make copies in several ways, and measure what each discloses and what it is good for.

    Parameters
    ----------
    original, keys, targets, bands, missing_values, progress
        As in `unveil.disclosure`.
    settings
        The ways to try, each a mapping: "method", options of `unveil.synthesise` by name, "filter"
        (True, or settings of `unveil.refill`; on the keys unless it names columns), "add_noise"
        (as in `unveil.add_noise`), and a "name" of its own if wanted. None: the grid of what
        follows.
    methods, min_leaf, filter, add_noise
        The grid: trees (cart) by the fewest rows in a leaf, other methods once; each without and
        with filter and noise where these are given. "catall" and "ipf" model the same categories
        together, the keys first, as many as a table of 65,536 cells has room for, and the other
        columns by trees.
        "none": no setting, where files are given.
    files
        Synthetic, recoded or swapped files made in any other way, by a name of their own:
        {"synthpop": ["s1.csv", "s2.csv"], "swapped": "swapped.csv"}, or a list of files. They are
        measured like the copies of a setting, but for R, which needs the method itself.
    copies
        How many copies of each setting are measured: their means, and how they spread.
    control
        The share of people who are kept as a control sample from further copies, made of the
        others alone, to tell what is general knowledge: R. None or 0: no R, and half the work.
    recognition
        Settings of `unveil.recognition` (people, worlds, intruder, out): membership of single
        people of the train part, for each setting; the control sample is the reference. A setting
        may then name "rows" and "files" of one release. It takes as many releases as there are
        worlds.
    risk, utility
        What the frontier is of: DiSCO, DiSCO_max, repU, R or AUC; S_pMSE, S_pMSE_max or pMSE.
    special_codes
        By column, the numbers that stand for missing values.
    person, time
        Whose row it is, and by which column the rows of a person follow: as in
        `unveil.synthesise`. Risk is counted by person, and the control sample is one of people.
    drop, real_values
        What to do with identifiers and free text, as in `unveil.synthesise`: columns to omit
        of all that is done, or by column the reason why they take part.
    seed
        Same seed, same figures; drawn by the operating system, and kept in the folder, where None.
    folder
        Where each setting is kept when it is done. Asked the same again, with more settings or
        after it was stopped, only what is not there is done. CONFIDENTIAL.
    workers
        Threads; as many as there are cores where None. They change no figure.

    Returns
    -------
    ExplorationResult
        `.rows` and `.frame()`: for each setting repU, DiSCO (mean and highest over targets), R,
        pMSE, S_pMSE (median and highest over pairs of columns), with standard deviations over
        copies; AUC, recognised and epsilon of recognition; `.frontier`; `.record`;
        `.by(risk=..., utility=...)`.

    Notes
    -----
    repU, DiSCO and utility are of copies of the whole original, as they would be released; R is of
    copies of the train part: (train - control) / (100 - control), on means over targets and
    copies. A setting that no copy can be made with has a `reason` and no figures.

    References
    ----------
    Raab (2024), equation 1 and section 7.
    """
    axes = _axes(risk, utility)
    chosen = parse_settings(
        settings, methods=methods, min_leaf=min_leaf, filter_=filter, add_noise=add_noise
    )
    foreign = parse_files(files, [one.name for one in chosen])
    if not chosen and not foreign:
        raise SettingsError("No method and no file is given. Name at least one.")
    n_copies = parse_whole_number("copies", copies, most=MOST_COPIES)
    tested = _check_recognition(recognition, chosen)
    share, say = _share(control), check_progress(progress or no_progress)
    given: Any = (drop, (), real_values)
    instructions = Instructions(*given)
    (table,) = open_files({"original": original}, None, missing_values, say)
    instructions.check_names(table)
    table = replace(table, frame=table.frame.drop(instructions.drop))
    whose = _check_person(table, person, time, tested)
    others = [name for name in table.frame.columns if name != whose]
    known = roles([replace(table, frame=table.frame.select(others))], keys, targets)
    codes = parse_codes_by_column(special_codes, "Special codes", table.frame.columns, table.place)
    parse_bands(bands, None)
    store = Store(None if folder is None else Path(folder))
    number = choose_seed(store.seed() if seed is None else seed)
    parts = _parts(table, share, number, whose)
    study = Study([replace(one, notes=()) for one in (table, *parts)], sources=[original])
    instructions.check_identifiers(study.files.select(0), others, codes)
    head = {
        "data": fingerprint(table),
        "seed": number,
        "keys": known.keys,
        "targets": known.targets,
        "copies": n_copies,
        "control": share,
        "bands": bands,
        "special_codes": codes,
        "missing_values": missing_values,
        **({} if tested is None else {"recognition": tested}),
        **({} if whose is None else {"person": whose, "time": time}),
    }
    store.open(_plain(head))
    scenario = ScenarioSpec(known.keys, known.targets, bands, codes, number, workers, whose)
    reasons = instructions.real_values
    order = CommonSettings(
        known.keys, known.columns, n_copies, codes, reasons, workers, whose, time
    )
    work = _Work(study, scenario, order, table.notes, store, tested, missing_values)
    rows = (*work.rows(chosen, say), *map(work.row_of_files, foreign))
    record = work.record(rows, axes, say)
    return ExplorationResult(record, number)


def _axes(risk: Any, utility: Any) -> tuple[RiskAxis, UtilityAxis]:
    return (
        parse_choice("risk", risk, get_args(RiskAxis)),
        parse_choice("utility", utility, get_args(UtilityAxis)),
    )


def _share(given: Any) -> float | None:
    why = ", a share of the people such as 0.2; None for no control"
    return None if given is None else parse_number_within("control", given, "[0, 1)", why) or None


def _check_recognition(given: Any, settings: Sequence[CandidateSetting]) -> dict[str, Any] | None:
    """What recognition is asked for, or a refusal before anything is made."""
    if given is None:
        if any(one.files is not None for one in settings):
            raise SettingsError('"files" of a setting is for recognition. Ask for it, or omit it.')
        return None
    known = ("people", "worlds", "intruder", "out", "workers")
    if not isinstance(given, Mapping) or not {*given} <= {*known}:
        raise SettingsError(
            f'recognition is {quote_value(given)}. Write {{"people": 50, "worlds": 200}}; its'
            f" settings are: {list_names(known)}."
        )
    return dict(given)


def _plain(head: dict[str, Any]) -> dict[str, Any]:
    """What was asked, as a document can hold it."""
    made: dict[str, Any] = msgspec.to_builtins(head, str_keys=True, enc_hook=str)
    return made


def _check_person(table: Table, person: Any, time: Any, tested: Any) -> str | None:
    """The column that says whose row it is; None where every row is a person."""
    if time is not None and person is None:
        raise RolesError("time is given without person. Name the column that says whose row it is.")
    if person is None or (person == NONE and NONE not in table.frame.columns):
        return None
    table.check_columns([person, *([] if time is None else [time])])
    if tested is not None:
        raise SettingsError("recognition tests rows, so it cannot be combined with person.")
    return str(person)


def _parts(table: Table, share: float | None, seed: int, person: str | None) -> tuple[Table, ...]:
    """The people who are used and those who are held back, the same for every setting."""
    if share is None:
        return ()
    found = split(table.frame, 1 - share, seed=draw_copies(seed, "split"), person=person)
    return replace(table, frame=found.included), replace(table, frame=found.left_out)


@dataclass(frozen=True)
class _Work:
    """One original and its two parts, and what is asked of it."""

    study: Study
    scenario: ScenarioSpec
    order: CommonSettings
    notes: tuple[Coercion, ...]
    store: Store
    tested: Mapping[str, Any] | None = None  # what is asked of recognition
    missing_values: str | Sequence[str] = ()

    def rows(
        self, settings: Sequence[CandidateSetting], progress: Progress
    ) -> tuple[ExplorationRow, ...]:
        """Every setting, from the folder or anew."""
        rows = []
        for done, setting in enumerate(settings):
            progress(f"trying {setting.name}", done, len(settings))
            rows.append(self._row(setting))
        progress("tried all settings", len(settings), len(settings))
        if rows and all(row.reason is not None for row in rows):
            raise SettingsError(f"No setting could be tried. {rows[0].name}: {rows[0].reason}")
        return tuple(rows)

    def row_of_files(self, files: ForeignFiles) -> ExplorationRow:
        """Files made elsewhere, by the same measures; what cannot be measured of them is told."""
        opened = (
            open_files({"synthetic": one}, None, self.missing_values)[0] for one in files.files
        )
        try:
            copies = CandidateCopies([self._like_original(table) for table in opened], ())
            return row_of(files, self.scenario, (self.study.original, copies), None)
        except InputError as fault:
            return refused_row(files, str(fault))

    def _like_original(self, table: Table) -> Any:
        """A file without columns that the original does not have, such as a mark."""
        known = [name for name in table.frame.columns if name in self.study.tables[0].frame.columns]
        return restore_form(replace(table, frame=table.frame.select(known)))

    def _row(self, setting: CandidateSetting) -> ExplorationRow:
        """One setting, from the folder or anew.

        What its data or its settings do not allow is told, and others go on.
        """
        row = self.store.row(setting)
        if row is None:
            try:
                row = self._measure(setting)
            except InputError as fault:
                row = refused_row(setting, str(fault))
            self.store.keep(setting, row)
        return msgspec.structs.replace(row, name=setting.name)

    def _measure(self, setting: CandidateSetting) -> ExplorationRow:
        def draw(file: StudyFile, what: str) -> CandidateCopies:
            seed = draw_copies(self.scenario.seed, setting.model_mark, what)
            return make_copies(file, setting, self.order, seed, no_progress)

        original, *parts = map(self.study.file, range(len(self.study.tables)))
        copies = draw(original, "whole")
        held = (parts[0], parts[1], draw(parts[0], "train")) if parts else None
        row = row_of(setting, self.scenario, (original, copies), held)
        if self.tested is None:
            return row
        used, *others = map(restore_form, self.study.tables[1:] or self.study.tables)
        found = recognise_candidate(
            used,
            others[0] if others else None,
            setting=json.loads(setting.text),
            common={
                "keys": self.order.keys,
                "first": self.order.first,
                "special_codes": self.order.special_codes,
                "real_values": self.order.real_values,
            },
            given={"seed": self.scenario.seed, **self.tested},
        )
        return with_recognition(row, found.record)

    def record(
        self,
        rows: tuple[ExplorationRow, ...],
        axes: tuple[RiskAxis, UtilityAxis],
        progress: Progress,
    ) -> Exploration:
        """All rows, and what to hold them against."""
        progress("measuring the original", 0, 1)
        data = self.study.original
        own = disclosure(data, data, **self.scenario.risk_settings).record
        table, *parts = self.study.tables
        return Exploration(
            file=table.source,
            keys=self.scenario.keys,
            targets=self.scenario.targets,
            n_original=table.frame.height,
            n_copies=self.order.n_copies,
            n_train=parts[0].frame.height if parts else None,
            n_control=parts[1].frame.height if parts else None,
            risk=axes[0],
            utility=axes[1],
            UiO=own.identity_of(1).UiO,
            Dorig=mean(own.attribute_of(target, 1).Dorig for target in own.targets),
            floor=self._row(FLOOR),
            rows=rows,
            frontier=tuple(row.name for row in frontier(rows, *axes)),
            coercions=self.notes,
        )
