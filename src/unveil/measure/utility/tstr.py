"""`unveil.tstr`: does a model fitted to synthetic data predict real people as well as their own?

Train on synthetic, test on real (Esteban, Hyland and Raetsch 2017, section 4.2), beside train on
real and beside a guess that is the same for everyone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.errors import RolesError, SettingsError
from unveil.measure.result import RowsResult, mean_row
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.tstr_models import (
    CONTROL,
    FoldScores,
    Outcome,
    Trial,
    parse_folds,
    parse_model,
    parse_outcome,
    rows_to_test,
    score_copies,
)
from unveil.records.disclosure import NotMeasured
from unveil.records.utility import Tstr, TstrRow
from unveil.seeding import choose_seed
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

# What is told of a trial: a row for each way to train, and what to be wary of.


SYMBOLS = ("accuracy", "balanced_accuracy", "AUC", "log_loss", "R2", "RMSE", "MAE")
OF_KIND = {"classification": SYMBOLS[:4], "regression": SYMBOLS[4:]}
_NOTHING = 1e-3  # a gain over a guess that is none


def tstr_record(opened: UtilityData, trial: Trial, scores: Sequence[FoldScores]) -> Tstr:
    """Everything that was found, in a record."""
    outcome = trial.outcome
    headline: Literal["AUC", "R2"] = "AUC" if outcome.kind == "classification" else "R2"
    rows = tuple(_rows(trial, scores, headline))
    first_copy = trial.tested_side + 1
    n_rows = opened.sides.rows
    order = (0, *range(first_copy, len(n_rows)), *([CONTROL] if first_copy > 1 else []))
    lost, share_kept = _retained_gain(rows, headline)
    return Tstr(
        files=opened.files,
        outcome=outcome.variable.name,
        predictors=tuple(one.name for one in trial.predictors),
        kind=outcome.kind,
        model=trial.model,
        tested_on="control" if trial.n_folds is None else "folds",
        folds=trial.n_folds,
        seed=trial.seed,
        n_original=n_rows[0],
        n_synthetic=n_rows[first_copy:],
        n_control=n_rows[CONTROL] if first_copy > 1 else None,
        n_left_out=tuple(n_rows[side] - len(outcome.rows(side)) for side in order),
        n_classes=outcome.n_classes if outcome.kind == "classification" else None,
        rows=rows,
        headline=headline,
        lost=lost,
        share_kept=share_kept,
        warnings=tuple(_warnings(trial, range(first_copy, len(n_rows)), rows, headline)),
        coercions=opened.notes,
        not_measured=tuple(_list_not_measured(trial, rows)),
    )


def _rows(trial: Trial, scores: Sequence[FoldScores], headline: str) -> Iterator[TstrRow]:
    n_tested = sum(len(rows) for rows in trial.tested)
    of_copies = [one for one in scores if one.trained_on == "synthetic"]
    made = [_row(one, n_tested, headline) for one in scores]
    yield from made[: len(of_copies)]
    if len(of_copies) > 1:
        copies = made[: len(of_copies)]
        yield mean_row(
            copies, trained_on="synthetic", copy="mean", n_tested=n_tested, headline_sd=None
        )
    yield from made[len(of_copies) :]


def _row(one: FoldScores, n_tested: int, headline: str) -> TstrRow:
    whole = int(one.n_trained) if one.n_trained == int(one.n_trained) else one.n_trained
    return TstrRow(
        trained_on=one.trained_on,
        copy=one.copy,
        n_trained=whole,
        n_tested=n_tested,
        headline_sd=one.sd(headline),
        **{symbol: one.mean(symbol) for symbol in SYMBOLS},
    )


def _retained_gain(rows: Sequence[TstrRow], headline: str) -> tuple[float | None, float | None]:
    """What is lost of the headline, and which share of the gain over a guess is kept."""
    *copies, real, guess = rows
    here, there, nothing = (getattr(row, headline) for row in (copies[-1], real, guess))
    if here is None or there is None:
        return None, None
    gains = nothing is not None and there - nothing > _NOTHING
    return there - here, (here - nothing) / (there - nothing) if gains else None


def _warnings(
    trial: Trial, copies: Sequence[int], rows: Sequence[TstrRow], headline: str
) -> Iterator[str]:
    if trial.n_folds is not None:
        yield (
            "The test people are those the synthetic files were made from, which favours the files."
            " Give a control that was held out before synthesis for a fair test."
        )
    if trial.outcome.kind == "classification":
        yield from _missing_classes(trial, copies)
    if _retained_gain(rows, headline)[1] is None:
        yield (
            "Even a model made on the original does no better than a guess, so this outcome cannot"
            " distinguish good synthetic data from bad."
        )


def _missing_classes(trial: Trial, copies: Sequence[int]) -> Iterator[str]:
    outcome = trial.outcome
    real = set(np.unique(outcome.classes(0, outcome.rows(0))).tolist())
    for number, side in enumerate(copies, start=1):
        held = set(np.unique(outcome.classes(side, outcome.rows(side))).tolist())
        if len(held) == 1:
            yield (
                f"Copy {number} has one class of the outcome only, so its model gives everyone"
                " that class."
            )
        elif n_lacking := len(real - held):
            classes = "1 class" if n_lacking == 1 else f"{n_lacking} classes"
            yield (
                f"Copy {number} lacks {classes} of the outcome that the original has; its model"
                " treats them as impossible."
            )


def _list_not_measured(trial: Trial, rows: Sequence[TstrRow]) -> Iterator[NotMeasured]:
    for row in rows:
        for symbol in OF_KIND[trial.outcome.kind]:
            if getattr(row, symbol) is None:
                yield NotMeasured(
                    target=trial.outcome.variable.name,
                    copy=row.copy or "mean",
                    field=f"{symbol} ({row.trained_on})",
                    reason="the people tested have one value of the outcome only",
                )


class TstrResult(RowsResult[Tstr]):
    """The record of a trial, and the ways to look at it."""

    def frame(self) -> pl.DataFrame:
        """The rows as a frame, unrounded; only a synthetic file's model has a copy."""
        return super().frame().with_columns(pl.col("copy").replace("None", None))


@takes_study
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
        The columns to predict from; all others if omitted.
    kind
        "classification" or "regression"; if omitted, regression for a column with more than ten
        different numbers.
    model
        "logistic" (classes) or "linear" (numbers), or "tree".
    folds
        How many parts the original is cut into, where there is no control.
    seed
        Same seed, same folds and trees; drawn and recorded if omitted.
    categories, special_codes, missing_values, progress
        As in `unveil.compare`. A record whose outcome is missing or a special code is omitted.

    Returns
    -------
    TstrResult
        `.rows`: one for each copy (and their mean), one for the original, one for a constant
        guess; accuracy, balanced accuracy, AUC and log loss, or R2, RMSE and MAE.

    Notes
    -----
    One outcome and one model: a narrow measure. A good figure says that this question can be asked
    of the synthetic data, nothing of others, and nothing of risk: the original itself, released
    as it is, would keep everything.
    """
    progress = progress or no_progress
    asked = _columns(outcome, predictors)
    chosen_seed = choose_seed(seed)
    originals = {"original": original} | ({} if control is None else {"control": control})
    opened = open_columns(
        sides_of(synthetic, **originals),
        columns=asked,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    target = parse_outcome(opened, outcome, kind)
    chosen_model = parse_model(target.kind, model)
    _check_empty(opened, target)
    n_folds = parse_folds(folds, target, opened.places[0]) if control is None else None
    trial = Trial(
        target,
        tuple(one for one in opened.variables if one.name != outcome),
        chosen_model,
        chosen_seed,
        n_folds,
        rows_to_test(target, n_folds, chosen_seed),
    )
    copies = range(trial.tested_side + 1, len(opened.sides.rows))
    return TstrResult(tstr_record(opened, trial, list(score_copies(trial, copies, progress))))


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
            f"The outcome {outcome!r} cannot predict itself. Remove it from the predictors."
        )
    if not chosen:
        raise RolesError("No predictors are given. Name some, or omit them for all columns.")
    return (outcome, *chosen)


def _check_empty(opened: UtilityData, outcome: Outcome) -> None:
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
