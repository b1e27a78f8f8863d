"""Train on synthetic, test on real: does a model of the synthetic data predict other people?"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np

from unveil.measures.utility.columns import Floats, Ints, Variable
from unveil.progress import steps
from unveil.results import Copy, Figure, Number, Row
from unveil.study import ORIGINAL, Side, Study

TREES, LEAST = 50, 5
MOST = 5_000  # records of each file
CORRECT, EXPLAINED = "predicted correctly", "variance explained"


class PredictionRow(Row, frozen=True):
    """How well one target is predicted from all other columns, of people in the control sample."""

    version: str
    copy: Copy
    target: str
    figure: str
    trained_on_original: Annotated[
        Figure, Number("a forest of the original, at most 5,000 records")
    ]
    trained_on_synthetic: Annotated[Figure, Number("a forest of the synthetic data, as many")]
    shares_alone: Annotated[
        Figure, Number("the commonest level, or the mean, of the original for everyone")
    ]


def predict(
    study: Study, variables: dict[str, Variable], sides: Sequence[Side], rows: int, seed: int
) -> Iterator[list[PredictionRow]]:
    """The rows of each target: a share of 1 predicted correctly, or of the variance explained."""
    if not study.has_control or len(variables) < 2:
        return
    test = _records(study, study.control_number, rows, seed)
    parts = [part for name in study.targets for part in study.joint.get(name, [name])]
    for target in steps("predictions", parts):
        others = [v for name, v in variables.items() if name != target]
        outcome = variables[target]
        original = _records(study, ORIGINAL, rows, seed)
        by_original = _score(others, outcome, original, test, seed)
        yield [
            PredictionRow(
                version=side.version, copy=side.copy, target=target,
                figure=EXPLAINED if outcome.is_number else CORRECT,
                trained_on_original=by_original,
                trained_on_synthetic=_score(
                    others, outcome, _records(study, side.files[0], rows, seed), test, seed
                ),
                shares_alone=_score([], outcome, original, test, seed),
            )
            for side in sides
        ]  # fmt: skip


def _records(study: Study, file: int, rows: int, seed: int) -> Ints:
    """The records of a file, or a random sample of `MOST`."""
    size = len(study.files[file].frame)
    chosen = np.random.default_rng(seed).permutation(size)[: min(rows, MOST)]
    return study.rows[file].start + np.sort(chosen)


def _score(
    others: Sequence[Variable], outcome: Variable, training: Ints, test: Ints, seed: int
) -> Figure:
    """Of a model fitted to some records, how well it does on others; without columns, the mean."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    values = outcome.amounts if outcome.is_number else outcome.states
    training, test = (part[~np.isnan(values[part].astype(float))] for part in (training, test))
    if not len(training) or not len(test):
        return None
    forest = {"n_estimators": TREES, "min_samples_leaf": LEAST, "random_state": seed}
    if outcome.is_number:
        model = RandomForestRegressor(**forest) if others else DummyRegressor()
    else:
        model = RandomForestClassifier(**forest) if others else DummyClassifier()
    X = [_design(others, part) for part in (training, test)]
    predicted = model.fit(X[0], values[training]).predict(X[1])
    if not outcome.is_number:
        return float((predicted == values[test]).mean())
    spread = ((values[test] - values[test].mean()) ** 2).sum()
    return float(1 - ((values[test] - predicted) ** 2).sum() / spread) if spread else None


def _design(variables: Sequence[Variable], records: Ints) -> Floats:
    """Numbers with 0 where they have no amount, and why they have none; levels as codes."""
    columns = [
        part
        for v in variables
        for part in (v.terms(records) if v.is_number else [v.states[records]])
    ]
    return np.column_stack([np.zeros(len(records)), *columns])
