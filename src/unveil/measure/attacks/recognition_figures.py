"""How well do scores tell worlds with a person from worlds without? Figures and their error.

Nothing here knows where scores come from; only their order counts, but for those of all people
together, which are compared on one scale.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.models.auc import auc, auc_error
from unveil.models.intervals import clopper_pearson, z_of
from unveil.records.attacks import Interval
from unveil.records.recognition import HitRate, Reason, SelfTest
from unveil.seeding import stream

FEWEST = 10
"""Worlds with and without a person, below which nothing is said about that person."""
N_DRAWS = 2_000
"""New tosses of all coins for the p of people judged together."""
N_BOOTSTRAP = 1_000
N_THRESHOLDS = 25
RATES = (0.01, 0.001)
"""False alarms."""
MARGIN, MOST_HITS = 0.03, 0.02
"""The self-test: how far from 0.5 the mean AUC may be, and the hit rate at 1 % false alarms."""
_POWER, _TOSSES = 0.8, 400


# Shown: more than chance gives to any of the people (Westfall and Young 1993, max-T).


@dataclass(frozen=True)
class JointTest:
    """For every person the chance that coins tossed anew give anybody a sum of ranks so high."""

    p: Floats
    highest: Floats  # z over people, draw by draw

    def find_auc(self, n_with: float, n_without: float, level: float) -> float:
        """The least AUC of a person that would be shown 8 times in 10."""
        z = float(np.quantile(self.highest, level)) + z_of(2 * _POWER - 1)
        return 0.5 + z * math.sqrt((n_with + n_without + 1) / (12 * n_with * n_without))


def assess_jointly(scores: Floats, coins: Mask, seed: int, draws: int = N_DRAWS) -> JointTest:
    """Whether anybody's scores follow their coins, whoever else's do.

    Notes
    -----
    z = (U - n1 n0 / 2) / sd, with sd^2 = n1 n0 (n + 1) / 12, of each person's rank sum;
    p = (1 + draws whose highest z over people is at least z) / (1 + draws). The coins of a person
    without a trace are independent of all scores, so that the family-wise error holds for any
    traces of others.
    """
    ranks = _ranks(scores)
    rng = stream(seed, "recognition", "permute")
    n1 = coins.sum(0)
    n = len(coins)
    mean, sd = n1 * (n + 1) / 2, np.sqrt(np.maximum(n1 * (n - n1) * (n + 1) / 12, 1e-9))

    def z(tossed: Mask) -> Floats:
        found: Floats = (np.einsum("rk,rk->k", ranks, tossed) - mean) / sd
        return found

    seen = z(coins)
    highest = np.array([z(rng.permuted(coins, axis=0)).max() for _ in range(draws)])
    reached = len(highest) - np.searchsorted(np.sort(highest), seen - 1e-9, "left")
    return JointTest((1 + reached) / (1 + draws), highest)


def _ranks(scores: Floats) -> Floats:
    """Ranks from 1 within each column, means where scores are equal."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(scores, axis=0)
    return ranks


# A lower bound on epsilon: hits and false alarms at one threshold, chosen on other worlds.


def bound_epsilon(hits: Ints, n1: int, alarms: Ints, n0: int, alpha: float) -> Floats:
    """Epsilon is at least this, with confidence 1 - alpha: ln(low hit rate / high false alarms)."""
    low, high = clopper_pearson(hits, n1, alpha / 2)[0], clopper_pearson(alarms, n0, alpha / 2)[1]
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(low / high), 0.0)


def person_epsilon(
    train: Floats, train_coins: Mask, test: Floats, test_coins: Mask, alpha: float
) -> float:
    """The bound at the threshold and side that promise most in the teaching worlds.

    "Was in" is said of scores from the threshold on, "was not in" of those below it; the threshold
    is a score that occurs, so that only the order of scores counts.
    """
    spread = np.linspace(0.02, 0.98, N_THRESHOLDS)
    thresholds = np.unique(np.quantile(train, spread, method="higher"))
    promised = _bound_sides(train, train_coins, thresholds, alpha)
    side, place = np.unravel_index(int(promised.argmax()), promised.shape)
    return float(_bound_sides(test, test_coins, thresholds[[place]], alpha)[side, 0])


def _bound_sides(scores: Floats, coins: Mask, thresholds: Floats, alpha: float) -> Floats:
    """The bounds of saying "was in" (first) and "was not in", for each threshold."""
    with_, without = np.sort(scores[coins]), np.sort(scores[~coins])
    n1, n0 = len(with_), len(without)
    hits = n1 - np.searchsorted(with_, thresholds, "left")
    alarms = n0 - np.searchsorted(without, thresholds, "left")
    return np.stack(
        [
            bound_epsilon(hits, n1, alarms, n0, alpha),
            bound_epsilon(n0 - alarms, n0, n1 - hits, n1, alpha),
        ]
    )


def most_epsilon(coins: Mask, alpha: float) -> float:
    """The largest bound that so many worlds could show: no miss, and no false alarm."""
    n1, n0 = coins.sum(0), (~coins).sum(0)
    known = (n1 > 0) & (n0 > 0)
    low1, low0 = ((alpha / 2) ** (1 / n[known]) for n in (n1, n0))
    most = np.maximum(np.log(low1 / (1 - low0)), np.log(low0 / (1 - low1)))
    return max(float(most.max(initial=0.0)), 0.0)


# All people together: hits at a rate of false alarms, on one scale.


def threshold_at(without: Floats, rate: float) -> float:
    """Scores above it are called; at most so many false alarms, fewer where scores are equal."""
    return float(np.sort(without)[-(math.floor(rate * len(without)) + 1)])


def _cut(without: Floats, rate: float) -> float | None:
    """The threshold; None where there are too few scores to tell such a rate."""
    return threshold_at(without, rate) if rate * len(without) >= 1 else None


def hit_rates(
    scores: Floats, coins: Mask, is_exposed: Mask, phantoms: tuple[Floats, Mask], level: float
) -> Iterator[HitRate]:
    """A row for each rate of false alarms."""
    draws = stream(0, "recognition", "bootstrap").integers(
        scores.shape[1], size=(N_BOOTSTRAP, scores.shape[1])
    )
    for rate in RATES:
        cut = _cut(scores[~coins], rate)
        own = _cut(phantoms[0][~phantoms[1]], rate)
        yield HitRate(
            false_alarms=rate,
            rate=_share_above(scores, coins, cut),
            interval=None if cut is None else _bootstrap(scores, coins, rate, draws, level),
            exposed=_share_above(scores[:, is_exposed], coins[:, is_exposed], cut),
            random=_share_above(scores[:, ~is_exposed], coins[:, ~is_exposed], cut),
            phantoms=_share_above(*phantoms, own),
        )


def _share_above(scores: Floats, coins: Mask, cut: float | None) -> float | None:
    members = scores[coins]
    return None if cut is None or not len(members) else float((members > cut).mean())


def _bootstrap(scores: Floats, coins: Mask, rate: float, draws: Ints, level: float) -> Interval:
    """Of the hit rate over people drawn anew, each with all worlds; the threshold moves as well."""
    person = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    sides: list[tuple[Floats, NDArray[np.int64]]] = []
    for chosen in (~coins, coins):
        order = np.argsort(scores[chosen])[::-1]
        sides.append((scores[chosen][order], person[chosen][order]))
    (without, of_without), (members, of_members) = sides
    found = []
    for drawn in draws:
        weight = np.bincount(drawn, minlength=scores.shape[1])
        passed = np.cumsum(weight[of_without])
        allowed = math.floor(rate * passed[-1])
        cut = without[np.searchsorted(passed, allowed + 1)]
        weights = weight[of_members]
        n_above = np.searchsorted(-members, -cut, "left")
        found.append(weights[:n_above].sum() / max(weights.sum(), 1))
    return quantile_interval(found, level)


def quantile_interval(values: Sequence[float] | Floats, level: float) -> Interval:
    """The percentile interval."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean_interval(values: Floats, level: float) -> Interval:
    """Of the mean over people drawn anew."""
    rng = stream(0, "recognition", "means")
    drawn = rng.integers(len(values), size=(N_BOOTSTRAP, len(values)))
    return quantile_interval(values[drawn].mean(1), level)


# The self-test: of people who are in no world, nothing may be found.


def list_aucs(scores: Floats, coins: Mask) -> list[tuple[float, float] | None]:
    """AUC and standard error of every person; None where too few worlds are with or without."""
    found: list[tuple[float, float] | None] = []
    for score, is_in in zip(scores.T, coins.T, strict=True):
        members, others = score[is_in], score[~is_in]
        if min(len(members), len(others)) < FEWEST:
            found.append(None)
        else:
            found.append((auc(members, others), auc_error(members, others)))
    return found


def self_test(scores: Floats, coins: Mask) -> SelfTest:
    """Whether people in no world look as a guess would: mean AUC near 0.5, few hits at 1 %.

    Notes
    -----
    The mean may be off by 0.03, or by three standard errors where that is more. Without a person
    who can be measured, nothing is known, and it has not passed.
    """
    aucs = np.array([one[0] for one in list_aucs(scores, coins) if one is not None])
    cut = _cut(scores[~coins], RATES[0])
    hits = _share_above(scores, coins, cut)
    if not len(aucs):
        return SelfTest(
            n_people=scores.shape[1],
            auc_mean=None,
            auc_sd=None,
            margin=MARGIN,
            hit_rate=hits,
            passed=False,
            failed=("auc",),
        )
    sd = float(aucs.std(ddof=1)) if len(aucs) > 1 else 0.0
    margin = max(MARGIN, 3 * sd / math.sqrt(len(aucs)))
    failed: list[Reason] = ["auc"] if abs(aucs.mean() - 0.5) > margin else []
    if hits is not None and hits > MOST_HITS and hits > most_hits(scores, coins):
        failed.append("hit rate")
    return SelfTest(
        n_people=scores.shape[1],
        auc_mean=float(aucs.mean()),
        auc_sd=sd,
        margin=margin,
        hit_rate=hits,
        passed=not failed,
        failed=tuple(failed),
    )


def most_hits(scores: Floats, coins: Mask) -> float:
    """2 %, or the highest hit rate that coins tossed anew give, where few worlds make that more.

    People with like records have like scores, so that their hits are not independent.
    """
    rng = stream(0, "recognition", "self-test")
    found = [MOST_HITS]
    for _ in range(_TOSSES):
        tossed = rng.permuted(coins, axis=0)
        found.append(_share_above(scores, tossed, _cut(scores[~tossed], RATES[0])) or 0.0)
    return max(found)
