"""How often does an attack succeed, how much of that is owed to synthetic data, and how sure is it?

Giomi et al. (2023), as Anonymeter computes it, without clipping: R below 0 is shown below 0.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, sqrt

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.measure.attacks.prepare import AttackData
from unveil.measure.result import RowsResult
from unveil.models.intervals import Rate, wilson, z_of
from unveil.records.attacks import AttackName, AttackRow, Attacks, Interval
from unveil.seeding import stream

N_BOOTSTRAP = 2000
DRAWN_AT_ONCE = 2**20
"""How many numbers are drawn at once, so that memory stays small."""
WANTED = 0.05
"""What it would have to be known to."""
MOST_DISTINCT = 1024
"""Where there are more different outcomes they are drawn as multiples of 1/1024 of a success."""
LEAST_LEFT = 1e-12
"""A draw in which the control always succeeds leaves no one: R is then very low, not infinite."""
ALIKE = 1e-9
"""Successes that differ by less are added up from the same terms in another order."""


@dataclass(frozen=True)
class Outcomes:
    """What became of each attack: 1 a success, 0 none, between them an expectation over ties.

    `paired` where the same attacks were made on original and control (predicates), so that they
    are drawn together; `clusters` says which of them were made from one record, and are drawn
    together too, `other_clusters` which of them succeed by one record.
    """

    main: Floats
    naive: Floats
    control: Floats | None
    paired: bool = False
    clusters: Ints | None = None
    other_clusters: tuple[Ints, ...] = ()


def excess(main: float, control: float) -> float | None:
    """R = (main - control) / (1 - control), unclipped; None where control always succeeds.

    References
    ----------
    Raab (2024), equation 1, after Giomi et al. (2023). A Wilson centre is below 1 for every n.
    """
    return None if control >= 1 else (main - control) / (1 - control)


def delta_interval(main: Rate, control: Rate) -> Interval:
    """R and its half-width by the delta method, as if the two rates were independent; unclipped.

    Notes
    -----
    Half-width: sqrt((e_main / (1 - r_c))^2 + (e_control (r_main - 1) / (1 - r_c)^2)^2).
    """
    left = 1 - control.centre
    error = sqrt((main.error / left) ** 2 + (control.error * (main.centre - 1) / left**2) ** 2)
    middle = (main.centre - control.centre) / left
    return middle - error, middle + error


def bootstrap(
    outcomes: Outcomes, *, level: float, seed: int, path: Sequence[int | str]
) -> Interval | None:
    """The percentile interval of R over weights of the attacks; of the main rate without a control.

    Notes
    -----
    The Bayesian bootstrap (Rubin 1981): each of 2,000 draws weighs every attack by an exponential
    number of its own, on the original's side and on the control's; where both answer the same
    predicates, a pair has one weight, and so have all predicates made from one record of synthetic
    data. Rates are weighted means, not Wilson centres. Beside the attacks stands one that was not
    made: half a success and half a failure on each side, a quarter of each of the four ends of a
    pair. With ones and zeros this is the posterior of Jeffreys' prior, so that an attack that
    always succeeded, or never, has an interval with a width, and one that covers. Where every
    attack succeeded the upper end is 1. Nothing is said of other copies.
    """
    columns = [outcomes.main] if outcomes.control is None else [outcomes.main, outcomes.control]
    if any(len(column) == 0 for column in columns):
        return None
    rng = stream(seed, "bootstrap", *path)
    together = [columns] if outcomes.paired else [[column] for column in columns]
    rates = [rate for group in together for rate in _bootstrap_rates(group, outcomes.clusters, rng)]
    drawn = rates[0]
    if outcomes.control is not None:
        drawn = (rates[0] - rates[1]) / np.maximum(1 - rates[1], LEAST_LEFT)
    tail = (1 - level) / 2
    low, middle, high = (float(end) for end in np.quantile(drawn, [tail, 0.5, 1 - tail]))
    more = stretch(outcomes)
    low, high = middle + more * (low - middle), middle + more * (high - middle)
    return low, 1.0 if outcomes.main.min() > 1 - ALIKE else min(high, 1.0)


def stretch(outcomes: Outcomes) -> float:
    """By how much an interval is widened because several attacks succeed by the same record.

    Notes
    -----
    The root of V / V_1, at least 1, with V = V_1 + V_2 + V_3 - 2 V_0: the variance of R, to first
    order, with attacks clustered by the record they were made from (V_1), by the original's record
    (V_2) and the control's (V_3) that they single out, and with none (V_0), as if two attacks
    shared one of the three at most. The end above 1 that may come of it is cut at 1.

    References
    ----------
    Cameron, Gelbach and Miller (2011), clustering in several ways.
    """
    if outcomes.clusters is None or not outcomes.other_clusters:
        return 1.0
    moved = outcomes.main - outcomes.main.mean()
    if outcomes.control is not None:
        left = max(1 - float(outcomes.control.mean()), LEAST_LEFT)
        of_control = (outcomes.control - outcomes.control.mean()) / left
        moved = moved / left - (1 - outcomes.main.mean()) * of_control / left
    by_made, *by_hit = (
        _squares(moved, whose) for whose in (outcomes.clusters, *outcomes.other_clusters)
    )
    alone = float((moved**2).sum())
    if by_made <= 0:
        return 1.0
    return sqrt(max((by_made + sum(by_hit) - len(by_hit) * alone) / by_made, 1.0))


def _squares(moved: Floats, clusters: Ints) -> float:
    _, whose = np.unique(clusters, return_inverse=True)
    return float((np.bincount(whose, moved) ** 2).sum())


def _bootstrap_rates(
    columns: Sequence[Floats], clusters: Ints | None, rng: np.random.Generator
) -> Floats:
    """The weighted mean of each draw, in each of the columns drawn together: columns x draws."""
    atoms, times = _atoms(columns, clusters)
    corners = np.array(list(product((0.0, 1.0), repeat=len(columns))))
    atoms = np.vstack((atoms, np.column_stack((np.ones(len(corners)), corners))))
    shapes = np.concatenate((times, np.full(len(corners), 1 / len(corners))))
    at_once = max(1, DRAWN_AT_ONCE // len(shapes))
    rates = np.empty((len(columns), N_BOOTSTRAP))
    for done in range(0, N_BOOTSTRAP, at_once):
        draws = slice(done, min(done + at_once, N_BOOTSTRAP))
        weights = rng.standard_gamma(shapes, size=(draws.stop - draws.start, len(shapes)))
        # Added up by numpy itself: a matrix product depends on the number of threads.
        sums = [(weights * part).sum(axis=1) for part in atoms.T]
        rates[:, draws] = np.array(sums[1:]) / sums[0]
    return rates


def _atoms(columns: Sequence[Floats], clusters: Ints | None) -> tuple[Floats, Floats]:
    """What has a weight of its own: attacks in it and successes by column; and how often it is so.

    Weights of equals are drawn as one: a sum of exponential numbers is a gamma number.
    """
    sums = np.column_stack((np.ones(len(columns[0])), *columns))
    if clusters is not None:
        _, whose = np.unique(clusters, return_inverse=True)
        sums = np.column_stack([np.bincount(whose, part) for part in sums.T])
    atoms, times = np.unique(np.round(sums / ALIKE) * ALIKE, axis=0, return_counts=True)
    if len(atoms) > MOST_DISTINCT:
        sums = np.round(sums * MOST_DISTINCT) / MOST_DISTINCT
        atoms, times = np.unique(sums, axis=0, return_counts=True)
    return atoms, times.astype(np.float64)


def needed_attacks(main: float, control: float, level: float) -> int:
    """How many attacks on each side would tell R to within WANTED: the delta method's n."""
    left = 1 - control
    variance = main * (1 - main) / left**2 + control * (1 - control) * (1 - main) ** 2 / left**4
    return ceil((z_of(level) / WANTED) ** 2 * variance)


# What to beware of in the row of an attack, in sentences.


WIDE = 0.1
"""An R known no better than this, either way, says little."""
NOTHING_SAID = 2.0
"""An interval as wide as from -1 to 1 says nothing."""


@dataclass(frozen=True)
class WeightedOutcomes:
    """Outcomes, their rates, and the interval that came of them."""

    outcomes: Outcomes
    main: Rate | None
    naive: Rate | None
    control: Rate | None
    interval: Interval | None
    level: float


def row_warnings(row: WeightedOutcomes, group: str | None = None) -> Iterator[str]:
    """What to say of a row; of a group that the control does not have, that."""
    if row.main is None:
        who = "Nothing was attacked" if group is None else "No one attacked has this value"
        yield f"{who}, so there is no rate."
        return
    if row.naive is not None and row.naive.centre >= row.main.centre - ALIKE:
        yield (
            "Uninformed guesses succeed as often as the attack, or more often: it is too weak to"
            " show that there is no risk."
        )
    if row.outcomes.control is not None and row.control is None:
        who = "Nothing of the control was attacked"
        if group is not None:
            who = "No one attacked in the control has this value"
        yield f"{who}, so R is not computable."
    if row.control is not None:
        yield from _control_warnings(row, row.main, row.control)
    yield from _alike(row.outcomes)


def _control_warnings(row: WeightedOutcomes, main: Rate, control: Rate) -> Iterator[str]:
    """Where R is known too badly: for want of people, or of people to be disclosed."""
    n = 0 if row.outcomes.control is None else len(row.outcomes.control)
    if row.interval is not None and row.interval[1] - row.interval[0] > NOTHING_SAID:
        yield (
            "R cannot be computed: the attack succeeds on so much of the control sample that too"
            " few people remain whom the synthetic data could disclose, or too few were attacked."
        )
        return
    low, high = delta_interval(main, control)
    if (high - low) / 2 > WIDE:
        enough = needed_attacks(main.centre, control.centre, row.level)
        yield (
            f"The control sample is too small for a precise figure: with {n:,}"
            f" {'attack' if n == 1 else 'attacks'} on it R is known to within"
            f" {(high - low) / 2:.2f} either way; for {WANTED} about {max(enough, n + 1):,} on"
            " each side are needed."
        )


def _alike(outcomes: Outcomes) -> Iterator[str]:
    """Where no attack of a side ended otherwise than the others, which leaves much to belief."""
    sides = {"the original": outcomes.main}
    if outcomes.control is not None and len(outcomes.control):
        sides["the control"] = outcomes.control
    alike = [name for name, values in sides.items() if np.ptp(values) < ALIKE]
    if alike:
        yield (
            f"All attacks on {' and on '.join(alike)} had the same outcome, so the width of the"
            " interval depends only on their number."
        )


# One row of a record of attacks: rates, R, its intervals, and what to beware of.


LOWEST = -10.0
"""An interval that reaches below this is cut here: almost no one is left to be disclosed."""
FEW_PAIRS = 30
"""So few predicates are too few to draw pairs from: the delta method's interval is wider."""


@dataclass(frozen=True, repr=False)
class AttacksResult(RowsResult[Attacks]):
    """What attacks found; printing it shows no record of the data."""


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
        drawn = _bootstrap_interval(
            outcomes, delta, risk, level=level, seed=seed, path=(attack, target, group)
        )
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
            *row_warnings(WeightedOutcomes(outcomes, main, naive, control, drawn, level), group),
        ),
    )


def most_successful(tried: Iterable[Sequence[AttackRow]]) -> Sequence[AttackRow]:
    """The rows of the intruder with the highest R, without a control with the highest rate."""

    def success(rows: Sequence[AttackRow]) -> tuple[float, float]:
        main = rows[0].main or 0.0
        return main if rows[0].R is None else rows[0].R, main

    return max(tried, key=success)


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


def _bootstrap_interval(
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


# The record of one call: its rows, and what they were found from.


def make_result(
    data: AttackData,
    rows: Sequence[AttackRow],
    *,
    level: float,
    seed: int,
    k: int | None = None,
    warnings: Sequence[str] = (),
) -> AttacksResult:
    """Rows, files, sizes, the seed, and what is to be said of the data as a whole."""
    return AttacksResult(
        Attacks(
            files=data.files,
            seed=seed,
            level=level,
            person=data.person,
            n_original=data.n_original,
            n_synthetic=data.n_synthetic,
            n_control=data.n_control,
            n_shared_with_control=data.n_shared,
            k=k,
            n_bootstrap=N_BOOTSTRAP,
            rows=tuple(rows),
            warnings=(*warnings, *data.shared_warnings()),
            coercions=data.notes,
        )
    )
