"""From copies to one row of figures: what they give away, and how useful they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from unveil.exploration.making import Made
from unveil.exploration.settings import Setting
from unveil.measure.attribute.excess import excess_ratio
from unveil.measure.disclosure import disclosure
from unveil.measure.excess import excess
from unveil.measure.utility.tables import tables
from unveil.measure.utility.utility import utility
from unveil.records.disclosure import Disclosure
from unveil.records.exploration import ExplorationCopy, ExplorationRow
from unveil.records.pair_tables import PairTables

MEASURED = ("repU", "DiSCO", "DiSCO_max", "train", "control", "pMSE", "S_pMSE", "S_pMSE_max")
SPREAD = ("repU", "DiSCO", "DiSCO_max", "R", "pMSE", "S_pMSE", "S_pMSE_max")


@dataclass(frozen=True)
class Scenario:
    """What is known, what might be learnt, and how columns are read."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    bands: Mapping[str, Any] | None
    special_codes: Mapping[str, Any]
    seed: int
    workers: int | None

    @property
    def of_risk(self) -> dict[str, Any]:
        """The settings of `unveil.disclosure` and `unveil.excess`."""
        asked = {name: self.special_codes[name] for name in self.bands or () if self._has(name)}
        return {
            "keys": self.keys,
            "targets": self.targets,
            "bands": self.bands,
            "special_codes": asked or None,
        }

    def _has(self, name: str) -> bool:
        return name in self.special_codes


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what could be measured."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def row_of(
    setting: Setting,
    scenario: Scenario,
    whole: tuple[Any, Made],
    parts: tuple[Any, Any, Made] | None,
) -> ExplorationRow:
    """The figures of one setting: of copies of the whole, and of copies of the train part."""
    original, made = whole
    found = disclosure(original, made.copies, **scenario.of_risk).record
    compared = _tables(original, made.copies, scenario)
    figures = _excess(parts, scenario)
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
            pMSE=_pmse(original, made.copies[copy - 1], scenario),
            S_pMSE=_middle(compared, copy),
            S_pMSE_max=max(_standardised(compared, copy), default=None),
        )
        for copy in numbers
    )
    said = made.warnings if parts is None else (*made.warnings, *parts[2].warnings)
    return _row(setting, copies, found, compared, tuple(dict.fromkeys(said)))


def refused(setting: Setting, reason: str) -> ExplorationRow:
    """The row of a setting that no copy could be made with."""
    empty: dict[str, Any] = dict.fromkeys((*MEASURED, "R", "n_rows", "DiSCO_max_target"))
    empty |= {f"{name}_sd": None for name in SPREAD}
    return ExplorationRow(
        **_said(setting),
        n_copies=0,
        **empty,
        worst_pair=(),
        copies=(),
        warnings=(),
        reason=reason,
    )


def _said(setting: Setting) -> dict[str, Any]:
    return {
        "name": setting.name,
        "method": setting.method_name,
        "min_leaf": setting.min_leaf,
        "is_filtered": setting.filter is not None,
        "is_noised": setting.add_noise is not None,
        "settings": setting.text,
    }


def _row(
    setting: Setting,
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
        **_said(setting),
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
    parts: tuple[Any, Any, Made] | None, scenario: Scenario
) -> Mapping[int, tuple[float | None, float | None]]:
    """DiSCO of train and of control by copy, each the mean over targets."""
    if parts is None:
        return _Nothing()
    train, control, made = parts
    rows = excess(train, control, made.copies, **scenario.of_risk).record.rows
    return {
        copy: (
            mean(row.train for row in rows if row.copy == copy),
            mean(row.control for row in rows if row.copy == copy),
        )
        for copy in range(1, len(made.copies) + 1)
    }


class _Nothing(dict[int, tuple[float | None, float | None]]):
    """Where nobody was held back nothing is known of anybody."""

    def __missing__(self, key: int) -> tuple[None, None]:
        return None, None


def _tables(original: Any, copies: Sequence[Any], scenario: Scenario) -> PairTables | None:
    """All pairs of columns; None of a single column."""
    frame = getattr(original, "frame", original)
    if len(frame.columns) < 2:
        return None
    codes = scenario.special_codes or None
    return tables(original, list(copies), special_codes=codes, n_worst=0).record


def _standardised(compared: PairTables | None, copy: int) -> list[float]:
    rows = () if compared is None else compared.of_copy(copy)
    return [row.S_pMSE for row in rows if row.S_pMSE is not None]


def _middle(compared: PairTables | None, copy: int) -> float | None:
    values = _standardised(compared, copy)
    return median(values) if values else None


def _worst(compared: PairTables) -> tuple[str, ...]:
    known = [row for row in compared.of_copy(1) if row.S_pMSE is not None]
    return max(known, key=lambda row: row.S_pMSE or 0.0).variables if known else ()


def _pmse(original: Any, copy: Any, scenario: Scenario) -> float:
    """The pMSE of a tree; without permutations, for its standard is not needed here."""
    found = utility(
        original,
        copy,
        special_codes=scenario.special_codes or None,
        n_permutations=0,
        seed=scenario.seed,
        workers=scenario.workers,
    )
    return found.record.rows[0].pMSE
