"""What is told of a trial: a row for each way to train, and what to be wary of."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from unveil.measure.utility.coding import Opened
from unveil.measure.utility.tstr_trial import CONTROL, Scored, Trial
from unveil.records.disclosure import NotMeasured
from unveil.records.tstr import Tstr, TstrRow

SYMBOLS = ("accuracy", "balanced_accuracy", "AUC", "log_loss", "R2", "RMSE", "MAE")
OF_KIND = {"classification": SYMBOLS[:4], "regression": SYMBOLS[4:]}
_NOTHING = 1e-3  # a gain over a guess that is none


def tstr_record(opened: Opened, trial: Trial, scores: Sequence[Scored]) -> Tstr:
    """Everything that was found, in a record."""
    outcome = trial.outcome
    headline: Literal["AUC", "R2"] = "AUC" if outcome.kind == "classification" else "R2"
    rows = tuple(_rows(trial, scores, headline))
    first_copy = trial.tested_side + 1
    n_rows = opened.sides.rows
    order = (0, *range(first_copy, len(n_rows)), *([CONTROL] if first_copy > 1 else []))
    lost, share_kept = _kept(rows, headline)
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
        not_measured=tuple(_not_measured(trial, rows)),
    )


def _rows(trial: Trial, scores: Sequence[Scored], headline: str) -> Iterator[TstrRow]:
    n_tested = sum(len(rows) for rows in trial.tested)
    of_copies = [one for one in scores if one.trained_on == "synthetic"]
    made = [_row(one, n_tested, headline) for one in scores]
    yield from made[: len(of_copies)]
    if len(of_copies) > 1:
        yield _mean(made[: len(of_copies)])
    yield from made[len(of_copies) :]


def _row(one: Scored, n_tested: int, headline: str) -> TstrRow:
    whole = int(one.n_trained) if one.n_trained == int(one.n_trained) else one.n_trained
    return TstrRow(
        trained_on=one.trained_on,
        copy=one.copy,
        n_trained=whole,
        n_tested=n_tested,
        headline_sd=one.sd(headline),
        **{symbol: one.mean(symbol) for symbol in SYMBOLS},
    )


def _mean(rows: Sequence[TstrRow]) -> TstrRow:
    def mean(field: str) -> float | None:
        figures = [getattr(row, field) for row in rows]
        return None if None in figures else sum(figures) / len(figures)

    return TstrRow(
        trained_on="synthetic",
        copy="mean",
        n_trained=sum(row.n_trained for row in rows) / len(rows),
        n_tested=rows[0].n_tested,
        headline_sd=None,
        **{symbol: mean(symbol) for symbol in SYMBOLS},
    )


def _kept(rows: Sequence[TstrRow], headline: str) -> tuple[float | None, float | None]:
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
            "The people tested on are those the copies were made from, which flatters the copies."
            " Give a control that was held out before synthesis for a fair test."
        )
    if trial.outcome.kind == "classification":
        yield from _lacking(trial, copies)
    if _kept(rows, headline)[1] is None:
        yield (
            "Even a model made on the original does no better than a guess, so this outcome cannot"
            " tell good copies from bad ones."
        )


def _lacking(trial: Trial, copies: Sequence[int]) -> Iterator[str]:
    outcome = trial.outcome
    real = set(np.unique(outcome.classes(0, outcome.rows(0))).tolist())
    for number, side in enumerate(copies, start=1):
        held = set(np.unique(outcome.classes(side, outcome.rows(side))).tolist())
        if len(held) == 1:
            yield (
                f"Copy {number} has one class of the outcome only, so its model gives everybody"
                " that class."
            )
        elif n_lacking := len(real - held):
            classes = "1 class" if n_lacking == 1 else f"{n_lacking} classes"
            yield (
                f"Copy {number} lacks {classes} of the outcome that the original has; its model"
                " holds them impossible."
            )


def _not_measured(trial: Trial, rows: Sequence[TstrRow]) -> Iterator[NotMeasured]:
    for row in rows:
        for symbol in OF_KIND[trial.outcome.kind]:
            if getattr(row, symbol) is None:
                yield NotMeasured(
                    target=trial.outcome.variable.name,
                    copy=row.copy or "mean",
                    field=f"{symbol} ({row.trained_on})",
                    reason="the people tested have one value of the outcome only",
                )
