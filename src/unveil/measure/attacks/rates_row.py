"""One row of a record of attacks: rates, R, its intervals, and what to beware of."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from unveil.measure.attacks.rates import (
    Floats,
    Outcomes,
    Rate,
    bootstrap,
    delta_interval,
    excess,
    wilson,
)
from unveil.measure.attacks.rates_warnings import Weighed, row_warnings
from unveil.measure.tabular import RowsResult
from unveil.records.attacks import AttackName, AttackRow, Attacks, Interval

LOWEST = -10.0
"""An interval that reaches below this is cut here: almost nobody is left for the copy to tell."""
FEW_PAIRS = 30
"""So few predicates are too few to draw pairs from: the delta method's interval is wider."""


@dataclass(frozen=True, repr=False)
class AttacksResult(RowsResult[Attacks]):
    """What attacks found; printing it shows no record of the data."""

    def frame(self) -> pl.DataFrame:
        """The rows as a frame, unrounded, each interval as its two ends."""
        rows = [{**row.flat(), "warnings": " ".join(row.warnings)} for row in self.rows]
        return pl.DataFrame(rows, infer_schema_length=None)


def attack_row(
    outcomes: Outcomes,
    *,
    attack: AttackName,
    level: float,
    seed: int,
    method: str,
    n_requested: int | None,
    target: str | None = None,
    group: str | None = None,
    keys: Sequence[str] = (),
    other_keys: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> AttackRow:
    """All that a row says of its outcomes: rates, R, both intervals, and what to beware of."""
    main, naive = (_rate(values, level) for values in (outcomes.main, outcomes.naive))
    control = None if outcomes.control is None else _rate(outcomes.control, level)
    delta = _delta(outcomes, main, control)
    risk = risk_of(outcomes, main, control)
    drawn = None
    if delta is not None:
        drawn = _drawn(outcomes, delta, risk, level=level, seed=seed, path=(attack, target, group))
    return AttackRow(
        attack=attack,
        target=target,
        group=group,
        keys=tuple(keys),
        other_keys=tuple(other_keys),
        n_requested=n_requested,
        n_found=len(outcomes.main),
        n_control=None if outcomes.control is None else len(outcomes.control),
        main_successes=_sum(outcomes.main),
        naive_successes=_sum(outcomes.naive),
        control_successes=None if outcomes.control is None else _sum(outcomes.control),
        main=_centre(main),
        naive=_centre(naive),
        control=_centre(control),
        main_interval=_interval(main),
        naive_interval=_interval(naive),
        control_interval=_interval(control),
        R=risk,
        interval=drawn,
        interval_delta=delta,
        level=level,
        method=method,
        warnings=(
            *warnings,
            *row_warnings(Weighed(outcomes, main, naive, control, drawn, level), group),
        ),
    )


def risk_of(outcomes: Outcomes, main: Rate | None, control: Rate | None) -> float | None:
    """R of the Wilson centres; of the plain rates where the two sides differ in number.

    Notes
    -----
    A centre is drawn towards one half, the more so the fewer the attacks: centres of different n
    differ where the rates do not. Sides differ in number in groups alone.
    """
    if main is None or control is None or outcomes.control is None:
        return None
    if len(outcomes.main) == len(outcomes.control):
        return excess(main.centre, control.centre)
    return excess(float(outcomes.main.mean()), float(outcomes.control.mean()))


def _drawn(
    outcomes: Outcomes,
    delta: Interval,
    risk: float | None,
    *,
    level: float,
    seed: int,
    path: Sequence[str | None],
) -> Interval | None:
    """The interval of the bootstrap, made to hold the R that is reported, and not below LOWEST."""
    if outcomes.paired and len(outcomes.main) < FEW_PAIRS:
        return delta
    ends = bootstrap(outcomes, level=level, seed=seed, path=[part or "" for part in path])
    if ends is None or risk is None:
        return ends
    low, high = max(ends[0], LOWEST), max(ends[1], LOWEST)
    return min(low, risk), max(high, risk)


def _delta(outcomes: Outcomes, main: Rate | None, control: Rate | None) -> Interval | None:
    """Of R, or of the main rate without a control; None where one of the sides had no attacks."""
    if main is None or (outcomes.control is not None and control is None):
        return None
    return main.interval if control is None else delta_interval(main, control)


def _rate(values: Floats, level: float) -> Rate | None:
    return wilson(_sum(values), len(values), level) if len(values) else None


def _centre(rate: Rate | None) -> float | None:
    return None if rate is None else rate.centre


def _interval(rate: Rate | None) -> Interval | None:
    return None if rate is None else rate.interval


def _sum(values: Floats) -> float:
    return float(values.sum())
