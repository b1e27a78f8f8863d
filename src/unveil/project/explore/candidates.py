"""From a setting to its copies, and from copies to one row of figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

import msgspec
import polars as pl

from unveil.errors import SettingsError
from unveil.io.table import Labelled, Table
from unveil.measure.disclosure.attribute import excess_ratio
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.disclosure.excess import excess
from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.utility import utility
from unveil.project.explore.settings import CandidateSetting, ForeignFiles
from unveil.protection.noise import add_noise
from unveil.protection.refill import refill
from unveil.records.disclosure import Disclosure
from unveil.records.exploration import ExplorationCopy, ExplorationRow
from unveil.records.recognition import Recognition
from unveil.records.utility import PairTables
from unveil.seeding import stream
from unveil.study.scenario import Progress
from unveil.study.study import Study, StudyFile
from unveil.synthesis.split_columns import split
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser

# Which columns can a table of all their combinations model, so that catall and ipf compare?
#
# Raab (2024), section 7: copies of the saturated model (catall) beside those of its margins (ipf).
# Both get the same columns: categories, the keys first, as long as their table can be laid out.


MOST_CELLS = 2**16
"""Of the table: fitting its margins takes time in proportion."""
FEWEST_COLUMNS = 2


def joint_method(method: str, table: Table, first: Sequence[str]) -> Mapping[str, str]:
    """The method of the columns that are modelled together; all others are modelled by trees."""
    columns = joint_columns(table, first)
    if len(columns) < FEWEST_COLUMNS:
        raise SettingsError(
            f"{table.place} has fewer than {FEWEST_COLUMNS} categories of few levels, so"
            f" {method!r} has no table to model."
        )
    return dict.fromkeys(columns, method)


def joint_columns(table: Table, first: Sequence[str]) -> tuple[str, ...]:
    """Categories whose table has at most MOST_CELLS cells, chosen in turn; in the file's order."""
    turns = [*first, *(name for name in table.frame.columns if name not in first)]
    chosen: list[str] = []
    n_cells = 1
    for name in turns:
        column = split(table.frame[name], variable=table.variables.get(name)).column
        if column.is_category and n_cells * column.n_levels <= MOST_CELLS:
            chosen.append(name)
            n_cells *= column.n_levels
    return tuple(name for name in table.frame.columns if name in chosen)


# From a setting to its copies: fitted once, drawn, and where asked for filtered and noised.


@dataclass(frozen=True)
class CommonSettings:
    """What is the same for every setting."""

    keys: tuple[str, ...]
    first: tuple[str, ...]  # columns to be modelled jointly before others: keys, then targets
    n_copies: int
    special_codes: Mapping[str, Any]
    real_values: Mapping[str, str]
    workers: int | None
    person: str | None = None  # whose row it is, and by which column their rows follow
    time: str | None = None


@dataclass(frozen=True)
class CandidateCopies:
    """The copies of one setting, and what should be known of them."""

    copies: list[Any]
    warnings: tuple[str, ...]


def make_copies(
    original: StudyFile,
    setting: CandidateSetting,
    order: CommonSettings,
    seed: int,
    progress: Progress,
) -> CandidateCopies:
    """Copies of a file."""
    table = original.whole
    method = setting.method
    if method in ("catall", "ipf"):
        method = joint_method(str(method), table, order.first)
    fitted = synthesise(
        original,
        method=method,
        special_codes=order.special_codes or None,
        real_values=order.real_values,
        seed=seed,
        workers=order.workers,
        person=order.person,
        time=order.time,
        progress=progress,
        **setting.options,
    )
    said = list(fitted.record.warnings)
    if setting.filter is None:
        frames = fitted.sample(
            order.n_copies, setting.rows, workers=order.workers, progress=progress
        )
    else:
        filter_ = {"rows": setting.rows, **setting.filter}
        frames, short = _refill_copies(original, fitted, filter_, order, seed)
        said += short
    if setting.add_noise is not None:
        noise = _noise(setting.add_noise, table, order)
        noised = [
            fitted.models.restore(_add_noise(frame, noise, draw_copies(seed, "noise", n)), {*noise})
            for n, frame in enumerate(frames)
        ]
        frames = [frame for frame, _, _ in noised]
        said += [sentence for _, _, told in noised for sentence in told]
    if fitted.codebook is None:
        return CandidateCopies(frames, tuple(dict.fromkeys(said)))
    labelled = [Labelled(frame, fitted.codebook) for frame in frames]
    return CandidateCopies(labelled, tuple(dict.fromkeys(said)))


def draw_copies(seed: int, *path: int | str) -> int:
    """A seed for one piece of the work, whatever is done before it."""
    return int(stream(seed, "explore", *path).integers(2**53))


def _refill_copies(
    original: StudyFile,
    fitted: Synthesiser,
    filter_: Mapping[str, Any],
    order: CommonSettings,
    seed: int,
) -> tuple[list[pl.DataFrame], list[str]]:
    """Copies drawn until enough rows pass the filter, on the keys unless said otherwise."""
    asked = {"columns": order.keys, **filter_}
    codes = {name: codes for name, codes in order.special_codes.items() if name in asked["columns"]}
    frames, said = [], []
    for copy in range(order.n_copies):
        found = refill(
            original,
            fitted,
            seed=draw_copies(seed, "filter", copy),
            special_codes=codes or None,
            **asked,
        )
        if not found.data.height:
            raise SettingsError(" ".join(found.record.warnings))
        frames.append(found.data)
        said += [warning for warning in found.record.warnings if warning.startswith("Only ")]
    return frames, said


def _noise(given: Mapping[str, Any], table: Table, order: CommonSettings) -> dict[str, Any]:
    """Noise by column: whole numbers stay whole, and special codes stay what they are."""
    return {name: _noise_of(name, one, table, order) for name, one in given.items()}


def _noise_of(name: str, given: Any, table: Table, order: CommonSettings) -> dict[str, Any]:
    asked = dict(given) if isinstance(given, Mapping) else {"sigma": given}
    if name in table.frame.columns and table.frame.schema[name].is_integer():
        asked.setdefault("round", 0)
    if codes := _codes(order.special_codes.get(name, ())):
        asked.setdefault("special_codes", codes)
    return asked


def _codes(given: Any) -> Sequence[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _add_noise(frame: pl.DataFrame, noise: Mapping[str, Any], seed: int) -> Any:
    return add_noise(frame, columns=noise, seed=seed).data


# From copies to one row of figures: what they give away, and how useful they are.


MEASURED = ("repU", "DiSCO", "DiSCO_max", "train", "control", "pMSE", "S_pMSE", "S_pMSE_max")
SPREAD = ("repU", "DiSCO", "DiSCO_max", "R", "pMSE", "S_pMSE", "S_pMSE_max")


@dataclass(frozen=True)
class ScenarioSpec:
    """What is known, what might be learnt, and how columns are read."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    bands: Mapping[str, Any] | None
    special_codes: Mapping[str, Any]
    seed: int
    workers: int | None
    person: str | None = None

    @property
    def risk_settings(self) -> dict[str, Any]:
        """The settings of `unveil.disclosure` and `unveil.excess`."""
        asked = {name: self.special_codes[name] for name in self.bands or () if self._has(name)}
        return {
            "keys": self.keys,
            "targets": self.targets,
            "bands": self.bands,
            "special_codes": asked or None,
            **({} if self.person is None else {"person": self.person}),
        }

    def compared(self, original: StudyFile) -> list[str] | None:
        """The columns whose likeness counts: all but whose row it is."""
        names = original.whole.frame.columns
        return [n for n in names if n != self.person] if self.person in names else None

    def _has(self, name: str) -> bool:
        return name in self.special_codes


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what could be measured."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def row_of(
    setting: CandidateSetting | ForeignFiles,
    scenario: ScenarioSpec,
    whole: tuple[Any, CandidateCopies],
    parts: tuple[Any, Any, CandidateCopies] | None,
) -> ExplorationRow:
    """The figures of one setting: of copies of the whole, and of copies of the train part."""
    original, made = whole
    train, control, held = parts or (None, None, CandidateCopies([], ()))
    # One study of both, so that each column is aligned and encoded once.
    others = [] if train is None else [*held.copies, train]
    study = Study.open(original, [*made.copies, *others], control)
    copies_of = study.synthetic
    pair = (study.original, copies_of[: len(made.copies)])
    found = disclosure(*pair, **scenario.risk_settings).record
    compared = _tables(*pair, scenario)
    figures = _excess(study, copies_of[len(made.copies) :], scenario)
    numbers = range(1, len(made.copies) + 1)
    copies = tuple(
        ExplorationCopy(
            copy=copy,
            n_rows=found.n_synthetic[copy - 1],
            repU=found.identity_of(copy).repU,
            DiSCO=mean(_disco(found, copy)),
            DiSCO_max=max((one for one in _disco(found, copy) if one is not None), default=None),
            train=figures[copy][0],
            control=figures[copy][1],
            R=excess_ratio(*figures[copy]),
            pMSE=_pmse(study.original, copies_of[copy - 1], scenario),
            S_pMSE=_middle(compared, copy),
            S_pMSE_max=max(_standardised_utility(compared, copy), default=None),
        )
        for copy in numbers
    )
    said = dict.fromkeys((*made.warnings, *held.warnings))
    return _row(setting, copies, found, compared, tuple(said))


def with_recognition(row: ExplorationRow, found: Recognition) -> ExplorationRow:
    """The row with what recognition of single people found; nothing if its self-test failed."""
    said = () if found.self_test.passed else ("The self-test of recognition failed.",)
    return msgspec.structs.replace(
        row,
        AUC=found.auc_mean,
        AUC_exposed=found.auc_exposed,
        recognised=found.percent_recognised,
        hit_rate=found.hit_rates[0].rate if found.hit_rates else None,
        epsilon=found.epsilon,
        warnings=(*row.warnings, *found.warnings, *said),
    )


def refused_row(setting: CandidateSetting | ForeignFiles, reason: str) -> ExplorationRow:
    """The row of a setting that no copy could be made with."""
    empty: dict[str, Any] = dict.fromkeys((*MEASURED, "R", "n_rows", "DiSCO_max_target"))
    empty |= {f"{name}_sd": None for name in SPREAD}
    return ExplorationRow(
        **_setting_fields(setting),
        n_copies=0,
        **empty,
        worst_pair=(),
        copies=(),
        warnings=(),
        reason=reason,
    )


def _setting_fields(setting: CandidateSetting | ForeignFiles) -> dict[str, Any]:
    return {
        "name": setting.name,
        "method": setting.method_name,
        "min_leaf": setting.min_leaf,
        "is_filtered": setting.filter is not None,
        "is_noised": setting.add_noise is not None,
        "settings": setting.text,
    }


def _row(
    setting: CandidateSetting | ForeignFiles,
    copies: Sequence[ExplorationCopy],
    found: Disclosure,
    compared: PairTables | None,
    said: tuple[str, ...],
) -> ExplorationRow:
    means: dict[str, Any] = {
        name: mean(getattr(copy, name) for copy in copies) for name in MEASURED
    }
    spread: dict[str, Any] = {
        f"{name}_sd": _sd([getattr(copy, name) for copy in copies]) for name in SPREAD
    }
    return ExplorationRow(
        **_setting_fields(setting),
        n_copies=len(copies),
        n_rows=mean(copy.n_rows for copy in copies),
        **means,
        R=excess_ratio(means["train"], means["control"]),
        **spread,
        DiSCO_max_target=found.targets[0] if found.targets else None,
        worst_pair=() if compared is None else _worst(compared),
        copies=tuple(copies),
        warnings=said,
    )


def _sd(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stdev(known) if len(known) > 1 else None


def _disco(found: Disclosure, copy: int) -> list[float | None]:
    return [found.attribute_of(target, copy).DiSCO for target in found.targets]


def _excess(
    study: Study, held: Sequence[StudyFile], scenario: ScenarioSpec
) -> Mapping[int, tuple[float | None, float | None]]:
    """DiSCO of train and of control by copy, each the mean over targets."""
    if study.control is None:
        return _Nothing()
    *copies, train = held
    rows = excess(train, study.control, copies, **scenario.risk_settings).record.rows
    return {
        copy: (
            mean(row.train for row in rows if row.copy == copy),
            mean(row.control for row in rows if row.copy == copy),
        )
        for copy in range(1, len(copies) + 1)
    }


class _Nothing(dict[int, tuple[float | None, float | None]]):
    """Where nobody was held back nothing is known of anybody."""

    def __missing__(self, key: int) -> tuple[None, None]:
        return None, None


def _tables(
    original: StudyFile, copies: Sequence[StudyFile], scenario: ScenarioSpec
) -> PairTables | None:
    """All pairs of columns; None of a single column."""
    if original.whole.frame.width < 2:
        return None
    codes, columns = scenario.special_codes or None, scenario.compared(original)
    return pair_tables(original, copies, columns=columns, special_codes=codes, n_worst=0).record


def _standardised_utility(compared: PairTables | None, copy: int) -> list[float]:
    rows = () if compared is None else compared.list_tables(copy)
    return [row.S_pMSE for row in rows if row.S_pMSE is not None]


def _middle(compared: PairTables | None, copy: int) -> float | None:
    values = _standardised_utility(compared, copy)
    return median(values) if values else None


def _worst(compared: PairTables) -> tuple[str, ...]:
    known = [row for row in compared.list_tables(1) if row.S_pMSE is not None]
    return max(known, key=lambda row: row.S_pMSE or 0.0).variables if known else ()


def _pmse(original: StudyFile, copy: StudyFile, scenario: ScenarioSpec) -> float:
    """The pMSE of a tree; without permutations, for its standard is not needed here."""
    found = utility(
        original,
        copy,
        columns=scenario.compared(original),
        special_codes=scenario.special_codes or None,
        n_permutations=0,
        seed=scenario.seed,
        workers=scenario.workers,
    )
    return found.record.rows[0].pMSE
