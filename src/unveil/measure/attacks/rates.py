"""How often does an attack succeed, how much of that is owed to the copy, and how sure is it?

Giomi et al. (2023), as Anonymeter computes it, without clipping: R below 0 is shown below 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from unveil.count.streams import stream
from unveil.records.attacks import Interval

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

N_BOOTSTRAP = 2000
DRAWN_AT_ONCE = 2**20
"""How many numbers are drawn at once, so that memory stays small."""
WANTED = 0.05
"""What it would have to be known to."""
MOST_DISTINCT = 1024
"""Where there are more different outcomes they are drawn as multiples of 1/1024 of a success."""
LEAST_LEFT = 1e-12
"""A draw in which the control always succeeds leaves nobody: R is then very low, not infinite."""
ALIKE = 1e-9
"""Successes that differ by less are added up from the same terms in another order."""


@dataclass(frozen=True)
class Rate:
    """Wilson's interval: its centre is the rate that is reported, not successes / n."""

    centre: float
    error: float  # half its width

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return self.centre - self.error, self.centre + self.error


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
    clusters: Whole | None = None
    other_clusters: tuple[Whole, ...] = ()


def z_of(level: float) -> float:
    """The normal quantile of a two-sided level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: float, n: int, level: float) -> Rate:
    """Wilson's score interval of a rate, for successes that may be fractional.

    Notes
    -----
    r = (s + z^2/2) / (n + z^2), e = z / (n + z^2) sqrt(s (n - s) / n + z^2/4); n = 0 is the
    caller's to refuse. With s = 0 of 500 the centre is 0.0038, never 0.

    References
    ----------
    Wilson (1927); as Anonymeter 1.1.0 has it, where the centre is the rate that is reported.
    """
    z = z_of(level)
    spread = max(successes * (n - successes) / n, 0.0)
    return Rate((successes + z * z / 2) / (n + z * z), z / (n + z * z) * sqrt(spread + z * z / 4))


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
    predicates, a pair has one weight, and so have all predicates made from one record of the copy.
    Rates are weighted means, not Wilson centres. Beside the attacks stands one that was not made:
    half a success and half a failure on each side, a quarter of each of the four ends of a pair.
    With ones and zeros this is the posterior of Jeffreys' prior, so that an attack that always
    succeeded, or never, has an interval with a width, and one that covers. Where every attack
    succeeded the upper end is 1. The copy stays as it is: nothing is said of other copies.
    """
    columns = [outcomes.main] if outcomes.control is None else [outcomes.main, outcomes.control]
    if any(len(column) == 0 for column in columns):
        return None
    rng = stream(seed, "bootstrap", *path)
    together = [columns] if outcomes.paired else [[column] for column in columns]
    rates = [rate for group in together for rate in _drawn_rates(group, outcomes.clusters, rng)]
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


def _squares(moved: Floats, clusters: Whole) -> float:
    _, whose = np.unique(clusters, return_inverse=True)
    return float((np.bincount(whose, moved) ** 2).sum())


def _drawn_rates(
    columns: Sequence[Floats], clusters: Whole | None, rng: np.random.Generator
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


def _atoms(columns: Sequence[Floats], clusters: Whole | None) -> tuple[Floats, Floats]:
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


def needed(main: float, control: float, level: float, half_width: float = WANTED) -> int:
    """How many attacks on each side would tell R to within a half-width: the delta method's n."""
    left = 1 - control
    variance = main * (1 - main) / left**2 + control * (1 - control) * (1 - main) ** 2 / left**4
    return ceil((z_of(level) / half_width) ** 2 * variance)
