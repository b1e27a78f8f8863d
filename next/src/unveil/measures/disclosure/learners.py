"""What is likely of each person by other people's records: the better of two learners."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask

MANY = 50  # levels
FOLDS, TREES, LEAST = 3, 50, 10  # values of fewer people are taught by nobody


@dataclass(frozen=True, eq=False)
class Chances:
    """The probability of each level for each person; levels of few people are one, the last."""

    place: Ints  # the column of each level
    counts: Ints  # how many people have each level
    table: Floats

    @property
    def rare(self) -> int:
        """The column of all rare levels together."""
        return self.table.shape[1] - 1

    def of(self, levels: Ints) -> Floats:
        """The chance of one level for each person; 0 where there is none, or nobody teaches it."""
        column = np.where(levels < 0, self.rare, self.place[levels])
        return np.where(column == self.rare, 0, self.table[np.arange(len(levels)), column])

    def is_likeliest(self, levels: Ints) -> Mask:
        """Whether each person has the level that is likeliest for them, the rare ones aside."""
        common = self.table[:, :-1]
        likeliest = common.argmax(axis=1) if self.rare else np.full(len(levels), -1)
        return np.asarray(self.place[levels] == likeliest)

    def within(self, values: Floats, low: Floats, high: Floats, own: Ints) -> Floats:
        """The chance of any level with a value between two limits, for each person.

        Of rare levels by how many *others* have them.
        """
        order = np.argsort(values, kind="stable")
        column, ranked, people = self.place[order], values[order], np.arange(len(own))
        is_rare = column == self.rare

        def ends(among: Mask) -> tuple[Ints, Ints]:
            places = ranked[among]
            return np.searchsorted(places, low), np.searchsorted(places, high, side="right")

        common = np.zeros((len(own), (~is_rare).sum() + 1))
        np.cumsum(self.table[:, column[~is_rare]], axis=1, out=common[:, 1:])
        start, stop = ends(~is_rare)
        chance = common[people, stop] - common[people, start]
        n_rare = np.append(0, np.cumsum(self.counts[order][is_rare]))
        start, stop = ends(is_rare)
        has_rare, value = self.place[own] == self.rare, values[own]
        others = n_rare[stop] - n_rare[start] - (has_rare & (low <= value) & (value <= high))
        share = others / np.maximum(n_rare[-1] - has_rare, 1)
        return np.asarray(chance + self.table[:, self.rare] * share)


def learn(
    keys: Ints, target: Ints, n_levels: int, seed: int, learners: Sequence[str] = ()
) -> tuple[str, Chances]:
    """The learner that fits best, of all or of those named, and what it says of each person.

    The value of a person is said by a model of others, who have the same keys or not.
    """
    counts = np.bincount(target, minlength=n_levels)
    common = np.flatnonzero(counts >= LEAST)
    place = np.full(n_levels, len(common))  # of the rare levels, all together
    place[common] = np.arange(len(common))
    lumped = place[target]
    truth = np.eye(len(common) + 1)[lumped]
    by_learner = {
        name: _sharpen(LEARNERS[name](keys, lumped, len(common) + 1, seed), lumped)
        for name in learners or LEARNERS
    }
    best = min(by_learner, key=lambda name: ((by_learner[name] - truth) ** 2).sum())
    return best, Chances(place, counts, by_learner[best])


def _main_effects(keys: Ints, target: Ints, n_levels: int, seed: int) -> Floats:
    """A logistic regression of the other folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    steps = 100 if n_levels <= MANY else 25  # of many levels the fit costs most, and tells least
    regression = LogisticRegression(C=10, max_iter=steps, tol=1e-3)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), regression)
    chances = np.zeros((len(keys), n_levels))
    for others, people in KFold(FOLDS, shuffle=True, random_state=seed).split(keys):
        if np.ptp(target[others]) == 0:
            chances[people, target[others[0]]] = 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it has not converged: good enough for a yardstick
            model.fit(keys[others], target[others])
        chances[np.ix_(people, model.classes_)] = model.predict_proba(keys[people])
    return chances


def _forest(keys: Ints, target: Ints, n_levels: int, seed: int) -> Floats:
    """The trees that were grown without a person: interactions of any depth, one fit."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(
        TREES, min_samples_leaf=3, max_features=None, oob_score=True, random_state=seed
    )
    model.fit(keys, target)
    chances = np.zeros((len(keys), n_levels))
    chances[:, model.classes_] = model.oob_decision_function_.reshape(len(keys), -1)
    return chances


LEARNERS = {"main effects": _main_effects, "forest": _forest}


def _sharpen(chances: Floats, target: Ints) -> Floats:
    """Chances to the power b >= 1 that fits best, divided by their sum.

    Many keys that tell nothing make a forest say 66 % where 96 % are right. The other way is left
    alone: pulling chances together would make others' claims look like disclosure.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp, softmax

    logs = np.log(np.clip(chances, 1e-3, 1))
    of_truth = logs[np.arange(len(target)), target].mean()

    def loss(power: float) -> float:
        return float(logsumexp(power * logs, axis=1).mean() - power * of_truth)

    power = minimize_scalar(loss, bounds=(1, 6), method="bounded", options={"xatol": 0.01}).x
    return chances if power < 1.02 else softmax(power * logs, axis=1)
