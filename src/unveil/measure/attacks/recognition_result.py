"""From scores to what is told: figures of all tested people, and apart from them of each."""

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.measure.attacks.recognition_figures import (
    RATES,
    JointTest,
    assess_jointly,
    hit_rates,
    list_aucs,
    mean_interval,
    most_epsilon,
    person_epsilon,
    self_test,
    threshold_at,
)
from unveil.measure.attacks.recognition_scores import ScoreRows, Scores, WorldScores, score_worlds
from unveil.measure.attacks.worlds import RecordExposure
from unveil.models.auc import auc_interval
from unveil.records.recognition import Recognition
from unveil.view.show import Result

FEW_PEOPLE = 10


@dataclass(frozen=True)
class TestedPeople:
    """Who was tested, and why: rows of the original, and how exposed each is. Confidential."""

    rows: Ints
    is_exposed: Mask
    exposure: RecordExposure  # of everyone in the original
    has_double: Mask  # of the tested: an equal record among the others

    @property
    def k(self) -> int:
        """How many."""
        return len(self.rows)


@dataclass(frozen=True, repr=False, eq=False)
class RecognitionResult(Result):
    """The figures of all tested people; `people()` is about single ones and confidential."""

    record: Recognition
    of_people: pl.DataFrame

    def people(self) -> pl.DataFrame:
        """CONFIDENTIAL: one row for each tested person, in the order of the original's rows.

        An AUC of one person is known to about 0.07 either way, and the highest of many is high by
        chance as well: it ranks no one.
        """
        return self.of_people


def make_result(
    fields: dict[str, Any],
    worlds: WorldScores,
    tested: TestedPeople,
    *,
    released: ScoreRows | None,
    level: float,
    claimed: float | None,
    seed: int,
) -> RecognitionResult:
    """The figures; none but the self-test where it fails."""
    k = tested.k
    scores = score_worlds(worlds, k, released)
    coins = worlds.test_coins
    checked = self_test(scores.test[:, k:], coins[:, k:])
    record = Recognition(
        **fields, level=level, claimed_epsilon=claimed, n_tested=len(coins), self_test=checked
    )
    if not checked.passed:
        return RecognitionResult(record, _frame(tested, {}))
    alpha = (1 - level) / k
    train_coins = worlds.coins[worlds.teaches]
    people = range(k)
    aucs = list_aucs(scores.test[:, :k], coins[:, :k])
    joint = assess_jointly(scores.test[:, :k], coins[:, :k], seed)
    epsilon = np.array(
        [
            0.0
            if aucs[one] is None
            else person_epsilon(
                *(scores.train[:, one], train_coins[:, one]),
                *(scores.test[:, one], coins[:, one]),
                alpha,
            )
            for one in people
        ]
    )
    is_known = np.array([one is not None for one in aucs])
    is_shown = is_known & (joint.p <= 1 - level)
    values = np.array([np.nan if one is None else one[0] for one in aucs])
    whole = msgspec.structs.replace(
        record,
        **_auc_fields(values, tested, joint, coins[:, :k], level),
        n_shown=int(is_shown.sum()),
        hit_rates=tuple(
            hit_rates(
                *(scores.test[:, :k], coins[:, :k], tested.is_exposed),
                (scores.test[:, k:], coins[:, k:]),
                level,
            )
        ),
        epsilon=float(epsilon.max()),
        epsilon_most=most_epsilon(coins[:, :k], alpha),
        **_recognised(scores, coins, k),
        warnings=(*record.warnings, *_warnings(k, int((~is_known).sum()))),
    )
    bounds = [(None, None) if one is None else auc_interval(*one, level) for one in aucs]
    shown = {
        "auc": [None if one is None else one[0] for one in aucs],
        "low": [low for low, _ in bounds],
        "high": [high for _, high in bounds],
        "p": joint.p,
        "is_shown": is_shown,
        "epsilon": epsilon,
    }
    return RecognitionResult(whole, _frame(tested, shown))


def _auc_fields(
    values: Floats, tested: TestedPeople, joint: JointTest, coins: Mask, level: float
) -> dict[str, Any]:
    is_known = np.isfinite(values)
    known = values[is_known]
    if not len(known):
        return {}
    n_with = float(coins.sum(0).mean())
    return {
        "auc_mean": known.mean(),
        "auc_interval": mean_interval(known, level),
        "auc_median": np.median(known),
        "auc_highest": known.max(),
        "auc_exposed": _mean(values[is_known & tested.is_exposed]),
        "auc_random": _mean(values[is_known & ~tested.is_exposed]),
        "auc_found": min(joint.find_auc(n_with, len(coins) - n_with, level), 1.0),
    }


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _recognised(scores: Scores, coins: Mask, k: int) -> dict[str, Any]:
    """Who of the tested, all of whom were in, is called at 1 % false alarms in the release."""
    without = scores.test[:, :k][~coins[:, :k]]
    if scores.released is None or RATES[0] * len(without) < 1:
        return {}
    is_called = scores.released[:k] > threshold_at(without, RATES[0])
    return {"n_recognised": int(is_called.sum()), "n_by_chance": RATES[0] * k}


def _warnings(k: int, n_unknown: int) -> tuple[str, ...]:
    said = []
    if k < FEW_PEOPLE:
        said.append(
            f"Only {k:,} people are tested: the attack learns what people have in common from few."
        )
    if n_unknown:
        said.append(
            f"{n_unknown:,} people have too few worlds with or without them to be measured."
        )
    return tuple(said)


def _frame(tested: TestedPeople, figures: dict[str, Any]) -> pl.DataFrame:
    rows, exposure = tested.rows, tested.exposure
    made = pl.DataFrame(
        {
            "row": rows,
            "is_exposed": tested.is_exposed,
            "triples_alone": exposure.triples_alone[rows],
            "isolation": exposure.isolation[rows],
            "has_double": tested.has_double,
            **figures,
        }
    )
    return made.sort("row")
