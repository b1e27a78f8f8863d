"""`unveil.utility`: can a model tell the records of a synthetic file from those of the original?

pMSE, the propensity score mean squared error, and what chance would make of it. The worse a tree or
a logistic model does, the better is the synthetic file, as far as that model can see.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import stdev
from typing import Any, get_args

import numpy as np
from msgspec.structs import replace

from unveil.arguments import check_fields, parse_choice, parse_whole_number
from unveil.arrays import Mask
from unveil.measure.result import RowsResult
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.propensity import (
    ComparedRows,
    PropensityFit,
    Term,
    fit_logit,
    fit_of,
    mean_of_pairs,
    permuted_pmse,
    run_in_threads,
    standardise_pmse,
)
from unveil.models.tree import grow_rpart_trees
from unveil.records.disclosure import NotMeasured
from unveil.records.utility import Model, Utility, UtilityRow
from unveil.seeding import choose_seed
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

MOST_PERMUTATIONS = 100_000
MOST_ORDER = 5
SAMPLE = 50_000
"""So many records of the largest file are compared, unless more are asked for."""
MOST_SAMPLED = 10**9
N_SAMPLES = 5
"""So many samples show how far a figure of one of them may be off."""


@dataclass(frozen=True)
class UtilitySettings:
    """Which model is fitted, and how chance is measured; checked."""

    model: Model
    interactions: int
    n_permutations: int
    seed: int
    workers: int
    sample: int | None = None

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "model": partial(parse_choice, choices=get_args(Model)),
                "interactions": partial(parse_whole_number, most=MOST_ORDER),
                "n_permutations": partial(parse_whole_number, least=0, most=MOST_PERMUTATIONS),
                "workers": partial(parse_whole_number, most=1_000),
                "sample": partial(parse_whole_number, most=MOST_SAMPLED),
            },
        )


@takes_study
def utility(
    original: Any,
    synthetic: Any,
    *,
    columns: str | Iterable[str] | None = None,
    categories: str | Iterable[str] = (),
    model: str = "cart",
    interactions: bool | int = False,
    special_codes: Mapping[str, Any] | None = None,
    n_permutations: int = 50,
    seed: int | None = None,
    sample: int | None = SAMPLE,
    workers: int | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RowsResult[Utility]:
    """Measure how well a model tells copies from the original.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`.
    columns
        The columns to compare; all that every file has if omitted.
    categories
        Columns of numbers that are categories.
    model
        "cart", a tree as rpart grows it, or "logit", a logistic model.
    interactions
        For the logistic model: False for main effects, True for those of pairs of variables too,
        or how many variables a term may join.
    special_codes
        By column, the numbers that stand for missing values: 0, and an indicator for each.
    n_permutations, seed
        How many permuted labels show what chance does to a tree, and from what they are drawn.
    sample
        How many records of the largest file are compared at most, drawn at random, with as large a
        share of the others; None for all of them. Files that are no larger are compared whole.
    workers
        In how many threads; as many as there are cores if omitted. It changes no figure.

    Returns
    -------
    RowsResult
        `.rows` and `.frame()`: for each copy pMSE, S_pMSE with its Monte Carlo error, SPECKS, PO50
        and U; `.record` with the rest.

    Notes
    -----
    pMSE = sum (p - c)^2 / N over the records of original and copy, where c
    is the share of synthetic records and p the propensity. S_pMSE of a logistic model: pMSE / (df
    (1 - c)^2 c / N), df its parameters without the intercept; of a tree: pMSE over half its mean
    for permuted labels, as synthpop has it, which is on the scale of 1 for files of one size
    only; by pairs: twice pMSE (SPECKS, PO50, U) over its mean between copies.

    The figures of a sample are those of files of its size: a model finds more in more records.
    `pMSE_error` is the standard deviation of pMSE over 5 such samples.

    References
    ----------
    Snoke, Raab, Nowok, Dibben and Slavkovic (2018), equations 1 and 2; Raab, Nowok and Dibben
    (2021); synthpop 1.9-3, utility.gen.
    """
    progress = progress or no_progress
    threads = (os.cpu_count() or 1) if workers is None else workers
    order = int(interactions) + 1 if isinstance(interactions, bool) else interactions
    given: Any = (model, order, n_permutations, choose_seed(seed), threads, sample)
    settings = UtilitySettings(*given)
    opened = open_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    return RowsResult(_record(opened, settings, progress))


def _record(opened: UtilityData, settings: UtilitySettings, progress: Progress) -> Utility:
    compared = _sample_rows(opened, settings, 0)
    is_sampled = max(map(len, compared.rows)) < max(opened.sides.rows)
    between = _between_copies(compared, settings, progress)
    rows, reasons = [], []
    for copy in range(1, opened.n_copies + 1):
        progress(f"distinguishing copy {copy} from the original", copy - 1, opened.n_copies)
        row = _row(compared, copy, settings, between)
        if is_sampled:
            row = replace(row, pMSE_error=_sampling_error(row, opened, settings))
        rows.append(row)
        reasons += _reasons(row, settings)
    is_drawn = is_sampled or (settings.model == "cart" and settings.n_permutations > 0)
    return Utility(
        files=opened.files,
        columns=opened.names,
        model=settings.model,
        interactions=settings.interactions,
        seed=settings.seed if is_drawn else None,
        sample=settings.sample if is_sampled else None,
        n_original=opened.sides.rows[0],
        n_synthetic=opened.sides.rows[1:],
        rows=tuple(rows),
        coercions=opened.notes,
        not_measured=tuple(reasons),
    )


def _sample_rows(opened: UtilityData, settings: UtilitySettings, number: int) -> ComparedRows:
    return ComparedRows.of(opened, settings.sample, (settings.seed, "utility", "sample", number))


def _sampling_error(row: UtilityRow, opened: UtilityData, settings: UtilitySettings) -> float:
    """How much pMSE varies from sample to sample."""
    others = [
        _fit(_sample_rows(opened, settings, number), (0, row.copy), settings).pMSE
        for number in range(1, N_SAMPLES)
    ]
    return stdev([row.pMSE, *others])


def _between_copies(
    compared: ComparedRows, settings: UtilitySettings, progress: Progress
) -> list[PropensityFit]:
    """How well any two of the copies are told apart."""
    pairs = list(combinations(range(1, compared.opened.n_copies + 1), 2))
    if pairs:
        progress("distinguishing copies from one another", 0, 1)
    workers = settings.workers if settings.model == "cart" else 1
    return run_in_threads(lambda pair: _fit(compared, pair, settings), pairs, workers)


def _fit(compared: ComparedRows, pair: tuple[int, int], settings: UtilitySettings) -> PropensityFit:
    return _fit_propensity(compared.terms(pair), compared.labels(pair), settings)


def _fit_propensity(found: Sequence[Term], label: Mask, settings: UtilitySettings) -> PropensityFit:
    """The model of which of two sides a record is from."""
    if settings.model == "logit":
        return fit_logit(found, label, settings.interactions)
    (leaves,) = grow_rpart_trees([term.predictor for term in found], [label])
    td, ts = leaves.n - leaves.n_synthetic, leaves.n_synthetic
    is_separated = bool((np.minimum(td, ts) == 0).all())
    return fit_of(td, ts, ts / leaves.n, n_leaves=len(leaves.n), is_separated=is_separated)


def _row(
    compared: ComparedRows, copy: int, settings: UtilitySettings, between: Sequence[PropensityFit]
) -> UtilityRow:
    found, label = compared.terms((0, copy)), compared.labels((0, copy))
    fit = _fit_propensity(found, label, settings)
    standard, error = _standardise(fit, found, label, copy, settings)
    is_cart = settings.model == "cart"
    return UtilityRow(
        copy=copy,
        model=settings.model,
        pMSE=fit.pMSE,
        S_pMSE=standard,
        S_pMSE_error=error,
        S_pMSE_pairs=mean_of_pairs(fit.pMSE, [one.pMSE for one in between]),
        SPECKS=fit.SPECKS,
        PO50=fit.PO50,
        U=fit.U,
        S_SPECKS_pairs=mean_of_pairs(fit.SPECKS, [one.SPECKS for one in between]),
        S_PO50_pairs=mean_of_pairs(fit.PO50, [one.PO50 for one in between]),
        S_U_pairs=mean_of_pairs(fit.U, [one.U for one in between]),
        df=fit.df,
        n_leaves=fit.n_leaves,
        n_permutations=settings.n_permutations if is_cart else None,
        is_separated=fit.is_separated,
    )


def _standardise(
    fit: PropensityFit, found: Sequence[Term], label: Mask, copy: int, settings: UtilitySettings
) -> tuple[float | None, float | None]:
    """S_pMSE and its Monte Carlo error."""
    if settings.model == "logit":
        return (by_chance := closed_form(fit, len(label), float(label.mean()))), (
            None if by_chance is None else 0.0
        )
    by_label = permuted_pmse(
        [term.predictor for term in found],
        label,
        settings.n_permutations,
        (settings.seed, "utility", copy),
        settings.workers,
    )
    return standardise_pmse(fit.pMSE, by_label)


def closed_form(fit: PropensityFit, n: int, c: float) -> float | None:
    """S_pMSE of a logistic model: over its expectation df (1 - c)^2 c / N; None without terms.

    Snoke and others (2018), theorem 1, for a synthetic file drawn from the true model.
    """
    return fit.pMSE / (fit.df * (1 - c) ** 2 * c / n) if fit.df else None


def _reasons(row: UtilityRow, settings: UtilitySettings) -> list[NotMeasured]:
    if row.S_pMSE is not None:
        return []
    if row.model == "logit":
        reason = "no column differs anywhere, so the model has nothing to go by"
    elif settings.n_permutations == 0:
        reason = "no permutations were asked for"
    else:
        reason = "no tree of permuted labels has a cut, so chance gives no scale"
    return [NotMeasured(target=None, copy=row.copy, field="S_pMSE", reason=reason)]
