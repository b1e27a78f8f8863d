"""Train on synthetic, test on real: what models see, what they predict, and how good that is."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import is_like_data, parse_choice, parse_whole_number
from unveil.arrays import Floats, Ints, Mask
from unveil.count.centring import centre
from unveil.count.codes import CodedColumn
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.measure.utility.data import UtilityData
from unveil.models.auc import auc
from unveil.models.axes import Sparse
from unveil.models.regression import fit_line, fit_softmax, softmax_probabilities
from unveil.models.tree import grow_tree
from unveil.records.utility import ModelKind, OutcomeKind, TrainedOn
from unveil.seeding import stream, tree_seed
from unveil.study.scenario import Progress

# How does a model see the predictors? Standardised numbers, a dummy for each frequent level.
#
# Everything is learned from the records a model is trained on, so that nothing of those it is
# tested on can reach it.


MOST_LEVELS = 50
_FARTHEST = 1e6  # standard deviations: a tested number may be any


@dataclass(frozen=True, eq=False)
class PredictorCoding:
    """For each predictor, figures by level and dummy: what a model is given of a record."""

    variables: tuple[CodedColumn, ...]
    figures: tuple[NDArray[np.float32], ...]

    def matrix(self, side: int, rows: Ints) -> NDArray[np.float32]:
        """The records of a side as a model sees them."""
        parts = [
            table[one.codes_on(side)[rows]]
            for one, table in zip(self.variables, self.figures, strict=True)
        ]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0), np.float32)


def design(variables: Sequence[CodedColumn], side: int, rows: Ints) -> PredictorCoding:
    """What the training records say of each predictor; those that do not vary are excluded."""
    kept, tables = [], []
    for one in variables:
        counts = np.bincount(one.codes_on(side)[rows], minlength=one.n_levels)
        table = _number(one, counts) if one.is_scaled else _category(counts)
        if table.shape[1]:
            kept.append(one)
            tables.append(table.astype(np.float32))
    return PredictorCoding(tuple(kept), tuple(tables))


def _number(variable: CodedColumn, counts: Ints) -> Floats:
    """The standardised number, 0 where there is none, and a dummy for each state of having none."""
    ordinary = np.where(variable.is_ordinary, counts, 0)
    dummies = _category(np.where(variable.is_ordinary, 0, counts), is_whole=False)
    values = variable.amounts[ordinary > 0]
    if len(values) < 2:
        return dummies
    middle = centre(values, ordinary[ordinary > 0])
    if not np.isfinite(middle.sd(ddof=0)):
        return dummies
    with np.errstate(over="ignore"):
        standard = middle.standardise(variable.amounts).clip(-_FARTHEST, _FARTHEST)
    figures = np.where(variable.is_ordinary, standard, 0.0)
    return np.concatenate([figures[:, None], dummies], axis=1)


def _category(counts: Ints, *, is_whole: bool = True) -> Floats:
    """A dummy for each of the most frequent levels; one level alone says nothing."""
    occurs = np.flatnonzero(counts)
    if is_whole and len(occurs) < 2:
        return np.zeros((len(counts), 0))
    frequent = occurs[np.argsort(-counts[occurs], kind="stable")[:MOST_LEVELS]]
    made = np.zeros((len(counts), len(frequent)))
    made[frequent, np.arange(len(frequent))] = 1.0
    return made


# What is to be predicted, of whom, and who is tested? The outcome and the folds.


MOST_CLASSES = 100
_FEW_NUMBERS = 10
MODELS: dict[OutcomeKind, tuple[ModelKind, ...]] = {
    "classification": ("logistic", "tree"),
    "regression": ("linear", "tree"),
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of every side: classes as small whole numbers, or numbers."""

    variable: CodedColumn
    kind: OutcomeKind
    is_known: Mask  # by level: those that take part
    class_of: Ints  # by level; -1 where it is no class

    @property
    def n_classes(self) -> int:
        """Classes that occur on some side."""
        return int(self.class_of.max(initial=-1)) + 1

    def rows(self, side: int) -> Ints:
        """The records of a side whose outcome is known."""
        return np.flatnonzero(self.is_known[self.variable.codes_on(side)])

    def classes(self, side: int, rows: Ints) -> Ints:
        """The class of some records."""
        return self.class_of[self.variable.codes_on(side)[rows]]

    def numbers(self, side: int, rows: Ints) -> Floats:
        """The number of some records."""
        return self.variable.amounts[self.variable.codes_on(side)[rows]]

    def score(self, side: int, rows: Ints, predicted: Floats) -> "Scores":
        """How good predictions are: chances by record and class, or numbers."""
        if self.kind == "classification":
            return class_scores(self.classes(side, rows), predicted)
        return number_scores(self.numbers(side, rows), predicted)


def parse_outcome(opened: UtilityData, name: str, kind: Any) -> Outcome:
    """The outcome, its kind by what it holds unless that is said, or a refusal."""
    if name not in opened.names:
        raise RolesError(_absent(name, opened.names))
    variable = opened.of(name)
    asked = _kind(variable, kind)
    is_known = variable.is_ordinary if variable.is_scaled else _find_held_levels(variable)
    n_values = int((variable.counts_on(0)[is_known] > 0).sum())
    if n_values < 2:
        what = "one value only" if n_values else "no value"
        raise SettingsError(
            f"The outcome {name!r} has {what} in the original, so there is nothing to predict."
            " Choose another."
        )
    if asked == "classification" and n_values > MOST_CLASSES:
        raise SettingsError(
            f"The outcome {name!r} has {n_values:,} classes in the original; at most"
            f" {MOST_CLASSES} can be distinguished. Choose another, or group its levels first."
        )
    return Outcome(variable, asked, is_known, _classes(variable, is_known, len(opened.sides.rows)))


def _absent(name: str, columns: Sequence[str]) -> str:
    if is_like_data(columns):
        return (
            f"The outcome {name!r} is not a column of every file. The first line looks like a"
            " record: put a line with the names above it."
        )
    return (
        f"The outcome {name!r} is not a column of every file.{hint_at(name, columns)} Columns of"
        f" every file are: {list_names(columns)}."
    )


def _kind(variable: CodedColumn, given: Any) -> OutcomeKind:
    n_values = int((variable.amount_counts(0) > 0).sum())
    if given is None:
        return "regression" if n_values > _FEW_NUMBERS else "classification"
    kinds: tuple[OutcomeKind, ...] = ("classification", "regression")
    asked = parse_choice("kind", given, kinds)
    if asked == "regression" and not variable.is_scaled:
        raise SettingsError(
            f"The outcome {variable.name!r} holds categories, so no regression can predict it."
            ' Use kind="classification".'
        )
    return asked


def _find_held_levels(variable: CodedColumn) -> Mask:
    held = np.ones(variable.n_levels, bool)
    held[-1] = not variable.has_missing
    return held


def _classes(variable: CodedColumn, is_known: Mask, n_sides: int) -> Ints:
    occurs = np.any([variable.counts_on(side) > 0 for side in range(n_sides)], axis=0) & is_known
    return np.where(occurs, np.cumsum(occurs) - 1, -1)


def parse_model(kind: OutcomeKind, given: Any) -> ModelKind:
    """The model, the regression of the kind unless another is said."""
    return MODELS[kind][0] if given is None else parse_choice("model", given, MODELS[kind])


def parse_folds(given: Any, outcome: Outcome, place: str) -> int:
    """How many folds, or a sentence on why that means nothing."""
    number = parse_whole_number("folds", given, least=2, most=100)
    n_known = len(outcome.rows(0))
    if n_known < 2 * number:
        raise SettingsError(
            f"{place} has {n_known:,} records with the outcome, too few for {number} folds."
            " Ask for fewer folds, or give a control."
        )
    return number


def folds_of(outcome: Outcome, n_folds: int, seed: int) -> Ints:
    """The fold of each original record with an outcome; each class is spread over all folds."""
    rows = outcome.rows(0)
    luck = stream(seed, "tstr", "folds").random(len(rows))
    strata = outcome.classes(0, rows) if outcome.kind == "classification" else np.zeros(len(rows))
    made = np.empty(len(rows), np.int64)
    made[np.lexsort((luck, strata))] = np.arange(len(rows)) % n_folds
    return made


# How good are predictions? Scores of classes and of numbers, from their definitions.


FLOOR = 1e-6
"""A class that a model holds impossible counts as this likely, so that one surprise is finite."""


def class_scores(truth: Ints, chances: Floats) -> dict[str, float | None]:
    """Accuracy, balanced accuracy, AUC and log loss of chances by record and class."""
    return {
        "accuracy": accuracy(truth, chances),
        "balanced_accuracy": balanced_accuracy(truth, chances),
        "AUC": mean_auc(truth, chances),
        "log_loss": log_loss(truth, chances),
    }


def number_scores(truth: Floats, predicted: Floats) -> dict[str, float | None]:
    """R2, RMSE and MAE.

    Notes
    -----
    R2 = 1 - sum (y - f)^2 / sum (y - mean y)^2 over the tested records: below 0 where the mean of
    the tested would have been better, and undefined where they are all the same.
    """
    n = len(truth)
    if not n:
        return dict.fromkeys(("R2", "RMSE", "MAE"))
    error = truth - predicted
    middle = centre(truth)
    scaled = error * middle.unit
    return {
        "R2": 1 - float(scaled @ scaled) / middle.squares if middle.squares else None,
        "RMSE": math.sqrt(float(error @ error) / n),
        "MAE": float(np.abs(error).mean()),
    }


def accuracy(truth: Ints, chances: Floats) -> float | None:
    """The share of records whose likeliest class is theirs; the first of equally likely ones."""
    return float((chances.argmax(axis=1) == truth).mean()) if len(truth) else None


def balanced_accuracy(truth: Ints, chances: Floats) -> float | None:
    """The mean over classes of the share of its records that is classed correctly.

    Classes that no one tested has take no part. A guess has 1 / classes.
    """
    if not len(truth):
        return None
    is_right = chances.argmax(axis=1) == truth
    n_of = np.bincount(truth, minlength=chances.shape[1])
    right = np.bincount(truth, is_right, chances.shape[1])
    return float((right[n_of > 0] / n_of[n_of > 0]).mean())


def log_loss(truth: Ints, chances: Floats) -> float | None:
    """The mean of -ln of the chance given to what was true, chances below 1e-6 taken as 1e-6."""
    if not len(truth):
        return None
    given = chances[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(given, FLOOR, 1.0)).mean())


def mean_auc(truth: Ints, chances: Floats) -> float | None:
    """AUC of two classes; of more the mean over each class against the rest.

    Classes that no tested record has, or all have, take no part. A constant guess has 0.5.
    """
    n_classes = chances.shape[1]
    wanted = [1] if n_classes == 2 else range(n_classes)
    known = [
        auc(chances[truth == one, one], chances[truth != one, one])
        for one in wanted
        if 0 < (truth == one).sum() < len(truth)
    ]
    return sum(known) / len(known) if known else None


# The models themselves: regressions of the family and trees, fitted to the training records.


MIN_LEAF = 10
RIDGE = 1.0
"""The precision of a normal prior on coefficients: scikit-learn's C = 1."""
BARELY = 1e-8
"""A ridge for each record that changes no digit, and shares an effect among collinear columns."""

Predict = Callable[[NDArray[np.float32]], Floats]
"""From a matrix of predictors to chances of classes, or to numbers."""


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """How the records of a side are coded, and what is predicted from that."""

    coding: PredictorCoding
    function: Predict

    def predict(self, side: int, rows: Ints) -> Floats:
        """For each record the chance of every class, or the number expected."""
        return self.function(self.coding.matrix(side, rows))


def class_model(
    outcome: Outcome, coding: PredictorCoding, side: int, rows: Ints, *, kind: ModelKind, seed: int
) -> TrainedModel:
    """Train a logistic model or a tree; a class that no one trained on has is held impossible."""
    truth, n_classes = outcome.classes(side, rows), outcome.n_classes
    classes, y = np.unique(truth, return_inverse=True)
    if len(classes) == 1 or not coding.variables:
        shares = np.bincount(truth, minlength=n_classes) / len(truth)
        return TrainedModel(coding, lambda matrix: np.tile(shares, (len(matrix), 1)))
    matrix = coding.matrix(side, rows)
    some = _tree(matrix, y, seed) if kind == "tree" else _logistic(matrix, y, len(classes))

    def chances(matrix: NDArray[np.float32]) -> Floats:
        made = np.zeros((len(matrix), n_classes))
        made[:, classes] = some(matrix)
        return made

    return TrainedModel(coding, chances)


def number_model(
    outcome: Outcome, coding: PredictorCoding, side: int, rows: Ints, *, kind: ModelKind, seed: int
) -> TrainedModel:
    """Train a linear model or a tree; the mean is all there is where no predictor varies."""
    truth = outcome.numbers(side, rows)
    middle = centre(truth)
    z, matrix = middle.deviations(truth), coding.matrix(side, rows)
    if not coding.variables:
        return TrainedModel(coding, lambda matrix: np.full(len(matrix), middle.mean))
    some = _tree(matrix, z, seed, is_number=True) if kind == "tree" else _linear(matrix, z)
    return TrainedModel(coding, lambda matrix: some(matrix) / middle.unit + middle.mean)


def _tree(
    matrix: NDArray[np.float32], y: NDArray[Any], seed: int, *, is_number: bool = False
) -> Predict:
    tree = grow_tree(matrix, y, is_number=is_number, min_leaf=MIN_LEAF, seed=seed)
    return (lambda matrix: tree.predict(matrix)[:, 0]) if is_number else tree.predict


def _logistic(matrix: NDArray[np.float32], y: Ints, n_classes: int) -> Predict:
    # Of two classes one line is fitted: half of it to each has a quarter of its square, twice.
    ridge = RIDGE if n_classes > 2 else 2 * RIDGE
    fit = fit_softmax(_sparse(matrix), y, n_classes, ridge=ridge)
    return lambda matrix: softmax_probabilities(fit, matrix.astype(np.float64))


def _linear(matrix: NDArray[np.float32], z: Floats) -> Predict:
    fit, _ = fit_line(_sparse(matrix), z, ridge=BARELY * len(z))
    return lambda matrix: matrix.astype(np.float64) @ fit.coefficients + fit.intercept


def _sparse(matrix: NDArray[np.float32]) -> Sparse:
    """In double precision: single would lose digits that dummies and numbers share."""
    from scipy.sparse import csr_array

    return csr_array(matrix.astype(np.float64))


# One trial: train on each file in turn, predict the same real people, score the predictions.


Scores = dict[str, float | None]
ORIGINAL, CONTROL = 0, 1


@dataclass(frozen=True, eq=False)
class Trial:
    """What is predicted from what, and on whom it is tested."""

    outcome: Outcome
    predictors: tuple[CodedColumn, ...]
    model: ModelKind
    seed: int
    n_folds: int | None  # None: tested on a control
    tested: tuple[Ints, ...]  # rows of the tested side, fold by fold

    @property
    def tested_side(self) -> int:
        """The side of the people it is tested on: the control, or the original itself."""
        return CONTROL if self.n_folds is None else ORIGINAL

    def trained_rows(self, fold: int) -> Ints:
        """The original's records that its model is made on when a fold is tested."""
        if self.n_folds is None:
            return self.outcome.rows(ORIGINAL)
        others = [rows for place, rows in enumerate(self.tested) if place != fold]
        return np.sort(np.concatenate(others))


@dataclass(frozen=True, eq=False)
class FoldScores:
    """The scores of one way to train, fold by fold."""

    trained_on: TrainedOn
    copy: int | None
    n_trained: float
    by_fold: tuple[Scores, ...]

    def mean(self, symbol: str) -> float | None:
        """The mean over the folds in which a score is defined."""
        known = self._list_figures(symbol)
        return sum(known) / len(known) if known else None

    def sd(self, symbol: str) -> float | None:
        """The standard deviation over folds; None of fewer than two."""
        known = self._list_figures(symbol)
        return float(np.std(known, ddof=1)) if len(known) > 1 else None

    def _list_figures(self, symbol: str) -> list[float]:
        figures = (scores.get(symbol) for scores in self.by_fold)
        return [figure for figure in figures if figure is not None]


def rows_to_test(outcome: Outcome, n_folds: int | None, seed: int) -> tuple[Ints, ...]:
    """The rows to be tested: of the control all at once, of the original fold by fold."""
    if n_folds is None:
        return (outcome.rows(CONTROL),)
    rows, fold_of = outcome.rows(ORIGINAL), folds_of(outcome, n_folds, seed)
    return tuple(rows[fold_of == fold] for fold in range(n_folds))


def score_copies(trial: Trial, copies: Sequence[int], progress: Progress) -> Iterator[FoldScores]:
    """The scores of each copy, of the original, and of a guess that is the same for everyone."""
    n_steps = len(copies) + 1
    for number, side in enumerate(copies, start=1):
        progress(f"training on copy {number}", number - 1, n_steps)
        rows = trial.outcome.rows(side)
        scores = _scores(trial, side, rows, trial.tested)
        yield FoldScores("synthetic", number, len(rows), tuple(scores))
    progress("training on the original", n_steps - 1, n_steps)
    by_fold, guessed, n_trained = [], [], []
    for fold, tested in enumerate(trial.tested):
        rows = trial.trained_rows(fold)
        n_trained.append(len(rows))
        by_fold += list(_scores(trial, ORIGINAL, rows, [tested]))
        guessed.append(_guess(trial, rows, tested))
    mean = sum(n_trained) / len(n_trained)
    yield FoldScores("original", None, mean, tuple(by_fold))
    yield FoldScores("constant", None, mean, tuple(guessed))


def _scores(trial: Trial, side: int, rows: Ints, folds: Sequence[Ints]) -> Iterator[Scores]:
    """Train once on some records of a side, and score the predictions of each fold."""
    outcome, made = trial.outcome, design(trial.predictors, side, rows)
    seed = tree_seed(stream(trial.seed, "tstr", "model"))
    train = class_model if outcome.kind == "classification" else number_model
    fitted = train(outcome, made, side, rows, kind=trial.model, seed=seed)
    for tested in folds:
        predicted = fitted.predict(trial.tested_side, tested)
        yield outcome.score(trial.tested_side, tested, predicted)


def _guess(trial: Trial, rows: Ints, tested: Ints) -> Scores:
    """The original's shares of classes, or its mean, for everyone."""
    outcome = trial.outcome
    if outcome.kind == "regression":
        same: Floats = np.full(len(tested), outcome.numbers(ORIGINAL, rows).mean())
    else:
        counts = np.bincount(outcome.classes(ORIGINAL, rows), minlength=outcome.n_classes)
        same = np.tile(counts / len(rows), (len(tested), 1))
    return outcome.score(trial.tested_side, tested, same)
