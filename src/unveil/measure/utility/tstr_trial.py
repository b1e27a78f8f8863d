"""One trial: train on each file in turn, predict the same real people, score the predictions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.scenario import Progress
from unveil.count.streams import stream, tree_seed
from unveil.measure.utility.coding import Floats, Variable, Whole
from unveil.measure.utility.tstr_coding import design
from unveil.measure.utility.tstr_models import class_model, number_model
from unveil.measure.utility.tstr_outcome import Outcome, folds_of
from unveil.measure.utility.tstr_scores import class_scores, number_scores
from unveil.records.tstr import ModelKind, TrainedOn

Scores = dict[str, float | None]
ORIGINAL, CONTROL = 0, 1


@dataclass(frozen=True, eq=False)
class Trial:
    """What is predicted from what, and on whom it is tested."""

    outcome: Outcome
    predictors: tuple[Variable, ...]
    model: ModelKind
    seed: int
    n_folds: int | None  # None: tested on a control
    tested: tuple[Whole, ...]  # rows of the tested side, fold by fold

    @property
    def tested_side(self) -> int:
        """The side of the people it is tested on: the control, or the original itself."""
        return CONTROL if self.n_folds is None else ORIGINAL

    def trained_rows(self, fold: int) -> Whole:
        """The original's records that its model is made on when a fold is tested."""
        if self.n_folds is None:
            return self.outcome.rows(ORIGINAL)
        others = [rows for place, rows in enumerate(self.tested) if place != fold]
        return np.sort(np.concatenate(others))


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one way to train, fold by fold."""

    trained_on: TrainedOn
    copy: int | None
    n_trained: float
    by_fold: tuple[Scores, ...]

    def mean(self, symbol: str) -> float | None:
        """The mean over the folds in which a score is defined."""
        known = self._known(symbol)
        return sum(known) / len(known) if known else None

    def sd(self, symbol: str) -> float | None:
        """The standard deviation over folds; None of fewer than two."""
        known = self._known(symbol)
        return float(np.std(known, ddof=1)) if len(known) > 1 else None

    def _known(self, symbol: str) -> list[float]:
        figures = (scores.get(symbol) for scores in self.by_fold)
        return [figure for figure in figures if figure is not None]


def tested_rows(outcome: Outcome, n_folds: int | None, seed: int) -> tuple[Whole, ...]:
    """The rows to be tested: of the control all at once, of the original fold by fold."""
    if n_folds is None:
        return (outcome.rows(CONTROL),)
    rows, fold_of = outcome.rows(ORIGINAL), folds_of(outcome, n_folds, seed)
    return tuple(rows[fold_of == fold] for fold in range(n_folds))


def scored(trial: Trial, copies: Sequence[int], progress: Progress) -> Iterator[Scored]:
    """The scores of each copy, of the original, and of a guess that is the same for everybody."""
    n_steps = len(copies) + 1
    for number, side in enumerate(copies, start=1):
        progress(f"training on copy {number}", number - 1, n_steps)
        rows = trial.outcome.rows(side)
        scores = _scores(trial, side, rows, trial.tested)
        yield Scored("synthetic", number, len(rows), tuple(scores))
    progress("training on the original", n_steps - 1, n_steps)
    by_fold, guessed, n_trained = [], [], []
    for fold, tested in enumerate(trial.tested):
        rows = trial.trained_rows(fold)
        n_trained.append(len(rows))
        by_fold += list(_scores(trial, ORIGINAL, rows, [tested]))
        guessed.append(_guess(trial, rows, tested))
    mean = sum(n_trained) / len(n_trained)
    yield Scored("original", None, mean, tuple(by_fold))
    yield Scored("constant", None, mean, tuple(guessed))


def _scores(trial: Trial, side: int, rows: Whole, folds: Sequence[Whole]) -> Iterator[Scores]:
    """Train once on some records of a side, and score the predictions of each fold."""
    outcome, made = trial.outcome, design(trial.predictors, side, rows)
    seed = tree_seed(stream(trial.seed, "tstr", "model"))
    if outcome.kind == "classification":
        model = class_model(
            made,
            side,
            rows,
            outcome.classes(side, rows),
            n_classes=outcome.n_classes,
            kind=trial.model,
            seed=seed,
        )
        for tested in folds:
            truth = outcome.classes(trial.tested_side, tested)
            yield class_scores(truth, model.chances(trial.tested_side, tested))
        return
    fitted = number_model(
        made, side, rows, outcome.numbers(side, rows), kind=trial.model, seed=seed
    )
    for tested in folds:
        expected = outcome.numbers(trial.tested_side, tested)
        yield number_scores(expected, fitted.predicted(trial.tested_side, tested))


def _guess(trial: Trial, rows: Whole, tested: Whole) -> Scores:
    """The original's shares of classes, or its mean, for everybody."""
    outcome = trial.outcome
    if outcome.kind == "regression":
        mean = float(outcome.numbers(ORIGINAL, rows).mean())
        truth = outcome.numbers(trial.tested_side, tested)
        return number_scores(truth, np.full(len(tested), mean))
    counts = np.bincount(outcome.classes(ORIGINAL, rows), minlength=outcome.n_classes)
    chances: Floats = np.tile(counts / len(rows), (len(tested), 1))
    return class_scores(outcome.classes(trial.tested_side, tested), chances)
