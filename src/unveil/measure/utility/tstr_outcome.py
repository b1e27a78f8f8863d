"""What is to be predicted, of whom, and who is tested? The outcome and the folds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.count.profile import Mask
from unveil.count.streams import stream
from unveil.errors import RolesError, SettingsError, listed, nearest
from unveil.measure.utility.coding import Floats, Opened, Variable, Whole
from unveil.read.given import choice, number_in, shown
from unveil.read.roles import looks_like_data
from unveil.records.tstr import ModelKind, OutcomeKind

MOST_CLASSES = 100
_FEW_NUMBERS = 10
MODELS: dict[OutcomeKind, tuple[ModelKind, ...]] = {
    "classification": ("logistic", "tree"),
    "regression": ("linear", "tree"),
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of every side: classes as small whole numbers, or numbers."""

    variable: Variable
    kind: OutcomeKind
    is_known: Mask  # by level: those that take part
    class_of: Whole  # by level; -1 where it is no class

    @property
    def n_classes(self) -> int:
        """Classes that occur on some side."""
        return int(self.class_of.max(initial=-1)) + 1

    def rows(self, side: int) -> Whole:
        """The records of a side whose outcome is known."""
        return np.flatnonzero(self.is_known[self.variable.codes(side)])

    def classes(self, side: int, rows: Whole) -> Whole:
        """The class of some records."""
        return self.class_of[self.variable.codes(side)[rows]]

    def numbers(self, side: int, rows: Whole) -> Floats:
        """The number of some records."""
        return self.variable.values[self.variable.codes(side)[rows]]

    def class_names(self, wanted: Sequence[int]) -> list[str]:
        """Some classes as people read them."""
        texts = self.variable.level_names()
        place = {int(one): level for level, one in enumerate(self.class_of)}
        return [texts[place[one]] or "" for one in wanted]


def outcome_asked(opened: Opened, name: str, kind: Any) -> Outcome:
    """The outcome, its kind by what it holds unless that is said, or a refusal."""
    if name not in opened.names:
        raise RolesError(_absent(name, opened.names))
    variable = opened.of(name)
    asked = _kind(variable, kind)
    is_known = variable.is_ordinary if variable.is_number else _levels_held(variable)
    n_values = int((variable.counts(0)[is_known] > 0).sum())
    if n_values < 2:
        what = "one value only" if n_values else "no value"
        raise SettingsError(
            f"The outcome {name!r} has {what} in the original, so there is nothing to predict."
            " Choose another."
        )
    if asked == "classification" and n_values > MOST_CLASSES:
        raise SettingsError(
            f"The outcome {name!r} has {n_values:,} classes in the original; at most {MOST_CLASSES}"
            " can be told apart. Choose another, or group its levels first."
        )
    return Outcome(variable, asked, is_known, _classes(variable, is_known, len(opened.sides.rows)))


def _absent(name: str, columns: Sequence[str]) -> str:
    if looks_like_data(columns):
        return (
            f"The outcome {name!r} is not a column of every file. The first line looks like a"
            " record: put a line with the names above it."
        )
    return (
        f"The outcome {name!r} is not a column of every file.{nearest(name, columns)} Columns of"
        f" every file are: {listed(columns)}."
    )


def _kind(variable: Variable, given: Any) -> OutcomeKind:
    n_values = int((variable.ordinary_counts(0) > 0).sum())
    if given is None:
        return "regression" if n_values > _FEW_NUMBERS else "classification"
    kinds: tuple[OutcomeKind, ...] = ("classification", "regression")
    asked = choice("kind", given, kinds)
    if asked == "regression" and not variable.is_number:
        raise SettingsError(
            f"The outcome {variable.name!r} holds categories, so no regression can predict it."
            ' Use kind="classification".'
        )
    return asked


def _levels_held(variable: Variable) -> Mask:
    held = np.ones(variable.column.n_levels, bool)
    held[-1] = not variable.column.has_missing
    return held


def _classes(variable: Variable, is_known: Mask, n_sides: int) -> Whole:
    occurs = np.any([variable.counts(side) > 0 for side in range(n_sides)], axis=0) & is_known
    return np.where(occurs, np.cumsum(occurs) - 1, -1)


def model_asked(kind: OutcomeKind, given: Any) -> ModelKind:
    """The model, the regression of the kind unless another is said."""
    return MODELS[kind][0] if given is None else choice("model", given, MODELS[kind])


def folds_asked(given: Any, outcome: Outcome, place: str) -> int:
    """How many folds, or a sentence on why that means nothing."""
    number = number_in(given)
    if number is None or not 2 <= number <= 100 or number != int(number):
        raise SettingsError(f"folds is {shown(given)}; it must be a whole number from 2 to 100.")
    n_known = len(outcome.rows(0))
    if n_known < 2 * number:
        raise SettingsError(
            f"{place} has {n_known:,} records with the outcome, too few for {int(number)} folds."
            " Ask for fewer folds, or give a control."
        )
    return int(number)


def folds_of(outcome: Outcome, n_folds: int, seed: int) -> Whole:
    """The fold of each original record with an outcome; each class is spread over all folds."""
    rows = outcome.rows(0)
    luck = stream(seed, "tstr", "folds").random(len(rows))
    strata = outcome.classes(0, rows) if outcome.kind == "classification" else np.zeros(len(rows))
    made = np.empty(len(rows), np.int64)
    made[np.lexsort((luck, strata))] = np.arange(len(rows)) % n_folds
    return made
