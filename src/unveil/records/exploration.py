"""What `unveil.explore` found: for each setting of the synthesiser, risk beside utility.

Figures over all people, none of a single one; they show what the original holds, and stay with its
custodian.
"""

from collections.abc import Sequence
from typing import Literal

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion

RiskAxis = Literal["DiSCO", "DiSCO_max", "repU", "R", "AUC"]
UtilityAxis = Literal["S_pMSE", "S_pMSE_max", "pMSE"]


class ExplorationCopy(Record, frozen=True, kw_only=True):
    """Risk and utility of one copy; train, control and R are of data made from the train part."""

    copy: int
    n_rows: int
    repU: float | None
    DiSCO: float | None  # mean over targets
    DiSCO_max: float | None
    train: float | None  # DiSCO of people used, mean over targets
    control: float | None  # the same of people held back
    R: float | None  # (train - control) / (100 - control): Raab 2024, equation 1
    pMSE: float | None
    S_pMSE: float | None  # median over all pairs of columns
    S_pMSE_max: float | None


class ExplorationRow(Record, frozen=True, kw_only=True):
    """One setting: means over its copies, and standard deviations where there are several."""

    name: str
    method: str
    min_leaf: int | None  # None where no column is modelled by a tree
    is_filtered: bool
    is_noised: bool
    settings: str  # all of it, as JSON
    n_copies: int
    n_rows: float | None  # of a synthetic file, on average: a filter may leave fewer than wanted
    repU: float | None
    repU_sd: float | None
    DiSCO: float | None
    DiSCO_sd: float | None
    DiSCO_max: float | None
    DiSCO_max_sd: float | None
    DiSCO_max_target: str | None  # the target with the highest mean
    train: float | None
    control: float | None
    R: float | None  # of the means
    R_sd: float | None
    pMSE: float | None
    pMSE_sd: float | None
    S_pMSE: float | None
    S_pMSE_sd: float | None
    S_pMSE_max: float | None
    S_pMSE_max_sd: float | None
    worst_pair: tuple[str, ...]  # of copy 1
    copies: tuple[ExplorationCopy, ...]
    warnings: tuple[str, ...]
    reason: str | None = None  # why nothing could be measured
    AUC: float | None = None  # of recognition, mean over people tested; None where not asked for
    AUC_exposed: float | None = None
    recognised: float | None = None  # percent of people tested, in the release of the train part
    hit_rate: float | None = None  # at 1 % false alarms
    epsilon: float | None = None  # at least


class Exploration(VersionedRecord, frozen=True, kw_only=True):
    """Risk and utility of copies made in several ways, and the ways that no other betters."""

    file: str
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    n_original: int
    n_copies: int
    n_train: int | None  # None: no control was held back, and there is no R
    n_control: int | None
    risk: RiskAxis
    utility: UtilityAxis
    UiO: float | None  # of the original, to hold repU against
    Dorig: float | None  # mean over targets, to hold DiSCO against
    floor: ExplorationRow | None = None  # columns drawn independently: what is matched by chance
    rows: tuple[ExplorationRow, ...]
    frontier: tuple[str, ...]  # names of the settings, the least risk first
    coercions: tuple[Coercion, ...]

    def row_of(self, name: str) -> ExplorationRow:
        """The row of one setting."""
        return next(row for row in self.rows if row.name == name)


def frontier(
    rows: Sequence[ExplorationRow], risk: RiskAxis, utility: UtilityAxis
) -> tuple[ExplorationRow, ...]:
    """The settings that no other betters, the least risk first.

    Notes
    -----
    A setting is bettered by one that has no more risk and no worse utility, and less of one of the
    two (Pareto). Lower is better for both. Means are compared, whatever their spread; settings
    with the same figures stand together, and those without figures are excluded.
    """
    known = [row for row in rows if None not in (getattr(row, risk), getattr(row, utility))]
    best = [row for row in known if not any(_betters(one, row, risk, utility) for one in known)]
    return tuple(sorted(best, key=lambda row: (getattr(row, risk), getattr(row, utility))))


def _betters(one: ExplorationRow, other: ExplorationRow, risk: str, utility: str) -> bool:
    mine = getattr(one, risk), getattr(one, utility)
    theirs = getattr(other, risk), getattr(other, utility)
    return mine[0] <= theirs[0] and mine[1] <= theirs[1] and mine != theirs
