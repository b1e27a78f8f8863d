"""`unveil.tstr`: would a model made on a copy predict real people as well as one made on them?

Train on synthetic, test on real (Esteban, Hyland and Raetsch 2017, section 4.2), beside train on
real and beside a guess that is the same for everybody.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed
from unveil.errors import RolesError, SettingsError
from unveil.measure.opening import sides_of
from unveil.measure.tabular import RowsResult
from unveil.measure.utility.coding import Opened, opened_columns
from unveil.measure.utility.tstr_outcome import Outcome, folds_asked, model_asked, outcome_asked
from unveil.measure.utility.tstr_record import tstr_record
from unveil.measure.utility.tstr_trial import Trial, scored, tested_rows
from unveil.read.roles import names
from unveil.records.tstr import Tstr


class TstrResult(RowsResult[Tstr]):
    """The record of a trial, and the ways to look at it."""

    def frame(self) -> pl.DataFrame:
        """The rows as a frame, unrounded; only a copy's model has a copy."""
        return super().frame().with_columns(pl.col("copy").replace("None", None))


def tstr(
    original: Any,
    synthetic: Any,
    *,
    outcome: str,
    control: Any = None,
    predictors: str | Iterable[str] | None = None,
    kind: str | None = None,
    model: str | None = None,
    folds: int = 5,
    seed: int | None = None,
    categories: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> TstrResult:
    """Train on each copy, test on real people, and put a model made on real people beside.

    Parameters
    ----------
    original
        The confidential data the copies were made from.
    synthetic
        One copy, or a list of copies.
    outcome
        The column to predict.
    control
        Records of the same kind that were not used for the copies: all models are tested on them.
        Without it they are tested on the original, whose own model is made on the other folds.
    predictors
        The columns to predict from; all others if left out.
    kind
        "classification" or "regression"; if left out, regression for a column with more than ten
        different numbers.
    model
        "logistic" (classes) or "linear" (numbers), or "tree".
    folds
        How many parts the original is cut into, where there is no control.
    seed
        Same seed, same folds and trees; drawn and recorded if left out.
    categories, special_codes, missing_values, progress
        As in `unveil.compare`. A record whose outcome is missing or a special code is left out.

    Returns
    -------
    TstrResult
        `.rows`: one for each copy (and their mean), one for the original, one for a constant guess;
        accuracy, balanced accuracy, AUC and log loss, or R2, RMSE and MAE.

    Notes
    -----
    One outcome and one model: a narrow measure. A good figure says that this question can be asked
    of the copy, nothing of others, and nothing of risk: the original itself, given
    away as it is, would keep everything.
    """
    progress = progress or silent
    asked = _columns(outcome, predictors)
    chosen_seed = drawn_seed(seed)
    originals = {"original": original} | ({} if control is None else {"control": control})
    opened = opened_columns(
        sides_of(synthetic, **originals),
        columns=asked,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    target = outcome_asked(opened, outcome, kind)
    chosen_model = model_asked(target.kind, model)
    _refuse_empty(opened, target)
    n_folds = folds_asked(folds, target, opened.places[0]) if control is None else None
    trial = Trial(
        target,
        tuple(one for one in opened.variables if one.name != outcome),
        chosen_model,
        chosen_seed,
        n_folds,
        tested_rows(target, n_folds, chosen_seed),
    )
    copies = range(trial.tested_side + 1, len(opened.sides.rows))
    return TstrResult(tstr_record(opened, trial, list(scored(trial, copies, progress))))


def _columns(outcome: Any, predictors: Any) -> tuple[str, ...] | None:
    if not isinstance(outcome, str):
        raise RolesError(
            "The outcome must be the name of one column, as text; given is"
            f" {type(outcome).__name__}."
        )
    if predictors is None:
        return None
    chosen = names(predictors, "Predictors")
    if outcome in chosen:
        raise RolesError(
            f"The outcome {outcome!r} cannot predict itself. Take it out of predictors."
        )
    if not chosen:
        raise RolesError("No predictors are given. Name some, or leave them out for all columns.")
    return (outcome, *chosen)


def _refuse_empty(opened: Opened, outcome: Outcome) -> None:
    """Refuse a file that has no record to train or test on."""
    if len(opened.variables) < 2:
        raise RolesError("No column besides the outcome is in every file, so nothing predicts it.")
    empty = [place for side, place in enumerate(opened.places) if not len(outcome.rows(side))]
    if empty:
        raise SettingsError(
            "\n".join(
                f"{place} has no record whose outcome is known. Give another file."
                for place in empty
            )
        )
