"""How much of what synthetic data state about people would other people's records tell anyway?

Two models learn a target from the keys of other people of the original, a regression of main
effects and a forest of all keys; the one that fits better gives each person the probability of each
value. They are made once for a target, and then score every file and copy. Of people with several
records one record is drawn: a person's own records are not other people's.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import CellProfile, Mask
from unveil.measures.disclosure.formulas import AttributeRow
from unveil.results import Note
from unveil.study import ORIGINAL, Study

FOLDS, TREES, LEAST = 3, 50, 10  # values of fewer people are taught by nobody
FEWEST, MOST = 50, 20_000  # people from whom to learn; of more, a sample is learnt from and scored
WHY_NOT = {
    "records": "nobody is shown a single value",
    "people": "the records of some people differ",
    "near": "exclusions take out single values, and a number within the tolerance is several",
}


class SelfTest(NamedTuple):
    """What is beyond, for each claim, where a quarter of the people play the synthetic data.

    Nobody's own record is in it, so it should be 0; what is above 0 counts as expected.
    """

    of_claims: float = 0.0
    error: float = 0.0  # its standard error
    of_exceptions: float = 0.0


class Score(NamedTuple):
    """What is correct of some claims beside what others' records give, in people."""

    expected: float
    beyond: float
    margin: float  # of chance alone
    low: float  # of chance, and of the self-test


@dataclass(frozen=True, eq=False)
class Others:
    """The probability of each target level for each person of a sample, by others' records."""

    learner: str
    sample: Ints  # their records, one of each person
    weight: Floats  # how many records each stands for
    n_sampled: float  # people sampled, of how many
    own: Ints  # the level that each has
    q: Ints  # their key combinations
    chances: Floats
    self_test: SelfTest

    def chance(self, levels: Ints) -> Floats:
        """The probability of one level for each of the sample; 0 where there is none."""
        chances = self.chances[np.arange(len(levels)), levels]
        return np.where(levels < 0, 0, chances)

    @property
    def likeliest(self) -> Ints:
        return self.chances.argmax(axis=1)

    def score(
        self, is_claimed: Mask, is_right: Mask, chance: Floats, correct: float,
        weight: Floats | None = None, margins: float = 1.96,
    ) -> Score:  # fmt: skip
        """Claims about people of the sample; those with the same keys vary together."""
        weight = is_claimed * (self.weight if weight is None else weight) / self.n_sampled
        beyond = float((weight * (is_right - chance - max(self.self_test.of_claims, 0))).sum())
        error = together(self.q, weight * (is_right - chance))
        error_of_test = self.self_test.error * weight.sum()
        low = beyond - margins * float(np.hypot(error, error_of_test))
        return Score(correct - beyond, beyond, margins * error, low)


def together(q: Ints, residuals: Floats) -> float:
    """The standard error of a sum in which people with the same keys vary together."""
    return float(np.sqrt((np.bincount(q, residuals) ** 2).sum()))


def learn_others(study: Study, keys: tuple[str, ...], target: str, seed: int) -> Others | None:
    """What other people of the original teach; None where they are too few."""
    person, n = study.people()
    if n < FEWEST:
        return None
    from threadpoolctl import threadpool_limits

    random = np.random.default_rng(seed)
    order = random.permutation(len(person))
    _, first = np.unique(person[order], return_index=True)  # one record of each person
    sample = np.sort(random.permutation(order[first])[:MOST])
    rows, column = study.rows[ORIGINAL], study.column(target)
    codes = np.column_stack([study.column(name).codes[rows][sample] for name in keys])
    own = column.codes[rows][sample]
    weight = np.bincount(person)[person[sample]].astype(np.float64)
    with threadpool_limits(1):  # more threads fight over small matrices, and add in another order
        learner, chances = _learn(codes, own, column.n_levels, seed)
        self_test = _test_on_strangers(codes, own, column.n_levels, seed, learner)
    return Others(learner, sample, weight, len(sample) / n, own, _number(codes), chances, self_test)


def why_nothing_is_expected(study: Study, rows: Sequence[AttributeRow]) -> Iterator[Note]:
    """Why there is no yardstick, of each unit of rows that lack it."""
    n, reasons = study.people()[1], dict(WHY_NOT)
    if n < FEWEST:
        reasons = dict.fromkeys(reasons, f"{n:,} {study.unit} are too few (fewer than {FEWEST})")
    for unit in dict.fromkeys(row.unit for row in rows if row.expected is None):
        sentence = f"What others' records tell is not measured of {unit}: {reasons[unit]}."
        yield Note(about="attribute.expected", sentence=sentence)


def _learn(
    keys: Ints, target: Ints, n_levels: int, seed: int, learners: Sequence[str] = ()
) -> tuple[str, Floats]:
    """The learner that fits best, of all or of those named, and what it says of each person."""
    common = np.flatnonzero(np.bincount(target, minlength=n_levels) >= LEAST)
    place = np.full(n_levels, len(common))  # of the rare levels, all together
    place[common] = np.arange(len(common))
    lumped = place[target]
    truth = np.eye(len(common) + 1)[lumped]
    by_learner = {
        name: _sharpen(LEARNERS[name](keys, lumped, len(common) + 1, seed), lumped)
        for name in learners or LEARNERS
    }
    best = min(by_learner, key=lambda name: ((by_learner[name] - truth) ** 2).sum())
    chances = np.zeros((len(keys), n_levels))
    chances[:, common] = by_learner[best][:, :-1]
    return best, chances


def _main_effects(keys: Ints, target: Ints, n_levels: int, seed: int) -> Floats:
    """A logistic regression of the other folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    regression = LogisticRegression(C=10, max_iter=100, tol=1e-3)
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


def _test_on_strangers(
    keys: Ints, target: Ints, n_levels: int, seed: int, learner: str
) -> SelfTest:
    """A quarter of the people play the synthetic data for all others."""
    order = np.random.default_rng(seed).permutation(len(target))
    records, people = np.split(order, [len(order) // 4])
    q = _number(keys)
    low, high = np.full(q.max() + 1, n_levels), np.full(q.max() + 1, -1)
    np.minimum.at(low, q[records], target[records])
    np.maximum.at(high, q[records], target[records])
    shown = np.where(low == high, high, -1)[q[people]]
    _, chances = _learn(keys[people], target[people], n_levels, seed, [learner])
    own = target[people]
    strangers = Others(
        learner, people, np.ones(len(people)), 1, own, q[people], chances, SelfTest()
    )
    is_right, is_claimed = shown == own, shown >= 0
    is_exception = is_claimed & (own != strangers.likeliest)
    of_claims = (is_right - strangers.chance(shown)) * is_claimed
    of_exceptions = (is_right - strangers.chance(own)) * is_exception
    n_claims, n_exceptions = max(is_claimed.sum(), 1), max(is_exception.sum(), 1)
    return SelfTest(
        of_claims=float(of_claims.sum() / n_claims),
        error=together(q[people], of_claims) / n_claims,
        of_exceptions=float(of_exceptions.sum() / n_exceptions),
    )


def _number(keys: Ints) -> Ints:
    """The number of each row's key combination."""
    _, q = np.unique(keys, axis=0, return_inverse=True)
    return q.ravel()


def beside_others(
    row: AttributeRow, p: CellProfile, others: Others | None, margins: float = 1.96
) -> AttributeRow:
    """Correct claims beside what other people's records give, with a bound so many errors low."""
    if others is None or row.correct is None:
        return row
    at, own = others.sample, others.own
    shown, chance_of_own = p.to_people(p.claimed)[at], others.chance(own)
    is_right, weight = shown == own, others.weight / others.n_sampled
    score = others.score(shown >= 0, is_right, others.chance(shown), row.correct, margins=margins)
    is_determined = p.of_people(p.pd_is_1)[at] & p.is_counted[at]
    shares_keys = p.of_people(p.d_q > 1)[at]
    is_exception = (shown >= 0) & p.is_counted[at] & (own != others.likeliest) & shares_keys
    surplus = max(others.self_test.of_claims, 0)
    surplus_of_exceptions = max(others.self_test.of_exceptions, 0)
    return msgspec.structs.replace(
        row,
        **score._asdict(),
        reach=float((weight * (1 - chance_of_own - surplus))[is_determined].sum()),
        exceptions=round(weight[is_exception & is_right].sum()),
        exceptions_expected=float(
            (weight * (chance_of_own + surplus_of_exceptions))[is_exception].sum()
        ),
        learner=others.learner,
        self_test=others.self_test.of_claims,
    )


def people_beside_others(row: AttributeRow, p: CellProfile, others: Others | None) -> AttributeRow:
    """The same where a person counts once; nothing is expected where a person's records differ."""
    person, cell = p.person, p.cells.of_people  # type: ignore[attr-defined]
    _, first = np.unique(person, return_index=True)
    if others is None or row.correct is None or (cell != cell[first][person]).any():
        return row
    at = others.sample
    shown = p.to_people(p.claimed)[at]
    score = others.score(
        shown >= 0, shown == others.own, others.chance(shown), row.correct, np.ones(len(at))
    )
    return msgspec.structs.replace(row, **score._asdict(), learner=others.learner)


def near_beside_others(
    row: AttributeRow, p: CellProfile, values: Floats, others: Others | None
) -> AttributeRow:
    """The same for numbers within a tolerance: the chance of any value near what is shown."""
    if others is None or row.correct is None or p.near is None:
        return row
    at, order = others.sample, np.argsort(values, kind="stable")
    is_claimed = p.of_people(p.is_shown)[at]
    low, high = (p.of_people(edge)[at] for edge in p.near)
    below = np.cumsum(np.column_stack([np.zeros(len(at)), others.chances[:, order]]), axis=1)
    people = np.arange(len(at))
    end = below[people, np.searchsorted(values[order], high, side="right")]
    start = below[people, np.searchsorted(values[order], low)]
    is_right = p.of_people(p.ps_is_1)[at]
    score = others.score(
        is_claimed, is_right & is_claimed, np.where(is_claimed, end - start, 0), row.correct
    )
    return msgspec.structs.replace(row, **score._asdict(), learner=others.learner)
