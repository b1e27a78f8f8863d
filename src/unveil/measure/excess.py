"""`unveil.excess`: are people given away because their own record was used?

Raab (2024), section 5 and Table 3: the copy is made from `train`; `control` holds people of the
same kind whose records were not used. What the copy gives away about them is general knowledge.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from unveil.count.exclusions import fitted
from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError, listed, nearest
from unveil.measure.attribute.excess import excess_ratio
from unveil.measure.catalogue import CATALOGUE
from unveil.measure.figures import ByCopy, attribute_figures
from unveil.measure.opening import Opening, opened, sides_of
from unveil.measure.tabular import RowsResult
from unveil.read.banding import parse_bands
from unveil.read.exclusions import parse_exclusions
from unveil.read.given import is_list
from unveil.records.disclosure import NotMeasured
from unveil.records.excess import Excess, ExcessRow
from unveil.records.exclusions import Exclusion

MEASURES = ("iS", "DiS", "DiSCO", "DiSDiO", "DCAP", "TCAP")
"""The measures of what a copy gives away; those of the original alone know no control."""

TRAIN, CONTROL = 0, 1


def excess(
    train: Any,
    control: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    measure: str | Iterable[str] = "DiSCO",
    exclude: Any = (),
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RowsResult[Excess]:
    """Compare what copies give away about those they were made from with what about others.

    Parameters
    ----------
    train
        The records that the copies were made from, in any of the forms of `unveil.disclosure`.
    control
        Records of the same kind that were not used.
    synthetic
        One copy, or a list of copies.
    keys, targets, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    measure
        One or several of iS, DiS, DiSCO, DiSDiO, DCAP and TCAP.
    exclude
        Exclusions whose effect is shown beside: train, control and R without and with them, and the
        same ratio for what they remove.

    Returns
    -------
    RowsResult
        `.rows`, one per target, measure and copy: train, control, R = (train - control) /
        (100 - control) on percentages, train_after, control_after, R_after under the exclusions,
        R_exclusion = (train - train_after) / (100 - train_after). Of several copies also their
        mean, whose R is that of the means, and all pooled.

    References
    ----------
    Raab (2024), equation 1, after Giomi et al. (2023).
    """
    progress = progress or silent
    measures = _measures(measure)
    rules = parse_exclusions(exclude)
    opening = opened(
        sides_of(synthetic, train=train, control=control),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        progress=progress,
    )
    return RowsResult(_record(opening, measures, rules, progress))


def _measures(given: str | Iterable[str]) -> tuple[str, ...]:
    chosen: tuple[Any, ...] = tuple(given) if is_list(given) else (given,)
    for symbol in chosen:
        if not isinstance(symbol, str) or symbol not in MEASURES:
            raise SettingsError(
                f"There is no excess of {symbol!r}.{nearest(str(symbol), MEASURES)} The measures"
                f" are: {listed(MEASURES)}."
            )
    if not chosen:
        raise SettingsError(f"No measure is given. The measures are: {listed(MEASURES)}.")
    return tuple(dict.fromkeys(chosen))


def _record(
    opening: Opening, measures: Sequence[str], rules: tuple[Exclusion, ...], progress: Progress
) -> Excess:
    scenario = opening.scenario
    copies = range(CONTROL + 1, len(scenario.sides.rows))
    parts = [scenario.of_sides([part, *copies]) for part in (TRAIN, CONTROL)]
    plain, struck = ([fitted(kept, part) for part in parts] for kept in ((), rules))
    rows: list[ExcessRow] = []
    for place, target in enumerate(scenario.target_names):
        progress(f"comparing {target}", place, len(scenario.target_names))
        before = [attribute_figures(part, place) for part in plain]
        after = [attribute_figures(part, place) for part in struck] if rules else None
        rows += _rows(target, measures, before, after)
    return Excess(
        files=opening.files,
        keys=scenario.key_names,
        targets=scenario.target_names,
        measures=tuple(measures),
        n_train=scenario.sides.rows[TRAIN],
        n_control=scenario.sides.rows[CONTROL],
        n_synthetic=scenario.sides.rows[CONTROL + 1 :],
        exclude=tuple(rule.text for rule in rules),
        rows=tuple(rows),
        bands=opening.bands,
        coercions=opening.notes,
        not_measured=tuple(_not_measured(rows)),
    )


def _rows(
    target: str,
    measures: Sequence[str],
    before: Sequence[ByCopy],
    after: Sequence[ByCopy] | None,
) -> Iterator[ExcessRow]:
    """One row per copy and measure; `after` are the figures under exclusions, if there are any."""
    for copy in before[TRAIN]:
        for symbol in measures:
            train, control = (part[copy][symbol] for part in before)
            train_after, control_after = (
                (None, None) if after is None else (part[copy][symbol] for part in after)
            )
            yield ExcessRow(
                target=target,
                measure=symbol,
                copy=copy,
                train=train,
                control=control,
                R=excess_ratio(train, control),
                train_after=train_after,
                control_after=control_after,
                R_after=excess_ratio(train_after, control_after),
                R_exclusion=excess_ratio(train, train_after),
            )


def _not_measured(rows: Iterable[ExcessRow]) -> Iterator[NotMeasured]:
    """Why a figure without exclusions, or R, is None."""
    for row in rows:
        for field in ("train", "control", "R"):
            if getattr(row, field) is None:
                reason = "the control figure is 100 %, so nobody is left to be given away"
                if row.train is None or row.control is None:
                    reason = CATALOGUE[row.measure].undefined
                yield NotMeasured(
                    target=row.target,
                    copy=row.copy,
                    field=f"{field} ({row.measure})",
                    reason=reason,
                )
